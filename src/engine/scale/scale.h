/* scale.h: what happens where numbers on the way to a value would leave the range of the dtype. One rule for all that make jobs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SCALE_SCALE_H
#define WEDGE_ENGINE_SCALE_SCALE_H

#include "engine/base/job.h"

/* Looks at job->given: WEDGE_BAD_DATA where values could overflow and the caller does not accept that. */
wedge_status scale_choose(wedge_job *job);

#endif
