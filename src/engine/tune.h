/* tune.h: how the skeleton runs on a device: map and tile, measured and kept.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TUNE_H
#define WEDGE_ENGINE_TUNE_H

#include "engine/job.h"

/* Fills shape and the info of it: what the caller asked for, else what was measured. */
wedge_status tune_choose(wedge_job *job);

#endif
