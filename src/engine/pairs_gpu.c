/* pairs_gpu.c: pairs on a GPU: composes the kernel, puts the points there, plans the launches of a range.
 *
 * The kernel counts q, the packed order of the points, reversed for condensed: p = N - 1 - q there. A range of q is
 * whole rows of tiles, with what lies outside of the range left out by the kernel.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu/program.h"
#include "core/maps.h"
#include "engine/job.h"
#include "engine/texts.h"
#include "wedge/map.h"

enum { LANES = 32, QUAD_BYTES = 16, PREPARE_BLOCK = 64, SMALL_TILE = 32 /* PoCL 5 fails on larger ones */ };
enum { SLICE_QUADS = 16 /* a multiple of pairs_many.h's DEPTH */, PASSES = 2 /* of a diagonal tile */ };

/* As the kernel has it (pairs_device.h). */
typedef struct {
    uint64_t base, begin, end;
    uint32_t whole_begin, whole_end, side, points, quads, features, phase, columns, plane, row_plane;
} pairs_args;

/* Tiles a row of the square, moved ones included. */
static uint64_t box_columns(const wedge_job *job) {
    return ceil_div(job->domain.m + job->shape.lines - 1, job->shape.tile);
}

/* Blocks a tile. */
static uint32_t pieces_of(const wedge_job *job) { return job->shape.tile / (job->shape.warps * job->shape.rows); }

/* Are there more blocks than bands.h counts with 32 bits? */
static bool is_wide(const wedge_job *job) {
    uint64_t m = ceil_div(job->pairs.n, job->shape.tile);
    uint64_t tiles = job->domain.kind->device_box ? m * box_columns(job) : wedge_tri64(m);
    return tiles * pieces_of(job) > INT32_MAX;
}

/* What is no GPU may take seconds for one tile of many features: launches end within them there. */
static bool is_sliced(const wedge_job *job) { return !job->shape.few && !job->dev->info.is_gpu; }

/* ---- The kernel ---- */

static char *shape_text(const wedge_job *job) {
    const wedge_pairs *p = &job->pairs;
    const pairs_shape *s = &job->shape;
    const domain_row *k = job->domain.kind;
    return text_format(
        "typedef %s number;\n#define PAIRS_F64 %d\n#define PAIRS_TILE %uu\n#define PAIRS_LINES %uu\n"
        "#define PAIRS_WARPS %uu\n#define PAIRS_ROWS %uu\n#define PAIRS_WIDE %u\n#define PAIRS_RESIDENT %u\n"
        "#define PAIRS_SQUARE %d\n#define PAIRS_BOX %d\n#define PAIRS_MIRROR %d\n#define PAIRS_STRICT %du\n"
        "#define PAIRS_D %d\n#define PAIRS_STATE %u\n#define BANDS_PIECES %uu\n",
        p->dtype == WEDGE_F64 ? "double" : "float", p->dtype == WEDGE_F64, s->tile, s->lines, s->warps, s->rows,
        s->wide, s->resident, k->device_even, k->device_box, k->device_mirror, k->device_strict, s->few ? (int)p->d : 0,
        is_sliced(job) ? job->op->state : 0, pieces_of(job));
}

static wedge_status build(wedge_job *job) {
    wedge_device *dev = job->dev;
    bool few = job->shape.few;
    map_shape general = {.wide = is_wide(job), .origin = true};
    char *map = map_device_text(job->shape.map, general), *shape = shape_text(job);
    char *file = text_format("ops/%s.h", job->op->info.name);
    const source_piece pieces[] = {{"lang.h", text_lang},
                                   {"map.h", text_map},
                                   {"map", map},
                                   {"launch.h", text_launch},
                                   {"pairs", shape},
                                   {"ops/words.h", text_words},
                                   {file, job->op->text},
                                   {"sinks/store.h", text_store},
                                   {"pairs_device.h", text_pairs},
                                   {"bands.h", text_bands},
                                   {few ? "pairs_few.h" : "pairs_many.h", few ? text_pairs_few : text_pairs_many}};
    wedge_status status = map && shape && file
                              ? gpu_build(dev, pieces, sizeof pieces / sizeof *pieces, &job->program)
                              : note_fail(&dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    free(map);
    free(shape);
    free(file);
    if (!status) status = dev->backend->kernel_new(dev, job->program, "wedge_pairs", &job->kernel);
    if (!status) status = dev->backend->resident(dev, job->kernel, LANES * job->shape.warps, &job->resident);
    return status;
}

/* ---- Points ---- */

/* Points before the first, and all with those after the last (pairs_device.h). */
static uint32_t points_before(const wedge_job *job) { return job->shape.few ? job->shape.lines : 0; }

static uint64_t points_in_all(const wedge_job *job, uint64_t n) {
    const pairs_shape *s = &job->shape;
    if (!s->few) return n;
    uint64_t tiles = ceil_div(n + s->lines, s->tile) + 1; /* and the second pass of the last */
    return ceil_div(s->lines + tiles * s->tile, s->wide) * s->wide;
}

/* n: points of the set that is prepared, or of the columns. */
static pairs_args args_of(const wedge_job *job, uint64_t n) {
    const wedge_pairs *p = &job->pairs;
    return (pairs_args){.points = (uint32_t)n,
                        .features = (uint32_t)p->d,
                        .quads = (uint32_t)ceil_div(p->d * job->size, QUAD_BYTES),
                        .plane = (uint32_t)(points_in_all(job, n) / job->shape.wide),
                        .row_plane = (uint32_t)(points_in_all(job, job->domain.n) / job->shape.wide)};
}

static wedge_status prepare(wedge_job *job, const buffer *raw, uint64_t n, const buffer *to) {
    wedge_device *dev = job->dev;
    pairs_args a = args_of(job, n);
    int32_t first = -(int32_t)points_before(job);
    uint32_t all = (uint32_t)points_in_all(job, n);
    void *kernel = NULL;
    WEDGE_TRY(dev->backend->kernel_new(dev, job->program, "wedge_prepare", &kernel));
    const kernel_arg args[] = {ARG_BUFFER(raw), ARG_BUFFER(to), ARG_VALUE(first), ARG_VALUE(a), ARG_VALUE(all)};
    grid_launch launch = {{(uint32_t)ceil_div(all, PREPARE_BLOCK), 1, 1}, {PREPARE_BLOCK, 1, 1}, args, 5};
    wedge_status status = dev->backend->launch(dev, job->queue, kernel, &launch);
    if (!status) status = dev->backend->wait(dev, job->queue);
    dev->backend->kernel_free(dev, kernel);
    return status;
}

/* A set of points onto the device, as the skeletons want them. */
static wedge_status bring(wedge_job *job, const void *points, uint64_t n, buffer *to) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    uint64_t bytes = n * job->pairs.d * job->size;
    WEDGE_TRY(b->buffer_new(dev, points_in_all(job, n) * args_of(job, n).quads * QUAD_BYTES, ON_DEVICE, to));
    job->info.device_bytes += to->bytes;
    if (job->pairs.place == WEDGE_ON_DEVICE) {
        buffer raw = foreign_buffer(dev, points, bytes);
        return prepare(job, &raw, n, to);
    }
    buffer raw;
    WEDGE_TRY(b->buffer_new(dev, bytes, ON_DEVICE, &raw));
    wedge_status status = b->write(dev, job->queue, &raw, 0, points, bytes);
    if (!status) status = b->wait(dev, job->queue);
    if (!status) status = prepare(job, &raw, n, to);
    b->buffer_free(dev, &raw);
    return status;
}

/* Tiles that are left within their features: one per unit of the device. */
static uint64_t round_of(const wedge_job *job) { return job->dev->info.units ? job->dev->info.units : 1; }

static wedge_status make_states(wedge_job *job) {
    uint64_t cells = round_of(job) * PASSES * job->shape.tile * job->shape.tile;
    WEDGE_TRY(job->dev->backend->buffer_new(job->dev, cells * job->op->state * job->size, ON_DEVICE, &job->states));
    job->info.device_bytes += job->states.bytes;
    return WEDGE_OK;
}

static wedge_status gpu_open(wedge_job *job) {
    wedge_device *dev = job->dev;
    const wedge_pairs *p = &job->pairs;
    WEDGE_CHECK(p->dtype == WEDGE_F32 || dev->info.has_double, &dev->note, WEDGE_UNSUPPORTED,
                "%s has no double precision: take f32, or another device", dev->info.id);
    WEDGE_CHECK(dev->info.is_gpu || job->shape.few || job->shape.tile == SMALL_TILE, &dev->note, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side (--block): on %s, no GPU, %" PRIu64
                " features can have %d; its compiler may not manage larger ones",
                job->shape.tile, dev->info.id, p->d, SMALL_TILE);
    WEDGE_TRY(build(job));
    if (is_sliced(job)) WEDGE_TRY(make_states(job));
    WEDGE_TRY(bring(job, p->points, job->domain.n, &job->points));
    return job->domain.kind->two_sets ? bring(job, p->others, job->domain.m, &job->others) : WEDGE_OK;
}

static void gpu_close(wedge_job *job) {
    const backend *b = job->dev->backend;
    if (job->kernel) b->kernel_free(job->dev, job->kernel);
    if (job->program) b->program_free(job->dev, job->program);
}

/* ---- A range ---- */

typedef struct {
    wedge_job *job;
    void *queue;
    const buffer *out;
    pairs_args args;
    uint64_t first_tile, tiles;
    bool walk;
    uint32_t slice_begin, slice_end; /* quads that a launch takes */
} gpu_range;

static wedge_status launch(const gpu_range *g, const wedge_launch *where) {
    const wedge_job *job = g->job;
    float p32 = (float)job->pairs.p;
    double p64 = job->pairs.p;
    const kernel_arg p = {.value = job->size == 8 ? (const void *)&p64 : (const void *)&p32, .size = job->size};
    const buffer *columns = job->domain.kind->two_sets ? &job->others : &job->points;
    const kernel_arg args[] = {ARG_VALUE(*where),        ARG_BUFFER(columns),       ARG_BUFFER(&job->points),
                               ARG_BUFFER(g->out),       ARG_VALUE(g->args),        p,
                               ARG_BUFFER(&job->states), ARG_VALUE(g->slice_begin), ARG_VALUE(g->slice_end)};
    grid_launch l = {{where->grid[0], 1, 1}, {LANES, job->shape.warps, 1}, args, is_sliced(job) ? 9 : 6};
    return job->dev->backend->launch(job->dev, g->queue, job->kernel, &l);
}

/* Tiles [begin, end) of those that the range has. A tile is several blocks, but for walk, whose blocks take many tiles. */
static wedge_status launch_tiles(void *user, uint64_t begin, uint64_t end) {
    const gpu_range *g = user;
    const wedge_job *job = g->job;
    uint64_t tiles = end - begin, most = job->dev->info.max_grid[0];
    uint64_t pieces = g->walk ? 1 : pieces_of(job), blocks = tiles * pieces;
    wedge_launch w = {.base = (g->first_tile + begin) * pieces, .grid = {0, 1, 1}};
    if (g->walk) {
        if (blocks > job->resident) blocks = job->resident;
        while (tiles / blocks >= UINT32_MAX) ++blocks;
        w.a = (uint32_t)(tiles / blocks), w.b = (uint32_t)(tiles % blocks), w.grid[0] = (uint32_t)blocks;
        return launch(g, &w);
    }
    for (uint64_t done = 0; done < blocks; done += w.grid[0]) {
        w.base = (g->first_tile + begin) * pieces + done;
        w.grid[0] = (uint32_t)(blocks - done < most ? blocks - done : most);
        WEDGE_TRY(launch(g, &w));
    }
    return WEDGE_OK;
}

static uint64_t slices_of(const gpu_range *g) { return ceil_div(g->args.quads, SLICE_QUADS); }

/* Slices [begin, end): a round of tiles is one slice after the other, each of all its tiles. Rounds that lie whole in here
 * are one launch. */
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

/* Rows [first, last] of square tiles. */
static wedge_status launch_rows(gpu_range *g, uint64_t first, uint64_t last, pace *p) {
    const wedge_job *job = g->job;
    bool box = job->domain.kind->device_box;
    double cells = (double)job->shape.tile * job->shape.tile;
    g->walk = !box && !strcmp(job->info.map, "walk");
    g->first_tile = box ? first * g->args.columns : wedge_tri64(first);
    g->tiles = (box ? (last + 1) * g->args.columns : wedge_tri64(last + 1)) - g->first_tile;
    pace_items tiles = {g->tiles, cells, job->dev->info.units};
    if (!is_sliced(job)) return pace_run(p, job->dev, g->queue, tiles, launch_tiles, g);
    uint64_t deep = slices_of(g), round = round_of(job);
    pace_items slices = {ceil_div(g->tiles, round) * deep, (double)round * cells / (double)deep, 1};
    return pace_run(p, job->dev, g->queue, slices, launch_slices, g);
}

/* Which q lie at 32-byte boundaries of out. A foreign buffer may begin anywhere; its address tells, where it is one. */
static uint32_t phase_of(const wedge_job *job, const buffer *out, bool mirror, uint64_t base) {
    uint64_t skew = job->dev->backend->addressed ? (uintptr_t)out->handle / job->size : 0;
    return (uint32_t)((mirror ? base + 1 + skew : base - skew) % job->shape.lines);
}

/* The kernel's rows, in q. */
static uint64_t row_of(const wedge_job *job, uint64_t q) {
    return job->domain.kind->device_even ? q / job->domain.m : wedge_tri_unrank64(q).i;
}

static uint64_t row_start(const wedge_job *job, uint64_t row) {
    return job->domain.kind->device_even ? row * job->domain.m : wedge_tri64(row);
}

static wedge_status gpu_range_run(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out,
                                  uint64_t offset, pace *pace) {
    uint64_t tile = job->shape.tile, all = job->info.cells;
    bool mirror = job->domain.kind->device_mirror;
    gpu_range g = {.job = job, .queue = queue, .out = out};
    pairs_args *a = &g.args;
    *a = args_of(job, job->domain.m);
    a->side = (uint32_t)job->domain.kind->rows(&job->domain);
    a->begin = mirror ? all - end : begin, a->end = mirror ? all - begin : end;
    a->base = mirror ? all - 1 - begin + offset : begin - offset;
    a->phase = phase_of(job, out, mirror, a->base);
    a->columns = (uint32_t)box_columns(job);
    uint64_t first = row_of(job, a->begin), last = row_of(job, a->end - 1);
    a->whole_begin = (uint32_t)(first + (a->begin > row_start(job, first)));
    a->whole_end = (uint32_t)(last + (a->end == row_start(job, last + 1)));
    return launch_rows(&g, first / tile, last / tile, pace);
}

/* A tile is computed whole, however few of its rows are in the range. */
static uint32_t gpu_rows(const wedge_job *job) { return job->shape.tile; }

const pairs_path pairs_gpu = {.open = gpu_open, .close = gpu_close, .range = gpu_range_run, .rows = gpu_rows};
