/* nearest.c: running the sink `nearest`: rows straight into memory that the device reaches, or by way of buffers, some at a
 * time.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/run.h"

/* Entries of the buffers where no memory was asked for. More rows at a time are less work: along a curve, the caller's next
 * rows lie everywhere. */
#define ENTRIES (UINT64_C(1) << 24)

typedef struct {
    wedge_job *job;
    uint64_t first, past, at; /* rows, and those before `at` are done */
    uint64_t most_rows;       /* at a time */
    given_memory to[2];       /* the caller's: columns, and values */
    buffer device[2];         /* of most_rows, where the device does not reach the caller's */
    char *host[2];            /* and what a taker gets; the same on the cpu */
    wedge_taker take;         /* NULL: all goes to the caller's memory */
    wedge_progress progress;
    void *user;
} nearest_state;

static uint32_t k_of(const nearest_state *s) { return s->job->sink.nearest; }
static size_t size_of(const nearest_state *s, int which) { return which ? s->job->size : sizeof(int64_t); }
static bool is_staged(const nearest_state *s) { return s->most_rows < UINT64_MAX; }

static bool goes_on(void *user) {
    const nearest_state *s = user;
    return !s->progress || s->progress(s->user, (double)(s->at - s->first) / (double)(s->past - s->first));
}

static wedge_status make_buffers(nearest_state *s, bool columns, bool values, uint64_t memory) {
    wedge_device *dev = s->job->dev;
    const backend *b = dev->backend;
    const bool wanted[] = {columns, values};
    uint64_t entries = memory ? memory / (sizeof(int64_t) + s->job->size) : ENTRIES;
    s->most_rows = entries / k_of(s);
    if (s->most_rows > s->past - s->first) s->most_rows = s->past - s->first;
    if (s->most_rows < 1) s->most_rows = 1;
    for (int w = 0; w < 2; ++w) {
        size_t bytes = s->most_rows * k_of(s) * size_of(s, w);
        if (!wanted[w]) continue;
        WEDGE_TRY(b->buffer_new(dev, bytes, ON_DEVICE, &s->device[w]));
        s->host[w] = b->compile && s->take ? malloc(bytes) : s->device[w].host;
        WEDGE_CHECK(s->host[w] || !s->take, &dev->note, WEDGE_NO_MEMORY,
                    "no memory for the neighbours of %" PRIu64 " points", s->most_rows);
    }
    return WEDGE_OK;
}

static void free_buffers(nearest_state *s) {
    for (int w = 0; w < 2; ++w) {
        if (s->job->dev->backend->compile && s->take) free(s->host[w]);
        s->job->dev->backend->buffer_free(s->job->dev, &s->device[w]);
    }
}

/* Neighbours of `rows` rows from the buffers to the host. */
static wedge_status bring(nearest_state *s, uint64_t rows) {
    wedge_device *dev = s->job->dev;
    if (!dev->backend->compile) return WEDGE_OK;
    for (int w = 0; w < 2; ++w) {
        size_t row = k_of(s) * size_of(s, w);
        char *host = s->take ? s->host[w] : (char *)s->to[w].memory.host + (s->at - s->first) * row;
        if (s->device[w].handle) WEDGE_TRY(dev->backend->read(dev, s->job->queue, host, &s->device[w], 0, rows * row));
    }
    return dev->backend->wait(dev, s->job->queue);
}

static wedge_status hand_out(const nearest_state *s, uint64_t rows) {
    const domain *d = &s->job->domain;
    const wedge_piece piece = {.size = sizeof piece,
                               .begin = s->at * d->m,
                               .end = (s->at + rows) * d->m,
                               .count = rows * k_of(s),
                               .values = s->host[1],
                               .pairs = (const int64_t *)(const void *)s->host[0]};
    return s->take(s->user, &piece);
}

static wedge_status run_rows(nearest_state *s) {
    pace p = {.goes_on = goes_on, .user = s};
    while (s->at < s->past) {
        uint64_t rows = s->past - s->at < s->most_rows ? s->past - s->at : s->most_rows;
        nearest_rows r = {.row = s->at, .rows = rows, .columns = s->to[0], .values = s->to[1]};
        if (is_staged(s)) r.columns = (given_memory){s->device[0], 0}, r.values = (given_memory){s->device[1], 0};
        WEDGE_TRY(job_path(s->job)->nearest(s->job, &r, s->progress ? &p : NULL));
        if (is_staged(s)) WEDGE_TRY(bring(s, rows));
        if (s->take) WEDGE_TRY(hand_out(s, rows));
        s->at += rows;
        WEDGE_CHECK(goes_on(s), &s->job->dev->note, WEDGE_STOPPED, "stopped by the caller");
    }
    return WEDGE_OK;
}

static wedge_status open_run(nearest_state *s, wedge_job *job, uint64_t begin, uint64_t end) {
    s->job = job, s->first = s->at = begin / job->domain.m, s->past = end / job->domain.m;
    s->most_rows = UINT64_MAX;
    WEDGE_TRY(job_check_boundary(job, begin));
    return job_check_boundary(job, end);
}

wedge_status nearest_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                         void *user) {
    wedge_device *dev = job->dev;
    nearest_state s = {.progress = progress, .user = user};
    WEDGE_TRY(open_run(&s, job, begin, end));
    uint64_t entries = (s.past - s.first) * k_of(&s);
    WEDGE_CHECK(r->pairs || r->values, &dev->note, WEDGE_BAD_ARGUMENT, "no memory given for the neighbours");
    WEDGE_CHECK(r->room >= entries, &dev->note, WEDGE_NO_MEMORY,
                "%" PRIu64 " rows have %" PRIu64 " neighbours, and there is room for %" PRIu64, s.past - s.first,
                entries, r->room);
    if (r->pairs)
        WEDGE_TRY(memory_find(dev, r->pairs, r->pairs_offset, r->place, entries * sizeof(int64_t), sizeof(int64_t),
                              &s.to[0]));
    if (r->values)
        WEDGE_TRY(memory_find(dev, r->values, r->values_offset, r->place, entries * job->size, job->size, &s.to[1]));
    wedge_status status = WEDGE_OK;
    if (dev->backend->compile && r->place == WEDGE_ON_HOST) status = make_buffers(&s, r->pairs, r->values, 0);
    if (!status) status = run_rows(&s);
    if (!status) r->count = entries;
    free_buffers(&s);
    return status;
}

wedge_status nearest_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                            wedge_progress progress, void *user) {
    nearest_state s = {.progress = progress, .user = user, .take = take};
    WEDGE_TRY(open_run(&s, job, begin, end));
    wedge_status status = make_buffers(&s, true, job->sink.set.value[1] != 0, memory);
    if (!status) status = run_rows(&s);
    free_buffers(&s);
    return status;
}
