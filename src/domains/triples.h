/* triples.h: rows of triplets on devices: row T(i) + j is the pair of points i + 2 and j + 1, begins at Te(i) + T(j) and has
 * j + 1 columns.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN wedge_u64 row_start(pairs_args A, wedge_u32 row) {
    const wedge_pair64 p = wedge_tri_unrank64(row);
    return wedge_tet64(p.i) + wedge_tri64(p.j);
}

WEDGE_FN int row_last(pairs_args A, wedge_u32 row) { return (int)wedge_tri_unrank64(row).j; }
