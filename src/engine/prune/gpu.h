/* prune/gpu.h: boxes and lists of tiles on a GPU (kernels/prune.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_PRUNE_GPU_H
#define WEDGE_ENGINE_PRUNE_GPU_H

#include "engine/gpu/args.h"

/* Makes job->prune.boxes of the points on the device, and job->prune.limits. */
wedge_status boxes_gpu(wedge_job *job);

/* The tiles in reach of tile rows [first, last], row by row, some rows at a time. */
typedef struct {
    wedge_job *job;
    pairs_args args;
    uint64_t first, rows; /* rows of tiles */
    uint32_t *counts;     /* tiles in reach per row */
    uint64_t next;        /* the first row that is not listed yet */
    uint64_t all;         /* tiles in reach of all rows */
    uint64_t listed;      /* tiles in job->prune.tiles now */
} tile_list;

/* The share of all tiles that is in reach. */
wedge_status tiles_share(wedge_job *job, double *share);

wedge_status tiles_count(wedge_job *job, const pairs_args *args, uint64_t first, uint64_t last, tile_list *out);

/* Lists the next rows into job->prune.tiles; none are left where list->listed is 0. */
wedge_status tiles_next(tile_list *list);
void tiles_free(tile_list *list);

#endif
