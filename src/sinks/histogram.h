/* histogram: how many values lie in each bin [edge, next edge), the last one closed, as numpy.histogram counts them.
 *
 * Counter 0 is for values below the first edge, then come the bins, then values above the last edge, then NaN.
 *
 * limits: scale, shift and doubt, then the edges. Where edges are evenly spaced, the bin of v is v * scale + shift, rounded
 * to the nearest integer, unless that is close to the middle between two, an edge: `doubt` for each unit in the last place
 * that may be wrong. Such values are compared with the edges themselves, so for the guess a value that is only nearly right
 * will do. Where the logarithms of the edges are evenly spaced, log2 v takes the place of v. Where neither holds, nothing is
 * guessed. Rounding is done by adding and subtracting a number so large that no fraction is left.
 *
 * The cpu finds what is not guessed, or in doubt, by a table (bin_table.h).
 *
 * SPDX-License-Identifier: MIT */
#define HISTOGRAM_HEAD 3
#define HISTOGRAM_RING 4 /* on the cpu: leaves that are guessed before they are counted */

#if defined(SINK_HOST_HALF) || defined(WEDGE_NATIVE)
/* How the bin of a value is guessed: edges are evenly spaced, or their logarithms are. */
typedef enum { GUESS_NONE, GUESS_EVEN, GUESS_LOG } bin_guess;

typedef struct {
    uint32_t bins;
    bin_guess guess; /* on the cpu */
    bin_table table;
} histogram_own;
#endif

#if defined(SINK_HOST_HALF)
#elif defined(WEDGE_NATIVE)
typedef uint32_t sink_slot; /* NATIVE_SETS sets of counters, up to a line, then the ring */

WEDGE_FN const histogram_own *own_of(const native_sink *k) { return k->own; }

#define HISTOGRAM_LARGE wedge_real(NATIVE_F64 ? (number)0x1.8p52 : (number)0x1.8p23)

/* log2 x of x > 0, not a small one, wrong by up to 2^-21: the exponent, and a polynomial of the rest, which lies between the
 * roots of 1/2 and 2. */
WEDGE_OP real log2_near(real x) {
    const number_bits half = (number_bits)(NATIVE_F64 ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
    const int mantissa = NATIVE_F64 ? 52 : 23;
    const lanes exponent = ((lanes)x - half) & -((number_bits)1 << mantissa);
    const real t = (real)((lanes)x - exponent) - 1;
    const real whole = (real)((lanes)HISTOGRAM_LARGE + (exponent >> mantissa)) - HISTOGRAM_LARGE;
    real p = wedge_fused(wedge_real((number)0.17063452), t, wedge_real((number)-0.27269801));
    p = wedge_fused(p, t, wedge_real((number)0.29726261));
    p = wedge_fused(p, t, wedge_real((number)-0.35896185));
    p = wedge_fused(p, t, wedge_real((number)0.48046502));
    p = wedge_fused(p, t, wedge_real((number)-0.72137588));
    p = wedge_fused(p, t, wedge_real((number)1.4426997));
    return wedge_fused(p, t, whole);
}

/* Guesses the counters of LANES values; which of them are in doubt? NaN always is. By logarithms a value that is infinite
 * is as well, and one below the smallest normal number counts as that: the edges are above it. */
WEDGE_OP lanes guess_counters(const native_sink *k, const number *v, number_bits *counter, const bool by_logs) {
    const number *limits = k->limits, least = NATIVE_F64 ? (number)0x1p-1022 : (number)0x1p-126;
    const real safe = wedge_real((number)0.5 - 8 * limits[2]), x = real_at(v);
    real f = by_logs ? log2_near(sink_larger(x, wedge_real(least))) : x;
    f = wedge_fused(f, wedge_real(limits[0]), wedge_real(limits[1]));
    f = sink_larger(wedge_real(-1), sink_smaller(wedge_real((number)own_of(k)->bins), f));
    const real t = f + HISTOGRAM_LARGE, off = wedge_abs(f - (t - HISTOGRAM_LARGE));
    const lanes found = (lanes)t - (lanes)HISTOGRAM_LARGE + 1;
    memcpy(counter, &found, sizeof found);
    return by_logs ? ~((off <= safe) & (x - x == 0)) : ~(off <= safe);
}

/* The cells of LANES values, as bin_table.c computes them. */
WEDGE_OP void cells_at(const bin_table *t, const number *v, number_bits *cell, const bool by_bits) {
    real x = real_at(v);
    if (by_bits) x = __builtin_convertvector((lanes)sink_larger(x, wedge_real(0)), real);
    const real at = sink_larger((x - wedge_real((number)t->low)) * wedge_real((number)t->scale), wedge_real(0));
    const lanes found = __builtin_convertvector(sink_smaller(at, wedge_real((number)(t->cells - 1))), lanes);
    memcpy(cell, &found, sizeof found);
}

/* The counters of a leaf, by the table. */
static __attribute__((noinline)) void counters_by_table(const native_sink *k, const number *v, number_bits *counter) {
    const bin_table *t = &own_of(k)->table;
    const number *edge = t->edge;
    const number_bits nan = (number_bits)own_of(k)->bins + 2;
    for (size_t c = 0; c < 32; c += LANES)
        if (t->by_bits)
            cells_at(t, v + c, counter + c, true);
        else
            cells_at(t, v + c, counter + c, false);
    for (size_t c = 0; c < 32; ++c) {
        uint32_t found = t->before[counter[c]];
        for (uint32_t half = (1u << t->halvings) / 2; half; half /= 2)
            found += v[c] >= edge[found + half - 1] ? half : 0;
        counter[c] = v[c] == v[c] ? (number_bits)found : nan;
    }
}

/* The counters of a leaf: guessed, and all of them by the table where one is in doubt. */
WEDGE_OP void counters_of_leaf(const native_sink *k, const number *v, number_bits *counter, const bin_guess by) {
    lanes doubt = {0};
    for (size_t c = 0; c < 32 && by != GUESS_NONE; c += LANES)
        doubt |= guess_counters(k, v + c, counter + c, by == GUESS_LOG);
    if (by == GUESS_NONE || lanes_bits(doubt)) counters_by_table(k, v, counter);
}

WEDGE_FN void sink_leaf_native(const native_sink *k, const number *v, native_leaf at) {
    sink_slot *count = k->slot;
    number_bits counter[32];
    if (own_of(k)->guess == GUESS_NONE)
        counters_of_leaf(k, v, counter, GUESS_NONE);
    else if (own_of(k)->guess == GUESS_LOG)
        counters_of_leaf(k, v, counter, GUESS_LOG);
    else
        counters_of_leaf(k, v, counter, GUESS_EVEN);
    for (int c = 0; c < 32; ++c)
        if (at.inside >> c & 1u) ++count[counter[c]];
}

/* Neighbours often fall into one bin, and a counter must not wait for its own last store: they use sets in turn. Guesses are
 * stored as vectors and loaded one by one, which must wait until the vector has left for the cache, behind all counters before
 * it: so a leaf is guessed some leaves before it is counted. The ring of guesses lies beside the counters, since processors take
 * addresses for equal that differ by a multiple of 4 KB, and on the stack it could be such. */
WEDGE_OP void count_leaves(const native_sink *k, const number *v, uint64_t leaves, const bin_guess by) {
    sink_slot *count = k->slot;
    const size_t counters = own_of(k)->bins + 3;
    number_bits(*ring)[32] = (number_bits(*)[32])(void *)(count + (NATIVE_SETS * counters + 15) / 16 * 16);
    for (uint64_t l = 0; l < leaves + HISTOGRAM_RING - 1; ++l) {
        if (l < leaves) counters_of_leaf(k, v + 32 * l, ring[l % HISTOGRAM_RING], by);
        if (l < HISTOGRAM_RING - 1) continue;
        const number_bits *counter = ring[(l + 1) % HISTOGRAM_RING]; /* of leaf l - (HISTOGRAM_RING - 1) */
#pragma GCC unroll 32
        for (size_t c = 0; c < 32; ++c) ++count[c % NATIVE_SETS * counters + (uint32_t)counter[c]];
    }
}

#define SINK_TAKES_LEAVES 1
WEDGE_FN void sink_leaves_native(const native_sink *k, const number *v, native_leaf at, uint64_t leaves) {
    if (own_of(k)->guess == GUESS_EVEN)
        count_leaves(k, v, leaves, GUESS_EVEN);
    else if (own_of(k)->guess == GUESS_LOG)
        count_leaves(k, v, leaves, GUESS_LOG);
    else
        count_leaves(k, v, leaves, GUESS_NONE);
}
#else

/* Few bins are counted in shared memory: of few features every thread has counters of its own, side by side with its
 * neighbours', since atomics wait for each other where threads meet in one bin; of many features, which leave less room and
 * more time, a block has one set. Many bins (HISTOGRAM_GLOBAL) are counted in global memory, one set for all. */
#define COUNTERS (HISTOGRAM_BINS + 3u)
#define SINK_SEES APPROX
#ifdef HISTOGRAM_GLOBAL
#define SINK_SHARED_WORDS 1u
typedef WEDGE_GLOBAL wedge_u32 *sink_counters;
typedef WEDGE_GLOBAL const number *sink_edges;
#else
#define SETS (PAIRS_D ? THREADS : 1u)
#define COUNTER_WORDS ((COUNTERS * SETS + 1u) / 2u)
#define SINK_SHARED_WORDS (COUNTER_WORDS + ((HISTOGRAM_BINS + 1u) * (wedge_u32)sizeof(number) + 7u) / 8u)
typedef WEDGE_IN_SHARED wedge_u32 *sink_counters;
typedef WEDGE_IN_SHARED const number *sink_edges;
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

WEDGE_FN sink_state sink_open(WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL const number *limits,
                              WEDGE_GLOBAL sink_slot *slots) {
    sink_state s;
    s.scale = limits[0];
    s.shift = limits[1];
    s.safe = (number)0.5 - limits[2] * CELLS_NEAR_UNITS;
#ifdef HISTOGRAM_GLOBAL
    s.count = slots[0].count;
    s.edge = limits + HISTOGRAM_HEAD;
#else
    WEDGE_IN_SHARED number *edge = (WEDGE_IN_SHARED number *)(shared_words + COUNTER_WORDS);
    s.count = (WEDGE_IN_SHARED wedge_u32 *)shared_words;
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
    wedge_shared_increment(s->count + counter * SETS);
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
    const number f = wedge_fused(wedge_log2_approx(v), s->scale, s->shift);
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

WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_cells at, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    return 1;
}

WEDGE_FN void sink_leaf_exact(sink_state *s, leaf_cells at, leaf_values values, WEDGE_GLOBAL sink_slot *slots,
                              pairs_args args) {
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c)
        if (at.inside >> c & 1u) sink_take_exact(s, values[c]);
}

WEDGE_FN void sink_close(sink_state *s, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL sink_slot *slots,
                         pairs_args args) {
#ifndef HISTOGRAM_GLOBAL
    WEDGE_IN_SHARED wedge_u32 *all = (WEDGE_IN_SHARED wedge_u32 *)shared_words;
    wedge_barrier();
    for (wedge_u32 k = THREAD; k < COUNTERS; k += THREADS) {
        wedge_u32 sum = 0;
        for (wedge_u32 t = 0; t < SETS; ++t) sum += all[k * SETS + (t + k) % SETS];
        slots[wedge_group_id(0)].count[k] += sum;
    }
#endif
}
#endif
