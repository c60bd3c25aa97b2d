/* t417-words.c: exp, log, log1p, pow, sin, cos and asin as ops have them: within 4 units in the last place on the cpu at every
 * instruction set, within what OpenCL promises elsewhere (16 for pow, 4 for others), with the special values of C, and the same bytes
 * in every lane.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>

#include "pairs_problem.h"

extern const op_def op_test_words_def;

enum { N = 200, WORDS = 7, POWER = 6 };
static const char *const words[WORDS] = {"exp", "log", "log1p", "sin", "cos", "asin", "pow"};

static long double want_of(int word, double a, double b) {
    switch (word) {
        case 0:
            return expl(a);
        case 1:
            return logl(a);
        case 2:
            return log1pl(a);
        case 3:
            return sinl(a);
        case 4:
            return cosl(a);
        case 5:
            return asinl(a);
        default:
            return powl(fabsl(a), b);
    }
}

/* Special ones first, then some of every size up to a few hundred, and many below 1. */
static double number_at(uint64_t k, wedge_dtype dtype) {
    static const double some[] = {0,         1,           2,    0.5,   -0.5, -1,   3,     80,
                                  -80,       1e-5,        -200, 200,   1e6,  1e30, 1e-30, INFINITY,
                                  -INFINITY, (double)NAN, 1e-4, 0.999, -100, -105, -740,  -750};
    double size = sin((double)k * 1.7), x = k % 3 ? size : 300 * size * size * size;
    if (k < sizeof some / sizeof *some) x = some[k];
    return dtype ? x : (double)(float)x;
}

/* Units in the last place between a value and the true one; 0 where both are the same special value. */
static double units_off(double got, long double want, wedge_dtype dtype) {
    const double least = dtype ? DBL_MIN : FLT_MIN, most = dtype ? DBL_MAX : FLT_MAX;
    const int digits = dtype ? 53 : 24;
    int exponent;
    if (isnan(got) || isnan((double)want)) return isnan(got) && isnan((double)want) ? 0 : INFINITY;
    if (fabsl(want) > most) return isinf(got) && (got > 0) == (want > 0) ? 0 : INFINITY;
    if (fabsl(want) < least) return fabsl(got - want) <= least ? 0 : INFINITY; /* devices may round these to 0 */
    frexpl(want, &exponent);
    return (double)(fabsl(got - want) / ldexpl(1, exponent - digits));
}

static void one_word(wedge_device *dev, int word, wedge_dtype dtype) {
    const wedge_parameter given = WEDGE_NUMBER("word", word);
    const double bound = dev->backend->compile ? word == POWER ? 16 : 4 : 4;
    problem p = make_problem("cityblock", WEDGE_SQUARE, dtype, N, 1);
    wedge_job *job;
    uint64_t bytes;
    for (uint64_t k = 0; k < N; ++k)
        if (dtype)
            ((double *)p.points)[k] = number_at(k, dtype);
        else
            ((float *)p.points)[k] = (float)number_at(k, dtype);
    p.pairs.parameters = &given, p.pairs.parameter_count = 1;
    assert_ok(dev, job_create(dev, &p.pairs, &op_test_words_def, &job));
    const char *isa = job->info.isa;
    const void *out = run_job(dev, job, &bytes);
    size_t size = dtype ? 8 : 4;
    for (uint64_t c = 0; c < N * N; ++c) {
        double a = number_at(c / N, dtype), b = number_at(c % N, dtype);
        double got = dtype ? ((const double *)out)[c] : ((const float *)out)[c];
        double off = units_off(got, want_of(word, a, b), dtype);
        if (off > bound)
            fail_msg("%s dtype %d %s of %.17g, %.17g: %.17g is %g units off", words[word], dtype, isa, a, b, got, off);
        if (word != POWER && memcmp((const char *)out + c * size, (const char *)out + c / N * N * size, size))
            fail_msg("%s dtype %d %s of %.17g: column %d differs", words[word], dtype, isa, a, (int)(c % N));
    }
    free((void *)(uintptr_t)out);
    free(p.points);
}

static void words_on(wedge_device *dev) {
    for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype)
        for (int word = 0; word < WORDS; ++word) one_word(dev, word, dtype);
}

static void words_are_as_exact_as_promised(void **state) {
    (void)state;
    on_every_device(words_on);
}

static void and_at_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, words_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_as_exact_as_promised),
        cmocka_unit_test(and_at_every_instruction_set),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
