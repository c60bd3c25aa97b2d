/* gpu/shape.c: derives numbers that kernels need from a job's domain, sink and tile.
 *
 * SPDX-License-Identifier: MIT */
#include "core/maps.h"
#include "engine/gpu/args.h"

bool gpu_is_mirrored(const wedge_job *job) {
    return job->sink.smallest && !job->info.pruned && !job->domain.kind->two_sets && job->info.values == 1;
}

const domain_def *gpu_domain(const wedge_job *job) {
    return gpu_is_mirrored(job) ? domain_find(WEDGE_PACKED) : job->domain.kind;
}

uint64_t gpu_full_columns(const wedge_job *job) {
    return ceil_div(job->domain.m + (sink_stores(&job->sink) && job->shape.lines ? job->shape.lines - 1 : 0),
                    job->shape.tile);
}

uint32_t gpu_pieces_of(const wedge_job *job) { return job->shape.tile / (job->shape.warps * job->shape.rows); }

bool gpu_is_sliced(const wedge_job *job) {
    return sink_stores(&job->sink) && !job->shape.few && !job->dev->info.is_gpu;
}

uint32_t gpu_points_before(const wedge_job *job) { return job->shape.few ? job->shape.lines : 0; }

uint64_t gpu_points_in_all(const wedge_job *job, uint64_t n) {
    const pairs_shape *s = &job->shape;
    if (!s->few || !s->lines) return n;
    uint64_t tiles = ceil_div(n + s->lines, s->tile) + 1; /* and the second pass of the last */
    return ceil_div(s->lines + tiles * s->tile, s->per_store) * s->per_store;
}
