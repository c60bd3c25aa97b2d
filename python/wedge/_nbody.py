"""nbody: gravity, by the leapfrog.

SPDX-License-Identifier: MIT"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _library as w
from ._arrays import NumPy
from ._common import Call, number, whole


class Motion(NamedTuple):
    """Where the bodies are after the last step; frames: (frames, n, 6) of x and v, where `every` was given.

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
    if (m <= 0).any():
        raise ValueError(f"body {int(np.argmax(m <= 0))} has a mass of {m.min():g}: must be above 0")
    dtype = np.result_type(x, v)
    return x.astype(np.float64), v.astype(np.float64), m.astype(np.float64), dtype


def nbody(x, v, m, steps: int, dt: float, *, g: float = 1.0, softening: float = 0.0, every: int | None = None,
          device: str | None = None, progress=None) -> Motion:
    """Moves bodies with positions x, velocities v, (n, 3), and masses m by their gravity, `steps` steps of dt (kick, drift, kick).

    softening: r^2 + softening^2 stands for r^2. every: keep a frame every so many steps, the first and the last ones too.
    Forces have the dtype of x and v, float32 or float64; what moves is kept in float64.

    >>> x, v, m = [[-0.5, 0, 0], [0.5, 0, 0]], [[0, -0.5**0.5, 0], [0, 0.5**0.5, 0]], [1, 1]     # a circle
    >>> after = wedge.nbody(x, v, m, steps=1000, dt=0.001)
    >>> bool(abs(after.energy[1] - after.energy[0]) < 1e-6)
    True
    """
    steps, dt = whole("steps", steps, 0), number("dt", dt)
    every = None if every is None else whole("every", every, 1)
    x, v, m, dtype = _bodies(x, v, m)
    given = {"g": number("g", g, above=0), "softening": number("softening", softening, least=0)}
    records = np.empty((len(x), 4), dtype)
    records[:, 3] = m

    def forces():
        records[:, :3] = x
        call = Call(records, None, "gravity", dict(given), device=device, nan="propagate", progress=None)
        values, _ = call.rows_of(w.SQUARE, "scatter", {}, 4)
        if not np.isfinite(values).all():
            raise ValueError(f"step {step}: the force on body {int(np.argmin(np.isfinite(values).all(axis=1)))} is not finite: "
                             f"use softening, or a shorter dt")
        return values[:, 1:].astype(np.float64) / m[:, None], values[:, 0].sum(dtype=np.float64) / 2

    def energy(potential):
        return float((m * (v * v).sum(axis=1)).sum() / 2 + potential)

    step, frames = 0, []
    pull, potential = forces() if len(x) > 1 else (np.zeros_like(x), 0.0)
    first = energy(potential)
    for step in range(1, steps + 1):
        if every and (step - 1) % every == 0:
            frames.append(np.hstack([x, v]))
        v += dt / 2 * pull
        x += dt * v
        pull, potential = forces() if len(x) > 1 else (pull, potential)
        v += dt / 2 * pull
        if progress and callable(progress):
            progress(step / steps)
    if every:
        frames.append(np.hstack([x, v]))
    return Motion(x.astype(dtype), v.astype(dtype), (first, energy(potential)), (m[:, None] * v).sum(axis=0),
                  np.array(frames, dtype) if every else None)
