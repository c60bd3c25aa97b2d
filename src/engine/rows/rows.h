/* rows.h: the way of sinks with a result per row, run into memory and handed out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_ROWS_ROWS_H
#define WEDGE_ENGINE_ROWS_ROWS_H

#include "engine/base/path.h"

extern const job_way rows_way;

/* How this job's device computes its rows; NULL: its sink has another way. */
static inline const row_work *row_work_of(const wedge_job *job) {
    const sink_def *def = job->sink.def;
    return def->way == WAY_ROWS ? &job->path->per_row[def->result] : NULL;
}

#endif
