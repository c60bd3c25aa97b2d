/* pairs_rows.h: the skeleton for sinks that see leaves, of few features: arithmetic is what it waits for.
 *
 * A thread keeps PAIRS_ROWS rows in registers and goes along the tile's columns, which lie in shared memory and which all
 * threads of a block read at the same time:
 *
 *     rows                 columns of the tile, 32 per leaf
 *     thread 0, 1, 2 ...   | leaf | leaf | leaf | ...   every thread has the leaves of its own rows
 *
 * Blocks stay: each takes many tiles, by lambda one in so many, by walk a run of neighbours.
 *
 * SPDX-License-Identifier: MIT */

#define DEPTH ((PAIRS_D + QUAD - 1u) / QUAD) /* quads of a point */

WEDGE_FN op_state cell_state(const quad *a, WEDGE_NEAR const quad *b, op_args q) {
    op_state s = begin_state();
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_D; ++f) s = op_step(s, a[f / QUAD].v[f % QUAD], b[f / QUAD].v[f % QUAD], q);
    return s;
}

WEDGE_FN void exact_values(const op_state *s, op_args q, number *v) {
#ifdef OP_QUICK_FROM
    int sure = 1;
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) {
        v[k] = op_quick(s[k], q);
        sure &= v[k] >= OP_QUICK_FROM;
    }
    if (!sure)
#endif
#pragma unroll
        for (wedge_u32 k = 0; k < GROUP; ++k) v[k] = op_finish(s[k], q);
}

/* GROUP cells of a row, side by side, the first of them cell c of the leaf; of those that are inside. */
WEDGE_FN void take_group(sink_state *sink, sink_leaf *leaf, const quad *a, WEDGE_NEAR const quad *b, wedge_u32 c,
                         wedge_u32 inside, op_args q) {
    op_state s[GROUP];
    number v[GROUP];
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) s[k] = cell_state(a, b + k * DEPTH, q);
#if SINK_SEES == VALUES
    exact_values(s, q, v);
#else
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) v[k] = SINK_SEES == KEYS ? op_key(s[k], q) : op_near(s[k], q);
#endif
    if (inside == 0xffffffffu) {
        if (!sink_take(sink, leaf, v, GROUP, c)) {
            exact_values(s, q, v);
            sink_take_exact(sink, leaf, v, GROUP, c);
        }
    } else {
#pragma unroll
        for (wedge_u32 k = 0; k < GROUP; ++k)
            if (inside >> (c + k) & 1u && !sink_take(sink, leaf, v + k, 1u, c + k)) {
                const number exact = op_finish(s[k], q);
                sink_take_exact(sink, leaf, &exact, 1u, c + k);
            }
    }
}

/* What the sink wants to see of a leaf once more. */
WEDGE_FN void look(sink_state *sink, int wanted, leaf_place at, const quad *a, WEDGE_NEAR const quad *b, op_args q,
                   pairs_args A) {
    number v[LEAF];
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c) v[c] = op_finish(cell_state(a, b + c * DEPTH, q), q);
    sink_look(sink, wanted, at, v, A);
}

WEDGE_FN void whole_leaf(sink_state *sink, leaf_place at, quad (*a)[DEPTH], WEDGE_NEAR const quad *b, op_args q,
                         WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    sink_leaf leaf[PAIRS_ROWS];
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) leaf[r] = sink_leaf_begin();
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP)
#pragma unroll
        for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) take_group(sink, &leaf[r], a[r], b + c * DEPTH, c, 0xffffffffu, q);
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r, at.i += THREADS) {
        const int wanted = sink_leaf_end(sink, &leaf[r], at, slots, A);
        if (wanted) look(sink, wanted, at, a[r], b, q, A);
    }
}

/* One row's leaf, some of which may lie outside. */
WEDGE_FN void row_leaf(sink_state *sink, leaf_place at, const quad *a, WEDGE_NEAR const quad *b, op_args q,
                       WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    sink_leaf leaf = sink_leaf_begin();
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) take_group(sink, &leaf, a, b + c * DEPTH, c, at.inside, q);
    const int wanted = sink_leaf_end(sink, &leaf, at, slots, A);
    if (wanted) look(sink, wanted, at, a, b, q, A);
}

WEDGE_FN void read_row(WEDGE_GLOBAL const quad *rows, wedge_u32 i, quad *a, pairs_args A) {
    const wedge_u32 point = clamp_point((int)(i - A.pad + DOMAIN_STRICT), A.side + DOMAIN_STRICT);
#pragma unroll
    for (wedge_u32 d = 0; d < DEPTH; ++d) a[d] = rows[(wedge_u64)point * DEPTH + d];
}

WEDGE_FN void whole_tile(sink_state *sink, wedge_u32 row, wedge_u32 column, WEDGE_GLOBAL const quad *rows,
                         WEDGE_NEAR const quad *b, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    quad a[PAIRS_ROWS][DEPTH];
    leaf_place at;
    at.inside = 0xffffffffu;
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) read_row(rows, row + r * THREADS + THREAD, a[r], A);
#pragma unroll 1
    for (wedge_u32 x = 0; x < PAIRS_TILE; x += LEAF) {
        at.i = row + THREAD;
        at.j = column + x;
        whole_leaf(sink, at, a, b + x * DEPTH, q, slots, A);
    }
}

/* On the diagonal, or at an end of the range. */
WEDGE_FN void part_of_tile(sink_state *sink, wedge_u32 row, wedge_u32 column, WEDGE_GLOBAL const quad *rows,
                           WEDGE_NEAR const quad *b, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    quad a[DEPTH];
    leaf_place at;
#pragma unroll 1
    for (at.i = row + THREAD; at.i < row + PAIRS_TILE; at.i += THREADS) {
        read_row(rows, at.i, a, A);
#pragma unroll 1
        for (wedge_u32 x = 0; x < PAIRS_TILE; x += LEAF) {
            at.j = column + x;
            at.inside = leaf_inside(A, at.i, at.j);
            if (at.inside) row_leaf(sink, at, a, b + x * DEPTH, q, slots, A);
        }
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         PAIRS_RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                           WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL sink_slot *slots,
                                                           WEDGE_GLOBAL const number *limits, pairs_args A,
                                                           number parameter) {
    WEDGE_SHARED quad b[PAIRS_TILE * DEPTH];
    WEDGE_SHARED wedge_u64 room[SINK_ROOM];
    const op_args q = args_of(A, parameter);
    const wedge_u32 tiles = tiles_of_block(g);
    sink_state sink = sink_open(room, limits, slots);
    for (wedge_u32 k = 0; k < tiles; ++k) {
        const wedge_pair64 t = tile_of_block(g, k, A);
        const wedge_u32 row = (wedge_u32)t.i * PAIRS_TILE, column = (wedge_u32)t.j * PAIRS_TILE;
        wedge_barrier(); /* the tile before has been read */
        for (wedge_u32 y = THREAD; y < PAIRS_TILE; y += THREADS) {
            const wedge_u32 point = clamp_point((int)(column + y - A.pad), A.points);
#pragma unroll
            for (wedge_u32 d = 0; d < DEPTH; ++d) b[y * DEPTH + d] = columns[(wedge_u64)point * DEPTH + d];
        }
        wedge_barrier();
        if (tile_is_whole(A, row, column, PAIRS_TILE))
            whole_tile(&sink, row, column, rows, b, q, slots, A);
        else
            part_of_tile(&sink, row, column, rows, b, q, slots, A);
    }
    wedge_barrier();
    sink_close(&sink, room, slots, A);
}
