#!/usr/bin/env python3
"""scipy_small.py [--task knn|within] [--threads 1] [--json=FILE]: wedge.knn and wedge.within beside SciPy's cKDTree, few points.

From Python, f64, uniform points in the unit cube, 100 to 100,000 of them. knn: the k nearest and their distances; cKDTree is asked
for k + 1, each point is its own first. within: the pairs i < j within a radius that so many neighbours of a point lie in, away from
the faces; wedge's list is sorted, cKDTree's is not. The tree is built in each run, as wedge orders its points in each run. Both have
--threads threads, but for cKDTree.query_pairs, which has one.

Results are compared before anything is timed. Runs take turns; a time is a median. With --cpu-time (one thread alone) it is the time
of the thread, for machines that are busy. With --step sizes one apart are looked at, too: no time may jump where n grows by one.

SPDX-License-Identifier: MIT"""

import argparse
import os
import statistics
import sys
import time

import numpy as np

try:
    import scipy
    from scipy.spatial import cKDTree
except ImportError:
    print("SKIPPED: SCIPY IS MISSING; nothing was measured")
    sys.exit(0)

import wedge
from torch_edm import save

SIZES = (100, 200, 500, 1000, 2000, 5000, 6000, 10000, 20000, 50000, 100000)
PARAMETERS = {"knn": (1, 3, 8, 16), "within": (1, 10, 50)}


def radius(n, d, neighbours):
    volume = {2: np.pi, 3: 4 * np.pi / 3}[d]
    return (neighbours / n / volume) ** (1 / d)


def solvers(task, x, parameter, threads):
    """The timed calls, by library."""
    if task == "knn":
        return {
            "wedge": lambda: wedge.knn(x, parameter, device="cpu"),
            "scipy": lambda: cKDTree(x).query(x, k=parameter + 1, workers=threads),
        }
    r = radius(*x.shape, parameter)
    return {
        "wedge": lambda: wedge.within(x, r, device="cpu"),
        "scipy": lambda: cKDTree(x).query_pairs(r, output_type="ndarray"),
    }


def is_same(task, ours, theirs):
    """Neighbours of equal distance may come in either order: there the distances decide."""
    if task == "knn":
        return np.allclose(ours[0], theirs[0][:, 1:], rtol=1e-12, atol=0)
    theirs = np.sort(theirs, axis=1)
    return np.array_equal(ours, theirs[np.lexsort((theirs[:, 1], theirs[:, 0]))])


def in_turn(calls, seconds, clock):
    """Seconds of each call, by turns; those of the first turn warm up."""
    samples, end = {name: [] for name in calls}, time.perf_counter() + seconds
    while len(samples["wedge"]) < 6 or (time.perf_counter() < end and len(samples["wedge"]) < 2001):
        for name, call in calls.items():
            start = clock()
            call()
            samples[name].append(clock() - start)
    return {name: s[1:] for name, s in samples.items()}


def rows_of(o, d, parameter, n):
    x = np.random.default_rng(n).random((n, d))
    calls = solvers(o.task, x, parameter, o.threads)
    if not is_same(o.task, calls["wedge"](), calls["scipy"]()):
        raise SystemExit(f"{o.task} {parameter}, n = {n}, d = {d}: wedge and SciPy do not agree")
    samples = in_turn(calls, o.seconds, time.thread_time if o.cpu_time else time.perf_counter)
    return [
        {
            "what": f"{name} {o.task}{parameter}",
            "n": n,
            "d": d,
            "threads": 1 if (name, o.task) == ("scipy", "within") else o.threads,
            "status": "ok",
            "median": statistics.median(s),
            "samples": s[:: len(s) // 100 + 1],
        }
        for name, s in samples.items()
    ]


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--task", choices=PARAMETERS, default="knn")
    p.add_argument("--n", default=",".join(map(str, SIZES)))
    p.add_argument("--d", default="2,3")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--seconds", type=float, default=1.0, help="of a row")
    p.add_argument("--cpu-time", action="store_true")
    p.add_argument("--step", action="store_true", help="also n + 1")
    p.add_argument("--json", metavar="FILE")
    o = p.parse_args()
    if o.cpu_time and o.threads > 1:
        p.error("--cpu-time is that of one thread")
    wedge.set_num_threads(o.threads)
    rows, behind = [], 0
    for d in map(int, o.d.split(",")):
        for parameter in PARAMETERS[o.task]:
            for n in (m + more for m in map(int, o.n.split(",")) for more in range(1 + o.step)):
                ours, theirs = rows_of(o, d, parameter, n)
                ratio = theirs["median"] / ours["median"]
                behind += n >= 1000 and ratio < 1
                rows += [ours, theirs]
                print(
                    f"{d}-D {o.task} {parameter:>2} of {n:>6}: wedge {1e6 * ours['median']:>9.1f} us, "
                    f"cKDTree {1e6 * theirs['median']:>9.1f} us, {ratio:.2f} x",
                    flush=True,
                )
    print(f"rows from n = 1,000 on where cKDTree is ahead: {behind}")
    if o.json:
        save(o.json, "small", {"scipy": scipy.__version__, "numpy": np.__version__, "cpus": os.cpu_count()}, rows, {})


if __name__ == "__main__":
    main()
