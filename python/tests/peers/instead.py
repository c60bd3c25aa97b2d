"""What docs/python.md says to use for what SciPy and scikit-learn have and wedge has not, as code.

The tests of SciPy and scikit-learn that ask for weights, seuclidean, dice and others run on these lines, so that the
page's table of replacements is tested by them. What the page names no replacement for goes to wedge as it is, and wedge
refuses it.

SPDX-License-Identifier: MIT"""

import numpy as np
import wedge

JENSEN_SHANNON = """
#define OP_FORMULA "sqrt((KL(a || m) + KL(b || m)) / 2), m = (a + b) / 2, of rows that sum up to 1"
#define OP_ZERO_FOR_EQUALS 1
typedef struct { real sum; } op_state;
WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real zero = wedge_real(0), one = wedge_real(1), m = (a + b) * wedge_real(0.5f), none = one / zero;
    real no_a = wedge_pick((a == zero) & (b >= zero), zero, none);
    real no_b = wedge_pick((b == zero) & (a >= zero), zero, none);
    real of_a = wedge_pick((a > zero) & (m > zero), a * wedge_log(a / m), no_a);
    real of_b = wedge_pick((b > zero) & (m > zero), b * wedge_log(b / m), no_b);
    s.sum = s.sum + (of_a + of_b);
    return s;
}
WEDGE_OP real op_finish(op_state s, op_args q) {
    return wedge_sqrt(wedge_pick(s.sum > wedge_real(0), s.sum * wedge_real(0.5f), wedge_real(0)));
}
"""
# Of each pair: how many features (or how much weight) both have, only the first, only the second, none.
BY_COUNTS = {
    "dice": lambda tt, tf, ft, ff: (tf + ft) / (2 * tt + tf + ft),
    "rogerstanimoto": lambda tt, tf, ft, ff: 2 * (tf + ft) / (tt + ff + 2 * (tf + ft)),
    "russellrao": lambda tt, tf, ft, ff: (tf + ft + ff) / (tt + tf + ft + ff),
    "sokalsneath": lambda tt, tf, ft, ff: 2 * (tf + ft) / (tt + 2 * (tf + ft)),
    "yule": lambda tt, tf, ft, ff: np.where(tf * ft == 0, 0, 2 * tf * ft / np.maximum(tt * ff + tf * ft, 1e-300)),
}
ROOT = {"euclidean": 2, "sqeuclidean": 2, "cosine": 2, "correlation": 2, "cityblock": 1, "braycurtis": 1}


def dense(x):
    """Sparse matrices as arrays: x.toarray()."""
    return x.toarray() if hasattr(x, "toarray") else x


def doubles(x):
    """SciPy computes float32 in float64: x.astype(np.float64)."""
    return x.astype(np.float64) if getattr(x, "dtype", None) in (np.float32, np.float16) else x


def weights(w):
    w = np.asarray(w, np.float64)
    if (w < 0).any():
        raise ValueError("weights must be 0 or above")
    return w


def points(x, y, metric, given):
    """Points, metric and parameters that give the same values: what needs no more than other columns."""
    given = dict(given)
    sets = [x] if y is None or y is x else [x, y]
    if metric == "seuclidean":
        v = given.pop("V", None)
        v = np.var(np.vstack(sets).astype(np.float64), axis=0, ddof=1) if v is None else np.asarray(v, np.float64)
        metric, sets = "euclidean", [np.asarray(s) / np.sqrt(v) for s in sets]
    elif metric == "mahalanobis":
        inverse = given.pop("VI", None)
        if inverse is None:
            every = np.vstack(sets).astype(np.float64)
            if len(every) <= every.shape[1]:
                raise ValueError("too few points for a covariance")
            inverse = np.linalg.inv(np.atleast_2d(np.cov(every.T)))
        metric, sets = "euclidean", [np.asarray(s) @ np.linalg.cholesky(inverse) for s in sets]
    if given.get("w") is None:
        given.pop("w", None)
    if "w" in given and metric in (*ROOT, "minkowski", "chebyshev"):
        w = weights(given.pop("w"))
        if metric == "correlation":
            sets = [np.asarray(s) - np.average(s, axis=1, weights=w)[:, None] for s in sets]
            metric = "cosine"
        p = given.get("p", 2) if metric == "minkowski" else ROOT.get(metric, np.inf)
        scale = w > 0 if p == np.inf else w ** (1 / p)
        sets = [np.asarray(s) * scale for s in sets]
    return sets[0], None if y is None else sets[-1], metric, given


def distances(x, y, metric, given, **how):
    """pdist (y is None) or cdist, with what the page has for a metric that wedge lacks."""
    if callable(metric) and getattr(metric, "__module__", None) == "scipy.spatial.distance":
        metric = metric.__name__
    if isinstance(metric, str):
        if metric in BY_COUNTS or (metric == "jaccard" and given.get("w") is not None):
            return by_counts(x, y, metric, **given, **how)
        if metric in ("canberra", "hamming") and given.get("w") is not None:
            return by_columns(x, y, metric, given.pop("w"), **given, **how)
        if metric == "jensenshannon":
            return jensen_shannon(x, y, **given, **how)
    x, y, metric, given = points(x, y, metric, given)
    return of_wedge(x, y, metric, **given, **how)


def of_wedge(x, y, metric, **given):
    return wedge.pdist(x, metric, **given) if y is None else wedge.cdist(x, y, metric, **given)


def by_counts(x, y, metric, w=None, **how):
    """Metrics of sets of features: functions of four counts, which one inner product gives."""
    x, y = (None if s is None else np.asarray(s) != 0 for s in (x, y))
    w = np.ones(x.shape[1]) if w is None else weights(w)
    scale = np.sqrt(w)
    both = np.asarray(of_wedge(x * scale, None if y is None else y * scale, "dot", **how))
    if y is None:
        i, j = np.triu_indices(len(x), 1)
        first, second = (x @ w)[i], (x @ w)[j]
    else:
        first, second = (x @ w)[:, None], (y @ w)[None, :]
    counts = both, first - both, second - both, w.sum() - first - second + both
    if metric == "jaccard":
        some = counts[0] + counts[1] + counts[2]
        return np.divide(counts[1] + counts[2], some, out=np.zeros_like(some), where=some > 0)
    return BY_COUNTS[metric](*counts)


def by_columns(x, y, metric, w, **how):
    """A weighted sum over features: one column at a time."""
    w = weights(w)
    x, y = (None if s is None else np.asarray(s, np.float64) for s in (x, y))
    total = sum(w[k] * of_wedge(x[:, [k]], None if y is None else y[:, [k]], metric, **how) for k in np.flatnonzero(w))
    return total / w.sum() if metric == "hamming" else total


def jensen_shannon(x, y, base=None, **how):
    x, y = (None if s is None else s / np.sum(s, axis=1, keepdims=True) for s in (x, y))
    values = wedge.run(JENSEN_SHANNON, x, Y=y, name="jensenshannon", **how)
    return values if base is None else values / np.sqrt(np.log(base))
