/* gpu_points.c: copies points to a GPU in the form that skeletons read: rows of quads, 16 bytes each, prepared by the op
 * (wedge_prepare in kernels/pairs.h).
 *
 * SPDX-License-Identifier: MIT */
#include "core/maps.h"
#include "engine/prune/order.h"
#include "engine/range/gpu.h"

enum { QUAD_BYTES = 16, PREPARE_BLOCK = 64 };

/* raw: rows `stride` numbers apart, from number `start` on. */
static wedge_status prepare(wedge_job *job, const buffer *raw, uint64_t start, uint64_t stride, uint64_t n,
                            const buffer *order, const buffer *to) {
    pairs_args a = gpu_args_of(job, n);
    int32_t first = -(int32_t)gpu_points_before(job);
    uint32_t all = (uint32_t)gpu_points_in_all(job, n);
    const gpu_parameters p = gpu_parameters_of(job);
    const kernel_arg args[] = {ARG_BUFFER(raw), ARG_VALUE(start),  ARG_VALUE(stride),
                               ARG_BUFFER(to),  ARG_VALUE(first),  ARG_VALUE(a),
                               ARG_VALUE(all),  ARG_BUFFER(order), GPU_PARAMETERS(p, job)}; /* periodic: the last */
    grid_launch launch = {
        {(uint32_t)ceil_div(all, PREPARE_BLOCK), 1, 1}, {PREPARE_BLOCK, 1, 1}, args, job->period.periodic ? 9 : 8};
    return gpu_launch(job, job->gpu.program, "wedge_prepare", launch);
}

/* In the order of the curve where tiles are left out. */
static wedge_status upload(wedge_job *job, int which, const buffer *raw, uint64_t start, uint64_t stride,
                           const buffer *to) {
    uint64_t n = job->points.given[which].n;
    buffer *order = &job->curve.order[which];
    if (job->curve.ordered) WEDGE_TRY(order_gpu(job, raw, start, stride, n, job->curve.coordinates, order));
    return prepare(job, raw, start, stride, n, job->curve.ordered ? order : raw, to);
}

/* Points in the caller's stream may be taken later: what happens to them there comes after. */
wedge_status gpu_upload(wedge_job *job, int which, buffer *to) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    const given_points *from = &job->points.given[which];
    uint64_t n = from->n;
    WEDGE_TRY(job_reserve(job, to, gpu_points_in_all(job, n) * gpu_args_of(job, n).quads * QUAD_BYTES));
    if (job->pairs.place == WEDGE_ON_DEVICE) {
        WEDGE_TRY(upload(job, which, &from->at.memory, from->at.first, from->stride, to));
        return job->borrowed ? WEDGE_OK : b->wait(dev, job->queue);
    }
    buffer raw;
    WEDGE_TRY(b->buffer_new(dev, n * job->pairs.d * job->size, ON_DEVICE, &raw));
    wedge_status status = points_write(job, from, &raw);
    if (!status) status = upload(job, which, &raw, 0, job->pairs.d, to);
    wedge_status waited = b->wait(dev, job->queue);
    b->buffer_free(dev, &raw);
    return status ? status : waited;
}
