"""wedge.maps.numba: exact maps from one index to the cells of a triangle or a tetrahedron, for Numba.

    from wedge.maps import tri_count, numba as maps

    @cuda.jit
    def kernel(...):                                       # launched with tri_count(m) blocks, not m x m
        i, j = maps.tri_unrank32(cuda.blockIdx.x)          # 0 <= j <= i < m, each tile once
        ...

The functions are njit functions. Numba compiles them for the cpu where njit code or the interpreter calls them, and for
CUDA where a kernel of cuda.jit does. Packed order, coordinates descending, counted from 0; names and order are those of
map.h:

    triangle                     tetrahedron
    w = T(i) + j                 w = Te(i) + T(j) + k             T(i)  = i(i+1)/2
    strict (i > j):              strict (i > j > k):              Te(i) = i(i+1)(i+2)/6
    w = T(i-1) + j               w = Te(i-2) + T(j-1) + k

Arguments may have any integer type; the 32-bit forms take the low 32 bits. All results are int64, coordinates and
ranks, as a loop's index is. (A rank from 2^63 on is the int64 of the same bits: np.uint64(r) in a kernel, r % 2**64 in
the interpreter.) Inside all is unsigned, constants too: a uint64 beside an int64 becomes signed in Numba, and a
comparison or a shift is then wrong from 2^63 on.

Why they are exact, also where roots are approximate (fastmath=True): the root is only a *seed*. It has to be the wanted
row or the one after it, and integers decide which: s is too large if and only if T(s) > w. Over row i, sqrt(2w) stays
within (i + 0.41, i + 1.5), so its floor is i or i+1 while the root errs by less than 1/2: 64 ulp in the last row of the
32-bit form, or 12 ulp at its very end, where 2^32 cuts it. Every w below 2^32 is right: rows 0 to 92,681. The 64-bit
forms have roots in doubles that may err by 8e-12 of their value: rows 0 to 6,074,000,999. docs/maps.md has the argument
in full.

SPDX-License-Identifier: MIT"""

import math

try:
    import numpy as np
    from numba import float32, float64, int64, njit, uint32, uint64
except ImportError as error:
    raise ImportError("wedge.maps.numba needs Numba: pip install numba (and numba-cuda for GPUs)") from error

__all__ = [
    "tri32", "tri64", "tet32", "tet64",
    "tri_rank32", "tri_rank64", "tri_unrank32", "tri_unrank64",
    "tri_strict_rank32", "tri_strict_rank64", "tri_strict_unrank32", "tri_strict_unrank64",
    "condensed_rank32", "condensed_rank64", "condensed_unrank32", "condensed_unrank64",
    "tet_rank32", "tet_rank64", "tet_unrank32", "tet_unrank64",
    "tet_strict_rank32", "tet_strict_rank64", "tet_strict_unrank32", "tet_strict_unrank64",
    "walk_from", "walk_from64", "walk_first", "walk_first64", "walk_next",
    "walk3_from", "walk3_from64", "walk3_first", "walk3_first64", "walk3_next",
    "multiprocessors",
]  # yapf: disable

_ONE32, _TWO32, _THIRD32 = np.uint32(1), np.uint32(2), np.uint32(0xAAAAAAAB)
_ONE64, _TWO64, _THIRD64 = np.uint64(1), np.uint64(2), np.uint64(0xAAAAAAAAAAAAAAAB)

# ======== Numbers ========
#
# Numba widens uint32 to uint64 in every operation; the casts back make the compiler use 32 bits.


@njit
def _tri32(i):
    return uint32((i | _ONE32) * ((i + _ONE32) >> _ONE32))


@njit
def _tri64(i):
    return (i | _ONE64) * ((i + _ONE64) >> _ONE64)


@njit
def _tet32(i):
    return uint32(uint32(_tri32(i) * uint32(i + _TWO32)) * _THIRD32)


@njit
def _tet64(i):
    return _tri64(i) * (i + _TWO64) * _THIRD64


@njit
def tri32(i):
    """T(i) = i(i+1)/2. One of i and i+1 is even: halved first, the product is right whenever T(i) fits 32 bits."""
    return int64(_tri32(uint32(i)))


@njit
def tri64(i):
    """T(i) = i(i+1)/2, while it fits 64 bits."""
    return int64(_tri64(uint64(i)))


@njit
def tet32(i):
    """Te(i) = T(i)(i+2)/3, while it fits 32 bits. The division is exact: a product with the inverse of 3."""
    return int64(_tet32(uint32(i)))


@njit
def tet64(i):
    """Te(i), while it fits 64 bits."""
    return int64(_tet64(uint64(i)))


# ======== Cells of a triangle ========


@njit
def tri_rank32(i, j):
    """The w of (i, j), i >= j. Exact while it fits 32 bits: rows 0 to 92,681."""
    return int64(uint32(_tri32(uint32(i)) + uint32(j)))


@njit
def tri_rank64(i, j):
    """The w of (i, j), i >= j. Exact while it fits 64 bits: rows 0 to 6,074,000,999."""
    return int64(_tri64(uint64(i)) + uint64(j))


@njit
def tri_unrank32(w):
    """lambda: (i, j) of w, i >= j. Exact for every w below 2^32.

    i is the largest row with T(i) <= w. The seed s = floor(sqrt(2w)) is i or i+1, and T(s-1) = T(s) - s."""
    w = uint32(w)
    s = uint32(math.sqrt(float32(2.0) * float32(w)))
    t = _tri32(s)
    over = t > w
    return int64(uint32(s - uint32(over))), int64(uint32(w - t + (s if over else uint32(0))))


@njit
def tri_unrank64(w):
    """lambda for every w below 2^64, with a root in doubles."""
    w = uint64(w)
    s = uint64(math.sqrt(2.0 * float64(w)))
    t = _tri64(s)
    over = t > w
    return int64(s - uint64(over)), int64(w - t + (s if over else uint64(0)))


@njit
def tri_strict_rank32(i, j):
    """The w of (i, j), i > j: the same triangle one row down."""
    return tri_rank32(uint32(i) - _ONE32, j)


@njit
def tri_strict_rank64(i, j):
    """The w of (i, j), i > j, in 64 bits."""
    return tri_rank64(uint64(i) - _ONE64, j)


@njit
def tri_strict_unrank32(w):
    """(i, j) of w, i > j. Exact for every w below 2^32."""
    i, j = tri_unrank32(w)
    return i + 1, j


@njit
def tri_strict_unrank64(w):
    """(i, j) of w, i > j. Exact for every w below 2^64."""
    i, j = tri_unrank64(w)
    return i + 1, j


@njit
def condensed_rank32(n, i, j):
    """The place of the pair i < j of n points in SciPy's condensed order (pdist). n to 92,682."""
    last = int64(n) - 1
    return tri32(last) - 1 - tri_strict_rank32(last - int64(i), last - int64(j))


@njit
def condensed_rank64(n, i, j):
    """The same in 64 bits. n to 6,074,001,000."""
    last = int64(n) - 1
    return tri64(last) - 1 - tri_strict_rank64(last - int64(i), last - int64(j))


@njit
def condensed_unrank32(n, p):
    """The pair i < j at place p of n points' condensed order: the strict order read backwards over reversed points."""
    last = int64(n) - 1
    i, j = tri_strict_unrank32(tri32(last) - 1 - int64(p))
    return last - i, last - j


@njit
def condensed_unrank64(n, p):
    """The same in 64 bits."""
    last = int64(n) - 1
    i, j = tri_strict_unrank64(tri64(last) - 1 - int64(p))
    return last - i, last - j


# ======== Cells of a tetrahedron ========


@njit
def tet_rank32(i, j, k):
    """The w of (i, j, k), i >= j >= k. Exact while it fits 32 bits: layers 0 to 2,952."""
    return int64(uint32(_tet32(uint32(i)) + _tri32(uint32(j)) + uint32(k)))


@njit
def tet_rank64(i, j, k):
    """The w of (i, j, k), i >= j >= k. Exact while it fits 64 bits: layers 0 to 4,801,278."""
    return int64(_tet64(uint64(i)) + _tri64(uint64(j)) + uint64(k))


@njit
def tet_unrank32(w):
    """(i, j, k) of w, i >= j >= k. Exact for every w below 2^32.

    i is the largest layer with Te(i) <= w. cbrt(6w + 3) - 13/16 stays within (i + 0.15, i + 1.19) over layer i: the
    seed is i or i+1 while the root errs by less than 0.15, in the last layer by less than 2.9e-5 of it (a float power
    errs by 3e-7, the fast one of CUDA by 4e-6). Te(s-1) = Te(s) - T(s); what remains is a w of the triangle."""
    w = uint32(w)
    root = math.pow(float32(6.0) * float32(w) + float32(3.0), float32(1.0 / 3.0))
    s = uint32(root - float32(0.8125))
    t = _tet32(s)
    over = t > w
    j, k = tri_unrank32(uint32(w - t + (_tri32(s) if over else uint32(0))))
    return int64(uint32(s - uint32(over))), j, k


@njit
def tet_unrank64(w):
    """(i, j, k) of w, i >= j >= k. Exact for every w below 2^64: the root in doubles may err by 3e-8 of its value."""
    w = uint64(w)
    s = uint64(math.pow(6.0 * float64(w) + 3.0, 1.0 / 3.0) - 0.8125)
    t = _tet64(s)
    over = t > w
    j, k = tri_unrank64(w - t + (_tri64(s) if over else uint64(0)))
    return int64(s - uint64(over)), j, k


@njit
def tet_strict_rank32(i, j, k):
    """The w of (i, j, k), i > j > k: the same tetrahedron, two layers and one row down."""
    return tet_rank32(uint32(i) - _TWO32, uint32(j) - _ONE32, k)


@njit
def tet_strict_rank64(i, j, k):
    """The w of (i, j, k), i > j > k, in 64 bits."""
    return tet_rank64(uint64(i) - _TWO64, uint64(j) - _ONE64, k)


@njit
def tet_strict_unrank32(w):
    """(i, j, k) of w, i > j > k. Exact for every w below 2^32."""
    i, j, k = tet_unrank32(w)
    return i + 2, j + 1, k


@njit
def tet_strict_unrank64(w):
    """(i, j, k) of w, i > j > k. Exact for every w below 2^64."""
    i, j, k = tet_unrank64(w)
    return i + 2, j + 1, k


# ======== Walk ========
#
# A resident grid of any size: of T(m) tiles, block b takes a contiguous run, finds its first tile by the exact lambda,
# and then goes row by row. A *segment* is what of the run lies in one row: tiles (i, j) to (i, end - 1), and `left`
# more tiles follow in later rows; end = 0: no tile. In rank 3 it lies along k: (i, j, k) to (i, j, end - 1).
#
#     i, j, end, left = maps.walk_first(cuda.blockIdx.x, run, extra)    # run, extra from walk_grid(T(m), resident)
#     while end > 0:
#         for column in range(j, end):                                  # tile (i, column); what belongs to row i stays
#             ...
#         i, j, end, left = maps.walk_next(i, left)


@njit
def walk_from(i, j, count):
    """The first segment (i, j, end, left) of a run of `count` tiles that begins at (i, j)."""
    i, j, count = int64(i), int64(j), int64(count)
    taken = min(count, i + 1 - j)
    return i, j, (j + taken if taken > 0 else int64(0)), count - taken


walk_from64 = walk_from  # a name for code shared with Triton: here all is int64


@njit
def walk_first(block, run, extra):
    """The first segment of a block. All tiles together are fewer than 2^32."""
    block, run, extra = int64(block), int64(run), int64(extra)
    i, j = tri_unrank32(block * run + min(block, extra))
    return walk_from(i, j, run + int64(block < extra))


@njit
def walk_first64(block, run, extra):
    """The first segment of a block, for any number of tiles below 2^64, a run of them below 2^63."""
    block, run, extra = int64(block), int64(run), int64(extra)
    i, j = tri_unrank64(block * run + min(block, extra))
    return walk_from(i, j, run + int64(block < extra))


@njit
def walk_next(i, left):
    """The segment after one of row i that left so many tiles."""
    i, left = int64(i) + 1, int64(left)
    end = min(left, i + 1)
    return i, int64(0), end, left - end


@njit
def walk3_from(i, j, k, count):
    """The first segment (i, j, k, end, left) of a run of `count` tiles that begins at (i, j, k)."""
    j, k, end, left = walk_from(j, k, count)
    return int64(i), j, k, end, left


walk3_from64 = walk3_from


@njit
def walk3_first(block, run, extra):
    """The first segment of a block in rank 3. All tiles together are fewer than 2^32."""
    block, run, extra = int64(block), int64(run), int64(extra)
    i, j, k = tet_unrank32(block * run + min(block, extra))
    return walk3_from(i, j, k, run + int64(block < extra))


@njit
def walk3_first64(block, run, extra):
    """The first segment of a block in rank 3, for any number of tiles below 2^64, a run of them below 2^63."""
    block, run, extra = int64(block), int64(run), int64(extra)
    i, j, k = tet_unrank64(block * run + min(block, extra))
    return walk3_from(i, j, k, run + int64(block < extra))


@njit
def walk3_next(i, j, left):
    """The segment after one of row j in layer i that left so many tiles."""
    i, j, left = int64(i), int64(j), int64(left)
    layer = i == j
    j = int64(0) if layer else j + 1
    end = min(left, j + 1)
    return i + int64(layer), j, int64(0), end, left - end


# ======== The host's part ========


def multiprocessors():
    """Multiprocessors of the current CUDA device. walk_grid wants them times the blocks that one holds."""
    from numba import cuda

    return cuda.get_current_device().MULTIPROCESSOR_COUNT
