/* hits_gpu.c: hits on a GPU; the kernels are in found.h, that of values in kernels/prune.h.
 *
 * SPDX-License-Identifier: MIT */
#include "core/maps.h"
#include "engine/prune/order.h"
#include "engine/range/gpu.h"
#include "engine/select/hits.h"

enum { VALUES_BLOCK = 64 };

static found_args args_of(const hits *f) {
    return (found_args){.base = f->batch.base,
                        .hits = (uint32_t)f->taken,
                        .folds = f->folds,
                        .above = f->above,
                        .first_row = (uint32_t)f->first_row,
                        .last_row = (uint32_t)f->last_row,
                        .first_column = (uint32_t)f->first_column,
                        .last_column = (uint32_t)f->last_column,
                        .row = (uint32_t)f->batch.row,
                        .rows = (uint32_t)f->batch.rows,
                        .distinct = f->distinct};
}

/* A thread for each of `count`. */
static grid_launch each(uint64_t count, const kernel_arg *args, int arg_count) {
    return (grid_launch){{(uint32_t)ceil_div(count, FOUND_BLOCK), 1, 1}, {FOUND_BLOCK, 1, 1}, args, arg_count};
}

static const buffer *order_of(const hits *f, int which) {
    return &f->job->curve.order[which && f->job->domain.kind->two_sets];
}

static wedge_status open_gpu(hits *f) { return order_tools(f->job); }

static void close_gpu(hits *f) {
    wedge_device *dev = f->job->dev;
    dev->backend->buffer_free(dev, &f->gpu.sorted);
    dev->backend->buffer_free(dev, &f->gpu.pairs);
    for (int k = 0; k < 2; ++k) dev->backend->buffer_free(dev, &f->gpu.turned[k]);
}

static wedge_status read_word(const hits *f, const buffer *from, size_t at, void *word, size_t size) {
    wedge_device *dev = f->job->dev;
    WEDGE_TRY(dev->backend->read(dev, f->job->queue, word, from, at, size));
    return dev->backend->wait(dev, f->job->queue);
}

static wedge_status find_gpu(hits *f, uint64_t begin, uint64_t end, pace *p) {
    wedge_job *job = f->job;
    gpu_hits left = {.room = f->room.room};
    gpu_range g = {.job = job, .queue = job->queue, .out = &f->kept->found, .limits = f->limits, .hits = &left};
    uint64_t first, last;
    gpu_range_args(job, begin, end, &g.args, &first, &last);
    g.args.capacity = (uint32_t)f->room.room;
    if (gpu_is_mirrored(job)) g.args.whole_begin = 0, g.args.whole_end = g.args.side;
    WEDGE_TRY(job->dev->backend->fill(job->dev, job->queue, &f->kept->found, 0, FOUND_HEAD * sizeof(uint32_t), 0));
    wedge_status status =
        gpu_launch_rows(&g, (first + g.args.pad) / job->shape.tile, (last + g.args.pad) / job->shape.tile, p);
    f->taken = left.taken;
    return status;
}

/* ---- Rows ---- */

static wedge_status tally(hits *f) {
    found_args a = args_of(f);
    const kernel_arg args[] = {ARG_BUFFER(&f->kept->found), ARG_BUFFER(order_of(f, 0)), ARG_BUFFER(order_of(f, 1)),
                               ARG_BUFFER(&f->counts), ARG_VALUE(a)};
    return gpu_launch(f->job, f->job->gpu.tools, "found_tally", each(f->taken, args, 5));
}

static wedge_status start_at(hits *f, uint64_t row, uint64_t *start) {
    uint64_t rows = f->last_row - f->first_row + 1;
    *start = row ? f->total : 0;
    return row % rows ? read_word(f, &f->starts, row * sizeof *start, start, sizeof *start) : WEDGE_OK;
}

static wedge_status scan(hits *f) {
    uint64_t rows = f->last_row - f->first_row + 1;
    WEDGE_TRY(gpu_scan(f->job, &f->counts, rows, &f->starts));
    return read_word(f, &f->starts, rows * sizeof f->total, &f->total, sizeof f->total);
}

static wedge_status batch(hits *f) {
    wedge_device *dev = f->job->dev;
    return dev->backend->fill(dev, f->job->queue, &f->counts, 0, f->counts.bytes, 0);
}

static wedge_status fill(hits *f) {
    found_args a = args_of(f);
    const kernel_arg args[] = {ARG_BUFFER(&f->kept->found),
                               ARG_BUFFER(order_of(f, 0)),
                               ARG_BUFFER(order_of(f, 1)),
                               ARG_BUFFER(&f->counts),
                               ARG_BUFFER(&f->starts),
                               ARG_BUFFER(&f->kept->columns),
                               ARG_VALUE(a)};
    return gpu_launch(f->job, f->job->gpu.tools, "found_fill", each(f->taken, args, 7));
}

/* Counts are not needed any more, and cleared before the next batch: their first word says that some rows are long. */
static wedge_status sort(hits *f) {
    wedge_device *dev = f->job->dev;
    uint64_t past, columns = f->job->domain.m;
    uint32_t some_long = 0;
    found_args a = args_of(f);
    WEDGE_TRY(start_at(f, f->batch.row + f->batch.rows, &past));
    a.most = past - f->batch.base;
    if (f->gpu.sorted.bytes < a.most * sizeof(uint32_t)) {
        dev->backend->buffer_free(dev, &f->gpu.sorted);
        WEDGE_TRY(dev->backend->buffer_new(dev, a.most * sizeof(uint32_t), ON_DEVICE, &f->gpu.sorted));
    }
    WEDGE_TRY(dev->backend->fill(dev, f->job->queue, &f->counts, 0, sizeof some_long, 0));
    const kernel_arg args[] = {ARG_BUFFER(&f->kept->columns), ARG_BUFFER(&f->starts), ARG_BUFFER(&f->gpu.sorted),
                               ARG_BUFFER(&f->counts), ARG_VALUE(a)};
    WEDGE_TRY(gpu_launch(f->job, f->job->gpu.tools, "found_sort", each(a.most, args, 5)));
    WEDGE_TRY(read_word(f, &f->counts, 0, &some_long, sizeof some_long));
    const kernel_arg rows[] = {ARG_BUFFER(&f->kept->columns), ARG_BUFFER(&f->starts), ARG_BUFFER(&f->gpu.sorted),
                               ARG_VALUE(a)};
    grid_launch l = {{a.rows, (uint32_t)ceil_div(columns, FOUND_WINDOW), 1}, {FOUND_BLOCK, 1, 1}, rows, 4};
    return some_long ? gpu_launch(f->job, f->job->gpu.tools, "found_sort_long", l) : WEDGE_OK;
}

/* ---- The list ---- */

wedge_status hits_gpu_turn(hits *f) {
    wedge_device *dev = f->job->dev;
    if (f->gpu.turned[1].bytes) return WEDGE_OK;
    for (int k = 0; k < 2; ++k) {
        uint32_t n = (uint32_t)(k ? f->job->domain.m : f->job->domain.n);
        WEDGE_TRY(dev->backend->buffer_new(dev, n * sizeof(uint32_t), ON_DEVICE, &f->gpu.turned[k]));
        const kernel_arg args[] = {ARG_BUFFER(order_of(f, k)), ARG_BUFFER(&f->gpu.turned[k]), ARG_VALUE(n)};
        WEDGE_TRY(gpu_launch(f->job, f->job->gpu.tools, "found_turn", each(n, args, 3)));
    }
    return WEDGE_OK;
}

static wedge_status list_pairs(const hits *f, const select_target *to, const buffer *pairs, uint64_t shift) {
    found_args a = args_of(f);
    a.least = to->least, a.most = to->most, a.shift = shift;
    const kernel_arg args[] = {ARG_BUFFER(&f->gpu.sorted), ARG_BUFFER(&f->starts), ARG_BUFFER(pairs), ARG_VALUE(a)};
    return gpu_launch(f->job, f->job->gpu.tools, "found_list", each(to->most - to->least, args, 4));
}

static wedge_status list_values(hits *f, const select_target *to, const buffer *pairs, uint64_t shift) {
    const wedge_job *job = f->job;
    const gpu_parameters p = gpu_parameters_of(job);
    uint64_t count = to->most - to->least, value_shift = to->value_shift;
    pairs_args a = gpu_args_of(job, job->domain.m);
    WEDGE_TRY(hits_gpu_turn(f));
    const kernel_arg args[] = {ARG_BUFFER(pairs),
                               ARG_VALUE(shift),
                               ARG_BUFFER(&to->values),
                               ARG_VALUE(value_shift),
                               ARG_VALUE(count),
                               ARG_BUFFER(&f->gpu.turned[0]),
                               ARG_BUFFER(&f->gpu.turned[1]),
                               ARG_BUFFER(gpu_columns(job)),
                               ARG_BUFFER(&job->points.rows),
                               ARG_VALUE(a),
                               GPU_PARAMETERS(p, job)};
    grid_launch l = {{(uint32_t)ceil_div(count, VALUES_BLOCK), 1, 1}, {VALUES_BLOCK, 1, 1}, args, 11};
    return gpu_launch(job, job->gpu.program, "found_values", l);
}

static wedge_status list(hits *f, const select_target *to) {
    wedge_device *dev = f->job->dev;
    uint64_t bytes = (to->most - to->least) * 2 * sizeof(int64_t);
    bool given = to->pairs.handle;
    if (!given && f->gpu.pairs.bytes < bytes) { /* values alone: their pairs are listed all the same */
        dev->backend->buffer_free(dev, &f->gpu.pairs);
        WEDGE_TRY(dev->backend->buffer_new(dev, bytes, ON_DEVICE, &f->gpu.pairs));
    }
    const buffer *pairs = given ? &to->pairs : &f->gpu.pairs;
    uint64_t shift = given ? to->pair_shift : 0;
    WEDGE_TRY(list_pairs(f, to, pairs, shift));
    if (to->values.handle) WEDGE_TRY(list_values(f, to, pairs, shift));
    return dev->backend->wait(dev, f->job->queue);
}

const hits_path hits_gpu = {open_gpu, close_gpu, find_gpu, tally, scan, start_at, batch, fill, sort, list};
