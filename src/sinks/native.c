/* native.c: one sink for the cpu. The build compiles this file for every sink, kind of number and instruction set.
 *
 * SINK is the sink's name, SINK_FILE its file; NATIVE_F64 the kind of number; ISA the set.
 *
 * SPDX-License-Identifier: MIT */
#include "ops/native.h"

#include <stdbool.h>

#include "sinks/bin_table.h"
#include "sinks/digits.h"
#include "sinks/sinks.h"

/* A leaf: columns [column, column + 32) of which bit c of inside says whether column + c counts. */
typedef struct {
    uint64_t row, column;
    uint32_t inside;
} native_leaf;

WEDGE_FN uint64_t sink_bits(number x) {
#if NATIVE_F64
    uint64_t bits;
#else
    uint32_t bits;
#endif
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

WEDGE_FN number sink_number(uint64_t bits) {
#if NATIVE_F64
    uint64_t own = bits;
#else
    uint32_t own = (uint32_t)bits;
#endif
    number x;
    memcpy(&x, &own, sizeof x);
    return x;
}

/* ---- Vectors: of the machine's width, and of four numbers ---- */

typedef number quad __attribute__((vector_size(4 * sizeof(number))));
typedef number_bits quad_bits __attribute__((vector_size(4 * sizeof(number))));

/* Numbers of two quads, by their places in both together. */
#ifdef __clang__
#define QUAD_OF(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define QUAD_OF(a, b, i, j, k, l) __builtin_shuffle(a, b, (quad_bits){i, j, k, l})
#endif

WEDGE_OP quad quad_at(const number *v) {
    quad x;
    memcpy(&x, v, sizeof x);
    return x;
}

WEDGE_OP real real_at(const number *v) {
    real x;
    memcpy(&x, v, sizeof x);
    return x;
}

#if defined(VECTOR_)
#define SINK_VECTOR(name) VECTOR(name)
#elif defined(__SSE2__) && NATIVE_F64
#define SINK_VECTOR(name) _mm_##name##_pd
#elif defined(__SSE2__)
#define SINK_VECTOR(name) _mm_##name##_ps
#endif

/* a where it is smaller, or larger, else b. */
WEDGE_OP real sink_smaller(real a, real b) {
#ifdef SINK_VECTOR
    return SINK_VECTOR(min)(a, b);
#else
    return wedge_pick(a < b, a, b);
#endif
}

WEDGE_OP real sink_larger(real a, real b) {
#ifdef SINK_VECTOR
    return SINK_VECTOR(max)(a, b);
#else
    return wedge_pick(a > b, a, b);
#endif
}

/* The lanes in which a comparison holds, lane l as bit l. */
WEDGE_OP uint32_t lanes_bits(lanes holds) {
#if defined(__AVX512F__) && NATIVE_F64
    return _mm512_test_epi64_mask((__m512i)holds, (__m512i)holds);
#elif defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)holds, (__m512i)holds);
#elif defined(SINK_VECTOR)
    return (uint32_t)SINK_VECTOR(movemask)((real)holds);
#else
    uint32_t bits = 0;
    for (size_t l = 0; l < LANES; ++l) bits |= (uint32_t)(holds[l] & 1) << l;
    return bits;
#endif
}

WEDGE_OP bool quad_all(quad_bits holds) { return holds[0] & holds[1] & holds[2] & holds[3] & 1; }

WEDGE_FN void sink_digits_put(wedge_i64 *digits, number x) {
#if NATIVE_F64
    digits_put_f64_bits(digits, 0, sink_bits(x));
#else
    digits_put_f32(digits, 0, x);
#endif
}

#include SINK_FILE

/* Whole leaves side by side, which a sink may take together. */
#ifndef SINK_TAKES_LEAVES
WEDGE_FN void sink_leaves_native(const native_sink *k, const number *v, native_leaf at, uint64_t leaves) {
    for (; leaves; --leaves, v += LEAF, at.column += LEAF) sink_leaf_native(k, v, at);
}
#endif

#define JOIN_(a, b, c, d) a##_##b##_##c##_##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)

static uint32_t bits_between(uint64_t first, uint64_t end) { /* of 32, both at most 32 */
    return (uint32_t)((UINT64_C(1) << end) - (UINT64_C(1) << first));
}

/* Where `only` some cells count. */
static void take_only(const native_sink *k, const number *v, uint64_t row, uint64_t column, uint64_t first,
                      uint64_t end) {
    for (uint64_t at = first / LEAF * LEAF; at < end; at += LEAF) {
        const uint64_t from = at < first ? first - at : 0, to = end - at < LEAF ? end - at : LEAF;
        const uint32_t inside = bits_between(from, to) & k->only[(at - column) / LEAF];
        if (inside) sink_leaf_native(k, v + (at - column), (native_leaf){row, at, inside});
    }
}

extern native_take_fn JOIN(take, SINK, KIND, ISA);
void JOIN(take, SINK, KIND, ISA)(const native_sink *k, const void *values, uint64_t row, uint64_t column,
                                 uint64_t first, uint64_t end) {
    const native_sink own = *k;
    uint64_t at = first / LEAF * LEAF;
    const number *v = (const number *)values + (at - column);
    if (own.only) {
        take_only(&own, values, row, column, first, end);
        return;
    }
    if (at < first || end - at < LEAF) { /* the first leaf is not whole */
        sink_leaf_native(&own, v, (native_leaf){row, at, bits_between(first - at, end - at < LEAF ? end - at : LEAF)});
        at += LEAF, v += LEAF;
    }
    const uint64_t whole = end > at ? (end - at) / LEAF : 0;
    if (whole) sink_leaves_native(&own, v, (native_leaf){row, at, UINT32_MAX}, whole);
    at += whole * LEAF, v += whole * LEAF;
    if (at < end) sink_leaf_native(&own, v, (native_leaf){row, at, bits_between(0, end - at)});
}
