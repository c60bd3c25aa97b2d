/* triples_store.h: the skeleton that stores every value of triplets, limited by memory.
 *
 * The values of a pair of points lie side by side, its row: row T(i) + j, of j + 1 columns, begins at Te(i) + T(j) (domains/triples.h). A
 * block has some i of a tile by a tile of j at a time. A line of threads takes eight of these rows to their ends, so that memory
 * sees long runs:
 *
 *     lane: k     a line of threads writes 32 values of a row at once
 *     loop: k     for two i by four j: a side (i, k) is computed once for all j, one (j, k) for both i
 *
 * Memory takes 32 bytes at a time, and waits where it gets a part of them. So a line begins where they do, for all of its rows: mod 8, T(j)
 * is the same for j = c, 15 - c, 16 + c and 31 - c of a tile, and Te(i) for i = c and 16 + c.
 *
 * SPDX-License-Identifier: MIT */

#define STORE_I 2u
#define STORE_J 4u
#define STORE_ROWS (STORE_I * STORE_J)
#define STORE_SETS (PAIRS_TILE / STORE_J)                /* of four j */
#define STORE_LAYERS (PAIRS_TILE / STORE_SUBS / STORE_I) /* two i each, of a part */
#define STORE_PART (32u / (wedge_u32)sizeof(number))     /* numbers that memory takes at once */

/* The r-th row of those that a line has: i and j, from the first of two i and the tile's first j on. */
#define ROW_I(i, r) ((i) + (r) / STORE_J * 16u)
#define ROW_J(j, set, r) ((j) + (r) % STORE_J / 2u * 16u + ((r) % 2u ? 15u - (set) : (set)))

/* What of a row is to be stored: columns [first, end). */
typedef struct {
    side ij;
    int first, end;
} store_row;

WEDGE_FN store_row row_of(wedge_u32 i, wedge_u32 j, WEDGE_GLOBAL const quad *points, op_args q, pairs_args args) {
    const wedge_u64 start = wedge_tet64(i) + wedge_tri64(j), end = start + j + 1u;
    store_row r;
    r.ij = side_of(points, i + 2u * DOMAIN_DISTINCT, j + DOMAIN_DISTINCT, q, args);
    r.first = r.end = 0;
    if (i + 2u * DOMAIN_DISTINCT < args.points && j <= i && args.begin < end && args.end > start) {
        r.first = args.begin > start ? (int)(args.begin - start) : 0;
        r.end = (int)((args.end < end ? args.end : end) - start);
    }
    return r;
}

/* Eight rows by a line of threads. */
WEDGE_FN void store_rows(WEDGE_GLOBAL number *out, wedge_u32 i, wedge_u32 j, wedge_u32 set,
                         WEDGE_GLOBAL const quad *points, op_args q, pairs_args args) {
    store_row rows[STORE_ROWS];
    wedge_i64 to[STORE_ROWS];
    int first = 0x7fffffff, end = 0;
#pragma unroll
    for (wedge_u32 r = 0; r < STORE_ROWS; ++r) {
        rows[r] = row_of(ROW_I(i, r), ROW_J(j, set, r), points, q, args);
        to[r] = (wedge_i64)(wedge_tet64(ROW_I(i, r)) + wedge_tri64(ROW_J(j, set, r)) - args.base);
        if (rows[r].end > end) end = rows[r].end;
        if (rows[r].end && rows[r].first < first) first = rows[r].first;
    }
    if (!end) return;
    first -= (int)(((wedge_u64)out / sizeof(number) + (wedge_u64)to[0] + (wedge_u64)first) % STORE_PART);
#pragma unroll 1
    for (int k = first + (int)wedge_local_id(0); k < end; k += (int)LANES) {
        side ik[STORE_I], jk[STORE_J];
#pragma unroll
        for (wedge_u32 x = 0; x < STORE_I; ++x)
            ik[x] = side_of(points, ROW_I(i, x * STORE_J) + 2u * DOMAIN_DISTINCT, (wedge_u32)k, q, args);
#pragma unroll
        for (wedge_u32 y = 0; y < STORE_J; ++y)
            jk[y] = side_of(points, ROW_J(j, set, y) + DOMAIN_DISTINCT, (wedge_u32)k, q, args);
#pragma unroll
        for (wedge_u32 r = 0; r < STORE_ROWS; ++r)
            if (k >= rows[r].first && k < rows[r].end)
                out[to[r] + k] = op_triple(rows[r].ij.v, ik[r / STORE_J].v, jk[r % STORE_J].v, q);
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         PAIRS_RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                           WEDGE_GLOBAL const quad *points, WEDGE_GLOBAL number *out,
                                                           WEDGE_GLOBAL const number *limits, pairs_args args,
                                                           op_values parameters) {
    const op_args q = args_of(args, parameters);
    const wedge_u32 units = tiles_of_block(g);
    for (wedge_u32 n = 0; n < units; ++n) {
        const wedge_u64 unit = tile_number(g, n);
        const wedge_pair64 at = wedge_tri_unrank64(unit / STORE_SUBS);
        const wedge_u32 i = (wedge_u32)at.i * PAIRS_TILE + (wedge_u32)(unit % STORE_SUBS) * STORE_LAYERS;
        for (wedge_u32 x = wedge_local_id(1); x < STORE_LAYERS * STORE_SETS; x += PAIRS_WARPS)
            store_rows(out, i + x / STORE_SETS, (wedge_u32)at.j * PAIRS_TILE, x % STORE_SETS, points, q, args);
    }
}
