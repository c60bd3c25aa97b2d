"""Arrays in and out: NumPy's, and those of torch, CuPy and others in the memory of a CUDA device.

Points are taken where they are, without a copy wherever numbers of a row lie side by side. Results are arrays of the
same library in the same memory, and of the same dtype: float32 stays float32.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import sys

import numpy as np

from . import _library as w
from ._of_cuda import DLPACK_CUDA, Cuda, FromDLPack
from ._of_numpy import NumPy
from ._of_torch import Torch
from ._points import Points


def take(x, name: str = "X", nan: str = "raise") -> Points:
    """Points out of any of these arrays."""
    if nan not in ("raise", "propagate"):
        raise ValueError(f"nan = {nan!r}: must be 'raise' or 'propagate'")
    if isinstance(x, np.ndarray):
        return NumPy.take(x, name, nan)
    if x is None:
        raise TypeError(f"{name} is None: give an array of numbers, one row per point")
    if "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor):
        return Torch.take(x, name, nan)
    if hasattr(x, "__cuda_array_interface__"):
        return Cuda.take(x, name, nan)
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in DLPACK_CUDA:
        return Cuda.take(FromDLPack(x, name), name, nan)
    return NumPy.take(x, name, nan)


def take_two(xa, xb, names=("XA", "XB"), nan: str = "raise"):
    """Points of two sets that are in one memory, have equally many features and, where one is float64, both are."""
    a, b = take(xa, names[0], nan), take(xb, names[1], nan)
    if a.library is not b.library or a.device != b.device:
        raise TypeError(f"{names[0]} and {names[1]} must be arrays of the same library, on the same device")
    if a.d != b.d:
        raise ValueError(f"{names[0]} has {a.d} columns and {names[1]} has {b.d}: they must have the same number")
    if a.dtype != b.dtype:
        narrow, name = (a, names[0]) if a.dtype == w.F32 else (b, names[1])
        if not hasattr(narrow.array, "astype") and narrow.library is not Torch:
            raise TypeError(f"{names[0]} and {names[1]} must have the same dtype: {name} is float32, the other float64")
        wide = take(
            narrow.array.double() if narrow.library is Torch else narrow.array.astype(np.float64), name, "propagate"
        )
        wide.unchecked = narrow.unchecked
        a, b = (wide, b) if narrow is a else (a, wide)
    return a, b
