/* pays.c: the cost of a pruned job and of one that computes every pair.
 *
 * On the cpu, with p points in the curve's order, T threads, c pairs:
 *
 *     every pair   c CELL / T
 *     pruned       p POINT / parts  +  p reach CELL / T        reach: pairs of a point that no order spares it
 *
 * parts: by how many threads the points are put in order. The constants come from the n at which both ways take as long, on one
 * core of an AMD EPYC.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/pays.h"

#include <math.h>

#include "engine/order.h"
#include "engine/prune.h"

enum { AUTO_FEATURES = 8 };

/* ---- On GPUs ---- */

/* Pairs from which on the points' order costs less than a twentieth of computing them all; nearest always gains. */
#define GPU_FROM (UINT64_C(1) << 35)
#define GPU_NEAREST_FROM (UINT64_C(1) << 28)

/* ---- On the cpu, in nanoseconds of one thread ---- */

#define SURE_FROM (1 << 25) /* pairs: here the order costs less than a twentieth as well */
static const double cell_ns[WEDGE_F64 + 1] = {0.16, 0.4}; /* a pair in a tile, with what a sink makes of it */
#define HEAVY_CELLS 16    /* where a step of the op is a power, a pair counts as so many */
#define POINT_NS 65.0     /* a point: its key, sorting, panels and boxes */
#define REACH 64.0        /* pairs: a panel, */
#define REACH_GROWTH 1.85 /* times this for each dimension, of uniform points */
#define TILE_OVERHEAD 1.3 /* a pair in reach, against one of all: short runs, bounds */
#define HIT_CELLS 15.0    /* what a pair that select keeps costs more along a curve, in cells */

#define NEIGHBOUR_NS 12.0 /* each of k neighbours, where they are chosen from all pairs and not from those close by */

static double cell_cost(const wedge_job *job) { return cell_ns[job->pairs.dtype] * (job->op->heavy ? HEAVY_CELLS : 1); }

static bool pays_on_cpu(const wedge_job *job) {
    const domain *d = &job->domain;
    double rows = (double)d->n, points = rows + (d->kind->two_sets ? (double)d->m : 0);
    double threads = job->dev->info.units, parts = fmin(threads, ceil(points / ORDER_PART));
    double dims = fmin((double)job->pairs.d, ORDER_DIMS), reach = REACH * pow(REACH_GROWTH, dims) * TILE_OVERHEAD;
    double choosing = rows * job->sink.nearest * NEIGHBOUR_NS;
    double every = (double)job->info.cells * cell_cost(job) + choosing, few = rows * reach * cell_cost(job);
    return every / threads > points * POINT_NS / parts + few / threads;
}

bool pays_to_order(const wedge_job *job) {
    bool gpu = job->dev->info.is_gpu;
    uint64_t most = job->sink.row->whole_rows && !gpu ? MOST_BOX : AUTO_FEATURES;
    if (!job->op->bound || !job->sink.row->most || job->pairs.d > most) return false;
    if (!job->sink.nearest && !isfinite(prune_limit(job))) return false;
    if (gpu) return job->info.cells >= (job->sink.nearest ? GPU_NEAREST_FROM : GPU_FROM);
    return job->info.cells >= SURE_FROM || (!job->dev->backend->compile && pays_on_cpu(job));
}

bool pays_to_prune(const wedge_job *job, double in_reach, double hits) {
    if (job->pairs.prune == WEDGE_PRUNE_ALWAYS) return true;
    if (job->dev->backend->compile) return in_reach < (job->sink.row->marks ? 1.0 / 8 : 0.5);
    double hit = job->sink.row->marks ? HIT_CELLS / (job->op->heavy ? HEAVY_CELLS : 1) : 0;
    return in_reach * TILE_OVERHEAD + hits * hit < 1;
}

bool pays_always(const wedge_job *job) {
    bool gpu_rows = job->sink.row->whole_rows && job->dev->backend->compile;
    return gpu_rows || job->sink.scatter || job->domain.kind->triples;
}
