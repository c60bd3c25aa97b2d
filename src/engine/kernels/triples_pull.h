/* triples_pull.h: what each point gets from its triplets, on devices: the sum of their values, and the force (engine/triples/gpu.c).
 *
 * A block has a pair of tiles, SUB points i by 32 points j, and goes over all points k. A thread has PAIRS_ROWS pairs (i, j): leaves of
 * 32 points k, added in the dtype, go into sums of two numbers (leaves.h). Then the pairs' sums are added up for each i and for
 * each j, and have a slot of their own: in parts_i, that of (i, tile of j), in parts_j that of (SUB points i, j). A thread adds up
 * the parts of a point, always in the same order.
 *
 * SPDX-License-Identifier: MIT */

#ifdef OP_PULLS
#define PULL_VALUES 4u
#else
#define PULL_VALUES 1u
#endif
#define SUBS (PAIRS_TILE / SUB)

WEDGE_FN row_sum sum_zero(void) {
    row_sum s;
    s.sum = s.rest = 0;
    return s;
}

/* Of one pair (i, j), over all k. */
typedef struct {
    row_sum value, pull;
    wedge_u32 count;
} pair_sums;

/* Which of the points [k, k + 32) are i or j. */
WEDGE_FN wedge_u32 own_bits(wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    return (i - k < LEAF ? 1u << (i - k) : 0u) | (j - k < LEAF ? 1u << (j - k) : 0u);
}

/* Which are others: of a pair of one point none, as those triplets have another pair. */
WEDGE_FN wedge_u32 others_inside(wedge_u32 i, wedge_u32 j, wedge_u32 k, pairs_args args) {
    return i == j ? 0u : bits_between(0, (wedge_i64)args.points - k) & ~own_bits(i, j, k);
}

typedef struct {
    WEDGE_GLOBAL const quad *points;
    shared_sides shared;
    side ij[PAIRS_ROWS];
    wedge_u32 is_pair; /* bit r: the r-th is a pair, and close enough */
    pair_sums sums[PAIRS_ROWS];
} pull_tools;

/* The sides of the thread's r-th pair with the c-th point k. */
WEDGE_FN side side_ik(const pull_tools *t, wedge_u32 r, wedge_u32 i, wedge_u32 k, wedge_u32 c, op_args q,
                      pairs_args args) {
#if PAIRS_NO_SHARED
    return side_of(t->points, i + POINT_I(r), k + c, q, args);
#else
    return t->shared.ik[POINT_I(r) * LEAF + c];
#endif
}

WEDGE_FN side side_jk(const pull_tools *t, wedge_u32 j, wedge_u32 k, wedge_u32 c, op_args q, pairs_args args) {
#if PAIRS_NO_SHARED
    return side_of(t->points, j + wedge_local_id(0), k + c, q, args);
#else
    return jk_get(t->shared, c * LANES + wedge_local_id(0));
#endif
}

/* A leaf of triplets of the r-th pair. whole, a constant: all are inside. */
WEDGE_FN void pull_leaf(pull_tools *t, wedge_u32 r, wedge_u32 i, wedge_u32 j, wedge_u32 k, wedge_u32 inside, int whole,
                        op_args q, pairs_args args) {
    number value = 0, pull = 0;
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
        number values = 0, pulls = 0;
        if (!whole && !(inside >> c & 255u)) continue;
#pragma unroll
        for (wedge_u32 g = 0; g < GROUP; ++g) {
            const side x = side_ik(t, r, i, k, c + g, q, args), y = side_jk(t, j, k, c + g, q, args);
            const int there = whole || (inside >> (c + g) & 1u);
            const number v = op_triple(t->ij[r].v, x.v, y.v, q);
            values += there ? v : (number)0;
#ifdef OP_PULLS
            const number p = op_pull(t->ij[r].v, x.v, y.v, q);
            pulls += there ? p : (number)0;
#endif
        }
        value += values;
        pull += pulls;
    }
    sum_add(&t->sums[r].value, value);
    sum_add(&t->sums[r].pull, pull);
    t->sums[r].count += wedge_ones(inside);
}

/* Tile k of points, for the pairs of SUB points from i on and 32 from j on. */
WEDGE_FN void pull_tile(pull_tools *t, wedge_u32 i, wedge_u32 j, wedge_u32 k, op_args q,
                        pairs_args args CUT_PARAMETERS) {
#if !PAIRS_NO_SHARED
    load_sides(t->shared, t->points, i, j, k, 1, q, args CUT_ARGUMENTS);
#endif
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        const wedge_u32 a = i + POINT_I(r), b = j + wedge_local_id(0);
        const wedge_u32 there = t->is_pair >> r & 1u ? 0xffffffffu : 0u;
        wedge_u32 inside = there & others_inside(a, b, k, args);
#if PAIRS_LISTED && PAIRS_NO_SHARED
        for (wedge_u32 c = 0; c < LEAF; ++c)
            if (inside >> c & 1u && !(within_cutoff(t->points, a, k + c, cut[0], q, args) &&
                                      within_cutoff(t->points, b, k + c, cut[0], q, args)))
                inside &= ~(1u << c);
#elif PAIRS_LISTED
        inside &= t->shared.ik_bits[POINT_I(r)] & t->shared.jk_bits[wedge_local_id(0)];
#endif
        if (inside == 0xffffffffu)
            pull_leaf(t, r, i, j, k, inside, 1, q, args);
        else if (inside)
            pull_leaf(t, r, i, j, k, inside, 0, q, args);
#if !DOMAIN_DISTINCT /* triplets with a point twice have one pair where others have two: they count twice */
        const wedge_u32 mine = there & own_bits(a, b, k);
#pragma unroll 1
        for (wedge_u32 times = 0; mine && times < (a == b ? 1u : 2u); ++times)
            pull_leaf(t, r, i, j, k, mine, 0, q, args);
#endif
    }
}

WEDGE_FN void begin_pairs(pull_tools *t, wedge_u32 i, wedge_u32 j, op_args q, pairs_args args CUT_PARAMETERS) {
    t->is_pair = 0;
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        const wedge_u32 a = i + POINT_I(r), b = j + wedge_local_id(0);
        int pair = a < args.points && b + DOMAIN_DISTINCT <= a;
#if PAIRS_LISTED
        if (pair) pair = within_cutoff(t->points, a, b, cut[0], q, args);
#endif
        if (pair) t->is_pair |= 1u << r;
        t->ij[r] = side_of(t->points, a, b, q, args);
        t->sums[r].value = t->sums[r].pull = sum_zero();
        t->sums[r].count = 0;
    }
}

WEDGE_FN void pull_tiles(pull_tools *t, wedge_pair64 at, wedge_u32 i, wedge_u32 j, op_args q,
                         pairs_args args CUT_PARAMETERS) {
#if PAIRS_LISTED
    if (!tiles_within_cutoff(reach, (wedge_u32)at.i, (wedge_u32)at.j, args)) return;
    for (wedge_u32 w = 0; w < reach_words(args); ++w)
        for (wedge_u32 bits = tiles_within_both(reach, (wedge_u32)at.i, (wedge_u32)at.j, w, args); bits;
             bits &= bits - 1u)
            pull_tile(t, i, j, (w * 32u + lowest_bit(bits)) * PAIRS_TILE, q, args CUT_ARGUMENTS);
#else
    for (wedge_u32 k = 0; k < args.points; k += PAIRS_TILE) pull_tile(t, i, j, k, q, args);
#endif
}

/* What the pair (i, j) gives to i, of PULL_VALUES the v-th; j gets the same of v = 0, else the opposite. */
WEDGE_FN number pair_gives(WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 j, wedge_u32 v, number value,
                           number pull, op_args q, pairs_args args) {
    number x[PAIRS_D], y[PAIRS_D];
    if (v == 0u) return value;
    if (i == j || v > COORDINATES) return 0; /* a force goes along coordinates, from one point to another */
    two_points(points, i, j, q, args, x, y);
    return (x[v - 1u] - y[v - 1u]) * pull * -2;
}

/* Pairs' sums in shared memory, of SUB points i by 32 points j. */
typedef struct {
    WEDGE_IN_SHARED number *value, *pull;
    WEDGE_IN_SHARED wedge_u32 *count;
} shared_sums;

WEDGE_FN void share_sums(shared_sums to, const pull_tools *t) {
    wedge_barrier(); /* the sums before have been read */
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        const wedge_u32 x = POINT_I(r) * LANES + wedge_local_id(0);
        to.value[x] = sum_of(t->sums[r].value);
        to.pull[x] = sum_of(t->sums[r].pull);
        to.count[x] = t->sums[r].count;
    }
    wedge_barrier();
}

/* Adds up `count` pairs, `step` apart in shared memory. of_j: for the second point. */
WEDGE_FN number pairs_give(shared_sums sums, wedge_u32 first, wedge_u32 step, wedge_u32 count, wedge_u32 i, wedge_u32 j,
                           int of_j, wedge_u32 v, WEDGE_GLOBAL const quad *points, op_args q, pairs_args args) {
    row_sum all = sum_zero();
    for (wedge_u32 c = 0; c < count; ++c) {
        const wedge_u32 x = first + c * step;
        const number got =
            pair_gives(points, of_j ? i + c : i, of_j ? j : j + c, v, sums.value[x], sums.pull[x], q, args);
        sum_add(&all, sums.count[x] ? (of_j && v ? -got : got) : (number)0);
    }
    return sum_of(all);
}

WEDGE_FN wedge_u32 pairs_counted(shared_sums sums, wedge_u32 first, wedge_u32 step, wedge_u32 count) {
    wedge_u32 all = 0;
    for (wedge_u32 c = 0; c < count; ++c) all += sums.count[first + c * step];
    return all;
}

/* The parts of a pair of tiles. */
WEDGE_FN void leave_parts(shared_sums sums, wedge_pair64 at, wedge_u32 sub, WEDGE_GLOBAL const quad *points,
                          WEDGE_GLOBAL number *parts_i, WEDGE_GLOBAL number *parts_j, WEDGE_GLOBAL wedge_u32 *counts_i,
                          WEDGE_GLOBAL wedge_u32 *counts_j, pull_args S, op_args q, pairs_args args) {
    const wedge_u32 row = (wedge_u32)at.i - S.first, i = (wedge_u32)at.i * PAIRS_TILE + sub * SUB;
    const wedge_u32 j = (wedge_u32)at.j * PAIRS_TILE;
    for (wedge_u32 x = THREAD; x < SUB * PULL_VALUES; x += THREADS) {
        const wedge_u32 y = x / PULL_VALUES, v = x % PULL_VALUES;
        const wedge_u64 to = ((wedge_u64)row * PAIRS_TILE + sub * SUB + y) * S.tiles + at.j;
        parts_i[to * PULL_VALUES + v] = pairs_give(sums, y * LANES, 1u, LANES, i + y, j, 0, v, points, q, args);
        if (v == 0u) counts_i[to] = pairs_counted(sums, y * LANES, 1u, LANES);
    }
    for (wedge_u32 x = THREAD; x < LANES * PULL_VALUES; x += THREADS) {
        const wedge_u32 y = x / PULL_VALUES, v = x % PULL_VALUES;
        const wedge_u64 to = ((wedge_u64)row * SUBS + sub) * S.tiles * PAIRS_TILE + j + y;
        parts_j[to * PULL_VALUES + v] = pairs_give(sums, y, LANES, SUB, i, j + y, 1, v, points, q, args);
        if (v == 0u) counts_j[to] = pairs_counted(sums, y, LANES, SUB);
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         1) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *points,
                                              WEDGE_GLOBAL number *parts_i, WEDGE_GLOBAL number *parts_j,
                                              WEDGE_GLOBAL wedge_u32 *counts_i, WEDGE_GLOBAL wedge_u32 *counts_j,
                                              pull_args S, pairs_args args, op_values parameters CUT_PARAMETERS) {
#if !PAIRS_NO_SHARED
    WEDGE_SHARED side ik[SUB * LEAF];
    WEDGE_SHARED jk_element jk[JK_ELEMENTS];
#if PAIRS_LISTED
    WEDGE_SHARED wedge_u32 ik_bits[SUB], jk_bits[LANES];
#endif
#endif
    WEDGE_SHARED number shared_value[SUB * LANES], shared_pull[SUB * LANES];
    WEDGE_SHARED wedge_u32 shared_count[SUB * LANES];
    const op_args q = args_of(args, parameters);
    pull_tools t;
    shared_sums sums;
    t.points = points;
    sums.value = shared_value;
    sums.pull = shared_pull;
    sums.count = shared_count;
#if !PAIRS_NO_SHARED
    t.shared.ik = ik;
    t.shared.jk = jk;
#if PAIRS_LISTED
    t.shared.ik_bits = ik_bits;
    t.shared.jk_bits = jk_bits;
#endif
    const wedge_u32 tiles = tiles_of_block(g);
    for (wedge_u32 n = 0; n < tiles; ++n)
#else
    const wedge_u32 n = 0; /* a barrier in a loop is more than plain devices manage */
#endif
    {
        const wedge_u64 number_of = tile_number(g, n);
        const wedge_pair64 at = wedge_tri_unrank64(number_of / SUBS);
        const wedge_u32 sub = (wedge_u32)(number_of % SUBS);
        const wedge_u32 i = (wedge_u32)at.i * PAIRS_TILE + sub * SUB, j = (wedge_u32)at.j * PAIRS_TILE;
        begin_pairs(&t, i, j, q, args CUT_ARGUMENTS);
        pull_tiles(&t, at, i, j, q, args CUT_ARGUMENTS);
        share_sums(sums, &t);
        leave_parts(sums, at, sub, points, parts_i, parts_j, counts_i, counts_j, S, q, args);
    }
}

/* The parts of a point of one value: as an i with every tile of j, then as a j. */
WEDGE_FN void add_parts(row_sum *all, wedge_u32 p, wedge_u32 v, WEDGE_GLOBAL const number *parts_i,
                        WEDGE_GLOBAL const number *parts_j, pull_args S) {
    const wedge_u32 mine = p / PAIRS_TILE;
    if (mine >= S.first && mine < S.first + S.rows)
        for (wedge_u32 tile = 0; tile <= mine; ++tile)
            sum_add(all, parts_i[((wedge_u64)(p - S.first * PAIRS_TILE) * S.tiles + tile) * PULL_VALUES + v]);
    for (wedge_u32 row = mine > S.first ? mine : S.first; row < S.first + S.rows; ++row)
        for (wedge_u32 sub = 0; sub < SUBS; ++sub)
            sum_add(all,
                    parts_j[(((wedge_u64)(row - S.first) * SUBS + sub) * S.tiles * PAIRS_TILE + p) * PULL_VALUES + v]);
}

WEDGE_FN wedge_u64 add_counts(wedge_u32 p, WEDGE_GLOBAL const wedge_u32 *counts_i,
                              WEDGE_GLOBAL const wedge_u32 *counts_j, pull_args S) {
    const wedge_u32 mine = p / PAIRS_TILE;
    wedge_u64 all = 0;
    if (mine >= S.first && mine < S.first + S.rows)
        for (wedge_u32 tile = 0; tile <= mine; ++tile)
            all += counts_i[(wedge_u64)(p - S.first * PAIRS_TILE) * S.tiles + tile];
    for (wedge_u32 row = mine > S.first ? mine : S.first; row < S.first + S.rows; ++row)
        for (wedge_u32 sub = 0; sub < SUBS; ++sub)
            all += counts_j[((wedge_u64)(row - S.first) * SUBS + sub) * S.tiles * PAIRS_TILE + p];
    return all;
}

/* A thread has one value of a point. Both pairs of a point that a triplet has give its value: half of that is meant. */
WEDGE_KERNEL WEDGE_BLOCK(FINISH_BLOCK, 1,
                         1) void pull_finish(WEDGE_GLOBAL const number *parts_i, WEDGE_GLOBAL const number *parts_j,
                                             WEDGE_GLOBAL const wedge_u32 *counts_i,
                                             WEDGE_GLOBAL const wedge_u32 *counts_j, WEDGE_GLOBAL number *sums,
                                             WEDGE_GLOBAL wedge_u64 *all_counts, WEDGE_GLOBAL const wedge_u32 *order,
                                             WEDGE_GLOBAL number *out, WEDGE_GLOBAL wedge_i64 *out_counts, pull_args S,
                                             pairs_args args) {
    const wedge_u32 x = wedge_group_id(0) * FINISH_BLOCK + wedge_local_id(0), p = x / PULL_VALUES, v = x % PULL_VALUES;
    if (p < args.points) {
        const wedge_u64 to = PAIRS_LISTED ? order[p] : p;
        row_sum all;
        all.sum = sums[2u * x];
        all.rest = sums[2u * x + 1u];
        add_parts(&all, p, v, parts_i, parts_j, S);
        sums[2u * x] = all.sum;
        sums[2u * x + 1u] = all.rest;
        if (S.last && S.gives_sums)
            out[S.to_sums + to * PULL_VALUES + v] = v == 0u ? sum_of(all) * (number)0.5 : sum_of(all);
        if (v == 0u) {
            all_counts[p] += add_counts(p, counts_i, counts_j, S);
            if (S.last && S.gives_counts) out_counts[S.to_counts + to] = (wedge_i64)(all_counts[p] / 2u);
        }
    }
}
