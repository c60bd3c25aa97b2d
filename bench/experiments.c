/* experiments.c: the paper's experiments, one row each: device text, native tile, sizes; and what the engine does
 * beside them.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "bench/lab.h"
#include "bench/texts.h"

static uint64_t one_word(uint64_t side) {
    (void)side;
    return 4;
}
static uint64_t square_floats(uint64_t side) { return side * side * 4; }
static uint64_t energy_sums(uint64_t side) {
    (void)side;
    return LAB_SUMS * sizeof(int64_t);
}
static uint64_t packed_floats(uint64_t side) { return wedge_tri64(side) * 4; }
static uint64_t marks2(uint64_t side) { return 65536 * 4 + wedge_tri64(side); }
static uint64_t marks3(uint64_t side) { return 65536 * 4 + wedge_tet64(side); }

/* Natively a tile is two loops over its cells, cut at the diagonal and at the side. */
#define FOR_CELLS2(d, t, rho)                                                            \
    for (uint32_t i = (t).i * (rho), i_end = i + (rho); i < i_end && i < (d)->side; ++i) \
        for (uint32_t j = (t).j * (rho), j_end = j + (rho); j < j_end && j <= i; ++j)

#define FOR_CELLS3(d, t, rho)                                                            \
    for (uint32_t i = (t).i * (rho), i_end = i + (rho); i < i_end && i < (d)->side; ++i) \
        for (uint32_t j = (t).j * (rho), j_end = j + (rho); j < j_end && j <= i; ++j)    \
            for (uint32_t k = (t).k * (rho), k_end = k + (rho); k < k_end && k <= j; ++k)

/* One place for all cells, or, to be verified, each its own: the same store either way. */
static void dummy_tile(native_data *d, wedge_triple t, uint32_t rho) {
    volatile uint32_t *out = d->out;
    uint32_t mask = d->check ? UINT32_MAX : 0;
    FOR_CELLS2(d, t, rho) out[(wedge_tri32(i) + j) & mask] = i + j;
}

static void dummy3_tile(native_data *d, wedge_triple t, uint32_t rho) {
    volatile uint32_t *out = d->out;
    uint32_t mask = d->check ? UINT32_MAX : 0;
    FOR_CELLS3(d, t, rho) out[(wedge_tet32(i) + wedge_tri32(j) + k) & mask] = i + j + k;
}

static float distance(point4 a, point4 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    return sqrtf(((x * x + y * y) + z * z) + w * w);
}

static float square(point4 a, point4 b) {
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

static float reach_of(point4 a, point4 b) { return (a.w + b.w) * (a.w + b.w); }

/* As bench/device/atm.h has it. */
static float energy(point4 a, point4 b, point4 c) {
    float ab = square(a, b), ac = square(a, c), bc = square(b, c), by = 1 / (ab * ac * bc);
    return (0.375f * (ab + ac - bc) * (ab + bc - ac) * (ac + bc - ab) * by + 1) * by * sqrtf(by);
}

static void edm_square_tile(native_data *d, wedge_triple t, uint32_t rho) {
    float *out = d->out;
    FOR_CELLS2(d, t, rho) out[(uint64_t)i * d->side + j] = distance(d->in[i], d->in[j]);
}

static void edm_packed_tile(native_data *d, wedge_triple t, uint32_t rho) {
    float *out = d->out;
    FOR_CELLS2(d, t, rho) out[wedge_tri64(i) + j] = distance(d->in[i], d->in[j]);
}

static void collide_tile(native_data *d, wedge_triple t, uint32_t rho, bool three) {
    uint32_t hits = 0;
    FOR_CELLS2(d, t, rho) {
        point4 a = d->in[i + 1], b = d->in[j];
        float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r = a.w + b.w;
        hits += (three ? (x * x + y * y) + z * z : x * x) <= r * r;
    }
    if (hits) __atomic_fetch_add((uint32_t *)d->out, hits, __ATOMIC_RELAXED);
}

static void collide1_tile(native_data *d, wedge_triple t, uint32_t rho) { collide_tile(d, t, rho, false); }
static void collide3_tile(native_data *d, wedge_triple t, uint32_t rho) { collide_tile(d, t, rho, true); }

/* The native cover counts in the cells themselves and in word 0 how often any was taken. */
static void cover2_tile(native_data *d, wedge_triple t, uint32_t rho) {
    uint32_t taken = 0;
    uint8_t *marks = (uint8_t *)d->out + 65536 * 4;
    FOR_CELLS2(d, t, rho) marks[wedge_tri64(i) + j] = 1, ++taken;
    if (taken) __atomic_fetch_add((uint32_t *)d->out + (t.i & 65535), taken, __ATOMIC_RELAXED);
}

static void cover3_tile(native_data *d, wedge_triple t, uint32_t rho) {
    uint32_t taken = 0;
    uint8_t *marks = (uint8_t *)d->out + 65536 * 4;
    FOR_CELLS3(d, t, rho) marks[wedge_tet64(i) + wedge_tri64(j) + k] = 1, ++taken;
    if (taken) __atomic_fetch_add((uint32_t *)d->out + ((t.i + t.j * 97 + t.k * 31) & 65535), taken, __ATOMIC_RELAXED);
}

static uint64_t packed_doubles(uint64_t side) { return wedge_tri64(side) * 8; }

#define BINS WEDGE_WHOLE("bins", LAB_BINS)

static const engine_wish lower = {"euclidean", WEDGE_LOWER, WEDGE_F32, 4, false};
static const engine_wish packed = {"euclidean", WEDGE_PACKED, WEDGE_F32, 4, false};
static const engine_wish condensed = {"euclidean", WEDGE_CONDENSED, WEDGE_F32, 4, false};
static const engine_wish condensed_d64 = {"euclidean", WEDGE_CONDENSED, WEDGE_F32, 64, false};
static const engine_wish condensed_f64 = {"euclidean", WEDGE_CONDENSED, WEDGE_F64, 4, true};

static const engine_wish three = {"euclidean", WEDGE_CONDENSED, WEDGE_F32, 3, false};
static const engine_wish four = {"euclidean", WEDGE_CONDENSED, WEDGE_F32, 4, true};

static const sink_wish all_sinks[] = {
    {.name = "store", .sink = "store"},
    {.name = "count", .sink = "count", .within = true},
    {.name = "select", .sink = "select", .within = true},
    {.name = "summary", .sink = "summary"},
    {.name = "histogram", .sink = "histogram", .parameters = {WEDGE_NUMBER("max", 1.8), BINS}},
    {.name = "histogram-log",
     .sink = "histogram",
     .parameters = {WEDGE_NUMBER("min", 1e-3), WEDGE_NUMBER("max", 1.8), BINS, WEDGE_FLAG("log", true)}},
    {.name = NULL},
};

static const sink_wish within_tasks[] = {
    {.name = "pruned", .sink = "select", .within = true, .pruned = true},
    {.name = "all-pairs", .sink = "select", .within = true},
    {.name = NULL},
};

static const sink_wish histogram_tasks[] = {
    {.name = "pruned", .sink = "histogram", .pruned = true, .parameters = {WEDGE_NUMBER("max", 0.1), BINS}},
    {.name = "all-pairs", .sink = "histogram", .parameters = {WEDGE_NUMBER("max", 0.1), BINS}},
    {.name = NULL},
};

/* Each with a radius of its own; a pair with a gap of 0 or less is in the list. */
static const engine_wish balls = {"spheres", WEDGE_CONDENSED, WEDGE_F32, 4, false};

#define TOUCHING WEDGE_NUMBER("radius", 0)

static const sink_wish collide_tasks[] = {
    {.name = "pruned", .sink = "select", .pruned = true, .parameters = {TOUCHING}},
    {.name = "all-pairs", .sink = "select", .parameters = {TOUCHING}},
    {.name = NULL},
};

#define NEAREST WEDGE_WHOLE("k", 16)

static const engine_wish square_d3 = {"euclidean", WEDGE_SQUARE, WEDGE_F32, 3, false};
static const engine_wish square_d64 = {"euclidean", WEDGE_SQUARE, WEDGE_F32, 64, false};
static const engine_wish cityblock_d64 = {"cityblock", WEDGE_SQUARE, WEDGE_F32, 64, false};

static const sink_wish nearest_tasks[] = {
    {.name = "pruned", .sink = "nearest", .pruned = true, .parameters = {NEAREST}},
    {.name = "all-pairs", .sink = "nearest", .most = 100000, .parameters = {NEAREST}},
    {.name = NULL},
};

static const sink_wish nearest_d64_tasks[] = {
    {.name = "euclidean", .sink = "nearest", .parameters = {NEAREST}},
    {.name = "cityblock", .sink = "nearest", .engine = &cityblock_d64, .parameters = {NEAREST}},
    {.name = NULL},
};

#define SOFTENING WEDGE_NUMBER("softening", 0.01)

static const engine_wish bodies = {"gravity", WEDGE_SQUARE, WEDGE_F32, 4, false};
static const engine_wish bodies_once = {"gravity", WEDGE_CONDENSED, WEDGE_F32, 4, false};

/* The energy is a sum over all cells of either layout, so it shows what computing each pair once gains. */
static const sink_wish body_tasks[] = {
    {.name = "forces", .sink = "scatter", .of_op = SOFTENING},
    {.name = "energy-square", .sink = "summary", .of_op = SOFTENING, .most = MOST_BODIES},
    {.name = "energy-triangle", .sink = "summary", .engine = &bodies_once, .of_op = SOFTENING, .most = MOST_BODIES},
    {.name = NULL},
};

static void triplets_tile(native_data *d, wedge_triple t, uint32_t rho) {
    int64_t *sums = d->out;
    float sum = 0;
    FOR_CELLS3(d, t, rho) sum += energy(d->in[i + 2], d->in[j + 1], d->in[k]);
    __atomic_fetch_add(&sums[(t.i + 97 * t.j + 31 * t.k) % LAB_SUMS], (int64_t)(sum * (1 << LAB_UNIT)),
                       __ATOMIC_RELAXED);
}

static const engine_wish atoms = {"axilrod_teller", WEDGE_TRIPLES, WEDGE_F32, 3, false};
static const engine_wish atoms_f64 = {"axilrod_teller", WEDGE_TRIPLES, WEDGE_F64, 3, false};

static const sink_wish atom_tasks[] = {
    {.name = "energy", .sink = "summary", .parameters = {WEDGE_FLAG("extremes", false)}, .most = MOST_ATOMS},
    {.name = "energy-f64",
     .sink = "summary",
     .engine = &atoms_f64,
     .parameters = {WEDGE_FLAG("extremes", false)},
     .most = MOST_ATOMS},
    {.name = "energy-cutoff",
     .sink = "summary",
     .parameters = {WEDGE_FLAG("extremes", false)},
     .pruned = true,
     .cutoff = 0.22,
     .most = MOST_ATOMS},
    {.name = "forces", .sink = "scatter"},
    {.name = NULL},
};

/* Overlaps of three spheres, each with both others. */
static void collide_triplets_tile(native_data *d, wedge_triple t, uint32_t rho) {
    uint32_t hits = 0;
    FOR_CELLS3(d, t, rho) {
        point4 p[] = {d->in[i + 2], d->in[j + 1], d->in[k]};
        bool all = true;
        for (int c = 0; c < 3; ++c) all = all && square(p[c], p[(c + 1) % 3]) <= reach_of(p[c], p[(c + 1) % 3]);
        hits += all;
    }
    if (hits) __atomic_fetch_add((uint32_t *)d->out, hits, __ATOMIC_RELAXED);
}

static const char *const late_maps[] = {"bb-late", NULL}, *const tile_maps[] = {"rb-tiles", NULL};
static const char *const root_maps[] = {"bb", "lambda-x", "lambda-n", "lambda-r", "lambda", NULL};

const experiment experiments[] = {
    {.name = "roots",
     .variant = "",
     .rank = 2,
     .summary = "the paper's roots and the exact one on the dummy kernel",
     .settings = "",
     .text = text_dummy,
     .tile = dummy_tile,
     .out_bytes = one_word,
     .maps = root_maps},
    {.name = "map",
     .variant = "",
     .rank = 2,
     .summary = "dummy kernel: i + j to one fixed place",
     .settings = "",
     .text = text_dummy,
     .tile = dummy_tile,
     .out_bytes = one_word,
     .own = late_maps},
    {.name = "edm",
     .variant = "square",
     .rank = 2,
     .summary = "distances, 4 features, lower half of a square",
     .settings = "#define LAB_PACKED 0\n",
     .text = text_edm,
     .tile = edm_square_tile,
     .bytes = 4,
     .flops = 12,
     .out_bytes = square_floats,
     .own = late_maps,
     .distances = true,
     .engine = &lower},
    {.name = "edm",
     .variant = "packed",
     .rank = 2,
     .summary = "distances, 4 features, packed",
     .settings = "#define LAB_PACKED 1\n",
     .text = text_edm,
     .tile = edm_packed_tile,
     .bytes = 4,
     .flops = 12,
     .out_bytes = packed_floats,
     .distances = true,
     .engine = &packed},
    {.name = "edm",
     .variant = "condensed",
     .rank = 2,
     .strict = true,
     .summary = "distances, 4 features, in SciPy's order",
     .out_bytes = packed_floats,
     .engine = &condensed,
     .no_maps = true},
    {.name = "edm",
     .variant = "condensed-d64",
     .rank = 2,
     .strict = true,
     .summary = "distances, 64 features, in SciPy's order",
     .out_bytes = packed_floats,
     .engine = &condensed_d64,
     .no_maps = true},
    {.name = "edm",
     .variant = "condensed-f64",
     .rank = 2,
     .strict = true,
     .summary = "distances, 4 features, in SciPy's order, double precision",
     .out_bytes = packed_doubles,
     .engine = &condensed_f64,
     .no_maps = true},
    {.name = "sinks",
     .variant = "d3",
     .rank = 2,
     .strict = true,
     .summary = "distances, 3 features: stored, counted, listed, summed up, binned",
     .engine = &three,
     .sinks = all_sinks,
     .no_maps = true,
     .gpu_n = 1000000,
     .cpu_n = 4096},
    {.name = "sinks",
     .variant = "d4",
     .rank = 2,
     .strict = true,
     .summary = "the same of 4 features",
     .engine = &four,
     .sinks = all_sinks,
     .no_maps = true,
     .gpu_n = 1000000,
     .cpu_n = 4096},
    {.name = "within",
     .variant = "d3",
     .rank = 2,
     .strict = true,
     .summary = "the list of all pairs within a radius, 3 features",
     .engine = &three,
     .sinks = within_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 1000000,
     .cpu_n = 100000},
    {.name = "histogram",
     .variant = "d3",
     .rank = 2,
     .strict = true,
     .summary = "distances up to 0.1 in 64 bins, 3 features",
     .engine = &three,
     .sinks = histogram_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 1000000,
     .cpu_n = 100000},
    {.name = "knn",
     .variant = "d3",
     .rank = 2,
     .strict = true,
     .summary = "the 16 nearest of each point, 3 features",
     .engine = &square_d3,
     .sinks = nearest_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 1000000,
     .cpu_n = 100000},
    {.name = "knn",
     .variant = "d64",
     .rank = 2,
     .strict = true,
     .summary = "the 16 nearest of each point, 64 features",
     .engine = &square_d64,
     .sinks = nearest_d64_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 100000,
     .cpu_n = 10000},
    {.name = "collide",
     .variant = "d3",
     .rank = 2,
     .strict = true,
     .summary = "the list of all spheres that touch, in 3 dimensions",
     .engine = &balls,
     .sinks = collide_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 1000000,
     .cpu_n = 100000},
    {.name = "nbody",
     .variant = "",
     .rank = 2,
     .strict = true,
     .summary = "gravity: the force on each body, and the energy of all",
     .engine = &bodies,
     .sinks = body_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 65536,
     .cpu_n = 8192},
    {.name = "collide1d",
     .variant = "",
     .rank = 2,
     .strict = true,
     .summary = "overlaps of spheres on a line, shared memory",
     .settings = "#define LAB_DIMENSIONS 1\n",
     .text = text_collide,
     .tile = collide1_tile,
     .flops = 4,
     .out_bytes = one_word,
     .own = tile_maps,
     .counts = true},
    {.name = "collide3d",
     .variant = "",
     .rank = 2,
     .strict = true,
     .summary = "overlaps of spheres in a box, shared memory",
     .settings = "#define LAB_DIMENSIONS 3\n",
     .text = text_collide,
     .tile = collide3_tile,
     .flops = 10,
     .out_bytes = one_word,
     .own = tile_maps,
     .counts = true},
    {.name = "triplets",
     .variant = "engine",
     .rank = 3,
     .strict = true,
     .summary = "the three-body energy of atoms, and the force on each",
     .engine = &atoms,
     .sinks = atom_tasks,
     .tasks = true,
     .no_maps = true,
     .gpu_n = 4096,
     .cpu_n = 512},
    {.name = "triplets",
     .variant = "cells",
     .rank = 3,
     .strict = true,
     .summary = "the same energy by a thread per triplet, under every map",
     .settings = "#define LAB_UNIT 20\n",
     .text = text_atm,
     .tile = triplets_tile,
     .flops = 43,
     .out_bytes = energy_sums,
     .energies = true,
     .gpu_n = 4096,
     .cpu_n = 256},
    {.name = "tet-map",
     .variant = "",
     .rank = 3,
     .summary = "dummy kernel on the tetrahedron",
     .settings = "",
     .text = text_dummy,
     .tile = dummy3_tile,
     .out_bytes = one_word},
    {.name = "tet-collide",
     .variant = "",
     .rank = 3,
     .strict = true,
     .summary = "triplets of spheres that overlap each other, shared memory",
     .settings = "",
     .text = text_collide3,
     .tile = collide_triplets_tile,
     .flops = 30,
     .out_bytes = one_word,
     .counts = true},
};

const int experiment_count = sizeof experiments / sizeof *experiments;

const experiment cover2 = {.name = "cover",
                           .variant = "",
                           .rank = 2,
                           .settings = "",
                           .text = text_lab_cover,
                           .tile = cover2_tile,
                           .out_bytes = marks2};
const experiment cover3 = {.name = "cover",
                           .variant = "",
                           .rank = 3,
                           .settings = "",
                           .text = text_lab_cover,
                           .tile = cover3_tile,
                           .out_bytes = marks3};
