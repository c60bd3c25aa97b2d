"""rank and unrank: cells and their positions, exact in 64 bits.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c

import numpy as np

from . import _library as _w
from ._library import lib
from ._points import Array

# The largest sides whose cells 64 bits can count, by rank (include/wedge/map.h).
_SIDES = {2: 6074000999, 3: 4801278}


def _whole_numbers(name, values):
    array = np.asarray(values)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must be whole numbers, not {array.dtype}")
    if array.dtype.kind == "i" and (array < 0).any():
        raise ValueError(f"{name} must be 0 or above")
    return array.astype(np.uint64)


def _domain(rank: int, strict: bool) -> _w.Domain:
    return _w.Domain(c.sizeof(_w.Domain), rank, bool(strict), _SIDES[rank] + (rank - 1 if strict else 0))


def rank(i: Array, j: Array, k: Array = None, *, strict: bool = False):
    """The index w of the cell (i, j), i >= j, in packed order: i (i + 1) / 2 + j; with k, that of (i, j, k).

    strict: only cells i > j (> k) are counted. Arrays give arrays, uint64.

    >>> int(wedge.rank(3, 1)), int(wedge.rank(3, 1, strict=True)), int(wedge.rank(3, 1, 0))
    (7, 4, 11)
    >>> wedge.rank([1, 2], [0, 2])
    array([1, 5], dtype=uint64)
    """
    axes = [_whole_numbers(name, a) for name, a in (("i", i), ("j", j), ("k", k)) if name != "k" or a is not None]
    axes = np.broadcast_arrays(*axes)
    cells = np.stack(axes, axis=-1).astype(np.uint64, order="C")
    if any((a < b + np.uint64(strict)).any() for a, b in zip(axes, axes[1:])):
        raise ValueError(
            "coordinates must descend: i > j (> k)" if strict else "coordinates must not ascend: i >= j (>= k)"
        )
    out = np.empty(axes[0].shape, np.uint64)
    _check(lib.domain_rank(c.byref(_domain(len(axes), strict)), cells.ctypes.data, out.size, out.ctypes.data), "a cell")
    return out if out.ndim else out[()]


def unrank(w: Array, rank: int = 2, *, strict: bool = False):
    """The cell (i, j), or (i, j, k) with rank=3, of index w; exact for every 64-bit w.

    >>> i, j = wedge.unrank(7)
    >>> int(i), int(j)
    (3, 1)
    >>> wedge.unrank([0, 1, 2, 3], rank=3)[0]
    array([0, 1, 1, 1], dtype=uint64)
    """
    if rank not in _SIDES:
        raise ValueError(f"rank = {rank}: must be 2 or 3")
    positions = np.asarray(_whole_numbers("w", w), order="C")
    out = np.empty((*positions.shape, rank), np.uint64)
    _check(
        lib.domain_unrank(c.byref(_domain(rank, strict)), positions.ctypes.data, positions.size, out.ctypes.data),
        "a position",
    )
    return tuple(out[..., k] if positions.ndim else out[k] for k in range(rank))


def _check(status: int, what: str) -> None:
    if status:
        raise ValueError(f"{what} exceeds 64 bits")
