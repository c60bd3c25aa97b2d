/* native.h: the words of ops (words.h) on the cpu: a `real` is a vector of numbers, by the compiler's vector types.
 *
 * A comparison of vectors gives all ones or all zeros a lane.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_OPS_NATIVE_H
#define WEDGE_OPS_NATIVE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "wedge/lang.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* an op need not use all it is given */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed inline only */

#define WEDGE_NATIVE 1
#define WEDGE_OP static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#define NATIVE_BYTES 64
#elif defined(__AVX2__)
#define NATIVE_BYTES 32
#else
#define NATIVE_BYTES 16
#endif

#if NATIVE_F64
typedef double number;
typedef int64_t number_bits;
#define SCALAR(name) name
#define KIND f64
#else
typedef float number;
typedef int32_t number_bits;
#define SCALAR(name) name##f
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

WEDGE_OP number wedge_number_sqrt(number x) { return SCALAR(sqrt)(x); }

WEDGE_OP real wedge_sqrt(real x) {
    for (size_t l = 0; l < LANES; ++l) x[l] = SCALAR(sqrt)(x[l]);
    return x;
}

/* Without the instruction (before AVX2) a fused product would be a call a lane: a product and a sum there. */
WEDGE_OP real wedge_fused(real a, real b, real c) {
#if defined(__FMA__) || defined(__aarch64__)
    for (size_t l = 0; l < LANES; ++l) c[l] = SCALAR(__builtin_fma)(a[l], b[l], c[l]);
    return c;
#else
    return a * b + c;
#endif
}

/* The C library's power for vectors, where it has one. Always whole vectors, so that a value does not depend on where
 * its cell lies. */
WEDGE_OP real wedge_pow(real x, real y) {
    number base[LANES], exponent[LANES];
    memcpy(base, &x, sizeof x);
    memcpy(exponent, &y, sizeof y);
#pragma omp simd
    for (size_t l = 0; l < LANES; ++l) base[l] = SCALAR(pow)(base[l], exponent[l]);
    memcpy(&x, base, sizeof x);
    return x;
}

#endif
