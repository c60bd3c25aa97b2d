/* t510-lab-sinks.c: a sink that does not find what plain loops find is not timed; and what the judge makes of those that do.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "bench/lab.h"
#include "bench/stats.h"
#include "devices.h"

#define BUDGET 3600 /* seconds, and never spent */

static const experiment *sinks_of(uint32_t d) {
    for (int e = 0; e < experiment_count; ++e)
        if (experiments[e].sinks && !experiments[e].tasks && experiments[e].engine->d == d) return &experiments[e];
    return NULL;
}

/* A row that is prepared and right; `harm` then makes the check believe in other points, and it must say `word`. */
static void is_caught(wedge_device *dev, const sink_wish *wish, uint64_t n, void (*harm)(float *points),
                      const char *word) {
    bench_result result = {.noise_target = 1};
    lab l = {0};
    const experiment *e = sinks_of(3);
    runner r = {.engine = e->engine, .sink = wish};
    arena a = {.experiment = e, .n = n};
    assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
    assert_ok(dev, dev->backend->buffer_new(dev, sinks_bytes(dev, n * (n - 1) / 2), ON_DEVICE, &a.out));
    assert_ok(dev, runner_prepare(&l, &a, &r));
    assert_ok(dev, verify_runner(&l, &a, &r));
    if (r.row.status != ROW_OK || !r.row.verified) fail_msg("%s of %u: %s", wish->name, (unsigned)n, r.row.remark);
    harm(r.points);
    assert_ok(dev, verify_runner(&l, &a, &r));
    if (r.row.status != ROW_FAILED || r.row.verified || !strstr(r.row.remark, word))
        fail_msg("%s of %u passed: '%s', not '%s'", wish->name, (unsigned)n, r.row.remark, word);
    runner_free(&l, &r);
    dev->backend->buffer_free(dev, &a.out);
    lab_close(&l);
}

static void move_point_59(float *points) { points[59 * 3] += 3; }

static void wrong_sinks_are_caught(wedge_device *dev) {
    static const char *const words[] = {"a distance", "pairs within the radius", "pairs within the radius",
                                        "the sum",    "of the histogram",        "of the histogram"};
    const sink_wish *all = sinks_of(3)->sinks;
    for (int k = 0; all[k].name; ++k) is_caught(dev, &all[k], 60, move_point_59, words[k]);
}

static void one_point_elsewhere_is_caught_by_every_sink(void **state) {
    (void)state;
    on_every_device(wrong_sinks_are_caught);
}

/* Of 1,200 points rows are tried by samples, and row 7 is none of them: what they miss, the whole shows. */
static void put_point_7_onto_8(float *points) {
    for (int f = 0; f < 3; ++f) points[7 * 3 + f] = points[8 * 3 + f];
}

static void wrong_wholes_are_caught(wedge_device *dev) {
    const sink_wish *all = sinks_of(3)->sinks;
    if (compiles_slowly(dev)) NOTHING_HERE("the same loops as on the cpu");
    for (int k = 0; all[k].name; ++k)
        if (!strcmp(all[k].sink, "select")) is_caught(dev, &all[k], 1200, put_point_7_onto_8, "pairs of the whole");
}
static void a_whole_that_rows_do_not_show_is_caught(void **state) {
    (void)state;
    on_every_device(wrong_wholes_are_caught);
}

/* Rows are rates of all pairs, and their checks count on the caller's order: no row leaves out tiles, also of points so many
 * that jobs do so by themselves. */
static void rows_compute_every_pair_on(wedge_device *dev) {
    enum { MANY = 9000 };
    const sink_wish *all = sinks_of(3)->sinks;
    if (dev->backend->compile) NOTHING_HERE("too many points for a test from where on GPUs leave out tiles");
    for (int k = 0; all[k].name; ++k)
        if (all[k].within) is_caught(dev, &all[k], MANY, move_point_59, "of the whole");
}

static void rows_compute_every_pair(void **state) {
    (void)state;
    on_every_device(rows_compute_every_pair_on);
}

/* ---- What the judge makes of them ---- */

static bench_row made_row(const char *sink, double *samples, uint64_t cells) {
    bench_row row = {.map = "engine", .dtype = "f32", .features = 4, .cells = cells};
    row.flops = 3.0 * 4 * (double)cells;
    snprintf(row.sink, sizeof row.sink, "%s", sink);
    row.time = (timing){.samples = samples, .count = 3};
    timing_finish(&row.time);
    return row;
}

/* store took 1, 2 and 9 seconds for 100 cells, count 3, 1 and 9 for 200: per cell a factor of 2/3, 4 and 2. */
static void the_share_of_store_is_the_median_of_rounds(void **state) {
    double first[3] = {1, 2, 9}, second[3] = {3, 1, 9};
    bench_row store = made_row("store", first, 100), count = made_row("count", second, 200), *all[] = {&store, &count};
    bench_result result = {0};
    (void)state;
    judge_group(&result, all, 2);
    assert_true(store.of_store == 1 && count.of_store == 2);
    bench_row *alone[] = {&count};
    count.of_store = 0;
    judge_group(&result, alone, 1);
    assert_true(count.of_store == 0);
}

/* Four cells of four features are half of the 32 features per second that can be issued; four roots are most of five. */
static void sinks_are_held_against_issue_and_those_of_values_against_roots(void **state) {
    double one[3] = {1, 1, 1};
    bench_row count = made_row("count", one, 4), summary = made_row("summary", one, 4), *all[] = {&count, &summary};
    bench_result result = {.step = {.rate = 32}, .root = {.rate = 5}};
    (void)state;
    judge_group(&result, all, 2);
    assert_true(count.share == 0.5 && !strcmp(count.limit, "issue"));
    assert_true(summary.share == 0.8 && !strcmp(summary.limit, "root"));
    result.step.rate = 0, result.fma.rate = 128; /* a GPU's */
    judge_group(&result, all, 2);
    assert_true(count.share == 0.5 && !strcmp(count.limit, "issue") && !count.share_fill);
}

/* Half a million points in 3 dimensions: 50 of them lie within such a ball. */
static void a_ball_has_fifty_points(void **state) {
    double r3 = sinks_radius(500000, 3), r4 = sinks_radius(500000, 4), pi = acos(-1);
    (void)state;
    assert_true(fabs(500000 * 4.0 / 3 * pi * r3 * r3 * r3 - 50) < 1e-6);
    assert_true(fabs(500000 * 0.5 * pi * pi * r4 * r4 * r4 * r4 - 50) < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_elsewhere_is_caught_by_every_sink),
        cmocka_unit_test(a_whole_that_rows_do_not_show_is_caught),
        cmocka_unit_test(rows_compute_every_pair),
        cmocka_unit_test(the_share_of_store_is_the_median_of_rounds),
        cmocka_unit_test(sinks_are_held_against_issue_and_those_of_values_against_roots),
        cmocka_unit_test(a_ball_has_fifty_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
