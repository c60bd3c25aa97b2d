/* pairs_problem.h: points, and an op over them, with an oracle that is apart from the ops' own text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_PAIRS_PROBLEM_H
#define WEDGE_TESTS_PAIRS_PROBLEM_H

#include <math.h>

#include "core/random.h"
#include "devices.h"
#include "engine/job.h"
#include "wedge/map.h"

enum { MOST_N = 300 };

typedef struct {
    wedge_pairs pairs;
    void *points;
} problem;

/* Parameters, where an op has some: other values than the initial ones. */
static const struct {
    const char *op;
    size_t count;
    wedge_parameter given[2];
} chosen[] = {
    {"minkowski", 1, {{.name = "p", .value = 1.5}}},
};

static inline void choose_parameters(wedge_pairs *pairs) {
    pairs->parameters = NULL, pairs->parameter_count = 0;
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; ++k)
        if (!strcmp(chosen[k].op, pairs->op->name))
            pairs->parameters = chosen[k].given, pairs->parameter_count = chosen[k].count;
}

/* A parameter's value: the one given. */
static inline double parameter(const wedge_pairs *pairs, const char *name) {
    for (size_t k = 0; k < pairs->parameter_count; ++k)
        if (!strcmp(pairs->parameters[k].name, name)) return pairs->parameters[k].value;
    fail_msg("%s: no value of %s", pairs->op->name, name);
    return 0;
}

/* Numbers with many zeros and equals among them, as floats so that both kinds hold the same. */
static problem make_problem(const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n, uint64_t d) {
    problem p = {.pairs = {.op = wedge_op_find(op), .layout = layout, .dtype = dtype, .n = n, .d = d}};
    assert_non_null(p.pairs.op);
    choose_parameters(&p.pairs);
    if (layout == WEDGE_RECTANGLE) p.pairs.m = n % 2 ? 2 * n + 1 : n / 2 + 1;
    p.points = malloc((n + p.pairs.m) * d * 8);
    uint32_t state = 12345;
    for (uint64_t k = 0; k < (n + p.pairs.m) * d; ++k) {
        state = state * 1664525u + 1013904223u;
        float x = state >> 29 ? (float)(int)(state >> 16 & 1023) / 64.0f - 8.0f : 0.0f;
        if (dtype == WEDGE_F64)
            ((double *)p.points)[k] = x;
        else
            ((float *)p.points)[k] = x;
    }
    p.pairs.points = p.points;
    p.pairs.others = (char *)p.points + n * d * (dtype == WEDGE_F64 ? 8 : 4); /* of a rectangle */
    return p;
}

static double at(const problem *p, uint64_t x, uint64_t f) {
    uint64_t k = x * p->pairs.d + f;
    return p->pairs.dtype == WEDGE_F64 ? ((double *)p->points)[k] : ((float *)p->points)[k];
}

static void mean_of(const problem *p, uint64_t x, bool centre, double *mean, double *length) {
    double sum = 0, squares = 0;
    for (uint64_t f = 0; f < p->pairs.d; ++f) sum += at(p, x, f);
    *mean = centre ? sum / (double)p->pairs.d : 0;
    for (uint64_t f = 0; f < p->pairs.d; ++f) squares += (at(p, x, f) - *mean) * (at(p, x, f) - *mean);
    *length = sqrt(squares);
}

/* Written from the definitions, apart from the ops' own text. */
static double oracle(const problem *p, uint64_t i, uint64_t j) {
    const char *op = p->pairs.op->name;
    double sum = 0, under = 0, most = 0, d = (double)p->pairs.d, mi, mj, li, lj;
    bool correlation = !strcmp(op, "correlation");
    mean_of(p, i, correlation, &mi, &li);
    mean_of(p, j, correlation, &mj, &lj);
    for (uint64_t f = 0; f < p->pairs.d; ++f) {
        double a = at(p, i, f), b = at(p, j, f), t = fabs(a - b);
        most = fmax(most, t);
        if (!strcmp(op, "euclidean") || !strcmp(op, "sqeuclidean")) sum += t * t;
        if (!strcmp(op, "cityblock")) sum += t;
        if (!strcmp(op, "minkowski")) sum += pow(t, parameter(&p->pairs, "p"));
        if (!strcmp(op, "canberra")) sum += t > 0 ? t / (fabs(a) + fabs(b)) : 0;
        if (!strcmp(op, "braycurtis")) sum += t, under += fabs(a + b);
        if (!strcmp(op, "cosine") || correlation) sum += (a - mi) * (b - mj);
        if (!strcmp(op, "hamming")) sum += a != b;
        if (!strcmp(op, "jaccard")) sum += a != b, under += a != 0 || b != 0;
        if (!strcmp(op, "dot")) sum += a * b;
    }
    if (!strcmp(op, "euclidean")) return sqrt(sum);
    if (!strcmp(op, "minkowski")) return pow(sum, 1 / parameter(&p->pairs, "p"));
    if (!strcmp(op, "chebyshev")) return most;
    if (!strcmp(op, "braycurtis")) return sum / under;
    if (!strcmp(op, "cosine") || correlation) return 1 - sum / (li * lj);
    if (!strcmp(op, "hamming")) return sum / d;
    if (!strcmp(op, "jaccard")) return under > 0 ? sum / under : 0;
    return sum;
}

static void check_values(const problem *p, const void *values) {
    const wedge_pairs *q = &p->pairs;
    domain l = {domain_find(q->layout), q->n, domain_find(q->layout)->two_sets ? q->m : q->n};
    double unit = q->dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24, bound = 4.0 * ((double)q->d + 32) * unit;
    for (uint64_t row = 0; row < l.kind->rows(&l); ++row) {
        columns c = l.kind->columns(&l, row);
        for (uint64_t column = c.first; column <= c.last; ++column) {
            uint64_t k = l.kind->start(&l, row) + column - c.first;
            double got = q->dtype == WEDGE_F64 ? ((const double *)values)[k] : ((const float *)values)[k];
            double want = oracle(p, row, column + (l.kind->two_sets ? q->n : 0));
            bool fine = got == want || fabs(got - want) <= bound * fmax(fabs(want), 1) || (isnan(got) && isnan(want));
            if (!fine)
                fail_msg("%s layout %d dtype %d n %d d %d, row %d column %d: %.17g, not %.17g", q->op->name,
                         (int)q->layout, (int)q->dtype, (int)q->n, (int)q->d, (int)row, (int)column, got, want);
        }
    }
}

static inline void *run_job(wedge_device *dev, wedge_job *job, uint64_t *bytes) { /* and ends it */
    *bytes = wedge_job_get_info(job)->bytes;
    char *out = malloc(*bytes + 1);
    memset(out, 0x5A, *bytes);
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, out, WEDGE_ON_HOST, NULL, NULL));
    wedge_job_destroy(job);
    return out;
}

static inline void *run_whole(wedge_device *dev, const wedge_pairs *pairs, uint64_t *bytes) {
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, pairs, &job));
    return run_job(dev, job, bytes);
}

static inline void one_op(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n,
                          uint64_t d) {
    problem p = make_problem(op, layout, dtype, n, d);
    uint64_t bytes;
    void *values = run_whole(dev, &p.pairs, &bytes);
    check_values(&p, values);
    free(values);
    free(p.points);
}

#endif
