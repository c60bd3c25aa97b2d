/* job.c: making a job and running ranges of it.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/tune.h"

enum { PIECES = 64, FIRST_CELLS = 1 << 16, GROWTH = 16 };
#define NO_PLACE "place %d: memory is on the host (WEDGE_ON_HOST) or on the device (WEDGE_ON_DEVICE)"

static const pairs_path *path_of(const wedge_job *job) {
    return job->dev->backend->compile ? &pairs_gpu : &pairs_native;
}

/* minkowski is three simpler ops in disguise where p allows. */
static const wedge_op_info *simplest(const wedge_pairs *p) {
    if (strcmp(p->op->name, "minkowski")) return p->op;
    const char *name = p->p == 1 ? "cityblock" : p->p == 2 ? "euclidean" : isinf(p->p) ? "chebyshev" : "minkowski";
    return wedge_op_find(name);
}

/* A wide store to an address that is no multiple of a number's size would take the device's context with it. */
static wedge_status check_alignment(wedge_device *dev, const void *pointer, size_t size) {
    WEDGE_CHECK(!dev->backend->addressed || (uintptr_t)pointer % size == 0, &dev->note, WEDGE_BAD_ARGUMENT,
                "memory at %p is not aligned to numbers of %zu bytes", pointer, size);
    return WEDGE_OK;
}

static wedge_status check(wedge_device *dev, const wedge_pairs *p) {
    note *n = &dev->note;
    WEDGE_CHECK(!p->op->takes_p || p->p > 0, n, WEDGE_BAD_ARGUMENT, "%s: p = %g: must be above 0", p->op->name, p->p);
    WEDGE_CHECK(p->dtype == WEDGE_F32 || p->dtype == WEDGE_F64, n, WEDGE_BAD_ARGUMENT, "dtype must be f32 or f64");
    WEDGE_CHECK(p->place == WEDGE_ON_HOST || p->place == WEDGE_ON_DEVICE, n, WEDGE_BAD_ARGUMENT, NO_PLACE,
                (int)p->place);
    WEDGE_CHECK(p->n >= 1, n, WEDGE_BAD_ARGUMENT, "no points: n must be at least 1");
    WEDGE_CHECK(p->d >= 1 && p->d <= WEDGE_MOST_FEATURES, n, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " features: a point must have 1 to %d", p->d, WEDGE_MOST_FEATURES);
    WEDGE_CHECK(p->points, n, WEDGE_BAD_ARGUMENT, "no points given");
    WEDGE_TRY(check_alignment(dev, p->points, p->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float)));
    if (domain_find(p->layout) && domain_find(p->layout)->two_sets) {
        WEDGE_CHECK(p->m >= 1 && p->others, n, WEDGE_BAD_ARGUMENT,
                    "no others given: a rectangle has two sets of points");
        WEDGE_TRY(check_alignment(dev, p->others, p->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float)));
    }
    WEDGE_CHECK(!p->map || (p->map->rank == 2 && p->map->ranges), n, WEDGE_BAD_ARGUMENT,
                "map %s cannot take a part of a triangle: use lambda or walk", p->map->name);
    return WEDGE_OK;
}

static wedge_status open_job(wedge_job *job) {
    wedge_device *dev = job->dev;
    const wedge_pairs *p = &job->pairs;
    WEDGE_TRY(domain_make(&dev->note, p->layout, p->n, p->m, p->dtype, &job->domain, &job->info.cells));
    job->info.bytes = job->info.cells * job->size;
    WEDGE_TRY(dev->backend->queue_new(dev, &job->queue));
    if (dev->backend->compile) WEDGE_TRY(tune_choose(job));
    return path_of(job)->open(job);
}

wedge_status wedge_job_create(wedge_device *dev, const wedge_pairs *pairs, wedge_job **out) {
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(out, &dev->note);
    *out = NULL;
    WEDGE_GIVEN(pairs, &dev->note);
    const op_row *op = op_row_of(pairs->op);
    WEDGE_CHECK(op, &dev->note, WEDGE_BAD_ARGUMENT, "no op '%s'", pairs->op && pairs->op->name ? pairs->op->name : "");
    wedge_pairs own = *pairs; /* with the tables' rows in place of the caller's copies */
    own.op = &op->info;
    if (own.map) WEDGE_TRY(map_resolve(&dev->note, &own.map));
    WEDGE_TRY(check(dev, &own));
    return job_create(dev, &own, op_row_of(simplest(&own)), out);
}

wedge_status job_create(wedge_device *dev, const wedge_pairs *pairs, const op_row *op, wedge_job **out) {
    wedge_job *job = calloc(1, sizeof *job);
    WEDGE_CHECK(job, &dev->note, WEDGE_NO_MEMORY, "no memory for a job");
    *job = (wedge_job){.dev = dev, .pairs = *pairs};
    job->op = op;
    job->size = pairs->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float);
    job->info.op = job->op->info.name;
    job->info.isa = "";
    wedge_status status = open_job(job);
    if (status)
        wedge_job_destroy(job);
    else
        *out = job;
    return status;
}

void wedge_job_destroy(wedge_job *job) {
    if (!job) return;
    const backend *b = job->dev->backend;
    path_of(job)->close(job);
    b->buffer_free(job->dev, &job->points);
    b->buffer_free(job->dev, &job->others);
    b->buffer_free(job->dev, &job->panels);
    b->buffer_free(job->dev, &job->states);
    if (job->queue) b->queue_free(job->dev, job->queue);
    free(job);
}

const wedge_job_info *wedge_job_get_info(const wedge_job *job) { return job ? &job->info : NULL; }

/* Small at first, when nothing is known, then growing to what the speed allows: a piece that is stopped is lost. */
uint64_t job_cut(const wedge_job *job, const pace *p, uint64_t begin, uint64_t end, uint64_t most, uint64_t last) {
    uint64_t rows = job->shape.tile, timed = pace_cells(p), grown = last ? GROWTH * last : FIRST_CELLS;
    uint64_t least = path_of(job)->rows(job) * job->domain.m;
    if (timed > grown) timed = grown;
    if (timed < least) timed = least;
    if (most > timed) most = timed;
    if (most < rows * job->domain.m) rows = path_of(job)->rows(job);
    return domain_cut(&job->domain, begin, end, most, rows);
}

wedge_status job_range(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out, uint64_t offset,
                       pace *p) {
    if (begin >= end) return WEDGE_OK;
    return path_of(job)->range(job, queue, begin, end, out, offset, p);
}

wedge_status job_check_range(wedge_job *job, uint64_t begin, uint64_t end) {
    WEDGE_CHECK(begin <= end && end <= job->info.cells, &job->dev->note, WEDGE_BAD_ARGUMENT,
                "positions %" PRIu64 " to %" PRIu64 ": a range lies between 0 and %" PRIu64, begin, end,
                job->info.cells);
    return WEDGE_OK;
}

/* What a caller is told: the share of [begin, end) that is done. */
typedef struct {
    wedge_progress progress;
    void *user;
    uint64_t begin, end, at;
} teller;

static bool tell(void *user) {
    const teller *t = user;
    return t->progress(t->user, (double)(t->at - t->begin) / (double)(t->end - t->begin));
}

/* A range straight into memory that the device reaches, in pieces if there is progress to tell. */
static wedge_status run_directly(wedge_job *job, const buffer *out, teller *t) {
    wedge_device *dev = job->dev;
    pace p = {.goes_on = tell, .user = t};
    uint64_t last = 0, most = (t->end - t->begin) / PIECES + FIRST_CELLS;
    if (!t->progress) {
        WEDGE_TRY(job_range(job, job->queue, t->begin, t->end, out, 0, NULL));
        return dev->backend->wait(dev, job->queue);
    }
    while (t->at < t->end) {
        uint64_t to = job_cut(job, &p, t->at, t->end, most, last);
        WEDGE_TRY(job_range(job, job->queue, t->at, to, out, t->at - t->begin, &p));
        WEDGE_TRY(dev->backend->wait(dev, job->queue));
        last = to - t->at;
        t->at = to;
        WEDGE_CHECK(tell(t), &dev->note, WEDGE_STOPPED, "stopped by the caller");
    }
    return WEDGE_OK;
}

typedef struct {
    wedge_progress progress;
    void *user;
    char *out;
    uint64_t begin;
    size_t size;
} copier;

static wedge_status copy_out(void *user, uint64_t position, const void *values, uint64_t count) {
    const copier *c = user;
    memcpy(c->out + (position - c->begin) * c->size, values, count * c->size);
    return WEDGE_OK;
}

static bool pass_on(void *user, double done) {
    const copier *c = user;
    return !c->progress || c->progress(c->user, done);
}

wedge_status wedge_job_run(wedge_job *job, uint64_t begin, uint64_t end, void *out, wedge_place place,
                           wedge_progress progress, void *user) {
    WEDGE_GIVEN(job, NULL);
    wedge_device *dev = job->dev;
    WEDGE_CHECK(place == WEDGE_ON_HOST || place == WEDGE_ON_DEVICE, &dev->note, WEDGE_BAD_ARGUMENT, NO_PLACE,
                (int)place);
    WEDGE_TRY(job_check_range(job, begin, end));
    if (begin == end) return WEDGE_OK;
    WEDGE_CHECK(out, &dev->note, WEDGE_BAD_ARGUMENT, "no memory given for the values");
    bool native = !dev->backend->compile;
    WEDGE_TRY(check_alignment(dev, out, job->size));
    if (native || place == WEDGE_ON_DEVICE) {
        buffer b = foreign_buffer(dev, out, (end - begin) * job->size);
        return run_directly(job, &b, &(teller){progress, user, begin, end, begin});
    }
    copier c = {progress, user, out, begin, job->size};
    WEDGE_CHECK(!job->domain.kind->partial, &dev->note, WEDGE_UNSUPPORTED,
                "the lower half of a square is left on the device: take square, or device memory");
    return wedge_job_stream(job, begin, end, 0, copy_out, pass_on, &c);
}
