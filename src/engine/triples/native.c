/* triples/native.c: triplets on the cpu: the values of every pair (a, b), a row, with its columns c are stored, or go to the sink.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/triples/native.h"

#include <string.h>

#include "core/maps.h"
#include "engine/base/slots.h"
#include "engine/base/task_memory.h"
#include "engine/triples/walk.h"
#include "wedge/map.h"

enum { UNITS_ACROSS = 64 }; /* of a row of points a, at most */

typedef struct {
    triples_range *g;
    uint64_t first;  /* first unit of points a */
    uint64_t across; /* units of points b side by side */
    uint64_t wide;   /* points b per unit */
} triples_units;

/* Of one thread. */
typedef struct {
    const triples_range *g;
    native_sink sink;
    uint64_t inside, computed;
} row_taker;

/* What a row has within the radius. */
static void find_row(const row_taker *t, const triples_walk *w, uint64_t a, uint64_t b, uint64_t from, uint64_t first,
                     uint64_t end) {
    uint32_t marks[WORDS] = {0};
    native_sink marking = t->sink;
    marking.marks = marks, marking.marks_row = 0, marking.marks_word = from / LEAF, marking.marks_words = WORDS;
    t->g->take(&marking, w->space->values, 0, from, first, end);
    t->g->found(t->g->user, (const uint64_t[]){a, b, from}, marks, WORDS, w->space->values);
}

static void take_row(const triples_walk *w, uint64_t a, uint64_t b, uint64_t high, uint64_t from, uint64_t to) {
    row_taker *t = w->user;
    const triples_range *g = t->g;
    const uint64_t distinct = w->job->domain.kind->distinct, columns = b + 1 - distinct;
    if (!columns) return; /* no row: there is no c */
    uint64_t start = domain_triple_position(&w->job->domain, a, b, 0), first = from, end = to < columns ? to : columns;
    uint32_t only[WORDS], some = 0;
    if (start + first < g->begin) first = g->begin - start;
    if (start + end > g->end) end = g->end > start ? g->end - start : 0;
    if (first >= end) return;
    uint64_t leaves = ceil_div(end - from, LEAF);
    for (uint64_t l = first / LEAF - from / LEAF; l < leaves && w->job->curve.ordered; ++l) {
        uint64_t at = from + l * LEAF, low = first > at ? first - at : 0, high_end = end - at < LEAF ? end - at : LEAF;
        only[l] =
            triples_within_cutoff(w, b, high, (int)l) & (uint32_t)((UINT64_C(1) << high_end) - (UINT64_C(1) << low));
        some |= only[l];
        t->inside += (uint64_t)__builtin_popcount(only[l]);
    }
    if (w->job->curve.ordered && !some) return;
    triples_values(w, b, high, leaves * LEAF, false);
    t->sink.only = w->job->curve.ordered ? only : NULL;
    if (g->out)
        memcpy(g->out + (start + first - g->begin) * w->job->size, w->space->values + (first - from) * w->job->size,
               (end - first) * w->job->size);
    else if (g->found)
        find_row(t, w, a, b, from, first, end);
    else
        g->take(&t->sink, w->space->values, wedge_tri64(a - 2 * distinct) + b - distinct, from, first, end);
}

static void run_units(void *user, uint64_t begin, uint64_t end) {
    const triples_units *u = user;
    triples_range *g = u->g;
    triples_space *space = task_memory(sizeof *space, &g->failed);
    row_taker taker = {.g = g, .sink = g->sink};
    if (!space) return;
    uint32_t slot = g->slots ? slot_take(g->slot_taken) : 0;
    if (g->slots) taker.sink.slot = g->slots + slot * g->slot_bytes;
    triples_walk w = triples_walk_of(g->job, space);
    w.visit = take_row, w.user = &taker, w.computed = &taker.computed;
    for (uint64_t unit = begin; unit < end; ++unit) {
        uint64_t b = unit % u->across * u->wide;
        triples_walk_unit(&w, (u->first + unit / u->across) * HIGH, b, b + u->wide);
    }
    if (g->slots) slot_give(g->slot_taken, slot);
    free(space);
    __atomic_fetch_add(&g->inside, taker.inside, __ATOMIC_RELAXED);
    __atomic_fetch_add(&g->computed, taker.computed, __ATOMIC_RELAXED);
}

static wedge_status deal_units(void *user, uint64_t begin, uint64_t end) {
    triples_units *u = user;
    wedge_device *dev = u->g->job->dev;
    return dev->backend->run(dev, run_units, u, begin, end, 1);
}

wedge_status triples_native_run(triples_range *g, pace *p) {
    const wedge_job *job = g->job;
    uint64_t from = domain_triple(&job->domain, g->begin).i / HIGH,
             to = domain_triple(&job->domain, g->end - 1).i / HIGH + 1, panels = ceil_div(to * HIGH, NATIVE_COLS);
    triples_units u = {g, from, panels < UNITS_ACROSS ? panels : UNITS_ACROSS, 0};
    u.wide = ceil_div(panels, u.across) * NATIVE_COLS;
    pace_items units = {(to - from) * u.across, (double)(HIGH * u.wide) * (double)job->domain.n / 3,
                        job->dev->info.units};
    g->failed = false;
    WEDGE_TRY(pace_run(p, job->dev, job->queue, units, deal_units, &u));
    return task_memory_status(&g->failed, &job->dev->note);
}
