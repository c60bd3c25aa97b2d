/* job.h: a job as the engine's parts see it: what was asked, how it runs, and what it holds on the device.
 *
 * What cpu and GPUs do in different ways, a job's path does (path.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_BASE_JOB_H
#define WEDGE_ENGINE_BASE_JOB_H

#include "backend/backend.h"
#include "domains/domains.h"
#include "engine/base/pace.h"
#include "ops/ops.h"
#include "sinks/sinks.h"

/* How the skeleton runs; what tuning chooses. */
typedef struct {
    const wedge_map_info *map;
    uint32_t tile;     /* cells per side */
    uint32_t lines;    /* lines of 32 threads: the numbers of an aligned piece of a row; 0: there are none */
    uint32_t warps;    /* of them, a block has */
    uint32_t rows;     /* of a line; of a thread, where a thread owns rows */
    uint32_t wide;     /* numbers per store */
    uint32_t resident; /* blocks that should fit a multiprocessor */
    bool few;          /* features: which skeleton */
    bool walk;         /* resident blocks take runs of tiles */
} pairs_shape;

/* Memory of the caller's. An address takes an offset in; what cannot be pointed into (OpenCL) keeps it. */
typedef struct {
    buffer memory;
    uint64_t first; /* numbers before the first that is meant */
} given_memory;

/* A set of points as the caller has it. */
typedef struct {
    given_memory at;
    uint64_t n, stride; /* rows, numbers from one to the next */
} given_points;

/* A piece on its way to the host (stream.c). */
enum { STREAM_SLOTS = 3 };
typedef struct {
    buffer device, host;
    void *queue;
    uint64_t begin, end;
} stream_slot;

struct wedge_job {
    wedge_device *dev;
    const struct job_path *path; /* how this device runs it (path.h) */
    wedge_pairs pairs;
    const op_row *op;    /* what runs: */
    const op_row *asked; /* this one, or its scaled form (scale/scale.h) */
    double set[MOST_PARAMETERS]; /* its parameters, in its order */
    sink sink;
    domain domain;
    wedge_job_info info;
    size_t size;      /* of a number */
    size_t cell_size; /* of a cell: all its values */
    pairs_shape shape;
    given_points given[2]; /* points and others, while the job is made */

    double box[2 *
               MOST_BOX]; /* periodic: the lengths, and from MOST_BOX on 1 by each, as the dtype rounds them; 0: open */
    bool periodic;
    double cutoff;        /* of triplets: no side is longer, as the dtype has it; 0: none */
    uint64_t inside;      /* and how many are within it, of one call of job_path.sum */
    bool settled;         /* GPU, pruned: it is known how many tiles are in reach, and tiles were chosen by it: */
    bool dense;           /* they are many */
    bool ordered;         /* points lie along a curve: in pruned jobs, and where sums must not depend on pruning */
    double prune_limit;   /* pruned: a tile is left out where its bound is above */
    uint64_t coordinates; /* and the leading numbers of a point that its curve runs through */
    buffer order[2];      /* and the caller's numbers of rows' and of columns' points, in the job's order */
    buffer boxes;         /* and the boxes of tiles (GPU) or panels (cpu) */
    buffer reach;         /* GPU: what bounds are compared with: one number, or one for each row of tiles (nearest) */
    buffer list, listed;  /* GPU: tiles to run, and of rows of tiles how many, or where theirs begin */
    buffer found;         /* and of select and nearest, made by a run: FOUND_HEAD words, then finds (finds.h) */
    buffer found_columns; /* and uint32_t: the columns of some rows */
    buffer found_values;  /* GPU, nearest: the values of these, or of some rows' windows (near.h) */

    buffer points;                  /* of rows. GPU: rows of quads. cpu: rows of d numbers */
    buffer others;                  /* of columns, likewise, where they are another set */
    buffer panels;                  /* cpu: panels of columns */
    buffer states;                  /* of tiles that are left within their features (pairs_many.h) */
    buffer limits;                  /* of the sink, as numbers; GPU, nearest: of rows, made by a run */
    buffer slots;                   /* of the sink: one for each block or thread */
    buffer marks;                   /* cpu: of select, made by the first run */
    stream_slot ring[STREAM_SLOTS]; /* made by the first run that needs them */
    void *program, *kernel, *queue;
    void *tools;          /* GPU, pruned or nearest: the program that orders and lists (order_gpu.c, finds_gpu.c) */
    void *extent_program; /* GPU, points in its memory (scale/extent_gpu.c) */
    bool opened;          /* by job->path, for job->op */
    bool borrowed;        /* the queue is the caller's */
    uint32_t resident;    /* blocks that stay */
    native_tile_fn *tile; /* cpu */
    native_straight_fn *straight;
    native_isa isa;
};

/* wedge_job_create without its checks but those of parameters. op: what runs, also one outside of the table. */
wedge_status job_create(wedge_device *dev, const wedge_pairs *pairs, const op_row *op, wedge_job **out);

/* At least so many bytes in a buffer that stays with the job; what was in it may be lost. */
wedge_status job_room(wedge_job *job, buffer *b, uint64_t bytes);

/* Puts the computing of positions [begin, end) into the queue: position begin goes to cell `offset` of out. With a pace
 * it may wait in between, and end with WEDGE_STOPPED. For the sink `store`. */
wedge_status job_range(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                       pace *p);

#define JOB_NO_PLACE "place %d: memory is on the host (WEDGE_ON_HOST) or on the device (WEDGE_ON_DEVICE)"
wedge_status job_check_range(wedge_job *job, uint64_t begin, uint64_t end);
wedge_status job_check_boundary(wedge_job *job, uint64_t position); /* of ranges of this sink */

/* The end of the next piece of [begin, end): at most `most` positions, about a step's worth by the pace, and cut
 * where it costs least. `last`: positions of the piece before, 0 for the first. */
uint64_t job_cut(const wedge_job *job, const pace *p, uint64_t begin, uint64_t end, uint64_t most, uint64_t last);

void stream_free(wedge_job *job); /* the job's ring */

/* Device memory of the caller's as a buffer. */
buffer foreign_buffer(const wedge_device *dev, const void *pointer, size_t bytes);

/* `bytes` of the caller's memory, `offset` bytes from the pointer on, as numbers of `size` bytes; WEDGE_BAD_ARGUMENT where
 * they cannot be there. Host memory has out->memory.host. */
wedge_status memory_find(wedge_device *dev, const void *pointer, size_t offset, wedge_place place, uint64_t bytes,
                         size_t size, given_memory *out);

/* Fills job->given from job->pairs, checked. */
wedge_status points_find(wedge_job *job);

/* Frees what was made of the points. */
void points_drop(wedge_job *job);

/* Points of host memory into a buffer of the device, rows without gaps, by the job's queue; waits. */
wedge_status points_write(wedge_job *job, const given_points *from, const buffer *to);

#endif
