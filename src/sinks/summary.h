/* summary: the sum of all values, the smallest and the largest with their cells.
 *
 * A leaf is added up in a fixed order, the one place where rounding happens: on devices in four sums, of the cells 0, 4,
 * 8 ..., 1, 5, 9 ... and so on, then (0 + 1) + (2 + 3); on the cpu by halves, cell c and c + 16, then c + 8, c + 4, c + 2,
 * c + 1. Leaves go into digits (digits.h), which are exact. Of equal extremes the cell that comes first in order of position
 * counts. NaN is counted, and is neither smallest nor largest.
 *
 * SPDX-License-Identifier: MIT */
typedef struct {
    wedge_u64 some;        /* 0: none yet */
    wedge_u64 bits;        /* of the value, a float or a double */
    wedge_u64 row, column; /* the caller's */
} sink_extreme;

#define MERGE_WORDS 72u /* of a slot, at least: digits, and the next three */
#define MERGE_PARTS 8u

typedef struct {
    wedge_i64 digit[DIGITS];
    wedge_u64 nan, above, below; /* values that are NaN, infinite, minus infinite */
    sink_extreme least, most;
} sink_slot;

#if defined(SINK_HOST_HALF) || defined(WEDGE_NATIVE)
typedef struct {
    bool extremes; /* the smallest and the largest are wanted */
} summary_own;
#endif

#if defined(SINK_HOST_HALF)
#elif defined(WEDGE_NATIVE)
WEDGE_FN bool wants_extremes(const native_sink *k) { return ((const summary_own *)k->own)->extremes; }

WEDGE_FN int sink_before(sink_extreme a, sink_extreme b) {
    return a.row < b.row || (a.row == b.row && a.column < b.column);
}

/* Cells one by one: a leaf that is not whole, or not finite, or has a new extreme. */
static __attribute__((noinline)) void keep_extremes(sink_slot *s, const number *v, native_leaf at) {
    for (uint32_t c = 0; c < 32; ++c) {
        if (!(at.inside >> c & 1u) || v[c] != v[c]) continue;
        sink_extreme x = {1, sink_bits(v[c]), at.row, at.column + c};
        if (!s->least.some || v[c] < sink_number(s->least.bits) ||
            (v[c] == sink_number(s->least.bits) && sink_before(x, s->least)))
            s->least = x;
        if (!s->most.some || v[c] > sink_number(s->most.bits) ||
            (v[c] == sink_number(s->most.bits) && sink_before(x, s->most)))
            s->most = x;
    }
}

static __attribute__((noinline)) void add_one_by_one(sink_slot *s, const number *v, uint32_t inside) {
    for (int c = 0; c < 32; ++c) {
        if (!(inside >> c & 1u)) continue;
        if (v[c] != v[c])
            ++s->nan;
        else if (v[c] - v[c] == 0)
            sink_digits_put(s->digit, v[c]);
        else if (v[c] > 0)
            ++s->above;
        else
            ++s->below;
    }
}

/* Adds the sum of a leaf, of which cells outside are 0; false where it is not finite, and its cells were added. */
static __attribute__((noinline)) bool add_leaf(sink_slot *s, number sum, const number *v, uint32_t inside) {
    const bool finite = sum - sum == 0;
    if (finite)
        sink_digits_put(s->digit, sum);
    else
        add_one_by_one(s, v, inside);
    return finite;
}

/* By halves, until four are left: cell c and c + 16, then c + 8, c + 4. */
WEDGE_OP quad four_of_leaf(const number *v) {
    return ((quad_at(v) + quad_at(v + 16)) + (quad_at(v + 8) + quad_at(v + 24))) +
           ((quad_at(v + 4) + quad_at(v + 20)) + (quad_at(v + 12) + quad_at(v + 28)));
}

WEDGE_FN void sink_leaf_native(const native_sink *k, const number *v, native_leaf at) {
    number held[32];
    for (int c = 0; c < 32; ++c) held[c] = at.inside >> c & 1u ? v[c] : 0;
    const quad t = four_of_leaf(held);
    add_leaf(k->slot, (t[0] + t[2]) + (t[1] + t[3]), v, at.inside);
    if (wants_extremes(k)) keep_extremes(k->slot, v, at);
}

/* ---- Whole leaves, four at a time ---- */

/* The sums of `leaves` leaves, at most four; 0 for the others. The last halves: c and c + 2, of two leaves at a time, then
 * c and c + 1 of all. */
WEDGE_OP quad sums_of_leaves(const number *v, uint64_t leaves) {
    quad x[4];
    for (uint64_t l = 0; l < 4; ++l) x[l] = l < leaves ? four_of_leaf(v + 32 * l) : (quad){0};
    const quad a = QUAD_OF(x[0], x[1], 0, 1, 4, 5) + QUAD_OF(x[0], x[1], 2, 3, 6, 7);
    const quad b = QUAD_OF(x[2], x[3], 0, 1, 4, 5) + QUAD_OF(x[2], x[3], 2, 3, 6, 7);
    return QUAD_OF(a, b, 0, 2, 4, 6) + QUAD_OF(a, b, 1, 3, 5, 7);
}

/* Sums of leaves of about the same size are added up as integers, 2^-k each: exact as digits are, and a fraction of the
 * work. scale = 2^k. */
typedef struct {
    number scale;
    int64_t sum;
} sink_window;

#if NATIVE_F64 /* doubles have too many bits for that */
WEDGE_FN sink_window window_for(number x) { return (sink_window){x, 0}; }
WEDGE_OP bool window_add(sink_window *w, const quad *sums) { return false; }
WEDGE_FN void window_close(const sink_window *w, sink_slot *s) {}
#else
/* Such that x becomes about 2^36. k is 0 to 127: no product is too small for a float. */
WEDGE_FN sink_window window_for(number x) {
    const int k = 127 + 36 - (int)(sink_bits(x) >> 23 & 255u);
    return (sink_window){sink_number((uint64_t)(127 + (k < 0 ? 0 : k > 127 ? 127 : k)) << 23), 0};
}

/* False where one is too large, or so small that it may have a fraction, and none was added. 2^13 leaves fit: more than a row
 * of a unit has. */
WEDGE_OP bool window_add(sink_window *w, const quad *sums) {
    const quad x = *sums * w->scale, size = (quad)((quad_bits)x & INT32_MAX);
    if (!quad_all((size < 0x1p50f) & ((size >= 0x1p23f) | (size == 0)))) return false;
    for (int l = 0; l < 4; ++l) w->sum += (int64_t)x[l];
    return true;
}

WEDGE_FN void window_close(const sink_window *w, sink_slot *s) {
    const uint64_t size = (uint64_t)(w->sum < 0 ? -w->sum : w->sum);
    const uint32_t shift = 1088u + 127u - (uint32_t)(sink_bits(w->scale) >> 23);
    digits_put(s->digit, 0, size & 0xffffffffu, shift, w->sum < 0);
    digits_put(s->digit, 0, size >> 32, shift + 32u, w->sum < 0);
}
#endif

/* Does some cell pass the extremes so far, or equal one that lies behind it? A NaN is left out, unless it comes first, and shows
 * in the sum. `first`: the first cell's place. */
WEDGE_FN bool passes_extremes(const sink_slot *s, const number *v, uint64_t count, sink_extreme first) {
    real least = real_at(v), most = least;
    for (uint64_t c = LANES; c < count; c += LANES) {
        least = sink_smaller(real_at(v + c), least);
        most = sink_larger(real_at(v + c), most);
    }
    if (!s->least.some) return true;
    const number low = sink_number(s->least.bits), high = sink_number(s->most.bits);
    if (lanes_bits((least < low) | (most > high))) return true;
    return (sink_before(first, s->least) && lanes_bits(least == low)) ||
           (sink_before(first, s->most) && lanes_bits(most == high));
}

#define SINK_TAKES_LEAVES 1
WEDGE_FN void sink_leaves_native(const native_sink *k, const number *v, native_leaf at, uint64_t leaves) {
    sink_slot *s = k->slot;
    bool look =
        wants_extremes(k) && passes_extremes(s, v, 32 * leaves, (sink_extreme){.row = at.row, .column = at.column});
    sink_window w = {0, 0};
    for (uint64_t first = 0; first < leaves; first += 4) {
        const uint64_t some = leaves - first < 4 ? leaves - first : 4;
        const quad sums = sums_of_leaves(v + 32 * first, some);
        if (!first) w = window_for(sums[0]);
        if (window_add(&w, &sums)) continue;
        for (uint64_t l = 0; l < some; ++l)
            look |= !add_leaf(s, sums[l], v + 32 * (first + l), UINT32_MAX) && wants_extremes(k);
    }
    window_close(&w, s);
    for (uint64_t l = 0; l < leaves && look; ++l, at.column += 32) keep_extremes(s, v + 32 * l, at);
}
#else

#if PAIRS_F64
#define DIGITS_FIRST 0u
#define DIGITS_USED DIGITS
#else
#define DIGITS_FIRST ((wedge_u32)DIGITS_F32_FIRST)
#define DIGITS_USED DIGITS_F32
#endif
#define SINK_SEES QUICK
#define SINK_SHARED_WORDS (2u * THREADS)
#ifndef SINK_EXTREMES
#define SINK_EXTREMES 1
#endif
#if !SINK_EXTREMES
#define SINK_TAKES_ZEROS 1 /* they add nothing */
#endif
#if SINK_EXTREMES || defined(OP_QUICK_FROM)
#define SINK_LEAST 1 /* to know whether all values were exact, too */
#else
#define SINK_LEAST 0
#endif

typedef struct {
    number value; /* NaN: none yet */
    wedge_u32 i, j;
} sink_best;

typedef struct {
    wedge_i64 digit[DIGITS_USED];
    wedge_u32 nan, above, below;
    sink_best least, most;
#if !PAIRS_F64
    /* Leaves of about the same size as the first one are added up as integers, 2^-scale each, in one register, and go into
     * the digits together: exact as well, and a fraction of the work. Those of either sign, from 2^-36 to 2^36 times its
     * size, in two: of 2^24 as much, and of 2^-24. */
    wedge_i64 window, upper, lower;
    wedge_u32 in_window;
    float scale, window_from, window_to; /* leaves in [from, to) */
#endif
} sink_state;

typedef struct {
    number sum[4], least, most;
} sink_leaf;

WEDGE_FN sink_state sink_open(WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL const number *limits,
                              WEDGE_GLOBAL sink_slot *slots) {
    sink_state s;
    for (int k = 0; k < DIGITS_USED; ++k) s.digit[k] = 0;
    s.nan = s.above = s.below = 0;
    s.least.value = s.most.value = wedge_infinity() - wedge_infinity();
    s.least.i = s.least.j = s.most.i = s.most.j = 0;
#if !PAIRS_F64
    s.window = s.upper = s.lower = 0;
    s.in_window = 0;
    s.scale = s.window_from = s.window_to = 0;
#endif
    return s;
}

WEDGE_FN sink_leaf sink_leaf_begin(void) {
    sink_leaf l;
    l.sum[0] = l.sum[1] = l.sum[2] = l.sum[3] = 0;
    l.least = wedge_infinity();
    l.most = -wedge_infinity();
    return l;
}

WEDGE_FN int sink_take(sink_state *s, sink_leaf *l, const number *v, wedge_u32 c) {
#pragma unroll
    for (wedge_u32 k = 0; k < GROUP; ++k) {
        l->sum[k % 4u] += v[k];
#if SINK_LEAST
        l->least = fmin(v[k], l->least); /* a NaN is left out, */
#endif
#if SINK_EXTREMES
        l->most = fmax(v[k], l->most);   /* and shows in the sum */
#endif
    }
    return 1;
}

WEDGE_FN void sink_take_exact(sink_state *s, number v) {}

/* Is cell (i, j) before that of b in order of position? */
WEDGE_FN int sink_is_before(wedge_u32 i, wedge_u32 j, sink_best b) {
    return DOMAIN_BACKWARDS ? i > b.i || (i == b.i && j > b.j) : i < b.i || (i == b.i && j < b.j);
}

WEDGE_FN void sink_add(sink_state *s, number x) {
#if PAIRS_F64
    digits_put_f64_bits(s->digit, DIGITS_FIRST, wedge_double_bits(x));
#else
    digits_put_f32(s->digit, DIGITS_FIRST, x);
#endif
}

#if !PAIRS_F64
/* An integer into the digits, by halves of 32 bits. */
WEDGE_FN void sink_put_integer(sink_state *s, wedge_i64 x, wedge_u32 shift) {
    const wedge_u64 size = (wedge_u64)(x < 0 ? -x : x);
    if (size) {
        digits_put(s->digit, DIGITS_FIRST, size & 0xffffffffu, shift, x < 0);
        digits_put(s->digit, DIGITS_FIRST, size >> 32, shift + 32u, x < 0);
    }
}

/* The window's integers into the digits. scale = 2^k, k from its exponent. */
WEDGE_FN void sink_empty_window(sink_state *s) {
    const wedge_u32 shift = 1088u + 127u - (wedge_float_bits(s->scale) >> 23);
    sink_put_integer(s, s->window, shift);
    sink_put_integer(s, s->upper, shift + 24u);
    sink_put_integer(s, s->lower, shift - 24u);
    s->window = s->upper = s->lower = 0;
    s->in_window = 0;
}

/* A leaf of either sign, in two parts: whole multiples of 2^24, and what is left of it, whose last bit is 2^-24 or more. */
WEDGE_FN void sink_add_parts(sink_state *s, float sum) {
    const float scaled = sum * (s->scale * 0x1p-24f), whole = trunc(scaled);
    s->upper += (wedge_i64)whole;
    s->lower += (wedge_i64)((scaled - whole) * 0x1p48f);
}

/* A window for leaves from 2^-12 to 2^12 times this one: their last bits are 2^-35 of it or more, so its integers have up to
 * 48 bits, and 2^14 of them fit. Not for the smallest and largest floats. */
WEDGE_FN void sink_set_window(sink_state *s, float x) {
    const wedge_u32 e = wedge_float_bits(x) >> 23 & 255u;
    sink_empty_window(s);
    if (e < 60u || e > 190u) return;
    s->scale = wedge_bits_float((127u + 127u + 35u - e) << 23);
    s->window_from = wedge_bits_float((e - 12u) << 23);
    s->window_to = wedge_bits_float((e + 12u) << 23);
}
#endif

/* Adds the sum of a leaf; 0 where it is not finite, and nothing was added. */
WEDGE_FN int sink_add_leaf(sink_state *s, number sum) {
#if !PAIRS_F64
    if (sum >= s->window_from && sum < s->window_to) {
        s->window += (wedge_i64)(sum * s->scale);
        if (++s->in_window >> 14) sink_empty_window(s);
        return 1;
    }
#endif
#if !PAIRS_F64
    const float size = fabs(sum);
    if (size >= s->window_from * 0x1p-24f && size < s->window_to * 0x1p24f) {
        sink_add_parts(s, sum);
        if (++s->in_window >> 14) sink_empty_window(s);
        return 1;
    }
#endif
    if (!(sum - sum == 0)) return 0;
    sink_add(s, sum);
#if !PAIRS_F64
    if (size > 0) sink_set_window(s, size);
#endif
    return 1;
}

/* Done where all values were exact, their sum is finite, and none is a new extreme. */
WEDGE_FN int sink_leaf_end(sink_state *s, sink_leaf *l, leaf_cells at, WEDGE_GLOBAL sink_slot *slots, pairs_args args) {
    const number sum = (l->sum[0] + l->sum[1]) + (l->sum[2] + l->sum[3]);
#if SINK_EXTREMES
    if (!(l->least > s->least.value && l->most < s->most.value)) return 0;
#endif
#if SINK_LEAST
    if (!(l->least >= CELLS_EXACT_FROM)) return 0;
#endif
    return sink_add_leaf(s, sum);
}

WEDGE_FN void sink_keep_extremes(sink_state *s, wedge_u32 i, wedge_u32 j, number v) {
    if (v != v) return;
    if (!(v >= s->least.value) || (v == s->least.value && sink_is_before(i, j, s->least)))
        s->least.value = v, s->least.i = i, s->least.j = j;
    if (!(v <= s->most.value) || (v == s->most.value && sink_is_before(i, j, s->most)))
        s->most.value = v, s->most.i = i, s->most.j = j;
}

WEDGE_FN void sink_add_one_by_one(sink_state *s, leaf_cells at, leaf_values values) {
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c) {
        const number v = values[c];
        if (!(at.inside >> c & 1u)) continue;
        if (v - v == 0)
            sink_add(s, v);
        else if (v != v)
            ++s->nan;
        else if (v > 0)
            ++s->above;
        else
            ++s->below;
    }
}

WEDGE_FN void sink_leaf_exact(sink_state *s, leaf_cells at, leaf_values values, WEDGE_GLOBAL sink_slot *slots,
                              pairs_args args) {
    number sum[4];
    sum[0] = sum[1] = sum[2] = sum[3] = 0;
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += 4u)
#pragma unroll
        for (wedge_u32 k = 0; k < 4u; ++k) {
            if (!(at.inside >> (c + k) & 1u)) continue;
            sum[k] += values[c + k];
            if (SINK_EXTREMES) sink_keep_extremes(s, at.i, at.j + c + k, values[c + k]);
        }
    if (!sink_add_leaf(s, (sum[0] + sum[1]) + (sum[2] + sum[3]))) sink_add_one_by_one(s, at, values);
}

/* The best of the block's threads and the slot. `sign` is 1 for the smallest, -1 for the largest. */
WEDGE_FN void sink_close_best(sink_best b, number sign, WEDGE_IN_SHARED wedge_u64 *shared_words,
                              WEDGE_GLOBAL sink_extreme *slot, pairs_args args) {
    shared_words[THREAD] = wedge_number_bits(b.value);
    shared_words[THREADS + THREAD] = (wedge_u64)b.i << 32 | b.j;
    wedge_barrier();
    if (THREAD == 0u) {
        for (wedge_u32 t = 1; t < THREADS; ++t) {
            sink_best other;
            other.value = wedge_bits_number(shared_words[t]);
            other.i = (wedge_u32)(shared_words[THREADS + t] >> 32);
            other.j = (wedge_u32)shared_words[THREADS + t];
            if (other.value != other.value) continue;
            if (b.value != b.value || sign * other.value < sign * b.value ||
                (other.value == b.value && sink_is_before(other.i, other.j, b)))
                b = other;
        }
        if (b.value == b.value) {
            const wedge_u64 row = cell_row(args, b.i), column = cell_column(args, b.j);
            const number old = wedge_bits_number(slot->bits);
            if (!slot->some || sign * b.value < sign * old ||
                (b.value == old && (row < slot->row || (row == slot->row && column < slot->column)))) {
                slot->some = 1;
                slot->bits = wedge_number_bits(b.value);
                slot->row = row;
                slot->column = column;
            }
        }
    }
    wedge_barrier();
}

/* Adds a number of every thread to one of the slot. */
WEDGE_FN void sink_close_sum(wedge_i64 x, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL wedge_i64 *to) {
    shared_words[THREAD] = (wedge_u64)x;
    wedge_barrier();
    if (THREAD < LANES) { /* 32 threads add up the others', and one these */
        wedge_i64 sum = 0;
        for (wedge_u32 t = THREAD; t < THREADS; t += LANES) sum += (wedge_i64)shared_words[t];
        shared_words[THREAD] = (wedge_u64)sum;
    }
    wedge_barrier();
    if (THREAD == 0u) {
        wedge_i64 sum = 0;
#pragma unroll
        for (wedge_u32 t = 0; t < LANES; ++t) sum += (wedge_i64)shared_words[t];
        *to += sum;
    }
    wedge_barrier();
}

WEDGE_FN void sink_close(sink_state *s, WEDGE_IN_SHARED wedge_u64 *shared_words, WEDGE_GLOBAL sink_slot *slots,
                         pairs_args args) {
    WEDGE_GLOBAL sink_slot *slot = slots + wedge_group_id(0);
#if !PAIRS_F64
    if (s->in_window) sink_empty_window(s);
#endif
    for (int k = 0; k < DIGITS_USED; ++k)
        sink_close_sum(s->digit[k], shared_words, &slot->digit[k + (int)DIGITS_FIRST]);
    sink_close_sum((wedge_i64)s->nan, shared_words, (WEDGE_GLOBAL wedge_i64 *)&slot->nan);
    sink_close_sum((wedge_i64)s->above, shared_words, (WEDGE_GLOBAL wedge_i64 *)&slot->above);
    sink_close_sum((wedge_i64)s->below, shared_words, (WEDGE_GLOBAL wedge_i64 *)&slot->below);
#if SINK_EXTREMES
    sink_close_best(s->least, (number)1, shared_words, &slot->least, args);
    sink_close_best(s->most, (number)-1, shared_words, &slot->most, args);
#endif
}

#if !SINK_EXTREMES
/* Adds all slots to the first, as integers: one of them is soon read. */
WEDGE_KERNEL WEDGE_BLOCK(MERGE_WORDS, MERGE_PARTS, 1) void sink_merge(WEDGE_GLOBAL sink_slot *slots, wedge_u32 count) {
    WEDGE_SHARED wedge_i64 part[MERGE_PARTS][MERGE_WORDS];
    const wedge_u32 word = wedge_local_id(0), own = wedge_local_id(1), words = (wedge_u32)(sizeof(sink_slot) / 8u);
    WEDGE_GLOBAL wedge_i64 *all = (WEDGE_GLOBAL wedge_i64 *)slots;
    wedge_i64 sum = 0;
    if (word < DIGITS + 3u)
        for (wedge_u32 k = own; k < count; k += MERGE_PARTS) sum += all[(wedge_u64)k * words + word];
    part[own][word] = sum;
    wedge_barrier();
    if (own == 0u && word < DIGITS + 3u) {
        for (wedge_u32 k = 1; k < MERGE_PARTS; ++k) sum += part[k][word];
        all[word] = sum;
    }
}
#endif
#endif
