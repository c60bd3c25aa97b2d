"""triplets: three-body energies and forces, over all triplets of points.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c
import math
from typing import NamedTuple

import numpy as np

from . import _library as w
from ._common import Call, as_limit, box_lengths, check_parameters, number, whole
from ._floats import in_default_floats
from ._library import lib
from ._of_cuda import DeviceArray
from ._of_numpy import NumPy
from ._points import Array
from ._session import Progress

_MOST_BINS = 101
_SIDES = "sides"  # which is for triplet_histogram


class Triplets(NamedTuple):
    """energy: the sum over all triplets. count: how many there were within the cutoff. forces: (n, 3), or None."""

    energy: float
    count: int
    forces: object


class _TripleCall(Call):
    def __init__(self, x, op, given, *, device, nan, progress, box):
        found = lib.op_find(str(op).encode())
        if not found or found.contents.points != 3:
            names = (lib.op_at(3, k).contents.name.decode() for k in range(lib.op_count(3)))
            raise ValueError(f"no potential {op!r}: there are {', '.join(n for n in names if n != _SIDES)}")
        self.op, self.info = op, found.contents
        self.given = check_parameters(op, self.info, given)
        self._take(x, None, device, nan, progress, ("X", ""))
        lengths = box_lengths(box, 3)
        self.box = lengths and [*lengths, *[0] * (self.points.d - 3)]
        self.own = None


def _check_cutoff(cutoff, box) -> float:
    if cutoff is None and box is not None:
        raise ValueError("triplets in a periodic box need a cutoff, below a third of every length")
    return 0.0 if cutoff is None else number("cutoff", cutoff, above=0)


def _check_places(x: np.ndarray) -> None:
    order = np.lexsort(x[:, 2::-1].T)
    same = (np.diff(x[order, :3], axis=0) == 0).all(axis=1)
    if same.any():
        a, b = sorted(order[np.argmax(same) :][:2].tolist())
        raise ValueError(
            f"rows {a} and {b} are at the same position, so their energy is not finite; remove one, or "
            "use nan='propagate'"
        )


def triplets(
    X: Array,
    potential: str = "axilrod_teller",
    *,
    nu: Array = 1.0,
    cutoff: float | None = None,
    box: Array = None,
    forces: bool = False,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
) -> Triplets:
    """The three-body energy of the rows of X, (n, 3), over all triplets; with forces=True also the force on each.

    potential: axilrod_teller (Axilrod-Teller-Muto), or perimeter, area, longest_side, which are summed as well.
    nu: the coefficient of axilrod_teller, one for all, or one per atom: a triplet gets the geometric mean of its three.
    cutoff: leave out triplets with a side longer than this. box: lengths of a periodic box, each above three cutoffs.
    The energy is the same number on every run and for every number of threads. Other arguments: as in pdist.

    >>> X = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0.75**0.5, 0]])
    >>> round(wedge.triplets(X).energy, 9)             # an equilateral triangle: 11/8 nu / r^9
    1.375
    >>> wedge.triplets(X, forces=True).forces.shape
    (3, 3)
    """
    records, given = X, {}
    if potential == _SIDES:
        raise ValueError("sides has no sum: call triplet_histogram to count triangles by their sides")
    if potential != "axilrod_teller" and (np.ndim(nu) or nu != 1):
        raise ValueError(f"{potential} has no nu")
    if potential == "axilrod_teller":
        if np.ndim(nu) == 0:
            given["nu"] = number("nu", nu, least=0)
        else:
            records = _with_nu(X, nu)
    call = _TripleCall(records, potential, given, device=device, nan=nan, progress=progress, box=box)
    if call.points.d < 3:
        raise ValueError(f"X has {call.points.d} columns: atoms have three, x, y and z")
    reach = _check_cutoff(cutoff, call.box)
    if nan == "raise" and call.points.library is NumPy and potential == "axilrod_teller":
        _check_places(call.points.array)
    if forces and not call.info.forces:
        raise ValueError(f"{potential} has no forces")
    summary = w.Summary(size=c.sizeof(w.Summary))
    with call.job(w.TRIPLES, "summary", {"extremes": False}, cutoff=reach) as job:
        if job.info.cells:
            job.run(values=c.addressof(summary), progress=progress)
    if nan == "raise" and not math.isfinite(summary.sum):
        raise ValueError(
            "the energy is not finite: two rows coincide, or are too close together for "
            f"{call.points.np_dtype}; use float64, scale the coordinates, or "
            "nan='propagate'"
        )
    return Triplets(summary.sum, summary.count, _forces(call, reach) if forces else None)


def _with_nu(X, nu):
    """x, y, z, nu of each atom."""
    from ._csr import library_of

    xp = library_of(X)
    if xp is np:
        X = NumPy.as_floats(X, "X")
    column = xp.zeros_like(X[:, :1])
    if np.shape(nu) != (len(X),):
        raise ValueError(f"nu has shape {tuple(np.shape(nu))}: must be one number, or ({len(X)},), one per row")
    column[:, 0] = xp.asarray(nu)
    if bool((column < 0).any()):
        raise ValueError(f"the smallest nu is {float(column.min()):g}: must be 0 or above")
    return xp.concatenate((X[:, :3], column), axis=1)


def _forces(call: Call, cutoff: float):
    n = call.rows
    values, at = call.points.empty((n, 4))
    with call.job(w.TRIPLES, "scatter", {}, cutoff=cutoff) as job:
        if not job.info.cells:
            values[:] = 0
        else:
            job.run(values=at, room=n, place=call.points.place, progress=call.progress)
    if isinstance(values, DeviceArray):
        return values.without_first()
    return values[:, 1:].contiguous() if hasattr(values, "contiguous") else values[:, 1:].copy()


@in_default_floats
def triplet_histogram(
    X: Array,
    bins: int,
    r_max: float,
    *,
    box: Array = None,
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
):
    """Counts of triplets of rows of X by the sides of their triangles: int64 (bins, bins, bins), the longest first; and
    the edges.

    Triangles with a side above r_max are not counted. Three-point correlation functions are computed from this.

    >>> counts, edges = wedge.triplet_histogram([[0., 0, 0], [3.3, 0, 0], [0, 4.4, 0]], 6, 6.0)
    >>> np.argwhere(counts).tolist()                     # sides of 5.5, 4.4 and 3.3
    [[5, 4, 3]]
    """
    count, high = whole("bins", bins, 1, _MOST_BINS), number("r_max", r_max, above=0)
    call = _TripleCall(X, _SIDES, {"max": high, "bins": count}, device=device, nan=nan, progress=progress, box=None)
    call.box = box_lengths(box, call.points.d)
    call.given["rest"] = high - float(as_limit(high, call.points.np_dtype))
    counts = (c.c_uint64 * (count**3 + 3))()
    with call.job(w.TRIPLES, "histogram", {"min": 0.0, "max": float(count**3), "bins": count**3}, cutoff=high) as job:
        if job.info.cells:
            job.run(values=c.addressof(counts), progress=progress)
    found = np.frombuffer(counts, np.uint64)[: count**3].astype(np.int64).reshape(count, count, count)
    return call.points.of_host(found), np.linspace(0, high, count + 1)
