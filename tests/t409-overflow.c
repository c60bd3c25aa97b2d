/* t409-overflow: points whose values could overflow are refused when a job gets them, wherever they are, unless that is accepted.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>

#include "pairs_problem.h"

enum { N = 70 };

/* Points (k, k, ...) times `by`: k from 0 to N - 1. */
static problem on_a_line(const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t d, double by) {
    problem p = make_problem(op, layout, dtype, N, d);
    p.pairs.overflow = WEDGE_OVERFLOW_REFUSED;
    for (uint64_t x = 0; x < N + p.pairs.m; ++x)
        for (uint64_t f = 0; f < d; ++f) set_number(&p, x, f, by * (double)(x % N));
    return p;
}

static wedge_status create(wedge_device *dev, const wedge_job_spec *pairs, bool *scaled) {
    wedge_job *job = NULL;
    wedge_status status = wedge_job_create(dev, pairs, &job);
    if (job && scaled) *scaled = wedge_job_get_info(job)->scaled;
    wedge_job_destroy(job);
    return status;
}

static void refused(wedge_device *dev, const wedge_job_spec *pairs) {
    const char *why;
    assert_int_equal(create(dev, pairs, NULL), WEDGE_BAD_DATA);
    why = wedge_device_message(dev);
    if (!strstr(why, "can reach") || !strstr(why, pairs->dtype == WEDGE_F64 ? "scale the points" : "use f64") ||
        !strstr(why, "WEDGE_OVERFLOW_ACCEPTED") || !strstr(why, "--nan propagate"))
        fail_msg("%s: '%s'", pairs->op, why);
    if (compiles_slowly(dev) && strcmp(pairs->op, "dot")) return;
    wedge_job_spec accepting = *pairs;
    accepting.overflow = WEDGE_OVERFLOW_ACCEPTED;
    assert_ok(dev, create(dev, &accepting, NULL));
}

/* The largest number is 3.4e38, or 1.8e308. */
static void values_that_overflow_are_refused_on(wedge_device *dev) {
    static const struct {
        const char *op;
        uint64_t d;
        double f32, f64;
    } cases[] = {{"sqeuclidean", 3, 1e20, 1e155},
                 {"cityblock", 30, 1e36, 1e306},
                 {"dot", 2, 1e19, 1e154},
                 {"gravity", 4, 2e19, 1e155}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int wide = 0; wide < (dev->info.has_double ? 2 : 1); ++wide)
            for (int layout = WEDGE_CONDENSED; layout <= WEDGE_RECTANGLE; layout += WEDGE_RECTANGLE) {
                double by = wide ? cases[k].f64 : cases[k].f32;
                problem p = on_a_line(cases[k].op, (wedge_layout)layout, wide ? WEDGE_F64 : WEDGE_F32, cases[k].d, by);
                refused(dev, &p.pairs);
                free(p.points);
                if (compiles_slowly(dev) && (wide || layout)) continue;
                p = on_a_line(cases[k].op, (wedge_layout)layout, wide ? WEDGE_F64 : WEDGE_F32, cases[k].d, by * 1e-6);
                assert_ok(dev, create(dev, &p.pairs, NULL));
                free(p.points);
            }
}

static void values_that_overflow_are_refused(void **state) {
    (void)state;
    on_every_device(values_that_overflow_are_refused_on);
}

/* One huge number anywhere is seen: in any row and feature, with gaps between rows, in either set. */
static void one_huge_number_is_found_on(wedge_device *dev) {
    static const uint64_t features[] = {1, 3, 64, 100};
    for (int k = 0; k < 4; ++k)
        for (int set = 0; set < 2; ++set)
            for (int wide = 0; wide < (dev->info.has_double ? 2 : 1); ++wide) {
                uint64_t d = features[k], row = (uint64_t)(17 + 13 * k) % 36 + (set ? N : 0);
                problem p = on_a_line("sqeuclidean", WEDGE_RECTANGLE, wide ? WEDGE_F64 : WEDGE_F32, d, 1);
                set_number(&p, row, d - 1, wide ? -1e200 : -1e30);
                refused(dev, &p.pairs);
                size_t bytes, size = wide ? 8 : 4;
                void *gaps = spread(p.points, N, d, d + 5, 2, size, &bytes);
                p.pairs.points = (char *)gaps + 2 * size, p.pairs.points_stride = d + 5;
                refused(dev, &p.pairs);
                free(gaps);
                free(p.points);
            }
}

static void one_huge_number_is_found(void **state) {
    (void)state;
    on_every_device(one_huge_number_is_found_on);
}

/* Of many rows every part is looked at. */
static void one_of_many_rows_is_found_on(wedge_device *dev) {
    enum { MANY = 200000 };
    float *points = calloc(MANY, 3 * sizeof *points);
    wedge_parameter radius = WEDGE_NUMBER("radius", 1);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "sqeuclidean", .layout = WEDGE_CONDENSED, .sink = "count"};
    pairs.sink_parameters = &radius, pairs.sink_parameter_count = 1, pairs.prune = WEDGE_PRUNE_NEVER;
    pairs.n = MANY, pairs.d = 3, pairs.points = points;
    for (uint64_t x = 0; x < 3 * MANY; x += 2 * MANY / 5 - 1) {
        points[x] = 1e25f;
        refused(dev, &pairs);
        points[x] = 0;
    }
    points[3 * MANY - 1] = -1e25f;
    refused(dev, &pairs);
    free(points);
}

static void one_of_many_rows_is_found(void **state) {
    (void)state;
    on_every_device(one_of_many_rows_is_found_on);
}

/* In the device's memory, from an offset on; and not looked at where the caller says so. */
static void points_in_the_device_s_memory_are_looked_at_on(wedge_device *dev) {
    problem p = on_a_line("sqeuclidean", WEDGE_CONDENSED, WEDGE_F32, 3, 1e20);
    enum { FRONT = 7 };
    void *memory;
    size_t bytes = N * 3 * sizeof(float);
    assert_ok(dev, wedge_memory_create(dev, bytes + FRONT * sizeof(float), &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, FRONT * sizeof(float), p.points, bytes));
    p.pairs.points = memory, p.pairs.place = WEDGE_ON_DEVICE, p.pairs.points_offset = FRONT * sizeof(float);
    refused(dev, &p.pairs);
    p.pairs.overflow = WEDGE_OVERFLOW_UNSEEN;
    assert_ok(dev, create(dev, &p.pairs, NULL));
    p.pairs.overflow = WEDGE_OVERFLOW_REFUSED;
    for (int k = 0; k < 3 * N; ++k) ((float *)p.points)[k] *= 1e-15f;
    assert_ok(dev, wedge_memory_write(dev, memory, FRONT * sizeof(float), p.points, bytes));
    assert_ok(dev, create(dev, &p.pairs, NULL));
    wedge_memory_destroy(dev, memory);
    free(p.points);
}

static void points_in_the_device_s_memory_are_looked_at(void **state) {
    (void)state;
    on_every_device(points_in_the_device_s_memory_are_looked_at_on);
}

/* What cannot overflow, or is none of the points' numbers. */
static void all_else_passes_on(wedge_device *dev) {
    problem p = on_a_line("sqeuclidean", WEDGE_CONDENSED, WEDGE_F32, 3, 1e20);
    p.pairs.n = 1; /* no pair */
    assert_ok(dev, create(dev, &p.pairs, NULL));
    for (uint64_t x = 0; x < N; ++x)
        for (uint64_t f = 0; f < 3; ++f) set_number(&p, x, f, f == 1 ? 3e38 : 1e3 * (double)x); /* equals far away */
    p.pairs.n = N;
    assert_ok(dev, create(dev, &p.pairs, NULL));
    set_number(&p, 5, 1, (double)NAN);
    set_number(&p, 6, 1, (double)INFINITY);
    set_number(&p, 7, 1, -(double)INFINITY);
    assert_ok(dev, create(dev, &p.pairs, NULL));
    for (uint64_t x = 0; x < N; ++x)
        for (uint64_t f = 0; f < 3; ++f) set_number(&p, x, f, x % 2 ? 1e30 : -1e30);
    refused(dev, &p.pairs);
    p.pairs.box = (const double[]){1e10, 1e10, 1e10}; /* never more than half of it apart */
    assert_ok(dev, create(dev, &p.pairs, NULL));
    p.pairs.box = (const double[]){1e10, 0, 1e10};
    refused(dev, &p.pairs);
    p.pairs.box = NULL, p.pairs.overflow = (wedge_overflow)7;
    assert_int_equal(create(dev, &p.pairs, NULL), WEDGE_BAD_ARGUMENT);
    free(p.points);
    p = on_a_line("chebyshev", WEDGE_CONDENSED, WEDGE_F32, 200,
                  4e36); /* their sum would overflow, the largest does not */
    assert_ok(dev, create(dev, &p.pairs, NULL));
    free(p.points);
}

static void all_else_passes(void **state) {
    (void)state;
    on_every_device(all_else_passes_on);
}

/* A renewed job has the same rule, and keeps the points it has where others are refused. */
static void renewed_points_are_looked_at_on(wedge_device *dev) {
    problem good = on_a_line("sqeuclidean", WEDGE_CONDENSED, WEDGE_F32, 3, 1);
    problem bad = on_a_line("sqeuclidean", WEDGE_CONDENSED, WEDGE_F32, 3, 1e20);
    wedge_job *job;
    float values[2] = {0};
    assert_ok(dev, wedge_job_create(dev, &good.pairs, &job));
    assert_int_equal(wedge_job_renew(job, bad.points, NULL), WEDGE_BAD_DATA);
    assert_non_null(strstr(wedge_device_message(dev), "can reach"));
    assert_ok(dev, run_values(job, 0, 2, values, WEDGE_ON_HOST, NULL, NULL));
    assert_true(values[0] == 3 && values[1] == 12);
    wedge_job_destroy(job);
    free(good.points);
    free(bad.points);
}

static void renewed_points_are_looked_at(void **state) {
    (void)state;
    on_every_device(renewed_points_are_looked_at_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_overflow_are_refused),
        cmocka_unit_test(one_huge_number_is_found),
        cmocka_unit_test(one_of_many_rows_is_found),
        cmocka_unit_test(points_in_the_device_s_memory_are_looked_at),
        cmocka_unit_test(all_else_passes),
        cmocka_unit_test(renewed_points_are_looked_at),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
