/* t442-digits.c: sums in digits are the exact sums rounded once, whatever the order of the terms.
 *
 * The oracle keeps a bit per byte: the positive and the negative terms each added up as pencil and paper do it.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinks/sums.h"

/* ---- The oracle ---- */

enum { BITS = 2200, SMALLEST = 1074 }; /* bit k has weight 2^(k - 1074) */

typedef struct {
    unsigned char bit[2][BITS]; /* of the positive and the negative terms */
} paper;

static void paper_add(paper *s, double x) {
    int e;
    double m = frexp(fabs(x), &e); /* m = 0.1... times 2^e */
    unsigned char *bit = s->bit[x < 0], carry = 0;
    int low = e - 53 + SMALLEST; /* where the last of 53 bits goes; below 0 only for zeros of a subnormal */
    uint64_t mantissa = (uint64_t)ldexp(m, 53);
    for (int k = low; k < BITS && (mantissa || carry); ++k, mantissa >>= 1) {
        if (k < 0) continue;
        unsigned sum = bit[k] + (unsigned)(mantissa & 1) + carry;
        bit[k] = sum & 1, carry = (unsigned char)(sum >> 1);
    }
}

/* The larger less the smaller, in bit[0]; returns the sign. */
static int paper_difference(paper *s) {
    int larger = 0, borrow = 0;
    for (int k = BITS - 1; k >= 0; --k)
        if (s->bit[0][k] != s->bit[1][k]) {
            larger = s->bit[1][k];
            break;
        }
    for (int k = 0; k < BITS; ++k) {
        int bit = s->bit[larger][k] - s->bit[!larger][k] - borrow;
        borrow = bit < 0;
        s->bit[0][k] = (unsigned char)(bit & 1);
    }
    return larger ? -1 : 1;
}

/* Nearest, ties to even. A carry out of 53 bits is a power of two, which ldexp takes as well. */
static double paper_round(paper *s) {
    int sign = paper_difference(s), top = BITS - 1, low;
    while (top > 0 && !s->bit[0][top]) --top;
    low = top > 52 ? top - 52 : 0;
    uint64_t mantissa = 0, half = low ? s->bit[0][low - 1] : 0, rest = 0;
    for (int k = top; k >= low; --k) mantissa = 2 * mantissa + s->bit[0][k];
    for (int k = 0; k < low - 1; ++k) rest |= s->bit[0][k];
    mantissa += half && (rest || mantissa & 1);
    return sign * ldexp((double)mantissa, low - SMALLEST);
}

/* ---- The code under test ---- */

static void put_double(int64_t *d, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    digits_put_f64_bits(d, 0, bits);
}

static double digits_sum(const double *x, size_t count) {
    int64_t d[DIGITS] = {0};
    for (size_t k = 0; k < count; ++k) put_double(d, x[k]);
    return digits_round(d);
}

static double exact_sum(const double *x, size_t count) {
    static paper s;
    memset(&s, 0, sizeof s);
    for (size_t k = 0; k < count; ++k) paper_add(&s, x[k]);
    return paper_round(&s);
}

static void assert_exact(const double *x, size_t count) {
    double got = digits_sum(x, count), want = exact_sum(x, count);
    if (!(got == want)) fail_msg("%d terms from %a on: %a, not %a", (int)count, x[0], got, want);
}

/* ---- Sums with known answers ---- */

#define SUM(want, ...)                                                               \
    do {                                                                             \
        const double terms[] = {__VA_ARGS__};                                        \
        size_t count = sizeof terms / sizeof *terms;                                 \
        double got = digits_sum(terms, count);                                       \
        if (!(got == (want))) fail_msg("%s: %a, not %a", #__VA_ARGS__, got, (want)); \
        if (isfinite(want)) assert_true(exact_sum(terms, count) == (want));          \
    } while (0)

static void known_sums_are_right(void **state) {
    (void)state;
    SUM(0.0, 0.0, -0.0);
    SUM(1.0, 1e300, 1.0, -1e300);
    SUM(0x1p-1074, 1e300, 0x1p-1074, -1e300);
    SUM(-0x1p-1074, -1e300, -0x1p-1074, 1e300);
    SUM(0.0, DBL_MAX, -DBL_MAX);
    SUM(DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX);
    SUM(-DBL_MAX, -DBL_MAX, DBL_MAX, -DBL_MAX);
    SUM(0x1p-1022, 0x1p-1023, 0x1p-1023);
    SUM(0x1.fffffffffffffp-1022, 0x1p-1021, -0x1p-1074);
    SUM(0x1p53, 0x1p53, 1.0);         /* a tie, to even: down */
    SUM(0x1p53 + 4, 0x1p53 + 2, 1.0); /* up */
    SUM(0x1p53 + 2, 0x1p53, 1.0, 0x1p-1074);
    SUM(0x1p53, 0x1p53, 1.0, -0x1p-1074);
    SUM(-0x1p53, -0x1p53, -1.0);
    SUM(-(0x1p53 + 4), -(0x1p53 + 2), -1.0);
    SUM(0x1p54, 0x1p54 - 1, 0.75); /* 53 ones, and then up: a bit longer */
    SUM(0x1p-1022, 0x1p-1022 - 0x1p-1074, 0x1p-1074);
}

static void sums_beyond_the_largest_are_infinite(void **state) {
    (void)state;
    SUM((double)INFINITY, DBL_MAX, DBL_MAX);
    SUM(-(double)INFINITY, -DBL_MAX, -DBL_MAX);
    SUM((double)INFINITY, DBL_MAX, 0x1p970);                     /* half a unit beyond: to even, and that is 2^1024 */
    SUM(DBL_MAX, DBL_MAX, 0x1p970, -0x1p-1074);                  /* a little less than half */
    SUM(DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX); /* and back again */
}

/* ---- Any terms in any order ---- */

static uint64_t random_bits(uint64_t *state) { /* xorshift */
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

/* A finite double of any bits, or with an exponent among `spread` from `from` on: so close that terms meet. */
static double random_double(uint64_t *state, unsigned from, unsigned spread) {
    uint64_t bits = random_bits(state), e = from + random_bits(state) % spread;
    double x;
    bits = (bits & ~(UINT64_C(2047) << 52)) | e << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void shuffle(double *x, size_t count, uint64_t *state) {
    for (size_t k = count; k > 1; --k) {
        size_t other = random_bits(state) % k;
        double t = x[k - 1];
        x[k - 1] = x[other], x[other] = t;
    }
}

static void random_sums_are_exact_in_any_order(void **state) {
    static const struct {
        unsigned from, spread;
    } exponents[] = {{0, 2046}, {0, 3}, {0, 60}, {1000, 60}, {1023, 1}, {1980, 66}, {2045, 1}, {500, 1000}};
    enum { MOST = 300 };
    double x[MOST];
    uint64_t random = 88172645463325252u;
    (void)state;
    for (int round = 0; round < 160; ++round) {
        size_t count = 1 + random_bits(&random) % (MOST - 1);
        for (size_t k = 0; k < count; ++k) {
            x[k] = random_double(&random, exponents[round % 8].from, exponents[round % 8].spread);
            if (k && random_bits(&random) % 4 == 0) x[k] = -x[random_bits(&random) % k]; /* and cancel */
        }
        assert_exact(x, count);
        double first = digits_sum(x, count);
        shuffle(x, count, &random);
        assert_true(digits_sum(x, count) == first);
    }
}

/* Floats, in all digits and in those alone that floats touch, as devices keep them. */
static void random_floats_are_exact(void **state) {
    enum { COUNT = 200 };
    double x[COUNT];
    uint64_t random = 362436069u;
    (void)state;
    for (int round = 0; round < 60; ++round) {
        int64_t all[DIGITS] = {0}, some[DIGITS] = {0};
        for (int k = 0; k < COUNT; ++k) {
            uint32_t bits = (uint32_t)random_bits(&random), e = round % 3 == 0   ? (uint32_t)random_bits(&random) % 255
                                                                : round % 3 == 1 ? (uint32_t)random_bits(&random) % 2
                                                                                 : 254;
            float f;
            bits = (bits & 0x807fffffu) | e << 23;
            memcpy(&f, &bits, sizeof f);
            x[k] = (double)f;
            digits_put_f32(all, 0, f);
            digits_put_f32(some + DIGITS_F32_FIRST, DIGITS_F32_FIRST, f);
        }
        double want = exact_sum(x, COUNT);
        if (digits_round(all) != want) fail_msg("round %d: %a, not %a", round, digits_round(all), want);
        assert_memory_equal(all, some, sizeof all);
        for (int k = 0; k < DIGITS; ++k)
            if (k < DIGITS_F32_FIRST || k >= DIGITS_F32_FIRST + DIGITS_F32) assert_int_equal(all[k], 0);
    }
}

/* ---- Carries ---- */

/* 2^30 terms fit without a carry: as many of one as if they had been put, at every place in a digit. */
static void a_billion_terms_need_no_carry(void **state) {
    (void)state;
    for (int e = -1022; e <= 990; e += 7)
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t d[DIGITS] = {0};
            double x = sign * ldexp(2 - 0x1p-52, e);
            put_double(d, x);
            for (int k = 0; k < DIGITS; ++k) assert_false(__builtin_mul_overflow(d[k], INT64_C(1) << 30, &d[k]));
            assert_true(digits_round(d) == ldexp(x, 30));
            digits_carry(d);
            for (int k = 0; k + 1 < DIGITS; ++k) assert_true(d[k] >= 0 && d[k] <= INT64_C(0xffffffff));
            assert_true(digits_round(d) == ldexp(x, 30));
        }
}

/* The digits of a sum are the same whether carries are made now and then or at the end. */
static void carries_may_be_made_at_any_time(void **state) {
    uint64_t random = 521288629u;
    (void)state;
    for (int round = 0; round < 50; ++round) {
        int64_t often[DIGITS] = {0}, once[DIGITS] = {0};
        for (int k = 0; k < 100; ++k) {
            double x = random_double(&random, round % 2 ? 0 : 900, round % 2 ? 2046 : 100);
            put_double(often, x);
            put_double(once, x);
            if (random_bits(&random) % 3 == 0) digits_carry(often);
        }
        digits_carry(often);
        digits_carry(once);
        assert_memory_equal(often, once, sizeof once);
    }
}

/* A state may come from a file. Builds with a sanitizer see that nothing overflows; and what comes out is the same each time. */
static void what_no_sum_can_be_overflows_nothing(void **state) {
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, INT64_MAX};
    (void)state;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            int64_t d[2][DIGITS], other[DIGITS];
            for (int k = 0; k < DIGITS; ++k) d[0][k] = d[1][k] = ends[a], other[k] = ends[b];
            double sums[2];
            for (int i = 0; i < 2; ++i) {
                digits_add(d[i], other);
                sums[i] = digits_round(d[i]);
            }
            assert_memory_equal(d[0], d[1], sizeof d[0]);
            assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
            for (int k = 0; k + 1 < DIGITS; ++k) assert_true(d[0][k] >= 0 && d[0][k] <= INT64_C(0xffffffff));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums_are_right),
        cmocka_unit_test(sums_beyond_the_largest_are_infinite),
        cmocka_unit_test(random_sums_are_exact_in_any_order),
        cmocka_unit_test(random_floats_are_exact),
        cmocka_unit_test(a_billion_terms_need_no_carry),
        cmocka_unit_test(carries_may_be_made_at_any_time),
        cmocka_unit_test(what_no_sum_can_be_overflows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
