/* nearest.h: the k smallest values of each row; ties go to the smaller column.
 *
 * A row has a limit: no more than its k-th smallest value can matter. Values up to it are candidates. Where points lie along a
 * curve (prune.h), tiles close by give every row its first limit, and only tiles within the limits of their rows are run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_ROWS_NEAREST_H
#define WEDGE_ENGINE_ROWS_NEAREST_H

#include "engine/select/select.h"

wedge_status nearest_native(wedge_job *job, const row_results *to, pace *p);
wedge_status nearest_gpu(wedge_job *job, const row_results *to, pace *p);

/* cpu, points along a curve: the share of all pairs that some rows are computed with; 0 where there are too few rows to try. */
double nearest_native_share(wedge_job *job);

/* GPU: job->held. */
typedef struct {
    hits_kept hits;
    buffer limits;  /* of rows: of values, then of keys */
    buffer windows; /* values of some rows, which their limits come from */
    buffer values;  /* of hits, and hits_kept.columns are their columns */
} nearest_held;

/* GPU: what a job needs beside its points; and the limits of some rows, before each run. */
wedge_status nearest_gpu_uploaded(wedge_job *job);
wedge_status nearest_gpu_limits(wedge_job *job, const row_results *rows, pace *p);
struct hits; /* of positions [begin, end), within the limits */
wedge_status nearest_gpu_hits(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, struct hits **out);
uint64_t nearest_gpu_window(const wedge_job *job); /* columns that a limit comes from */

#endif
