/* same.h: compares two buffers word by word. Device text.
 *
 * SPDX-License-Identifier: MIT */

/* tally: words compared, modulo 2^32; threads that found a difference. */
WEDGE_KERNEL void wedge_same(WEDGE_GLOBAL const wedge_u32 *a, WEDGE_GLOBAL const wedge_u32 *b,
                             WEDGE_GLOBAL wedge_u32 *tally, wedge_u64 words) {
    wedge_u32 tried = 0u, differ = 0u;
    const wedge_u64 stride = (wedge_u64)wedge_group_count(0) * wedge_local_size(0);
    for (wedge_u64 x = (wedge_u64)wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0); x < words; x += stride) {
        if (a[x] != b[x]) differ = 1u;
        ++tried;
    }
    if (tried) wedge_atomic_add(&tally[0], tried);
    if (differ) wedge_atomic_add(&tally[1], 1u);
}
