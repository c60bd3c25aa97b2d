#!/usr/bin/env python3
"""scipy_pairs.py [--tasks within,histogram,knn] [--threads 2] [--wedge PATH] [--json=FILE]: SciPy at the tasks of wedge bench.

scipy.spatial.cKDTree, built anew in each run as wedge orders its points anew: query_pairs (a list of pairs, one thread),
count_neighbors (counts up to each edge, one thread) and query with k = 17, a point and its 16 nearest (`--threads` workers).
The points are wedge's own; SciPy takes them as f64. Medians after a run that warms up and is compared with NumPy for some
points. wedge's rows are what `wedge bench` measures with as many threads. Without SciPy this says so and ends well.

SPDX-License-Identifier: MIT"""
import argparse
import os
import statistics
import sys
import time

try:
    import numpy as np
    import scipy
    from scipy.spatial import cKDTree
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was measured")
    sys.exit(0)

from torch_edm import print_table, save
from torch_pairs import (BINS, CHECKED, K, MAX, TASKS, chosen, common_options, compare, lab_points, parse_sizes, radius,
                         task_name, wedge_tasks)

EDGES = np.linspace(0, MAX, BINS + 1)


def solve(task, x, p, threads):
    """within: pairs i < j. histogram: ordered pairs up to each edge, points with themselves. knn: distances and neighbours."""
    tree = cKDTree(x)
    if task == "within":
        return tree.query_pairs(radius(len(x)), output_type="ndarray")
    if task == "histogram":
        return tree.count_neighbors(tree, EDGES)
    return tree.query(x, k=K + 1, p=p, workers=threads)


def is_right(task, x, p, answer):
    """knn and within: of some points against all, by NumPy. A histogram: of all pairs among the first two thousand points."""
    n = len(x)
    some = np.linspace(0, n - 1, CHECKED).astype(int)
    if task == "histogram":
        part = x[:2000]
        got = solve(task, part, p, 1)
        v = np.sqrt(((part[:, None] - part) ** 2).sum(2))
        return bool(np.array_equal(got, [(v <= e).sum() for e in EDGES]) and answer[0] >= n)
    v = np.stack([(np.abs(x - x[i]) ** p).sum(1) ** (1 / p) for i in some])
    if task == "knn":
        return np.allclose(answer[0][some], np.sort(v)[:, :K + 1], rtol=1e-9)
    counts = np.bincount(answer.ravel(), minlength=n)
    return bool(np.array_equal(counts[some], (v <= radius(n)).sum(1) - 1))


def scipy_row(task, d, p, n, threads, repeats):
    x = lab_points(np, n, d).astype(np.float64)
    answer = solve(task, x, p, threads)
    row = {"what": f"scipy {task_name(task, d, p)}", "n": n, "d": d, "threads": threads if task == "knn" else 1}
    if not is_right(task, x, p, answer):
        return row | {"status": "wrong", "note": "not what NumPy gives"}
    size = sum(a.nbytes for a in (answer if task == "knn" else [answer]))
    samples = []
    while len(samples) < 3 or (len(samples) < repeats and sum(samples) < 20):
        answer = None
        start = time.perf_counter()
        answer = solve(task, x, p, threads)
        samples.append(time.perf_counter() - start)
    threads = row["threads"]
    return row | {"status": "ok", "note": f"{threads} thread{'' if threads == 1 else 's'}", "samples": samples,
                  "median": statistics.median(samples), "bytes": size}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    common_options(p, 5)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    p.add_argument("--wedge-args", default="--device cpu", help="options of wedge bench")
    o = p.parse_args()
    tasks = chosen(o.tasks.split(","), parse_sizes(o.n), False)
    rows = [scipy_row(*task, o.threads, o.repeats) for task in tasks]
    options = ["--threads", str(o.threads), *o.wedge_args.split()]
    found, result = wedge_tasks(o.wedge, tasks, options) if o.wedge else ([], {})
    rows = sorted(rows + found, key=lambda row: [t[:2] for t in TASKS].index((row["what"].split()[1], row["d"])))
    compare(rows, "scipy")
    print(f"SciPy {scipy.__version__}, NumPy {np.__version__}, {os.cpu_count()} cpus")
    print_table(rows)
    if o.json:
        save(o.json, "scipy", {"scipy": scipy.__version__, "numpy": np.__version__, "cpus": os.cpu_count()}, rows, result)


if __name__ == "__main__":
    main()
