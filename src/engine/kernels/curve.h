/* curve.h: the position of a cell along Hilbert's curve, in 1 to CURVE_DIMS dimensions.
 *
 * Neighbours along the curve are neighbours in space: points in its order fall into tiles with small boxes. Space is cut into
 * cubes, 2^bits per dimension. A point's cell is one number per dimension; its key, up to 63 bits, is the cell's position along the curve.
 *
 * The way from cell to key is Skilling's ("Programming the Hilbert curve", AIP Conference Proceedings 707, 2004), from the
 * coarsest bit to the finest. The bits of a level say which of 2^dims cubes the cell lies in, and the curve within that
 * cube is the whole curve turned: axis by axis, a bit that is 1 mirrors the first axis, a 0 exchanges it with this one. With
 * the turns of the levels before undone, the bits of all levels in a row, coarsest first, are the key in Gray's code. In two
 * dimensions, one bit each (x, y): (0, 0) (0, 1) (1, 1) (1, 0) are 00, 01, 11, 10, which is 0, 1, 2, 3 in Gray's code.
 *
 * Integers alone, and no branches on them: a curve_word is one cell's in CUDA C and OpenCL C, and in C a vector of
 * CURVE_LANES cells'. Comes after wedge/lang.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_KERNELS_CURVE_H
#define WEDGE_ENGINE_KERNELS_CURVE_H

#ifdef WEDGE_KERNEL
typedef wedge_u32 curve_word;
#define CURVE_FN WEDGE_FN
#define CURVE_UNROLL _Pragma("unroll")
#else
enum { CURVE_LANES = 4 };
typedef wedge_u32 curve_word __attribute__((vector_size(4 * CURVE_LANES)));
#define CURVE_FN static inline __attribute__((always_inline)) /* dims are constants where it is called */
#define CURVE_UNROLL _Pragma("GCC unroll 8")
#endif

#define CURVE_DIMS 8u

/* Of a cell's number in one dimension. */
WEDGE_FN wedge_u32 curve_bits(wedge_u32 dims) { return 63u / dims < 31u ? 63u / dims : 31u; }

/* Defines the cell of a coordinate, for a kind of number. NaN is in cell 0, what lies outside in the first or last cell. */
#define CURVE_CELL(name, number)                                                                      \
    WEDGE_FN wedge_u32 name(number x, number lo, number scale, wedge_u32 bits) {                      \
        const number cell = (x - lo) * scale, cells = (number)((wedge_u32)1 << bits);                 \
        return cell >= cells ? ((wedge_u32)1 << bits) - 1u : cell > (number)0 ? (wedge_u32)cell : 0u; \
    }

/* Appends the bits of one level, the highest of x, to Gray's code, and turns the cube they stand for back. They are used up
 * then: the turn may spoil them, and the next level's move up into their place. */
CURVE_FN curve_word curve_level(curve_word *x, wedge_u32 dims, curve_word gray) {
    CURVE_UNROLL
    for (wedge_u32 f = 0; f < CURVE_DIMS; ++f)
        if (f < dims) {
            const curve_word set = 0u - (x[f] >> 31), turned = (x[0] ^ x[f]) | set;
            x[0] ^= turned;
            x[f] ^= turned & ~set;
            gray = gray + gray - set;
        }
    CURVE_UNROLL
    for (wedge_u32 f = 0; f < CURVE_DIMS; ++f)
        if (f < dims) x[f] <<= 1;
    return gray;
}

/* Each bit becomes the parity of itself and all that are higher. */
CURVE_FN curve_word curve_parities(curve_word u) {
    u ^= u >> 1;
    u ^= u >> 2;
    u ^= u >> 4;
    u ^= u >> 8;
    return u ^ u >> 16;
}

/* The key of cell x, in two halves; x is lost. bits * dims <= 63. */
CURVE_FN void curve_key(curve_word *x, wedge_u32 dims, wedge_u32 bits, curve_word *high, curve_word *low) {
    curve_word upper = x[0] & 0u, lower = upper;
    CURVE_UNROLL
    for (wedge_u32 f = 0; f < CURVE_DIMS; ++f)
        if (f < dims) x[f] <<= 32u - bits;
    for (wedge_u32 left = bits; left;) { /* as many levels as a word holds, and then the next */
        const wedge_u32 levels = left < 31u / dims ? left : 31u / dims, by = levels * dims;
        curve_word gray = upper & 0u;
        for (wedge_u32 k = 0; k < levels; ++k) gray = curve_level(x, dims, gray);
        upper = upper << by | lower >> (32u - by);
        lower = lower << by | gray;
        left -= levels;
    }
    *high = curve_parities(upper);
    *low = curve_parities(lower) ^ (0u - (*high & 1u));
}

#endif
