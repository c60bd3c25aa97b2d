/* scatter_gpu.c: the sums of rows on a GPU; the kernels are in scatter_device.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "core/maps.h"
#include "engine/pairs_gpu.h"
#include "engine/scatter.h"

enum { FINISH_BLOCK = 64, SCATTER_TILE = 256 }; /* as the kernels have them */
enum { PARTS = 32 };                            /* of a row at most; it is a matter of m alone */
#define PARTS_BYTES (UINT64_C(1) << 28)         /* of some rows, at a time */

/* As the kernels have it. */
typedef struct {
    uint32_t first, rows, step, parts, apart, gives_counts, gives_sums, unused;
    uint64_t to_counts, to_sums;
} scatter_args;

typedef struct {
    wedge_job *job;
    const row_results *to;
    scatter_args scatter;
    pairs_args args;
    uint64_t block; /* rows of a block */
    uint64_t most;  /* blocks at a time */
} scatter_run;

static uint64_t part_bytes(const wedge_job *job) { return 2 * job->cell_size; } /* of a row's part */

static wedge_status launch(wedge_job *job, void *kernel, grid_launch l) {
    return job->dev->backend->launch(job->dev, job->queue, kernel, &l);
}

/* Memory that is not wanted is not written; the other stands for it. */
static wedge_status finish(const scatter_run *s) {
    wedge_job *job = s->job;
    void *kernel = NULL;
    const buffer *counts = s->to->whole.memory.handle ? &s->to->whole.memory : &s->to->values.memory;
    const buffer *sums = s->to->values.memory.handle ? &s->to->values.memory : &s->to->whole.memory;
    const kernel_arg args[] = {ARG_BUFFER(&job->found_values), ARG_BUFFER(&job->found), ARG_BUFFER(counts),
                               ARG_BUFFER(sums), ARG_VALUE(s->scatter)};
    WEDGE_TRY(job->dev->backend->kernel_new(job->dev, job->program, "scatter_finish", &kernel));
    grid_launch l = {{(uint32_t)ceil_div(s->scatter.rows, FINISH_BLOCK), 1, 1}, {FINISH_BLOCK, 1, 1}, args, 5};
    wedge_status status = launch(job, kernel, l);
    job->dev->backend->kernel_free(job->dev, kernel);
    return status;
}

/* Blocks [begin, end) of rows. */
static wedge_status run_blocks(void *user, uint64_t begin, uint64_t end) {
    scatter_run *s = user;
    wedge_job *job = s->job;
    const gpu_parameters p = gpu_parameters_of(job);
    const double radius = job->sink.radius;
    const float radius_f32 = (float)radius;
    const kernel_arg limit = {.value = job->size == sizeof radius ? (const void *)&radius : (const void *)&radius_f32,
                              .size = job->size};
    for (uint64_t at = begin, blocks; at < end; at += blocks) {
        uint64_t row = at * s->block, rows;
        blocks = end - at < s->most ? end - at : s->most;
        rows = s->to->rows - row < blocks * s->block ? s->to->rows - row : blocks * s->block;
        s->scatter.first = (uint32_t)(s->to->row + row), s->scatter.rows = (uint32_t)rows;
        s->scatter.to_counts = s->to->whole.first + row;
        s->scatter.to_sums = s->to->values.first + row * job->info.values;
        const kernel_arg args[] = {ARG_BUFFER(gpu_columns(job)),
                                   ARG_BUFFER(&job->points),
                                   ARG_BUFFER(&job->found_values),
                                   ARG_BUFFER(&job->found),
                                   limit,
                                   ARG_VALUE(s->scatter),
                                   ARG_VALUE(s->args),
                                   GPU_PARAMETERS(p, job)};
        grid_launch l = {{(uint32_t)blocks, s->scatter.parts, 1}, {LANES, job->shape.warps, 1}, args, 8};
        WEDGE_TRY(launch(job, job->kernel, l));
        WEDGE_TRY(finish(s));
    }
    return WEDGE_OK;
}

wedge_status scatter_gpu(wedge_job *job, const row_results *to, pace *p) {
    uint64_t m = job->domain.m, first, last, rows;
    scatter_run s = {.job = job, .to = to, .block = (uint64_t)LANES * job->shape.warps * (job->shape.few ? 2 : 1)};
    if (!to->rows) return WEDGE_OK;
    s.scatter.step = (uint32_t)(ceil_div(ceil_div(m, PARTS), SCATTER_TILE) * SCATTER_TILE);
    s.scatter.parts = (uint32_t)ceil_div(m, s.scatter.step);
    s.scatter.apart = !job->domain.kind->two_sets;
    s.scatter.gives_counts = to->whole.memory.handle != NULL, s.scatter.gives_sums = to->values.memory.handle != NULL;
    gpu_range_args(job, 0, job->info.cells, &s.args, &first, &last);
    uint64_t blocks = ceil_div(to->rows, s.block), row_bytes = s.scatter.parts * part_bytes(job);
    s.most = PARTS_BYTES / (row_bytes * s.block);
    if (s.most < 1) s.most = 1;
    if (s.most > blocks) s.most = blocks;
    rows = s.most * s.block;
    WEDGE_TRY(job_room(job, &job->found_values, rows * row_bytes));
    WEDGE_TRY(job_room(job, &job->found, rows * s.scatter.parts * sizeof(uint32_t)));
    pace_items all = {blocks, (double)s.block * (double)m, 1};
    WEDGE_TRY(pace_run(p, job->dev, job->queue, all, run_blocks, &s));
    return job->dev->backend->wait(job->dev, job->queue);
}
