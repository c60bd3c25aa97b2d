/* pairs_problem.h: points, and an op over them, with an oracle that is apart from the ops' own text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_PAIRS_PROBLEM_H
#define WEDGE_TESTS_PAIRS_PROBLEM_H

#include <math.h>

#include "core/random.h"
#include "devices.h"
#include "engine/base/job.h"
#include "wedge/map.h"

enum { MOST_N = 300 };

typedef struct {
    wedge_job_spec pairs;
    void *points;
    const char *data; /* what the points are like, for messages; NULL: as make_problem leaves them */
} problem;

/* Parameters, where an op has some: other values than the initial ones. */
static const struct {
    const char *op;
    size_t count;
    wedge_parameter given[2];
} chosen[] = {
    {"minkowski", 1, {WEDGE_NUMBER("p", 1.5)}},
    {"gaussian", 1, {WEDGE_NUMBER("sigma", 5)}},
    {"haversine", 1, {WEDGE_NUMBER("radius", 6371)}},
    {"gravity", 2, {WEDGE_NUMBER("g", 2.5), WEDGE_NUMBER("softening", 0.125)}},
    {"lennard_jones", 2, {WEDGE_NUMBER("sigma", 3), WEDGE_NUMBER("epsilon", 0.5)}},
};

static inline void choose_parameters(wedge_job_spec *pairs) {
    pairs->parameters = NULL, pairs->parameter_count = 0;
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; ++k)
        if (!strcmp(chosen[k].op, pairs->op))
            pairs->parameters = chosen[k].given, pairs->parameter_count = chosen[k].count;
}

/* A parameter's value: the one given. */
static inline double parameter(const wedge_job_spec *pairs, const char *name) {
    for (size_t k = 0; k < pairs->parameter_count; ++k)
        if (!strcmp(pairs->parameters[k].name, name)) return pairs->parameters[k].value;
    fail_msg("%s: no value of %s", pairs->op, name);
    return 0;
}

/* d, or what the op takes instead: the largest of its records that is not larger, else its smallest. */
static inline uint64_t fitting(const char *op, uint64_t d) {
    uint32_t records = op_find(op)->records;
    uint64_t fit = d < MOST_RECORD ? d : MOST_RECORD;
    if (!records) return d;
    while (fit && !(records >> fit & 1)) --fit;
    if (fit) return fit;
    while (!(records >> fit & 1)) ++fit;
    return fit;
}

/* Latitudes end at the poles. */
static inline double in_range(const char *op, uint64_t f, double number) {
    return op_find(op)->angles && !f ? remainder(number, 3) : number;
}

/* Numbers with many zeros and equals among them, as floats so that both kinds hold the same. */
static problem make_problem(const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n, uint64_t d) {
    problem p = {.pairs = {.size = sizeof p.pairs, .op = op, .layout = layout, .dtype = dtype, .n = n, .d = d}};
    assert_non_null(wedge_op_find(op));
    p.pairs.overflow = WEDGE_OVERFLOW_ACCEPTED; /* what is refused is for t409 */
    choose_parameters(&p.pairs);
    if (layout == WEDGE_RECTANGLE) p.pairs.m = n % 2 ? 2 * n + 1 : n / 2 + 1;
    p.points = malloc((n + p.pairs.m) * d * 8);
    uint32_t state = 12345;
    for (uint64_t k = 0; k < (n + p.pairs.m) * d; ++k) {
        state = state * 1664525u + 1013904223u;
        float x = state >> 29 ? (float)(int)(state >> 16 & 1023) / 64.0f - 8.0f : 0.0f;
        x = (float)in_range(op, k % d, x);
        if (dtype == WEDGE_F64)
            ((double *)p.points)[k] = x;
        else
            ((float *)p.points)[k] = x;
    }
    p.pairs.points = p.points;
    p.pairs.others = (char *)p.points + n * d * (dtype == WEDGE_F64 ? 8 : 4); /* of a rectangle */
    return p;
}

/* n rows, `stride` numbers apart from number `front` on, as NaN everywhere else, and not a byte more. */
static inline void *spread(const void *rows, uint64_t n, uint64_t d, uint64_t stride, uint64_t front, size_t size,
                           size_t *bytes) {
    *bytes = (front + (n - 1) * stride + d) * size;
    char *all = malloc(*bytes);
    memset(all, 0xFF, *bytes);
    for (uint64_t x = 0; x < n; ++x)
        memcpy(all + (front + x * stride) * size, (const char *)rows + x * d * size, d * size);
    return all;
}

static inline void set_number(problem *p, uint64_t x, uint64_t f, double number) {
    uint64_t k = x * p->pairs.d + f;
    if (p->pairs.dtype == WEDGE_F64)
        ((double *)p->points)[k] = number;
    else
        ((float *)p->points)[k] = (float)number;
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

/* Of direct ops. size: what the error of a value is a share of. */
static double direct_oracle(const problem *p, uint64_t i, uint64_t j, double *size) {
    const char *op = p->pairs.op;
    uint64_t d = p->pairs.d;
    double square = 0, gap = -INFINITY;
    bool last_is_none = !strcmp(op, "spheres") || !strcmp(op, "gravity"); /* coordinate */
    for (uint64_t f = 0; f < (last_is_none ? d - 1 : d); ++f) square += pow(at(p, i, f) - at(p, j, f), 2);
    *size = 1;
    if (!strcmp(op, "displacement")) return sqrt(square);
    if (!strcmp(op, "gravity"))
        return -parameter(&p->pairs, "g") * at(p, i, 3) * at(p, j, 3) /
               sqrt(square + pow(parameter(&p->pairs, "softening"), 2));
    if (!strcmp(op, "spheres")) return sqrt(square) - (at(p, i, d - 1) + at(p, j, d - 1));
    if (!strcmp(op, "boxes")) {
        for (uint64_t f = 0; f < d / 2; ++f) {
            gap = fmax(gap, at(p, i, f) - at(p, j, f + d / 2));
            gap = fmax(gap, at(p, j, f) - at(p, i, f + d / 2));
        }
        return gap;
    }
    if (!strcmp(op, "lennard_jones")) {
        double epsilon = parameter(&p->pairs, "epsilon"), s6 = pow(parameter(&p->pairs, "sigma"), 6) / pow(square, 3);
        *size = 4 * epsilon * (s6 * s6 + s6);
        return square > 0 ? 4 * epsilon * (s6 * s6 - s6) : INFINITY;
    }
    /* haversine, by the chord between points of a sphere. An angle is as good as t, the square of half the chord, allows: badly
     * known near the antipodes, and where latitudes beyond the poles make a difference of it. */
    double radius = parameter(&p->pairs, "radius"), unit = p->pairs.dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24;
    long double square_of_half = 0;
    double a = at(p, i, 0), b = at(p, j, 0), e = at(p, i, 1), g = at(p, j, 1);
    long double u[] = {cosl(a) * cosl(e), cosl(a) * sinl(e), sinl(a)};
    long double v[] = {cosl(b) * cosl(g), cosl(b) * sinl(g), sinl(b)};
    for (int k = 0; k < 3; ++k) square_of_half += (u[k] - v[k]) * (u[k] - v[k]) / 4;
    double t = (double)square_of_half;
    double terms = pow(sin((a - b) / 2), 2) + fabs(cos(a) * cos(b)) * pow(sin((e - g) / 2), 2);
    *size = radius * terms / sqrt(fmax(t, unit * terms) * fmax(1 - t, unit));
    return radius * 2 * asin(fmin(1, sqrt(t)));
}

/* Written from the definitions, apart from the ops' own text. */
static double oracle_of(const problem *p, uint64_t i, uint64_t j, double *size) {
    const char *op = p->pairs.op;
    if (op_find(op)->records) return direct_oracle(p, i, j, size);
    *size = 1;
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
        if (!strcmp(op, "jaccard")) sum += (a != 0) != (b != 0), under += a != 0 || b != 0;
        if (!strcmp(op, "dot")) sum += a * b;
        if (!strcmp(op, "gaussian")) sum += t * t;
        if (!strcmp(op, "lorentzian")) sum += log1p(t);
    }
    if (!strcmp(op, "gaussian")) return exp(-sum / (2 * pow(parameter(&p->pairs, "sigma"), 2)));
    if (!strcmp(op, "euclidean")) return sqrt(sum);
    if (!strcmp(op, "minkowski")) return pow(sum, 1 / parameter(&p->pairs, "p"));
    if (!strcmp(op, "chebyshev")) return most;
    if (!strcmp(op, "braycurtis")) return sum / under;
    if (!strcmp(op, "cosine") || correlation) return 1 - sum / (li * lj);
    if (!strcmp(op, "hamming")) return sum / d;
    if (!strcmp(op, "jaccard")) return under > 0 ? sum / under : 0;
    return sum;
}

static inline double oracle(const problem *p, uint64_t i, uint64_t j) {
    double size;
    return oracle_of(p, i, j, &size);
}

/* Values of a pair. */
static inline uint64_t values_each(const problem *p) { return wedge_op_find(p->pairs.op)->values; }

/* The first of every pair, where there are several. */
static void check_values(const problem *p, const void *values) {
    const wedge_job_spec *q = &p->pairs;
    domain l = {domain_find(q->layout), q->n, domain_find(q->layout)->two_sets ? q->m : q->n};
    double unit = q->dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24, bound = 4.0 * ((double)q->d + 32) * unit;
    for (uint64_t row = 0; row < l.kind->rows(&l); ++row) {
        columns c = l.kind->columns(&l, row);
        for (uint64_t column = c.first; column <= c.last; ++column) {
            uint64_t k = (l.kind->start(&l, row) + column - c.first) * values_each(p);
            double got = q->dtype == WEDGE_F64 ? ((const double *)values)[k] : ((const float *)values)[k];
            double size, want = oracle_of(p, row, column + (l.kind->two_sets ? q->n : 0), &size);
            bool fine =
                got == want || fabs(got - want) <= bound * fmax(fabs(want), size) || (isnan(got) && isnan(want));
            if (!fine)
                fail_msg("%s layout %d dtype %d n %d d %d, row %d column %d: %.17g, not %.17g", q->op, (int)q->layout,
                         (int)q->dtype, (int)q->n, (int)q->d, (int)row, (int)column, got, want);
        }
    }
}

static inline void *run_job(wedge_device *dev, wedge_job *job, uint64_t *bytes) { /* and ends it */
    *bytes = wedge_job_get_info(job)->bytes;
    char *out = malloc(*bytes + 1);
    memset(out, 0x5A, *bytes);
    assert_ok(dev, run_values(job, 0, wedge_job_get_info(job)->cells, out, WEDGE_ON_HOST, NULL, NULL));
    wedge_job_destroy(job);
    return out;
}

static inline void *run_whole(wedge_device *dev, const wedge_job_spec *pairs, uint64_t *bytes) {
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, pairs, &job));
    return run_job(dev, job, bytes);
}

static inline void one_op(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n,
                          uint64_t d) {
    problem p = make_problem(op, layout, dtype, n, fitting(op, d));
    uint64_t bytes;
    void *values = run_whole(dev, &p.pairs, &bytes);
    check_values(&p, values);
    free(values);
    free(p.points);
}

#endif
