/* native_points.h: points as the cpu wants them: by rows, and in panels of 64 columns, feature by feature, for vectors.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_RANGE_NATIVE_POINTS_H
#define WEDGE_ENGINE_RANGE_NATIVE_POINTS_H

#include "engine/base/job.h"

/* Makes job->points, job->others and job->panels of job->given. */
wedge_status points_bring(wedge_job *job);

#endif
