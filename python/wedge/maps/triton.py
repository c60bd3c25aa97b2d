"""wedge.maps.triton: exact maps from one index to the cells of a triangle or a tetrahedron, for Triton kernels.

    from wedge.maps import tri_count, triton as maps

    @triton.jit
    def kernel(...):                                       # launched with grid (tri_count(m),), not (m, m)
        i, j = maps.tri_unrank32(tl.program_id(0))         # 0 <= j <= i < m, each tile once
        ...

Packed order, coordinates descending, counted from 0; names and order are those of map.h:

    triangle                     tetrahedron
    w = T(i) + j                 w = Te(i) + T(j) + k             T(i)  = i(i+1)/2
    strict (i > j):              strict (i > j > k):              Te(i) = i(i+1)(i+2)/6
    w = T(i-1) + j               w = Te(i-2) + T(j-1) + k

All functions work on scalars and on blocks of numbers. A w may have any integer type: the 32-bit forms read it as
uint32 and do not compile for a wider one, which they would have to cut. Coordinates come back signed, int32 and int64,
as Triton's own indices are; ranks unsigned.

Why they are exact, although tl.sqrt, tl.exp2 and tl.log2 are approximate on GPUs (sqrt.approx.ftz.f32 on NVIDIA): the
root is only a *seed*. It has to be the wanted row or the one after it, and integers decide which: s is too large if and
only if T(s) > w. Over row i, sqrt(2w) stays within (i + 0.41, i + 1.5), so its floor is i or i+1 while the root errs by
less than 1/2: 64 ulp in the last row of the 32-bit form, or 12 ulp at its very end, where 2^32 cuts it. The approximate
root errs by one or two, the rounding of w by half of one. So every w below 2^32 is right: rows 0 to 92,681. The 64-bit
form has a root in doubles that may err by 8e-12 of its value and errs by 2e-16: rows 0 to 6,074,000,999. docs/maps.md
has the argument in full.

SPDX-License-Identifier: MIT"""

try:
    import triton
    import triton.language as tl
except ImportError as error:
    raise ImportError("wedge.maps.triton needs Triton 3.4 or later: pip install triton") from error

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


@triton.jit
def _u32(x):
    if isinstance(x, tl.tensor):  # and not a constant
        tl.static_assert(x.dtype.primitive_bitwidth <= 32, "64 bits given to a 32-bit form: call the one ending in 64")
    return tl.cast(x, tl.uint32)


@triton.jit
def _u64(x):
    return tl.cast(x, tl.uint64)


# ======== Numbers ========


@triton.jit
def tri32(i):
    """T(i) = i(i+1)/2 as uint32. One of i and i+1 is even: halved first, the product is right whenever T(i) fits."""
    i = _u32(i)
    return (i | 1) * ((i + 1) >> 1)


@triton.jit
def tri64(i):
    """T(i) = i(i+1)/2 as uint64."""
    i = _u64(i)
    return (i | 1) * ((i + 1) >> 1)


@triton.jit
def tet32(i):
    """Te(i) as uint32, through 64 bits: the product wraps, which Triton's debug mode takes for an error in 32."""
    return tet64(_u32(i)).to(tl.uint32)


@triton.jit
def tet64(i):
    """Te(i) = T(i)(i+2)/3 as uint64. The division is exact, so it is a product with the inverse of 3 modulo 2^64."""
    i = _u64(i)
    return tri64(i) * (i + 2) * 0xAAAAAAAAAAAAAAAB


# ======== Cells of a triangle ========


@triton.jit
def tri_rank32(i, j):
    """The w of (i, j), i >= j, as uint32. Exact while it fits: rows 0 to 92,681."""
    return tri32(i) + _u32(j)


@triton.jit
def tri_rank64(i, j):
    """The w of (i, j), i >= j, as uint64. Exact while it fits: rows 0 to 6,074,000,999."""
    return tri64(i) + _u64(j)


@triton.jit
def tri_unrank32(w):
    """lambda: (i, j) of w, i >= j. Exact for every w below 2^32.

    i is the largest row with T(i) <= w. The seed s = floor(sqrt(2w)) is i or i+1, and T(s-1) = T(s) - s."""
    w = _u32(w)
    s = tl.sqrt(2.0 * w.to(tl.float32)).to(tl.uint32)
    t = tri32(s)
    over = t > w
    return (s - over.to(tl.uint32)).to(tl.int32), (w - tl.where(over, t - s, t)).to(tl.int32)


@triton.jit
def tri_unrank64(w):
    """lambda for every w below 2^64, with a root in doubles."""
    w = _u64(w)
    s = tl.sqrt(2.0 * w.to(tl.float64)).to(tl.uint64)
    t = tri64(s)
    over = t > w
    return (s - over.to(tl.uint64)).to(tl.int64), (w - tl.where(over, t - s, t)).to(tl.int64)


@triton.jit
def tri_strict_rank32(i, j):
    """The w of (i, j), i > j: the same triangle one row down."""
    return tri_rank32(_u32(i) - 1, j)


@triton.jit
def tri_strict_rank64(i, j):
    """The w of (i, j), i > j, in 64 bits."""
    return tri_rank64(_u64(i) - 1, j)


@triton.jit
def tri_strict_unrank32(w):
    """(i, j) of w, i > j. Exact for every w below 2^32."""
    i, j = tri_unrank32(w)
    return i + 1, j


@triton.jit
def tri_strict_unrank64(w):
    """(i, j) of w, i > j. Exact for every w below 2^64."""
    i, j = tri_unrank64(w)
    return i + 1, j


@triton.jit
def condensed_rank32(n, i, j):
    """The place of the pair i < j of n points in SciPy's condensed order (pdist). n to 92,682."""
    last = _u32(n) - 1
    return tri32(last) - 1 - tri_strict_rank32(last - _u32(i), last - _u32(j))


@triton.jit
def condensed_rank64(n, i, j):
    """The same in 64 bits. n to 6,074,001,000."""
    last = _u64(n) - 1
    return tri64(last) - 1 - tri_strict_rank64(last - _u64(i), last - _u64(j))


@triton.jit
def condensed_unrank32(n, p):
    """The pair i < j at place p of n points' condensed order: the strict order read backwards over reversed points."""
    last = _u32(n) - 1
    i, j = tri_strict_unrank32(tri32(last) - 1 - _u32(p))
    return last.to(tl.int32) - i, last.to(tl.int32) - j


@triton.jit
def condensed_unrank64(n, p):
    """The same in 64 bits."""
    last = _u64(n) - 1
    i, j = tri_strict_unrank64(tri64(last) - 1 - _u64(p))
    return last.to(tl.int64) - i, last.to(tl.int64) - j


# ======== Cells of a tetrahedron ========


@triton.jit
def tet_rank32(i, j, k):
    """The w of (i, j, k), i >= j >= k, as uint32. Exact while it fits: layers 0 to 2,952."""
    return tet32(i) + tri32(j) + _u32(k)


@triton.jit
def tet_rank64(i, j, k):
    """The w of (i, j, k), i >= j >= k, as uint64. Exact while it fits: layers 0 to 4,801,278."""
    return tet64(i) + tri64(j) + _u64(k)


@triton.jit
def _tet_root(w):
    """cbrt(6w + 3) - 13/16: within (i + 0.15, i + 1.19) over layer i. It errs by 2^-18 of itself, 2^-17 past 2^32."""
    return tl.exp2(tl.log2(6.0 * w.to(tl.float32) + 3.0) * (1.0 / 3.0)) - 0.8125


@triton.jit
def tet_unrank32(w):
    """(i, j, k) of w, i >= j >= k. Exact for every w below 2^32.

    i is the largest layer with Te(i) <= w; the seed is i or i+1 while the root errs by less than 0.15, in the last
    layer by less than 2.9e-5 of it (it errs by 4e-6). Te(s-1) = Te(s) - T(s); what remains is a w of the triangle."""
    w = _u32(w)
    s = _tet_root(w).to(tl.uint32)
    t = tet32(s)
    over = t > w
    j, k = tri_unrank32(w - tl.where(over, t - tri32(s), t))
    return (s - over.to(tl.uint32)).to(tl.int32), j, k


@triton.jit
def tet_unrank64(w):
    """(i, j, k) of w, i >= j >= k. Exact for every w below 2^64.

    The float root is off by 37 layers at most. One Newton step on Te(x) = w, from the exact remainder (the difference
    wraps, and its int64 is right) and Te'(s) = s(s+2)/2 + 1/3, never lands below the root, and above it by
    delta^2/(s+1) at most, delta being what the float root was off by."""
    w = _u64(w)
    s = _tet_root(w).to(tl.uint64)
    rest = (w - tet64(s)).to(tl.int64).to(tl.float32)
    slope = 0.5 * s.to(tl.float32) * (s + 2).to(tl.float32) + 0.33333334
    s += tl.floor(rest / slope + 0.25).to(tl.int64).to(tl.uint64)
    t = tet64(s)
    over = t > w
    j, k = tri_unrank64(w - tl.where(over, t - tri64(s), t))
    return (s - over.to(tl.uint64)).to(tl.int64), j, k


@triton.jit
def tet_strict_rank32(i, j, k):
    """The w of (i, j, k), i > j > k: the same tetrahedron, two layers and one row down."""
    return tet_rank32(_u32(i) - 2, _u32(j) - 1, k)


@triton.jit
def tet_strict_rank64(i, j, k):
    """The w of (i, j, k), i > j > k, in 64 bits."""
    return tet_rank64(_u64(i) - 2, _u64(j) - 1, k)


@triton.jit
def tet_strict_unrank32(w):
    """(i, j, k) of w, i > j > k. Exact for every w below 2^32."""
    i, j, k = tet_unrank32(w)
    return i + 2, j + 1, k


@triton.jit
def tet_strict_unrank64(w):
    """(i, j, k) of w, i > j > k. Exact for every w below 2^64."""
    i, j, k = tet_unrank64(w)
    return i + 2, j + 1, k


# ======== Walk ========
#
# A resident grid of any size: of T(m) tiles, program b takes a contiguous run, finds its first tile by the exact
# lambda, and then goes row by row. A *segment* is what of the run lies in one row: tiles (i, j) to (i, end - 1), and
# `left` more tiles follow in later rows; end = 0: no tile. In rank 3 it lies along k: (i, j, k) to (i, j, end - 1).
#
#     i, j, end, left = maps.walk_first(tl.program_id(0), run, extra)   # run, extra from walk_grid(T(m), resident)
#     while end > 0:
#         for column in range(j, end):                                  # tile (i, column); what belongs to row i stays
#             ...
#         i, j, end, left = maps.walk_next(i, left)
#
# Segments are int32; those of the forms that end in 64 are int64. walk_next keeps the type.


@triton.jit
def _segment(i, j, count):
    taken = tl.minimum(count, i + 1 - j)
    return i, j, tl.where(taken > 0, j + taken, 0), count - taken


@triton.jit
def walk_from(i, j, count):
    """The first segment (i, j, end, left) of a run of `count` tiles, fewer than 2^31, that begins at (i, j)."""
    return _segment(tl.cast(i, tl.int32), tl.cast(j, tl.int32), tl.cast(count, tl.int32))


@triton.jit
def walk_from64(i, j, count):
    """The same in int64."""
    return _segment(tl.cast(i, tl.int64), tl.cast(j, tl.int64), tl.cast(count, tl.int64))


@triton.jit
def walk_first(program, run, extra):
    """The first segment of a program. All tiles together are fewer than 2^32, those of one run fewer than 2^31."""
    program, extra = _u32(program), _u32(extra)
    longer = (program < extra).to(tl.uint32)
    i, j = tri_unrank32(program * _u32(run) + tl.minimum(program, extra))
    return walk_from(i, j, _u32(run) + longer)


@triton.jit
def walk_first64(program, run, extra):
    """The first segment of a program, in int64, for any number of tiles below 2^64."""
    program, extra = _u64(program), _u64(extra)
    longer = (program < extra).to(tl.uint64)
    i, j = tri_unrank64(program * _u64(run) + tl.minimum(program, extra))
    return walk_from64(i, j, _u64(run) + longer)


@triton.jit
def walk_next(i, left):
    """The segment after one of row i that left so many tiles."""
    end = tl.minimum(left, i + 2)
    return i + 1, i * 0, end, left - end


@triton.jit
def walk3_from(i, j, k, count):
    """The first segment (i, j, k, end, left) of a run of `count` tiles, fewer than 2^31, that begins at (i, j, k)."""
    j, k, end, left = walk_from(j, k, count)
    return tl.cast(i, tl.int32), j, k, end, left


@triton.jit
def walk3_from64(i, j, k, count):
    """The same in int64."""
    j, k, end, left = walk_from64(j, k, count)
    return tl.cast(i, tl.int64), j, k, end, left


@triton.jit
def walk3_first(program, run, extra):
    """The first segment of a program in rank 3, within the limits of walk_first."""
    program, extra = _u32(program), _u32(extra)
    longer = (program < extra).to(tl.uint32)
    i, j, k = tet_unrank32(program * _u32(run) + tl.minimum(program, extra))
    return walk3_from(i, j, k, _u32(run) + longer)


@triton.jit
def walk3_first64(program, run, extra):
    """The first segment of a program in rank 3, in int64."""
    program, extra = _u64(program), _u64(extra)
    longer = (program < extra).to(tl.uint64)
    i, j, k = tet_unrank64(program * _u64(run) + tl.minimum(program, extra))
    return walk3_from64(i, j, k, _u64(run) + longer)


@triton.jit
def walk3_next(i, j, left):
    """The segment after one of row j in layer i that left so many tiles."""
    layer = i == j
    i += layer.to(i.dtype)
    j = tl.where(layer, 0, j + 1)
    end = tl.minimum(left, j + 1)
    return i, j, i * 0, end, left - end


# ======== The host's part ========


def multiprocessors(device=None):
    """Multiprocessors of a device, by default the current one. walk_grid wants them times the programs each holds."""
    driver = triton.runtime.driver.active
    device = driver.get_current_device() if device is None else device
    return driver.utils.get_device_properties(device)["multiprocessor_count"]
