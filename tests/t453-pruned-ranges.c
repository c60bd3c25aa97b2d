/* t453-pruned-ranges.c: pruned jobs in parts: positions of select are the caller's, shares of count and histogram add up to the
 * whole; with too little room, streamed, into memory of the device, from points with gaps; and too many tiles for one list.
 *
 * SPDX-License-Identifier: MIT */
#include "prune_problem.h"
#include "select_problem.h"

/* Data sets that leave little, much and nothing to prune, and one of NaN. */
static const unsigned quick[] = {0, 2, 3, 6, 7};
enum { QUICK = 5, PIECES = 9 };

/* Kernels of t452. */
static problem pruned_problem(wedge_layout layout, uint64_t n, unsigned set) {
    problem p = prune_problem("euclidean", NULL, layout, WEDGE_F32, n, 3, &data_sets[quick[set]]);
    p.pairs.prune = WEDGE_PRUNE_ALWAYS;
    return p;
}

/* A value that about `share` of the finite values are within. */
static double value_at(const cell_list *c, double share) {
    uint64_t count;
    double *v = some_values(c, &count), value = count ? v[(uint64_t)(share * (double)(count - 1))] : 0;
    free(v);
    return value;
}

typedef void check_fn(wedge_device *dev, const problem *p, const cell_list *c, double radius);

/* Layouts that select has, data sets, and radii that little and much is within. */
static void check_everywhere(wedge_device *dev, check_fn *check) {
    static const wedge_layout layouts[] = {WEDGE_CONDENSED, WEDGE_RECTANGLE, WEDGE_PACKED, WEDGE_SQUARE};
    for (unsigned k = 0; k < (compiles_slowly(dev) ? 1u : 4u) * QUICK; ++k) {
        problem p = pruned_problem(layouts[k / QUICK], k / QUICK ? 131 : 300, k % QUICK);
        cell_list c = list_cells(dev, &p);
        for (int share = 0; share < 3; ++share) check(dev, &p, &c, value_at(&c, share / 10.0));
        free_cells(&c);
        free(p.points);
    }
}

/* ---- Too little room ---- */

static void check_rooms(wedge_device *dev, const problem *p, const cell_list *c, double radius) {
    uint64_t want = within(c, radius), rooms[] = {0, 1, 31, want / 2, want ? want - 1 : 0, want, want + 7};
    wedge_job *job = select_job(dev, p, radius, 0);
    for (unsigned k = 0; k < 7; ++k) run_with_room(dev, job, c, radius, rooms[k], k % 2);
    wedge_job_destroy(job);
}

static void the_first_pairs_fill_the_room_on(wedge_device *dev) { check_everywhere(dev, check_rooms); }

static void the_first_pairs_fill_the_room(void **state) {
    (void)state;
    on_every_device(the_first_pairs_fill_the_room_on);
}

/* ---- Ranges of select ---- */

/* What lies at positions [begin, end), which may begin and end within rows. */
static void check_range(wedge_device *dev, wedge_job *job, const cell_list *c, double radius, uint64_t begin,
                        uint64_t end) {
    uint64_t want = within_range(c, radius, begin, end);
    char *pairs = malloc(16 * want + EDGE), *values = malloc(c->cell * want + EDGE);
    memset(pairs, GUARD, 16 * want + EDGE), memset(values, GUARD, c->cell * want + EDGE);
    wedge_result r = {.size = sizeof r, .indices = (int64_t *)(void *)pairs, .values = values, .room = want};
    assert_ok(dev, wedge_job_run(job, begin, end, &r, NULL, NULL));
    assert_int_equal(r.count, want);
    assert_selected(c, radius, within_range(c, radius, 0, begin), want, r.indices, values);
    assert_untouched(pairs + 16 * want, EDGE);
    assert_untouched(values + c->cell * want, EDGE);
    free(pairs);
    free(values);
}

/* Shares of all sizes, in an order of their own, one of them a second time. */
static void check_ranges(wedge_device *dev, const problem *p, const cell_list *c, double radius) {
    wedge_job *job = select_job(dev, p, radius, 0);
    for (uint64_t k = 0; k <= PIECES; ++k) {
        uint64_t at = 4 * k % PIECES, begin = c->count * at * at / (PIECES * PIECES);
        check_range(dev, job, c, radius, begin, c->count * (at + 1) * (at + 1) / (PIECES * PIECES));
        check_range(dev, job, c, radius, begin, begin);
    }
    check_range(dev, job, c, radius, c->count / 3, c->count / 3 + 1);
    check_range(dev, job, c, radius, 1, c->count);
    check_range(dev, job, c, radius, 0, c->count - 1);
    wedge_job_destroy(job);
}

static void positions_of_select_are_the_callers_on(wedge_device *dev) { check_everywhere(dev, check_ranges); }

static void positions_of_select_are_the_callers(void **state) {
    (void)state;
    on_every_device(positions_of_select_are_the_callers_on);
}

/* ---- Streams ---- */

static void check_streams(wedge_device *dev, const problem *p, const cell_list *c, double radius) {
    static const uint64_t memory[] = {1, 1 << 14, 0};
    for (unsigned k = 0; k < 3; ++k) {
        uint64_t begin = k == 1 ? c->count / 5 : 0, end = k == 1 ? c->count - 7 : c->count;
        reader r = {.c = c, .radius = radius, .values = k % 2, .position = begin};
        wedge_job *job = select_job(dev, p, radius, r.values);
        r.found = within_range(c, radius, 0, begin);
        r.total = within_range(c, radius, begin, end);
        assert_ok(dev, wedge_job_stream(job, begin, end, memory[k], take, &r, NULL, NULL));
        assert_int_equal(r.position, end);
        assert_int_equal(r.found, within_range(c, radius, 0, end));
        wedge_job_destroy(job);
    }
}

static void streams_of_small_memory_join_on(wedge_device *dev) { check_everywhere(dev, check_streams); }

static void streams_of_small_memory_join(void **state) {
    (void)state;
    on_every_device(streams_of_small_memory_join_on);
}

/* ---- Memory of the device ---- */

static void check_on_device(wedge_device *dev, const problem *p, const cell_list *c, double radius) {
    const wedge_parameter set = WEDGE_NUMBER("radius", radius);
    uint64_t want = within(c, radius), counted = 0;
    char *pairs = malloc(16 * want + 1);
    wedge_result r = {.size = sizeof r, .room = want};
    wedge_job *job = select_job(dev, p, radius, 0);
    run_into_device(dev, job, &r, 16 * want, 32, pairs);
    assert_int_equal(r.count, want);
    assert_selected(c, radius, 0, want, (int64_t *)(void *)pairs, NULL);
    wedge_job_destroy(job);
    job = sink_job(dev, &p->pairs, "count", &set, 1);
    r = (wedge_result){.size = sizeof r};
    run_into_device(dev, job, &r, sizeof counted, 16, (char *)&counted);
    assert_true(counted == want && r.count == want);
    wedge_job_destroy(job);
    free(pairs);
}

static void results_may_stay_on_the_device_on(wedge_device *dev) { check_everywhere(dev, check_on_device); }

static void results_may_stay_on_the_device(void **state) {
    (void)state;
    on_every_device(results_may_stay_on_the_device_on);
}

/* Points with gaps, from an offset on, on the host or the device: the job's order is its own, they stay as they are. */
static void check_gaps(wedge_device *dev, problem *p, uint64_t gap, uint64_t front, wedge_place place) {
    cell_list c = list_cells(dev, p);
    wedge_job_spec *q = &p->pairs, before = p->pairs;
    double radius = value_at(&c, 0.05);
    size_t size = q->dtype == WEDGE_F64 ? 8 : 4, bytes;
    void *all = spread(p->points, q->n + q->m, q->d, q->d + gap, front, size, &bytes), *memory;
    char *after = malloc(bytes);
    assert_ok(dev, wedge_memory_create(dev, bytes, &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, all, bytes));
    q->place = place;
    q->points = q->others = place == WEDGE_ON_DEVICE ? memory : all;
    q->points_stride = q->others_stride = q->d + gap;
    q->points_offset = front * size, q->others_offset = (front + q->n * q->points_stride) * size;
    memcpy(after, all, bytes);
    check_count(dev, &c, radius);
    check_select(dev, &c, radius);
    if (place == WEDGE_ON_DEVICE) assert_ok(dev, wedge_memory_read(dev, all, memory, 0, bytes));
    assert_memory_equal(all, after, bytes);
    wedge_memory_destroy(dev, memory);
    *q = before;
    free(after);
    free(all);
    free_cells(&c);
}

static void points_stay_where_they_are_on(wedge_device *dev) {
    for (unsigned k = 0; k < 4 * QUICK; ++k) {
        bool two = k % 2 && !compiles_slowly(dev);
        problem p = pruned_problem(two ? WEDGE_RECTANGLE : WEDGE_CONDENSED, two ? 131 : 200, k / 4);
        check_gaps(dev, &p, k % 4 ? 1 + k % 3 : 0, k % 4 > 1 ? 4 : 0, k / 2 % 2 ? WEDGE_ON_DEVICE : WEDGE_ON_HOST);
        free(p.points);
    }
}

static void points_stay_where_they_are(void **state) {
    (void)state;
    on_every_device(points_stay_where_they_are_on);
}

/* ---- Shares of count and histogram ---- */

static bool goes_forward(void *user, double done) {
    double *last = user;
    assert_true(done >= *last && done <= 1);
    *last = done;
    return true;
}

static void add_range(wedge_device *dev, wedge_job *job, uint64_t begin, uint64_t end, void *state, uint64_t *out) {
    double last = 0;
    wedge_result r = {.size = sizeof r, .state = state, .values = out};
    assert_ok(dev, wedge_job_run(job, begin, end, &r, begin % 2 ? goes_forward : NULL, &last));
}

/* One state through all shares, and a state for each, merged: the whole. `counters` of each result, which add up as well. */
static void check_shares(wedge_device *dev, wedge_job *job, const uint64_t *want, uint64_t counters) {
    uint64_t cells = wedge_job_get_info(job)->cells, *out = calloc(2 * counters, sizeof *out), *sum = out + counters;
    size_t bytes = wedge_job_get_info(job)->state_bytes;
    char *states = calloc(3, bytes);
    for (uint64_t k = 0; k < PIECES; ++k) {
        uint64_t at = 4 * k % PIECES, begin = cells * at / PIECES, end = cells * (at + 1) / PIECES;
        memset(states + bytes, 0, bytes);
        add_range(dev, job, begin, end, NULL, out);
        for (uint64_t c = 0; c < counters; ++c) sum[c] += out[c];
        add_range(dev, job, begin, end, states + bytes, NULL);
        assert_ok(dev, wedge_job_merge(job, states + 2 * bytes, states + bytes));
        add_range(dev, job, begin, end, states, out);
    }
    assert_memory_equal(out, want, counters * sizeof *out);
    assert_memory_equal(sum, want, counters * sizeof *out);
    add_range(dev, job, 0, 0, states + 2 * bytes, out);
    assert_memory_equal(out, want, counters * sizeof *out);
    wedge_job_destroy(job);
    free(states);
    free(out);
}

static void check_all_shares(wedge_device *dev, const problem *p, double share) {
    enum { BINS = 10 };
    cell_list c = list_cells(dev, p);
    double radius = value_at(&c, share), edge[BINS + 1], low = as_held(radius / 4, 4);
    if (!(low < radius)) low = radius - 1;
    const wedge_parameter set = WEDGE_NUMBER("radius", radius);
    const wedge_parameter bins[] = {WEDGE_NUMBER("min", low), WEDGE_NUMBER("max", radius)};
    uint64_t count = within(&c, radius), counted[BINS + 3];
    for (int e = 0; e <= BINS; ++e) edge[e] = as_held(e < BINS ? low + e * ((radius - low) / BINS) : radius, c.size);
    bin_cells(&c, edge, BINS, counted);
    check_shares(dev, sink_job(dev, &p->pairs, "count", &set, 1), &count, 1);
    check_shares(dev, sink_job(dev, &p->pairs, "histogram", bins, 2), counted, BINS + 3);
    free_cells(&c);
}

static void shares_add_up_on(wedge_device *dev) {
    for (int layout = 0; layout <= WEDGE_RECTANGLE; ++layout)
        for (unsigned set = 0; set < QUICK && (!compiles_slowly(dev) || layout == WEDGE_CONDENSED); ++set) {
            problem p = pruned_problem(layout, set % 2 ? 131 : 300, set);
            check_all_shares(dev, &p, 0.03);
            check_all_shares(dev, &p, 0.5);
            free(p.points);
        }
}

static void shares_add_up(void **state) {
    (void)state;
    on_every_device(shares_add_up_on);
}

/* Some have been counted, and more are to come. */
static bool stop(void *user, double done) {
    (void)user;
    return done == 0;
}

static void a_stopped_run_leaves_the_state_on(wedge_device *dev) {
    const wedge_parameter set = WEDGE_NUMBER("radius", 1);
    problem p = pruned_problem(WEDGE_CONDENSED, 600, 0);
    wedge_job *job = sink_job(dev, &p.pairs, "count", &set, 1);
    uint64_t state[64] = {0}, out = 77;
    wedge_result r = {.size = sizeof r, .state = state, .values = &out};
    assert_true(wedge_job_get_info(job)->state_bytes <= sizeof state);
    assert_int_equal(wedge_job_run(job, 0, 600 * 599 / 2, &r, stop, NULL), WEDGE_STOPPED);
    for (int k = 0; k < 64; ++k) assert_int_equal(state[k], 0);
    assert_int_equal(out, 77);
    wedge_job_destroy(job);
    free(p.points);
}

static void a_stopped_run_leaves_the_state(void **state) {
    (void)state;
    on_every_device(a_stopped_run_leaves_the_state_on);
}

/* ---- Many tiles ---- */

/* Whole numbers in an order of their own, each once: within 1.5 of each other are neighbours alone. Next to nothing remains of
 * billions of pairs, in more rows of tiles than are listed at a time. */
static void check_neighbours(wedge_device *dev, uint64_t n) {
    enum { STEP = 7919 };
    const wedge_parameter radius = WEDGE_NUMBER("radius", 1.5);
    problem p = prune_problem("euclidean", NULL, WEDGE_CONDENSED, WEDGE_F32, n, 3, &data_sets[7]);
    uint64_t *who = malloc((n + 2) * sizeof *who), found = 0;
    int64_t *pairs = malloc(16 * n);
    who[0] = who[n + 1] = 0; /* not above any i */
    for (uint64_t x = 0; x < n; ++x) {
        uint64_t y = x * STEP % n;
        who[y + 1] = x;
        for (uint64_t f = 0; f < 3; ++f) set_number(&p, x, f, f ? 0 : (double)y);
    }
    p.pairs.prune = WEDGE_PRUNE_ALWAYS;
    wedge_job *job = sink_job(dev, &p.pairs, "select", &radius, 1);
    wedge_result r = {.size = sizeof r, .indices = pairs, .room = n};
    assert_ok(dev, wedge_job_run(job, 0, n * (n - 1) / 2, &r, NULL, NULL));
    assert_int_equal(r.count, n - 1);
    for (uint64_t i = 0; i < n; ++i) {
        uint64_t y = i * STEP % n, a = who[y], b = who[y + 2], near[2] = {a < b ? a : b, a < b ? b : a};
        for (int k = 0; k < 2; ++k) {
            if (near[k] <= i) continue;
            assert_int_equal(pairs[2 * found], i);
            assert_int_equal(pairs[2 * found++ + 1], near[k]);
        }
    }
    assert_int_equal(found, n - 1);
    wedge_job_destroy(job);
    job = sink_job(dev, &p.pairs, "count", &radius, 1);
    r = (wedge_result){.size = sizeof r};
    assert_ok(dev, wedge_job_run(job, 0, n * (n - 1) / 2, &r, NULL, NULL));
    assert_int_equal(r.count, n - 1);
    assert_true(wedge_job_get_info(job)->computed >= n - 1 && wedge_job_get_info(job)->computed < n * n / 16);
    wedge_job_destroy(job);
    free(p.points), free(who), free(pairs);
}

static void neighbours_of_many_are_found_on(wedge_device *dev) {
    check_neighbours(dev, compiles_slowly(dev) ? 5000 : dev->info.is_gpu ? 300000 : 40000);
    if (test_everything() && !compiles_slowly(dev) && is_in_part(3)) check_neighbours(dev, 3000000);
}

static void neighbours_of_many_are_found(void **state) {
    (void)state;
    on_every_device(neighbours_of_many_are_found_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_pairs_fill_the_room),  cmocka_unit_test(positions_of_select_are_the_callers),
        cmocka_unit_test(streams_of_small_memory_join),   cmocka_unit_test(results_may_stay_on_the_device),
        cmocka_unit_test(points_stay_where_they_are),     cmocka_unit_test(shares_add_up),
        cmocka_unit_test(a_stopped_run_leaves_the_state), cmocka_unit_test(neighbours_of_many_are_found),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
