/* rows.c: runs sinks with a result per row: directly into memory that the device can address, or through buffers,
 * some rows at a time.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "engine/rows/rows.h"

/* Of the buffers where no memory was asked for. More rows at a time are less work: along a curve, the caller's next rows lie
 * everywhere. */
#define DEFAULT_BYTES (UINT64_C(1) << 28)

typedef struct {
    wedge_job *job;
    uint64_t first, past, at; /* rows [first, past); rows before `at` are done */
    uint64_t rows;            /* at hand, from there on */
    uint64_t most_rows;       /* at a time */
    pace p;
    given_memory to[2]; /* the caller's memory: [0] whole numbers, [1] values */
    buffer device[2];   /* results of most_rows rows, if the device cannot address the caller's memory */
    char *host[2];      /* results that a taker gets; on the cpu the same memory as `device` */
    wedge_taker take;   /* NULL: all goes to the caller's memory */
    void *take_user;
    wedge_progress progress;
    void *user;
} rows_state;

/* Of a row: numbers of either result, and entries as wedge_result counts them. */
static uint32_t numbers_of(const wedge_job *job, int which) {
    return job->sink.smallest ? job->sink.smallest : which ? job->info.values : 1;
}
static size_t row_bytes(const wedge_job *job, int which) {
    return numbers_of(job, which) * (which ? job->size : sizeof(int64_t));
}
static uint64_t entries_of(const rows_state *s, uint64_t rows) { return rows * numbers_of(s->job, 0); }
static bool is_staged(const rows_state *s) { return s->most_rows < UINT64_MAX; }

/* The cpu takes the rows at hand one after the other; devices go over them more than once. */
static bool goes_on(void *user) {
    const rows_state *s = user;
    double some = s->job->dev->backend->compile ? 0 : s->p.done * (double)s->rows;
    return !s->progress || s->progress(s->user, ((double)(s->at - s->first) + some) / (double)(s->past - s->first));
}

static wedge_status make_buffers(rows_state *s, bool whole, bool values, uint64_t memory) {
    wedge_device *dev = s->job->dev;
    const backend *b = dev->backend;
    const bool wanted[] = {whole, values};
    s->most_rows = (memory ? memory : DEFAULT_BYTES) / (row_bytes(s->job, 0) + row_bytes(s->job, 1));
    if (s->most_rows > s->past - s->first || s->job->domain.kind->triples) s->most_rows = s->past - s->first;
    if (s->most_rows < 1) s->most_rows = 1;
    for (int w = 0; w < 2; ++w) {
        size_t bytes = s->most_rows * row_bytes(s->job, w);
        if (!wanted[w]) continue;
        WEDGE_TRY(b->buffer_new(dev, bytes, ON_DEVICE, &s->device[w]));
        s->host[w] = b->compile && s->take ? malloc(bytes) : s->device[w].host;
        WEDGE_CHECK(s->host[w] || !s->take, &dev->note, WEDGE_NO_MEMORY,
                    "no memory for the results of %" PRIu64 " rows", s->most_rows);
    }
    return WEDGE_OK;
}

static void free_buffers(rows_state *s) {
    for (int w = 0; w < 2; ++w) {
        if (s->job->dev->backend->compile && s->take) free(s->host[w]);
        s->job->dev->backend->buffer_free(s->job->dev, &s->device[w]);
    }
}

/* Results of `rows` rows from the buffers to the host. */
static wedge_status upload(rows_state *s, uint64_t rows) {
    wedge_device *dev = s->job->dev;
    if (!dev->backend->compile) return WEDGE_OK;
    for (int w = 0; w < 2; ++w) {
        size_t row = row_bytes(s->job, w);
        char *host = s->take ? s->host[w] : (char *)s->to[w].memory.host + (s->at - s->first) * row;
        if (s->device[w].handle) WEDGE_TRY(dev->backend->read(dev, s->job->queue, host, &s->device[w], 0, rows * row));
    }
    return dev->backend->wait(dev, s->job->queue);
}

static wedge_status hand_out(const rows_state *s, uint64_t rows) {
    const domain *d = &s->job->domain;
    const int64_t *whole = (const int64_t *)(const void *)s->host[0];
    const wedge_piece piece = {.size = sizeof piece,
                               .begin = s->at * d->m,
                               .end = d->kind->triples ? s->job->info.cells : (s->at + rows) * d->m,
                               .count = entries_of(s, rows),
                               .values = s->host[1],
                               .indices = s->job->sink.smallest ? whole : NULL,
                               .counts = s->job->sink.smallest ? NULL : whole,
                               .total = UINT64_MAX};
    return s->take(s->take_user, &piece);
}

static wedge_status run_rows(rows_state *s) {
    s->p = (pace){.goes_on = goes_on, .user = s};
    while (s->at < s->past) {
        s->rows = s->past - s->at < s->most_rows ? s->past - s->at : s->most_rows;
        row_results r = {.row = s->at, .rows = s->rows, .whole = s->to[0], .values = s->to[1]};
        if (is_staged(s)) r.whole = (given_memory){s->device[0], 0}, r.values = (given_memory){s->device[1], 0};
        WEDGE_TRY(row_work_of(s->job)->rows(s->job, &r, s->progress ? &s->p : NULL));
        if (is_staged(s)) WEDGE_TRY(upload(s, s->rows));
        if (s->take) WEDGE_TRY(hand_out(s, s->rows));
        s->at += s->rows, s->rows = 0;
        bool stopped = !goes_on(s) && s->at < s->past; /* what is done is done */
        WEDGE_CHECK(!stopped, &s->job->dev->note, WEDGE_STOPPED, "stopped by the caller");
    }
    return WEDGE_OK;
}

/* Of triplets each point is a row, and gets the force as well. */
static wedge_status open_triples(wedge_job *job) {
    WEDGE_CHECK(job->sink.limits[0] == INFINITY, &job->dev->note, WEDGE_UNSUPPORTED,
                "%s: radius is for pairs; for triplets, set wedge_job_spec.cutoff", job->info.sink);
    job->info.values = job->op->info.forces ? 1 + MOST_COORDINATES : 1;
    job->cell_size = job->size * job->info.values;
    return WEDGE_OK;
}

static wedge_status open_rows(wedge_job *job) {
    WEDGE_CHECK(job->domain.kind->full_rows || job->domain.kind->triples, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "%s needs whole rows: use the layout square, or rectangle for two sets", job->info.sink);
    if (job->domain.kind->triples) WEDGE_TRY(open_triples(job));
    job->info.bytes = job->domain.n * (row_bytes(job, 0) + row_bytes(job, 1));
    return held_new(job, row_work_of(job)->buffers);
}

static wedge_status open_run(rows_state *s, wedge_job *job, uint64_t begin, uint64_t end) {
    s->job = job, s->first = s->at = begin / job->domain.m, s->past = end / job->domain.m;
    s->most_rows = UINT64_MAX;
    if (job->domain.kind->triples) { /* a row of results is a point */
        WEDGE_CHECK(begin == 0 && end == job->info.cells, &job->dev->note, WEDGE_UNSUPPORTED,
                    "%s of triplets needs the whole range of positions: every part of it has triplets of each point",
                    job->info.sink);
        s->first = s->at = 0, s->past = job->domain.n;
        return WEDGE_OK;
    }
    WEDGE_TRY(job_check_boundary(job, begin));
    return job_check_boundary(job, end);
}

static wedge_status run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                        void *user) {
    wedge_device *dev = job->dev;
    rows_state s = {.progress = progress, .user = user};
    WEDGE_TRY(open_run(&s, job, begin, end));
    uint64_t rows = s.past - s.first, entries = entries_of(&s, rows);
    bool lists = job->sink.smallest;
    void *whole = lists ? r->indices : r->counts;
    WEDGE_CHECK(lists ? !r->counts : !r->indices, &dev->note, WEDGE_BAD_ARGUMENT,
                "%s has no %s: set wedge_result.%s instead", job->info.sink, lists ? "counts" : "indices",
                lists ? "indices" : "counts");
    WEDGE_CHECK(whole || r->values, &dev->note, WEDGE_BAD_ARGUMENT,
                "%s needs memory for what it finds: set values or %s of wedge_result", job->info.sink,
                lists ? "indices" : "counts");
    r->count = entries;
    WEDGE_CHECK(r->room >= entries, &dev->note, WEDGE_TOO_SMALL,
                "%" PRIu64 " rows have %" PRIu64 " results, but wedge_result.room is %" PRIu64, rows, entries, r->room);
    if (whole)
        WEDGE_TRY(memory_find(dev, whole, lists ? r->indices_offset : r->counts_offset, r->place,
                              rows * row_bytes(job, 0), sizeof(int64_t), &s.to[0]));
    if (r->values)
        WEDGE_TRY(
            memory_find(dev, r->values, r->values_offset, r->place, rows * row_bytes(job, 1), job->size, &s.to[1]));
    wedge_status status = WEDGE_OK;
    if (dev->backend->compile && r->place == WEDGE_ON_HOST) status = make_buffers(&s, whole, r->values, 0);
    if (!status) status = run_rows(&s);
    if (status) r->count = 0;
    free_buffers(&s);
    return status;
}

static wedge_status stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           void *take_user, wedge_progress progress, void *user) {
    rows_state s = {.progress = progress, .user = user, .take = take, .take_user = take_user};
    WEDGE_TRY(open_run(&s, job, begin, end));
    wedge_status status = make_buffers(&s, true, job->sink.values, memory);
    if (!status) status = run_rows(&s);
    free_buffers(&s);
    return status;
}

static void close_rows(wedge_job *job) { held_free(job, row_work_of(job)->buffers); }

const job_way rows_way = {open_rows, run, stream, close_rows};
