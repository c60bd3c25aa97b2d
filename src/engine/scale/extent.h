/* extent.h: the extent of a job's points: the least and the largest number of each feature, and the smallest magnitude that is
 * not 0. One pass over the points, on the host, or on the device that holds them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SCALE_EXTENT_H
#define WEDGE_ENGINE_SCALE_EXTENT_H

#include "engine/base/job.h"

typedef struct {
    double *lo, *hi; /* of feature f, of all finite numbers of all sets; both 0 where there are none */
    double least;    /* of all features; infinity where every number is 0 */
} extent;

/* Of job->points.given; waits. `roughly`: of points on the host lo and hi may be further out, as the largest magnitude of all features
 * is, and infinite where a number is; several times as fast. Free with extent_free, also after a failure. */
wedge_status extent_find(wedge_job *job, bool roughly, extent *e);
void extent_free(extent *e);

/* Of points in a device's memory: `parts` times lo, hi and least of each feature, as numbers of the dtype, in found. */
uint64_t extent_gpu_parts(uint64_t n, uint64_t d);
wedge_status extent_gpu(wedge_job *job, const given_points *from, uint64_t parts, void *found);

#endif
