/* prune.c: decides whether a job skips tiles, and above which bound.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/prune.h"

#include <inttypes.h>
#include <math.h>

#include "core/dtype.h"
#include "engine/prune/pays.h"

static wedge_status check_possible(const wedge_job *job) {
    note *n = &job->dev->note;
    WEDGE_CHECK(job->op->bound, n, WEDGE_UNSUPPORTED,
                "%s has no lower bound over boxes of points, so tiles cannot be left out", job->op->info.name);
    WEDGE_CHECK(job->sink.def->most, n, WEDGE_UNSUPPORTED, "%s needs all values, so tiles cannot be left out",
                job->sink.def->info.name);
    WEDGE_CHECK(!sink_adds_rows(&job->sink) || isfinite(job->sink.limits[0]), n, WEDGE_UNSUPPORTED,
                "%s without a radius adds up all values, so tiles cannot be left out", job->info.sink);
    WEDGE_CHECK(job->pairs.d <= MOST_BOX, n, WEDGE_UNSUPPORTED, "%" PRIu64 " features: tiles can be left out up to %d",
                job->pairs.d, MOST_BOX);
    return WEDGE_OK;
}

/* Sums within a radius are added along the curve, so that tiles which are left out would only have added zeros. */
static bool sums_along_curve(const wedge_job *job) {
    return sink_adds_rows(&job->sink) && isfinite(job->sink.limits[0]) && job->op->bound && job->pairs.d <= MOST_BOX;
}

/* Bounds are those of euclidean, of three coordinates. */
static wedge_status prune_triples(wedge_job *job) {
    WEDGE_CHECK(job->pairs.prune != WEDGE_PRUNE_ALWAYS || job->cutoff > 0, &job->dev->note, WEDGE_UNSUPPORTED,
                "triplets without a cutoff: none can be left out");
    job->curve.ordered = job->cutoff > 0;
    job->info.pruned = job->curve.ordered && job->pairs.prune != WEDGE_PRUNE_NEVER;
    job->prune.limit = job->info.pruned ? job->cutoff : INFINITY;
    job->curve.coordinates = job->pairs.d < MOST_COORDINATES ? job->pairs.d : MOST_COORDINATES;
    return WEDGE_OK;
}

wedge_status prune_choose(wedge_job *job) {
    wedge_prune wanted = job->pairs.prune;
    WEDGE_CHECK(wanted == WEDGE_PRUNE_AUTO || wanted == WEDGE_PRUNE_NEVER || wanted == WEDGE_PRUNE_ALWAYS,
                &job->dev->note, WEDGE_BAD_ARGUMENT, "prune %d: must be WEDGE_PRUNE_AUTO, _NEVER or _ALWAYS",
                (int)wanted);
    if (job->domain.kind->triples) return prune_triples(job);
    if (wanted == WEDGE_PRUNE_ALWAYS) WEDGE_TRY(check_possible(job));
    job->info.pruned = wanted == WEDGE_PRUNE_ALWAYS || (wanted == WEDGE_PRUNE_AUTO && pays_to_order(job));
    job->curve.ordered = job->info.pruned || sums_along_curve(job);
    if (!job->curve.ordered) return WEDGE_OK;
    job->prune.limit = job->info.pruned ? prune_limit(job) : INFINITY;
    job->curve.coordinates = 0;
    while (job->curve.coordinates < job->pairs.d &&
           job->op->bound(job->op, job->curve.coordinates, job->pairs.d) == job->op->bound(job->op, 0, job->pairs.d))
        ++job->curve.coordinates;
    return WEDGE_OK;
}

/* ---- Periodic boxes ---- */

static wedge_status check_length(const wedge_job *job, uint64_t f, double length) {
    note *n = &job->dev->note;
    WEDGE_CHECK(length >= 0 && isfinite(length), n, WEDGE_BAD_ARGUMENT,
                "box: length %" PRIu64 " is %g: give a finite one above 0, or 0 where it is open", f, length);
    WEDGE_CHECK(length == 0 || job->op->bound(job->op, f, job->pairs.d) == BOUND_GAP, n, WEDGE_UNSUPPORTED,
                "box: number %" PRIu64 " of the points of %s is not a coordinate: its length must be 0", f,
                job->op->info.name);
    return WEDGE_OK;
}

wedge_status box_choose(wedge_job *job) {
    note *n = &job->dev->note;
    const double *given = job->pairs.box;
    uint64_t d = job->pairs.d;
    job->pairs.box = NULL; /* the caller's, and not for longer than the call */
    if (!given) return WEDGE_OK;
    WEDGE_CHECK(job->op->bound, n, WEDGE_UNSUPPORTED,
                "box: %s is not a function of differences, so it has no periodic form", job->op->info.name);
    WEDGE_CHECK(d <= MOST_BOX, n, WEDGE_UNSUPPORTED, "box: %" PRIu64 " features: a box can have up to %d", d, MOST_BOX);
    for (uint64_t f = 0; f < d; ++f) {
        WEDGE_TRY(check_length(job, f, given[f]));
        double length = dtype_round(given[f], job->pairs.dtype),
               inverse = length > 0 ? dtype_round(1 / length, job->pairs.dtype) : 0;
        WEDGE_CHECK(
            isfinite(length) && isfinite(inverse) && (length > 0) == (given[f] > 0) && (inverse > 0) == (given[f] > 0),
            n, WEDGE_BAD_ARGUMENT, "box: length %" PRIu64 " is %g: too large or too small for the dtype", f, given[f]);
        job->period.lengths[f] = length, job->period.lengths[MOST_BOX + f] = inverse;
        job->period.periodic |= length > 0;
    }
    return WEDGE_OK;
}

/* ---- Triplets ---- */

/* Beyond a third of a length three shortest differences need not be those of one triangle. */
static wedge_status check_cutoff_in_box(const wedge_job *job) {
    note *n = &job->dev->note;
    WEDGE_CHECK(!job->period.periodic || job->cutoff > 0, n, WEDGE_BAD_ARGUMENT,
                "triplets in a periodic box need a cutoff, less than a third of its lengths");
    for (uint64_t f = 0; f < job->pairs.d && job->period.periodic; ++f)
        WEDGE_CHECK(job->period.lengths[f] == 0 || job->cutoff < job->period.lengths[f] / 3, n, WEDGE_BAD_ARGUMENT,
                    "cutoff %g: must be below %g, a third of the periodic box's length %g", job->cutoff,
                    job->period.lengths[f] / 3, job->period.lengths[f]);
    return WEDGE_OK;
}

wedge_status cutoff_choose(wedge_job *job) {
    note *n = &job->dev->note;
    double cutoff = job->pairs.cutoff;
    WEDGE_CHECK(cutoff >= 0 && isfinite(cutoff), n, WEDGE_BAD_ARGUMENT,
                "cutoff %g: give a finite one above 0, or 0 for none", cutoff);
    WEDGE_CHECK(cutoff == 0 || job->domain.kind->triples, n, WEDGE_BAD_ARGUMENT,
                "a cutoff is for triplets; for pairs, give the sink a radius");
    if (!job->domain.kind->triples) return WEDGE_OK;
    WEDGE_CHECK(!sink_stores(&job->sink) || (cutoff == 0 && !job->period.periodic), n, WEDGE_UNSUPPORTED,
                "store needs a value for every triplet, but a cutoff leaves some out: use select or summary");
    job->cutoff = dtype_limit(cutoff, job->pairs.dtype);
    WEDGE_CHECK(job->cutoff > 0 || cutoff == 0, n, WEDGE_BAD_ARGUMENT, "cutoff %g: too small for the dtype", cutoff);
    return check_cutoff_in_box(job);
}
