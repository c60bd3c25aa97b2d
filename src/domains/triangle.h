/* triangle.h: rows of a triangle on devices: row i has i + 1 columns and begins at T(i) = i(i+1)/2.
 *
 * SPDX-License-Identifier: MIT */

/* T(i) of i below 2^32: one of i and i + 1 is halved. */
WEDGE_FN wedge_u64 row_start(pairs_args args, wedge_u32 i) { return (wedge_u64)(i | 1u) * ((i + 1u) >> 1); }

/* The same in bytes of the output, backwards where that is: a product of 32 bits by 32. */
WEDGE_FN wedge_i64 row_bytes(pairs_args args, wedge_u32 i) {
    const int step = (int)(((i + 1u) >> 1) * (wedge_u32)sizeof(number));
    return (wedge_i64)(int)(i | 1u) * (DOMAIN_BACKWARDS ? -step : step);
}

/* T(i) mod L repeats after 2L rows, and T(2L - 1 - i) = T(i) mod L: of every 2L rows, k and 2L - 1 - k are a line's. */
WEDGE_FN wedge_u32 line_row(wedge_u32 m, wedge_u32 line) {
    return m / 2u * (2u * PAIRS_LINES) + (m % 2u ? 2u * PAIRS_LINES - 1u - line : line);
}

WEDGE_FN int row_last(pairs_args args, wedge_u32 i) { return (int)i; }
