/* triples_store.h: the skeleton that stores every value of triplets: memory is what it waits for.
 *
 * The values of a pair (i, j) lie side by side, its row. A block has STORE_SUB points i by a tile of points j at a time. A line of
 * threads takes some pairs of them to the end of their rows, so that memory sees long runs:
 *
 *     lane: k     a line of threads writes 32 values of a row at once
 *     loop: k     for STORE_I by STORE_J pairs together: a side (i, k) is computed once for all j, one (j, k) for all i
 *
 * SPDX-License-Identifier: MIT */

#define STORE_I 2u
#define STORE_J 4u
#define STORE_SUB 8u
#define STORE_SUBS (PAIRS_TILE / STORE_SUB)

/* What of the row of a pair is to be stored: columns [first, end), column 0 at out[to]. */
typedef struct {
    side ij;
    wedge_i64 to;
    wedge_u32 first, end;
} store_row;

WEDGE_FN store_row row_of(wedge_u32 i, wedge_u32 j, WEDGE_GLOBAL const quad *points, op_args q, pairs_args A) {
    store_row r;
    r.ij = side_of(points, i, j, q, A);
    r.to = 0;
    r.first = r.end = 0;
    if (i < A.points && is_pair(i, j)) {
        const wedge_u64 start = pair_start(i, j), end = start + pair_columns(j);
        r.to = (wedge_i64)(start - A.base);
        if (A.begin < end && A.end > start) {
            r.first = A.begin > start ? (wedge_u32)(A.begin - start) : 0u;
            r.end = (wedge_u32)((A.end < end ? A.end : end) - start);
        }
    }
    return r;
}

/* The rows of STORE_I points from i on with STORE_J from j on, by a line of threads. */
WEDGE_FN void store_rows(WEDGE_GLOBAL number *out, wedge_u32 i, wedge_u32 j, WEDGE_GLOBAL const quad *points, op_args q,
                         pairs_args A) {
    store_row rows[STORE_I * STORE_J];
    wedge_u32 first = 0xffffffffu, end = 0;
#pragma unroll
    for (wedge_u32 r = 0; r < STORE_I * STORE_J; ++r) {
        rows[r] = row_of(i + r / STORE_J, j + r % STORE_J, points, q, A);
        if (rows[r].end > end) end = rows[r].end;
        if (rows[r].end && rows[r].first < first) first = rows[r].first;
    }
    if (!end) return;
#pragma unroll 1
    for (wedge_u32 k = first / LANES * LANES + wedge_local_id(0); k < end; k += LANES) {
        side ik[STORE_I], jk[STORE_J];
#pragma unroll
        for (wedge_u32 x = 0; x < STORE_I; ++x) ik[x] = side_of(points, i + x, k, q, A);
#pragma unroll
        for (wedge_u32 y = 0; y < STORE_J; ++y) jk[y] = side_of(points, j + y, k, q, A);
#pragma unroll
        for (wedge_u32 r = 0; r < STORE_I * STORE_J; ++r)
            if (k >= rows[r].first && k < rows[r].end)
                out[rows[r].to + (wedge_i64)k] =
                    op_triple(rows[r].ij.v, ik[r / STORE_J].v, jk[r % STORE_J].v, q);
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         PAIRS_RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                           WEDGE_GLOBAL const quad *points, WEDGE_GLOBAL number *out,
                                                           WEDGE_GLOBAL const number *limits, pairs_args A,
                                                           op_values parameters) {
    const op_args q = args_of(A, parameters);
    const wedge_u32 units = tiles_of_block(g);
    for (wedge_u32 n = 0; n < units; ++n) {
        const wedge_u64 unit = tile_number(g, n);
        const wedge_pair64 at = wedge_tri_unrank64(unit / STORE_SUBS);
        const wedge_u32 i = (wedge_u32)at.i * PAIRS_TILE + (wedge_u32)(unit % STORE_SUBS) * STORE_SUB;
        for (wedge_u32 x = wedge_local_id(1); x < STORE_SUB / STORE_I * (PAIRS_TILE / STORE_J); x += PAIRS_WARPS)
            store_rows(out, i + x / (PAIRS_TILE / STORE_J) * STORE_I,
                       (wedge_u32)at.j * PAIRS_TILE + x % (PAIRS_TILE / STORE_J) * STORE_J, points, q, A);
    }
}
