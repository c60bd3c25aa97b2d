/* triples/gpu.c: triplets on a GPU; the kernels are in triples_sides.h and triples_pull.h.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/triples/gpu.h"

#include <math.h>
#include <stdlib.h>

#include "core/maps.h"
#include "engine/gpu/args.h"
#include "wedge/map.h"

#define PARTS_BYTES (UINT64_C(1) << 28)

static uint32_t tiles_of(const wedge_job *job) { return (uint32_t)ceil_div(job->domain.n, job->shape.tile); }

/* ---- A cutoff ---- */

/* Two numbers: what squares are compared with, and the bounds of boxes. */
static wedge_status write_limits(wedge_job *job) {
    double most = op_find("euclidean")->key[job->pairs.dtype](job->cutoff);
    return gpu_write_numbers(job, &job->prune.limits, (const double[]){most, job->info.pruned ? most : INFINITY}, 2);
}

wedge_status triples_reach(wedge_job *job) {
    const gpu_parameters p = gpu_parameters_of(job);
    uint32_t tiles = tiles_of(job), none = 0;
    uint64_t words = tiles * ceil_div(tiles, 32), numbers = tiles * job->pairs.d;
    pairs_args a = gpu_args_of(job, job->domain.n);
    a.side = a.points;
    WEDGE_TRY(job_reserve(job, &job->prune.boxes, 2 * numbers * job->size));
    WEDGE_TRY(job_reserve(job, &job->prune.tiles, words * sizeof(uint32_t)));
    WEDGE_TRY(write_limits(job));
    const kernel_arg boxes[] = {ARG_BUFFER(&job->points.rows),
                                ARG_BUFFER(&job->points.rows),
                                ARG_BUFFER(&job->prune.boxes),
                                ARG_VALUE(tiles),
                                ARG_VALUE(none),
                                ARG_VALUE(a)};
    const kernel_arg reach[] = {ARG_BUFFER(&job->prune.boxes), ARG_BUFFER(&job->prune.limits),
                                ARG_BUFFER(&job->prune.tiles), ARG_VALUE(a), GPU_PARAMETERS(p, job)};
    grid_launch l = {{(uint32_t)ceil_div(numbers, LIST_BLOCK), 1, 1}, {LIST_BLOCK, 1, 1}, boxes, 6};
    WEDGE_TRY(gpu_launch(job, job->gpu.program, "tile_boxes", l));
    l = (grid_launch){{(uint32_t)ceil_div(words, LIST_BLOCK), 1, 1}, {LIST_BLOCK, 1, 1}, reach, 5};
    return gpu_launch(job, job->gpu.program, "triples_reach", l);
}

/* Of each block: triplets, and tiles of them. */
wedge_status triples_count_begin(wedge_job *job) {
    uint64_t bytes = 2 * job->gpu.resident * sizeof(uint64_t);
    WEDGE_TRY(job_reserve(job, &job->prune.counts, bytes));
    return job->dev->backend->fill(job->dev, job->queue, &job->prune.counts, 0, bytes, 0);
}

wedge_status triples_count_end(wedge_job *job, uint64_t *inside) {
    wedge_device *dev = job->dev;
    uint64_t tile = job->shape.tile, bytes = 2 * job->gpu.resident * sizeof(uint64_t), *counts = malloc(bytes);
    WEDGE_CHECK(counts, &dev->note, WEDGE_NO_MEMORY, "no memory for the counts of %u blocks", job->gpu.resident);
    wedge_status status = dev->backend->read(dev, job->queue, counts, &job->prune.counts, 0, bytes);
    wedge_status waited = dev->backend->wait(dev, job->queue);
    if (!status) status = waited;
    *inside = 0;
    for (uint32_t b = 0; b < job->gpu.resident && !status; ++b) {
        *inside += counts[2 * b];
        if (job->info.pruned) job->info.computed += counts[2 * b + 1] * tile * tile * tile;
    }
    free(counts);
    return status;
}

/* ---- What each point gets ---- */

typedef struct {
    wedge_job *job;
    const row_results *to;
    pull_args pull;
    pairs_args args;
    uint32_t subs; /* parts of a tile's points that blocks take */
    buffer parts[2], counts[2], sums,
        counted; /* sums and counts of parts: [0] of points i, [1] of points j; then of all tiles so far */
} pull_run;

/* Units [begin, end) of the rows of tiles at hand. */
static wedge_status run_units(void *user, uint64_t begin, uint64_t end) {
    const pull_run *r = user;
    const wedge_job *job = r->job;
    const gpu_parameters p = gpu_parameters_of(job);
    uint64_t most = job->dev->no_shared ? job->dev->info.max_grid[0] : UINT64_MAX;
    for (uint64_t at = begin, units; at < end; at += units) {
        units = end - at < most ? end - at : most;
        uint64_t blocks = job->dev->no_shared || units < job->gpu.resident ? units : job->gpu.resident;
        wedge_launch where = {.base = wedge_tri64(r->pull.first) * r->subs + at,
                              .a = (uint32_t)(units / blocks),
                              .b = (uint32_t)(units % blocks),
                              .grid = {(uint32_t)blocks, 1, 1}};
        const kernel_arg args[] = {ARG_VALUE(where),
                                   ARG_BUFFER(&job->points.rows),
                                   ARG_BUFFER(&r->parts[0]),
                                   ARG_BUFFER(&r->parts[1]),
                                   ARG_BUFFER(&r->counts[0]),
                                   ARG_BUFFER(&r->counts[1]),
                                   ARG_VALUE(r->pull),
                                   ARG_VALUE(r->args),
                                   GPU_PARAMETERS(p, job),
                                   ARG_BUFFER(&job->prune.tiles),
                                   ARG_BUFFER(&job->prune.limits)};
        grid_launch l = {{(uint32_t)blocks, 1, 1}, {LANES, job->shape.warps, 1}, args, job->curve.ordered ? 11 : 9};
        WEDGE_TRY(job->dev->backend->launch(job->dev, job->queue, job->gpu.kernel, &l));
    }
    return WEDGE_OK;
}

/* Memory that is not wanted is not written; the sums stand for it. */
static wedge_status finish(const pull_run *r) {
    const wedge_job *job = r->job;
    const buffer *out = r->to->values.memory.handle ? &r->to->values.memory : &r->sums;
    const buffer *counts = r->to->whole.memory.handle ? &r->to->whole.memory : &r->counted;
    const kernel_arg args[] = {ARG_BUFFER(&r->parts[0]),
                               ARG_BUFFER(&r->parts[1]),
                               ARG_BUFFER(&r->counts[0]),
                               ARG_BUFFER(&r->counts[1]),
                               ARG_BUFFER(&r->sums),
                               ARG_BUFFER(&r->counted),
                               ARG_BUFFER(job->curve.ordered ? &job->curve.order[0] : &r->counts[0]),
                               ARG_BUFFER(out),
                               ARG_BUFFER(counts),
                               ARG_VALUE(r->pull),
                               ARG_VALUE(r->args)};
    uint64_t threads = job->domain.n * job->info.values;
    grid_launch l = {{(uint32_t)ceil_div(threads, FINISH_BLOCK), 1, 1}, {FINISH_BLOCK, 1, 1}, args, 11};
    return gpu_launch(job, job->gpu.program, "pull_finish", l);
}

/* Some rows of tiles at a time: parts of all of them could be too many. */
static wedge_status run_bands(pull_run *r, uint32_t most, pace *p) {
    const wedge_job *job = r->job;
    uint64_t tile = job->shape.tile;
    for (uint32_t first = 0; first < r->pull.tiles; first += r->pull.rows) {
        r->pull.first = first;
        r->pull.rows = r->pull.tiles - first < most ? r->pull.tiles - first : most;
        r->pull.last = first + r->pull.rows == r->pull.tiles;
        uint64_t units = (wedge_tri64(first + r->pull.rows) - wedge_tri64(first)) * r->subs;
        pace_items all = {units, (double)(tile * tile / r->subs) * (double)job->domain.n, job->dev->info.units};
        WEDGE_TRY(pace_run(p, job->dev, job->queue, all, run_units, r));
        WEDGE_TRY(finish(r));
    }
    return job->dev->backend->wait(job->dev, job->queue);
}

static wedge_status make_room(pull_run *r, uint32_t rows) {
    wedge_device *dev = r->job->dev;
    uint64_t n = r->job->domain.n, tile = r->job->shape.tile, of[2], cell = r->job->cell_size;
    of[0] = rows * tile * r->pull.tiles, of[1] = (uint64_t)rows * r->subs * r->pull.tiles * tile;
    for (int k = 0; k < 2; ++k) {
        WEDGE_TRY(dev->backend->buffer_new(dev, of[k] * cell, ON_DEVICE, &r->parts[k]));
        WEDGE_TRY(dev->backend->buffer_new(dev, of[k] * sizeof(uint32_t), ON_DEVICE, &r->counts[k]));
    }
    WEDGE_TRY(dev->backend->buffer_new(dev, 2 * n * cell, ON_DEVICE, &r->sums));
    WEDGE_TRY(dev->backend->buffer_new(dev, n * sizeof(uint64_t), ON_DEVICE, &r->counted));
    WEDGE_TRY(dev->backend->fill(dev, r->job->queue, &r->sums, 0, r->sums.bytes, 0));
    return dev->backend->fill(dev, r->job->queue, &r->counted, 0, r->counted.bytes, 0);
}

static void drop_room(pull_run *r) {
    wedge_device *dev = r->job->dev;
    for (int k = 0; k < 2; ++k) {
        dev->backend->buffer_free(dev, &r->parts[k]);
        dev->backend->buffer_free(dev, &r->counts[k]);
    }
    dev->backend->buffer_free(dev, &r->sums);
    dev->backend->buffer_free(dev, &r->counted);
}

wedge_status triples_scatter_gpu(wedge_job *job, const row_results *to, pace *p) {
    uint64_t tile = job->shape.tile;
    pull_run r = {.job = job, .to = to, .subs = (uint32_t)tile / (job->shape.rows * job->shape.warps)};
    r.args = gpu_args_of(job, job->domain.n);
    r.pull = (pull_args){.to_counts = to->whole.first,
                         .to_sums = to->values.first,
                         .tiles = tiles_of(job),
                         .gives_counts = to->whole.memory.handle != NULL,
                         .gives_sums = to->values.memory.handle != NULL};
    uint64_t row_bytes = (1 + r.subs) * tile * r.pull.tiles * (job->cell_size + sizeof(uint32_t));
    uint64_t most = PARTS_BYTES / row_bytes;
    if (most < 1) most = 1;
    if (most > r.pull.tiles) most = r.pull.tiles;
    wedge_status status = make_room(&r, (uint32_t)most);
    if (!status) status = run_bands(&r, (uint32_t)most, p);
    job->dev->backend->wait(job->dev, job->queue); /* also where a launch failed */
    drop_room(&r);
    return status;
}
