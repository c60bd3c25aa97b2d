/* marks.h: from marks to a list of pairs, some rows at a time.
 *
 * The marks of a batch of rows are counted, chunk by chunk of a row; counts become positions in the list; then pairs and values
 * are written there. A chunk is SELECT_CHUNK words. Rows and columns are the caller's.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SELECT_MARKS_H
#define WEDGE_ENGINE_SELECT_MARKS_H

#include "engine/gpu/args.h"
#include "engine/select/select.h"

typedef struct {
    wedge_job *job;
    uint64_t past;       /* end of the positions that are wanted */
    uint64_t most_rows;  /* most rows per batch */
    uint64_t begin, end; /* positions of the batch */
    marks_area area;
    uint64_t chunks;     /* chunks per row */
    buffer *marks;       /* on the device */
    uint32_t *counts;    /* marks per row and chunk */
    uint64_t *starts_at; /* position in the list of each chunk's first mark; one more, the end */
    buffer on_device;    /* GPU: counts, later overwritten by places */
    buffer of_run;       /* GPU: the marks of this run; on the cpu they stay with the job */
} marks_batch;

typedef struct {
    wedge_status (*tally)(marks_batch *b);
    wedge_status (*list)(marks_batch *b, const select_target *to);
} marks_path;
extern const marks_path marks_gpu, marks_native;

#endif
