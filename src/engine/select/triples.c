/* select/triples.c: runs select of triplets: as many positions per batch as hits fit.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/triples.h"

#include <stdlib.h>

enum { FIRST_ROOM = 1 << 20, STEPS = 64 };
#define LEAST_STEP (UINT64_C(1) << 26) /* positions: fewer are soon done */

static const triples_hits_path *path_of(const triples_hits *f) {
    return f->job->dev->backend->compile ? &triples_hits_gpu : &triples_hits_native;
}

static wedge_status start(const list_wish *wish, void **of) {
    wedge_job *job = wish->job;
    uint64_t cells = wish->end - wish->begin, most = cells / STEPS + 1;
    triples_hits *f = *of = calloc(1, sizeof *f);
    WEDGE_CHECK(f, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of triplets");
    *f = (triples_hits){.job = job,
                        .kept = &((list_held *)job->held)->hits,
                        .begin = wish->begin,
                        .end = wish->end,
                        .listed = wish->listed,
                        .total = UINT64_MAX};
    f->most_step = job->curve.ordered  ? cells
                   : most > LEAST_STEP ? most
                                       : LEAST_STEP; /* along a curve every range takes as long as all */
    f->step = f->most_step;
    f->room =
        (hits_capacity){.job = job, .kept = &f->kept->found, .head = path_of(f)->head, .bytes = path_of(f)->bytes(job)};
    return hits_capacity_open(&f->room, wish->memory - wish->memory / 2, path_of(f)->sorting,
                              !f->listed           ? 0
                              : cells < FIRST_ROOM ? cells
                                                   : FIRST_ROOM);
}

static void stop(void *of) {
    triples_hits *f = of;
    if (!f) return;
    wedge_device *dev = f->job->dev;
    dev->backend->buffer_free(dev, &f->keys);
    for (int k = 0; k < 2; ++k) dev->backend->buffer_free(dev, &f->indices[k]);
    free(f);
}

/* There were more hits than there is room for. */
static wedge_status give_way(triples_hits *f) {
    uint64_t cells = f->to - f->from, fewer = cells;
    WEDGE_TRY(hits_give_way(&f->room, f->count, &fewer, 1));
    if (fewer < cells) f->step = fewer, f->to = f->from + fewer;
    return WEDGE_OK;
}

/* Ranges end where they cut no tile, if they can; along a curve they cut none. */
static wedge_status next(void *of, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    triples_hits *f = of;
    const wedge_job *job = f->job;
    f->from = at;
    f->to = domain_cut(&job->domain, at, f->end, f->step, job->curve.ordered ? 1 : job->path->rows(job));
    WEDGE_TRY(path_of(f)->find(f, p));
    if (f->from == f->begin && f->to == f->end) f->total = f->count;
    while (f->listed && f->count > f->room.room) {
        WEDGE_TRY(give_way(f));
        WEDGE_TRY(path_of(f)->find(f, p));
    }
    if (f->count < f->room.room / 2) f->step = f->step < f->most_step / 2 ? 2 * f->step : f->most_step;
    *end = f->to, *count = f->count;
    return f->listed && f->count ? path_of(f)->sort(f) : WEDGE_OK;
}

static wedge_status list(void *of, const select_target *to) { return path_of(of)->list(of, to); }
static uint64_t total(const void *of) { return ((const triples_hits *)of)->total; }

const list_source list_of_triples = {start, next, list, total, stop};
