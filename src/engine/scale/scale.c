/* scale.c: decides from the extent of the points whether values could leave the range: then the op's scaled form runs (ops/scaled.h),
 * or the points are refused.
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
static double largest_delta(const wedge_job *job, uint64_t f) {
    double length = job->period.periodic ? job->period.lengths[f] : 0, cutoff = job->cutoff;
    return length > 0 && cutoff > 0 ? fmin(length, cutoff) : length > 0 ? length : cutoff;
}

/* In a periodic box, and of triplets within a cutoff: if the difference of the two numbers as they are is a number at all. */
static void narrow_extent(const wedge_job *job, extent *e, uint64_t coordinates) {
    double largest = job->pairs.dtype == WEDGE_F64 ? DBL_MAX : (double)FLT_MAX;
    for (uint64_t f = 0; f < coordinates && (job->period.periodic || job->cutoff > 0); ++f) {
        double most = largest_delta(job, f), span = e->hi[f] - e->lo[f];
        if (most > 0 && span > most && span <= largest) e->lo[f] = -most / 2, e->hi[f] = most / 2;
    }
}

static wedge_status refuse(const wedge_job *job, double magnitude) {
    bool f64 = job->pairs.dtype == WEDGE_F64;
    return note_fail(&job->dev->note, WEDGE_BAD_DATA,
                     "%s of these points can reach %.2g, and %s ends at %.2g: %s, or accept infinite values "
                     "(--nan propagate; in Python nan='propagate', in C WEDGE_OVERFLOW_ACCEPTED)",
                     job->asked->info.name, magnitude, f64 ? "f64" : "f32", f64 ? DBL_MAX : (double)FLT_MAX,
                     f64 ? "scale the points" : "use f64 (--dtype f64)");
}

static double unit_of(wedge_dtype dtype, double size) {
    return dtype == WEDGE_F64 ? nextafter(size, INFINITY) - size
                              : (double)nextafterf((float)size, INFINITY) - (double)(float)size;
}

/* Two numbers that are not 0 and not below `least` are multiples of its unit in the last place, and so is their difference. Lengths of
 * a periodic box count as such numbers. */
static double least_gap(const wedge_job *job, double least) {
    for (uint64_t f = 0; f < job->pairs.d && job->period.periodic; ++f)
        if (job->period.lengths[f] > 0) least = fmin(least, job->period.lengths[f]);
    return isfinite(least) ? unit_of(job->pairs.dtype, least) : INFINITY;
}

static bool may_underflow(const wedge_job *job, double least) {
    double normal = job->pairs.dtype == WEDGE_F64 ? DBL_MIN : (double)FLT_MIN, gap = least_gap(job, least);
    return job->asked->least && isfinite(gap) && job->asked->least(job->asked, gap, job->parameters) < normal;
}

static bool leaves_range(const wedge_job *job, const extent *e, uint64_t numbers) {
    double most = job->pairs.dtype == WEDGE_F64 ? DBL_MAX : (double)FLT_MAX;
    return !(op_magnitude(job->asked, job->parameters, e->lo, e->hi, numbers) <= most) || may_underflow(job, e->least);
}

/* The op as it is where it stays in the range; else its scaled form. */
static wedge_status choose_form(wedge_job *job, const extent *e, uint64_t numbers) {
    double most = job->pairs.dtype == WEDGE_F64 ? DBL_MAX : (double)FLT_MAX;
    double magnitude = op_magnitude(job->asked, job->parameters, e->lo, e->hi, numbers);
    const op_def *scaled = op_scaled(job->asked);
    bool leaves = leaves_range(job, e, numbers);
    if (scaled && leaves) magnitude = op_magnitude(scaled, job->parameters, e->lo, e->hi, numbers);
    if (!(magnitude <= most) && job->pairs.overflow == WEDGE_OVERFLOW_REFUSED) return refuse(job, magnitude);
    job->info.scaled = scaled && leaves;
    job->op = job->info.scaled ? scaled : job->asked;
    return WEDGE_OK;
}

wedge_status scale_choose(wedge_job *job) {
    extent e = {0};
    uint64_t d = job->pairs.d, numbers = job->domain.kind->triples && d > MOST_COORDINATES ? MOST_COORDINATES : d;
    bool accepted = job->pairs.overflow != WEDGE_OVERFLOW_REFUSED;
    bool unseen = job->pairs.overflow == WEDGE_OVERFLOW_UNSEEN && !job->points.given[0].at.memory.host;
    WEDGE_TRY(check_overflow_rule(job));
    if (!job->info.cells || unseen ||
        (accepted ? !op_scaled(job->asked) : !job->asked->magnitude && !job->asked->magnitude_all))
        return WEDGE_OK;
    wedge_status status = extent_find(job, true, &e);
    if (!status && leaves_range(job, &e, numbers)) { /* look closer */
        extent_free(&e);
        status = extent_find(job, false, &e);
        if (!status) narrow_extent(job, &e, numbers);
    }
    if (!status) status = choose_form(job, &e, numbers);
    extent_free(&e);
    return status;
}
