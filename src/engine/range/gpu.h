/* range/gpu.h: ranges of pairs on a GPU.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_RANGE_GPU_H
#define WEDGE_ENGINE_RANGE_GPU_H

#include "engine/base/path.h"
#include "engine/gpu/args.h"

wedge_status gpu_open(wedge_job *job);
wedge_status gpu_upload_all(wedge_job *job);
void gpu_close(wedge_job *job);
wedge_status gpu_range_run(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out,
                           uint64_t offset, pace *p);
uint32_t gpu_rows(const wedge_job *job);
wedge_status gpu_sum(wedge_job *job, uint64_t begin, uint64_t end, buffer *slots, void *state, uint64_t *inside,
                     pace *p);
uint64_t gpu_most_sum(const wedge_job *job);
wedge_status gpu_mark(wedge_job *job, uint64_t begin, uint64_t end, const marks_area *area, const buffer *marks,
                      pace *p);

/* A set of points, job->points.given[which], onto the device. */
wedge_status gpu_upload(wedge_job *job, int which, buffer *to);

/* Finds that kernels leave in a buffer behind a word that counts them, also those that there was no room for. */
typedef struct {
    uint64_t room, taken;
} gpu_hits;

/* A range on its way: positions as args has them, into `out`. */
typedef struct {
    wedge_job *job;
    void *queue;
    const buffer *out;
    const buffer *limits; /* of each row; NULL: the sink's */
    pairs_args args;
    uint64_t first_tile, tiles;
    uint32_t slice_begin, slice_end; /* quads that a launch takes */
    gpu_hits *hits;                  /* nearest, and select of a pruned job: what `out` holds */
} gpu_range;

/* Launches what the tiles of rows [first, last] of square tiles have of it; of triplets, all of it. */
wedge_status gpu_launch_rows(gpu_range *g, uint64_t first, uint64_t last, pace *p);

#endif
