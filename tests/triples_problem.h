/* triples_problem.h: points, an op of three of them, and its values by plain loops, for the tests of triplets.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_TRIPLES_PROBLEM_H
#define WEDGE_TESTS_TRIPLES_PROBLEM_H

#include <math.h>

#include "core/random.h"
#include "devices.h"

#ifndef TRIPLES_STREAM
#define TRIPLES_STREAM 470 /* of random numbers; a test may have its own */
#endif

enum { MOST_N = 760, MOST_D = 4 };

typedef struct {
    const char *op, *map;
    const wedge_op *own; /* NULL, or in place of op */
    wedge_dtype dtype;
    bool packed; /* with diagonals */
    uint64_t n, d;
    double points[MOST_N * MOST_D]; /* as the dtype has them */
    float f32[MOST_N * MOST_D];
    double nu;
    double cutoff, box[MOST_D]; /* 0: none */
    bool periodic;
    wedge_prune prune;
} problem;

/* In [0, 1), the same for the same arguments. */
static inline double chance(uint32_t seed, uint64_t x) {
    wedge_random4 r = wedge_philox((wedge_random4){{(uint32_t)x, seed, 0, 0}}, TRIPLES_STREAM, 0);
    return (double)wedge_random_float(r.v[0]);
}

static inline void set_number(problem *p, uint64_t x, double value) {
    p->f32[x] = (float)value;
    p->points[x] = p->dtype == WEDGE_F64 ? value : (double)p->f32[x];
}

static inline problem random_points(const char *op, wedge_dtype dtype, uint64_t n, uint64_t d, uint32_t seed) {
    problem p = {.op = op, .dtype = dtype, .n = n, .d = d, .nu = 1};
    for (uint64_t x = 0; x < n * d; ++x)
        set_number(&p, x, x % d == 3 ? 0.5 + chance(seed, x) : 8 * chance(seed, x) - 3);
    return p;
}

/* Clusters along a line, far apart: most tiles are out of reach of a cutoff of 4. */
static inline problem clusters(wedge_dtype dtype) {
    problem p = random_points("axilrod_teller", dtype, 300, 3, 77);
    for (uint64_t x = 0; x < 3 * p.n; x += 3) set_number(&p, x, p.points[x] + (double)(x / 3 * 7 % 10) * 50);
    p.cutoff = 4;
    return p;
}

static inline bool is_possible(wedge_device *dev, const problem *p) {
    return p->dtype == WEDGE_F32 || dev->info.has_double;
}

static inline wedge_job *job_of(wedge_device *dev, const problem *p, const char *sink, const wedge_parameter *set,
                                size_t count) {
    const wedge_parameter nu = WEDGE_NUMBER("nu", p->nu);
    wedge_job_spec q = {.size = sizeof q, .sink = sink, .layout = p->packed ? WEDGE_TRIPLES_PACKED : WEDGE_TRIPLES};
    wedge_job *job;
    q.op = p->own ? NULL : p->op, q.own_op = p->own, q.dtype = p->dtype, q.n = p->n;
    q.d = p->d, q.points = p->dtype == WEDGE_F64 ? (const void *)p->points : (const void *)p->f32, q.map = p->map;
    q.sink_parameters = set, q.sink_parameter_count = count, q.cutoff = p->cutoff, q.prune = p->prune;
    if (p->periodic) q.box = p->box;
    if (!p->own && !strcmp(p->op, "axilrod_teller")) q.parameters = &nu, q.parameter_count = 1;
    assert_ok(dev, wedge_job_create(dev, &q, &job));
    return job;
}

/* A job of three points that lie together is refused, and the message has this word. What is not given has a default. */
static inline void refuse(wedge_device *dev, wedge_job_spec q, wedge_status want, const char *word) {
    wedge_job *job;
    float points[12] = {0};
    q.size = sizeof q, q.points = points;
    if (!q.n) q.n = 3;
    if (!q.d) q.d = 3;
    if (!q.op) q.op = "axilrod_teller", q.layout = WEDGE_TRIPLES;
    if (!q.sink) q.sink = "summary";
    assert_int_equal(wedge_job_create(dev, &q, &job), want);
    if (!strstr(wedge_device_message(dev), word)) fail_msg("'%s' does not say %s", wedge_device_message(dev), word);
}

/* All triplets, in order of position. */
#define EACH_TRIPLET(p, i, j, k)                         \
    for (uint64_t i = 0; i < (p)->n; ++i)                \
        for (uint64_t j = 0; j + !(p)->packed <= i; ++j) \
            for (uint64_t k = 0; k + !(p)->packed <= j; ++k)

/* ---- The oracle ---- */

/* Coordinate f of i - j, in a periodic box the shortest. */
static inline double delta(const problem *p, uint64_t i, uint64_t j, uint64_t f) {
    double t = p->points[i * p->d + f] - p->points[j * p->d + f], length = p->box[f];
    return p->periodic && length > 0 ? t - length * nearbyint(t / length) : t;
}

static inline double distance(const problem *p, uint64_t i, uint64_t j) {
    double sum = 0;
    for (uint64_t f = 0; f < p->d && f < 3; ++f) sum += delta(p, i, j, f) * delta(p, i, j, f);
    return sqrt(sum);
}

/* Is no side longer than the cutoff? */
static inline bool counts(const problem *p, uint64_t i, uint64_t j, uint64_t k) {
    return p->cutoff == 0 ||
           (distance(p, i, j) <= p->cutoff && distance(p, i, k) <= p->cutoff && distance(p, j, k) <= p->cutoff);
}

/* Axilrod and Teller's, from cosines. */
static inline double energy(double a, double b, double c) {
    double cosines = (a * a + b * b - c * c) / (2 * a * b) * ((a * a + c * c - b * b) / (2 * a * c)) *
                     ((b * b + c * c - a * a) / (2 * b * c));
    return (1 + 3 * cosines) / pow(a * b * c, 3);
}

/* The same with cosines by dot products, which lose nothing where two atoms are close; atoms of coefficient 1. */
static inline double dot_energy(const problem *p, uint64_t i, uint64_t j, uint64_t k) {
    const uint64_t at[] = {i, j, k, i, j};
    long double cosines = 1, all = 1;
    for (int x = 0; x < 3; ++x) {
        long double dot = 0, side = 0;
        for (uint64_t f = 0; f < 3; ++f) {
            const long double u = (long double)delta(p, at[x + 1], at[x], f),
                              v = (long double)delta(p, at[x + 2], at[x], f);
            dot += u * v, side += u * u;
        }
        cosines *= dot, all *= side;
    }
    return (double)((1 + 3 * cosines / all) / (all * sqrtl(all)));
}

/* Half the length of the cross product of the sides from k, in long double; *sides: the product of the two shorter sides. */
static inline double exact_area(const problem *p, uint64_t i, uint64_t j, uint64_t k, double *sides) {
    long double u[3] = {0}, v[3] = {0}, square = 0;
    for (uint64_t f = 0; f < p->d && f < 3; ++f)
        u[f] = (long double)delta(p, i, k, f), v[f] = (long double)delta(p, j, k, f);
    for (int f = 0; f < 3; ++f) {
        const long double minor = u[f] * v[(f + 1) % 3] - u[(f + 1) % 3] * v[f];
        square += minor * minor;
    }
    const double a = distance(p, i, j), b = distance(p, i, k), c = distance(p, j, k);
    *sides = a * b * c / fmax(a, fmax(b, c));
    return (double)(sqrtl(square) / 2);
}

static inline double value_of(const problem *p, uint64_t i, uint64_t j, uint64_t k) {
    double a = distance(p, i, j), b = distance(p, i, k), c = distance(p, j, k), nu = p->nu, sides;
    if (!strcmp(p->op, "perimeter")) return a + b + c;
    if (!strcmp(p->op, "longest_side")) return fmax(a, fmax(b, c));
    if (!strcmp(p->op, "area")) return exact_area(p, i, j, k, &sides);
    if (p->d == 4) nu *= cbrt(p->points[4 * i + 3] * p->points[4 * j + 3] * p->points[4 * k + 3]);
    return nu * energy(a, b, c);
}

#endif
