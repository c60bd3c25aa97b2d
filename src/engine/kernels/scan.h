/* scan.h: exclusive prefix sums on devices: starts[k] = counts[0] + ... + counts[k - 1], starts[n] the total.
 *
 * Three launches, and no memory but the result: a block adds up its chunk (scan_sums) and leaves the sum where the chunk's
 * starts begin; one block turns those sums into starts (scan_tops); then each block has its chunk's start and fills in
 * the rest (scan_starts). No barrier lies in a loop: some compilers (PoCL's) do not manage that.
 *
 *     counts, chunks of two: 3 1 | 4 1 | 5      sums: 4 . 5 . 5 .      tops: 0 . 4 . 9 14      starts: 0 3 4 8 9 14
 *
 * SPDX-License-Identifier: MIT */

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
#define WEDGE_IN_SHARED __local /* of pointers into shared memory */
#define wedge_shared_increment(p) atomic_inc((volatile __local uint *)(p))
#define wedge_shared_or(p, v) atomic_or((volatile __local uint *)(p), v)
#define wedge_ones(u) popcount(u)
#else
#define WEDGE_IN_SHARED
#define wedge_shared_increment(p) atomicAdd(p, 1u)
#define wedge_shared_or(p, v) atomicOr(p, v)
#define wedge_ones(u) ((wedge_u32)__popc(u))
#endif

#define SCAN_SUMS (SCAN_BLOCK + 16u)

/* One number more for every eight, so that threads with eight each in a row read from different banks. */
#define SCAN_PADDED (SCAN_CHUNK / 8u * 9u)
WEDGE_FN wedge_u32 scan_padded(wedge_u32 k) { return k + k / 8u; }

/* The sum of what threads before this one have in sums[thread]: within its sixteen, then of the sixteens before. Comes after
 * a barrier; sums may be written again after another one. */
WEDGE_FN wedge_u64 scan_before(WEDGE_IN_SHARED wedge_u64 *sums) {
    const wedge_u32 t = wedge_local_id(0), first = t / 16u * 16u;
    wedge_u64 before = 0;
    for (wedge_u32 k = first; k < t; ++k) before += sums[k];
    if (t % 16u == 15u) sums[SCAN_BLOCK + t / 16u] = before + sums[t];
    wedge_barrier();
    for (wedge_u32 k = 0; k < t / 16u; ++k) before += sums[SCAN_BLOCK + k];
    return before;
}

WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void scan_sums(WEDGE_GLOBAL const wedge_u32 *counts, wedge_u32 n,
                                                          WEDGE_GLOBAL wedge_u64 *starts) {
    WEDGE_SHARED wedge_u64 sums[SCAN_SUMS];
    const wedge_u32 t = wedge_local_id(0), chunk = wedge_group_id(0) * SCAN_CHUNK;
    wedge_u64 sum = 0;
    for (wedge_u32 e = 0; e < SCAN_EACH; ++e) {
        const wedge_u32 k = chunk + e * SCAN_BLOCK + t;
        if (k < n) sum += counts[k];
    }
    sums[t] = sum;
    wedge_barrier();
    const wedge_u64 before = scan_before(sums);
    if (t == SCAN_BLOCK - 1u) starts[chunk] = before + sums[t];
}

/* One block. A thread has a run of sums. */
WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void scan_tops(WEDGE_GLOBAL wedge_u64 *starts, wedge_u32 n) {
    WEDGE_SHARED wedge_u64 sums[SCAN_SUMS];
    const wedge_u32 t = wedge_local_id(0), chunks = n / SCAN_CHUNK + (n % SCAN_CHUNK != 0u);
    const wedge_u32 each = chunks / SCAN_BLOCK + 1u;
    const wedge_u32 begin = t * each < chunks ? t * each : chunks;
    const wedge_u32 end = chunks - begin < each ? chunks : begin + each;
    wedge_u64 sum = 0;
    for (wedge_u32 c = begin; c < end; ++c) sum += starts[(wedge_u64)c * SCAN_CHUNK];
    sums[t] = sum;
    wedge_barrier();
    wedge_u64 before = scan_before(sums);
    for (wedge_u32 c = begin; c < end; ++c) {
        const wedge_u64 mine = starts[(wedge_u64)c * SCAN_CHUNK];
        starts[(wedge_u64)c * SCAN_CHUNK] = before;
        before += mine;
    }
    if (t == SCAN_BLOCK - 1u) starts[n] = before; /* its run is the last, or empty */
}

WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void scan_starts(WEDGE_GLOBAL const wedge_u32 *counts, wedge_u32 n,
                                                            WEDGE_GLOBAL wedge_u64 *starts) {
    WEDGE_SHARED wedge_u64 sums[SCAN_SUMS], mine[SCAN_PADDED];
    const wedge_u32 t = wedge_local_id(0), chunk = wedge_group_id(0) * SCAN_CHUNK;
    for (wedge_u32 k = t; k < SCAN_CHUNK; k += SCAN_BLOCK)
        mine[scan_padded(k)] = chunk + k < n ? counts[chunk + k] : 0u;
    wedge_barrier();
    wedge_u64 sum = 0;
    for (wedge_u32 e = 0; e < SCAN_EACH; ++e) sum += mine[scan_padded(t * SCAN_EACH + e)];
    sums[t] = sum;
    wedge_barrier();
    wedge_u64 before = scan_before(sums) + starts[chunk];
    for (wedge_u32 e = 0; e < SCAN_EACH; ++e) {
        const wedge_u32 at = scan_padded(t * SCAN_EACH + e);
        const wedge_u64 count = mine[at];
        mine[at] = before;
        before += count;
    }
    wedge_barrier();
    for (wedge_u32 k = t; k < SCAN_CHUNK; k += SCAN_BLOCK)
        if (chunk + k < n) starts[chunk + k] = mine[scan_padded(k)];
}
