/* pairs_rows.h: the skeleton for sinks that see leaves, for few features, limited by arithmetic.
 *
 * A thread keeps PAIRS_ROWS rows in registers and goes along the tile's columns, which lie in shared memory and which all
 * threads of a block read at the same time:
 *
 *     rows                 columns of the tile, 32 per leaf
 *     thread 0, 1, 2 ...   | leaf | leaf | leaf | ...   every thread has the leaves of its own rows
 *
 * Blocks are resident: each takes many tiles, with lambda at a fixed stride, with walk a run of neighbours.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN op_state shared_state(const quad *a, WEDGE_IN_SHARED const quad *b, op_args q) {
    quad y[DEPTH];
#pragma unroll
    for (wedge_u32 k = 0; k < DEPTH; ++k) y[k] = b[k];
    return cell_state(a, y, q);
}

/* What the sink sees of a cell, */
WEDGE_FN number cell_seen(op_state s, op_args q) {
#if SINK_SEES == KEYS && defined(OP_KEY)
    return op_key(s, q);
#elif SINK_SEES == APPROX && defined(OP_APPROX)
    return op_approx(s, q);
#elif (SINK_SEES == QUICK || SINK_SEES == EXACT) && defined(OP_QUICK_FROM)
    return op_quick(s, q);
#else
    return first_value(s, q);
#endif
}

/* and of GROUP cells. */
WEDGE_FN void cells_seen(const op_state *s, op_args q, number *v) {
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) v[k] = cell_seen(s[k], q);
#if SINK_SEES == EXACT && defined(OP_QUICK_FROM)
    int sure = 1;
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) sure &= v[k] >= OP_QUICK_FROM;
    if (!sure)
#pragma unroll
        for (wedge_u32 k = 0; k < GROUP; ++k) v[k] = first_value(s[k], q);
#endif
}

/* GROUP cells of a row, side by side, the first of them cell c of the leaf. */
WEDGE_FN void take_group(sink_state *sink, sink_leaf *leaf, const quad *a, WEDGE_IN_SHARED const quad *b, wedge_u32 c,
                         op_args q) {
    op_state s[GROUP];
    number v[GROUP];
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) s[k] = shared_state(a, b + (c + k) * DEPTH, q);
    cells_seen(s, q, v);
    if (!sink_take(sink, leaf, v, c))
#pragma unroll 1
        for (wedge_u32 k = 0; k < GROUP; ++k)
            sink_take_exact(sink, first_value(shared_state(a, b + (c + k) * DEPTH, q), q));
}

/* A leaf from its exact values. */
WEDGE_FN void exact_leaf(sink_state *sink, leaf_cells at, const quad *a, WEDGE_IN_SHARED const quad *b, op_args q,
                         WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    number v[LEAF];
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c) v[c] = first_value(shared_state(a, b + c * DEPTH, q), q);
    sink_leaf_exact(sink, at, v, slots, args);
}

WEDGE_FN void read_row(WEDGE_GLOBAL const quad *rows, wedge_u32 i, quad *a, pairs_args args) {
    const wedge_u32 point = clamp_point((int)(i - args.pad + DOMAIN_STRICT), args.side + DOMAIN_STRICT);
#pragma unroll
    for (wedge_u32 d = 0; d < DEPTH; ++d) a[d] = rows[(wedge_u64)point * DEPTH + d];
}

/* The leaves of a thread's PAIRS_ROWS rows from row at.i on. Those that the sink wants again are few: one code for all. */
WEDGE_FN void leaves_of_rows(sink_state *sink, leaf_cells at, quad (*a)[DEPTH], WEDGE_GLOBAL const quad *rows,
                             WEDGE_IN_SHARED const quad *b, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    sink_leaf leaf[PAIRS_ROWS];
    wedge_u32 again = 0;
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) leaf[r] = LEAF_BEGIN(sink, at.i + r * THREADS, at.j, args);
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP)
#pragma unroll
        for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) take_group(sink, &leaf[r], a[r], b, c, q);
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        leaf_cells mine = at;
        mine.i += r * THREADS;
        if (!sink_leaf_end(sink, &leaf[r], mine, slots, args)) again |= 1u << r;
    }
#pragma unroll 1
    for (; again; again >>= 1, at.i += THREADS)
        if (again & 1u) {
            quad row[DEPTH];
            read_row(rows, at.i, row, args);
            exact_leaf(sink, at, row, b, q, slots, args);
        }
}

/* Rows `row` + THREAD, and so on, of a tile all of whose cells are inside. */
WEDGE_FN void whole_rows(sink_state *sink, wedge_u32 row, wedge_u32 column, WEDGE_GLOBAL const quad *rows,
                         WEDGE_IN_SHARED const quad *b, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    quad a[PAIRS_ROWS][DEPTH];
    leaf_cells at;
    at.inside = 0xffffffffu;
    at.i = row + THREAD;
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) read_row(rows, at.i + r * THREADS, a[r], args);
#pragma unroll 1
    for (wedge_u32 x = 0; x < PAIRS_TILE; x += LEAF) {
        at.j = column + x;
        leaves_of_rows(sink, at, a, rows, b + x * DEPTH, q, slots, args);
    }
}

/* On the diagonal, or at an end of the range. */
WEDGE_FN void part_of_tile(sink_state *sink, wedge_u32 row, wedge_u32 column, WEDGE_GLOBAL const quad *rows,
                           WEDGE_IN_SHARED const quad *b, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    quad a[DEPTH];
    leaf_cells at;
#pragma unroll 1
    for (at.i = row + THREAD; at.i < row + PAIRS_TILE; at.i += THREADS) {
        read_row(rows, at.i, a, args);
#pragma unroll 1
        for (wedge_u32 x = 0; x < PAIRS_TILE; x += LEAF) {
            at.j = column + x;
            sink_leaf leaf = LEAF_BEGIN(sink, at.i, at.j, args);
            at.inside = leaf_inside(args, at.i, at.j);
            int done = !at.inside;
            if (at.inside == 0xffffffffu) {
#pragma unroll 1
                for (wedge_u32 c = 0; c < LEAF; c += GROUP) take_group(sink, &leaf, a, b + x * DEPTH, c, q);
                done = sink_leaf_end(sink, &leaf, at, slots, args);
            }
            if (!done) exact_leaf(sink, at, a, b + x * DEPTH, q, slots, args);
        }
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         PAIRS_RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                           WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL sink_slot *slots,
                                                           WEDGE_GLOBAL const number *limits, pairs_args args,
                                                           op_values parameters TILE_LIST) {
    WEDGE_SHARED quad b[PAIRS_TILE * DEPTH];
    WEDGE_SHARED wedge_u64 shared_words[SINK_SHARED_WORDS];
    const op_args q = args_of(args, parameters);
    const wedge_u32 tiles = tiles_of_block(g);
    sink_state sink = sink_open(shared_words, limits, slots);
    for (wedge_u32 k = 0; k < tiles; ++k) {
        const wedge_pair64 t = TILE_OF_BLOCK(tile_list, g, k, args);
        const wedge_u32 row = (wedge_u32)t.i * PAIRS_TILE, column = (wedge_u32)t.j * PAIRS_TILE;
        wedge_barrier(); /* the tile before has been read */
        for (wedge_u32 y = THREAD; y < PAIRS_TILE; y += THREADS) {
            const wedge_u32 point = clamp_point((int)(column + y - args.pad), args.points);
#pragma unroll
            for (wedge_u32 d = 0; d < DEPTH; ++d) b[y * DEPTH + d] = columns[(wedge_u64)point * DEPTH + d];
        }
        wedge_barrier();
        if (tile_is_whole(args, row, column, PAIRS_TILE)) {
#pragma unroll 1
            for (wedge_u32 r = 0; r < PAIRS_TILE; r += PAIRS_ROWS * THREADS)
                whole_rows(&sink, row + r, column, rows, b, q, slots, args);
        } else {
            part_of_tile(&sink, row, column, rows, b, q, slots, args);
        }
    }
    wedge_barrier();
    sink_close(&sink, shared_words, slots, args);
}
