/* kernels/prune.h: the boxes of tiles, and the list of tiles that come within reach, on devices (prune.h).
 *
 * Rows of a tile and its columns are numbered as in leaves.h. A box is the least number of each feature, then the most;
 * boxes of tile rows come first, then boxes of tile columns.
 *
 * SPDX-License-Identifier: MIT */

WEDGE_FN WEDGE_GLOBAL const number *box_at(WEDGE_GLOBAL const number *boxes, wedge_u32 box, pairs_args args) {
    return boxes + (wedge_u64)box * 2u * args.features;
}

/* A thread has one feature of one tile. What is not finite makes the box NaN, and so it stays. */
WEDGE_KERNEL void tile_boxes(WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows,
                             WEDGE_GLOBAL number *boxes, wedge_u32 tile_rows, wedge_u32 tile_columns, pairs_args args) {
    const wedge_u32 k = wedge_group_id(0) * LIST_BLOCK + wedge_local_id(0), box = k / args.features,
                    f = k % args.features;
    if (box < tile_rows + tile_columns) {
        const int of_rows = box < tile_rows;
        const wedge_u32 tile = of_rows ? box : box - tile_rows;
        number least = wedge_infinity(), most = -wedge_infinity();
        for (wedge_u32 y = 0; y < PAIRS_TILE; ++y) {
            const int at = (int)(tile * PAIRS_TILE + y - args.pad);
            const wedge_u64 point = of_rows ? clamp_point(at + (int)DOMAIN_STRICT, args.side + DOMAIN_STRICT)
                                            : clamp_point(at, args.points);
            const number x = (of_rows ? rows : columns)[point * args.quads + f / QUAD].v[f % QUAD];
            if (x - x != 0) least = most = x - x; /* NaN */
            if (x < least) least = x;
            if (x > most) most = x;
        }
        boxes[(wedge_u64)box * 2u * args.features + f] = least;
        boxes[((wedge_u64)box * 2u + 1u) * args.features + f] = most;
    }
}

/* Number f of the two points that OP_BOUND says, one of them between `least` and `most`, the other in box b. The gap in a
 * periodic box: as boxes_number.h has it. */
WEDGE_FN void nearest_numbers(WEDGE_GLOBAL const number *least, WEDGE_GLOBAL const number *most,
                              WEDGE_GLOBAL const number *b, wedge_u32 f, wedge_u32 d, op_args q, number *x, number *y) {
    const int kind = OP_BOUND(f, d);
    const number left = least[f] - b[d + f], right = b[f] - most[f];
    number gap = left > right ? left : right;
#if PAIRS_PERIODIC
    if (IS_PERIODIC(f, q)) {
        const number middle = (left - right) / 2, all = fabs(left) + fabs(right) + q.image_lengths[f];
        gap = fabs(image_delta(middle, 0, f, q)) + (left + right) / 2 -
              all * (PAIRS_F64 ? (number)0x1p-50 : (number)0x1p-21f);
    }
#endif
    *x = kind == WEDGE_GAP ? (number)0 : kind == WEDGE_LEAST ? least[f] : most[f];
    *y = kind == WEDGE_GAP ? (gap <= 0 ? (number)0 : gap) : kind == WEDGE_LEAST ? b[f] : b[d + f]; /* NaN stays */
}

/* A lower bound of the values of points between `least` and `most` with points in box b. */
WEDGE_FN number box_bound(WEDGE_GLOBAL const number *least, WEDGE_GLOBAL const number *most,
                          WEDGE_GLOBAL const number *b, op_args q, pairs_args args) {
#ifdef OP_SIDE /* of three points: the square of what is between two, as triples_sides.h has it */
    number sum = 0;
#pragma unroll
    for (wedge_u32 f = 0; f < (PAIRS_D < 3 ? PAIRS_D : 3); ++f) {
        number x, y;
        nearest_numbers(least, most, b, f, PAIRS_D, q, &x, &y);
        sum = wedge_fused(y, y, sum);
    }
    return sum;
#else
#if PAIRS_D
    quad x[DEPTH], y[DEPTH];
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_D; ++f)
        nearest_numbers(least, most, b, f, PAIRS_D, q, &x[f / QUAD].v[f % QUAD], &y[f / QUAD].v[f % QUAD]);
    const op_state s = cell_state(x, y, q);
#else
    op_state s = begin_state();
#pragma unroll 1
    for (wedge_u32 f = 0; f < args.features; ++f) {
        number x, y;
        nearest_numbers(least, most, b, f, args.features, q, &x, &y);
        s = op_step(s, x, y, q);
    }
#endif
    return first_value(s, q);
#endif
}

/* Is there a pair of points in the two boxes that the sink may look at? */
WEDGE_FN int is_in_reach(WEDGE_GLOBAL const number *a, WEDGE_GLOBAL const number *b, number limit, op_args q,
                         pairs_args args) {
    return !(box_bound(a, a + args.features, b, q, args) > limit);
}

#ifndef OP_SIDE
/* A block has a row of tiles. Its limit is limits[step * row]: of all rows one (step 0), or of each its own. */
WEDGE_FN wedge_u32 tiles_in_row(wedge_u32 row, pairs_args args) { return DOMAIN_FULL_ROWS ? args.columns : row + 1u; }

WEDGE_KERNEL WEDGE_BLOCK(LIST_BLOCK, 1, 1) void list_count(WEDGE_GLOBAL const number *boxes, wedge_u32 tile_rows,
                                                           wedge_u32 first, WEDGE_GLOBAL const number *limits,
                                                           wedge_u32 step, WEDGE_GLOBAL wedge_u32 *counts,
                                                           pairs_args args, op_values parameters) {
    WEDGE_SHARED wedge_u32 found[LIST_BLOCK];
    const wedge_u32 row = first + wedge_group_id(0), tiles = tiles_in_row(row, args), t = wedge_local_id(0);
    const op_args q = args_of(args, parameters);
    const number limit = limits[step * row];
    wedge_u32 count = 0;
    for (wedge_u32 j = t; j < tiles; j += LIST_BLOCK)
        count += is_in_reach(box_at(boxes, row, args), box_at(boxes, tile_rows + j, args), limit, q, args) ? 1u : 0u;
    found[t] = count;
    wedge_barrier();
    if (t == 0u) {
        for (wedge_u32 k = 1; k < LIST_BLOCK; ++k) count += found[k];
        counts[wedge_group_id(0)] = count;
    }
}

/* Row by row, and within a row in no order. */
WEDGE_KERNEL WEDGE_BLOCK(LIST_BLOCK, 1, 1) void list_fill(WEDGE_GLOBAL const number *boxes, wedge_u32 tile_rows,
                                                          wedge_u32 first, WEDGE_GLOBAL const number *limits,
                                                          wedge_u32 step, WEDGE_GLOBAL const wedge_u32 *starts,
                                                          WEDGE_GLOBAL wedge_u32 *list, pairs_args args,
                                                          op_values parameters) {
    WEDGE_SHARED wedge_u32 next[1];
    const wedge_u32 row = first + wedge_group_id(0), tiles = tiles_in_row(row, args), t = wedge_local_id(0);
    const op_args q = args_of(args, parameters);
    const number limit = limits[step * row];
    if (t == 0u) next[0] = starts[wedge_group_id(0)];
    wedge_barrier();
    for (wedge_u32 j = t; j < tiles; j += LIST_BLOCK)
        if (is_in_reach(box_at(boxes, row, args), box_at(boxes, tile_rows + j, args), limit, q, args)) {
            const wedge_u32 at = wedge_shared_increment(next);
            list[2u * at] = row;
            list[2u * at + 1u] = j;
        }
}

#endif

#if SINK_HITS && !SINK_ROW_LIMITS
/* The values of pairs that have been listed. Two points give the same bytes in either order. */
WEDGE_KERNEL void found_values(WEDGE_GLOBAL const wedge_i64 *pairs, wedge_u64 pair_shift, WEDGE_GLOBAL number *values,
                               wedge_u64 value_shift, wedge_u64 count, WEDGE_GLOBAL const wedge_u32 *along_rows,
                               WEDGE_GLOBAL const wedge_u32 *along_columns, WEDGE_GLOBAL const quad *columns,
                               WEDGE_GLOBAL const quad *rows, pairs_args args, op_values parameters) {
    const wedge_u64 e = (wedge_u64)wedge_group_id(0) * LIST_BLOCK + wedge_local_id(0);
    const op_args q = args_of(args, parameters);
    if (e < count) {
        const wedge_u32 i = along_rows[pairs[pair_shift + 2u * e]], j = along_columns[pairs[pair_shift + 2u * e + 1u]];
        const wedge_u64 a = DOMAIN_BACKWARDS ? args.points - 1u - i : i,
                        b = DOMAIN_BACKWARDS ? args.points - 1u - j : j;
        number v[OP_VALUES];
        cell_values(rows + a * args.quads, columns + b * args.quads, args.features, q, v);
        for (wedge_u32 w = 0; w < OP_VALUES; ++w) values[value_shift + e * OP_VALUES + w] = v[w];
    }
}
#endif
