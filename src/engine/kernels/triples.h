/* kernels/triples.h: the skeleton for triplets, limited by arithmetic.
 *
 * A tile is three blocks of PAIRS_TILE points, i, j and k. The sides of all pairs (i, k) and (j, k) lie in shared memory,
 * each computed once for all triplets of the tile that have it:
 *
 *     lane: j     a thread has PAIRS_ROWS pairs (i, j), and their sides in registers
 *     loop: k     of which 32 are a leaf; one (j, k) is read for all rows, one (i, k) by all lanes at once
 *
 * A row is a pair (i, j), a column is k (domains/triples.h). Points i come SUB at a time. With a cutoff (triples_sides.h) a
 * block has a pair of tiles i and j at a time, and looks for the tiles k that are within the cutoff of both.
 *
 * SPDX-License-Identifier: MIT */

/* select with a cutoff: the range is one of the caller's positions, which lie anywhere along the curve. */
#if SINK_TRIPLES && PAIRS_LISTED
#define TRIPLES_ANYWHERE 1
#define ORDER_PARAMETER , WEDGE_GLOBAL const wedge_u32 *order
#else
#define TRIPLES_ANYWHERE 0
#define ORDER_PARAMETER
#endif

/* ---- Rows ---- */

/* Which of the columns [k, k + 32) of row (i, j) are triplets, and in the range. */
WEDGE_FN wedge_u32 triples_inside(wedge_u32 i, wedge_u32 j, wedge_u32 k, pairs_args args) {
    if (i >= args.points || !is_pair(i, j)) return 0u;
    const wedge_i64 start = (wedge_i64)pair_start(i, j), columns = (wedge_i64)pair_columns(j);
    wedge_i64 first = (wedge_i64)args.begin - start, end = (wedge_i64)args.end - start;
    if (first < 0 || TRIPLES_ANYWHERE) first = 0;
    if (end > columns || TRIPLES_ANYWHERE) end = columns;
    return bits_between(first - (wedge_i64)k, end - (wedge_i64)k);
}

/* What the threads of a block share. */
typedef struct {
    WEDGE_GLOBAL const quad *points;
    WEDGE_GLOBAL sink_slot *slots;
    shared_sides shared;
#if PAIRS_LISTED
    number most;       /* the square of the cutoff */
    wedge_u64 counted; /* triplets that count, of this thread */
    wedge_u64 tiles;   /* that were run, of the block */
#endif
} triples_tools;

#if PAIRS_LISTED
#define COUNT(t, inside) (t)->counted += wedge_ones(inside)
#define COUNTED_PARAMETER , WEDGE_GLOBAL wedge_u64 *counted
#else
#define COUNT(t, inside)
#define COUNTED_PARAMETER
#endif

#if PAIRS_NO_SHARED
#if PAIRS_LISTED
WEDGE_FN wedge_u32 columns_within_cutoff(triples_tools *t, wedge_u32 i, wedge_u32 j, wedge_u32 k, op_args q,
                                         pairs_args args) {
    wedge_u32 bits = 0;
    if (!within_cutoff(t->points, i, j, t->most, q, args)) return 0u;
    for (wedge_u32 c = 0; c < LEAF; ++c)
        if (within_cutoff(t->points, i, k + c, t->most, q, args) &&
            within_cutoff(t->points, j, k + c, t->most, q, args))
            bits |= 1u << c;
    return bits;
}
#endif

WEDGE_FN void no_shared_row(sink_state *sink, triples_tools *t, wedge_u32 i, wedge_u32 j, wedge_u32 k, op_args q,
                            pairs_args args) {
    leaf_cells at;
    number v[LEAF];
    at.inside = triples_inside(i, j, k, args);
#if PAIRS_LISTED
    if (at.inside) at.inside &= columns_within_cutoff(t, i, j, k, q, args);
#endif
    COUNT(t, at.inside);
    if (!at.inside) return;
    const side ij = side_of(t->points, i, j, q, args);
    for (wedge_u32 c = 0; c < LEAF; ++c) {
        const side x = side_of(t->points, i, k + c, q, args), y = side_of(t->points, j, k + c, q, args);
        v[c] = op_triple(ij.v, x.v, y.v, q);
    }
    at.i = pair_row(i, j);
    at.j = k;
    sink_leaf_exact(sink, at, v, t->slots, args);
}
#else

WEDGE_FN number shared_value(const side *ij, shared_sides shared, wedge_u32 r, wedge_u32 c, op_args q) {
    const side x = shared.ik[POINT_I(r) * LEAF + c], y = jk_get(shared, c * LANES + wedge_local_id(0));
    return op_triple(ij->v, x.v, y.v, q);
}

/* The columns of row (i, j) that count, the thread's r-th. whole: all are triplets, and in the range. */
WEDGE_FN wedge_u32 row_inside(triples_tools *t, wedge_u32 i, wedge_u32 j, wedge_u32 k, wedge_u32 r, int whole,
                              op_args q, pairs_args args) {
    wedge_u32 inside = 0xffffffffu;
#if PAIRS_LISTED
    inside = t->shared.ik_bits[POINT_I(r)] & t->shared.jk_bits[wedge_local_id(0)];
    if (!inside || !within_cutoff(t->points, i, j, t->most, q, args)) return 0u;
#endif
    return whole ? inside : inside & triples_inside(i, j, k, args);
}

/* A leaf one by one. */
WEDGE_FN void exact_row(sink_state *sink, leaf_cells at, const side *ij, triples_tools *t, wedge_u32 r, op_args q,
                        pairs_args args) {
    number v[LEAF];
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c) v[c] = shared_value(ij, t->shared, r, c, q);
    sink_leaf_exact(sink, at, v, t->slots, args);
}

/* A leaf all of whose triplets are inside; 0 where the sink wants it again. */
WEDGE_FN int whole_row(sink_state *sink, leaf_cells at, const side *ij, triples_tools *t, wedge_u32 r, op_args q,
                       pairs_args args) {
    sink_leaf leaf = LEAF_BEGIN(sink, at.i, at.j, args);
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
        number v[GROUP];
#pragma unroll
        for (wedge_u32 g = 0; g < GROUP; ++g) v[g] = shared_value(ij, t->shared, r, c + g, q);
        if (!sink_take(sink, &leaf, v, c))
#pragma unroll
            for (wedge_u32 g = 0; g < GROUP; ++g) sink_take_exact(sink, v[g]);
    }
    return sink_leaf_end(sink, &leaf, at, t->slots, args);
}

#if !PAIRS_LISTED || SINK_TAKES_ZEROS
/* The rows of a thread together. All of their triplets are inside; or, where zeros are nothing to the sink, those that are
 * not become zeros. i: its first point i. */
WEDGE_FN void rows_together(sink_state *sink, wedge_u32 i, wedge_u32 j, wedge_u32 k, triples_tools *t, int whole,
                            op_args q, pairs_args args) {
    side ij[PAIRS_ROWS];
    sink_leaf leaf[PAIRS_ROWS];
    wedge_u32 inside[PAIRS_ROWS], some = 0, again = 0;
    leaf_cells at;
    at.j = k;
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        inside[r] = row_inside(t, i + r * PAIRS_WARPS, j, k, r, whole, q, args);
        some |= inside[r];
        COUNT(t, inside[r]);
        ij[r] = side_of(t->points, i + r * PAIRS_WARPS, j, q, args);
        leaf[r] = LEAF_BEGIN(sink, pair_row(i + r * PAIRS_WARPS, j), k, args);
    }
    if (!some) return;
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
        side y[GROUP];
        if (PAIRS_LISTED && !(some >> c & 255u)) continue;
#pragma unroll
        for (wedge_u32 g = 0; g < GROUP; ++g) y[g] = jk_get(t->shared, (c + g) * LANES + wedge_local_id(0));
#pragma unroll
        for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
            number v[GROUP];
#pragma unroll
            for (wedge_u32 g = 0; g < GROUP; ++g) {
                const side x = t->shared.ik[POINT_I(r) * LEAF + c + g];
                v[g] = op_triple(ij[r].v, x.v, y[g].v, q);
                if (PAIRS_LISTED && !(inside[r] >> (c + g) & 1u)) v[g] = 0;
            }
            if (!sink_take(sink, &leaf[r], v, c))
#pragma unroll
                for (wedge_u32 g = 0; g < GROUP; ++g) sink_take_exact(sink, v[g]);
        }
    }
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        at.i = pair_row(i + r * PAIRS_WARPS, j);
        at.inside = inside[r];
        if (inside[r] && !sink_leaf_end(sink, &leaf[r], at, t->slots, args)) again |= 1u << r;
    }
#pragma unroll 1
    for (wedge_u32 r = 0; again >> r; ++r)
        if (again >> r & 1u) {
            const side mine = side_of(t->points, i + r * PAIRS_WARPS, j, q, args);
            at.i = pair_row(i + r * PAIRS_WARPS, j);
            at.inside = row_inside(t, i + r * PAIRS_WARPS, j, k, r, whole, q, args);
            exact_row(sink, at, &mine, t, r, q, args);
        }
}
#endif

/* Row by row. */
WEDGE_FN void rows_one_by_one(sink_state *sink, wedge_u32 i, wedge_u32 j, wedge_u32 k, triples_tools *t, int whole,
                              op_args q, pairs_args args) {
    leaf_cells at;
    at.j = k;
#pragma unroll 1
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r, i += PAIRS_WARPS) {
        at.inside = row_inside(t, i, j, k, r, whole, q, args);
        COUNT(t, at.inside);
        if (at.inside) {
            const side mine = side_of(t->points, i, j, q, args);
            at.i = pair_row(i, j);
            if (at.inside != 0xffffffffu || !whole_row(sink, at, &mine, t, r, q, args))
                exact_row(sink, at, &mine, t, r, q, args);
        }
    }
}
#endif

/* ---- Tiles ---- */

/* Tile k of points with those of i and j. */
WEDGE_FN void one_tile(sink_state *sink, wedge_triple at, triples_tools *t, op_args q, pairs_args args CUT_PARAMETERS) {
    const wedge_u32 j = at.j * PAIRS_TILE + wedge_local_id(0), k = at.k * PAIRS_TILE;
#if PAIRS_NO_SHARED
    for (wedge_u32 y = wedge_local_id(1); y < PAIRS_TILE; y += PAIRS_WARPS)
        no_shared_row(sink, t, at.i * PAIRS_TILE + y, j, k, q, args);
#else
    const int whole = triples_whole(at, args);
    for (wedge_u32 sub = 0; sub < PAIRS_TILE; sub += SUB) {
        const wedge_u32 i = at.i * PAIRS_TILE + sub;
        load_sides(t->shared, t->points, i, at.j * PAIRS_TILE, k, sub == 0u, q, args CUT_ARGUMENTS);
#if !PAIRS_LISTED || SINK_TAKES_ZEROS
        if (whole || PAIRS_LISTED)
            rows_together(sink, i + wedge_local_id(1), j, k, t, whole, q, args);
        else
#endif
            rows_one_by_one(sink, i + wedge_local_id(1), j, k, t, whole, q, args);
    }
#endif
}

#if PAIRS_LISTED
/* A block's number n is a pair of tiles, i and j. */
WEDGE_FN void tiles_of_number(sink_state *sink, wedge_u64 n, triples_tools *t, op_args q,
                              pairs_args args CUT_PARAMETERS) {
    const wedge_pair64 p = wedge_tri_unrank64(n);
    wedge_triple at;
    at.i = (wedge_u32)p.i;
    at.j = (wedge_u32)p.j;
    if (!tiles_within_cutoff(reach, at.i, at.j, args)) return;
    for (wedge_u32 w = 0; w <= at.j / 32u; ++w) {
        wedge_u32 bits = tiles_within_both(reach, at.i, at.j, w, args);
        if (w == at.j / 32u) bits &= 0xffffffffu >> (31u - at.j % 32u);
        for (; bits; bits &= bits - 1u) {
            at.k = w * 32u + lowest_bit(bits);
            one_tile(sink, at, t, q, args CUT_ARGUMENTS);
            ++t->tiles;
        }
    }
}
#endif

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS, PAIRS_RESIDENT) void pairs_kernel(
    wedge_launch g, WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL sink_slot *slots,
    WEDGE_GLOBAL const number *limits, pairs_args args,
    op_values parameters CUT_PARAMETERS COUNTED_PARAMETER ORDER_PARAMETER) {
    triples_tools t;
#if !PAIRS_NO_SHARED
    WEDGE_SHARED side ik[SUB * LEAF];
    WEDGE_SHARED jk_element jk[JK_ELEMENTS];
    t.shared.ik = ik;
    t.shared.jk = jk;
#if PAIRS_LISTED
    WEDGE_SHARED wedge_u32 ik_bits[SUB], jk_bits[LANES];
    t.shared.ik_bits = ik_bits;
    t.shared.jk_bits = jk_bits;
#endif
#endif
    WEDGE_SHARED wedge_u64 shared_words[SINK_SHARED_WORDS];
#if PAIRS_LISTED
    WEDGE_SHARED wedge_u64 counts[THREADS];
#endif
    const op_args q = args_of(args, parameters);
    const wedge_u32 tiles = tiles_of_block(g);
    sink_state sink = sink_open(shared_words, limits, slots);
    t.points = rows;
    t.slots = slots;
#if TRIPLES_ANYWHERE
    sink.order = order;
#endif
#if PAIRS_LISTED
    t.most = cut[0];
    t.counted = t.tiles = 0;
    for (wedge_u32 n = 0; n < tiles; ++n) tiles_of_number(&sink, tile_number(g, n), &t, q, args CUT_ARGUMENTS);
#else
    for (wedge_u32 n = 0; n < tiles; ++n) /* of MOST_TRIPLED points, below 2^32 */
        one_tile(&sink, wedge_tet_unrank32((wedge_u32)tile_number(g, n)), &t, q, args);
#endif
    wedge_barrier();
    sink_close(&sink, shared_words, slots, args);
#if PAIRS_LISTED
    counts[THREAD] = t.counted;
    wedge_barrier();
    if (THREAD == 0u) {
        for (wedge_u32 x = 0; x < THREADS; ++x) counted[2u * wedge_group_id(0)] += counts[x];
        counted[2u * wedge_group_id(0) + 1u] += t.tiles;
    }
#endif
}
