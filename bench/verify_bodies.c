/* verify_bodies.c: forces and energies of bodies x,y,z,m, against loops in double precision.
 *
 * The loops go over all bodies on all cores of the host, once per group; with more than MOST_BODIES over some of them, and
 * then forces alone can be compared. What is off by less than `allowed` of the sum of its absolute terms is right: forces
 * nearly cancel.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/truth.h"

enum { ROWS_CHECKED = 64 };

static const double allowed = 1e-5; /* relative */

/* On one body, by all others. */
typedef struct {
    uint64_t body;
    double force[3], size[3]; /* and the sum of absolute terms */
    double energy, least, most;
} pull;

struct body_truth {
    hash_text points;
    const float (*at)[4]; /* the caller's, while rows are computed */
    uint64_t n, rows;
    double softening;
    pull *row;
};

void bodies_free(lab *l) {
    if (l->bodies) free(l->bodies->row);
    free(l->bodies);
    l->bodies = NULL;
}

static double energy_of(const float a[4], const float b[4], double softening, double toward[3]) {
    double square = softening * softening;
    for (int f = 0; f < 3; ++f) {
        toward[f] = (double)b[f] - (double)a[f];
        square += toward[f] * toward[f];
    }
    double energy = (double)a[3] * (double)b[3] / sqrt(square);
    for (int f = 0; f < 3; ++f) toward[f] *= energy / square;
    return -energy;
}

static void pull_rows(void *user, uint64_t begin, uint64_t end) {
    struct body_truth *t = user;
    for (uint64_t k = begin; k < end; ++k) {
        pull p = {.body = t->rows == t->n ? k : k * (t->n - 1) / (t->rows - 1), .least = INFINITY, .most = -INFINITY};
        for (uint64_t j = 0; j < t->n; ++j) {
            double force[3], energy;
            if (j == p.body) continue;
            energy = energy_of(t->at[p.body], t->at[j], t->softening, force);
            p.energy += energy, p.least = fmin(p.least, energy), p.most = fmax(p.most, energy);
            for (int f = 0; f < 3; ++f) p.force[f] += force[f], p.size[f] += fabs(force[f]);
        }
        t->row[k] = p;
    }
}

static wedge_status find_truth(lab *l, const runner *r, uint64_t n, const struct body_truth **found) {
    struct body_truth t = {.points = hash_of(r->points, (size_t)n * 4 * sizeof(float)), .at = r->points, .n = n};
    t.rows = n <= MOST_BODIES ? n : ROWS_CHECKED, t.softening = r->sink->of_op.value;
    *found = l->bodies;
    if (l->bodies && !strcmp(l->bodies->points.text, t.points.text)) return WEDGE_OK;
    bodies_free(l);
    l->bodies = malloc(sizeof t), t.row = malloc((size_t)t.rows * sizeof *t.row);
    if (l->bodies) *l->bodies = t;
    if (!l->bodies) free(t.row);
    WEDGE_CHECK(l->bodies && t.row, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    *found = l->bodies;
    return lab_on_cores(l, pull_rows, l->bodies, t.rows, 16);
}

static void check_forces(runner *r, const struct body_truth *t, const float (*values)[4]) {
    for (uint64_t k = 0; k < t->rows && r->row.status == ROW_OK; ++k) {
        const pull *p = &t->row[k];
        const float *got = values[p->body];
        truth_check_value(r, "the energy of a body", (double)got[0], p->energy, allowed);
        for (int f = 0; f < 3; ++f)
            if (r->row.status == ROW_OK && !(fabs((double)got[f + 1] - p->force[f]) <= allowed * p->size[f]))
                fail_row(&r->row, "the force on body %" PRIu64 " along %c is %.9g, should be %.9g", p->body, "xyz"[f],
                         (double)got[f + 1], p -> force[f]);
    }
}

/* Of the smallest and the largest value the pair has that value. */
static void check_pair(runner *r, const struct body_truth *t, const char *what, double got, double want, uint64_t i,
                       uint64_t j) {
    const float(*at)[4] = r->points;
    double force[3];
    truth_check_value(r, what, got, want, allowed);
    if (r->row.status == ROW_OK && (i >= t->n || j >= t->n))
        fail_row(&r->row, "%s is of the bodies %" PRIu64 " and %" PRIu64, what, i, j);
    if (r->row.status == ROW_OK)
        truth_check_value(r, what, energy_of(at[i], at[j], t->softening, force), want, allowed);
}

/* In a square each pair is met twice, and each body meets itself. */
static void check_energy(runner *r, const struct body_truth *t, const wedge_summary *s) {
    bool square = r->engine->layout == WEDGE_SQUARE;
    const float(*at)[4] = r->points;
    double sum = 0, least = INFINITY, most = -INFINITY, force[3];
    for (uint64_t k = 0; k < t->n; ++k) {
        double self = energy_of(at[k], at[k], t->softening, force);
        sum += square ? t->row[k].energy + self : t->row[k].energy / 2;
        least = fmin(least, square ? fmin(self, t->row[k].least) : t->row[k].least);
        most = fmax(most, square ? fmax(self, t->row[k].most) : t->row[k].most);
    }
    truth_check_between(&r->row, "cells of the summary", s->count, (between){r->row.cells, r->row.cells});
    truth_check_value(r, "the energy", s->sum, sum, allowed);
    check_pair(r, t, "the smallest value", s->min, least, s->min_i, s->min_j);
    check_pair(r, t, "the largest value", s->max, most, s->max_i, s->max_j);
}

wedge_status bodies_check(lab *l, const arena *a, runner *r, const task_answer *answer) {
    const struct body_truth *t;
    WEDGE_TRY(find_truth(l, r, a->n, &t));
    if (!strcmp(r->sink->sink, "scatter")) {
        check_forces(r, t, answer->values);
        return WEDGE_OK;
    }
    WEDGE_CHECK(t->rows == t->n, &l->dev->note, WEDGE_UNSUPPORTED, "the energy of more than %d bodies is not verified",
                MOST_BODIES);
    check_energy(r, t, answer->values);
    return WEDGE_OK;
}
