/* marks_gpu.c: marks to a list on a GPU; the kernels are in kernels/select.h.
 *
 * SPDX-License-Identifier: MIT */
#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/select/marks.h"

enum { BLOCK = 64 };

static select_args args_of(const marks_batch *b) {
    const marks_area *a = &b->area;
    return (select_args){.rows = (uint32_t)a->rows,
                         .words = (uint32_t)a->words,
                         .row = (uint32_t)a->row,
                         .word = (uint32_t)a->word,
                         .chunks = (uint32_t)b->chunks};
}

static wedge_status launch(marks_batch *b, const char *name, const kernel_arg *args, int count) {
    wedge_device *dev = b->job->dev;
    grid_launch l = {{(uint32_t)ceil_div(b->area.rows, BLOCK), (uint32_t)b->chunks, 1}, {BLOCK, 1, 1}, args, count};
    wedge_status status = gpu_launch(b->job, b->job->gpu.program, name, l);
    wedge_status waited = dev->backend->wait(dev, b->job->queue);
    return status ? status : waited;
}

static wedge_status tally(marks_batch *b) {
    wedge_device *dev = b->job->dev;
    select_args s = args_of(b);
    pairs_args a;
    uint64_t first, last;
    gpu_range_args(b->job, b->begin, b->end, &a, &first, &last);
    const kernel_arg args[] = {ARG_BUFFER(b->marks), ARG_BUFFER(&b->on_device), ARG_VALUE(s), ARG_VALUE(a)};
    WEDGE_TRY(launch(b, "select_tally", args, 4));
    uint64_t bytes = b->area.rows * b->chunks * sizeof *b->counts;
    WEDGE_TRY(dev->backend->read(dev, b->job->queue, b->counts, &b->on_device, 0, bytes));
    return dev->backend->wait(dev, b->job->queue);
}

static wedge_status list(marks_batch *b, const select_target *to) {
    wedge_device *dev = b->job->dev;
    wedge_job *job = b->job;
    select_args s = args_of(b);
    pairs_args a;
    uint64_t first, last;
    const gpu_parameters p = gpu_parameters_of(job);
    gpu_range_args(job, b->begin, b->end, &a, &first, &last);
    s.pairs = to->pairs.handle != NULL, s.values = to->values.handle != NULL;
    s.least = to->least, s.most = to->most, s.pair_shift = to->pair_shift, s.value_shift = to->value_shift;
    uint64_t bytes = (b->area.rows * b->chunks + 1) * sizeof *b->starts_at;
    WEDGE_TRY(dev->backend->write(dev, job->queue, &b->on_device, 0, b->starts_at, bytes));
    const buffer *any = &b->on_device; /* in place of what is not wanted: never touched */
    const kernel_arg args[] = {ARG_BUFFER(b->marks),
                               ARG_BUFFER(&b->on_device),
                               ARG_BUFFER(s.pairs ? &to->pairs : any),
                               ARG_BUFFER(s.values ? &to->values : any),
                               ARG_BUFFER(gpu_columns(job)),
                               ARG_BUFFER(&job->points.rows),
                               ARG_VALUE(s),
                               ARG_VALUE(a),
                               GPU_PARAMETERS(p, job)};
    return launch(b, "select_list", args, 9);
}

const marks_path marks_gpu = {tally, list};
