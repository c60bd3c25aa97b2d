"""maps_cases.py: what the tests of wedge.maps share: cells whose w is known without any of its functions, and a runner.

Cases are built from the definition w = T(i) + j (rank 3: Te(i) + T(j) + k), or from w by the integer roots of Python;
no floating point is used. Each case table is a dict of int64 arrays; a w from 2^63 on is kept as the int64 of the same
bits.

The test files need no pytest: python3 python/tests/test_maps_numba.py runs one and exits 1 if a test fails.

SPDX-License-Identifier: MIT"""

import math
import pathlib
import random
import sys
import traceback

import numpy as np

PYTHON = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = PYTHON.parent / "examples" / "python"
try:
    import wedge.maps  # noqa: F401  (an installed package is the one to test)
except ImportError:
    sys.path.insert(0, str(PYTHON))

LAST_ROW, LAST_LAYER = 92681, 2952  # of 32 bits; both are cut by 2^32
LAST_ROW64, LAST_LAYER64 = 6074000999, 4801278


def tri(i):
    return i * (i + 1) // 2


def tet(i):
    return i * (i + 1) * (i + 2) // 6


def pair_of(w):
    i = (math.isqrt(8 * w + 1) - 1) // 2
    return i, w - tri(i)


def layer_of(w):
    low, high = 0, LAST_LAYER64 + 1  # tet(low) <= w < tet(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tet(middle) <= w else (low, middle)
    return low


def triple_of(w):
    i = layer_of(w)
    return (i, *pair_of(w - tet(i)))


def bits(numbers):
    return np.array([int(x) for x in numbers], dtype=np.uint64).view(np.int64)


def table(**columns):
    return {name: np.ascontiguousarray(column, dtype=np.int64) for name, column in columns.items()}


def below(limit, columns):
    keep = columns["w"] < limit
    return table(**{name: column[keep] for name, column in columns.items()})


def every_row(last=LAST_ROW):
    """First, middle and last cell of every row; of the cut row 92,681 also its last cell there is, w = 2^32 - 1."""
    i = np.repeat(np.arange(last + 1, dtype=np.int64), 3)
    j = np.stack([0 * i[::3], i[::3] // 2, i[::3]], axis=1).ravel()
    cut = 2**32 - 1 - tri(LAST_ROW)
    if last == LAST_ROW:
        i, j = np.append(i, LAST_ROW), np.append(j, cut)
    return below(2**32, {"i": i, "j": j, "w": tri(i) + j})


def whole_rows():
    """Every cell of the first rows, of those around where a printed float root first fails, and of the last two."""
    rows = [*range(64), *range(442, 445), *range(4605, 4609), LAST_ROW - 1, LAST_ROW]
    i = np.concatenate([np.full(row + 1, row, dtype=np.int64) for row in rows])
    j = np.concatenate([np.arange(row + 1, dtype=np.int64) for row in rows])
    return below(2**32, {"i": i, "j": j, "w": tri(i) + j})


def every_layer(last=LAST_LAYER):
    """Of every layer: first and last cell, the ends of its second row, and one in the middle; of the cut layer 2,952
    also the last cell there is, w = 2^32 - 1, where a seed that is too large would wrap."""
    i = np.repeat(np.arange(last + 1, dtype=np.int64), 5)
    a = i[::5]
    j = np.stack([0 * a, np.minimum(a, 1), np.minimum(a, 1), a // 2, a], axis=1).ravel()
    k = np.stack([0 * a, 0 * a, np.minimum(a, 1), a // 4, a], axis=1).ravel()
    if last == LAST_LAYER:
        i, j, k = (np.append(axis, end) for axis, end in zip((i, j, k), triple_of(2**32 - 1)))
    return below(2**32, {"i": i, "j": j, "k": k, "w": tet(i) + tri(j) + k})


def wide(start, last, seed):
    """w of all sizes to 2^64 - 1: at random, and around the first cell of random rows (layers) and of the last."""
    draw = random.Random(seed)
    rows = [draw.randrange(last) for _ in range(1000)] + [0, 1, 2, 3, last - 1, last]
    w = [draw.getrandbits(size) for size in range(1, 65) for _ in range(30)]
    w += [start(row) + step for row in rows for step in (-1, 0, 1) if start(row) + step >= 0]
    w += [2**size + step for size in (24, 25, 31, 32, 33, 53, 54, 63) for step in (-1, 0, 1)] + [2**64 - 1, 2**64 - 2]
    return w


def wide_pairs():
    w = wide(tri, LAST_ROW64, 1)
    i, j = zip(*map(pair_of, w))
    return table(i=i, j=j, w=bits(w))


def wide_triples():
    w = wide(tet, LAST_LAYER64, 2)
    i, j, k = zip(*map(triple_of, w))
    return table(i=i, j=j, k=k, w=bits(w))


def wide_runs():
    """Pairs of rows to 3.0e9, beyond int32, whose runs of a row and more can be counted here in int64."""
    cases = below(2**62 - 2**40, wide_pairs())
    return table(**{name: column[cases["w"] >= 0] for name, column in cases.items()})


def segments_of_runs(i, w, count, rows=3):
    """(j, end, left) of runs [w, w + count) in rows i, i+1, ...: what of the run lies between T(row) and T(row + 1)."""
    found = []
    for row in (i + step for step in range(rows)):
        first, stop = np.maximum(w, tri(row)), np.minimum(w + count, tri(row + 1))
        some = stop > first
        left = np.maximum(0, w + count - tri(row + 1))
        found.append((np.where(some, first - tri(row), 0), np.where(some, stop - tri(row), 0), left))
    return found


def walk_segments(row_starts, tiles, programs):
    """Every segment of a walk: (program, row, first column, end column), cut where a row or a program's run begins."""
    run, extra = divmod(tiles, programs)
    runs = np.arange(programs, dtype=np.int64)
    runs = runs * run + np.minimum(runs, extra)
    cuts = np.unique(np.concatenate([row_starts, runs]))
    cuts = cuts[cuts < tiles]
    ends = np.append(cuts[1:], tiles)
    row = np.searchsorted(row_starts, cuts, side="right") - 1
    program = np.searchsorted(runs, cuts, side="right") - 1
    return program, row, cuts - row_starts[row], ends - row_starts[row]


def rows_of_triangle(m):
    return tri(np.arange(m, dtype=np.int64))


def rows_of_tetrahedron(m):
    """Row starts of the tetrahedron, and the (i, j) of each row."""
    i = np.repeat(np.arange(m, dtype=np.int64), np.arange(1, m + 1))
    j = np.concatenate([np.arange(layer + 1, dtype=np.int64) for layer in range(m)])
    return tet(i) + tri(j), i, j


def first_slots(program, programs):
    """Where each program's segments begin in the list of all, and how many it has."""
    counts = np.bincount(program, minlength=programs).astype(np.int64)
    return np.concatenate([[0], np.cumsum(counts)[:-1]]), counts


def same(name, got, wanted, w):
    """All of `got` as wanted; otherwise the first w that is not."""
    wrong = np.flatnonzero(got != wanted)
    if wrong.size:
        x = wrong[0]
        raise AssertionError(
            f"{name}: {wrong.size} of {got.size} are wrong, the first at w = {int(w[x]) % 2**64}: "
            f"{got[x]}, not {wanted[x]}"
        )


class Skipped(Exception):
    pass


def skip(reason):
    if "pytest" in sys.modules:
        sys.modules["pytest"].skip(reason)
    raise Skipped(reason)


def main(tests):
    """Runs the functions named test_*, one line each; the exit status."""
    failed = 0
    for name, test in [item for item in tests.items() if item[0].startswith("test_")]:
        try:
            test()
            print(f"ok       {name}")
        except Skipped as reason:
            print(f"skipped  {name}: {reason}")
        except Exception:
            failed += 1
            print(f"FAILED   {name}\n{traceback.format_exc()}")
    return 1 if failed else 0
