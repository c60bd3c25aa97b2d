/* collide.h: overlaps of spheres (x, y, z, radius), counted; the one-dimensional ones use x alone. Strict: cell (i,
 * j) is the pair (i + 1, j).
 *
 * In block space the spheres of a tile's rows and columns are loaded to shared memory once; in thread space (utm,
 * rb-thread) each thread reads its two from global memory. Comparing squares needs no root, and without contraction
 * the count is the same on every device.
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
#define LAB_SHARED WEDGE_SHARED float4 rows[LAB_RHO], columns[LAB_RHO];
#define LAB_LOAD                                                                       \
    if (wedge_local_id(1) == 0u && j <= side) columns[wedge_local_id(0)] = in[j];      \
    if (wedge_local_id(1) == LAB_RHO - 1u && t.i * LAB_RHO + wedge_local_id(0) < side) \
        rows[wedge_local_id(0)] = in[t.i * LAB_RHO + wedge_local_id(0) + 1u];          \
    wedge_barrier();
#define LAB_CELL \
    if (lab_overlap(rows[wedge_local_id(1)], columns[wedge_local_id(0)])) wedge_atomic_add(out, 1u);
#endif
