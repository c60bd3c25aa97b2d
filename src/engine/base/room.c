/* room.c: buffers that stay with a job, and where ranges of it may begin and end.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "core/float_env.h"
#include "engine/base/path.h"

enum { FIRST_CELLS = 1 << 16, GROWTH = 16 };

wedge_status job_reserve(wedge_job *job, buffer *b, uint64_t bytes) {
    buffer larger;
    if (b->bytes >= bytes) return WEDGE_OK;
    job_drop(job, b);
    WEDGE_TRY(job->dev->backend->buffer_new(job->dev, bytes, ON_DEVICE, &larger));
    *b = larger;
    job->info.device_bytes += bytes;
    return WEDGE_OK;
}

void job_drop(wedge_job *job, buffer *b) {
    job->info.device_bytes -= b->bytes;
    job->dev->backend->buffer_free(job->dev, b);
    *b = (buffer){0};
}

wedge_status held_new(wedge_job *job, size_t buffers) {
    job->held = calloc(buffers ? buffers : 1, sizeof(buffer));
    WEDGE_CHECK(job->held, &job->dev->note, WEDGE_NO_MEMORY, "no memory for a job");
    return WEDGE_OK;
}

void held_free(wedge_job *job, size_t buffers) {
    for (size_t k = 0; job->held && k < buffers; ++k) job_drop(job, (buffer *)job->held + k);
    free(job->held);
    job->held = NULL;
}

wedge_status job_range(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                       pace *p) {
    if (begin >= end) return WEDGE_OK;
    return job->path->range(job, queue, begin, end, out, offset, p);
}

/* Small at first, when nothing is known, then growing to what the speed allows: a piece that is stopped is lost. */
uint64_t job_cut(const wedge_job *job, const pace *p, uint64_t begin, uint64_t end, uint64_t most, uint64_t last) {
    uint64_t least_rows = job->path->rows(job), rows = job->domain.kind->triples ? least_rows : job->shape.tile,
             timed = pace_cells(p), grown = last ? GROWTH * last : FIRST_CELLS;
    uint64_t least = least_rows * job->domain.m;
    if (timed > grown) timed = grown;
    if (timed < least) timed = least;
    if (most > timed) most = timed;
    if (most < rows * job->domain.m) rows = least_rows;
    return domain_cut(&job->domain, begin, end, most, rows);
}

wedge_status job_check_range(wedge_job *job, uint64_t begin, uint64_t end) {
    WEDGE_CHECK(job->points.rows.handle, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "the job has no points since wedge_job_renew failed: renew it once more");
    WEDGE_CHECK(begin <= end && end <= job->info.cells, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "positions %" PRIu64 " to %" PRIu64 ": a range lies between 0 and %" PRIu64, begin, end,
                job->info.cells);
    return WEDGE_OK;
}

uint64_t wedge_job_boundary(const wedge_job *job, uint64_t position) {
    DEFAULT_FLOATS;
    if (!job || position >= job->info.cells) return job ? job->info.cells : 0;
    const domain *d = &job->domain;
    uint64_t row = d->kind->row(d, position), start = d->kind->start(d, row);
    columns c = d->kind->columns(d, row);
    uint64_t column = c.first + (position - start), leaf = column / LEAF * LEAF;
    if (job->sink.def->way == WAY_ROWS) return start;
    if (!job->sink.def->whole_leaves || column > c.last) return position;
    return leaf > c.first ? start + leaf - c.first : start;
}

wedge_status job_check_boundary(wedge_job *job, uint64_t position) {
    uint64_t before = wedge_job_boundary(job, position);
    WEDGE_CHECK(before == position, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "position %" PRIu64 ": a range of %s cannot begin or end there; the last boundary before it is %" PRIu64
                " (wedge_job_boundary)",
                position, job->sink.def->info.name, before);
    return WEDGE_OK;
}
