/* scale.c: overflow is foreseen from how far the points reach.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/scale/scale.h"

#include <float.h>
#include <math.h>

#include "engine/scale/extent.h"

static wedge_status check_overflow_rule(const wedge_job *job) {
    wedge_overflow rule = job->pairs.overflow;
    WEDGE_CHECK(rule == WEDGE_OVERFLOW_REFUSED || rule == WEDGE_OVERFLOW_ACCEPTED || rule == WEDGE_OVERFLOW_UNSEEN,
                &job->dev->note, WEDGE_BAD_ARGUMENT,
                "overflow %d: must be WEDGE_OVERFLOW_REFUSED, _ACCEPTED or _UNSEEN", (int)rule);
    return WEDGE_OK;
}

/* Two numbers of a feature are no further apart than this, or count for nothing; 0: that is not known. */
static double most_apart(const wedge_job *job, uint64_t f) {
    double length = job->periodic ? job->box[f] : 0, cutoff = job->cutoff;
    return length > 0 && cutoff > 0 ? fmin(length, cutoff) : length > 0 ? length : cutoff;
}

/* In a periodic box, and of triplets within a cutoff: if the difference of the two numbers as they are is a number at all. */
static void bring_closer(const wedge_job *job, extent *e, uint64_t coordinates) {
    double largest = job->pairs.dtype == WEDGE_F64 ? DBL_MAX : (double)FLT_MAX;
    for (uint64_t f = 0; f < coordinates && (job->periodic || job->cutoff > 0); ++f) {
        double most = most_apart(job, f), span = e->hi[f] - e->lo[f];
        if (most > 0 && span > most && span <= largest) e->lo[f] = -most / 2, e->hi[f] = most / 2;
    }
}

static wedge_status refuse(const wedge_job *job, double reach) {
    bool f64 = job->pairs.dtype == WEDGE_F64;
    return note_fail(&job->dev->note, WEDGE_BAD_DATA,
                     "%s of these points can reach %.2g, and %s ends at %.2g: %s, or accept infinite values "
                     "(--nan propagate; in Python nan='propagate', in C WEDGE_OVERFLOW_ACCEPTED)",
                     job->op->info.name, reach, f64 ? "f64" : "f32", f64 ? DBL_MAX : (double)FLT_MAX,
                     f64 ? "scale the points" : "use f64 (--dtype f64)");
}

wedge_status scale_choose(wedge_job *job) {
    extent e = {0};
    uint64_t d = job->pairs.d, numbers = job->domain.kind->triples && d > MOST_COORDINATES ? MOST_COORDINATES : d;
    bool f64 = job->pairs.dtype == WEDGE_F64, accepted = job->pairs.overflow != WEDGE_OVERFLOW_REFUSED;
    WEDGE_TRY(check_overflow_rule(job));
    if (!job->op->reach || !job->info.cells || accepted) return WEDGE_OK;
    wedge_status status = extent_find(job, &e);
    if (!status) bring_closer(job, &e, numbers);
    double reach = status ? 0 : op_reach(job->op, job->set, e.lo, e.hi, numbers);
    extent_free(&e);
    WEDGE_TRY(status);
    return reach <= (f64 ? DBL_MAX : (double)FLT_MAX) ? WEDGE_OK : refuse(job, reach);
}
