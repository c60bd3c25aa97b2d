/* prune/prune.h: tiles that cannot matter are never run.
 *
 * The points of a pruned job lie in the order of a space-filling curve (order.h), so that those of a tile lie close together
 * in a box. The op's own steps, on the two points closest to each other that two boxes could have (OP_BOUND), give a lower
 * bound of all values of a tile: the same operations, rounded in the same way, on numbers that are not larger. If it is
 * above the largest value that matters to the sink, the tile is skipped; if it is equal, it is not. Boxes with a NaN or an infinity have NaN for
 * a bound, which is above nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_PRUNE_PRUNE_H
#define WEDGE_ENGINE_PRUNE_PRUNE_H

#include "engine/base/job.h"

/* Sets job->info.pruned, job->curve.ordered, and what pruning needs to know of op and sink. */
wedge_status prune_choose(wedge_job *job);

/* A tile is left out where its bound is above this, to find all values up to `limit`. */
double prune_raise(const wedge_job *job, double limit);

/* The limit of the whole job: what its sink looks at, raised. */
double prune_limit(const wedge_job *job);

/* Sets job->cutoff from the caller's. */
wedge_status cutoff_choose(wedge_job *job);

/* Sets job->period.periodic and job->period.lengths from the caller's. */
wedge_status box_choose(wedge_job *job);

#endif
