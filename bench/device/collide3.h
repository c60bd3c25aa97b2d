/* collide3.h: triplets of spheres (x, y, z, radius) of which each two overlap, counted. Strict: cell (i, j, k) is the
 * triplet (i + 2, j + 1, k).
 *
 * The spheres of a tile's layers, rows and columns are loaded to shared memory once; those of the layers and rows stay
 * there as long as the block stays in its row along k, and columns of successive tiles alternate between two banks.
 *
 * SPDX-License-Identifier: MIT */
WEDGE_FN wedge_u32 lab_overlap(float4 a, float4 b) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r = a.w + b.w;
    return (x * x + y * y) + z * z <= r * r;
}

#if WEDGE_SEGMENTS
#define LAB_BANKS 2u
#define LAB_BANK (s.k % 2u * LAB_RHO)
#define LAB_ROW_READ wedge_barrier(); /* the row before this one has been read */
#else
#define LAB_BANKS 1u
#define LAB_BANK 0u
#define LAB_ROW_READ
#endif
#define LAB_SHARED WEDGE_SHARED float4 layers[LAB_RHO], rows[LAB_RHO], columns[LAB_BANKS * LAB_RHO];
#define LAB_AT(tile) ((tile)*LAB_RHO + wedge_local_id(0))
#define LAB_ROW                                                                                       \
    LAB_ROW_READ                                                                                      \
    if (wedge_local_id(2) == LAB_RHO - 1u && wedge_local_id(1) == LAB_RHO - 1u && LAB_AT(s.i) < side) \
        layers[wedge_local_id(0)] = in[LAB_AT(s.i) + 2u];                                             \
    if (wedge_local_id(2) == LAB_RHO - 1u && wedge_local_id(1) == 0u && LAB_AT(s.j) < side)           \
        rows[wedge_local_id(0)] = in[LAB_AT(s.j) + 1u];
#define LAB_COLUMNS                                                                                                    \
    if (wedge_local_id(2) == 0u && wedge_local_id(1) == 0u && k < side) columns[LAB_BANK + wedge_local_id(0)] = in[k]; \
    wedge_barrier();
#define LAB_CELL                                                                                    \
    {                                                                                               \
        const float4 a = layers[wedge_local_id(2)], b = rows[wedge_local_id(1)],                    \
                     c = columns[LAB_BANK + wedge_local_id(0)];                                     \
        if (lab_overlap(a, b) && lab_overlap(a, c) && lab_overlap(b, c)) wedge_atomic_add(out, 1u); \
    }
