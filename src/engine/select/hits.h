/* hits.h: the list of select in jobs that skip tiles; on GPUs also what nearest chooses from.
 *
 * Points lie along a curve there, so the hits, pairs within the limit, come in an order that means nothing to the caller. They are
 * counted per row of the caller; counts become positions; then the columns of each row are written to their slots and
 * sorted there. If not all hits fit in memory, tiles are run again for the next rows; nothing is dropped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SELECT_HITS_H
#define WEDGE_ENGINE_SELECT_HITS_H

#include "engine/gpu/args.h"
#include "engine/select/select.h"

/* A row and a column: on GPUs along the curve, and UINT32_MAX where room was taken and not used; on the cpu the caller's. */
typedef struct {
    uint32_t row, column;
} hit;

typedef struct hits_buckets hits_buckets;

/* cpu: chunks of hits that a thread fills, one of each bucket; NULL: none yet. Where there is no room for more, hits go to
 * the spare one, and are only counted. */
enum { HITS_BUCKETS = 256, HITS_CHUNK = 256 };
typedef struct {
    hit *next[HITS_BUCKETS], *end[HITS_BUCKETS];
    hit spare[HITS_CHUNK];
} hits_thread;

/* Rows [row, row + rows), counted from first_row; base: position in the list of their first hit. */
typedef struct {
    uint64_t row, rows, base;
} hits_batch;

typedef struct {
    hits_buckets *buckets;    /* one per some thousand rows */
    uint64_t *cursors;        /* where the next column of a row goes */
    uint32_t *curve_index[2]; /* index along the curve of each of the caller's rows and columns; for values */
} hits_cpu;

typedef struct {
    buffer sorted;    /* columns in order */
    buffer turned[2]; /* index along the curve of each of the caller's rows and columns */
    buffer pairs;     /* pairs that nobody asked for, when only values are wanted */
} hits_device;

struct hits {
    wedge_job *job;
    hits_kept *kept;
    uint64_t begin, end;          /* the caller's positions that are wanted */
    uint64_t first_row, last_row; /* the rows that hold these positions */
    uint64_t first_column;        /* where the first row begins */
    uint64_t last_column;         /* where the last row ends, inclusive */
    bool folds, above;            /* folds: a pair is one cell of a triangle; above: the one above the diagonal */
    bool distinct;                /* a point is not paired with itself */
    const buffer *limits;         /* GPU: a limit per row; NULL: the sink's limit */
    hits_capacity room;           /* of kept->found */
    uint64_t taken;               /* hits of the last range, whether or not they fitted */
    uint64_t step;                /* cells per range whose hits fitted */
    bool whole;                   /* kept->found holds the hits of all cells */
    bool counted;                 /* counts and starts cover all rows */
    buffer counts;                /* uint32_t: hits per row, from first_row on */
    buffer starts;                /* uint64_t: where each row's list begins; one more, the end */
    uint64_t total;               /* hits of all rows */
    hits_batch batch;
    hits_cpu cpu;
    hits_device gpu;
};
typedef struct hits hits;

wedge_status hits_open(wedge_job *job, hits_kept *kept, uint64_t begin, uint64_t end, uint64_t memory, hits **out);
void hits_close(hits *f); /* NULL is fine */

/* The next rows from position `at` on, as many as there is room for: their number of pairs, and the position after them. Their columns
 * lie in kept->columns, in any order within a row: f->batch says which. */
wedge_status hits_next(hits *f, uint64_t at, uint64_t *end, uint64_t *count, pace *p);

/* What GPUs and the cpu do each in their way. find: the hits of the job's cells [begin, end), along the curve; all others
 * work on what was found or placed. */
typedef struct {
    wedge_status (*open)(hits *f);
    void (*close)(hits *f);
    wedge_status (*find)(hits *f, uint64_t begin, uint64_t end, pace *p);
    wedge_status (*tally)(hits *f);
    wedge_status (*scan)(hits *f); /* counts to starts and total */
    wedge_status (*start_at)(hits *f, uint64_t row, uint64_t *start);
    wedge_status (*batch)(hits *f); /* before the first place of a batch */
    wedge_status (*fill)(hits *f);  /* into kept->columns, in any order within a row */
    wedge_status (*sort)(hits *f);  /* each row */
    wedge_status (*list)(hits *f, const select_target *to);
} hits_path;
extern const hits_path hits_native, hits_gpu;

/* GPU: f->gpu.turned. */
wedge_status hits_gpu_turn(hits *f);

#endif
