/* scatter_native.c: the sums of rows on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "core/maps.h"
#include "engine/rows/native.h"
#include "engine/rows/scatter.h"
#include "engine/triples/native.h"

enum { CELL_BYTES = 1 << 15, PANEL_BYTES = 1 << 18, MOST_LEAVES = CELL_BYTES / sizeof(float) / NATIVE_ROWS / LEAF };
_Static_assert(CELL_BYTES >= NATIVE_ROWS * NATIVE_COLS * MOST_VALUES * sizeof(double), "a panel of the widest cells");

typedef struct {
    wedge_job *job;
    const row_results *to;
} scatter_task;

typedef struct {
    char cells[CELL_BYTES] __attribute__((aligned(64)));
    double points[UNIT_ROWS * MOST_BOX]; /* side by side, where tiles are left out */
    row_sum sums[UNIT_ROWS][MOST_VALUES];
    int64_t count[UNIT_ROWS];
} scatter_space;

static void open_space(const void *user, void *space) { (void)user, (void)space; }

/* Is row r's own point among these columns? It lies at the same place as the row. */
static bool has_self(const row_unit *u, int r, uint64_t column, uint64_t columns) {
    return u->self[r] >= 0 && u->curve_index[r] >= column && u->curve_index[r] - column < columns;
}

/* Which columns of a leaf are there, and not the row's own point. */
static uint32_t inside_of(uint64_t m, const row_unit *u, int r, uint64_t column) {
    uint32_t inside = m - column < LEAF ? (1u << (m - column)) - 1 : UINT32_MAX;
    return has_self(u, r, column, LEAF) ? inside & ~(1u << (u->curve_index[r] - column)) : inside;
}

/* The cells of row r, `leaves` of them, from `column` on. */
static void add_row(const wedge_job *job, scatter_space *w, const row_unit *u, int r, char *cells, uint64_t column,
                    uint64_t leaves) {
    uint32_t inside[MOST_LEAVES];
    uint64_t columns = leaves * LEAF, m = job->domain.m;
    bool all = job->sink.limits[0] == INFINITY && column + columns <= m && !has_self(u, r, column, columns);
    for (uint64_t l = 0; l < leaves && !all; ++l) inside[l] = inside_of(m, u, r, column + l * LEAF);
    w->count[r] += (int64_t)scatter_add(job, cells, job->info.values, leaves, all ? NULL : inside, job->sink.limits[0],
                                        w->sums[r]);
}

/* Panels from column `from` on. */
static void add_columns(const wedge_job *job, scatter_space *w, const row_unit *u, uint64_t from, uint64_t to) {
    uint64_t most = CELL_BYTES / (NATIVE_ROWS * NATIVE_COLS * job->cell_size);
    uint64_t fitting = PANEL_BYTES / (NATIVE_COLS * job->pairs.d * job->size);
    if (most > fitting) most = fitting ? fitting : 1;
    for (uint64_t column = from; column < to; column += most * NATIVE_COLS) {
        uint64_t panels = ceil_div(to - column, NATIVE_COLS) < most ? ceil_div(to - column, NATIVE_COLS) : most;
        uint64_t stride = panels * NATIVE_COLS * job->info.values;
        uint64_t past = column + panels * NATIVE_COLS < job->domain.m ? column + panels * NATIVE_COLS : job->domain.m;
        for (int r = 0; r < u->rows; r += NATIVE_ROWS) {
            unit_cells(job, u, r, r + 1, column, panels, job->info.values, w->cells, stride);
            for (int k = r; k < r + NATIVE_ROWS && k < u->rows; ++k)
                add_row(job, w, u, k, w->cells + (uint64_t)(k - r) * stride * job->size, column,
                        ceil_div(past - column, LEAF));
        }
    }
}

static void run_unit(const void *user, void *space, const row_unit *u) {
    const scatter_task *g = user;
    scatter_space *w = space;
    wedge_job *job = g->job;
    uint32_t values = job->info.values;
    int64_t *counts = g->to->whole.memory.host;
    memset(w->sums, 0, sizeof w->sums);
    memset(w->count, 0, sizeof w->count);
    column_runs runs = unit_runs(job, u, w->points);
    while (runs_next(&runs)) {
        add_columns(job, w, u, runs.from, runs.to);
        if (job->info.pruned)
            __atomic_fetch_add(&job->info.computed, (runs.to - runs.from) * (uint64_t)u->rows, __ATOMIC_RELAXED);
    }
    for (int r = 0; r < u->rows; ++r) {
        uint64_t row = u->caller[r] - g->to->row;
        if (counts) counts[row] = w->count[r];
        for (uint32_t v = 0; v < values && g->to->values.memory.host; ++v)
            dtype_put(g->to->values.memory.host, row * values + v, sum_of(&w->sums[r][v]), job->pairs.dtype);
    }
}

wedge_status scatter_native(wedge_job *job, const row_results *to, pace *p) {
    if (job->domain.kind->triples) return triples_scatter_native(job, to, p);
    scatter_task g = {job, to};
    row_units all = {.to = to,
                     .space_bytes = ceil_div(sizeof(scatter_space), 64) * 64,
                     .open = open_space,
                     .run = run_unit,
                     .user = &g};
    return rows_native_run(job, &all, p);
}
