/* collide.h: overlaps of spheres (x, y, z, radius), counted; the one-dimensional ones use x alone. Strict: cell (i,
 * j) is the pair (i + 1, j).
 *
 * In block space the spheres of a tile's rows and columns are loaded to shared memory once, and those of the rows stay
 * there as long as the block stays in its row; in thread space (utm, rb-thread) each thread reads its two from global
 * memory. Columns of successive tiles alternate between two banks, so that one barrier per tile is enough. Comparing
 * squares needs no root, and without contraction the count is the same on every device.
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

#if WEDGE_THREAD_SPACE
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
