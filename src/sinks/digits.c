/* digits.c: digits on the host: carries, and the double nearest to a sum.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "sinks/sums.h"

/* States come from files: what no sum can be must not overflow either. */
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

void digits_carry(int64_t d[DIGITS]) {
    for (int k = 0; k + 1 < DIGITS; ++k) {
        int64_t low = d[k] & INT64_C(0xffffffff);
        d[k + 1] = plus(d[k + 1], (d[k] - low) / (INT64_C(1) << 32)); /* exact, and down for negative numbers */
        d[k] = low;
    }
}

void digits_add(int64_t d[DIGITS], const int64_t other[DIGITS]) {
    for (int k = 0; k < DIGITS; ++k) d[k] = plus(d[k], other[k]);
    digits_carry(d);
}

/* Bit number `at` of the digits, all of them 0 .. 2^32 - 1. */
static uint64_t bit(const int64_t *d, int at) { return (uint64_t)d[at / 32] >> at % 32 & 1; }

/* Rounds to nearest, ties to even. The lowest bit that is kept is 52 below the highest, or the smallest double. */
static double round_positive(const int64_t *d) {
    int top = 32 * DIGITS - 1, sticky = 0;
    while (top >= 0 && !bit(d, top)) --top;
    if (top < 0) return 0;
    int lowest = top - 52 > 1088 - 1074 ? top - 52 : 1088 - 1074;
    uint64_t mantissa = 0;
    for (int at = top; at >= lowest; --at) mantissa = 2 * mantissa + bit(d, at);
    for (int at = 0; at < lowest - 1 && !sticky; ++at) sticky = (int)bit(d, at);
    if (bit(d, lowest - 1) && (sticky || mantissa % 2)) ++mantissa;
    return ldexp((double)mantissa, lowest - 1088);
}

double digits_round(const int64_t digits[DIGITS]) {
    int64_t d[DIGITS];
    for (int k = 0; k < DIGITS; ++k) d[k] = digits[k];
    digits_carry(d);
    bool negative = d[DIGITS - 1] < 0;
    for (int k = 0; k < DIGITS && negative; ++k) d[k] = (int64_t)(0 - (uint64_t)d[k]);
    digits_carry(d);
    double sum = round_positive(d);
    return negative ? -sum : sum;
}
