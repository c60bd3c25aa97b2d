/* t441-select.c: nothing that select finds is dropped: too little room, small memory, any range, memory of the device.
 *
 * SPDX-License-Identifier: MIT */
#include "select_problem.h"

/* Points of one number: a kernel of other tests as well. */
static problem numbers(uint64_t n) { return make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, n, 1); }

/* ---- Too little room ---- */

static void too_little_room_is_told_on(wedge_device *dev) {
    problem p = numbers(257);
    cell_list c = list_cells(dev, &p);
    wedge_job *job = select_job(dev, &p, 0, 0);
    uint64_t want = within(&c, 0), rooms[] = {0, 1, 31, want / 2, want - 1, want, want + 7};
    assert_true(want > 1000 && want < c.count);
    for (int k = 0; k < 7; ++k) run_with_room(dev, job, &c, 0, rooms[k], k % 2);
    wedge_job_destroy(job);
    free_cells(&c);
    free(p.points);
}

static void too_little_room_is_told(void **state) {
    (void)state;
    on_every_device(too_little_room_is_told_on);
}

/* ---- Ranges ---- */

/* A range may begin and end anywhere; the pairs of all ranges, one after another, are those of the whole. */
static void ranges_join_on(wedge_device *dev) {
    problem p = numbers(131);
    cell_list c = list_cells(dev, &p);
    wedge_job *job = select_job(dev, &p, 1, 0);
    uint64_t found = 0, step = 1, want = within(&c, 1);
    int64_t *pairs = malloc(want * 16);
    float *values = malloc(want * 4);
    for (uint64_t at = 0; at < c.count; at += step, step = step * 3 / 2 + 1) {
        if (step > c.count - at) step = c.count - at;
        wedge_result r = {
            .size = sizeof r, .indices = pairs + 2 * found, .values = values + found, .room = want - found};
        assert_int_equal(wedge_job_boundary(job, at), at);
        assert_ok(dev, wedge_job_run(job, at, at + step, &r, NULL, NULL));
        found += r.count;
    }
    assert_int_equal(found, want);
    assert_selected(&c, 1, 0, want, pairs, values);
    wedge_result r = {.size = sizeof r, .indices = pairs};
    assert_ok(dev, wedge_job_run(job, 5, 5, &r, NULL, NULL));
    assert_int_equal(r.count, 0);
    wedge_job_destroy(job);
    free(pairs);
    free(values);
    free_cells(&c);
    free(p.points);
}

static void ranges_join(void **state) {
    (void)state;
    on_every_device(ranges_join_on);
}

/* ---- Many ---- */

/* More pairs than are listed at a time: every one of two million passes. */
static void long_lists_join_on(wedge_device *dev) {
    problem p = numbers(2100);
    cell_list c = list_cells(dev, &p);
    assert_true(c.count > 1 << 21);
    check_select(dev, &c, INFINITY);
    free_cells(&c);
    free(p.points);
}

static void long_lists_join(void **state) {
    (void)state;
    on_every_device(long_lists_join_on);
}

/* More cells than are marked at a time. All points are 1 but two, which are 0: within 0 is what one of these is in. */
static void batches_join_on(wedge_device *dev) {
    if (compiles_slowly(dev)) NOTHING_HERE("a billion cells are too many");
    const uint64_t n = dev->backend->compile ? 47000 : 12000, zeros[] = {77, n - 5};
    problem p = numbers(n);
    int64_t *pairs = malloc(2 * n * 16);
    uint64_t found = 0;
    for (uint64_t x = 0; x < n; ++x) ((float *)p.points)[x] = x != zeros[0] && x != zeros[1];
    wedge_job *job = select_job(dev, &p, 0, 0);
    wedge_result r = {.size = sizeof r, .indices = pairs, .room = 2 * n};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_int_equal(r.count, 2 * n - 3);
    for (uint64_t i = 0; i < n; ++i)
        for (uint64_t j = i + 1; j < n; ++j)
            if (i == zeros[0] || i == zeros[1] || j == zeros[0] || j == zeros[1]) {
                if (pairs[2 * found] != (int64_t)i || pairs[2 * found + 1] != (int64_t)j)
                    fail_msg("pair %d is not (%d, %d)", (int)found, (int)i, (int)j);
                ++found;
            }
    wedge_job_destroy(job);
    free(pairs);
    free(p.points);
}

static void batches_join(void **state) {
    (void)state;
    on_every_device(batches_join_on);
}

/* ---- Streams ---- */

static bool stop_at_half(void *user, double done) {
    (void)user;
    return done < 0.5;
}

/* Fewer pairs are held at a time than a row has: dense, where every pair passes, and sparse. */
static void streams_join_on(wedge_device *dev) {
    static const struct {
        uint64_t n, memory;
        double radius;
    } cases[] = {{70, 1, INFINITY}, {70, 1, -50}, {70, 1, -1e30}, {1300, 1 << 14, INFINITY}, {300, 0, 0}};
    for (int k = 0; k < 5; ++k) {
        problem p = numbers(cases[k].n);
        cell_list c = list_cells(dev, &p);
        reader r = {.c = &c, .radius = cases[k].radius, .values = k % 2, .total = UINT64_MAX};
        wedge_job *job = select_job(dev, &p, cases[k].radius, r.values);
        assert_ok(dev, wedge_job_stream(job, 0, c.count, cases[k].memory, take, &r, NULL, NULL));
        assert_int_equal(r.found, within(&c, cases[k].radius));
        assert_int_equal(r.position, c.count);
        if (cases[k].memory) assert_true(r.most <= 1024 && r.pieces > 60);
        wedge_job_destroy(job);
        free_cells(&c);
        free(p.points);
    }
}

static void streams_join(void **state) {
    (void)state;
    on_every_device(streams_join_on);
}

static void streams_can_be_stopped_on(wedge_device *dev) {
    problem p = numbers(300);
    cell_list c = list_cells(dev, &p);
    wedge_job *job = select_job(dev, &p, 0, 0);
    reader full = {.c = &c, .stop_after = 3}, half = {.c = &c}, none = {.c = &c}, some = {.c = &c, .position = 1000};
    assert_int_equal(wedge_job_stream(job, 0, c.count, 4096, take, &full, NULL, NULL), WEDGE_NO_SPACE);
    assert_int_equal(full.pieces, 3);
    assert_int_equal(wedge_job_stream(job, 0, c.count, 4096, take, &half, stop_at_half, &half), WEDGE_STOPPED);
    assert_true(half.position >= c.count / 2 && half.position < c.count);
    assert_ok(dev, wedge_job_stream(job, 7, 7, 4096, take, &none, NULL, NULL));
    assert_int_equal(none.pieces, 0);
    for (uint64_t k = 0; k < 1000; ++k) some.found += c.v[k] <= 0;
    assert_ok(dev, wedge_job_stream(job, 1000, 2000, 4096, take, &some, NULL, NULL));
    assert_int_equal(some.position, 2000);
    wedge_job_destroy(job);
    free_cells(&c);
    free(p.points);
}

static void streams_can_be_stopped(void **state) {
    (void)state;
    on_every_device(streams_can_be_stopped_on);
}

/* ---- Memory of the device ---- */

/* Points that lie on the device, results there at an offset: as from the host to the host. */
static void results_may_stay_on_the_device_on(wedge_device *dev) {
    static const wedge_parameter radius = WEDGE_NUMBER("radius", 2), most = WEDGE_NUMBER("max", 7);
    static const struct {
        const char *sink;
        const wedge_parameter *set;
    } cases[] = {{NULL, NULL}, {"count", &radius}, {"select", &radius}, {"summary", NULL}, {"histogram", &most}};
    problem p = numbers(100);
    cell_list c = list_cells(dev, &p);
    void *points;
    assert_ok(dev, wedge_memory_create(dev, 400, &points));
    assert_ok(dev, wedge_memory_write(dev, points, 0, p.points, 400));
    for (int k = 0; k < 5; ++k) {
        wedge_job_spec there = p.pairs;
        size_t bytes = k == 2   ? within(&c, 2) * 16
                       : k == 3 ? sizeof(wedge_summary)
                       : k == 4 ? 13 * 8
                       : k      ? 8
                                : c.count * 4;
        char *host = fit_for_result(malloc(bytes + sizeof(size_t))), *device = malloc(bytes);
        wedge_result on_host = {.size = sizeof on_host, .values = host, .room = within(&c, 2)}, on_device = on_host;
        there.points = points, there.place = WEDGE_ON_DEVICE;
        if (k == 2) on_host.indices = (int64_t *)(void *)host, on_host.values = on_device.values = NULL;
        wedge_job *a = sink_job(dev, &p.pairs, cases[k].sink, cases[k].set, cases[k].set != NULL);
        wedge_job *b = sink_job(dev, &there, cases[k].sink, cases[k].set, cases[k].set != NULL);
        assert_ok(dev, wedge_job_run(a, 0, c.count, &on_host, NULL, NULL));
        run_into_device(dev, b, &on_device, bytes, 48, device);
        assert_memory_equal(host, device, bytes);
        assert_int_equal(on_host.count, on_device.count);
        wedge_job_destroy(a);
        wedge_job_destroy(b);
        free(host);
        free(device);
    }
    wedge_memory_destroy(dev, points);
    free_cells(&c);
    free(p.points);
}

static void results_may_stay_on_the_device(void **state) {
    (void)state;
    on_every_device(results_may_stay_on_the_device_on);
}

/* Pairs and values, each at an offset of its own, and too little room. */
static void pairs_and_values_on_the_device_on(wedge_device *dev) {
    enum { PAIRS_AT = 32, VALUES_AT = 12, ROOM = 500, ALL = 16 * ROOM + 256 };
    problem p = numbers(100);
    cell_list c = list_cells(dev, &p);
    wedge_job *job = select_job(dev, &p, INFINITY, 1);
    char both[2][ALL];
    void *memory[2];
    memset(both, GUARD, sizeof both);
    for (int k = 0; k < 2; ++k) {
        assert_ok(dev, wedge_memory_create(dev, ALL, &memory[k]));
        assert_ok(dev, wedge_memory_write(dev, memory[k], 0, both[k], ALL));
    }
    wedge_result r = {
        .size = sizeof r, .place = WEDGE_ON_DEVICE, .room = ROOM, .indices = memory[0], .values = memory[1]};
    r.indices_offset = PAIRS_AT, r.values_offset = VALUES_AT;
    assert_int_equal(wedge_job_run(job, 0, c.count, &r, NULL, NULL), WEDGE_TOO_SMALL);
    assert_int_equal(r.count, c.count);
    for (int k = 0; k < 2; ++k) assert_ok(dev, wedge_memory_read(dev, both[k], memory[k], 0, ALL));
    assert_selected(&c, INFINITY, 0, ROOM, (int64_t *)(void *)(both[0] + PAIRS_AT), both[1] + VALUES_AT);
    assert_untouched(both[0], PAIRS_AT);
    assert_untouched(both[0] + PAIRS_AT + 16 * ROOM, ALL - PAIRS_AT - 16 * ROOM);
    assert_untouched(both[1], VALUES_AT);
    assert_untouched(both[1] + VALUES_AT + 4 * ROOM, ALL - VALUES_AT - 4 * ROOM);
    r.indices_offset = 4;
    assert_int_equal(wedge_job_run(job, 0, c.count, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    for (int k = 0; k < 2; ++k) wedge_memory_destroy(dev, memory[k]);
    wedge_job_destroy(job);
    free_cells(&c);
    free(p.points);
}

static void pairs_and_values_on_the_device(void **state) {
    (void)state;
    on_every_device(pairs_and_values_on_the_device_on);
}

/* ---- Refused ---- */

static void what_cannot_be_is_refused_on(wedge_device *dev) {
    if (dev->backend->compile) NOTHING_HERE("refusals do not depend on the device");
    problem p = make_problem("dot", WEDGE_LOWER, WEDGE_F32, 40, 1);
    wedge_job *job = select_job(dev, &p, 0, 0);
    reader r = {.position = 0};
    wedge_result result = {.size = sizeof result};
    assert_int_equal(wedge_job_run(job, 0, 1600, &result, NULL, NULL), WEDGE_UNSUPPORTED);
    assert_non_null(strstr(wedge_device_message(dev), "packed"));
    assert_int_equal(wedge_job_stream(job, 0, 1600, 0, take, &r, NULL, NULL), WEDGE_UNSUPPORTED);
    assert_int_equal(r.pieces, 0);
    wedge_job_destroy(job);
    free(p.points);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    on_every_device(what_cannot_be_is_refused_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_little_room_is_told),
        cmocka_unit_test(ranges_join),
        cmocka_unit_test(long_lists_join),
        cmocka_unit_test(batches_join),
        cmocka_unit_test(streams_join),
        cmocka_unit_test(streams_can_be_stopped),
        cmocka_unit_test(results_may_stay_on_the_device),
        cmocka_unit_test(pairs_and_values_on_the_device),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
