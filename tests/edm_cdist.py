#!/usr/bin/env python3
"""edm_cdist.py BUILD_DIR [--device D,D...]: `wedge edm A B` equals SciPy's cdist.

Every metric, f32 and f64, sets of very different sizes, few and many features, in shards, resumed, as text, through standard
input; and what cannot be: other numbers of features, --layout, three files. One line per check, then a count; exit 1 on
failure. Without SciPy it says so and ends well.

SPDX-License-Identifier: MIT"""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy.spatial.distance import cdist
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was compared")
    sys.exit(0)

METRICS = {"euclidean": {}, "sqeuclidean": {}, "cityblock": {}, "chebyshev": {}, "canberra": {}, "braycurtis": {},
           "cosine": {}, "correlation": {}, "hamming": {}, "minkowski": {"p": 2.5}}
SIZES = ((1, 1), (1, 700), (700, 1), (2, 3), (255, 257), (33, 1025), (1025, 33))

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--device", default="")
options = parser.parse_args()
wedge = os.path.join(options.build, "wedge")
passed = failed = 0
folder = tempfile.TemporaryDirectory()
A, B, OUT = (os.path.join(folder.name, name) for name in ("a.npy", "b.npy", "out.npy"))
random = np.random.default_rng(7)


def report(good, name, detail=""):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    print(("ok    " if good else "FAIL  ") + name + ("" if good else f": {detail}"))


def run(*words, stdin=None):
    return subprocess.run([wedge, "edm", *words], capture_output=True, stdin=stdin)


def edm(device, *words):
    done = run(A, B, "-o", OUT, "--force", "--quiet", "--device", device, *words)
    return np.load(OUT) if not done.returncode else done.stderr.decode()


def points(n, d, dtype):
    return (random.normal(size=(n, d)) + 3).astype(dtype)


def compare(device, metric, dtype, n, m, d):
    a, b = points(n, d, dtype), points(m, d, dtype)
    np.save(A, a), np.save(B, b)
    extra = METRICS[metric]
    got = edm(device, "--metric", metric, *(w for k, v in extra.items() for w in ("--" + k, str(v))))
    want = cdist(a.astype("f8"), b.astype("f8"), metric, **extra)
    if isinstance(got, str) or got.shape != (n, m) or got.dtype != dtype:
        return got if isinstance(got, str) else f"{got.dtype} {got.shape}"
    bound = (2 * d + 40) * (2.0**-24 if dtype == "f4" else 2.0**-53)
    wrong = ~(np.abs(got - want) <= bound * np.maximum(1, np.abs(want))) & ~(np.isnan(got) & np.isnan(want))
    return f"{wrong.sum()} values, the first at {np.argwhere(wrong)[0]}" if wrong.any() else ""


devices = options.device.split(",") if options.device else [
    line.split()[0] for line in subprocess.run([wedge, "devices"], capture_output=True, text=True).stdout.splitlines()[1:]
    if line.split()[0] == "cpu" or line.startswith("opencl")][:2]
for device in devices:
    for k, metric in enumerate(METRICS):
        if device != "cpu" and k % 3:
            continue # a kernel for each: t410 has every op on every device
        wrong = ""
        for s, (n, m) in enumerate(SIZES if device == "cpu" else SIZES[k % 7:k % 7 + 2]):
            for d in (1, 4, 5, 17) if device == "cpu" else ((3, 6)[k % 2],):
                dtype = ("f4", "f8")[(k + s + d) % 2 if device == "cpu" else k % 2]
                if metric == "correlation" and d == 1:
                    continue
                wrong = wrong or compare(device, metric, dtype, n, m, d)
        report(not wrong, f"{device}_{metric}", wrong)

# Points in a periodic box: the shortest of all images, by plain NumPy; every layout.
PERIODIC = {"euclidean": lambda t: np.sqrt((t**2).sum(-1)), "cityblock": lambda t: np.abs(t).sum(-1),
            "chebyshev": lambda t: np.abs(t).max(-1)}
for device in devices:
    for metric, of in PERIODIC.items():
        for dtype, box in (("f8", (3.0, 0.0, 5.0)), ("f4", (7.0,))):
            a, b, lengths = points(70, 3, dtype), points(33, 3, dtype), np.broadcast_to(box, 3)

            def want(x, y):
                t = x[:, None].astype("f8") - y[None].astype("f8")
                with np.errstate(invalid="ignore", divide="ignore"):
                    return of(np.where(lengths > 0, t - lengths * np.round(t / lengths), t))

            np.save(A, a), np.save(B, b)
            words = ("--box", ",".join(map(str, box)), "--metric", metric, "--force", "--quiet", "--device", device)
            i, j = np.triu_indices(70, 1)
            all_of = {(): want(a, a)[i, j], ("--layout", "packed"): want(a, a)[np.tril_indices(70)],
                      ("--layout", "square"): want(a, a)}
            wrong = ""
            for layout, expected in all_of.items():
                done = run(A, "-o", OUT, *words, *layout)
                if done.returncode or not np.allclose(np.load(OUT), expected, rtol=1e-5 if dtype == "f4" else 1e-13):
                    wrong = f"{layout} {done.stderr}"
            done = run(A, B, "-o", OUT, *words)
            two = done.returncode == 0 and np.allclose(np.load(OUT), want(a, b), rtol=1e-5 if dtype == "f4" else 1e-13)
            report(not wrong and two, f"{device}_box_{metric}_{dtype}", wrong or done.stderr)
done = run(A, "-o", OUT, "--box", "5", "--resume", "--device", "cpu", "--metric", "cosine", "--force")
report(done.returncode == 2 and b"has no periodic form" in done.stderr, "a_metric_that_has_no_box", done.stderr)
run(A, "-o", OUT, "--box", "5", "--force", "--device", "cpu")
done = run(A, "-o", OUT, "--box", "6", "--resume", "--device", "cpu")
report(done.returncode == 2 and b"belongs to another job" in done.stderr, "an_output_of_another_box_is_not_taken_over", done.stderr)

# The rest on the cpu alone.
a, b = points(400, 3, "f4"), points(90, 3, "f4")
np.save(A, a), np.save(B, b)
want = edm("cpu")
one = run(A, A, "-o", OUT, "--force", "--device", "cpu")
both, square = np.load(OUT), run(A, "-o", OUT, "--force", "--device", "cpu", "--layout", "square")
report(np.array_equal(both, np.load(OUT)), "a_set_with_itself_is_its_square")
np.save(B, b.astype("f8"))
report(edm("cpu").dtype == np.float64, "the_wider_kind_holds_both")
np.save(B, b)
os.remove(OUT)
for k in (3, 1, 2):
    done = run(A, B, "-o", OUT, "--shard", f"{k}/3", "--device", "cpu", "--threads", "1")
    report(done.returncode == 0 and os.path.exists(OUT) == (k == 2), f"shard_{k}_of_3", done.stderr)
report(np.array_equal(np.load(OUT), want), "shards_make_the_same_bytes")
report(run(A, B, "-o", OUT, "--resume", "--device", "cpu").returncode == 0, "its_own_finished_output_is_recognised")
report(run(B, A, "-o", OUT, "--resume", "--device", "cpu").returncode == 2, "that_of_the_sets_exchanged_is_not")
np.save(B, b + 1)
report(run(A, B, "-o", OUT, "--resume", "--device", "cpu").returncode == 2, "nor_that_of_another_second_set")
np.save(B, b)
with open(B, "rb") as f:
    done = run(A, "-", "-o", OUT, "--force", "--device", "cpu", stdin=f)
report(done.returncode == 0 and np.array_equal(np.load(OUT), want), "the_second_set_from_standard_input", done.stderr)
text = os.path.join(folder.name, "out.csv")
done = run(A, B, "-o", text, "--device", "cpu")
report(done.returncode == 0 and np.array_equal(np.loadtxt(text, delimiter=",", dtype="f4"), want), "a_table_as_text")
report(b"400 points" in done.stderr and b"90 points" in done.stderr, "both_inputs_are_said", done.stderr)
np.save(B, points(5, 4, "f4"))
for name, code, words, said in (
        ("other_features", 3, (A, B), b"3 features"), ("a_layout", 2, (A, B, "--layout", "square"), b"--layout"),
        ("three_files", 2, (A, A, A), b"or two"), ("standard_input_twice", 2, ("-", "-"), b"standard input"),
        ("a_missing_second", 3, (A, A + "x"), b"a.npyx")):
    done = run(*words, "-o", OUT, "--force", "--device", "cpu")
    report(done.returncode == code and said in done.stderr, name + "_is_refused", f"{done.returncode} {done.stderr}")
done = run(A, OUT, "-o", OUT, "--force", "--device", "cpu")
report(done.returncode == 2 and b"overwritten" in done.stderr, "the_second_input_is_not_overwritten", done.stderr)
np.save(B, 1e25 * np.ones((2, 3), "f4"))
done = run(A, B, "-o", OUT, "--force", "--device", "cpu", "--metric", "sqeuclidean")
report(done.returncode == 3 and b"--dtype f64" in done.stderr, "an_overflow_between_the_sets_is_foreseen", done.stderr)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
