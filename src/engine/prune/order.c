/* order.c: puts points in order, on the host or on the device where they are.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/order.h"

#include <inttypes.h>

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
