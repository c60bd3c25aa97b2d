/* verify_atoms.c: three-body energies and forces of atoms, against plain loops in double precision.
 *
 * The loops go over all triplets on all cores of the host, once per group; forces are compared at some atoms. What is off by less than
 * `allowed` of the sum of absolute terms is right: energies of either sign nearly cancel.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/truth.h"

enum { ATOMS_CHECKED = 16 };

static const double allowed[] = {
    [WEDGE_F32] = 1e-5, [WEDGE_F64] = 1e-10}; /* relative; the loops' own sums are not exact */

typedef struct {
    double sum, size; /* and the sum of absolute terms */
    uint64_t count;
} energy_sum;

typedef struct {
    energy_sum energy;
    double force[3], size[3];
} atom;

struct atom_truth {
    hash_text points;
    uint64_t n;
    double cutoff;
    double *x; /* x, y, z of each */
    energy_sum all, near;
    bool summed; /* these are known */
    atom some[ATOMS_CHECKED];
};

double atoms_box(uint64_t n) { return cbrt((double)n); }

void atoms_free(lab *l) {
    if (l->atoms) free(l->atoms->x);
    free(l->atoms);
    l->atoms = NULL;
}

/* Of the lengths of three sides, from the law of cosines. */
static double energy_of(double a, double b, double c) {
    double p = a * b * c, angles = (b * b + c * c - a * a) * (a * a + c * c - b * b) * (a * a + b * b - c * c);
    return 1 / (p * p * p) + 0.375 * angles / (p * p * p * p * p);
}

/* What it changes by with a. */
static double slope_of(double a, double b, double c) {
    double p = a * b * c, p3 = p * p * p, u = b * b + c * c - a * a, v = a * a + c * c - b * b,
           w = a * a + b * b - c * c;
    return -3 / (a * p3) + 0.375 / (p3 * p * p) * (2 * a * (u * w + u * v - v * w) - 5 * u * v * w / a);
}

static double apart(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void add_energy(energy_sum *to, double energy) { to->sum += energy, to->size += fabs(energy), ++to->count; }

static void add_shared(double *to, double x) { /* of threads that are rarely there at once */
    double old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do sum = old + x;
    while (!__atomic_compare_exchange(to, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static void merge(energy_sum *to, const energy_sum *from) {
    add_shared(&to->sum, from->sum);
    add_shared(&to->size, from->size);
    __atomic_fetch_add(&to->count, from->count, __ATOMIC_RELAXED);
}

static void sum_rows(void *user, uint64_t begin, uint64_t end) {
    struct atom_truth *t = user;
    energy_sum all = {0}, near = {0};
    for (uint64_t i = begin; i < end; ++i)
        for (uint64_t j = 0; j < i; ++j) {
            double ij = apart(t->x + 3 * i, t->x + 3 * j);
            for (uint64_t k = 0; k < j; ++k) {
                double ik = apart(t->x + 3 * i, t->x + 3 * k), jk = apart(t->x + 3 * j, t->x + 3 * k);
                double energy = energy_of(ij, ik, jk);
                add_energy(&all, energy);
                if (ij <= t->cutoff && ik <= t->cutoff && jk <= t->cutoff) add_energy(&near, energy);
            }
        }
    merge(&t->all, &all);
    merge(&t->near, &near);
}

static uint64_t checked(const struct atom_truth *t) { return t->n < ATOMS_CHECKED ? t->n : ATOMS_CHECKED; }

static uint64_t atom_at(const struct atom_truth *t, uint64_t k) {
    return checked(t) > 1 ? k * (t->n - 1) / (checked(t) - 1) : 0;
}

static void pull_atoms(void *user, uint64_t begin, uint64_t end) {
    struct atom_truth *t = user;
    for (uint64_t s = begin; s < end; ++s) {
        const double *x = t->x + 3 * atom_at(t, s);
        atom to = {0};
        for (uint64_t j = 0; j < t->n; ++j)
            for (uint64_t k = 0; k < j; ++k) {
                const double *y = t->x + 3 * j, *z = t->x + 3 * k;
                if (x == y || x == z) continue;
                double a = apart(x, y), b = apart(x, z), c = apart(y, z), by_a = slope_of(a, b, c),
                       by_b = slope_of(b, a, c);
                add_energy(&to.energy, energy_of(a, b, c));
                for (int f = 0; f < 3; ++f) {
                    double one = by_a * (x[f] - y[f]) / a, other = by_b * (x[f] - z[f]) / b;
                    to.force[f] -= one + other, to.size[f] += fabs(one) + fabs(other);
                }
            }
        t->some[s] = to;
    }
}

/* points: n records of `numbers` numbers, of which the first three are coordinates. */
static wedge_status find_truth(lab *l, const void *points, wedge_dtype dtype, uint64_t n, uint32_t numbers,
                               struct atom_truth **found) {
    struct atom_truth *t = calloc(1, sizeof *t);
    double *x = malloc((size_t)n * 3 * sizeof *x);
    if (t && x) {
        for (uint64_t k = 0; k < 3 * n; ++k) x[k] = engine_number(points, dtype, k / 3 * numbers + k % 3);
        *t = (struct atom_truth){.points = hash_of(x, (size_t)n * 3 * sizeof *x), .n = n, .x = x};
    }
    bool known = t && x && l->atoms && !strcmp(l->atoms->points.text, t->points.text);
    if (!t || !x || known) {
        free(t);
        free(x);
        *found = l->atoms;
        return known ? WEDGE_OK : note_fail(&l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    }
    atoms_free(l);
    *found = l->atoms = t;
    return lab_on_cores(l, pull_atoms, t, checked(t), 1);
}

static wedge_status find_sums(lab *l, struct atom_truth *t, double cutoff) {
    if (t->summed && (t->cutoff == cutoff || isinf(cutoff))) return WEDGE_OK;
    t->all = t->near = (energy_sum){0}, t->cutoff = cutoff, t->summed = true;
    return lab_on_cores(l, sum_rows, t, t->n, 4);
}

static void check_energy(bench_row *row, double got, const energy_sum *want, wedge_dtype dtype) {
    if (row->status == ROW_OK && !(fabs(got - want->sum) <= allowed[dtype] * want->size))
        fail_row(row, "the energy is %.9g, should be %.9g", got, want->sum);
}

static void check_forces(runner *r, const struct atom_truth *t, const float (*values)[4]) {
    for (uint64_t s = 0; s < checked(t) && r->row.status == ROW_OK; ++s) {
        const float *got = values[atom_at(t, s)];
        check_energy(&r->row, (double)got[0], &t->some[s].energy, WEDGE_F32);
        for (int f = 0; f < 3 && r->row.status == ROW_OK; ++f)
            if (!(fabs((double)got[f + 1] - t->some[s].force[f]) <= allowed[WEDGE_F32] * t->some[s].size[f]))
                fail_row(&r->row, "the force on atom %" PRIu64 " along %c is %.9g, should be %.9g", atom_at(t, s),
                         "xyz"[f], (double)got[f + 1], t -> some[s].force[f]);
    }
}

wedge_status atoms_check(lab *l, const arena *a, runner *r, const task_answer *answer) {
    struct atom_truth *t;
    double cutoff = r->sink->cutoff > 0 ? r->sink->cutoff * atoms_box(a->n) : INFINITY;
    WEDGE_TRY(find_truth(l, r->points, r->engine->dtype, a->n, 3, &t));
    if (!strcmp(r->sink->sink, "scatter")) {
        check_forces(r, t, answer->values);
        return WEDGE_OK;
    }
    WEDGE_TRY(find_sums(l, t, cutoff));
    const wedge_summary *s = answer->values;
    const energy_sum *want = r->sink->cutoff > 0 ? &t->near : &t->all;
    uint64_t doubt =
        r->sink->cutoff > 0 ? want->count / 100000 + 10 : 0; /* sides that are the cutoff, but for rounding */
    truth_check_between(&r->row, "triplets", s->count,
                        (between){want->count > doubt ? want->count - doubt : 0, want->count + doubt});
    check_energy(&r->row, s->sum, want, r->engine->dtype);
    return WEDGE_OK;
}

/* The kernel with a thread per triplet. */
wedge_status atoms_verify(lab *l, const arena *a, runner *r) {
    const backend *b = l->dev->backend;
    struct atom_truth *t;
    WEDGE_TRY(find_truth(l, &a->points->x, WEDGE_F32, a->n, 4, &t));
    WEDGE_TRY(find_sums(l, t, INFINITY));
    int64_t *sums = malloc(LAB_SUMS * sizeof *sums), total = 0;
    WEDGE_CHECK(sums, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status = b->fill(l->dev, l->queue, &a->out, 0, LAB_SUMS * sizeof *sums, 0);
    if (!status) status = runner_launch(l, a, r);
    if (!status) status = lab_read(l, sums, &a->out, 0, LAB_SUMS * sizeof *sums);
    for (int k = 0; k < LAB_SUMS && !status; ++k) total += sums[k];
    free(sums);
    if (!status) check_energy(&r->row, (double)total / (1 << LAB_UNIT), &t->all, WEDGE_F32);
    return status;
}
