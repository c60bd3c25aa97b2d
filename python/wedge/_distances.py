"""pdist and cdist: every distance, as scipy.spatial.distance has them.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

from . import _library as w
from ._common import Call
from ._points import Array
from ._session import Progress


def pdist(
    X: Array,
    metric: str = "euclidean",
    *,
    out: Array = None,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """Distances of all pairs of the rows of X, in the order of scipy.spatial.distance.pdist (and squareform).

    X: array (n, d) of NumPy, torch or CuPy, or of anything that has __dlpack__ or __cuda_array_interface__.
    metric: one of wedge.metrics(); `parameters`: its own, such as p=3 for minkowski or sigma=0.5 for gaussian.
    out: an array for the result, of the same library, device and dtype as X. device: one of wedge.devices().
    box: the length of a periodic box, or one per coordinate, 0 for those that are not periodic. Distances are those to
    the closest image; points may lie outside the box.
    nan: 'raise' for a ValueError if X has NaN or infinity, 'propagate' to compute with them.
    progress: True for a bar, or a function that is called with the fraction done.

    >>> wedge.pdist([[0, 0], [3, 4], [0, 8]])
    array([5., 8., 5.])
    >>> wedge.pdist([[0, 0], [3, 4], [0, 8]], 'minkowski', p=1)
    array([7., 8., 7.])
    >>> wedge.pdist([[0.], [1.], [9.]], box=10)
    array([1., 1., 2.])
    """
    call = Call(X, None, metric, parameters, device=device, nan=nan, progress=progress, box=box, later=True)
    return call.store(w.CONDENSED, out=out)


def cdist(
    XA: Array,
    XB: Array,
    metric: str = "euclidean",
    *,
    out: Array = None,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """Distances of each row of XA to each row of XB, (nA, nB), as scipy.spatial.distance.cdist.

Other arguments: as in pdist.

    >>> wedge.cdist([[0, 0], [3, 4]], [[0, 0], [0, 8], [6, 8]])
    array([[ 0.,  8., 10.],
           [ 5.,  5.,  5.]])
    """
    if XB is None:
        raise TypeError("XB is None: give two sets of points, or call pdist for one")
    call = Call(
        XA, XB, metric, parameters, device=device, nan=nan, progress=progress, names=("XA", "XB"), box=box, later=True
    )
    return call.store(w.RECTANGLE, (call.points.n, call.others.n), out)
