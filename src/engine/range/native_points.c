/* native_points.c: rows are wrapped into a periodic box and prepared by the op, then columns are spread over panels.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/range/native_points.h"

#include <string.h>

#include "core/dtype.h"
#include "core/maps.h"
#include "engine/prune/boxes.h"
#include "engine/prune/order.h"
#include "engine/prune/pays.h"
#include "wedge/lang.h"

#include "engine/kernels/wrap.h"

WRAP(wrapped, double) /* of a float it is one */

/* A set of points, as given and as the op wants them. */
typedef struct {
    const wedge_job *job;
    const given_points *from;
    const uint32_t *order; /* NULL: as given */
    char *to;
} point_set;

static void wrap_row(const wedge_job *job, void *row) {
    for (uint64_t f = 0; f < job->pairs.d; ++f)
        dtype_put(row, f, wrapped(dtype_get(row, f, job->pairs.dtype), job->period.lengths[f]), job->pairs.dtype);
}

static void prepare_points(void *user, uint64_t begin, uint64_t end) {
    const point_set *set = user;
    const wedge_job *job = set->job;
    size_t bytes = job->pairs.d * job->size, step = set->from->stride * job->size;
    native_prepare_fn *prepare = job->op->prepare[job->pairs.dtype];
    for (uint64_t x = begin; x < end; ++x) {
        char *row = set->to + x * bytes;
        uint64_t number = set->order ? set->order[x] : x;
        memcpy(row, (const char *)set->from->at.memory.host + number * step, bytes);
        if (job->period.periodic) wrap_row(job, row);
        if (prepare) prepare(row, (uint32_t)job->pairs.d);
    }
}

static wedge_status upload(wedge_job *job, int which, buffer *to) {
    wedge_device *dev = job->dev;
    const given_points *from = &job->points.given[which];
    uint64_t d = job->pairs.d;
    if (job->curve.ordered) WEDGE_TRY(order_make(job, from, job->curve.coordinates, &job->curve.order[which]));
    WEDGE_TRY(dev->backend->buffer_new(dev, from->n * d * job->size, ON_DEVICE, to));
    job->info.device_bytes += to->bytes;
    point_set set = {job, from, job->curve.order[which].host, to->host};
    return dev->backend->run(dev, prepare_points, &set, 0, from->n, 1 + 65536 / d);
}

static void fill_panels(void *user, uint64_t begin, uint64_t end) {
    const wedge_job *job = user;
    uint64_t d = job->pairs.d, n = job->domain.m;
    const void *points = job->domain.kind->two_sets ? job->points.columns.host : job->points.rows.host;
    for (uint64_t column = begin * NATIVE_COLS; column < end * NATIVE_COLS; ++column) {
        uint64_t x = column < n ? column : n - 1; /* the last panel repeats the last point */
        uint64_t from = x * d, to = column / NATIVE_COLS * NATIVE_COLS * d + column % NATIVE_COLS;
        for (uint64_t f = 0; f < d; ++f, ++from, to += NATIVE_COLS)
            if (job->pairs.dtype == WEDGE_F64)
                ((double *)job->points.panels.host)[to] = ((const double *)points)[from];
            else
                ((float *)job->points.panels.host)[to] = ((const float *)points)[from];
    }
}

static wedge_status upload_all(wedge_job *job) {
    wedge_device *dev = job->dev;
    uint64_t d = job->pairs.d, panels = ceil_div(job->domain.m, NATIVE_COLS);
    WEDGE_TRY(upload(job, 0, &job->points.rows));
    if (job->domain.kind->two_sets) WEDGE_TRY(upload(job, 1, &job->points.columns));
    WEDGE_TRY(dev->backend->buffer_new(dev, panels * NATIVE_COLS * d * job->size, ON_DEVICE, &job->points.panels));
    job->info.device_bytes += job->points.panels.bytes;
    WEDGE_TRY(dev->backend->run(dev, fill_panels, job, 0, panels, 1 + 1024 / d));
    return job->curve.ordered ? boxes_make(job) : WEDGE_OK;
}

/* Along the curve first; again as they are given, where that shows too many tiles in reach. */
wedge_status native_upload(wedge_job *job, double (*share)(wedge_job *job)) {
    WEDGE_TRY(upload_all(job));
    if (!job->info.pruned || pays_always(job)) return WEDGE_OK;
    if (pays_to_prune(job, share(job), boxes_hits(job))) return WEDGE_OK;
    points_drop(job);
    job->info.pruned = job->curve.ordered = false;
    return upload_all(job);
}
