/* extent.h: the extent of points in device memory, per feature: least, largest, and smallest magnitude that is not 0 (scale/extent_gpu.c).
 *
 * Thread t has feature t mod d of every `parts`-th row: neighbours read neighbours. What is not finite counts for nothing.
 *
 * The engine defines number.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_KERNEL WEDGE_BLOCK(EXTENT_BLOCK, 1, 1) void extent_of_rows(WEDGE_GLOBAL const number *raw, wedge_u64 start,
                                                                 wedge_u64 stride, wedge_u32 n, wedge_u32 d,
                                                                 wedge_u32 parts, WEDGE_GLOBAL number *found) {
    const wedge_u64 t = (wedge_u64)wedge_group_id(0) * EXTENT_BLOCK + wedge_local_id(0);
    const number infinity = (number)wedge_bits_float(0x7f800000u);
    number lo = infinity, hi = -infinity, least = infinity;
    if (t >= (wedge_u64)parts * d) return;
    for (wedge_u64 x = t / d; x < n; x += parts) {
        const number v = raw[start + x * stride + t % d], size = v < (number)0 ? -v : v;
        const int finite = v - v == (number)0;
        if (finite && v < lo) lo = v;
        if (finite && v > hi) hi = v;
        if (size > (number)0 && size < least) least = size;
    }
    found[3u * t] = lo;
    found[3u * t + 1u] = hi;
    found[3u * t + 2u] = least;
}
