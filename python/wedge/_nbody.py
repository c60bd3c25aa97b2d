"""nbody: gravity, by the leapfrog.

SPDX-License-Identifier: MIT"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import _library as w
from ._common import Call, number, whole
from ._floats import in_default_floats
from ._of_numpy import NumPy
from ._points import Array
from ._session import Progress, shower


class Motion(NamedTuple):
    """The bodies after the last step. frames: (frames, n, 6), x and v of each frame, if `every` was given.

    energy: at the start and at the end. momentum: at the end."""

    x: np.ndarray
    v: np.ndarray
    energy: tuple
    momentum: np.ndarray
    frames: np.ndarray | None


def _bodies(x, v, m):
    x, v, m = (NumPy.as_floats(a, name) for a, name in ((x, "x"), (v, "v"), (m, "m")))
    if x.ndim != 2 or x.shape[1] != 3 or v.shape != x.shape:
        raise ValueError(f"x has shape {x.shape} and v {v.shape}: both must be (n, 3)")
    m = np.broadcast_to(m, (len(x),))
    for name, a in (("x", x), ("v", v), ("m", m)):
        if not np.isfinite(a).all():
            raise ValueError(f"{name} contains NaN or infinity")
    if (m < 0).any():
        raise ValueError(f"body {int(np.argmax(m < 0))} has a mass of {m.min():g}: must be 0 or above")
    if not m.any():
        raise ValueError("all masses are 0, so nothing attracts: give one body a mass")
    return x.astype(np.float64), v.astype(np.float64), m.astype(np.float64), np.result_type(x, v)


class _Gravity:
    """Accelerations, and the potential energy. Bodies without a mass are pulled and pull no one: the force on them is
    that on 1."""

    def __init__(self, m, dtype, given, device):
        self.m, self.given, self.device = m, given, device
        self.heavy, self.light = np.flatnonzero(m > 0), np.flatnonzero(m == 0)
        self.records = np.empty((len(m), 4), dtype)
        self.records[:, 3] = np.where(m > 0, m, 1)

    def _sums(self, rows, others):
        call = Call(
            self.records[rows], others, "gravity", dict(self.given), device=self.device, nan="propagate", progress=None
        )
        call.overflow = w.OVERFLOW_REFUSED
        return call.rows_of(w.SQUARE if others is None else w.RECTANGLE, "scatter", {}, 4)[0].astype(np.float64)

    def __call__(self, x, step):
        with np.errstate(over="ignore"):  # what becomes infinite is told below
            self.records[:, :3] = x
        gone = ~np.isfinite(self.records).all(axis=1)
        if gone.any():
            raise ValueError(
                f"step {step}: body {int(np.argmax(gone))} is beyond the range of {self.records.dtype}: use a shorter dt, "
                "or other units"
            )
        values = np.zeros((len(x), 4))
        if len(self.heavy) > 1:
            values[self.heavy] = self._sums(self.heavy, None)
        potential = math.fsum(values[:, 0]) / 2
        if len(self.light):
            values[self.light] = self._sums(self.light, self.records[self.heavy])
        bad = ~np.isfinite(values).all(axis=1)
        if bad.any():
            raise ValueError(
                f"step {step}: the force on body {int(np.argmax(bad))} is not finite: use softening, or a shorter dt"
            )
        return values[:, 1:] / self.records[:, 3:].astype(np.float64), potential


@in_default_floats
def nbody(
    x: Array,
    v: Array,
    m: Array,
    steps: int,
    dt: float,
    *,
    g: float = 1.0,
    softening: float = 0.0,
    every: int | None = None,
    device: str | None = None,
    progress: Progress = None,
) -> Motion:
    """Moves bodies by their gravity for `steps` steps of dt (kick, drift, kick). x: positions, v: velocities, (n, 3);
    m: masses, one or n.

    softening: forces use r^2 + softening^2 instead of r^2. every: keep a frame every so many steps, and the first and
    the last one. Forces have the dtype of x and v, float32 or float64; positions and velocities are kept in float64.

    >>> x, v, m = [[-0.5, 0, 0], [0.5, 0, 0]], [[0, -0.5**0.5, 0], [0, 0.5**0.5, 0]], [1, 1]     # a circle
    >>> after = wedge.nbody(x, v, m, steps=1000, dt=0.001)
    >>> bool(abs(after.energy[1] - after.energy[0]) < 1e-6)
    True
    """
    steps, dt = whole("steps", steps, 0), number("dt", dt)
    every = None if every is None else whole("every", every, 1)
    x, v, m, dtype = _bodies(x, v, m)
    given = {"g": number("g", g, above=0), "softening": number("softening", softening, least=0)}
    pull, show, end = _Gravity(m, dtype, given, device), *shower(progress)
    frames = []

    def energy(potential):
        return math.fsum(m * (v * v).sum(axis=1)) / 2 + potential

    try:
        force, potential = pull(x, 0)
        first = energy(potential)
        for step in range(1, steps + 1):
            if every and (step - 1) % every == 0:
                frames.append(np.hstack([x, v]))
            v += dt / 2 * force
            x += dt * v
            force, potential = pull(x, step)
            v += dt / 2 * force
            if show:
                show(step / steps)
    finally:
        if end:
            end()
    if every:
        frames.append(np.hstack([x, v]))
    return Motion(
        x.astype(dtype),
        v.astype(dtype),
        (first, energy(potential)),
        (m[:, None] * v).sum(axis=0),
        np.array(frames, dtype) if every else None,
    )
