/* path.h: the two tables of functions that a job has: its path, how the cpu or a GPU computes, and its way, what becomes of values.
 *
 * job -> way (ways.c): store, slots, list or rows; run, or stream -> path (paths.c): range, sum, mark or a row_work, on the cpu or a GPU
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

/* One kind of result per row (rows/). */
typedef struct {
    wedge_status (*rows)(wedge_job *job, const row_results *to,
                         pace *p);            /* computes the results of some rows, and waits */
    wedge_status (*uploaded)(wedge_job *job); /* prepares what a job needs beside its points; NULL: nothing */
    double (*share)(wedge_job *job); /* cpu: the share of pairs in reach, for native_upload; NULL: boxes_share */
    size_t buffers;                  /* how many buffers job->held keeps between runs */
} row_work;

struct job_path {
    wedge_status (*open)(wedge_job *job);   /* prepares all that a job needs except its points */
    wedge_status (*upload)(wedge_job *job); /* copies job->points.given to the device */
    void (*close)(wedge_job *job);

    /* Stores positions [begin, end) from cell `offset` of out on. It may leave the work in the queue. */
    wedge_status (*range)(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                          pace *p);
    uint32_t (*rows)(const wedge_job *job); /* a range of fewer whole rows wastes work */

    /* Adds positions [begin, end) to the state of a sink that keeps slots, and waits. *inside: triplets within the cutoff. */
    wedge_status (*sum)(wedge_job *job, uint64_t begin, uint64_t end, buffer *slots, void *state, uint64_t *inside,
                        pace *p);
    uint64_t (*most_sum)(const wedge_job *job); /* most positions per call of sum */

    /* Marks positions [begin, end), and waits. */
    wedge_status (*mark)(wedge_job *job, uint64_t begin, uint64_t end, const marks_area *area, const buffer *marks,
                         pace *p);

    const row_work *per_row; /* [row_result] */
};
typedef struct job_path job_path;

struct job_way {
    wedge_status (*open)(
        wedge_job *job); /* checks the job, sets job->info.bytes and job->held; sink and domain are known */
    wedge_status (*run)(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                        void *user);
    /* NULL: there is one result, at the end. */
    wedge_status (*stream)(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           void *take_user, wedge_progress progress, void *user);
    void (*close)(wedge_job *job);
};
typedef struct job_way job_way;
extern const job_way *const job_ways[SINK_WAYS];

void path_choose(wedge_job *job); /* sets job->path by the kind of its device */

#endif
