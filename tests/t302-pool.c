/* t302-pool.c: the threads of the cpu device: every part once, with as many threads as there are, one, none to be had,
 * or more than cores; several devices at once; and children after fork().
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cpu/pool.h"
#include "devices.h"

/* ThreadSanitizer cannot follow threads that a child of several threads starts. Its children get none, and do all by themselves: what
 * they do with the parent's handles is the same. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
enum { CHILDREN_HAVE_THREADS = 0 };
#else
enum { CHILDREN_HAVE_THREADS = 1 };
#endif

/* ---- No thread to be had: pthread_create as the pool sees it ---- */

static atomic_int threads_left = 1 << 30;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    return atomic_fetch_sub(&threads_left, 1) > 0 ? __real_pthread_create(thread, attr, start, arg) : EAGAIN;
}

/* ---- Every part once ---- */

enum { MOST = 5000 };

typedef struct {
    uint64_t begin, end, grain;
    atomic_int times[MOST];
    atomic_int bad; /* parts that are no parts */
} tally;

static void count_part(void *user, uint64_t begin, uint64_t end) {
    tally *t = user;
    bool whole = end - begin == t->grain, last = end == t->end && end - begin < t->grain;
    if (begin < t->begin || begin >= end || end > t->end || (begin - t->begin) % t->grain || !(whole || last)) ++t->bad;
    for (uint64_t k = begin; k < end && k < t->begin + MOST; ++k) ++t->times[k - t->begin];
}

static bool every_part_once(pool *p, uint64_t begin, uint64_t count, uint64_t grain) {
    tally *t = calloc(1, sizeof *t);
    *t = (tally){.begin = begin, .end = begin + count, .grain = grain};
    pool_run(p, count_part, t, begin, begin + count, grain);
    bool good = !t->bad;
    for (uint64_t k = 0; k < MOST; ++k) good = good && t->times[k] == (k < count);
    free(t);
    return good;
}

static bool runs_right(pool *p) {
    static const uint64_t counts[] = {0, 1, 2, 3, 64, 1000, MOST}, grains[] = {1, 2, 7, 999, UINT64_MAX / 2};
    bool good = true;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g)
            good = good && every_part_once(p, c * g, counts[c], grains[g]);
    return good;
}

static void every_part_runs_once_with_any_number_of_threads(void **state) {
    static const int threads[] = {1, 2, 3, 8, 64};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) {
        pool *p = pool_new(threads[t]);
        assert_non_null(p);
        for (int twice = 0; twice < 2; ++twice) assert_true(runs_right(p));
        assert_int_equal(pool_started(p), threads[t] - 1);
        pool_free(p);
    }
}

static void threads_start_with_the_first_run_that_has_parts_for_them(void **state) {
    pool *p = pool_new(8);
    (void)state;
    assert_int_equal(pool_started(p), 0);
    assert_true(every_part_once(p, 0, 100, 100));
    assert_int_equal(pool_started(p), 0); /* one part */
    assert_true(every_part_once(p, 0, 3, 1));
    assert_int_equal(pool_started(p), 2); /* the caller has the third */
    pool_free(p);
}

/* ---- All threads take part ---- */

enum { CROWD = 4 };

static void meet(void *user, uint64_t begin, uint64_t end) {
    (void)begin, (void)end;
    pthread_barrier_wait(user);
}

/* Each of four parts waits for the other three: with fewer than four threads at it, this would never end. */
static void parts_run_at_the_same_time(void **state) {
    pool *p = pool_new(CROWD);
    pthread_barrier_t all_here;
    (void)state;
    alarm(200);
    pthread_barrier_init(&all_here, NULL, CROWD);
    for (int again = 0; again < 100; ++again) pool_run(p, meet, &all_here, 0, CROWD, 1);
    usleep(10000); /* by now they sleep */
    for (int again = 0; again < 3; ++again) pool_run(p, meet, &all_here, 0, CROWD, 1);
    pthread_barrier_destroy(&all_here);
    pool_free(p);
    alarm(0);
}

/* Half a mebibyte of stack, a little at a time. */
static int deep(int calls) {
    volatile char here[8 << 10];
    here[calls] = 1;
    return calls ? deep(calls - 1) + here[calls] : 0;
}

static void go_deep(void *user, uint64_t begin, uint64_t end) {
    (void)begin, (void)end;
    pthread_barrier_wait(user); /* so that each thread has a part */
    if (deep(64) != 64) abort();
}

/* In a child, for a thread without room ends it: 128 KiB are what musl gives, and what a limit on stacks may leave. */
static void threads_have_stacks_of_a_stated_size(void **state) {
    int status = -1;
    (void)state;
    if (!CHILDREN_HAVE_THREADS) skip();
    pid_t child = fork();
    if (!child) {
        pthread_attr_t small;
        pthread_barrier_t all_here;
        pthread_barrier_init(&all_here, NULL, CROWD);
        if (pthread_attr_init(&small) || pthread_attr_setstacksize(&small, 128 << 10) ||
            pthread_setattr_default_np(&small))
            _exit(2);
        pool_run(pool_new(CROWD), go_deep, &all_here, 0, CROWD, 1);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

typedef struct {
    pthread_barrier_t all_here;
    int blocked[CROWD]; /* by part, and so by thread */
} masks;

static void note_mask(void *user, uint64_t begin, uint64_t end) {
    masks *m = user;
    sigset_t mask;
    (void)end;
    pthread_barrier_wait(&m->all_here);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    m->blocked[begin] = sigismember(&mask, SIGTERM);
}

static void signals_are_left_to_the_callers_threads(void **state) {
    masks s = {.blocked = {0}};
    int count = 0;
    sigset_t mask;
    pool *p = pool_new(CROWD);
    (void)state;
    alarm(200);
    pthread_barrier_init(&s.all_here, NULL, CROWD);
    pool_run(p, note_mask, &s, 0, CROWD, 1);
    for (int k = 0; k < CROWD; ++k) count += s.blocked[k];
    assert_int_equal(count, CROWD - 1);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_int_equal(sigismember(&mask, SIGTERM), 0); /* the caller's is as it was */
    pthread_barrier_destroy(&s.all_here);
    pool_free(p);
    alarm(0);
}

static void without_threads_to_be_had_the_caller_does_it_all(void **state) {
    (void)state;
    for (int left = 0; left < 3; ++left) {
        pool *p = pool_new(8);
        threads_left = left;
        assert_true(runs_right(p));
        assert_int_equal(pool_started(p), left);
        threads_left = 1 << 30;
        assert_true(runs_right(p)); /* they come later, then */
        assert_int_equal(pool_started(p), 7);
        pool_free(p);
    }
}

/* ---- Several at once, and one within another ---- */

static void *use_a_pool(void *user) {
    pool *p = pool_new(3);
    for (int again = 0; again < 5; ++again)
        if (!runs_right(p)) *(atomic_int *)user = 1;
    pool_free(p);
    return NULL;
}

/* The stream's own thread is not to be had either: values come from the caller's, in order. */
static wedge_status take_here(void *user, const wedge_piece *piece) {
    uint64_t position = piece->begin, count = piece->count;
    const void *values = piece->values;
    uint64_t *next = user;
    if (position != *next || !values) return WEDGE_FAILED;
    *next += count;
    return WEDGE_OK;
}

static void a_stream_without_threads_is_taken_by_the_caller(void **state) {
    (void)state;
    static float points[3000];
    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    uint64_t next = 0;
    for (int k = 0; k < 3000; ++k) points[k] = (float)k;
    wedge_job_spec p = {.size = sizeof(wedge_job_spec), .op = "euclidean", .n = 3000, .d = 1, .points = points};
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    threads_left = 0;
    assert_ok(dev, wedge_job_create(dev, &p, &job));
    wedge_status status = wedge_job_stream(job, 0, 3000 * 2999 / 2, 1 << 20, take_here, &next, NULL, NULL);
    threads_left = 1 << 30;
    assert_int_equal(status, WEDGE_OK);
    assert_int_equal(next, 3000 * 2999 / 2);
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

static void several_pools_run_at_once(void **state) {
    pthread_t users[CROWD];
    atomic_int failed = 0;
    (void)state;
    for (int u = 0; u < CROWD; ++u) assert_int_equal(pthread_create(&users[u], NULL, use_a_pool, &failed), 0);
    for (int u = 0; u < CROWD; ++u) pthread_join(users[u], NULL);
    assert_int_equal(failed, 0);
}

typedef struct {
    pool *outer;
    atomic_int good;
} nest;

static void run_within(void *user, uint64_t begin, uint64_t end) {
    nest *n = user;
    pool *own = pool_new(2);
    (void)begin, (void)end;
    n->good += every_part_once(own, 0, 50, 3) && every_part_once(n->outer, 0, 50, 3);
    pool_free(own);
}

static void a_task_may_run_others(void **state) {
    nest n = {.outer = pool_new(CROWD)};
    (void)state;
    alarm(200);
    pool_run(n.outer, run_within, &n, 0, 40, 1);
    assert_int_equal(n.good, 40);
    pool_free(n.outer);
    alarm(0);
}

/* ---- After fork() ---- */

static bool runs_a_job(void) {
    static const float points[] = {0, 0, 3, 4, 6, 8};
    wedge_job_spec pairs = {.size = sizeof(wedge_job_spec), .op = "euclidean", .n = 3, .d = 2, .points = points};
    float out[3] = {0};
    wedge_context *ctx;
    wedge_device *dev = NULL;
    wedge_job *job = NULL;
    bool good = !wedge_context_create(&ctx) && !wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "4") &&
                !wedge_device_open(ctx, "cpu", &dev) && runs_right(dev->impl) && !wedge_job_create(dev, &pairs, &job) &&
                !run_values(job, 0, 3, out, WEDGE_ON_HOST, NULL, NULL) && out[0] == 5 && out[1] == 10 && out[2] == 5;
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return good;
}

static int end_of(pid_t child) {
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

/* What a child does with handles that it inherits, threads of which are only in the parent. */
static bool child_closes(wedge_device *dev) { return wedge_device_close(dev), true; }

/* With threads of its own: parts that wait for each other would never end without. */
static bool child_uses(wedge_device *dev) {
    pthread_barrier_t all_here;
    bool right = runs_right(dev->impl);
    if (!CHILDREN_HAVE_THREADS) return wedge_device_close(dev), right;
    pthread_barrier_init(&all_here, NULL, CROWD);
    pool_run(dev->impl, meet, &all_here, 0, CROWD, 1);
    pthread_barrier_destroy(&all_here);
    wedge_device_close(dev);
    return right;
}

static bool child_makes_its_own(wedge_device *dev) { return (void)dev, runs_a_job(); }
static bool child_leaves_all(wedge_device *dev) { return (void)dev, true; }

/* A pool that runs while fork() is called, which then finds it in any of its states. It allocates nothing: the
 * allocators of sanitizers are not safe for that. */
typedef struct {
    pool *pool;
    atomic_int enough;
    tally tally;
} running;

static void *keep_running(void *user) {
    running *r = user;
    r->tally.end = MOST, r->tally.grain = 50;
    while (!r->enough) pool_run(r->pool, count_part, &r->tally, 0, MOST, 50);
    return NULL;
}

static void a_child_after_fork(bool (*child)(wedge_device *dev), bool while_running) {
    wedge_context *ctx;
    wedge_device *dev;
    running *r = calloc(1, sizeof *r);
    pthread_t runner;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "4"), WEDGE_OK); /* CROWD */
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    assert_true(runs_right(dev->impl));
    r->pool = dev->impl;
    if (while_running) assert_int_equal(pthread_create(&runner, NULL, keep_running, r), 0);
    for (int again = 0; again < 20; ++again) {
        pid_t pid = fork();
        if (!pid) {
            alarm(100);
            if (!CHILDREN_HAVE_THREADS) threads_left = 0;
            _exit(child(dev) ? 0 : 1);
        }
        assert_int_equal(end_of(pid), 0);
    }
    r->enough = 1;
    if (while_running) pthread_join(runner, NULL);
    assert_int_equal(r->tally.bad, 0);
    free(r);
    assert_true(runs_right(dev->impl)); /* the parent's are as before */
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

static void a_child_works_with_handles_of_its_own(void **state) {
    (void)state;
    a_child_after_fork(child_makes_its_own, false);
    a_child_after_fork(child_makes_its_own, true);
}

static void a_child_closes_uses_or_leaves_what_it_inherits(void **state) {
    (void)state;
    a_child_after_fork(child_closes, false);
    a_child_after_fork(child_closes, true);
    a_child_after_fork(child_uses, false);
    a_child_after_fork(child_uses, true);
    a_child_after_fork(child_leaves_all, true);
}

/* ---- Small jobs ---- */

static wedge_status take_piece(void *user, const wedge_piece *piece) {
    return *(uint64_t *)user += piece->count, WEDGE_OK;
}

/* Threads that have been started after a run of n points by this sink. */
static int threads_for(const char *sink, uint64_t n) {
    double *points = malloc(3 * n * sizeof *points), *values = fit_for_result(malloc((n * n + 1024) * sizeof *values));
    int64_t *pairs = malloc(2 * (n * n + 64) * sizeof *pairs);
    const wedge_parameter k = WEDGE_WHOLE("k", 3), radius = WEDGE_NUMBER("radius", 0.1), max = WEDGE_NUMBER("max", 0.1);
    bool nearest = !strcmp(sink, "nearest"), histogram = !strcmp(sink, "histogram"),
         plain = !strcmp(sink, "store") || !strcmp(sink, "summary");
    wedge_job_spec q = {.size = sizeof q,
                        .op = "euclidean",
                        .dtype = WEDGE_F64,
                        .n = n,
                        .d = 3,
                        .points = points,
                        .sink = sink,
                        .layout = nearest ? WEDGE_SQUARE : WEDGE_CONDENSED,
                        .sink_parameters = nearest     ? &k
                                           : histogram ? &max
                                                       : &radius,
                        .sink_parameter_count = !plain};
    wedge_context *ctx;
    wedge_device *dev;
    wedge_job *job;
    uint64_t taken = 0;
    for (uint64_t x = 0; x < 3 * n; ++x) points[x] = (double)(x * 7919 % 1009) / 1009;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "4"), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    assert_ok(dev, wedge_job_create(dev, &q, &job));
    wedge_result r = {.size = sizeof r,
                      .values = values,
                      .indices = nearest || !strcmp(sink, "select") ? pairs : NULL,
                      .room = n * n + 64};
    uint64_t cells = wedge_job_get_info(job)->cells;
    assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    if (r.indices) assert_ok(dev, wedge_job_stream(job, 0, cells, 0, take_piece, &taken, NULL, NULL));
    int started = pool_started(dev->impl);
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    free(points), free(values), free(pairs);
    return started;
}

static void a_hundred_points_wake_no_thread(void **state) {
    static const char *const sinks[] = {"store", "count", "select", "summary", "histogram", "nearest"};
    (void)state;
    for (unsigned k = 0; k < sizeof sinks / sizeof *sinks; ++k) {
        assert_int_equal(threads_for(sinks[k], 1), 0);
        assert_int_equal(threads_for(sinks[k], 100), 0);
        assert_true(threads_for(sinks[k], 800) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_runs_once_with_any_number_of_threads),
        cmocka_unit_test(threads_start_with_the_first_run_that_has_parts_for_them),
        cmocka_unit_test(parts_run_at_the_same_time),
        cmocka_unit_test(threads_have_stacks_of_a_stated_size),
        cmocka_unit_test(signals_are_left_to_the_callers_threads),
        cmocka_unit_test(without_threads_to_be_had_the_caller_does_it_all),
        cmocka_unit_test(a_stream_without_threads_is_taken_by_the_caller),
        cmocka_unit_test(several_pools_run_at_once),
        cmocka_unit_test(a_task_may_run_others),
        cmocka_unit_test(a_hundred_points_wake_no_thread),
        cmocka_unit_test(a_child_works_with_handles_of_its_own),
        cmocka_unit_test(a_child_closes_uses_or_leaves_what_it_inherits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
