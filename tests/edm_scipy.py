#!/usr/bin/env python3
"""edm_scipy.py BUILD_DIR [--device D,D...] [--quick | --large [N,N...]]: `wedge edm` equals SciPy.

Every metric, f32 and f64, every layout, several n and d, against scipy.spatial.distance in f64 on the points as wedge
holds them (rounded to f32 first where it computes in f32). The points hold what goes wrong: rows that are equal, zero,
constant, opposite, far from the origin. Beyond the bounds, rows that are equal are exactly 0 apart and no other rows
are, a square is symmetric to the bit, and shape and dtype are as said. --quick leaves out most sizes. --large looks at
condensed outputs of n = 46,342 and 92,683 (4.3 and 17 GB) where 32-bit indices end. One line a metric, then a count;
exit 1 on failure. Without SciPy it says so and ends well.

edm_metrics.py has the metrics, and their bounds.

SPDX-License-Identifier: MIT"""
import argparse
import collections
import math
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy
    from scipy.spatial.distance import squareform
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was compared")
    sys.exit(0)

from edm_metrics import OWN, UNIT, VARIANTS, make_points, own_values, scipy_condensed, scipy_diagonal

TYPES = {"f32": np.float32, "f64": np.float64}
LAYOUTS = ("condensed", "packed", "square")
SIZES, FEATURES = (1, 2, 3, 255, 1000, 4097), (1, 3, 4, 64, 513)
SAMPLES = 10000

# ---- Positions ----


def cell_of(layout, n, p):
    """The cell of an output position, in whole numbers of any size: i > j, or i = j."""
    if layout == "square":
        return max(divmod(p, n)), min(divmod(p, n))
    if layout == "packed":
        i = (math.isqrt(8 * p + 1) - 1) // 2
        return i, p - i * (i + 1) // 2
    w = n * (n - 1) // 2 - 1 - p  # condensed is strict packed order backwards over reversed points
    a = (math.isqrt(8 * w + 1) + 1) // 2
    return n - 1 - (w - a * (a - 1) // 2), n - 1 - a


def output_shape(layout, n):
    return {"condensed": (n * (n - 1) // 2,), "packed": (n * (n + 1) // 2,), "square": (n, n)}[layout]


def lay_out(layout, n, condensed, diagonal):
    if layout == "condensed":
        return condensed
    square = squareform(condensed, checks=False) if n > 1 else np.zeros((1, 1))
    np.fill_diagonal(square, diagonal)
    return square[np.tri(n, dtype=bool)] if layout == "packed" else square.ravel()


def diagonal_positions(layout, n):
    i = np.arange(n, dtype=np.int64)
    return {"condensed": i[:0], "packed": i * (i + 3) // 2, "square": i * (n + 1)}[layout]


# ---- One case ----

Case = collections.namedtuple("Case", "variant dtype layout n d device")
counts = collections.Counter()
worst = collections.defaultdict(float)


def fail(case, message):
    counts["failed"] += 1
    v, n, d = case.variant, case.n, case.d
    print(f"FAIL  {v.name} n={n} d={d} {case.dtype} {case.layout} on {case.device}: {message}", flush=True)
    return False


def run_wedge(case, x, folder, mapped=False):
    """The output, or what went wrong. Points for f32 come now from a file in f32, now from one in f64."""
    v = case.variant
    rounded = (case.n + case.d) % 2 == 0
    np.save(f"{folder}/in.npy", x.astype(TYPES[case.dtype]) if rounded else x)
    command = [wedge, "edm", f"{folder}/in.npy", "-o", f"{folder}/out.npy", "--metric", v.metric, "--layout", case.layout,
               "--device", case.device]
    command += [] if v.p is None else ["--p", f"{v.p:g}"]
    command += [word for name, value in v.sets.items() for word in ("--set", f"{name}={value!r}")]
    command += [] if rounded else ["--dtype", case.dtype]
    r = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=3600)
    if r.returncode:
        return f"exit {r.returncode}: {r.stderr.decode(errors='replace').strip()[-400:]}"
    return np.load(f"{folder}/out.npy", mmap_mode="r" if mapped else None)


def compare(case, got, want, size, positions, on_diagonal):
    """At these positions: within the bound, or the same special value. On the diagonal 0 is right whatever 0/0 gives."""
    got = got.astype(np.float64)
    u = UNIT[case.dtype] + UNIT["f64"]
    with np.errstate(all="ignore"):
        allowed = u * case.variant.bound(case.d, want, size)
        apart = np.abs(got - want)
        fine = (got == want) | (np.isnan(got) & np.isnan(want)) | (apart <= allowed)
        if case.variant.metric not in OWN:
            fine |= on_diagonal & (got == 0)
        share = np.where((apart > 0) & np.isfinite(apart) & (allowed > 0), apart / allowed, 0)
    key = (case.variant.name, case.dtype)
    worst[key] = max(worst[key], share.max(initial=0))
    if fine.all():
        return True
    k = int(np.argmin(fine))
    i, j = cell_of(case.layout, case.n, int(positions[k]))
    return fail(case, f"position {int(positions[k])} (points {j} and {i}): expected {want[k]:.17g}, got {got[k]:.17g}, "
                f"{apart[k] / allowed[k] if allowed[k] else math.inf:.3g} x the bound; {int((~fine).sum())} of {fine.size} "
                "cells looked at are wrong")


def compare_all(case, x, got):
    v, n = case.variant, case.n
    size = None
    if v.metric in OWN:
        upper, same = own_values(v, x, *np.triu_indices(n, 1)), own_values(v, x, np.arange(n), np.arange(n))
        want, size = (None if u is None else lay_out(case.layout, n, u, s) for u, s in zip(upper, same))
    else:
        want = lay_out(case.layout, n, scipy_condensed(v, x), scipy_diagonal(v, x))
    on_diagonal = np.zeros(got.size, bool)
    on_diagonal[diagonal_positions(case.layout, n)] = True
    return compare(case, got, want, size, np.arange(got.size), on_diagonal)


def some_positions(total, random):
    middle = total // 2
    ends = [range(min(64, total)), range(max(0, middle - 32), min(total, middle + 32)), range(max(0, total - 64), total)]
    return sorted({p for r in ends for p in r} | {int(p) for p in random.integers(0, total, SAMPLES)})


def compare_some(case, x, got):
    """Both ends, the middle and 10,000 cells anywhere, SciPy asked pair by pair."""
    v, n = case.variant, case.n
    positions = some_positions(got.size, np.random.default_rng(n + case.d))
    cells = np.array([cell_of(case.layout, n, p) for p in positions])
    i, j = cells.T
    if v.metric in OWN:
        want, size = own_values(v, x, i, j)
    else:
        diagonal, size = scipy_diagonal(v, x), None
        want = np.array([diagonal[a] if a == b else scipy_condensed(v, x[[a, b]])[0] for a, b in cells])
    return compare(case, np.asarray(got[positions]), want, size, np.array(positions), i == j)


def compare_equal_rows(case, x, got):
    """Zero exactly where two rows are equal, over the whole output: a cell that was never written shows as well."""
    if case.variant.metric == "jaccard":
        x = x != 0
    order = np.unique(x + 0.0, axis=0, return_inverse=True)[1].reshape(-1)  # + 0.0: -0 is 0
    by_class = np.argsort(order, kind="stable")
    groups = np.split(by_class, np.flatnonzero(np.diff(order[by_class])) + 1)
    if case.variant.metric == "braycurtis":
        groups = [g for g in groups if x[g[0]].any()]
    pairs = sum(len(g) * (len(g) - 1) // 2 for g in groups)
    diagonal = got[diagonal_positions(case.layout, case.n)]
    if (diagonal[~np.isnan(diagonal)] != 0).any():
        return fail(case, "the diagonal is not 0")
    zeros = got.size - int(np.count_nonzero(got)) - int((diagonal == 0).sum())
    wanted = pairs * (2 if case.layout == "square" else 1)
    if zeros == wanted:
        return True
    return fail(case, f"{zeros} cells off the diagonal are 0, {wanted} pairs of equal rows are there")


def is_symmetric(case, got):
    bits = np.asarray(got).view(np.uint32 if case.dtype == "f32" else np.uint64)
    if np.array_equal(bits, bits.T):
        return True
    i, j = np.argwhere(bits != bits.T)[0]
    return fail(case, f"not symmetric: row {i}, column {j} is {got[i, j]!r}, row {j}, column {i} is {got[j, i]!r}")


def check(case, limit):
    v = case.variant
    x = make_points(v.points, case.n, case.d, case.dtype, VARIANTS.index(v))
    held = x.astype(TYPES[case.dtype]).astype(np.float64)
    counts["cases"] += 1
    with tempfile.TemporaryDirectory() as folder:
        got = run_wedge(case, x, folder)
        if isinstance(got, str):
            return fail(case, got)
        shape = output_shape(case.layout, case.n)
        if got.shape != shape or got.dtype != TYPES[case.dtype]:
            return fail(case, f"shape {got.shape}, dtype {got.dtype}, wanted {shape}, {case.dtype}")
        if case.layout == "square" and not is_symmetric(case, got):
            return False
        flat = np.asarray(got).reshape(-1)
        if not flat.size:
            return True
        whole = case.n * case.n / 2 * (case.d * v.cost + 50) <= limit
        good = (compare_all if whole else compare_some)(case, held, flat)
        return good and (not v.equals or compare_equal_rows(case, held, flat))


# ---- Which cases ----


def small_cases(v, k, device, sizes):
    """Every dtype and layout, and every size twice."""
    for t, dtype in enumerate(("f32", "f64")):
        for s, layout in enumerate(LAYOUTS):
            yield Case(v, dtype, layout, sizes[(3 * t + s) % len(sizes)], FEATURES[(k + 3 * t + s) % 5], device)


def quick_cases(v, k, device):
    yield from small_cases(v, k, device, (1, 2, 3))
    for f, d in enumerate(FEATURES):
        yield Case(v, ("f32", "f64")[(k + f) % 2], LAYOUTS[(k + f) % 3], 1000, d, device)
    yield Case(v, ("f32", "f64")[k % 2], LAYOUTS[k % 3], 4097, (3, 4)[k // 2 % 2], device)


def full_cases(v, k, device):
    for n in (1, 2, 3):
        yield from small_cases(v, k + n, device, (n,))
    for t, dtype in enumerate(("f32", "f64")):
        for f, d in enumerate(FEATURES):
            yield Case(v, dtype, LAYOUTS[(k + t + f) % 3], 1000, d, device)
        yield Case(v, dtype, LAYOUTS[(k + t) % 3], 4097, (1, 3, 4)[(k + t) % 3], device)
    if v.name in ("euclidean", "canberra", "cosine", "hamming", "dot", "minkowski p=3"):
        yield Case(v, ("f32", "f64")[k % 2], LAYOUTS[(k + 2) % 3], 4097, 64, device)
    if v.name in ("euclidean", "cityblock", "correlation, far", "jaccard", "dot"):
        for t, dtype in enumerate(("f32", "f64")):
            yield Case(v, dtype, LAYOUTS[(k + t + 1) % 3], 4097, 513, device)


def compiled_cases(v, k, device):
    """Where a kernel is compiled for every metric and dtype."""
    if v.name not in ("minkowski p=0.5", "minkowski p=1", "minkowski p=2", "minkowski p=3"):
        for t, dtype in enumerate(("f32", "f64")):
            yield Case(v, dtype, LAYOUTS[(k + t) % 3], 70, 5, device)


def check_metrics(device, quick):
    for k, v in enumerate(VARIANTS):
        plan = full_cases if not quick else quick_cases if device == "cpu" else compiled_cases
        cases = list(plan(v, k, device)) if options.metric in (None, v.name) else []
        cases = sorted({case._replace(d=v.d or case.d)._replace(variant=k) for case in cases})
        cases, before = [case._replace(variant=v) for case in cases], counts["failed"]
        for case in cases:
            check(case, 5e7 if quick else 1e9)
        if cases:
            shares = ", ".join(f"{t} {worst[v.name, t]:.2g}" for t in UNIT)
            print(f"{'ok  ' if counts['failed'] == before else 'FAIL'}  {v.name} on {device}: {len(cases)} cases, "
                  f"at most this share of the bound: {shares}", flush=True)


# ---- Large outputs ----


def check_large(device, n):
    """Both ends, the middle, 10,000 anywhere, and around 2^30, 2^31 and 2^32 cells, against NumPy in f64."""
    case = Case(VARIANTS[0], "f32", "condensed", n, 4, device)
    total = n * (n - 1) // 2
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < 4 * total + 2**30:
        print(f"skipped  n={n} on {device}: needs {4 * total / 1e9:.1f} GB in {tempfile.gettempdir()}, {free / 1e9:.1f} are "
              "free; set TMPDIR")
        return
    counts["cases"] += 1
    before = counts["failed"]
    x = make_points("shifted", n, 4, "f32", 7)
    held = x.astype(np.float32).astype(np.float64)
    with tempfile.TemporaryDirectory() as folder:
        got = run_wedge(case, x, folder, mapped=True)
        if isinstance(got, str):
            return fail(case, got)
        if got.shape != (total,) or got.dtype != np.float32:
            return fail(case, f"shape {got.shape}, dtype {got.dtype}, wanted {(total,)}, f32")
        centres = [0, total // 2, total, 2**30, 2**31, 2**32]
        positions = sorted({p for c in centres for p in range(max(0, c - 1000), min(total, c + 1000))}
                           | set(some_positions(total, np.random.default_rng(n))))
        i, j = np.array([cell_of("condensed", n, p) for p in positions]).T
        want = np.sqrt(((held[i] - held[j]) ** 2).sum(1))
        compare(case, np.asarray(got[positions]), want, None, np.array(positions), i == j)
        del got
    good = counts["failed"] == before
    print(f"{'ok  ' if good else 'FAIL'}  n={n} on {device}: {len(positions)} of {total} cells", flush=True)


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("build", metavar="BUILD_DIR")
parser.add_argument("--device", default="cpu", help="ids of wedge devices, separated by commas")
parser.add_argument("--quick", action="store_true")
parser.add_argument("--metric", help="only this one, as it is named in the output")
parser.add_argument("--large", nargs="?", const="46342,92683", metavar="N,N")
options = parser.parse_args()
wedge = f"{options.build}/wedge"
if not os.access(wedge, os.X_OK):
    sys.exit(f"{sys.argv[0]}: no program {wedge}; build first")
for device in options.device.split(","):
    if options.large:
        for n in options.large.split(","):
            check_large(device, int(n))
    else:
        check_metrics(device, options.quick)
print(f"{counts['cases']} cases, {counts['failed']} failed (SciPy {scipy.__version__}, NumPy {np.__version__})")
sys.exit(counts["failed"] > 0)
