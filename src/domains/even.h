/* even.h: rows of one length on devices: row i begins at i times the number of columns' points.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN wedge_u64 row_start(pairs_args args, wedge_u32 i) { return (wedge_u64)i * args.points; }
WEDGE_FN wedge_i64 row_bytes(pairs_args args, wedge_u32 i) {
    return (wedge_i64)((wedge_u64)i * (args.points * (wedge_u32)sizeof(number)));
}

/* Of every L rows one is a line's. */
WEDGE_FN wedge_u32 line_row(wedge_u32 m, wedge_u32 line) { return m * PAIRS_LINES + line; }

WEDGE_FN int row_last(pairs_args args, wedge_u32 i) { return DOMAIN_FULL_ROWS ? (int)args.points - 1 : (int)i; }
