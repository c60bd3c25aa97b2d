"""scikit-learn's pairwise_distances and its like, and the search behind its neighbours estimators, by wedge.

The estimators check their arguments themselves; what they ask their trees and their brute-force searches is asked of
wedge.

SPDX-License-Identifier: MIT"""

import instead
import numpy as np
import wedge
from sklearn.metrics import pairwise
from sklearn.neighbors import _base, _classification
from sklearn.utils.validation import _to_object_array

_pairwise_distances = pairwise.pairwise_distances
SAME = {"l1": "cityblock", "manhattan": "cityblock", "l2": "euclidean"}
SPARSE = ("cityblock", "cosine", "euclidean", "sqeuclidean", *SAME)  # the metrics for which sparse matrices are taken


def _distances(X, Y, metric, given, nan="raise"):
    X, Y = (instead.dense(s) if metric in SPARSE else s for s in (X, X if Y is None else Y))
    return instead.distances(X, Y, SAME.get(metric, metric) if isinstance(metric, str) else metric, given, nan=nan)


def pairwise_distances(X, Y=None, metric="euclidean", *, n_jobs=None, ensure_all_finite=True, **given):
    if isinstance(metric, str) and metric == "precomputed":
        return _pairwise_distances(X, Y, metric, ensure_all_finite=ensure_all_finite)
    given.pop("Y_norm_squared", None)
    given.pop("X_norm_squared", None)
    if given.pop("squared", False):
        metric = "sqeuclidean"
    return _distances(X, Y, metric, given, "raise" if ensure_all_finite is True else "propagate")


def euclidean_distances(X, Y=None, *, Y_norm_squared=None, squared=False, X_norm_squared=None):
    return _distances(X, Y, "sqeuclidean" if squared else "euclidean", {})


def manhattan_distances(X, Y=None):
    return _distances(X, Y, "cityblock", {})


def cosine_distances(X, Y=None):
    return _distances(X, Y, "cosine", {})


def haversine_distances(X, Y=None):
    return _distances(X, Y, "haversine", {})


def _search(X, Y, metric, given):
    """Points of wedge.knn and wedge.within, and how to ask them."""
    given = given or {}
    X, Y = instead.dense(X), instead.dense(Y)
    metric = SAME.get(metric, metric) if isinstance(metric, str) else metric
    x, y, metric, given = instead.points(X, Y, metric, given)
    return x, y, {"metric": metric, **given}


def _by_matrix(X, Y, metric, given):
    """Every distance, for a metric of which no neighbours can be asked; None for others."""
    of_sets = isinstance(metric, str) and metric in instead.BY_COUNTS
    return instead.distances(instead.dense(X), instead.dense(Y), metric, dict(given or {})) if of_sets else None


def _nearest(X, Y, k, metric, given, return_distance):
    every = _by_matrix(X, Y, metric, given)
    if every is not None:
        index = np.argsort(every, axis=1, kind="stable")[:, :k]
        return (np.take_along_axis(every, index, axis=1), index) if return_distance else index
    x, y, how = _search(X, Y, metric, given)
    return wedge.knn(y, k, x, return_distance=return_distance, **how)


def _near(X, Y, radius, metric, given, sort):
    """Lists of indices and of distances, one for each row of X."""
    every = _by_matrix(X, Y, metric, given)
    if every is not None:
        index = [np.flatnonzero(row <= r) for row, r in zip(every, np.broadcast_to(radius, len(every)))]
        value = [row[i] for row, i in zip(every, index)]
    else:
        x, y, how = _search(X, Y, metric, given)
        graph = wedge.within(x, radius, y, graph=True, return_distance=True, **how)
        index, value = (np.split(a, graph.indptr[1:-1]) for a in (graph.indices, graph.data))
    if sort:
        order = [np.argsort(v, kind="stable") for v in value]
        index, value = ([a[o] for a, o in zip(rows, order)] for rows in (index, value))
    return _to_object_array(index), _to_object_array(value)


class ArgKmin:
    @staticmethod
    def is_usable_for(X, Y, metric):
        return not (isinstance(metric, str) and metric == "precomputed")

    @staticmethod
    def valid_metrics():
        return [*wedge.metrics(), *SAME]

    @staticmethod
    def compute(X, Y, k, metric="euclidean", metric_kwargs=None, strategy=None, return_distance=False, **_):
        return _nearest(X, Y, k, metric, metric_kwargs, return_distance)


class RadiusNeighbors(ArgKmin):
    @staticmethod
    def compute(
        X,
        Y,
        radius,
        metric="euclidean",
        metric_kwargs=None,
        strategy=None,
        return_distance=False,
        sort_results=False,
        **_,
    ):
        index, value = _near(X, Y, radius, metric, metric_kwargs, sort_results)
        return (value, index) if return_distance else index


class Unused(ArgKmin):
    """Classifiers ask kneighbors and radius_neighbors, never a search of their own."""

    @staticmethod
    def is_usable_for(X, Y, metric):
        return False


class _Tree:
    def __init__(self, X, leaf_size=40, metric="minkowski", **given):
        self.data, self.metric, self.given = np.asarray(X), metric, given

    def query(self, X, k=1, return_distance=True, **_):
        return _nearest(X, self.data, k, self.metric, self.given, return_distance)

    def query_radius(self, X, r, return_distance=False, count_only=False, sort_results=False):
        index, value = _near(X, self.data, r, self.metric, self.given, sort_results)
        return (index, value) if return_distance else index


class KDTree(_Tree):
    pass


class BallTree(_Tree):
    pass


def install():
    import sklearn.neighbors as neighbors

    for module in (_base, neighbors):
        module.KDTree, module.BallTree = KDTree, BallTree
    _base.ArgKmin = pairwise.ArgKmin = ArgKmin
    _base.RadiusNeighbors = RadiusNeighbors
    _classification.ArgKminClassMode = _classification.RadiusNeighborsClassMode = Unused
    functions = pairwise.PAIRWISE_DISTANCE_FUNCTIONS
    for ours in (euclidean_distances, manhattan_distances, cosine_distances, haversine_distances):
        before = getattr(pairwise, ours.__name__)
        setattr(pairwise, ours.__name__, ours)
        functions.update({name: ours for name, function in functions.items() if function is before})
    pairwise.pairwise_distances = pairwise_distances
