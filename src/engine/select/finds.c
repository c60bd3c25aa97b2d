/* finds.c: from finds in any order to the caller's list.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/finds.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FIND_BYTES = sizeof(find), LEAST_ROOM = 1 << 14, GUESS = 64 /* finds of a row */ };

static const finds_path *path_of(const finds *f) { return f->job->dev->backend->compile ? &finds_gpu : &finds_native; }

/* ---- Memory ---- */

/* Finds and columns stay with the job, for its next run: to get their pages from the system costs a quarter of a short one. */
static wedge_status make_room(finds *f, uint64_t room) {
    f->room = 0;
    WEDGE_TRY(job_room(f->job, &f->job->found, FOUND_HEAD * sizeof(uint32_t) + room * FIND_BYTES));
    f->room = room;
    return WEDGE_OK;
}

/* At most a quarter of what is free, or of what the caller allows; a find takes as much again as a column, in both orders.
 * What an earlier run needed is there already. */
static wedge_status choose_room(finds *f, uint64_t memory) {
    wedge_device *dev = f->job->dev;
    uint64_t bytes = dev->info.memory / 4, room = GUESS * (f->last_row - f->first_row + 1);
    uint64_t kept = f->job->found.bytes / FIND_BYTES;
    if (kept && room < kept - 1) room = kept - 1; /* less the head */
    if (dev->backend->compile) WEDGE_TRY(dev->backend->memory_free(dev, &bytes));
    if (memory && memory < bytes) bytes = memory;
    f->most_room = bytes / 4 / (2 * FIND_BYTES);
    if (f->most_room > INT32_MAX) f->most_room = INT32_MAX;
    if (f->most_room < LEAST_ROOM) f->most_room = LEAST_ROOM;
    if (room > f->most_room) room = f->most_room;
    return make_room(f, room < LEAST_ROOM ? LEAST_ROOM : room);
}

static wedge_status open_finds(finds *f, uint64_t memory) {
    wedge_job *job = f->job;
    const domain *d = &job->domain;
    const backend *b = job->dev->backend;
    f->first_row = d->kind->row(d, f->begin), f->last_row = d->kind->row(d, f->end - 1);
    f->first_column = d->kind->columns(d, f->first_row).first + (f->begin - d->kind->start(d, f->first_row));
    f->last_column = d->kind->columns(d, f->last_row).first + (f->end - 1 - d->kind->start(d, f->last_row));
    f->folds = !d->kind->box, f->above = d->kind->backwards;
    f->apart = job->sink.nearest && !d->kind->two_sets;
    uint64_t rows = f->last_row - f->first_row + 1;
    WEDGE_TRY(b->buffer_new(job->dev, rows * sizeof(uint32_t), ON_DEVICE, &f->counts));
    WEDGE_TRY(b->buffer_new(job->dev, (rows + 1) * sizeof(uint64_t), ON_DEVICE, &f->starts));
    WEDGE_TRY(b->fill(job->dev, job->queue, &f->counts, 0, f->counts.bytes, 0));
    WEDGE_TRY(path_of(f)->open(f));
    return choose_room(f, memory);
}

wedge_status finds_open(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, finds **out) {
    finds *f = calloc(1, sizeof *f);
    WEDGE_CHECK(f, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of pairs");
    *f = (finds){.job = job, .begin = begin, .end = end, .step = job->info.cells};
    *out = f;
    return open_finds(f, memory);
}

void finds_close(finds *f) {
    if (!f) return;
    wedge_device *dev = f->job->dev;
    path_of(f)->close(f);
    dev->backend->buffer_free(dev, &f->counts);
    dev->backend->buffer_free(dev, &f->starts);
    free(f);
}

/* ---- Batches ---- */

/* A range had more finds than there was room for: room for all of them if they may have it, else a shorter range. */
static wedge_status give_way(finds *f, uint64_t begin, uint64_t *end) {
    uint64_t cells = *end - begin, wanted = f->taken + f->taken / 64;
    if (wanted <= f->most_room || cells <= LEAST_ROOM / 4) return make_room(f, wanted);
    if (f->room < f->most_room) WEDGE_TRY(make_room(f, f->most_room));
    double share = 0.9 * (double)f->room / (double)f->taken;
    uint64_t fewer = (uint64_t)(share * (double)cells);
    *end = begin + (fewer > LEAST_ROOM / 4 ? fewer : LEAST_ROOM / 4);
    return WEDGE_OK;
}

/* Calls `use` with the finds of all cells that rows may come from, some at a time: along a curve they lie anywhere. */
static wedge_status each_find(finds *f, wedge_status (*use)(finds *f), pace *p) {
    const finds_path *path = path_of(f);
    const wedge_job *job = f->job;
    uint64_t begin = job->info.pruned ? 0 : f->begin, past = job->info.pruned ? job->info.cells : f->end, at = begin;
    if (f->whole) return use(f);
    while (at < past) {
        uint64_t end = past - at < f->step ? past : at + f->step;
        WEDGE_TRY(path->find(f, at, end, p));
        if (f->taken > f->room) {
            WEDGE_TRY(give_way(f, at, &end));
            f->step = end - at;
            continue;
        }
        f->whole = at == begin && end == past;
        WEDGE_TRY(use(f));
        at = end;
    }
    return WEDGE_OK;
}

static wedge_status count_all(finds *f, pace *p) {
    WEDGE_TRY(each_find(f, path_of(f)->tally, p));
    WEDGE_TRY(path_of(f)->scan(f));
    f->counted = true;
    return WEDGE_OK;
}

/* The rows of the next batch: all, or by halving as many as fit; one at least. */
static wedge_status choose_rows(finds *f, uint64_t row, uint64_t *count) {
    uint64_t all = f->last_row - f->first_row + 1, low = row + 1, high = all, start, past;
    WEDGE_TRY(path_of(f)->start_at(f, row, &start));
    while (low < high) {
        uint64_t middle = f->total - start <= f->most_room ? high : low + (high - low + 1) / 2;
        WEDGE_TRY(path_of(f)->start_at(f, middle, &past));
        if (past - start <= f->most_room)
            low = middle;
        else
            high = middle - 1;
    }
    WEDGE_TRY(path_of(f)->start_at(f, low, &past));
    f->row = row, f->rows = low - row, f->base = start;
    *count = past - start;
    return WEDGE_OK;
}

wedge_status finds_place(finds *f, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    const domain *d = &f->job->domain;
    if (!f->counted) WEDGE_TRY(count_all(f, p));
    WEDGE_TRY(choose_rows(f, d->kind->row(d, at) - f->first_row, count));
    uint64_t past = f->first_row + f->row + f->rows;
    *end = past > f->last_row ? f->end : d->kind->start(d, past);
    if (!*count) return WEDGE_OK;
    WEDGE_TRY(job_room(f->job, &f->job->found_columns, *count * sizeof(uint32_t)));
    WEDGE_TRY(path_of(f)->batch(f));
    return each_find(f, path_of(f)->place, p);
}

wedge_status finds_count(finds *f, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    WEDGE_TRY(finds_place(f, at, end, count, p));
    return *count ? path_of(f)->sort(f) : WEDGE_OK;
}

wedge_status finds_list(finds *f, const select_target *to) { return path_of(f)->list(f, to); }
