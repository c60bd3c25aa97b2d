/* histogram: how many values lie in each bin [edge, next edge), the last one closed, as numpy.histogram counts them.
 *
 * Counter 0 is for values below the first edge, then come the bins, then values above the last edge, then NaN.
 *
 * limits: scale, shift and safe, then the edges. Where edges are evenly spaced, the bin of v is v * scale + shift rounded
 * to the nearest integer, unless that is more than `safe` away from one, close to an edge: such values are compared with the
 * edges themselves, by halving. Where they are not, safe is below 0: no guess is believed. Rounding is done by adding and
 * subtracting a number so large that no fraction is left.
 *
 * SPDX-License-Identifier: MIT */
#define HISTOGRAM_HEAD 3
#define HISTOGRAM_SHARED 3500 /* bins at most that are counted in shared memory */

#if defined(SINK_HOST_HALF)
#elif defined(WEDGE_NATIVE)
typedef uint64_t sink_slot; /* NATIVE_SETS sets of counters */

static uint32_t counter_by_halves(const native_sink *k, number v) {
    const number *edge = (const number *)k->limits + HISTOGRAM_HEAD;
    uint32_t low = 0, high = k->bins;
    if (v != v) return k->bins + 2;
    if (v < edge[0]) return 0;
    if (v > edge[k->bins]) return k->bins + 1;
    while (high - low > 1) { /* edge[low] <= v, and v < edge[high] or high is the last */
        uint32_t middle = low + (high - low) / 2;
        if (v >= edge[middle])
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

static __attribute__((noinline)) void take_by_halves(const native_sink *k, const number *v, uint32_t inside) {
    uint64_t *count = k->slot;
    for (int c = 0; c < 32; ++c)
        if (inside >> c & 1u) ++count[counter_by_halves(k, v[c])];
}

/* Neighbours often fall into one bin, and a counter must not wait for its own last store: they use sets in turn. */
WEDGE_FN void sink_leaf_native(const native_sink *k, const number *v, native_leaf at) {
    const number *limits = k->limits, magic = sizeof(number) == 8 ? (number)0x1.8p52 : (number)0x1.8p23;
    const number scale = limits[0], shift = limits[1], safe = limits[2], most = (number)k->bins;
    uint64_t *count = k->slot;
    number_bits bin[32], unsure = at.inside != UINT32_MAX;
    for (int c = 0; c < 32; ++c) {
        number f = v[c] * scale + shift;
        f = f < -1 ? -1 : f > most ? most : f;
        const number t = f + magic, off = f - (t - magic);
        unsure |= !(off <= safe) | !(off >= -safe);
        bin[c] = sink_signed_bits(t) - sink_signed_bits(magic) + 1;
    }
    if (unsure) {
        take_by_halves(k, v, at.inside);
        return;
    }
    for (uint32_t c = 0; c < 32; ++c) ++count[c % NATIVE_SETS * k->counters + (uint32_t)bin[c]];
}
#else

/* Few bins are counted in shared memory, a set per warp; many straight in global memory, one set for all. Of 48 KiB of
 * shared memory a tile of many features takes up to 33. */
#define COUNTERS (HISTOGRAM_BINS + 3u)
#if HISTOGRAM_BINS <= (PAIRS_D ? 1000 : 250)
#define SETS PAIRS_WARPS
#else
#define SETS 1u
#endif
#define SINK_TAKES_KEYS 0
#if HISTOGRAM_BINS <= HISTOGRAM_SHARED
#define SINK_ROOM ((SETS * COUNTERS + 1u) / 2u)
typedef WEDGE_NEAR wedge_u32 *sink_counters;
#define sink_increment(p) wedge_near_increment(p)
#else
#define SINK_ROOM 1u
typedef WEDGE_GLOBAL wedge_u32 *sink_counters;
#define sink_increment(p) wedge_atomic_add(p, 1u)
#endif

#if PAIRS_F64
#define HISTOGRAM_MAGIC 0x1.8p52
typedef wedge_i64 sink_int;
#else
#define HISTOGRAM_MAGIC 0x1.8p23f
typedef int sink_int;
#endif

typedef struct {
    wedge_u32 count[COUNTERS];
} sink_slot;

typedef struct {
    number scale, shift, safe;
    WEDGE_GLOBAL const number *edge;
    sink_counters count;
} sink_state;

typedef struct {
    int none;
} sink_leaf;

WEDGE_FN sink_state sink_open(WEDGE_NEAR wedge_u64 *room, WEDGE_GLOBAL const number *limits,
                              WEDGE_GLOBAL sink_slot *slots) {
    sink_state s;
    s.scale = limits[0];
    s.shift = limits[1];
    s.safe = limits[2];
    s.edge = limits + HISTOGRAM_HEAD;
#if HISTOGRAM_BINS <= HISTOGRAM_SHARED
    s.count = (WEDGE_NEAR wedge_u32 *)room;
    for (wedge_u32 k = THREAD; k < SETS * COUNTERS; k += THREADS) s.count[k] = 0;
    s.count += wedge_local_id(1) % SETS * COUNTERS;
#else
    s.count = slots[0].count;
#endif
    return s;
}

WEDGE_FN sink_leaf sink_leaf_begin(void) {
    sink_leaf l;
    l.none = 0;
    return l;
}

WEDGE_FN wedge_u32 sink_counter_by_halves(const sink_state *s, number v) {
    wedge_u32 low = 0, high = HISTOGRAM_BINS;
    if (v != v) return HISTOGRAM_BINS + 2u;
    if (v < s->edge[0]) return 0;
    if (v > s->edge[HISTOGRAM_BINS]) return HISTOGRAM_BINS + 1u;
    while (high - low > 1u) { /* edge[low] <= v, and v < edge[high] or high is the last */
        const wedge_u32 middle = low + (high - low) / 2u;
        if (v >= s->edge[middle])
            low = middle;
        else
            high = middle;
    }
    return low + 1u;
}

WEDGE_FN void sink_take(sink_state *s, sink_leaf *l, const number *v, const wedge_u32 count, wedge_u32 c) {
    const number magic = HISTOGRAM_MAGIC;
    wedge_u32 bin[GROUP];
    int sure = 1;
#pragma unroll
    for (wedge_u32 k = 0; k < count; ++k) {
        number f = wedge_fused(v[k], s->scale, s->shift);
        f = f < -1 ? -1 : f;
        const number t = f + magic, off = f - (t - magic);
        const sink_int n = (sink_int)wedge_number_bits(t) - ((sink_int)wedge_number_bits(magic) - 1);
        sure &= fabs(off) <= s->safe;
        bin[k] = n < (sink_int)HISTOGRAM_BINS + 1 ? (wedge_u32)n : HISTOGRAM_BINS + 1u;
    }
    if (sure) {
#pragma unroll
        for (wedge_u32 k = 0; k < count; ++k) sink_increment(s->count + bin[k]);
    } else {
#pragma unroll
        for (wedge_u32 k = 0; k < count; ++k) sink_increment(s->count + sink_counter_by_halves(s, v[k]));
    }
}

WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_place at, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    return 0;
}

WEDGE_FN void sink_look(sink_state *s, int wanted, leaf_place at, leaf_values values, pairs_args A) {}

WEDGE_FN void sink_close(sink_state *s, WEDGE_NEAR wedge_u64 *room, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
#if HISTOGRAM_BINS <= HISTOGRAM_SHARED
    WEDGE_NEAR wedge_u32 *all = (WEDGE_NEAR wedge_u32 *)room;
    wedge_barrier();
    for (wedge_u32 k = THREAD; k < COUNTERS; k += THREADS) {
        wedge_u32 sum = 0;
        for (wedge_u32 t = 0; t < SETS; ++t) sum += all[t * COUNTERS + k];
        slots[wedge_group_id(0)].count[k] += sum;
    }
#endif
}
#endif
