/* job.h: a job as the engine's parts see it: what was asked, how it runs, and what it holds on the device.
 *
 * One call is polymorphic, job_range: compute a range of positions into a buffer. The native path (pairs_native.c) and
 * the one of GPUs (pairs_gpu.c) fill it in.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_JOB_H
#define WEDGE_ENGINE_JOB_H

#include "backend/backend.h"
#include "domains/domains.h"
#include "engine/pace.h"
#include "ops/ops.h"

/* How the skeleton runs; what tuning chooses. */
typedef struct {
    const wedge_map_info *map;
    uint32_t tile;     /* cells a side */
    uint32_t lines;    /* lines of 32 threads: the numbers of an aligned piece of a row */
    uint32_t warps;    /* of them, a block has */
    uint32_t rows;     /* of a line */
    uint32_t wide;     /* numbers a store */
    uint32_t resident; /* blocks that should fit a multiprocessor */
    bool few;          /* which skeleton */
} pairs_shape;

struct wedge_job {
    wedge_device *dev;
    wedge_pairs pairs;
    const op_row *op;
    domain domain;
    wedge_job_info info;
    size_t size; /* of a number */
    pairs_shape shape;

    buffer points; /* of rows. GPU: rows of quads. cpu: rows of d numbers */
    buffer others; /* of columns, likewise, where they are another set */
    buffer panels; /* cpu: panels of columns */
    buffer states; /* of tiles that are left within their features (pairs_many.h); none: no tile ever is */
    void *program, *kernel, *queue;
    uint32_t resident;    /* blocks that walk starts */
    native_tile_fn *tile; /* cpu */
    native_straight_fn *straight;
    native_isa isa;
};

/* wedge_job_create without its checks. pairs: of the tables' rows; op: what runs, also one outside of the table. */
wedge_status job_create(wedge_device *dev, const wedge_pairs *pairs, const op_row *op, wedge_job **out);

/* Puts the computing of positions [begin, end) into the queue: position begin goes to number `offset` of out. With a pace
 * it may wait in between, and end with WEDGE_STOPPED. */
wedge_status job_range(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                       pace *p);

wedge_status job_check_range(wedge_job *job, uint64_t begin, uint64_t end);

/* The end of the next piece of [begin, end): at most `most` positions, about a step's worth by the pace, and cut
 * where it costs least. `last`: positions of the piece before, 0 for the first. */
uint64_t job_cut(const wedge_job *job, const pace *p, uint64_t begin, uint64_t end, uint64_t most, uint64_t last);

/* What pairs_native.c and pairs_gpu.c have in common. open: the points of job->pairs onto the device. */
typedef struct {
    wedge_status (*open)(wedge_job *job);
    void (*close)(wedge_job *job);
    wedge_status (*range)(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                          pace *p);
    uint32_t (*rows)(const wedge_job *job); /* a range of fewer whole rows wastes work */
} pairs_path;
extern const pairs_path pairs_native, pairs_gpu;

/* Device memory of the caller's as a buffer. */
buffer foreign_buffer(const wedge_device *dev, const void *pointer, size_t bytes);

#endif
