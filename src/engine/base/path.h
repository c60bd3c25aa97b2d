/* path.h: what the cpu and GPUs do each in their way. A job keeps the table of its device; job/paths.c fills both of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_BASE_PATH_H
#define WEDGE_ENGINE_BASE_PATH_H

#include "engine/base/job.h"

/* Marks of select: a bit for every cell of rows [row, row + rows), in words of 32 columns from `word` on. */
typedef struct {
    uint64_t row, rows, word, words;
} marks_area;

/* Rows of the caller's, and where their results go; memory without a handle is not wanted. */
typedef struct {
    uint64_t row, rows;
    given_memory whole;  /* int64_t: neighbours, or counts */
    given_memory values; /* of the dtype */
} row_results;

struct job_path {
    wedge_status (*open)(wedge_job *job);  /* all that a job needs but its points */
    wedge_status (*bring)(wedge_job *job); /* job->given onto the device */
    void (*close)(wedge_job *job);

    /* Stores positions [begin, end) from cell `offset` of out on. It may leave the work in the queue. */
    wedge_status (*range)(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                          pace *p);
    uint32_t (*rows)(const wedge_job *job); /* a range of fewer whole rows wastes work */

    /* Adds positions [begin, end) to the state of a sink that keeps slots, and waits. */
    wedge_status (*sum)(wedge_job *job, uint64_t begin, uint64_t end, void *state, pace *p);
    uint64_t (*most_sum)(const wedge_job *job); /* positions of one call of sum */

    /* Marks positions [begin, end), and waits. */
    wedge_status (*mark)(wedge_job *job, uint64_t begin, uint64_t end, const marks_area *area, const buffer *marks,
                         pace *p);

    /* The results of some rows, and waits. */
    wedge_status (*nearest)(wedge_job *job, const row_results *to, pace *p);
    wedge_status (*scatter)(wedge_job *job, const row_results *to, pace *p);
};
typedef struct job_path job_path;

void path_choose(wedge_job *job); /* by the kind of its device: job->path */

#endif
