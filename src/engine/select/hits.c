/* hits.c: from hits in any order to the caller's list.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/hits.h"

#include <stdlib.h>

enum { HIT_BYTES = sizeof(hit), GUESS = 64 /* hits of a row */ };

static const hits_path *path_of(const hits *f) { return f->job->dev->backend->compile ? &hits_gpu : &hits_native; }

/* ---- Memory ---- */

static wedge_status open_hits(hits *f, uint64_t memory) {
    wedge_job *job = f->job;
    const domain *d = &job->domain;
    const backend *b = job->dev->backend;
    f->first_row = d->kind->row(d, f->begin), f->last_row = d->kind->row(d, f->end - 1);
    f->first_column = d->kind->columns(d, f->first_row).first + (f->begin - d->kind->start(d, f->first_row));
    f->last_column = d->kind->columns(d, f->last_row).first + (f->end - 1 - d->kind->start(d, f->last_row));
    f->folds = !d->kind->full_rows, f->above = d->kind->backwards;
    uint64_t rows = f->last_row - f->first_row + 1;
    WEDGE_TRY(b->buffer_new(job->dev, rows * sizeof(uint32_t), ON_DEVICE, &f->counts));
    WEDGE_TRY(b->buffer_new(job->dev, (rows + 1) * sizeof(uint64_t), ON_DEVICE, &f->starts));
    WEDGE_TRY(b->fill(job->dev, job->queue, &f->counts, 0, f->counts.bytes, 0));
    WEDGE_TRY(path_of(f)->open(f));
    f->room =
        (hits_capacity){.job = job, .kept = &f->kept->found, .head = FOUND_HEAD * sizeof(uint32_t), .bytes = HIT_BYTES};
    uint64_t guess = GUESS * rows;
    return hits_capacity_open(&f->room, memory, HIT_BYTES, guess < LEAST_ROOM ? LEAST_ROOM : guess);
}

wedge_status hits_open(wedge_job *job, hits_kept *kept, uint64_t begin, uint64_t end, uint64_t memory, hits **out) {
    hits *f = calloc(1, sizeof *f);
    WEDGE_CHECK(f, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of pairs");
    *f = (hits){.job = job, .kept = kept, .begin = begin, .end = end, .step = job->info.cells};
    *out = f;
    return open_hits(f, memory);
}

void hits_close(hits *f) {
    if (!f) return;
    wedge_device *dev = f->job->dev;
    path_of(f)->close(f);
    dev->backend->buffer_free(dev, &f->counts);
    dev->backend->buffer_free(dev, &f->starts);
    free(f);
}

/* ---- Batches ---- */

/* Calls `use` with the hits of all cells that rows may come from, some at a time: along a curve they lie anywhere. */
static wedge_status each_find(hits *f, wedge_status (*use)(hits *f), pace *p) {
    const hits_path *path = path_of(f);
    const wedge_job *job = f->job;
    uint64_t begin = job->info.pruned ? 0 : f->begin, past = job->info.pruned ? job->info.cells : f->end, at = begin;
    if (f->whole) return use(f);
    while (at < past) {
        uint64_t end = past - at < f->step ? past : at + f->step;
        WEDGE_TRY(path->find(f, at, end, p));
        if (f->taken > f->room.room) {
            f->step = end - at;
            WEDGE_TRY(hits_give_way(&f->room, f->taken, &f->step, LEAST_ROOM / 4));
            continue;
        }
        f->whole = at == begin && end == past;
        WEDGE_TRY(use(f));
        at = end;
    }
    return WEDGE_OK;
}

static wedge_status count_all(hits *f, pace *p) {
    WEDGE_TRY(each_find(f, path_of(f)->tally, p));
    WEDGE_TRY(path_of(f)->scan(f));
    f->counted = true;
    return WEDGE_OK;
}

/* The rows of the next batch: all, or by halving as many as fit; one at least. */
static wedge_status choose_rows(hits *f, uint64_t row, uint64_t *count) {
    uint64_t all = f->last_row - f->first_row + 1, low = row + 1, high = all, start, past;
    WEDGE_TRY(path_of(f)->start_at(f, row, &start));
    while (low < high) {
        uint64_t middle = f->total - start <= f->room.most ? high : low + (high - low + 1) / 2;
        WEDGE_TRY(path_of(f)->start_at(f, middle, &past));
        if (past - start <= f->room.most)
            low = middle;
        else
            high = middle - 1;
    }
    WEDGE_TRY(path_of(f)->start_at(f, low, &past));
    f->batch = (hits_batch){row, low - row, start};
    *count = past - start;
    return WEDGE_OK;
}

wedge_status hits_next(hits *f, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    const domain *d = &f->job->domain;
    if (!f->counted) WEDGE_TRY(count_all(f, p));
    WEDGE_TRY(choose_rows(f, d->kind->row(d, at) - f->first_row, count));
    uint64_t past = f->first_row + f->batch.row + f->batch.rows;
    *end = past > f->last_row ? f->end : d->kind->start(d, past);
    if (!*count) return WEDGE_OK;
    WEDGE_TRY(job_reserve(f->job, &f->kept->columns, *count * sizeof(uint32_t)));
    WEDGE_TRY(path_of(f)->batch(f));
    return each_find(f, path_of(f)->fill, p);
}

/* ---- A list ---- */

static wedge_status start(const list_wish *wish, void **of) {
    hits *f = NULL;
    hits_kept *kept = &((list_held *)wish->job->held)->hits;
    wedge_status status = hits_open(wish->job, kept, wish->begin, wish->end, wish->memory - wish->memory / 2, &f);
    *of = f;
    return status;
}

static wedge_status next(void *of, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    WEDGE_TRY(hits_next(of, at, end, count, p));
    return *count ? path_of(of)->sort(of) : WEDGE_OK;
}

static wedge_status list(void *of, const select_target *to) { return path_of(of)->list(of, to); }
static uint64_t total(const void *of) { return ((const hits *)of)->total; }
static void stop(void *of) { hits_close(of); }

const list_source list_of_hits = {start, next, list, total, stop};
