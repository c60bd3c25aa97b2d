/* t520-lab-tasks.c: a task whose result is not what plain loops find is not timed, wherever the result is broken; and what
 * is timed is found from the points that are on the device.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "bench/truth.h"
#include "devices.h"

#define BUDGET 3600 /* seconds, and never spent */

static const experiment *tasks_of(const char *name, uint32_t d) {
    for (int e = 0; e < experiment_count; ++e)
        if (experiments[e].tasks && !strcmp(experiments[e].name, name) && experiments[e].engine->d == d)
            return &experiments[e];
    fail_msg("no experiment %s with %u features", name, d);
    return NULL;
}

/* One row, ready to be verified. */
typedef struct {
    bench_result result;
    lab l;
    arena a;
    runner r;
} bench_of;

static void open_row(wedge_device *dev, bench_of *b, const experiment *e, int row, uint64_t n) {
    const sink_wish *wish = &e->sinks[row];
    *b = (bench_of){.result = {.noise_target = 1}, .a = {.experiment = e, .n = n}};
    b->r = (runner){.engine = wish->engine ? wish->engine : e->engine, .sink = wish};
    assert_ok(dev, lab_open(&b->l, dev, &b->result, BUDGET));
    assert_ok(dev, runner_prepare(&b->l, &b->a, &b->r));
}

static void close_row(bench_of *b) {
    runner_free(&b->l, &b->r);
    lab_close(&b->l);
}

static bool check(wedge_device *dev, bench_of *b, const task_answer *answer) {
    b->r.row.status = ROW_OK, b->r.row.remark[0] = 0;
    assert_ok(dev, tasks_check(&b->l, &b->a, &b->r, answer));
    return b->r.row.status == ROW_OK;
}

/* ---- Broken results ---- */

enum { POINTS = 700, NEAREST = 16 };

static void lose_a_pair(task_answer *t) { --t->count; }

static void list_a_pair_twice(task_answer *t) { memcpy(t->list + 8, t->list + 6, 2 * sizeof *t->list); }

static void swap_two_pairs(task_answer *t) {
    int64_t keep[2] = {t->list[0], t->list[1]};
    memcpy(t->list, t->list + 2, sizeof keep);
    memcpy(t->list + 2, keep, sizeof keep);
}

/* The first pair becomes one that is not within the radius: of 0 and the next point after it that is not listed. */
static void list_a_pair_too_far_away(task_answer *t) {
    int64_t last = 0;
    uint64_t k = 0;
    for (; k < t->count && t->list[2 * k] == 0 && t->list[2 * k + 1] == last + 1; ++k) last = t->list[2 * k + 1];
    assert_true(k < t->count);
    t->list[2 * k] = 0, t->list[2 * k + 1] = last + 1;
}

static void count_one_in_the_next_bin(task_answer *t) {
    uint64_t *counts = t->values;
    assert_true(counts[40] > 1);
    --counts[40], counts[41] += 1;
    counts[39] += 8, counts[38] -= 8; /* more than can be in doubt */
}

static void count_one_less(task_answer *t) { --((uint64_t *)t->values)[LAB_BINS + 1]; }

static void leave_a_neighbour_out(task_answer *t) { /* the last row's nearest; the last one is there twice */
    int64_t *row = t->list + (POINTS - 1) * NEAREST;
    float *values = (float *)t->values + (POINTS - 1) * NEAREST;
    memmove(row, row + 1, (NEAREST - 1) * sizeof *row);
    memmove(values, values + 1, (NEAREST - 1) * sizeof *values);
}

/* Neighbours two to seventeen, in order: each is right, but the first is missing. */
static void miss_the_nearest(task_answer *t, const runner *r) {
    int64_t *row = t->list + 5 * NEAREST;
    float *values = (float *)t->values + 5 * NEAREST;
    double best = INFINITY;
    int64_t next = -1;
    for (uint64_t j = 0; j < POINTS; ++j) {
        double v = engine_true_distance(r, 5, j);
        bool listed = j == 5;
        for (int k = 0; k < NEAREST; ++k) listed |= row[k] == (int64_t)j;
        if (!listed && v < best) best = v, next = (int64_t)j;
    }
    memmove(row, row + 1, (NEAREST - 1) * sizeof *row);
    memmove(values, values + 1, (NEAREST - 1) * sizeof *values);
    row[NEAREST - 1] = next, values[NEAREST - 1] = (float)best;
}

static void name_another_neighbour(task_answer *t) { t->list[3] = t->list[3] == 77 ? 78 : 77; }
static void be_ones_own_neighbour(task_answer *t) { t->list[9 * NEAREST] = 9; }
static void end_with_no_neighbour(task_answer *t) { t->list[NEAREST - 1] = -1; }
static void swap_two_neighbours(task_answer *t) {
    float *values = t->values, value = values[0];
    int64_t other = t->list[0];
    t->list[0] = t->list[1], t->list[1] = other;
    values[0] = values[1], values[1] = value;
}

static void turn_a_force(task_answer *t) { ((float *)t->values)[4 * 30 + 2] *= -1; }
static void forget_a_body(task_answer *t) { memset((float *)t->values + 4 * (POINTS - 1), 0, 4 * sizeof(float)); }
static void weaken_an_energy(task_answer *t) { ((float *)t->values)[4 * 3] *= 0.9999f; }
static void weaken_the_energy(task_answer *t) { ((wedge_summary *)t->values)->sum *= 0.9999; }
static void weaken_it_a_little(task_answer *t) { ((wedge_summary *)t->values)->sum *= 1 - 1e-8; }
static void count_a_cell_less(task_answer *t) { --((wedge_summary *)t->values)->count; }
static void move_the_smallest(task_answer *t) { ((wedge_summary *)t->values)->min_j ^= 1; }
static void raise_the_largest(task_answer *t) { ((wedge_summary *)t->values)->max *= 0.999; }

static const struct {
    const char *name;
    uint32_t d;
    int row;
    void (*harm)(task_answer *t);
    const char *word;
} harms[] = {
    {"within", 3, 0, lose_a_pair, "pairs"},
    {"within", 3, 0, list_a_pair_twice, "out of order"},
    {"within", 3, 1, swap_two_pairs, "out of order"},
    {"within", 3, 1, list_a_pair_too_far_away, "within the radius"},
    {"collide", 4, 0, lose_a_pair, "pairs"},
    {"collide", 4, 0, list_a_pair_twice, "out of order"},
    {"collide", 4, 1, swap_two_pairs, "out of order"},
    {"collide", 4, 1, list_a_pair_too_far_away, "within the radius"},
    {"histogram", 3, 0, count_one_in_the_next_bin, "from an edge"},
    {"histogram", 3, 1, count_one_less, "cells of the histogram"},
    {"knn", 3, 0, leave_a_neighbour_out, "out of order"},
    {"knn", 3, 0, name_another_neighbour, "the distance of a neighbour"},
    {"knn", 3, 1, be_ones_own_neighbour, "neighbour 0 of point 9 is 9"},
    {"knn", 3, 1, end_with_no_neighbour, "neighbour 15 of point 0 is -1"},
    {"knn", 64, 0, swap_two_neighbours, "out of order"},
    {"knn", 64, 1, name_another_neighbour, "the distance of a neighbour"},
    {"nbody", 4, 0, turn_a_force, "the force on body 30 along y"},
    {"nbody", 4, 0, forget_a_body, "the energy of a body"},
    {"nbody", 4, 0, weaken_an_energy, "the energy of a body"},
    {"nbody", 4, 1, weaken_the_energy, "the energy is"},
    {"nbody", 4, 2, count_a_cell_less, "cells of the summary"},
    {"nbody", 4, 2, move_the_smallest, "the smallest value"},
    {"nbody", 4, 1, raise_the_largest, "the largest value"},
    {"triplets", 3, 0, weaken_the_energy, "the energy is"},
    {"triplets", 3, 1, weaken_it_a_little, "the energy is"},
    {"triplets", 3, 1, count_a_cell_less, "triplets"},
    {"triplets", 3, 3, forget_a_body, "the energy is"},
};

static void broken_results_fail(wedge_device *dev) {
    for (size_t k = 0; k < sizeof harms / sizeof *harms; ++k) {
        bench_of b;
        task_answer answer;
        open_row(dev, &b, tasks_of(harms[k].name, harms[k].d), harms[k].row, POINTS);
        assert_ok(dev, tasks_answer(&b.l, &b.a, &b.r, &answer));
        if (!check(dev, &b, &answer)) fail_msg("%s, harm %zu: %s", harms[k].name, k, b.r.row.remark);
        harms[k].harm(&answer);
        if (check(dev, &b, &answer) || !strstr(b.r.row.remark, harms[k].word))
            fail_msg("%s, harm %zu: '%s', not '%s'", harms[k].name, k, b.r.row.remark, harms[k].word);
        tasks_answer_free(&answer);
        close_row(&b);
    }
}

/* More triplets than all are gone through: parts of the sum are compared, and their sum with the whole. */
static void broken_sums_of_many_fail(wedge_device *dev) {
    static const struct {
        void (*harm)(task_answer *t);
        const char *word;
    } sums[] = {{weaken_the_energy, "the energy is"}, {count_a_cell_less, "triplets"}};
    for (int row = 0; row < 2; ++row)
        for (uint64_t n = 40; n <= 300; n += 130) {
            bench_of b;
            task_answer answer;
            open_row(dev, &b, tasks_of("triplets", 3), row, n);
            b.l.every_triplet = 1000;
            assert_ok(dev, tasks_answer(&b.l, &b.a, &b.r, &answer));
            if (!check(dev, &b, &answer)) fail_msg("of a sample, n = %u: %s", (unsigned)n, b.r.row.remark);
            assert_non_null(strstr(b.r.row.remark, "verified by a sample: 64 parts, "));
            for (int k = 0; k < 2; ++k) {
                task_answer harmed;
                assert_ok(dev, tasks_answer(&b.l, &b.a, &b.r, &harmed));
                sums[k].harm(&harmed);
                if (check(dev, &b, &harmed) || !strstr(b.r.row.remark, sums[k].word))
                    fail_msg("a sample, harm %d: '%s', not '%s'", k, b.r.row.remark, sums[k].word);
                tasks_answer_free(&harmed);
            }
            for (uint64_t k = 0; k < 3 * n; ++k) /* what is compared has atoms a little further apart */
                if (row)
                    ((double *)b.r.points)[k] *= 1.001;
                else
                    ((float *)b.r.points)[k] *= 1.001f;
            assert_false(check(dev, &b, &answer));
            tasks_answer_free(&answer);
            close_row(&b);
        }
}

static void a_sum_over_many_triplets_is_verified_by_a_sample(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "2", broken_sums_of_many_fail);
}

/* The kernels with a thread per triplet: each map against the first, and fewer points against plain loops. */
static void cells_of_many_are_compared(wedge_device *dev) {
    const experiment *e = NULL;
    static const char *const maps[] = {"walk", NULL};
    for (int k = 0; k < experiment_count; ++k)
        if (experiments[k].energies) e = &experiments[k];
    for (int wrong = 0; wrong < 2; ++wrong) {
        bench_result result = {.noise_target = 1e9};
        lab l = {0};
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        l.every_triplet = 1000;
        if (wrong) l.cells_n = 60, l.cells_energy = 1; /* of another sum */
        assert_ok(dev, lab_run(&l, &(group_wish){e, 60, 4}, 1, maps));
        assert_int_equal(result.count, 2);
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(result.rows[k].status, wrong ? ROW_FAILED : ROW_OK);
            assert_non_null(strstr(result.rows[k].remark, wrong ? "the energy is" : "values verified at n = 19"));
        }
        lab_close(&l);
        result_free(&result);
    }
}

static void maps_of_many_triplets_agree(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", cells_of_many_are_compared);
}

static void every_broken_result_is_caught(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", broken_results_fail);
}

static void missed_neighbours_fail(wedge_device *dev) {
    bench_of b;
    task_answer answer;
    open_row(dev, &b, tasks_of("knn", 3), 0, POINTS);
    assert_ok(dev, tasks_answer(&b.l, &b.a, &b.r, &answer));
    miss_the_nearest(&answer, &b.r);
    assert_false(check(dev, &b, &answer));
    assert_non_null(strstr(b.r.row.remark, "point 5 has 16 nearer neighbours, and 15 are listed"));
    tasks_answer_free(&answer);
    close_row(&b);
}

static void a_neighbour_that_was_missed_is_caught(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", missed_neighbours_fail);
}

/* ---- Every run takes the points that are on the device ---- */

static void other_points_fail(wedge_device *dev) {
    static const struct {
        const char *name, *word;
    } all[] = {{"within", "pairs"},
               {"histogram", "of the histogram"},
               {"knn", "the distance of a neighbour"},
               {"collide", "pairs"},
               {"nbody", "the energy of a body"}};
    for (int k = 0; k < 5; ++k) {
        bench_of b;
        open_row(dev, &b, tasks_of(all[k].name, k >= 3 ? 4 : 3), 0, 1500);
        assert_ok(dev, verify_runner(&b.l, &b.a, &b.r));
        if (b.r.row.status != ROW_OK || !b.r.row.verified) fail_msg("%s: %s", all[k].name, b.r.row.remark);
        const float elsewhere[3] = {3, 3, 3};
        assert_ok(dev, wedge_memory_write(dev, b.r.there, 0, elsewhere, sizeof elsewhere));
        assert_ok(dev, verify_runner(&b.l, &b.a, &b.r));
        if (b.r.row.status != ROW_FAILED || b.r.row.verified || !strstr(b.r.row.remark, all[k].word))
            fail_msg("%s of other points: '%s', not '%s'", all[k].name, b.r.row.remark, all[k].word);
        close_row(&b);
    }
}

static void a_point_that_moved_on_the_device_is_caught(void **state) {
    (void)state;
    on_every_device(other_points_fail);
}

/* The reference is kept for the next row of a group, but not for other points. */
static void the_reference_is_of_these_points(wedge_device *dev) {
    static const char *const names[] = {"within", "histogram", "nbody", "collide"};
    for (int k = 0; k < 4; ++k) {
        bench_of b;
        char how[sizeof b.r.row.how];
        open_row(dev, &b, tasks_of(names[k], k >= 2 ? 4 : 3), 0, 1500);
        for (int again = 0; again < 2; ++again) {
            assert_ok(dev, verify_runner(&b.l, &b.a, &b.r));
            assert_true(b.r.row.verified);
            if (again) assert_string_equal(b.r.row.how, how); /* what one run computed, not all so far */
            strcpy(how, b.r.row.how);
        }
        ((float *)b.r.points)[0] += 0.5f;
        assert_ok(dev, verify_runner(&b.l, &b.a, &b.r));
        assert_true(b.r.row.status == ROW_FAILED && !b.r.row.verified);
        close_row(&b);
    }
}

static void other_points_have_another_reference(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", the_reference_is_of_these_points);
}

/* ---- The truth about what is near ---- */

static void near_pairs_are_those_of_plain_loops(wedge_device *dev) {
    static const char *const names[] = {"within", "histogram", "collide"};
    for (int k = 0; k < 3; ++k)
        for (uint64_t n = 2; n <= 2000; n += 999) {
            bench_of b;
            truth got;
            open_row(dev, &b, tasks_of(names[k], k == 2 ? 4 : 3), 0, n);
            truth want = truth_begin(&b.r, n);
            for (uint64_t i = 0; i < n; ++i)
                for (uint64_t j = 0; j < i; ++j) truth_tell(&want, truth_value(&b.r, i, j), k == 1);
            assert_ok(dev, truth_within(&b.l, &b.r, n, &got));
            assert_int_equal(got.cells, want.cells);
            if (k != 1) assert_memory_equal(&got.within, &want.within, sizeof got.within);
            if (k == 1) assert_memory_equal(got.beyond, want.beyond, sizeof got.beyond);
            close_row(&b);
        }
}

static void what_is_near_is_found_by_cubes_as_by_plain_loops(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "2", near_pairs_are_those_of_plain_loops);
}

/* ---- Groups ---- */

static void run_group_of(wedge_device *dev, const experiment *e, uint64_t n, bench_result *result) {
    lab l = {0};
    group_wish group = {e, n, 0};
    *result = (bench_result){.noise_target = 1e9};
    assert_ok(dev, lab_open(&l, dev, result, BUDGET));
    assert_ok(dev, lab_run(&l, &group, 1, NULL));
    lab_close(&l);
}

/* Both histograms are right, but not the same: what is no longer one result in two ways is not timed. */
static void rows_that_differ_fail(wedge_device *dev) {
    experiment e = *tasks_of("histogram", 3);
    sink_wish two[3] = {e.sinks[0], e.sinks[1], {.name = NULL}};
    bench_result result;
    two[1].parameters[0].value = 0.2;
    e.sinks = two;
    run_group_of(dev, &e, 300, &result);
    assert_int_equal(result.count, 2);
    for (int k = 0; k < 2; ++k) {
        const bench_row *row = &result.rows[k];
        assert_true(row->status == ROW_FAILED && !row->verified && !row->time.count);
        assert_string_equal(row->remark, "pruned and all-pairs differ");
    }
    result_free(&result);
}

static void pruned_and_all_pairs_are_the_same_bytes(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", rows_that_differ_fail);
}

static void rows_beyond_their_size_are_skipped(wedge_device *dev) {
    experiment e = *tasks_of("knn", 3);
    sink_wish two[3] = {e.sinks[0], e.sinks[1], {.name = NULL}};
    bench_result result;
    two[1].most = 99;
    e.sinks = two;
    run_group_of(dev, &e, 100, &result);
    assert_true(result.rows[0].status == ROW_OK && row_timed(&result.rows[0]));
    assert_true(result.rows[1].status == ROW_SKIPPED && !row_timed(&result.rows[1]));
    assert_string_equal(result.rows[1].remark, "runs for up to 99 points");
    result_free(&result);
}

static void a_row_says_that_it_has_too_many_points(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", rows_beyond_their_size_are_skipped);
}

/* Of 5,000 points, some tiles are far apart. A share of the ceiling is that of what was computed: it cannot pass 1 by pairs
 * that were left out, however many. */
static void rows_say_what_was_computed(wedge_device *dev) {
    bench_result result;
    double share;
    run_group_of(dev, tasks_of("within", 3), 5000, &result);
    const bench_row *pruned = &result.rows[0], *all = &result.rows[1];
    const char *computed = strstr(pruned->how, "; radius 0.134; ");
    assert_non_null(computed);
    assert_int_equal(sscanf(computed, "; radius 0.134; %lf %% of the cells computed", &share), 1);
    assert_true(share > 1 && share < 60);
    assert_true(pruned->cells == all->cells && all->cells == 5000 * 4999 / 2);
    assert_true(all->flops == 9.0 * (double)all->cells);
    assert_true(fabs(pruned->flops / all->flops - share / 100) < 1e-2 * share);
    assert_null(strstr(all->how, "computed"));
    assert_true(!strcmp(pruned->sink, "pruned") && !strcmp(all->sink, "all-pairs") && pruned->features == 3);
    result_free(&result);
}

static void how_much_was_computed_is_said(void **state) {
    (void)state;
    once_for_all_devices();
    on_cpu(NULL, "1", rows_say_what_was_computed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broken_result_is_caught),
        cmocka_unit_test(a_sum_over_many_triplets_is_verified_by_a_sample),
        cmocka_unit_test(maps_of_many_triplets_agree),
        cmocka_unit_test(a_neighbour_that_was_missed_is_caught),
        cmocka_unit_test(a_point_that_moved_on_the_device_is_caught),
        cmocka_unit_test(other_points_have_another_reference),
        cmocka_unit_test(what_is_near_is_found_by_cubes_as_by_plain_loops),
        cmocka_unit_test(pruned_and_all_pairs_are_the_same_bytes),
        cmocka_unit_test(a_row_says_that_it_has_too_many_points),
        cmocka_unit_test(how_much_was_computed_is_said),
    };
    setenv("WEDGE_NUM_THREADS", "1", 0); /* what is timed would wait for threads that a busy machine holds up */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
