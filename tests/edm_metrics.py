"""edm_metrics.py: the metrics that edm_scipy.py tries: points for each, what SciPy or the definition gives, and how far a value may be off.

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
import collections
import math

import numpy as np
from scipy.spatial.distance import pdist

UNIT = {"f32": 2.0**-24, "f64": 2.0**-53}
FAR = {"f32": 1e6, "f64": 1e8}

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
    """The pairs i < j of x. What releases of SciPy do differently is settled here: jaccard counts truth values, as it does from
    1.15 on; 0/0 is nan for cosine, correlation and braycurtis."""
    if v.metric == "jaccard":
        return pdist(x != 0, "jaccard")
    if v.points == "far":
        x = x - x[:, :1]  # exact, the values being close: SciPy's own mean would lose what is tested
    extra = {} if v.p is None else {"p": v.p}
    with np.errstate(all="ignore"):
        return pdist(x, v.metric, **extra)


def scipy_diagonal(v, x):
    undefined = {"cosine": (x == 0).all(1), "braycurtis": (x == 0).all(1), "correlation": (x == x[:, :1]).all(1)}
    return np.where(undefined.get(v.metric, np.zeros(len(x), bool)), np.nan, 0)
