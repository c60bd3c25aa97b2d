/* The engine on every device: equal to a plain double loop, the same bytes however it is cut, and clear refusals.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

/* Is this number of features (of those below) tried with this op and kind of number, where each is a kernel to compile? By
 * default one for either skeleton, in turn. */
static bool is_covering(int op, int dtype, unsigned features) {
    unsigned few = (unsigned)(op + dtype) % 3, many = 3 + (unsigned)(op / 3 + dtype) % 2;
    return test_everything() || features == few || features == many;
}

/* Every op, kind of number, number of features and n. Layouts: all where nothing is compiled (the largest n in one of
 * them), else in turn, since a kernel takes a third of a second to compile on a GPU; and on a cpu behind OpenCL seconds,
 * so that each op is one kernel. */
static void every_op_is_right_on(wedge_device *dev) {
    static const wedge_layout layouts[] = {WEDGE_CONDENSED, WEDGE_PACKED, WEDGE_SQUARE, WEDGE_RECTANGLE};
    static const uint64_t sizes[] = {1, 2, 3, 64, 130, MOST_N}, features[] = {1, 3, 4, 5, 17};
    bool compiles = dev->backend->compile != NULL;
    for (int k = 0; k < wedge_op_count(2); ++k) {
        const char *op = wedge_op_at(2, k)->name;
        if (compiles_slowly(dev)) one_op(dev, op, layouts[k % 4], k / 2 % 2, 130, k % 4 ? 3 : 5);
        for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1) && !compiles_slowly(dev); ++dtype)
            for (unsigned d = 0; d < sizeof features / sizeof *features; ++d)
                for (unsigned l = 0; l < 4 && (!compiles || is_covering(k, dtype, d)); ++l)
                    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes - (l != (k + d) % 4); ++n)
                        if (!compiles || l == (k + d) % 4) one_op(dev, op, layouts[l], dtype, sizes[n], features[d]);
    }
}

static void every_op_is_right(void **state) {
    (void)state;
    on_every_device(every_op_is_right_on);
}

/* Cuts of any kind give the same bytes: a range at a time, in the host's or the device's memory, at any alignment. */
static void ranges_join_on(wedge_device *dev) {
    for (int layout = 0; layout <= WEDGE_RECTANGLE; ++layout) {
        if (layout == WEDGE_LOWER || (compiles_slowly(dev) && layout == WEDGE_PACKED)) continue;
        problem p = make_problem("euclidean", layout, WEDGE_F32, 257, 3);
        uint64_t bytes, at = 0, step = 1;
        char *whole = run_whole(dev, &p.pairs, &bytes), *pieces = malloc(bytes);
        wedge_job *job;
        void *memory;
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        assert_ok(dev, wedge_memory_create(dev, bytes + 64, &memory));
        for (uint64_t cells = bytes / 4; at < cells; at += step, step = step * 5 / 3 + 1) {
            if (step > cells - at) step = cells - at;
            if (step % 2) {
                assert_ok(dev, run_values(job, at, at + step, pieces + 4 * at, WEDGE_ON_HOST, NULL, NULL));
                continue;
            }
            char *place = (char *)memory + (dev->backend->addressed ? step % 16 * 4 : 0);
            assert_ok(dev, run_values(job, at, at + step, place, WEDGE_ON_DEVICE, NULL, NULL));
            assert_ok(dev, wedge_memory_read(dev, pieces + 4 * at, place, 0, 4 * step));
        }
        assert_memory_equal(whole, pieces, bytes);
        wedge_memory_destroy(dev, memory);
        wedge_job_destroy(job);
        free(whole);
        free(pieces);
        free(p.points);
    }
}

static void ranges_join(void **state) {
    (void)state;
    on_every_device(ranges_join_on);
}

static void maps_and_tiles_give_the_same_bytes_on(wedge_device *dev) {
    static const char *const maps[] = {"lambda", "walk"};
    static const uint32_t tiles[] = {32, 64, 128, 256};
    for (int dtype = 0; dtype < (dev->info.has_double && !compiles_slowly(dev) ? 2 : 1); ++dtype)
        for (int d = 4; d <= (compiles_slowly(dev) ? 4 : 37); d += 33) {
            problem p = make_problem("euclidean", WEDGE_CONDENSED, dtype, 1000, (uint64_t)d);
            uint64_t bytes, other;
            char *first = run_whole(dev, &p.pairs, &bytes);
            for (int k = 0; k < 8 && dev->backend->compile; ++k) {
                p.pairs.map = maps[k % 2], p.pairs.tile = tiles[k / 2];
                if (compiles_slowly(dev) && !test_everything() && (k + k / 2) % 2) continue; /* each once, or twice */
                if ((p.pairs.tile == 128 && dtype && d > 4) || (p.pairs.tile == 256 && (dtype || d > 4))) continue;
                char *again = run_whole(dev, &p.pairs, &other);
                assert_memory_equal(first, again, bytes);
                free(again);
            }
            free(first);
            free(p.points);
        }
}

static void maps_and_tiles_give_the_same_bytes(void **state) {
    (void)state;
    on_every_device(maps_and_tiles_give_the_same_bytes_on);
}

/* sqeuclidean with a quick value from 9 on that shows where it is taken: there it is off by 1000. */
static const char quick_text[] =
    "\n#define OP_QUICK_FROM 9.0f\n"
    "WEDGE_OP real op_quick(op_state s, op_args q) {\n"
    "    real zero = s.sum - s.sum;\n"
    "    return s.sum >= 9.0f ? s.sum + 1000.0f : zero / zero;\n"
    "}\n";

static void quick_values_are_taken_where_all_are_sure_on(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it compiles nothing");
    const uint64_t n = 300;
    problem p = make_problem("sqeuclidean", WEDGE_SQUARE, WEDGE_F32, n, 2);
    op_def row = *op_find(p.pairs.op);
    char *text = text_format("%s%s", row.text, quick_text);
    uint64_t bytes, quick = 0, slow = 0;
    for (uint64_t x = 200; x < n; ++x) ((float *)p.points)[2 * x] += 100; /* far from the first 200: sure */
    row.text = text;
    p.pairs.tile = 64; /* two cells a lane and row */
    wedge_job *job;
    assert_ok(dev, job_create(dev, &p.pairs, &row, &job));
    const float *out = run_job(dev, job, &bytes);
    for (uint64_t k = 0; k < n * n; ++k) {
        double want = pow(at(&p, k / n, 0) - at(&p, k % n, 0), 2) + pow(at(&p, k / n, 1) - at(&p, k % n, 1), 2);
        bool sure = want >= 9, taken = sure && out[k] > want + 500;
        quick += taken, slow += !taken;
        if (!(fabs((double)out[k] - want - (taken ? 1000 : 0)) <= 1e-3 * (want + 1))) /* nor NaN */
            fail_msg("row %d column %d: %g, not %g", (int)(k / n), (int)(k % n), out[k], want);
    }
    assert_true(quick > n * n / 8 && slow > n); /* some rows of cells are all sure; the diagonal's are not */
    free((void *)(uintptr_t)out);
    free(text);
    free(p.points);
}

static void quick_values_are_taken_where_all_are_sure(void **state) {
    (void)state;
    on_every_device(quick_values_are_taken_where_all_are_sure_on);
}

typedef struct {
    uint64_t next;
    int calls, stop_after;
    bool in_order;
} reader;

static wedge_status take(void *user, const wedge_piece *piece) {
    uint64_t position = piece->begin, count = piece->count;
    const void *values = piece->values;
    reader *r = user;
    (void)values;
    r->in_order = r->in_order && position == r->next;
    r->next = position + count;
    return ++r->calls == r->stop_after ? WEDGE_NO_SPACE : WEDGE_OK;
}

static bool stop_at_half(void *user, double done) {
    (void)user;
    return done < 0.5;
}

static void streams_come_in_order_and_can_be_stopped_on(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 1500, 3);
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    uint64_t cells = wedge_job_get_info(job)->cells;
    reader all = {.next = 10, .in_order = true};
    assert_ok(dev, wedge_job_stream(job, 10, cells, 1 << 18, take, &all, NULL, NULL));
    assert_true(all.in_order && all.next == cells && all.calls > 10);
    reader some = {.in_order = true};
    assert_int_equal(wedge_job_stream(job, 0, cells, 1 << 18, take, &some, stop_at_half, &some), WEDGE_STOPPED);
    assert_true(some.in_order && some.next > cells / 3 && some.next < cells);
    reader full = {.in_order = true, .stop_after = 3};
    assert_int_equal(wedge_job_stream(job, 0, cells, 1 << 18, take, &full, NULL, NULL), WEDGE_NO_SPACE);
    assert_int_equal(full.calls, 3);
    wedge_job_destroy(job);
    free(p.points);
}

static void streams_come_in_order_and_can_be_stopped(void **state) {
    (void)state;
    on_every_device(streams_come_in_order_and_can_be_stopped_on);
}

static void refuse(wedge_device *dev, const wedge_job_spec *pairs, const char *words) {
    wedge_job *job;
    assert_int_equal(wedge_job_create(dev, pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_null(job);
    if (!strstr(wedge_device_message(dev), words))
        fail_msg("'%s' says nothing of %s", wedge_device_message(dev), words);
}

static void what_cannot_be_is_refused_on(wedge_device *dev) {
    problem p = make_problem("minkowski", WEDGE_CONDENSED, WEDGE_F32, 10, 2);
    wedge_job_spec bad = p.pairs;
    bad.op = NULL, refuse(dev, &bad, "op");
    bad = p.pairs, bad.n = 0, refuse(dev, &bad, "points");
    bad = p.pairs, bad.n = UINT64_C(1) << 33, refuse(dev, &bad, "points");
    bad = p.pairs, bad.d = 0, refuse(dev, &bad, "features");
    bad = p.pairs, bad.d = WEDGE_MOST_FEATURES + 1, refuse(dev, &bad, "features");
    bad = p.pairs, bad.points = NULL, refuse(dev, &bad, "points");
    bad = p.pairs, bad.layout = 7, refuse(dev, &bad, "layout");
    bad = p.pairs, bad.map = "rb", refuse(dev, &bad, "lambda or walk");
    if (dev->backend->compile) bad = p.pairs, bad.tile = 48, refuse(dev, &bad, "48");
    wedge_job *job;
    float out[64];
    p.pairs.op = "euclidean", p.pairs.parameter_count = 0;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    assert_int_equal(run_values(job, 0, 46, out, WEDGE_ON_HOST, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(run_values(job, 5, 4, out, WEDGE_ON_HOST, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(run_values(job, 0, 45, NULL, WEDGE_ON_HOST, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_ok(dev, run_values(job, 45, 45, NULL, WEDGE_ON_HOST, NULL, NULL));
    wedge_job_destroy(job);
    free(p.points);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    on_every_device(what_cannot_be_is_refused_on);
}

static void minkowski_is_simpler_where_p_allows(void **state) {
    (void)state;
    once_for_all_devices();
    static const struct {
        double p;
        const char *op;
    } cases[] = {{1, "cityblock"}, {2, "euclidean"}, {INFINITY, "chebyshev"}, {3, "minkowski"}};
    wedge_context *ctx;
    wedge_device *dev;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    for (int k = 0; k < 4; ++k) {
        problem p = make_problem("minkowski", WEDGE_PACKED, WEDGE_F64, 20, 3);
        wedge_job *job;
        p.pairs.parameters = &(wedge_parameter)WEDGE_NUMBER("p", cases[k].p);
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        assert_string_equal(wedge_job_get_info(job)->op, cases[k].op);
        if (k == 3) assert_true(wedge_job_get_info(job)->parameters[0] == 3);
        wedge_job_destroy(job);
        free(p.points);
    }
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* Cuts fall on multiples of rows wherever a range holds some, and never reach beyond the most. */
static void cuts_fall_on_rows(void **state) {
    (void)state;
    once_for_all_devices();
    for (int kind = 0; kind <= WEDGE_RECTANGLE; ++kind)
        for (uint64_t n = 2; n < 60; n += 7)
            for (uint64_t most = 1; most < n * n; most = most * 2 + 1) {
                domain l = {domain_find(kind), n, n};
                uint64_t cells = kind == 0 ? n * (n - 1) / 2 : kind == 1 ? n * (n + 1) / 2 : n * n;
                for (uint64_t at = 0; at < cells;) {
                    uint64_t to = domain_cut(&l, at, cells, most, 4);
                    assert_true(to > at && to - at <= most && to <= cells);
                    if (to < cells && to - at < most) {
                        uint64_t row = l.kind->row(&l, to);
                        assert_int_equal(l.kind->start(&l, row), to);
                        assert_int_equal((kind == 0 ? n - 1 - row : row) % 4, 0);
                    }
                    at = to;
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_is_right),
        cmocka_unit_test(ranges_join),
        cmocka_unit_test(maps_and_tiles_give_the_same_bytes),
        cmocka_unit_test(quick_values_are_taken_where_all_are_sure),
        cmocka_unit_test(streams_come_in_order_and_can_be_stopped),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(minkowski_is_simpler_where_p_allows),
        cmocka_unit_test(cuts_fall_on_rows),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
