/* range/gpu.c: pairs on a GPU: what a job holds, and the launches of a range. The kernel is composed in kernel.c.
 *
 * The kernel numbers cells in the order of the domain's rows, or where the domain runs backwards in reverse: position p
 * is cell N - 1 - p. A range is whole rows of tiles; the kernel leaves out what lies outside of it.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "core/maps.h"
#include "engine/prune/gpu.h"
#include "engine/prune/pays.h"
#include "engine/prune/prune.h"
#include "engine/range/gpu.h"
#include "engine/triples/gpu.h"
#include "engine/tune/tune.h"
#include "wedge/map.h"

enum { SMALL_TILE = 32 /* PoCL 5 fails on larger ones */ };
#define DENSE_SHARE 0.2
enum { SLICE_QUADS = 16 /* a multiple of pairs_many.h's DEPTH */, PASSES = 2 /* of a diagonal tile */ };

/* ---- What a job holds ---- */

/* Tiles that are left within their features: one per unit of the device. */
static uint64_t round_of(const wedge_job *job) { return job->dev->info.units ? job->dev->info.units : 1; }

static wedge_status make_states(wedge_job *job) {
    uint64_t cells = round_of(job) * PASSES * job->shape.tile * job->shape.tile;
    if (job->pairs.d > PART_FEATURES) cells *= 3; /* a part's, a group's and the whole's (pairs_many.h) */
    WEDGE_TRY(job->dev->backend->buffer_new(job->dev, cells * job->op->state * job->size, ON_DEVICE, &job->gpu.states));
    job->info.device_bytes += job->gpu.states.bytes;
    return WEDGE_OK;
}

static wedge_status upload_limits(wedge_job *job) {
    const double none = 0;
    size_t count = job->sink.limit_count;
    return gpu_write_numbers(job, &job->limits, count ? job->sink.limits : &none, count ? count : 1);
}

wedge_status gpu_open(wedge_job *job) {
    wedge_device *dev = job->dev;
    const wedge_job_spec *p = &job->pairs;
    WEDGE_CHECK(p->dtype == WEDGE_F32 || dev->info.has_double, &dev->note, WEDGE_UNSUPPORTED,
                "%s has no double precision: use f32, or another device", dev->info.id);
    WEDGE_CHECK(dev->info.is_gpu || job->shape.few || job->shape.tile == SMALL_TILE, &dev->note, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side (--block): on %s, no GPU, %" PRIu64
                " features can have only %d, because its compiler may not manage larger ones",
                job->shape.tile, dev->info.id, p->d, SMALL_TILE);
    WEDGE_TRY(gpu_build_job(job));
    if (gpu_is_sliced(job)) WEDGE_TRY(make_states(job));
    return sink_stores(&job->sink) ? WEDGE_OK : upload_limits(job);
}

static wedge_status upload_points(wedge_job *job) {
    WEDGE_TRY(gpu_upload(job, 0, &job->points.rows));
    if (job->domain.kind->two_sets) WEDGE_TRY(gpu_upload(job, 1, &job->points.columns));
    return !job->curve.ordered ? WEDGE_OK : job->domain.kind->triples ? triples_reach(job) : boxes_gpu(job);
}

static void free_kernel(wedge_job *job) {
    const backend *b = job->dev->backend;
    if (job->gpu.kernel) b->kernel_free(job->dev, job->gpu.kernel);
    if (job->gpu.program) b->program_free(job->dev, job->gpu.program);
    job->gpu.kernel = job->gpu.program = NULL;
}

void gpu_close(wedge_job *job) {
    free_kernel(job);
    if (job->gpu.tools) job->dev->backend->program_free(job->dev, job->gpu.tools);
    if (job->gpu.extent) job->dev->backend->program_free(job->dev, job->gpu.extent);
    job->gpu.tools = job->gpu.extent = NULL;
    job_drop(job, &job->limits);
    job_drop(job, &job->gpu.states);
}

/* Other tiles: another kernel, and boxes of it. */
static wedge_status build_again(wedge_job *job) {
    WEDGE_TRY(tune_choose(job));
    free_kernel(job);
    job_drop(job, &job->limits);
    points_drop(job);
    WEDGE_TRY(gpu_build_job(job));
    WEDGE_TRY(upload_limits(job));
    return upload_points(job);
}

/* With its first points a job sees how many tiles are in reach: of few, small ones leave out more; of many, large ones are
 * quicker; and of most, none is left out. */
static wedge_status choose_tiles(wedge_job *job) {
    double share;
    if (job->prune.tiles_chosen || !job->info.pruned || pays_always(job)) return WEDGE_OK;
    job->prune.tiles_chosen = true;
    WEDGE_TRY(tiles_share(job, &share));
    job->prune.dense = share > DENSE_SHARE;
    if (pays_to_prune(job, share, 0)) {
        uint32_t tile = job->shape.tile;
        WEDGE_TRY(tune_choose(job));
        if (job->shape.tile == tile) return WEDGE_OK;
    } else {
        job->info.pruned = job->curve.ordered = false;
    }
    return build_again(job);
}

wedge_status gpu_upload_all(wedge_job *job) {
    WEDGE_TRY(upload_points(job));
    return choose_tiles(job);
}

/* ---- A range ---- */

static wedge_status launch(const gpu_range *g, const wedge_launch *where) {
    const wedge_job *job = g->job;
    const gpu_parameters p = gpu_parameters_of(job);
    bool cut = job->domain.kind->triples && job->curve.ordered, lists = cut && sink_lists(&job->sink);
    kernel_arg args[] = {ARG_VALUE(*where), ARG_BUFFER(gpu_columns(job)), ARG_BUFFER(&job->points.rows),
                         ARG_BUFFER(g->out), ARG_BUFFER(g->limits ? g->limits : &job->limits), ARG_VALUE(g->args),
                         GPU_PARAMETERS(p, job),
                         ARG_BUFFER(job->curve.ordered ? &job->prune.tiles
                                                       : &job->gpu.states), /* from here on only of jobs that have a */
                         /* list, of triplets with a cutoff, or launches that end within the features */
                         ARG_VALUE(g->slice_begin), ARG_VALUE(g->slice_end), ARG_BUFFER(&job->curve.order[0])};
    if (cut) args[8] = (kernel_arg)ARG_BUFFER(&job->prune.limits), args[9] = (kernel_arg)ARG_BUFFER(&job->prune.counts);
    int count = lists ? 11 : cut || gpu_is_sliced(job) ? 10 : job->info.pruned ? 8 : 7;
    grid_launch l = {{where->grid[0], 1, 1}, {LANES, job->shape.warps, 1}, args, count};
    return job->dev->backend->launch(job->dev, g->queue, job->gpu.kernel, &l);
}

/* Tiles [begin, end) of those that the range has, dealt to blocks that stay. */
static wedge_status launch_resident(const gpu_range *g, uint64_t begin, uint64_t end) {
    uint64_t tiles = end - begin, blocks = tiles < g->job->gpu.resident ? tiles : g->job->gpu.resident;
    while (tiles / blocks >= UINT32_MAX) ++blocks;
    return launch(g, &(wedge_launch){.base = g->first_tile + begin,
                                     .a = (uint32_t)(tiles / blocks),
                                     .b = (uint32_t)(tiles % blocks),
                                     .grid = {(uint32_t)blocks, 1, 1}});
}

/* The same by blocks that take a piece of a tile each, and then end. */
static wedge_status launch_pieces(const gpu_range *g, uint64_t begin, uint64_t end) {
    uint64_t pieces = gpu_pieces_of(g->job), blocks = (end - begin) * pieces, most = g->job->dev->info.max_grid[0];
    wedge_launch w = {.grid = {0, 1, 1}};
    for (uint64_t done = 0; done < blocks; done += w.grid[0]) {
        w.base = (g->first_tile + begin) * pieces + done;
        w.grid[0] = (uint32_t)(blocks - done < most ? blocks - done : most);
        WEDGE_TRY(launch(g, &w));
    }
    return WEDGE_OK;
}

static wedge_status launch_tiles(void *user, uint64_t begin, uint64_t end) {
    const gpu_range *g = user;
    bool stay = !sink_stores(&g->job->sink) || g->job->shape.walk || g->job->domain.kind->triples;
    return stay ? launch_resident(g, begin, end) : launch_pieces(g, begin, end);
}

static uint64_t slices_of(const gpu_range *g) { return ceil_div(g->args.quads, SLICE_QUADS); }

/* Slices [begin, end): a round of tiles is one slice after the other, each of all its tiles. Rounds that lie whole in
 * here are one launch. */
static wedge_status launch_slices(void *user, uint64_t begin, uint64_t end) {
    gpu_range *g = user;
    uint64_t deep = slices_of(g), round = round_of(g->job);
    while (begin < end) {
        uint64_t at = begin / deep, from = begin % deep, left = end - begin;
        uint64_t rounds = !from && left >= deep ? left / deep : 1;
        uint64_t to = from + left < deep ? from + left : deep;
        uint64_t last = (at + rounds) * round;
        g->slice_begin = (uint32_t)(from * SLICE_QUADS);
        g->slice_end = to < deep ? (uint32_t)(to * SLICE_QUADS) : g->args.quads;
        WEDGE_TRY(launch_tiles(g, at * round, last < g->tiles ? last : g->tiles));
        begin += rounds * (to - from);
    }
    return WEDGE_OK;
}

static wedge_status read_taken(const gpu_range *g) {
    wedge_device *dev = g->job->dev;
    uint32_t taken = 0;
    WEDGE_TRY(dev->backend->read(dev, g->queue, &taken, g->out, 0, sizeof taken));
    wedge_status status = dev->backend->wait(dev, g->queue);
    g->hits->taken = taken;
    return status;
}

/* Tiles [begin, end), after `done` of `all`. Finds are counted by 32 bits, and asked for before that could be too few: there
 * is room for up to 2^31, and each thread may take some more that it does not use. Returns with *over set where they are
 * more than there is room for. */
static wedge_status launch_some(gpu_range *g, uint64_t begin, uint64_t end, uint64_t done, uint64_t all, pace *p,
                                bool *over) {
    const wedge_job *job = g->job;
    uint64_t cells = (uint64_t)job->shape.tile * job->shape.tile,
             most = g->hits ? (UINT64_C(1) << (gpu_is_mirrored(job) ? 29 : 30)) / cells : UINT64_MAX;
    for (uint64_t at = begin; at < end && !*over; at += g->tiles) {
        g->first_tile = at;
        g->tiles = end - at < most ? end - at : most;
        pace_items tiles = {g->tiles, (double)cells, job->dev->info.units};
        WEDGE_TRY(pace_run(p, job->dev, g->queue, tiles, launch_tiles, g));
        if (!g->hits) continue;
        WEDGE_TRY(read_taken(g));
        *over = g->hits->taken > g->hits->room;
        if (*over)
            g->hits->taken = (uint64_t)((double)g->hits->taken / (double)(done + at - begin + g->tiles) * (double)all);
    }
    return WEDGE_OK;
}

/* Those of rows [first, last] that come within reach. */
static wedge_status launch_listed(gpu_range *g, uint64_t first, uint64_t last, pace *p) {
    tile_list list;
    uint64_t done = 0;
    bool over = false;
    wedge_status status = tiles_count(g->job, &g->args, first, last, &list);
    if (!status) g->job->info.computed += list.all * g->job->shape.tile * g->job->shape.tile;
    for (; !status && !over && !(status = tiles_next(&list)) && list.listed; done += list.listed)
        status = launch_some(g, 0, list.listed, done, list.all, p, &over);
    tiles_free(&list);
    return status;
}

/* The tiles that rows [first, last] of tiles are in: as rows, and below them as columns, a strip. */
static wedge_status launch_mirrored(gpu_range *g, uint64_t first, uint64_t last, pace *p) {
    uint64_t below = ceil_div(g->job->domain.n, g->job->shape.tile) - 1 - last, wide = last + 1 - first;
    uint64_t begin = wedge_tri64(first), end = wedge_tri64(last + 1), all = end - begin + below * wide;
    bool over = false;
    WEDGE_TRY(launch_some(g, begin, end, 0, all, p, &over));
    g->args.strip = (uint32_t)wide, g->args.strip_row = (uint32_t)last + 1, g->args.strip_column = (uint32_t)first;
    return launch_some(g, 0, below * wide, end - begin, all, p, &over);
}

/* Of triplets, what blocks take one of: tiles; to store, with all third points, STORE_SUBS parts of two tiles; with a cutoff, two
 * tiles. */
static uint64_t tetrahedron(uint64_t tiles) { return wedge_tet64(tiles); }
static uint64_t triangle_of_parts(uint64_t tiles) { return STORE_SUBS * wedge_tri64(tiles); }
static uint64_t triangle(uint64_t tiles) { return wedge_tri64(tiles); }

/* The layers of tiles that a range of triplets lies in. */
static wedge_status launch_triples(gpu_range *g, pace *p) {
    const wedge_job *job = g->job;
    bool anywhere = job->curve.ordered && sink_lists(&job->sink); /* the caller's range, along the curve */
    uint64_t begin = anywhere ? 0 : g->args.begin, end = anywhere ? job->info.cells : g->args.end;
    const domain *d = &job->domain;
    uint64_t tile = job->shape.tile, first = domain_triple(d, begin).i, last = domain_triple(d, end - 1).i;
    uint64_t second = d->kind->distinct; /* the first j of every i */
    g->args.whole_begin = (uint32_t)(first + (begin > domain_triple_position(d, first, second, 0)));
    g->args.whole_end = (uint32_t)(last + (end == domain_triple_position(d, last + 1, second, 0)));
    uint64_t (*all)(uint64_t) = job->curve.ordered        ? triangle
                                : sink_stores(&job->sink) ? triangle_of_parts
                                                          : tetrahedron;
    if (sink_stores(&job->sink)) first -= 2 * second, last -= 2 * second; /* of rows, as triples_store.h counts */
    g->first_tile = all(first / tile);
    g->tiles = all(last / tile + 1) - g->first_tile;
    double cells = (double)(tile * tile * tile) * (double)(tetrahedron(last / tile + 1) - tetrahedron(first / tile));
    pace_items tiles = {g->tiles, cells / (double)g->tiles, job->dev->info.units};
    return pace_run(p, job->dev, g->queue, tiles, launch_tiles, g);
}

wedge_status gpu_launch_rows(gpu_range *g, uint64_t first, uint64_t last, pace *p) {
    const wedge_job *job = g->job;
    bool full_rows = job->domain.kind->full_rows;
    double cells = (double)job->shape.tile * job->shape.tile;
    if (job->domain.kind->triples) return launch_triples(g, p);
    if (job->info.pruned) return launch_listed(g, first, last, p);
    if (gpu_is_mirrored(job)) return launch_mirrored(g, first, last, p);
    g->first_tile = full_rows ? first * g->args.columns : wedge_tri64(first);
    g->tiles = (full_rows ? (last + 1) * g->args.columns : wedge_tri64(last + 1)) - g->first_tile;
    if (g->hits) return launch_some(g, g->first_tile, g->first_tile + g->tiles, 0, g->tiles, p, &(bool){false});
    pace_items tiles = {g->tiles, cells, job->dev->info.units};
    if (!gpu_is_sliced(job)) return pace_run(p, job->dev, g->queue, tiles, launch_tiles, g);
    uint64_t deep = slices_of(g), round = round_of(job);
    pace_items slices = {ceil_div(g->tiles, round) * deep, (double)round * cells / (double)deep, 1};
    return pace_run(p, job->dev, g->queue, slices, launch_slices, g);
}

/* Which cells lie at 32-byte boundaries of out. A foreign buffer may begin anywhere; its address tells, where it is
 * one. */
static uint32_t phase_of(const wedge_job *job, const buffer *out, bool mirror, uint64_t base) {
    uint64_t skew = job->dev->backend->addressed && job->info.values == 1 ? (uintptr_t)out->handle / job->size : 0;
    return job->shape.lines ? (uint32_t)((mirror ? base + 1 + skew : base - skew) % job->shape.lines) : 0;
}

wedge_status gpu_range_run(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out,
                           uint64_t offset, pace *pace) {
    gpu_range g = {.job = job, .queue = queue, .out = out};
    bool back = job->domain.kind->backwards;
    uint64_t first, last;
    gpu_range_args(job, begin, end, &g.args, &first, &last);
    g.args.base = back ? job->info.cells - 1 - begin + offset : begin - offset;
    g.args.phase = phase_of(job, out, back, g.args.base);
    return gpu_launch_rows(&g, first / job->shape.tile, last / job->shape.tile, pace);
}

/* A tile is computed whole, however few of its rows are in the range. */
uint32_t gpu_rows(const wedge_job *job) { return job->shape.tile; } /* of triplets: a layer of tiles */
