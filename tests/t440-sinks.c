/* t440-sinks.c: count, select, summary and histogram on every device are what plain loops make of the stored values, and of
 * values from the definitions.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks_problem.h"

enum { COUNT = 1, SELECT = 2, SUMMARY = 4, HISTOGRAM = 8, ALL = 15 };

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The finite values, ascending. */
static double *sorted_values(const cell_list *c, uint64_t *count) {
    double *v = malloc(c->count * sizeof *v + 1);
    *count = 0;
    for (uint64_t k = 0; k < c->count; ++k)
        if (isfinite(c->v[k])) v[(*count)++] = c->v[k];
    qsort(v, *count, sizeof *v, by_value);
    return v;
}

/* Radii at, just below and just above values, and where nothing or everything is within. */
static double radius_at(const double *v, uint64_t count, unsigned k) {
    static const double fixed[] = {0, INFINITY, -1, 1e300, -INFINITY, 1.0 / 3};
    if (k % 2 || !count) return fixed[k / 2 % 6];
    double value = v[count * (k / 2 % 5) / 5];
    return k % 3 == 0 ? value : nextafter(value, k % 3 == 1 ? -INFINITY : INFINITY);
}

/* Edges that are values, with equals among them; evenly and geometrically spaced ones from value to value, and ones that
 * leave values on both sides. */
static void check_histograms(wedge_device *dev, const cell_list *c, const double *v, uint64_t count, unsigned turn,
                             unsigned turns) {
    enum { BINS = 10 };
    double edges[BINS + 1], low = count ? v[0] : 0, high = count ? v[count - 1] : 1, middle = count ? v[count / 2] : 0;
    for (uint64_t e = 0; e <= BINS; ++e) edges[e] = count ? v[(count - 1) * e / BINS] : (double)e;
    if (!(low < high)) low -= 1, high += 1;
    uint64_t above = 0;
    while (above < count && v[above] <= 0) ++above;
    double least = above < count ? v[above] : 0.5, most = above < count ? v[count - 1] : 8;
    for (unsigned k = turn; k < turn + turns; ++k) {
        if (k % 4 == 0) check_even_bins(dev, c, low, high, BINS);
        if (k % 4 == 1) check_given_bins(dev, c, edges, BINS);
        if (k % 4 == 2) check_even_bins(dev, c, middle - (high - low) / 7, middle + (high - low) / 5, BINS);
        if (k % 4 == 3) check_log_bins(dev, c, least, most > least ? most : 2 * least, BINS);
    }
}

/* Points are multiples of 1/64 below 8 (pairs_problem.h): 32 such values together are a float. */
static bool sums_exactly(const wedge_pairs *p) {
    return !strcmp(p->op, "cityblock") || !strcmp(p->op, "chebyshev") || (!strcmp(p->op, "dot") && p->d == 1);
}

/* `turns`: how many radii and kinds of edges are tried, from the `turn`-th on. */
static void check_sinks(wedge_device *dev, const problem *p, int sinks, unsigned turn, unsigned turns) {
    cell_list c = list_cells(dev, p);
    uint64_t count;
    double *v = sorted_values(&c, &count);
    if (p->pairs.layout == WEDGE_LOWER) sinks &= ~SELECT; /* refused: t441 */
    for (unsigned k = 3 * turn; k < 3 * turn + turns && sinks & COUNT; ++k)
        check_count(dev, &c, radius_at(v, count, k));
    for (unsigned k = turn; k < turn + turns && sinks & SELECT; ++k) check_select(dev, &c, radius_at(v, count, 5 * k));
    if (sinks & SUMMARY) check_summary(dev, &c, sums_exactly(&p->pairs));
    if (sinks & HISTOGRAM) check_histograms(dev, &c, v, count, turn, turns);
    free(v);
    free_cells(&c);
}

static const uint64_t sizes[] = {1, 2, 31, 33, 255, 257, 4097};
static const uint64_t features[] = {1, 2, 3, 4, 5, 17, 64};
enum { SIZES = 7, FEATURES = 7 };

/* One kernel per sink: every n around tiles. */
static void check_sizes(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t d,
                        int sinks, int most) {
    for (unsigned k = 0; k < (unsigned)most; ++k) {
        problem p = make_problem(op, layout, dtype, sizes[k], d);
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
    {"dot", WEDGE_CONDENSED, WEDGE_F32, 1, ALL, SIZES},
    {"cityblock", WEDGE_CONDENSED, WEDGE_F32, 3, ALL, SIZES - 1},
    {"euclidean", WEDGE_PACKED, WEDGE_F64, 5, ALL, SIZES - 1},
    {"dot", WEDGE_RECTANGLE, WEDGE_F32, 17, ALL, SIZES - 1},
    {"sqeuclidean", WEDGE_LOWER, WEDGE_F64, 2, ALL, SIZES - 1},
    {"cosine", WEDGE_SQUARE, WEDGE_F32, 4, ALL, SIZES - 1},
    {"jaccard", WEDGE_CONDENSED, WEDGE_F64, 64, ALL, SIZES - 1},
    {"minkowski", WEDGE_PACKED, WEDGE_F32, 1, ALL, SIZES - 1},
    {"canberra", WEDGE_LOWER, WEDGE_F32, 64, ALL, SIZES - 1},
    {"chebyshev", WEDGE_RECTANGLE, WEDGE_F64, 1, ALL, SIZES - 1},
};

/* A kernel takes seconds to compile where a CPU's compiler does it, one of many features several. */
static const one_case covering_slow[] = {
    {"dot", WEDGE_CONDENSED, WEDGE_F32, 1, ALL, SIZES},
    {"euclidean", WEDGE_CONDENSED, WEDGE_F32, 5, SELECT | SUMMARY, SIZES - 1},
    {"euclidean", WEDGE_RECTANGLE, WEDGE_F64, 3, COUNT | SELECT | HISTOGRAM, SIZES - 1},
    {"sqeuclidean", WEDGE_LOWER, WEDGE_F64, 2, SUMMARY, SIZES - 1},
};

/* Everything: each layout, kind of number, number of features and sink with two ops, in turn. The cpu, which compiles nothing,
 * with one always. */
static void every_combination(wedge_device *dev, int ops, int most) {
    unsigned turn = 0;
    for (int layout = 0; layout <= WEDGE_RECTANGLE; ++layout)
        for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype)
            for (int f = 0; f < FEATURES; ++f)
                for (int k = 0; k < ops; ++k) {
                    const char *op = wedge_op_at((int)(5 * turn++ % (unsigned)wedge_op_count()))->name;
                    check_sizes(dev, op, layout, dtype, features[f], ALL, most);
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

/* Devices count few bins in shared memory, a set per warp; more in one set; many in global memory. */
static void few_and_many_bins_are_right_on(wedge_device *dev) {
    static const uint32_t bins[] = {1, 1000, 1001, 4000, 4001, 100000};
    problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 257, 1);
    problem many = make_problem("cityblock", WEDGE_CONDENSED, WEDGE_F32, 257, 5);
    cell_list c = list_cells(dev, &p);
    for (int k = 0; k < 6; ++k)
        if (!compiles_slowly(dev) || k == 2 || k == 4) check_even_bins(dev, &c, -33, 40, bins[k]);
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

/* ---- Values that are not like others ---- */

/* Points of one number whose products are NaN, infinite of both signs, zeros of both signs, huge and tiny. */
static void fill_odd(problem *p, const float *odd, int count, uint64_t from) {
    for (uint64_t x = from; x < p->pairs.n; ++x) {
        float v = odd[x % (uint64_t)count];
        for (uint64_t f = 0; f < p->pairs.d; ++f)
            if (p->pairs.dtype == WEDGE_F64)
                ((double *)p->points)[x * p->pairs.d + f] = (double)v;
            else
                ((float *)p->points)[x * p->pairs.d + f] = v;
    }
}

/* NaN, both infinities and zeros of both signs: in places, everywhere, and after many other values. */
static void odd_values_are_counted_on(wedge_device *dev) {
    static const float mixed[] = {1e30f, -2e30f, 0, -0.0f, 3, 1e-30f, NAN}, above[] = {1e30f, 1, 2},
                       below[] = {-1e30f, 1e30f, 0, 5}, nothing[] = {NAN}, zeros[] = {-0.0f, 0.0f};
    static const struct {
        const float *odd;
        int count;
        uint64_t n, from;
    } cases[] = {{mixed, 7, 40, 0}, {mixed, 7, 300, 290}, {mixed, 7, 257, 0},  {above, 3, 70, 35},
                 {below, 4, 70, 0}, {nothing, 1, 70, 0},  {nothing, 1, 70, 1}, {zeros, 2, 70, 0}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; ++k) {
        problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, cases[k].n, 1);
        fill_odd(&p, cases[k].odd, cases[k].count, cases[k].from);
        check_sinks(dev, &p, ALL, k, 4);
        free(p.points);
    }
}

static void odd_values_are_counted(void **state) {
    (void)state;
    on_every_device(odd_values_are_counted_on);
}

/* The sum of 32 values is beyond the largest float, that of all is a double. */
static void leaves_that_overflow_are_added_one_by_one_on(wedge_device *dev) {
    static const float huge[] = {0x1p63f}, both[] = {0x1p63f, -0x1p63f, 0x1p62f};
    for (int k = 0; k < 2; ++k) {
        problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 200, 1);
        fill_odd(&p, k ? both : huge, k ? 3 : 1, 0);
        cell_list c = list_cells(dev, &p);
        assert_true(isfinite(c.v[0]) && fabs(c.v[0]) > 1e37);
        check_summary(dev, &c, true);
        free_cells(&c);
        free(p.points);
    }
}

static void leaves_that_overflow_are_added_one_by_one(void **state) {
    (void)state;
    on_every_device(leaves_that_overflow_are_added_one_by_one_on);
}

/* All values 0: every pair is within radius 0, all are in one bin, the first cell is both extremes. */
static void check_zeros(wedge_device *dev, problem *p, float point) {
    fill_odd(p, &point, 1, 0);
    cell_list c = list_cells(dev, p);
    assert_int_equal(within(&c, 0), p->pairs.n * (p->pairs.n - 1) / 2);
    check_count(dev, &c, 0);
    check_count(dev, &c, -0x1p-149);
    check_select(dev, &c, 0);
    check_summary(dev, &c, true);
    check_even_bins(dev, &c, 0, 1, 10);
    check_even_bins(dev, &c, -1, 0, 10);
    free_cells(&c);
    free(p->points);
}

static void equal_points_are_all_within_0_on(wedge_device *dev) {
    problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 257, 1);
    check_zeros(dev, &p, 0);
    if (compiles_slowly(dev)) return;
    p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 257, 3);
    check_zeros(dev, &p, 1.25f);
}

static void equal_points_are_all_within_0(void **state) {
    (void)state;
    on_every_device(equal_points_are_all_within_0_on);
}

/* ---- Instruction sets ---- */

static void sinks_are_right(wedge_device *dev) {
    check_sizes(dev, "euclidean", WEDGE_CONDENSED, WEDGE_F32, 3, ALL, SIZES - 1);
    check_sizes(dev, "cityblock", WEDGE_PACKED, WEDGE_F64, 5, ALL, SIZES - 1);
    odd_values_are_counted_on(dev);
    leaves_that_overflow_are_added_one_by_one_on(dev);
}

/* The best one is what other tests run. */
static void every_instruction_set_is_right(void **state) {
    (void)state;
    once_for_all_devices();
    for (int isa = 0; isa < ISA_COUNT; ++isa)
        if (native_isa_choose(native_isa_name(isa)) != ISA_COUNT) on_cpu(native_isa_name(isa), NULL, sinks_are_right);
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
    wedge_summary s;
    if (sinks & COUNT) check_count(dev, &c, radius);
    if (sinks & HISTOGRAM) check_given_bins(dev, &c, edges, 10);
    if (sinks & SUMMARY) {
        run_sink(dev, sink_job(dev, &p.pairs, "summary", NULL, 0), &s);
        double high, low, magnitude;
        sum_cells(&c, &high, &low, &magnitude);
        assert_true(fabs(s.sum - high) <= 1e-4 * magnitude);
        assert_true(fabs(s.min - v[0]) <= 1e-4 && fabs(s.max - v[count - 1]) <= 1e-3);
        assert_true(fabs(oracle(&p, s.max_i, s.max_j) - v[count - 1]) <= 1e-3);
    }
    if (sinks & SELECT) {
        const wedge_parameter set = {.name = "radius", .value = radius};
        uint64_t want = within(&c, radius);
        int64_t *pairs = malloc(16 * want);
        wedge_job *job = sink_job(dev, &p.pairs, "select", &set, 1);
        wedge_result r = {.size = sizeof r, .pairs = pairs, .room = want};
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
    sinks_are_as_the_definitions_say(dev, "dot", WEDGE_CONDENSED, WEDGE_F32, 1, ALL);
    sinks_are_as_the_definitions_say(dev, "euclidean", WEDGE_CONDENSED, WEDGE_F32, 5, slow ? SELECT | SUMMARY : ALL);
    if (slow) return;
    sinks_are_as_the_definitions_say(dev, "sqeuclidean", WEDGE_SQUARE, WEDGE_F32, 17, ALL);
    if (dev->info.has_double) sinks_are_as_the_definitions_say(dev, "euclidean", WEDGE_PACKED, WEDGE_F64, 2, ALL);
}

static void sinks_agree_with_the_definitions(void **state) {
    (void)state;
    on_every_device(sinks_agree_with_the_definitions_on);
}

/* ---- More pairs than 32 bits count ---- */

/* Five billion, all within the radius and in one bin. Counters of devices have 32 bits, many bins one set for all. */
static void billions_are_counted_on(wedge_device *dev) {
    enum { N = 100000 };
    if (!test_everything()) NOTHING_HERE("WEDGE_TEST_FULL is not set");
    const uint64_t all = (uint64_t)N * (N - 1) / 2;
    float *points = calloc(N, sizeof *points);
    wedge_pairs pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .n = N, .d = 1};
    pairs.points = points;
    const wedge_parameter radius = {"radius", 0, NULL, 0};
    uint64_t *counts = malloc((4001 + 3) * sizeof *counts);
    assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "count", &radius, 1), counts), all);
    assert_int_equal(counts[0], all);
    assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "select", &radius, 1), NULL), all);
    for (uint32_t bins = 10; bins < 5000; bins += 3991) {
        const wedge_parameter set[] = {{"max", 1, NULL, 0}, {"bins", bins, NULL, 0}};
        assert_int_equal(run_sink(dev, sink_job(dev, &pairs, "histogram", set, 2), counts), all);
        assert_int_equal(counts[0], all);
        assert_int_equal(counts[1], 0);
    }
    wedge_summary s;
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
        cmocka_unit_test(every_sink_is_right),
        cmocka_unit_test(few_and_many_bins_are_right),
        cmocka_unit_test(odd_values_are_counted),
        cmocka_unit_test(leaves_that_overflow_are_added_one_by_one),
        cmocka_unit_test(equal_points_are_all_within_0),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(sinks_agree_with_the_definitions),
        cmocka_unit_test(billions_are_counted),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
