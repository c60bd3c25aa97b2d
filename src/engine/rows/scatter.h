/* rows/scatter.h: the sum of each row's values.
 *
 * One thread has a row, or some fixed part of its columns, and takes leaves of 32 columns in order: so the order of all
 * additions is fixed, and no number of threads, no range and no tile changes a byte. A leaf is added in the dtype; leaves go
 * into a sum of two numbers, of which the second holds what the first had no digits for.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_ROWS_SCATTER_H
#define WEDGE_ENGINE_ROWS_SCATTER_H

#include <math.h>

#include "engine/base/path.h"

/* What has been added, and what of it there were no digits for. */
typedef struct {
    double sum, rest;
} row_sum;

static inline void sum_add(row_sum *s, double x) {
    double sum = s->sum + x, added = sum - s->sum;
    s->rest += (s->sum - (sum - added)) + (x - added);
    s->sum = sum;
}

static inline double sum_of(const row_sum *s) { return isfinite(s->sum) ? s->sum + s->rest : s->sum; }

/* Adds leaves of cells that have `values` values each. inside: which cells of each leaf count, if their first value is not above
 * the radius, the others become zeros; NULL: all do. Returns how many did. */
uint64_t scatter_add(const wedge_job *job, void *cells, uint32_t values, uint64_t leaves, const uint32_t *inside,
                     double radius, row_sum *sums);

wedge_status triples_scatter_native(wedge_job *job, const row_results *to, pace *p);
wedge_status scatter_native(wedge_job *job, const row_results *to, pace *p);

/* GPU: job->held: of parts of some rows, or of one part of each. */
typedef struct {
    buffer parts;  /* sums of two numbers */
    buffer counts; /* cells that count */
    buffer tiles;  /* one number: tiles that were run */
} scatter_held;

wedge_status scatter_gpu(wedge_job *job, const row_results *to, pace *p);

#endif
