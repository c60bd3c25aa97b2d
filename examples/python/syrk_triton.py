#!/usr/bin/env python3
"""syrk_triton.py [--n 8192] [--k 1024] [--dtype f16|bf16|f32] [--tf32] [--runs 30]: the lower half of A A^T in Triton.

One program per tile i >= j: m(m+1)/2 programs where the usual grid has m x m and returns at once in nearly half of
them. The map is one call, wedge.maps.triton.tri_unrank32, exact for every tile; below it the same with a resident grid
that walks. Cells above the diagonal are not touched. n and k need not be multiples of the tile's sides.

Prints the largest error against float64 (as a share of the largest cell), the programs launched, and times: medians of
interleaved runs. torch.matmul is there for scale: it computes both halves. Without a GPU a small case runs in Triton's
interpreter, untimed.

SPDX-License-Identifier: MIT"""
import argparse
import os
import pathlib
import statistics
import sys

try:
    import torch

    GPU = torch.cuda.is_available()
    if not GPU:
        os.environ["TRITON_INTERPRET"] = "1"
    import triton
    import triton.language as tl
except ImportError as missing:
    print(f"SKIPPED: {missing.name.upper()} IS MISSING; nothing was computed")
    sys.exit(0)

try:
    import wedge.maps  # noqa: F401
except ImportError:  # not installed: take it from the source tree
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from wedge.maps import tri_count
from wedge.maps import triton as maps
from wedge.maps import walk_grid


@triton.jit
def tile(a, c, n, k, i, j, SIDE: tl.constexpr, DEPTH: tl.constexpr, PRECISION: tl.constexpr):
    """Tile (i, j) of C = A A^T. Offsets are 64-bit: n * n passes 2^31 at n = 46,341."""
    rows = tl.cast(i, tl.int64) * SIDE + tl.arange(0, SIDE)
    columns = tl.cast(j, tl.int64) * SIDE + tl.arange(0, SIDE)
    depth = tl.arange(0, DEPTH)
    left = a + rows[:, None] * k + depth[None, :]
    right = a + columns[None, :] * k + depth[:, None]
    total = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for done in range(0, k, DEPTH):
        inside = depth < k - done
        x = tl.load(left + done, mask=(rows < n)[:, None] & inside[None, :], other=0.0)
        y = tl.load(right + done, mask=inside[:, None] & (columns < n)[None, :], other=0.0)
        total = tl.dot(x, y, total, input_precision=PRECISION)
    cells = c + rows[:, None] * n + columns[None, :]
    tl.store(cells, total.to(c.dtype.element_ty), mask=(rows < n)[:, None] & (columns[None, :] <= rows[:, None]))


@triton.jit
def full_grid(a, c, n, k, SIDE: tl.constexpr, DEPTH: tl.constexpr, PRECISION: tl.constexpr):
    """m x m programs; those above the diagonal return."""
    i, j = tl.program_id(1), tl.program_id(0)
    if j > i:
        return
    tile(a, c, n, k, i, j, SIDE, DEPTH, PRECISION)


@triton.jit
def by_lambda(a, c, n, k, SIDE: tl.constexpr, DEPTH: tl.constexpr, PRECISION: tl.constexpr):
    """m(m+1)/2 programs, each with a tile."""
    i, j = maps.tri_unrank32(tl.program_id(0))
    tile(a, c, n, k, i, j, SIDE, DEPTH, PRECISION)


@triton.jit
def by_walk(a, c, n, k, run, extra, SIDE: tl.constexpr, DEPTH: tl.constexpr, PRECISION: tl.constexpr):
    """A resident grid; each program goes row by row through its run of tiles."""
    i, j, end, left = maps.walk_first(tl.program_id(0), run, extra)
    while end > 0:
        for column in range(j, end):
            tile(a, c, n, k, i, column, SIDE, DEPTH, PRECISION)
        i, j, end, left = maps.walk_next(i, left)


def forms(a, c, shape, resident):
    """name: (programs, a function that fills the lower half of c)."""
    n, k = a.shape
    m = triton.cdiv(n, shape["SIDE"])
    programs, run, extra = walk_grid(tri_count(m), resident)
    return {
        "full grid": (m * m, lambda: full_grid[(m, m)](a, c, n, k, **shape)),
        "lambda": (tri_count(m), lambda: by_lambda[(tri_count(m), )](a, c, n, k, **shape)),
        "walk": (programs, lambda: by_walk[(programs, )](a, c, n, k, run, extra, **shape)),
    }


def error_of(a, c):
    """The largest difference from float64 in the lower half, as a share of the largest cell; above it c must be 7."""
    worst, largest = 0.0, 0.0
    for first in range(0, len(a), 1024):
        rows = a[first:first + 1024].double() @ a.double().T
        lower = torch.ones_like(rows, dtype=torch.bool).tril(first)
        got = c[first:first + 1024].double()
        if (got[~lower] != 7).any():
            raise SystemExit("a cell above the diagonal was written")
        worst = max(worst, (got - rows)[lower].abs().nan_to_num(nan=float("inf")).max().item())
        largest = max(largest, rows.abs().max().item())
    return worst / largest


def times(calls, runs):
    """Median milliseconds of each, interleaved."""
    found = {name: [] for name in calls}
    for turn in range(runs + 3):
        for name, call in calls.items():
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            call()
            stop.record()
            stop.synchronize()
            if turn >= 3:
                found[name].append(start.elapsed_time(stop))
    return {name: statistics.median(values) for name, values in found.items()}


def options():
    parser = argparse.ArgumentParser(description="the lower half of A A^T in Triton, by m(m+1)/2 programs")
    parser.add_argument("--n", type=int, default=8192 if GPU else 100, help="rows of A")
    parser.add_argument("--k", type=int, default=1024 if GPU else 70, help="columns of A")
    parser.add_argument("--dtype", choices=["f16", "bf16", "f32"], default="f16" if GPU else "f32")
    parser.add_argument("--tf32", action="store_true", help="f32 with TF32 products, here and in torch")
    parser.add_argument("--runs", type=int, default=30, help="timed runs of each")
    asked = parser.parse_args()
    if asked.dtype == "bf16" and not GPU:
        parser.error("bf16 needs a GPU: Triton's interpreter multiplies its bits as integers; take --dtype f16 or f32")
    return asked


def main():
    asked = options()
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = asked.tf32
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[asked.dtype]
    device = "cuda" if GPU else "cpu"
    a = torch.rand((asked.n, asked.k), device=device).to(dtype)
    c = torch.empty((asked.n, asked.n), device=device, dtype=dtype)
    shape = {"SIDE": 16, "DEPTH": 16} if not GPU else {"SIDE": 128, "DEPTH": 32 if asked.dtype == "f32" else 64}
    if GPU:
        shape["num_warps"] = 8
    resident = maps.multiprocessors() * 2 if GPU else 5
    ways = forms(a, c, {**shape, "PRECISION": "tf32" if asked.tf32 else "ieee"}, resident)
    where = torch.cuda.get_device_name() if GPU else "Triton's interpreter"
    print(f"A {asked.n} x {asked.k} {asked.dtype}, tiles of {shape['SIDE']}, {where}")
    unit = {"f16": 2**-11, "bf16": 2**-8, "f32": 2**-10 if asked.tf32 else 2**-24}[asked.dtype]
    bound = unit + asked.k * 2**-23  # of the input's or output's dtype, and of a sum in f32
    wrong = False
    for name, (programs, call) in ways.items():
        c.fill_(7)
        call()
        error = error_of(a, c)
        wrong |= not error <= bound
        print(f"{name:12} {programs:>9} programs of {ways['full grid'][0]}   error {error:.2e}")
    if GPU:
        calls = {name: call for name, (programs, call) in ways.items()}
        calls["torch.matmul"] = lambda: torch.matmul(a, a.T, out=c)
        for name, median in times(calls, asked.runs).items():
            print(f"{name:12} {median:9.3f} ms")
    else:
        print("no CUDA device here: nothing was timed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
