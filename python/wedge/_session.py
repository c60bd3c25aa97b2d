"""Devices, jobs and runs.

A handle of the library is for one thread at a time, so each thread opens its own devices. They stay open, and devices
that
compile kernels keep their last jobs, which other points of the same shape can use. A child process after fork() begins
without any: it leaves its parent's alone.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import collections
import ctypes as c
import functools
import numbers
import os
import signal
import sys
import threading
import weakref
from typing import Callable, NamedTuple, Union

from . import _library as w
from ._library import lib

_MOST_JOBS, _MOST_JOB_BYTES = 8, 1 << 28  # kept by a device; a job with more memory than this is not kept
_MOST_THREADS = 1024  # of the cpu device
_SIZE_OF_SPEC, _SIZE_OF_RESULT = c.sizeof(w.JobSpec), c.sizeof(w.Result)
_SHORT = 1 << 22  # cells that are done before anyone could interrupt them
_local = threading.local()
_opened: weakref.WeakSet = weakref.WeakSet()
_threads = 0

Progress = Union[bool, Callable[[float], object], None]


class DeviceInfo(NamedTuple):
    """A device, as `wedge devices` lists it."""

    id: str
    name: str
    driver: str
    memory: int
    units: int
    is_gpu: bool
    has_double: bool


def _info(info: w.DeviceInfo) -> DeviceInfo:
    return DeviceInfo(
        info.id.decode(),
        info.name.decode(),
        info.driver.decode(),
        info.memory,
        info.units,
        info.is_gpu,
        info.has_double,
    )


def set_num_threads(threads: int | None) -> None:
    """Sets the number of threads of the device "cpu" from the next call on; None: WEDGE_NUM_THREADS, or all cores.

    >>> wedge.set_num_threads(2)
    >>> wedge.set_num_threads(None)
    """
    global _threads
    if threads is not None and (not isinstance(threads, numbers.Integral) or not 1 <= threads <= _MOST_THREADS):
        raise ValueError(f"threads = {threads!r}: must be a whole number from 1 to {_MOST_THREADS}")
    _threads = int(threads or 0)


def get_num_threads() -> int:
    """The number of threads of the device "cpu": from set_num_threads, WEDGE_NUM_THREADS, or all cores.

    >>> wedge.set_num_threads(2)
    >>> wedge.get_num_threads()
    2
    >>> wedge.set_num_threads(None)
    """
    return _threads or open_device("cpu").units


# ---- Devices ----


def _close(context, device, jobs, ops) -> None:
    for job, _ in jobs.values():
        lib.job_destroy(job)
    for op in ops.values():
        lib.op_destroy(op)
    lib.device_close(device)
    lib.context_destroy(context)


def _context(threads: int) -> c.c_void_p:
    context = c.c_void_p()
    if lib.context_create(c.byref(context)):
        raise MemoryError("wedge: no memory for a context")
    if threads:
        lib.context_set(context, w.SET_NUM_THREADS, str(threads).encode())
    return context


class Device:
    """An open device of one thread, with the jobs that it keeps."""

    def __init__(self, name: str, threads: int):
        context, handle = _context(threads), c.c_void_p()
        status = lib.device_open(context, name.encode(), c.byref(handle))
        if status:
            message = lib.context_message(context)
            lib.context_destroy(context)
            w.fail(status, message)
        self.handle, self.jobs, self.ops = handle, collections.OrderedDict(), {}
        self._finalizer = weakref.finalize(self, _close, context, handle, self.jobs, self.ops)
        info = lib.device_get_info(handle).contents
        self.id, self.units, self.compiles = info.id.decode(), info.units, info.max_block > 0
        _opened.add(self)

    def fail(self, status: int) -> None:
        w.fail(status, lib.device_message(self.handle))

    def drop_ops(self) -> None:
        while self.ops:
            lib.op_destroy(self.ops.popitem()[1])

    def abandon(self) -> None:
        self._finalizer.detach()


def _forget_all() -> None:
    """In a child: handles and threads behind them are the parent's."""
    for device in list(_opened):
        device.abandon()
    _opened.clear()
    _local.__dict__.clear()


os.register_at_fork(after_in_child=_forget_all)


def open_device(name: str | None) -> Device:
    devices = _local.__dict__.setdefault("devices", {})
    if name is not None and not isinstance(name, str):
        raise TypeError(f"device must be a name listed by wedge.devices(), such as 'cpu' or 'cuda:0', not {name!r}")
    key = (name, _threads) if name else ("auto", _threads, os.environ.get("WEDGE_DEVICE"))
    if key not in devices:
        devices[key] = Device(key[0], _threads)
    return devices[key]


def devices() -> list[DeviceInfo]:
    """The devices of this machine: the cpu, then CUDA GPUs, then OpenCL devices.

    >>> wedge.devices()[0].id
    'cpu'
    """
    context, count, info, found = _context(0), c.c_int(), w.DeviceInfo(size=c.sizeof(w.DeviceInfo)), []
    try:
        status = lib.device_count(context, c.byref(count))
        for k in range(0 if status else count.value):
            status = lib.device_at(context, k, c.byref(info)) or status
            found.append(_info(info))
        if status:
            w.fail(status, lib.context_message(context))
    finally:
        lib.context_destroy(context)
    return found


# ---- Parameters ----


def _parameter(name: str, kind: type, value):
    size, name = c.sizeof(w.Parameter), name.encode()
    if kind in (list, tuple):
        return size, name, 0.0, 0, False, (c.c_double * len(value))(*value), len(value)
    if kind is bool:
        return size, name, 0.0, 0, value
    return (size, name, 0.0, value) if kind is int else (size, name, value)


def _array(items):
    return (w.Parameter * len(items))(*[_parameter(*item) for item in items])


_kept_array = functools.lru_cache(maxsize=64)(_array)  # the library only reads them


def parameters(given: dict):
    """An array of wedge_parameter, which keeps what it points to. The type of a value says its kind: float, int, bool, list."""
    items = tuple([(name, type(value), value) for name, value in given.items()])
    return _array(items) if "edges" in given else _kept_array(items)


def _frozen(given):
    """Parameters as something that can be a key."""
    return tuple((k, tuple(v) if isinstance(v, (list, tuple)) else v) for k, v in (given or {}).items())


# ---- Jobs ----


class Job:
    """A job while it is used; `with` gives it back to its device, or destroys it."""

    def __init__(
        self,
        device: Device,
        *,
        op,
        layout,
        points,
        others=None,
        parameters_of_op=None,
        sink="store",
        parameters_of_sink=None,
        box=None,
        cutoff=0.0,
        own_op=None,
        brute=False,
        overflow=w.OVERFLOW_REFUSED,
    ):
        self.device, self.key, handle = device, None, None
        if device.compiles and points.stream_lasts:  # what makes two jobs alike
            own = own_op.value if own_op else None
            of_two = (others.n, others.stride) if others is not None else None
            self.key = (
                op,
                own,
                layout,
                points.dtype,
                points.n,
                points.d,
                points.stride,
                points.stream,
                points.device,
                of_two,
                sink,
            )
            if parameters_of_op or parameters_of_sink or box is not None or cutoff or brute or overflow:
                self.key += (_frozen(parameters_of_op), _frozen(parameters_of_sink), box and tuple(box), cutoff, brute)
                self.key += (overflow,)
            handle, self.info = self._kept(points, others)
        if not handle:
            spec = w.JobSpec(
                size=_SIZE_OF_SPEC,
                op=op.encode() if op else None,
                sink=sink.encode(),
                layout=layout,
                dtype=points.dtype,
                n=points.n,
                d=points.d,
                points=points.pointer,
                place=points.place,
                points_stride=points.stride,
                cutoff=cutoff,
                overflow=overflow,
            )
            if parameters_of_op:
                spec.parameters, spec.parameter_count = parameters(parameters_of_op), len(parameters_of_op)
            if parameters_of_sink:
                spec.sink_parameters = parameters(parameters_of_sink)
                spec.sink_parameter_count = len(parameters_of_sink)
            if points.stream:
                spec.stream = points.stream
            if brute:
                spec.prune = w.PRUNE_NEVER
            if own_op is not None:
                spec.own_op = own_op
            if others is not None:
                spec.m, spec.others, spec.others_stride = others.n, others.pointer, others.stride
            if box is not None:
                spec.box = (c.c_double * points.d)(*box)
            handle = self._made(spec)
            self.info = lib.job_get_info(handle).contents
        self.handle = handle

    def _kept(self, points, others):
        """One that this device has, with these points in place of its own."""
        kept = self.device.jobs.pop(self.key, None)
        if kept and lib.job_renew(kept[0], points.pointer, others.pointer if others is not None else None):
            lib.job_destroy(kept[0])
            kept = None
        return kept or (None, None)

    def _made(self, spec):
        handle = c.c_void_p()
        status = lib.job_create(self.device.handle, c.byref(spec), c.byref(handle))
        if status == w.NO_MEMORY and self.device.jobs:  # what is kept may be what is in the way
            drop_jobs(self.device)
            status = lib.job_create(self.device.handle, c.byref(spec), c.byref(handle))
        if status:
            self.device.fail(status)
        return handle

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        jobs = self.device.jobs
        if self.key is None or kind is not None or self.info.device_bytes > _MOST_JOB_BYTES:
            lib.job_destroy(self.handle)
            return
        jobs[self.key] = self.handle, self.info
        if len(jobs) > _MOST_JOBS:
            lib.job_destroy(jobs.popitem(last=False)[1][0])

    def run(self, *, values=None, indices=None, counts=None, room=0, place=w.ON_HOST, progress=None, wait=True):
        """All positions; the count of what was found. wait: False where the values may come later, in the stream."""
        result = w.Result(_SIZE_OF_RESULT, values, indices, counts, place, 0, 0, 0, room)
        cells = self.info.cells
        if progress is None and (not wait or cells <= _SHORT):  # there is nothing to show and nothing to interrupt
            status = lib.job_run(self.handle, 0, cells, c.byref(result), w.NO_PROGRESS, None)
        else:
            with Watch(progress, cells if wait else 0) as watch:
                status = lib.job_run(self.handle, 0, cells, c.byref(result), watch.callback, None)
        if status:
            self.device.fail(status)
        return result.count

    def stream(self, take: Callable[[w.Piece], None], progress=None) -> None:
        """All positions, in pieces."""
        caught = []

        def taker(_, piece):
            try:
                take(piece.contents)
            except BaseException as e:  # raised again below: it cannot pass through C
                caught.append(e)
                return w.STOPPED
            return w.OK

        callback = w.Taker(taker)
        with Watch(progress, self.info.cells) as watch:
            status = lib.job_stream(self.handle, 0, self.info.cells, 0, callback, None, watch.callback, None)
            if caught:
                raise caught[0]
        if status:
            self.device.fail(status)


def drop_jobs(device: Device) -> None:
    while device.jobs:
        lib.job_destroy(device.jobs.popitem()[1][0])


# ---- Progress and interrupts ----


def _bar():
    """A function of the share that is done, and one that ends it."""
    try:
        from tqdm.auto import tqdm
    except ImportError:

        def line(share):
            print(f"\rwedge: {100 * share:3.0f} %", end="", file=sys.stderr, flush=True)

        return line, lambda: print(file=sys.stderr)
    bar = tqdm(total=100, desc="wedge", unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def show(share):
        bar.n = 100 * share
        bar.refresh()

    return show, bar.close


def shower(progress):
    """What shows the share that is done, and what ends it; None where nothing is to be shown."""
    if progress is True:
        return _bar()
    if progress in (None, False):
        return None, None
    if not callable(progress):
        raise TypeError("progress must be True, or a function of the fraction done, 0 to 1")
    return progress, None


class Watch:
    """What the library calls now and then: shows progress, and stops the call on what a signal raises.

    Python runs its handlers of signals at the next instruction of the main thread, which in a long call is the first
    one of this
    callback: what they raised there would be lost. So they run inside one that keeps it."""

    def __init__(self, progress, cells: int):
        self.show, self.end = shower(progress)
        self.caught, self.handler = None, None
        self.long = self.show is not None or cells > _SHORT
        self.callback = w.Progress(self._call) if self.long else w.NO_PROGRESS

    def _call(self, _, share):
        try:
            if self.show and self.caught is None:
                self.show(share)
        except BaseException as e:
            self.caught = e
        return self.caught is None

    def _signal(self, number, frame):
        try:
            self.handler(number, frame)
        except BaseException as e:  # KeyboardInterrupt
            self.caught = e

    def check(self) -> None:
        if self.caught is not None:
            raise self.caught

    def __enter__(self):
        if self.long and threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):  # not one of C's, nor ignored
                self.handler = handler
                signal.signal(signal.SIGINT, self._signal)
        return self

    def __exit__(self, kind, *_):
        if self.handler:
            signal.signal(signal.SIGINT, self.handler)
        if self.end:
            self.end()
        if kind is None:
            self.check()
