#!/usr/bin/env python3
"""edm_scipy.py BUILD_DIR [--device D,D...] [--quick | --large [N,N...]]: `wedge edm` equals SciPy.

Every metric, f32 and f64, every layout, several n and d, against scipy.spatial.distance in f64 on the points as wedge
holds them (rounded to f32 first where it computes in f32). The points hold what goes wrong: rows that are equal, zero,
constant, opposite, far from the origin. Beyond the bounds, rows that are equal are exactly 0 apart and no other rows
are, a square is symmetric to the bit, and shape and dtype are as said. --quick leaves out most sizes. --large looks at
condensed outputs of n = 46,342 and 92,683 (4.3 and 17 GB) where 32-bit indices end. One line a metric, then a count;
exit 1 on failure. Without SciPy it says so and ends well.

The bounds. u is the unit roundoff of the dtype, 2^-24 or 2^-53, plus SciPy's own 2^-53; to first order:
  euclidean, sqeuclidean, cityblock, canberra   relative (d + 8) u: d terms, none negative, sum with at most d u whatever
              the order; the difference, its square or quotient and the root add less than 8 (a quotient of an OpenCL
              device that does not round correctly has 5 u). Differences of the points themselves: holds at any distance
              from the origin, where a form with norms and products would fail.
  chebyshev   relative u: the one difference is all that is rounded.
  minkowski   relative ((d + 32) / p + 34 + |ln r|) u, r the distance: terms |a-b|^p with p u from the difference and
              32 u (16 ulp, what OpenCL asks of pow), d u from the sum, all of it over p after the root; 32 u for the
              root's own pow, and |ln r| u because its exponent 1/p is rounded.
  braycurtis  relative (2 d + 8) u: two such sums, one division.
  cosine, correlation   absolute (2 d + 16) u: the products sum to at most 1 in absolute value, d u; each row's norm has
              (d/2 + 3) u; the rest is for 1 - c. Correlation far from the origin has the same bound: what a rounded mean
              leaves over counts only squared, if the mean is taken off in a way that does not lose it.
  hamming, jaccard   relative u: a quotient of two whole numbers, rounded once.
  dot         (d + 2) u of sum |a b|.
What SciPy has not is held against its definition in NumPy, in f64 (own_values):
  gaussian    relative ((d + 8) |x| + 8) u, x the exponent: its error, and 4 ulp of exp; absolute 2^-126 where numbers end.
  lorentzian  relative (d + 16) u: 4 ulp (8 u) of log1p.
  haversine   (32 tan(angle / 2) + 8) u of the radius: half the chord has some 20 u, its arc sine is steep near the antipodes, and
              a difference of longitudes, up to 2 pi, is rounded where it means a small angle, too.
  spheres     (d + 8) u of distance + |r| + |r'|: the difference itself is rounded once.
  boxes       relative u.
  lennard_jones   (6 d + 32) u of 4 epsilon ((sigma/r)^12 + (sigma/r)^6): the sixth power of 1/r^2 has six times its error.

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
    from scipy.spatial.distance import pdist, squareform
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was compared")
    sys.exit(0)

UNIT = {"f32": 2.0**-24, "f64": 2.0**-53}
TYPES = {"f32": np.float32, "f64": np.float64}
FAR = {"f32": 1e6, "f64": 1e8}
LAYOUTS = ("condensed", "packed", "square")
SIZES, FEATURES = (1, 2, 3, 255, 1000, 4097), (1, 3, 4, 64, 513)
SAMPLES = 10000

# ---- The metrics: points that try them, bounds ----

# cost: nanoseconds a feature in SciPy. bound(d, want, size) times u is what may be missing; size is sum |a b| for dot.
# equals: 0 exactly where, and only where, two rows are equal. d: of what takes no other number of features. sets: parameters.
Variant = collections.namedtuple("Variant", "name metric p points cost equals bound d sets", defaults=(None, {}))


def relative(factor):
    return lambda d, want, size: factor(d) * np.abs(want)


def minkowski_bound(p):
    def bound(d, want, size):
        with np.errstate(divide="ignore"):
            logarithm = np.where(want > 0, np.abs(np.log(want)), 0)
        return ((d + 32) / p + 34 + logarithm) * want

    return bound if p < math.inf else relative(lambda d: 1)


def gaussian_bound(d, want, size):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(want > 0, (d + 8) * np.abs(np.log(want)) * want, 0) + 8 * want + 2.0**-126 / UNIT["f64"]


def haversine_bound(radius):
    return lambda d, want, size: radius * (32 * np.tan(np.minimum(want / radius / 2, 1.57)) + 8)


def sums(d):
    return d + 8


VARIANTS = [
    Variant("euclidean", "euclidean", None, "shifted", 0.5, True, relative(sums)),
    Variant("sqeuclidean", "sqeuclidean", None, "shifted", 0.5, True, relative(sums)),
    Variant("cityblock", "cityblock", None, "shifted", 0.5, True, relative(sums)),
    Variant("chebyshev", "chebyshev", None, "shifted", 0.5, True, relative(lambda d: 1)),
    *(Variant(f"minkowski p={p:g}", "minkowski", p, "shifted", 15, True, minkowski_bound(p))
      for p in (0.5, 1, 1.5, 2, 3, math.inf)),
    Variant("canberra", "canberra", None, "sparse", 2, True, relative(sums)),
    Variant("braycurtis", "braycurtis", None, "sparse", 1, True, relative(lambda d: 2 * d + 8)),
    Variant("cosine", "cosine", None, "normal", 0.5, False, lambda d, want, size: 2 * d + 16 + 0 * want),
    Variant("correlation", "correlation", None, "normal", 0.5, False, lambda d, want, size: 2 * d + 16 + 0 * want),
    Variant("correlation, far", "correlation", None, "far", 0.5, False, lambda d, want, size: 2 * d + 16 + 0 * want),
    Variant("hamming", "hamming", None, "counts", 0.5, True, relative(lambda d: 1)),
    Variant("jaccard", "jaccard", None, "counts", 2, True, relative(lambda d: 1)),
    Variant("dot", "dot", None, "normal", 0.5, False, lambda d, want, size: (d + 2) * size),
    Variant("gaussian", "gaussian", None, "shifted", 1, False, gaussian_bound, None, {"sigma": 7.5}),
    Variant("lorentzian", "lorentzian", None, "shifted", 20, True, relative(lambda d: d + 16)),
    Variant("haversine", "haversine", None, "places", 50, True, haversine_bound(1), 2),
    Variant("haversine, radius", "haversine", None, "places", 50, True, haversine_bound(6371), 2, {"radius": 6371}),
    *(Variant(f"spheres, {d} numbers", "spheres", None, "normal", 1, False, lambda d, want, size: (d + 8) * size, d)
      for d in (2, 3, 4)),
    *(Variant(f"boxes, {d} numbers", "boxes", None, "normal", 1, False, relative(lambda d: 1), d) for d in (2, 6, 16)),
    *(Variant(f"lennard_jones, {d} numbers", "lennard_jones", None, "normal", 1, False,
              lambda d, want, size: (6 * d + 32) * size, d, {"epsilon": 0.25, "sigma": 1.5}) for d in (2, 3)),
]


def corner_rows(d):
    """Zero twice, constant, a ramp twice and its opposite, equal but for the sign of zeros."""
    ramp = np.arange(1.0, d + 1)
    holes = np.where(np.arange(d) % 2, ramp, 0)
    return np.array([0 * ramp, 0 * ramp, 0 * ramp + 1, 0 * ramp + 2, ramp, ramp, -ramp, holes, np.where(holes, holes, -0.0),
                     ramp / 2])


def make_points(kind, n, d, dtype, seed):
    """f64, not yet rounded to the dtype; equal rows stay equal when they are."""
    random = np.random.default_rng([seed, n, d])
    x = random.normal(size=(n, d))
    if kind == "shifted":
        x += 50
    if kind == "sparse":
        x *= random.random(size=(n, d)) < 0.75
    if kind == "counts":
        x = random.integers(0, 3, size=(n, d)).astype(float) * (random.random(size=(n, 1)) + 0.5).round(1)
    if kind == "places":
        x = (random.random(size=(n, d)) - 0.5) * (np.pi, 2 * np.pi)
    if kind == "far":
        x += FAR[dtype] * random.choice([-1.0, 1.0, 0.75], size=(n, 1))
    if n >= 3:
        x[n - 1] = x[0]
        x[n // 2] = x[n // 3]
    corners = corner_rows(d)
    if n > 2 * len(corners) and kind not in ("far", "places"):
        x[random.permutation(np.arange(1, n - 1))[: len(corners)]] = corners
    return x


# ---- SciPy's answer, or the definition's ----

OWN = ("dot", "gaussian", "lorentzian", "haversine", "spheres", "boxes", "lennard_jones")


def own_values(v, x, i, j):
    """What SciPy has not, of pairs i, j; and the size that errors are a share of."""
    a, b = x[i], x[j]
    if v.metric == "dot":
        return np.einsum("ij,ij->i", a, b), np.einsum("ij,ij->i", np.abs(a), np.abs(b))
    if v.metric == "gaussian":
        return np.exp(-((a - b) ** 2).sum(1) / (2 * v.sets["sigma"] ** 2)), None
    if v.metric == "lorentzian":
        return np.log1p(np.abs(a - b)).sum(1), None
    if v.metric == "haversine":
        half = np.sin((a - b) / 2) ** 2
        t = half[:, 0] + np.cos(a[:, 0]) * np.cos(b[:, 0]) * half[:, 1]
        return v.sets.get("radius", 1) * 2 * np.arcsin(np.sqrt(np.minimum(t, 1))), None
    if v.metric == "spheres":
        distance, radii = np.sqrt(((a - b)[:, :-1] ** 2).sum(1)), a[:, -1] + b[:, -1]
        return distance - radii, distance + np.abs(a[:, -1]) + np.abs(b[:, -1])
    if v.metric == "boxes":
        axes = x.shape[1] // 2
        return np.maximum(a[:, :axes] - b[:, axes:], b[:, :axes] - a[:, axes:]).max(1), None
    with np.errstate(all="ignore"):
        sixth = (v.sets["sigma"] ** 2 / ((a - b) ** 2).sum(1)) ** 3
        want = 4 * v.sets["epsilon"] * sixth * (sixth - 1)
        return np.where(np.isinf(sixth), np.inf, want), 4 * v.sets["epsilon"] * (sixth * sixth + sixth)


def scipy_condensed(v, x):
    """The pairs i < j of x. What releases of SciPy do differently is settled here: jaccard counts numbers, not truth values
    as from 1.15 on; 0/0 is nan for cosine, correlation and braycurtis."""
    if v.metric == "jaccard":
        differ = np.rint(pdist(x, "hamming") * x.shape[1])  # 0 and 0 do not differ
        zero = (x == 0).astype(float)
        either = x.shape[1] - (zero @ zero.T)[np.triu_indices(len(x), 1)]
        return np.divide(differ, either, out=np.zeros_like(differ), where=either > 0)
    if v.points == "far":
        x = x - x[:, :1]  # exact, the values being close: SciPy's own mean would lose what is tested
    extra = {} if v.p is None else {"p": v.p}
    with np.errstate(all="ignore"):
        return pdist(x, v.metric, **extra)


def scipy_diagonal(v, x):
    undefined = {"cosine": (x == 0).all(1), "braycurtis": (x == 0).all(1), "correlation": (x == x[:, :1]).all(1)}
    return np.where(undefined.get(v.metric, np.zeros(len(x), bool)), np.nan, 0)


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
