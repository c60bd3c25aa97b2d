"""wedge.maps.numba: every function against integers of Python, compiled for the cpu, for CUDA, and in CUDA's simulator.

There is one body per kind of case, which a loop calls on the cpu and one thread per case on the GPU. Without a GPU the
tests on it are skipped, and the simulator runs the same kernels over fewer cases.

SPDX-License-Identifier: MIT"""

import os
import subprocess
import sys

import numpy as np
from maps_cases import (
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
    from numba import cuda, int64, njit
except ImportError:
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip("Numba is missing", allow_module_level=True)
    print("SKIPPED: NUMBA IS MISSING; nothing was tested")
    sys.exit(0)

from wedge.maps import numba as maps
from wedge.maps import walk_grid

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"

# Bodies: case x fills column x of `out`. run and extra are for the walks alone.


@njit
def tri32_body(x, w, run, extra, out):
    i, j = maps.tri_unrank32(w[x])
    out[0, x], out[1, x], out[2, x] = i, j, maps.tri_rank32(i, j)
    i, j = maps.tri_strict_unrank32(w[x])
    out[3, x], out[4, x], out[5, x] = i, j, maps.tri_strict_rank32(i, j)


@njit
def tri64_body(x, w, run, extra, out):
    i, j = maps.tri_unrank64(w[x])
    out[0, x], out[1, x], out[2, x] = i, j, maps.tri_rank64(i, j)
    i, j = maps.tri_strict_unrank64(w[x])
    out[3, x], out[4, x], out[5, x] = i, j, maps.tri_strict_rank64(i, j)


@njit
def tet32_body(x, w, run, extra, out):
    i, j, k = maps.tet_unrank32(w[x])
    out[0, x], out[1, x], out[2, x], out[3, x] = i, j, k, maps.tet_rank32(i, j, k)
    i, j, k = maps.tet_strict_unrank32(w[x])
    out[4, x], out[5, x], out[6, x], out[7, x] = i, j, k, maps.tet_strict_rank32(i, j, k)


@njit
def tet64_body(x, w, run, extra, out):
    i, j, k = maps.tet_unrank64(w[x])
    out[0, x], out[1, x], out[2, x], out[3, x] = i, j, k, maps.tet_rank64(i, j, k)
    i, j, k = maps.tet_strict_unrank64(w[x])
    out[4, x], out[5, x], out[6, x], out[7, x] = i, j, k, maps.tet_strict_rank64(i, j, k)


@njit
def condensed_body(x, p, n, extra, out):
    i, j = maps.condensed_unrank32(n, p[x])
    out[0, x], out[1, x], out[2, x] = i, j, maps.condensed_rank32(n, i, j)
    i, j = maps.condensed_unrank64(n, p[x])
    out[3, x], out[4, x], out[5, x] = i, j, maps.condensed_rank64(n, i, j)


@njit
def run_body(x, w, run, extra, out):
    """Three segments of the run of i + 4 tiles that begins at w."""
    i, j = maps.tri_unrank32(w[x])
    i, j, end, left = maps.walk_from(i, j, i + 4)
    for step in range(3):
        out[4 * step, x], out[4 * step + 1, x], out[4 * step + 2, x], out[4 * step + 3, x] = i, j, end, left
        i, j, end, left = maps.walk_next(i, left)


@njit
def run64_body(x, w, run, extra, out):
    i, j = maps.tri_unrank64(w[x])
    i, j, end, left = maps.walk_from64(i, j, i + 4)
    for step in range(3):
        out[4 * step, x], out[4 * step + 1, x], out[4 * step + 2, x], out[4 * step + 3, x] = i, j, end, left
        i, j, end, left = maps.walk_next(i, left)


@njit
def walk_body(x, slots, run, extra, out):
    """Block x writes its segments from its slot on, and one more than it should have if there is one."""
    i, j, end, left = maps.walk_first(x, run, extra)
    a, b, wide_end, rest = maps.walk_first64(x, run, extra)
    slot, last = slots[x, 0], slots[x, 0] + slots[x, 1]
    if a != i or b != j or wide_end != end or rest != left:
        last = slot  # then its rows of `out` stay empty
    while end > 0 and slot <= last:
        out[0, slot], out[1, slot], out[2, slot], out[3, slot] = i, j, end, out[3, slot] + 1
        i, j, end, left = maps.walk_next(i, left)
        slot += 1


@njit
def walk3_body(x, slots, run, extra, out):
    i, j, k, end, left = maps.walk3_first(x, run, extra)
    a, b, c, wide_end, rest = maps.walk3_first64(x, run, extra)
    slot, last = slots[x, 0], slots[x, 0] + slots[x, 1]
    if a != i or b != j or c != k or wide_end != end or rest != left:
        last = slot
    while end > 0 and slot <= last:
        out[0, slot], out[1, slot], out[2, slot], out[3, slot], out[4, slot] = i, j, k, end, out[4, slot] + 1
        i, j, k, end, left = maps.walk3_next(i, j, left)
        slot += 1


def on_cpu(body, cases, run, extra, out):
    @njit
    def loop(cases, run, extra, out):
        for x in range(len(cases)):
            body(x, cases, run, extra, out)

    loop(cases, run, extra, out)


def on_gpu(body, cases, run, extra, out):
    if SIMULATED:
        body = body.py_func  # the simulator's arrays are none that njit takes; the maps stay compiled

    @cuda.jit
    def kernel(cases, run, extra, out):
        x = cuda.grid(1)
        if x < len(cases):
            body(x, cases, run, extra, out)

    threads = 128
    there = cuda.to_device(out)
    kernel[(len(cases) + threads - 1) // threads, threads](cuda.to_device(cases), run, extra, there)
    out[...] = there.copy_to_host()


# What holds, wherever `device` runs the bodies.


def cells_are_right(device, body, cases, shift):
    """Coordinates, their rank, and the same of the strict form, whose coordinates are larger by `shift`."""
    axes = [cases[axis] for axis in "ijk"[: len(shift)]]
    strict = [axis + step for axis, step in zip(axes, shift)]
    wanted = np.stack([*axes, cases["w"], *strict, cases["w"]])
    out = np.full_like(wanted, -1)
    device(body, cases["w"], 0, 0, out)
    for row, name in enumerate([*"ijk"[: len(axes)], "rank", *"ijk"[: len(axes)], "rank"]):
        same(f"{body.__name__} {name}", out[row], wanted[row], cases["w"])


def condensed_order_is_right(device, n):
    i, j = np.triu_indices(n, 1)
    p = np.arange(len(i), dtype=np.int64)
    out = np.full((6, len(p)), -1, dtype=np.int64)
    device(condensed_body, p, n, 0, out)
    for row, wanted in enumerate([i, j, p, i, j, p]):
        same("condensed", out[row], wanted, p)


def runs_are_right(device, body, cases):
    i, w = cases["i"], cases["w"]
    out = np.full((12, len(w)), -1, dtype=np.int64)
    device(body, w, 0, 0, out)
    for step, (j, end, left) in enumerate(segments_of_runs(i, w, i + 4)):
        for row, (name, wanted) in enumerate([("i", i + step), ("j", j), ("end", end), ("left", left)]):
            same(f"segment {step} {name}", out[4 * step + row], wanted, w)


def walk_is_right(device, body, starts, axes, tiles, resident):
    """Every segment of every block, in order, none twice and none beyond its run."""
    blocks, run, extra = walk_grid(tiles, resident)
    program, row, first, end = walk_segments(starts, tiles, blocks)
    slots = np.stack(first_slots(program, blocks), axis=1)
    wanted = np.stack([*[axis[row] for axis in axes], first, end, np.ones_like(end)])
    out = np.zeros((len(wanted), len(row) + 1), dtype=np.int64)
    device(body, slots, run, extra, out)
    for line in range(len(wanted)):
        same(f"{body.__name__} line {line} of {blocks} blocks", out[line, :-1], wanted[line], starts[row] + first)


def walk2_is_right(device, m, resident):
    walk_is_right(device, walk_body, rows_of_triangle(m), [np.arange(m)], tri(m), resident)


def walk3_is_right(device, m, resident):
    starts, i, j = rows_of_tetrahedron(m)
    walk_is_right(device, walk3_body, starts, [i, j], tet(m), resident)


def everything_is_right(device):
    for cases in every_row(), whole_rows():
        cells_are_right(device, tri32_body, cases, (1, 0))
        cells_are_right(device, tri64_body, cases, (1, 0))
    cells_are_right(device, tet32_body, every_layer(), (2, 1, 0))
    cells_are_right(device, tri64_body, wide_pairs(), (1, 0))
    cells_are_right(device, tet64_body, wide_triples(), (2, 1, 0))
    condensed_order_is_right(device, 700)
    runs_are_right(device, run_body, below(2**32 - 3 * LAST_ROW, every_row()))
    runs_are_right(device, run64_body, wide_runs())
    for resident in 1, 4, 1056, 100003:
        walk2_is_right(device, LAST_ROW, resident)
        walk3_is_right(device, 300, resident)


def test_every_row_to_92681_on_the_cpu():
    for cases in every_row(), whole_rows():
        cells_are_right(on_cpu, tri32_body, cases, (1, 0))
        cells_are_right(on_cpu, tri64_body, cases, (1, 0))


def test_every_layer_to_2952_on_the_cpu():
    cells_are_right(on_cpu, tet32_body, every_layer(), (2, 1, 0))
    cells_are_right(on_cpu, tet64_body, every_layer(), (2, 1, 0))


def test_every_size_of_w_to_64_bits_on_the_cpu():
    cells_are_right(on_cpu, tri64_body, wide_pairs(), (1, 0))
    cells_are_right(on_cpu, tet64_body, wide_triples(), (2, 1, 0))


def test_condensed_order_is_that_of_triu_indices():
    for n in 2, 3, 700:
        condensed_order_is_right(on_cpu, n)


def test_segments_follow_from_every_row_on_the_cpu():
    runs_are_right(on_cpu, run_body, below(2**32 - 3 * LAST_ROW, every_row()))
    runs_are_right(on_cpu, run64_body, wide_runs())


def test_walks_of_every_row_on_the_cpu():
    for resident in 1, 4, 1056, 100003:
        walk2_is_right(on_cpu, LAST_ROW, resident)
        walk3_is_right(on_cpu, 300, resident)
    for m in 1, 2, 5:
        for resident in 1, 2, 4, 100:
            walk2_is_right(on_cpu, m, resident)
            walk3_is_right(on_cpu, m, resident)


def test_results_are_integers_where_the_interpreter_calls():
    assert maps.tri_unrank32(7) == (3, 1) and maps.tri_rank32(3, 1) == 7
    assert maps.tet_unrank64(np.uint64(2**64 - 1))[0] == 4801278
    assert maps.tri_rank64(6074000999, 0) % 2**64 == 6074000999 * 6074001000 // 2
    results = [*maps.tri_unrank64(np.uint64(7)), *maps.walk_first(0, np.uint32(3), np.uint64(1)), maps.tet64(4)]
    assert all(type(x) is int for x in results), results


def test_every_result_is_int64():
    calls = {
        "tri64": (3,),
        "tet64": (3,),
        "tri_rank32": (3, 1),
        "tri_rank64": (3, 1),
        "tet_rank32": (3, 2, 1),
        "tet_rank64": (3, 2, 1),
        "tri_unrank32": (7,),
        "tri_unrank64": (7,),
        "tet_unrank32": (7,),
        "tet_unrank64": (7,),
        "condensed_rank64": (5, 1, 3),
        "condensed_unrank64": (5, 3),
        "walk_first": (1, 3, 1),
        "walk_next": (3, 9),
        "walk3_first64": (1, 3, 1),
        "walk3_next": (3, 3, 9),
    }
    for name, arguments in calls.items():
        function = getattr(maps, name)
        function(*map(np.uint64, arguments))
        for signature in function.nopython_signatures:
            result = signature.return_type
            assert result == int64 or set(result.types) == {int64}, (name, signature)


def test_a_signed_loop_index_stays_an_integer():
    @njit
    def sum_of_gaps(n):
        total = 0
        for w in range(maps.tri64(n)):
            i, j = maps.tri_unrank64(w)
            total += i - j + maps.tri_rank64(i, j) - w
        return total

    total = sum_of_gaps(20)
    assert type(total) is int and total == sum(i - j for i in range(20) for j in range(i + 1))


def test_the_simulator_of_cuda_runs_the_kernels():
    if SIMULATED:
        cells_are_right(on_gpu, tri32_body, every_row(60), (1, 0))
        cells_are_right(on_gpu, tet32_body, every_layer(20), (2, 1, 0))
        runs_are_right(on_gpu, run_body, every_row(30))
        walk2_is_right(on_gpu, 20, 7)
        walk3_is_right(on_gpu, 6, 7)
        return
    test = "import test_maps_numba as t; t.test_the_simulator_of_cuda_runs_the_kernels()"
    here = os.path.dirname(os.path.abspath(__file__))
    paths = os.pathsep.join([here, *[path for path in sys.path if path]])
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": paths}
    run = subprocess.run([sys.executable, "-c", test], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_everything_on_the_gpu():
    if SIMULATED or not cuda.is_available():
        skip("no CUDA device here")
    everything_is_right(on_gpu)


def test_everything_on_the_gpu_with_fastmath():
    """fastmath makes roots and powers approximate; the integer correction makes up for it."""
    if SIMULATED or not cuda.is_available():
        skip("no CUDA device here")

    def on_fast_gpu(body, cases, run, extra, out):
        @cuda.jit(fastmath=True)
        def kernel(cases, run, extra, out):
            x = cuda.grid(1)
            if x < len(cases):
                body(x, cases, run, extra, out)

        there = cuda.to_device(out)
        kernel[(len(cases) + 127) // 128, 128](cuda.to_device(cases), run, extra, there)
        out[...] = there.copy_to_host()

    everything_is_right(on_fast_gpu)


if __name__ == "__main__":
    sys.exit(main(dict(globals())))
