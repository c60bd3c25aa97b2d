/* prune/order.h: points in the order of a space-filling curve (curve.h), for tiles with small boxes.
 *
 * order[k] is the number of the point that is k-th along the curve, a uint32_t; points with equal keys keep their order. It
 * is the same on every device: cells come from one subtraction and one product in the job's dtype, keys from integers.
 *
 * Cells are cut from the extents of the points, so one point far away, or clusters far apart, can leave most points in a few
 * cells. Where a cell has many points, a run of equal keys, they are sorted again by cells cut from their own extents, and so
 * on: after each level only long runs are left, and those of points that no cell tells apart.
 *
 *     0 1 2 3 1000, cells of 250:    0 1 2 3 | 1000     the run again, cells of 1:     0 | 1 | 2 | 3
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_PRUNE_ORDER_H
#define WEDGE_ENGINE_PRUNE_ORDER_H

#include "core/maps.h"
#include "engine/base/job.h"

enum {
    ORDER_DIMS = 8,    /* of the curve, at most: CURVE_DIMS */
    ORDER_PART = 8192, /* points that a thread of the cpu takes */
    ORDER_LEVELS = 16, /* points are sorted at most so often: each level tells apart 2^7 times finer, or more */
    ORDER_RUNS = 256   /* long runs of one level, at most */
};

/* Runs from this length on are sorted again, of n points in all. Shorter ones make few pairs: n * order_run(n) / 2. */
static inline uint64_t order_run(uint64_t n) { return n / ORDER_RUNS > 1024 ? ceil_div(n, ORDER_RUNS) : 1024; }

#define ORDER_MOST (UINT64_C(1) << 29) /* points */
#define SCAN_MOST (UINT64_C(1) << 30)  /* counts */

/* Makes `order` with backend->buffer_new; on failure there is none. features: numbers of a point that are coordinates, of
 * which the curve takes the first ORDER_DIMS. from: as points_find leaves it. Uses the job's queue, and waits. */
wedge_status order_make(wedge_job *job, const given_points *from, uint64_t features, buffer *order);

/* The two halves. raw: points on the device, rows `stride` numbers apart from number `start` on. */
wedge_status order_gpu(wedge_job *job, const buffer *raw, uint64_t start, uint64_t stride, uint64_t n,
                       uint64_t features, buffer *order);
wedge_status order_native(wedge_job *job, const given_points *from, uint64_t features, buffer *order);

/* Makes job->gpu.tools where it is not there yet: loading it takes longer than the order of a million points. */
wedge_status order_tools(wedge_job *job);

/* Exclusive prefix sums of n <= SCAN_MOST uint32_t: n + 1 uint64_t, the last of them the total. Put into the job's queue: does
 * not wait. Needs job->gpu.tools. */
wedge_status gpu_scan(wedge_job *job, const buffer *counts, uint64_t n, const buffer *starts);

/* Sorts n keys, of which bits [0, bits) differ: ping-pongs between keys[0] and keys[1]; *sorted says in which
 * of the two they are at the end. indices: room for n uint32_t each; that of the same number says where each key was. Waits. */
wedge_status gpu_sort(wedge_job *job, const buffer keys[2], const buffer indices[2], uint64_t n, uint32_t bits,
                      int *sorted);

/* What cells are cut by: the least coordinate of each dimension, and cells per unit of length, which those
 * who use it round to the dtype. */
typedef struct {
    uint32_t dims, bits;
    double lo[ORDER_DIMS], scale;
} order_frame;

uint32_t order_dims(uint64_t features);

/* From the extents: finite, or lo > hi in a dimension without a finite coordinate. */
order_frame order_frame_of(uint32_t dims, wedge_dtype dtype, const double *lo, const double *hi);

#endif
