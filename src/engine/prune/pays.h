/* pays.h: decides whether skipping tiles pays: what pruning costs against what it may save.
 *
 * The results are the same bytes either way, so the answers may be estimates. They depend on the shape of a job and on some of its
 * points, never on a clock: the same job gets the same answer each time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_PRUNE_PAYS_H
#define WEDGE_ENGINE_PRUNE_PAYS_H

#include "engine/base/job.h"

/* Before the points are looked at: is it worth while to put them in order? */
bool pays_to_order(const wedge_job *job);

/* Once they are in order. in_reach: the share of all pairs in tiles that would be run; hits: the share of all pairs that are within
 * the limit, as far as anything is kept of each. */
bool pays_to_prune(const wedge_job *job, double in_reach, double hits);

/* Pruning is not given up whatever the share: on GPUs nearest gains even where all tiles are in reach, since with those close by
 * first rows soon have small limits; scatter and triplets keep their points' order in any case. */
bool pays_always(const wedge_job *job);

/* cpu: is it worth while to wake other threads for so many pairs? If not, the caller's is done before. */
bool pays_to_share(const wedge_job *job, uint64_t cells);

#endif
