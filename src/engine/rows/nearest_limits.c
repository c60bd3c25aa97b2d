/* nearest_limits.c: a limit for each row, on a GPU; the kernels are in knn.h.
 *
 * A limit comes from the row's window: where points lie along a curve, columns close to the row's own point, or with two sets
 * those in the closest tile; otherwise columns spread over all. A row of tiles is compared with the largest limit of its rows.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/dtype.h"
#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/prune/prune.h"
#include "engine/rows/nearest.h"

enum { CLOSE_WINDOW = 256, CLOSE_TIMES = 4, FAR_WINDOW = 2048, FAR_TIMES = 48 };
enum { WINDOW_NUMBERS = 1 << 24, SLOW_NUMBERS = 1 << 20 }; /* at a time: on a GPU, and features of what is none */

typedef struct {
    wedge_job *job;
    knn_args knn;
    pairs_args args;
    uint64_t first, past; /* rows, in the job's order */
    uint64_t most;        /* at a time */
} limiter;

/* Along a curve few are enough. From anywhere, of m columns about m * k / window come within the limit: as each costs some
 * FAR_TIMES as much as a column of the window, the least in all is at the root. */
uint64_t nearest_gpu_window(const wedge_job *job) {
    uint64_t m = job->domain.m, k = job->sink.smallest, tile = job->shape.tile, window;
    if (job->info.pruned) {
        window = CLOSE_TIMES * k > CLOSE_WINDOW ? CLOSE_TIMES * k : CLOSE_WINDOW;
        if (job->domain.kind->two_sets && window < 2 * tile) window = 2 * tile;
    } else {
        window = (uint64_t)sqrt((double)FAR_TIMES * (double)k * (double)m);
        if (window < FAR_WINDOW) window = FAR_WINDOW;
    }
    return window < m ? window : m;
}

/* As knn.h has KNN_TILES; and where leaves.h may have CELLS_HAVE_KEYS. */
static bool by_tiles(const wedge_job *job) { return !job->shape.few && !job->dev->no_shared; }
static bool may_have_keys(const wedge_job *job) {
    return job->shape.few && (job->op->key[0] || job->op->find_key) && !job->dev->no_shared;
}

static wedge_status make_windows(const limiter *l) {
    wedge_job *job = l->job;
    const nearest_held *held = job->held;
    const gpu_parameters p = gpu_parameters_of(job);
    uint64_t tile = job->shape.tile, blocks = ceil_div(l->knn.rows, tile) * ceil_div(l->knn.window, tile);
    const kernel_arg args[] = {ARG_BUFFER(job->info.pruned ? &job->prune.boxes : &job->points.rows),
                               ARG_BUFFER(gpu_columns(job)),
                               ARG_BUFFER(&job->points.rows),
                               ARG_BUFFER(&held->windows),
                               ARG_VALUE(l->knn),
                               ARG_VALUE(l->args),
                               GPU_PARAMETERS(p, job)};
    const grid_launch tiles = {{(uint32_t)blocks, 1, 1}, {LANES, job->shape.warps, 1}, args, 7};
    return gpu_launch(job, job->gpu.program, "knn_window", tiles);
}

static wedge_status make_keys(const limiter *l) {
    wedge_job *job = l->job;
    const nearest_held *held = job->held;
    const gpu_parameters p = gpu_parameters_of(job);
    const kernel_arg args[] = {ARG_BUFFER(&held->limits), ARG_VALUE(l->knn), ARG_VALUE(l->args),
                               GPU_PARAMETERS(p, job)};
    const grid_launch rows = {{(uint32_t)ceil_div(l->knn.rows, KNN_BLOCK), 1, 1}, {KNN_BLOCK, 1, 1}, args, 4};
    return gpu_launch(job, job->gpu.program, "knn_keys", rows);
}

/* Parts [begin, end) of the rows, `most` each. They use the same room, one after the other. */
static wedge_status limit_rows(void *user, uint64_t begin, uint64_t end) {
    limiter *l = user;
    wedge_job *job = l->job;
    const nearest_held *held = job->held;
    const gpu_parameters p = gpu_parameters_of(job);
    for (uint64_t part = begin; part < end; ++part) {
        uint64_t row = l->first + part * l->most, rows = l->past - row < l->most ? l->past - row : l->most;
        l->knn.row = (uint32_t)row, l->knn.rows = (uint32_t)rows;
        if (by_tiles(job)) WEDGE_TRY(make_windows(l));
        const kernel_arg args[] = {ARG_BUFFER(&job->curve.order[0]),
                                   ARG_BUFFER(job->info.pruned ? &job->prune.boxes : &job->points.rows),
                                   ARG_BUFFER(gpu_columns(job)),
                                   ARG_BUFFER(&job->points.rows),
                                   ARG_BUFFER(&held->windows),
                                   ARG_BUFFER(&held->limits),
                                   ARG_VALUE(l->knn),
                                   ARG_VALUE(l->args),
                                   GPU_PARAMETERS(p, job)};
        const grid_launch blocks = {{(uint32_t)rows, 1, 1}, {KNN_BLOCK, 1, 1}, args, 9};
        WEDGE_TRY(gpu_launch(job, job->gpu.program, "knn_limits", blocks));
        if (may_have_keys(job)) WEDGE_TRY(make_keys(l));
    }
    return WEDGE_OK;
}

/* ---- Rows of tiles ---- */

static void raise_tops(const wedge_job *job, void *tops, uint64_t count) {
    for (uint64_t t = 0; t < count; ++t)
        dtype_put(tops, t, prune_raise(job, dtype_get(tops, t, job->pairs.dtype)), job->pairs.dtype);
}

static wedge_status read_and_raise(wedge_job *job, void *tops, uint64_t count) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    WEDGE_TRY(b->read(dev, job->queue, tops, &job->prune.limits, 0, count * job->size));
    WEDGE_TRY(b->wait(dev, job->queue));
    raise_tops(job, tops, count);
    WEDGE_TRY(b->write(dev, job->queue, &job->prune.limits, 0, tops, count * job->size));
    return b->wait(dev, job->queue);
}

static wedge_status limit_tiles(const limiter *l) {
    wedge_job *job = l->job;
    const nearest_held *held = job->held;
    uint64_t count = ceil_div(job->domain.n, job->shape.tile);
    const kernel_arg args[] = {ARG_BUFFER(&held->limits), ARG_BUFFER(&job->prune.limits), ARG_VALUE(l->args)};
    const grid_launch tops_of = {{(uint32_t)ceil_div(count, RANK_BLOCK), 1, 1}, {RANK_BLOCK, 1, 1}, args, 3};
    WEDGE_TRY(gpu_launch(job, job->gpu.program, "knn_tops", tops_of));
    void *tops = malloc(count * job->size);
    WEDGE_CHECK(tops, &job->dev->note, WEDGE_NO_MEMORY, "no memory for %" PRIu64 " rows of tiles", count);
    wedge_status status = read_and_raise(job, tops, count);
    free(tops);
    return status;
}

/* ---- The whole ---- */

/* Limits of values, then of keys (sinks/select.h), of rows in whole tiles. Those that no run has made are read too, of rows
 * that lie outside: they are never used, and 0. */
static wedge_status make_room(limiter *l) {
    wedge_job *job = l->job;
    nearest_held *held = job->held;
    wedge_device *dev = job->dev;
    uint64_t rows = ceil_div(job->domain.n, job->shape.tile) * job->shape.tile, bytes = 2 * rows * job->size;
    if (held->limits.bytes < bytes) {
        WEDGE_TRY(job_reserve(job, &held->limits, bytes));
        WEDGE_TRY(dev->backend->fill(dev, job->queue, &held->limits, 0, bytes, 0));
    }
    return job_reserve(job, &held->windows, l->most * l->knn.window * job->size);
}

wedge_status nearest_gpu_limits(wedge_job *job, const row_results *rows, pace *p) {
    limiter l = {.job = job, .first = 0, .past = job->domain.n};
    uint64_t first, last, window = nearest_gpu_window(job);
    bool gpu = job->dev->info.is_gpu, two_sets = job->domain.kind->two_sets;
    gpu_range_args(job, 0, job->info.cells, &l.args, &first, &last);
    if (!job->info.pruned) l.first = rows->row, l.past = rows->row + rows->rows;
    l.most = gpu ? WINDOW_NUMBERS / window : SLOW_NUMBERS / (window * job->pairs.d);
    if (l.most < KNN_BLOCK) l.most = KNN_BLOCK; /* a multiple of a tile of many features */
    l.most = l.most / KNN_BLOCK * KNN_BLOCK;
    if (l.most > l.past - l.first) l.most = l.past - l.first;
    l.knn = (knn_args){.first_row = (uint32_t)rows->row,
                       .last_row = (uint32_t)(rows->row + rows->rows - 1),
                       .window = (uint32_t)window,
                       .stride = job->info.pruned ? 1 : (uint32_t)(job->domain.m / window),
                       .k = job->sink.smallest,
                       .distinct = !two_sets,
                       .tiles = job->info.pruned && two_sets ? l.args.columns : 0};
    WEDGE_TRY(make_room(&l));
    pace_items parts = {ceil_div(l.past - l.first, l.most), (double)l.most * (double)window, 1};
    WEDGE_TRY(pace_run(p, job->dev, job->queue, parts, limit_rows, &l));
    return job->info.pruned ? limit_tiles(&l) : WEDGE_OK;
}
