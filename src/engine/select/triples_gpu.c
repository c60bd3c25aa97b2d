/* triples_gpu.c: hits of triplets on a GPU: sinks/select.h leaves them, order_gpu.c sorts them, and the kernel of the list is in
 * triples_found.h.
 *
 * kept->found begins with two words, the number of hits; then come the positions, which are the keys, and the values. Set to 0, the
 * head is sorted as the first of the keys.
 *
 * SPDX-License-Identifier: MIT */
#include "core/maps.h"
#include "engine/prune/order.h"
#include "engine/range/gpu.h"
#include "engine/select/triples.h"
#include "engine/triples/gpu.h"

enum { KEY = sizeof(uint64_t), HEAD = KEY };

static size_t bytes_of(const wedge_job *job) { return KEY + job->size; }

static wedge_status find(triples_hits *f, pace *p) {
    wedge_job *job = f->job;
    wedge_device *dev = job->dev;
    gpu_range g = {.job = job, .queue = job->queue, .out = &f->kept->found};
    uint64_t first, last;
    gpu_range_args(job, f->from, f->to, &g.args, &first, &last);
    g.args.capacity = (uint32_t)f->room.room;
    WEDGE_TRY(dev->backend->fill(dev, job->queue, &f->kept->found, 0, HEAD, 0));
    if (job->curve.ordered) WEDGE_TRY(triples_count_begin(job));
    WEDGE_TRY(gpu_launch_rows(&g, first, last, p));
    WEDGE_TRY(dev->backend->read(dev, job->queue, &f->count, &f->kept->found, 0, HEAD));
    WEDGE_TRY(dev->backend->wait(dev, job->queue));
    return job->curve.ordered ? triples_count_end(job, &(uint64_t){0}) : WEDGE_OK;
}

static wedge_status room_for(const triples_hits *f, buffer *b, uint64_t bytes) {
    wedge_device *dev = f->job->dev;
    if (b->bytes >= bytes) return WEDGE_OK;
    dev->backend->buffer_free(dev, b);
    *b = (buffer){0};
    return dev->backend->buffer_new(dev, bytes, ON_DEVICE, b);
}

static wedge_status sort(triples_hits *f) {
    wedge_job *job = f->job;
    uint64_t n = f->count + 1;
    uint32_t bits = 0;
    WEDGE_TRY(room_for(f, &f->keys, n * KEY));
    for (int k = 0; k < 2; ++k) WEDGE_TRY(room_for(f, &f->indices[k], n * sizeof(uint32_t)));
    WEDGE_TRY(job->dev->backend->fill(job->dev, job->queue, &f->kept->found, 0, HEAD, 0));
    while (bits < 64 && (f->to - 1) >> bits) ++bits;
    return gpu_sort(job, (const buffer[]){f->kept->found, f->keys}, f->indices, n, bits, &f->sorted);
}

static wedge_status list(triples_hits *f, const select_target *to) {
    wedge_job *job = f->job;
    const buffer *keys = f->sorted ? &f->keys : &f->kept->found;
    found_triples_args a = {.least = to->least,
                            .most = to->most,
                            .pair_shift = to->pair_shift,
                            .value_shift = to->value_shift,
                            .found_values = (HEAD + f->room.room * KEY) / job->size,
                            .pairs = to->pairs.handle != NULL,
                            .values = to->values.handle != NULL};
    const kernel_arg args[] = {ARG_BUFFER(keys),
                               ARG_BUFFER(&f->indices[f->sorted]),
                               ARG_BUFFER(&f->kept->found),
                               ARG_BUFFER(a.pairs ? &to->pairs : keys), /* what is not wanted is never touched */
                               ARG_BUFFER(a.values ? &to->values : keys),
                               ARG_VALUE(a)};
    grid_launch l = {{(uint32_t)ceil_div(to->most - to->least, FOUND_BLOCK), 1, 1}, {FOUND_BLOCK, 1, 1}, args, 6};
    wedge_status status = gpu_launch(job, job->gpu.program, "found_triples", l);
    wedge_status waited = job->dev->backend->wait(job->dev, job->queue);
    return status ? status : waited;
}

const triples_hits_path triples_hits_gpu = {HEAD, bytes_of, 2 * (KEY + sizeof(uint32_t)), find, sort, list};
