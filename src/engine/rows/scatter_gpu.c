/* scatter_gpu.c: the sums of rows on a GPU; the kernels are in kernels/scatter.h.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/rows/scatter.h"
#include "engine/triples/gpu.h"

enum { PARTS = 32 };                    /* of a row at most; it depends only on m */
#define PARTS_BYTES (UINT64_C(1) << 28) /* of some rows, at a time */

typedef struct {
    wedge_job *job;
    const row_results *to;
    scatter_args scatter;
    pairs_args args;
    uint64_t first, past; /* rows, in the job's order */
    uint64_t block;       /* rows of a block */
    uint64_t most;        /* blocks at a time */
} scatter_run;

typedef struct {
    float f32;
    double f64;
} limit_number;
#define ARG_LIMIT(l, job) \
    { .value = (job)->size == sizeof(double) ? (const void *)&(l).f64 : (const void *)&(l).f32, .size = (job)->size }

/* Unused outputs get a dummy pointer, which the kernel does not write. */
static wedge_status finish(const scatter_run *s) {
    wedge_job *job = s->job;
    const scatter_held *held = job->held;
    const buffer *counts = s->to->whole.memory.handle ? &s->to->whole.memory : &s->to->values.memory;
    const buffer *sums = s->to->values.memory.handle ? &s->to->values.memory : &s->to->whole.memory;
    const kernel_arg args[] = {ARG_BUFFER(&held->parts),
                               ARG_BUFFER(&held->counts),
                               ARG_BUFFER(job->curve.ordered ? &job->curve.order[0] : &held->counts),
                               ARG_BUFFER(counts),
                               ARG_BUFFER(sums),
                               ARG_VALUE(s->scatter)};
    grid_launch l = {{(uint32_t)ceil_div(s->scatter.rows, FINISH_BLOCK), 1, 1}, {FINISH_BLOCK, 1, 1}, args, 6};
    return gpu_launch(job, job->gpu.program, "scatter_finish", l);
}

/* Blocks [begin, end) of rows. */
static wedge_status run_blocks(void *user, uint64_t begin, uint64_t end) {
    scatter_run *s = user;
    wedge_job *job = s->job;
    const scatter_held *held = job->held;
    const gpu_parameters p = gpu_parameters_of(job);
    const limit_number radius = {(float)job->sink.limits[0], job->sink.limits[0]};
    const limit_number limit = {(float)job->prune.limit, job->prune.limit};
    const buffer *boxes = job->curve.ordered ? &job->prune.boxes : &job->points.rows;
    for (uint64_t at = begin, blocks; at < end; at += blocks) {
        uint64_t row = s->first + at * s->block;
        blocks = end - at < s->most ? end - at : s->most;
        s->scatter.first = (uint32_t)row;
        s->scatter.rows = (uint32_t)(s->past - row < blocks * s->block ? s->past - row : blocks * s->block);
        const kernel_arg args[] = {ARG_BUFFER(gpu_columns(job)),
                                   ARG_BUFFER(&job->points.rows),
                                   ARG_BUFFER(&held->parts),
                                   ARG_BUFFER(&held->counts),
                                   ARG_BUFFER(boxes),
                                   ARG_BUFFER(&held->tiles),
                                   ARG_LIMIT(radius, job),
                                   ARG_LIMIT(limit, job),
                                   ARG_VALUE(s->scatter),
                                   ARG_VALUE(s->args),
                                   GPU_PARAMETERS(p, job)};
        grid_launch l = {{(uint32_t)blocks, s->scatter.parts, 1}, {LANES, job->shape.warps, 1}, args, 11};
        WEDGE_TRY(job->dev->backend->launch(job->dev, job->queue, job->gpu.kernel, &l));
        WEDGE_TRY(finish(s));
    }
    return WEDGE_OK;
}

/* Parts, their counts, and how many tiles of a block's rows have been run. */
static wedge_status make_room(const scatter_run *s) {
    wedge_job *job = s->job;
    scatter_held *held = job->held;
    wedge_device *dev = job->dev;
    uint64_t parts = s->most * s->block * s->scatter.parts;
    WEDGE_TRY(job_reserve(job, &held->parts, parts * 2 * job->cell_size));
    WEDGE_TRY(job_reserve(job, &held->counts, parts * sizeof(uint32_t)));
    WEDGE_TRY(job_reserve(job, &held->tiles, sizeof(uint32_t)));
    return dev->backend->fill(dev, job->queue, &held->tiles, 0, sizeof(uint32_t), 0);
}

static wedge_status end_run(const scatter_run *s) {
    wedge_job *job = s->job;
    const scatter_held *held = job->held;
    wedge_device *dev = job->dev;
    uint32_t tiles = 0;
    if (job->info.pruned) WEDGE_TRY(dev->backend->read(dev, job->queue, &tiles, &held->tiles, 0, sizeof tiles));
    WEDGE_TRY(dev->backend->wait(dev, job->queue));
    job->info.computed += tiles * s->block * SCATTER_TILE;
    return WEDGE_OK;
}

/* Along a curve rows lie anywhere: all are run, and those that are wanted come out. */
wedge_status scatter_gpu(wedge_job *job, const row_results *to, pace *p) {
    uint64_t m = job->domain.m, first, last;
    scatter_run s = {.job = job, .to = to, .block = (uint64_t)LANES * job->shape.warps * (job->shape.few ? 2 : 1)};
    if (job->domain.kind->triples) return triples_scatter_gpu(job, to, p);
    if (!to->rows) return WEDGE_OK;
    s.first = job->curve.ordered ? 0 : to->row, s.past = job->curve.ordered ? job->domain.n : to->row + to->rows;
    s.scatter = (scatter_args){.to_counts = to->whole.first,
                               .to_sums = to->values.first,
                               .step = (uint32_t)(ceil_div(ceil_div(m, PARTS), SCATTER_TILE) * SCATTER_TILE),
                               .distinct = !job->domain.kind->two_sets,
                               .gives_counts = to->whole.memory.handle != NULL,
                               .gives_sums = to->values.memory.handle != NULL,
                               .wanted = (uint32_t)to->row,
                               .wanted_rows = (uint32_t)to->rows};
    s.scatter.parts = (uint32_t)ceil_div(m, s.scatter.step);
    gpu_range_args(job, 0, job->info.cells, &s.args, &first, &last);
    uint64_t blocks = ceil_div(s.past - s.first, s.block);
    s.most = PARTS_BYTES / (s.scatter.parts * 2 * job->cell_size * s.block);
    if (s.most < 1) s.most = 1;
    if (s.most > blocks) s.most = blocks;
    WEDGE_TRY(make_room(&s));
    pace_items all = {blocks, (double)s.block * (double)m, 1};
    WEDGE_TRY(pace_run(p, job->dev, job->queue, all, run_blocks, &s));
    return end_run(&s);
}
