/* select/select.h: from marks to a list of pairs, some rows at a time.
 *
 * The marks of a batch of rows are counted, chunk by chunk of a row; counts become places in the list; then pairs and values
 * are written there. A chunk is SELECT_CHUNK words. All of it is in the caller's rows and columns.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SELECT_SELECT_H
#define WEDGE_ENGINE_SELECT_SELECT_H

#include "engine/base/path.h"
#include "engine/gpu/args.h"

typedef struct {
    wedge_job *job;
    uint64_t begin, end; /* positions */
    marks_area area;
    uint64_t chunks;  /* of a row */
    buffer marks;     /* on the device */
    uint32_t *counts; /* of each row and chunk */
    uint64_t *places; /* where each begins; one more, the end */
    buffer on_device; /* of counts, or of places: the same bytes; none on the cpu */
} select_batch;

/* Where a part of the list goes: entries [least, most), the first of them to number pair_shift of pairs and value_shift of
 * values. A buffer without a handle is not wanted. */
typedef struct {
    buffer pairs, values;
    uint64_t least, most;
    uint64_t pair_shift, value_shift;
} select_target;

typedef struct {
    wedge_status (*tally)(select_batch *b);
    wedge_status (*list)(select_batch *b, const select_target *to);
} select_path;
extern const select_path select_gpu, select_native;

/* Into memory, and handed out. */
wedge_status select_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                        void *user);
wedge_status select_stream(wedge_job *job, uint64_t begin, uint64_t end, uint64_t memory, wedge_taker take,
                           wedge_progress progress, void *user);

#endif
