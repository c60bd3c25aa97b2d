/* triples/gpu.h: triplets on a GPU: which tiles lie within a cutoff, and what each point gets from its triplets (triples_pull.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TRIPLES_GPU_H
#define WEDGE_ENGINE_TRIPLES_GPU_H

#include "engine/base/path.h"

/* With a cutoff: makes job->prune.boxes of tiles, a bit for every two of them in job->prune.tiles, and the square of the cutoff in
 * job->prune.limits. */
wedge_status triples_reach(wedge_job *job);

/* With a cutoff: the triplets within it, and the cells of tiles that were run, job->info.computed. */
wedge_status triples_count_begin(wedge_job *job);
wedge_status triples_count_end(wedge_job *job, uint64_t *inside);

wedge_status triples_scatter_gpu(wedge_job *job, const row_results *to, pace *p);

#endif
