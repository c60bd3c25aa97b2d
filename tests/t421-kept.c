/* t421-kept.c: what a job keeps from one run to the next: buffers and queues of runs that go through host buffers.
 *
 * The device's backend is a copy that counts what is made and freed, and can fail.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

enum { MOST_PINNED = 8 };
static const backend *real;
static struct {
    int buffers, queues; /* made so far */
    int alive;           /* of both, those that were not freed yet */
    int fail_in;         /* the buffer after so many cannot be had; 0: none */
    buffer pinned[MOST_PINNED];
    const void *reading[MOST_PINNED]; /* queues that copy to the host, and were not waited for */
} made;

/* Notes a pinned buffer where `from` is free, or frees the place where `from` is. */
static void note_pinned(const void *from, buffer b) {
    for (int k = 0; k < MOST_PINNED; ++k)
        if (made.pinned[k].host == from) {
            made.pinned[k] = b;
            return;
        }
}

static uint64_t pinned_bytes(void) {
    uint64_t bytes = 0;
    for (int k = 0; k < MOST_PINNED; ++k) bytes += made.pinned[k].bytes;
    return bytes;
}

static wedge_status count_buffer(wedge_device *dev, size_t bytes, memory_kind where, buffer *out) {
    if (made.fail_in && !--made.fail_in) {
        *out = (buffer){.bytes = bytes}; /* as careless as a backend may be */
        return note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for a test");
    }
    WEDGE_TRY(real->buffer_new(dev, bytes, where, out));
    ++made.buffers, ++made.alive;
    if (where == PINNED_HOST) note_pinned(NULL, *out);
    return WEDGE_OK;
}

static void count_free(wedge_device *dev, buffer *b) {
    if (b->handle || b->host) --made.alive;
    if (b->host) note_pinned(b->host, (buffer){0});
    real->buffer_free(dev, b);
}

static wedge_status count_queue(wedge_device *dev, void **queue) {
    ++made.queues, ++made.alive;
    return real->queue_new(dev, queue);
}

static void count_queue_free(wedge_device *dev, void *queue) {
    --made.alive;
    real->queue_free(dev, queue);
}

static wedge_status count_read(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset,
                               size_t bytes) {
    int k = 0;
    while (made.reading[k] && made.reading[k] != queue) ++k;
    made.reading[k] = queue;
    return real->read(dev, queue, to, from, offset, bytes);
}

static wedge_status count_wait(wedge_device *dev, void *queue) {
    for (int k = 0; k < MOST_PINNED; ++k)
        if (made.reading[k] == queue) made.reading[k] = NULL;
    return real->wait(dev, queue);
}

static bool is_idle(void) {
    for (int k = 0; k < MOST_PINNED; ++k)
        if (made.reading[k]) return false;
    return true;
}

/* Until the device gets its real backend back. */
static void count_from_now_on(wedge_device *dev) {
    static backend b;
    b = *dev->backend, real = dev->backend;
    memset(&made, 0, sizeof made);
    b.buffer_new = count_buffer, b.buffer_free = count_free;
    b.queue_new = count_queue, b.queue_free = count_queue_free;
    b.read = count_read, b.wait = count_wait;
    dev->backend = &b;
}

/* Takes pieces and holds them against what is wanted. */
typedef struct {
    const float *want;
    uint64_t next, most, stop_at; /* values of the largest piece; the taker fails from this position on, unless 0 */
    bool same;
} reader;

static wedge_status take(void *user, const wedge_piece *piece) {
    reader *r = user;
    if (r->stop_at && piece->end > r->stop_at) return WEDGE_NO_SPACE;
    r->same = r->same && piece->begin == r->next &&
              !memcmp(piece->values, r->want + piece->begin, piece->count * sizeof(float));
    r->next = piece->end;
    if (piece->count > r->most) r->most = piece->count;
    return WEDGE_OK;
}

static reader stream(wedge_job *job, const float *want, uint64_t begin, uint64_t end, uint64_t memory) {
    reader r = {.want = want, .next = begin, .same = true};
    assert_ok(job->dev, wedge_job_stream(job, begin, end, memory, take, &r, NULL, NULL));
    assert_true(r.same && r.next == end);
    return r;
}

static bool stop_at_once(void *user, double done) {
    (void)user, (void)done;
    return false;
}

static problem small_problem(wedge_device *dev, float **whole, uint64_t *cells) {
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 700, 3);
    uint64_t bytes;
    *whole = run_whole(dev, &p.pairs, &bytes);
    check_values(&p, *whole);
    *cells = bytes / sizeof(float);
    return p;
}

static void kept_on(wedge_device *dev) {
    uint64_t cells;
    float *whole;
    problem p = small_problem(dev, &whole, &cells);
    wedge_job *job;
    count_from_now_on(dev);
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    uint64_t before = wedge_job_get_info(job)->device_bytes;
    stream(job, whole, 0, cells / 2, 0);
    int buffers = made.buffers, queues = made.queues;
    stream(job, whole, 5, cells / 2, 0); /* no more than the first: nothing is made */
    assert_true(made.buffers == buffers && made.queues == queues);
    stream(job, whole, 0, cells, 0); /* more: buffers grow */
    uint64_t held = wedge_job_get_info(job)->device_bytes - before;
    assert_true(made.buffers > buffers && made.queues == queues);
    assert_true(held == (real->compile ? 3 * cells * sizeof(float) : 0));
    buffers = made.buffers;
    stream(job, whole, 7, cells - 1, 0);
    float *out = malloc(cells * sizeof *out);
    assert_ok(dev, run_values(job, 0, cells, out, WEDGE_ON_HOST, NULL, NULL));
    assert_memory_equal(out, whole, cells * sizeof *out);
    assert_true(made.buffers == buffers && made.queues == queues);
    wedge_job_destroy(job);
    assert_int_equal(made.alive, 0);
    dev->backend = real;
    free(out), free(whole), free(p.points);
}

static void buffers_and_queues_are_kept_for_the_next_run(void **state) {
    (void)state;
    on_every_device(kept_on);
}

/* A later run may be allowed less: what is kept must not pass it. */
static void limits_on(wedge_device *dev) {
    enum { MEMORY = 1 << 16 };
    uint64_t cells;
    float *whole;
    problem p = small_problem(dev, &whole, &cells);
    wedge_job *job;
    count_from_now_on(dev);
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    stream(job, whole, 0, cells, 0);
    assert_true(pinned_bytes() == 3 * cells * sizeof(float));
    reader r = stream(job, whole, 0, cells, MEMORY);
    assert_true(r.most * 3 * sizeof(float) <= MEMORY && pinned_bytes() <= MEMORY);
    r = stream(job, whole, 0, cells, MEMORY + 100);
    assert_true(r.most * 3 * sizeof(float) <= MEMORY + 100 && pinned_bytes() <= MEMORY + 100);
    stream(job, whole, 0, cells, 1); /* the least there is */
    int buffers = made.buffers;
    stream(job, whole, 0, cells, 1);
    assert_int_equal(made.buffers, buffers);
    wedge_job_destroy(job);
    assert_int_equal(made.alive, 0);
    dev->backend = real;
    free(whole), free(p.points);
}

static void a_later_limit_on_memory_holds(void **state) {
    (void)state;
    on_every_device(limits_on);
}

/* Runs that end before their end leave nothing that the next one would see. */
static void ends_on(wedge_device *dev) {
    uint64_t cells;
    float *whole;
    problem p = small_problem(dev, &whole, &cells);
    wedge_job *job;
    count_from_now_on(dev);
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    reader r = {.want = whole, .same = true, .stop_at = cells / 2};
    assert_int_equal(wedge_job_stream(job, 0, cells, 1 << 16, take, &r, NULL, NULL), WEDGE_NO_SPACE);
    assert_true(is_idle()); /* nothing writes into buffers that are kept */
    stream(job, whole, 3, cells, 1 << 16);
    assert_int_equal(wedge_job_stream(job, 0, cells, 1 << 16, take, &r, stop_at_once, &r), WEDGE_STOPPED);
    assert_true(is_idle());
    stream(job, whole, 0, cells - 3, 1 << 16);
    uint64_t held = wedge_job_get_info(job)->device_bytes;
    for (int at = 1; at <= (real->compile ? 6 : 3); ++at) { /* each of the buffers that growing needs */
        made.fail_in = at;
        r = (reader){.want = whole, .same = true};
        assert_int_equal(wedge_job_stream(job, 0, cells, 0, take, &r, NULL, NULL), WEDGE_NO_MEMORY);
        made.fail_in = 0;
        stream(job, whole, 0, cells, 0);
        stream(job, whole, 0, cells, 1 << 16);
        assert_true(wedge_job_get_info(job)->device_bytes == held);
    }
    wedge_job_destroy(job);
    assert_int_equal(made.alive, 0);
    dev->backend = real;
    free(whole), free(p.points);
}

static void a_run_that_failed_does_not_spoil_the_next(void **state) {
    (void)state;
    on_every_device(ends_on);
}

/* Marks are small on the cpu, and to get them anew takes a good part of a short run. Elsewhere they are large. */
static wedge_status no_pairs(void *user, const wedge_piece *piece) {
    (void)user, (void)piece;
    return WEDGE_OK;
}

static void marks_on(wedge_device *dev) {
    enum { N = 300, MARKS = N * 40 - 40 }; /* N - 1 rows of ten words */
    if (dev->backend->compile) NOTHING_HERE("it makes marks anew for each run");
    float *points = calloc(N, sizeof *points);
    const wedge_parameter radius = WEDGE_NUMBER("radius", -1);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .n = N, .d = 1};
    pairs.points = points, pairs.sink = "select", pairs.sink_parameters = &radius, pairs.sink_parameter_count = 1;
    wedge_result r = {.size = sizeof r};
    wedge_job *job;
    count_from_now_on(dev);
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    uint64_t cells = wedge_job_get_info(job)->cells, before = wedge_job_get_info(job)->device_bytes;
    assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    assert_int_equal(wedge_job_get_info(job)->device_bytes - before, MARKS);
    int buffers = made.buffers;
    assert_ok(dev, wedge_job_run(job, 7, cells - 9, &r, NULL, NULL));
    assert_int_equal(made.buffers, buffers);
    assert_ok(dev, wedge_job_stream(job, 0, cells, 4096, no_pairs, NULL, NULL, NULL)); /* half of it for marks */
    assert_true(wedge_job_get_info(job)->device_bytes - before <= 2048);
    made.fail_in = 1;
    assert_int_equal(wedge_job_run(job, 0, cells, &r, NULL, NULL), WEDGE_NO_MEMORY);
    made.fail_in = 0;
    assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    assert_int_equal(wedge_job_get_info(job)->device_bytes - before, MARKS);
    wedge_job_destroy(job);
    assert_int_equal(made.alive, 0);
    dev->backend = real;
    free(points);
}

static void marks_of_select_are_kept_on_the_cpu(void **state) {
    (void)state;
    on_every_device(marks_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_and_queues_are_kept_for_the_next_run),
        cmocka_unit_test(a_later_limit_on_memory_holds),
        cmocka_unit_test(a_run_that_failed_does_not_spoil_the_next),
        cmocka_unit_test(marks_of_select_are_kept_on_the_cpu),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
