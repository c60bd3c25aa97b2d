/* job.c: creates a job: checks what the caller asked for, and finds its op, domain, sink and device path.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/base/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/float_env.h"
#include "core/maps.h"
#include "engine/prune/prune.h"
#include "engine/scale/scale.h"
#include "engine/tune/tune.h"
#include "engine/userop/userop.h"

static wedge_status check(wedge_device *dev, const wedge_job_spec *p) {
    note *n = &dev->note;
    WEDGE_CHECK(p->dtype == WEDGE_F32 || p->dtype == WEDGE_F64, n, WEDGE_BAD_ARGUMENT, "dtype must be f32 or f64");
    WEDGE_CHECK(p->place == WEDGE_ON_HOST || p->place == WEDGE_ON_DEVICE, n, WEDGE_BAD_ARGUMENT, JOB_NO_PLACE,
                (int)p->place);
    WEDGE_CHECK(p->n >= 1, n, WEDGE_BAD_ARGUMENT, "no points: n must be at least 1");
    WEDGE_CHECK(p->d >= 1 && p->d <= WEDGE_MOST_FEATURES, n, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " features: a point must have 1 to %d", p->d, WEDGE_MOST_FEATURES);
    WEDGE_CHECK(p->points, n, WEDGE_BAD_ARGUMENT, "no points given");
    if (domain_find(p->layout) && domain_find(p->layout)->two_sets)
        WEDGE_CHECK(p->m >= 1 && p->others, n, WEDGE_BAD_ARGUMENT,
                    "no others given: a rectangle has two sets of points");
    WEDGE_CHECK(!p->tile || dev->backend->compile, n, WEDGE_BAD_ARGUMENT,
                "tiles of %u cells per side: %s chooses its own; leave wedge_job_spec.tile 0", p->tile, dev->info.id);
    if (!p->map) return WEDGE_OK;
    const wedge_map_info *map = wedge_map_find(p->map, 2);
    WEDGE_CHECK(map, n, WEDGE_BAD_ARGUMENT, "no map '%s': use lambda or walk", p->map);
    WEDGE_CHECK(map->ranges, n, WEDGE_BAD_ARGUMENT, "map %s cannot take a part of a triangle: use lambda or walk",
                p->map);
    return WEDGE_OK;
}

/* Of a radius: the largest key whose value is within it. */
static wedge_status find_key(const wedge_job *job) {
    const sink *k = &job->sink;
    const op_def *op = job->op;
    if (!sink_has_key_limit(k)) return WEDGE_OK;
    if (op->find_key) return op->find_key(op, job->pairs.dtype, k->limits[0], &k->limits[1]);
    if (op->key[job->pairs.dtype]) k->limits[1] = op->key[job->pairs.dtype](k->limits[0]);
    return WEDGE_OK;
}

static wedge_status open_sink(wedge_job *job) {
    WEDGE_TRY(sink_make(&job->dev->note, &job->pairs, &job->sink));
    WEDGE_TRY(find_key(job));
    job->info.sink = job->sink.def->info.name;
    job->way = job_ways[job->sink.def->way];
    WEDGE_TRY(job->way->open(job));
    job->pairs.sink_parameters = NULL, job->pairs.sink_parameter_count = 0;
    return WEDGE_OK;
}

/* The op with its parameters, or the one that it says is the same with these. */
static wedge_status choose_op(wedge_job *job, const op_def *op) {
    wedge_job_spec *p = &job->pairs;
    WEDGE_TRY(op_take_parameters(op, p->dtype, p->parameters, p->parameter_count, job->parameters, &job->dev->note));
    p->parameters = NULL, p->parameter_count = 0; /* the caller's, and not for longer than the call */
    const op_def *same = op->same_as ? op_find(op->same_as(op, job->parameters)) : NULL;
    job->op = job->asked = same ? same : op;
    if (same) WEDGE_TRY(op_take_parameters(job->op, p->dtype, NULL, 0, job->parameters, &job->dev->note));
    job->info.op = job->op->info.name, job->info.op_info = &job->op->info;
    job->info.values = job->op->info.values;
    job->cell_size = job->size * job->info.values;
    job->info.parameters = job->parameters;
    return WEDGE_OK;
}

/* Ops of three points are for triplets. */
static wedge_status check_points(const wedge_job *job) {
    note *n = &job->dev->note;
    const wedge_job_spec *p = &job->pairs;
    const sink_def *sink = sink_find(p->sink ? p->sink : "store");
    const domain_def *kind = domain_find(p->layout);
    bool triples = kind && kind->triples;
    WEDGE_CHECK(!kind || triples == (job->op->info.points == 3), n, WEDGE_BAD_ARGUMENT, "%s is a function of %s",
                job->op->info.name,
                triples ? "two points: use a layout of pairs"
                        : "three points: use the layout WEDGE_TRIPLES, or WEDGE_TRIPLES_PACKED for diagonals too");
    WEDGE_CHECK(!triples || !sink || sink->triples, n, WEDGE_UNSUPPORTED,
                "triplets have the sinks store, select, summary, count, histogram and scatter, not %s",
                sink->info.name);
    return WEDGE_OK;
}

static wedge_status take_queue(wedge_job *job) {
    wedge_device *dev = job->dev;
    if (!job->pairs.stream) return dev->backend->queue_new(dev, &job->queue);
    WEDGE_CHECK(dev->backend->queue_check, &dev->note, WEDGE_BAD_ARGUMENT,
                "%s has no streams: leave wedge_job_spec.stream NULL", dev->info.id);
    WEDGE_TRY(dev->backend->queue_check(dev, job->pairs.stream));
    job->queue = job->pairs.stream;
    job->borrowed = true;
    return WEDGE_OK;
}

static wedge_status open_path(wedge_job *job) {
    WEDGE_TRY(prune_choose(job));
    if (job->dev->backend->compile) WEDGE_TRY(tune_choose(job));
    WEDGE_TRY(job->path->open(job));
    job->opened = true;
    return WEDGE_OK;
}

/* Once more for another form of the op (scale_choose). */
static wedge_status open_again(wedge_job *job) {
    job->opened = job->prune.tiles_chosen = job->prune.dense = false;
    points_drop(job);
    job->path->close(job);
    return open_path(job);
}

static wedge_status open_job(wedge_job *job, const op_def *op) {
    wedge_device *dev = job->dev;
    const wedge_job_spec *p = &job->pairs;
    WEDGE_TRY(choose_op(job, op));
    WEDGE_TRY(op_check_record(op, p->d, &dev->note));
    WEDGE_TRY(check_points(job));
    WEDGE_TRY(domain_make(&dev->note, p->layout, p->n, p->m, p->dtype, &job->domain, &job->info.cells));
    if (dev->backend->compile) WEDGE_TRY(tune_check(job));
    WEDGE_TRY(open_sink(job));
    WEDGE_TRY(box_choose(job));
    WEDGE_TRY(cutoff_choose(job));
    if (p->map) job->pairs.map = wedge_map_find(p->map, 2)->name; /* nothing of the caller's is kept */
    WEDGE_TRY(points_find(job));
    WEDGE_TRY(take_queue(job));
    WEDGE_TRY(scale_choose(job));
    WEDGE_TRY(open_path(job));
    return job->path->upload(job);
}

wedge_status wedge_job_create(wedge_device *dev, const wedge_job_spec *spec, wedge_job **out) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(out, &dev->note);
    *out = NULL;
    WEDGE_GIVEN(spec, &dev->note);
    wedge_job_spec own;
    WEDGE_TRY(SIZED_READ(&dev->note, wedge_job_spec, spec, &own));
    const op_def *op = own.op ? op_find(own.op) : NULL;
    if (!op && !own.own_op) return op_unknown(own.op ? own.op : "", &dev->note);
    WEDGE_TRY(check(dev, &own));
    if (own.own_op) WEDGE_TRY(userop_take(dev, &own, &op));
    wedge_status status = job_create(dev, &own, op, out);
    return own.own_op ? userop_explain(own.own_op, status) : status;
}

wedge_status job_create(wedge_device *dev, const wedge_job_spec *pairs, const op_def *op, wedge_job **out) {
    wedge_job *job = calloc(1, sizeof *job);
    WEDGE_CHECK(job, &dev->note, WEDGE_NO_MEMORY, "no memory for a job");
    *job = (wedge_job){.dev = dev, .pairs = *pairs};
    job->size = pairs->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float);
    job->info.isa = "";
    path_choose(job);
    wedge_status status = open_job(job, op);
    if (status)
        wedge_job_destroy(job);
    else
        *out = job;
    return status;
}

wedge_status wedge_job_renew(wedge_job *job, const void *points, const void *others) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(job, NULL);
    WEDGE_GIVEN(points, &job->dev->note);
    if (job->domain.kind->two_sets) WEDGE_GIVEN(others, &job->dev->note);
    job->pairs.points = points, job->pairs.others = others;
    const op_def *op = job->op;
    WEDGE_TRY(points_find(job));
    WEDGE_TRY(scale_choose(job));
    if (job->borrowed && job->op != op) WEDGE_TRY(job->dev->backend->wait(job->dev, job->queue));
    if (job->op != op || !job->opened)
        WEDGE_TRY(open_again(job));
    else if (!job->dev->backend->compile)
        WEDGE_TRY(prune_choose(job)); /* kernels are of one choice */
    /* On a GPU the same memory is written again, after the runs in the stream; with an order of their own points go elsewhere. */
    if (!job->dev->backend->compile || job->curve.ordered) {
        if (job->borrowed) WEDGE_TRY(job->dev->backend->wait(job->dev, job->queue));
        points_drop(job);
    }
    wedge_status status = job->path->upload(job);
    if (status) points_drop(job);
    return status;
}

void wedge_job_destroy(wedge_job *job) {
    if (!job) return;
    const backend *b = job->dev->backend;
    if (job->borrowed) b->wait(job->dev, job->queue); /* runs may be under way in it */
    if (job->way) job->way->close(job);
    job->path->close(job);
    points_drop(job);
    buffer *tiles[] = {&job->prune.limits, &job->prune.tiles, &job->prune.counts};
    for (int k = 0; k < 3; ++k) job_drop(job, tiles[k]);
    sink_free(&job->sink);
    if (job->queue && !job->borrowed) b->queue_free(job->dev, job->queue);
    free(job);
}

const wedge_job_info *wedge_job_get_info(const wedge_job *job) { return job ? &job->info : NULL; }
