/* job.c: making a job and running ranges of it.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "core/parameters.h"
#include "engine/tune.h"

enum { PIECES = 64, FIRST_CELLS = 1 << 16, GROWTH = 16 };
#define NO_PLACE "place %d: memory is on the host (WEDGE_ON_HOST) or on the device (WEDGE_ON_DEVICE)"

static const pairs_path *path_of(const wedge_job *job) {
    return job->dev->backend->compile ? &pairs_gpu : &pairs_native;
}

/* minkowski is three simpler ops in disguise where p allows. */
static const op_row *simplest(const op_row *op, double p) {
    if (strcmp(op->info.name, "minkowski")) return op;
    return op_find(p == 1 ? "cityblock" : p == 2 ? "euclidean" : isinf(p) ? "chebyshev" : "minkowski");
}

static wedge_status check(wedge_device *dev, const wedge_pairs *p) {
    note *n = &dev->note;
    WEDGE_CHECK(p->dtype == WEDGE_F32 || p->dtype == WEDGE_F64, n, WEDGE_BAD_ARGUMENT, "dtype must be f32 or f64");
    WEDGE_CHECK(p->place == WEDGE_ON_HOST || p->place == WEDGE_ON_DEVICE, n, WEDGE_BAD_ARGUMENT, NO_PLACE,
                (int)p->place);
    WEDGE_CHECK(p->n >= 1, n, WEDGE_BAD_ARGUMENT, "no points: n must be at least 1");
    WEDGE_CHECK(p->d >= 1 && p->d <= WEDGE_MOST_FEATURES, n, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " features: a point must have 1 to %d", p->d, WEDGE_MOST_FEATURES);
    WEDGE_CHECK(p->points, n, WEDGE_BAD_ARGUMENT, "no points given");
    if (domain_find(p->layout) && domain_find(p->layout)->two_sets)
        WEDGE_CHECK(p->m >= 1 && p->others, n, WEDGE_BAD_ARGUMENT,
                    "no others given: a rectangle has two sets of points");
    WEDGE_CHECK(!p->tile || dev->backend->compile, n, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side: %s chooses its own; leave wedge_pairs.tile 0", p->tile, dev->info.id);
    if (!p->map) return WEDGE_OK;
    const wedge_map_info *map = wedge_map_find(p->map, 2);
    WEDGE_CHECK(map, n, WEDGE_BAD_ARGUMENT, "no map '%s': use lambda or walk", p->map);
    WEDGE_CHECK(map->ranges, n, WEDGE_BAD_ARGUMENT, "map %s cannot take a part of a triangle: use lambda or walk",
                p->map);
    return WEDGE_OK;
}

static wedge_status take_queue(wedge_job *job) {
    wedge_device *dev = job->dev;
    if (!job->pairs.stream) return dev->backend->queue_new(dev, &job->queue);
    WEDGE_CHECK(dev->backend->queue_check, &dev->note, WEDGE_BAD_ARGUMENT,
                "a stream was given: %s has none; leave wedge_pairs.stream NULL", dev->info.id);
    WEDGE_TRY(dev->backend->queue_check(dev, job->pairs.stream));
    job->queue = job->pairs.stream;
    job->borrowed = true;
    return WEDGE_OK;
}

static wedge_status open_job(wedge_job *job) {
    wedge_device *dev = job->dev;
    const wedge_pairs *p = &job->pairs;
    WEDGE_TRY(domain_make(&dev->note, p->layout, p->n, p->m, p->dtype, &job->domain, &job->info.cells));
    job->info.bytes = job->info.cells * job->size;
    job->info.op = job->op->info.name;
    job->info.isa = "";
    WEDGE_TRY(points_find(job));
    WEDGE_TRY(take_queue(job));
    if (dev->backend->compile) WEDGE_TRY(tune_choose(job));
    return path_of(job)->open(job);
}

/* The caller's struct may be shorter than ours: it was made when there was less to say. */
static wedge_status read_pairs(wedge_device *dev, const wedge_pairs *pairs, wedge_pairs *own) {
    WEDGE_CHECK(pairs->size >= offsetof(wedge_pairs, stream), &dev->note, WEDGE_BAD_ARGUMENT,
                "wedge_pairs.size is %zu: set it to sizeof(wedge_pairs)", pairs->size);
    WEDGE_CHECK(pairs->size <= sizeof *own, &dev->note, WEDGE_BAD_ARGUMENT,
                "wedge_pairs.size is %zu: the program was built for a newer wedge than %s", pairs->size,
                wedge_version());
    memset(own, 0, sizeof *own);
    memcpy(own, pairs, pairs->size);
    return WEDGE_OK;
}

wedge_status wedge_job_create(wedge_device *dev, const wedge_pairs *pairs, wedge_job **out) {
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(out, &dev->note);
    *out = NULL;
    WEDGE_GIVEN(pairs, &dev->note);
    wedge_pairs own;
    WEDGE_TRY(read_pairs(dev, pairs, &own));
    const op_row *op = own.op ? op_find(own.op) : NULL;
    WEDGE_CHECK(op, &dev->note, WEDGE_BAD_ARGUMENT, "no op '%s'", own.op ? own.op : "");
    WEDGE_TRY(check(dev, &own));
    return job_create(dev, &own, op, out);
}

/* What was given by name, in the order of the tables; nothing of the caller's is kept. */
static wedge_status resolve(wedge_job *job) {
    const wedge_op_info *op = &job->op->info;
    wedge_pairs *p = &job->pairs;
    note *n = &job->dev->note;
    parameter_values set;
    WEDGE_TRY(
        parameters_resolve(n, op->name, op->parameters, op->parameter_count, p->parameters, p->parameter_count, &set));
    job->p = set.value[0];
    WEDGE_CHECK(!op->parameter_count || job->p > 0, n, WEDGE_BAD_ARGUMENT, "%s: p = %g: must be p > 0", op->name,
                job->p);
    job->op = simplest(job->op, job->p);
    if (p->map) p->map = wedge_map_find(p->map, 2)->name;
    return WEDGE_OK;
}

wedge_status job_create(wedge_device *dev, const wedge_pairs *pairs, const op_row *op, wedge_job **out) {
    wedge_job *job = calloc(1, sizeof *job);
    WEDGE_CHECK(job, &dev->note, WEDGE_NO_MEMORY, "no memory for a job");
    *job = (wedge_job){.dev = dev, .pairs = *pairs, .op = op};
    job->size = pairs->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float);
    wedge_status status = resolve(job);
    if (!status) status = open_job(job);
    if (status)
        wedge_job_destroy(job);
    else
        *out = job;
    return status;
}

void wedge_job_destroy(wedge_job *job) {
    if (!job) return;
    const backend *b = job->dev->backend;
    if (job->borrowed) b->wait(job->dev, job->queue); /* runs may be under way in it */
    stream_free(job);
    path_of(job)->close(job);
    b->buffer_free(job->dev, &job->points);
    b->buffer_free(job->dev, &job->others);
    b->buffer_free(job->dev, &job->panels);
    if (job->queue && !job->borrowed) b->queue_free(job->dev, job->queue);
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

/* A range straight into memory that the device reaches, in pieces if there is progress to tell. Who gave a stream waits for
 * it, unless there is progress. */
static wedge_status run_directly(wedge_job *job, const given_memory *to, teller *t) {
    wedge_device *dev = job->dev;
    pace p = {.goes_on = tell, .user = t};
    uint64_t last = 0, most = (t->end - t->begin) / PIECES + FIRST_CELLS;
    if (!t->progress) {
        WEDGE_TRY(job_range(job, job->queue, t->begin, t->end, &to->memory, to->first, NULL));
        return job->borrowed ? WEDGE_OK : dev->backend->wait(dev, job->queue);
    }
    while (t->at < t->end) {
        uint64_t end = job_cut(job, &p, t->at, t->end, most, last);
        WEDGE_TRY(job_range(job, job->queue, t->at, end, &to->memory, to->first + t->at - t->begin, &p));
        WEDGE_TRY(dev->backend->wait(dev, job->queue));
        last = end - t->at;
        t->at = end;
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

static wedge_status copy_out(void *user, const wedge_piece *piece) {
    const copier *c = user;
    memcpy(c->out + (piece->begin - c->begin) * c->size, piece->values, piece->count * c->size);
    return WEDGE_OK;
}

static bool pass_on(void *user, double done) {
    const copier *c = user;
    return !c->progress || c->progress(c->user, done);
}

static wedge_status run_store(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *r, wedge_progress progress,
                              void *user) {
    wedge_device *dev = job->dev;
    WEDGE_CHECK(r->values, &dev->note, WEDGE_BAD_ARGUMENT, "no memory given for the values");
    given_memory to;
    bool native = !dev->backend->compile;
    WEDGE_TRY(memory_find(dev, r->values, r->values_offset, r->place, (end - begin) * job->size, job->size, &to));
    if (native || r->place == WEDGE_ON_DEVICE)
        return run_directly(job, &to, &(teller){progress, user, begin, end, begin});
    copier c = {progress, user, to.memory.host, begin, job->size};
    WEDGE_CHECK(!job->domain.kind->partial, &dev->note, WEDGE_UNSUPPORTED,
                "the lower half of a square is left on the device: take square, or device memory");
    return wedge_job_stream(job, begin, end, 0, copy_out, pass_on, &c);
}

wedge_status wedge_job_run(wedge_job *job, uint64_t begin, uint64_t end, wedge_result *result, wedge_progress progress,
                           void *user) {
    WEDGE_GIVEN(job, NULL);
    wedge_device *dev = job->dev;
    WEDGE_GIVEN(result, &dev->note);
    WEDGE_CHECK(result->size == sizeof *result, &dev->note, WEDGE_BAD_ARGUMENT,
                "wedge_result.size is %zu: set it to sizeof(wedge_result), %zu in wedge %s", result->size,
                sizeof *result, wedge_version());
    WEDGE_CHECK(result->place == WEDGE_ON_HOST || result->place == WEDGE_ON_DEVICE, &dev->note, WEDGE_BAD_ARGUMENT,
                NO_PLACE, (int)result->place);
    WEDGE_TRY(job_check_range(job, begin, end));
    result->count = end - begin;
    if (begin == end) return WEDGE_OK;
    return run_store(job, begin, end, result, progress, user);
}
