/* sinks.c: the engine's sinks as rows of the lab: what is asked of each, and one run of it.
 *
 * All of a group have the same points and are measured in the same rounds. `store` is what they are compared with. Its
 * result has no room in memory for a million points, and on a cpu memory would be what is measured, so it writes ranges to
 * the same place again and again: on a GPU one that is larger than caches, elsewhere one that stays in them.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/lab.h"
#include "engine/base/path.h"

enum { NEIGHBOURS = 50, STORE_GPU = 1 << 30, STORE_CACHED = 2 << 20, PAIR_BYTES = 2 * sizeof(int64_t) };

static bool is(const runner *r, const char *sink) { return !strcmp(r->sink->sink, sink); }

uint64_t sinks_bytes(const wedge_device *dev, uint64_t pairs) {
    uint64_t most = dev->info.is_gpu ? STORE_GPU : STORE_CACHED;
    return pairs < most / sizeof(float) ? pairs * sizeof(float) : most;
}

/* NEIGHBOURS / n is the volume of a ball in d dimensions; points near a face have fewer. */
double sinks_radius(uint64_t n, uint32_t d) {
    double ball = pow(acos(-1), d / 2.0) / tgamma(d / 2.0 + 1);
    return pow(NEIGHBOURS / ((double)n * ball), 1.0 / d);
}

void sinks_ask(const sink_wish *wish, wedge_parameter parameters[5], wedge_job_spec *pairs) {
    size_t count = 0;
    if (wish->within)
        parameters[count++] = (wedge_parameter)WEDGE_NUMBER("radius", sinks_radius(pairs->n, (uint32_t)pairs->d));
    for (int k = 0; k < 4 && wish->parameters[k].name; ++k) parameters[count++] = wish->parameters[k];
    pairs->sink = wish->sink, pairs->sink_parameters = parameters, pairs->sink_parameter_count = count;
    pairs->prune = wish->pruned ? WEDGE_PRUNE_ALWAYS : WEDGE_PRUNE_NEVER; /* rates are of all pairs */
    pairs->parameters = &wish->of_op, pairs->parameter_count = wish->of_op.name ? 1 : 0;
}

wedge_status sinks_run(runner *r, uint64_t begin, uint64_t end, sink_answer *answer) {
    wedge_result result = {.size = sizeof result};
    if (is(r, "count")) result.values = answer->counts;
    if (is(r, "histogram")) result.values = answer->counts;
    if (is(r, "summary")) result.values = &answer->summary, answer->summary.size = sizeof answer->summary;
    if (is(r, "select")) result.indices = r->list, result.room = r->room, result.place = WEDGE_ON_DEVICE;
    wedge_status status = wedge_job_run(r->job, begin, end, &result, NULL, NULL);
    answer->count = result.count;
    return status;
}

wedge_status sinks_make_list(lab *l, runner *r) {
    sink_answer answer;
    WEDGE_TRY(sinks_run(r, 0, wedge_job_get_info(r->job)->cells, &answer));
    r->room = answer.count;
    return wedge_memory_create(l->dev, (answer.count ? answer.count : 1) * PAIR_BYTES, &r->list);
}

void sinks_add_how(bench_row *row, const char *format, ...) {
    size_t length = strlen(row->how);
    va_list args;
    va_start(args, format);
    vsnprintf(row->how + length, sizeof row->how - length, format, args);
    va_end(args);
}

wedge_status sinks_ready(lab *l, const arena *a, runner *r) {
    bench_row *row = &r->row;
    uint64_t cells = wedge_job_get_info(r->job)->cells, room = a->out.bytes / sizeof(float);
    bool gpu = l->dev->info.is_gpu;
    row->cells = cells, row->bytes = 0;
    if (is(r, "store")) {
        if (gpu && cells > room) row->cells = room;
        if (gpu) row->bytes = (double)row->cells * sizeof(float); /* elsewhere it stays in the cache */
        sinks_add_how(row, "; %.3g MB %s", (double)a->out.bytes / 1e6,
                      gpu ? "of its result" : "at a time, in the cache");
    }
    row->flops = 3.0 * r->engine->d * (double)row->cells;
    if (r->sink->within) sinks_add_how(row, "; radius %.3g", sinks_radius(a->n, r->engine->d));
    if (!is(r, "select")) return WEDGE_OK;
    sinks_add_how(row, ", list in %s memory", l->dev->backend->compile ? "device" : "host");
    return sinks_make_list(l, r);
}

/* Ranges that end with rows of tiles where they can, as those of a result that is larger than memory. */
static wedge_status store_ranges(lab *l, const arena *a, runner *r) {
    uint64_t most = a->out.bytes / sizeof(float);
    for (uint64_t at = 0, to; at < r->row.cells; at = to) {
        to = domain_cut(&r->job->domain, at, r->row.cells, most, r->job->path->rows(r->job));
        WEDGE_TRY(job_range(r->job, l->queue, at, to, &a->out, 0, NULL));
    }
    return WEDGE_OK;
}

bool sinks_wait(const runner *r) { return r->sink && !is(r, "store"); }

wedge_status sinks_launch(lab *l, const arena *a, runner *r) {
    sink_answer answer;
    if (is(r, "store")) return store_ranges(l, a, r);
    return sinks_run(r, 0, wedge_job_get_info(r->job)->cells, &answer);
}

void sinks_free(lab *l, runner *r) {
    wedge_memory_destroy(l->dev, r->list);
    r->list = NULL;
}
