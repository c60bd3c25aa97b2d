"""within, knn and collide: who is near whom.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from . import _library as w
from ._common import Call, box_lengths, number, whole
from ._of_cuda import DeviceArray
from ._of_numpy import NumPy
from ._points import Array
from ._session import Progress


class CSR(NamedTuple):
    """A sparse matrix by rows: row i has the columns indices[indptr[i]:indptr[i + 1]], in order."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    shape: tuple

    def to_scipy(self):
        """The same as a scipy.sparse.csr_array."""
        from scipy.sparse import csr_array

        small = max(len(self.indices), *self.shape) < 2**31  # as SciPy's own functions want them
        indices, indptr = (a.astype(np.int32) if small else a for a in (self.indices, self.indptr))
        return csr_array((self.data, indices, indptr), shape=self.shape)


def _own_memory(a):
    """A column as an array of its own."""
    return a.contiguous() if hasattr(a, "contiguous") else _library_of(a).ascontiguousarray(a)


def _csr(call: Call, pairs, values, columns: int) -> CSR:
    """Of pairs that are sorted by row."""
    rows, indices = _own_memory(pairs[:, 0]), _own_memory(pairs[:, 1])
    indptr = _library_of(pairs).searchsorted(rows, call.points.of_host(np.arange(call.rows + 1)))
    if values is None:
        values, _ = call.points.empty((len(pairs),))
        values[:] = 1
    return CSR(indptr, indices, values, (call.rows, columns))


def within(
    X: Array,
    r: float,
    Y: Array = None,
    metric: str = "euclidean",
    *,
    return_distance: bool = False,
    graph: bool = False,
    count: bool = False,
    box: Array = None,
    brute: bool = False,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """The pairs of rows of X that are at most r apart: int64 (P, 2), i < j, sorted by i, then j.

    With Y: i of X and j of Y. As scipy.spatial.KDTree(X).query_pairs(r, output_type='ndarray'), but sorted.
    return_distance: also their distances, (P,). count: only how many. graph: a CSR matrix (n, n) with a row for each
    point, its neighbours on both sides, and their distances or ones; as scikit-learn's radius_neighbors_graph.
    box: lengths of a periodic box, one or one for each coordinate, 0 where it is open. brute: compute every pair.
    Other arguments as pdist's.

    >>> X = [[0.], [1.], [3.], [3.5]]
    >>> wedge.within(X, 1)
    array([[0, 1],
           [2, 3]])
    >>> pairs, distances = wedge.within(X, 2, return_distance=True)
    >>> distances
    array([1. , 2. , 0.5])
    >>> wedge.within(X, 2, graph=True).to_scipy().toarray()
    array([[0., 1., 0., 0.],
           [1., 0., 1., 0.],
           [0., 1., 0., 1.],
           [0., 0., 1., 0.]])
    >>> wedge.within(X, 2, count=True)
    3
    """
    radius = number("r", r)
    if isinstance(Y, str):
        raise TypeError(f"Y is {Y!r}: name a metric with metric={Y!r}")
    call = Call(X, Y, metric, parameters, device=device, nan=nan, progress=progress, box=box)
    call.check_box(radius)
    layout = w.RECTANGLE if Y is not None else w.CONDENSED
    if count:
        return call.count(layout, radius, brute)
    if graph and isinstance(call.points.empty((0,))[0], DeviceArray):
        raise TypeError("graph takes arrays of NumPy, torch or CuPy")
    if not graph:
        pairs, values = call.select(layout, radius, values=return_distance, brute=brute)
        return (pairs, values) if return_distance else pairs
    pairs, values = call.select(w.RECTANGLE if Y is not None else w.SQUARE, radius, values=return_distance, brute=brute)
    if Y is None:
        others = pairs[:, 0] != pairs[:, 1]
        pairs, values = pairs[others], values[others] if return_distance else None
    return _csr(call, pairs, values, call.others.n if Y is not None else call.rows)


def knn(
    X: Array,
    k: int,
    queries: Array = None,
    metric: str = "euclidean",
    *,
    return_distance: bool = True,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """The k nearest rows of X of each row of X, itself left out, or of each row of `queries`: distances and indices,
    (n, k).

    Nearest first, of equal ones the smaller index first; as scikit-learn's
    NearestNeighbors(n_neighbors=k).fit(X).kneighbors(),
    or kneighbors(queries). return_distance=False: indices alone. box as in within; other arguments as pdist's.

    >>> distances, indices = wedge.knn([[0.], [1.], [3.]], 1)
    >>> distances.ravel(), indices.ravel()
    (array([1., 1., 2.]), array([1, 0, 1]))
    >>> wedge.knn([[0.], [1.], [3.]], 2, queries=[[2.9]], return_distance=False)
    array([[2, 1]])
    """
    k = whole("k", k, 1, 1024)
    if isinstance(queries, str):
        raise TypeError(f"queries is {queries!r}: name a metric with metric={queries!r}")
    if queries is None:
        call = Call(X, None, metric, parameters, device=device, nan=nan, progress=progress, box=box)
        candidates = call.rows - 1
    else:
        call = Call(
            queries, X, metric, parameters, device=device, nan=nan, progress=progress, box=box, names=("queries", "X")
        )
        candidates = call.others.n
    if k > candidates:
        raise ValueError(f"k = {k}: there are only {candidates} candidates")
    distances, indices = call.rows_of(w.SQUARE if queries is None else w.RECTANGLE, "nearest", {"k": k, "values": 1}, k)
    return (distances, indices) if return_distance else indices


def sums(
    X: Array,
    metric: str = "euclidean",
    Y: Array = None,
    *,
    r: float | None = None,
    return_count: bool = False,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """For each row of X the sum of its values with all others, or with all rows of Y; of those up to r, where r is
    given.

    Sums of a kernel without its matrix: sums(X, 'gaussian', Y, sigma=0.5) is exp(-|x - y|^2 / (2 sigma^2)) summed
    over Y.
    return_count: also how many were added up, int64. Ops with several values (gravity) give (n, values).

    >>> wedge.sums([[0.], [1.], [3.]], 'euclidean')
    array([4., 3., 5.])
    >>> wedge.sums([[0.], [1.], [3.]], r=2, return_count=True)
    (array([1., 3., 2.]), array([1, 2, 1]))
    """
    call = Call(X, Y, metric, parameters, device=device, nan=nan, progress=progress, box=box)
    of_sink = {} if r is None else {"radius": number("r", r)}
    if r is not None:
        call.check_box(of_sink["radius"])
    values, counts = call.rows_of(w.RECTANGLE if Y is not None else w.SQUARE, "scatter", of_sink, call.info.values)
    return (values, counts) if return_count else values


def _library_of(x):
    """The module whose functions take x: NumPy, torch or CuPy."""
    name = type(x).__module__.partition(".")[0]
    return sys.modules[name] if name in ("torch", "cupy") else np


def _records(first, radii, upper):
    """Rows of centre and radius, or of lower and upper corner, of the library that they are of."""
    xp = _library_of(first)
    if xp is np:
        first = NumPy.as_floats(first, "centres")
    if first.ndim != 2 or not 1 <= first.shape[1] <= 3:
        raise ValueError(f"centres have shape {tuple(first.shape)}: must be (n, d) with d from 1 to 3")
    if upper is None:
        if np.ndim(radii) and tuple(radii.shape if hasattr(radii, "shape") else np.shape(radii)) != (len(first),):
            raise ValueError(f"radii must be one number, or {len(first)}, one for each centre")
        second = xp.zeros_like(first[:, :1])
        second[:, 0] = radii if np.ndim(radii) == 0 else xp.asarray(radii)
        if not bool(xp.isfinite(second).all()):
            raise ValueError("radii contain NaN or infinity")
        if bool((second < 0).any()):
            raise ValueError(f"the smallest radius is {float(second.min()):g}: must be 0 or above")
        return xp.concatenate((first, second), axis=1), second
    second = xp.asarray(upper)
    if tuple(second.shape) != tuple(first.shape):
        raise ValueError(
            f"lower corners have shape {tuple(first.shape)}, upper ones {tuple(second.shape)}: must be equal"
        )
    above = (first > second).any(axis=1)
    if bool(above.any()):
        raise ValueError(f"box {above.tolist().index(True)} has a lower corner above its upper one")
    return xp.concatenate((first, second), axis=1), None


def collide(
    centres: Array,
    radii: Array = None,
    *,
    upper: Array = None,
    box: Array = None,
    count: bool = False,
    brute: bool = False,
    device: str | None = None,
    progress: Progress = None,
):
    """The pairs of spheres that touch or overlap: int64 (P, 2), i < j, sorted.

    centres: (n, d) with d up to 3; radii: one for all, or n. Spheres touch where their centres are at most r + r'
    apart.
    box: a periodic one, as in within. count: only how many. brute: try every pair.
    For boxes instead of spheres: collide(lower, upper=upper), closed boxes with these corners.

    >>> wedge.collide([[0., 0.], [1.5, 0.], [5., 5.]], 1.0)
    array([[0, 1]])
    >>> wedge.collide([[0., 0.], [1., 1.]], upper=[[1., 1.], [2., 2.]], count=True)
    1
    """
    if (radii is None) == (upper is None):
        raise TypeError("give radii for spheres, or upper for boxes")
    if box is not None and upper is not None:
        raise ValueError("box is for spheres; boxes cannot be periodic")
    records, radii = _records(centres, radii, upper)
    lengths = box_lengths(box, records.shape[1] - 1)
    if lengths:
        _check_spheres(lengths, radii)
    call = Call(
        records,
        None,
        "spheres" if upper is None else "boxes",
        {},
        device=device,
        nan="raise",
        progress=progress,
        box=lengths and [*lengths, 0],
        names=("centres", ""),
    )
    if count:
        return call.count(w.CONDENSED, 0.0, brute)
    return call.select(w.CONDENSED, 0.0, brute=brute)[0]


def _check_spheres(lengths, radii) -> None:
    largest = sorted(
        float(r)
        for r in (
            radii.ravel().topk(min(2, len(radii))).values
            if hasattr(radii, "topk")
            else _library_of(radii).sort(radii.ravel())[-2:]
        )
    )
    reach = sum(largest)
    for length in lengths:
        if 0 < length < 2 * reach * (1 - 2.0**-20):
            raise ValueError(
                f"box: length {length:g} is too short for the two largest spheres, which could touch on both sides: "
                f"take a box of {2 * reach:g} or more"
            )
