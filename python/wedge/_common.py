"""What the functions over pairs share: metrics, boxes, and the job of a call.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import copy
import ctypes as c
import difflib
import functools
import math
import types
import warnings

import numpy as np

from . import _arrays, _session
from . import _library as w
from ._floats import in_default_floats
from ._library import lib
from ._of_numpy import NumPy

_PERIODIC = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski")
_LENGTH = 64  # features of points in a periodic box, at most


def metrics() -> list[str]:
    """The names of the metrics, for pdist and the other functions.

    >>> wedge.metrics()[:3]
    ['euclidean', 'sqeuclidean', 'cityblock']
    """
    return [lib.op_at(2, k).contents.name.decode() for k in range(lib.op_count(2))]


def find_metric(name) -> tuple[str, w.OpInfo]:
    """A metric by its name in any case, or by SciPy's function of that name, with what the library says of it."""
    if callable(name) and getattr(name, "__module__", None) == "scipy.spatial.distance":
        name = name.__name__
    if not isinstance(name, str):
        raise TypeError(
            f"metric must be a name such as 'euclidean', not {type(name).__name__}; "
            "for a function of your own call wedge.run"
        )
    return _find_metric(name)


@functools.lru_cache(maxsize=256)
def _find_metric(name: str) -> tuple[str, w.OpInfo]:
    plain = name.lower().encode()
    found = lib.op_find(plain)
    if not found or found.contents.points != 2:
        instead = lib.op_instead(plain)
        alike = difflib.get_close_matches(name.lower(), metrics(), 1)
        raise ValueError(
            f"Unknown Distance Metric: {name}; "
            + (instead.decode() if instead else f"did you mean {alike[0]!r}? " if alike else "")
            + ("" if instead else "wedge.metrics() lists them")
        )
    return found.contents.name.decode(), found.contents


_ARGUMENTS = ("metric", "out", "box", "device", "nan", "progress", "queries", "graph", "return_distance")


def _instead_of_parameter(key: str, known: set) -> str:
    alike = difflib.get_close_matches(key, [*known, *_ARGUMENTS], 1)
    if alike:
        return f"did you mean {alike[0]!r}?"
    if key == "w":
        return "multiply the columns by weights instead, each metric in its way: docs/python.md lists them"
    return f"it has {', '.join(sorted(known))}" if known else "it has none"


def check_parameters(name: str, info: w.OpInfo, given: dict) -> dict:
    if not given:
        return given
    known = {info.parameters[k].contents.name.decode() for k in range(info.parameter_count)}
    if "w" not in known and given.get("w", 0) is None:  # SciPy's word for no weights
        del given["w"]
    for key, value in given.items():
        if key not in known:
            raise TypeError(f"{name} has no parameter {key!r}: {_instead_of_parameter(key, known)}")
        try:
            given[key] = float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{key} must be a number, not {value!r}") from None
    return given


def number(name: str, value, *, least=None, above=None, finite=True) -> float:
    """A number, finite where it must be and never NaN, or the error that says what it must be."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {value!r}") from None
    if not math.isfinite(x) and (finite or math.isnan(x)):
        raise ValueError(f"{name} = {value}: must be {'finite' if finite else 'a number'}")
    if (least is not None and x < least) or (above is not None and x <= above):
        limit = f"above {above}" if least is None else f"{least} or above"
        raise ValueError(f"{name} = {value}: must be {limit}")
    return x


def as_limit(x, dtype: np.dtype):
    """A radius, or many, as values of the dtype are compared with it: rounded to nearest, and what is finite stays so."""
    x, most = np.asarray(x, np.float64), float(np.finfo(dtype).max)
    return np.where(np.isfinite(x), np.clip(x, -most, most), x).astype(dtype)


def whole(name: str, value, least: int, most: int | None = None) -> int:
    try:
        x = int(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None
    if x != value or x < least or (most is not None and x > most):
        raise ValueError(
            f"{name} = {value}: must be a whole number "
            + (f"from {least} on" if most is None else f"from {least} to {most}")
        )
    return x


def box_lengths(box, d: int) -> list[float] | None:
    """A length for each of d coordinates; 0 where it is open."""
    if box is None:
        return None
    try:
        lengths = np.asarray(box, np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise TypeError(f"box must be a length, or one per coordinate, not {box!r}") from None
    if len(lengths) == 1:
        lengths = np.repeat(lengths, d)
    if len(lengths) != d:
        raise ValueError(f"box has {len(lengths)} lengths, but the points have {d} coordinates: give one or {d}")
    if not np.isfinite(lengths).all() or (lengths < 0).any():
        raise ValueError(f"box = {box}: lengths must be finite, above 0 or 0 (not periodic)")
    if d > _LENGTH:
        raise ValueError(f"points with {d} coordinates have no periodic form: {_LENGTH} at most")
    return [float(x) for x in lengths] if lengths.any() else None


def metric_moved(function):
    """For functions whose second argument was the metric before it was Y: a name there is still one, with a warning."""

    @functools.wraps(function)
    def call(*args, **given):
        if len(args) > 1 and isinstance(args[1], str):
            warnings.warn(
                f"wedge.{function.__name__}: Y comes before metric now: write metric={args[1]!r}",
                DeprecationWarning,
                stacklevel=2,
            )
            given["metric"] = args[1]
            if len(args) > 2:
                given["Y"] = args[2]
            args = args[:1]
        return function(*args, **given)

    return call


class _NoCells:
    """The job of an empty set: checked as that of one point is, with nothing to run."""

    def __init__(self, job):
        with job:
            self.info = types.SimpleNamespace(cells=0, values=job.info.values)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, **_):
        return 0


class Call:
    """What a function was asked for, ready to become a job."""

    def __init__(self, x, y, metric, given, *, device, nan, progress, names=("X", "Y"), box=None, later=False):
        """later: numbers in a device's memory are looked at after the work has begun, not before."""
        self.op, self.info = find_metric(metric)
        self.given = check_parameters(self.op, self.info, given)
        self._take(x, y, device, nan, progress, names, later)
        self.box = box_lengths(box, self.points.d)
        if self.box is not None and not self.info.bounded:
            raise ValueError(f"box: {self.op} cannot be periodic: {', '.join(_PERIODIC)} can")
        self.own = None

    def of_rows(self, rows):
        """The same of some rows of the points, with all of the others, or of the points where there are no others."""
        call, points = copy.copy(self), self.points
        call.others = points if self.others is None else self.others
        call.points = _arrays.take(points.array[points.of_host(rows)], "X", "propagate")
        return call

    def _take(self, x, y, device, nan, progress, names, later=False):
        if y is None:
            self.points, self.others = _arrays.take(x, names[0], nan), None
        else:
            self.points, self.others = _arrays.take_two(x, y, names, nan)
        own = self.points.device
        if own and device not in (None, own, "cuda" if own == "cuda:0" else own):
            raise ValueError(f"device = {device!r}, but {names[0]} is on {own}: leave device out, or move it")
        self.device = _session.open_device(own or device)
        self.progress = progress
        self.overflow = w.OVERFLOW_REFUSED
        if nan == "propagate":
            self.overflow = w.OVERFLOW_UNSEEN if own else w.OVERFLOW_ACCEPTED
        if not later or not own or self.others is not None:
            self.check()
        else:
            self.points.begin_check()

    def check(self) -> None:
        """Are the points finite, where they must be?"""
        self.points.check()
        if self.others is not None:
            self.others.check()

    def job(self, layout, sink="store", of_sink=None, *, brute=False, cutoff=0.0) -> _session.Job:
        points, others = self.points, self.others
        if self.empty:
            points = _arrays.take(np.zeros((1, points.d), points.np_dtype))
            others = others and points
        job = _session.Job(
            self.device,
            op=self.op,
            layout=layout,
            points=points,
            others=others,
            parameters_of_op=self.given,
            sink=sink,
            parameters_of_sink=of_sink,
            box=self.box,
            cutoff=cutoff,
            own_op=self.own,
            brute=brute,
            overflow=self.overflow,
        )
        return _NoCells(job) if self.empty else job

    @property
    def rows(self) -> int:
        return self.points.n

    @property
    def empty(self) -> bool:
        return not self.points.n or (self.others is not None and not self.others.n)

    @in_default_floats
    def check_box(self, radius: float) -> None:
        """Points that are half a box apart must not be within the radius twice."""
        if self.box is None:
            return
        radius = float(as_limit(radius, self.points.np_dtype))
        d = self.points.d
        half = np.zeros((d + 1, d), np.float64)
        half[np.arange(1, d + 1), np.arange(d)] = np.asarray(self.box) / 2
        at_half = Call(half[:1], half[1:], self.op, dict(self.given), device="cpu", nan="propagate", progress=None).store(
            w.RECTANGLE
        )
        for length, value in zip(self.box, at_half.reshape(-1)):
            slack = 2.0**-20 if self.points.dtype == w.F32 else 2.0**-48
            if length > 0 and radius > value + slack * max(length, abs(value)):
                raise ValueError(
                    f"box: length {length:g} is too short for {radius:g}: points half a box apart have {self.op} "
                    f"{value:g}; use a longer box, or a smaller radius"
                )

    def _check_apart(self, pointer, size) -> None:
        """What is written first may be points that are read later."""
        for points in filter(None, (self.points, self.others)):
            end = points.pointer + ((points.n - 1) * points.stride + points.d) * points.np_dtype.itemsize
            if pointer < end and points.pointer < pointer + size:
                raise ValueError("out and the points share memory: give another array as out")

    # ---- Runs ----

    def store(self, layout, shape=None, out=None):
        """Every value, into out or a new array."""
        with self.job(layout) as job:
            cells, values = job.info.cells, job.info.values
            shape = shape or (cells,)
            shape = shape if values == 1 else (*shape, values)
            dtype = self.points.np_dtype
            array, pointer = (
                self.points.empty(shape, dtype)
                if out is None
                else self.points.library.take_out(self.points, out, shape, dtype)
            )
            if out is not None:
                self._check_apart(pointer, cells * values * dtype.itemsize)
            if cells:
                job.run(values=pointer, place=self.points.place, progress=self.progress, wait=not self.points.device)
            self.check()
        return array

    def rows_of(self, layout, sink, of_sink, width, cutoff=0.0):
        """A result for each row: values (rows, width) and, for nearest, indices, for scatter, counts.

        nearest: where there are fewer than `width`, the rest has the index -1 and the value infinity."""
        n = self.rows
        with self.job(layout, sink, of_sink, cutoff=cutoff) as job:
            shape = (n, width) if width > 1 or sink == "nearest" else (n,)
            values, at = self.points.empty(shape)
            index, index_at = self.points.empty(shape if sink == "nearest" else (n,), np.int64)
            if self.empty:
                values[...], index[...] = (math.inf, -1) if sink == "nearest" else (0, 0)
            job.run(
                values=at,
                **{"indices" if sink == "nearest" else "counts": index_at},
                room=n * (width if sink == "nearest" else 1),
                place=self.points.place,
                progress=self.progress,
            )
        return values, index

    def select(self, layout, radius, *, values=False, brute=False, cutoff=0.0, width=2):
        """The cells within a radius: int64 (P, 2), of triplets (P, 3), and their values or None."""
        of_sink = {"radius": float(radius), "values": bool(values)}
        with self.job(layout, "select", of_sink, brute=brute, cutoff=cutoff) as job:
            if self.points.device:
                return self._select_there(job, values, width)
            return self._select_here(job, values, width)

    def _select_there(self, job, wanted, width):
        """Twice over the pairs: first how many, then which, so that they need no other memory."""
        count = job.run(progress=self.progress)
        pairs, at = self.points.empty((count, width), np.int64)
        values, values_at = self.points.empty(self._of_values(count)) if wanted else (None, None)
        if count:
            job.run(values=values_at, indices=at, room=count, place=w.ON_DEVICE)
        return pairs, values

    def _select_here(self, job, wanted, width):
        """In pieces, each of which is copied once; a few cells in one, which has room for all of them."""
        cells = job.info.cells
        if 0 < cells <= _FEW_CELLS:
            pairs, at = NumPy.empty(None, (cells, width), np.int64)
            values, values_at = (
                NumPy.empty(None, self._of_values(cells), self.points.np_dtype) if wanted else (None, None)
            )
            count = job.run(values=values_at, indices=at, room=cells, progress=self.progress)
            pairs, values = (None if a is None else self.points.of_host(a[:count].copy()) for a in (pairs, values))
            return pairs, values
        found, values = Parts(width, np.int64), Parts(self.info.values, self.points.np_dtype)

        def take(piece):
            found.add(piece.indices, piece.count, piece.total)
            if wanted:
                values.add(piece.values, piece.count, piece.total)

        if cells:
            job.stream(take, self.progress)
        pairs = self.points.of_host(found.whole().reshape(-1, width))
        return pairs, self.points.of_host(values.whole().reshape(self._of_values(-1))) if wanted else None

    def _of_values(self, count):
        """The shape of so many values, of which an op may have several side by side."""
        return (count,) if self.info.values == 1 else (count, self.info.values)

    def count(self, layout, radius, brute=False) -> int:
        """How many cells are within a radius."""
        with self.job(layout, "count", {"radius": float(radius)}, brute=brute) as job:
            return job.run(progress=self.progress) if job.info.cells else 0

    def sums(self, layout, sink, of_sink, pointer, cutoff=0.0) -> None:
        """The one result of summary or histogram, into memory of the host."""
        with self.job(layout, sink, of_sink, cutoff=cutoff) as job:
            job.run(values=pointer, progress=self.progress)


_UNKNOWN = 2**64 - 1
_FEW_CELLS = (
    1 << 16
)  # room for all of them is a megabyte; handing out pieces by a thread takes longer than computing so few


class Parts:
    """Pieces of a list, one after another: in one array where its length is known beforehand."""

    def __init__(self, width, dtype):
        self.width, self.dtype, self.arrays, self.one, self.at = width, np.dtype(dtype), [], None, 0

    def add(self, pointer, count, total):
        size = count * self.width
        if self.one is None and total != _UNKNOWN:
            self.one = np.empty(total * self.width, self.dtype)
        if not size:
            return
        if self.one is None:
            self.arrays.append(np.empty(size, self.dtype))
            c.memmove(self.arrays[-1].ctypes.data, pointer, size * self.dtype.itemsize)
        else:
            c.memmove(self.one.ctypes.data + self.at * self.dtype.itemsize, pointer, size * self.dtype.itemsize)
        self.at += size

    def whole(self):
        if self.one is not None:
            return self.one[: self.at]
        return np.concatenate(self.arrays) if self.arrays else np.empty(0, self.dtype)
