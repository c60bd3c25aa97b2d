/* job.h: the struct of a job: what the caller asked for, how it runs, and what it holds on the device.
 *
 * Work that the cpu and GPUs do differently is in the job's path (path.h).
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
    uint32_t tile; /* cells per side */
    uint32_t
        lines; /* lines of 32 threads: as many as an aligned piece of a row has numbers; 0: this device has no lines */
    uint32_t warps;     /* lines per block */
    uint32_t rows;      /* rows per line; where a thread keeps whole rows, rows per thread */
    uint32_t per_store; /* numbers per store */
    uint32_t resident;  /* blocks that should fit a multiprocessor */
    bool few;           /* few features: chooses the skeleton */
    bool walk;          /* resident blocks take runs of tiles */
} pairs_shape;

/* Memory of the caller's. An address takes an offset in; what cannot be pointed into (OpenCL) keeps it. */
typedef struct {
    buffer memory;
    uint64_t first; /* offset of the first number, in numbers */
} given_memory;

/* A set of points as the caller has it. */
typedef struct {
    given_memory at;
    uint64_t n, stride; /* rows, and numbers from one row to the next */
} given_points;

/* A job's points as the caller has them, and as its skeleton wants them. */
typedef struct {
    given_points given[2]; /* [0] rows' points, [1] columns' points of a second set; valid while the job is made */
    buffer rows;           /* GPU: rows of quads. cpu: rows of d numbers */
    buffer columns;        /* the second set, laid out like rows; empty with one set */
    buffer panels;         /* cpu: panels of columns */
} job_points;

typedef struct {
    bool periodic;
    double
        lengths[2 * MOST_BOX]; /* lengths, and from MOST_BOX on their inverses, rounded to the dtype; 0: not periodic */
} job_period;

/* Points along a curve: in pruned jobs, and where sums must not depend on pruning. */
typedef struct {
    bool ordered;
    uint64_t coordinates; /* how many leading numbers of a point the curve runs through */
    buffer order[2];      /* the caller's index of each point in the job's order: [0] rows, [1] columns */
} job_curve;

/* Tiles that are left out (prune/prune.h). */
typedef struct {
    bool tiles_chosen; /* GPU: the tile was chosen by the share of tiles in reach */
    bool dense;        /* GPU: most tiles are in reach */
    double limit;      /* a tile whose bound is above this is skipped */
    buffer boxes;      /* bounding boxes of tiles (GPU) or panels (cpu) */
    buffer limits; /* GPU: what bounds are compared with: one number, one for each row of tiles, or two of triplets */
    buffer tiles;  /* GPU: tiles to run, two numbers each; of triplets a bit for every two tiles */
    buffer counts; /* GPU: tiles of each row in the list, or where they begin; of triplets, what each block found */
} job_prune;

typedef struct {
    void *program, *kernel;
    void *tools;       /* NULL, or the program that orders and lists (order_gpu.c, hits_gpu.c) */
    void *extent;      /* NULL, or the program that looks at points in the device's memory (scale/extent_gpu.c) */
    uint32_t resident; /* blocks that are resident at once */
    buffer states;     /* op states of tiles whose features are folded over several launches (pairs_many.h) */
} job_gpu;

typedef struct {
    native_tile_fn *tile;
    native_streaming_fn *streaming;
    native_isa isa;
} job_native;

struct wedge_job {
    wedge_device *dev;
    const struct job_path *path; /* how this kind of device runs the job (path.h) */
    const struct job_way *way;   /* what becomes of its values (path.h) */
    void *held;                  /* what the way keeps between runs, a struct of its own */
    wedge_job_spec pairs;
    const op_def *op;                   /* the op that runs: `asked` or its scaled form */
    const op_def *asked;                /* the op that the caller named (scale/scale.h) */
    double parameters[MOST_PARAMETERS]; /* values of the op's parameters, in its order */
    sink sink;
    domain domain;
    wedge_job_info info;
    size_t size;      /* bytes per number */
    size_t cell_size; /* bytes per cell, for all its values */
    pairs_shape shape;
    job_points points;
    job_period period;
    double cutoff; /* triplets: no side is longer, rounded to the dtype; 0: no cutoff */
    job_curve curve;
    job_prune prune;
    buffer limits; /* the sink's limits, in the dtype */
    job_gpu gpu;
    job_native native;
    void *queue;
    bool borrowed; /* the queue is the caller's */
    bool opened;   /* the path's open succeeded for this op */
};

/* What the cpu's functions of ops get, of cells with so many values. */
static inline native_args job_args(const wedge_job *job, uint64_t values) {
    return (native_args){job->parameters, job->pairs.d, values, job->period.periodic ? job->period.lengths : NULL};
}

/* wedge_job_create without its checks but those of parameters. op: what runs, also one outside of the table. */
wedge_status job_create(wedge_device *dev, const wedge_job_spec *pairs, const op_def *op, wedge_job **out);

/* At least so many bytes in a buffer that stays with the job; what was in it may be lost. */
wedge_status job_reserve(wedge_job *job, buffer *b, uint64_t bytes);
void job_drop(wedge_job *job, buffer *b); /* frees it */

/* The struct of a job's way, zeros at first: buffers alone, so many. held_free also takes a job that has none. */
wedge_status held_new(wedge_job *job, size_t buffers);
void held_free(wedge_job *job, size_t buffers);

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

/* Device memory of the caller's as a buffer. */
buffer foreign_buffer(const wedge_device *dev, const void *pointer, size_t bytes);

/* `bytes` of the caller's memory, `offset` bytes from the pointer on, as numbers of `size` bytes; WEDGE_BAD_ARGUMENT where
 * they cannot be there. Host memory has out->memory.host. */
wedge_status memory_find(wedge_device *dev, const void *pointer, size_t offset, wedge_place place, uint64_t bytes,
                         size_t size, given_memory *out);

/* Fills job->points.given from job->pairs, checked. */
wedge_status points_find(wedge_job *job);

/* Frees what was made of the points. */
void points_drop(wedge_job *job);

/* Points of host memory into a buffer of the device, rows without gaps, by the job's queue; waits. */
wedge_status points_write(wedge_job *job, const given_points *from, const buffer *to);

#endif
