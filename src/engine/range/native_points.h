/* native_points.h: points as the cpu wants them: by rows, and in panels of 64 columns, feature by feature, for vectors.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_RANGE_NATIVE_POINTS_H
#define WEDGE_ENGINE_RANGE_NATIVE_POINTS_H

#include "engine/base/job.h"

/* Makes job->points.rows, job->points.columns and job->points.panels of job->points.given. share: of all pairs, those in reach where points lie along the
 * curve; says whether they stay there. */
wedge_status native_upload(wedge_job *job, double (*share)(wedge_job *job));

#endif
