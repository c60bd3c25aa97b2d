/* nearest_native.c: the nearest of some rows on the cpu.
 *
 * A thread has PRUNED_ROWS rows at a time, side by side along the curve where tiles are left out, and keeps their candidates
 * until all columns have passed. Where it has twice as many as are wanted, it drops the larger half; the largest one left is
 * then the row's limit.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/boxes_native.h"
#include "engine/slots_native.h"

enum { ROWS = PRUNED_ROWS, CELL_BYTES = 1 << 14, PANEL_BYTES = 1 << 18, FEW_KEYS = 64, NO_SELF = -1 };
_Static_assert(ROWS % NATIVE_ROWS == 0, "rows are computed NATIVE_ROWS at a time");
_Static_assert(CELL_BYTES >= ROWS * NATIVE_COLS * sizeof(double), "a panel of all rows fits");

__extension__ typedef unsigned __int128 uint128;

typedef struct {
    const wedge_job *job;
    const nearest_rows *to;
    const uint32_t *wanted; /* rows along the curve; NULL: all, from 0 on */
    const uint32_t *order;  /* the caller's columns along the curve; NULL: as they are */
    uint32_t k;
    int64_t *columns; /* where the neighbours of the first row go; NULL: not wanted */
    void *values;
    native_take_fn *take;
    char *spaces; /* of threads: unit_space with its keys */
    size_t space_bytes;
    uint32_t *taken;
    uint64_t *computed;
} unit_task;

/* The rows of a unit. last: the key of the k-th candidate, or what is after all keys; limit: its value, or infinity. */
typedef struct {
    char cells[CELL_BYTES] __attribute__((aligned(64)));
    uint32_t marks[CELL_BYTES / sizeof(float) / ROWS / LEAF];
    double points[ROWS * MOST_BOX]; /* of rows, side by side; pruned */
    const void *row[ROWS];
    int64_t self[ROWS]; /* the caller's columns that are these rows; NO_SELF: none */
    union {
        float of_f32[ROWS];
        double of_f64[ROWS];
    } limit;
    union {
        uint64_t of_f32[ROWS];
        uint128 of_f64[ROWS];
    } last;
    uint32_t count[ROWS];
    uint32_t room; /* for keys, of each row */
    void *keys;    /* they lie behind */
} unit_space;

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

/* ---- A unit ---- */

/* Rows of the unit against panels, whose values go to the candidates. */
static void take_columns(const unit_task *g, unit_space *w, int rows, uint64_t from, uint64_t to) {
    const wedge_job *job = g->job;
    uint64_t d = job->pairs.d, most = CELL_BYTES / (ROWS * NATIVE_COLS * job->size), end = job->domain.m;
    uint64_t fitting = PANEL_BYTES / (NATIVE_COLS * d * job->size);
    if (most > fitting) most = fitting ? fitting : 1;
    native_args args = {job->set, d, 1, job->periodic ? job->box : NULL};
    for (uint64_t column = from; column < to; column += most * NATIVE_COLS) {
        uint64_t panels = ceil_div(to - column, NATIVE_COLS) < most ? ceil_div(to - column, NATIVE_COLS) : most;
        uint64_t stride = panels * NATIVE_COLS, past = column + stride < end ? column + stride : end;
        const char *panel = (const char *)job->panels.host + column * d * job->size;
        for (int r = 0; r < rows; r += NATIVE_ROWS)
            job->tile(w->cells + (uint64_t)r * stride * job->size, stride, w->row + r, panel, panels, args);
        for (int r = 0; r < rows; ++r) {
            const char *cells = w->cells + (uint64_t)r * stride * job->size;
            native_sink marks = {.limits = (char *)&w->limit + (size_t)r * job->size,
                                 .marks = w->marks,
                                 .marks_word = column / LEAF,
                                 .marks_words = stride / LEAF};
            g->take(&marks, cells, 0, column, column, past);
            EACH(job, take_marked, g, w, r, cells, w->marks, ceil_div(past - column, LEAF), column);
        }
    }
}

static void keep_all(const unit_task *g, unit_space *w, int rows) {
    for (int r = 0; r < rows; ++r) EACH(g->job, keep_smallest, w, g->k, r);
}

/* The panels close by first: from the first of them on, rows have limits. Returns how many there are. */
static uint64_t take_near(const unit_task *g, unit_space *w, int rows, uint64_t own, column_runs *runs) {
    uint64_t left, taken = 0;
    runs_near(runs, own, 1 + ceil_div(g->k + 1, NATIVE_COLS));
    for (left = runs->near; left; left &= left - 1, ++taken) {
        uint64_t panel = runs->near_super * 64 + (uint64_t)__builtin_ctzll(left);
        take_columns(g, w, rows, panel * NATIVE_COLS, (panel + 1) * NATIVE_COLS);
        keep_all(g, w, rows);
    }
    runs->limit = prune_raise(g->job, EACH(g->job, largest_limit, w, rows));
    return taken;
}

/* Rows of the job, from `along` on, as the unit needs them. */
static void open_unit(const unit_task *g, unit_space *w, const uint64_t *along, int rows) {
    const wedge_job *job = g->job;
    size_t bytes = job->pairs.d * job->size;
    for (int r = 0; r < ROWS; ++r) {
        uint64_t row = along[r < rows ? r : rows - 1];
        w->row[r] = (const char *)job->points.host + row * bytes;
        w->self[r] = job->domain.kind->two_sets ? NO_SELF : (int64_t)(g->order ? g->order[row] : row);
        if (job->info.pruned) memcpy((char *)w->points + (size_t)r * bytes, w->row[r], bytes);
    }
    EACH(job, clear_rows, w, rows);
}

static void run_unit(const unit_task *g, unit_space *w, const uint64_t *along, int rows) {
    const wedge_job *job = g->job;
    uint64_t computed = 0;
    open_unit(g, w, along, rows);
    column_runs runs = runs_begin(job, w->points, (uint64_t)rows, 0, job->domain.m);
    if (!runs.all)
        computed = NATIVE_COLS *
                   take_near(g, w, rows, job->domain.kind->two_sets ? UINT64_MAX : along[0] / NATIVE_COLS, &runs);
    while (runs_next(&runs)) {
        take_columns(g, w, rows, runs.from, runs.to);
        computed += runs.to - runs.from;
        if (!runs.all) runs.limit = prune_raise(job, EACH(job, largest_limit, w, rows));
    }
    if (!runs.all) __atomic_fetch_add(g->computed, computed * (uint64_t)rows, __ATOMIC_RELAXED);
}

/* ---- All units ---- */

/* The caller's number of a row along the curve. */
static uint64_t caller_row(const wedge_job *job, uint64_t along) {
    return job->info.pruned ? ((const uint32_t *)job->order[0].host)[along] : along;
}

static void run_units(void *user, uint64_t begin, uint64_t end) {
    const unit_task *g = user;
    const nearest_rows *to = g->to;
    uint32_t slot = slot_take(g->taken);
    unit_space *w = (unit_space *)(void *)(g->spaces + slot * g->space_bytes);
    for (uint64_t unit = begin; unit < end; ++unit) {
        uint64_t along[ROWS], first = unit * ROWS, rows = to->rows - first < ROWS ? to->rows - first : ROWS;
        for (uint64_t r = 0; r < rows; ++r)
            along[r] = g->wanted ? g->wanted[first + r] : g->job->info.pruned ? first + r : to->row + first + r;
        run_unit(g, w, along, (int)rows);
        for (uint64_t r = 0; r < rows; ++r)
            EACH(g->job, put_out, g, w, (int)r, (caller_row(g->job, along[r]) - to->row) * g->k);
    }
    slot_give(g->taken, slot);
}

/* Lists the rows along the curve that are wanted; NULL where all are. */
static wedge_status list_wanted(const wedge_job *job, const nearest_rows *to, uint32_t **wanted) {
    const uint32_t *order = job->order[0].host;
    uint64_t count = 0;
    *wanted = NULL;
    if (!job->info.pruned || to->rows == job->domain.n) return WEDGE_OK;
    *wanted = malloc(to->rows * sizeof **wanted);
    WEDGE_CHECK(*wanted, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of rows");
    for (uint64_t x = 0; x < job->domain.n; ++x)
        if (order[x] >= to->row && order[x] - to->row < to->rows) (*wanted)[count++] = (uint32_t)x;
    return WEDGE_OK;
}

typedef struct {
    unit_task *g;
    uint64_t grain;
} unit_steps;

static wedge_status start_units(void *user, uint64_t begin, uint64_t end) {
    unit_steps *s = user;
    wedge_device *dev = s->g->job->dev;
    return dev->backend->run(dev, run_units, s->g, begin, end, s->grain);
}

static void open_space(unit_space *w, uint32_t k) {
    w->room = 2 * k + NATIVE_COLS;
    w->keys = w + 1;
}

static size_t space_bytes(uint32_t k, size_t number) {
    size_t keys = (size_t)ROWS * (2 * k + NATIVE_COLS) * 2 * number;
    return ceil_div(sizeof(unit_space) + keys, 64) * 64;
}

static unit_task task_of(const wedge_job *job) {
    return (unit_task){.job = job,
                       .order = job->info.pruned ? job->order[job->domain.kind->two_sets].host : NULL,
                       .k = job->sink.nearest,
                       .take = job->sink.row->take[job->pairs.dtype][job->isa],
                       .space_bytes = space_bytes(job->sink.nearest, job->size)};
}

static wedge_status run_all(wedge_job *job, unit_task *g, pace *p) {
    wedge_device *dev = job->dev;
    uint32_t threads = dev->info.units;
    uint64_t units = ceil_div(g->to->rows, ROWS), grain = units / (16 * (uint64_t)threads);
    g->taken = calloc(threads, sizeof *g->taken);
    g->spaces = aligned_alloc(64, threads * g->space_bytes);
    WEDGE_CHECK(g->taken && g->spaces, &dev->note, WEDGE_NO_MEMORY, "no memory for the candidates of %u threads",
                threads);
    for (uint32_t t = 0; t < threads; ++t) open_space((unit_space *)(void *)(g->spaces + t * g->space_bytes), g->k);
    unit_steps steps = {g, grain < 1 ? 1 : grain < 64 ? grain : 64};
    pace_items all = {units, (double)job->domain.m * ROWS, threads};
    return pace_run(p, dev, job->queue, all, start_units, &steps);
}

wedge_status nearest_native(wedge_job *job, const nearest_rows *to, pace *p) {
    unit_task g = task_of(job);
    uint32_t *wanted;
    WEDGE_TRY(list_wanted(job, to, &wanted));
    g.to = to, g.wanted = wanted, g.computed = &job->info.computed;
    g.columns = (int64_t *)to->columns.memory.host, g.values = to->values.memory.host;
    wedge_status status = run_all(job, &g, p);
    free(g.taken);
    free(g.spaces);
    free(wanted);
    return status;
}
