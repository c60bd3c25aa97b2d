/* nearest_native.c: the nearest of some rows on the cpu.
 *
 * A thread keeps the candidates of a unit's rows. The first panel gives each row a limit, by the least values of some groups of
 * its columns, so that few of them become candidates. From then on the k-th smallest one is the limit.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/rows/native.h"
#include "engine/rows/nearest.h"

enum {
    CELL_BYTES = 1 << 14,
    PANEL_BYTES = 1 << 18,
    FEW = 64,                     /* candidates that are sorted by counting */
    MOST_GROUPS = 32,             /* of a panel's columns, */
    MOST_BEGUN = MOST_GROUPS / 2, /* for up to so many neighbours */
};
_Static_assert(CELL_BYTES >= UNIT_ROWS * NATIVE_COLS * sizeof(double), "a panel of all rows fits");

typedef double kth_fn(const void *values, uint32_t k);
typedef void sort_fn(void *value, void *column, uint32_t count);

typedef struct {
    wedge_job *job;
    const row_results *to;
    const uint32_t *order; /* the caller's columns along the curve; NULL: they are as given */
    uint32_t k;
    uint32_t full; /* candidates of a row from which on the smallest are sought after each piece */
    native_take_fn *take;
    kth_fn *kth;
    sort_fn *sort;
} nearest_task;

/* The rows of a unit. last: the column of the k-th candidate, or what is after all columns; limit: its value, or infinity. */
typedef struct {
    char cells[CELL_BYTES] __attribute__((aligned(64)));
    uint32_t marks[CELL_BYTES / sizeof(float) / UNIT_ROWS / LEAF];
    double points[UNIT_ROWS * MOST_BOX]; /* side by side, where tiles are left out */
    panel_search search;
    union {
        float of_f32[UNIT_ROWS];
        double of_f64[UNIT_ROWS];
    } limit;
    union {
        uint32_t of_f32[UNIT_ROWS];
        uint64_t of_f64[UNIT_ROWS];
    } last;
    uint32_t count[UNIT_ROWS];
    uint32_t sorted[UNIT_ROWS]; /* candidates per row that are sorted, from the first on */
    uint32_t room;              /* candidates per row that fit */
    void *candidates;           /* the candidates, right behind this struct */
} nearest_space;

#define NUMBER float
#define INDEX uint32_t
#define NAME(name) name##_f32
#include "engine/rows/nearest_number.h"
#undef NUMBER
#undef INDEX
#undef NAME
#define NUMBER double
#define INDEX uint64_t
#define NAME(name) name##_f64
#include "engine/rows/nearest_number.h"

#define EACH(job, name, ...) ((job)->size == sizeof(double) ? name##_f64(__VA_ARGS__) : name##_f32(__VA_ARGS__))

#if defined(__x86_64__)
static kth_fn *const kths[2][ISA_COUNT] = {{kth_base_f32, kth_v3_f32, kth_v4_f32},
                                           {kth_base_f64, kth_v3_f64, kth_v4_f64}};
static sort_fn *const sorts[2][ISA_COUNT] = {{sort_base_f32, sort_v3_f32, sort_v4_f32},
                                             {sort_base_f64, sort_v3_f64, sort_v4_f64}};
#else
static kth_fn *const kths[2][ISA_COUNT] = {{kth_base_f32}, {kth_base_f64}};
static sort_fn *const sorts[2][ISA_COUNT] = {{sort_base_f32}, {sort_base_f64}};
#endif

static uint32_t room_for(uint32_t k) { return (2 * k + NATIVE_COLS) / 16 * 16 + 16; }

static void open_space(const void *user, void *space) {
    const nearest_task *g = user;
    nearest_space *w = space;
    w->room = room_for(g->k);
    w->candidates = w + 1;
}

/* Values of a row in some panels, to its candidates. */
static void take_row(const nearest_task *g, nearest_space *w, const row_unit *u, int r, const char *cells,
                     uint64_t column, uint64_t stride) {
    const wedge_job *job = g->job;
    uint64_t past = column + stride < job->domain.m ? column + stride : job->domain.m;
    uint32_t before = w->count[r];
    native_sink marks = {.limits = (char *)&w->limit + (size_t)r * job->size,
                         .marks = w->marks,
                         .marks_word = column / LEAF,
                         .marks_words = stride / LEAF};
    if (g->k <= MOST_BEGUN && !EACH(job, has_limit, w, r)) EACH(job, begin_row, g, w, u, r, cells, column, past);
    g->take(&marks, cells, 0, column, column, past);
    EACH(job, take_marked, g, w, r, u->self[r], cells, ceil_div(past - column, LEAF), column);
    if (w->count[r] > before && w->count[r] >= g->full) EACH(job, keep_smallest, g, w, r);
}

/* Panels from column `from` on, whose values go to the candidates. */
static void take_columns(const nearest_task *g, nearest_space *w, const row_unit *u, uint64_t from, uint64_t to) {
    const wedge_job *job = g->job;
    uint64_t most = CELL_BYTES / (UNIT_ROWS * NATIVE_COLS * job->size);
    uint64_t fitting = PANEL_BYTES / (NATIVE_COLS * job->pairs.d * job->size);
    if (most > fitting) most = fitting ? fitting : 1;
    for (uint64_t column = from; column < to; column += most * NATIVE_COLS) {
        uint64_t panels = ceil_div(to - column, NATIVE_COLS) < most ? ceil_div(to - column, NATIVE_COLS) : most;
        uint64_t stride = panels * NATIVE_COLS;
        unit_cells(job, u, 0, u->rows, column, panels, 1, w->cells, stride);
        for (int r = 0; r < u->rows; ++r)
            take_row(g, w, u, r, w->cells + (uint64_t)r * stride * job->size, column, stride);
    }
}

static double unit_limit(const nearest_task *g, const nearest_space *w, const row_unit *u) {
    return prune_raise(g->job, EACH(g->job, largest_limit, w, u->rows));
}

/* Along the curve panels close by come first, and soon no others are within the limits. Returns the number of pairs. */
static uint64_t take_closest_panels(const nearest_task *g, nearest_space *w, const row_unit *u) {
    uint64_t panel, computed = 0, own = u->self[0] < 0 ? UINT64_MAX : u->curve_index[0] / NATIVE_COLS;
    unit_points(g->job, u, w->points);
    search_begin(&w->search, g->job, w->points, (uint64_t)u->rows, own);
    while (search_next(&w->search, unit_limit(g, w, u), &panel)) {
        take_columns(g, w, u, panel * NATIVE_COLS, (panel + 1) * NATIVE_COLS);
        computed += NATIVE_COLS * (uint64_t)u->rows;
    }
    return computed;
}

static void run_unit(const void *user, void *space, const row_unit *u) {
    const nearest_task *g = user;
    nearest_space *w = space;
    EACH(g->job, clear_rows, w);
    if (g->job->curve.ordered)
        __atomic_fetch_add(&g->job->info.computed, take_closest_panels(g, w, u), __ATOMIC_RELAXED);
    else
        take_columns(g, w, u, 0, g->job->domain.m);
    for (int r = 0; r < u->rows; ++r) EACH(g->job, put_out, g, w, r, (u->caller[r] - g->to->row) * g->k);
}

static nearest_task task_of(wedge_job *job, const row_results *to) {
    uint32_t k = job->sink.smallest;
    bool f64 = job->size == sizeof(double);
    return (nearest_task){.job = job,
                          .to = to,
                          .order = job->curve.ordered ? job->curve.order[job->domain.kind->two_sets].host : NULL,
                          .k = k,
                          .full = job->curve.ordered ? k : k + k / 2,
                          .take = job->sink.def->take[job->pairs.dtype][job->native.isa],
                          .kth = kths[f64][job->native.isa],
                          .sort = sorts[f64][job->native.isa]};
}

static size_t space_bytes(const wedge_job *job) {
    size_t candidates = (size_t)UNIT_ROWS * room_for(job->sink.smallest) * 2 * job->size;
    return ceil_div(sizeof(nearest_space) + candidates, 64) * 64;
}

wedge_status nearest_native(wedge_job *job, const row_results *to, pace *p) {
    const nearest_task g = task_of(job, to);
    row_units all = {.to = to, .space_bytes = space_bytes(job), .open = open_space, .run = run_unit, .user = &g};
    return rows_native_run(job, &all, p);
}

double nearest_native_share(wedge_job *job) {
    enum { MOST_SAMPLES = 8, APART = 32 /* units, so that trying costs little */ };
    const row_results to = {.rows = job->domain.n};
    const nearest_task g = task_of(job, &to);
    uint64_t units = ceil_div(to.rows, UNIT_ROWS), samples = units / APART, computed = 0, all = 0;
    nearest_space *w = samples ? aligned_alloc(64, space_bytes(job)) : NULL;
    if (!w) return 0;
    open_space(&g, w);
    if (samples > MOST_SAMPLES) samples = MOST_SAMPLES;
    for (uint64_t s = 0; s < samples; ++s) {
        const row_unit u = unit_of(job, &to, NULL, (2 * s + 1) * units / (2 * samples) * UNIT_ROWS);
        EACH(job, clear_rows, w);
        computed += take_closest_panels(&g, w, &u);
        all += (uint64_t)u.rows * job->domain.m;
    }
    free(w);
    return (double)computed / (double)all;
}
