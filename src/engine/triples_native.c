/* triples_native.c: triplets on the cpu.
 *
 * A unit is some points a by a panel of points b. The sides of a with some columns c are computed once for all b of the unit,
 * those of b with them once for all a; then every pair (a, b), a row, has the values of its columns, which go to the sink.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/triples_native.h"

#include "core/maps.h"
#include "engine/slots_native.h"
#include "wedge/map.h"

enum { HIGH = 16 /* points a of a unit */, ACROSS = 2 * NATIVE_COLS /* columns at a time */ };

/* Sides: [a or b][number of the side][column], of float or double. */
typedef struct {
    char ac[HIGH * MOST_SIDE * ACROSS * sizeof(double)] __attribute__((aligned(64)));
    char bc[MOST_SIDE * ACROSS * sizeof(double)] __attribute__((aligned(64)));
    char ab[HIGH * MOST_SIDE * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    char values[ACROSS * sizeof(double)] __attribute__((aligned(64)));
} workspace;

typedef struct {
    const triples_range *g;
    const native_sink *sink;
    workspace *w;
    native_args args;
    native_side_fn *sides;
    native_triple_fn *triple;
    size_t size;
} unit_tools;

static const char *point_of(const wedge_job *job, uint64_t x) {
    return (const char *)job->points.host + x * job->pairs.d * job->size;
}

static const char *panel_of(const wedge_job *job, uint64_t column) {
    return (const char *)job->panels.host + column * job->pairs.d * job->size;
}

/* The side of point a's with column b, out of those of a panel. */
static void pick_side(const unit_tools *t, uint64_t high, uint64_t b, char *ab) {
    const size_t size = t->size, side = t->g->job->op->side;
    const char *from = t->w->ab + (high * side * NATIVE_COLS + b) * size;
    for (size_t k = 0; k < side; ++k)
        for (size_t byte = 0; byte < size; ++byte) ab[k * size + byte] = from[k * NATIVE_COLS * size + byte];
}

/* Row (a, b) by columns [from, from + ACROSS). */
static void one_row(const unit_tools *t, uint64_t a, uint64_t b, uint64_t high, uint64_t from) {
    const triples_range *g = t->g;
    uint64_t start = wedge_tet64(a - 2) + wedge_tri64(b - 1), first = from, end = from + ACROSS < b ? from + ACROSS : b;
    char ab[MOST_SIDE * sizeof(double)] __attribute__((aligned(16)));
    if (start + first < g->begin) first = g->begin - start;
    if (start + end > g->end) end = g->end > start ? g->end - start : 0;
    if (first >= end) return;
    uint64_t count = ceil_div(end - from, LEAF) * LEAF;
    pick_side(t, high, b % NATIVE_COLS, ab);
    t->triple(t->w->values, ab, t->w->ac + high * g->job->op->side * ACROSS * t->size, t->w->bc, ACROSS, count,
              t->args);
    g->take(t->sink, t->w->values, wedge_tri64(a - 2) + b - 1, from, first, end);
}

/* Points [a, a_end) by [b, b_end) by columns [from, from + ACROSS), whose sides with the former are there. */
static void one_step(const unit_tools *t, uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end, uint64_t from,
                     uint64_t panels) {
    for (; b < b_end; ++b) {
        if (b <= from) continue;
        t->sides(t->w->bc, ACROSS, point_of(t->g->job, b), panel_of(t->g->job, from), panels, t->args);
        for (uint64_t high = 0; a + high < a_end; ++high)
            if (a + high > b) one_row(t, a + high, b, high, from);
    }
}

static void one_unit(const unit_tools *t, uint64_t a, uint64_t b) {
    const wedge_job *job = t->g->job;
    uint64_t n = job->domain.n, a_end = a + HIGH < n ? a + HIGH : n, b_end = b + NATIVE_COLS < n ? b + NATIVE_COLS : n;
    size_t side = job->op->side;
    if (a < 2) a = 2;
    if (b >= a_end) return;
    for (uint64_t high = 0; a + high < a_end; ++high)
        t->sides(t->w->ab + high * side * NATIVE_COLS * t->size, NATIVE_COLS, point_of(job, a + high), panel_of(job, b),
                 1, t->args);
    for (uint64_t from = 0; from < b_end; from += ACROSS) {
        uint64_t panels = ceil_div(n - from, NATIVE_COLS);
        if (panels > ACROSS / NATIVE_COLS) panels = ACROSS / NATIVE_COLS;
        for (uint64_t high = 0; a + high < a_end; ++high)
            t->sides(t->w->ac + high * side * ACROSS * t->size, ACROSS, point_of(job, a + high), panel_of(job, from),
                     panels, t->args);
        one_step(t, a, a_end, b ? b : 1, b_end, from, panels);
    }
}

/* ---- A range ---- */

typedef struct {
    triples_range *g;
    uint64_t first;  /* of the points a, in units */
    uint64_t panels; /* of the points b */
} triples_units;

static void run_units(void *user, uint64_t begin, uint64_t end) {
    const triples_units *u = user;
    const triples_range *g = u->g;
    const wedge_job *job = g->job;
    workspace w;
    native_sink sink = g->sink;
    uint32_t slot = slot_take(g->slot_taken);
    sink.slot = g->slots + slot * g->slot_bytes;
    const unit_tools t = {g,
                          &sink,
                          &w,
                          {job->set, job->pairs.d, 1, NULL},
                          job->op->sides[job->pairs.dtype][job->isa],
                          job->op->triple[job->pairs.dtype][job->isa],
                          job->size};
    for (uint64_t unit = begin; unit < end; ++unit)
        one_unit(&t, (u->first + unit / u->panels) * HIGH, unit % u->panels * NATIVE_COLS);
    slot_give(g->slot_taken, slot);
}

static wedge_status deal_units(void *user, uint64_t begin, uint64_t end) {
    triples_units *u = user;
    wedge_device *dev = u->g->job->dev;
    return dev->backend->run(dev, run_units, u, begin, end, 1);
}

wedge_status triples_native_run(triples_range *g, pace *p) {
    const wedge_job *job = g->job;
    uint64_t from = wedge_tet_strict_unrank64(g->begin).i / HIGH,
             to = wedge_tet_strict_unrank64(g->end - 1).i / HIGH + 1;
    triples_units u = {g, from, ceil_div(to * HIGH, NATIVE_COLS)};
    pace_items units = {(to - from) * u.panels, (double)HIGH * NATIVE_COLS * (double)job->domain.n / 3,
                        job->dev->info.units};
    return pace_run(p, job->dev, job->queue, units, deal_units, &u);
}
