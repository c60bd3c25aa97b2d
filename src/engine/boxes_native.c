/* boxes_native.c: boxes of panels, and the runs of panels in reach.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/boxes_native.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"

enum { GROUP = 64, FEW_IN_BOX = 32 /* features of a panel that lies on the stack */ };
_Static_assert((int)GROUP == (int)NATIVE_COLS, "the op's tile function takes a group of boxes as a panel");

#define NUMBER float
#define MAGIC 0x1.8p23f /* a number plus it, less it, is the nearest integer */
#define EPSILON 0x1p-24f
#define NAME(name) name##_f32
#include "engine/boxes_number.h"
#undef NUMBER
#undef MAGIC
#undef EPSILON
#undef NAME
#define NUMBER double
#define MAGIC 0x1.8p52
#define EPSILON 0x1p-53
#define NAME(name) name##_f64
#include "engine/boxes_number.h"

static uint64_t panels_of(const wedge_job *job) { return ceil_div(job->domain.m, NATIVE_COLS); }
static uint64_t supers_of(const wedge_job *job) { return ceil_div(panels_of(job), GROUP); }

/* The groups: those of panels first, then those of 64 panels. */
static void *group_at(const wedge_job *job, uint64_t group) {
    return (char *)job->boxes.host + group * 2 * job->pairs.d * GROUP * job->size;
}

static void box_panels(void *user, uint64_t begin, uint64_t end) {
    const wedge_job *job = user;
    uint64_t d = job->pairs.d;
    for (uint64_t p = begin; p < end; ++p) {
        const char *panel = (const char *)job->panels.host + p * NATIVE_COLS * d * job->size;
        char *box = (char *)group_at(job, p / GROUP) + p % GROUP * job->size;
        if (job->size == sizeof(double))
            box_of_f64((double *)(void *)box, GROUP, d, (const void *)panel, NATIVE_COLS, 1, NATIVE_COLS);
        else
            box_of_f32((float *)(void *)box, GROUP, d, (const void *)panel, NATIVE_COLS, 1, NATIVE_COLS);
    }
}

static void box_supers(void *user, uint64_t begin, uint64_t end) {
    const wedge_job *job = user;
    uint64_t d = job->pairs.d, supers = supers_of(job);
    for (uint64_t s = begin; s < end; ++s) {
        char *box = (char *)group_at(job, supers + s / GROUP) + s % GROUP * job->size;
        uint64_t count = panels_of(job) - s * GROUP < GROUP ? panels_of(job) - s * GROUP : GROUP;
        if (job->size == sizeof(double))
            box_of_group_f64((double *)(void *)box, GROUP, d, group_at(job, s), count);
        else
            box_of_group_f32((float *)(void *)box, GROUP, d, group_at(job, s), count);
    }
}

wedge_status boxes_make(wedge_job *job) {
    wedge_device *dev = job->dev;
    uint64_t supers = supers_of(job), groups = supers + ceil_div(supers, GROUP);
    size_t bytes = groups * 2 * job->pairs.d * GROUP * job->size;
    WEDGE_TRY(dev->backend->buffer_new(dev, bytes, ON_DEVICE, &job->boxes));
    memset(job->boxes.host, 0, bytes); /* of the last groups not all are boxes */
    job->info.device_bytes += bytes;
    WEDGE_TRY(dev->backend->run(dev, box_panels, job, 0, panels_of(job), 64));
    return dev->backend->run(dev, box_supers, job, 0, supers, 1);
}

/* ---- Runs ---- */

/* Bits [from, to) of the 64 from `base` on. */
static uint64_t bits_of(uint64_t base, uint64_t from, uint64_t to) {
    uint64_t low = from > base ? from - base : 0, high = to > base ? to - base : 0;
    uint64_t below = high >= 64 ? UINT64_MAX : (UINT64_C(1) << high) - 1;
    return low >= 64 ? 0 : below & (UINT64_MAX << low);
}

static uint64_t within(const column_runs *r, uint64_t group) {
    const wedge_job *job = r->job;
    const void *box = r->box;
    return job->size == sizeof(double) ? within_f64(job, box, group_at(job, group), r->limit)
                                       : within_f32(job, box, group_at(job, group), (float)r->limit);
}

column_runs runs_begin(const wedge_job *job, const void *points, uint64_t rows, uint64_t first, uint64_t end) {
    column_runs r = {.job = job, .all = !job->ordered, .first = first, .end = end, .limit = job->prune_limit};
    uint64_t d = job->pairs.d;
    r.near_super = UINT64_MAX;
    if (r.all) return r;
    if (job->size == sizeof(double))
        box_of_f64(r.box, 1, d, points, 1, d, rows);
    else
        box_of_f32((float *)(void *)r.box, 1, d, points, 1, d, rows);
    r.group = first / (NATIVE_COLS * GROUP) / GROUP;
    return r;
}

static bool next_panels(column_runs *r) {
    const uint64_t wide = NATIVE_COLS * GROUP, first = r->first / wide, end = ceil_div(r->end, wide);
    while (!r->supers) {
        if (r->group * GROUP >= end) return false;
        r->super = r->group * GROUP;
        r->supers = within(r, supers_of(r->job) + r->group++) & bits_of(r->super, first, end);
    }
    uint64_t super = r->super + (uint64_t)__builtin_ctzll(r->supers);
    r->supers &= r->supers - 1;
    r->panel = super * GROUP;
    r->panels = within(r, super) & bits_of(r->panel, r->first / NATIVE_COLS, ceil_div(r->end, NATIVE_COLS));
    if (super == r->near_super) r->panels &= ~r->near;
    return true;
}

bool runs_next(column_runs *r) {
    if (r->all) {
        r->from = r->to ? r->end : r->first / NATIVE_COLS * NATIVE_COLS;
        r->to = r->end;
        return r->from < r->to;
    }
    while (!r->panels)
        if (!next_panels(r)) return false;
    uint64_t k = (uint64_t)__builtin_ctzll(r->panels), rest = ~(r->panels >> k);
    uint64_t run = rest ? (uint64_t)__builtin_ctzll(rest) : 64;
    r->from = (r->panel + k) * NATIVE_COLS;
    r->to = r->from + run * NATIVE_COLS < r->end ? r->from + run * NATIVE_COLS : r->end;
    r->panels = k + run >= 64 ? 0 : r->panels & (UINT64_MAX << (k + run));
    return true;
}

static int closest(const column_runs *r, uint64_t group, uint64_t mask, double *least) {
    const wedge_job *job = r->job;
    const void *box = r->box, *boxes = group_at(job, group);
    return job->size == sizeof(double) ? closest_f64(job, box, boxes, mask, least)
                                       : closest_f32(job, box, boxes, mask, least);
}

static uint64_t closest_super(const column_runs *r) {
    uint64_t supers = supers_of(r->job), best = 0;
    double least = INFINITY;
    for (uint64_t g = 0; g * GROUP < supers; ++g) {
        double own = INFINITY;
        int k = closest(r, supers + g, bits_of(g * GROUP, 0, supers), &own);
        if (own < least) best = g * GROUP + (uint64_t)k, least = own;
    }
    return best;
}

void runs_near(column_runs *r, uint64_t own, uint64_t count) {
    uint64_t panels = panels_of(r->job), super = own < panels ? own / GROUP : closest_super(r);
    uint64_t left = bits_of(super * GROUP, 0, panels);
    if (own < panels) r->near = UINT64_C(1) << own % GROUP;
    for (left &= ~r->near; left && (uint64_t)__builtin_popcountll(r->near) < count; left &= ~r->near) {
        double least = INFINITY;
        r->near |= UINT64_C(1) << closest(r, super, left, &least);
    }
    r->near_super = super;
}

double boxes_share(const wedge_job *job) {
    enum { SAMPLES = 64 };
    uint64_t rows = job->domain.n / PRUNED_ROWS, in_reach = 0, all = 0;
    for (uint64_t k = 0; k < SAMPLES && k < rows; ++k) {
        uint64_t row = k * rows / (rows < SAMPLES ? rows : SAMPLES) * PRUNED_ROWS;
        const char *points = (const char *)job->points.host + row * job->pairs.d * job->size;
        column_runs r = runs_begin(job, points, PRUNED_ROWS, 0, job->domain.m);
        while (runs_next(&r)) in_reach += r.to - r.from;
        all += job->domain.m;
    }
    return all ? (double)in_reach / (double)all : 1;
}

double boxes_hits(const wedge_job *job) {
    enum { SAMPLES = 32, STEP = 7919 /* a prime, so that rows meet panels near and far */ };
    char values[NATIVE_ROWS * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    uint64_t rows = job->domain.n, row_bytes = job->pairs.d * job->size, hits = 0;
    if (!job->sink.row->marks || job->info.values > 1) return 0;
    for (uint64_t k = 0; k < SAMPLES; ++k) {
        const void *points[NATIVE_ROWS];
        uint64_t row = k * rows / SAMPLES, panel = k * STEP % panels_of(job);
        for (uint64_t r = 0; r < NATIVE_ROWS; ++r)
            points[r] = (const char *)job->points.host + (row + r < rows ? row + r : rows - 1) * row_bytes;
        job->tile(values, NATIVE_COLS, points, (const char *)job->panels.host + panel * NATIVE_COLS * row_bytes, 1,
                  (native_args){job->set, job->pairs.d, 1, job->periodic ? job->box : NULL});
        for (int c = 0; c < NATIVE_ROWS * NATIVE_COLS; ++c)
            hits += job->size == sizeof(double) ? ((const double *)(const void *)values)[c] <= job->prune_limit
                                                : ((const float *)(const void *)values)[c] <= job->prune_limit;
    }
    return (double)hits / (SAMPLES * NATIVE_ROWS * NATIVE_COLS);
}
