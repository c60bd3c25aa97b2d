/* pairs_many.h: the skeleton for any number of features: limited by arithmetic.
 *
 * A thread holds the states of ROWS by COLS cells of a square tile. Features come DEPTH quads at a time through shared
 * memory, the next ones are loaded while these are computed. A row's quad is read once for all lanes, a column's once
 * for all rows. Sinks that see leaves get the values through the same shared memory, some rows at a time: a thread then
 * has 32 cells of one row.
 *
 * SPDX-License-Identifier: MIT */

#define DEPTH 4u
#define ROWS PAIRS_ROWS
#define SPAN (PAIRS_TILE + PAIRS_LINES) /* columns that a tile's lines reach, from PAIRS_LINES before its first on */

/* Shared memory: two banks of rows and columns, one read while the other is filled. */
#define SHARED_QUADS (2u * DEPTH * (PAIRS_TILE + SPAN))

WEDGE_FN wedge_u32 shared_row(wedge_u32 bank, wedge_u32 k, wedge_u32 row) {
    return (bank * DEPTH + k) * PAIRS_TILE + row;
}

/* The columns that 32 lanes read at once lie side by side. */
WEDGE_FN wedge_u32 shared_column(wedge_u32 bank, wedge_u32 k, wedge_u32 x) {
    return 2u * DEPTH * PAIRS_TILE + (bank * DEPTH + k) * SPAN + x % PAIRS_PER_STORE * (SPAN / PAIRS_PER_STORE) +
           x / PAIRS_PER_STORE;
}

/* Which points a tile has: rows from `row` on, columns from `left` on; either may lie outside. */
typedef struct {
    int row, left;
} tile_points;

/* Quads chunk to chunk + DEPTH of the tile's points into one bank. */
WEDGE_FN void stage(WEDGE_IN_SHARED quad *shared, wedge_u32 bank, wedge_u32 chunk, point_sets points, tile_points t,
                    pairs_args args) {
    const wedge_u32 thread = wedge_local_id(1) * LANES + wedge_local_id(0), k = thread % DEPTH, quads = args.quads;
    if (chunk + k < quads) {
#pragma unroll
        for (wedge_u32 x = thread / DEPTH; x < PAIRS_TILE; x += THREADS / DEPTH)
            wedge_stage(
                &shared[shared_row(bank, k, x)],
                points.rows + (wedge_u64)clamp_point(t.row + (int)x, args.side + DOMAIN_STRICT) * quads + chunk + k);
#pragma unroll
        for (wedge_u32 x = thread / DEPTH; x < SPAN; x += THREADS / DEPTH)
            wedge_stage(&shared[shared_column(bank, k, x)],
                        points.columns + (wedge_u64)(clamp_point(t.left + (int)x, args.points) * points.step) * quads +
                            chunk + k);
    }
}

/* Takes in the features of one bank, `count` of them from number `first` on. shift: the line's first column, from t.left on. */
WEDGE_FN void take_features(op_state (*s)[COLS], WEDGE_IN_SHARED const quad *shared, wedge_u32 bank, wedge_u32 count,
                            wedge_u32 first, wedge_u32 line, wedge_u32 shift, op_args q) {
    wedge_u32 f = 0;
#ifndef OP_HEAVY
#pragma unroll 1
    for (; f + QUAD <= count; f += QUAD) {
        quad y[COLS];
#pragma unroll
        for (wedge_u32 u = 0; u < COLS; ++u) y[u] = shared[shared_column(bank, f / QUAD, shift + COLUMN_OF(u))];
#pragma unroll
        for (wedge_u32 m = 0; m < ROWS; ++m) {
            quad x = shared[shared_row(bank, f / QUAD, line_row(m, line))];
#pragma unroll
            for (wedge_u32 c = 0; c < QUAD * COLS; ++c)
                s[m][c % COLS] =
                    STEP_PERIODIC(s[m][c % COLS], x.v[c / COLS], y[c % COLS].v[c / COLS], first + f + c / COLS, q);
        }
    }
#endif
#pragma unroll 1
    for (; f < count; ++f) {
        number y[COLS];
#pragma unroll
        for (wedge_u32 u = 0; u < COLS; ++u)
            y[u] = shared[shared_column(bank, f / QUAD, shift + COLUMN_OF(u))].v[f % QUAD];
#pragma unroll
        for (wedge_u32 m = 0; m < ROWS; ++m) {
            number x = shared[shared_row(bank, f / QUAD, line_row(m, line))].v[f % QUAD];
#pragma unroll
            for (wedge_u32 u = 0; u < COLS; ++u) s[m][u] = STEP_PERIODIC(s[m][u], x, y[u], first + f, q);
        }
    }
}

/* The states of a thread's cells: of the part that is being folded, or in the end of all features; and where features are cut, of
 * the group so far, and of all groups before it. Both sums are touched once per part, and wait in memory. */
#if IS_CUT
typedef struct {
    op_state of[ROWS][COLS], group[ROWS][COLS], all[ROWS][COLS];
} tile_states;
#define STATES_OF_CELL 3u
#else
typedef struct {
    op_state of[ROWS][COLS];
} tile_states;
#define STATES_OF_CELL 1u
#endif

WEDGE_FN void begin_states(tile_states *s) {
#pragma unroll
    for (wedge_u32 c = 0; c < ROWS * COLS; ++c) {
        s->of[c / COLS][c % COLS] = begin_state();
#if IS_CUT
        s->group[c / COLS][c % COLS] = s->all[c / COLS][c % COLS] = begin_state();
#endif
    }
}

#if IS_CUT
/* After features [0, done): what ends there is joined. */
WEDGE_FN void end_parts(tile_states *s, wedge_u32 done, wedge_u32 features) {
    if (!ENDS_PART(done, features)) return;
#pragma unroll
    for (wedge_u32 c = 0; c < ROWS * COLS; ++c) {
        s->group[c / COLS][c % COLS] = op_join(s->group[c / COLS][c % COLS], s->of[c / COLS][c % COLS]);
        s->of[c / COLS][c % COLS] = begin_state();
    }
    if (!ENDS_GROUP(done, features)) return;
#pragma unroll
    for (wedge_u32 c = 0; c < ROWS * COLS; ++c) {
        s->all[c / COLS][c % COLS] = op_join(s->all[c / COLS][c % COLS], s->group[c / COLS][c % COLS]);
        s->group[c / COLS][c % COLS] = begin_state();
    }
    if (done < features) return;
#pragma unroll
    for (wedge_u32 c = 0; c < ROWS * COLS; ++c) s->of[c / COLS][c % COLS] = s->all[c / COLS][c % COLS];
}
#endif

/* Takes quads [begin, end) of a tile's points into the states of a thread's cells. */
WEDGE_FN void fold_tile(tile_states *s, WEDGE_IN_SHARED quad *shared, point_sets points, tile_points t, wedge_u32 line,
                        wedge_u32 shift, wedge_u32 begin, wedge_u32 end, op_args q, pairs_args args) {
    wedge_u32 bank = 0;
    wedge_barrier(); /* the tile before has been read */
    stage(shared, 0u, begin, points, t, args);
    for (wedge_u32 chunk = begin; chunk < end; chunk += DEPTH, bank ^= 1u) {
        wedge_u32 features = args.features - chunk * QUAD;
        if (features > DEPTH * QUAD) features = DEPTH * QUAD;
        wedge_staged();
        wedge_barrier();
        stage(shared, bank ^ 1u, chunk + DEPTH, points, t, args);
        take_features(s->of, shared, bank, features, chunk * QUAD, line, shift, q);
#if IS_CUT
        end_parts(s, chunk * QUAD + features, args.features);
#endif
    }
}

/* Where a tile may take long (PAIRS_STATE, the numbers of an op_state, is not 0), a launch takes quads slice_begin to
 * slice_end of all features, and the states wait in memory for the next launch. Its blocks have one tile each then. */
#if PAIRS_STATE
typedef char state_is_as_the_engine_has_it[sizeof(op_state) == PAIRS_STATE * sizeof(number) ? 1 : -1];
#define SLICE_PARAMETERS , WEDGE_GLOBAL op_state *waiting, wedge_u32 slice_begin, wedge_u32 slice_end
#define SLICE_BEGIN slice_begin
#define SLICE_END slice_end
#define IS_LAST (slice_end >= args.quads)
#define WAITING(pass, which, c)                                                                                \
    waiting[(((wedge_group_id(0) * 2u + (pass)) * STATES_OF_CELL + (which)) * (ROWS * COLS) + (c)) * THREADS + \
            wedge_local_id(1) * LANES + wedge_local_id(0)]
#if IS_CUT
#define EACH_STATE(EACH) EACH(of, 0u) EACH(group, 1u) EACH(all, 2u)
#else
#define EACH_STATE(EACH) EACH(of, 0u)
#endif
#define TAKE_STATE(which, number) s.which[c / COLS][c % COLS] = WAITING(pass, number, c);
#define LEAVE_STATE(which, number) WAITING(pass, number, c) = s.which[c / COLS][c % COLS];
#else
#define SLICE_PARAMETERS
#define SLICE_BEGIN 0u
#define SLICE_END args.quads
#define IS_LAST 1
#endif

/* States of two numbers need the registers of two blocks. */
#define RESIDENT (sizeof(op_state) > sizeof(number) && PAIRS_RESIDENT > 1 ? PAIRS_RESIDENT / 2 : PAIRS_RESIDENT)

#if SINK_STORES
WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                     WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL sink_slot *out,
                                                     WEDGE_GLOBAL const number *limits, pairs_args args,
                                                     op_values parameters SLICE_PARAMETERS) {
    WEDGE_SHARED quad shared[SHARED_QUADS];
    const op_args q = args_of(args, parameters);
    const point_sets points = sets_of(columns, rows);
#if DOMAIN_FULL_ROWS
    const wedge_u64 w = g.base + wedge_group_id(0);
    wedge_segment t = wedge_one2(wedge_pair_of((wedge_u32)(w / args.columns), (wedge_u32)(w % args.columns)));
#else
    wedge_segment t = wedge_begin(g, WEDGE_X(g), 0u, 0u, 0);
#endif
#if WEDGE_SEGMENTS
    for (; t.end; t = wedge_step(g, t))
#endif
        for (wedge_u32 pass = 0; pass < (!DOMAIN_FULL_ROWS && t.i == t.j ? 2u : 1u); ++pass) {
            const strip p = strip_of(t.i * PAIRS_TILE, PAIRS_TILE, wedge_local_id(1), t.j + pass,
                                     DOMAIN_FULL_ROWS ? args.columns - 1u : t.i, args);
            tile_points at;
            at.row = (int)(p.row + DOMAIN_STRICT);
            at.left = (int)((t.j + pass) * PAIRS_TILE) - (int)PAIRS_LINES;
            tile_states s;
            begin_states(&s);
#if PAIRS_STATE
            if (slice_begin) { /* PoCL's compiler takes four times as long over a loop with this in its condition */
#pragma unroll
                for (wedge_u32 c = 0; c < ROWS * COLS; ++c) {
                    EACH_STATE(TAKE_STATE)
                }
            }
#endif
            fold_tile(&s, shared, points, at, p.line, (wedge_u32)(p.column - at.left), SLICE_BEGIN, SLICE_END, q, args);
#if PAIRS_STATE
            if (!IS_LAST) {
#pragma unroll
                for (wedge_u32 c = 0; c < ROWS * COLS; ++c) {
                    EACH_STATE(LEAVE_STATE)
                }
            }
#endif
#pragma unroll
            for (wedge_u32 m = 0; m < ROWS && IS_LAST; ++m) {
                number v[COLS * OP_VALUES];
#pragma unroll
                for (wedge_u32 u = 0; u < COLS; ++u) all_values(s.of[m][u], q, v + u * OP_VALUES);
                if (p.whole)
                    put_whole(lane_start(out, args, p), args, p, m, v);
                else
                    put_inside(out, args, p, m, v);
            }
        }
}
#else

/* Values on their way to leaves: BATCH rows of a line at a time, each leaf a number longer than it is, so that threads
 * which read side by side meet different banks. */
#define LEAVES (PAIRS_TILE / LEAF)
#define BATCH_MOST (SHARED_QUADS * QUAD / (LEAVES * (LEAF + 1u) * PAIRS_LINES))
#define BATCH (BATCH_MOST < ROWS ? BATCH_MOST / 2u * 2u : ROWS)
#define BATCH_ROWS (BATCH * PAIRS_LINES)

/* One leaf whose values lie in shared memory. */
WEDGE_FN void shared_leaf(sink_state *sink, leaf_cells at, WEDGE_IN_SHARED const number *values,
                          WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    sink_leaf leaf = LEAF_BEGIN(sink, at.i, at.j, args);
    int done = 0;
    if (at.inside == 0xffffffffu) {
#pragma unroll 1
        for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
            number v[GROUP];
#pragma unroll
            for (wedge_u32 k = 0; k < GROUP; ++k) v[k] = values[c + k];
            if (!sink_take(sink, &leaf, v, c))
#pragma unroll
                for (wedge_u32 k = 0; k < GROUP; ++k) sink_take_exact(sink, v[k]);
        }
        done = sink_leaf_end(sink, &leaf, at, slots, args);
    }
    if (!done) sink_leaf_exact(sink, at, values, slots, args);
}

WEDGE_FN void shared_leaves(sink_state *sink, wedge_u32 row, wedge_u32 column, int whole,
                            WEDGE_IN_SHARED const number *values, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
#pragma unroll 1
    for (wedge_u32 l = THREAD; l < BATCH_ROWS * LEAVES; l += THREADS) {
        leaf_cells at;
        at.i = row + l % BATCH_ROWS;
        at.j = column + l / BATCH_ROWS * LEAF;
        at.inside = whole ? 0xffffffffu : leaf_inside(args, at.i, at.j);
        if (at.inside) shared_leaf(sink, at, values + l * (LEAF + 1u), slots, args);
    }
}

/* The tiles of a block as in pairs_rows.h. */
WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                     WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL sink_slot *slots,
                                                     WEDGE_GLOBAL const number *limits, pairs_args args,
                                                     op_values parameters TILE_LIST) {
    WEDGE_SHARED quad shared[SHARED_QUADS];
    WEDGE_SHARED wedge_u64 shared_words[SINK_SHARED_WORDS];
    WEDGE_IN_SHARED number *values = (WEDGE_IN_SHARED number *)shared;
    const op_args q = args_of(args, parameters);
    const point_sets points = sets_of(columns, rows);
    const wedge_u32 line = wedge_local_id(1), tiles = tiles_of_block(g);
    sink_state sink = sink_open(shared_words, limits, slots);
    for (wedge_u32 k = 0; k < tiles; ++k) {
        const wedge_pair64 t = TILE_OF_BLOCK(tile_list, g, k, args);
        const wedge_u32 row = (wedge_u32)t.i * PAIRS_TILE, column = (wedge_u32)t.j * PAIRS_TILE;
        const int whole = tile_is_whole(args, row, column, PAIRS_TILE);
        tile_points at;
        at.row = (int)(row - args.pad + DOMAIN_STRICT);
        at.left = (int)(column - args.pad) - (int)PAIRS_LINES;
        tile_states s;
        begin_states(&s);
        fold_tile(&s, shared, points, at, line, PAIRS_LINES, 0u, args.quads, q, args);
#pragma unroll
        for (wedge_u32 from = 0; from < ROWS; from += BATCH) {
            wedge_barrier();
#pragma unroll
            for (wedge_u32 m = from; m < from + BATCH && m < ROWS; ++m)
#pragma unroll
                for (wedge_u32 u = 0; u < COLS; ++u) {
                    const wedge_u32 c = COLUMN_OF(u), r = line_row(m, line) - from * PAIRS_LINES;
                    values[(c / LEAF * BATCH_ROWS + r) * (LEAF + 1u) + c % LEAF] = first_value(s.of[m][u], q);
                }
            wedge_barrier();
            shared_leaves(&sink, row + from * PAIRS_LINES, column, whole, values, slots, args);
        }
    }
    wedge_barrier();
    sink_close(&sink, shared_words, slots, args);
}
#endif
