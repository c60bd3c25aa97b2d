"""Arrays in and out: NumPy's, and those of torch, CuPy and others in the memory of a CUDA device.

Points are taken where they are, without a copy wherever numbers of a row lie side by side. Results are arrays of the
same library in the same memory, and of the same dtype: float32 stays float32.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import ctypes as c
import math
import sys
import threading
from typing import Any, Callable

import numpy as np

from . import _library as w
from ._library import lib

Array = Any  # of NumPy, torch or CuPy, what numpy.asarray takes, or memory of a CUDA device by one of two protocols
LEGACY_STREAM, PER_THREAD_STREAM = 1, 2  # CUDA's numbers for its two default streams
_DTYPES = {np.dtype(np.float32): w.F32, np.dtype(np.float64): w.F64}
_local = threading.local()
_TWO_DIMENSIONS = "must have two dimensions, one row for each point"


class Points:
    """n rows of d numbers that the library can read.

    stream_lasts: the stream outlives a job that is kept, or there is none."""

    def __init__(self, array, pointer, n, d, stride, dtype, library, device=None, stream=None, stream_lasts=True):
        self.array, self.pointer, self.n, self.d, self.stride = array, pointer, n, d, stride
        self.np_dtype, self.dtype, self.library = np.dtype(dtype), _DTYPES[np.dtype(dtype)], library
        self.device, self.stream, self.stream_lasts = device, stream, stream_lasts
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
            _check_nan(name, self.library.not_finite(self))

    def empty(self, shape, dtype=None):
        """A new array of the same library, in the same memory."""
        return self.library.empty(self, shape, self.np_dtype if dtype is None else np.dtype(dtype))

    def of_host(self, array: np.ndarray):
        """A small result of the host's as an array of the same library."""
        return self.library.of_host(self, array)


# ---- Checks that all libraries share ----


def _check_shape(name: str, shape) -> None:
    if len(shape) != 2:
        raise ValueError(f"{name} has shape {tuple(shape)}: it {_TWO_DIMENSIONS}")
    if shape[0] == 0 or shape[1] == 0:
        raise ValueError(f"{name} is empty: its shape is {tuple(shape)}")


def _check_nan(name: str, where) -> None:
    """where: row and column of the first number that is not finite, or None."""
    if where is not None:
        raise ValueError(
            f"{name} contains NaN or infinity, first at row {where[0]}, column {where[1]}; remove it, or use "
            f"nan='propagate' to compute with it"
        )


def _check_out(out, shape, dtype, has_shape, has_dtype, contiguous: bool, writable: bool) -> None:
    if tuple(has_shape) != tuple(shape):
        raise ValueError(f"out has shape {tuple(has_shape)}: must be {tuple(shape)}")
    if has_dtype != dtype:
        raise ValueError(f"out has dtype {has_dtype}: must be {dtype}, as the points have")
    if not contiguous:
        raise ValueError("out must be C-contiguous")
    if not writable:
        raise ValueError("out is read-only")


# ---- NumPy, and whatever it can read ----


class NumPy:
    """Arrays of NumPy, and what numpy.asarray takes."""

    @staticmethod
    def take(x, name: str, nan: str) -> Points:
        array = NumPy.as_floats(x, name)
        _check_shape(name, array.shape)
        n, d = array.shape
        row, inner = array.strides
        size = array.itemsize
        if (inner != size and d > 1) or row % size or (n > 1 and row < d * size) or not array.flags.aligned:
            array = np.array(array, order="C")
            row = d * size
        if nan == "raise" and not np.isfinite(array).all():
            _check_nan(name, np.argwhere(~np.isfinite(array))[0].tolist())
        return Points(array, array.ctypes.data, n, d, row // size if n > 1 else d, array.dtype, NumPy)

    @staticmethod
    def as_floats(x, name: str) -> np.ndarray:
        if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
            raise TypeError(f"{name} has masked numbers: fill or remove them first")
        if hasattr(x, "tocsr"):
            raise TypeError(f"{name} is sparse: pass {name}.toarray()")
        array = np.asarray(x)
        kind = array.dtype.kind
        if kind == "O" and hasattr(x, "to_numpy"):  # of pandas, with columns that know a missing value
            try:
                array = x.to_numpy(dtype=np.float64, na_value=np.nan)
                kind = "f"
            except (TypeError, ValueError):
                pass
        if kind == "O":
            raise TypeError(f"{name} has dtype object: give an array of numbers, with rows of equal length")
        if kind == "c":
            raise TypeError(f"{name} is complex: points must be real")
        if kind not in "fiub":
            raise TypeError(f"{name} has dtype {array.dtype}: must be numbers")
        if array.dtype == np.float16:
            return array.astype(np.float32)
        dtype = np.float32 if kind == "f" and array.dtype.itemsize == 4 else np.float64
        return array.astype(dtype, copy=False)  # another byte order too

    @staticmethod
    def empty(points, shape, dtype):
        array = np.empty(shape, dtype)
        return array, array.ctypes.data

    @staticmethod
    def of_host(points, array):
        return array

    @staticmethod
    def take_out(points, out, shape, dtype):
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out must be a NumPy array, as the points are, not {type(out).__name__}")
        _check_out(out, shape, dtype, out.shape, out.dtype, out.flags.c_contiguous, out.flags.writeable)
        return out, out.ctypes.data


# ---- torch ----


class Torch:
    """Tensors of torch, on the cpu or on a CUDA device."""

    @staticmethod
    def take(x, name: str, nan: str) -> Points:
        torch = sys.modules["torch"]
        if x.requires_grad:
            raise RuntimeError(f"{name} requires grad, and wedge computes none: pass {name}.detach()")
        if x.device.type not in ("cpu", "cuda"):
            raise TypeError(f"{name} is on {x.device}: must be on the cpu or on CUDA")
        if x.is_complex() or x.layout != torch.strided:
            raise TypeError(f"{name} must be a dense tensor of real numbers")
        if x.dtype in (torch.float16, torch.bfloat16):
            x = x.float()
        elif x.dtype not in (torch.float32, torch.float64):
            x = x.double()
        _check_shape(name, x.shape)
        n, d = x.shape
        if (x.stride(1) != 1 and d > 1) or (x.stride(0) < d and n > 1):
            x = x.contiguous()
        dtype = np.float32 if x.dtype == torch.float32 else np.float64
        stride = x.stride(0) if n > 1 else d
        points = Points(x, x.data_ptr(), n, d, stride, dtype, Torch)
        if x.is_cuda:
            stream = torch.cuda.current_stream(x.device)
            points.device, points.stream = f"cuda:{x.device.index}", stream.cuda_stream or LEGACY_STREAM
            # The streams of torch's own pool are never freed, and have odd numbers; foreign ones may be.
            points.stream_lasts = stream.stream_id == 0 or stream.stream_id % 2 == 1
        if nan == "raise":
            points.unchecked = name
        return points

    @staticmethod
    def begin_sum(points):
        torch, x = sys.modules["torch"], points.array
        if not x.is_cuda:
            return None
        room = _local.__dict__.setdefault("sums", {})
        if x.dtype not in room:
            room[x.dtype] = torch.empty((), dtype=x.dtype, pin_memory=True)
        to, done = room[x.dtype], torch.cuda.Event()
        to.copy_(x.sum(), non_blocking=True)
        done.record()

        def wait():
            done.synchronize()
            return to.item()

        return wait

    @staticmethod
    def not_finite(points):
        """Row and column of the first such number, or None."""
        finite = sys.modules["torch"].isfinite(points.array)
        return None if bool(finite.all()) else finite.logical_not().nonzero()[0].tolist()

    @staticmethod
    def _dtype(dtype):
        torch = sys.modules["torch"]
        return {
            np.dtype(np.float32): torch.float32,
            np.dtype(np.float64): torch.float64,
            np.dtype(np.int64): torch.int64,
        }[dtype]

    @staticmethod
    def empty(points, shape, dtype):
        array = sys.modules["torch"].empty(shape, dtype=Torch._dtype(dtype), device=points.array.device)
        return array, array.data_ptr()

    @staticmethod
    def of_host(points, array):
        return sys.modules["torch"].from_numpy(array).to(points.array.device)

    @staticmethod
    def take_out(points, out, shape, dtype):
        torch = sys.modules["torch"]
        if not isinstance(out, torch.Tensor):
            raise TypeError(f"out must be a tensor of torch, as the points are, not {type(out).__name__}")
        if out.device != points.array.device:
            raise ValueError(f"out is on {out.device}, the points are on {points.array.device}: they must be together")
        if out.requires_grad:
            raise RuntimeError("out requires grad: pass one that does not")
        _check_out(out, shape, Torch._dtype(dtype), out.shape, out.dtype, out.is_contiguous(), True)
        return out, out.data_ptr()


# ---- CuPy, and whatever has __cuda_array_interface__ or __dlpack__ on a CUDA device ----


class DeviceArray:
    """Memory of a CUDA device with a shape and a dtype, for libraries that have no way to make an array for wedge.

    Whatever reads __cuda_array_interface__ takes it as it is (numba.cuda.as_cuda_array, cupy.asarray,
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
        if dtype not in _DTYPES:
            raise TypeError(f"{name} has dtype {dtype}: must be float32 or float64 on a CUDA device")
        shape, strides, size = about["shape"], about.get("strides"), dtype.itemsize
        _check_shape(name, shape)
        n, d = shape
        row, inner = strides or (d * size, size)
        if (inner != size and d > 1) or (n > 1 and (row < d * size or row % size)):
            raise ValueError(
                f"{name} has strides {strides}: numbers of a row must lie side by side on a CUDA device; copy it"
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
            raise TypeError(f"out must be an array on the CUDA device, as the points are, not {type(out).__name__}")
        about = out.__cuda_array_interface__
        has = np.dtype(about["typestr"])
        dense = tuple(int(has.itemsize * math.prod(about["shape"][k + 1 :])) for k in range(len(about["shape"])))
        if Cuda._device(out) != points.device:
            raise ValueError(f"out is on {Cuda._device(out)}, the points are on {points.device}: they must be together")
        _check_out(out, shape, dtype, about["shape"], has, about.get("strides") in (None, dense), not about["data"][1])
        return out, about["data"][0]


class _FromDLPack:
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


_DLPACK_CUDA = (2, 13)  # CUDA's own and managed memory


def take(x, name: str = "X", nan: str = "raise") -> Points:
    """Points out of any of these arrays."""
    if nan not in ("raise", "propagate"):
        raise ValueError(f"nan = {nan!r}: must be 'raise' or 'propagate'")
    if isinstance(x, np.ndarray):
        return NumPy.take(x, name, nan)
    if "torch" in sys.modules and isinstance(x, sys.modules["torch"].Tensor):
        return Torch.take(x, name, nan)
    if hasattr(x, "__cuda_array_interface__"):
        return Cuda.take(x, name, nan)
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in _DLPACK_CUDA:
        return Cuda.take(_FromDLPack(x, name), name, nan)
    return NumPy.take(x, name, nan)


def take_two(xa, xb, names=("XA", "XB"), nan: str = "raise"):
    """Points of two sets that are in one memory, have equally many features and, where one is float64, both are."""
    a, b = take(xa, names[0], nan), take(xb, names[1], nan)
    if a.library is not b.library or a.device != b.device:
        raise TypeError(f"{names[0]} and {names[1]} must be arrays of one library, on one device")
    if a.d != b.d:
        raise ValueError(f"{names[0]} has {a.d} columns and {names[1]} has {b.d}: they must have the same number")
    if a.dtype != b.dtype:
        narrow, name = (a, names[0]) if a.dtype == w.F32 else (b, names[1])
        wide = take(
            narrow.array.double() if narrow.library is Torch else narrow.array.astype(np.float64), name, "propagate"
        )
        wide.unchecked = narrow.unchecked
        a, b = (wide, b) if narrow is a else (a, wide)
    return a, b
