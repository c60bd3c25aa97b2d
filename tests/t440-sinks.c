/* t440-sinks.c: count, select, summary and histogram on every device are what plain loops make of the stored values, and of
 * values from the definitions.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks_problem.h"

static const uint64_t sizes[] = {1, 2, 31, 33, 255, 257, 4097};
static const uint64_t features[] = {1, 2, 3, 4, 5, 17, 64};
enum { SIZES = 7, FEATURES = 7 };

/* One kernel per sink: every n around tiles. */
static void check_sizes(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t d,
                        int sinks, int most) {
    for (unsigned k = 0; k < (unsigned)most; ++k) {
        problem p = make_problem(op, layout, dtype, sizes[k], fitting(op, d));
        check_sinks(dev, &p, sinks, k, k == SIZES - 1 ? 1 : 2);
        free(p.points);
    }
}

typedef struct {
    const char *op;
    wedge_layout layout;
    wedge_dtype dtype;
    uint64_t d;
    int sinks, most; /* of them, and of the sizes */
} one_case;

/* Every layout, both skeletons, both kinds of number. */
static const one_case covering[] = {
    {"dot", WEDGE_CONDENSED, WEDGE_F32, 1, CHECK_ALL, SIZES},
    {"cityblock", WEDGE_CONDENSED, WEDGE_F32, 3, CHECK_ALL, SIZES - 1},
    {"euclidean", WEDGE_PACKED, WEDGE_F64, 5, CHECK_ALL, SIZES - 1},
    {"dot", WEDGE_RECTANGLE, WEDGE_F32, 17, CHECK_ALL, SIZES - 1},
    {"sqeuclidean", WEDGE_LOWER, WEDGE_F64, 2, CHECK_ALL, SIZES - 1},
    {"cosine", WEDGE_SQUARE, WEDGE_F32, 4, CHECK_ALL, SIZES - 1},
    {"jaccard", WEDGE_CONDENSED, WEDGE_F64, 64, CHECK_ALL, SIZES - 1},
    {"minkowski", WEDGE_PACKED, WEDGE_F32, 1, CHECK_ALL, SIZES - 1},
    {"canberra", WEDGE_LOWER, WEDGE_F32, 64, CHECK_ALL, SIZES - 1},
    {"chebyshev", WEDGE_RECTANGLE, WEDGE_F64, 1, CHECK_ALL, SIZES - 1},
    {"braycurtis", WEDGE_PACKED, WEDGE_F64, 1, CHECK_ALL, SIZES - 1}, /* 0 / 0: values that are NaN */
};

/* A kernel takes seconds to compile where a CPU's compiler does it, one of many features several. */
static const one_case covering_slow[] = {
    {"dot", WEDGE_CONDENSED, WEDGE_F32, 1, CHECK_ALL, SIZES},
    {"euclidean", WEDGE_CONDENSED, WEDGE_F32, 5, CHECK_SELECT | CHECK_SUMMARY, SIZES - 1},
    {"euclidean", WEDGE_RECTANGLE, WEDGE_F64, 3, CHECK_COUNT | CHECK_HISTOGRAM, SIZES - 1},
    {"sqeuclidean", WEDGE_LOWER, WEDGE_F64, 2, CHECK_SUMMARY, SIZES - 1},
};

/* Everything: each layout, kind of number, number of features and sink with two ops, in turn. The cpu, which compiles nothing,
 * with one always. */
static void every_combination(wedge_device *dev, int ops, int most) {
    unsigned turn = 0;
    for (int layout = 0; layout <= WEDGE_RECTANGLE; ++layout)
        for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype)
            for (int f = 0; f < FEATURES; ++f)
                for (int k = 0; k < ops; ++k) {
                    const char *op = wedge_op_at(2, (int)(5 * turn % (unsigned)wedge_op_count(2)))->name;
                    if (is_in_part(turn++)) check_sizes(dev, op, layout, dtype, features[f], CHECK_ALL, most);
                }
}

static void every_sink_is_right_on(wedge_device *dev) {
    bool slow = compiles_slowly(dev);
    const one_case *cases = slow ? covering_slow : covering;
    size_t count = slow ? sizeof covering_slow / sizeof *covering_slow : sizeof covering / sizeof *covering;
    for (size_t k = 0; k < count; ++k) {
        const one_case *c = &cases[k];
        if (c->dtype == WEDGE_F32 || dev->info.has_double)
            check_sizes(dev, c->op, c->layout, c->dtype, c->d, c->sinks, c->most);
    }
    if (test_everything())
        every_combination(dev, 2, SIZES);
    else if (!dev->backend->compile)
        every_combination(dev, 1, SIZES - 3);
}

static void every_sink_is_right(void **state) {
    (void)state;
    on_every_device(every_sink_is_right_on);
}

/* Some compilers get no other (pairs_no_shared.h). */
static void the_skeleton_without_shared_memory_is_right_on(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it has skeletons of its own");
    dev->no_shared = true;
    int sinks = compiles_slowly(dev) ? CHECK_SELECT | CHECK_HISTOGRAM : CHECK_ALL; /* the others are below */
    check_sizes(dev, "euclidean", WEDGE_CONDENSED, WEDGE_F32, 3, sinks, SIZES - 1);
    check_sizes(dev, "cityblock", WEDGE_RECTANGLE, WEDGE_F32, 17, CHECK_COUNT | CHECK_SUMMARY, SIZES - 1);
}

static void the_skeleton_without_shared_memory_is_right(void **state) {
    (void)state;
    on_every_device(the_skeleton_without_shared_memory_is_right_on);
}

/* Devices count few bins in shared memory, a set per warp; more in one set; many in global memory. */
static void few_and_many_bins_are_right_on(wedge_device *dev) {
    static const uint32_t bins[] = {1, 1000, 1001, 3500, 3501, 100000};
    problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 257, 1);
    problem many = make_problem("cityblock", WEDGE_CONDENSED, WEDGE_F32, 257, 5);
    cell_list c = list_cells(dev, &p);
    for (int k = 0; k < 6; ++k)
        if (!compiles_slowly(dev) || k == 4) check_even_bins(dev, &c, -33, 40, bins[k]);
    free_cells(&c);
    if (!compiles_slowly(dev)) {
        c = list_cells(dev, &many);
        for (int k = 0; k < 6; ++k) check_even_bins(dev, &c, 1.0 / 3, 50, bins[k]);
        free_cells(&c);
    }
    free(p.points);
    free(many.points);
}

static void few_and_many_bins_are_right(void **state) {
    (void)state;
    on_every_device(few_and_many_bins_are_right_on);
}

/* ---- Apart from the library's own values ---- */

/* A number that no value is close to, about the `share`-th of them. */
static double gap_near(const double *v, uint64_t count, double share) {
    for (uint64_t k = (uint64_t)(share * (double)count); k + 1 < count; ++k)
        if (v[k + 1] - v[k] > 1e-3) return (v[k] + v[k + 1]) / 2;
    fail_msg("no gap after %g of the values", share);
    return 0;
}

/* The stored values replaced by those of the definitions. */
static void replace_values(cell_list *c) {
    uint64_t others = c->p->pairs.layout == WEDGE_RECTANGLE ? c->p->pairs.n : 0;
    for (uint64_t k = 0; k < c->count; ++k) c->v[k] = oracle(c->p, c->i[k], c->j[k] + others);
}

static void sinks_are_as_the_definitions_say(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype,
                                             uint64_t d, int sinks) {
    problem p = make_problem(op, layout, dtype, 130, d);
    cell_list c = list_cells(dev, &p);
    uint64_t count;
    replace_values(&c);
    double *v = sorted_values(&c, &count), radius = gap_near(v, count, 0.4);
    double edges[11];
    for (int e = 0; e <= 10; ++e) edges[e] = gap_near(v, count, 0.1 + 0.07 * e);
    wedge_summary s = {.size = sizeof s};
    if (sinks & CHECK_COUNT) check_count(dev, &c, radius);
    if (sinks & CHECK_HISTOGRAM) check_given_bins(dev, &c, edges, 10);
    if (sinks & CHECK_SUMMARY) {
        run_sink(dev, sink_job(dev, &p.pairs, "summary", NULL, 0), &s);
        double high, low, magnitude;
        sum_cells(&c, &high, &low, &magnitude);
        assert_true(fabs(s.sum - high) <= 1e-4 * magnitude);
        assert_true(fabs(s.min - v[0]) <= 1e-4 && fabs(s.max - v[count - 1]) <= 1e-3);
        assert_true(fabs(oracle(&p, s.max_i, s.max_j) - v[count - 1]) <= 1e-3);
    }
    if (sinks & CHECK_SELECT) {
        const wedge_parameter set = WEDGE_NUMBER("radius", radius);
        uint64_t want = within(&c, radius);
        int64_t *pairs = malloc(16 * want);
        wedge_job *job = sink_job(dev, &p.pairs, "select", &set, 1);
        wedge_result r = {.size = sizeof r, .indices = pairs, .room = want};
        assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
        assert_selected(&c, radius, 0, r.count, pairs, NULL);
        wedge_job_destroy(job);
        free(pairs);
    }
    free(v);
    free_cells(&c);
    free(p.points);
}

static void sinks_agree_with_the_definitions_on(wedge_device *dev) {
    bool slow = compiles_slowly(dev);
    sinks_are_as_the_definitions_say(dev, "dot", WEDGE_CONDENSED, WEDGE_F32, 1, CHECK_ALL);
    sinks_are_as_the_definitions_say(dev, "euclidean", WEDGE_CONDENSED, WEDGE_F32, 5,
                                     slow ? CHECK_SELECT | CHECK_SUMMARY : CHECK_ALL);
    if (slow) return;
    sinks_are_as_the_definitions_say(dev, "sqeuclidean", WEDGE_SQUARE, WEDGE_F32, 17, CHECK_ALL);
    if (dev->info.has_double) sinks_are_as_the_definitions_say(dev, "euclidean", WEDGE_PACKED, WEDGE_F64, 2, CHECK_ALL);
}

static void sinks_agree_with_the_definitions(void **state) {
    (void)state;
    on_every_device(sinks_agree_with_the_definitions_on);
}

/* ---- More pairs than 32 bits count ---- */

/* Five billion, all within the radius and in one bin. Counters of devices have 32 bits, many bins one set for all. */
static void billions_are_counted_on(wedge_device *dev) {
    enum { N = 100000 };
    if (!test_everything() || !is_in_part(1)) NOTHING_HERE("WEDGE_TEST_FULL is not set, or another part");
    const uint64_t all = (uint64_t)N * (N - 1) / 2;
    float *points = calloc(N, sizeof *points);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .n = N, .d = 1};
    pairs.points = points;
    const wedge_parameter radius = WEDGE_NUMBER("radius", 0);
    uint64_t *counts = malloc((3501 + 3) * sizeof *counts);
    assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "count", &radius, 1), counts), all);
    assert_int_equal(counts[0], all);
    assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "select", &radius, 1), NULL), all);
    for (uint32_t bins = 10; bins < 5000; bins += 3491) {
        const wedge_parameter set[] = {WEDGE_NUMBER("max", 1), WEDGE_WHOLE("bins", bins)};
        assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "histogram", set, 2), counts), all);
        assert_int_equal(counts[0], all);
        assert_int_equal(counts[1], 0);
    }
    wedge_summary s = {.size = sizeof s};
    points[N - 1] = 3;
    assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "summary", NULL, 0), &s), all);
    assert_true(s.sum == 3.0 * (N - 1) && s.max == 3 && s.max_i == 0 && s.max_j == N - 1 && s.min_j == 1);
    free(counts);
    free(points);
}

static void billions_are_counted(void **state) {
    (void)state;
    on_every_device(billions_are_counted_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sink_is_right),         cmocka_unit_test(the_skeleton_without_shared_memory_is_right),
        cmocka_unit_test(few_and_many_bins_are_right), cmocka_unit_test(sinks_agree_with_the_definitions),
        cmocka_unit_test(billions_are_counted),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
