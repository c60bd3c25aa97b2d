/* t303-threads.c: what threads may do at once: devices of one context and of several, jobs and streams on them, a stop asked for by
 * another thread, and a device that passes from thread to thread. CI runs it with ThreadSanitizer, too (thread_tests).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "devices.h"

enum { CROWD = 4, N = 300, CELLS = N * (N - 1) / 2 };

typedef struct {
    wedge_device *dev;
    int number;
    const float *points;
    float *want;
    atomic_int *bad;
} worker;

static void fill(float *points) {
    for (int k = 0; k < 2 * N; ++k) points[k] = (float)((k * 37 + k / 7) % 101);
}

static wedge_job *job_of(const worker *w, const char *sink, const wedge_parameter *parameter, wedge_prune prune) {
    wedge_job_spec p = {.size = sizeof p, .op = "euclidean", .n = N, .d = 2, .points = w->points, .sink = sink};
    wedge_job *job = NULL;
    p.sink_parameters = parameter, p.sink_parameter_count = parameter ? 1 : 0, p.prune = prune;
    if (wedge_job_create(w->dev, &p, &job)) ++*w->bad;
    return job;
}

static void store(const worker *w) {
    float *out = calloc(CELLS, sizeof *out);
    wedge_result r = {.size = sizeof r, .values = out};
    wedge_job *job = job_of(w, NULL, NULL, WEDGE_PRUNE_AUTO);
    if (wedge_job_run(job, 0, CELLS, &r, NULL, NULL) || memcmp(out, w->want, CELLS * sizeof *out)) ++*w->bad;
    wedge_job_destroy(job);
    free(out);
}

/* With tiles left out, whose count threads add to one number; and a sum, whose slots they take and give. */
static void count_and_sum(const worker *w) {
    const wedge_parameter radius = WEDGE_NUMBER("radius", 20);
    uint64_t within = 0, want = 0;
    wedge_summary sum = {.size = sizeof sum};
    wedge_result r = {.size = sizeof r, .values = &within}, s = {.size = sizeof s, .values = &sum};
    wedge_job *counts = job_of(w, "count", &radius, WEDGE_PRUNE_ALWAYS),
              *sums = job_of(w, "summary", NULL, WEDGE_PRUNE_AUTO);
    for (int k = 0; k < CELLS; ++k) want += w->want[k] <= 20;
    if (wedge_job_run(counts, 0, CELLS, &r, NULL, NULL) || within != want) ++*w->bad;
    if (wedge_job_run(sums, 0, CELLS, &s, NULL, NULL) || sum.count != CELLS) ++*w->bad;
    wedge_job_destroy(counts);
    wedge_job_destroy(sums);
}

typedef struct {
    const worker *w;
    uint64_t next;
} stream;

static wedge_status take(void *user, const wedge_piece *piece) {
    stream *s = user;
    if (piece->begin != s->next) return WEDGE_FAILED;
    s->next = piece->end;
    return memcmp(piece->values, s->w->want + piece->begin, piece->count * sizeof(float)) ? WEDGE_FAILED : WEDGE_OK;
}

static void stream_all(const worker *w) {
    stream s = {w, 0};
    wedge_job *job = job_of(w, NULL, NULL, WEDGE_PRUNE_AUTO);
    if (wedge_job_stream(job, 0, CELLS, 16384, take, &s, NULL, NULL) || s.next != CELLS) ++*w->bad;
    wedge_job_destroy(job);
}

static void *work(void *user) {
    const worker *w = user;
    for (int again = 0; again < 3; ++again) {
        store(w);
        count_and_sum(w);
        stream_all(w);
    }
    return NULL;
}

/* A device for each thread; contexts: one, or one for each as well. */
static void run_a_crowd(int contexts) {
    static float points[2 * N], want[CELLS];
    wedge_context *ctx[CROWD];
    wedge_device *devs[CROWD];
    pthread_t threads[CROWD];
    worker workers[CROWD];
    atomic_int bad = 0;
    fill(points);
    for (int a = 0, p = 0; a < N; ++a)
        for (int b = a + 1; b < N; ++b, ++p) {
            float x = points[2 * a] - points[2 * b], y = points[2 * a + 1] - points[2 * b + 1];
            want[p] = sqrtf(x * x + y * y); /* whole numbers: exact, but for the root, which is rounded correctly */
        }
    for (int k = 0; k < contexts; ++k) assert_int_equal(wedge_context_create(&ctx[k]), WEDGE_OK);
    for (int k = 0; k < contexts; ++k)
        assert_int_equal(wedge_context_set(ctx[k], WEDGE_SET_NUM_THREADS, "3"), WEDGE_OK);
    for (int k = 0; k < CROWD; ++k) {
        assert_int_equal(wedge_device_open(ctx[k % contexts], "cpu", &devs[k]), WEDGE_OK);
        workers[k] = (worker){devs[k], k, points, want, &bad};
    }
    for (int k = 0; k < CROWD; ++k) assert_int_equal(pthread_create(&threads[k], NULL, work, &workers[k]), 0);
    for (int k = 0; k < CROWD; ++k) pthread_join(threads[k], NULL);
    assert_int_equal(bad, 0);
    for (int k = 0; k < CROWD; ++k) wedge_device_close(devs[k]);
    for (int k = 0; k < contexts; ++k) wedge_context_destroy(ctx[k]);
}

static void devices_of_one_context_run_at_once(void **state) {
    (void)state;
    run_a_crowd(1);
}

static void contexts_run_at_once(void **state) {
    (void)state;
    run_a_crowd(CROWD);
}

/* ---- Handles pass from thread to thread ---- */

static void *open_and_work(void *user) {
    worker *w = user;
    store(w);
    return NULL;
}

static void a_device_may_be_used_by_one_thread_after_another(void **state) {
    static float points[2 * N], want[CELLS];
    wedge_context *ctx;
    atomic_int bad = 0;
    worker w = {.points = points, .want = want, .bad = &bad};
    (void)state;
    fill(points);
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "3");
    assert_int_equal(wedge_device_open(ctx, "cpu", &w.dev), WEDGE_OK);
    wedge_job *job = job_of(&w, NULL, NULL, WEDGE_PRUNE_AUTO);
    wedge_result r = {.size = sizeof r, .values = want};
    assert_ok(w.dev, wedge_job_run(job, 0, CELLS, &r, NULL, NULL));
    wedge_job_destroy(job);
    for (int k = 0; k < CROWD; ++k) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, open_and_work, &w), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(bad, 0);
    wedge_device_close(w.dev);
    wedge_context_destroy(ctx);
}

/* ---- A stop ---- */

static bool go_on(void *user, double done) {
    (void)done;
    return !atomic_load((atomic_int *)user);
}

static wedge_status take_none(void *user, const wedge_piece *piece) {
    (void)piece;
    atomic_store((atomic_int *)user, 1); /* from the stream's thread, as progress is told in the caller's */
    return WEDGE_OK;
}

static void a_stream_stops_where_another_thread_asks_it_to(void **state) {
    static float points[2 * N];
    wedge_context *ctx;
    atomic_int bad = 0;
    worker w = {.points = points, .bad = &bad};
    (void)state;
    fill(points);
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "3");
    assert_int_equal(wedge_device_open(ctx, "cpu", &w.dev), WEDGE_OK);
    wedge_job *job = job_of(&w, NULL, NULL, WEDGE_PRUNE_AUTO);
    for (int again = 0; again < 5; ++again) {
        atomic_int asked = 0;
        wedge_status status = wedge_job_stream(job, 0, CELLS, 4096, take_none, &asked, go_on, &asked);
        assert_true(status == WEDGE_STOPPED || status == WEDGE_OK); /* it may be through before it looks */
    }
    assert_int_equal(bad, 0);
    wedge_job_destroy(job);
    wedge_device_close(w.dev);
    wedge_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_of_one_context_run_at_once),
        cmocka_unit_test(contexts_run_at_once),
        cmocka_unit_test(a_device_may_be_used_by_one_thread_after_another),
        cmocka_unit_test(a_stream_stops_where_another_thread_asks_it_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
