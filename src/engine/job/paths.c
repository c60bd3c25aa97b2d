/* paths.c: the tables of functions for jobs on the cpu and on GPUs.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/boxes.h"
#include "engine/range/gpu.h"
#include "engine/range/native.h"
#include "engine/range/native_points.h"
#include "engine/rows/nearest.h"
#include "engine/rows/rows.h"
#include "engine/rows/scatter.h"

static const row_work rows_native[ROW_RESULTS] = {
    [ROW_SUM] = {.rows = scatter_native},
    [ROW_SMALLEST] = {.rows = nearest_native, .share = nearest_native_share},
};

static const row_work rows_gpu[ROW_RESULTS] = {
    [ROW_SUM] = {.rows = scatter_gpu, .buffers = sizeof(scatter_held) / sizeof(buffer)},
    [ROW_SMALLEST] = {.rows = nearest_gpu,
                      .uploaded = nearest_gpu_uploaded,
                      .buffers = sizeof(nearest_held) / sizeof(buffer)},
};

static wedge_status upload_native(wedge_job *job) {
    const row_work *work = row_work_of(job);
    return native_upload(job, work && work->share ? work->share : boxes_share);
}

static wedge_status upload_gpu(wedge_job *job) {
    const row_work *work = row_work_of(job);
    WEDGE_TRY(gpu_upload_all(job));
    return work && work->uploaded ? work->uploaded(job) : WEDGE_OK;
}

static const job_path native = {.open = native_open,
                                .upload = upload_native,
                                .close = native_close,
                                .range = native_range_run,
                                .rows = native_rows,
                                .sum = native_sum,
                                .most_sum = native_most_sum,
                                .mark = native_mark,
                                .per_row = rows_native};

static const job_path gpu = {.open = gpu_open,
                             .upload = upload_gpu,
                             .close = gpu_close,
                             .range = gpu_range_run,
                             .rows = gpu_rows,
                             .sum = gpu_sum,
                             .most_sum = gpu_most_sum,
                             .mark = gpu_mark,
                             .per_row = rows_gpu};

void path_choose(wedge_job *job) { job->path = job->dev->backend->compile ? &gpu : &native; }
