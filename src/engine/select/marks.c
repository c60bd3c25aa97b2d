/* marks.c: marks, counts and lists rows batch by batch. A batch has as many rows as fit in memory at one bit per cell.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/marks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/maps.h"

#define MARKS_NATIVE (UINT64_C(1) << 20) /* bytes of marks: on the cpu, */
#define MARKS_DEVICE (UINT64_C(1) << 30) /* and on devices */

static const marks_path *path_of(const marks_batch *b) {
    return b->job->dev->backend->compile ? &marks_gpu : &marks_native;
}

/* Marks on the cpu stay with the job: to get their pages from the system anew costs a sixth of a short run. */
static wedge_status make_marks(marks_batch *b, uint64_t bytes) {
    wedge_job *job = b->job;
    buffer *kept = &((list_held *)job->held)->marks;
    b->marks = job->dev->backend->compile ? &b->of_run : kept;
    if (job->dev->backend->compile) return job->dev->backend->buffer_new(job->dev, bytes, ON_DEVICE, &b->of_run);
    if (kept->bytes != bytes) job_drop(job, kept); /* of a run that was allowed more memory, or less */
    return job_reserve(job, kept, bytes);
}

static wedge_status make_room(marks_batch *b, uint64_t memory) {
    const wedge_job *job = b->job;
    wedge_device *dev = job->dev;
    bool native = !dev->backend->compile;
    uint64_t marks = native ? MARKS_NATIVE : MARKS_DEVICE, free_bytes = 0, words = ceil_div(job->domain.m, LEAF);
    if (!native && !dev->backend->memory_free(dev, &free_bytes) && marks > free_bytes / 8) marks = free_bytes / 8;
    if (memory && marks > memory / 2) marks = memory / 2;
    uint64_t rows = job->domain.kind->rows(&job->domain);
    b->most_rows = marks / (words * sizeof(uint32_t));
    if (b->most_rows < 1) b->most_rows = 1;
    if (b->most_rows > rows) b->most_rows = rows;
    uint64_t cells = b->most_rows * ceil_div(words, SELECT_CHUNK);
    b->counts = malloc(cells * sizeof *b->counts);
    b->starts_at = malloc((cells + 1) * sizeof *b->starts_at);
    WEDGE_CHECK(b->counts && b->starts_at, &dev->note, WEDGE_NO_MEMORY,
                "no memory to select from %" PRIu64 " rows at a time", b->most_rows);
    WEDGE_TRY(make_marks(b, b->most_rows * words * sizeof(uint32_t)));
    return native ? WEDGE_OK
                  : dev->backend->buffer_new(dev, (cells + 1) * sizeof *b->starts_at, ON_DEVICE, &b->on_device);
}

static wedge_status start(const list_wish *wish, void **of) {
    marks_batch *b = *of = calloc(1, sizeof *b);
    WEDGE_CHECK(b, &wish->job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of pairs");
    b->job = wish->job, b->past = wish->end;
    return make_room(b, wish->memory);
}

static void stop(void *of) {
    marks_batch *b = of;
    if (!b) return;
    b->job->dev->backend->buffer_free(b->job->dev, &b->of_run);
    b->job->dev->backend->buffer_free(b->job->dev, &b->on_device);
    free(b->counts);
    free(b->starts_at);
    free(b);
}

/* The next rows, none of them beyond the range, and the words of their columns: those of the first and of the last row are
 * the outermost. */
static void next_batch(marks_batch *b, uint64_t at) {
    const domain *d = &b->job->domain;
    uint64_t row = d->kind->row(d, at), past = row + b->most_rows, rows = d->kind->row(d, b->past - 1) + 1;
    if (past > rows) past = rows; /* rows of the range: no others have marks */
    columns last = d->kind->columns(d, past - 1), first = d->kind->columns(d, row);
    b->begin = at, b->end = past < rows ? d->kind->start(d, past) : b->past;
    uint64_t left = (first.first < last.first ? first.first : last.first) / LEAF;
    uint64_t right = (first.last > last.last ? first.last : last.last) / LEAF + 1;
    b->area = (marks_area){row, past - row, left, right - left};
    b->chunks = ceil_div(b->area.words, SELECT_CHUNK);
}

static wedge_status next(void *of, uint64_t at, uint64_t *end, uint64_t *count, pace *p) {
    marks_batch *b = of;
    next_batch(b, at);
    *end = b->end;
    WEDGE_TRY(b->job->path->mark(b->job, b->begin, b->end, &b->area, b->marks, p));
    WEDGE_TRY(path_of(b)->tally(b));
    uint64_t sum = 0, all = b->area.rows * b->chunks;
    for (uint64_t k = 0; k < all; ++k) {
        b->starts_at[k] = sum;
        sum += b->counts[k];
    }
    b->starts_at[all] = *count = sum;
    return WEDGE_OK;
}

static wedge_status list(void *of, const select_target *to) { return path_of(of)->list(of, to); }

static uint64_t total(const void *of) {
    (void)of;
    return UINT64_MAX;
}

const list_source list_of_marks = {start, next, list, total, stop};
