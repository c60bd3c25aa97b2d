/* order.c: what both halves of the order share: checks, and the frame of the cells.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/order.h"

#include <float.h>
#include <inttypes.h>

#include "wedge/lang.h"

#include "engine/kernels/curve.h"

_Static_assert(ORDER_DIMS == CURVE_DIMS, "order.h and curve.h name the same limit");

uint32_t order_dims(uint64_t features) { return features < ORDER_DIMS ? (uint32_t)features : ORDER_DIMS; }

/* Of no use where the dtype cannot hold it: all points are in one cell then. */
static double scale_of(double extent, uint32_t bits, wedge_dtype dtype) {
    double cells = (double)((UINT32_C(1) << bits) - 1), scale = extent > 0 ? cells / extent : 0;
    return scale <= (dtype == WEDGE_F32 ? FLT_MAX : DBL_MAX) ? scale : 0;
}

order_frame order_frame_of(uint32_t dims, wedge_dtype dtype, const double *lo, const double *hi) {
    order_frame frame = {.dims = dims, .bits = curve_bits(dims)};
    double most = 0;
    for (uint32_t f = 0; f < dims; ++f) {
        if (lo[f] > hi[f]) continue;
        frame.lo[f] = lo[f];
        if (hi[f] - lo[f] > most) most = hi[f] - lo[f];
    }
    frame.scale = scale_of(most, frame.bits, dtype);
    return frame;
}

/* Points of host memory go by way of the device's. */
static wedge_status order_from_host(wedge_job *job, const given_points *from, uint64_t features, buffer *order) {
    wedge_device *dev = job->dev;
    buffer raw;
    WEDGE_TRY(dev->backend->buffer_new(dev, from->n * job->pairs.d * job->size, ON_DEVICE, &raw));
    wedge_status status = points_write(job, from, &raw);
    if (!status) status = order_gpu(job, &raw, 0, job->pairs.d, from->n, features, order);
    dev->backend->buffer_free(dev, &raw);
    return status;
}

wedge_status order_make(wedge_job *job, const given_points *from, uint64_t features, buffer *order) {
    *order = (buffer){0};
    WEDGE_CHECK(from->n <= ORDER_MOST, &job->dev->note, WEDGE_UNSUPPORTED,
                "%" PRIu64 " points: at most %" PRIu64 " can be put in order along a curve", from->n, ORDER_MOST);
    if (!job->dev->backend->compile) return order_native(job, from, features, order);
    if (job->pairs.place == WEDGE_ON_HOST) return order_from_host(job, from, features, order);
    return order_gpu(job, &from->at.memory, from->at.first, from->stride, from->n, features, order);
}
