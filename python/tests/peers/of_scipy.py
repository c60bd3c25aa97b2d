"""scipy.spatial's pdist, cdist and KDTree, by wedge.

SPDX-License-Identifier: MIT"""

import instead
import numpy as np
import scipy.sparse
import scipy.spatial
import scipy.spatial.distance as theirs
import wedge

_pdist, _cdist = theirs.pdist, theirs.cdist


def _is_their_oracle(metric):
    """SciPy's tests write test_NAME for SciPy's own implementation in Python, to compare with."""
    return isinstance(metric, str) and metric.startswith("test_")


def pdist(X, metric="euclidean", *, out=None, **given):
    if _is_their_oracle(metric):
        return _pdist(X, metric, out=out, **given)
    return instead.distances(instead.doubles(X), None, metric, given, nan="propagate", **_only(out=out))


def cdist(XA, XB, metric="euclidean", *, out=None, **given):
    if _is_their_oracle(metric):
        return _cdist(XA, XB, metric, out=out, **given)
    XA, XB = instead.doubles(XA), instead.doubles(XB)
    return instead.distances(XA, XB, metric, given, nan="propagate", **_only(out=out))


def _only(**given):
    return {name: value for name, value in given.items() if value is not None}


class _Tree:
    """Points, and what a tree of SciPy answers about them: each call is one call of wedge over all of them."""

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        given = instead.doubles(np.asarray(data))
        self.data = np.array(given, np.float64) if copy_data else wedge_points(given)
        wedge.cdist(self.data[:1], self.data[:1])  # two dimensions, real numbers
        wedge.within(self.data, 0, count=True)  # all of them finite
        self.n, self.m = self.data.shape
        self.leafsize, self.boxsize = leafsize, boxsize

    @property
    def mins(self):
        return self.data.min(axis=0)

    @property
    def maxes(self):
        return self.data.max(axis=0)

    def _how(self, p):
        box = None if self.boxsize is None else self.boxsize
        names = {1: "cityblock", 2: "euclidean", np.inf: "chebyshev"}
        return {"metric": names[p], "box": box} if p in names else {"metric": "minkowski", "p": p, "box": box}

    def _rows(self, x):
        x = np.atleast_1d(x)
        return x.reshape(-1, x.shape[-1]), x.shape[:-1]

    def query(self, x, k=1, eps=0, p=2, distance_upper_bound=np.inf, workers=1):
        rows, shape = self._rows(x)
        many = np.ndim(k) == 1
        most = int(np.max(k)) if many else k
        d, i = wedge.knn(self.data, most, rows, distance_upper_bound=distance_upper_bound, **self._how(p))
        if many:
            d, i = d[:, np.asarray(k) - 1], i[:, np.asarray(k) - 1]
        elif k == 1:
            return self._answer(d.reshape(shape)[()], i.reshape(shape)[()])
        return d.reshape(*shape, d.shape[1]), i.reshape(*shape, d.shape[1])

    def query_ball_point(self, x, r, p=2.0, eps=0, workers=1, return_sorted=None, return_length=False):
        rows, shape = self._rows(x)
        radii = np.broadcast_to(r, shape).reshape(-1) if np.ndim(r) else r
        found = wedge.within(rows, radii, self.data, graph=True, **self._how(p))
        if return_length:
            return np.diff(found.indptr).reshape(shape)[()]
        return _lists(found, shape)

    def query_ball_tree(self, other, r, p=2.0, eps=0):
        return list(_lists(wedge.within(self.data, r, other.data, graph=True, **self._how(p)), (self.n,)))

    def query_pairs(self, r, p=2.0, eps=0, output_type="set"):
        pairs = wedge.within(self.data, r, **self._how(p))
        return pairs if output_type == "ndarray" else set(map(tuple, pairs.tolist()))

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        given = {} if weights is None else {"weights": weights}
        counts = [
            wedge.within(self.data, one, other.data, count=True, **self._how(p), **given) for one in np.atleast_1d(r)
        ]
        if not cumulative and (np.diff(r) < 0).any():
            raise ValueError("r must not descend")
        counts = np.array(counts) if cumulative else np.diff(counts, prepend=0)
        return counts if np.ndim(r) else counts[0]

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="dok_matrix"):
        pairs, d = wedge.within(self.data, max_distance, other.data, return_distance=True, **self._how(p))
        i, j = pairs.T
        if output_type == "dict":
            return dict(zip(map(tuple, pairs.tolist()), d.tolist()))
        if output_type == "ndarray":
            out = np.empty(len(d), np.dtype([("i", np.intp), ("j", np.intp), ("v", np.float64)], align=True))
            out["i"], out["j"], out["v"] = i, j, d
            return out
        matrix = scipy.sparse.coo_matrix((d, (i, j)), shape=(self.n, other.n))
        return matrix if output_type == "coo_matrix" else matrix.todok()


def wedge_points(data):
    """An array that is taken as it is stays the caller's, as with SciPy."""
    return data if data.dtype.kind in "cO" else np.asarray(data, np.float64)


def _lists(found, shape):
    rows = np.empty(len(found.indptr) - 1, object)
    for row, (begin, end) in enumerate(zip(found.indptr, found.indptr[1:])):
        rows[row] = found.indices[begin:end].tolist()
    return rows.reshape(shape)[()]


class KDTree(_Tree):
    @staticmethod
    def _answer(d, i):
        return d, i


class cKDTree(_Tree):
    @staticmethod
    def _answer(d, i):
        return d, i if np.ndim(i) else int(i)


def install():
    theirs.pdist, theirs.cdist = pdist, cdist
    scipy.spatial.KDTree, scipy.spatial.cKDTree = KDTree, cKDTree
