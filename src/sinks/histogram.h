/* histogram: how many values lie in each bin [edge, next edge), the last one closed, as numpy.histogram counts them.
 *
 * Counter 0 is for values below the first edge, then come the bins, then values above the last edge, then NaN.
 *
 * limits: scale, shift and doubt, then the edges. Where edges are evenly spaced, the bin of v is v * scale + shift rounded
 * to the nearest integer, unless that is close to the middle between two, an edge: `doubt` for each unit in the last place
 * that may be wrong. Such values are compared with the edges themselves, by halving. So a value that is only nearly right will do for the guess. Where the logarithms of the
 * edges are evenly spaced (HISTOGRAM_LOG), log2 v takes the place of v. Where neither holds, nothing is guessed. Rounding is done by adding and subtracting a number so large that no fraction is left.
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

WEDGE_FN void sink_leaf_native(const native_sink *k, const number *v, native_leaf at) {
    take_by_halves(k, v, at.inside);
}

/* The counters of LANES values; false where one is in doubt. */
WEDGE_FN bool guess_counters(const native_sink *k, const number *v, number_bits *counter) {
    const number *limits = k->limits, magic = sizeof(number) == 8 ? (number)0x1.8p52 : (number)0x1.8p23;
    const real least = wedge_real(-1), most = wedge_real((number)k->bins), large = wedge_real(magic);
    const real safe = wedge_real((number)0.5 - 8 * limits[2]);
    real x;
    memcpy(&x, v, sizeof x);
    real f = x * limits[0] + limits[1];
    f = wedge_pick(f < least, least, f);
    f = wedge_pick(f > most, most, f);
    const real t = f + large, off = f - (t - large);
    const lanes found = (lanes)t - (lanes)large + 1, sure = (off <= safe) & (off >= -safe);
    number_bits all = -1, each[LANES];
    memcpy(counter, &found, sizeof found);
    memcpy(each, &sure, sizeof each);
    for (size_t l = 0; l < LANES; ++l) all &= each[l];
    return all;
}

/* Neighbours often fall into one bin, and a counter must not wait for its own last store: they use sets in turn. */
#define SINK_TAKES_LEAVES 1
WEDGE_FN void sink_leaves_native(const native_sink *k, const number *v, native_leaf at, uint64_t leaves) {
    uint64_t *count = k->slot;
    for (; leaves; --leaves, v += 32) {
        number_bits counter[32];
        bool sure = !k->by_halves;
        for (size_t c = 0; c < 32 && sure; c += LANES) sure = guess_counters(k, v + c, counter + c);
        if (!sure) {
            take_by_halves(k, v, at.inside);
            continue;
        }
        for (uint32_t c = 0; c < 32; c += NATIVE_SETS) {
            ++count[counter[c]];
            ++count[k->counters + (uint32_t)counter[c + 1]];
            ++count[2 * k->counters + (uint32_t)counter[c + 2]];
            ++count[3 * k->counters + (uint32_t)counter[c + 3]];
        }
    }
}
#else

/* Few bins are counted in shared memory: of few features every thread has counters of its own, side by side with its
 * neighbours', since atomics wait for each other where threads meet in one bin; of many features, which leave less room and
 * more time, a block has one set. Many bins (HISTOGRAM_GLOBAL) are counted in global memory, one set for all. */
#define COUNTERS (HISTOGRAM_BINS + 3u)
#define SINK_SEES NEAR
#ifdef HISTOGRAM_GLOBAL
#define SINK_ROOM 1u
typedef WEDGE_GLOBAL wedge_u32 *sink_counters;
typedef WEDGE_GLOBAL const number *sink_edges;
#else
#define SETS (PAIRS_D ? THREADS : 1u)
#define COUNTER_WORDS ((COUNTERS * SETS + 1u) / 2u)
#define SINK_ROOM (COUNTER_WORDS + ((HISTOGRAM_BINS + 1u) * (wedge_u32)sizeof(number) + 7u) / 8u)
typedef WEDGE_NEAR wedge_u32 *sink_counters;
typedef WEDGE_NEAR const number *sink_edges;
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
    sink_edges edge;
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
    s.safe = (number)0.5 - limits[2] * CELLS_NEAR_UNITS;
#ifdef HISTOGRAM_GLOBAL
    s.count = slots[0].count;
    s.edge = limits + HISTOGRAM_HEAD;
#else
    WEDGE_NEAR number *edge = (WEDGE_NEAR number *)(room + COUNTER_WORDS);
    s.count = (WEDGE_NEAR wedge_u32 *)room;
    for (wedge_u32 k = THREAD; k < COUNTERS * SETS; k += THREADS) s.count[k] = 0;
    if (PAIRS_D) s.count += THREAD;
    for (wedge_u32 k = THREAD; k <= HISTOGRAM_BINS; k += THREADS) edge[k] = limits[HISTOGRAM_HEAD + k];
    s.edge = edge;
#endif
    return s;
}

/* A thread's own counters need no atomics, but NVIDIA's do not wait for what was there before. */
WEDGE_FN void sink_increment(sink_state *s, wedge_u32 counter) {
#ifdef HISTOGRAM_GLOBAL
    wedge_atomic_add(s->count + counter, 1u);
#elif !PAIRS_D || defined(__CUDA_ARCH__) || defined(__NV_CL_C_VERSION)
    wedge_near_increment(s->count + counter * SETS);
#else
    ++s->count[counter * SETS];
#endif
}

WEDGE_FN sink_leaf sink_leaf_begin(void) {
    sink_leaf l;
    l.none = 0;
    return l;
}

/* The counter of a value, and whether that can be believed. Far from the edges the sum with magic loses its fraction, but
 * stays large, or small: floats are in the order of their bits, and those below 0 are integers below 0. */
WEDGE_FN wedge_u32 sink_guess(const sink_state *s, number v, int *sure) {
    const number magic = HISTOGRAM_MAGIC;
    const sink_int zero = (sink_int)wedge_number_bits(magic) - 1, last = zero + (sink_int)HISTOGRAM_BINS + 1;
#ifdef HISTOGRAM_LOG
    const number f = wedge_fused(wedge_log2_near(v), s->scale, s->shift);
#else
    const number f = wedge_fused(v, s->scale, s->shift);
#endif
    const number t = f + magic, off = f - (t - magic);
    sink_int bits = (sink_int)wedge_number_bits(t);
    *sure &= fabs(off) <= s->safe;
    bits = bits < last ? bits : last;
    return (wedge_u32)((bits > zero ? bits : zero) - zero);
}

WEDGE_FN int sink_take(sink_state *s, sink_leaf *l, const number *v, wedge_u32 c) {
#ifdef HISTOGRAM_NO_GUESS
    return 0;
#else
    wedge_u32 counter[GROUP];
    int sure = 1;
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) counter[k] = sink_guess(s, v[k], &sure);
    if (!sure) return 0;
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) sink_increment(s, counter[k]);
    return 1;
#endif
}

WEDGE_FN wedge_u32 sink_by_halves(const sink_state *s, number v) {
    wedge_u32 low = 0, high = HISTOGRAM_BINS;
    if (v != v) return HISTOGRAM_BINS + 2u;
    if (v < s->edge[0]) return 0u;
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

WEDGE_FN void sink_take_exact(sink_state *s, number v) {
#ifdef HISTOGRAM_NO_GUESS
    sink_increment(s, sink_by_halves(s, v));
#else
    int sure = 1;
    wedge_u32 counter = sink_guess(s, v, &sure); /* of a group most are not in doubt */
    if (!sure) counter = sink_by_halves(s, v);
    sink_increment(s, counter);
#endif
}

WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_place at, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    return 1;
}

WEDGE_FN void sink_leaf_exact(sink_state *s, leaf_place at, leaf_values values, WEDGE_GLOBAL sink_slot *slots,
                              pairs_args A) {
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c)
        if (at.inside >> c & 1u) sink_take_exact(s, values[c]);
}

WEDGE_FN void sink_close(sink_state *s, WEDGE_NEAR wedge_u64 *room, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
#ifndef HISTOGRAM_GLOBAL
    WEDGE_NEAR wedge_u32 *all = (WEDGE_NEAR wedge_u32 *)room;
    wedge_barrier();
    for (wedge_u32 k = THREAD; k < COUNTERS; k += THREADS) {
        wedge_u32 sum = 0;
        for (wedge_u32 t = 0; t < SETS; ++t) sum += all[k * SETS + (t + k) % SETS];
        slots[wedge_group_id(0)].count[k] += sum;
    }
#endif
}
#endif
