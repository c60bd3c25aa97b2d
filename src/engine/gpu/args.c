/* gpu/args.c: the arguments that kernels of pairs and triplets share.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/gpu/args.h"

#include <stdlib.h>

#include "core/dtype.h"
#include "core/maps.h"

enum { QUAD_BYTES = 16 };

pairs_args gpu_args_of(const wedge_job *job, uint64_t n) {
    const wedge_job_spec *p = &job->pairs;
    return (pairs_args){.points = (uint32_t)n,
                        .features = (uint32_t)p->d,
                        .quads = (uint32_t)ceil_div(p->d * job->size, QUAD_BYTES),
                        .plane = (uint32_t)(gpu_points_in_all(job, n) / job->shape.per_store),
                        .row_plane = (uint32_t)(gpu_points_in_all(job, job->domain.n) / job->shape.per_store)};
}

/* Rows and columns before the first, so that leaves begin where the caller's do (sinks/leaves.h). */
static uint32_t pad_of(const wedge_job *job) {
    bool pads = job->domain.kind->backwards && !sink_stores(&job->sink);
    return pads ? (uint32_t)((LEAF - job->domain.m % LEAF) % LEAF) : 0;
}

void gpu_range_args(const wedge_job *job, uint64_t begin, uint64_t end, pairs_args *a, uint64_t *first,
                    uint64_t *last) {
    const domain *d = &job->domain;
    uint64_t rows = d->kind->rows(d), from = d->kind->row(d, begin), to = d->kind->row(d, end - 1);
    columns c = d->kind->columns(d, to);
    uint64_t whole_begin = from + (begin > d->kind->start(d, from));
    uint64_t whole_end = to + (end > d->kind->start(d, to) + c.last - c.first);
    bool back = d->kind->backwards;
    *a = gpu_args_of(job, d->m);
    a->side = (uint32_t)rows;
    a->begin = back ? job->info.cells - end : begin, a->end = back ? job->info.cells - begin : end;
    a->whole_begin = (uint32_t)(back ? rows - whole_end : whole_begin);
    a->whole_end = (uint32_t)(back ? rows - whole_begin : whole_end);
    a->columns = (uint32_t)gpu_full_columns(job);
    a->pad = pad_of(job);
    *first = back ? rows - 1 - to : from;
    *last = back ? rows - 1 - from : to;
}

gpu_parameters gpu_parameters_of(const wedge_job *job) {
    gpu_parameters p;
    int count = job->op->info.parameter_count ? job->op->info.parameter_count : 1;
    for (int k = 0; k < count; ++k) p.f64[k] = job->parameters[k];
    for (uint64_t f = 0; f < job->pairs.d && job->period.periodic; ++f, ++count) p.f64[count] = job->period.lengths[f];
    for (uint64_t f = 0; f < job->pairs.d && job->period.periodic; ++f, ++count)
        p.f64[count] = job->period.lengths[MOST_BOX + f];
    for (int k = 0; k < count; ++k) p.f32[k] = (float)p.f64[k];
    p.count = (size_t)count;
    return p;
}

const buffer *gpu_columns(const wedge_job *job) {
    return job->domain.kind->two_sets ? &job->points.columns : &job->points.rows;
}

wedge_status gpu_write_numbers(wedge_job *job, buffer *to, const double *from, size_t count) {
    wedge_device *dev = job->dev;
    void *numbers = malloc(count * job->size);
    WEDGE_CHECK(numbers, &dev->note, WEDGE_NO_MEMORY, "no memory for %zu numbers", count);
    for (size_t k = 0; k < count; ++k) dtype_put(numbers, k, from[k], job->pairs.dtype);
    wedge_status status = job_reserve(job, to, count * job->size);
    if (!status) status = dev->backend->write(dev, job->queue, to, 0, numbers, count * job->size);
    if (!status) status = dev->backend->wait(dev, job->queue);
    free(numbers);
    return status;
}
