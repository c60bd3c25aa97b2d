/* nearest_gpu.c: the nearest of some rows on a GPU.
 *
 * Each row gets a limit (nearest_limits.c); values within it are hits (hits.h), a few times k per row. The values of the hits are
 * computed once more, row by row, and each hit is written to the slot given by its rank (knn.h).
 *
 * SPDX-License-Identifier: MIT */
#include "engine/rows/nearest.h"

#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/prune/order.h"
#include "engine/select/hits.h"

enum { HITS_TIMES = 2, MOST_HITS = 1 << 26 }; /* expected hits per neighbour; hits per batch where memory is plenty */

wedge_status nearest_gpu_uploaded(wedge_job *job) {
    WEDGE_TRY(order_tools(job));
    for (int k = 0; k < 1 + job->domain.kind->two_sets && !job->info.pruned; ++k) {
        uint32_t n = (uint32_t)(k ? job->domain.m : job->domain.n);
        WEDGE_TRY(job_reserve(job, &job->curve.order[k], n * sizeof(uint32_t)));
        const kernel_arg args[] = {ARG_BUFFER(&job->curve.order[k]), ARG_VALUE(n)};
        grid_launch l = {{(uint32_t)ceil_div(n, FOUND_BLOCK), 1, 1}, {FOUND_BLOCK, 1, 1}, args, 2};
        WEDGE_TRY(gpu_launch(job, job->gpu.tools, "found_order", l));
    }
    return job->dev->backend->wait(job->dev, job->queue);
}

/* ---- The hits of a batch ---- */

static wedge_status find_values(const hits *f, const rank_args *r) {
    wedge_job *job = f->job;
    const nearest_held *held = job->held;
    const gpu_parameters p = gpu_parameters_of(job);
    const pairs_args a = gpu_args_of(job, job->domain.m);
    const kernel_arg args[] = {ARG_BUFFER(&f->kept->columns),
                               ARG_BUFFER(&f->starts),
                               ARG_BUFFER(&f->gpu.turned[0]),
                               ARG_BUFFER(&f->gpu.turned[1]),
                               ARG_BUFFER(gpu_columns(job)),
                               ARG_BUFFER(&job->points.rows),
                               ARG_BUFFER(&held->values),
                               ARG_VALUE(*r),
                               ARG_VALUE(a),
                               GPU_PARAMETERS(p, job)};
    grid_launch l = {{(uint32_t)f->batch.rows, 1, 1}, {RANK_BLOCK, 1, 1}, args, 10};
    return gpu_launch(job, job->gpu.program, "knn_values", l);
}

/* Unused outputs get a dummy pointer, which the kernel does not write. */
static wedge_status rank(const hits *f, const row_results *to, const rank_args *r) {
    wedge_job *job = f->job;
    const nearest_held *held = job->held;
    const buffer *columns = to->whole.memory.handle ? &to->whole.memory : &to->values.memory;
    const buffer *values = to->values.memory.handle ? &to->values.memory : &to->whole.memory;
    const kernel_arg args[] = {ARG_BUFFER(&f->kept->columns), ARG_BUFFER(&held->values), ARG_BUFFER(&f->starts),
                               ARG_BUFFER(columns),           ARG_BUFFER(values),        ARG_VALUE(*r)};
    grid_launch l = {{(uint32_t)f->batch.rows, 1, 1}, {RANK_BLOCK, 1, 1}, args, 6};
    return gpu_launch(job, job->gpu.program, "knn_rank", l);
}

/* Writes the neighbours of the rows that were placed. */
static wedge_status finish(hits *f, const row_results *to, uint64_t count) {
    wedge_job *job = f->job;
    nearest_held *held = job->held;
    uint64_t k = job->sink.smallest, before = (f->first_row + f->batch.row - to->row) * k;
    const rank_args r = {.base = f->batch.base,
                         .to_columns = to->whole.first + before,
                         .to_values = to->values.first + before,
                         .row = (uint32_t)f->batch.row,
                         .first_row = (uint32_t)f->first_row,
                         .k = (uint32_t)k,
                         .gives_columns = to->whole.memory.handle != NULL,
                         .gives_values = to->values.memory.handle != NULL};
    WEDGE_TRY(hits_gpu_turn(f));
    WEDGE_TRY(job_reserve(job, &f->kept->columns, sizeof(uint32_t))); /* there may be no hit at all */
    WEDGE_TRY(job_reserve(job, &held->values, (count + 1) * job->size));
    if (count) WEDGE_TRY(find_values(f, &r));
    WEDGE_TRY(rank(f, to, &r));
    return job->dev->backend->wait(job->dev, job->queue);
}

wedge_status nearest_gpu_hits(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, hits **out) {
    nearest_held *held = job->held;
    wedge_status status = hits_open(job, &held->hits, begin, end, memory, out);
    if (*out) (*out)->limits = &held->limits, (*out)->distinct = !job->domain.kind->two_sets;
    return status;
}

/* ---- Rows ---- */

static wedge_status run_hits(hits *f, const row_results *to, pace *p) {
    for (uint64_t at = f->begin; at < f->end;) {
        uint64_t end, count;
        WEDGE_TRY(hits_next(f, at, &end, &count, p));
        WEDGE_TRY(finish(f, to, count));
        at = end;
    }
    return WEDGE_OK;
}

/* Finds that a row is likely to have. */
static uint64_t hits_of_row(const wedge_job *job) {
    uint64_t k = job->sink.smallest, m = job->domain.m, window = nearest_gpu_window(job);
    uint64_t likely = HITS_TIMES * (job->info.pruned ? k : (k * m + window - 1) / window);
    return likely < m ? likely : m;
}

/* Rows [row, row + rows) of the caller's. */
static wedge_status run_rows(wedge_job *job, const row_results *to, uint64_t row, uint64_t rows, pace *p) {
    nearest_held *held = job->held;
    uint64_t m = job->domain.m, likely = hits_of_row(job) * rows, bytes;
    hits *f = NULL;
    WEDGE_TRY(job->dev->backend->memory_free(job->dev, &bytes));
    if (likely > MOST_HITS) likely = MOST_HITS;
    if (likely > bytes / 16 / sizeof(hit)) likely = bytes / 16 / sizeof(hit);
    WEDGE_TRY(
        job_reserve(job, &held->hits.found, (likely + FOUND_HEAD) * sizeof(hit))); /* hits begin with what is there */
    wedge_status status = nearest_gpu_hits(job, row * m, (row + rows) * m, 0, &f);
    if (!status) status = run_hits(f, to, p);
    hits_close(f);
    return status;
}

/* Along a curve rows lie anywhere: all of them at once. Else some rows of tiles at a time. */
wedge_status nearest_gpu(wedge_job *job, const row_results *rows, pace *p) {
    uint64_t tile = job->shape.tile, most = MOST_HITS / hits_of_row(job) / tile * tile, past = rows->row + rows->rows;
    if (!rows->rows) return WEDGE_OK;
    WEDGE_TRY(nearest_gpu_limits(job, rows, p));
    if (job->info.pruned) return run_rows(job, rows, rows->row, rows->rows, p);
    if (most < tile) most = tile;
    for (uint64_t row = rows->row, end; row < past; row = end) {
        end = (row / tile * tile) + most < past ? (row / tile * tile) + most : past;
        WEDGE_TRY(run_rows(job, rows, row, end - row, p));
    }
    return WEDGE_OK;
}
