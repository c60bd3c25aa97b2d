"""within, knn and collide: which points are near which.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import math

import numpy as np

from . import _library as w
from ._common import Call, as_limit, box_lengths, metric_moved, number, whole
from ._csr import check_indexable, from_nearest, from_pairs, library_of, on_host
from ._floats import in_default_floats
from ._of_cuda import DeviceArray
from ._of_numpy import NumPy
from ._points import Array
from ._session import Progress, shower

_FEW_FOUND = 1 << 19  # pairs that rows of different radii may find together


def _radii(r, rows: int):
    """One radius as a number, or one for each row as an array of the host."""
    if np.ndim(r) == 0:
        return number("r", r, finite=False)
    try:
        radii = np.asarray(on_host(r), np.float64)
    except (TypeError, ValueError):
        raise TypeError("r must be a number, or one per row of X") from None
    if radii.shape != (rows,):
        raise ValueError(f"r has shape {radii.shape}: must be one number, or ({rows},), one per row of X")
    if not rows:
        return 0.0
    if np.isnan(radii).any():
        raise ValueError(f"r of row {int(np.argmax(np.isnan(radii)))} is NaN: must be a number")
    return radii


def _by_size(radii: np.ndarray, columns: int):
    """Rows with radii of one sign and between the same powers of two, so that none finds many more than it keeps; of so
    few rows that all of their pairs may be found, also different ones."""
    size = np.where(np.isinf(radii), 2000, np.where(radii == 0, -2000, np.frexp(radii)[1]))
    size = np.where(radii < 0, -5000 - size, size)
    groups: list[np.ndarray] = []
    for rows in (np.flatnonzero(size == s) for s in np.unique(size)):
        if groups and (len(groups[-1]) + len(rows)) * columns <= _FEW_FOUND:
            groups[-1] = np.sort(np.concatenate((groups[-1], rows)))
        else:
            groups.append(rows)
    return groups


@in_default_floats
def _within_own(call: Call, radii: np.ndarray, brute: bool):
    """Pairs (i, j) with j at most radii[i] from i, sorted, and their values; a row is not its own neighbour."""
    xp, pairs, values, done = library_of(call.points.array), [], [], 0
    columns = call.rows if call.others is None else call.others.n
    radii, (show, end) = as_limit(radii, call.points.np_dtype), shower(call.progress)
    for rows in _by_size(radii, columns):
        own, some, part = radii[rows], call.of_rows(rows), len(rows)
        some.progress = show and (lambda share, done=done, part=part: show((done + share * part) / call.rows))
        found, far = some.select(w.RECTANGLE, float(own.max()), values=True, brute=brute)
        own, at = (call.points.of_host(a)[found[:, 0]] for a in (own, rows))
        keep = (far if far.ndim == 1 else far[:, 0]) <= own
        if call.others is None:
            keep &= at != found[:, 1]
        found[:, 0] = at
        pairs.append(found[keep])
        values.append(far[keep])
        done += part
        if show:
            show(done / call.rows)
    if end:
        end()
    pairs, values = xp.concatenate(pairs), xp.concatenate(values)
    order = xp.argsort(pairs[:, 0] * columns + pairs[:, 1])  # all different
    return pairs[order], values[order]


def within(
    X: Array,
    r: Array,
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
    r: a number, possibly infinity; or one per row of X, as in KDTree(Y).query_ball_point(X, r): then the pairs (i, j)
    with j at most r[i] from i; without Y, (i, j) and (j, i) are separate pairs, each with the radius of its first.
    return_distance: also return their distances, (P,). count: return only the number of pairs. graph: return a CSR
    matrix (n, n) with all neighbours of a point in its row, as distances if return_distance, else ones; as
    scikit-learn's radius_neighbors_graph. box: the length of a periodic box, or one per coordinate, 0 for those that
    are not periodic. brute: compute every pair. Other arguments: as in pdist.

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
    >>> wedge.within(X, [0, 2, 0, 3])
    array([[1, 0],
           [1, 2],
           [3, 1],
           [3, 2]])
    """
    if isinstance(Y, str):
        raise TypeError(f"Y is {Y!r}: name a metric with metric={Y!r}")
    call = Call(X, Y, metric, parameters, device=device, nan=nan, progress=progress, box=box)
    radius = _radii(r, call.rows)
    if graph:
        check_indexable(call, "graph")
    if isinstance(radius, np.ndarray):
        check_indexable(call, "an array of radii")
        call.check_box(radius.max())
        pairs, values = _within_own(call, radius, brute)
        if count:
            return len(pairs)
    else:
        call.check_box(radius)
        layout = w.RECTANGLE if Y is not None else w.SQUARE if graph else w.CONDENSED
        if count:
            return call.count(layout, radius, brute)
        pairs, values = call.select(layout, radius, values=return_distance, brute=brute)
        if layout == w.SQUARE:
            others = pairs[:, 0] != pairs[:, 1]
            pairs, values = pairs[others], values[others] if return_distance else None
    if graph:
        columns = call.rows if Y is None else call.others.n
        return from_pairs(call, pairs[:, 0], pairs[:, 1], values if return_distance else None, columns)
    return (pairs, values) if return_distance else pairs


def knn(
    X: Array,
    k: int,
    queries: Array = None,
    metric: str = "euclidean",
    *,
    return_distance: bool = True,
    graph: bool = False,
    distance_upper_bound: float = math.inf,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """For each row of X, or of `queries`, the k nearest rows of X: distances and indices, (n, k). A row of X is not its
    own neighbour.

    Nearest first, ties by the smaller index; as scikit-learn's
    NearestNeighbors(n_neighbors=k).fit(X).kneighbors(), or kneighbors(queries). return_distance=False: return indices
    alone. distance_upper_bound: only those closer than this. If a row has fewer than k, the rest get distance infinity
    and index n, the number of rows of X, as in scipy.spatial.KDTree.
    graph: return a CSR matrix of these neighbours, with distances or ones; as scikit-learn's kneighbors_graph.
    box: as in within; other arguments: as in pdist.

    >>> distances, indices = wedge.knn([[0.], [1.], [3.]], 1)
    >>> distances.ravel(), indices.ravel()
    (array([1., 1., 2.]), array([1, 0, 1]))
    >>> wedge.knn([[0.], [1.], [3.]], 2, queries=[[2.9]], return_distance=False)
    array([[2, 1]])
    >>> wedge.knn([[0.], [1.], [3.]], 2, distance_upper_bound=1.5)
    (array([[ 1., inf],
           [ 1., inf],
           [inf, inf]]), array([[1, 3],
           [0, 3],
           [3, 3]]))
    """
    k = whole("k", k, 1, 1024)
    if isinstance(queries, str):
        raise TypeError(f"queries is {queries!r}: name a metric with metric={queries!r}")
    if queries is None:
        call = Call(X, None, metric, parameters, device=device, nan=nan, progress=progress, box=box)
        columns = call.rows
    else:
        call = Call(
            queries, X, metric, parameters, device=device, nan=nan, progress=progress, box=box, names=("queries", "X")
        )
        columns = call.others.n
    bound = number("distance_upper_bound", distance_upper_bound, finite=False)
    if graph or bound < math.inf:
        check_indexable(call, "graph" if graph else "distance_upper_bound")
    distances, indices = nearest(call, k)
    if bound < math.inf:
        _leave_out(call, distances, indices, bound, columns)
    if graph:
        return from_nearest(call, indices, distances if return_distance else None, columns)
    return (distances, indices) if return_distance else indices


@in_default_floats
def _leave_out(call: Call, distances, indices, bound: float, columns: int) -> None:
    far = distances >= float(as_limit(bound, call.points.np_dtype))
    distances[far], indices[far] = math.inf, columns


def nearest(call: Call, k: int):
    """Distances and indices of the k nearest of each row; infinity and the number of rows where there are fewer."""
    layout, columns = (w.SQUARE, call.rows) if call.others is None else (w.RECTANGLE, call.others.n)
    distances, indices = call.rows_of(layout, "nearest", {"k": k, "values": True}, k)
    if isinstance(indices, DeviceArray):
        indices._replace_negative(columns)
    elif len(indices) and int((last := indices[:, -1])[last.argmin()]) < 0:
        indices[indices < 0] = columns
    return distances, indices


@metric_moved
def sums(
    X: Array,
    Y: Array = None,
    metric: str = "euclidean",
    *,
    r: float | None = None,
    return_count: bool = False,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """For each row of X, the sum of its values with all other rows, or with all rows of Y; with r, only of the
    values up to r.

    Sums of a kernel without its matrix: sums(X, Y, 'gaussian', sigma=0.5) is exp(-|x - y|^2 / (2 sigma^2)) summed
    over Y.
    Sums have the dtype, and are off by at most 10 u times the sum of magnitudes, as in wedge.summary.
    return_count: also return how many values were added up, int64. NaN is above no r: it is counted, and the sum is NaN. Ops with several values (gravity) give (n, values).

    >>> wedge.sums([[0.], [1.], [3.]])
    array([4., 3., 5.])
    >>> wedge.sums([[0.], [1.], [3.]], r=2, return_count=True)
    (array([1., 3., 2.]), array([1, 2, 1]))
    """
    call = Call(X, Y, metric, parameters, device=device, nan=nan, progress=progress, box=box)
    of_sink = {} if r is None else {"radius": number("r", r, finite=False)}
    if r is not None:
        call.check_box(of_sink["radius"])
    values, counts = call.rows_of(w.RECTANGLE if Y is not None else w.SQUARE, "scatter", of_sink, call.info.values)
    return (values, counts) if return_count else values


def _records(first, radii, upper):
    """Rows of centre and radius, or of lower and upper corner, of the library that they are of."""
    xp = library_of(first)
    if xp is np:
        first = NumPy.as_floats(first, "centres")
    if first.ndim != 2 or not 1 <= first.shape[1] <= 3:
        raise ValueError(f"centres have shape {tuple(first.shape)}: must be (n, d) with d from 1 to 3")
    if upper is None:
        if np.ndim(radii) and tuple(radii.shape if hasattr(radii, "shape") else np.shape(radii)) != (len(first),):
            raise ValueError(f"radii must be one number, or {len(first)}, one per centre")
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

    centres: (n, d) with d up to 3; radii: one for all, or n. Spheres touch if their centres are at most r + r' apart.
    box: as in within. count: return only the number of pairs. brute: compute every pair.
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
            else library_of(radii).sort(radii.ravel())[-2:]
        )
    )
    reach = sum(largest)
    for length in lengths:
        if 0 < length < 2 * reach * (1 - 2.0**-20):
            raise ValueError(
                f"box: length {length:g} is too short for the two largest spheres, which could touch on both sides: "
                f"use a box of {2 * reach:g} or more"
            )
