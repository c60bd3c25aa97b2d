/* scatter_triples.c: what each point gets from its triplets, on the cpu: the sum of their values, and the force.
 *
 * With G(ab) the sum, over all c, of what the value of abc changes by with the square of the side ab, the force on a is -2 times
 * the sum over all b of (a - b) G(ab). A unit is HIGH points a by a panel of points b; pairs' sums are added up for each a and for
 * each b, and have a slot of their own, so that they are always added in the same order.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "core/maps.h"
#include "engine/base/task_memory.h"
#include "engine/rows/scatter.h"
#include "engine/triples/native.h"
#include "engine/triples/walk.h"
#include "wedge/map.h"

enum { MOST_GIVEN = 1 + MOST_COORDINATES };
#define PARTS_BYTES (UINT64_C(1) << 26)

/* Of one pair, or of one point with some others. */
typedef struct {
    row_sum value, pull;
    uint64_t count;
} pair_sums;
typedef struct {
    double given[MOST_GIVEN];
    uint64_t count;
} point_part;
typedef struct {
    row_sum given[MOST_GIVEN];
    uint64_t count;
} point_sums;

typedef struct {
    wedge_job *job;
    const row_results *to;
    uint64_t panels;      /* panels of points */
    uint64_t first, rows; /* blocks of points a that are being computed */
    point_part *of_a;     /* [point a of these][panel of b] */
    point_part *of_b;     /* [block of points a][point b] */
    point_sums *sums;     /* sums of all points so far */
    bool failed;          /* a thread had no memory */
} scatter_run;

/* Of a thread. */
typedef struct {
    const scatter_run *r;
    pair_sums pair[HIGH][NATIVE_COLS];
    triples_space space;
} pair_taker;

/* ---- Pairs ---- */

/* Columns as bits, from `at` on: those that there are, and the one of point x. */
static uint32_t columns_there(uint64_t n, uint64_t at) {
    return at >= n ? 0 : n - at < LEAF ? (1u << (n - at)) - 1 : UINT32_MAX;
}
static uint32_t column_of(uint64_t x, uint64_t at) { return x - at < LEAF ? 1u << (x - at) : 0; }

/* only: NULL, or bits of the columns that count. */
static void add_columns(const triples_walk *w, uint64_t b, uint64_t high, uint64_t leaves, const uint32_t *only) {
    pair_taker *t = w->user;
    const wedge_job *job = w->job;
    pair_sums *pair = &t->pair[high][b % NATIVE_COLS];
    triples_values(w, b, high, leaves * LEAF, job->op->info.forces);
    pair->count += scatter_add(job, w->space->values, 1, leaves, only, (double)INFINITY, &pair->value);
    if (job->op->info.forces) scatter_add(job, w->space->pulls, 1, leaves, only, (double)INFINITY, &pair->pull);
}

/* With diagonals: a triplet abb or aab has one pair, ab, where others have two that give to each point, and counts twice. aaa has the
 * pair aa, which gives to a as both of its points. */
static void take_pair(const triples_walk *w, uint64_t a, uint64_t b, uint64_t high, uint64_t from, uint64_t to) {
    const wedge_job *job = w->job;
    uint32_t others[WORDS], own[WORDS], some = 0, some_own = 0, all = UINT32_MAX;
    uint64_t leaves = ceil_div(to - from, LEAF);
    for (uint64_t l = 0; l < leaves; ++l) {
        uint64_t at = from + l * LEAF;
        uint32_t two = column_of(a, at) | column_of(b, at), within = triples_within_cutoff(w, b, high, (int)l);
        others[l] = a == b ? 0 : columns_there(job->domain.n, at) & ~two & within;
        own[l] = job->domain.kind->distinct ? 0 : two & within;
        some |= others[l], some_own |= own[l], all &= others[l];
    }
    if (some) add_columns(w, b, high, leaves, all == UINT32_MAX ? NULL : others);
    for (int times = 0; some_own && times < (a == b ? 1 : 2); ++times) add_columns(w, b, high, leaves, own);
}

static double coordinate(const wedge_job *job, uint64_t x, uint64_t f) {
    return dtype_get(job->points.rows.host, x * job->pairs.d + f, job->pairs.dtype);
}

/* a - b, in a periodic box the shortest. */
static double delta(const wedge_job *job, uint64_t a, uint64_t b, uint64_t f) {
    double t = coordinate(job, a, f) - coordinate(job, b, f), length = job->period.lengths[f];
    return job->period.periodic && length > 0 ? t - length * nearbyint(t / length) : t;
}

static void give(row_sum *to, const wedge_job *job, const pair_sums *p, uint64_t a, uint64_t b, double sign) {
    double pull = a == b ? 0 : -2 * sign * sum_of(&p->pull);
    sum_add(&to[0], sum_of(&p->value));
    for (uint64_t f = 0; f + 1 < job->info.values && f < job->curve.coordinates; ++f)
        sum_add(&to[1 + f], delta(job, a, b, f) * pull);
}

static void put_part(point_part *to, const row_sum *sums, uint64_t count, uint32_t values) {
    for (uint32_t v = 0; v < values; ++v) to->given[v] = sum_of(&sums[v]);
    to->count = count;
}

/* All columns of a block of pairs have been taken. */
static void leave_parts(const triples_walk *w, uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) {
    pair_taker *t = w->user;
    const scatter_run *r = t->r;
    const wedge_job *job = r->job;
    uint64_t block = a / HIGH - r->first, n = job->domain.n;
    row_sum of_b[NATIVE_COLS][MOST_GIVEN] = {0};
    uint64_t count_b[NATIVE_COLS] = {0};
    for (uint64_t x = a; x < a_end; ++x) {
        row_sum of_a[MOST_GIVEN] = {0};
        uint64_t count = 0;
        for (uint64_t y = b; y < b_end && y + job->domain.kind->distinct <= x; ++y) {
            const pair_sums *p = &t->pair[x - a][y % NATIVE_COLS];
            if (!p->count) continue;
            give(of_a, job, p, x, y, 1);
            give(of_b[y - b], job, p, x, y, -1);
            count += p->count, count_b[y - b] += p->count;
        }
        put_part(&r->of_a[(x - r->first * HIGH) * r->panels + b / NATIVE_COLS], of_a, count, job->info.values);
    }
    for (uint64_t y = b; y < b_end; ++y)
        put_part(&r->of_b[block * n + y], of_b[y - b], count_b[y - b], job->info.values);
    memset(t->pair, 0, sizeof t->pair);
}

static void run_units(void *user, uint64_t begin, uint64_t end) {
    scatter_run *r = user;
    pair_taker *taker = task_memory(sizeof *taker, &r->failed);
    if (!taker) return;
    taker->r = r;
    memset(taker->pair, 0, sizeof taker->pair);
    triples_walk w = triples_walk_of(r->job, &taker->space);
    w.visit = take_pair, w.done = leave_parts, w.user = taker, w.all_columns = true;
    for (uint64_t unit = begin; unit < end; ++unit) {
        uint64_t b = unit % r->panels * NATIVE_COLS;
        triples_walk_unit(&w, (r->first + unit / r->panels) * HIGH, b, b + NATIVE_COLS);
    }
    free(taker);
}

static wedge_status deal_units(void *user, uint64_t begin, uint64_t end) {
    scatter_run *r = user;
    return r->job->dev->backend->run(r->job->dev, run_units, r, begin, end, 1);
}

/* ---- Points ---- */

static void add_part(point_sums *to, const point_part *part, uint32_t values) {
    if (!part->count) return;
    for (uint32_t v = 0; v < values; ++v) sum_add(&to->given[v], part->given[v]);
    to->count += part->count;
}

/* As a with every panel of b, then as b. */
static void add_parts(void *user, uint64_t begin, uint64_t end) {
    const scatter_run *r = user;
    uint32_t values = r->job->info.values;
    for (uint64_t x = begin; x < end; ++x) {
        uint64_t own = x / HIGH;
        if (own >= r->first && own < r->first + r->rows)
            for (uint64_t panel = 0; panel <= x / NATIVE_COLS; ++panel)
                add_part(&r->sums[x], &r->of_a[(x - r->first * HIGH) * r->panels + panel], values);
        for (uint64_t row = own > r->first ? own - r->first : 0; row < r->rows; ++row)
            add_part(&r->sums[x], &r->of_b[row * r->job->domain.n + x], values);
    }
}

/* Both pairs of a point that a triplet has give its value: half of that is meant. */
static void put_results(void *user, uint64_t begin, uint64_t end) {
    const scatter_run *r = user;
    const wedge_job *job = r->job;
    const uint32_t *order = job->curve.order[0].host;
    int64_t *counts = r->to->whole.memory.host;
    for (uint64_t x = begin; x < end; ++x) {
        uint64_t point = job->curve.ordered ? order[x] : x;
        if (counts) counts[point] = (int64_t)(r->sums[x].count / 2);
        for (uint32_t v = 0; v < job->info.values && r->to->values.memory.host; ++v) {
            double given = sum_of(&r->sums[x].given[v]) * (v ? 1 : 0.5);
            uint64_t at = point * job->info.values + v;
            dtype_put(r->to->values.memory.host, at, given, job->pairs.dtype);
        }
    }
}

/* ---- The whole ---- */

static wedge_status run_bands(scatter_run *r, uint64_t most, pace *p) {
    wedge_device *dev = r->job->dev;
    uint64_t n = r->job->domain.n, blocks = ceil_div(n, HIGH);
    for (r->first = 0; r->first < blocks; r->first += r->rows) {
        r->rows = blocks - r->first < most ? blocks - r->first : most;
        memset(r->of_a, 0, r->rows * HIGH * r->panels * sizeof *r->of_a); /* of blocks that are not in reach, too */
        memset(r->of_b, 0, r->rows * n * sizeof *r->of_b);
        pace_items units = {r->rows * r->panels, (double)(HIGH * NATIVE_COLS) * (double)n / 2, dev->info.units};
        WEDGE_TRY(pace_run(p, dev, r->job->queue, units, deal_units, r));
        WEDGE_TRY(task_memory_status(&r->failed, &dev->note));
        WEDGE_TRY(dev->backend->run(dev, add_parts, r, 0, n, 64));
    }
    return dev->backend->run(dev, put_results, r, 0, n, 1024);
}

wedge_status triples_scatter_native(wedge_job *job, const row_results *to, pace *p) {
    uint64_t n = job->domain.n;
    scatter_run r = {.job = job, .to = to, .panels = ceil_div(n, NATIVE_COLS)};
    uint64_t row = (HIGH * r.panels + n) * sizeof(point_part), most = PARTS_BYTES / row, blocks = ceil_div(n, HIGH);
    if (most < 1) most = 1;
    if (most > blocks) most = blocks;
    r.of_a = malloc(most * HIGH * r.panels * sizeof *r.of_a);
    r.of_b = malloc(most * n * sizeof *r.of_b);
    r.sums = calloc(n, sizeof *r.sums);
    wedge_status status = r.of_a && r.of_b && r.sums
                              ? run_bands(&r, most, p)
                              : note_fail(&job->dev->note, WEDGE_NO_MEMORY, "no memory for the sums of points");
    free(r.of_a);
    free(r.of_b);
    free(r.sums);
    return status;
}
