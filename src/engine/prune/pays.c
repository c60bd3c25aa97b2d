/* pays.c: the cost of a pruned job and of one that computes every pair.
 *
 * On the cpu, with p points in the curve's order, r rows, c pairs, T threads, k neighbours:
 *
 *     every pair   (c CELL + r k NEIGHBOUR) / T
 *     pruned       p POINT / parts  +  r reach (CELL + REACHED) / T        reach: pairs of a row that no order spares it
 *
 * parts: how many threads put the points in order. The constants come from the n at which both ways take the same time, on one
 * core of an AMD EPYC with AVX-512.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/pays.h"

#include <math.h>

#include "engine/prune/order.h"
#include "engine/prune/prune.h"

enum { AUTO_FEATURES = 8 };

/* ---- On GPUs ---- */

/* Pairs from which on the points' order costs less than a twentieth of computing them all; nearest always gains. */
#define GPU_FROM (UINT64_C(1) << 35)
#define GPU_NEAREST_FROM (UINT64_C(1) << 28)

/* ---- On the cpu, in nanoseconds of one thread ---- */

#define SURE_FROM (1 << 25) /* pairs: here the order costs less than a twentieth as well */
static const double cell_ns[] = {
    [WEDGE_F32] = 0.11, [WEDGE_F64] = 0.19}; /* a pair in a tile, and what a sink makes of it; */
static const double root_ns[] = {[WEDGE_F32] = 0.05, [WEDGE_F64] = 0.21}; /* its root, unless keys are compared */
#define HEAVY_CELLS 16    /* where a step of the op is a power, a pair counts as so many */
#define REACHED_NS 0.15   /* a pair in reach takes longer: bounds, short runs of panels */
#define HIT_NS 6.0        /* and one that select keeps, until it is at its place in the list */
#define POINT_NS 65.0     /* a point: its key, sorting, panels and boxes */
#define NEIGHBOUR_NS 12.0 /* each of k neighbours, where they are chosen from all pairs and not from those close by */
#define REACH 64.0        /* pairs: a panel, */
#define REACH_GROWTH 1.85 /* times this for each dimension, of uniform points */

#define PAIR_STEPS 4       /* a pair takes as long as so many features of one */
#define ALONE_STEPS 0x1p17 /* some microseconds, as long as it takes to wake a thread */

static double cell_cost(const wedge_job *job) {
    wedge_dtype dtype = job->pairs.dtype;
    bool keys = sink_has_key_limit(&job->sink) && job->op->keys[dtype][0];
    return (cell_ns[dtype] + (keys ? 0 : root_ns[dtype])) * (job->op->heavy ? HEAVY_CELLS : 1);
}

static bool pays_on_cpu(const wedge_job *job) {
    const domain *d = &job->domain;
    double rows = (double)d->n, points = rows + (d->kind->two_sets ? (double)d->m : 0), cell = cell_cost(job);
    double threads = job->dev->info.units, parts = fmin(threads, ceil(points / ORDER_PART));
    double reach = REACH * pow(REACH_GROWTH, fmin((double)job->pairs.d, ORDER_DIMS));
    double every = (double)job->info.cells * cell + rows * job->sink.smallest * NEIGHBOUR_NS;
    return every / threads > points * POINT_NS / parts + rows * reach * (cell + REACHED_NS) / threads;
}

bool pays_to_order(const wedge_job *job) {
    bool gpu = job->dev->info.is_gpu;
    uint64_t most = job->sink.def->way == WAY_ROWS && !gpu ? MOST_BOX : AUTO_FEATURES;
    if (!job->op->bound || !job->sink.def->most || job->pairs.d > most) return false;
    if (!job->sink.smallest && !isfinite(prune_limit(job))) return false;
    if (gpu) return job->info.cells >= (job->sink.smallest ? GPU_NEAREST_FROM : GPU_FROM);
    return job->info.cells >= SURE_FROM || (!job->dev->backend->compile && pays_on_cpu(job));
}

bool pays_to_prune(const wedge_job *job, double in_reach, double hits) {
    if (job->pairs.prune == WEDGE_PRUNE_ALWAYS) return true;
    if (job->dev->backend->compile) return in_reach < (sink_lists(&job->sink) ? 1.0 / 8 : 0.5);
    double cell = cell_cost(job), hit = sink_lists(&job->sink) ? HIT_NS : 0;
    return in_reach * (cell + REACHED_NS) + hits * hit < cell;
}

bool pays_always(const wedge_job *job) {
    bool gpu_rows = job->sink.def->way == WAY_ROWS && job->dev->backend->compile;
    return gpu_rows || sink_adds_rows(&job->sink) || job->domain.kind->triples;
}

bool pays_to_share(const wedge_job *job, uint64_t cells) {
    double steps = (double)cells * (double)(job->pairs.d + PAIR_STEPS) * (job->op->heavy ? HEAVY_CELLS : 1);
    bool own = job->op->facts; /* a user's op may take any time */
    return own || steps > ALONE_STEPS;
}
