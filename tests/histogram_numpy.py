#!/usr/bin/env python3
"""histogram_numpy.py BUILD_DIR [--device D,D...]: `wedge histogram` equals numpy.histogram of all distances.

Every metric, uniform, logarithmic and listed edges, two sets, boxes, values on edges, n = 1, 2, 3; g(r) against its formula and
against 1 for points at random; the same for every number of threads, pruned or not; what is refused.

SPDX-License-Identifier: MIT"""
from pairs_oracle import *
import zipfile


def histogram(*words, device="cpu"):
    good("histogram", *words, "-o", "h.npy", "--force", device=device)
    return np.load(path("h.npy"))


def values_of(metric, a, b, box=None):
    v = METRICS[metric][0](a.astype("f8"), a.astype("f8") if b is None else b.astype("f8"), box)
    return v[np.triu_indices(len(a), 1)] if b is None else v.ravel()


def compare(metric, a, b, device, box=None):
    v = values_of(metric, a, b, box)
    finite = v[np.isfinite(v)]
    low, high = (gap_at(finite, 0.1), gap_at(finite, 0.7)) if len(finite) else (0.0, 1.0)
    if not high > low:
        low, high = low - 1.25, high + 1.5  # one value alone lies on none of the edges
    edges = np.linspace(low, high, 6)
    edges[1:-1] = [gap_at(finite, s) if len(finite) > 9 else e for s, e in zip((0.2, 0.3, 0.4, 0.5), edges[1:-1])]
    edges = np.unique(edges)
    files = (save("a.npy", a),) if b is None else (save("a.npy", a), save("b.npy", b))
    more = () if box is None else ("--box", ",".join(map(str, box)))
    words = (*files, "--metric", metric, *EXTRA.get(metric, ()), *more, "--edges", save("e.npy", edges))
    want = np.histogram(v, edges)[0]
    got = as_json("histogram", *words, device=device)
    below, above = int((v < edges[0]).sum()), int((v > edges[-1]).sum())
    if got["counts"] != want.tolist() or (got["below"], got["above"], got["nan"]) != (below, above, 0):
        return f"{got}, not {want} {below} {above}"
    return "" if device != "cpu" or np.array_equal(histogram(*words, "--brute", device=device), want) else "--brute"


for device in devices():
    for metric in METRICS if device == "cpu" else ("euclidean",):
        wrong = ""
        for n in (1, 2, 3, 150) if device == "cpu" else (90,):
            a = points_for(metric, n)
            wrong = wrong or compare(metric, a, None, device)
            if device == "cpu":
                wrong = wrong or compare(metric, a, points_for(metric, 40), device)
        report(not wrong, f"{device}_{metric}", wrong)
    a = (points_for("euclidean", 200) * 20).round(3)
    wrong = compare("euclidean", a, None, device, [90.5, 0, 80.25])
    report(not wrong, f"{device}_in_a_box", wrong)

# ---- Spaced edges are NumPy's, also where values lie on them ----
x = random.integers(-40, 40, (400, 2)).astype("f8")
save("x.npy", x)
v = values_of("cityblock", x, None)
for low, high, bins in ((0, 160, 160), (0, 60, 20), (3, 90, 29), (10, 11, 1), (-5, 100, 7)):
    got = histogram("x.npy", "--metric", "cityblock", "--min", low, "--max", high, "--bins", bins)
    want = np.histogram(v, np.linspace(low, high, bins + 1))[0]
    report(got.dtype == np.int64 and np.array_equal(got, want), f"uniform_{low}_{high}_{bins}", f"{got} {want}")
for low, high, bins in ((1, 100, 10), (0.5, 64, 7)):
    got = histogram("x.npy", "--min", low, "--max", high, "--bins", bins, "--log")
    want = np.histogram(values_of("euclidean", x, None), np.geomspace(low, high, bins + 1))[0]
    report(np.array_equal(got, want), f"log_{low}_{high}_{bins}", f"{got} {want}")
text = good("histogram", "x.npy", "--max", "100", "--bins", "4", "--metric", "cityblock")
lines = [line.split() for line in text.splitlines()]
want = np.histogram(v, np.linspace(0, 100, 5))[0]
report([line[:2] for line in lines[:4]] == [["0", "25"], ["25", "50"], ["50", "75"], ["75", "100"]] and
       [int(line[2]) for line in lines[:4]] == want.tolist() and lines[4] == ["below:", "0"] and
       lines[5] == ["above:", str(len(v) - want.sum())], "lines", text)
with open(path("edges.txt"), "w") as f:
    f.write("0\n1\n10\n200\n")
report(np.array_equal(histogram("x.npy", "--edges", "edges.txt"),
                      np.histogram(values_of("euclidean", x, None), [0, 1, 10, 200])[0]), "edges_as_text")

# ---- Large, and the same counts however they come about ----
y = random.random((20000, 3)).astype("f4")
save("y.npy", y)
want = histogram("y.npy", "--max", "0.1", "--bins", "50")
for words in (("--brute",), ("--threads", 1), ("--threads", 7)):
    report(np.array_equal(histogram("y.npy", "--max", "0.1", "--bins", "50", *words), want),
           "same_counts_" + "_".join(map(str, words)).strip("-"))
got = as_json("histogram", "y.npy", "--max", "0.1", "--bins", "50")
said = json.loads(good("histogram", "y.npy", "--min", "0.01", "--max", "0.1", "--bins", "5", "--log", "--brute", "--box", "2",
                       "--json"))
report(said["log"] is True and said["brute"] is True and said["box"] == [2, 2, 2], "json_says_how", said)
said = json.loads(good("histogram", "y.npy", "--max", "0.1", "--bins", "5", "--json"))
report(said["log"] is False and said["brute"] is False and said["box"] is None, "json_says_what_was_not_asked_for", said)
report(sum(got["counts"]) + got["above"] + got["below"] == 20000 * 19999 // 2, "nothing_is_lost")
if os.environ.get("WEDGE_TEST_FULL"):  # one counter for all pairs: half a minute
    got = as_json("histogram", save("same.npy", np.zeros((100000, 1), "f4")), "--max", "1", "--bins", "2")
    report(got["counts"] == [4999950000, 0], "counts_beyond_32_bits", got)

# ---- g(r) ----
g = [line.split() for line in good("histogram", "y.npy", "--max", "0.5", "--bins", "10", "--box", "1", "--rdf").splitlines()[:10]]
count, lo, hi = (np.array([float(line[k]) for line in g]) for k in (2, 0, 1))
want = 2 * count / (20000 * 19999 * 4 / 3 * np.pi * (hi**3 - lo**3))
report(np.allclose([float(line[3]) for line in g], want, rtol=1e-6) and abs(want[2:] - 1).max() < 0.02, "rdf", g)
save("z.npy", y[:3000, :2])
got = as_json("histogram", "z.npy", "y2.npy" if os.path.exists(path("y2.npy")) else save("y2.npy", y[3000:5000, :2]),
              "--max", "0.4", "--bins", "4", "--box", "1", "--rdf")
report(abs(np.array(got["g"])[1:] - 1).max() < 0.03, "rdf_of_two_sets_in_the_plane", got["g"])
for name, words in (("one_point", (save("one.npy", np.zeros((1, 3))), "--min", 0)), ("no_volume", ("y.npy", "--min", -1))):
    lines = good("histogram", *words, "--max", "0.5", "--bins", "3", "--box", "1", "--rdf").splitlines()
    report(lines[0].split()[2:] == ["0", "0"], f"rdf_of_{name}_is_0", lines[0])
report(good("histogram", save("one.npy", np.zeros((1, 2))), "--max", "1", "--bins", "1") == "0 1 0\nbelow: 0\nabove: 0\n",
       "one_point")
save("nan.npy", np.array([[0.0], [1], [np.nan]]))
report("nan: 2" in good("histogram", "nan.npy", "--max", "2", "--bins", "1", "--nan", "propagate"), "nan_is_counted_apart")

# ---- Files with edges ----
lines = [line.split() for line in good("histogram", "y.npy", "--max", "0.5", "--bins", "10", "--box", "1", "--rdf").splitlines()[:10]]
printed = np.array(lines, float).T
for more, columns in (((), "lo,hi,count"), (("--rdf",), "lo,hi,count,g")):
    words = ("histogram", "y.npy", "--max", "0.5", "--bins", "10", "--box", "1", "--force", *more)
    for ending, gap in (("csv", ","), ("tsv", "\t")):
        good(*words, "-o", f"h.{ending}")
        header, *rows = open(path(f"h.{ending}")).read().splitlines()
        report(header.split(gap) == columns.split(",") and
               np.array_equal(np.array([row.split(gap) for row in rows], float).T, printed[:len(columns.split(","))]),
               f"{ending}_{len(columns.split(','))}_columns", rows)
    good(*words, "-o", "h.npz")
    with np.load(path("h.npz")) as z, zipfile.ZipFile(path("h.npz")) as archive:
        report(sorted(z) == ["counts", "edges"] + ["g"] * bool(more) and archive.testzip() is None and z["counts"].dtype == np.int64 and
               np.array_equal(z["counts"], printed[2]) and np.array_equal(z["edges"].astype("f4"), np.append(printed[0], 0.5).astype("f4")) and
               (not more or np.array_equal(z["g"], printed[3])), f"npz_{len(more)}", list(z))
once = open(path("h.npz"), "rb").read()
good(*words, "-o", "h.npz")
report(once == open(path("h.npz"), "rb").read(), "npz_has_the_same_bytes_every_time")

# ---- What is refused ----
for name, edges in (("falling", [1, 0]), ("equal", [0, 1, 1])):
    refuses(f"{name}_edges", 2, "must ascend", "histogram", "x.npy", "--edges", save("e.npy", np.array(edges, "f8")))
for name, said, words in (
        ("no_max", "missing --max", ("--bins", "3")), ("no_bins", "missing --bins", ("--max", "3")),
        ("a_max_of_0", "--max 0", ("--max", "0", "--bins", "3")), ("a_nan_max", "--max nan", ("--max", "nan", "--bins", "3")),
        ("a_negative_max", "--max -1", ("--max", "-1", "--bins", "3")),
        ("a_word_as_max", "--max x", ("--max", "x", "--bins", "3")),
        ("max_below_min", "--max 3", ("--max", "3", "--min", "4", "--bins", "3")),
        ("no_bin", "--bins 0", ("--max", "3", "--bins", "0")), ("negative_bins", "--bins -2", ("--max", "3", "--bins", "-2")),
        ("a_word_as_bins", "--bins x", ("--max", "3", "--bins", "x")), ("nan_bins", "--bins nan", ("--max", "3", "--bins", "nan")),
        ("log_from_0", "--log needs --min", ("--max", "3", "--bins", "3", "--log")),
        ("rdf_without_a_box", "--box", ("--max", "3", "--bins", "3", "--rdf")),
        ("rdf_in_an_open_box", "periodic in every coordinate", ("--max", "3", "--bins", "3", "--rdf", "--box", "9,0")),
        ("rdf_of_another_metric", "Euclidean", ("--max", "3", "--bins", "3", "--rdf", "--box", "9", "--metric", "cityblock")),
        ("a_box_below_twice_max", "too short", ("--max", "3", "--bins", "3", "--box", "5.9")),
        ("edges_and_bins", "--edges gives", ("--edges", "edges.txt", "--bins", "3")),
        ("edges_as_output", "overwritten", ("--edges", "e.npy", "-o", "e.npy", "--force")),
        ("an_unknown_ending", "must end in .npy, .npz, .csv or .tsv", ("--max", "3", "--bins", "3", "-o", "h.xyz"))):
    refuses(name, 2, said, "histogram", "x.npy", *words)
refuses("a_table_of_edges", 3, "one row or column", "histogram", "x.npy", "--edges", "x.npy")
refuses("edges_and_points_from_stdin", 2, "standard input", "histogram", "-", "--edges", "-")
refuses("missing_edges", 3, "none.txt", "histogram", "x.npy", "--edges", "none.txt")
for name, odd, place in (("nan", np.nan, 1), ("inf", np.inf, 2)):
    edges = np.array([0.0, 1, 2])
    edges[place] = odd
    refuses(f"{name}_in_the_edges", 3, f"edge {place} (from 0) is {name}; edges must be finite", "histogram", "x.npy", "--edges",
            save("e.npy", edges))
for name, words in (("edge", ("--edges", save("e.npy", np.array([0.0, 1e299, 1e300])))), ("max", ("--max", "1e300", "--bins", "2"))):
    done = run("histogram", "x.npy", "--dtype", "f32", *words)
    report(done.returncode == 2 and done.stderr.startswith("wedge: histogram: ") and done.stderr.count("histogram:") == 1,
           f"an_{name}_beyond_f32_is_said_once", done.stderr)
save("e.npy", np.array([0.0, 1, 2]))
for name, words in (("counts", ("-o", "e.npy")), ("json", ("--json=e.npy",))):
    refuses(f"{name}_over_the_edges", 2, "e.npy is the input", "histogram", "x.npy", "--edges", "e.npy", *words, "--force")
finish()
