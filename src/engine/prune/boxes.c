/* boxes.c: boxes of panels, and the runs of panels in reach.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/boxes.h"

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
#include "engine/prune/boxes_number.h"
#undef NUMBER
#undef MAGIC
#undef EPSILON
#undef NAME
#define NUMBER double
#define MAGIC 0x1.8p52
#define EPSILON 0x1p-53
#define NAME(name) name##_f64
#include "engine/prune/boxes_number.h"

static uint64_t panels_of(const wedge_job *job) { return ceil_div(job->domain.m, NATIVE_COLS); }
static uint64_t supers_of(const wedge_job *job) { return ceil_div(panels_of(job), GROUP); }

/* The groups: those of panels first, then those of 64 panels. */
static void *group_at(const wedge_job *job, uint64_t group) {
    return (char *)job->prune.boxes.host + group * 2 * job->pairs.d * GROUP * job->size;
}

static void box_panels(void *user, uint64_t begin, uint64_t end) {
    const wedge_job *job = user;
    uint64_t d = job->pairs.d;
    for (uint64_t p = begin; p < end; ++p) {
        const char *panel = (const char *)job->points.panels.host + p * NATIVE_COLS * d * job->size;
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
    WEDGE_TRY(dev->backend->buffer_new(dev, bytes, ON_DEVICE, &job->prune.boxes));
    memset(job->prune.boxes.host, 0, bytes); /* of the last groups not all are boxes */
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

static void box_rows(const wedge_job *job, double *box, const void *points, uint64_t rows) {
    uint64_t d = job->pairs.d;
    if (job->size == sizeof(double))
        box_of_f64(box, 1, d, points, 1, d, rows);
    else
        box_of_f32((float *)(void *)box, 1, d, points, 1, d, rows);
}

column_runs runs_begin(const wedge_job *job, const void *points, uint64_t rows, uint64_t first, uint64_t end) {
    column_runs r = {.job = job, .all = !job->curve.ordered, .first = first, .end = end, .limit = job->prune.limit};
    if (r.all) return r;
    box_rows(job, r.box, points, rows);
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

/* ---- The closest first ---- */

static void find_bounds(const panel_search *s, uint64_t group, double *bound) {
    const wedge_job *job = s->job;
    const void *box = s->box;
    if (job->size == sizeof(double))
        list_bounds_f64(job, box, group_at(job, group), bound);
    else
        list_bounds_f32(job, box, group_at(job, group), bound);
}

static void find_left(const panel_search *s, uint64_t group, uint64_t left, box_bounds *to) {
    find_bounds(s, group, to->bound);
    to->left = left, to->taken = 0;
}

/* Of those that are left the one with the least bound, or after some of them any; -1: none is left, or all are above the limit. */
static int take_closest(box_bounds *b, double limit) {
    enum { CLOSEST = 8 };
    double least = INFINITY;
    int best = -1;
    for (uint64_t left = b->left; left; left &= left - 1) {
        int k = __builtin_ctzll(left);
        if (b->bound[k] > limit)
            b->left &= ~(UINT64_C(1) << k);
        else if (best < 0 || b->bound[k] < least)
            best = k, least = b->bound[k];
        if (best >= 0 && b->taken >= CLOSEST) break;
    }
    if (best < 0) return -1;
    ++b->taken, b->left &= ~(UINT64_C(1) << best);
    return best;
}

static uint64_t closest_super(panel_search *s) {
    uint64_t supers = supers_of(s->job), best = 0;
    double least = INFINITY;
    for (uint64_t g = 0; g * GROUP < supers && supers > 1; ++g) {
        find_left(s, supers + g, bits_of(g * GROUP, 0, supers), &s->supers);
        int k = take_closest(&s->supers, INFINITY);
        if (s->supers.bound[k] < least) best = g * GROUP + (uint64_t)k, least = s->supers.bound[k];
    }
    return best;
}

void search_begin(panel_search *s, const wedge_job *job, const void *points, uint64_t rows, uint64_t own) {
    s->job = job, s->own = own, s->group = 0;
    s->begun = false;
    s->panels.left = s->supers.left = 0;
    box_rows(job, s->box, points, rows);
    s->first_super = own < UINT64_MAX ? own / GROUP : closest_super(s);
    s->super = UINT64_MAX;
}

static void open_super(panel_search *s, uint64_t super) {
    uint64_t base = super * GROUP, own = s->own < UINT64_MAX ? bits_of(base, s->own, s->own + 1) : 0;
    s->super = super;
    find_left(s, super, bits_of(base, 0, panels_of(s->job)) & ~own, &s->panels);
}

/* Another 64 panels: the first ones, then those whose common box is within the limit. */
static bool next_super(panel_search *s, double limit) {
    uint64_t supers = supers_of(s->job);
    if (s->super == UINT64_MAX) {
        s->supers.left = 0; /* what looking for the closest has left */
        open_super(s, s->first_super);
        return true;
    }
    for (;;) {
        int k = take_closest(&s->supers, limit);
        if (k >= 0) {
            open_super(s, (s->group - 1) * GROUP + (uint64_t)k);
            return true;
        }
        if (s->group * GROUP >= supers || supers == 1) return false;
        uint64_t base = s->group * GROUP;
        find_left(s, supers + s->group, bits_of(base, 0, supers) & ~bits_of(base, s->first_super, s->first_super + 1),
                  &s->supers);
        ++s->group;
    }
}

bool search_next(panel_search *s, double limit, uint64_t *panel) {
    bool begun = s->begun;
    int k;
    s->begun = true, *panel = s->own;
    if (!begun && s->own < UINT64_MAX) return true;
    while ((k = take_closest(&s->panels, limit)) < 0)
        if (!next_super(s, limit)) return false;
    *panel = s->super * GROUP + (uint64_t)k;
    return true;
}

double boxes_share(wedge_job *job) {
    enum { MOST_SAMPLES = 64, APART = 8 /* units of rows, so that it costs little */ };
    uint64_t rows = job->domain.n / PRUNED_ROWS, samples = rows / APART + 1, in_reach = 0, all = 0;
    if (samples > MOST_SAMPLES) samples = MOST_SAMPLES;
    for (uint64_t k = 0; k < samples && k < rows; ++k) {
        uint64_t row = (2 * k + 1) * rows / (2 * samples) * PRUNED_ROWS;
        const char *points = (const char *)job->points.rows.host + row * job->pairs.d * job->size;
        column_runs r = runs_begin(job, points, PRUNED_ROWS, 0, job->domain.m);
        while (runs_next(&r)) in_reach += r.to - r.from;
        all += job->domain.m;
    }
    return all ? (double)in_reach / (double)all : 1;
}

/* Rows from all over, each with one panel: a few neighbours of a panel would say little. */
double boxes_hits(const wedge_job *job) {
    enum { LEAST_SAMPLES = 32, MOST_SAMPLES = 128, APART = 128 /* rows, so that it costs little */ };
    char values[NATIVE_ROWS * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    uint64_t rows = job->domain.n, row_bytes = job->pairs.d * job->size, hits = 0;
    uint64_t samples = LEAST_SAMPLES + rows / APART;
    if (samples > MOST_SAMPLES) samples = MOST_SAMPLES;
    if (!sink_lists(&job->sink) || job->info.values > 1) return 0;
    for (uint64_t k = 0; k < samples; ++k) {
        const void *points[NATIVE_ROWS];
        uint64_t panel = k * panels_of(job) / samples;
        for (uint64_t r = 0; r < NATIVE_ROWS; ++r) { /* multiples of the golden ratio spread evenly */
            uint64_t part = (k * NATIVE_ROWS + r) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
            points[r] = (const char *)job->points.rows.host + (part * rows >> 32) * row_bytes;
        }
        job->native.tile(values, NATIVE_COLS, points,
                         (const char *)job->points.panels.host + panel * NATIVE_COLS * row_bytes, 1, job_args(job, 1));
        for (int c = 0; c < NATIVE_ROWS * NATIVE_COLS; ++c)
            hits += job->size == sizeof(double) ? ((const double *)(const void *)values)[c] <= job->prune.limit
                                                : ((const float *)(const void *)values)[c] <= job->prune.limit;
    }
    return (double)hits / (double)(samples * NATIVE_ROWS * NATIVE_COLS);
}
