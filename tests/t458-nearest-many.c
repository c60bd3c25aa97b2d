/* t458-nearest-many.c: the nearest of many points, known from where they lie, and how little is computed for them; jobs
 * of nearest that cannot be are refused.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest_problem.h"

/* ---- Many ---- */

/* The whole numbers 0 to n - 1 in an order of their own: point x is at place(x). */
static uint64_t place(uint64_t x, uint64_t n) { return x * 7919 % n; }

static problem whole_numbers(wedge_layout layout, uint64_t n) {
    problem p = {.pairs = {.size = sizeof p.pairs, .op = "euclidean", .layout = layout, .n = n, .d = 3}};
    assert_true(n % 7919 != 0);
    p.points = calloc(3 * n, sizeof(float));
    p.pairs.points = p.points;
    if (layout == WEDGE_RECTANGLE) p.pairs.m = n, p.pairs.others = p.points;
    for (uint64_t x = 0; x < n; ++x) set_number(&p, x, 0, (double)place(x, n));
    return p;
}

/* The nearest of place y: itself where that counts, then those around it, the smaller number first. Those of the ends
 * lie on one side. who[y]: the point there. */
static void assert_around(const uint32_t *who, uint64_t n, uint64_t y, bool itself, uint32_t k, const int64_t *columns,
                          const float *values) {
    int64_t want[MOST_K + 2];
    double away[MOST_K + 2];
    uint32_t count = 0;
    if (itself) want[count] = who[y], away[count++] = 0;
    for (uint64_t t = 1; count < k; ++t) {
        bool below = y >= t, above = y + t < n;
        uint32_t a = below ? who[y - t] : UINT32_MAX, b = above ? who[y + t] : UINT32_MAX;
        if (below || above) want[count] = a < b ? a : b, away[count++] = (double)t;
        if (below && above) want[count] = a < b ? b : a, away[count++] = (double)t;
    }
    for (uint32_t at = 0; at < k; ++at)
        if (columns[at] != want[at] || !((double)values[at] == away[at]))
            fail_msg("neighbour %d of %d of %d is %lld at %g, not %lld at %g", (int)at, (int)y, (int)n,
                     (long long)columns[at], (double)values[at], (long long)want[at], away[at]);
}

static void check_many(wedge_device *dev, wedge_layout layout, uint64_t n, uint32_t k, wedge_prune prune) {
    problem p = whole_numbers(layout, n);
    uint32_t *who = malloc(n * sizeof *who);
    for (uint64_t x = 0; x < n; ++x) who[place(x, n)] = (uint32_t)x;
    p.pairs.prune = prune;
    wedge_job *job = nearest_job(dev, &p, k, 0);
    neighbours to = room_for(n * k, 4);
    wedge_result r = result_in(&to, WANT_BOTH);
    assert_ok(dev, wedge_job_run(job, 0, n * n, &r, NULL, NULL));
    assert_int_equal(r.count, n * k);
    for (uint64_t x = 0; x < n; ++x)
        assert_around(who, n, place(x, n), layout == WEDGE_RECTANGLE, k, r.indices + x * k, (float *)r.values + x * k);
    if (prune == WEDGE_PRUNE_ALWAYS && k < 10) {
        const wedge_job_info *info = wedge_job_get_info(job);
        assert_true(info->computed >= n * k && info->computed < info->cells / 2);
    }
    wedge_job_destroy(job);
    free_neighbours(&to);
    free(p.points);
    free(who);
}

/* AUTO: from 5,793 points on it may choose. */
static void neighbours_of_many_are_found_on(wedge_device *dev) {
    bool slow = compiles_slowly(dev);
    check_many(dev, WEDGE_SQUARE, slow ? 5000 : dev->info.is_gpu ? 200000 : 30000, 3, WEDGE_PRUNE_ALWAYS);
    check_many(dev, WEDGE_RECTANGLE, slow ? 5000 : dev->info.is_gpu ? 100000 : 20000, 4, WEDGE_PRUNE_ALWAYS);
    check_many(dev, WEDGE_SQUARE, slow ? 2000 : 6000, 3, WEDGE_PRUNE_AUTO);
    check_many(dev, WEDGE_SQUARE, slow ? 2000 : 6000, 100, WEDGE_PRUNE_NEVER);
    if (test_everything() && !slow && is_in_part(2)) check_many(dev, WEDGE_SQUARE, 2000000, 3, WEDGE_PRUNE_ALWAYS);
}

static void neighbours_of_many_are_found(void **state) {
    (void)state;
    on_every_device(neighbours_of_many_are_found_on);
}

/* More than go to the host at a time. */
static void batches_join_on(wedge_device *dev) {
    if (!dev->info.is_gpu) NOTHING_HERE("too many for a CPU");
    for (int prune = WEDGE_PRUNE_NEVER; prune <= WEDGE_PRUNE_ALWAYS; ++prune)
        check_many(dev, WEDGE_SQUARE, 17000, MOST_K, prune);
}

static void batches_join(void **state) {
    (void)state;
    on_every_device(batches_join_on);
}

/* ---- Refused ---- */

static wedge_status made(wedge_device *dev, const char *op, wedge_layout layout, wedge_prune prune,
                         const wedge_parameter *set, size_t count) {
    problem p = make_problem(op, layout, WEDGE_F32, 4, fitting(op, 3));
    wedge_job *job = NULL;
    p.pairs.prune = prune, p.pairs.sink = "nearest", p.pairs.sink_parameters = set,
    p.pairs.sink_parameter_count = count;
    wedge_status status = wedge_job_create(dev, &p.pairs, &job);
    assert_true((job != NULL) == (status == WEDGE_OK));
    wedge_job_destroy(job);
    free(p.points);
    return status;
}

static void refuse(wedge_device *dev, const char *words, const wedge_parameter *set, size_t count) {
    assert_int_equal(made(dev, "euclidean", WEDGE_SQUARE, WEDGE_PRUNE_NEVER, set, count), WEDGE_BAD_ARGUMENT);
    if (!strstr(wedge_device_message(dev), words))
        fail_msg("'%s' says nothing of '%s'", wedge_device_message(dev), words);
}

static void odd_parameters_are_refused_on(wedge_device *dev) {
    static const int64_t bad[] = {0, -1, 1025, INT64_MAX, INT64_MIN, UINT32_MAX + INT64_C(2)}, good[] = {1, 2, 1024};
    static const double list[] = {1, 2};
    if (dev->backend->compile) NOTHING_HERE("refusals do not depend on the device");
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const wedge_parameter set = WEDGE_WHOLE("k", bad[k]);
        refuse(dev, "k", &set, 1);
        assert_non_null(strstr(wedge_device_message(dev), "1024"));
    }
    for (unsigned k = 0; k < 3; ++k) {
        const wedge_parameter set[] = {WEDGE_WHOLE("k", good[k]), WEDGE_FLAG("values", k % 2)};
        assert_ok(dev, made(dev, "euclidean", WEDGE_SQUARE, WEDGE_PRUNE_NEVER, set, 2));
    }
    const wedge_parameter two = WEDGE_LIST("k", list, 2), values[] = {WEDGE_WHOLE("k", 1), WEDGE_NUMBER("values", 1)};
    const wedge_parameter radius[] = {WEDGE_WHOLE("k", 1), WEDGE_NUMBER("radius", 2)};
    refuse(dev, "k", NULL, 0);
    refuse(dev, "k", &two, 1);
    refuse(dev, "values", &values[1], 1);
    refuse(dev, "values is a flag, not a number", values, 2);
    refuse(dev, "radius", radius, 2);
}

static void odd_parameters_are_refused(void **state) {
    (void)state;
    on_every_device(odd_parameters_are_refused_on);
}

/* Whole rows are those of a square and a rectangle; a bound is that of ops that have one. */
static void odd_jobs_are_refused_on(wedge_device *dev) {
    static const wedge_layout odd_layouts[] = {WEDGE_CONDENSED, WEDGE_PACKED, WEDGE_LOWER};
    const wedge_parameter k = WEDGE_WHOLE("k", 2);
    if (dev->backend->compile) NOTHING_HERE("refusals do not depend on the device");
    for (int x = 0; x < 3; ++x) {
        assert_int_equal(made(dev, "euclidean", odd_layouts[x], WEDGE_PRUNE_NEVER, &k, 1), WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(wedge_device_message(dev), "square"));
        assert_non_null(strstr(wedge_device_message(dev), "rectangle"));
    }
    assert_int_equal(made(dev, "cosine", WEDGE_SQUARE, WEDGE_PRUNE_ALWAYS, &k, 1), WEDGE_UNSUPPORTED);
    assert_ok(dev, made(dev, "cosine", WEDGE_SQUARE, WEDGE_PRUNE_AUTO, &k, 1));
    assert_ok(dev, made(dev, "euclidean", WEDGE_SQUARE, WEDGE_PRUNE_ALWAYS, &k, 1));
    assert_ok(dev, made(dev, "euclidean", WEDGE_RECTANGLE, WEDGE_PRUNE_ALWAYS, &k, 1));
}

static void odd_jobs_are_refused(void **state) {
    (void)state;
    on_every_device(odd_jobs_are_refused_on);
}

/* There is nothing to add up, and a range is one of the job's. */
static void it_keeps_no_state_on(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_SQUARE, WEDGE_F32, 4, 3);
    wedge_job *job = nearest_job(dev, &p, 2, 0);
    uint64_t states[8] = {0};
    neighbours to = room_for(8, 4);
    wedge_result r = result_in(&to, WANT_BOTH);
    assert_string_equal(wedge_job_get_info(job)->sink, "nearest");
    assert_int_equal(wedge_job_get_info(job)->state_bytes, 0);
    assert_int_equal(wedge_job_merge(job, states, states + 4), WEDGE_UNSUPPORTED);
    assert_int_equal(wedge_job_run(job, 0, 20, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_job_run(job, 8, 4, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_written(&to, 0, 0);
    free_neighbours(&to);
    wedge_job_destroy(job);
    free(p.points);
}

static void it_keeps_no_state(void **state) {
    (void)state;
    on_every_device(it_keeps_no_state_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_of_many_are_found),
        cmocka_unit_test(batches_join),
        cmocka_unit_test(odd_parameters_are_refused),
        cmocka_unit_test(odd_jobs_are_refused),
        cmocka_unit_test(it_keeps_no_state),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
