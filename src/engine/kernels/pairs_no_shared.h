/* pairs_no_shared.h: the simplest skeleton for sinks that see leaves: no shared memory, no groups, any number of features.
 *
 * For devices whose compiler loses what a thread keeps from tile to tile where a barrier lies in between (PoCL 4 and 5), and
 * the skeleton to read first: the others do the same, faster.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN void no_shared_leaf(sink_state *sink, leaf_cells at, point_sets points, op_args q,
                             WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    const wedge_u32 row = clamp_point((int)(at.i - args.pad + DOMAIN_STRICT), args.side + DOMAIN_STRICT);
    number v[LEAF];
    for (wedge_u32 c = 0; c < LEAF; ++c) {
        const wedge_u32 column = clamp_point((int)(at.j + c - args.pad), args.points);
        number all[OP_VALUES];
        cell_values(points.rows + (wedge_u64)row * args.quads, points.columns + (wedge_u64)column * args.quads,
                    args.features, q, all);
        v[c] = all[0];
    }
    sink_leaf_exact(sink, at, v, slots, args);
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS, 1) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                                  WEDGE_GLOBAL const quad *rows,
                                                                  WEDGE_GLOBAL sink_slot *slots,
                                                                  WEDGE_GLOBAL const number *limits, pairs_args args,
                                                                  op_values parameters TILE_LIST) {
    WEDGE_SHARED wedge_u64 shared_words[SINK_SHARED_WORDS];
    const op_args q = args_of(args, parameters);
    const point_sets points = sets_of(columns, rows);
    const wedge_u32 tiles = tiles_of_block(g);
    sink_state sink = sink_open(shared_words, limits, slots);
    wedge_barrier();
    for (wedge_u32 k = 0; k < tiles; ++k) {
        const wedge_pair64 t = TILE_OF_BLOCK(tile_list, g, k, args);
        for (wedge_u32 y = THREAD; y < PAIRS_TILE; y += THREADS)
            for (wedge_u32 x = 0; x < PAIRS_TILE; x += LEAF) {
                leaf_cells at;
                at.i = (wedge_u32)t.i * PAIRS_TILE + y;
                at.j = (wedge_u32)t.j * PAIRS_TILE + x;
                at.inside = leaf_inside(args, at.i, at.j);
                if (at.inside) no_shared_leaf(&sink, at, points, q, slots, args);
            }
    }
    wedge_barrier();
    sink_close(&sink, shared_words, slots, args);
}
