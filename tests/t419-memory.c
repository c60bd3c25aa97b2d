/* t419-memory.c: memory of the caller's: points with gaps between rows, from an offset on, in host memory or the device's;
 * results into the middle of memory; and memory that is not the device's.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

enum { GUARD = 64, POISON = 0x5A };

/* ---- Points with gaps ---- */

/* Into memory of the device, or where they are. */
static void *put(wedge_device *dev, void *all, size_t bytes, wedge_place place) {
    void *memory;
    if (place == WEDGE_ON_HOST) return all;
    assert_ok(dev, wedge_memory_create(dev, bytes, &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, all, bytes));
    return memory;
}

static void drop(wedge_device *dev, void *memory, wedge_place place) {
    if (place == WEDGE_ON_DEVICE) wedge_memory_destroy(dev, memory);
}

typedef struct {
    uint64_t gap, front; /* numbers */
} spacing;

/* The same bytes as from rows without gaps, which are held against the oracle. */
static void check_spread(wedge_device *dev, const problem *p, spacing rows, spacing columns, wedge_place place) {
    wedge_job_spec q = p->pairs;
    size_t size = q.dtype == WEDGE_F64 ? 8 : 4, bytes[2] = {0};
    uint64_t whole_bytes, got_bytes;
    void *all[2] = {spread(q.points, q.n, q.d, q.d + rows.gap, rows.front, size, &bytes[0]), NULL}, *in[2] = {0};
    void *whole = run_whole(dev, &p->pairs, &whole_bytes);
    check_values(p, whole);
    if (q.m) all[1] = spread(q.others, q.m, q.d, q.d + columns.gap, columns.front, size, &bytes[1]);
    for (int k = 0; k < 2; ++k) in[k] = all[k] ? put(dev, all[k], bytes[k], place) : NULL;
    q.place = place;
    q.points = in[0], q.points_offset = rows.front * size, q.points_stride = q.d + rows.gap;
    q.others = in[1], q.others_offset = columns.front * size, q.others_stride = q.d + columns.gap;
    void *got = run_whole(dev, &q, &got_bytes);
    assert_int_equal(got_bytes, whole_bytes);
    assert_memory_equal(got, whole, whole_bytes);
    for (int k = 0; k < 2; ++k) {
        if (in[k]) drop(dev, in[k], place);
        free(all[k]);
    }
    free(whole);
    free(got);
}

static void gaps_on(wedge_device *dev) {
    static const struct {
        const char *op;
        wedge_layout layout;
        wedge_dtype dtype;
        uint64_t n, d;
    } cases[] = {{"cityblock", WEDGE_CONDENSED, WEDGE_F32, 131, 3},
                 {"cosine", WEDGE_RECTANGLE, WEDGE_F32, 70, 5},
                 {"euclidean", WEDGE_PACKED, WEDGE_F64, 67, 2},
                 {"cityblock", WEDGE_SQUARE, WEDGE_F32, 1, 3},
                 {"cosine", WEDGE_CONDENSED, WEDGE_F64, 65, 7}};
    for (size_t k = 0; k < (compiles_slowly(dev) ? 2 : sizeof cases / sizeof *cases); ++k) {
        if (cases[k].dtype == WEDGE_F64 && !dev->info.has_double) continue;
        problem p = make_problem(cases[k].op, cases[k].layout, cases[k].dtype, cases[k].n, cases[k].d);
        for (int place = WEDGE_ON_HOST; place <= WEDGE_ON_DEVICE; ++place) {
            check_spread(dev, &p, (spacing){1, 0}, (spacing){0, 3}, place);
            check_spread(dev, &p, (spacing){0, 5}, (spacing){7, 0}, place);
            check_spread(dev, &p, (spacing){1000, 1}, (spacing){1, 1}, place);
        }
        free(p.points);
    }
}

static void points_may_have_gaps_and_begin_anywhere(void **state) {
    (void)state;
    on_every_device(gaps_on);
}

/* More rows than go to the device at once. */
static void many_rows_on(wedge_device *dev) {
    enum { N = 3, D = 700000, GAP = 3 };
    uint64_t bytes, strided_bytes;
    size_t all;
    float *points = malloc(sizeof(float) * N * D);
    for (uint64_t k = 0; k < (uint64_t)N * D; ++k) points[k] = (float)(k * 7919 % 1009 % 5);
    void *strided = spread(points, N, D, D + GAP, 0, sizeof(float), &all);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .n = N, .d = D, .points = points};
    void *whole = run_whole(dev, &pairs, &bytes);
    pairs.points = strided, pairs.points_stride = D + GAP;
    void *got = run_whole(dev, &pairs, &strided_bytes);
    assert_memory_equal(got, whole, bytes);
    float want = 0;
    for (int f = 0; f < D; ++f) want += fabsf(points[f] - points[D + f]);
    assert_true(*(float *)got == want); /* whole numbers below 2^24 */
    free(points), free(strided), free(whole), free(got);
}

static void gaps_are_left_out_in_several_steps(void **state) {
    (void)state;
    on_every_device(many_rows_on);
}

/* ---- Results into the middle of memory ---- */

static bool go_on(void *user, double done) {
    (void)user, (void)done;
    return true;
}

static void check_offset(wedge_device *dev, wedge_job *job, const char *whole, uint64_t begin, uint64_t end,
                         uint64_t front, wedge_place place, wedge_progress progress) {
    size_t size = job->size, bytes = (end - begin) * size, all = front * size + bytes + GUARD;
    char *got = malloc(all);
    memset(got, POISON, all);
    void *memory = put(dev, got, all, place);
    wedge_result to = {.size = sizeof to, .values = memory, .place = place, .values_offset = front * size};
    assert_ok(dev, wedge_job_run(job, begin, end, &to, progress, NULL));
    if (place == WEDGE_ON_DEVICE) assert_ok(dev, wedge_memory_read(dev, got, memory, 0, all));
    assert_memory_equal(got + front * size, whole + begin * size, bytes);
    for (size_t k = 0; k < all; ++k)
        if (k < front * size || k >= front * size + bytes) assert_int_equal(got[k], POISON);
    drop(dev, memory, place);
    free(got);
}

static void offsets_on(wedge_device *dev) {
    for (int layout = 0; layout < WEDGE_LOWER; ++layout) {
        wedge_dtype dtype = layout == WEDGE_PACKED && dev->info.has_double ? WEDGE_F64 : WEDGE_F32;
        problem p = make_problem("euclidean", layout, dtype, 150, 3);
        uint64_t bytes, cells;
        char *whole = run_whole(dev, &p.pairs, &bytes);
        check_values(&p, whole);
        wedge_job *job;
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        cells = wedge_job_get_info(job)->cells;
        for (uint64_t front = 0; front < 20; front += front < 9 ? 1 : 5)
            for (int place = WEDGE_ON_HOST; place <= WEDGE_ON_DEVICE; ++place) {
                check_offset(dev, job, whole, 0, cells, front, place, NULL);
                check_offset(dev, job, whole, 777, cells - 333, front, place, front % 2 ? go_on : NULL);
            }
        wedge_job_destroy(job);
        free(whole);
        free(p.points);
    }
}

static void results_may_begin_anywhere(void **state) {
    (void)state;
    on_every_device(offsets_on);
}

/* ---- Memory that is not the device's ---- */

static void assert_refused(wedge_device *dev, wedge_status status, const char *why) {
    assert_int_equal(status, WEDGE_BAD_ARGUMENT);
    if (!strstr(wedge_device_message(dev), why)) fail_msg("'%s' does not say '%s'", wedge_device_message(dev), why);
}

static wedge_status run_at(wedge_job *job, void *memory, size_t offset) {
    wedge_result to = {.size = sizeof to, .values = memory, .place = WEDGE_ON_DEVICE, .values_offset = offset};
    return wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &to, NULL, NULL);
}

/* An offset must be a multiple of a number's size, and what follows it must be there. */
static void short_memory_on(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_PACKED, WEDGE_F32, 8, 3);
    enum { CELLS = 36, POINT_BYTES = 8 * 3 * 4 };
    wedge_job *job, *none;
    void *memory;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    assert_ok(dev, wedge_memory_create(dev, CELLS * 4, &memory));
    assert_refused(dev, run_at(job, memory, 2), "aligned");
    wedge_job_spec q = p.pairs;
    q.points = memory, q.place = WEDGE_ON_DEVICE, q.points_offset = 6;
    assert_refused(dev, wedge_job_create(dev, &q, &none), "aligned");
    if (!dev->backend->addressed) { /* of an address only the driver knows what follows */
        assert_refused(dev, run_at(job, memory, 4), "148");
        q.points_offset = CELLS * 4 - POINT_BYTES + 4;
        assert_refused(dev, wedge_job_create(dev, &q, &none), "148");
        assert_refused(dev, wedge_memory_read(dev, p.points, memory, CELLS * 4, 4), "148");
    }
    assert_ok(dev, run_at(job, memory, 0));
    wedge_memory_destroy(dev, memory);
    wedge_job_destroy(job);
    free(p.points);
}

static void memory_that_is_too_small_is_refused(void **state) {
    (void)state;
    on_every_device(short_memory_on);
}

/* Of OpenCL, memory of a second handle is of another context; CUDA's is not, but it knows host memory from its own. */
static void others_memory_on(wedge_device *dev) {
    if (!dev->backend->memory_check) NOTHING_HERE("all memory is the device's");
    problem p = make_problem("euclidean", WEDGE_PACKED, WEDGE_F32, 8, 3);
    wedge_device *other;
    wedge_job *job, *none;
    void *memory;
    float host[64];
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    assert_int_equal(wedge_device_open(dev->ctx, dev->info.id, &other), WEDGE_OK);
    assert_ok(other, wedge_memory_create(other, sizeof host, &memory));
    void *wrong = dev->backend->addressed ? (void *)host : memory;
    wedge_job_spec q = p.pairs;
    q.points = wrong, q.place = WEDGE_ON_DEVICE;
    const char *why = dev->backend->addressed ? "WEDGE_ON_HOST" : "context";
    assert_refused(dev, wedge_job_create(dev, &q, &none), why);
    assert_refused(dev, run_at(job, wrong, 0), why);
    assert_refused(dev, wedge_memory_write(dev, wrong, 0, host, 4), why);
    wedge_memory_destroy(other, memory);
    wedge_device_close(other);
    wedge_job_destroy(job);
    free(p.points);
}

static void memory_of_another_context_is_refused(void **state) {
    (void)state;
    on_every_device(others_memory_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_may_have_gaps_and_begin_anywhere),
        cmocka_unit_test(gaps_are_left_out_in_several_steps),
        cmocka_unit_test(results_may_begin_anywhere),
        cmocka_unit_test(memory_that_is_too_small_is_refused),
        cmocka_unit_test(memory_of_another_context_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
