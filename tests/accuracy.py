#!/usr/bin/env python3
"""accuracy.py: every op and sink on numbers that are hard for it: its promise holds, and docs/accuracy.md has the worst error.

Each op gets points that are ordinary, far from the origin, tiny, huge, of all sizes at once, nearly equal, and of many features. The
references are long double, on the numbers as the dtype has them. An error is a number of u, 2^-24 or 2^-53, of what the promise
names; SciPy and scikit-learn get the same points.

    accuracy.py BUILD            one line per op and sink; exit 1 where a promise or the page does not hold
    accuracy.py BUILD --write    writes the tables of the page

SPDX-License-Identifier: MIT"""
import argparse
import collections
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "accuracy.md"
parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--write", action="store_true")
parser.add_argument("--device", default="cpu")
arguments = parser.parse_args()
try:
    import numpy as np
except ImportError:
    system = "/usr/bin/python3"
    if os.path.exists(system) and os.path.realpath(sys.executable) != os.path.realpath(system):
        os.execv(system, [system] + sys.argv)
    print("SKIPPED: SCIPY IS MISSING; nothing was compared")
    sys.exit(0)
try:
    from scipy.spatial.distance import pdist as scipy_pdist
except ImportError:
    scipy_pdist = None
try:
    from sklearn.metrics import pairwise_distances
except ImportError:
    pairwise_distances = None
if np.finfo(np.longdouble).eps > 2.0**-60:
    print("SKIPPED: SCIPY IS MISSING: long double is no wider than double here")
    sys.exit(0)
os.environ["WEDGE_LIBRARY"] = str(pathlib.Path(arguments.build).resolve() / "libwedge.so")
sys.path.insert(0, str(ROOT / "python"))
import wedge  # noqa: E402

L = np.longdouble
UNIT = {"f4": L(2) ** -24, "f8": L(2) ** -53}
random = np.random.default_rng(28)
np.seterr(all="ignore")

# ---- Points ----

N = 16
SIZES = {"f4": (1e-40, 1e-24, 1e-12, 1e12, 1e17, 1e30), "f8": (1e-310, 1e-170, 1e-60, 1e60, 1e150, 1e280)}


AT_THE_ENDS = {dtype: {f"{size:g}" for size in sizes} | {"of all sizes", "one close pair"} for dtype, sizes in SIZES.items()}


def pair_points(dtype):
    """Name and points: first ordinary ones, then those at the ends of the range."""
    for d in (1, 3, 40, 3000):
        yield f"uniform, {d}", random.random((N, d))
        yield f"normal, {d}", random.standard_normal((N, d))
    yield "equal numbers", np.repeat(random.random((N, 1)), 3000, 1)
    yield "far from the origin", 1e5 + random.random((N, 3))
    yield "nearly equal", 1 + random.integers(0, 9, (N, 5)) * 2.0 ** (-23 if dtype == "f4" else -52)
    for size in SIZES[dtype]:
        yield f"{size:g}", random.random((N, 3)) * size
    tiny = SIZES[dtype][1]
    mixed = random.random((N, 3)) + 0.5
    mixed[:4] *= tiny
    mixed[4:6] *= SIZES[dtype][0]
    yield "of all sizes", mixed
    moved = random.random((N, 3))
    moved[1] = moved[0] = 0
    moved[1, 1] = tiny
    yield "one close pair", moved


# ---- Values ----


def norm(t, p=2):
    most = np.abs(t).max(-1)
    return most * (np.abs(t / np.where(most == 0, 1, most)[:, None]) ** L(p)).sum(-1) ** (1 / L(p))


def ratio(over, under):
    return np.where(under == 0, 0, over / np.where(under == 0, 1, under))


def cosine(a, b):
    a, b = (t / np.abs(t).max(1)[:, None] for t in (a, b))
    return 1 - (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))


def centred(a):
    t = a - a[:, :1]
    return t - t.mean(1)[:, None]


def haversine(a, b):
    """By vectors, whose angle has an arc tangent that is steep nowhere."""
    u, v = (np.stack([np.cos(t[:, 0]) * np.cos(t[:, 1]), np.cos(t[:, 0]) * np.sin(t[:, 1]), np.sin(t[:, 0])], 1) for t in (a, b))
    return 2 * np.arctan2(norm(u - v), norm(u + v))


def folded(d):
    """How many roundings a sum of d terms can have had (docs/add-an-op.md)."""
    return d if d <= 128 else 150 + d / 2048


# value(a, b, given) -> value, size: what the error is a share of (None: the value itself). promise(d, value, size) in u.
Op = collections.namedtuple("Op", "name value of promise bound given points peers", defaults=({}, None, ()))


WITH_LOGARITHM = "v (1 + abs(ln v))"


def relative(factor):
    return lambda d, value, a, b: factor(d)


def sum_of(f):
    return lambda a, b, **given: f(a, b).sum(1)


def angles(dtype):
    yield "anywhere", np.stack([random.random(40) * 3 - 1.5, random.random(40) * 6.2 - 3.1], 1)
    yield "close together", np.array([0.7, 1.0]) + random.random((N, 2)) * 1e-3
    yield "across pi", np.stack([random.random(N), np.where(np.arange(N) % 2, np.pi, -np.pi) * (1 - 1e-4 * random.random(N))], 1)
    here = np.stack([random.random(N) * 2 - 1, random.random(N) * 2], 1)
    yield "antipodes", np.concatenate([here, np.stack([-here[:, 0], here[:, 1] - np.pi], 1) + 1e-3 * random.random((N, 2))])


def records(d, last=None):
    def points(dtype):
        for name, x in [("uniform", random.random((N, d))), ("far from the origin", 1e3 + random.random((N, d)))] + [
            (f"{size:g}", random.random((N, d)) * size) for size in SIZES[dtype][:5]
        ]:
            yield name, np.hstack([x, np.full((N, 1), last)]) if last is not None else x

    return points


def near_sigma(dtype):
    for size in (1e-20 if dtype == "f4" else 1e-160, 1):
        yield f"{size:g}", (random.random((N, 3)) + np.arange(N)[:, None] % 4) * size


def boxes(dtype):
    for name, x in records(3)(dtype):
        yield name, np.hstack([x, x + np.abs(x).max() / 4])


def gravity(a, b, component=0):
    t = (b - a)[:, :3]
    r, masses = norm(t), a[:, 3] * b[:, 3]
    return -masses / r if component == 0 else masses / r / r * (t[:, component - 1] / r)


def lennard_jones(a, b, sigma=1):
    s = (L(sigma) / norm(a - b)) ** 6
    return 4 * s * (s - 1)


OPS = [
    Op("euclidean", lambda a, b: norm(a - b), "value", "(D + 8) u", relative(lambda d: folded(d) + 8), peers=("euclidean", "euclidean")),
    Op("sqeuclidean", sum_of(lambda a, b: (a - b) ** 2), "value", "(D + 8) u", relative(lambda d: folded(d) + 8),
       peers=("sqeuclidean", "sqeuclidean")),
    Op("cityblock", sum_of(lambda a, b: np.abs(a - b)), "value", "(D + 8) u", relative(lambda d: folded(d) + 8), peers=("cityblock", "manhattan")),
    Op("chebyshev", lambda a, b: np.abs(a - b).max(1), "value", "u", relative(lambda d: 1), peers=("chebyshev", "chebyshev")),
    Op("minkowski", lambda a, b, p: norm(a - b, p), WITH_LOGARITHM, "((D + 32) / p + 40) u", relative(lambda d: (folded(d) + 32) / 3 + 40), {"p": 3},
       peers=("minkowski", None)),
    Op("minkowski", lambda a, b, p: norm(a - b, p), WITH_LOGARITHM, "((D + 32) / p + 40) u", relative(lambda d: (folded(d) + 32) / 20 + 40), {"p": 20},
       peers=("minkowski", None)),
    Op("canberra", sum_of(lambda a, b: ratio(np.abs(a - b), np.abs(a) + np.abs(b))), "value", "(D + 8) u", relative(lambda d: folded(d) + 8),
       peers=("canberra", "canberra")),
    Op("braycurtis", lambda a, b: np.abs(a - b).sum(1) / np.abs(a + b).sum(1), "value", "(2 D + 8) u", relative(lambda d: 2 * folded(d) + 8),
       peers=("braycurtis", "braycurtis")),
    Op("cosine", cosine, "1", "(2 D + 16) u", relative(lambda d: 2 * folded(d) + 16), peers=("cosine", "cosine")),
    Op("correlation", lambda a, b: cosine(centred(a), centred(b)), "1", "(2 D + 16) u",
       relative(lambda d: 2 * folded(d) + 16), peers=("correlation", "correlation")),
    Op("hamming", lambda a, b: (a != b).mean(1), "value", "u", relative(lambda d: 1), peers=("hamming", "hamming")),
    Op("jaccard", lambda a, b: ratio(((a != 0) ^ (b != 0)).sum(1), ((a != 0) | (b != 0)).sum(1).astype(L)), "value", "u", relative(lambda d: 1)),
    Op("dot", sum_of(lambda a, b: a * b), "sum of abs(a b)", "(D + 2) u", relative(lambda d: folded(d) + 2)),
    Op("gaussian", lambda a, b, sigma: np.exp(-(((a - b) / L(sigma)) ** 2).sum(1) / 2), WITH_LOGARITHM, "(D + 8) u",
       relative(lambda d: folded(d) + 8), {"sigma": 2}),
    Op("lorentzian", sum_of(lambda a, b: np.log1p(np.abs(a - b))), "value", "(D + 16) u", relative(lambda d: folded(d) + 16)),
    Op("haversine", haversine, "1", "(32 tan(v / 2) + 8) u, at most 8 sqrt(u)", None, {}, angles, (None, "haversine")),
    Op("spheres", lambda a, b: norm((a - b)[:, :-1]) - (a[:, -1] + b[:, -1]), "r + radii", "12 u", relative(lambda d: 12), {}, records(3, 0.25)),
    Op("boxes", lambda a, b: np.maximum(a[:, :3] - b[:, 3:], b[:, :3] - a[:, 3:]).max(1), "value", "u", relative(lambda d: 1), {}, boxes),
    Op("lennard_jones", lennard_jones, "both terms", "50 u", relative(lambda d: 50), {"sigma": 1}, near_sigma),
    Op("displacement", lambda a, b: norm(a - b), "value", "12 u", relative(lambda d: 12), {}, records(3)),
    Op("gravity", gravity, "value", "24 u", relative(lambda d: 24), {}, records(3, 2)),
]


def size_of(op, a, b, value):
    if op.of == "1":
        return np.ones_like(value)
    if op.of == WITH_LOGARITHM:
        return np.abs(value) * (1 + np.abs(np.log(np.where(value > 0, value, 1))))
    if op.of == "sum of abs(a b)":
        return np.abs(a * b).sum(1)
    if op.of == "r + radii":
        return norm((a - b)[:, :-1]) + a[:, -1] + b[:, -1]
    if op.of == "both terms":
        s = (1 / norm(a - b)) ** 6
        return 4 * s * (s + 1)
    return np.abs(value)


def haversine_bound(value, unit):
    return np.minimum(32 * np.tan(value / 2) + 8, 8 / np.sqrt(unit))


# ---- Measuring ----

Worst = collections.namedtuple("Worst", "error where")
results, failures = [], []


def error_in_units(got, want, size, dtype, largest):
    """0 where it is less than two of the smallest numbers; values beyond the range must be infinite."""
    info = np.finfo(dtype)
    off = np.abs(got.astype(L) - want)
    beyond = np.abs(want) > info.max
    off = np.where(off <= largest * info.smallest_subnormal, 0, off / np.where(size == 0, 1, size) / UNIT[dtype])
    off = np.where(np.isnan(want), np.where(np.isnan(got), 0, np.inf), np.where(np.isnan(off), np.inf, off))
    return np.where(beyond, np.where(np.isinf(got), 0, np.inf), off)


def worse(worst, error, where):
    k = float(error.max()) if error.size else 0.0
    return Worst(k, where) if worst is None or k > worst.error else worst


def peer_values(op, x, given, i, j):
    """Of SciPy in f64; of scikit-learn in the dtype."""
    scipy_name, sklearn_name = op.peers
    if scipy_pdist and scipy_name and x.dtype == np.float64:
        yield "SciPy", scipy_pdist(x, scipy_name, **given)
    if pairwise_distances and sklearn_name:
        yield "scikit-learn", pairwise_distances(x, metric=sklearn_name)[i, j]


def measure_op(op):
    worst = {}
    for dtype in ("f4", "f8"):
        for name, points in (op.points or pair_points)(dtype):
            x = points.astype(dtype)
            i, j = np.triu_indices(len(x), 1)
            given = dict(op.given)
            if op.name == "lennard_jones":
                given["sigma"] = float(x.dtype.type(points.max() / 3))
            try:
                got = wedge.pdist(x, op.name, device=arguments.device, **given)
            except ValueError as refused:  # values can reach what is no number: it says so
                if "can reach" not in str(refused):
                    raise
                got = wedge.pdist(x, op.name, device=arguments.device, nan="propagate", **given)
            a, b = x.astype(L)[i], x.astype(L)[j]
            if op.name == "lennard_jones":
                a, b = a / L(given["sigma"]), b / L(given["sigma"])
            want = op.value(a, b, **op.given)
            size = size_of(op, a, b, want)
            values = got if got.ndim == 2 else got[:, None]
            components = [(values[:, 0], want, size)]
            if op.name == "displacement":
                components += [(values[:, k], (b - a)[:, k - 1], np.abs((b - a)[:, k - 1])) for k in (1, 2, 3)]
            if op.name == "gravity":
                components += [(values[:, k], gravity(a, b, k), np.abs(gravity(a, b, k))) for k in (1, 2, 3)]
            for got_one, want_one, size_one in components:
                error = error_in_units(got_one, want_one, size_one, dtype, x.shape[1] + 2)
                bound = haversine_bound(want_one, UNIT[dtype]) if op.bound is None else op.bound(x.shape[1], want_one, a, b)
                worst[dtype] = worse(worst.get(dtype), np.where(want_one < 3, error, 0) if op.name == "haversine" else error, name)
                if not (error <= bound).all():
                    k = int(np.argmax(error - bound))
                    failures.append(f"{op.name} of {name}, {dtype}: {error[k]:.3g} u, {got_one[k]!r} in place of {want_one[k]!r}")
            for peer, theirs in peer_values(op, x, op.given, i, j) if op.peers else ():
                error = np.where(np.isnan(want), 0, error_in_units(theirs, want, size, dtype, x.shape[1] + 2))
                key = peer + (" at the ends " if name in AT_THE_ENDS[dtype] else "") + dtype
                worst[key] = worse(worst.get(key), np.where(want < 3, error, 0) if op.name == "haversine" else error, name)
    title = f"`{op.name}`" + (f", p = {op.given['p']}" if "p" in op.given else "")
    results.append((title, op.promise, {"value": "the value", "1": "1"}.get(op.of, op.of), worst))


# ---- Triangles ----


def cross(u, v):
    return np.stack([u[:, k - 2] * v[:, k - 1] - u[:, k - 1] * v[:, k - 2] for k in range(3)], 1)


def area(a, b, c):
    sides = np.sort(np.stack([norm(a - b), norm(a - c), norm(b - c)], 1), 1)
    return norm(cross(a - b, c - b)) / 2, sides[:, 0] * sides[:, 1] / 2


def axilrod_teller(a, b, c):
    x, y, z = norm(a - b), norm(a - c), norm(b - c)
    cosines = ((a - b) * (a - c)).sum(1) / x / y * (((b - a) * (b - c)).sum(1) / x / z) * (((c - a) * (c - b)).sum(1) / y / z)
    return (1 + 3 * cosines) / (x * y * z) ** 3, (1 + 3 * np.abs(cosines)) / (x * y * z) ** 3


def perimeter(a, b, c):
    value = norm(a - b) + norm(a - c) + norm(b - c)
    return value, value


def longest_side(a, b, c):
    value = np.maximum(np.maximum(norm(a - b), norm(a - c)), norm(b - c))
    return value, value


def skewness(a, b, c):
    sides = np.sort(np.stack([norm(a - b), norm(a - c), norm(b - c)], 1), 1)
    return sides[:, 2] / sides[:, 0]


TRIANGLES = [
    ("perimeter", perimeter, "the value", "12 u", lambda *corners: 12),
    ("longest_side", longest_side, "the value", "8 u", lambda *corners: 8),
    ("area", area, "half the product of the shorter sides", "12 u", lambda *corners: 12),
    ("axilrod_teller", axilrod_teller, "both terms", "8 (2 + r) u", lambda *corners: 8 * (2 + skewness(*corners))),
]


def triangles(name, dtype):
    yield "uniform", random.random((9, 3))
    yield "flat", np.outer(np.arange(1, 9), [1, 2, 3]) + np.eye(8, 3) * 1e-3
    close = random.random((9, 3))
    close[0] = close[1] + 1e-2
    yield "two close together", close
    for size in SIZES[dtype][1:4] if name != "axilrod_teller" else ():
        yield f"{size:g}", random.random((9, 3)) * size


def measure_triangles(name, value, of, promise, bound):
    """One triangle at a time: the sum of a single value is the value."""
    worst = {}
    for dtype in ("f4", "f8"):
        for kind, points in triangles(name, dtype):
            x = points.astype(dtype)
            corners = [np.array(t) for t in zip(*((i, j, k) for i in range(len(x)) for j in range(i) for k in range(j)))]
            got = np.array([wedge.triplets(x[list(t)], name, device=arguments.device).energy for t in zip(*corners)])
            abc = [x.astype(L)[c] for c in corners]
            want, size = value(*abc)
            error = error_in_units(got, want, size, dtype, 4)
            worst[dtype] = worse(worst.get(dtype), error, kind)
            if not (error <= bound(*abc)).all():
                failures.append(f"{name} of {kind}, {dtype}: {float((error / bound(*abc)).max()):.3g} times its promise")
    results.append((f"`{name}`", promise, of, worst))


# ---- Sinks ----


def lattice(dtype):
    yield (random.integers(0, 11, (60, 3)) / 10).astype(dtype)
    yield (random.random((60, 3)) * SIZES[dtype][1]).astype(dtype)
    x = random.random((60, 3))
    x[1::7] *= SIZES[dtype][1]
    yield x.astype(dtype)


def decisions():
    """Counts of what is decided by the values that pdist stores, and of the decisions that differ from NumPy's on them."""
    asked, wrong = collections.Counter(), collections.Counter()
    for dtype in ("f4", "f8"):
        for x in lattice(dtype):
            i, j = np.triu_indices(len(x), 1)
            for metric, given in (("euclidean", {}), ("cityblock", {}), ("minkowski", {"p": 20}), ("minkowski", {"p": 2.5})):
                how = dict(given, metric=metric, device=arguments.device)
                v = wedge.pdist(x, metric, device=arguments.device, **given)
                table = np.full((len(x), len(x)), np.inf, dtype)
                table[i, j] = table[j, i] = v
                for r in (0.0, 0.1, 0.3, float(np.median(v)), float(v.max())):
                    expected = table <= x.dtype.type(r)
                    pairs = wedge.within(x, r, **how)
                    listed = np.zeros_like(expected)
                    listed[pairs[:, 0], pairs[:, 1]] = listed[pairs[:, 1], pairs[:, 0]] = True
                    asked["`select`, `count`", dtype] += len(v)
                    wrong["`select`, `count`", dtype] += int((listed != expected).sum() // 2)
                distances, rows = wedge.knn(x, 5, **how)
                order = np.argsort(table, axis=1, kind="stable")[:, :5]
                asked["`nearest`", dtype] += rows.size
                wrong["`nearest`", dtype] += int((rows != order).sum() + (distances != np.take_along_axis(table, order, 1)).sum())
                counts, edges = wedge.histogram(x, 10, (0, float(v.max()) or 1), **how)
                asked["`histogram`", dtype] += len(v)
                wrong["`histogram`", dtype] += int(np.abs(counts - np.histogram(v, edges)[0]).sum() // 2)
    return asked, wrong


def sums():
    worst = {"summary": {}, "scatter": {}}
    for dtype in ("f4", "f8"):
        for kind, x, metric in (("uniform", random.random((200, 3)), "euclidean"), ("normal", random.standard_normal((200, 40)), "dot"),
                                ("cancelling", np.where(np.arange(200)[:, None] % 2, 1e9, -1e9) + random.random((200, 1)), "dot")):
            x = x.astype(dtype)
            i, j = np.triu_indices(len(x), 1)
            v = wedge.pdist(x, metric, device=arguments.device).astype(L)
            table = np.zeros((len(x), len(x)), L)
            table[i, j] = table[j, i] = v
            s = wedge.summary(x, metric=metric, device=arguments.device)
            errors = {"summary": np.abs(np.array([s.sum]).astype(L) - v.sum()) / np.abs(v).sum() / UNIT[dtype],
                      "scatter": np.abs(wedge.sums(x, metric=metric, device=arguments.device).astype(L) - table.sum(1)) / np.abs(table).sum(1) / UNIT[dtype]}
            for sink, error in errors.items():
                worst[sink][dtype] = worse(worst[sink].get(dtype), error, kind)
                if not (error <= 11).all():
                    failures.append(f"{sink} of {kind}, {dtype}: {float(error.max()):.3g} u of the sum of magnitudes")
    return worst


# ---- The page ----


def figure(error, most=np.inf):
    return "no digit" if error >= most else "0" if error == 0 else "< 0.01" if error < 0.01 else f"{error:.2g}" if error < 100 else f"{error:.0f}" if error < 1e4 else f"{error:.0e}"


def shown(worst, peer, dtype):
    """Of a peer the ordinary points count; a star says that it has no right digit at an end of the range."""
    if peer + dtype not in worst:
        return "–"
    ends = worst.get(f"{peer} at the ends {dtype}", Worst(0, "")).error
    most = 0.5 / UNIT[dtype]
    return figure(worst[peer + dtype].error, most) + (" \\*" if ends >= most else "")


def tables():
    yield "| op | promise | of | f32 | f64 | SciPy, f64 | scikit-learn, f32 | f64 |"
    yield "|---|---|---|---|---|---|---|---|"
    for title, promise, of, worst in results:
        cells = [shown(worst, *k) for k in (("", "f4"), ("", "f8"), ("SciPy", "f8"), ("scikit-learn", "f4"), ("scikit-learn", "f8"))]
        yield f"| {title} | {promise} | {of} | " + " | ".join(cells) + " |"


def sink_tables(asked, wrong, worst):
    yield "| sink | promise | f32 | f64 |"
    yield "|---|---|---|---|"
    for name in ("`select`, `count`", "`nearest`", "`histogram`"):
        cells = [f"{wrong[name, dtype]} of {asked[name, dtype]:,} wrong" for dtype in ("f4", "f8")]
        yield f"| {name} | as the values of `store` say | " + " | ".join(cells) + " |"
    for sink, name in (("summary", "`summary`, its sum"), ("scatter", "`scatter`")):
        yield f"| {name} | 11 u of the sum of magnitudes | {figure(worst[sink]['f4'].error)} | {figure(worst[sink]['f8'].error)} |"


def compare(now):
    """The page has these lines. A figure may be up to twice as large here: other processors and libraries round elsewhere."""
    page = re.findall(r"^\|.*\|$", PAGE.read_text(), re.M)
    number = re.compile(r"^[0-9.e+-]+$")
    if len(page) != len(now):
        yield f"{len(page)} rows of tables, not {len(now)}"
    for told, line in zip(page, now):
        for have, want in list(zip(told.strip("| ").split(" | "), line.strip("| ").split(" | ")))[:5]:
            if have != want and not (number.match(have) and number.match(want) and float(want) <= 2 * float(have)):
                yield f"{told!r} is now {line!r}"
                break


for op in OPS:
    measure_op(op)
for row in TRIANGLES:
    measure_triangles(*row)
asked, wrong = decisions()
failures += [f"{' in '.join(name)}: {count} decisions differ" for name, count in wrong.items() if count]
named = {title.split("`")[1] for title, *_ in results} | {"sides"}
failures += [f"{name}: not tried" for name in wedge.metrics() if name not in named]
blocks = [list(tables()), list(sink_tables(asked, wrong, sums()))]
if arguments.write:
    text = PAGE.read_text()
    for name, block in zip(("ops", "sinks"), blocks):
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + "\n".join(block) + "\n" + m[2], text, flags=re.S)
    PAGE.write_text(text)
for line in blocks[0] + blocks[1]:
    print(line)
if arguments.device == "cpu":
    failures += compare(blocks[0] + blocks[1])
for failure in failures:
    print("FAIL ", failure)
print(f"{len(results) + 5} ops and sinks, {len(failures)} failed")
sys.exit(len(failures) > 0)
