/* scale.h: what happens if intermediate numbers would leave the range of the dtype: one rule for all jobs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SCALE_SCALE_H
#define WEDGE_ENGINE_SCALE_SCALE_H

#include "engine/base/job.h"

/* Looks at job->points.given and sets job->op and job->info.scaled: job->asked, or its scaled form where numbers on the way to a value could
 * under- or overflow. WEDGE_BAD_DATA where values could overflow and the caller does not accept that. */
wedge_status scale_choose(wedge_job *job);

#endif
