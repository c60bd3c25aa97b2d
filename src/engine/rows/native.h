/* rows/native.h: sinks that have a result for each row, on the cpu: some rows at a time by one thread, which keeps what it needs
 * until all columns have passed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_ROWS_NATIVE_H
#define WEDGE_ENGINE_ROWS_NATIVE_H

#include "engine/base/path.h"
#include "engine/prune/boxes.h"

enum { UNIT_ROWS = PRUNED_ROWS };
_Static_assert(UNIT_ROWS % NATIVE_ROWS == 0, "rows are computed NATIVE_ROWS at a time");

/* The rows of a unit, in the order of the job's points. */
typedef struct {
    int rows;
    uint64_t curve_index[UNIT_ROWS]; /* index along the curve, where points are sorted */
    uint64_t caller[UNIT_ROWS];      /* the caller's row */
    const void *point[UNIT_ROWS];    /* the rows' points; past the last row, the last one again */
    int64_t self[UNIT_ROWS];         /* the caller's column that is the same point; -1: no such column */
} row_unit;

typedef struct {
    const row_results *to;
    size_t space_bytes;                          /* working memory per thread */
    void (*open)(const void *user, void *space); /* called once per thread */
    void (*run)(const void *user, void *space, const row_unit *u);
    const void *user;
} row_units;

/* The unit of rows from number `first` of those in `to`, or of those listed in `wanted`, rows along the curve. */
row_unit unit_of(const wedge_job *job, const row_results *to, const uint32_t *wanted, uint64_t first);

wedge_status rows_native_run(wedge_job *job, const row_units *all, pace *p);

/* Along a curve: the unit's points, side by side. */
void unit_points(const wedge_job *job, const row_unit *u, void *points);

/* The columns that the unit must be computed with. points: memory for the unit's points, without gaps. */
column_runs unit_runs(const wedge_job *job, const row_unit *u, void *points);

/* Computes the unit's rows against panels from `column` on; values of a row lie `stride` numbers apart. */
static inline void unit_cells(const wedge_job *job, const row_unit *u, int from, int to, uint64_t column,
                              uint64_t panels, uint64_t values, void *cells, uint64_t stride) {
    const char *panel = (const char *)job->points.panels.host + column * job->pairs.d * job->size;
    for (int r = from; r < to; r += NATIVE_ROWS)
        job->native.tile((char *)cells + (uint64_t)(r - from) * stride * job->size, stride, u->point + r, panel, panels,
                         job_args(job, values));
}

#endif
