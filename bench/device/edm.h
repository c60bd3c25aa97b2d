/* edm.h: Euclidean distances of points with four features, read from global memory, into the lower half of a square
 * or packed. A block that stays in a row keeps the row's point.
 *
 * SPDX-License-Identifier: MIT */

#if LAB_PACKED
#define LAB_AT ((wedge_u64)i * (i + 1u) / 2u + j)
#else
#define LAB_AT ((wedge_u64)i * side + j)
#endif

WEDGE_FN float lab_distance(float4 a, float4 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    return wedge_sqrtf(((x * x + y * y) + z * z) + w * w);
}

#if WEDGE_SEGMENTS
#define LAB_ROW float4 point = in[row ? i : 0u];
#define LAB_POINT point
#else
#define LAB_POINT in[i]
#endif
#define LAB_CELL ((WEDGE_GLOBAL float *)out)[LAB_AT] = lab_distance(LAB_POINT, in[j]);
