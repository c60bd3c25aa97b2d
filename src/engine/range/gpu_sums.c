/* gpu_sums.c: runs a range for sinks that see leaves, on a GPU: added up in slots, or as marks.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "core/maps.h"
#include "engine/range/gpu.h"
#include "engine/triples/gpu.h"

#define MOST_MERGED (UINT64_C(1) << 29) /* cells */

static wedge_status leaf_range(wedge_job *job, uint64_t begin, uint64_t end, const buffer *out, const marks_area *area,
                               pace *pace) {
    gpu_range g = {.job = job, .queue = job->queue, .out = out};
    uint64_t first, last, rows = job->domain.kind->rows(&job->domain);
    gpu_range_args(job, begin, end, &g.args, &first, &last);
    uint32_t pad = g.args.pad;
    if (area) { /* where rows and columns run backwards, so do the marks */
        bool back = job->domain.kind->backwards;
        uint64_t words = ceil_div(job->domain.m, LEAF);
        g.args.marks_row = (uint32_t)((back ? rows - area->row - area->rows : area->row) + pad);
        g.args.marks_word = (uint32_t)(back ? words - area->word - area->words : area->word);
        g.args.marks_rows = (uint32_t)area->rows;
    }
    return gpu_launch_rows(&g, (first + pad) / job->shape.tile, (last + pad) / job->shape.tile, pace);
}

/* Counters of 32 bits must not pass their end, nor a block's digits 2^30 leaves. */
uint64_t gpu_most_sum(const wedge_job *job) {
    uint64_t blocks = job->sink.one_slot ? 1 : job->gpu.resident / 2 + 1;
    return blocks << 31;
}

/* So that the host reads one slot in place of many, where cells are so few that no digit can pass 64 bits; returns how many
 * are left. */
static wedge_status merge_slots(const wedge_job *job, const buffer *slots, uint64_t cells, size_t *bytes) {
    const sink *k = &job->sink;
    uint32_t count = (uint32_t)(*bytes / k->slot_bytes);
    const kernel_arg args[] = {ARG_BUFFER(slots), ARG_VALUE(count)};
    if (!k->merge[0] || cells > MOST_MERGED || count == 1) return WEDGE_OK;
    *bytes = k->slot_bytes;
    return gpu_launch(job, job->gpu.program, "sink_merge",
                      (grid_launch){{1, 1, 1}, {k->merge[0], k->merge[1], 1}, args, 2});
}

static wedge_status sum_slots(wedge_job *job, uint64_t begin, uint64_t end, const buffer *slots, size_t *bytes,
                              uint64_t *inside, pace *pace) {
    WEDGE_TRY(job->dev->backend->fill(job->dev, job->queue, slots, 0, *bytes, 0));
    if (job->cutoff > 0) WEDGE_TRY(triples_count_begin(job));
    WEDGE_TRY(leaf_range(job, begin, end, slots, NULL, pace));
    WEDGE_TRY(merge_slots(job, slots, end - begin, bytes));
    return job->cutoff > 0 ? triples_count_end(job, inside) : WEDGE_OK;
}

wedge_status gpu_sum(wedge_job *job, uint64_t begin, uint64_t end, buffer *slots, void *state, uint64_t *inside,
                     pace *pace) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    const sink *k = &job->sink;
    size_t bytes = (k->one_slot ? 1 : job->gpu.resident) * k->slot_bytes;
    WEDGE_TRY(job_reserve(job, slots, bytes));
    char *read = malloc(bytes);
    WEDGE_CHECK(read, &dev->note, WEDGE_NO_MEMORY, "no memory for the sums of %u blocks", job->gpu.resident);
    wedge_status status = sum_slots(job, begin, end, slots, &bytes, inside, pace);
    if (!status) status = b->read(dev, job->queue, read, slots, 0, bytes);
    wedge_status waited = b->wait(dev, job->queue); /* also where a launch failed */
    if (!status) status = waited;
    for (size_t at = 0; at < bytes && !status; at += k->slot_bytes) k->def->add(k, state, read + at, false);
    free(read);
    return status;
}

wedge_status gpu_mark(wedge_job *job, uint64_t begin, uint64_t end, const marks_area *area, const buffer *marks,
                      pace *pace) {
    WEDGE_TRY(leaf_range(job, begin, end, marks, area, pace));
    return job->dev->backend->wait(job->dev, job->queue);
}
