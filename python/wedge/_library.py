"""libwedge through ctypes: its structs, its functions, and its statuses as exceptions.

The one place that knows the C interface, include/wedge/wedge.h; tests/test_abi.py compares every struct with it.

SPDX-License-Identifier: MIT"""

import ctypes as c
import os
import pathlib
import sys

# ---- Structs, in the order of wedge.h ----

CONDENSED, PACKED, SQUARE, LOWER, RECTANGLE, TRIPLES, TRIPLES_PACKED = range(7)
F32, F64 = range(2)
ON_HOST, ON_DEVICE = range(2)
PRUNE_AUTO, PRUNE_NEVER, PRUNE_ALWAYS = range(3)
OVERFLOW_REFUSED, OVERFLOW_ACCEPTED, OVERFLOW_UNSEEN = range(3)
SET_NUM_THREADS = 2
OK, FAILED, BAD_ARGUMENT, BAD_DATA, NO_DEVICE, UNSUPPORTED, BUILD_FAILED, DEVICE_LOST = range(8)
NO_MEMORY, NO_SPACE, STOPPED, TOO_SMALL = range(8, 12)


class DeviceInfo(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("id", c.c_char * 32),
        ("name", c.c_char * 128),
        ("driver", c.c_char * 160),
        ("memory", c.c_uint64),
        ("units", c.c_uint32),
        ("max_block", c.c_uint32),
        ("max_grid", c.c_uint32 * 3),
        ("has_double", c.c_bool),
        ("is_gpu", c.c_bool),
    ]


class Domain(c.Structure):
    _fields_ = [("size", c.c_size_t), ("rank", c.c_int), ("strict", c.c_bool), ("n", c.c_uint64)]


class ParameterInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("kind", c.c_int),
        ("required", c.c_bool),
        ("value", c.c_double),
        ("whole", c.c_int64),
        ("flag", c.c_bool),
        ("condition", c.c_char_p),
    ]


class Parameter(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("name", c.c_char_p),
        ("value", c.c_double),
        ("whole", c.c_int64),
        ("flag", c.c_bool),
        ("values", c.POINTER(c.c_double)),
        ("count", c.c_size_t),
    ]


class OpInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("formula", c.c_char_p),
        ("zero_for_equals", c.c_bool),
        ("record", c.c_uint32),
        ("points", c.c_uint32),
        ("values", c.c_uint32),
        ("bounded", c.c_bool),
        ("parameter_count", c.c_int),
        ("parameters", c.POINTER(c.POINTER(ParameterInfo))),
        ("forces", c.c_bool),
        ("columns", c.c_char_p),
    ]


class OpOptions(c.Structure):
    _fields_ = [("size", c.c_size_t), ("name", c.c_char_p), ("file", c.c_char_p), ("dtype", c.POINTER(c.c_int))]


class JobSpec(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("op", c.c_char_p),
        ("parameters", c.POINTER(Parameter)),
        ("parameter_count", c.c_size_t),
        ("sink", c.c_char_p),
        ("sink_parameters", c.POINTER(Parameter)),
        ("sink_parameter_count", c.c_size_t),
        ("layout", c.c_int),
        ("dtype", c.c_int),
        ("n", c.c_uint64),
        ("d", c.c_uint64),
        ("points", c.c_void_p),
        ("place", c.c_int),
        ("points_offset", c.c_size_t),
        ("points_stride", c.c_uint64),
        ("m", c.c_uint64),
        ("others", c.c_void_p),
        ("others_offset", c.c_size_t),
        ("others_stride", c.c_uint64),
        ("map", c.c_char_p),
        ("tile", c.c_uint32),
        ("stream", c.c_void_p),
        ("prune", c.c_int),
        ("box", c.POINTER(c.c_double)),
        ("cutoff", c.c_double),
        ("own_op", c.c_void_p),
        ("overflow", c.c_int),
    ]


class JobInfo(c.Structure):
    _fields_ = [
        ("cells", c.c_uint64),
        ("bytes", c.c_uint64),
        ("op", c.c_char_p),
        ("sink", c.c_char_p),
        ("map", c.c_char_p),
        ("tile", c.c_uint32),
        ("tuning", c.c_char_p),
        ("isa", c.c_char_p),
        ("device_bytes", c.c_uint64),
        ("state_bytes", c.c_uint64),
        ("parameters", c.POINTER(c.c_double)),
        ("values", c.c_uint32),
        ("pruned", c.c_bool),
        ("computed", c.c_uint64),
        ("op_info", c.POINTER(OpInfo)),
        ("scaled", c.c_bool),
    ]


class Summary(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("count", c.c_uint64),
        ("nan", c.c_uint64),
        ("sum", c.c_double),
        ("min", c.c_double),
        ("max", c.c_double),
        ("min_i", c.c_uint64),
        ("min_j", c.c_uint64),
        ("max_i", c.c_uint64),
        ("max_j", c.c_uint64),
        ("min_k", c.c_uint64),
        ("max_k", c.c_uint64),
    ]


class Result(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("values", c.c_void_p),
        ("indices", c.c_void_p),
        ("counts", c.c_void_p),
        ("place", c.c_int),
        ("values_offset", c.c_size_t),
        ("indices_offset", c.c_size_t),
        ("counts_offset", c.c_size_t),
        ("room", c.c_uint64),
        ("state", c.c_void_p),
        ("count", c.c_uint64),
    ]


class Piece(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("begin", c.c_uint64),
        ("end", c.c_uint64),
        ("count", c.c_uint64),
        ("values", c.c_void_p),
        ("indices", c.c_void_p),
        ("counts", c.c_void_p),
        ("total", c.c_uint64),
    ]


# By the names of wedge.h, for the test that compares them.
STRUCTS = {
    "wedge_device_info": DeviceInfo,
    "wedge_domain": Domain,
    "wedge_parameter_info": ParameterInfo,
    "wedge_parameter": Parameter,
    "wedge_op_info": OpInfo,
    "wedge_op_options": OpOptions,
    "wedge_job_spec": JobSpec,
    "wedge_job_info": JobInfo,
    "wedge_summary": Summary,
    "wedge_result": Result,
    "wedge_piece": Piece,
}

Progress = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_double)
Taker = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Piece))
NO_PROGRESS = Progress()

# ---- Functions: what they return and take ----

_handle, _out = c.c_void_p, c.POINTER(c.c_void_p)
_FUNCTIONS = {
    "version": (c.c_char_p, []),
    "context_create": (c.c_int, [_out]),
    "context_destroy": (None, [_handle]),
    "context_message": (c.c_char_p, [_handle]),
    "context_set": (c.c_int, [_handle, c.c_int, c.c_char_p]),
    "device_count": (c.c_int, [_handle, c.POINTER(c.c_int)]),
    "device_at": (c.c_int, [_handle, c.c_int, c.POINTER(DeviceInfo)]),
    "device_open": (c.c_int, [_handle, c.c_char_p, _out]),
    "device_close": (None, [_handle]),
    "device_get_info": (c.POINTER(DeviceInfo), [_handle]),
    "device_message": (c.c_char_p, [_handle]),
    "domain_cells": (c.c_int, [c.POINTER(Domain), c.POINTER(c.c_uint64)]),
    "domain_rank": (c.c_int, [c.POINTER(Domain), c.c_void_p, c.c_size_t, c.c_void_p]),
    "domain_unrank": (c.c_int, [c.POINTER(Domain), c.c_void_p, c.c_size_t, c.c_void_p]),
    "op_count": (c.c_int, [c.c_int]),
    "op_at": (c.POINTER(OpInfo), [c.c_int, c.c_int]),
    "op_find": (c.POINTER(OpInfo), [c.c_char_p]),
    "op_instead": (c.c_char_p, [c.c_char_p]),
    "op_compile": (c.c_int, [_handle, c.c_char_p, c.POINTER(OpOptions), _out]),
    "op_destroy": (None, [_handle]),
    "op_get_info": (c.POINTER(OpInfo), [_handle]),
    "job_create": (c.c_int, [_handle, c.POINTER(JobSpec), _out]),
    "job_destroy": (None, [_handle]),
    "job_renew": (c.c_int, [_handle, c.c_void_p, c.c_void_p]),
    "job_get_info": (c.POINTER(JobInfo), [_handle]),
    "job_run": (c.c_int, [_handle, c.c_uint64, c.c_uint64, c.POINTER(Result), Progress, c.c_void_p]),
    "job_stream": (c.c_int, [_handle, c.c_uint64, c.c_uint64, c.c_uint64, Taker, c.c_void_p, Progress, c.c_void_p]),
    "job_boundary": (c.c_uint64, [_handle, c.c_uint64]),
    "memory_create": (c.c_int, [_handle, c.c_size_t, _out]),
    "memory_destroy": (None, [_handle, c.c_void_p]),
    "memory_write": (c.c_int, [_handle, c.c_void_p, c.c_size_t, c.c_void_p, c.c_size_t]),
    "memory_read": (c.c_int, [_handle, c.c_void_p, c.c_void_p, c.c_size_t, c.c_size_t]),
}


_NAME = "libwedge.so"


def _load() -> c.CDLL:
    """The library that the package came with, or WEDGE_LIBRARY.

    An editable install has two folders: this one with the sources, and the one with the installed library."""
    folders = [pathlib.Path(folder) for folder in sys.modules[__package__].__path__]
    beside = next((folder for folder in folders if (folder / _NAME).exists()), pathlib.Path(__file__).parent)
    path = os.environ.get("WEDGE_LIBRARY") or str(beside / _NAME)
    try:
        library = c.CDLL(path)
    except OSError as e:
        raise ImportError(
            f"wedge: cannot load its library: {e}; install the package with `pip install .`, or set "
            f"WEDGE_LIBRARY to a libwedge.so"
        ) from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, f"wedge_{name}")
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


lib = _load()

# ---- Statuses ----


class Error(RuntimeError):
    """wedge failed at run time; the message says what happened, where, and what to do."""


class DeviceError(Error):
    """There is no such device, or it cannot do this."""


class BuildError(Error):
    """A compiler refused a function of your own; the message names file and line."""


_EXCEPTIONS = {
    BAD_ARGUMENT: ValueError,
    BAD_DATA: ValueError,
    NO_DEVICE: DeviceError,
    UNSUPPORTED: DeviceError,
    BUILD_FAILED: BuildError,
    DEVICE_LOST: DeviceError,
    NO_MEMORY: MemoryError,
}


def fail(status: int, message: bytes) -> None:
    """Raises what a status other than OK stands for."""
    raise _EXCEPTIONS.get(status, Error)(message.decode(errors="replace"))
