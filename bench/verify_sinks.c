/* verify_sinks.c: what sinks find, against plain loops over the same points in double precision.
 *
 * A value that is closer to a radius or an edge than it is known may fall on either side: so each count must lie between
 * two, least and most. Few values are that close: a leaf that is lost or taken twice shows. Where all cells would take too
 * long, some rows are run and compared one by one, and the whole must have as many cells as there are; `select` must find
 * as many as `count`.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/lab.h"
#include "bench/truth.h"
#include "core/random.h"
#include "engine/base/path.h"

enum { ROWS_CHECKED = 16, EVERY_CELL = 1 << 20, VALUES_CHECKED = 1 << 18 };

/* Rows [first, end) of condensed order: row i has the pairs (i, j), j > i. */
typedef struct {
    uint64_t first, end;
} row_range;

static bool is(const runner *r, const char *sink) { return !strcmp(r->sink->sink, sink); }

static uint64_t row_start(uint64_t n, uint64_t i) { return i * (2 * n - i - 1) / 2; }

static truth truth_of(const runner *r, uint64_t n, row_range rows) {
    truth t = truth_begin(r, n);
    bool histogram = is(r, "histogram");
    for (uint64_t i = rows.first; i < rows.end; ++i)
        for (uint64_t j = i + 1; j < n; ++j) truth_tell(&t, engine_true_distance(r, i, j), histogram);
    return t;
}

/* ---- Each sink ---- */

static void check_summary(runner *r, const truth *t, const wedge_summary *s) {
    truth_check_between(&r->row, "cells of the summary", s->count, (between){t->cells, t->cells});
    truth_check_value(r, "the sum", s->sum, t->sum, 8 * t->slack); /* leaves are added in f32 */
    truth_check_value(r, "the smallest value", s->min, t->min, t->slack);
    truth_check_value(r, "the largest value", s->max, t->max, t->slack);
    if (r->row.status != ROW_OK) return;
    truth_check_value(r, "the smallest value's pair", engine_true_distance(r, s->min_i, s->min_j), t->min, t->slack);
    truth_check_value(r, "the largest value's pair", engine_true_distance(r, s->max_i, s->max_j), t->max, t->slack);
}

static wedge_status read_list(lab *l, runner *r, uint64_t n, uint64_t count, between *found) {
    int64_t *pairs = malloc((count ? count : 1) * 2 * sizeof *pairs);
    WEDGE_CHECK(pairs, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status = wedge_memory_read(l->dev, pairs, r->list, 0, count * 2 * sizeof *pairs);
    if (!status) truth_check_list(r, n, pairs, count, found);
    free(pairs);
    return status;
}

static wedge_status verify_rows(lab *l, uint64_t n, runner *r, row_range rows) {
    sink_answer answer;
    between found;
    WEDGE_TRY(sinks_run(r, row_start(n, rows.first), row_start(n, rows.end), &answer));
    truth t = truth_of(r, n, rows);
    if (is(r, "summary")) check_summary(r, &t, &answer.summary);
    if (is(r, "histogram")) truth_check_counts(r, &t, answer.counts);
    if (r->sink->within) truth_check_between(&r->row, "pairs within the radius", answer.count, t.within);
    if (!is(r, "select") || r->row.status != ROW_OK) return WEDGE_OK;
    WEDGE_TRY(read_list(l, r, n, answer.count, &found));
    truth_check_between(&r->row, "pairs of the list surely within the radius", found.least,
                        (between){t.within.least, t.within.least});
    return WEDGE_OK;
}

/* ---- The whole ---- */

static wedge_status count_within(lab *l, const runner *r, uint64_t n, double radius, uint64_t *count) {
    const engine_wish *w = r->engine;
    wedge_parameter given = WEDGE_NUMBER("radius", radius);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = w->op, .layout = w->layout, .dtype = w->dtype};
    wedge_result result = {.size = sizeof result};
    wedge_job *job = NULL;
    pairs.n = n, pairs.d = w->d, pairs.points = r->points, pairs.prune = WEDGE_PRUNE_NEVER;
    pairs.sink = "count", pairs.sink_parameters = &given, pairs.sink_parameter_count = 1;
    WEDGE_TRY(wedge_job_create(l->dev, &pairs, &job));
    wedge_status status = wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &result, NULL, NULL);
    *count = result.count;
    wedge_job_destroy(job);
    return status;
}

static wedge_status verify_whole(lab *l, uint64_t n, runner *r) {
    const uint64_t cells = row_start(n, n - 1);
    uint64_t all = 0, counted = cells;
    sink_answer answer;
    between found;
    WEDGE_TRY(sinks_run(r, 0, cells, &answer));
    if (is(r, "summary")) all = answer.summary.count;
    for (int c = 0; c < LAB_BINS + 3 && is(r, "histogram"); ++c) all += answer.counts[c];
    if (is(r, "count")) /* no value is larger: the unit box */
        WEDGE_TRY(count_within(l, r, n, r->engine->d, &all));
    if (is(r, "select")) {
        all = answer.count;
        WEDGE_TRY(count_within(l, r, n, sinks_radius(n, r->engine->d), &counted));
    }
    truth_check_between(&r->row, is(r, "select") ? "pairs of the whole" : "cells of the whole", all,
                        (between){counted, counted});
    return is(r, "select") ? read_list(l, r, n, answer.count, &found) : WEDGE_OK;
}

/* Values at positions [begin, end), of a range that begins at `from`. */
static wedge_status verify_values(lab *l, const arena *a, runner *r, uint64_t from, uint64_t begin, uint64_t end) {
    float *values = malloc((size_t)(end - begin) * sizeof *values);
    uint64_t i = 0;
    WEDGE_CHECK(values, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status =
        lab_read(l, values, &a->out, (size_t)(begin - from) * sizeof *values, (size_t)(end - begin) * sizeof *values);
    for (uint64_t p = begin; p < end && !status && r->row.status == ROW_OK; ++p) {
        while (row_start(a->n, i + 1) <= p) ++i;
        uint64_t j = i + 1 + (p - row_start(a->n, i));
        truth_check_value(r, "a distance", (double)values[p - begin], engine_true_distance(r, i, j),
                          engine_tolerance(r->engine));
    }
    free(values);
    return status;
}

/* The first values and the last of what is timed: the last range is still there. */
static wedge_status verify_store(lab *l, const arena *a, runner *r) {
    const backend *b = l->dev->backend;
    uint64_t cells = r->row.cells, room = a->out.bytes / sizeof(float),
             some = room < VALUES_CHECKED ? room : VALUES_CHECKED;
    uint64_t last = 0;
    for (uint64_t to = 0; to < cells;) {
        last = to;
        to = domain_cut(&r->job->domain, last, cells, room, r->job->path->rows(r->job));
    }
    WEDGE_TRY(b->fill(l->dev, l->queue, &a->out, 0, a->out.bytes, 0xFF));
    WEDGE_TRY(sinks_launch(l, a, r));
    WEDGE_TRY(verify_values(l, a, r, last, cells - last > some ? cells - some : last, cells));
    WEDGE_TRY(b->fill(l->dev, l->queue, &a->out, 0, a->out.bytes, 0xFF));
    WEDGE_TRY(job_range(r->job, l->queue, 0, some, &a->out, 0, NULL));
    return verify_values(l, a, r, 0, 0, some);
}

static wedge_status verify_leaves(lab *l, const arena *a, runner *r) {
    uint64_t rows = a->n - 1, some[] = {0, rows - 1, rows / 2, rows / 3};
    if (rows * rows <= EVERY_CELL) WEDGE_TRY(verify_rows(l, a->n, r, (row_range){0, rows}));
    for (uint32_t k = 0; k < ROWS_CHECKED && rows * rows > EVERY_CELL && r->row.status == ROW_OK; ++k) {
        uint32_t random = wedge_philox((wedge_random4){{k, 0, 0, 3}}, (uint32_t)rows, 0).v[0];
        uint64_t row = k < 4 ? some[k] : random % rows;
        WEDGE_TRY(verify_rows(l, a->n, r, (row_range){row, row + 1}));
    }
    return r->row.status == ROW_OK ? verify_whole(l, a->n, r) : WEDGE_OK;
}

wedge_status sinks_verify(lab *l, const arena *a, runner *r) {
    WEDGE_TRY(sinks_wait(r) ? verify_leaves(l, a, r) : verify_store(l, a, r));
    r->row.verified = r->row.status == ROW_OK;
    return WEDGE_OK;
}
