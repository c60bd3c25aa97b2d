#!/usr/bin/env python3
"""scipy_edm.py [--n 8192] [--d 4,64] [--wedge PATH] [--json=FILE]: SciPy's pdist on the cpu, beside wedge's.

Euclidean, f64, one thread, as SciPy has it; medians of five with the smallest and the largest, after one run that warms up
and is compared with NumPy at a thousand cells. wedge's rows are what `wedge bench edm --device cpu` measures, with the
ratio SciPy / wedge; bench/torch_edm.py, which does the same on a GPU, has the one function that reads them. SciPy writes
into an array of its own each time, wedge into one that is there: --out hands SciPy one too. Without SciPy this says so
and ends well.

SPDX-License-Identifier: MIT"""
import argparse
import os
import statistics
import sys
import time

try:
    import numpy as np
    import scipy
    from scipy.spatial.distance import pdist
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was measured")
    sys.exit(0)

from torch_edm import pair_of, print_table, save, wedge_rows


def scipy_row(n, d, repeats, reuse):
    x = np.random.default_rng(7).random((n, d))
    total = n * (n - 1) // 2
    out = pdist(x)
    positions = np.random.default_rng(n).integers(0, total, 1000)
    i, j = np.array([pair_of(n, int(k)) for k in positions]).T
    want = np.sqrt(((x[i] - x[j]) ** 2).sum(1))
    if not np.allclose(out[positions], want, rtol=1e-12, atol=0):
        return {"what": "scipy pdist", "n": n, "d": d, "status": "wrong", "note": "not what NumPy gives"}
    samples = []
    for _ in range(repeats):
        if not reuse:
            out = None
        start = time.perf_counter()
        out = pdist(x, out=out)
        samples.append(time.perf_counter() - start)
    return {"what": "scipy pdist f64", "n": n, "d": d, "status": "ok", "note": "", "samples": samples,
            "median": statistics.median(samples), "bytes": 8 * total}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--n", type=int, default=8192)
    p.add_argument("--d", default="4,64", help="numbers of features")
    p.add_argument("--repeats", type=int, default=5)
    p.add_argument("--out", action="store_true", help="SciPy writes into an array that is there")
    p.add_argument("--wedge", help="the program of the build to compare with")
    p.add_argument("--wedge-args", default="--device cpu --threads 2 --map engine --budget 20",
                   help="options of wedge bench edm")
    p.add_argument("--json", metavar="FILE")
    o = p.parse_args()
    widths = [int(d) for d in o.d.split(",")]
    rows = [scipy_row(o.n, d, o.repeats, o.out) for d in widths]
    found, result = wedge_rows(o.wedge, [o.n], widths, o.wedge_args.split()) if o.wedge else ([], {})
    medians = {row["d"]: row.get("median") for row in rows}
    for row in found:
        if medians[row["d"]]:
            row["ratio"] = medians[row["d"]] / row["median"]
            row["note"] = f"{row['ratio']:.1f} x as fast as SciPy" + (f", {row['note']}" if row["note"] else "")
    rows = sorted(rows + found, key=lambda row: row["d"])
    print(f"SciPy {scipy.__version__}, NumPy {np.__version__}, {os.cpu_count()} cpus; euclidean")
    print_table(rows)
    if o.json:
        save(o.json, "scipy", {"scipy": scipy.__version__, "numpy": np.__version__, "cpus": os.cpu_count()}, rows, result)


if __name__ == "__main__":
    main()
