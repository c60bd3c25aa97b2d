/* native.h: the words of ops (op_builtins.h) on the cpu: a `real` is a vector of numbers, by the compiler's vector types.
 *
 * A comparison of vectors gives all ones or all zeros per lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_OPS_NATIVE_H
#define WEDGE_OPS_NATIVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "wedge/lang.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* an op need not use all it is given */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed inline only */

#define WEDGE_NATIVE 1
#define WEDGE_OP static inline __attribute__((always_inline))
#define WEDGE_UNROLL _Pragma("GCC unroll 16")

#if defined(__AVX512F__)
#define NATIVE_BYTES 64
#define VECTOR_(name, kind) _mm512_##name##_##kind
#elif defined(__AVX2__)
#define NATIVE_BYTES 32
#define VECTOR_(name, kind) _mm256_##name##_##kind
#else
#define NATIVE_BYTES 16
#endif

#if NATIVE_F64
typedef double number;
typedef int64_t number_bits;
#define SCALAR(name) name
#define VECTOR(name) VECTOR_(name, pd)
#define KIND f64
#else
typedef float number;
typedef int32_t number_bits;
#define SCALAR(name) name##f
#define VECTOR(name) VECTOR_(name, ps)
#define KIND f32
#endif

typedef number real __attribute__((vector_size(NATIVE_BYTES)));
typedef number_bits lanes __attribute__((vector_size(NATIVE_BYTES)));
#define LANES (NATIVE_BYTES / sizeof(number))

WEDGE_OP real wedge_real(number x) { return x - (real){0}; }

WEDGE_OP real wedge_pick(lanes condition, real a, real b) {
    return (real)(((lanes)a & condition) | ((lanes)b & ~condition));
}

WEDGE_OP real wedge_abs(real x) {
    const number_bits sign = (number_bits)((uint64_t)1 << (8 * sizeof(number) - 1));
    return (real)((lanes)x & ~sign);
}

/* t less the nearest multiple of the length; by: 1 by the length. Sums and products alone: the same on every device. */
WEDGE_OP real wedge_image(real t, number length, number inverse) {
    const number magic = sizeof(number) == 8 ? (number)0x1.8p52 : (number)0x1.8p23;
    return t - length * (t * inverse + magic - magic);
}

WEDGE_OP number wedge_number_sqrt(number x) { return SCALAR(sqrt)(x); }
WEDGE_OP number wedge_number_pow(number x, number y) { return SCALAR(pow)(x, y); }

/* By name where there is one: a loop over the lanes is a vector instruction in most places, and not in all. */
WEDGE_OP real wedge_sqrt(real x) {
#ifdef VECTOR_
    return VECTOR(sqrt)(x);
#else
    for (size_t l = 0; l < LANES; ++l) x[l] = SCALAR(sqrt)(x[l]);
    return x;
#endif
}

WEDGE_OP real wedge_rsqrt(real x) { return wedge_real(1) / wedge_sqrt(x); }

/* Without the instruction (before AVX2) a fused product would be a call a lane: a product and a sum there. */
WEDGE_OP real wedge_fused(real a, real b, real c) {
#ifdef VECTOR_
    return VECTOR(fmadd)(a, b, c);
#elif defined(__aarch64__)
    for (size_t l = 0; l < LANES; ++l) c[l] = SCALAR(__builtin_fma)(a[l], b[l], c[l]);
    return c;
#else
    return a * b + c;
#endif
}

/* Functions of the C library. glibc's libmvec has them for vectors, under names of the x86-64 vector ABI: _ZGVeN16v_expf is
 * expf of sixteen lanes with AVX-512. They are called by those names: no compiler takes them for a plain expf in a loop
 * unless it may also be careless with all other arithmetic. Elsewhere they are a call per lane. Always whole vectors, so
 * that a value does not depend on where its cell lies. WEDGE_LIBMVEC: 1, or 2 where it has log1p and asin, too. */
#if NATIVE_BYTES == 64 && NATIVE_F64
#define LIBMVEC(kind, name) LIBMVEC_(e, 8, kind, name)
#elif NATIVE_BYTES == 64
#define LIBMVEC(kind, name) LIBMVEC_(e, 16, kind, name)
#elif NATIVE_BYTES == 32 && NATIVE_F64
#define LIBMVEC(kind, name) LIBMVEC_(d, 4, kind, name)
#elif NATIVE_BYTES == 32
#define LIBMVEC(kind, name) LIBMVEC_(d, 8, kind, name)
#elif NATIVE_F64
#define LIBMVEC(kind, name) LIBMVEC_(b, 2, kind, name)
#else
#define LIBMVEC(kind, name) LIBMVEC_(b, 4, kind, name)
#endif
#define LIBMVEC_(isa, lanes, kind, name) LIBMVEC__(isa, lanes, kind, name)
#define LIBMVEC__(isa, lanes, kind, name) _ZGV##isa##N##lanes##kind##_##name

#define WORD_OF_VECTORS(name)                   \
    extern real LIBMVEC(v, SCALAR(name))(real); \
    WEDGE_OP real wedge_##name(real x) { return LIBMVEC(v, SCALAR(name))(x); }
#define WORD_OF_LANES(name)                                           \
    WEDGE_OP real wedge_##name(real x) {                              \
        for (size_t l = 0; l < LANES; ++l) x[l] = SCALAR(name)(x[l]); \
        return x;                                                     \
    }

#if WEDGE_LIBMVEC
/* Below ln 2^-150 (2^-1075) a result is 0. libmvec leaves what is so small to a call per lane, and most pairs of a Gaussian are
 * far apart: that took eight times as long. */
extern real LIBMVEC(v, SCALAR(exp))(real);
WEDGE_OP real wedge_exp(real x) {
    const real zero = wedge_real(0), least = wedge_real(NATIVE_F64 ? -746 : -104);
    return wedge_pick(x < least, zero, LIBMVEC(v, SCALAR(exp))(wedge_pick(x < least, zero, x)));
}
WORD_OF_VECTORS(log)
WORD_OF_VECTORS(sin)
WORD_OF_VECTORS(cos)
extern real LIBMVEC(vv, SCALAR(pow))(real, real);
WEDGE_OP real wedge_pow(real x, real y) { return LIBMVEC(vv, SCALAR(pow))(x, y); }
#else
WORD_OF_LANES(exp)
WORD_OF_LANES(log)
WORD_OF_LANES(sin)
WORD_OF_LANES(cos)
WEDGE_OP real wedge_pow(real x, real y) {
    for (size_t l = 0; l < LANES; ++l) x[l] = SCALAR(pow)(x[l], y[l]);
    return x;
}
#endif
#if WEDGE_LIBMVEC > 1
WORD_OF_VECTORS(log1p)
WORD_OF_VECTORS(asin)
#else
WORD_OF_LANES(log1p)
WORD_OF_LANES(asin)
#endif

/* A vector as words of four bytes, which either kind of number is made of: for stores past the cache (stream), in part
 * (store: what lies in [begin, end)), and join, the words of a and b side by side from one on, told by words_from. The base
 * level has the first alone, for the lab's ceilings (bench/peaks.c). */
#if defined(__AVX512F__)
#define NATIVE_STRAIGHT 1
typedef __m512i words;
WEDGE_OP words words_from(int first) {
    const words up = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(up, _mm512_set1_epi32(first));
}
WEDGE_OP words words_join(words a, words b, words from) { return _mm512_permutex2var_epi32(a, from, b); }
WEDGE_OP void words_stream(char *to, words w) { _mm512_stream_si512((void *)to, w); }
WEDGE_OP void words_mask(char *to, words w, int first, int end) {
    _mm512_mask_storeu_epi32(to, (__mmask16)((1u << end) - (1u << first)), w);
}
#elif defined(__AVX2__)
#define NATIVE_STRAIGHT 1
typedef __m256i words;
WEDGE_OP words words_from(int first) {
    return _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(first));
}
WEDGE_OP words words_join(words a, words b, words from) {
    words of_b = _mm256_cmpgt_epi32(from, _mm256_set1_epi32(7));
    return _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(a, from), _mm256_permutevar8x32_epi32(b, from), of_b);
}
WEDGE_OP void words_stream(char *to, words w) { _mm256_stream_si256((words *)to, w); }
WEDGE_OP void words_mask(char *to, words w, int first, int end) {
    words k = words_from(0), from = _mm256_set1_epi32(first - 1), to_end = _mm256_set1_epi32(end);
    _mm256_maskstore_epi32((int *)to, _mm256_and_si256(_mm256_cmpgt_epi32(k, from), _mm256_cmpgt_epi32(to_end, k)), w);
}
#elif defined(__SSE2__)
typedef __m128i words;
WEDGE_OP void words_stream(char *to, words w) { _mm_stream_si128((words *)to, w); }
#else
typedef real words;
WEDGE_OP void words_stream(char *to, words w) { memcpy(to, &w, sizeof w); }
#endif

#ifdef NATIVE_STRAIGHT
/* Not inline: seldom needed, and in many places. */
static __attribute__((noinline)) void words_store(char *to, words w, const char *begin, const char *end) {
    ptrdiff_t first = (begin - to) / 4, last = (end - to) / 4, all = NATIVE_BYTES / 4;
    if (first < 0) first = 0;
    if (last > all) last = all;
    if (first < last) words_mask(to, w, (int)first, (int)last);
}
#endif

#endif
