/* elements.c: the numbers that .npy files hold, as f32 or f64.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/elements.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* IEEE's half: 1 sign, 5 exponent and 10 mantissa bits. Every one is a float, so nothing is rounded. */
static float half_value(uint16_t bits) {
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023, wide;
    float v = (float)mantissa * 0x1p-24f; /* subnormal, or zero */
    wide = (exponent == 31 ? 255 : exponent + 112) << 23 | mantissa << 13;
    if (exponent) memcpy(&v, &wide, sizeof v);
    return bits >> 15 ? -v : v;
}

/* clang-format off */
#define TYPES(X) /* name, C type, f32 by default, what finds rounded ones, value */                       \
    X(f2, uint16_t, true, NULL, half_value(v)) X(f4, float, true, NULL, v) X(f8, double, false, NULL, v)  \
    X(i1, int8_t, false, NULL, v)  X(i2, int16_t, false, NULL, v)                                         \
    X(i4, int32_t, false, rounded_i4, v)  X(i8, int64_t, false, rounded_i8, v)                            \
    X(u1, uint8_t, false, NULL, v) X(u2, uint16_t, false, NULL, v)                                        \
    X(u4, uint32_t, false, rounded_u4, v) X(u8, uint64_t, false, rounded_u8, v)                           \
    X(b1, uint8_t, false, NULL, v != 0)
/* clang-format on */

#define CONVERTER(name, type, is_f32, rounded, value)                                                       \
    static void from_##name(const unsigned char *in, void *out, size_t count, size_t stride, bool to_f64) { \
        type v;                                                                                             \
        for (size_t i = 0; i < count * stride; i += stride, in += sizeof v) {                               \
            memcpy(&v, in, sizeof v);                                                                       \
            if (to_f64)                                                                                     \
                ((double *)out)[i] = (double)(value);                                                       \
            else                                                                                            \
                ((float *)out)[i] = (float)(value);                                                         \
        }                                                                                                   \
    }
TYPES(CONVERTER)

/* Two different integers never become one silently: a value is a float where its bits, from the first to the last that is set, fit
 * the mantissa. */
static bool fits(uint64_t magnitude, int mantissa) {
    return !magnitude || 64 - __builtin_clzll(magnitude) - __builtin_ctzll(magnitude) <= mantissa;
}

#define ROUNDED(name, type, is_signed)                                                                             \
    static size_t rounded_##name(const unsigned char *in, size_t from, size_t count, bool to_f64, char text[24]) { \
        const int mantissa = to_f64 ? 53 : 24;                                                                     \
        for (size_t i = from; i < count; ++i) {                                                                    \
            type v;                                                                                                \
            memcpy(&v, in + i * sizeof v, sizeof v);                                                               \
            const int64_t with_sign = (int64_t)v;                                                                  \
            bool below = (is_signed) && with_sign < 0;                                                             \
            uint64_t magnitude = below ? 0 - (uint64_t)v : (uint64_t)v;                                            \
            if (magnitude >> mantissa && !fits(magnitude, mantissa)) {                                             \
                sprintf(text, "%s%" PRIu64, below ? "-" : "", magnitude);                                          \
                return i;                                                                                          \
            }                                                                                                      \
        }                                                                                                          \
        return count;                                                                                              \
    }
ROUNDED(i4, int32_t, true)
ROUNDED(u4, uint32_t, false)
ROUNDED(i8, int64_t, true)
ROUNDED(u8, uint64_t, false)

#define TYPE_ROW(name, type, is_f32, rounded, value) {#name, sizeof(type), is_f32, from_##name, rounded},
static const element_type types[] = {TYPES(TYPE_ROW)};

static const struct {
    char kind;
    const char *what;
} refused[] = {
    {'O', "Python objects (a pickle), which are never loaded"},
    {'U', "Unicode strings"},
    {'S', "byte strings"},
    {'V', "raw or structured records"},
    {'c', "complex numbers"},
    {'M', "dates"},
    {'m', "time spans"},
    {'f', "floats that are neither f2, f4 nor f8"},
};

const element_type *element_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (length == 2 && !memcmp(name, types[i].name, 2)) return &types[i];
    return NULL;
}

const char *element_refused(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
        if (length && *name == refused[i].kind) return refused[i].what;
    return "of no type known here";
}
