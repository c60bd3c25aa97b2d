/* cells.h: what a user of map.h may rely on for cells, checked by counting.
 *
 * Each check walks the cells of a small domain in packed order with plain nested loops and a running index, and
 * compares rank and unrank with them; `far` and `last` try the large indices. The text is C, C++, CUDA C and OpenCL C
 * at once. A check returns its number of mismatches: 0 is right. n is at most 200, for tetrahedra TET_MOST.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CELLS_H
#define CELLS_H

#include "map.h"

#if defined(__CUDACC__) || defined(__CUDA__)
#define CHECK_FN static __host__ __device__
#else
#define CHECK_FN static inline
#endif

typedef WEDGE_GLOBAL wedge_u32 *scratch_ptr;

#define TRI_MOST 200u
#define TET_MOST 33u

CHECK_FN wedge_u32 pair_differs(wedge_pair p, wedge_u32 i, wedge_u32 j) { return p.i != i || p.j != j; }

CHECK_FN wedge_u32 pair64_differs(wedge_pair64 p, wedge_u64 i, wedge_u64 j) { return p.i != i || p.j != j; }

CHECK_FN wedge_u32 triple_differs(wedge_triple t, wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    return t.i != i || t.j != j || t.k != k;
}

CHECK_FN wedge_u32 triple64_differs(wedge_triple64 t, wedge_u64 i, wedge_u64 j, wedge_u64 k) {
    return t.i != i || t.j != j || t.k != k;
}

CHECK_FN wedge_u32 triangle_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 bad = 0, w = 0;
    for (wedge_u32 i = 0; i < n; ++i)
        for (wedge_u32 j = 0; j <= i; ++j, ++w) {
            bad += pair_differs(wedge_tri_unrank32(w), i, j);
            bad += pair64_differs(wedge_tri_unrank64(w), i, j);
            bad += wedge_tri_rank32(i, j) != w;
            bad += wedge_tri_rank64(i, j) != w;
        }
    (void)unused;
    return bad + (wedge_tri32(n) != w) + (wedge_tri64(n) != w);
}

CHECK_FN wedge_u32 strict_triangle_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 bad = 0, w = 0;
    for (wedge_u32 i = 1; i < n; ++i)
        for (wedge_u32 j = 0; j < i; ++j, ++w) {
            bad += pair_differs(wedge_tri_strict_unrank32(w), i, j);
            bad += pair64_differs(wedge_tri_strict_unrank64(w), i, j);
            bad += wedge_tri_strict_rank32(i, j) != w;
            bad += wedge_tri_strict_rank64(i, j) != w;
        }
    (void)unused;
    return bad;
}

CHECK_FN wedge_u32 condensed_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 bad = 0, p = 0;
    for (wedge_u32 i = 0; i < n; ++i)
        for (wedge_u32 j = i + 1u; j < n; ++j, ++p) {
            bad += pair_differs(wedge_condensed_unrank32(n, p), i, j);
            bad += pair64_differs(wedge_condensed_unrank64(n, p), i, j);
            bad += wedge_condensed_rank32(n, i, j) != p;
            bad += wedge_condensed_rank64(n, i, j) != p;
        }
    (void)unused;
    return bad;
}

CHECK_FN wedge_u32 tetrahedron_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 bad = 0, w = 0;
    if (n > TET_MOST) return 0;
    for (wedge_u32 i = 0; i < n; ++i)
        for (wedge_u32 j = 0; j <= i; ++j)
            for (wedge_u32 k = 0; k <= j; ++k, ++w) {
                bad += triple_differs(wedge_tet_unrank32(w), i, j, k);
                bad += triple64_differs(wedge_tet_unrank64(w), i, j, k);
                bad += wedge_tet_rank32(i, j, k) != w;
                bad += wedge_tet_rank64(i, j, k) != w;
            }
    (void)unused;
    return bad + (wedge_tet32(n) != w) + (wedge_tet64(n) != w);
}

CHECK_FN wedge_u32 strict_tetrahedron_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 bad = 0, w = 0;
    if (n > TET_MOST) return 0;
    for (wedge_u32 i = 2; i < n; ++i)
        for (wedge_u32 j = 1; j < i; ++j)
            for (wedge_u32 k = 0; k < j; ++k, ++w) {
                bad += triple_differs(wedge_tet_strict_unrank32(w), i, j, k);
                bad += triple64_differs(wedge_tet_strict_unrank64(w), i, j, k);
                bad += wedge_tet_strict_rank32(i, j, k) != w;
                bad += wedge_tet_strict_rank64(i, j, k) != w;
            }
    (void)unused;
    return bad;
}

/* T(i) and Te(i) in another form than map.h: the factor that 2, or 3, divides is divided first. */
CHECK_FN wedge_u64 plain_tri(wedge_u64 i) { return i % 2u ? (i + 1u) / 2u * i : i / 2u * (i + 1u); }

CHECK_FN wedge_u64 plain_tet(wedge_u64 i) {
    wedge_u64 t = plain_tri(i);
    return t % 3u ? (i + 2u) / 3u * t : t / 3u * (i + 2u);
}

/* The first and last cell of a row, and the last of the row before: where a root that errs would show. n = 1..200
 * spreads over all the rows that fit. */
CHECK_FN wedge_u32 far_rows(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 r = 463u * n, s = (wedge_u32)plain_tri(r), bad = 0;
    wedge_u64 i = (wedge_u64)30370004u * n, w = plain_tri(i);
    bad += pair_differs(wedge_tri_unrank32(s), r, 0);
    bad += pair_differs(wedge_tri_unrank32(s + r), r, r);
    bad += pair_differs(wedge_tri_unrank32(s - 1u), r - 1u, r - 1u);
    bad += pair64_differs(wedge_tri_unrank64(w), i, 0);
    bad += pair64_differs(wedge_tri_unrank64(w + i), i, i);
    bad += pair64_differs(wedge_tri_unrank64(w - 1u), i - 1u, i - 1u);
    (void)unused;
    return bad;
}

CHECK_FN wedge_u32 far_layers(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 r = 14u * n, s = (wedge_u32)plain_tet(r), bad = 0;
    wedge_u64 i = (wedge_u64)24006u * n, w = plain_tet(i);
    bad += triple_differs(wedge_tet_unrank32(s), r, 0, 0);
    bad += triple_differs(wedge_tet_unrank32(s + (wedge_u32)plain_tri(r) + r), r, r, r);
    bad += triple_differs(wedge_tet_unrank32(s - 1u), r - 1u, r - 1u, r - 1u);
    bad += triple64_differs(wedge_tet_unrank64(w), i, 0, 0);
    bad += triple64_differs(wedge_tet_unrank64(w + plain_tri(i) + i), i, i, i);
    bad += triple64_differs(wedge_tet_unrank64(w - 1u), i - 1u, i - 1u, i - 1u);
    (void)unused;
    return bad;
}

/* The largest index of each type; the cells were worked out with big integers. */
CHECK_FN wedge_u32 last_cells(wedge_u32 n, scratch_ptr unused) {
    wedge_u32 w = 0xFFFFFFFFu, bad = 0;
    wedge_u64 v = ((wedge_u64)w << 32) | w;
    bad += pair_differs(wedge_tri_unrank32(w), 92681u, 37074u);
    bad += pair64_differs(wedge_tri_unrank64(v), (wedge_u64)6074000u * 1000u + 999u, 2746052115u);
    bad += triple_differs(wedge_tet_unrank32(w), 2952u, 2518u, 170u);
    bad += triple64_differs(wedge_tet_unrank64(v), 4801278u, 3483487u, 663727u);
    (void)n;
    (void)unused;
    return bad;
}

#endif
