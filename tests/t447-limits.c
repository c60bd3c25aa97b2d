/* t447-limits.c: a radius and an edge are compared as the dtype has them, rounded to nearest, by every sink alike: what a value
 * prints as, it is within. A finite one stays finite.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks_problem.h"

enum { N = 70, ENDS = 10, LIMITS = 4 * ENDS };

/* Points on a line, so that values are differences, on any device: multiples of `step` with gaps, as the dtype has them. */
static problem on_a_line(wedge_layout layout, wedge_dtype dtype, double step) {
    problem p = make_problem("cityblock", layout, dtype, N, 1);
    for (uint64_t i = 0; i < N; ++i) set_number(&p, i, 0, (double)(i * i % 53) * step);
    return p;
}

static uint64_t count_within(wedge_device *dev, const problem *p, double radius) {
    const wedge_parameter set = WEDGE_NUMBER("radius", radius);
    uint64_t count;
    return run_sink(dev, sink_job(dev, &p->pairs, "count", &set, 1), &count);
}

/* Two points 0.1 apart, and the like: every sink has the pair, up to the number and no further. */
static void check_two(wedge_device *dev, wedge_dtype dtype, double distance) {
    problem p = make_problem("cityblock", WEDGE_CONDENSED, dtype, 2, 1);
    double beyond = dtype == WEDGE_F64 ? nextafter(distance, INFINITY) : (double)nextafterf((float)distance, INFINITY);
    const wedge_parameter edges[] = {WEDGE_NUMBER("max", distance), WEDGE_WHOLE("bins", 3)};
    set_number(&p, 0, 0, 0), set_number(&p, 1, 0, distance);
    cell_list c = list_cells(dev, &p);
    assert_int_equal(count_within(dev, &p, distance), 1);
    check_select(dev, &c, distance);
    uint64_t counts[6];
    run_sink(dev, sink_job(dev, &p.pairs, "histogram", edges, 2), counts);
    assert_true(counts[2] == 1 && !counts[4]);
    set_number(&p, 1, 0, beyond);
    assert_int_equal(count_within(dev, &p, distance), 0);
    run_sink(dev, sink_job(dev, &p.pairs, "histogram", edges, 2), counts);
    assert_true(counts[2] == 0 && counts[4] == 1);
    free_cells(&c);
    free(p.points);
}

static void what_a_value_prints_as_it_is_within_on(wedge_device *dev) {
    int step = compiles_slowly(dev) ? 6 : 2;
    for (int dtype = 0; dtype < (dev->info.has_double && step == 2 ? 2 : 1); ++dtype)
        for (int k = 1; k < 10; k += step) check_two(dev, (wedge_dtype)dtype, k * 0.1);
}

ON_EVERY_DEVICE(what_a_value_prints_as_it_is_within)

/* By hand, at random, and at the ends of the range. */
static double limit_at(const cell_list *c, unsigned k) {
    static const double ends[ENDS] = {0, -0.1, 3.5e38, 1e300, -1e300, 1e-46, 8e-46, 1e-40, INFINITY, -INFINITY};
    wedge_random4 r = wedge_philox((wedge_random4){{k, 0, 0, 0}}, 447, 0);
    double value = c->v[r.v[1] % c->count];
    if (k < ENDS) return ends[k];
    if (k % 4 == 0) return (double)(k / 4) * 0.1;
    return k % 4 == 1 ? value : value * (1 + ((double)r.v[0] - 0x1p31) * (k % 4 == 2 ? 0x1p-56 : 0x1p-34));
}

static void check_limits(wedge_device *dev, wedge_dtype dtype, double step, wedge_prune prune) {
    problem p = on_a_line(WEDGE_CONDENSED, dtype, step);
    cell_list c = list_cells(dev, &p);
    p.pairs.prune = prune;
    unsigned most = compiles_slowly(dev) ? ENDS + 4 : LIMITS;
    for (unsigned k = 0; k < most; ++k) {
        double limit = limit_at(&c, k);
        check_count(dev, &c, limit);
        if (k % 4 == 3 && most == LIMITS) check_select(dev, &c, limit);
    }
    free_cells(&c);
    free(p.points);
}

static void limits_are_rounded_to_nearest_on(wedge_device *dev) {
    for (int dtype = 0; dtype < (dev->info.has_double && !compiles_slowly(dev) ? 2 : 1); ++dtype) {
        check_limits(dev, (wedge_dtype)dtype, 0.1, WEDGE_PRUNE_NEVER);
        check_limits(dev, (wedge_dtype)dtype, 0.1, WEDGE_PRUNE_ALWAYS);
    }
    check_limits(dev, WEDGE_F32, 1e-40, WEDGE_PRUNE_NEVER);
    check_limits(dev, WEDGE_F32, 6e36, WEDGE_PRUNE_ALWAYS);
}

ON_EVERY_DEVICE(limits_are_rounded_to_nearest)

/* A finite radius stays so: an infinite value is within an infinite one alone. */
static void infinity_is_beyond_what_is_finite_on(wedge_device *dev) {
    problem p = make_problem("cityblock", WEDGE_CONDENSED, WEDGE_F32, 3, 1);
    set_number(&p, 0, 0, 0), set_number(&p, 1, 0, 1), set_number(&p, 2, 0, INFINITY);
    assert_int_equal(count_within(dev, &p, 1e300), 1);
    assert_int_equal(count_within(dev, &p, INFINITY), 3);
    free(p.points);
}

ON_EVERY_DEVICE(infinity_is_beyond_what_is_finite)

/* scatter: how many each row has within. */
static void rows_have_the_same_limit_on(wedge_device *dev) {
    problem p = on_a_line(WEDGE_SQUARE, WEDGE_F32, 0.1);
    cell_list c = list_cells(dev, &p);
    for (int k = 1; k < 20; k += 6) {
        const wedge_parameter set = WEDGE_NUMBER("radius", k * 0.1);
        wedge_job *job = sink_job(dev, &p.pairs, "scatter", &set, 1);
        float sums[N];
        int64_t counts[N] = {0}, all = N;
        wedge_result r = {.size = sizeof r, .values = sums, .counts = counts, .room = N};
        assert_ok(dev, wedge_job_run(job, 0, N * N, &r, NULL, NULL));
        for (int i = 0; i < N; ++i) all += counts[i];
        assert_int_equal(all, within(&c, k * 0.1)); /* with each point itself */
        wedge_job_destroy(job);
    }
    free_cells(&c);
    free(p.points);
}

ON_EVERY_DEVICE(rows_have_the_same_limit)

/* The outer edges stay finite; between them an edge beyond the dtype would make two bins one. */
static void outer_edges_stay_finite_on(wedge_device *dev) {
    if (compiles_slowly(dev)) NOTHING_HERE("edges are the host's; kernels take seconds to compile");
    problem p = on_a_line(WEDGE_CONDENSED, WEDGE_F32, 6e36);
    cell_list c = list_cells(dev, &p);
    const double edges[] = {-1e300, 0, 1e38, 1e300};
    const wedge_parameter given = WEDGE_LIST("edges", edges, 4);
    const wedge_parameter spaced[] = {WEDGE_NUMBER("max", 3.5e38), WEDGE_WHOLE("bins", 1)};
    const wedge_parameter far[] = {WEDGE_NUMBER("max", 1e300), WEDGE_WHOLE("bins", 2)};
    uint64_t counts[6];
    run_sink(dev, sink_job(dev, &p.pairs, "histogram", &given, 1), counts);
    assert_true(!counts[0] && !counts[3] && !counts[4] && counts[1] + counts[2] == c.count);
    assert_int_equal(counts[1], within(&c, (double)nextafterf(1e38f, 0)));
    run_sink(dev, sink_job(dev, &p.pairs, "histogram", spaced, 2), counts);
    assert_true(counts[0] == c.count && !counts[1] && !counts[2]);
    wedge_job_spec refused = p.pairs;
    wedge_job *job;
    refused.sink = "histogram", refused.sink_parameters = far, refused.sink_parameter_count = 2;
    assert_int_equal(wedge_job_create(dev, &refused, &job), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(dev), "edge 1 is 5e+299"));
    free_cells(&c);
    free(p.points);
}

ON_EVERY_DEVICE(outer_edges_stay_finite)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_value_prints_as_it_is_within), cmocka_unit_test(limits_are_rounded_to_nearest),
        cmocka_unit_test(infinity_is_beyond_what_is_finite), cmocka_unit_test(rows_have_the_same_limit),
        cmocka_unit_test(outer_edges_stay_finite)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
