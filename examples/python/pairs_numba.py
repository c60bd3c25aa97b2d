#!/usr/bin/env python3
"""pairs_numba.py [--n 3000]: counts of all pairs of points by their squared distance, in Numba, on a GPU or the cpu.

On a GPU each thread takes pairs i > j by wedge.maps.numba.tri_strict_unrank64, so that no thread is launched for the
other half of the square. On the cpu each thread takes one run of rows by walk_first64: one root per thread, then plain
loops. Coordinates are integers, so the counts are exact, and equal to NumPy's.

SPDX-License-Identifier: MIT"""
import argparse
import pathlib
import sys

try:
    import numpy as np
    from numba import cuda, get_num_threads, njit, prange
except ImportError as missing:
    print(f"SKIPPED: {missing.name.upper()} IS MISSING; nothing was computed")
    sys.exit(0)

try:
    import wedge.maps  # noqa: F401
except ImportError:  # not installed: take it from the source tree
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from wedge.maps import numba as maps
from wedge.maps import tri_count, walk_grid

SIDE, BINS = 32, 128  # coordinates below SIDE, squared distances below 3 SIDE^2 in so many bins
WIDTH = 3 * SIDE * SIDE // BINS


@njit
def bin_of(points, i, j):
    x, y, z = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1], points[i, 2] - points[j, 2]
    return (x * x + y * y + z * z) // WIDTH


@cuda.jit
def on_gpu(points, pairs, counts):
    """Threads take every so-manieth pair; a block counts in shared memory and adds its counts at the end."""
    mine = cuda.shared.array(BINS, dtype=np.int32)
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        mine[b] = 0
    cuda.syncthreads()
    for w in range(cuda.grid(1), pairs, cuda.gridsize(1)):
        i, j = maps.tri_strict_unrank64(w)
        cuda.atomic.add(mine, bin_of(points, i, j), 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, BINS, cuda.blockDim.x):
        cuda.atomic.add(counts, b, np.int64(mine[b]))


@njit(parallel=True)
def on_cpu(points, threads, run, extra):
    """Cell (i, j) of the triangle with its diagonal is the pair (i + 1, j)."""
    counts = np.zeros((threads, BINS), dtype=np.int64)
    for t in prange(threads):
        i, j, end, left = maps.walk_first64(t, run, extra)
        while end > 0:
            for column in range(j, end):
                counts[t, bin_of(points, i + 1, column)] += 1
            i, j, end, left = maps.walk_next(i, left)
    return counts.sum(axis=0)


def by_numpy(points):
    counts = np.zeros(BINS, dtype=np.int64)
    for i in range(1, len(points)):
        squares = ((points[:i] - points[i])**2).sum(axis=1)
        counts += np.bincount(squares // WIDTH, minlength=BINS)
    return counts


def main():
    parser = argparse.ArgumentParser(description="counts of all pairs by squared distance, in Numba")
    parser.add_argument("--n", type=int, default=3000, help="points")
    n = parser.parse_args().n
    points = np.random.default_rng(1).integers(0, SIDE, size=(n, 3))
    pairs = tri_count(n - 1)
    if cuda.is_available():
        counts = np.zeros(BINS, dtype=np.int64)
        there = cuda.to_device(counts)
        on_gpu[maps.multiprocessors() * 8, 256](cuda.to_device(points), pairs, there)
        counts, where = there.copy_to_host(), "CUDA"
    else:
        counts, where = on_cpu(points, *walk_grid(pairs, get_num_threads())), "the cpu"
    good = np.array_equal(counts, by_numpy(points)) and counts.sum() == pairs
    print(f"{pairs} pairs of {n} points on {where}: {'as NumPy counts them' if good else 'NOT as NumPy counts them'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
