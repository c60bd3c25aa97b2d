/* job/store.c: the way of the sink `store`: a range goes directly into memory that the device can address, or through a ring of three
 * buffers: while one is computed, the one before is copied to the host, and the caller takes the one before that.
 *
 * The calling thread computes and copies, a second thread calls the taker: values arrive in order. If no thread can be started,
 * the calling one also calls the taker. If the caller stops, complete pieces are still taken, so nothing is lost. Buffers and
 * queues stay with the job for its next run.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/thread.h"
#include "engine/job/ways.h"

enum { SLOTS = 3 };
#define DEFAULT_NATIVE (UINT64_C(16) << 20) /* bytes per slot: large writes, and soon enough in the cache */
#define LEAST_SLOT (UINT64_C(64) << 20)     /* of a device, */
#define MOST_SLOT (UINT64_C(512) << 20)     /* where a row of tiles is this or more */
#define LEAST_BYTES UINT64_C(4096)          /* of any slot, however little memory is allowed */

/* A piece on its way to the host. */
typedef struct {
    buffer device, host;
    void *queue;
    uint64_t begin, end;
} slot;

typedef struct {
    slot ring[SLOTS]; /* made by the first run that needs them */
} store_held;

static slot *ring_of(const wedge_job *job) { return ((store_held *)job->held)->ring; }

typedef struct {
    wedge_job *job;
    wedge_taker take;
    void *user;
    slot *slots; /* the job's */
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint64_t ready, taken; /* slots so far, slot k is slots[k % SLOTS] */
    uint64_t position;     /* taken up to here */
    bool closed;           /* no more will be ready */
    bool alone;            /* there is no thread to take: the calling one does */
    wedge_status status;   /* the taker's */
} ring;

/* The next slot, with the lock held; it is given up while the caller's function runs. */
static void take_next(ring *r) {
    const slot *s = &r->slots[r->taken % SLOTS];
    pthread_mutex_unlock(&r->lock);
    const wedge_piece piece = {.size = sizeof piece,
                               .begin = s->begin,
                               .end = s->end,
                               .count = s->end - s->begin,
                               .values = s->host.host,
                               .total = UINT64_MAX};
    wedge_status status = r->take(r->user, &piece);
    pthread_mutex_lock(&r->lock);
    r->status = status;
    r->position = s->end;
    if (!status) ++r->taken;
    pthread_cond_signal(&r->change);
}

static void *take_all(void *user) {
    ring *r = user;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->taken == r->ready && !r->closed) pthread_cond_wait(&r->change, &r->lock);
        if (r->taken == r->ready || r->status) break;
        take_next(r);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Waits until slot k may be filled. */
static wedge_status wait_free(ring *r, uint64_t k) {
    pthread_mutex_lock(&r->lock);
    while (r->taken + SLOTS <= k && !r->status) pthread_cond_wait(&r->change, &r->lock);
    wedge_status status = r->status;
    pthread_mutex_unlock(&r->lock);
    return status;
}

static wedge_status fill_slot(ring *r, slot *s, pace *p) {
    wedge_job *job = r->job;
    wedge_device *dev = job->dev;
    bool native = !dev->backend->compile;
    WEDGE_TRY(job_range(job, s->queue, s->begin, s->end, native ? &s->host : &s->device, 0, p));
    if (native) return WEDGE_OK;
    return dev->backend->read(dev, s->queue, s->host.host, &s->device, 0, (s->end - s->begin) * job->cell_size);
}

static wedge_status hand_over(ring *r, uint64_t k) {
    WEDGE_TRY(r->job->dev->backend->wait(r->job->dev, r->slots[k % SLOTS].queue));
    pthread_mutex_lock(&r->lock);
    r->ready = k + 1;
    pthread_cond_signal(&r->change);
    if (r->alone) take_next(r);
    wedge_status status = r->alone ? r->status : WEDGE_OK;
    pthread_mutex_unlock(&r->lock);
    return status;
}

typedef struct {
    ring *ring;
    uint64_t begin, end, most;
    wedge_progress progress;
    void *user;
} course;

static bool goes_on(void *user) {
    const course *c = user;
    pthread_mutex_lock(&c->ring->lock);
    uint64_t position = c->ring->position;
    pthread_mutex_unlock(&c->ring->lock);
    return !c->progress || c->progress(c->user, (double)(position - c->begin) / (double)(c->end - c->begin));
}

/* The next piece into a slot, unless the caller stops; a piece stopped before its end is dropped. */
static wedge_status fill_next(const course *c, uint64_t k, uint64_t *at, uint64_t *last, pace *p) {
    ring *r = c->ring;
    WEDGE_TRY(wait_free(r, k));
    WEDGE_CHECK(goes_on(p->user), &r->job->dev->note, WEDGE_STOPPED, "stopped by the caller");
    slot *s = &r->slots[k % SLOTS];
    s->begin = *at;
    s->end = job_cut(r->job, p, *at, c->end, c->most, *last);
    WEDGE_TRY(fill_slot(r, s, p));
    *last = s->end - *at;
    *at = s->end;
    return WEDGE_OK;
}

/* Slot k is computed before slot k - 1 is handed over, so that two are under way on the device. */
static wedge_status produce(course *c) {
    pace p = {.goes_on = goes_on, .user = c};
    uint64_t at = c->begin, last = 0, filled = 0, handed = 0;
    wedge_status status = WEDGE_OK;
    while (at < c->end && !status) {
        status = fill_next(c, filled, &at, &last, &p);
        if (!status && filled++) status = hand_over(c->ring, handed++);
    }
    if ((!status || status == WEDGE_STOPPED) && handed < filled) {
        wedge_status over = hand_over(c->ring, handed);
        if (over) status = over;
    }
    return status;
}

static wedge_status run_ring(ring *r, course *c) {
    pthread_t taker;
    r->alone = !thread_start(&taker, take_all, r);
    wedge_status status = produce(c);
    pthread_mutex_lock(&r->lock);
    r->closed = true;
    pthread_cond_signal(&r->change);
    pthread_mutex_unlock(&r->lock);
    if (!r->alone) pthread_join(taker, NULL);
    if (r->status) return r->status;
    if (!status && c->progress) c->progress(c->user, 1.0);
    return status;
}

/* Bytes per slot: no more than a row of tiles needs on a device, than the range has, and than memory allows. */
static uint64_t slot_bytes(const wedge_job *job, uint64_t range, uint64_t memory) {
    uint64_t bytes = DEFAULT_NATIVE;
    if (job->dev->backend->compile) {
        uint64_t row = (uint64_t)job->shape.tile * job->domain.m * job->cell_size;
        bytes = row < LEAST_SLOT ? LEAST_SLOT : row > MOST_SLOT ? MOST_SLOT : row;
    }
    if (memory && bytes > memory / SLOTS) bytes = memory / SLOTS;
    if (bytes > range) bytes = range;
    return bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
}

/* Whatever was under way is over, also where the run failed. */
static void drain_slots(wedge_job *job) {
    for (int k = 0; k < SLOTS; ++k)
        if (ring_of(job)[k].queue) job->dev->backend->wait(job->dev, ring_of(job)[k].queue);
}

static void free_buffers(wedge_job *job) {
    const backend *b = job->dev->backend;
    for (int k = 0; k < SLOTS; ++k) {
        if (ring_of(job)[k].device.handle) job->info.device_bytes -= ring_of(job)[k].device.bytes;
        b->buffer_free(job->dev, &ring_of(job)[k].device);
        b->buffer_free(job->dev, &ring_of(job)[k].host);
    }
}

static wedge_status make_buffers(wedge_job *job, uint64_t bytes) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    for (int k = 0; k < SLOTS; ++k) {
        slot *s = &ring_of(job)[k];
        if (b->compile) WEDGE_TRY(b->buffer_new(dev, bytes, ON_DEVICE, &s->device));
        if (b->compile) job->info.device_bytes += bytes;
        WEDGE_TRY(b->buffer_new(dev, bytes, PINNED_HOST, &s->host));
    }
    return WEDGE_OK;
}

/* A GPU computes one slot while it copies another, by a queue each, unless all is to be done in the caller's. A cpu behind
 * OpenCL gains nothing by that, and PoCL 5 fails an assertion of its own where two queues run one kernel: one queue for
 * all there. */
static wedge_status make_queues(wedge_job *job) {
    wedge_device *dev = job->dev;
    for (int k = 0; k < SLOTS; ++k) {
        slot *s = &ring_of(job)[k];
        if (job->borrowed)
            s->queue = job->queue;
        else if (k && !dev->info.is_gpu)
            s->queue = ring_of(job)[0].queue;
        else if (!s->queue)
            WEDGE_TRY(dev->backend->queue_new(dev, &s->queue));
    }
    return WEDGE_OK;
}

/* The slots of the last run, unless they are too small for this one, or larger than `memory` allows; pinned memory and
 * queues take longer to make than a small job to run. *bytes: of a slot, wanted and then there. */
static wedge_status ready_slots(wedge_job *job, uint64_t memory, uint64_t *bytes) {
    wedge_device *dev = job->dev;
    uint64_t kept = ring_of(job)[0].host.bytes, free_bytes = 0;
    bool too_large = memory && kept > memory / SLOTS && kept > LEAST_BYTES;
    WEDGE_TRY(make_queues(job));
    if (kept >= *bytes && !too_large) return WEDGE_OK;
    free_buffers(job);
    if (dev->backend->compile && !dev->backend->memory_free(dev, &free_bytes) && *bytes > free_bytes / 4)
        *bytes = free_bytes / 4 < LEAST_BYTES ? LEAST_BYTES : free_bytes / 4;
    wedge_status status = make_buffers(job, *bytes);
    if (status) free_buffers(job);
    return status;
}

static wedge_status open_store(wedge_job *job) {
    job->info.bytes = job->info.cells * job->cell_size;
    job->held = calloc(1, sizeof(store_held));
    WEDGE_CHECK(job->held, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a job");
    return WEDGE_OK;
}

static void close_store(wedge_job *job) {
    if (!job->held) return;
    free_buffers(job);
    for (int k = SLOTS - 1; k >= 0 && !job->borrowed; --k) /* the first one's queue may be that of all */
        if (ring_of(job)[k].queue && (!k || job->dev->info.is_gpu))
            job->dev->backend->queue_free(job->dev, ring_of(job)[k].queue);
    free(job->held);
    job->held = NULL;
}

static wedge_status stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           void *take_user, wedge_progress progress, void *user) {
    WEDGE_CHECK(!job->domain.kind->partial, &job->dev->note, WEDGE_UNSUPPORTED,
                "the layout lower cannot be streamed, since half of it is not computed: use square");
    if (begin == end) return WEDGE_OK;
    uint64_t bytes = slot_bytes(job, (end - begin) * job->cell_size, memory);
    WEDGE_TRY(ready_slots(job, memory, &bytes));
    ring r = {.job = job, .take = take, .user = take_user, .slots = ring_of(job), .position = begin};
    course c = {&r, begin, end, bytes / job->cell_size, progress, user};
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.change, NULL);
    wedge_status status = run_ring(&r, &c);
    drain_slots(job);
    pthread_cond_destroy(&r.change);
    pthread_mutex_destroy(&r.lock);
    return status;
}

/* ---- Into memory ---- */

/* A range straight into memory that the device reaches, in pieces if there is progress to tell. Callers who pass a
 * stream must synchronise it, unless there is progress. */
static wedge_status run_directly(wedge_job *job, const given_memory *to, teller *t) {
    wedge_device *dev = job->dev;
    pace p = {.goes_on = tell, .user = t};
    uint64_t last = 0, most = (t->end - t->begin) / PIECES + FIRST_CELLS, first = to->first / job->info.values;
    if (!t->progress) {
        WEDGE_TRY(job_range(job, job->queue, t->begin, t->end, &to->memory, first, NULL));
        return job->borrowed ? WEDGE_OK : dev->backend->wait(dev, job->queue);
    }
    while (t->at < t->end) {
        uint64_t end = job_cut(job, &p, t->at, t->end, most, last);
        WEDGE_TRY(job_range(job, job->queue, t->at, end, &to->memory, first + t->at - t->begin, &p));
        WEDGE_TRY(dev->backend->wait(dev, job->queue));
        last = end - t->at;
        t->at = end;
        WEDGE_CHECK(tell(t), &dev->note, WEDGE_STOPPED, "stopped by the caller");
    }
    return WEDGE_OK;
}

typedef struct {
    char *out;
    uint64_t begin;
    size_t size;
} copier;

static wedge_status copy_out(void *user, const wedge_piece *piece) {
    const copier *c = user;
    memcpy(c->out + (piece->begin - c->begin) * c->size, piece->values, piece->count * c->size);
    return WEDGE_OK;
}

/* Cells of several values are stored from multiples of 16 bytes on; where memory has no address, from multiples of a cell. */
static wedge_status check_cells(wedge_job *job, const given_memory *to) {
    bool addressed = job->dev->backend->compile && job->dev->backend->addressed;
    uint64_t off = addressed ? (uintptr_t)to->memory.handle % 16 : to->first % job->info.values;
    WEDGE_CHECK(job->info.values == 1 || to->memory.host || !off, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "%s has %u values a cell: their memory must begin at a multiple of %zu bytes", job->info.op,
                job->info.values, addressed ? 16 : job->cell_size);
    return WEDGE_OK;
}

static wedge_status run_store(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                              void *user) {
    wedge_device *dev = job->dev;
    r->count = end - begin;
    if (begin == end) return WEDGE_OK;
    WEDGE_CHECK(r->values, &dev->note, WEDGE_BAD_ARGUMENT, "wedge_result.values is NULL: give memory for the values");
    given_memory to;
    bool native = !dev->backend->compile;
    WEDGE_TRY(memory_find(dev, r->values, r->values_offset, r->place, (end - begin) * job->cell_size, job->size, &to));
    WEDGE_TRY(check_cells(job, &to));
    if (native || r->place == WEDGE_ON_DEVICE)
        return run_directly(job, &to, &(teller){progress, user, begin, end, begin});
    copier c = {to.memory.host, begin, job->cell_size};
    WEDGE_CHECK(
        !job->domain.kind->partial, &dev->note, WEDGE_UNSUPPORTED,
        "the layout lower stores half a square, only in device memory: use the layout square, or give device memory");
    return stream(job, begin, end, 0, copy_out, &c, progress, user);
}

const job_way store_way = {.open = open_store, .run = run_store, .stream = stream, .close = close_store};
