"""Arrays of CuPy, and whatever has __cuda_array_interface__ or __dlpack__ on a CUDA device.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c
import math
import sys

import numpy as np

from ._library import lib
from ._points import (
    DTYPES,
    EXACT,
    LEGACY_STREAM,
    PER_THREAD_STREAM,
    Points,
    check_exact,
    check_out,
    check_shape,
)

DLPACK_CUDA = (2, 13)  # CUDA's own and managed memory


class DeviceArray:
    """Memory of a CUDA device with a shape and a dtype, for libraries in which wedge cannot make an array.

    Anything that reads __cuda_array_interface__ can use it (numba.cuda.as_cuda_array, cupy.asarray,
    torch.as_tensor); numpy() copies it to the host."""

    def __init__(self, device, shape, dtype):
        self.shape, self.dtype = (shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype)
        self._device, self._memory, self._strides = device, c.c_void_p(), None
        status = lib.memory_create(device.handle, max(1, self.nbytes), c.byref(self._memory))
        if status:
            device.fail(status)
        self._pointer = self._memory.value

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._pointer, False),
            "version": 3,
            "strides": self._strides,
            "stream": LEGACY_STREAM,
        }

    def numpy(self) -> np.ndarray:
        if self._strides is not None:
            return np.ascontiguousarray(self._owner.numpy()[:, 1:])
        array = np.empty(self.shape, self.dtype)
        status = (
            lib.memory_read(self._device.handle, array.ctypes.data, self._pointer, 0, self.nbytes) if array.size else 0
        )
        if status:
            self._device.fail(status)
        return array

    def __array__(self, dtype=None, copy=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def _replace_negative(self, value) -> None:
        """value in place of each number below 0."""
        host = self.numpy()
        if not (host < 0).any():
            return
        host[host < 0] = value
        status = lib.memory_write(self._device.handle, self._pointer, 0, host.ctypes.data, self.nbytes)
        if status:
            self._device.fail(status)

    def without_first(self) -> DeviceArray:
        """The columns of a matrix but for the first, as a view."""
        view = object.__new__(DeviceArray)
        view.shape, view.dtype = (self.shape[0], self.shape[1] - 1), self.dtype
        view._device, view._memory, view._owner = self._device, None, self
        view._pointer, view._strides = (
            self._pointer + self.dtype.itemsize,
            (self.shape[1] * self.dtype.itemsize, self.dtype.itemsize),
        )
        return view

    def __len__(self) -> int:
        return self.shape[0]

    def __del__(self):
        if getattr(self, "_memory", None):
            lib.memory_destroy(self._device.handle, self._memory)


def _is_cupy(x) -> bool:
    return "cupy" in sys.modules and isinstance(x, sys.modules["cupy"].ndarray)


class Cuda:
    """Arrays by __cuda_array_interface__; CuPy's results are CuPy's arrays, those of others a DeviceArray."""

    @staticmethod
    def take(x, name: str, nan: str) -> Points:
        if _is_cupy(x):
            x = Cuda._cupy_floats(x, name)
        about = x.__cuda_array_interface__
        dtype = np.dtype(about["typestr"])
        if dtype not in DTYPES:
            raise TypeError(f"{name} has dtype {dtype}: must be float32 or float64 on a CUDA device")
        shape, strides, size = about["shape"], about.get("strides"), dtype.itemsize
        check_shape(name, shape, True)
        n, d = shape
        row, inner = strides or (d * size, size)
        if (inner != size and d > 1) or (n > 1 and (row < d * size or row % size)):
            raise ValueError(
                f"{name} has strides {strides}: the numbers of a row must be contiguous on a CUDA device; copy it"
            )
        stream, lasts = Cuda._stream(x, about)
        points = Points(
            x, about["data"][0], n, d, row // size if n > 1 else d, dtype, Cuda, Cuda._device(x), stream, lasts
        )
        if nan == "raise":
            points.unchecked = name
        return points

    @staticmethod
    def _cupy_floats(x, name):
        cupy = sys.modules["cupy"]
        if x.dtype.kind not in "fiub":
            raise TypeError(f"{name} has dtype {x.dtype}: must be real numbers")
        if x.dtype.kind in "iu" and x.dtype.itemsize == 8 and x.size and (x.max() > EXACT or x.min() < -EXACT):
            check_exact(name, x.get())
        if x.dtype not in (np.float32, np.float64):
            x = x.astype(np.float32 if x.dtype == np.float16 else np.float64)
        aside = (
            x.ndim == 2
            and x.size
            and (
                (x.strides[1] != x.itemsize and x.shape[1] > 1)
                or (x.strides[0] < x.shape[1] * x.itemsize and x.shape[0] > 1)
            )
        )
        return cupy.ascontiguousarray(x) if aside else x

    @staticmethod
    def _device(x) -> str:
        if _is_cupy(x):
            return f"cuda:{x.device.id}"
        device = getattr(x, "device", None)
        index = getattr(device, "index", getattr(device, "id", device if isinstance(device, int) else 0))
        return f"cuda:{index if isinstance(index, int) else 0}"

    @staticmethod
    def _stream(x, about):
        if _is_cupy(x):
            stream = sys.modules["cupy"].cuda.get_current_stream().ptr or LEGACY_STREAM
            return stream, stream in (LEGACY_STREAM, PER_THREAD_STREAM)
        stream = about.get("stream") or LEGACY_STREAM
        return stream, stream in (LEGACY_STREAM, PER_THREAD_STREAM)

    @staticmethod
    def not_finite(points):
        if _is_cupy(points.array):
            finite = sys.modules["cupy"].isfinite(points.array)
            return None if bool(finite.all()) else [int(v[0]) for v in (~finite).nonzero()]
        from ._session import open_device

        device = open_device(points.device)
        host = np.empty((points.n - 1) * points.stride + points.d, points.np_dtype)
        status = lib.memory_read(device.handle, host.ctypes.data, points.pointer, 0, host.nbytes)
        if status:
            device.fail(status)
        rows = np.lib.stride_tricks.as_strided(
            host, (points.n, points.d), (points.stride * host.itemsize, host.itemsize)
        )
        bad = np.argwhere(~np.isfinite(rows))
        return bad[0].tolist() if len(bad) else None

    @staticmethod
    def empty(points, shape, dtype):
        if _is_cupy(points.array):
            with points.array.device:
                array = sys.modules["cupy"].empty(shape, dtype)
            return array, array.data.ptr
        from ._session import open_device

        array = DeviceArray(open_device(points.device), shape, dtype)
        return array, array._pointer

    @staticmethod
    def of_host(points, array):
        if _is_cupy(points.array):
            with points.array.device:
                return sys.modules["cupy"].asarray(array)
        return array

    @staticmethod
    def take_out(points, out, shape, dtype):
        if not hasattr(out, "__cuda_array_interface__"):
            raise TypeError(f"out must be an array on the CUDA device like the points, not {type(out).__name__}")
        about = out.__cuda_array_interface__
        has = np.dtype(about["typestr"])
        dense = tuple(int(has.itemsize * math.prod(about["shape"][k + 1 :])) for k in range(len(about["shape"])))
        if Cuda._device(out) != points.device:
            raise ValueError(f"out is on {Cuda._device(out)}, the points are on {points.device}: they must be together")
        check_out(out, shape, dtype, about["shape"], has, about.get("strides") in (None, dense), not about["data"][1])
        return out, about["data"][0]


class FromDLPack:
    """What a __dlpack__ on a CUDA device says, as __cuda_array_interface__ would."""

    _CODES = {(2, 32): "<f4", (2, 64): "<f8"}

    def __init__(self, x, name):
        self._capsule = x.__dlpack__(stream=LEGACY_STREAM)  # what is on its way in x's stream comes before ours
        self._x, self.device = x, x.__dlpack_device__()[1]
        get = c.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
        tensor = _DLTensor.from_address(get(self._capsule, b"dltensor"))
        shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
        code = self._CODES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
        if code is None:
            raise TypeError(f"{name}: must be float32 or float64 on a CUDA device")
        size = tensor.bits // 8
        strides = tuple(size * tensor.strides[k] for k in range(tensor.ndim)) if tensor.strides else None
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": code,
            "strides": strides,
            "version": 3,
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
            "stream": LEGACY_STREAM,
        }


class _DLTensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device_type", c.c_int32),
        ("device_id", c.c_int32),
        ("ndim", c.c_int32),
        ("code", c.c_uint8),
        ("bits", c.c_uint8),
        ("lanes", c.c_uint16),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]
