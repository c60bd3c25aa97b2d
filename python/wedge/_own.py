"""run: a function of your own over all pairs or triplets.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import builtins
import ctypes as c
import inspect

from . import _counts, _session
from . import _library as w
from ._common import Call, box_lengths, check_parameters, number, whole
from ._library import lib
from ._neighbours import nearest
from ._points import Array
from ._session import Progress

_MOST_OPS = 64  # that a device keeps


def compiled(device: _session.Device, text: str, name: str, dtype: int):
    """The op of a text, from those that the device keeps."""
    key = text, name, dtype
    if key not in device.ops:
        if len(device.ops) >= _MOST_OPS:
            _session.drop_jobs(device)
            device.drop_ops()
        options = w.OpOptions(size=c.sizeof(w.OpOptions), name=name.encode(), dtype=c.pointer(c.c_int(dtype)))
        op = c.c_void_p()
        status = lib.op_compile(device.handle, text.encode(), c.byref(options), c.byref(op))
        if status:
            device.fail(status)
        device.ops[key] = op
    return device.ops[key]


class _OwnCall(Call):
    def __init__(self, text, name, x, y, given, *, device, nan, progress, box):
        self._take(x, y, device, nan, progress, ("X", "Y"))
        self.own = compiled(self.device, text, name, self.points.dtype)
        self.op, self.info = None, lib.op_get_info(self.own).contents
        self.given = check_parameters(name, self.info, given)
        self.box = box_lengths(box, self.points.d)

    def check_box(self, radius):
        """The library knows no metric of yours at half a box: that is yours to know."""


def run(
    op: str,
    X: Array,
    Y: Array = None,
    *,
    sink: str = "store",
    r: float | None = None,
    k: int | None = None,
    bins: Array = 10,
    range: Array = None,
    return_distance: bool = False,
    out: Array = None,
    box: Array = None,
    cutoff: float | None = None,
    diagonal: bool = False,
    name: str = "own",
    device: str | None = None,
    nan: str = "raise",
    progress: Progress = None,
    **parameters: float,
):
    """A function of your own, in C, over all pairs of rows of X, each row of X with each of Y, or all triplets.

    op: its text, as docs/add-an-op.md describes; `parameters`: those that it declares. sink: what to do with the
    values: 'store' as in pdist and cdist, 'select' (with r) as in within, 'summary', 'histogram' (bins, range),
    'nearest' (k) as in knn, 'scatter' as in sums; for three points scatter also gives energies and forces. diagonal,
    for three points: also include triplets that have a point twice or three times, i >= j >= k.
    The cpu device needs a C compiler. The op runs in this process, with all its rights; compiled ops are kept on disk.

    >>> cauchy = '''
    ... #define OP_FORMULA "1 / (1 + scale |a - b|^2)"
    ... #define OP_PARAMETERS(P) P(scale, 1, scale > 0)
    ... typedef struct { real sum; } op_state;
    ... WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    ...     s.sum = wedge_fused(a - b, a - b, s.sum);
    ...     return s;
    ... }
    ... WEDGE_OP real op_finish(op_state s, op_args q) { return wedge_real(1) / (wedge_real(1) + q.scale * s.sum); }
    ... '''
    >>> wedge.run(cauchy, [[0.], [1.], [3.]], scale=2.0)
    array([0.33333333, 0.05263158, 0.11111111])
    """
    if not isinstance(op, str):
        raise TypeError(f"op must be the text of a function in C, not {type(op).__name__}")
    if "\n" not in op and op.endswith((".h", ".c")):
        raise ValueError(f"op is the name of a file: pass its text, open({op!r}).read()")
    if sink != "store" and out is not None:
        raise TypeError(f"out is for sink='store', not {sink!r}")
    if r is not None and sink not in ("select", "scatter"):
        raise TypeError(f"r is for sink='select' and 'scatter', not {sink!r}")
    if k is not None and sink != "nearest":
        raise TypeError(f"k is for sink='nearest', not {sink!r}")
    call = _OwnCall(op, name, X, Y, parameters, device=device, nan=nan, progress=progress, box=box)
    _check_names(call.info)
    if call.info.points == 3 and Y is not None:
        raise TypeError("Y is for functions of two points; this one takes three points of X")
    if call.info.points == 2 and cutoff is not None:
        raise TypeError("cutoff is for functions of three points")
    if call.info.points == 2 and diagonal:
        raise TypeError("diagonal is for functions of three points")
    if call.info.points == 3:
        layout = w.TRIPLES_PACKED if diagonal else w.TRIPLES
        return _of_triplets(call, layout, sink, r, bins, range, return_distance, out, cutoff)
    layout = w.CONDENSED if Y is None else w.RECTANGLE
    rows = w.SQUARE if Y is None else w.RECTANGLE
    if sink == "store":
        return call.store(layout, None if Y is None else (call.rows, call.others.n), out)
    if sink == "select":
        pairs, values = call.select(layout, _needed("r", r), values=return_distance)
        return (pairs, values) if return_distance else pairs
    if sink == "summary":
        return _counts.summarise(call)
    if sink == "histogram":
        return _counts.count_by_edges(call, bins, range, False)
    if sink == "nearest":
        return nearest(call, whole("k", k, 1, 1024))
    if sink == "scatter":
        of_sink = {} if r is None else {"radius": _needed("r", r)}
        return call.rows_of(rows, "scatter", of_sink, call.info.values)[0]
    raise ValueError(f"sink = {sink!r}: must be store, select, summary, histogram, nearest or scatter")


def _check_names(info) -> None:
    """A parameter that is called like an argument of run could not be set."""
    own = set(inspect.signature(run).parameters)
    for k in builtins.range(info.parameter_count):
        name = info.parameters[k].contents.name.decode()
        if name in own:
            raise ValueError(
                f"the function has a parameter {name!r}, which is an argument of wedge.run: give it another name"
            )


def _needed(name, value):
    if value is None:
        raise TypeError(f"this sink needs {name}")
    return number(name, value, finite=False)


def _of_triplets(call, layout, sink, r, bins, limits, wanted, out, cutoff):
    reach = 0.0 if cutoff is None else number("cutoff", cutoff, above=0)
    if sink == "store":
        if reach or call.box is not None:
            raise TypeError("store keeps every triplet: leave out cutoff and box, or use another sink")
        return call.store(layout, out=out)
    if sink == "select":
        found, values = call.select(layout, _needed("r", r), values=wanted, cutoff=reach, width=3)
        return (found, values) if wanted else found
    if sink == "summary":
        return _counts.summarise(call, layout, reach)
    if sink == "histogram":
        return _counts.count_by_edges(call, bins, limits, False, layout, reach)
    if sink == "scatter":
        if r is not None:
            raise TypeError("r is for functions of two points; for those of three there is cutoff")
        return call.rows_of(layout, "scatter", {}, 4 if call.info.forces else 1, reach)[0]
    raise ValueError(f"sink = {sink!r}: triplets have store, select, summary, histogram and scatter")
