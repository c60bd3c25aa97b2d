/* checks.h: the lab's other kernels: what verification counts on the device, and the device's ceilings.
 *
 * SPDX-License-Identifier: MIT */

#define LAB_THREAD ((wedge_u64)wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0))
#define LAB_THREADS ((wedge_u64)wedge_group_count(0) * wedge_local_size(0))

/* Bytes that are 1, of `bytes` from word `from` on; sums[thread & 65535]. */
WEDGE_KERNEL void count_marks(WEDGE_GLOBAL const wedge_u32 *marks, wedge_u64 from, wedge_u64 bytes,
                              WEDGE_GLOBAL wedge_u32 *sums) {
    WEDGE_GLOBAL const unsigned char *at = (WEDGE_GLOBAL const unsigned char *)(marks + from);
    wedge_u32 found = 0u;
    for (wedge_u64 b = LAB_THREAD * 4u; b < bytes; b += LAB_THREADS * 4u) {
        if (b + 4u <= bytes) {
            wedge_u32 four = marks[from + b / 4u];
            found += (four & 0x01010101u) * 0x01010101u >> 24;
        } else {
            for (wedge_u64 c = b; c < bytes; ++c) found += at[c];
        }
    }
    wedge_atomic_add(&sums[LAB_THREAD & 65535u], found);
}

/* Words of the lower triangle (packed or in a square) that still hold the poison. */
WEDGE_KERNEL void count_poison(WEDGE_GLOBAL const wedge_u32 *words, wedge_u32 side, wedge_u32 packed,
                               WEDGE_GLOBAL wedge_u32 *sums) {
    wedge_u32 i = wedge_group_id(0), found = 0u;
    wedge_u64 first = packed ? (wedge_u64)i * (i + 1u) / 2u : (wedge_u64)i * side;
    for (wedge_u32 j = wedge_local_id(0); j <= i && i < side; j += wedge_local_size(0))
        found += words[first + j] == 0xFFFFFFFFu;
    if (found) wedge_atomic_add(&sums[LAB_THREAD & 65535u], found);
}

WEDGE_KERNEL void fill(WEDGE_GLOBAL float4 *out, float value) {
    float4 v;
    v.x = v.y = v.z = v.w = value;
    out[LAB_THREAD] = v;
}

WEDGE_KERNEL void copy(WEDGE_GLOBAL float4 *out, WEDGE_GLOBAL const float4 *in) { out[LAB_THREAD] = in[LAB_THREAD]; }

/* Eight independent chains, LAB_FMA_STEPS steps: 16 LAB_FMA_STEPS operations a thread. */
WEDGE_KERNEL void fused(WEDGE_GLOBAL float *out, float a, float b) {
    float x[8];
    for (int c = 0; c < 8; ++c) x[c] = (float)(wedge_local_id(0) + (wedge_u32)c);
    for (int s = 0; s < LAB_FMA_STEPS; ++s)
        for (int c = 0; c < 8; ++c) x[c] = wedge_fma(x[c], a, b);
    float sum = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
    if (sum == 12345.678f) out[0] = sum; /* never, but the compiler cannot know */
}
