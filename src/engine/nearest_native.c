/* nearest_native.c: the nearest of some rows on the cpu.
 *
 * A thread keeps the candidates of a unit's rows. Where it has twice as many as are wanted, it drops the larger half; the
 * largest one left is then the row's limit.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/nearest.h"
#include "engine/rows_native.h"

enum { CELL_BYTES = 1 << 14, PANEL_BYTES = 1 << 18, FEW_KEYS = 64 };
_Static_assert(CELL_BYTES >= UNIT_ROWS * NATIVE_COLS * sizeof(double), "a panel of all rows fits");

__extension__ typedef unsigned __int128 uint128;

typedef struct {
    wedge_job *job;
    const row_results *to;
    const uint32_t *order; /* the caller's columns along the curve; NULL: they are as given */
    uint32_t k;
    native_take_fn *take;
} nearest_task;

/* The rows of a unit. last: the key of the k-th candidate, or what is after all keys; limit: its value, or infinity. */
typedef struct {
    char cells[CELL_BYTES] __attribute__((aligned(64)));
    uint32_t marks[CELL_BYTES / sizeof(float) / UNIT_ROWS / LEAF];
    double points[UNIT_ROWS * MOST_BOX]; /* side by side, where tiles are left out */
    union {
        float of_f32[UNIT_ROWS];
        double of_f64[UNIT_ROWS];
    } limit;
    union {
        uint64_t of_f32[UNIT_ROWS];
        uint128 of_f64[UNIT_ROWS];
    } last;
    uint32_t count[UNIT_ROWS];
    uint32_t room; /* for keys, of each row */
    void *keys;    /* they lie behind */
} nearest_space;

#define NUMBER float
#define BITS uint32_t
#define KEY uint64_t
#define NAME(name) name##_f32
#include "engine/nearest_number.h"
#undef NUMBER
#undef BITS
#undef KEY
#undef NAME
#define NUMBER double
#define BITS uint64_t
#define KEY uint128
#define NAME(name) name##_f64
#include "engine/nearest_number.h"

#define EACH(job, name, ...) ((job)->size == sizeof(double) ? name##_f64(__VA_ARGS__) : name##_f32(__VA_ARGS__))

static uint32_t room_for(uint32_t k) { return 2 * k + NATIVE_COLS; }

static void open_space(const void *user, void *space) {
    const nearest_task *g = user;
    nearest_space *w = space;
    w->room = room_for(g->k);
    w->keys = w + 1;
}

/* Panels from column `from` on, whose values go to the candidates. */
static void take_columns(const nearest_task *g, nearest_space *w, const row_unit *u, uint64_t from, uint64_t to) {
    const wedge_job *job = g->job;
    uint64_t most = CELL_BYTES / (UNIT_ROWS * NATIVE_COLS * job->size), end = job->domain.m;
    uint64_t fitting = PANEL_BYTES / (NATIVE_COLS * job->pairs.d * job->size);
    if (most > fitting) most = fitting ? fitting : 1;
    for (uint64_t column = from; column < to; column += most * NATIVE_COLS) {
        uint64_t panels = ceil_div(to - column, NATIVE_COLS) < most ? ceil_div(to - column, NATIVE_COLS) : most;
        uint64_t stride = panels * NATIVE_COLS, past = column + stride < end ? column + stride : end;
        unit_cells(job, u, 0, u->rows, column, panels, 1, w->cells, stride);
        for (int r = 0; r < u->rows; ++r) {
            const char *cells = w->cells + (uint64_t)r * stride * job->size;
            native_sink marks = {.limits = (char *)&w->limit + (size_t)r * job->size,
                                 .marks = w->marks,
                                 .marks_word = column / LEAF,
                                 .marks_words = stride / LEAF};
            g->take(&marks, cells, 0, column, column, past);
            EACH(job, take_marked, g, w, r, u->self[r], cells, ceil_div(past - column, LEAF), column);
        }
    }
}

/* The panels close by first: from the first of them on, rows have limits. Returns how many there are. */
static uint64_t take_near(const nearest_task *g, nearest_space *w, const row_unit *u, column_runs *runs) {
    uint64_t left, taken = 0;
    runs_near(runs, u->self[0] < 0 ? UINT64_MAX : u->along[0] / NATIVE_COLS, 1 + ceil_div(g->k + 1, NATIVE_COLS));
    for (left = runs->near; left; left &= left - 1, ++taken) {
        uint64_t panel = runs->near_super * 64 + (uint64_t)__builtin_ctzll(left);
        take_columns(g, w, u, panel * NATIVE_COLS, (panel + 1) * NATIVE_COLS);
        for (int r = 0; r < u->rows; ++r) EACH(g->job, keep_smallest, w, g->k, r);
    }
    return taken;
}

static void run_unit(const void *user, void *space, const row_unit *u) {
    const nearest_task *g = user;
    nearest_space *w = space;
    wedge_job *job = g->job;
    uint64_t computed = 0;
    EACH(job, clear_rows, w);
    column_runs runs = unit_runs(job, u, w->points);
    if (!runs.all) {
        computed = NATIVE_COLS * take_near(g, w, u, &runs);
        runs.limit = prune_raise(job, EACH(job, largest_limit, w, u->rows));
    }
    while (runs_next(&runs)) {
        take_columns(g, w, u, runs.from, runs.to);
        computed += runs.to - runs.from;
        if (!runs.all) runs.limit = prune_raise(job, EACH(job, largest_limit, w, u->rows));
    }
    for (int r = 0; r < u->rows; ++r) EACH(job, put_out, g, w, r, (u->caller[r] - g->to->row) * g->k);
    if (!runs.all) __atomic_fetch_add(&job->info.computed, computed * (uint64_t)u->rows, __ATOMIC_RELAXED);
}

wedge_status nearest_native(wedge_job *job, const row_results *to, pace *p) {
    nearest_task g = {.job = job,
                      .to = to,
                      .order = job->ordered ? job->order[job->domain.kind->two_sets].host : NULL,
                      .k = job->sink.nearest,
                      .take = job->sink.row->take[job->pairs.dtype][job->isa]};
    size_t keys = (size_t)UNIT_ROWS * room_for(g.k) * 2 * job->size;
    row_units all = {.to = to,
                     .space_bytes = ceil_div(sizeof(nearest_space) + keys, 64) * 64,
                     .open = open_space,
                     .run = run_unit,
                     .user = &g};
    return rows_native_run(job, &all, p);
}
