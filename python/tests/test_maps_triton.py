"""wedge.maps.triton: every function against integers of Python, on the GPU or else in Triton's interpreter.

Kernels take blocks of w and are the same for both; only the walk that goes program by program is shorter in the
interpreter. The interpreter does not check types, so one test also compiles all functions for sm_90, which needs no
GPU.

SPDX-License-Identifier: MIT"""

import os
import subprocess
import sys

import numpy as np
from maps_cases import (
    EXAMPLES,
    LAST_ROW,
    below,
    every_layer,
    every_row,
    first_slots,
    main,
    rows_of_tetrahedron,
    rows_of_triangle,
    same,
    segments_of_runs,
    skip,
    tet,
    tri,
    walk_segments,
    whole_rows,
    wide_pairs,
    wide_runs,
    wide_triples,
)

try:
    import torch

    GPU = torch.cuda.is_available()
    if not GPU:
        os.environ["TRITON_INTERPRET"] = "1"
    import triton
    import triton.language as tl
except ImportError as missing:
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip(f"{missing.name} is missing", allow_module_level=True)
    print(f"SKIPPED: {missing.name.upper()} IS MISSING; nothing was tested")
    sys.exit(0)

from wedge.maps import triton as maps
from wedge.maps import walk_grid

DEVICE = "cuda" if GPU else "cpu"
BLOCK = 256 if GPU else 16384

# Kernels: case x of `cases` fills column x of `out`, whose rows lie `size` apart.


@triton.jit
def put(out, size, row, x, value):
    tl.store(out + row * size + x, value.to(tl.int64), mask=x < size)


@triton.jit
def tri32_kernel(cases, out, size, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(cases + x, mask=x < size, other=0).to(tl.uint32)
    i, j = maps.tri_unrank32(w)
    put(out, size, 0, x, i)
    put(out, size, 1, x, j)
    put(out, size, 2, x, maps.tri_rank32(i, j))
    i, j = maps.tri_strict_unrank32(w)
    put(out, size, 3, x, i)
    put(out, size, 4, x, j)
    put(out, size, 5, x, maps.tri_strict_rank32(i, j))


@triton.jit
def tri64_kernel(cases, out, size, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(cases + x, mask=x < size, other=0)
    i, j = maps.tri_unrank64(w)
    put(out, size, 0, x, i)
    put(out, size, 1, x, j)
    put(out, size, 2, x, maps.tri_rank64(i, j))
    i, j = maps.tri_strict_unrank64(w)
    put(out, size, 3, x, i)
    put(out, size, 4, x, j)
    put(out, size, 5, x, maps.tri_strict_rank64(i, j))


@triton.jit
def tet32_kernel(cases, out, size, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(cases + x, mask=x < size, other=0).to(tl.uint32)
    i, j, k = maps.tet_unrank32(w)
    put(out, size, 0, x, i)
    put(out, size, 1, x, j)
    put(out, size, 2, x, k)
    put(out, size, 3, x, maps.tet_rank32(i, j, k))
    i, j, k = maps.tet_strict_unrank32(w)
    put(out, size, 4, x, i)
    put(out, size, 5, x, j)
    put(out, size, 6, x, k)
    put(out, size, 7, x, maps.tet_strict_rank32(i, j, k))


@triton.jit
def tet64_kernel(cases, out, size, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(cases + x, mask=x < size, other=0)
    i, j, k = maps.tet_unrank64(w)
    put(out, size, 0, x, i)
    put(out, size, 1, x, j)
    put(out, size, 2, x, k)
    put(out, size, 3, x, maps.tet_rank64(i, j, k))
    i, j, k = maps.tet_strict_unrank64(w)
    put(out, size, 4, x, i)
    put(out, size, 5, x, j)
    put(out, size, 6, x, k)
    put(out, size, 7, x, maps.tet_strict_rank64(i, j, k))


@triton.jit
def condensed_kernel(cases, out, size, n, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(cases + x, mask=x < size, other=0)
    i, j = maps.condensed_unrank32(n, p.to(tl.uint32))
    put(out, size, 0, x, i)
    put(out, size, 1, x, j)
    put(out, size, 2, x, maps.condensed_rank32(n, i, j))
    i, j = maps.condensed_unrank64(n, p)
    put(out, size, 3, x, i)
    put(out, size, 4, x, j)
    put(out, size, 5, x, maps.condensed_rank64(n, i, j))


@triton.jit
def run_kernel(cases, out, size, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    """Three segments of the run of i + 4 tiles that begins at w."""
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.load(cases + x, mask=x < size, other=0)
    if WIDE:
        i, j = maps.tri_unrank64(w)
        i, j, end, left = maps.walk_from64(i, j, i + 4)
    else:
        i, j = maps.tri_unrank32(w.to(tl.uint32))
        i, j, end, left = maps.walk_from(i, j, i + 4)
    for step in range(3):
        put(out, size, 4 * step, x, i)
        put(out, size, 4 * step + 1, x, j)
        put(out, size, 4 * step + 2, x, end)
        put(out, size, 4 * step + 3, x, left)
        i, j, end, left = maps.walk_next(i, left)


@triton.jit
def walk_kernel(slots, out, size, run, extra, WIDE: tl.constexpr):
    """A program writes its segments from its slot on, and one more than it should have if there is one."""
    if WIDE:
        i, j, end, left = maps.walk_first64(tl.program_id(0), run, extra)
    else:
        i, j, end, left = maps.walk_first(tl.program_id(0), run, extra)
    slot = tl.load(slots + 2 * tl.program_id(0))
    last = slot + tl.load(slots + 2 * tl.program_id(0) + 1)
    while (end > 0) & (slot <= last):
        tl.store(out + slot, i.to(tl.int64))
        tl.store(out + size + slot, j.to(tl.int64))
        tl.store(out + 2 * size + slot, end.to(tl.int64))
        tl.store(out + 3 * size + slot, tl.load(out + 3 * size + slot) + 1)
        i, j, end, left = maps.walk_next(i, left)
        slot += 1


@triton.jit
def walk3_kernel(slots, out, size, run, extra, WIDE: tl.constexpr):
    if WIDE:
        i, j, k, end, left = maps.walk3_first64(tl.program_id(0), run, extra)
    else:
        i, j, k, end, left = maps.walk3_first(tl.program_id(0), run, extra)
    slot = tl.load(slots + 2 * tl.program_id(0))
    last = slot + tl.load(slots + 2 * tl.program_id(0) + 1)
    while (end > 0) & (slot <= last):
        tl.store(out + slot, i.to(tl.int64))
        tl.store(out + size + slot, j.to(tl.int64))
        tl.store(out + 2 * size + slot, k.to(tl.int64))
        tl.store(out + 3 * size + slot, end.to(tl.int64))
        tl.store(out + 4 * size + slot, tl.load(out + 4 * size + slot) + 1)
        i, j, k, end, left = maps.walk3_next(i, j, left)
        slot += 1


def aside(program, **environment):
    """Runs a program that imports this file, in a process of its own and without the interpreter."""
    here = os.path.dirname(os.path.abspath(__file__))
    environment["PYTHONPATH"] = os.pathsep.join([here, *[path for path in sys.path if path]])
    inherited = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment = {**inherited, **environment}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def blocks_of(kernel, cases, rows, *arguments):
    """What the kernel makes of all cases, one program per block of them."""
    size = len(cases)
    out = torch.full((rows, size), -1, dtype=torch.int64, device=DEVICE)
    kernel[(triton.cdiv(size, BLOCK),)](torch.from_numpy(cases).to(DEVICE), out, size, *arguments, BLOCK=BLOCK)
    return out.cpu().numpy()


def check_cells(kernel, cases, shift):
    """Coordinates, their rank, and the same of the strict form, whose coordinates are larger by `shift`."""
    axes = [cases[axis] for axis in "ijk"[: len(shift)]]
    strict = [axis + step for axis, step in zip(axes, shift)]
    wanted = [*axes, cases["w"], *strict, cases["w"]]
    out = blocks_of(kernel, cases["w"], len(wanted))
    for row, name in enumerate([*"ijk"[: len(axes)], "rank", *"ijk"[: len(axes)], "rank"]):
        same(f"{kernel.__name__} {name}", out[row], wanted[row], cases["w"])


def check_runs(cases, wide):
    i, w = cases["i"], cases["w"]
    out = blocks_of(run_kernel, w, 12, wide)
    for step, (j, end, left) in enumerate(segments_of_runs(i, w, i + 4)):
        for row, (name, wanted) in enumerate([("i", i + step), ("j", j), ("end", end), ("left", left)]):
            same(f"segment {step} {name}", out[4 * step + row], wanted, w)


def check_walk(kernel, starts, axes, tiles, resident):
    """Every segment of every program, in order, none twice and none beyond its run."""
    programs, run, extra = walk_grid(tiles, resident)
    program, row, first, end = walk_segments(starts, tiles, programs)
    slots = torch.from_numpy(np.stack(first_slots(program, programs), axis=1)).to(DEVICE)
    wanted = [*[axis[row] for axis in axes], first, end, np.ones_like(end)]
    for wide in False, True:
        if not wide and run >= 2**31:
            continue
        size = len(row) + 1
        out = torch.zeros((len(wanted), size), dtype=torch.int64, device=DEVICE)
        kernel[(programs,)](slots, out, size, run, extra, WIDE=wide)
        for line, got in enumerate(out.cpu().numpy()):
            same(f"{kernel.__name__} line {line} of {programs} programs", got[:-1], wanted[line], starts[row] + first)


def check_walk2(m, resident):
    check_walk(walk_kernel, rows_of_triangle(m), [np.arange(m)], tri(m), resident)


def check_walk3(m, resident):
    starts, i, j = rows_of_tetrahedron(m)
    check_walk(walk3_kernel, starts, [i, j], tet(m), resident)


def test_every_row_to_92681():
    for cases in every_row(), whole_rows():
        check_cells(tri32_kernel, cases, (1, 0))
        check_cells(tri64_kernel, cases, (1, 0))


def test_every_layer_to_2952():
    check_cells(tet32_kernel, every_layer(), (2, 1, 0))
    check_cells(tet64_kernel, every_layer(), (2, 1, 0))


def test_every_size_of_w_to_64_bits():
    check_cells(tri64_kernel, wide_pairs(), (1, 0))
    check_cells(tet64_kernel, wide_triples(), (2, 1, 0))


def test_condensed_order_is_that_of_triu_indices():
    for n in 2, 3, 700:
        i, j = np.triu_indices(n, 1)
        p = np.arange(len(i), dtype=np.int64)
        for got, wanted in zip(blocks_of(condensed_kernel, p, 6, n), [i, j, p, i, j, p]):
            same("condensed", got, wanted, p)


def test_segments_follow_from_every_row():
    check_runs(below(2**32 - 3 * LAST_ROW, every_row()), False)
    check_runs(wide_runs(), True)


def test_small_walks():
    for m in 1, 2, 5, 9:
        for resident in 1, 2, 4, 100:
            check_walk2(m, resident)
            check_walk3(m, resident)


def test_walks_of_every_row_on_the_gpu():
    if not GPU:
        skip("no CUDA device here; test_small_walks ran in the interpreter")
    for resident in 1, 4, 1056, 100003:
        check_walk2(LAST_ROW, resident)
        check_walk3(300, resident)


def test_multiprocessors_are_those_of_the_device():
    if not GPU:
        skip("no CUDA device here")
    assert maps.multiprocessors() == torch.cuda.get_device_properties(0).multi_processor_count


def test_no_sum_or_product_overflows_in_debug_mode():
    """Triton's debug mode ends a kernel whose 32-bit integers overflow, and CUDA with it: hence its own process."""
    if not GPU:
        skip("no CUDA device here")
    tests = "t.test_every_row_to_92681(), t.test_every_layer_to_2952(), t.test_small_walks()"
    aside(f"import test_maps_triton as t; {tests}", TRITON_DEBUG="1")


def compile_all():
    """Every kernel of this file and the SYRK for sm_90; a 32-bit form refuses a 64-bit w."""
    sys.path.insert(0, str(EXAMPLES))
    from syrk_triton import by_lambda, by_walk, full_grid
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, CompilationError

    def build(kernel, signature, constants):
        triton.compile(ASTSource(kernel, signature, constants), target=GPUTarget("cuda", 90, 32))

    @triton.jit
    def too_wide(out, w):
        i, j = maps.tri_unrank32(w)
        tl.store(out, i + j)

    pointers = {"cases": "*i64", "out": "*i64", "size": "i32"}
    for kernel in tri32_kernel, tri64_kernel, tet32_kernel, tet64_kernel:
        build(kernel, {**pointers, "BLOCK": "constexpr"}, {"BLOCK": 256})
    for wide in False, True:
        build(run_kernel, {**pointers, "WIDE": "constexpr", "BLOCK": "constexpr"}, {"WIDE": wide, "BLOCK": 256})
    build(condensed_kernel, {**pointers, "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256})
    walk = {"slots": "*i64", "out": "*i64", "size": "i32", "run": "i32", "extra": "i32", "WIDE": "constexpr"}
    for kernel in walk_kernel, walk3_kernel:
        for wide in False, True:
            build(kernel, walk, {"WIDE": wide})
            build(kernel, {**walk, "run": "constexpr", "extra": "constexpr"}, {"WIDE": wide, "run": 1, "extra": 1})
    syrk = {"a": "*fp16", "c": "*fp16", "n": "i32", "k": "i32"}
    sizes = {"SIDE": 128, "DEPTH": 64, "PRECISION": "ieee"}
    for kernel, own in (full_grid, {}), (by_lambda, {}), (by_walk, {"run": "i32", "extra": "i32"}):
        build(kernel, {**syrk, **own, **dict.fromkeys(sizes, "constexpr")}, sizes)
    try:
        build(too_wide, {"out": "*i32", "w": "i64"}, {})
    except CompilationError as refused:
        cause = refused
        while cause.__cause__ is not None:
            cause = cause.__cause__
        assert "64 bits given to a 32-bit form" in str(cause), cause
        return
    raise AssertionError("tri_unrank32 took an int64")


def test_all_functions_compile_for_sm_90():
    aside(
        "import torch; torch.cuda.is_available = lambda: True\n"  # keeps the interpreter off
        "import test_maps_triton as t; t.compile_all()"
    )


if __name__ == "__main__":
    sys.exit(main(dict(globals())))
