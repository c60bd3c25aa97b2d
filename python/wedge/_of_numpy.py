"""Arrays of NumPy, and whatever it can read.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c
import math
import numbers

import numpy as np

from ._points import EXACT, Points, check_each, check_exact, check_nan, check_out, check_shape

_from_dlpack = getattr(np, "from_dlpack", None) or np._from_dlpack  # type: ignore[attr-defined]  # NumPy 1.22
_DLPACK_HERE = (1, 3)  # memory of the cpu, and what CUDA has pinned there


def _read(x, name: str) -> np.ndarray:
    """Where the library that x is of shares its memory (DLPack), in that memory."""
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        kind = x.__dlpack_device__()[0]
        if kind not in _DLPACK_HERE:
            raise TypeError(f"{name} is in memory of DLPack device type {int(kind)}: must be on the cpu or on CUDA")
        try:
            return _from_dlpack(x)
        except (BufferError, RuntimeError, TypeError, ValueError):
            pass  # a dtype that the protocol, or NumPy, does not have
    return np.asarray(x)


def _of_objects(x, array: np.ndarray, name: str) -> np.ndarray:
    """Numbers of Python as float64; of pandas, with columns that know a missing value, NaN for that."""
    floats = None
    try:
        if hasattr(x, "to_numpy"):
            floats = x.to_numpy(dtype=np.float64, na_value=np.nan)
        elif all(isinstance(value, numbers.Real) for value in array.flat):
            floats = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    if floats is not None:
        check_each(name, array, np.abs(floats) >= EXACT)
        return floats
    raise TypeError(f"{name} has dtype object: give an array of numbers, with rows of equal length")


def _check_mixed(x, array: np.ndarray, name: str) -> None:
    """Lists and tables may have integers beside floats: they became floats when they were read, so x itself is asked."""
    large = np.abs(array) >= EXACT
    if large.any():
        table = hasattr(x, "to_numpy") and hasattr(x, "astype")  # of pandas, whose columns have types of their own
        each = np.asarray(x.astype(object) if table else x, dtype=object)
        if each.shape == array.shape:
            check_each(name, each, large)


def address(array: np.ndarray) -> int:
    """Where its first number is; array.ctypes, which takes seven times as long, knows it of every array."""
    try:
        return c.addressof(c.c_char.from_buffer(array))
    except (BufferError, TypeError, ValueError):  # read-only, empty, or with gaps
        return array.ctypes.data


class NumPy:
    """Arrays of NumPy, and what numpy.asarray takes."""

    @staticmethod
    def take(x, name: str, nan: str) -> Points:
        array = NumPy.as_floats(x, name)
        check_shape(name, array.shape)
        n, d = array.shape
        row, inner = array.strides
        size = array.itemsize
        if (inner != size and d > 1) or row % size or (n > 1 and row < d * size) or not array.flags.aligned:
            array = np.array(array, order="C")
            row = d * size
        # A finite sum of squares has finite terms only; where it is not finite it may just be too large. Of more numbers BLAS
        # takes several threads, and a busy machine may let it wait for them.
        few = array.size <= 4096
        if nan == "raise" and not (few and math.isfinite(np.vdot(array, array))) and not np.isfinite(array).all():
            check_nan(name, np.argwhere(~np.isfinite(array))[0].tolist())
        return Points(array, address(array), n, d, row // size if n > 1 else d, array.dtype, NumPy)

    @staticmethod
    def as_floats(x, name: str) -> np.ndarray:
        if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
            raise TypeError(f"{name} has masked numbers: fill or remove them first")
        if hasattr(x, "tocsr"):
            raise TypeError(f"{name} is sparse: pass {name}.toarray()")
        array = np.asarray(x) if isinstance(x, np.ndarray) else _read(x, name)  # of a subclass too
        if array.dtype.kind == "O":
            array = _of_objects(x, array, name)
        kind = array.dtype.kind
        if kind == "c":
            raise TypeError(f"{name} has complex data: points must be real")
        if kind not in "fiub":
            raise TypeError(f"{name} has dtype {array.dtype}: must be numbers")
        if kind == "f" and array.dtype.itemsize == 2:
            return array.astype(np.float32)
        dtype = np.float32 if kind == "f" and array.dtype.itemsize == 4 else np.float64
        if kind in "iu" and array.dtype.itemsize == 8:
            check_exact(name, array)
        if kind == "f" and not isinstance(x, np.ndarray) and not hasattr(x, "__dlpack__"):
            _check_mixed(x, array, name)
        return array.astype(dtype, copy=False)  # another byte order too

    @staticmethod
    def empty(points, shape, dtype):
        array = np.empty(shape, dtype)
        return array, address(array)

    @staticmethod
    def of_host(points, array):
        return array

    @staticmethod
    def take_out(points, out, shape, dtype):
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array like the points, not {type(out).__name__}")
        check_out(out, shape, dtype, out.shape, out.dtype, out.flags.c_contiguous, out.flags.writeable)
        return out, out.ctypes.data
