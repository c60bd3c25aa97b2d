/* select/triples.c: as many positions per batch as hits fit.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/triples.h"

#include <stdlib.h>

#include "core/maps.h"

enum { LEAST_ROOM = 1 << 14, FIRST_ROOM = 1 << 20 };
enum { STEPS = 64 };
#define LEAST_STEP (UINT64_C(1) << 26) /* positions: fewer are soon done */

static const triples_finds_path *path_of(const triples_finds *f) {
    return f->job->dev->backend->compile ? &triples_finds_gpu : &triples_finds_native;
}

static size_t find_bytes(const triples_finds *f) { return path_of(f)->bytes(f->job); }

/* It stays with the job, for its next run. */
static wedge_status make_room(triples_finds *f, uint64_t room) {
    f->room = 0;
    WEDGE_TRY(job_room(f->job, &f->job->found, path_of(f)->head + room * find_bytes(f)));
    f->room = room;
    return WEDGE_OK;
}

/* At most a quarter of what is free, or of what the caller allows. */
static wedge_status choose_room(triples_finds *f, uint64_t memory) {
    wedge_device *dev = f->job->dev;
    uint64_t bytes = dev->info.memory / 2, kept = f->job->found.bytes / find_bytes(f), room = FIRST_ROOM;
    if (dev->backend->compile) WEDGE_TRY(dev->backend->memory_free(dev, &bytes));
    if (memory && memory < bytes) bytes = memory;
    f->most_room = bytes / 4 / (find_bytes(f) + path_of(f)->sorting);
    if (f->most_room > INT32_MAX) f->most_room = INT32_MAX;
    if (f->most_room < LEAST_ROOM) f->most_room = LEAST_ROOM;
    if (kept && room < kept - 1) room = kept - 1; /* less the head */
    if (room > f->end - f->begin) room = f->end - f->begin;
    if (!f->listed) room = 0;
    return make_room(f, room < f->most_room ? room : f->most_room);
}

wedge_status triples_finds_open(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, bool listed,
                                triples_finds **out) {
    triples_finds *f = calloc(1, sizeof *f);
    WEDGE_CHECK(f, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of triplets");
    *f = (triples_finds){.job = job, .begin = begin, .end = end, .listed = listed, .total = UINT64_MAX};
    f->most_step = (end - begin) / STEPS + 1 > LEAST_STEP ? (end - begin) / STEPS + 1 : LEAST_STEP;
    if (job->ordered) f->most_step = end - begin; /* along a curve every range takes as long as all */
    f->step = f->most_step;
    *out = f;
    return choose_room(f, memory);
}

void triples_finds_close(triples_finds *f) {
    if (!f) return;
    wedge_device *dev = f->job->dev;
    dev->backend->buffer_free(dev, &f->keys);
    for (int k = 0; k < 2; ++k) dev->backend->buffer_free(dev, &f->indices[k]);
    free(f);
}

/* There were more finds than there is room for: room for all of them if they may have it, else a shorter range. */
static wedge_status give_way(triples_finds *f) {
    if (f->count <= f->most_room) return make_room(f, f->count);
    if (f->room < f->most_room) WEDGE_TRY(make_room(f, f->most_room));
    uint64_t fewer = (uint64_t)(0.9 * (double)f->room / (double)f->count * (double)(f->to - f->from));
    f->step = fewer ? fewer : 1;
    f->to = f->from + f->step;
    return WEDGE_OK;
}

/* Ranges end where they cut no tile, if they can; along a curve they cut none. */
wedge_status triples_finds_count(triples_finds *f, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    const wedge_job *job = f->job;
    f->from = at;
    f->to = domain_cut(&job->domain, at, f->end, f->step, job->ordered ? 1 : job->path->rows(job));
    WEDGE_TRY(path_of(f)->find(f, p));
    if (f->from == f->begin && f->to == f->end) f->total = f->count;
    while (f->listed && f->count > f->room) {
        WEDGE_TRY(give_way(f));
        WEDGE_TRY(path_of(f)->find(f, p));
    }
    if (f->count < f->room / 2) f->step = f->step < f->most_step / 2 ? 2 * f->step : f->most_step;
    *end = f->to, *count = f->count;
    return f->listed && f->count ? path_of(f)->sort(f) : WEDGE_OK;
}

wedge_status triples_finds_list(triples_finds *f, const select_target *to) { return path_of(f)->list(f, to); }
