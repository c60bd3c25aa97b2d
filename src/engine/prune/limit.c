/* limit.c: the limit: a tile whose bound is above it is skipped.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "engine/prune/prune.h"

/* A margin is a share of the value: it says nothing where sums overflow, or are not normal numbers. */
static bool is_far_from_ends(const wedge_job *job, double limit) {
    bool f64 = job->pairs.dtype == WEDGE_F64;
    double sum = job->op->magnitude ? job->op->magnitude(job->op, limit, limit, job->parameters) : limit;
    return sum < (f64 ? 0x1p1000 : 0x1p110) / (double)job->pairs.d && sum > (f64 ? 0x1p-990 : 0x1p-100);
}

/* The op's margin, in units of the last place, is by how much its steps can be wrong against each other. */
double prune_raise(const wedge_job *job, double limit) {
    bool f64 = job->pairs.dtype == WEDGE_F64;
    double units = job->op->margin ? job->op->margin(job->op, (double)job->pairs.d, job->parameters) : 0;
    double share = 1 - units * (f64 ? 0x1p-53 : 0x1p-24);
    if (!(units > 0) || limit < 0) return limit;
    if (!(share > 0.5) || !is_far_from_ends(job, limit)) return INFINITY;
    double raised = limit / share;
    return f64 ? nextafter(raised, INFINITY) : (double)nextafterf((float)raised, INFINITY);
}

double prune_limit(const wedge_job *job) { return prune_raise(job, job->sink.def->most(&job->sink)); }
