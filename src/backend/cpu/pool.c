/* pool.c: a caller that opens a job, workers that enter it, and one counter that hands out its parts.
 *
 * A worker that is late finds the job closed and goes back to wait: the caller only ever waits for those inside, each
 * with one part at most. So a busy machine delays a run by the workers that were interrupted in the middle of a part,
 * never by those that did not get a core. Waiting is a short spin, for runs that follow each other closely, then sleep.
 *
 *     caller   open job 7 . deal ........ none left, close . wait for those inside . done
 *     worker          enter . deal ........ leave
 *     late worker                                          finds it closed
 *
 * SPDX-License-Identifier: MIT */
#include "backend/cpu/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/float_env.h"
#include "core/thread.h"

#define SPIN_SECONDS 20e-6 /* about what it takes to wake a sleeper */

typedef struct {
    native_task task;
    void *user;
    uint64_t begin, end, grain, parts;
} work;

struct pool {
    int most; /* workers */
    atomic_flag busy;

    /* What follows is of the process that `owner` names; in a child the workers are not there and the lock may be held
     * by one of them, so a child starts afresh. */
    pid_t owner;
    pthread_t *workers;
    int started;
    pthread_mutex_t lock;       /* of what follows, but for what is atomic to be looked at while spinning */
    pthread_cond_t wake, empty; /* workers wait for a job; the caller waits until no one is inside */
    atomic_uint_fast64_t job;   /* its number */
    atomic_int inside;
    atomic_bool stop;
    int asleep;
    bool open;
    work work;
    atomic_uint_fast64_t next; /* part */
};

/* ---- Waiting ---- */

static void pause_briefly(void) {
    for (int k = 0; k < 32; ++k) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("yield");
#endif
    }
}

static void spin_for_job(const pool *p, uint64_t seen) {
    for (double end = clock_now() + SPIN_SECONDS;
         atomic_load(&p->job) == seen && !atomic_load(&p->stop) && clock_now() < end;)
        pause_briefly();
}

static void spin_till_empty(const pool *p) {
    for (double end = clock_now() + SPIN_SECONDS; atomic_load(&p->inside) && clock_now() < end;) pause_briefly();
}

/* ---- Workers ---- */

/* Also where the caller's callback has changed the environment since the call began. */
static void do_part(const work *w, uint64_t part) {
    DEFAULT_FLOATS;
    uint64_t from = w->begin + part * w->grain;
    w->task(w->user, from, w->end - from < w->grain ? w->end : from + w->grain);
}

static void deal(pool *p, const work *w) {
    for (uint64_t part; (part = atomic_fetch_add(&p->next, 1)) < w->parts;) do_part(w, part);
}

/* With the lock held. */
static void wait_for_job(pool *p, uint64_t seen) {
    if (atomic_load(&p->job) == seen && !atomic_load(&p->stop)) {
        pthread_mutex_unlock(&p->lock);
        spin_for_job(p, seen);
        pthread_mutex_lock(&p->lock);
    }
    ++p->asleep;
    while (atomic_load(&p->job) == seen && !atomic_load(&p->stop)) pthread_cond_wait(&p->wake, &p->lock);
    --p->asleep;
}

static void *serve(void *user) {
    pool *p = user;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        wait_for_job(p, seen);
        if (atomic_load(&p->stop)) break;
        seen = atomic_load(&p->job);
        if (!p->open) continue;
        work w = p->work;
        atomic_fetch_add(&p->inside, 1);
        pthread_mutex_unlock(&p->lock);
        deal(p, &w);
        pthread_mutex_lock(&p->lock);
        if (atomic_fetch_sub(&p->inside, 1) == 1 && !p->open) pthread_cond_signal(&p->empty);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* As many workers as have a part, or as there are to be had. */
static void start_workers(pool *p, uint64_t parts) {
    uint64_t wanted = parts - 1 < (uint64_t)p->most ? parts - 1 : (uint64_t)p->most;
    while ((uint64_t)p->started < wanted && thread_start(&p->workers[p->started], serve, p)) ++p->started;
}

/* ---- The caller ---- */

static void begin_afresh(pool *p) {
    p->owner = getpid();
    p->started = p->asleep = 0;
    p->open = false;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->empty, NULL);
    atomic_store(&p->job, 0);
    atomic_store(&p->inside, 0);
    atomic_store(&p->stop, false);
    atomic_flag_clear(&p->busy);
}

pool *pool_new(int threads) {
    pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->most = threads - 1;
    p->workers = calloc((size_t)threads, sizeof *p->workers);
    if (!p->workers) {
        free(p);
        return NULL;
    }
    begin_afresh(p);
    return p;
}

void pool_free(pool *p) {
    if (!p) return;
    if (p->owner == getpid()) {
        pthread_mutex_lock(&p->lock);
        atomic_store(&p->stop, true);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
        for (int w = 0; w < p->started; ++w) pthread_join(p->workers[w], NULL);
        pthread_cond_destroy(&p->empty);
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->lock);
    }
    free(p->workers);
    free(p);
}

static void open_job(pool *p, const work *w) {
    pthread_mutex_lock(&p->lock);
    p->work = *w;
    p->open = true;
    atomic_store(&p->next, 0);
    atomic_fetch_add(&p->job, 1);
    uint64_t calls = w->parts - 1 < (uint64_t)p->asleep ? w->parts - 1 : (uint64_t)p->asleep;
    pthread_mutex_unlock(&p->lock);
    while (calls--) pthread_cond_signal(&p->wake);
}

static void close_job(pool *p) {
    pthread_mutex_lock(&p->lock);
    p->open = false;
    pthread_mutex_unlock(&p->lock);
    spin_till_empty(p);
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->inside)) pthread_cond_wait(&p->empty, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void pool_run(pool *p, native_task task, void *user, uint64_t begin, uint64_t end, uint64_t grain) {
    work w = {task, user, begin, end, grain, end > begin ? (end - begin - 1) / grain + 1 : 0};
    if (p->owner != getpid()) begin_afresh(p);
    bool alone = w.parts < 2 || p->most < 1;
    if (alone || atomic_flag_test_and_set(&p->busy)) {
        for (uint64_t part = 0; part < w.parts; ++part) do_part(&w, part);
        return;
    }
    start_workers(p, w.parts);
    open_job(p, &w);
    deal(p, &w);
    close_job(p);
    atomic_flag_clear(&p->busy);
}

int pool_started(const pool *p) { return p->started; }
