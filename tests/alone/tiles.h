/* tiles.h: what a user of map.h may rely on for tiles: launch the grid that a map names, and each tile comes once.
 *
 * Each check plays the grid of a map with m tiles a side, block after block, counts in `seen` how often every tile of
 * the m x m (x m) box came, and demands 1 inside and 0 outside. Maps with an order of their own are compared in that
 * order. The text is C, C++, CUDA C and OpenCL C at once. A check returns its number of mismatches: 0 is right.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TILES_H
#define TILES_H

#include "cells.h"

/* lambda-x trusts its root to be correctly rounded: OpenCL and fast-math do not promise that. */
#if defined(__OPENCL_C_VERSION__) || defined(__FAST_MATH__)
#define ROOTS_ARE_ROUNDED 0
#elif !defined(ROOTS_ARE_ROUNDED)
#define ROOTS_ARE_ROUNDED 1
#endif

CHECK_FN void clear(scratch_ptr seen, wedge_u32 words) {
    for (wedge_u32 a = 0; a < words; ++a) seen[a] = 0;
}

CHECK_FN wedge_u32 mark(wedge_u32 m, scratch_ptr seen, wedge_pair t) {
    if (t.i >= m || t.j >= m) return 1u;
    seen[t.i * m + t.j] += 1u;
    return 0u;
}

CHECK_FN wedge_u32 not_once(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0;
    for (wedge_u32 i = 0; i < m; ++i)
        for (wedge_u32 j = 0; j < m; ++j) bad += seen[i * m + j] != (wedge_u32)(j <= i);
    return bad;
}

CHECK_FN wedge_u32 mark3(wedge_u32 m, scratch_ptr seen, wedge_triple t) {
    if (t.i >= m || t.j >= m || t.k >= m) return 1u;
    seen[(t.i * m + t.j) * m + t.k] += 1u;
    return 0u;
}

CHECK_FN wedge_u32 not_once3(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0;
    for (wedge_u32 i = 0; i < m; ++i)
        for (wedge_u32 j = 0; j < m; ++j)
            for (wedge_u32 k = 0; k < m; ++k) bad += seen[(i * m + j) * m + k] != (wedge_u32)(k <= j && j <= i);
    return bad;
}

/* ======== Triangles ======== */

CHECK_FN wedge_u32 bb_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 idle = 0;
    clear(seen, m * m);
    for (wedge_u32 y = 0; y < m; ++y)
        for (wedge_u32 x = 0; x < m; ++x) idle += mark(m, seen, wedge_bb_tile(x, y));
    return not_once(m, seen) + (idle != m * (m - 1u) / 2u);
}

CHECK_FN wedge_u32 lambda_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0;
    clear(seen, m * m);
    for (wedge_u32 w = 0; w < m * (m + 1u) / 2u; ++w) {
        wedge_pair t = wedge_lambda_tile(w);
        bad += mark(m, seen, t) + pair_differs(wedge_lambda_tile64(w), t.i, t.j);
    }
    return bad + not_once(m, seen);
}

/* The printed roots are exact in the first rows only, and m stays there. */
CHECK_FN wedge_u32 printed_lambda_tiles(wedge_u32 m, scratch_ptr unused) {
    wedge_u32 bad = 0, w = 0;
    for (wedge_u32 i = 0; i < m; ++i)
        for (wedge_u32 j = 0; j <= i; ++j, ++w) {
            wedge_pair x = wedge_lambda_x_tile(w);
            bad += ROOTS_ARE_ROUNDED ? pair_differs(x, i, j) : x.i + 1u < i || x.i > i + 1u;
            bad += pair_differs(wedge_lambda_n_tile(w), i, j);
            bad += pair_differs(wedge_lambda_r_tile(w), i, j);
        }
    (void)unused;
    return bad;
}

CHECK_FN wedge_u32 rb_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 width = (m + 1u) / 2u, height = m % 2u ? m : m + 1u, bad = 0;
    clear(seen, m * m);
    for (wedge_u32 y = 0; y < height; ++y)
        for (wedge_u32 x = 0; x < width; ++x) bad += mark(m, seen, wedge_rb_tile(m, x, y));
    return bad + not_once(m, seen);
}

CHECK_FN void rec_launches(wedge_u32 m, wedge_u32 small, scratch_ptr seen) {
    wedge_u32 squares = 1, side = small;
    while (side * squares < m) squares *= 2u;
    for (wedge_u32 q = 0; q < squares; ++q)
        for (wedge_u32 a = 0; a < side * side; ++a)
            (void)mark(m, seen, wedge_rec_triangle(side, q, a % side, a / side));
    for (; squares > 1u; side *= 2u) {
        squares /= 2u;
        for (wedge_u32 q = 0; q < squares; ++q)
            for (wedge_u32 a = 0; a < side * side; ++a)
                (void)mark(m, seen, wedge_rec_square(side, q, a % side, a / side));
    }
}

CHECK_FN wedge_u32 rec_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0;
    for (wedge_u32 small = 1; small <= 5u; small += 2u) {
        clear(seen, m * m);
        rec_launches(m, small, seen);
        bad += not_once(m, seen);
    }
    return bad;
}

CHECK_FN wedge_u32 hmap_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0;
    if (m < 2u || (m & (m - 1u))) return 0;
    clear(seen, m * m);
    for (wedge_u32 y = 0; y <= m; ++y)
        for (wedge_u32 x = 0; x < m / 2u; ++x) bad += mark(m, seen, wedge_hmap_tile(m, x, y));
    return bad + not_once(m, seen);
}

/* The padded grid covers m once; and, where the side has several levels, the product finds what a division would. */
CHECK_FN wedge_u32 hmap_any_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 s = wedge_hmap_side(m), side = s << wedge_hmap_levels(m), idle = 0, bad = 0;
    clear(seen, m * m);
    for (wedge_u32 y = 0; y <= side; ++y)
        for (wedge_u32 x = 0; x < side / 2u; ++x)
            idle += mark(m, seen, wedge_hmap_any_tile(s, wedge_hmap_inverse(m), x, y));
    bad += idle != side * (side + 1u) / 2u - m * (m + 1u) / 2u;
    wedge_u32 large = 60000u + 777u * m, t = wedge_hmap_side(large), end = t << wedge_hmap_levels(large);
    for (wedge_u32 y = t + 1u; y <= end; y += 1u + y / 3u)
        for (wedge_u32 x = 0; x < end / 2u; x += 1u + x / 5u) {
            wedge_u32 square = t;
            while (y > 2u * square) square *= 2u;
            bad += pair_differs(wedge_hmap_any_tile(t, wedge_hmap_inverse(large), x, y),
                                y - 1u + x / square * square * 2u, x + x / square * square);
        }
    return bad + not_once(m, seen);
}

CHECK_FN wedge_u32 utm_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 bad = 0, p = 0;
    for (wedge_u32 a = 0; a < n; ++a)
        for (wedge_u32 b = a + 1u; b < n; ++b, ++p)
            bad += pair_differs(wedge_utm_cell(n, p), b, a) + pair_differs(wedge_utm_x_cell(n, p), b, a);
    (void)unused;
    return bad;
}

/* The tiles of all blocks' segments, one after the other, are packed order; those below the diagonal come before the
 * one on it. */
CHECK_FN wedge_u32 walk_tiles(wedge_u32 m, scratch_ptr unused) {
    wedge_u32 tiles = m * (m + 1u) / 2u, bad = 0;
    for (wedge_u32 blocks = 1; blocks <= tiles + 2u; blocks = 3u * blocks + 1u) {
        wedge_u32 i = 0, j = 0, run = tiles / blocks, extra = tiles % blocks;
        for (wedge_u32 b = 0; b < blocks; ++b) {
            wedge_segment s = wedge_walk_first(b, run, extra), f = wedge_walk_first64(b, run, extra);
            bad += s.i != f.i || s.j != f.j || s.end != f.end || s.left != f.left;
            for (; s.end; s = wedge_walk_next(s)) {
                wedge_u32 inner = s.end < s.i ? s.end : s.i;
                bad += s.i != i || s.j != j || s.k != 0u;
                for (; s.j < inner; ++s.j) ++j;
                if (s.end > s.i) ++i, j = 0;
            }
        }
        bad += i != m || j != 0;
    }
    (void)unused;
    return bad;
}

/* ======== Tetrahedra ======== */

CHECK_FN wedge_u32 bb3_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 idle = 0;
    if (m > TET_MOST) return 0;
    clear(seen, m * m * m);
    for (wedge_u32 z = 0; z < m; ++z)
        for (wedge_u32 y = 0; y < m; ++y)
            for (wedge_u32 x = 0; x < m; ++x) idle += mark3(m, seen, wedge_bb3_tile(x, y, z));
    return not_once3(m, seen) + (idle != m * m * m - m * (m + 1u) * (m + 2u) / 6u);
}

CHECK_FN wedge_u32 lambda3_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0;
    if (m > TET_MOST) return 0;
    clear(seen, m * m * m);
    for (wedge_u32 w = 0; w < m * (m + 1u) * (m + 2u) / 6u; ++w) {
        wedge_triple t = wedge_lambda3_tile(w);
        bad += mark3(m, seen, t) + triple_differs(wedge_lambda3_tile64(w), t.i, t.j, t.k);
    }
    return bad + not_once3(m, seen);
}

/* The printed cubic root is exact for three layers at best; here it must come within one. */
CHECK_FN wedge_u32 printed_lambda3_tiles(wedge_u32 m, scratch_ptr unused) {
    wedge_u32 bad = triple_differs(wedge_lambda3_x_tile(0), 0, 0, 0), w = 0;
    if (m > TET_MOST) return bad;
    for (wedge_u32 i = 0; i < m; ++i)
        for (wedge_u32 a = 0; a < (i + 1u) * (i + 2u) / 2u; ++a, ++w) {
            wedge_triple x = wedge_lambda3_x_tile(w);
            bad += x.i + 1u < i || x.i > i + 1u;
        }
    (void)unused;
    return bad;
}

CHECK_FN wedge_u32 walk3_tiles(wedge_u32 m, scratch_ptr unused) {
    wedge_u32 tiles = m * (m + 1u) * (m + 2u) / 6u, bad = 0;
    if (m > TET_MOST) return 0;
    for (wedge_u32 blocks = 1; blocks <= tiles + 2u; blocks = 3u * blocks + 1u) {
        wedge_u32 i = 0, j = 0, k = 0, run = tiles / blocks, extra = tiles % blocks;
        for (wedge_u32 b = 0; b < blocks; ++b) {
            wedge_segment s = wedge_walk3_first(b, run, extra), f = wedge_walk3_first64(b, run, extra);
            bad += s.i != f.i || s.j != f.j || s.k != f.k || s.end != f.end || s.left != f.left;
            for (; s.end; s = wedge_walk3_next(s)) {
                wedge_u32 inner = s.end < s.j ? s.end : s.j;
                bad += s.i != i || s.j != j || s.k != k;
                for (; s.k < inner; ++s.k) ++k;
                if (s.end > s.j) ++j, k = 0;
                if (j > i) ++i, j = 0;
            }
        }
        bad += i != m || j != 0 || k != 0;
    }
    (void)unused;
    return bad;
}

/* The table lies behind the counts, and a guard word behind the table. */
CHECK_FN wedge_u32 lut_tiles(wedge_u32 m, scratch_ptr seen) {
    wedge_u32 bad = 0, words = wedge_lut_words(m), guard = 0xC0FFEEu;
    scratch_ptr table = seen;
    if (m > TET_MOST) return 0;
    table += m * m * m;
    clear(seen, m * m * m);
    table[words] = guard;
    wedge_lut_fill(m, table);
    for (wedge_u32 w = 0; w < m * (m + 1u) * (m + 2u) / 6u; ++w) bad += mark3(m, seen, wedge_lut_tile(m, table, w));
    return bad + not_once3(m, seen) + (table[words] != guard) + (words > 2u * m + 3u);
}

#endif
