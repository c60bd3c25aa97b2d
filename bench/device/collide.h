/* collide.h: overlaps of spheres (x, y, z, radius), counted; the one-dimensional ones use x alone. Strict: cell (i,
 * j) is the pair (i + 1, j).
 *
 * In block space the spheres of a tile's rows and columns are loaded to shared memory once, and those of the rows stay
 * there as long as the block stays in its row; in thread space (utm, rb-thread) each thread reads its two from global
 * memory, or (rb-tiles) from shared memory as well. Columns of successive tiles alternate between two banks, so that
 * one barrier per tile is enough. Comparing squares needs no root, and without contraction the count is the same on
 * every device.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN wedge_u32 lab_overlap(float4 a, float4 b) {
    float x = a.x - b.x, r = a.w + b.w;
#if LAB_DIMENSIONS == 3
    float y = a.y - b.y, z = a.z - b.z;
    return (x * x + y * y) + z * z <= r * r;
#else
    return x * x <= r * r;
#endif
}

#if LAB_TILES
/* rb in thread space, with tiles as the paper has them. A block of its box lies below the box's diagonal, or above it,
 * where cells are turned, or it has threads of both kinds: then it has rows and columns of both, the turned ones behind
 * the others. A row is loaded by its first thread if that lies below, and by its last one if that is turned: if any
 * thread of the row is of a kind, that one is. So are columns, by their last thread and by their first. */
#define LAB_SHARED WEDGE_SHARED float4 rows[2u * LAB_RHO], columns[2u * LAB_RHO];
#define LAB_ODD (side & 1u)
#define LAB_TURNED (WEDGE_Y(g) + LAB_ODD <= WEDGE_X(g))
#define LAB_ROW                                                                                      \
    {                                                                                                \
        const wedge_u32 x = WEDGE_X(g), y = WEDGE_Y(g), turned = LAB_TURNED;                         \
        const wedge_u32 at_x = wedge_local_id(0), at_y = wedge_local_id(1);                          \
        if (at_x == 0u && !turned && y + LAB_ODD <= side) rows[at_y] = in[y + LAB_ODD];              \
        if (at_x == LAB_RHO - 1u && turned && y < side) rows[LAB_RHO + at_y] = in[side - y];         \
        if (at_y == LAB_RHO - 1u && !turned && x < side) columns[at_x] = in[x];                      \
        if (at_y == 0u && turned && x < side) columns[LAB_RHO + at_x] = in[side - 1u + LAB_ODD - x]; \
        wedge_barrier();                                                                             \
    }
#define LAB_CELL                                                                                                       \
    {                                                                                                                  \
        const wedge_u32 kind = LAB_TURNED ? LAB_RHO : 0u;                                                              \
        if (lab_overlap(rows[kind + wedge_local_id(1)], columns[kind + wedge_local_id(0)])) wedge_atomic_add(out, 1u); \
    }
#elif WEDGE_THREAD_SPACE
#define LAB_CELL \
    if (lab_overlap(in[i + 1u], in[j])) wedge_atomic_add(out, 1u);
#else
#if WEDGE_SEGMENTS
#define LAB_SHARED WEDGE_SHARED float4 rows[LAB_RHO], columns[2u * LAB_RHO];
#define LAB_BANK (s.j % 2u * LAB_RHO)
#define LAB_ROW_READ wedge_barrier(); /* the row before this one has been read */
#else
#define LAB_SHARED WEDGE_SHARED float4 rows[LAB_RHO], columns[LAB_RHO];
#define LAB_BANK 0u
#define LAB_ROW_READ
#endif
#define LAB_ROW                                                                        \
    LAB_ROW_READ                                                                       \
    if (wedge_local_id(1) == LAB_RHO - 1u && s.i * LAB_RHO + wedge_local_id(0) < side) \
        rows[wedge_local_id(0)] = in[s.i * LAB_RHO + wedge_local_id(0) + 1u];
#define LAB_COLUMNS                                                                          \
    if (wedge_local_id(1) == 0u && j <= side) columns[LAB_BANK + wedge_local_id(0)] = in[j]; \
    wedge_barrier();
#define LAB_CELL \
    if (lab_overlap(rows[wedge_local_id(1)], columns[LAB_BANK + wedge_local_id(0)])) wedge_atomic_add(out, 1u);
#endif
