/* gpu/args.h: the arguments of kernels, and what follows from the shape of a job for them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_GPU_ARGS_H
#define WEDGE_ENGINE_GPU_ARGS_H

#include "engine/base/job.h"

#include "wedge/lang.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded" /* a gap could lie elsewhere on a device */
#endif
#include "engine/kernels/args.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* Builds job->gpu.program and job->gpu.kernel. */
wedge_status gpu_build_job(wedge_job *job);

/* Puts a launch of one of a program's kernels into the job's queue; none where it has no blocks. */
wedge_status gpu_launch(const wedge_job *job, void *program, const char *name, grid_launch l);

/* ---- The shape (shape.c) ---- */

/* Nearest of one set where no tile is left out: a pair is computed once, for both of its rows (sinks/select.h). */
bool gpu_is_mirrored(const wedge_job *job);
const domain_def *gpu_domain(const wedge_job *job); /* whose rows the kernel counts */

uint64_t gpu_full_columns(const wedge_job *job); /* tiles a row of the square, moved ones included */
uint32_t gpu_pieces_of(const wedge_job *job);    /* blocks a tile */

/* What is no GPU may take seconds for one tile of many features: launches that store end within them there. */
bool gpu_is_sliced(const wedge_job *job);

/* Points before the first, and all of n with those after the last (kernels/pairs.h). */
uint32_t gpu_points_before(const wedge_job *job);
uint64_t gpu_points_in_all(const wedge_job *job, uint64_t n);

/* ---- The arguments (args.c) ---- */

/* Those that say how points lie. n: points of the set that is prepared, or of the columns. */
pairs_args gpu_args_of(const wedge_job *job, uint64_t n);

/* What a launch needs to know of positions [begin, end): the cells, and the rows that are whole. first, last: the rows
 * that the range touches, as the kernel counts them. */
void gpu_range_args(const wedge_job *job, uint64_t begin, uint64_t end, pairs_args *a, uint64_t *first, uint64_t *last);

/* The op's parameters, in either kind of number: as many as the op has, and at least one; then those of a periodic box
 * (op_values). */
typedef struct {
    float f32[MOST_PARAMETERS + 2 * MOST_BOX];
    double f64[MOST_PARAMETERS + 2 * MOST_BOX];
    size_t count;
} gpu_parameters;
gpu_parameters gpu_parameters_of(const wedge_job *job);
#define GPU_PARAMETERS(p, job) \
    { .value = (job)->size == 8 ? (const void *)(p).f64 : (const void *)(p).f32, .size = (p).count * (job)->size }

/* Into the first of a buffer's numbers, which has room for as many; waits. */
wedge_status gpu_write_numbers(wedge_job *job, buffer *to, const double *from, size_t count);

const buffer *gpu_columns(const wedge_job *job);

#endif
