/* paths.c: the two ways of running a job.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/boxes.h"
#include "engine/range/gpu.h"
#include "engine/range/native.h"
#include "engine/range/native_points.h"
#include "engine/rows/nearest.h"
#include "engine/rows/scatter.h"

static double share_in_reach(wedge_job *job) {
    return job->sink.nearest ? nearest_native_share(job) : boxes_share(job);
}

static wedge_status bring_native(wedge_job *job) { return native_bring(job, share_in_reach); }

static wedge_status bring_gpu(wedge_job *job) {
    WEDGE_TRY(gpu_bring_all(job));
    return job->sink.nearest ? nearest_gpu_open(job) : WEDGE_OK;
}

static const job_path native = {.open = native_open,
                                .bring = bring_native,
                                .close = native_close,
                                .range = native_range_run,
                                .rows = native_rows,
                                .sum = native_sum,
                                .most_sum = native_most_sum,
                                .mark = native_mark,
                                .nearest = nearest_native,
                                .scatter = scatter_native};

static const job_path gpu = {.open = gpu_open,
                             .bring = bring_gpu,
                             .close = gpu_close,
                             .range = gpu_range_run,
                             .rows = gpu_rows,
                             .sum = gpu_sum,
                             .most_sum = gpu_most_sum,
                             .mark = gpu_mark,
                             .nearest = nearest_gpu,
                             .scatter = scatter_gpu};

void path_choose(wedge_job *job) { job->path = job->dev->backend->compile ? &gpu : &native; }
