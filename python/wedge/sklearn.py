"""wedge.sklearn: estimators for scikit-learn's pipelines, with its names and conventions.

    from wedge.sklearn import KNeighborsTransformer, RadiusNeighborsTransformer
    make_pipeline(KNeighborsTransformer(n_neighbors=10), Isomap(metric="precomputed", n_neighbors=5))

They give sparse graphs, like their namesakes in sklearn.neighbors: DBSCAN, Isomap, SpectralClustering, TSNE and others
take these instead of points if metric or affinity is "precomputed". This module needs scikit-learn; wedge
itself does not.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

try:
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as e:
    raise ImportError(f"wedge.sklearn needs scikit-learn 1.6 or newer: pip install -U scikit-learn ({e})") from None

from . import _neighbours
from ._common import whole

__all__ = ["KNeighborsTransformer", "RadiusNeighborsTransformer"]
_Self = TypeVar("_Self", bound="_Graph")


class _Graph(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What both share: the points of fit are kept, and asked again in transform."""

    def fit(self: _Self, X: ArrayLike, y: object = None) -> _Self:
        """Stores the points among which neighbours are searched. y is ignored."""
        self._check()
        self._fit_X = validate_data(self, X, dtype=[np.float64, np.float32])
        self.n_samples_fit_ = len(self._fit_X)
        self._n_features_out = self.n_samples_fit_
        return self

    def transform(self, X: ArrayLike) -> csr_matrix:
        """A csr_matrix (rows of X, n_samples_fit_): for each row of X the distances to its neighbours among the
        points of fit, nearest first. A row of X that is one of these points finds itself, at distance 0."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        self._check()
        return self._graph(X)

    def fit_transform(self, X: ArrayLike, y: object = None) -> csr_matrix:
        """fit, then transform, of the same points."""
        return self.fit(X, y).transform(X)

    def _check(self):
        if self.mode not in ("distance", "connectivity"):
            raise ValueError(f"mode = {self.mode!r}: must be 'distance' or 'connectivity'")

    def _given(self):
        """Arguments that wedge's functions take, too."""
        given = dict(self.metric_params or {})
        return {"metric": self.metric, "device": self.device, **given}

    def _csr(self, lengths, indices, distances):
        data = distances if self.mode == "distance" else np.ones_like(distances)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        small = max(len(indices), self.n_samples_fit_) < 2**31
        kind = np.int32 if small else np.int64
        shape = (len(lengths), self.n_samples_fit_)
        return csr_matrix((data, indices.astype(kind), indptr.astype(kind)), shape=shape)


class KNeighborsTransformer(_Graph):
    """The graph of the nearest neighbours, computed by wedge.

    mode: 'distance', with one more neighbour since each point counts as its own nearest; or 'connectivity', ones.
    n_neighbors, metric, metric_params: k, metric and parameters of wedge.knn. device: one of wedge.devices().

    >>> from wedge.sklearn import KNeighborsTransformer
    >>> KNeighborsTransformer(n_neighbors=1).fit_transform([[0.], [1.], [3.]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 2., 0.]])
    """

    def __init__(
        self,
        *,
        mode: str = "distance",
        n_neighbors: int = 5,
        metric: str = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        device: str | None = None,
    ):
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.metric_params = metric_params
        self.device = device

    def _graph(self, X):
        k = whole("n_neighbors", self.n_neighbors, 1) + (self.mode == "distance")
        if k > self.n_samples_fit_:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {self.n_samples_fit_}"
            )
        distances, indices = _neighbours.knn(self._fit_X, k, X, **self._given())
        return self._csr(np.full(len(X), k), indices.reshape(-1), distances.reshape(-1))


class RadiusNeighborsTransformer(_Graph):
    """The graph of all neighbours within a radius, computed by wedge.

    mode: 'distance' or 'connectivity', ones. radius, metric, metric_params: r, metric and parameters of wedge.within.
    device: one of wedge.devices().

    >>> from wedge.sklearn import RadiusNeighborsTransformer
    >>> RadiusNeighborsTransformer(radius=1).fit_transform([[0.], [1.], [3.]]).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    def __init__(
        self,
        *,
        mode: str = "distance",
        radius: float = 1.0,
        metric: str = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        device: str | None = None,
    ):
        self.mode = mode
        self.radius = radius
        self.metric = metric
        self.metric_params = metric_params
        self.device = device

    def _graph(self, X):
        pairs, distances = _neighbours.within(X, self.radius, self._fit_X, return_distance=True, **self._given())
        order = np.lexsort((distances, pairs[:, 0]))  # stable: of equal ones the smaller index comes first
        return self._csr(np.bincount(pairs[:, 0], minlength=len(X)), pairs[order, 1], distances[order])
