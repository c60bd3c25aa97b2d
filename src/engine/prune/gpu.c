/* prune/gpu.c: boxes and lists of tiles on a GPU; the kernels are in kernels/prune.h.
 *
 * A list holds LIST_TILES tiles, or the tiles of one row if there are more. Larger lists are made and run some rows at a time.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/gpu.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/maps.h"
#include "wedge/map.h"

#define LIST_TILES (UINT64_C(1) << 22)

static wedge_status launch(const wedge_job *job, const char *name, uint64_t blocks, const kernel_arg *args, int count) {
    const grid_launch l = {{(uint32_t)blocks, 1, 1}, {LIST_BLOCK, 1, 1}, args, count};
    return gpu_launch(job, job->gpu.program, name, l);
}

/* Tiles of rows and of columns; a triangle has as many of either. */
static uint32_t tile_rows_of(const wedge_job *job, const pairs_args *a) {
    return (uint32_t)ceil_div((uint64_t)a->side + a->pad, job->shape.tile);
}

static uint32_t tile_columns_of(const wedge_job *job, const pairs_args *a) {
    return job->domain.kind->full_rows ? a->columns : tile_rows_of(job, a);
}

/* One limit for all rows of tiles; nearest has others in each run. */
static wedge_status make_reach(wedge_job *job, uint32_t rows) {
    WEDGE_TRY(job_reserve(job, &job->prune.limits, (job->sink.smallest ? rows : 1) * job->size));
    return gpu_write_numbers(job, &job->prune.limits, &job->prune.limit, 1);
}

wedge_status boxes_gpu(wedge_job *job) {
    wedge_device *dev = job->dev;
    pairs_args a;
    uint64_t first, last;
    if (!job->info.cells) return WEDGE_OK;
    gpu_range_args(job, 0, job->info.cells, &a, &first, &last);
    uint32_t rows = tile_rows_of(job, &a), columns = tile_columns_of(job, &a);
    uint64_t boxes = (uint64_t)rows + columns, numbers = boxes * job->pairs.d;
    WEDGE_TRY(dev->backend->buffer_new(dev, 2 * numbers * job->size, ON_DEVICE, &job->prune.boxes));
    job->info.device_bytes += job->prune.boxes.bytes;
    const kernel_arg args[] = {ARG_BUFFER(gpu_columns(job)),
                               ARG_BUFFER(&job->points.rows),
                               ARG_BUFFER(&job->prune.boxes),
                               ARG_VALUE(rows),
                               ARG_VALUE(columns),
                               ARG_VALUE(a)};
    WEDGE_TRY(launch(job, "tile_boxes", ceil_div(numbers, LIST_BLOCK), args, 6));
    return make_reach(job, rows);
}

/* ---- Lists ---- */

static wedge_status count_rows(tile_list *t) {
    wedge_job *job = t->job;
    wedge_device *dev = job->dev;
    const gpu_parameters p = gpu_parameters_of(job);
    uint32_t rows = tile_rows_of(job, &t->args), first = (uint32_t)t->first, step = job->sink.smallest > 0;
    const kernel_arg args[] = {ARG_BUFFER(&job->prune.boxes),
                               ARG_VALUE(rows),
                               ARG_VALUE(first),
                               ARG_BUFFER(&job->prune.limits),
                               ARG_VALUE(step),
                               ARG_BUFFER(&job->prune.counts),
                               ARG_VALUE(t->args),
                               GPU_PARAMETERS(p, job)};
    WEDGE_TRY(launch(job, "list_count", t->rows, args, 8));
    WEDGE_TRY(dev->backend->read(dev, job->queue, t->counts, &job->prune.counts, 0, t->rows * sizeof *t->counts));
    return dev->backend->wait(dev, job->queue);
}

wedge_status tiles_count(wedge_job *job, const pairs_args *args, uint64_t first, uint64_t last, tile_list *out) {
    *out = (tile_list){.job = job, .args = *args, .first = first, .rows = last - first + 1, .next = first};
    out->counts = malloc(out->rows * sizeof *out->counts);
    WEDGE_CHECK(out->counts, &job->dev->note, WEDGE_NO_MEMORY, "no memory for %" PRIu64 " rows of tiles", out->rows);
    WEDGE_TRY(job_reserve(job, &job->prune.counts, out->rows * sizeof *out->counts));
    WEDGE_TRY(count_rows(out));
    for (uint64_t r = 0; r < out->rows; ++r) out->all += out->counts[r];
    return WEDGE_OK;
}

wedge_status tiles_share(wedge_job *job, double *share) {
    pairs_args a;
    tile_list list;
    uint64_t first, last;
    *share = 0;
    if (!job->info.cells) return WEDGE_OK;
    gpu_range_args(job, 0, job->info.cells, &a, &first, &last);
    uint64_t rows = tile_rows_of(job, &a);
    wedge_status status = tiles_count(job, &a, 0, rows - 1, &list);
    double all = job->domain.kind->full_rows ? (double)rows * tile_columns_of(job, &a) : (double)wedge_tri64(rows);
    *share = (double)list.all / all;
    tiles_free(&list);
    return status;
}

static wedge_status fill_rows(tile_list *t, uint64_t rows, const uint32_t *starts) {
    wedge_job *job = t->job;
    wedge_device *dev = job->dev;
    const gpu_parameters p = gpu_parameters_of(job);
    uint32_t all = tile_rows_of(job, &t->args), first = (uint32_t)t->next, step = job->sink.smallest > 0;
    WEDGE_TRY(job_reserve(job, &job->prune.tiles, t->listed * 2 * sizeof(uint32_t)));
    WEDGE_TRY(dev->backend->write(dev, job->queue, &job->prune.counts, 0, starts, rows * sizeof *starts));
    const kernel_arg args[] = {ARG_BUFFER(&job->prune.boxes),  ARG_VALUE(all),     ARG_VALUE(first),
                               ARG_BUFFER(&job->prune.limits), ARG_VALUE(step),    ARG_BUFFER(&job->prune.counts),
                               ARG_BUFFER(&job->prune.tiles),  ARG_VALUE(t->args), GPU_PARAMETERS(p, job)};
    WEDGE_TRY(launch(job, "list_fill", rows, args, 9));
    return dev->backend->wait(dev, job->queue); /* starts are the host's */
}

wedge_status tiles_next(tile_list *t) {
    uint64_t rows = 0, end = t->first + t->rows;
    t->listed = 0;
    while (t->next < end && !t->counts[t->next - t->first]) ++t->next;
    uint32_t *starts = malloc((end - t->next + 1) * sizeof *starts);
    WEDGE_CHECK(starts, &t->job->dev->note, WEDGE_NO_MEMORY, "no memory for %" PRIu64 " rows of tiles", t->rows);
    for (; t->next + rows < end; ++rows) {
        uint64_t more = t->counts[t->next + rows - t->first];
        if (t->listed && t->listed + more > LIST_TILES) break;
        starts[rows] = (uint32_t)t->listed;
        t->listed += more;
    }
    wedge_status status = rows ? fill_rows(t, rows, starts) : WEDGE_OK;
    free(starts);
    t->next += rows;
    return status;
}

void tiles_free(tile_list *t) { free(t->counts); }
