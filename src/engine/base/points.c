/* base/points.c: points in callers' memory, on the host or the device, from an offset on, with gaps between rows.
 *
 * The cpu and the kernel wedge_prepare read rows where they lie. From host memory only the rows are copied to a device: gaps may
 * be the larger part of it, and the caller may not even have the right to read them.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "engine/base/job.h"

enum { STAGE_BYTES = 4 << 20 };

/* The last row has no gap behind it. */
static wedge_status find_set(wedge_job *job, const char *name, const void *pointer, size_t offset, uint64_t stride,
                             uint64_t n, given_points *out) {
    const wedge_job_spec *p = &job->pairs;
    note *note = &job->dev->note;
    uint64_t step = stride ? stride : p->d, bytes;
    WEDGE_CHECK(step >= p->d, note, WEDGE_BAD_ARGUMENT,
                "%s_stride is %" PRIu64 ": a row has %" PRIu64 " numbers; make the stride as many or more, or 0", name,
                stride, p->d);
    bool fits = !__builtin_mul_overflow(n - 1, step, &bytes) && !__builtin_add_overflow(bytes, p->d, &bytes) &&
                !__builtin_mul_overflow(bytes, job->size, &bytes);
    WEDGE_CHECK(fits, note, WEDGE_BAD_ARGUMENT, "%" PRIu64 " points, %s_stride %" PRIu64 ": their size exceeds 64 bits",
                n, name, stride);
    *out = (given_points){.n = n, .stride = step};
    WEDGE_TRY(memory_find(job->dev, pointer, offset, p->place, bytes, job->size, &out->at));
    if (!out->at.memory.host) return WEDGE_OK; /* a device's memory is not read for it */
    return op_check_angles(job->op, p->dtype, out->at.memory.host, n, step, false, name,
                           "convert degrees first, as numpy.radians does", note);
}

wedge_status points_find(wedge_job *job) {
    const wedge_job_spec *p = &job->pairs;
    WEDGE_TRY(
        find_set(job, "points", p->points, p->points_offset, p->points_stride, job->domain.n, &job->points.given[0]));
    if (!job->domain.kind->two_sets) return WEDGE_OK;
    return find_set(job, "others", p->others, p->others_offset, p->others_stride, job->domain.m, &job->points.given[1]);
}

void points_drop(wedge_job *job) {
    buffer *all[] = {&job->points.rows, &job->points.columns, &job->points.panels,
                     &job->prune.boxes, &job->curve.order[0], &job->curve.order[1]};
    for (int k = 0; k < 6; ++k) {
        job_drop(job, all[k]);
    }
}

static void pack(char *to, const char *from, uint64_t rows, size_t row, uint64_t step) {
    for (uint64_t x = 0; x < rows; ++x) memcpy(to + x * row, from + x * step, row);
}

/* By a stage of pinned memory, a part at a time. */
static wedge_status write_rows(wedge_job *job, const given_points *from, const buffer *to, const buffer *stage) {
    wedge_device *dev = job->dev;
    size_t row = job->pairs.d * job->size;
    uint64_t step = from->stride * job->size, most = stage->bytes / row;
    for (uint64_t x = 0; x < from->n; x += most) {
        uint64_t rows = from->n - x < most ? from->n - x : most;
        pack(stage->host, (const char *)from->at.memory.host + x * step, rows, row, step);
        WEDGE_TRY(dev->backend->write(dev, job->queue, to, x * row, stage->host, rows * row));
        WEDGE_TRY(dev->backend->wait(dev, job->queue));
    }
    return WEDGE_OK;
}

wedge_status points_write(wedge_job *job, const given_points *from, const buffer *to) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    size_t row = job->pairs.d * job->size, bytes = from->n * row;
    if (from->stride == job->pairs.d) {
        WEDGE_TRY(b->write(dev, job->queue, to, 0, from->at.memory.host, bytes));
        return b->wait(dev, job->queue);
    }
    buffer stage;
    size_t most = row > STAGE_BYTES ? row : STAGE_BYTES;
    WEDGE_TRY(b->buffer_new(dev, bytes < most ? bytes : most, PINNED_HOST, &stage));
    wedge_status status = write_rows(job, from, to, &stage);
    b->buffer_free(dev, &stage);
    return status;
}
