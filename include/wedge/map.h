/* wedge/map.h: exact maps between one index and the cells of a triangle or a tetrahedron.
 *
 * Copy this file and lang.h into any C, C++, CUDA or OpenCL C project; nothing else is needed (C wants -lm).
 *
 *     __global__ void pairs(int m, ...) {                      // launched with m(m+1)/2 blocks, not m*m
 *         wedge_pair tile = wedge_lambda_tile(blockIdx.x);     // 0 <= tile.j <= tile.i < m, each tile once
 *         ...
 *     }
 *
 * Packed order, coordinates descending (i >= j >= k), counted from 0:
 *
 *     triangle                     tetrahedron
 *     w = T(i) + j                 w = Te(i) + T(j) + k             T(i)  = i(i+1)/2
 *     strict (i > j):              strict (i > j > k):              Te(i) = i(i+1)(i+2)/6
 *     w = T(i-1) + j               w = Te(i-2) + T(j-1) + k
 *
 * Three parts:
 *   cells   rank and unrank, 32 and 64 bits: pure functions, exact for every argument of their type
 *   tiles   the paper's maps and newer ones: block (or thread) index -> tile (or cell); the caller launches the grid
 *           that each comment names, with m tiles a side, and skips what comes back with i >= m
 *   walk    a run of tiles, row by row: one exact unrank per block, then ++j alone
 *
 * Why the unranks are exact. Each takes a floating-point root as a *seed* s that is the wanted row or the one after it,
 * and then s is too large if and only if T(s) > w (Te(s) > w), which integers decide. So all that must be shown is
 * that the root's error stays below the distance to the next integer; each comment gives both. `wedge certify`
 * tries it on the device at hand; docs/maps.md has the argument in full.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_MAP_H
#define WEDGE_MAP_H

#ifndef WEDGE_LANG_H
#include "lang.h"
#endif

typedef struct {
    wedge_u32 i, j;
} wedge_pair;

typedef struct {
    wedge_u64 i, j;
} wedge_pair64;

typedef struct {
    wedge_u32 i, j, k;
} wedge_triple;

typedef struct {
    wedge_u64 i, j, k;
} wedge_triple64;

/* Tiles of one row, side by side: (i, j), (i, j+1), ... up to, not including, column `end`; `left` more follow in later
 * rows. In rank 3 they lie along k: (i, j, k), (i, j, k+1), ... up to k = end. end = 0: no tile. See walk. */
typedef struct {
    wedge_u32 i, j, k, end, left;
} wedge_segment;

WEDGE_FN wedge_pair wedge_pair_of(wedge_u32 i, wedge_u32 j) {
    wedge_pair p;
    p.i = i;
    p.j = j;
    return p;
}

WEDGE_FN wedge_pair64 wedge_pair64_of(wedge_u64 i, wedge_u64 j) {
    wedge_pair64 p;
    p.i = i;
    p.j = j;
    return p;
}

WEDGE_FN wedge_triple wedge_triple_of(wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    wedge_triple t;
    t.i = i;
    t.j = j;
    t.k = k;
    return t;
}

WEDGE_FN wedge_triple64 wedge_triple64_of(wedge_u64 i, wedge_u64 j, wedge_u64 k) {
    wedge_triple64 t;
    t.i = i;
    t.j = j;
    t.k = k;
    return t;
}

/* ======== Numbers ======== */

/* T(i) = i(i+1)/2 modulo 2^32 (2^64). One of i and i+1 is even: i|1 is the odd one, (i+1)>>1 half of the other, so
 * nothing is lost before the product, and the product is right whenever T(i) fits (i below the last of its type). */
WEDGE_FN wedge_u32 wedge_tri32(wedge_u32 i) { return (i | 1u) * ((i + 1u) >> 1); }
WEDGE_FN wedge_u64 wedge_tri64(wedge_u64 i) { return (i | 1u) * ((i + 1u) >> 1); }

/* Te(i) = T(i)(i+2)/3 modulo 2^32 (2^64). The division is exact, so it is a product with the inverse of 3, and
 * the wrapped product is right whenever Te(i) fits. */
WEDGE_FN wedge_u32 wedge_tet32(wedge_u32 i) { return wedge_tri32(i) * (i + 2u) * 0xAAAAAAABu; }
WEDGE_FN wedge_u64 wedge_tet64(wedge_u64 i) { return wedge_tri64(i) * (i + 2u) * 0xAAAAAAAAAAAAAAABu; }

/* ======== Cells of a triangle ======== */

/* The place of (i, j), i >= j, in packed order. Exact while it fits: rows 0 to 92,681, the last of them cut by 2^32
 * (64 bits: rows 0 to 6,074,000,999, the last cut by 2^64). */
WEDGE_FN wedge_u32 wedge_tri_rank32(wedge_u32 i, wedge_u32 j) { return wedge_tri32(i) + j; }
WEDGE_FN wedge_u64 wedge_tri_rank64(wedge_u64 i, wedge_u64 j) { return wedge_tri64(i) + j; }

/* lambda: the cell of w. i is the largest row with T(i) <= w.
 *
 * Seed s = floor(sqrt(2w)). Over row i, 2w runs from i(i+1) to i(i+3), so sqrt(2w) stays within (i + 0.41, i + 1.5):
 * s is i or i+1 as long as the root errs by less than 1/2, that is 5.4e-6 of it in the last row (64 ulp). The last
 * row ends early, at sqrt(2^33) = 92,681.90: s = 92,682, whose T wraps, is 0.1 or 12 ulp away. Roots of 4 ulp and
 * the rounding of w (half an ulp, halved by the root) are well inside. T(s-1) = T(s) - s saves the second product.
 * Exact for every 32-bit w. */
WEDGE_FN wedge_pair wedge_tri_unrank32(wedge_u32 w) {
    wedge_u32 s = (wedge_u32)wedge_sqrt_approx(2.0f * (float)w);
    wedge_u32 t = wedge_tri32(s);
    wedge_u32 over = t > w;
    return wedge_pair_of(s - over, w - t + (over ? s : 0u));
}

/* The same seed for 64 bits, floor(sqrt(2w)) or a neighbour that is also i or i+1.
 *
 * With doubles: the slack is 1/2 in 6.1e9, or 0.048 at the cut end of the last row (8e-12 of it); a double root errs
 * by 2e-16. Without: a float root leaves an error of up to 5e-7, some 3,000 rows; one Newton step on T(x) = w, taken
 * from the exact integer remainder, leaves delta^2/(2s+1) + 1e-6 delta: at most 1/3 where s = 1, below 0.01 for s >
 * 50. Newton on a convex function never lands below the root, so floor(x + 1/4) is i or i+1, and i at the very end
 * (.452). */
WEDGE_FN wedge_u64 wedge_tri_seed64(wedge_u64 w) {
#ifndef WEDGE_NO_DOUBLE
    return (wedge_u64)wedge_sqrt64(2.0 * (double)w);
#else
    wedge_u64 s = (wedge_u64)wedge_sqrt_approx(2.0f * (float)w);
    float rest = (float)(wedge_i64)(w - wedge_tri64(s));
    return s + (wedge_u64)(wedge_i64)wedge_floorf(rest / ((float)s + 0.5f) + 0.25f);
#endif
}

/* lambda for every 64-bit w: seed and fix as above. */
WEDGE_FN wedge_pair64 wedge_tri_unrank64(wedge_u64 w) {
    wedge_u64 s = wedge_tri_seed64(w);
    wedge_u64 t = wedge_tri64(s);
    wedge_u64 over = t > w;
    return wedge_pair64_of(s - over, w - t + (over ? s : 0u));
}

/* Without the diagonal, i > j: the same triangle one row down. Exact for every w; (i, j) while the rank fits. */
WEDGE_FN wedge_u32 wedge_tri_strict_rank32(wedge_u32 i, wedge_u32 j) { return wedge_tri32(i - 1u) + j; }
WEDGE_FN wedge_u64 wedge_tri_strict_rank64(wedge_u64 i, wedge_u64 j) { return wedge_tri64(i - 1u) + j; }

WEDGE_FN wedge_pair wedge_tri_strict_unrank32(wedge_u32 w) {
    wedge_pair p = wedge_tri_unrank32(w);
    p.i += 1u;
    return p;
}

WEDGE_FN wedge_pair64 wedge_tri_strict_unrank64(wedge_u64 w) {
    wedge_pair64 p = wedge_tri_unrank64(w);
    p.i += 1u;
    return p;
}

/* SciPy's condensed order: pairs i < j of n points, row by row: (0,1) (0,2) ... (1,2) ... It is the strict packed
 * order read backwards over reversed points: place p is w = N-1-p of (n-1-i, n-1-j), N = n(n-1)/2.
 * Exact for n to 92,682 (64 bits: to 6,074,001,000), p < N, 0 <= i < j < n. */
WEDGE_FN wedge_u32 wedge_condensed_rank32(wedge_u32 n, wedge_u32 i, wedge_u32 j) {
    return wedge_tri32(n - 1u) - 1u - wedge_tri_strict_rank32(n - 1u - i, n - 1u - j);
}

WEDGE_FN wedge_u64 wedge_condensed_rank64(wedge_u64 n, wedge_u64 i, wedge_u64 j) {
    return wedge_tri64(n - 1u) - 1u - wedge_tri_strict_rank64(n - 1u - i, n - 1u - j);
}

WEDGE_FN wedge_pair wedge_condensed_unrank32(wedge_u32 n, wedge_u32 p) {
    wedge_pair c = wedge_tri_strict_unrank32(wedge_tri32(n - 1u) - 1u - p);
    return wedge_pair_of(n - 1u - c.i, n - 1u - c.j);
}

WEDGE_FN wedge_pair64 wedge_condensed_unrank64(wedge_u64 n, wedge_u64 p) {
    wedge_pair64 c = wedge_tri_strict_unrank64(wedge_tri64(n - 1u) - 1u - p);
    return wedge_pair64_of(n - 1u - c.i, n - 1u - c.j);
}

/* ======== Cells of a tetrahedron ======== */

/* The place of (i, j, k), i >= j >= k, in packed order. Exact while it fits: layers 0 to 2,952, the last of them cut
 * by 2^32 (64 bits: layers 0 to 4,801,278, the last cut by 2^64). */
WEDGE_FN wedge_u32 wedge_tet_rank32(wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    return wedge_tet32(i) + wedge_tri32(j) + k;
}

WEDGE_FN wedge_u64 wedge_tet_rank64(wedge_u64 i, wedge_u64 j, wedge_u64 k) {
    return wedge_tet64(i) + wedge_tri64(j) + k;
}

/* The cell of w. Its layer i is the largest with Te(i) <= w; what remains is a w of the triangle i.
 *
 * 6 Te(i) = (i+1)^3 - (i+1), so cbrt(6w + 3) - 13/16 stays within (i + 0.15, i + 1.19) over layer i, and its floor is
 * i or i+1 while the root errs by less than 0.15 (in the last layer 5e-5 of it). That layer ends early, at 2953.727 -
 * 0.8125 = 2952.915: the next s, whose Te wraps, is 2.9e-5 or 350 ulp away. The coarsest of our roots errs by 2^-18
 * (4e-6). Te(s-1) = Te(s) - T(s). Exact for every 32-bit w. */
WEDGE_FN wedge_triple wedge_tet_unrank32(wedge_u32 w) {
    wedge_u32 s = (wedge_u32)(wedge_cbrt_approx(6.0f * (float)w + 3.0f) - 0.8125f);
    wedge_u32 t = wedge_tet32(s);
    wedge_u32 over = t > w;
    wedge_pair p = wedge_tri_unrank32(w - t + (over ? wedge_tri32(s) : 0u));
    return wedge_triple_of(s - over, p.i, p.j);
}

/* The same seed for 64 bits: i or i+1. The double root errs by 1e-15 where 3e-8 is allowed. Without doubles, a float
 * root (2^-17: 37 layers at most) and one Newton step on Te(x) = w, from the exact remainder and Te'(s) = s(s+2)/2 +
 * 1/3; again never below the root, above it by delta^2/(s+1) at most, and at the cut end x + 1/4 = 4,801,278.78. */
WEDGE_FN wedge_u64 wedge_tet_seed64(wedge_u64 w) {
#ifndef WEDGE_NO_DOUBLE
    return (wedge_u64)(wedge_cbrt64(6.0 * (double)w + 3.0) - 0.8125);
#else
    wedge_u64 s = (wedge_u64)(wedge_cbrt_approx(6.0f * (float)w + 3.0f) - 0.8125f);
    float rest = (float)(wedge_i64)(w - wedge_tet64(s));
    float slope = 0.5f * (float)s * (float)(s + 2u) + 0.33333334f;
    return s + (wedge_u64)(wedge_i64)wedge_floorf(rest / slope + 0.25f);
#endif
}

/* The cell of every 64-bit w. */
WEDGE_FN wedge_triple64 wedge_tet_unrank64(wedge_u64 w) {
    wedge_u64 s = wedge_tet_seed64(w);
    wedge_u64 t = wedge_tet64(s);
    wedge_u64 over = t > w;
    wedge_pair64 p = wedge_tri_unrank64(w - t + (over ? wedge_tri64(s) : 0u));
    return wedge_triple64_of(s - over, p.i, p.j);
}

/* Without diagonals, i > j > k: the same tetrahedron, two layers and one row down. */
WEDGE_FN wedge_u32 wedge_tet_strict_rank32(wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    return wedge_tet_rank32(i - 2u, j - 1u, k);
}

WEDGE_FN wedge_u64 wedge_tet_strict_rank64(wedge_u64 i, wedge_u64 j, wedge_u64 k) {
    return wedge_tet_rank64(i - 2u, j - 1u, k);
}

WEDGE_FN wedge_triple wedge_tet_strict_unrank32(wedge_u32 w) {
    wedge_triple t = wedge_tet_unrank32(w);
    t.i += 2u;
    t.j += 1u;
    return t;
}

/* In place: nvcc 13.0 loses k where a new triple is made of this one. */
WEDGE_FN wedge_triple64 wedge_tet_strict_unrank64(wedge_u64 w) {
    wedge_triple64 t = wedge_tet_unrank64(w);
    t.i += 2u;
    t.j += 1u;
    return t;
}

/* ======== Tiles of a triangle ========
 *
 * m tiles a side; x and y are block indices. A map whose grid is larger than the triangle says "no tile" with i =
 * WEDGE_NONE, so that one test serves all: if (tile.i >= m) return. */
#define WEDGE_NONE 0xFFFFFFFFu

/* bb, the bounding box. Grid m x m; blocks above the diagonal have no tile. Any m. */
WEDGE_FN wedge_pair wedge_bb_tile(wedge_u32 x, wedge_u32 y) { return wedge_pair_of(x <= y ? y : WEDGE_NONE, x); }

/* lambda. Grid T(m), one-dimensional, no idle block; exact for every w. The 64-bit form is for more than 2^32 tiles,
 * and exact for m to 2^32. */
WEDGE_FN wedge_pair wedge_lambda_tile(wedge_u32 w) { return wedge_tri_unrank32(w); }
WEDGE_FN wedge_pair wedge_lambda_tile64(wedge_u64 w) {
    wedge_pair64 p = wedge_tri_unrank64(w);
    return wedge_pair_of((wedge_u32)p.i, (wedge_u32)p.j);
}

/* The paper's lambda as printed, i = floor(sqrt(1/4 + 2w) - 1/2), with its three roots. Grid m' x m', m' =
 * ceil(sqrt(T(m))), w = y m' + x, blocks with w >= T(m) idle. They are kept for comparison: each is right only for
 * the first rows.
 *
 * The last cell of row i lies 1/(i+1) below the next integer, and 2w + 1/4 needs 2 log2(i) + 2 bits: in floats the
 * two meet near i = 4,600. An epsilon of 1e-4 moves every root up: it hides roots that are too small and breaks row
 * 9,999 in any precision. */
WEDGE_FN wedge_pair wedge_lambda_from_root(wedge_u32 w, float root) {
    wedge_u32 i = (wedge_u32)(root - 0.5f);
    return wedge_pair_of(i, w - wedge_tri32(i));
}

/* lambda-x: sqrtf. Correctly rounded, it is exact for rows below 4,607. */
WEDGE_FN wedge_pair wedge_lambda_x_tile(wedge_u32 w) {
    return wedge_lambda_from_root(w, wedge_sqrtf(0.25f + 2.0f * (float)w));
}

/* lambda-n: the magic number, three Newton steps for 1/sqrt(x), times x, plus epsilon. Exact for rows below 1,622
 * when no product and sum are fused. */
WEDGE_FN wedge_pair wedge_lambda_n_tile(wedge_u32 w) {
    float x = 0.25f + 2.0f * (float)w;
    float y = wedge_bits_float(0x5f3759dfu - (wedge_float_bits(x) >> 1));
    y = y * (1.5f - 0.5f * x * y * y);
    y = y * (1.5f - 0.5f * x * y * y);
    y = y * (1.5f - 0.5f * x * y * y);
    return wedge_lambda_from_root(w, x * y + 1e-4f);
}

/* lambda-r: x * rsqrtf(x) plus epsilon. Exact for rows below 2,073 if rsqrtf is rounded correctly, below 443 if it
 * errs by 2 ulp, as CUDA allows (3,142 and 452 where product and sum are fused: from row 2,048 on epsilon is less
 * than half an ulp). */
WEDGE_FN wedge_pair wedge_lambda_r_tile(wedge_u32 w) {
    float x = 0.25f + 2.0f * (float)w;
    return wedge_lambda_from_root(w, x * wedge_rsqrtf(x) + 1e-4f);
}

/* rb, the rectangular box: the part right of the middle is turned by half a turn and laid above the diagonal.
 * Grid m/2 x (m+1) for even m, (m+1)/2 x m for odd m: T(m) blocks, none idle. Integers only, so exact for any m. With
 * cells for tiles the same formula is the paper's thread-space map (whose print has j wrong). */
WEDGE_FN wedge_pair wedge_rb_tile(wedge_u32 m, wedge_u32 x, wedge_u32 y) {
    wedge_u32 odd = m & 1u;
    wedge_u32 turned = y + odd <= x;
    return wedge_pair_of(turned ? m - 1u - y : y - 1u + odd, turned ? m - 1u - x + odd : x);
}

/* rec, the recursive partition. m is padded to s 2^k. Level l = 1..k launches 2^(k-l) squares of side s 2^(l-1), block
 * (x, y) of square q, and one more launch takes the 2^k triangles of side s on the diagonal as boxes. Any m; the caller
 * skips i >= m. */
WEDGE_FN wedge_pair wedge_rec_square(wedge_u32 side, wedge_u32 q, wedge_u32 x, wedge_u32 y) {
    return wedge_pair_of((2u * q + 1u) * side + y, 2u * q * side + x);
}

WEDGE_FN wedge_pair wedge_rec_triangle(wedge_u32 side, wedge_u32 q, wedge_u32 x, wedge_u32 y) {
    return wedge_pair_of(x <= y ? q * side + y : WEDGE_NONE, q * side + x);
}

/* hmap, the H map (Navarro et al., arXiv 2208.11617). m = 2^p >= 2, grid m/2 x (m+1): row y lies in the band of
 * height 2^h, h = floor(log2(y+1)); clearing the low h bits of x gives the shift q of that band's squares; row m
 * holds the rest of the last row of tiles. Shifts and masks only, so exact. */
WEDGE_FN wedge_pair wedge_hmap_tile(wedge_u32 m, wedge_u32 x, wedge_u32 y) {
    wedge_u32 h = 31u - wedge_clz32(y + 1u);
    wedge_u32 q = (x >> h) << h;
    return y == m ? wedge_pair_of(m - 1u, x + (m >> 1)) : wedge_pair_of(y + 2u * q, x + q);
}

/* hmap for any m, in one launch. m is padded to M = s 2^k, k >= 1, s = wedge_hmap_side(m) from 129 to 256 (smaller for
 * m <= 256): below 1/128 of a side. Halving M k times leaves 2^k triangles of side s on the diagonal, and squares, at
 * level h = 0..k-1 those of side s 2^h, which lie side by side in bands M/2 wide. Grid M/2 x (M+1), T(M) blocks:
 *
 *     rows 0 to s          pairs of triangles, each pair a box s wide: one below its diagonal, one turned above it
 *     rows s+1 to M        bands: row y is row y-1-s 2^h of the squares of level h, s 2^h < y <= s 2^(h+1)
 *
 * q is where x's square (or pair) begins. Dividing by s is a product with `inverse` = wedge_hmap_inverse(m), exact
 * below 2^31. Integers only, so exact for m to 2^31; the caller skips i >= m. */
WEDGE_FN wedge_u32 wedge_hmap_levels(wedge_u32 m) {
    wedge_u32 k = 1u;
    while (((m - 1u) >> k) >= 256u) ++k;
    return k;
}

WEDGE_FN wedge_u32 wedge_hmap_side(wedge_u32 m) { return ((m - 1u) >> wedge_hmap_levels(m)) + 1u; }

/* ceil(2^39 / s) for s > 128: x inverse / 2^39 exceeds x / s by less than x / 2^39, below 1/s. With one level, where s
 * may be smaller, h is 0 and x below s: 0 will do. */
WEDGE_FN wedge_u32 wedge_hmap_inverse(wedge_u32 m) {
    return wedge_hmap_levels(m) == 1u ? 0u : (wedge_u32)(0x7FFFFFFFFFu / wedge_hmap_side(m) + 1u);
}

WEDGE_FN wedge_pair wedge_hmap_any_tile(wedge_u32 s, wedge_u32 inverse, wedge_u32 x, wedge_u32 y) {
    wedge_u32 rows = (wedge_u32)(((wedge_u64)(y ? y - 1u : 0u) * inverse) >> 32) >> 7; /* (y - 1) / s */
    wedge_u32 h = 31u - wedge_clz32(rows | 1u);
    wedge_u32 q = ((wedge_u32)(((wedge_u64)x * inverse) >> 32) >> 7 >> h) * (s << h);
    return y > x - q ? wedge_pair_of(y - 1u + 2u * q, x + q) : wedge_pair_of(x + q + s, y + 2u * q + s);
}

/* utm, in thread space: thread p of N = n(n-1)/2 takes the p-th pair of the strict upper triangle, row by row. The
 * paper's formula, 1-based, a = floor((2n + 1 - sqrt(4n^2 - 4n - 8p + 1)) / 2), with two repairs. The radicand is
 * 8(N-p) + 1, computed so, because the difference of the print cancels. And with r = N-1-p pairs still to come, u =
 * n-1-a is the largest integer with T(u) <= r, so u is seeded by sqrt(8r + 9)/2 = sqrt(2r + 9/4) and corrected as in
 * lambda. Exact for n to 92,682, p < N. Returned as i = b-1 > j = a-1. */
WEDGE_FN wedge_pair wedge_utm_cell(wedge_u32 n, wedge_u32 p) {
    wedge_u32 r = wedge_tri32(n - 1u) - 1u - p;
    wedge_u32 u = (wedge_u32)(0.5f * wedge_sqrt_approx(8.0f * (float)r + 9.0f));
    u -= wedge_tri32(u) > r;
    return wedge_pair_of(n - 1u - (r - wedge_tri32(u)), n - 2u - u);
}

/* utm-x: the paper's UTM as printed, kept for comparison, its root in floats. Grid and cells as utm's. The radicand of
 * a row's last cell exceeds that of the next row's first by 8, and from 2^26 on floats lie 8 apart: n = 4,097 stays
 * below (8,191^2), n = 4,098 does not (8,193^2). Exact for n to 4,097; wrong at 4,098 in the last cell of the first
 * row, p = 4,096. A radicand that cancels to less than 0 is taken as 0, so that nothing is NaN. */
WEDGE_FN wedge_pair wedge_utm_x_cell(wedge_u32 n, wedge_u32 p) {
    float f = (float)n, x = 4.0f * f * f - 4.0f * f - 8.0f * (float)p + 1.0f;
    wedge_u32 a = (wedge_u32)((2.0f * f + 1.0f - wedge_sqrtf(x < 0.0f ? 0.0f : x)) / 2.0f);
    wedge_u32 b = a + 1u + p - (a - 1u) * (2u * n - a) / 2u;
    return wedge_pair_of(b - 1u, a - 1u);
}

/* walk: a resident grid of any size. Of T(m) tiles, block b takes a contiguous run of `run` (one more if b < extra),
 * finds its first tile by the exact lambda, and then goes row by row: a *segment* is what of the run lies in one row.
 * Along it nothing changes but j. m = 5 and four blocks: run = 3, extra = 3.
 *
 *     0                        block   w          segments: row i, columns j to end (left)
 *     0 0                        0     0 to  3    0, 0 to 1 (3)   1, 0 to 2 (1)   2, 0 to 1 (0)
 *     0 1 1                      1     4 to  7    2, 1 to 3 (2)   3, 0 to 2 (0)
 *     1 1 2 2                    2     8 to 11    3, 2 to 4 (2)   4, 0 to 2 (0)
 *     2 2 3 3 3                  3    12 to 14    4, 2 to 5 (0)
 *
 * The loop, for tiles of rho x rho cells of n a side, run = T(m) / blocks, extra = T(m) % blocks:
 *
 *     for (wedge_segment s = wedge_walk_first(b, run, extra); s.end; s = wedge_walk_next(s)) {
 *         wedge_u32 i = s.i * rho + threadIdx.y, inner = s.end < s.i ? s.end : s.i;
 *         if (i < n)                                        // the row's own data can be read here, once per segment
 *             for (; s.j < inner; ++s.j) cell(i, s.j * rho + threadIdx.x);    // below the diagonal: nothing to ask
 *         if (s.end > s.i) ... tile (i, i), the one on the diagonal: if (i < n && j <= i) cell(i, j) ...
 *     }
 *
 * All of a block's threads have the same segments, so a barrier may stand in either loop (then test i < n inside).
 * Another run, a part of the triangle for instance: wedge_walk_from(its first tile, how many). Exact for m below 2^32;
 * a run is below 2^32. wedge_walk_first64 is for more than 2^32 tiles. */
WEDGE_FN wedge_segment wedge_walk_from(wedge_pair tile, wedge_u32 count) {
    wedge_segment s;
    wedge_u32 row = tile.i + 1u - tile.j; /* tiles from here to the diagonal */
    wedge_u32 taken = count < row ? count : row;
    s.i = tile.i;
    s.j = tile.j;
    s.k = 0u;
    s.end = taken ? tile.j + taken : 0u;
    s.left = count - taken;
    return s;
}

WEDGE_FN wedge_segment wedge_walk_first(wedge_u32 block, wedge_u32 run, wedge_u32 extra) {
    wedge_u32 longer = block < extra;
    return wedge_walk_from(wedge_lambda_tile(block * run + (longer ? block : extra)), run + longer);
}

WEDGE_FN wedge_segment wedge_walk_first64(wedge_u32 block, wedge_u32 run, wedge_u32 extra) {
    wedge_u32 longer = block < extra;
    return wedge_walk_from(wedge_lambda_tile64((wedge_u64)block * run + (longer ? block : extra)), run + longer);
}

/* The next row of the run; end = 0 after the last. */
WEDGE_FN wedge_segment wedge_walk_next(wedge_segment s) {
    s.i += 1u;
    s.j = 0u;
    s.end = s.left <= s.i ? s.left : s.i + 1u;
    s.left -= s.end;
    return s;
}

/* ======== Tiles of a tetrahedron ======== */

/* bb: grid m x m x m; a block has a tile if x <= y <= z. */
WEDGE_FN wedge_triple wedge_bb3_tile(wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    return wedge_triple_of(x <= y && y <= z ? z : WEDGE_NONE, y, x);
}

/* lambda: grid Te(m), one-dimensional; exact for every w. */
WEDGE_FN wedge_triple wedge_lambda3_tile(wedge_u32 w) { return wedge_tet_unrank32(w); }
WEDGE_FN wedge_triple wedge_lambda3_tile64(wedge_u64 w) {
    wedge_triple64 t = wedge_tet_unrank64(w);
    return wedge_triple_of((wedge_u32)t.i, (wedge_u32)t.j, (wedge_u32)t.k);
}

/* lambda-x: the printed root of x^3 + 3x^2 + 2x - 6w = 0 and then lambda-x in the layer; w = 0, where the print
 * divides by zero under the root of a negative number, is answered by hand and nothing else is. Grid m' x m' x m', m'
 * = ceil(cbrt(Te(m))). The first cell of a layer has an integer root, so that any error is a wrong layer: in floats
 * it is exact for layers below 3, in doubles below 5 (pow) or 6 (cbrt). */
WEDGE_FN wedge_triple wedge_lambda3_x_tile(wedge_u32 w) {
    float f = (float)w;
    float c = wedge_cbrtf(wedge_sqrtf(729.0f * f * f - 3.0f) + 27.0f * f);
    wedge_u32 i = w == 0u ? 0u : (wedge_u32)(c / 2.0800838f + 1.0f / (1.4422495f * c) - 1.0f);
    wedge_pair p = wedge_lambda_x_tile(w - wedge_tet32(i));
    return wedge_triple_of(i, p.i, p.j);
}

/* walk, rank 3: segments along k, in row j of layer i; the loop is the same with k for j and j for i. A thread tests
 * i < n and j <= i of its cells once per segment, and k <= j in the last tile of a row alone, k = j. */
WEDGE_FN wedge_segment wedge_walk3_from(wedge_triple tile, wedge_u32 count) {
    wedge_segment s = wedge_walk_from(wedge_pair_of(tile.j, tile.k), count);
    s.k = s.j;
    s.j = s.i;
    s.i = tile.i;
    return s;
}

WEDGE_FN wedge_segment wedge_walk3_first(wedge_u32 block, wedge_u32 run, wedge_u32 extra) {
    wedge_u32 longer = block < extra;
    return wedge_walk3_from(wedge_lambda3_tile(block * run + (longer ? block : extra)), run + longer);
}

WEDGE_FN wedge_segment wedge_walk3_first64(wedge_u32 block, wedge_u32 run, wedge_u32 extra) {
    wedge_u32 longer = block < extra;
    return wedge_walk3_from(wedge_lambda3_tile64((wedge_u64)block * run + (longer ? block : extra)), run + longer);
}

WEDGE_FN wedge_segment wedge_walk3_next(wedge_segment s) {
    wedge_u32 layer = s.j == s.i;
    s.i += layer;
    s.j = layer ? 0u : s.j + 1u;
    s.k = 0u;
    s.end = s.left <= s.j ? s.left : s.j + 1u;
    s.left -= s.end;
    return s;
}

/* hmap, rank 3: the H map of the tetrahedron, after the authors' later 3-simplex map. It works on the corner x + y + z
 * < n - 1, x, y, z >= 0, the tiles of layers below n - 1 with (x, y, z) = (k, j-k, i-j). A corner of even side n = 2b is
 *
 *     the cube of side b at the origin, as far as it lies in the corner;
 *     the corner of side b on top, z >= b: what sticks out of the cube, x + y + z >= 2b - 1, is turned about its middle
 *     to (b-1-x, b-1-y, 2b-1-z), where x + y + z <= 2b - 2 and z >= b: just that corner, each tile once;
 *     two corners of side b beside it, x >= b and y >= b, cut in the same way.
 *
 * So level l has 2^l cubes, of side n / 2^(l+1), each a block per tile. Integers only, so exact. */
WEDGE_FN wedge_triple wedge_hmap3_hinge(wedge_u32 b, wedge_u32 x0, wedge_u32 y0, wedge_u32 x, wedge_u32 y,
                                        wedge_u32 z) {
    wedge_u32 out = x + y + z + 1u >= 2u * b;
    x = x0 + (out ? b - 1u - x : x);
    y = y0 + (out ? b - 1u - y : y);
    return wedge_triple_of(x + y + (out ? 2u * b - 1u - z : z), x + y, x);
}

/* m = 2^p >= 2, one launch for all levels: grid m/2 x m/2 x 3m/4 (m = 2: 1 x 1 x 1) for layers 0 to m-2, of which one
 * ninth is idle. z < m/2 is the cube of level 0; above it the 2^l cubes of side b = m / 2^(l+1), l >= 1, lie side by
 * side along x in rows b <= y < 2b, from z = m/2 on. Layer m-1 is wedge_hmap3_strip(m, 0, ...). */
WEDGE_FN wedge_triple wedge_hmap3_tile(wedge_u32 m, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    wedge_u32 middle = m >> 1, above = z >= middle;
    wedge_u32 b = above ? 1u << (31u - wedge_clz32(y | 1u)) : middle;
    wedge_u32 x0 = 2u * (x & ~(b - 1u)), deep = above ? z - middle : z;
    wedge_triple t = wedge_hmap3_hinge(b, x0, m - 2u * b - x0, x & (b - 1u), y & (b - 1u), deep);
    t.i = above && (y == 0u || deep >= b) ? WEDGE_NONE : t.i;
    return t;
}

/* Any m, a launch per level and none of its blocks idle: n = m + 1, and the corners of level l have side s = n >> l. Where
 * s is odd, its last layer goes first, a triangle of side s - 1: wedge_hmap3_strip, grid (s-1)/2 x s x 2^l, which is rb for
 * corner z. What is left is even: wedge_hmap3_cube, grid b x b x b 2^l, b = s >> 1 > 0, cubes one after the other along
 * z. The halves that a corner's number takes, highest bit first, say where it lies; three blocks of four are of level 0. */
WEDGE_FN wedge_triple wedge_hmap3_cube(wedge_u32 m, wedge_u32 level, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    wedge_u32 n = m + 1u, b = n >> level >> 1, x0 = 0u, y0 = 0u;
    for (wedge_u32 l = 1u; l <= level; ++l) {
        wedge_u32 first = b << (level - l), second = z >= first; /* blocks of the first half */
        z -= second ? first : 0u;
        x0 += second ? n >> l : 0u;
        y0 += second ? 0u : n >> l;
    }
    return wedge_hmap3_hinge(b, x0, y0, x, y, z);
}

WEDGE_FN wedge_triple wedge_hmap3_strip(wedge_u32 m, wedge_u32 level, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    wedge_u32 n = m + 1u, side = (n >> level) - 1u, x0 = 0u, y0 = 0u;
    wedge_pair p = wedge_rb_tile(side, x, y);
    for (wedge_u32 l = 1u; l <= level; ++l) {
        wedge_u32 second = z >> (level - l) & 1u;
        x0 += second ? n >> l : 0u;
        y0 += second ? 0u : n >> l;
    }
    return wedge_triple_of(x0 + y0 + side - 1u, x0 + y0 + p.i, x0 + p.j);
}

/* lut: the paper's closing idea, a table of o(Te(m)) in place of the cubic root. m + 2 words hold the shift and
 * Te(0..m), up to m + 1 more the first layer of each bucket of 2^shift consecutive w: at most 8m + 12 bytes for m^3/6
 * tiles. Nine buckets in ten span at most three layers (the first of all some 230 at m = 2,952); bisection finds
 * which. Integers only, so exact, for m from 1 to 2,952. What it buys: no cubic root and no correction, at the price
 * of two or three dependent loads from the cache.
 *
 * Layout: table[0] = shift, table[1..m+1] = Te(0..m), then the buckets' first layers and, as their end, m-1. */
WEDGE_FN wedge_u32 wedge_lut_shift(wedge_u32 m) {
    wedge_u32 shift = 0u;
    while ((wedge_tet32(m) - 1u) >> shift >= m) ++shift;
    return shift;
}

WEDGE_FN wedge_u32 wedge_lut_words(wedge_u32 m) { return m + 4u + ((wedge_tet32(m) - 1u) >> wedge_lut_shift(m)); }

WEDGE_FN void wedge_lut_fill(wedge_u32 m, WEDGE_GLOBAL wedge_u32 *table) {
    wedge_u32 shift = wedge_lut_shift(m);
    wedge_u32 last = (wedge_tet32(m) - 1u) >> shift;
    wedge_u32 layer = 0u;
    table[0] = shift;
    for (wedge_u32 i = 0u; i <= m; ++i) table[1u + i] = wedge_tet32(i);
    for (wedge_u32 b = 0u; b <= last; ++b) {
        while (wedge_tet32(layer + 1u) <= b << shift) ++layer;
        table[m + 2u + b] = layer;
    }
    table[m + 3u + last] = m - 1u;
}

WEDGE_FN wedge_triple wedge_lut_tile(wedge_u32 m, WEDGE_GLOBAL const wedge_u32 *table, wedge_u32 w) {
    wedge_u32 bucket = m + 2u + (w >> table[0]);
    wedge_u32 lo = table[bucket], hi = table[bucket + 1u];
    while (lo < hi) {
        wedge_u32 mid = (lo + hi + 1u) >> 1;
        if (table[1u + mid] <= w)
            lo = mid;
        else
            hi = mid - 1u;
    }
    wedge_pair p = wedge_tri_unrank32(w - table[1u + lo]);
    return wedge_triple_of(lo, p.i, p.j);
}

#endif
