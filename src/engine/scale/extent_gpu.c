/* extent_gpu.c: the extent of points in a device's memory: each thread folds some rows of one feature, the host folds the results.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/program.h"
#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/kernels/texts.h"
#include "engine/scale/extent.h"

enum { THREADS = 16384, LEAST_ROWS = 32 };

uint64_t extent_gpu_parts(uint64_t n, uint64_t d) {
    uint64_t parts = ceil_div(n, LEAST_ROWS), most = ceil_div(THREADS, d);
    return parts < most ? parts : most;
}

static wedge_status build(wedge_job *job) {
    const source_piece pieces[] = {
        {"number", job->pairs.dtype == WEDGE_F64 ? "typedef double number;" : "typedef float number;"},
        {"lang.h", text_lang},
        {"kernels/args.h", text_args},
        {"kernels/extent.h", text_extent}};
    return job->gpu.extent ? WEDGE_OK : gpu_build(job->dev, pieces, sizeof pieces / sizeof *pieces, &job->gpu.extent);
}

wedge_status extent_gpu(wedge_job *job, const given_points *from, uint64_t parts, void *found) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    uint64_t threads = parts * job->pairs.d, start = from->at.first, stride = from->stride;
    uint32_t n = (uint32_t)from->n, d = (uint32_t)job->pairs.d, step = (uint32_t)parts;
    buffer there;
    WEDGE_TRY(build(job));
    WEDGE_TRY(b->buffer_new(dev, 3 * threads * job->size, ON_DEVICE, &there));
    const kernel_arg args[] = {ARG_BUFFER(&from->at.memory),
                               ARG_VALUE(start),
                               ARG_VALUE(stride),
                               ARG_VALUE(n),
                               ARG_VALUE(d),
                               ARG_VALUE(step),
                               ARG_BUFFER(&there)};
    grid_launch l = {{(uint32_t)ceil_div(threads, EXTENT_BLOCK), 1, 1}, {EXTENT_BLOCK, 1, 1}, args, 7};
    wedge_status status = gpu_launch(job, job->gpu.extent, "extent_of_rows", l);
    if (!status) status = b->read(dev, job->queue, found, &there, 0, there.bytes);
    wedge_status waited = b->wait(dev, job->queue); /* also where a launch failed */
    b->buffer_free(dev, &there);
    return status ? status : waited;
}
