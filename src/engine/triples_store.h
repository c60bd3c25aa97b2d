/* triples_store.h: the skeleton that stores every value of triplets: memory is what it waits for.
 *
 * A tile is three blocks of PAIRS_TILE points, i, j and k. The values of a pair (i, j) lie side by side:
 *
 *     lane: k     a line of threads writes 32 of them at once
 *     loop: i     a thread has STORE_EACH points j, and their sides (j, k) in registers; one (i, k) is computed for all of
 *                 them, and (i, j) lie in shared memory
 *
 * SPDX-License-Identifier: MIT */

#define STORE_EACH (PAIRS_TILE / PAIRS_WARPS)

#if PAIRS_PLAIN
#define SIDE_IJ(ij, i, j, points, q, A) side_of(points, i, j, q, A)
#else
#define SIDE_IJ(ij, i, j, points, q, A) (ij)[(i) % PAIRS_TILE * PAIRS_TILE + (j) % PAIRS_TILE]
#endif

/* May pairs of i with points [j, j + STORE_EACH) have triplets in the range with points from k on? */
WEDGE_FN int pairs_have_some(wedge_u32 i, wedge_u32 j, wedge_u32 k, pairs_args A) {
    if (i >= A.points || i < j + DOMAIN_APART || k >= j + STORE_EACH) return 0;
    return i < 2u * DOMAIN_APART || (pair_start(i, j) < A.end && pair_start(i, j + STORE_EACH) > A.begin);
}

WEDGE_FN void store_tile(WEDGE_GLOBAL number *out, wedge_triple at, WEDGE_GLOBAL const quad *points,
                         WEDGE_NEAR const side *ij, op_args q, pairs_args A) {
    const wedge_u32 first = at.j * PAIRS_TILE + wedge_local_id(1) * STORE_EACH,
                    k = at.k * PAIRS_TILE + wedge_local_id(0);
    const int whole = triples_whole(at, A);
    side jk[STORE_EACH];
#pragma unroll
    for (wedge_u32 e = 0; e < STORE_EACH; ++e) jk[e] = side_of(points, first + e, k, q, A);
#pragma unroll 1
    for (wedge_u32 i = at.i * PAIRS_TILE; i < (at.i + 1u) * PAIRS_TILE; ++i) {
        if (!whole && !pairs_have_some(i, first, at.k * PAIRS_TILE, A)) continue;
        const side ik = side_of(points, i, k, q, A);
#pragma unroll
        for (wedge_u32 e = 0; e < STORE_EACH; ++e) {
            const wedge_u32 j = first + e;
            const side own = SIDE_IJ(ij, i, j, points, q, A);
            const wedge_u64 cell = pair_start(i, j) + k;
            if (whole || (i < A.points && is_pair(i, j) && k < pair_columns(j) && cell >= A.begin && cell < A.end))
                out[cell - A.base] = op_triple(own.v, ik.v, jk[e].v, q);
        }
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         PAIRS_RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                           WEDGE_GLOBAL const quad *points, WEDGE_GLOBAL number *out,
                                                           WEDGE_GLOBAL const number *limits, pairs_args A,
                                                           op_values parameters) {
#if PAIRS_PLAIN
    WEDGE_SHARED side ij[1];
#else
    WEDGE_SHARED side ij[PAIRS_TILE * PAIRS_TILE];
#endif
    const op_args q = args_of(A, parameters);
    const wedge_u32 tiles = tiles_of_block(g);
    for (wedge_u32 n = 0; n < tiles; ++n) {
        const wedge_triple at =
            wedge_tet_unrank32((wedge_u32)tile_number(g, n)); /* of MOST_TRIPLED points, below 2^32 */
#if !PAIRS_PLAIN
        wedge_barrier(); /* the sides before have been read */
        for (wedge_u32 x = THREAD; x < PAIRS_TILE * PAIRS_TILE; x += THREADS)
            ij[x] = side_of(points, at.i * PAIRS_TILE + x / PAIRS_TILE, at.j * PAIRS_TILE + x % PAIRS_TILE, q, A);
        wedge_barrier();
#endif
        store_tile(out, at, points, ij, q, A);
    }
}
