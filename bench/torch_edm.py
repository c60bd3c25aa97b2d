#!/usr/bin/env python3
"""torch_edm.py [--n 65536,...] [--d 4,64] [--wedge PATH] [--json=FILE]: PyTorch's distances on CUDA, beside wedge's.

Euclidean, f32: torch.pdist (condensed) and torch.cdist (square), the latter by differences and as it chooses itself, which
from 26 rows on is by a matrix product. Times are medians by CUDA events after a warm-up, with the smallest and the largest;
every answer is compared at some thousand cells with f64 before it is timed. At n = 65,536 a square has more cells than a
grid may have blocks, and releases of torch that index pairs in 32 bits end at 46,341: an exception or a wrong answer is a
row that says so, and 32,768 and 46,341 are run as well.

The rows run in a process of their own that may crash, lose its device or run out of time; then the next one takes the
rest. Without CUDA, or without torch, this says so and ends well. bench/scipy_edm.py does the same on the cpu.

SPDX-License-Identifier: MIT"""
import argparse
import datetime
import json
import math
import os
import platform
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

DIRECT = "donot_use_mm_for_euclid_dist"

# ---- wedge ----


def wedge_result(command, seconds):
    """What a `wedge bench` wrote as JSON, or {}; what is missing goes to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/wedge.json"
        said = ""
        try:
            r = subprocess.run([*command, f"--json={file}", "--quiet"], capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, timeout=seconds)
            said = r.stderr.strip()
            with open(file) as f:
                return json.load(f)
        except (OSError, subprocess.TimeoutExpired, ValueError) as e:
            print(f"note: {shlex.join(command)}: {said or e}", file=sys.stderr)
            return {}


def wedge_rows(wedge, sizes, widths, options, seconds=600):
    """What `wedge bench edm` says about these numbers of points and features: the rows of its engine.

    The one place that knows its JSON (bench/result.h): rows of the experiment "edm" whose `map` is "engine" and that are
    "ok", with `variant` ("square" is its lower half, "packed", "condensed", ...), `features`, `dtype`, and times in seconds
    under `time`. Returns the rows and the rest of the result; what is missing goes to stderr."""
    command = [wedge, "bench", "edm", "--n", ",".join(map(str, sizes)), *options]
    result = wedge_result(command, seconds)
    found = []
    for row in result.pop("rows", []):
        if row["map"] != "engine" or row["n"] not in sizes or row["features"] not in widths:
            continue
        if row["status"] != "ok" or not row["time"]["samples"]:
            print(f"note: wedge {row['variant']}, n = {row['n']}: {row['status']}: {row['remark']}", file=sys.stderr)
            continue
        layout = {"square": "lower half"}.get(row["variant"], row["variant"].partition("-")[0])
        found.append({"what": f"wedge {layout} {row['dtype']}", "n": row["n"], "d": row["features"],
                      "samples": row["time"]["samples"], "median": row["time"]["median"], "bytes": row["bytes"],
                      "status": "ok", "how": row["how"],
                      "note": f"{100 * row['share']:.0f} % of {row['limit']}" if row["share"] else ""})
    missing = [f"n = {n}, d = {d}" for n in sizes for d in widths if not any((r["n"], r["d"]) == (n, d) for r in found)]
    if result and missing:
        print(f"note: {shlex.join(command)}: no row with {'; '.join(missing)}", file=sys.stderr)
    return found, result


# ---- torch, in a process of its own ----


def pair_of(n, k):
    """The pair i < j at position k of condensed order, in whole numbers."""
    w = n * (n - 1) // 2 - 1 - k
    a = (math.isqrt(8 * w + 1) + 1) // 2
    return n - 1 - a, n - 1 - (w - a * (a - 1) // 2)


def cells(total):
    """Both ends, around 2^30 and 2^31, and anywhere."""
    chosen = {p for c in (0, total // 2, 2**30, 2**31, total) for p in range(c - 100, c + 100) if 0 <= p < total}
    return sorted(chosen | {random.Random(total).randrange(total) for _ in range(2000)})


def largest_error(torch, what, x, out):
    """Over those cells, as a share of their mean distance."""
    n = x.shape[0]
    positions = cells(out.numel())
    pairs = [pair_of(n, p) if what == "pdist" else divmod(p, n) for p in positions]
    i, j = (torch.tensor(t) for t in zip(*pairs))
    got = out.flatten()[torch.tensor(positions, device=out.device)].double().cpu()
    points = x.double().cpu()
    want = (points[i] - points[j]).square().sum(1).sqrt()
    worst = ((got - want).abs().max() / want.mean()).item()
    return worst if got.isfinite().all() else math.inf


def time_row(torch, what, n, d, repeats):
    functions = {
        "pdist": torch.pdist,
        "cdist direct": lambda x: torch.cdist(x, x, compute_mode=DIRECT),
        "cdist": lambda x: torch.cdist(x, x),
    }
    torch.manual_seed(7)
    x = torch.rand(n, d, device="cuda")
    out = functions[what](x)
    torch.cuda.synchronize()
    error, size = largest_error(torch, what, x, out), out.numel() * out.element_size()
    limit = 1e-2 if what == "cdist" else 1e-5  # a product of rows loses what is small beside their norms
    if not error <= limit:
        return {"status": "wrong", "note": f"wrong: {error:.2g} of the mean distance away", "error": error, "bytes": size}
    samples = []
    while len(samples) < 4 or (len(samples) <= repeats and sum(samples) < 5):
        out = None  # its memory is the next one's
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        out = functions[what](x)
        end.record()
        end.synchronize()
        samples.append(start.elapsed_time(end) / 1e3)
    samples = samples[1:]  # the first warmed up
    return {"status": "ok", "note": "", "error": error, "bytes": size, "samples": samples,
            "median": statistics.median(samples)}


def child(rows, repeats, file):
    import torch

    with open(file, "w") as f:
        for what, n, d in rows:
            try:
                answer = time_row(torch, what, n, d, repeats)
            except Exception as e:  # whatever it is, it is the row's answer
                answer = {"status": "failed", "note": f"{type(e).__name__}: {e}".splitlines()[0][:160]}
            f.write(json.dumps(answer) + "\n")
            f.flush()
            if answer["status"] != "ok":
                return  # the device may be lost to this process
            torch.cuda.empty_cache()


def probe():
    """What torch says about itself; None where there is none."""
    code = ("import json, torch; c = torch.cuda; ok = c.is_available(); print(json.dumps({'torch': torch.__version__, "
            "'cuda': torch.version.cuda, 'device': c.get_device_name(0) if ok else None, "
            "'memory': c.get_device_properties(0).total_memory if ok else 0}))")
    try:
        r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=180)
        return json.loads(r.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return None


def run_rows(rows, repeats, seconds):
    """Every row gets an answer: a child that ends early is followed by one for the rest."""
    answers = []
    while len(answers) < len(rows):
        rest = rows[len(answers):]
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/answers"
            command = [sys.executable, os.path.abspath(__file__), "--child", json.dumps(rest), "--repeats", str(repeats),
                       f"--json={file}"]
            try:
                r = subprocess.run(command, capture_output=True, text=True, timeout=seconds * len(rest) + 60)
                why = f"ended with {r.returncode}: {(r.stderr.strip().splitlines() or [''])[-1][:160]}"
            except subprocess.TimeoutExpired:
                why = "took too long"
            lines = open(file).readlines() if os.path.exists(file) else []
        done = [json.loads(line) for line in lines if line.endswith("\n")]
        answers += done
        if len(done) < len(rest) and (not done or done[-1]["status"] == "ok"):
            answers.append({"status": "failed", "note": why})
    return [{"what": f"torch.{what}", "n": n, "d": d, **a} for (what, n, d), a in zip(rows, answers)]


# ---- Both ----


def print_table(rows):
    print(f"{'':28} {'n':>6} {'d':>3} {'median':>11} {'min':>9} .. {'max':<9} {'GB/s':>6} {'pairs/ns':>8}")
    for r in rows:
        name = f"{r['what']:28} {r['n']:>6} {r['d']:>3}"
        if r["status"] != "ok":
            print(f"{name}  {r['note']}")
            continue
        low, high, median = min(r["samples"]), max(r["samples"]), r["median"]
        print(f"{name} {1e3 * median:>8.3f} ms {1e3 * low:>9.3f} .. {1e3 * high:<9.3f} {r['bytes'] / median / 1e9:>6.1f} "
              f"{r['n'] * (r['n'] - 1) / 2 / median / 1e9:>8.1f}  {r['note']}")


def save(file, against, versions, rows, wedge):
    """With what it takes to run it again; wedge: the device, version and ceilings of its own result."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    command = shlex.join([f"bench/{os.path.basename(sys.argv[0])}", *sys.argv[1:]])
    with open(file, "w") as f:
        json.dump({"schema": f"wedge-{against}-1", "date": now, "command": command, "python": platform.python_version(),
                   **versions, "rows": rows, "wedge": wedge}, f, indent=1)
        f.write("\n")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--n", default="65536,32768,46341", help="numbers of points")
    p.add_argument("--d", default="4,64", help="numbers of features")
    p.add_argument("--repeats", type=int, default=15)
    p.add_argument("--seconds", type=int, default=60, help="what a row of torch may take on average")
    p.add_argument("--wedge", help="the program of the build to compare with")
    p.add_argument("--wedge-args", default="--device cuda --map engine --budget 30", help="options of wedge bench edm")
    p.add_argument("--json", metavar="FILE")
    p.add_argument("--child", help=argparse.SUPPRESS)
    o = p.parse_args()
    if o.child:
        return child([tuple(row) for row in json.loads(o.child)], o.repeats, o.json)
    about = probe()
    if not about or not about["device"]:
        print("SKIPPED: " + ("TORCH FINDS NO CUDA DEVICE" if about else "TORCH IS MISSING") + "; nothing was measured")
        return
    sizes, widths = ([int(k) for k in words.split(",")] for words in (o.n, o.d))
    wanted = [(what, n, d) for d in widths for n in sizes for what in ("pdist", "cdist direct", "cdist")]
    rows = run_rows(wanted, o.repeats, o.seconds)
    found, result = wedge_rows(o.wedge, sizes, widths, o.wedge_args.split()) if o.wedge else ([], {})
    rows += found
    rows.sort(key=lambda r: (r["d"], r["n"], r.get("median", math.inf)))
    print(f"{about['device']}, torch {about['torch']}, CUDA {about['cuda']}; f32, euclidean")
    print_table(rows)
    if o.json:
        save(o.json, "torch", about, rows, result)


if __name__ == "__main__":
    main()
