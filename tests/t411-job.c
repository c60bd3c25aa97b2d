/* t411-job.c: what a job is given and where it writes: points in the device's memory, memory from any offset on, values with
 * progress told, runs that are stopped, and pointers that cannot be.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "pairs_problem.h"

enum { GUARD = 64, POISON = 0x5A, SEVERAL_PIECES = 2600 }; /* points, of which the values are told in pieces */

/* ---- Memory of a device ---- */

/* Three pieces, each from an offset on, the last one first; what lies between them stays. */
static void offsets_are_kept_on(wedge_device *dev) {
    enum { BYTES = 5000 };
    static const struct { size_t offset, bytes; } pieces[] = {{3001, 1998}, {1, 7}, {8, 2000}};
    unsigned char want[BYTES], got[BYTES], source[BYTES];
    void *memory;
    memset(want, POISON, BYTES);
    for (int k = 0; k < BYTES; ++k) source[k] = (unsigned char)(k * 37 + k / 251);
    assert_ok(dev, wedge_memory_create(dev, BYTES, &memory));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, want, BYTES));
    for (int p = 0; p < 3; ++p) {
        assert_ok(dev, wedge_memory_write(dev, memory, pieces[p].offset, source + p, pieces[p].bytes));
        memcpy(want + pieces[p].offset, source + p, pieces[p].bytes);
    }
    for (size_t from = 0; from < BYTES; from += 999) {
        memset(got, 0, BYTES);
        assert_ok(dev, wedge_memory_read(dev, got + from, memory, from, BYTES - from));
        assert_memory_equal(want + from, got + from, BYTES - from);
    }
    wedge_memory_destroy(dev, memory);
}

static void memory_is_written_and_read_from_any_offset(void **state) {
    (void)state;
    on_every_device(offsets_are_kept_on);
}

/* The points in memory of the device, the values into it; each after a guard where a pointer may lie inside of memory, and read
 * from that offset on. The job keeps no pointer to the points. */
static void device_to_device(wedge_device *dev, problem p, wedge_dtype dtype) {
    uint64_t size = dtype == WEDGE_F64 ? 8 : 4, bytes = p.pairs.n * p.pairs.d * size,
             more = p.pairs.m * p.pairs.d * size;
    uint64_t front = dev->backend->addressed ? GUARD + size : 0;
    void *points, *others = NULL, *values;
    wedge_job *job;
    if (more) {
        assert_ok(dev, wedge_memory_create(dev, front + more, &others));
        assert_ok(dev, wedge_memory_write(dev, others, front, p.pairs.others, more));
        p.pairs.others = (char *)others + front;
    }
    assert_ok(dev, wedge_memory_create(dev, front + bytes, &points));
    assert_ok(dev, wedge_memory_write(dev, points, front, p.points, bytes));
    p.pairs.points = (char *)points + front, p.pairs.place = WEDGE_ON_DEVICE;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    wedge_memory_destroy(dev, points);
    wedge_memory_destroy(dev, others);
    const wedge_job_info *info = wedge_job_get_info(job);
    uint64_t all = front + info->bytes + GUARD;
    char *got = malloc(all);
    memset(got, POISON, all);
    assert_ok(dev, wedge_memory_create(dev, all, &values));
    assert_ok(dev, wedge_memory_write(dev, values, 0, got, all));
    assert_ok(dev, run_values(job, 0, info->cells, (char *)values + front, WEDGE_ON_DEVICE, NULL, NULL));
    assert_ok(dev, wedge_memory_read(dev, got, values, front, info->bytes));
    check_values(&p, got);
    assert_ok(dev, wedge_memory_read(dev, got, values, front + info->bytes, GUARD));
    for (int k = 0; k < GUARD; ++k) assert_int_equal(got[k], POISON);
    wedge_memory_destroy(dev, values);
    wedge_job_destroy(job);
    free(got);
}

static void points_on_the_device_on(wedge_device *dev) {
    for (int dtype = 0; dtype < (dev->info.has_double && !compiles_slowly(dev) ? 2 : 1); ++dtype)
        for (uint64_t d = 3; d <= 5; d += 2) {
            problem p =
                make_problem(d == 3 ? "cosine" : "cityblock", dtype ? WEDGE_PACKED : WEDGE_CONDENSED, dtype, 131, d);
            device_to_device(dev, p, dtype);
            free(p.points);
            p = make_problem(d == 3 ? "cityblock" : "cosine", WEDGE_RECTANGLE, dtype, 130, d);
            device_to_device(dev, p, dtype);
            free(p.points);
        }
}

static void points_and_values_may_be_the_devices(void **state) {
    (void)state;
    on_every_device(points_on_the_device_on);
}

/* ---- Progress ---- */

typedef struct {
    int calls, stop_at;
    double last;
    bool ascends;
} listener;

static bool listen(void *user, double done) {
    listener *l = user;
    l->ascends = l->ascends && done >= l->last && done <= 1;
    l->last = done;
    return ++l->calls != l->stop_at;
}

/* Some rows of the values of positions [begin, end), against the oracle. */
static void check_some_rows(const problem *p, const float *values, uint64_t begin, uint64_t end) {
    domain l = {domain_find(p->pairs.layout), p->pairs.n, p->pairs.n};
    for (uint64_t row = 0; row < l.kind->rows(&l); row += row < 3 ? 1 : 61) {
        columns c = l.kind->columns(&l, row);
        for (uint64_t column = c.first; column <= c.last; ++column) {
            uint64_t position = l.kind->start(&l, row) + column - c.first;
            if (position < begin || position >= end) continue;
            double got = values[position - begin], want = oracle(p, row, column);
            if (!(fabs(got - want) <= 1e-5 * fmax(want, 1)))
                fail_msg("row %d column %d: %.9g, not %.9g", (int)row, (int)column, got, want);
        }
    }
}

/* Where the values go: memory of the device is read back. */
static wedge_status run_into(wedge_job *job, uint64_t begin, uint64_t end, float *out, void *memory, listener *l) {
    uint64_t bytes = (end - begin) * sizeof *out;
    if (!memory) return run_values(job, begin, end, out, WEDGE_ON_HOST, listen, l);
    assert_ok(job->dev, wedge_memory_write(job->dev, memory, 0, out, bytes));
    wedge_status status = run_values(job, begin, end, memory, WEDGE_ON_DEVICE, listen, l);
    assert_ok(job->dev, wedge_memory_read(job->dev, out, memory, 0, bytes));
    return status;
}

static void check_progress(wedge_job *job, const problem *p, void *memory, uint64_t begin, uint64_t end) {
    float *out = malloc((end - begin) * sizeof *out);
    bool direct = memory || !job->dev->backend->compile;
    listener all = {.ascends = true}, first = {.ascends = true, .stop_at = 1};
    assert_ok(job->dev, run_into(job, begin, end, out, memory, &all));
    assert_true(all.ascends && all.last == 1 && all.calls >= (direct ? 2 : 1));
    check_some_rows(p, out, begin, end);
    memset(out, POISON, (end - begin) * sizeof *out);
    for (int at = 2; at <= 3; ++at) { /* a faster run may ask less often, but none goes on after a no */
        listener later = {.ascends = true, .stop_at = at};
        wedge_status status = run_into(job, begin, end, out, memory, &later);
        assert_true(later.calls == at ? status == WEDGE_STOPPED : later.calls < at && !status);
    }
    memset(out, POISON, (end - begin) * sizeof *out);
    assert_int_equal(run_into(job, begin, end, out, memory, &first), WEDGE_STOPPED);
    assert_non_null(strstr(wedge_device_message(job->dev), "stopped"));
    assert_int_equal(first.calls, 1);
    assert_true(first.last < 1);
    uint64_t done = begin + (uint64_t)llround(first.last * (double)(end - begin));
    if (direct) check_some_rows(p, out, begin, done);
    const char *last =
        (const char *)(out + (end - begin)) - sizeof *out; /* a piece may be there in part, not the last */
    for (size_t k = 0; direct && k < sizeof *out; ++k) assert_int_equal(last[k], POISON);
    free(out);
}

static void progress_is_told_on(wedge_device *dev) {
    for (int layout = 0; layout < (compiles_slowly(dev) ? 1 : 3); ++layout) {
        problem p = make_problem("euclidean", layout, WEDGE_F32, SEVERAL_PIECES, 3);
        wedge_job *job;
        void *memory;
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        uint64_t cells = wedge_job_get_info(job)->cells;
        assert_ok(dev, wedge_memory_create(dev, cells * sizeof(float), &memory));
        check_progress(job, &p, memory, 0, cells);
        check_progress(job, &p, memory, 777, cells - 5);
        check_progress(job, &p, NULL, 777, cells - 5);
        wedge_memory_destroy(dev, memory);
        wedge_job_destroy(job);
        free(p.points);
    }
}

static void a_run_that_tells_progress_is_right_and_can_be_stopped(void **state) {
    (void)state;
    on_every_device(progress_is_told_on);
}

/* ---- Streams ---- */

typedef struct {
    listener progress;
    const float *want;
    uint64_t next, most;
    bool same;
} slow_reader;

/* Takes its time, so that the next pieces are ready before this one is let go. */
static wedge_status take_slowly(void *user, const wedge_piece *piece) {
    uint64_t position = piece->begin, count = piece->count;
    const void *values = piece->values;
    slow_reader *r = user;
    usleep(2000);
    r->same = r->same && position == r->next && !memcmp(values, r->want + position, count * sizeof(float));
    r->next = position + count;
    if (count > r->most) r->most = count;
    return WEDGE_OK;
}

static bool listen_too(void *user, double done) { return listen(&((slow_reader *)user)->progress, done); }

/* A taker that is slower than the device gets each value once, and buffers stay within their limit. */
static void slow_takers_on(wedge_device *dev) {
    enum { MEMORY = 1 << 16 };
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 700, 3);
    uint64_t bytes;
    float *whole = run_whole(dev, &p.pairs, &bytes);
    check_values(&p, whole);
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    slow_reader r = {.progress = {.ascends = true}, .want = whole, .same = true};
    assert_ok(dev, wedge_job_stream(job, 0, bytes / 4, MEMORY, take_slowly, &r, listen_too, &r));
    assert_true(r.same && r.next == bytes / 4 && r.most * sizeof(float) * 3 <= MEMORY);
    assert_true(r.progress.ascends && r.progress.last == 1 && r.progress.calls > 10);
    wedge_job_destroy(job);
    free(whole);
    free(p.points);
}

static void a_slow_taker_gets_every_value_once(void **state) {
    (void)state;
    on_every_device(slow_takers_on);
}

static wedge_status take_none(void *user, const wedge_piece *piece) {
    uint64_t position = piece->begin, count = piece->count;
    const void *values = piece->values;
    (void)values, (void)count;
    *(uint64_t *)user = position;
    return WEDGE_OK;
}

/* Half of its positions are never computed: what passes them on would pass on what lay there. */
static void lower_halves_on(wedge_device *dev) {
    enum { SIDE = 40 };
    problem p = make_problem("euclidean", WEDGE_LOWER, WEDGE_F32, SIDE, 3);
    static float out[SIDE * SIDE];
    uint64_t taken = UINT64_MAX;
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    assert_int_equal(wedge_job_stream(job, 0, SIDE * SIDE, 0, take_none, &taken, NULL, NULL), WEDGE_UNSUPPORTED);
    assert_true(taken == UINT64_MAX);
    wedge_status status = run_values(job, 0, SIDE * SIDE, out, WEDGE_ON_HOST, NULL, NULL);
    assert_int_equal(status, dev->backend->compile ? WEDGE_UNSUPPORTED : WEDGE_OK);
    wedge_job_destroy(job);
    free(p.points);
}

static void the_lower_half_is_not_streamed(void **state) {
    (void)state;
    on_every_device(lower_halves_on);
}

/* ---- Pointers that cannot be ---- */

/* Addresses count where the device has them; one that has none is made to. What is refused is not touched. */
static void refuse_odd_addresses_on(wedge_device *dev) {
    backend addressed = *dev->backend;
    const backend *real = dev->backend;
    for (int dtype = 0; dtype < (dev->info.has_double && !compiles_slowly(dev) ? 2 : 1); ++dtype) {
        problem p = make_problem("euclidean", WEDGE_PACKED, dtype, 8, 3);
        wedge_job_spec odd = p.pairs;
        wedge_job *job, *none;
        void *memory;
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        assert_ok(dev, wedge_memory_create(dev, 1024, &memory));
        addressed.addressed = true;
        dev->backend = &addressed;
        for (size_t off = 1; off < (dtype ? 8 : 4); off += off) {
            odd.points = (char *)memory + off, odd.place = WEDGE_ON_DEVICE;
            assert_int_equal(wedge_job_create(dev, &odd, &none), WEDGE_BAD_ARGUMENT);
            assert_non_null(strstr(wedge_device_message(dev), "aligned"));
            assert_int_equal(run_values(job, 0, 36, (char *)memory + off, WEDGE_ON_DEVICE, NULL, NULL),
                             WEDGE_BAD_ARGUMENT);
            assert_non_null(strstr(wedge_device_message(dev), "aligned"));
        }
        dev->backend = real;
        wedge_memory_destroy(dev, memory);
        wedge_job_destroy(job);
        free(p.points);
    }
}

static void an_address_between_two_numbers_is_refused(void **state) {
    (void)state;
    on_every_device(refuse_odd_addresses_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_written_and_read_from_any_offset),
        cmocka_unit_test(points_and_values_may_be_the_devices),
        cmocka_unit_test(a_run_that_tells_progress_is_right_and_can_be_stopped),
        cmocka_unit_test(a_slow_taker_gets_every_value_once),
        cmocka_unit_test(the_lower_half_is_not_streamed),
        cmocka_unit_test(an_address_between_two_numbers_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
