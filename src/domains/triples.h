/* triples.h: rows of triplets on devices: row T(i) + j begins at Te(i) + T(j) and has j + 1 columns. It is the pair of points i and j,
 * or with DOMAIN_DISTINCT i + 2 and j + 1.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN wedge_u64 row_start(pairs_args args, wedge_u32 row) {
    const wedge_pair64 p = wedge_tri_unrank64(row);
    return wedge_tet64(p.i) + wedge_tri64(p.j);
}

/* Where the triplets of points i and j begin. */
WEDGE_FN wedge_u64 pair_start(wedge_u32 i, wedge_u32 j) {
    return wedge_tet64((wedge_u64)i - 2u * DOMAIN_DISTINCT) + wedge_tri64((wedge_u64)j - DOMAIN_DISTINCT);
}

/* The number of third points that a pair's second point j has: those before it, and where it may come twice itself. */
WEDGE_FN wedge_u32 pair_columns(wedge_u32 j) { return j + 1u - DOMAIN_DISTINCT; }

/* Has i triplets with j? Of points that must differ, 0 has none as j. */
WEDGE_FN int is_pair(wedge_u32 i, wedge_u32 j) { return pair_columns(j) && i >= j + DOMAIN_DISTINCT; }

/* The row of a pair, and its points. */
WEDGE_FN wedge_u32 pair_row(wedge_u32 i, wedge_u32 j) {
    return wedge_tri32(i - 2u * DOMAIN_DISTINCT) + j - DOMAIN_DISTINCT;
}

WEDGE_FN wedge_pair pair_of_row(wedge_u32 row) {
    wedge_pair p = wedge_tri_unrank32(row);
    p.i += 2u * DOMAIN_DISTINCT;
    p.j += DOMAIN_DISTINCT;
    return p;
}

WEDGE_FN wedge_u64 triple_position(wedge_u32 i, wedge_u32 j, wedge_u32 k) { return pair_start(i, j) + k; }

WEDGE_FN int row_last(pairs_args args, wedge_u32 row) { return (int)wedge_tri_unrank64(row).j; }
