/* select: the cells that have a value of at most `radius`: a bit for every cell of some rows, which the engine then turns
 * into a list (engine/select/select.c); or where tiles are left out, hits: rows and columns of cells, in any order; of triplets the
 * caller's positions, in any order, and values (engine/select/triples.h). nearest
 * (engine/rows/nearest.h) finds cells in the same way, with a limit for each row (SINK_ROW_LIMITS): limits[i] of values, and
 * LIMIT_KEYS(args) further on of keys. SINK_MIRRORED: of the cells of a triangle, pair (i, j) is a hit of row i, or of row
 * j, or of both, and args.begin to args.end are positions in the square.
 *
 * On devices the word of a leaf lies at [column / 32][row], so that threads side by side, which have rows side by side,
 * write side by side; on the cpu at [row][column / 32]. Bit c is column c of the leaf.
 *
 * SPDX-License-Identifier: MIT */
typedef wedge_u32 sink_slot;

#ifdef WEDGE_NATIVE
WEDGE_FN void sink_leaf_native(const native_sink *k, const number *v, native_leaf at) {
    const real limit = wedge_real(*(const number *)k->limits);
    uint32_t bits = 0;
    for (size_t c = 0; c < 32; c += LANES) bits |= lanes_bits(real_at(v + c) <= limit) << c;
    k->marks[(at.row - k->marks_row) * k->marks_words + (at.column / 32 - k->marks_word)] = bits & at.inside;
}
#else

#define SINK_SEES KEYS
#define SINK_SHARED_WORDS 1

typedef struct {
#if SINK_ROW_LIMITS
    WEDGE_GLOBAL const number *limits;
#else
    number above, exact_above; /* the numbers after the limit, of keys and of values */
#endif
    wedge_u32 place, left;               /* hits: room that this thread has taken */
#if defined(OP_SIDE) && PAIRS_LISTED
    WEDGE_GLOBAL const wedge_u32 *order; /* the caller's numbers of points along the curve; set by the kernel */
#endif
} sink_state;

typedef struct {
    wedge_u32 bits;
#if SINK_ROW_LIMITS
    number above;                       /* the number after the limit of what sink_take sees; NaN: after infinity */
#endif
#if SINK_MIRRORED
    wedge_u32 mirrored;                 /* within the limits of their columns, as bits */
    WEDGE_GLOBAL const number *columns; /* which are these */
#endif
} sink_leaf;

#if SINK_ROW_LIMITS
#define LIMIT_KEYS(args) \
    (((args).side + PAIRS_TILE - 1u) / PAIRS_TILE * PAIRS_TILE) /* rows of whole tiles have limits */
#define ABOVE(s, l) (l)->above
#define IS_IN_ROW(v, s, at) ((v) <= (s)->limits[(at).i] ? 1u : 0u)

WEDGE_FN sink_state sink_open(WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL const number *limits,
                              WEDGE_GLOBAL sink_slot *slots) {
    sink_state s;
    s.limits = limits;
    s.place = s.left = 0;
    return s;
}

WEDGE_FN sink_leaf sink_leaf_of(const sink_state *s, wedge_u32 i, wedge_u32 j, pairs_args args) {
    WEDGE_GLOBAL const number *limits = s->limits + (CELLS_HAVE_KEYS ? LIMIT_KEYS(args) : 0u);
    sink_leaf l;
    l.bits = 0;
    l.above = number_after(limits[i]);
#if SINK_MIRRORED
    l.mirrored = 0;
    l.columns = limits + j;
#endif
    return l;
}
#else
#define ABOVE(s, l) (s)->above
#define IS_IN_ROW(v, s, at) sink_is_within(v, (s)->exact_above)

WEDGE_FN sink_state sink_open(WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL const number *limits,
                              WEDGE_GLOBAL sink_slot *slots) {
    sink_state s;
    s.above = number_after(limits[CELLS_HAVE_KEYS]);
    s.exact_above = number_after(limits[0]);
    s.place = s.left = 0;
    return s;
}

WEDGE_FN sink_leaf sink_leaf_begin(void) {
    sink_leaf l;
    l.bits = 0;
    return l;
}
#endif

WEDGE_FN int sink_take(sink_state *s, sink_leaf *l, const number *v, wedge_u32 c) {
    wedge_u32 bits = 0;
#pragma unroll
    for (wedge_u32 k = GROUP; k > 0; --k) bits = bits << 1 | sink_is_within(v[k - 1u], ABOVE(s, l));
    l->bits |= bits << c;
#if SINK_MIRRORED
    wedge_u32 mirrored = 0;
#pragma unroll
    for (wedge_u32 k = GROUP; k > 0; --k) mirrored = mirrored << 1 | (v[k - 1u] <= l->columns[c + k - 1u] ? 1u : 0u);
    l->mirrored |= mirrored << c;
#endif
    return 1;
}

WEDGE_FN void sink_take_exact(sink_state *s, number v) {}

#define LOWEST_BIT(bits) wedge_ones(((bits) & (0u - (bits))) - 1u)

#ifdef OP_SIDE
#define SINK_TRIPLES 1

/* The caller's position of column k of a row of triplets. */
WEDGE_FN wedge_u64 sink_position(const sink_state *s, wedge_u32 row, wedge_u32 k) {
    const wedge_pair p = pair_of_row(row);
#if PAIRS_LISTED
    const wedge_u32 x = s->order[p.i], y = s->order[p.j], z = s->order[k];
    const wedge_u32 high = x > y ? x : y, low = x > y ? y : x, most = high > z ? high : z, rest = high > z ? z : high;
    return triple_position(most, low > rest ? low : rest, low > rest ? rest : low);
#else
    return triple_position(p.i, p.j, k);
#endif
}

/* slots: how many hits there are, as two words of which the second counts the wraps of the first; room for positions, and
 * for values. Where there are more than there is room for, none of them will be read. */
WEDGE_FN void sink_leaf_exact(sink_state *s, leaf_cells at, leaf_values values, WEDGE_GLOBAL sink_slot *slots,
                              pairs_args args) {
    WEDGE_GLOBAL wedge_u64 *positions = (WEDGE_GLOBAL wedge_u64 *)slots + 1;
    WEDGE_GLOBAL number *found = (WEDGE_GLOBAL number *)(positions + args.capacity);
    wedge_u32 bits = 0;
    for (wedge_u32 c = 0; c < LEAF; ++c)
        if (at.inside >> c & sink_is_within(values[c], s->exact_above)) {
            const wedge_u64 position = sink_position(s, at.i, at.j + c);
            if (!PAIRS_LISTED || (position >= args.begin && position < args.end)) bits |= 1u << c;
        }
    if (!bits) return;
    const wedge_u32 count = wedge_ones(bits);
    wedge_u32 place = wedge_atomic_add(slots, count);
    if (place + count < place) wedge_atomic_add(slots + 1, 1u);
    for (; bits; bits &= bits - 1u, ++place)
        if (place < args.capacity) {
            positions[place] = sink_position(s, at.i, at.j + LOWEST_BIT(bits));
            found[place] = values[LOWEST_BIT(bits)];
        }
}

/* Leaves with hits are wanted again, for their values. */
WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_cells at, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    return l->bits == 0u;
}

WEDGE_FN void sink_close(sink_state *s, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL sink_slot *slots,
                         pairs_args args) {}
#else

#if PAIRS_LISTED || SINK_ROW_LIMITS
#define SINK_HITS 1
#define HITS_HEAD 2u
#define HITS_TAKEN 32u /* at a time: to take room, all threads of the device wait for each other */

/* slots: how many hits have been taken, a word more, then two words a hit. */
WEDGE_FN void sink_find(WEDGE_GLOBAL sink_slot *slots, wedge_u32 place, wedge_u32 row, wedge_u32 column,
                        pairs_args args) {
    if (place < args.capacity) {
        slots[HITS_HEAD + 2u * (wedge_u64)place] = row;
        slots[HITS_HEAD + 2u * (wedge_u64)place + 1u] = column;
    }
}

WEDGE_FN void sink_put(sink_state *s, wedge_u32 row, wedge_u32 column, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
#if SINK_MIRRORED
    const wedge_u64 position = (wedge_u64)row * args.points + column;
    if (position < args.begin || position >= args.end) return;
#endif
    if (!s->left) {
        s->place = wedge_atomic_add(slots, HITS_TAKEN);
        s->left = HITS_TAKEN;
    }
    sink_find(slots, s->place, row, column, args);
    ++s->place;
    --s->left;
}

WEDGE_FN void sink_mark(sink_state *s, leaf_cells at, wedge_u32 bits, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    for (; bits; bits &= bits - 1u)
        sink_put(s, cell_row(args, at.i), cell_column(args, at.j + LOWEST_BIT(bits)), slots, args);
}

#if SINK_MIRRORED
WEDGE_FN void sink_mark_mirrored(sink_state *s, leaf_cells at, wedge_u32 bits, WEDGE_GLOBAL sink_slot *slots,
                                 pairs_args args) {
    for (; bits; bits &= bits - 1u)
        sink_put(s, cell_column(args, at.j + LOWEST_BIT(bits)), cell_row(args, at.i), slots, args);
}
#endif

/* What is left of it is not a hit. */
WEDGE_FN void sink_close(sink_state *s, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL sink_slot *slots,
                         pairs_args args) {
    for (; s->left; ++s->place, --s->left) sink_find(slots, s->place, 0xffffffffu, 0xffffffffu, args);
}
#else
WEDGE_FN void sink_mark(sink_state *s, leaf_cells at, wedge_u32 bits, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    slots[(wedge_u64)(at.j / LEAF - args.marks_word) * args.marks_rows + (at.i - args.marks_row)] = bits;
}

WEDGE_FN void sink_close(sink_state *s, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL sink_slot *slots,
                         pairs_args args) {}
#endif

WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_cells at, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
#if SINK_ROW_LIMITS
    if (l->above != l->above) return 0; /* all but NaN are within */
#endif
    sink_mark(s, at, l->bits, slots, args);
#if SINK_MIRRORED
    sink_mark_mirrored(s, at, l->mirrored, slots, args);
#endif
    return 1;
}

WEDGE_FN void sink_leaf_exact(sink_state *s, leaf_cells at, leaf_values values, WEDGE_GLOBAL sink_slot *slots,
                              pairs_args args) {
    wedge_u32 bits = 0;
    for (wedge_u32 c = 0; c < LEAF; ++c) bits |= IS_IN_ROW(values[c], s, at) << c;
    sink_mark(s, at, bits & at.inside, slots, args);
#if SINK_MIRRORED
    bits = 0;
    for (wedge_u32 c = 0; c < LEAF; ++c) bits |= (values[c] <= s->limits[at.j + c] ? 1u : 0u) << c;
    sink_mark_mirrored(s, at, bits & at.inside, slots, args);
#endif
}
#endif
#endif
