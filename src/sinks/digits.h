/* digits.h: sums that do not depend on the order of their terms: fixed point over the whole range of exponents.
 *
 * A sum is the digits d[0], d[1], ... of 32 bits, digit k of weight 2^(32 k - 1088), each held in 64 signed bits, so that
 * 2^30 terms can be added before a carry is needed. Digits are integers: terms may come in any order, and sums of
 * different threads, blocks and machines are added digit by digit. A float touches two digits, a double three:
 *
 *     1.5f = 12582912 * 2^-23, and -23 + 1088 = 33 * 32 + 9:  12582912 << 9  goes to digits 33 (low half) and 34
 *
 * Terms are finite: callers count NaN and infinities separately. C, CUDA C and OpenCL C.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_DIGITS_H
#define WEDGE_SINKS_DIGITS_H

#define DIGITS 68           /* 2^-1074 to 2^1024, and room for 2^60 of the largest */
#define DIGITS_F32_FIRST 29 /* floats touch these alone: 2^-149 lies in digit 29, 2^127 in 37 */
#define DIGITS_F32 11

/* Adds mantissa * 2^(shift - 1088) to the digits, of which d points to number `first`. mantissa < 2^53. */
WEDGE_FN void digits_put(wedge_i64 *d, wedge_u32 first, wedge_u64 mantissa, wedge_u32 shift, int negative) {
    const wedge_u32 k = shift / 32u - first, by = shift % 32u;
    const wedge_u64 low = (mantissa & 0xffffffffu) << by, high = mantissa >> 32 << by;
    const wedge_i64 a = (wedge_i64)(low & 0xffffffffu), b = (wedge_i64)((low >> 32) + (high & 0xffffffffu));
    d[k] += negative ? -a : a;
    d[k + 1u] += negative ? -b : b;
    if (high >> 32) d[k + 2u] += negative ? -(wedge_i64)(high >> 32) : (wedge_i64)(high >> 32);
}

/* Adds a finite float, or a finite double given by its bits. */
WEDGE_FN void digits_put_f32(wedge_i64 *d, wedge_u32 first, float x) {
    const wedge_u32 bits = wedge_float_bits(x), e = bits >> 23 & 255u;
    const wedge_u32 mantissa = (bits & 0x7fffffu) | (e ? 0x800000u : 0u);
    digits_put(d, first, mantissa, (e ? e : 1u) + (1088u - 150u), (int)(bits >> 31));
}

WEDGE_FN void digits_put_f64_bits(wedge_i64 *d, wedge_u32 first, wedge_u64 bits) {
    const wedge_u32 e = (wedge_u32)(bits >> 52) & 2047u;
    const wedge_u64 mantissa = (bits & 0xfffffffffffffu) | (e ? (wedge_u64)1 << 52 : 0);
    digits_put(d, first, mantissa, (e ? e : 1u) + (1088u - 1075u), (int)(bits >> 63));
}

#endif
