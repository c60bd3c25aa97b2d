"""histogram, rdf and summary: numbers about all pairs.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c
import functools
import math
from typing import NamedTuple

import numpy as np

from . import _library as w
from ._common import Call, metric_moved, number, whole
from ._floats import in_default_floats
from ._of_numpy import address
from ._points import Array
from ._session import Progress

MOST_BINS = 1 << 20


@functools.lru_cache(maxsize=4)
@in_default_floats
def _spaced(low: float, high: float, count: int, log: bool) -> np.ndarray:
    """NumPy's edges. They are kept, since many calls have the same, and one of few points takes less than linspace."""
    return (np.geomspace if log else np.linspace)(low, high, count + 1)


def _summed(call: Call, layout: int, cutoff: float) -> w.Summary:
    found = w.Summary(size=c.sizeof(w.Summary))
    call.sums(layout, "summary", {}, c.addressof(found), cutoff)
    return found


def _edges_of(call: Call, bins, limits, log: bool, layout: int, cutoff: float):
    """Parameters of the sink, and the edges in f64, as numpy.histogram has them."""
    if not isinstance(bins, int) and np.ndim(bins) == 1:
        edges = np.asarray(bins, np.float64)
        if len(edges) < 2 or not np.isfinite(edges).all() or (np.diff(edges) < 0).any():
            raise ValueError("bins must be a number, or at least two edges, finite and ascending")
        return {"edges": edges.tolist()}, edges
    count = whole("bins", bins, 1, MOST_BINS)
    if limits is None:
        found = _summed(call, layout, cutoff)
        low, high = (found.min, found.max) if found.count else (0.0, 1.0)
    else:
        if isinstance(limits, str) or not hasattr(limits, "__len__") or len(limits) != 2:
            raise ValueError(f"range = {limits!r}: must be (min, max)")
        low, high = number("range", limits[0]), number("range", limits[1])
        if low > high:
            raise ValueError(f"range = {tuple(limits)}: max must be larger than min")
    if low == high:
        low, high = low - 0.5, high + 0.5  # as numpy
    if log and low <= 0:
        raise ValueError(f"range begins at {low:g}: must be above 0 for log")
    return {"min": low, "max": high, "bins": count, "log": bool(log)}, _spaced(low, high, count, bool(log)).copy()


def _layout(call: Call) -> int:
    return w.RECTANGLE if call.others is not None else w.CONDENSED


def count_by_edges(call: Call, bins, limits, log: bool, layout=None, cutoff=0.0):
    """Counts, int64, and edges."""
    layout = _layout(call) if layout is None else layout
    of_sink, edges = _edges_of(call, bins, limits, log, layout, cutoff)
    call.check_box(edges[-1])
    counts = np.zeros(len(edges) + 2, np.int64)  # then those below, above and NaN; the library's are unsigned
    call.sums(layout, "histogram", of_sink, address(counts), cutoff)
    return call.points.of_host(counts[: len(edges) - 1].copy()), edges


def histogram(
    X: Array,
    bins: Array = 10,
    range: Array = None,
    Y: Array = None,
    metric: str = "euclidean",
    *,
    log: bool = False,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """Counts of all pairs by distance, and the edges: what numpy.histogram(wedge.pdist(X), bins, range) returns,
    without the distances.

    bins: their number, or their edges. range: (min, max); None: the smallest and largest distance, found by another
    pass over the pairs.
    log: edges in geometric progression. Y: pairs of a row of X and a row of Y. box: as in within; other arguments: as
    in pdist. Edges are rounded to the dtype of X before values are compared with them.

    >>> counts, edges = wedge.histogram([[0.], [1.], [3.], [3.5]], bins=4, range=(0, 4))
    >>> counts
    array([1, 1, 2, 2])
    """
    call = Call(X, Y, metric, parameters, device=device, nan=nan, progress=progress, box=box)
    return count_by_edges(call, bins, range, log)


@in_default_floats
def rdf(
    X: Array,
    bins: int,
    r_max: float,
    box: Array,
    Y: Array = None,
    *,
    r_min: float = 0.0,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
):
    """The radial distribution function g(r) of points in a periodic box, and the edges of its bins.

    g = 2 count V / (n (n - 1) shell) for one set, count V / (n m shell) for two: V is the volume of the box, shell
    the volume between the spheres of two edges. About 1 where points are independent of each other.

    >>> X = np.random.default_rng(1).random((2000, 3))
    >>> g, edges = wedge.rdf(X, 8, 0.25, box=1)
    >>> bool(abs(g[4:] - 1).max() < 0.05)
    True
    """
    call = Call(X, Y, "euclidean", {}, device=device, nan=nan, progress=progress, box=box)
    if call.box is None or 0 in call.box:
        raise ValueError("rdf needs a box that is periodic in every coordinate: lengths above 0")
    count = whole("bins", bins, 1, MOST_BINS)
    low, high = number("r_min", r_min, least=0), number("r_max", r_max, above=0)
    counts, edges = count_by_edges(call, count, (low, high), False)
    d = call.points.d
    ball = math.pi ** (d / 2) / math.gamma(d / 2 + 1)
    pairs = call.rows * (call.rows - 1) / 2 if Y is None else call.rows * call.others.n
    share = pairs * ball * np.diff(edges**d)
    shares = call.points.of_host(np.where(share > 0, share / math.prod(call.box), np.inf))
    return counts / shares, edges


class Summary(NamedTuple):
    """Numbers about the values of all pairs. min_pair and max_pair are (i, j); ties go to the first pair. min and max
    are NaN if there are no values."""

    count: int
    sum: float
    mean: float
    min: float
    min_pair: tuple | None
    max: float
    max_pair: tuple | None


@metric_moved
def summary(
    X: Array,
    Y: Array = None,
    metric: str = "euclidean",
    *,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """Sum, mean, smallest and largest distance, with their pairs: the closest pair and the diameter.

    Y: pairs of a row of X and a row of Y. box: as in within; other arguments: as in pdist.
    Groups of up to 32 values are added in the dtype of X, the sums of these groups exactly: the sum is the same on
    every run, on every device of the same kind, for every number of threads. It is off by at most 10 u times the sum of
    all magnitudes, u = 2**-24 in float32 and 2**-53 in float64, and by its last rounding.

    >>> s = wedge.summary([[0, 0], [3, 4], [0, 8]])
    >>> s.sum, s.min, s.min_pair, s.max, s.max_pair
    (18.0, 5.0, (0, 1), 8.0, (0, 2))
    """
    return summarise(Call(X, Y, metric, parameters, device=device, nan=nan, progress=progress, box=box))


@in_default_floats
def _mean(s: w.Summary) -> float:
    return s.sum / s.count if s.count else math.nan


def summarise(call: Call, layout=None, cutoff=0.0) -> Summary:
    s = _summed(call, _layout(call) if layout is None else layout, cutoff)
    some, three = s.count > 0, layout in (w.TRIPLES, w.TRIPLES_PACKED)
    least, most = (s.min_i, s.min_j, s.min_k), (s.max_i, s.max_j, s.max_k)
    return Summary(
        s.count,
        s.sum,
        _mean(s),
        s.min if some else math.nan,
        least[: 2 + three] if some else None,
        s.max if some else math.nan,
        most[: 2 + three] if some else None,
    )
