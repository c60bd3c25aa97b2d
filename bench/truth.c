/* truth.c: see truth.h.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/truth.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double truth_parameter(const runner *r, const char *name, double otherwise) {
    for (const wedge_parameter *p = r->sink->parameters; p < r->sink->parameters + 4 && p->name; ++p)
        if (!strcmp(p->name, name)) return p->whole ? (double)p->whole : p->flag ? 1 : p->value;
    return otherwise;
}

truth truth_begin(const runner *r, uint64_t n) {
    truth t = {.radius = engine_spheres(r->engine) ? 1 : sinks_radius(n, r->engine->d),
               .slack = 2 * engine_tolerance(r->engine)};
    double low = truth_parameter(r, "min", 0), high = truth_parameter(r, "max", 1), bins = LAB_BINS;
    t.min = INFINITY, t.max = -INFINITY;
    for (int e = 0; e <= LAB_BINS; ++e)
        t.edge[e] = truth_parameter(r, "log", 0) ? low * pow(high / low, e / bins) : low + e * (high - low) / bins;
    return t;
}

static int edges_up_to(const truth *t, double v) {
    int low = 0, high = LAB_BINS + 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->edge[middle] <= v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void truth_tell(truth *t, double v, bool histogram) {
    ++t->cells;
    t->within.least += v <= t->radius * (1 - t->slack);
    t->within.most += v <= t->radius * (1 + t->slack);
    t->sum += v;
    if (v < t->min) t->min = v;
    if (v > t->max) t->max = v;
    if (!histogram) return;
    int e = edges_up_to(t, v); /* what is in doubt is less than a bin */
    ++t->beyond[e > 0 && v * (1 - t->slack) < t->edge[e - 1] ? e - 1 : e].least;
    ++t->beyond[e <= LAB_BINS && v * (1 + t->slack) >= t->edge[e] ? e + 1 : e].most;
}

double truth_value(const runner *r, uint64_t i, uint64_t j) {
    const float *u = (const float *)r->points + i * 4, *v = (const float *)r->points + j * 4;
    if (!engine_spheres(r->engine)) return engine_true_distance(r, i, j);
    double x = (double)u[0] - (double)v[0], y = (double)u[1] - (double)v[1], z = (double)u[2] - (double)v[2];
    return sqrt(x * x + y * y + z * z) / ((double)u[3] + (double)v[3]);
}

/* ---- All pairs that are near each other ---- */

/* Points by cubes of a side of at least reach / AROUND: who is within reach of a point is at most AROUND cubes away, along
 * each axis. */
typedef struct {
    uint32_t side;      /* cubes along an axis */
    uint64_t *first;    /* where the points of a cube begin; side^3 + 2, so that the last ends, too */
    float (*points)[4]; /* the fourth number: a radius */
} cubes;

typedef struct {
    const cubes *grid;
    bool histogram, spheres;
    double reach;
    const truth *none; /* what a part of the search begins with */
    truth *all;
} search;

enum { AROUND = 2, MOST_SIDE = 100 };

static uint32_t cube_of(const cubes *g, const float point[3]) {
    uint32_t cube = 0;
    for (int f = 0; f < 3; ++f) {
        uint32_t at = (uint32_t)((double)point[f] * g->side);
        cube = cube * g->side + (at < g->side ? at : g->side - 1);
    }
    return cube;
}

/* Counted, summed up, put in their places: each moves the beginning of its cube, one behind its own, to that of the next. */
static bool make_cubes(const runner *r, uint64_t n, double reach, cubes *g) {
    const float *points = r->points;
    uint32_t d = r->engine->d;
    g->side = reach * MOST_SIDE > AROUND ? (uint32_t)fmax(1, 0.999 * AROUND / reach) : MOST_SIDE;
    size_t count = (size_t)g->side * g->side * g->side;
    g->first = calloc(count + 2, sizeof *g->first), g->points = malloc((size_t)n * sizeof *g->points);
    if (!g->first || !g->points) return false;
    for (uint64_t k = 0; k < n; ++k) ++g->first[cube_of(g, points + k * d) + 2];
    for (size_t c = 2; c < count + 2; ++c) g->first[c] += g->first[c - 1];
    for (uint64_t k = 0; k < n; ++k)
        memcpy(g->points[g->first[cube_of(g, points + k * d) + 1]++], points + k * d, d * sizeof *points);
    return true;
}

static void tell_cubes(const search *s, truth *t, uint32_t a, uint32_t b) {
    const cubes *g = s->grid;
    for (uint64_t p = g->first[a]; p < g->first[a + 1]; ++p)
        for (uint64_t q = a == b ? p + 1 : g->first[b]; q < g->first[b + 1]; ++q) {
            const float *u = g->points[p], *v = g->points[q];
            double x = (double)u[0] - (double)v[0], y = (double)u[1] - (double)v[1], z = (double)u[2] - (double)v[2];
            double square = x * x + y * y + z * z;
            if (square > s->reach * s->reach) continue;
            double value = s->spheres ? sqrt(square) / ((double)u[3] + (double)v[3]) : sqrt(square);
            truth_tell(t, value, s->histogram);
        }
}

static void add_truth(truth *all, const truth *t) {
    __atomic_fetch_add(&all->cells, t->cells, __ATOMIC_RELAXED);
    __atomic_fetch_add(&all->within.least, t->within.least, __ATOMIC_RELAXED);
    __atomic_fetch_add(&all->within.most, t->within.most, __ATOMIC_RELAXED);
    for (int e = 0; e < LAB_BINS + 2; ++e) {
        __atomic_fetch_add(&all->beyond[e].least, t->beyond[e].least, __ATOMIC_RELAXED);
        __atomic_fetch_add(&all->beyond[e].most, t->beyond[e].most, __ATOMIC_RELAXED);
    }
}

/* Cubes [begin, end), each with itself and with those behind it that are near. */
static void tell_within(void *user, uint64_t begin, uint64_t end) {
    const search *s = user;
    int side = (int)s->grid->side;
    truth t = *s->none;
    for (uint64_t c = begin; c < end; ++c) {
        int x = (int)c / side / side, y = (int)c / side % side, z = (int)c % side;
        for (int i = x; i <= x + AROUND && i < side; ++i)
            for (int j = y > AROUND ? y - AROUND : 0; j <= y + AROUND && j < side; ++j)
                for (int k = z > AROUND ? z - AROUND : 0; k <= z + AROUND && k < side; ++k) {
                    uint32_t other = (uint32_t)((i * side + j) * side + k);
                    if (other >= c) tell_cubes(s, &t, (uint32_t)c, other);
                }
    }
    add_truth(s->all, &t);
}

static wedge_status search_within(lab *l, const runner *r, uint64_t n, double reach, truth *t) {
    cubes grid = {0};
    const truth none = truth_begin(r, n);
    uint64_t all = n * (n - 1) / 2;
    *t = none;
    search s = {&grid, !strcmp(r->sink->sink, "histogram"), engine_spheres(r->engine), reach, &none, t};
    wedge_status status = make_cubes(r, n, reach, &grid)
                              ? lab_on_cores(l, tell_within, &s, (uint64_t)grid.side * grid.side * grid.side, 8)
                              : note_fail(&l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    t->beyond[LAB_BINS + 1].least += all - t->cells, t->beyond[LAB_BINS + 1].most += all - t->cells;
    t->cells = all;
    free(grid.first);
    free(grid.points);
    return status;
}

wedge_status truth_within(lab *l, const runner *r, uint64_t n, truth *t) {
    hash_text points = hash_of(r->points, (size_t)n * r->engine->d * sizeof(float));
    truth wanted = truth_begin(r, n);
    bool histogram = !strcmp(r->sink->sink, "histogram");
    double most = engine_spheres(r->engine) ? 2 * engine_largest(n) : wanted.radius;
    double reach = (histogram ? wanted.edge[LAB_BINS] : most) * (1 + 2 * wanted.slack);
    if (!l->within) l->within = calloc(1, sizeof *l->within);
    WEDGE_CHECK(l->within, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    if (l->within->reach != reach || strcmp(l->within->points.text, points.text)) {
        l->within->reach = 0;
        WEDGE_TRY(search_within(l, r, n, reach, &l->within->truth));
        l->within->points = points, l->within->reach = reach;
    }
    *t = l->within->truth;
    return WEDGE_OK;
}

/* ---- Whether a result is that ---- */

void truth_check_between(bench_row *row, const char *what, uint64_t got, between want) {
    if (row->status == ROW_OK && (got < want.least || got > want.most))
        fail_row(row, "%s: %" PRIu64 ", should be %" PRIu64 " to %" PRIu64, what, got, want.least, want.most);
}

void truth_check_counts(runner *r, const truth *t, const uint64_t *counts) {
    uint64_t all = 0, above = counts[LAB_BINS + 1];
    between want = {0, 0};
    for (int c = 0; c < LAB_BINS + 3; ++c) all += counts[c];
    truth_check_between(&r->row, "cells of the histogram", all, (between){t->cells, t->cells});
    truth_check_between(&r->row, "NaN of the histogram", counts[LAB_BINS + 2], (between){0, 0});
    for (int e = LAB_BINS; e >= 0; --e) { /* values from edge e on */
        want.least += t->beyond[e + 1].least, want.most += t->beyond[e + 1].most;
        if (e < LAB_BINS) above += counts[e];
        truth_check_between(&r->row, "values from an edge of the histogram on", above, want);
    }
}

void truth_check_value(runner *r, const char *what, double got, double want, double slack) {
    if (r->row.status == ROW_OK && !(fabs(got - want) <= slack * fabs(want)))
        fail_row(&r->row, "%s is %.9g, should be %.9g", what, got, want);
}

void truth_check_list(runner *r, uint64_t n, const int64_t *pairs, uint64_t count, between *found) {
    truth t = truth_begin(r, n);
    *found = (between){0, 0};
    for (uint64_t k = 0; k < count && r->row.status == ROW_OK; ++k) {
        int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
        bool sorted = !k || i > pairs[2 * k - 2] || (i == pairs[2 * k - 2] && j > pairs[2 * k - 1]);
        if (i < 0 || j <= i || (uint64_t)j >= n || !sorted) {
            fail_row(&r->row, "pair %" PRIu64 " of the list is (%" PRId64 ", %" PRId64 "), out of order", k, i, j);
            return;
        }
        double v = truth_value(r, (uint64_t)i, (uint64_t)j);
        found->least += v <= t.radius * (1 - t.slack);
        found->most += v <= t.radius * (1 + t.slack);
    }
    truth_check_between(&r->row, "pairs of the list within the radius", found->most, (between){count, count});
}
