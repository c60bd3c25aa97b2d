/* result.c: a result's memory, and the tables that say which of its fields are saved and under which name.
 *
 * The writers and the reader walk these tables, so that what one writes the other knows.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/result.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const row_status_names[] = {
    [ROW_OK] = "ok", [ROW_WRONG] = "wrong", [ROW_FAILED] = "failed", [ROW_SKIPPED] = "skipped"};

#define FIELD(type, kind, member) \
    { #member, kind, offsetof(type, member), sizeof((type *)0)->member, NULL, false }
#define NEWER(type, kind, member) \
    { #member, kind, offsetof(type, member), sizeof((type *)0)->member, NULL, true }
#define OBJECT(type, member, table) \
    { #member, FIELD_OBJECT, offsetof(type, member), sizeof((type *)0)->member, table, false }
#define NEWER_OBJECT(type, member, table) \
    { #member, FIELD_OBJECT, offsetof(type, member), sizeof((type *)0)->member, table, true }
#define END \
    { NULL, FIELD_KINDS, 0, 0, NULL, false }

static const result_field timing_fields[] = {FIELD(timing, FIELD_REAL, median),
                                             FIELD(timing, FIELD_REAL, low),
                                             FIELD(timing, FIELD_REAL, high),
                                             FIELD(timing, FIELD_REAL, noise),
                                             {"samples", FIELD_SAMPLES, 0, 0, NULL, false},
                                             END};

static const result_field ceiling_fields[] = {FIELD(ceiling, FIELD_REAL, rate), OBJECT(ceiling, time, timing_fields),
                                              END};

static const result_field device_fields[] = {
    FIELD(wedge_device_info, FIELD_TEXT, id),
    FIELD(wedge_device_info, FIELD_TEXT, name),
    FIELD(wedge_device_info, FIELD_TEXT, driver),
    FIELD(wedge_device_info, FIELD_U64, memory),
    FIELD(wedge_device_info, FIELD_U32, units),
    FIELD(wedge_device_info, FIELD_U32, max_block),
    {"max_grid_x", FIELD_U32, offsetof(wedge_device_info, max_grid[0]), sizeof(uint32_t), NULL, false},
    {"max_grid_y", FIELD_U32, offsetof(wedge_device_info, max_grid[1]), sizeof(uint32_t), NULL, false},
    {"max_grid_z", FIELD_U32, offsetof(wedge_device_info, max_grid[2]), sizeof(uint32_t), NULL, false},
    FIELD(wedge_device_info, FIELD_BOOL, has_double),
    FIELD(wedge_device_info, FIELD_BOOL, is_gpu),
    END,
};

const result_field row_fields[] = {
    FIELD(bench_row, FIELD_TEXT, experiment),
    FIELD(bench_row, FIELD_TEXT, variant),
    FIELD(bench_row, FIELD_TEXT, map),
    FIELD(bench_row, FIELD_INT, rank),
    FIELD(bench_row, FIELD_U64, n),
    FIELD(bench_row, FIELD_U32, rho),
    FIELD(bench_row, FIELD_STATUS, status),
    FIELD(bench_row, FIELD_TEXT, remark),
    FIELD(bench_row, FIELD_BOOL, verified),
    FIELD(bench_row, FIELD_U64, wrong_from),
    FIELD(bench_row, FIELD_U64, launches),
    FIELD(bench_row, FIELD_U64, blocks),
    FIELD(bench_row, FIELD_U64, threads),
    FIELD(bench_row, FIELD_U64, tiles),
    FIELD(bench_row, FIELD_U64, cells),
    FIELD(bench_row, FIELD_U64, wasted),
    FIELD(bench_row, FIELD_INT, repeats),
    FIELD(bench_row, FIELD_TEXT, stop),
    FIELD(bench_row, FIELD_REAL, compile),
    FIELD(bench_row, FIELD_REAL, bytes),
    FIELD(bench_row, FIELD_REAL, flops),
    FIELD(bench_row, FIELD_REAL, improvement),
    FIELD(bench_row, FIELD_REAL, improvement_low),
    FIELD(bench_row, FIELD_REAL, improvement_high),
    FIELD(bench_row, FIELD_REAL, penalty),
    FIELD(bench_row, FIELD_REAL, bound),
    FIELD(bench_row, FIELD_REAL, share),
    NEWER(bench_row, FIELD_TEXT, limit),
    NEWER(bench_row, FIELD_REAL, share_fill),
    FIELD(bench_row, FIELD_BOOL, best),
    NEWER(bench_row, FIELD_U32, features),
    NEWER(bench_row, FIELD_TEXT, dtype),
    NEWER(bench_row, FIELD_TEXT, how),
    NEWER(bench_row, FIELD_TEXT, sink),
    NEWER(bench_row, FIELD_REAL, of_store),
    NEWER(bench_row, FIELD_REAL, energy),
    NEWER(bench_row, FIELD_TEXT, doubt),
    NEWER(bench_row, FIELD_TEXT, cause),
    OBJECT(bench_row, time, timing_fields),
    NEWER_OBJECT(bench_row, beside, timing_fields),
    END,
};

const result_field result_fields[] = {
    FIELD(bench_result, FIELD_TEXT, wedge),
    FIELD(bench_result, FIELD_TEXT, commit),
    FIELD(bench_result, FIELD_TEXT, date),
    FIELD(bench_result, FIELD_OWNED, command),
    FIELD(bench_result, FIELD_TEXT, flags),
    FIELD(bench_result, FIELD_TEXT, host),
    OBJECT(bench_result, device, device_fields),
    FIELD(bench_result, FIELD_REAL, budget),
    FIELD(bench_result, FIELD_REAL, spent),
    FIELD(bench_result, FIELD_REAL, noise_target),
    NEWER(bench_result, FIELD_U32, cores),
    NEWER(bench_result, FIELD_REAL, load_before),
    NEWER(bench_result, FIELD_REAL, load_others),
    NEWER(bench_result, FIELD_TEXT, energy_by),
    NEWER(bench_result, FIELD_TEXT, energy_why),
    NEWER(bench_result, FIELD_OWNED, warning),
    OBJECT(bench_result, fill, ceiling_fields),
    OBJECT(bench_result, copy, ceiling_fields),
    OBJECT(bench_result, fma, ceiling_fields),
    NEWER_OBJECT(bench_result, step, ceiling_fields),
    NEWER_OBJECT(bench_result, root, ceiling_fields),
    {"rows", FIELD_ROWS, 0, 0, NULL, false},
    END,
};

void result_free(bench_result *r) {
    for (int i = 0; i < r->count; ++i) {
        free(r->rows[i].time.samples);
        free(r->rows[i].beside.samples);
    }
    free(r->rows);
    free(r->command);
    free(r->warning);
    free(r->fill.time.samples);
    free(r->copy.time.samples);
    free(r->fma.time.samples);
    free(r->step.time.samples);
    free(r->root.time.samples);
    memset(r, 0, sizeof *r);
}

/* Room is made whenever the count reaches a power of two, so that no capacity needs to be kept. */
bench_row *result_add(bench_result *r) {
    if (!(r->count & (r->count - 1))) {
        bench_row *rows = realloc(r->rows, (r->count ? 2 * (size_t)r->count : 1) * sizeof *rows);
        if (!rows) return NULL;
        r->rows = rows;
    }
    bench_row *row = &r->rows[r->count++];
    memset(row, 0, sizeof *row);
    return row;
}

bool row_same_group(const bench_row *a, const bench_row *b) {
    return a->rank == b->rank && a->n == b->n && a->rho == b->rho && !strcmp(a->experiment, b->experiment) &&
           !strcmp(a->variant, b->variant);
}

bool row_is_engine(const bench_row *row) { return !strcmp(row->map, "engine"); }
bool row_is_task(const bench_row *row) { return *row->sink && strcmp(row->experiment, "sinks"); }
const char *row_kind(const bench_row *row) { return row_is_task(row) ? "task" : *row->sink ? "sink" : "map"; }

const char *row_name(const bench_row *row) { return *row->sink ? row->sink : row->map; }

bool timing_has_spread(const timing *t) { return t->count >= FEWEST_SAMPLES; }

bool row_timed(const bench_row *row) {
    return (row->status == ROW_OK || row->status == ROW_WRONG) && row->time.median > 0;
}

const bench_row *result_best_bb(const bench_result *r, const bench_row *row) {
    const bench_row *best = NULL;
    bool several = false;
    for (int i = 0; i < r->count; ++i) {
        bench_row bb = r->rows[i];
        bb.rho = row->rho;
        if (strcmp(bb.map, "bb") || !row_same_group(&bb, row) || !row_timed(&bb)) continue;
        several |= best && best->rho != r->rows[i].rho;
        if (!best || bb.time.median < best->time.median) best = &r->rows[i];
    }
    return several ? best : NULL;
}

const bench_row *result_rows_beside(const bench_result *r, const bench_row *row) {
    for (int i = 0; i < r->count && !strcmp(row->map, "walk"); ++i)
        if (row_same_group(&r->rows[i], row) && !strcmp(r->rows[i].map, "rows") && row_is_result(&r->rows[i]) &&
            !*r->rows[i].doubt)
            return &r->rows[i];
    return NULL;
}

bool row_wins(const bench_row *row) { return row->best && row->status == ROW_OK && row_timed(row) && !*row->doubt; }

bool row_is_result(const bench_row *row) { return row_timed(row) && timing_has_spread(&row->time); }

const time_unit *time_unit_for(double seconds) {
    static const time_unit units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    return &units[seconds < 1e-3 ? 0 : seconds < 1 ? 1 : 2];
}
