/* count: how many cells have a value of at most `radius`.
 *
 * SPDX-License-Identifier: MIT */
typedef struct {
    wedge_u64 count;
} sink_slot;

#ifdef WEDGE_NATIVE
/* A leaf of which some lies outside, and whole leaves side by side. */
WEDGE_FN void sink_leaf_native(const native_sink *k, const number *v, native_leaf at) {
    const number limit = *(const number *)k->limits;
    uint32_t count = 0;
    for (int c = 0; c < 32; ++c) count += (at.inside >> c & 1u) && v[c] <= limit;
    ((sink_slot *)k->slot)->count += count;
}

#define SINK_TAKES_LEAVES 1
WEDGE_FN void sink_leaves_native(const native_sink *k, const number *v, native_leaf at, uint64_t leaves) {
    const number limit = *(const number *)k->limits;
    uint32_t count = 0;
    for (uint64_t c = 0; c < 32 * leaves; ++c) count += v[c] <= limit;
    ((sink_slot *)k->slot)->count += count;
}
#else

#define SINK_SEES KEYS
#define SINK_SHARED_WORDS THREADS

typedef struct {
    number above, exact_above; /* the numbers after the limit, of keys and of values */
    wedge_u64 count;
} sink_state;

typedef struct {
    wedge_u32 count;
} sink_leaf;

WEDGE_FN sink_state sink_open(WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL const number *limits,
                              WEDGE_GLOBAL sink_slot *slots) {
    sink_state s;
    s.above = number_after(limits[CELLS_HAVE_KEYS]);
    s.exact_above = number_after(limits[0]);
    s.count = 0;
    return s;
}

WEDGE_FN sink_leaf sink_leaf_begin(void) {
    sink_leaf l;
    l.count = 0;
    return l;
}

WEDGE_FN int sink_take(sink_state *s, sink_leaf *l, const number *v, wedge_u32 c) {
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) l->count += sink_is_within(v[k], s->above);
    return 1;
}

WEDGE_FN void sink_take_exact(sink_state *s, number v) {}

WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_cells at, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    s->count += l->count;
    return 1;
}

WEDGE_FN void sink_leaf_exact(sink_state *s, leaf_cells at, leaf_values values, WEDGE_GLOBAL sink_slot *slots,
                              pairs_args args) {
    for (wedge_u32 c = 0; c < LEAF; ++c) s->count += at.inside >> c & sink_is_within(values[c], s->exact_above);
}

WEDGE_FN void sink_close(sink_state *s, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL sink_slot *slots,
                         pairs_args args) {
    shared_words[THREAD] = s->count;
    wedge_barrier();
    if (THREAD == 0u) {
        wedge_u64 sum = 0;
        for (wedge_u32 t = 0; t < THREADS; ++t) sum += shared_words[t];
        slots[wedge_group_id(0)].count += sum;
    }
}
#endif
