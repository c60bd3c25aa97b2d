/* leaves.h: what sinks that do not store every value see of a tile, on devices.
 *
 * A leaf is 32 columns of one row, from a column on that is a multiple of 32 in the order of the caller's points. One
 * thread has a leaf, its cells one after another. So a sum needs no exchange between threads, 32 comparisons make a word,
 * and neither depends on tile, map or range. Where rows and columns run backwards (condensed order), `pad` padding columns
 * come before the first, so that leaves begin at multiples of 32 there as well: cell (i, j) of the tiles is cell
 * (i - pad, j - pad) of the domain.
 *
 * A sink is a file that defines
 *
 *     SINK_SEES                                     what sink_take gets, see below: EXACT, QUICK, KEYS or APPROX
 *     SINK_SHARED_WORDS                             64-bit words of shared memory that a block has for it, at least 1
 *     sink_slot                                     what a block leaves in global memory; zeros before its first tile
 *     sink_state, sink_leaf                         what a thread keeps for all of its leaves, and for one of them
 *     sink_open(shared_words, limits, slots)        the state of a thread before its first leaf
 *     sink_leaf_begin()                             a leaf before its first cell
 *     sink_take(&s, &l, v, c)                       GROUP cells side by side, the first of them cell c of the leaf. It returns
 *                                                   0 if it took none and wants them again, one by one and exact:
 *     sink_take_exact(&s, v)
 *     sink_leaf_end(&s, &l, at, slots, args)        after the last of them. It returns 0 if it wants the leaf again:
 *     sink_leaf_exact(&s, at, values, slots, args)  a leaf from its exact values, of which some may lie outside
 *     sink_close(&s, shared_words, slots, args)     after the thread's last leaf; every thread of the block comes here
 *
 * Few features: sink_take sees EXACT values; QUICK ones (op_quick: exact if CELLS_EXACT_FROM or more, else less or NaN);
 * KEYS, numbers that grow with the value, for sinks that only compare; or APPROX, within 4 units in the last place. The last
 * three only where the op has such and they are cheaper, else and with many features exact values.
 *
 * SPDX-License-Identifier: MIT */

#define LEAF 32u
#define GROUP 8u /* cells at a time */

typedef struct {
    wedge_u32 i, j;   /* its row and first column, among the tiles */
    wedge_u32 inside; /* bit c: column j + c is to be computed */
} leaf_cells;

/* The caller's numbers of a row and a column. */
WEDGE_FN wedge_u32 cell_row(pairs_args args, wedge_u32 i) {
    return DOMAIN_BACKWARDS ? args.side - 1u - (i - args.pad) : i - args.pad;
}
WEDGE_FN wedge_u32 cell_column(pairs_args args, wedge_u32 j) {
    return DOMAIN_BACKWARDS ? args.points - 1u - (j - args.pad) : j - args.pad;
}

/* Bits [first, end) of 32. */
WEDGE_FN wedge_u32 bits_between(wedge_i64 first, wedge_i64 end) {
    const wedge_u32 from = first < 0 ? 0u : first < 32 ? (wedge_u32)first : 32u;
    const wedge_u32 to = end < 0 ? 0u : end < 32 ? (wedge_u32)end : 32u;
    const wedge_u32 below = to == 32u ? 0xffffffffu : (1u << to) - 1u;
    return from < to ? below & ~((1u << from) - 1u) : 0u;
}

/* Which columns of the leaf are in the domain and in the range. */
WEDGE_FN wedge_u32 leaf_inside(pairs_args args, wedge_u32 i, wedge_u32 j) {
    const wedge_i64 row = (wedge_i64)i - args.pad;
    if (row < 0 || row >= args.side) return 0u;
    const wedge_i64 start = (wedge_i64)row_start(args, (wedge_u32)row), at = (wedge_i64)j - args.pad;
    wedge_i64 first = (wedge_i64)args.begin - start, end = (wedge_i64)args.end - start;
    if (first < 0 || SINK_MIRRORED) first = 0;
    if (SINK_MIRRORED || end > row_last(args, (wedge_u32)row) + 1) end = row_last(args, (wedge_u32)row) + 1;
    return bits_between(first - at, end - at);
}

/* Is every cell of the tile of `size` rows and columns from (i, j) on to be computed? */
WEDGE_FN int tile_is_whole(pairs_args args, wedge_u32 i, wedge_u32 j, wedge_u32 size) {
    const int columns = DOMAIN_FULL_ROWS ? j + size <= args.points : j + size <= i;
    return columns && j >= args.pad && i >= args.pad && i - args.pad >= args.whole_begin &&
           i - args.pad + size <= args.whole_end;
}

/* The tiles of a block: g.a of them, and one more for the first g.b blocks; a run of neighbours where PAIRS_WALK, else one
 * in as many as there are blocks. */
WEDGE_FN wedge_u32 tiles_of_block(wedge_launch g) { return g.a + (wedge_group_id(0) < g.b ? 1u : 0u); }

WEDGE_FN wedge_u64 tile_number(wedge_launch g, wedge_u32 k) {
    const wedge_u32 x = wedge_group_id(0);
    return g.base +
           (PAIRS_WALK ? (wedge_u64)x * g.a + (x < g.b ? x : g.b) + k : (wedge_u64)k * wedge_group_count(0) + x);
}

/* Where tiles are left out (engine/prune/prune.h) there is a list of the others: the kernel's last parameter. */
#if PAIRS_LISTED
#define TILE_LIST , WEDGE_GLOBAL const wedge_u32 *tile_list
#define TILE_OF_BLOCK(list, g, k, args) tile_in_list(list, g, k)
WEDGE_FN wedge_pair64 tile_in_list(WEDGE_GLOBAL const wedge_u32 *list, wedge_launch g, wedge_u32 k) {
    const wedge_u64 w = tile_number(g, k);
    wedge_pair64 t;
    t.i = list[2u * w];
    t.j = list[2u * w + 1u];
    return t;
}
#else
#define TILE_LIST
#define TILE_OF_BLOCK(list, g, k, args) tile_of_block(g, k, args)
WEDGE_FN wedge_pair64 tile_of_block(wedge_launch g, wedge_u32 k, pairs_args args) {
    const wedge_u64 w = tile_number(g, k);
#if DOMAIN_FULL_ROWS
    wedge_pair64 t;
    t.i = w / args.columns;
    t.j = w % args.columns;
    return t;
#else
#if SINK_MIRRORED
    if (args.strip) {
        wedge_pair64 t;
        t.i = args.strip_row + w / args.strip;
        t.j = args.strip_column + w % args.strip;
        return t;
    }
#endif
    return wedge_tri_unrank64(w);
#endif
}
#endif

/* SINK_SEES */
#define EXACT 0
#define QUICK 1
#define KEYS 2
#define APPROX 3
#if PAIRS_D && defined(OP_KEY) && !PAIRS_NO_SHARED
#define CELLS_HAVE_KEYS 1
#else
#define CELLS_HAVE_KEYS 0
#endif
/* APPROX: of what is computed from them with a product and a sum. */
#if defined(__CUDA_ARCH__) || defined(__NV_CL_C_VERSION)
#define CELLS_NEAR_UNITS 6
#else
#define CELLS_NEAR_UNITS 16
#endif
#if PAIRS_D && defined(OP_QUICK_FROM) && !PAIRS_NO_SHARED
#define CELLS_EXACT_FROM OP_QUICK_FROM
#else
#define CELLS_EXACT_FROM (-wedge_infinity())
#endif

/* The number after x, which is finite. */
WEDGE_FN number number_after(number x) {
#if PAIRS_F64
    const wedge_u64 bits = wedge_double_bits(x);
#else
    const wedge_u32 bits = wedge_float_bits(x);
#endif
    return wedge_bits_number(x == 0 ? 1u : x > 0 ? bits + 1u : bits - 1u);
}

/* 1 where v is below `above`, the number after a limit, and so within the limit; 0 where it is not, or NaN. On NVIDIA's
 * devices the sign of a difference of floats costs less than a comparison, and their NaN has none; a NaN of doubles does.
 * SINK_ALL: the limit is infinite, there is no number after it. */
WEDGE_FN wedge_u32 sink_is_within(number v, number above) {
#ifdef SINK_ALL
    return v == v ? 1u : 0u;
#elif !PAIRS_F64 && (defined(__CUDA_ARCH__) || defined(__NV_CL_C_VERSION))
    return wedge_float_bits(v - above) >> 31;
#else
    return v < above ? 1u : 0u;
#endif
}

/* The values of a leaf: a thread's own, or of many features in shared memory. */
#if PAIRS_D || PAIRS_NO_SHARED
typedef const number *leaf_values;
#else
typedef WEDGE_IN_SHARED const number *leaf_values;
#endif

/* A leaf of row i, from column j on, before its first cell. SINK_ROW_LIMITS: the sink has a limit for each row (select.h). */
#if SINK_ROW_LIMITS
#define LEAF_BEGIN(s, i, j, args) sink_leaf_of(s, i, j, args)
#else
#define LEAF_BEGIN(s, i, j, args) sink_leaf_begin()
#endif

#define THREAD (wedge_local_id(1) * LANES + wedge_local_id(0))

/* ---- Sums of rows, leaf by leaf ---- */

/* What has been added, and what of it there were no digits for. */
typedef struct {
    number sum, rest;
} row_sum;

WEDGE_FN void sum_add(row_sum *s, number x) {
    const number sum = s->sum + x, added = sum - s->sum;
    s->rest += (s->sum - (sum - added)) + (x - added);
    s->sum = sum;
}

/* What is not finite has no rest. */
WEDGE_FN number sum_of(row_sum s) { return s.sum - s.sum == 0 ? s.sum + s.rest : s.sum; }
