/* t443-same.c: the result of a sink is the same bytes for every map, tile, instruction set's threads, range and merge.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks_problem.h"

static const wedge_parameter radius = WEDGE_NUMBER("radius", 4), most = WEDGE_NUMBER("max", 11);
static const struct {
    const char *name;
    const wedge_parameter *set;
    bool sums; /* into a state */
} sinks[] = {{"count", &radius, true}, {"select", &radius, false}, {"summary", NULL, true}, {"histogram", &most, true}};
enum { SUMMARY = 2, SINKS = 4 };

/* Points of many bits, so that sums round: of those of pairs_problem.h some are exact. */
static problem rough_problem(const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n, uint64_t d) {
    problem p = make_problem(op, layout, dtype, n, d);
    uint32_t random = 4711;
    for (uint64_t k = 0; k < (n + p.pairs.m) * d; ++k) {
        random = random * 1664525u + 1013904223u;
        float x = (float)((int32_t)random / 0x1p29);
        if (dtype == WEDGE_F64)
            ((double *)p.points)[k] = (double)x + x * 0x1p-30;
        else
            ((float *)p.points)[k] = x;
    }
    return p;
}

static wedge_job *job_of(wedge_device *dev, const problem *p, int sink) {
    return sink_job(dev, &p->pairs, sinks[sink].name, sinks[sink].set, sinks[sink].set != NULL);
}

/* Bytes of a result that is no list. */
static size_t result_bytes(const wedge_job *job) { return wedge_job_get_info(job)->bytes; }

/* Pairs, then values, of all that select finds; or the sink's result; and the count. */
static char *whole_result(wedge_device *dev, wedge_job *job, uint64_t begin, uint64_t end, wedge_progress progress,
                          size_t *bytes) {
    bool lists = sink_lists(&job->sink);
    wedge_result r = {.size = sizeof r};
    if (lists) {
        assert_ok(dev, wedge_job_run(job, begin, end, &r, progress, NULL));
        r.room = r.count;
    }
    *bytes = (lists ? r.count * (16 + job->size) : result_bytes(job)) + 8;
    char *out = calloc(*bytes, 1);
    r.values = lists ? out + 16 * r.count : fit_for_result(out);
    if (lists) r.indices = (int64_t *)(void *)out;
    assert_ok(dev, wedge_job_run(job, begin, end, &r, progress, NULL));
    memcpy(out + *bytes - 8, &r.count, 8);
    return out;
}

static bool go_on(void *user, double done) {
    (void)user;
    return done >= 0;
}

/* The result, and ends the job. */
static char *result_of(wedge_device *dev, wedge_job *job, size_t *bytes) {
    uint64_t cells = wedge_job_get_info(job)->cells;
    size_t again;
    char *out = whole_result(dev, job, 0, cells, NULL, bytes), *paced = whole_result(dev, job, 0, cells, go_on, &again);
    assert_int_equal(*bytes, again);
    assert_memory_equal(out, paced, *bytes);
    free(paced);
    wedge_job_destroy(job);
    return out;
}

/* ---- Maps and tiles ---- */

static void try_maps_and_tiles(wedge_device *dev, problem *p, int sink, const uint32_t *tiles, int count) {
    static const char *const maps[] = {"lambda", "walk"};
    size_t bytes, other;
    char *first = result_of(dev, job_of(dev, p, sink), &bytes);
    for (int k = 0; k < 2 * count; ++k) {
        p->pairs.map = maps[k % 2], p->pairs.tile = tiles[k / 2];
        if (compiles_slowly(dev) && k % 2 == 0) continue; /* a kernel each: walk alone, the default is lambda */
        wedge_job *job = job_of(dev, p, sink);
        assert_string_equal(wedge_job_get_info(job)->map, maps[k % 2]);
        assert_int_equal(wedge_job_get_info(job)->tile, tiles[k / 2]);
        char *again = result_of(dev, job, &other);
        assert_int_equal(bytes, other);
        if (memcmp(first, again, bytes))
            fail_msg("%s of %s, d %d: %s with tiles of %d differs", sinks[sink].name, p->pairs.op, (int)p->pairs.d,
                     maps[k % 2], (int)tiles[k / 2]);
        free(again);
    }
    p->pairs.map = NULL, p->pairs.tile = 0;
    free(first);
}

static void maps_and_tiles_give_the_same_bytes_on(wedge_device *dev) {
    static const uint32_t tiles[] = {32, 64, 128, 256, 512};
    if (!dev->backend->compile) NOTHING_HERE("it has neither maps nor tiles");
    bool slow = compiles_slowly(dev);
    for (int sink = 0; sink < SINKS; ++sink) {
        problem p = rough_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 1000, 1);
        if (!slow || sink == SUMMARY) try_maps_and_tiles(dev, &p, sink, slow ? tiles + 3 : tiles, slow ? 1 : 5);
        free(p.points);
        if (slow) continue;
        for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype)
            for (int layout = 0; layout < 2; ++layout) {
                p = rough_problem("euclidean", layout, dtype, 1000, dtype ? 3 : 4);
                try_maps_and_tiles(dev, &p, sink, tiles, 5);
                free(p.points);
                p = rough_problem("euclidean", layout, dtype, 1000, 17);
                try_maps_and_tiles(dev, &p, sink, tiles, dtype ? 2 : 3);
                free(p.points);
            }
    }
}

static void maps_and_tiles_give_the_same_bytes(void **state) {
    (void)state;
    on_every_device(maps_and_tiles_give_the_same_bytes_on);
}

/* ---- Threads ---- */

enum { CASES = 8 };
static char *first[CASES][SINKS];

static void is_as_with_one_thread(wedge_device *dev) {
    for (int k = 0; k < CASES; ++k)
        for (int sink = 0; sink < SINKS; ++sink) {
            size_t bytes;
            problem p = rough_problem(k % 3 ? "euclidean" : "correlation",
                                      k / 2 == WEDGE_LOWER ? WEDGE_RECTANGLE : k / 2, k % 2, 300, k % 3 ? 3 : 20);
            char *out = result_of(dev, job_of(dev, &p, sink), &bytes);
            if (first[k][sink]) {
                assert_memory_equal(first[k][sink], out, bytes);
                free(out);
            } else {
                first[k][sink] = out;
            }
            free(p.points);
        }
}

/* At every instruction set: they may differ from one another in the last bits. */
static void threads_give_the_same_bytes(void **state) {
    static const char *const threads[] = {"1", "2", "5"};
    (void)state;
    once_for_all_devices();
    for (int isa = 0; isa < ISA_COUNT; ++isa) {
        if (native_isa_choose(native_isa_name(isa)) == ISA_COUNT) continue;
        for (int t = 0; t < 3; ++t) on_cpu(native_isa_name(isa), threads[t], is_as_with_one_thread);
        for (int k = 0; k < CASES * SINKS; ++k) free(first[k / SINKS][k % SINKS]), first[k / SINKS][k % SINKS] = NULL;
    }
}

/* ---- Ranges and merges ---- */

enum { PIECES = 12 };

/* Cuts of [0, cells), some of them equal, at boundaries. */
static void cut_somewhere(wedge_job *job, uint64_t *cuts, uint32_t *random) {
    uint64_t cells = wedge_job_get_info(job)->cells;
    cuts[0] = 0, cuts[PIECES] = cells;
    for (int k = 1; k < PIECES; ++k) {
        *random = *random * 1664525u + 1013904223u;
        uint64_t from = cells * (uint64_t)(k - 1) / PIECES, at = from + *random % (cells / PIECES + 1);
        cuts[k] = wedge_job_boundary(job, at > cuts[k - 1] ? at : cuts[k - 1]);
        assert_true(cuts[k] >= cuts[k - 1] && cuts[k] <= at + 1);
    }
}

/* The result that a state stands for: a run of no positions adds nothing. */
static void finish(wedge_device *dev, wedge_job *job, void *state, char *out) {
    wedge_result r = {.size = sizeof r, .state = state, .values = fit_for_result(out)};
    assert_ok(dev, wedge_job_run(job, 0, 0, &r, NULL, NULL));
    memcpy(out + result_bytes(job), &r.count, 8);
}

/* One state through all ranges, in any order; a state for each, merged in another: as the whole in the steps of a run that
 * tells its progress. */
static void try_ranges(wedge_device *dev, const problem *p, int sink, uint32_t *random) {
    wedge_job *job = job_of(dev, p, sink);
    uint64_t cells = wedge_job_get_info(job)->cells, state_bytes = wedge_job_get_info(job)->state_bytes;
    uint64_t cuts[PIECES + 1];
    size_t bytes;
    char *whole = whole_result(dev, job, 0, cells, go_on, &bytes), *out = malloc(bytes);
    char *one = calloc(1, state_bytes), *parts = calloc(PIECES + 1, state_bytes);
    cut_somewhere(job, cuts, random);
    for (int k = 0; k < PIECES; ++k) {
        int at = 5 * k % PIECES;
        wedge_result r = {.size = sizeof r, .state = one, .values = fit_for_result(out)};
        assert_ok(dev, wedge_job_run(job, cuts[at], cuts[at + 1], &r, NULL, NULL));
        memcpy(out + bytes - 8, &r.count, 8);
        r = (wedge_result){.size = sizeof r, .state = parts + (uint64_t)at * state_bytes};
        assert_ok(dev, wedge_job_run(job, cuts[at], cuts[at + 1], &r, NULL, NULL));
    }
    if (memcmp(whole, out, bytes))
        fail_msg("%s of %s, layout %d: by ranges", sinks[sink].name, p->pairs.op, p->pairs.layout);
    for (int k = 0; k < PIECES; ++k) {
        char *from = parts + (uint64_t)((7 * k + 3) % PIECES) * state_bytes;
        assert_ok(dev, wedge_job_merge(job, parts + PIECES * state_bytes, from));
    }
    memset(out, GUARD, bytes);
    finish(dev, job, parts + PIECES * state_bytes, out);
    if (memcmp(whole, out, bytes))
        fail_msg("%s of %s, layout %d: merged", sinks[sink].name, p->pairs.op, p->pairs.layout);
    assert_memory_equal(one, parts + PIECES * state_bytes, state_bytes);
    wedge_job_destroy(job);
    free(whole);
    free(out);
    free(one);
    free(parts);
}

static void ranges_and_merges_give_the_same_bytes_on(wedge_device *dev) {
    static const uint64_t sizes[] = {2, 33, 64, 257, 500};
    uint32_t random = 99;
    for (int sink = 0; sink < SINKS; ++sink)
        for (int k = 0; k < 5 && sinks[sink].sums; ++k) {
            problem p = rough_problem("dot", WEDGE_CONDENSED, WEDGE_F32, sizes[k], 1);
            try_ranges(dev, &p, sink, &random);
            free(p.points);
            if (sink == SUMMARY && (dev->info.has_double || !compiles_slowly(dev))) { /* kernels of t440 */
                p = rough_problem("sqeuclidean", WEDGE_LOWER, dev->info.has_double, sizes[k], 2);
                try_ranges(dev, &p, sink, &random);
                free(p.points);
                p = rough_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, sizes[k], 5);
                try_ranges(dev, &p, sink, &random);
                free(p.points);
            }
            for (int layout = WEDGE_PACKED; layout <= WEDGE_RECTANGLE && !compiles_slowly(dev); ++layout) {
                p = rough_problem("euclidean", layout, WEDGE_F32, sizes[k], k % 2 ? 3 : 17);
                try_ranges(dev, &p, sink, &random);
                free(p.points);
            }
        }
}

static void ranges_and_merges_give_the_same_bytes(void **state) {
    (void)state;
    on_every_device(ranges_and_merges_give_the_same_bytes_on);
}

/* Rows longer than a piece of a run that tells its progress: pieces end at leaves. */
static void long_rows_give_the_same_bytes_on(wedge_device *dev) {
    if (compiles_slowly(dev)) NOTHING_HERE("kernels of its own");
    problem p = rough_problem("dot", WEDGE_RECTANGLE, WEDGE_F32, 100001, 1);
    size_t bytes;
    p.pairs.n = 3;
    free(result_of(dev, job_of(dev, &p, SUMMARY), &bytes)); /* with progress and without */
    free(p.points);
}

static void long_rows_give_the_same_bytes(void **state) {
    (void)state;
    on_every_device(long_rows_give_the_same_bytes_on);
}

/* Twice itself, forty times over: digits carry as they are merged, or they would not hold it. */
static void states_may_be_merged_over_and_over_on(wedge_device *dev) {
    if (dev->backend->compile) NOTHING_HERE("states do not depend on the device");
    for (int dtype = 0; dtype < 2; ++dtype) {
        problem p = rough_problem("euclidean", WEDGE_CONDENSED, dtype, 100, 3);
        wedge_job *job = job_of(dev, &p, SUMMARY);
        size_t bytes = wedge_job_get_info(job)->state_bytes;
        char *state = calloc(2, bytes);
        wedge_summary one = {.size = sizeof one}, many = {.size = sizeof many};
        wedge_result r = {.size = sizeof r, .state = state, .values = &one};
        assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
        for (int k = 0; k < 40; ++k) {
            memcpy(state + bytes, state, bytes);
            assert_ok(dev, wedge_job_merge(job, state, state + bytes));
        }
        r.values = &many;
        assert_ok(dev, wedge_job_run(job, 0, 0, &r, NULL, NULL));
        assert_true(many.sum == ldexp(one.sum, 40) && many.count == one.count << 40 && one.count == 4950);
        assert_true(many.min == one.min && many.min_i == one.min_i && many.max_j == one.max_j);
        wedge_job_destroy(job);
        free(state);
        free(p.points);
    }
}

static void states_may_be_merged_over_and_over(void **state) {
    (void)state;
    on_every_device(states_may_be_merged_over_and_over_on);
}

/* ---- Where a range may be cut ---- */

/* Leaves are 32 columns of a row: a sum may be cut where a row begins, or before a column that is a multiple of 32. */
static void sums_are_cut_between_leaves_on(wedge_device *dev) {
    if (dev->backend->compile) NOTHING_HERE("boundaries do not depend on the device");
    for (int layout = 0; layout <= WEDGE_RECTANGLE; ++layout) {
        problem p = rough_problem("dot", layout, WEDGE_F32, 101, 1);
        wedge_job *sum = job_of(dev, &p, SUMMARY), *count = job_of(dev, &p, 0);
        uint64_t columns = layout == WEDGE_RECTANGLE ? p.pairs.m : 101, position = 0, before = 0;
        for (uint64_t i = 0; i < 101; ++i)
            for (uint64_t j = 0, begun = 0; j < columns; ++j) {
                bool cell = is_a_cell(layout, i, j);
                if (!cell && layout != WEDGE_LOWER) continue;
                if (!cell || !begun++ || j % 32 == 0) before = position;
                assert_int_equal(wedge_job_boundary(sum, position), before);
                assert_int_equal(wedge_job_boundary(count, position), position);
                ++position;
            }
        assert_int_equal(position, wedge_job_get_info(sum)->cells);
        assert_int_equal(wedge_job_boundary(sum, position), position);
        assert_int_equal(wedge_job_boundary(sum, UINT64_MAX), position);
        wedge_job_destroy(sum);
        wedge_job_destroy(count);
        free(p.points);
    }
}

static void sums_are_cut_between_leaves(void **state) {
    (void)state;
    on_every_device(sums_are_cut_between_leaves_on);
}

/* Elsewhere it is refused, at either end, with the boundary in the message, and nothing is touched. */
static void other_cuts_are_refused_on(wedge_device *dev) {
    problem p = rough_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 100, 1);
    wedge_job *job = job_of(dev, &p, SUMMARY);
    size_t bytes = wedge_job_get_info(job)->state_bytes;
    char *state = malloc(bytes);
    wedge_summary s;
    memset(state, GUARD, bytes), memset(&s, GUARD, sizeof s);
    wedge_result r = {.size = sizeof r, .state = state, .values = &s};
    assert_int_equal(wedge_job_boundary(job, 50), 31); /* of row 0, columns 1 to 99: 32 and 64 begin leaves */
    assert_int_equal(wedge_job_run(job, 0, 50, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(dev), "31"));
    assert_int_equal(wedge_job_run(job, 50, 99, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_untouched(state, bytes);
    assert_untouched(&s, sizeof s);
    memset(state, 0, bytes), s.size = sizeof s;
    assert_ok(dev, wedge_job_run(job, 31, 63, &r, NULL, NULL));
    assert_int_equal(r.count, 32);
    wedge_job_destroy(job);
    free(state);
    free(p.points);
}

static void other_cuts_are_refused(void **state) {
    (void)state;
    on_every_device(other_cuts_are_refused_on);
}

/* ---- Stopped ---- */

/* Once something has been added up, and more is to come. */
static bool stop(void *user, double done) {
    ++*(int *)user;
    return done == 0;
}

/* A run that is stopped leaves the state and the result as they were; the same run again, to its end, is added once. */
static void a_stopped_run_leaves_the_state_on(wedge_device *dev) {
    problem p = rough_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 600, 1);
    for (int sink = 0; sink < SINKS; ++sink) {
        if (!sinks[sink].sums) continue;
        wedge_job *job = job_of(dev, &p, sink);
        uint64_t cells = wedge_job_get_info(job)->cells, half = wedge_job_boundary(job, cells / 3);
        size_t bytes, state_bytes = wedge_job_get_info(job)->state_bytes;
        char *whole = whole_result(dev, job, 0, cells, NULL, &bytes), *out = malloc(bytes);
        char *state = calloc(2, state_bytes);
        int calls = 0;
        wedge_result r = {.size = sizeof r, .state = state};
        assert_ok(dev, wedge_job_run(job, 0, half, &r, NULL, NULL));
        memcpy(state + state_bytes, state, state_bytes);
        memset(out, GUARD, bytes);
        r.values = fit_for_result(out);
        assert_int_equal(wedge_job_run(job, half, cells, &r, stop, &calls), WEDGE_STOPPED);
        assert_true(calls >= 1);
        assert_memory_equal(state, state + state_bytes, state_bytes);
        assert_untouched(out + sizeof(size_t), bytes - sizeof(size_t));
        assert_ok(dev, wedge_job_run(job, half, cells, &r, NULL, NULL));
        memcpy(out + bytes - 8, &r.count, 8);
        assert_memory_equal(whole, out, bytes);
        wedge_job_destroy(job);
        free(whole);
        free(out);
        free(state);
    }
    free(p.points);
}

static void a_stopped_run_leaves_the_state(void **state) {
    (void)state;
    on_every_device(a_stopped_run_leaves_the_state_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_and_tiles_give_the_same_bytes),
        cmocka_unit_test(threads_give_the_same_bytes),
        cmocka_unit_test(ranges_and_merges_give_the_same_bytes),
        cmocka_unit_test(long_rows_give_the_same_bytes),
        cmocka_unit_test(states_may_be_merged_over_and_over),
        cmocka_unit_test(sums_are_cut_between_leaves),
        cmocka_unit_test(other_cuts_are_refused),
        cmocka_unit_test(a_stopped_run_leaves_the_state),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
