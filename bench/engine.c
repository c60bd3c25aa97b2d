/* engine.c: the engine as a row of the lab: a job that runs on the lab's queue into the group's memory, in the same
 * rounds as the maps, and is verified before that.
 *
 * What verifies it shares nothing with the engine: where rows lie is counted here, distances are plain sums in double
 * precision, every cell must have been written, and in a square nothing above the diagonal.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lab.h"
#include "core/random.h"
#include "engine/base/job.h"

enum { ROWS_CHECKED = 16, EVERY_ROW = 1 << 25 }; /* every row where there are no more features of cells than this */
enum { TOUCHED = 6 };

static size_t size_of(const engine_wish *w) { return w->dtype == WEDGE_F64 ? sizeof(double) : sizeof(float); }

double engine_number(const void *numbers, wedge_dtype dtype, uint64_t k) {
    return dtype == WEDGE_F64 ? ((const double *)numbers)[k] : (double)((const float *)numbers)[k];
}

/* ---- The job ---- */

bool engine_spheres(const engine_wish *w) { return !strcmp(w->op, "spheres"); }

/* The mean of (r + r')^3 is 1.5 of the largest radius to the third, where radii are uniform. */
double engine_largest(uint64_t n) { return cbrt(TOUCHED / ((double)n * (4.0 / 3.0) * acos(-1) * 1.5)); }

void *engine_points(const engine_wish *w, uint64_t n) {
    void *points = malloc((size_t)n * w->d * size_of(w));
    bool triples = w->layout == WEDGE_TRIPLES;
    float largest = engine_spheres(w) ? (float)engine_largest(n) : 1, box = triples ? (float)atoms_box(n) : 1;
    for (uint64_t k = 0; k < n * w->d && points; ++k) {
        wedge_random4 r = wedge_philox((wedge_random4){{(uint32_t)k, (uint32_t)(k >> 32), 0, 0}}, 2026, 13);
        if (w->dtype == WEDGE_F64 && triples) /* the atoms of f32: their truth takes long */
            ((double *)points)[k] = (double)(wedge_random_float(r.v[0]) * box);
        else if (w->dtype == WEDGE_F64)
            ((double *)points)[k] = (double)wedge_random_float(r.v[0]) + 1e-8 * (double)wedge_random_float(r.v[1]);
        else
            ((float *)points)[k] = wedge_random_float(r.v[0]) * ((k + 1) % w->d ? 1 : largest) * box;
    }
    return points;
}

wedge_status engine_prepare(lab *l, const arena *a, runner *r) {
    const engine_wish *w = r->engine;
    bench_row *row = &r->row;
    r->points = engine_points(w, a->n);
    WEDGE_CHECK(r->points, &l->dev->note, WEDGE_NO_MEMORY, "no memory for %" PRIu64 " points", a->n);
    if (a->experiment->tasks) WEDGE_TRY(tasks_put_points(l, a, r));
    wedge_parameter parameters[5];
    wedge_job_spec pairs = {.size = sizeof pairs,
                            .op = w->op,
                            .layout = w->layout,
                            .dtype = w->dtype,
                            .n = a->n,
                            .d = w->d,
                            .points = r->there ? r->there : r->points,
                            .place = r->there ? WEDGE_ON_DEVICE : WEDGE_ON_HOST};
    if (r->sink) sinks_ask(r->sink, parameters, &pairs);
    if (r->sink && r->sink->cutoff > 0)
        pairs.cutoff = r->sink->cutoff * atoms_box(a->n), pairs.prune = WEDGE_PRUNE_AUTO;
    double start = clock_now();
    WEDGE_TRY(wedge_job_create(l->dev, &pairs, &r->job));
    if (l->dev->backend->compile) row->compile = clock_now() - start;
    const wedge_job_info *info = wedge_job_get_info(r->job);
    snprintf(row->how, sizeof row->how, "%s, tile %u, %s%s%s", info->map, info->tile, info->tuning,
             *info->isa ? " " : "", info->isa);
    row->cells = w->layout == WEDGE_LOWER ? wedge_tri64(a->n) : info->cells;
    row->bytes = (double)row->cells * (double)size_of(w);
    row->flops = 3.0 * w->d * (double)row->cells;
    if (a->experiment->tasks) return tasks_ready(l, a, r);
    return r->sink ? sinks_ready(l, a, r) : WEDGE_OK;
}

wedge_status engine_launch(lab *l, const arena *a, runner *r) {
    uint64_t count;
    if (a->experiment->tasks) return tasks_run(r, &count);
    if (r->sink) return sinks_launch(l, a, r);
    return job_range(r->job, l->queue, 0, wedge_job_get_info(r->job)->cells, &a->out, 0, NULL);
}

void engine_free(lab *l, runner *r) {
    sinks_free(l, r);
    tasks_free(l, r);
    wedge_job_destroy(r->job);
    free(r->points);
    r->job = NULL;
    r->points = NULL;
}

/* ---- Verification ---- */

/* Where a row of the output begins, its first column, how many it has, and how many places (a square's are more). */
typedef struct {
    uint64_t start, first, count, wide;
} row_place;

static row_place place_of(wedge_layout layout, uint64_t n, uint64_t i) {
    if (layout == WEDGE_CONDENSED) return (row_place){i * (n - 1) - i * (i - (i > 0)) / 2, i + 1, n - 1 - i, n - 1 - i};
    if (layout == WEDGE_PACKED) return (row_place){i * (i + 1) / 2, 0, i + 1, i + 1};
    return (row_place){i * n, 0, i + 1, n};
}

double engine_true_distance(const runner *r, uint64_t i, uint64_t j) {
    const engine_wish *w = r->engine;
    double sum = 0;
    for (uint64_t f = 0; f < w->d; ++f) {
        double x = engine_number(r->points, w->dtype, i * w->d + f) - engine_number(r->points, w->dtype, j * w->d + f);
        sum += x * x;
    }
    return sqrt(sum);
}

/* Relative: each feature rounds its sum once, and its difference counts twice; the root halves all that and rounds.
 * Doubled, for a reference that rounds as often (f64) and roots of three units in the last place. */
double engine_tolerance(const engine_wish *w) { return (w->d + 12.0) * (w->dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24); }

static wedge_status verify_row(lab *l, const arena *a, runner *r, uint64_t i, void *values) {
    const engine_wish *w = r->engine;
    row_place p = place_of(w->layout, a->n, i);
    size_t size = size_of(w);
    WEDGE_TRY(lab_read(l, values, &a->out, (size_t)p.start * size, (size_t)p.wide * size));
    for (uint64_t c = 0; c < p.count && r->row.status == ROW_OK; ++c) {
        double want = engine_true_distance(r, i, p.first + c), got = engine_number(values, w->dtype, c);
        if (!(fabs(got - want) <= engine_tolerance(w) * want))
            fail_row(&r->row, "distance (%" PRIu64 ", %" PRIu64 ") is %.9g, should be %.9g", i, p.first + c, got, want);
    }
    for (uint64_t c = p.count; c < p.wide && r->row.status == ROW_OK; ++c)
        if (((const uint32_t *)values)[c] != UINT32_MAX)
            fail_row(&r->row, "cell (%" PRIu64 ", %" PRIu64 ") above the diagonal was written", i, c);
    return WEDGE_OK;
}

/* A condensed result fills its memory as a packed one of a point less does. */
static wedge_status count_unwritten(lab *l, const arena *a, const runner *r, uint64_t *left) {
    const engine_wish *w = r->engine;
    uint32_t side = (uint32_t)(w->layout == WEDGE_CONDENSED ? a->n - 1 : a->n);
    if (w->dtype == WEDGE_F32) return lab_unwritten(l, &a->out, side, w->layout != WEDGE_LOWER, left);
    const uint64_t *words = a->out.host;
    WEDGE_CHECK(words, &l->dev->note, WEDGE_UNSUPPORTED, "f64 is verified on the cpu alone");
    *left = 0;
    for (uint64_t k = 0; k < r->row.cells; ++k) *left += words[k] == UINT64_MAX;
    return WEDGE_OK;
}

static wedge_status verify_rows(lab *l, const arena *a, runner *r) {
    uint64_t rows = r->engine->layout == WEDGE_CONDENSED ? a->n - 1 : a->n;
    bool every = (double)a->n * (double)a->n * r->engine->d <= EVERY_ROW;
    uint64_t some[] = {0, rows - 1, rows / 2, rows / 3}, count = every ? rows : ROWS_CHECKED;
    void *values = malloc((size_t)a->n * size_of(r->engine));
    WEDGE_CHECK(values, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status = WEDGE_OK;
    for (uint32_t k = 0; k < count && !status && r->row.status == ROW_OK; ++k) {
        uint32_t random = wedge_philox((wedge_random4){{k, 0, 0, 2}}, (uint32_t)rows, 0).v[0];
        status = verify_row(l, a, r, every ? k : k < 4 ? some[k] : random % rows, values);
    }
    free(values);
    return status;
}

wedge_status engine_verify(lab *l, const arena *a, runner *r) {
    const backend *b = l->dev->backend;
    uint64_t left = 0;
    if (a->experiment->tasks) return tasks_verify(l, a, r);
    if (r->sink) return sinks_verify(l, a, r);
    WEDGE_TRY(b->fill(l->dev, l->queue, &a->out, 0, a->out.bytes, 0xFF));
    WEDGE_TRY(engine_launch(l, a, r));
    WEDGE_TRY(b->wait(l->dev, l->queue));
    WEDGE_TRY(count_unwritten(l, a, r, &left));
    if (left) fail_row(&r->row, "%" PRIu64 " cells were not written", left);
    if (!left) WEDGE_TRY(verify_rows(l, a, r));
    r->row.verified = r->row.status == ROW_OK;
    return WEDGE_OK;
}
