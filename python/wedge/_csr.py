"""CSR: who is near whom as a sparse matrix, of NumPy, torch or CuPy.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from ._of_cuda import DeviceArray


class CSR(NamedTuple):
    """A sparse matrix by rows: row i has the columns indices[indptr[i]:indptr[i + 1]], in order."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    shape: tuple

    def to_scipy(self):
        """The same as a scipy.sparse.csr_array, in the memory of the host."""
        from scipy.sparse import csr_array

        indptr, indices, data = (on_host(a) for a in self[:3])
        if max(len(indices), *self.shape) < 2**31:  # as SciPy's own functions want them
            indptr, indices = indptr.astype(np.int32), indices.astype(np.int32)
        return csr_array((data, indices, indptr), shape=self.shape)


def on_host(a) -> np.ndarray:
    """An array of any of the libraries as one of NumPy, without a copy where it is in the memory of the host."""
    if isinstance(a, np.ndarray):
        return a
    if hasattr(a, "cpu"):  # torch
        return a.detach().cpu().numpy()
    return a.get() if hasattr(a, "get") else np.asarray(a)  # CuPy


def library_of(x):
    """The module whose functions take x: NumPy, torch or CuPy."""
    name = type(x).__module__.partition(".")[0]
    return sys.modules[name] if name in ("torch", "cupy") else np


def check_indexable(call, what: str) -> None:
    """Lists that are put together here need a library that can."""
    if isinstance(call.points.empty((0,))[0], DeviceArray):
        raise TypeError(f"{what} takes arrays of NumPy, torch or CuPy")


def from_pairs(call, rows, indices, values, columns: int) -> CSR:
    """Of pairs that are sorted by row, then column. values: None for ones."""
    xp = library_of(indices)
    rows, indices = (a.contiguous() if hasattr(a, "contiguous") else xp.ascontiguousarray(a) for a in (rows, indices))
    indptr = xp.searchsorted(rows, call.points.of_host(np.arange(call.rows + 1)))
    if values is None:
        values, _ = call.points.empty((len(indices),))
        values[:] = 1
    return CSR(indptr, indices, values, (call.rows, columns))


def from_nearest(call, indices, values, columns: int) -> CSR:
    """Of the k nearest of each row; an index of `columns` stands for none. values: None for ones."""
    xp = library_of(indices)
    rows = call.points.of_host(np.repeat(np.arange(call.rows), indices.shape[1]))
    indices = indices.reshape(-1)
    some = indices < columns
    rows, indices = rows[some], indices[some]
    order = xp.argsort(rows * columns + indices)  # all different
    values = None if values is None else values.reshape(-1)[some][order]
    return from_pairs(call, rows[order], indices[order], values, columns)
