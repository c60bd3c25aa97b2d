/* cells.h: the skeleton of the lab's kernels: one thread per cell of a tile, and only the map differs.
 *
 * The experiment's text comes first. It defines LAB_CELL, what a thread does with its cell (i, j, k), and where it can
 * use them LAB_SHARED (declarations), LAB_ROW (once for a row of tiles, s.i its number) and LAB_COLUMNS (once for a tile, s
 * standing at it), LAB_BEGIN and LAB_END (before a thread's first cell, and after its last). LAB_ROW has i (rank 3: and j), LAB_COLUMNS all. A map pays for what it needs and no more:
 *
 *   one tile per block        the tile, every thread tests its cell; where blocks may be idle, they leave first
 *   segments of a row         the tiles below the diagonal, where only the row is tested, once; then the one on it
 *   segments of the box       bb-resident: every tile is tested, as bb's blocks are
 *
 * LAB_TILE is a tile in all of these: what is tested is given at compile time, so that no kernel is written twice.
 * WEDGE_LEAVE: an idle block may return, and a barrier may stand behind a condition that is the same for all threads (a
 * GPU); elsewhere every block goes on to every barrier, perhaps with nothing to do.
 *
 * SPDX-License-Identifier: MIT */

#if WEDGE_RANK == 2
#define LAB_I (s.i * LAB_RHO + wedge_local_id(1))
#define LAB_J (s.j * LAB_RHO + wedge_local_id(0))
#define LAB_AT_TILE s.j       /* what runs along a segment */
#define LAB_DIAGONAL s.i      /* and where it meets the diagonal */
#define LAB_ABOVE (s.j > s.i) /* no tile, of the box */
#define LAB_ROW_CELLS wedge_u32 i = LAB_I;
#define LAB_TILE_CELLS \
    enum { k = 0 };    \
    wedge_u32 j = LAB_J;
#define LAB_ROW_INSIDE (i < side)
#define LAB_CELL_BELOW (j <= i)
#else
#define LAB_I (s.i * LAB_RHO + wedge_local_id(2))
#define LAB_J (s.j * LAB_RHO + wedge_local_id(1))
#define LAB_AT_TILE s.k
#define LAB_DIAGONAL s.j
#define LAB_ABOVE (s.k > s.j || s.j > s.i)
#define LAB_ROW_CELLS wedge_u32 i = LAB_I, j = LAB_J;
#define LAB_TILE_CELLS wedge_u32 k = s.k * LAB_RHO + wedge_local_id(0);
#define LAB_ROW_INSIDE (i < side && j <= i)
#define LAB_CELL_BELOW (k <= j)
#endif
#if WEDGE_THREAD_SPACE
#undef LAB_I
#undef LAB_J
#define LAB_I s.i
#define LAB_J s.j
#endif
#ifndef LAB_ROW
#define LAB_ROW
#endif
#ifndef LAB_COLUMNS
#define LAB_COLUMNS
#endif

#define LAB_UNUSED(x) (void)(x);

#define LAB_TILE(inside) \
    {                    \
        LAB_TILE_CELLS   \
        LAB_UNUSED(k)    \
        LAB_COLUMNS      \
        if (inside) {    \
            LAB_CELL     \
        }                \
    }

WEDGE_KERNEL void lab(wedge_launch g, WEDGE_GLOBAL const wedge_u32 *table, WEDGE_GLOBAL const float4 *in,
                      WEDGE_GLOBAL wedge_u32 *out, wedge_u32 side) {
#ifdef LAB_SHARED
    LAB_SHARED
#endif
#ifdef LAB_BEGIN
    LAB_BEGIN
#endif
    wedge_segment s = wedge_begin(g, WEDGE_X(g), WEDGE_Y(g), WEDGE_Z(g), table);
#if WEDGE_SEGMENTS
    for (; s.end; s = wedge_next(g, s)) {
        LAB_ROW_CELLS
        const int row = LAB_ROW_INSIDE;
        LAB_ROW
#if defined(LAB_SHARED) && !WEDGE_LEAVE
        for (; LAB_AT_TILE < s.end; ++LAB_AT_TILE) LAB_TILE(row && LAB_CELL_BELOW)
#elif WEDGE_IDLE
        for (; LAB_AT_TILE < s.end; ++LAB_AT_TILE)
            if (!LAB_ABOVE) LAB_TILE(row && LAB_CELL_BELOW)
#else
        const wedge_u32 inner = s.end < LAB_DIAGONAL ? s.end : LAB_DIAGONAL;
#ifdef LAB_SHARED /* every thread must come to the barriers */
        for (; LAB_AT_TILE < inner; ++LAB_AT_TILE) LAB_TILE(row)
#else
        if (row)
            for (; LAB_AT_TILE < inner; ++LAB_AT_TILE) LAB_TILE(1)
        LAB_AT_TILE = inner;
#endif
        if (inner < s.end) LAB_TILE(row && LAB_CELL_BELOW)
#endif
    }
#else
#if WEDGE_IDLE && WEDGE_LEAVE
    if (s.i >= g.m) return;
#endif
    LAB_ROW_CELLS
    LAB_ROW
    LAB_TILE(LAB_ROW_INSIDE && LAB_CELL_BELOW)
#endif
#ifdef LAB_END
    LAB_END
#endif
}
