/* t446-sink-recipe.c: the sink of docs/add-a-sink.md, built of the page itself, counts what a plain loop counts.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "core/random.h"
#include "devices.h"

enum { POINTS = 300, CELLS = POINTS * (POINTS - 1) / 2, FEW = 3, MANY = 20 };

typedef struct {
    uint64_t above, nan;
} counts;

/* Every 97th point is NaN. */
static void make_points(wedge_dtype dtype, uint32_t d, void *points) {
    for (uint32_t k = 0; k < POINTS * d; ++k) {
        float x = wedge_random_float(wedge_philox((wedge_random4){{k, 0, 0, 0}}, 11, 4).v[0]);
        if (k / d % 97 == 96) x = NAN;
        if (dtype == WEDGE_F64)
            ((double *)points)[k] = (double)x;
        else
            ((float *)points)[k] = x;
    }
}

static double value_at(wedge_dtype dtype, const void *values, uint64_t k) {
    return dtype == WEDGE_F64 ? ((const double *)values)[k] : (double)((const float *)values)[k];
}

static counts count_plainly(wedge_dtype dtype, const void *values, double limit) {
    counts c = {0, 0};
    if (dtype == WEDGE_F32) limit = (double)(float)limit; /* it is compared as the dtype has it */
    for (uint64_t k = 0; k < CELLS; ++k) {
        double v = value_at(dtype, values, k);
        c.above += v > limit, c.nan += v != v;
    }
    return c;
}

static counts run(wedge_device *dev, wedge_job *job, uint64_t begin, uint64_t end, void *state) {
    uint64_t found[2] = {0, 0};
    wedge_result result = {.size = sizeof result, .values = found, .state = state};
    assert_ok(dev, wedge_job_run(job, begin, end, &result, NULL, NULL));
    assert_int_equal(result.count, found[0]);
    return (counts){found[0], found[1]};
}

static void assert_counts(counts got, counts want) {
    if (got.above != want.above || got.nan != want.nan)
        fail_msg("%llu above and %llu NaN, should be %llu and %llu", (unsigned long long)got.above,
                 (unsigned long long)got.nan, (unsigned long long)want.above, (unsigned long long)want.nan);
}

/* The whole, twice; then in three ranges that end anywhere, the last of them merged. */
static void counts_are_right(wedge_device *dev, wedge_job *job, counts want) {
    uint64_t *state = calloc(2, wedge_job_get_info(job)->state_bytes), cuts[] = {0, 1234, 31001, CELLS};
    void *other = (char *)state + wedge_job_get_info(job)->state_bytes;
    assert_counts(run(dev, job, 0, CELLS, NULL), want);
    assert_counts(run(dev, job, 0, CELLS, NULL), want);
    run(dev, job, cuts[0], cuts[1], state);
    run(dev, job, cuts[2], cuts[3], other);
    assert_int_equal(wedge_job_merge(job, state, other), WEDGE_OK);
    assert_counts(run(dev, job, cuts[1], cuts[2], state), want);
    free(state);
}

static void the_sink_counts(wedge_device *dev, wedge_dtype dtype, uint32_t d) {
    static double points[POINTS * MANY], values[CELLS];
    wedge_parameter limit = WEDGE_NUMBER("limit", 0);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = dtype};
    wedge_job *job;
    pairs.n = POINTS, pairs.d = d, pairs.points = points;
    make_points(dtype, d, points);
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    assert_ok(dev, run_values(job, 0, CELLS, values, WEDGE_ON_HOST, NULL, NULL));
    wedge_job_destroy(job);
    const double some = value_at(dtype, values, 777); /* the nearest float of a limit just below is this one */
    const double limits[] = {some, some - 1e-12, -1, INFINITY};
    for (int k = 0; k < 4; ++k) {
        limit.value = limits[k];
        pairs.sink = "above", pairs.sink_parameters = &limit, pairs.sink_parameter_count = 1;
        assert_ok(dev, wedge_job_create(dev, &pairs, &job));
        counts_are_right(dev, job, count_plainly(dtype, values, limits[k]));
        wedge_job_destroy(job);
    }
}

static void recipe_counts(wedge_device *dev) {
    for (wedge_dtype dtype = WEDGE_F32; dtype <= WEDGE_F64; ++dtype) {
        if (dtype == WEDGE_F64 && (!dev->info.has_double || (compiles_slowly(dev) && !test_everything()))) continue;
        the_sink_counts(dev, dtype, FEW);
        the_sink_counts(dev, dtype, MANY);
    }
}

static void the_recipe_counts_what_a_plain_loop_counts(void **state) {
    (void)state;
    on_every_device(recipe_counts);
}

static void it_is_listed_and_refuses_what_it_cannot_take(void **state) {
    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job = NULL;
    const double points[4] = {0, 1, 2, 3};
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64};
    (void)state;
    once_for_all_devices();
    assert_string_equal(wedge_sink_find("above")->name, "above");
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    pairs.n = 4, pairs.d = 1, pairs.points = points, pairs.sink = "above";
    assert_int_equal(wedge_job_create(dev, &pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(dev), "limit"));
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_recipe_counts_what_a_plain_loop_counts),
                                       cmocka_unit_test(it_is_listed_and_refuses_what_it_cannot_take)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
