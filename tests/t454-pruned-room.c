/* t454-pruned-room.c: the list of a pruned job where memory is short: found in several batches, none of them lost; and found again
 * after a run that was stopped.
 *
 * SPDX-License-Identifier: MIT */
#include "prune_problem.h"
#include "select_problem.h"

enum { UNIFORM = 0, SAME = 7 }; /* data sets */

static problem pruned_problem(wedge_layout layout, uint64_t n, unsigned set) {
    problem p = prune_problem("euclidean", NULL, layout, WEDGE_F32, n, 3, &data_sets[set]);
    p.pairs.prune = WEDGE_PRUNE_ALWAYS;
    return p;
}

/* All points are in one place, so every pair is found, in every row as many. There is room for 2^14 finds at least: of rows of
 * 512, for 32 at a time. */
static void the_last_row_may_be_a_batch_on(wedge_device *dev) {
    enum { COLUMNS = 512 };
    for (uint64_t rows = 31; rows < 35; ++rows) {
        problem p = pruned_problem(WEDGE_RECTANGLE, 600, SAME);
        assert_true(rows + COLUMNS <= p.pairs.n + p.pairs.m);
        p.pairs.n = rows, p.pairs.m = COLUMNS, p.pairs.others = (char *)p.points + rows * 3 * sizeof(float);
        cell_list c = list_cells(dev, &p);
        reader r = {.c = &c, .radius = 0};
        wedge_job *job = select_job(dev, &p, 0, 0);
        assert_ok(dev, wedge_job_stream(job, 0, c.count, 1 << 14, take, &r, NULL, NULL));
        assert_int_equal(r.position, c.count);
        assert_int_equal(r.found, rows * COLUMNS);
        wedge_job_destroy(job);
        free_cells(&c);
        free(p.points);
    }
}

static void the_last_row_may_be_a_batch(void **state) {
    (void)state;
    on_every_device(the_last_row_may_be_a_batch_on);
}

/* What a job holds after a stream, and after the same again. */
static uint64_t bytes_after(wedge_device *dev, const problem *p, const cell_list *c, uint64_t memory) {
    wedge_job *job = select_job(dev, p, 0, 0);
    uint64_t before = wedge_job_get_info(job)->device_bytes, after = 0;
    for (int k = 0; k < 2; ++k) {
        reader r = {.c = c, .radius = 0};
        assert_ok(dev, wedge_job_stream(job, 0, c->count, memory, take, &r, NULL, NULL));
        if (k) assert_int_equal(wedge_job_get_info(job)->device_bytes, after);
        after = wedge_job_get_info(job)->device_bytes;
    }
    wedge_job_destroy(job);
    assert_true(after > before);
    return after;
}

/* 1 and 2 are as little as there can be; 0 is a default. */
static void little_memory_is_kept_to_on(wedge_device *dev) {
    problem p = pruned_problem(WEDGE_CONDENSED, 600, SAME);
    cell_list c = list_cells(dev, &p);
    uint64_t least = bytes_after(dev, &p, &c, 2);
    assert_int_equal(bytes_after(dev, &p, &c, 1), least);
    assert_true(bytes_after(dev, &p, &c, 0) > least);
    free_cells(&c);
    free(p.points);
}

static void little_memory_is_kept_to(void **state) {
    (void)state;
    on_every_device(little_memory_is_kept_to_on);
}

/* At the first call, or at a later one, wherever that comes. */
static bool stop_later(void *user, double done) {
    (void)done;
    return (*(int *)user)-- > 0;
}

static void a_stopped_list_is_found_again_on(wedge_device *dev) {
    problem p = pruned_problem(WEDGE_CONDENSED, 600, UNIFORM);
    cell_list c = list_cells(dev, &p);
    const double radius = 5;
    uint64_t want = within(&c, radius);
    int64_t *pairs = malloc(16 * want);
    wedge_job *job = select_job(dev, &p, radius, 0);
    for (int calls = 0; calls < 4; ++calls) {
        int left = calls;
        wedge_result r = {.size = sizeof r, .indices = pairs, .room = want};
        wedge_status status = wedge_job_run(job, 0, c.count, &r, stop_later, &left);
        assert_true(status == WEDGE_STOPPED || (status == WEDGE_OK && calls));
        r.count = 0;
        assert_ok(dev, wedge_job_run(job, 0, c.count, &r, NULL, NULL));
        assert_int_equal(r.count, want);
        assert_selected(&c, radius, 0, want, pairs, NULL);
    }
    wedge_job_destroy(job);
    free(pairs);
    free_cells(&c);
    free(p.points);
}

static void a_stopped_list_is_found_again(void **state) {
    (void)state;
    on_every_device(a_stopped_list_is_found_again_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_row_may_be_a_batch),
        cmocka_unit_test(little_memory_is_kept_to),
        cmocka_unit_test(a_stopped_list_is_found_again),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
