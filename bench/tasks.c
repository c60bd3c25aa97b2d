/* tasks.c: what users ask the engine for, as rows of the lab: neighbours, histograms, forces.
 *
 * A task is timed as a program that has other points each time sees it: from points on the device, in any order, to the
 * result on the device. So each run renews the job (which orders the points and finds their boxes) and then runs it, and a
 * time is that of both calls. Rows of a group are ways to the same result, or results that compare.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bench/truth.h"

static bool is(const runner *r, const char *sink) { return !strcmp(r->sink->sink, sink); }

wedge_status tasks_put_points(lab *l, const arena *a, runner *r) {
    size_t bytes = (size_t)a->n * r->engine->d * (r->engine->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float));
    WEDGE_TRY(wedge_memory_create(l->dev, bytes, &r->there));
    return wedge_memory_write(l->dev, r->there, 0, r->points, bytes);
}

wedge_status tasks_run(runner *r, uint64_t *count) {
    wedge_result result = {
        .size = sizeof result, .values = r->values, .indices = r->list, .place = WEDGE_ON_DEVICE, .room = r->room};
    WEDGE_TRY(wedge_job_renew(r->job, r->there, NULL));
    wedge_status status = wedge_job_run(r->job, 0, wedge_job_get_info(r->job)->cells, &result, NULL, NULL);
    *count = result.count;
    return status;
}

/* ---- Results ---- */

/* Bytes of the list and of the values, and how many entries there are. */
static void result_bytes(const runner *r, uint64_t n, size_t *list, size_t *values, uint64_t *room) {
    const wedge_job_info *info = wedge_job_get_info(r->job);
    uint64_t k = (uint64_t)truth_parameter(r, "k", 0);
    *list = *values = 0, *room = r->room;
    if (is(r, "select")) *list = r->room * 2 * sizeof(int64_t);
    if (is(r, "nearest")) *room = n * k, *list = *room * sizeof(int64_t), *values = *room * sizeof(float);
    if (is(r, "scatter")) *room = n, *values = n * info->values * sizeof(float);
    if (is(r, "histogram")) *values = (LAB_BINS + 3) * sizeof(uint64_t);
    if (is(r, "summary")) *values = sizeof(wedge_summary);
}

/* Of distances, each pair once, or as many as were computed; how often `nearest` computes a pair is not known if pruned. */
static double flops_of(const runner *r, uint64_t n, double computed) {
    double pairs = (double)n * (double)(n - 1) / 2, each = 3.0 * r->engine->d;
    if (!strcmp(r->engine->op, "gravity") || r->engine->layout == WEDGE_TRIPLES ||
        (is(r, "nearest") && r->sink->pruned))
        return 0;
    return each * (r->sink->pruned ? computed : pairs);
}

/* A summary on the device, too, begins with its size. */
static wedge_status set_size(lab *l, const runner *r) {
    const size_t size = sizeof(wedge_summary);
    return is(r, "summary") ? wedge_memory_write(l->dev, r->values, 0, &size, sizeof size) : WEDGE_OK;
}

wedge_status tasks_ready(lab *l, const arena *a, runner *r) {
    size_t list, values;
    r->row.cells = wedge_job_get_info(r->job)->cells, r->row.bytes = 0;
    r->row.flops = flops_of(r, a->n, 0);
    if (is(r, "select")) return sinks_make_list(l, r);
    result_bytes(r, a->n, &list, &values, &r->room);
    if (list) WEDGE_TRY(wedge_memory_create(l->dev, list, &r->list));
    WEDGE_TRY(wedge_memory_create(l->dev, values, &r->values));
    return set_size(l, r);
}

void tasks_free(lab *l, runner *r) {
    wedge_memory_destroy(l->dev, r->values);
    wedge_memory_destroy(l->dev, r->there);
    r->values = r->there = NULL;
}

/* After one run: what was chosen, and how much of it was work. */
static void say_how(const arena *a, runner *r, double computed) {
    const wedge_job_info *info = wedge_job_get_info(r->job);
    bench_row *row = &r->row;
    row->how[0] = 0;
    sinks_add_how(row, "%s, tile %u, %s%s%s", info->map, info->tile, info->tuning, *info->isa ? " " : "", info->isa);
    if (r->sink->within) sinks_add_how(row, "; radius %.3g", sinks_radius(a->n, r->engine->d));
    if (engine_spheres(r->engine)) sinks_add_how(row, "; radii up to %.3g", engine_largest(a->n));
    if (r->sink->cutoff > 0) sinks_add_how(row, "; cutoff %.3g of the box", r->sink->cutoff);
    if (info->pruned) sinks_add_how(row, "; %.3g %% of the cells computed", 100 * computed / (double)info->cells);
    row->flops = flops_of(r, a->n, computed);
}

/* Memory that holds bytes of which no result consists. */
static wedge_status poison(lab *l, void *there, size_t bytes, void **here) {
    *here = malloc(bytes ? bytes : 1);
    WEDGE_CHECK(*here, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    memset(*here, 0xFF, bytes);
    return bytes ? wedge_memory_write(l->dev, there, 0, *here, bytes) : WEDGE_OK;
}

wedge_status tasks_answer(lab *l, const arena *a, runner *r, task_answer *answer) {
    uint64_t room, before;
    void *list = NULL;
    *answer = (task_answer){0};
    result_bytes(r, a->n, &answer->list_bytes, &answer->values_bytes, &room);
    WEDGE_TRY(poison(l, r->list, answer->list_bytes, &list));
    answer->list = list;
    WEDGE_TRY(poison(l, r->values, answer->values_bytes, &answer->values));
    WEDGE_TRY(set_size(l, r));
    before = wedge_job_get_info(r->job)->computed;
    WEDGE_TRY(tasks_run(r, &answer->count));
    say_how(a, r, (double)(wedge_job_get_info(r->job)->computed - before));
    if (answer->list_bytes) WEDGE_TRY(wedge_memory_read(l->dev, answer->list, r->list, 0, answer->list_bytes));
    if (!answer->values_bytes) return WEDGE_OK;
    return wedge_memory_read(l->dev, answer->values, r->values, 0, answer->values_bytes);
}

void tasks_answer_free(task_answer *answer) {
    free(answer->list);
    free(answer->values);
    *answer = (task_answer){0};
}

/* A core that is not slow takes two nanoseconds for a cell and eight features; where tiles are left out, a point meets some
 * thousand others. */
double tasks_seconds(const lab *l, const runner *r, uint64_t n) {
    enum { MET = 4096 };
    bool once = r->engine->layout == WEDGE_CONDENSED;
    double others = r->sink->pruned && n > MET ? MET : (double)n;
    if (r->engine->layout == WEDGE_TRIPLES) others *= (double)n / 8;
    return (double)n * others / (once ? 2 : 1) * (1 + r->engine->d / 8.0) / (5e8 * l->dev->info.units);
}
