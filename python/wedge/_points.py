"""Points that the library can read, whichever library they are an array of, and what is checked of all of them.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import math
import numbers
from typing import Any, Callable

import numpy as np

from . import _library as w

Array = Any  # of NumPy, torch or CuPy, what numpy.asarray takes, or memory of a CUDA device by one of two protocols
DTYPES = {np.dtype(np.float32): w.F32, np.dtype(np.float64): w.F64}
LEGACY_STREAM, PER_THREAD_STREAM = 1, 2  # CUDA's numbers for its two default streams
_TWO_DIMENSIONS = "must have two dimensions, one row for each point"


class Points:
    """n rows of d numbers that the library can read.

    stream_lasts: the stream outlives a job that is kept, or there is none."""

    def __init__(self, array, pointer, n, d, stride, dtype, library, device=None, stream=None, stream_lasts=True):
        self.array, self.pointer, self.n, self.d, self.stride = array, pointer, n, d, stride
        self.np_dtype = np.dtype(dtype)
        self.dtype, self.library = DTYPES[self.np_dtype], library
        self.device, self.stream, self.stream_lasts = device, stream, stream_lasts
        self.of_library: Any = None  # the stream as an object of the array's library
        self.sum: Callable[[], float] | None = None  # of all numbers, once the device has it
        self.unchecked: str | None = None  # what to call points whose numbers are still to be looked at

    @property
    def place(self) -> int:
        return w.ON_DEVICE if self.device else w.ON_HOST

    def begin_check(self) -> None:
        """What check does, as far as it can be done without a wait."""
        if self.unchecked and hasattr(self.library, "begin_sum"):
            self.sum = self.library.begin_sum(self)

    def check(self) -> None:
        """Raises ValueError where a number is not finite. On a device this waits for it."""
        name, self.unchecked = self.unchecked, None
        if name and not (self.sum and math.isfinite(self.sum())):  # a sum may be too large where its terms are not
            check_nan(name, self.library.not_finite(self))

    def empty(self, shape, dtype=None):
        """A new array of the same library, in the same memory."""
        return self.library.empty(self, shape, self.np_dtype if dtype is None else np.dtype(dtype))

    def of_host(self, array: np.ndarray):
        """A small result of the host's as an array of the same library."""
        return self.library.of_host(self, array)


# ---- Checks that all libraries share ----


def check_shape(name: str, shape, on_device: bool = False) -> None:
    if len(shape) != 2:
        raise ValueError(f"{name} has shape {tuple(shape)}: it {_TWO_DIMENSIONS}")
    if shape[1] == 0 or (on_device and shape[0] == 0):
        raise ValueError(f"{name} is empty: its shape is {tuple(shape)}")


def check_nan(name: str, where) -> None:
    """where: row and column of the first number that is not finite, or None."""
    if where is not None:
        raise ValueError(
            f"{name} must be finite: it contains NaN or infinity, first at row {where[0]}, column {where[1]}; remove "
            f"it, or use nan='propagate' to compute with it"
        )


def check_out(out, shape, dtype, has_shape, has_dtype, contiguous: bool, writable: bool) -> None:
    if tuple(has_shape) != tuple(shape):
        raise ValueError(f"out has shape {tuple(has_shape)}: must be {tuple(shape)}")
    if has_dtype != dtype:
        raise ValueError(f"out has dtype {has_dtype}: must be {dtype}, as the points have")
    if not contiguous:
        raise ValueError("out must be C-contiguous")
    if not writable:
        raise ValueError("out is read-only")


EXACT = 1 << 53  # f64 has all integers up to it


def check_each(name: str, array: np.ndarray, large: np.ndarray) -> None:
    """Refuses the first of these numbers that f64 does not have."""
    for place in np.argwhere(large):
        value = array[tuple(place)]
        if isinstance(value, numbers.Integral) and int(float(value)) != int(value):
            where = f"row {place[0]}" + "".join(f", column {k}" for k in place[1:])
            raise ValueError(
                f"{name}: {where} is {value}, which f64 cannot hold: different integers would become equal; "
                f"leave the column out, or convert it with astype"
            )


def check_exact(name: str, array: np.ndarray) -> None:
    """Refuses 64-bit integers that f64 does not have: different ones would become equal, silently."""
    if array.size and (int(array.max()) > EXACT or int(array.min()) < -EXACT):
        check_each(name, array, (array > EXACT) | (array < -EXACT) if array.dtype.kind == "i" else array > EXACT)
