/* tune.c: how the skeletons run on a device. Map and tile are chosen each on its own: what the caller asked for, else
 * what `wedge tune` measured here, else a default.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/tune/tune.h"

#include <inttypes.h>

#include "core/maps.h"

typedef struct {
    const char *map;
    uint32_t tile, lines, resident;
} kind_row;

/* What is no GPU compiles for many seconds where a GPU's compiler unrolls in one: small tiles are soon ready there. */
enum { HEAVY_TILE = 64, LONG_TILE = 64, SMALL_TILE = 32 };

/* Of sinks that see leaves: blocks of four warps that should fit a multiprocessor, bytes of shared memory that any device
 * has, and rows of a thread. */
enum { LEAF_RESIDENT = 5, LEAF_SHARED = 45 << 10, MOST_LEAF_ROWS = 4 };

/* Triplets; of more points than MOST_TRIPLED, pairs are too many for 32 bits. */
enum { TRIPLES_TILE = 32, TRIPLES_WARPS = 4, MOST_TRIPLED = 92682 };

/* Large tiles of few features are cut into pieces of this many rows of a line, lines a block. */
enum { LOW_FROM = 128, LOW_ROWS = 4, LOW_WARPS = 4, LOW_RESIDENT = 7, LOW_RESIDENT_F64 = 5 };

static const kind_row kinds[TUNE_KINDS] = {
    [F32_FEW] = {.map = "lambda", .tile = WIDE_TILE, .lines = 8, .resident = 5},
    [F32_MANY] = {.map = "lambda", .tile = 128, .lines = 8, .resident = 2},
    [F64_FEW] = {.map = "lambda", .tile = 128, .lines = 4, .resident = 4},
    [F64_MANY] = {.map = "lambda", .tile = 64, .lines = 4, .resident = 4},
};

static const char *const source_names[] = {
    [BY_DEFAULT] = "default",
    [MEASURED_HERE] = "measured here",
    [ASKED_FOR] = "asked for",
};

tune_kind tune_kind_of(wedge_dtype dtype, uint64_t d) {
    bool few = d <= TUNE_FEW;
    return dtype == WEDGE_F64 ? (few ? F64_FEW : F64_MANY) : few ? F32_FEW : F32_MANY;
}

tune_pick tune_unmeasured(bool is_gpu, tune_kind kind) {
    return (tune_pick){kinds[kind].map, is_gpu ? kinds[kind].tile : SMALL_TILE};
}

/* Features that a thread of scatter keeps in registers, and the columns of a tile in shared memory. */
enum { SCATTER_FEW = 16 };

/* A record of a direct op that is more than few numbers: the skeleton of few features holds it in registers all the same. */
static bool is_long(const wedge_job *job) { return job->op->records && job->pairs.d > TUNE_FEW; }

/* The map and tile of a job and where they come from; where the two differ in that, the less specific source. Heavy ops and
 * long records are not what was measured: their tile is a rule of its own. */
static tune_pick pick_of(const wedge_job *job, tune_kind kind, tune_source *source) {
    const wedge_job_spec *p = &job->pairs;
    const wedge_device *dev = job->dev;
    tune_pick pick;
    tune_source map_from = MEASURED_HERE, tile_from;
    bool asked = p->map && p->tile;
    if (asked || !tune_table_find(dev->ctx->settings[WEDGE_SET_CACHE_DIR], &dev->info, kind, &pick, &job->dev->remark))
        pick = tune_unmeasured(dev->info.is_gpu, kind), map_from = BY_DEFAULT;
    tile_from = map_from;
    if (job->op->heavy || is_long(job)) pick.tile = dev->info.is_gpu ? HEAVY_TILE : SMALL_TILE, tile_from = BY_DEFAULT;
    if (p->map) pick.map = p->map, map_from = ASKED_FOR;
    if (p->tile) pick.tile = p->tile, tile_from = ASKED_FOR;
    *source = job->domain.kind->full_rows || tile_from < map_from ? tile_from : map_from;
    return pick;
}

/* Do blocks of this map take one tile after the other? */
static bool is_walked(const char *map) { return map_row_of(wedge_map_find(map, 2))->next != NULL; }

/* Shared memory of a block: the tile's columns, what the sink keeps for each thread, and its limits. */
static bool leaf_fits(const wedge_job *job, uint32_t tile, uint32_t warps) {
    uint64_t columns = tile * ceil_div(job->pairs.d * job->size, 16) * 16, limits = job->sink.limit_count * job->size;
    return columns + (job->sink.thread_bytes ? 32 * warps * job->sink.thread_bytes + limits : 0) <= LEAF_SHARED;
}

/* Large tiles read columns less often; small ones are enough for all blocks where there are few points, and more of them are
 * out of reach. */
static uint32_t leaf_tile(const wedge_job *job) {
    uint64_t n = job->domain.n;
    if (!job->dev->info.is_gpu) return SMALL_TILE;
    if (n < 8192 || (job->info.pruned && !job->prune.dense) || job->op->heavy || is_long(job)) return 128;
    return n < 32768 ? 256 : 512;
}

/* Sinks that see leaves, of few features: a thread owns rows. */
static wedge_status choose_leaves(wedge_job *job) {
    const wedge_job_spec *p = &job->pairs;
    uint32_t tile = p->tile ? p->tile : leaf_tile(job);
    WEDGE_CHECK(tile == 32 || tile == 64 || tile == 128 || tile == 256 || tile == 512, &job->dev->note,
                WEDGE_BAD_ARGUMENT, "tiles of %u cells per side (--block): %s can have 32, 64, 128, 256 or 512", tile,
                job->sink.def->info.name);
    uint32_t warps = tile < 128 ? tile / 32 : 4;
    while (!leaf_fits(job, tile, warps) && (warps > 1 || (!p->tile && tile > 32)))
        if (warps > 1)
            warps /= 2;
        else
            tile /= 2;
    WEDGE_CHECK(leaf_fits(job, tile, warps), &job->dev->note, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side (--block): too large for %s of points of %" PRIu64 " numbers", tile,
                job->sink.def->info.name, p->d);
    uint32_t rows = tile / (32 * warps);
    job->shape = (pairs_shape){.map = wedge_map_find("lambda", 2),
                               .tile = tile,
                               .warps = warps,
                               .rows = rows > MOST_LEAF_ROWS ? MOST_LEAF_ROWS : rows,
                               .per_store = 1,
                               .resident = LEAF_RESIDENT * 4 / warps,
                               .few = true,
                               .walk = p->map && is_walked(p->map)};
    job->info.tile = tile;
    job->info.map = job->domain.kind->full_rows ? "rows" : job->shape.walk ? "walk" : "lambda";
    job->info.tuning = source_names[p->tile && (p->map || job->domain.kind->full_rows) ? ASKED_FOR : BY_DEFAULT];
    return WEDGE_OK;
}

wedge_status tune_check(const wedge_job *job) {
    int most = job->domain.kind->distinct ? MOST_TRIPLED : MOST_TRIPLED - 1; /* rows are counted with 32 bits */
    WEDGE_CHECK(!job->domain.kind->triples || job->pairs.n <= (uint64_t)most, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " points: triplets on %s can have up to %d; the cpu device takes more", job->pairs.n,
                job->dev->info.id, most);
    return WEDGE_OK;
}

/* Triplets: a thread owns pairs of points, and the sides of a tile must fit into shared memory (kernels/triples.h). */
static wedge_status choose_triples(wedge_job *job) {
    const wedge_job_spec *p = &job->pairs;
    WEDGE_CHECK(!p->tile || p->tile == TRIPLES_TILE, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "tiles of %u points per side (--block): triplets have %d", p->tile, TRIPLES_TILE);
    job->shape = (pairs_shape){.map = wedge_map_find("lambda", 2),
                               .tile = TRIPLES_TILE,
                               .warps = TRIPLES_WARPS,
                               .rows = p->dtype == WEDGE_F64 ? 2 : 4,
                               .per_store = 1,
                               .resident = 4,
                               .few = true,
                               .walk = p->map && is_walked(p->map)};
    job->info.tile = TRIPLES_TILE;
    job->info.map = job->shape.walk ? "walk" : "lambda";
    job->info.tuning = source_names[p->map ? ASKED_FOR : BY_DEFAULT];
    return WEDGE_OK;
}

wedge_status tune_choose(wedge_job *job) {
    const wedge_job_spec *p = &job->pairs;
    if (job->domain.kind->triples) return choose_triples(job);
    bool few = p->d <= (sink_adds_rows(&job->sink) ? SCATTER_FEW : TUNE_FEW) || is_long(job);
    tune_kind kind = tune_kind_of(p->dtype, few ? 1 : p->d);
    const kind_row *k = &kinds[kind];
    tune_source source;
    if (!sink_stores(&job->sink) && few) return choose_leaves(job);
    tune_pick pick = pick_of(job, kind, &source);
    WEDGE_CHECK(tune_tile_allowed(kind, pick.tile), &job->dev->note, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side (--block): %s with %s %d features can have %s", pick.tile,
                p->dtype == WEDGE_F64 ? "f64" : "f32", p->d <= TUNE_FEW ? "up to" : "more than", TUNE_FEW,
                kind == F32_FEW    ? "32, 64, 128 or 256"
                : kind == F64_MANY ? "32 or 64"
                                   : "32, 64 or 128");
    WEDGE_CHECK(!is_long(job) || pick.tile <= LONG_TILE, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side (--block): %s with more than %d numbers per point can have 32 or 64",
                pick.tile, job->op->info.name, TUNE_FEW);
    bool square = job->domain.kind->full_rows; /* lambda's text; the full rows need no map */
    bool low = few && pick.tile >= LOW_FROM;   /* tiles that are cut into low pieces */
    uint32_t store = (uint32_t)(16 / job->size), across = pick.tile / 32;
    job->shape = (pairs_shape){.map = wedge_map_find(square ? "lambda" : pick.map, 2),
                               .tile = pick.tile,
                               .lines = k->lines,
                               .warps = low ? LOW_WARPS : k->lines,
                               .rows = low ? LOW_ROWS : pick.tile / k->lines,
                               .per_store = across < store ? across : store,
                               .resident = !low              ? k->resident
                                           : kind == F64_FEW ? LOW_RESIDENT_F64
                                                             : LOW_RESIDENT,
                               .few = few,
                               .walk = !square && is_walked(pick.map)};
    job->info.tile = pick.tile;
    job->info.map = square ? "rows" : job->shape.map->name;
    job->info.tuning = source_names[source];
    return WEDGE_OK;
}
