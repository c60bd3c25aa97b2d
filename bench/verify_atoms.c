/* verify_atoms.c: three-body energies and forces of atoms, against plain loops in double precision.
 *
 * The loops go over all triplets on all cores of the host, once per group; forces are compared at some atoms. What is off by less than
 * `allowed` of the sum of absolute terms is right: energies of either sign nearly cancel. Where there are more triplets than
 * a host has time for, parts of the sum are compared (atoms_sample.c).
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/atoms.h"
#include "bench/truth.h"

enum { ATOMS_CHECKED = 16, LEAST_CHECKED = 4 };

const double atoms_allowed[] = {
    [WEDGE_F32] = 1e-5, [WEDGE_F64] = 1e-10}; /* relative; the loops' own sums are not exact */

typedef struct {
    energy_sum energy;
    double force[3], size[3];
} atom;

struct atom_truth {
    hash_text points;
    uint64_t n;
    double cutoff;
    double *x; /* x, y, z of each */
    energy_sum all, within;
    bool all_summed, within_summed; /* these are known */
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

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void add_energy(energy_sum *to, double energy) { to->sum += energy, to->size += fabs(energy), ++to->count; }

static void add_shared(double *to, double x) { /* of threads that are rarely there at once */
    double old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do sum = old + x;
    while (!__atomic_compare_exchange(to, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void energy_merge(energy_sum *to, const energy_sum *from) {
    add_shared(&to->sum, from->sum);
    add_shared(&to->size, from->size);
    __atomic_fetch_add(&to->count, from->count, __ATOMIC_RELAXED);
}

void energy_of_row(const double *x, uint64_t i, uint64_t j, energy_sum *to) {
    double ij = distance(x + 3 * i, x + 3 * j);
    for (uint64_t k = 0; k < j; ++k)
        add_energy(to, energy_of(ij, distance(x + 3 * i, x + 3 * k), distance(x + 3 * j, x + 3 * k)));
}

static void sum_all(void *user, uint64_t begin, uint64_t end) {
    struct atom_truth *t = user;
    energy_sum sum = {0};
    for (uint64_t i = begin; i < end; ++i)
        for (uint64_t j = 0; j < i; ++j) energy_of_row(t->x, i, j, &sum);
    energy_merge(&t->all, &sum);
}

/* Within the cutoff most pairs are too far apart to be gone on with. */
static void sum_within(void *user, uint64_t begin, uint64_t end) {
    struct atom_truth *t = user;
    energy_sum sum = {0};
    for (uint64_t i = begin; i < end; ++i)
        for (uint64_t j = 0; j < i; ++j) {
            double ij = distance(t->x + 3 * i, t->x + 3 * j);
            for (uint64_t k = 0; k < j && ij <= t->cutoff; ++k) {
                double ik = distance(t->x + 3 * i, t->x + 3 * k), jk = distance(t->x + 3 * j, t->x + 3 * k);
                if (ik <= t->cutoff && jk <= t->cutoff) add_energy(&sum, energy_of(ij, ik, jk));
            }
        }
    energy_merge(&t->within, &sum);
}

/* Each goes over all pairs of the others: of many atoms, fewer are compared. */
static uint64_t checked(const struct atom_truth *t) {
    uint64_t pairs = t->n * t->n / 2 + 1, most = (UINT64_C(1) << 27) / pairs;
    if (most > ATOMS_CHECKED) most = ATOMS_CHECKED;
    if (most < LEAST_CHECKED) most = LEAST_CHECKED;
    return t->n < most ? t->n : most;
}

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
                double a = distance(x, y), b = distance(x, z), c = distance(y, z), by_a = slope_of(a, b, c),
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

static wedge_status find_all(lab *l, struct atom_truth *t) {
    if (t->all_summed) return WEDGE_OK;
    t->all = (energy_sum){0}, t->all_summed = true;
    return lab_on_cores(l, sum_all, t, t->n, 4);
}

static wedge_status find_within(lab *l, struct atom_truth *t, double cutoff) {
    if (t->within_summed && t->cutoff == cutoff) return WEDGE_OK;
    t->within = (energy_sum){0}, t->cutoff = cutoff, t->within_summed = true;
    return lab_on_cores(l, sum_within, t, t->n, 4);
}

static void check_energy(bench_row *row, double got, const energy_sum *want, wedge_dtype dtype) {
    if (row->status == ROW_OK && !(fabs(got - want->sum) <= atoms_allowed[dtype] * want->size))
        fail_row(row, "the energy is %.9g, should be %.9g", got, want->sum);
}

static void check_forces(runner *r, const struct atom_truth *t, const float (*values)[4]) {
    for (uint64_t s = 0; s < checked(t) && r->row.status == ROW_OK; ++s) {
        const float *got = values[atom_at(t, s)];
        check_energy(&r->row, (double)got[0], &t->some[s].energy, WEDGE_F32);
        for (int f = 0; f < 3 && r->row.status == ROW_OK; ++f)
            if (!(fabs((double)got[f + 1] - t->some[s].force[f]) <= atoms_allowed[WEDGE_F32] * t->some[s].size[f]))
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
    const wedge_summary *s = answer->values;
    const bool within = r->sink->cutoff > 0;
    if (!within && atoms_are_many(l, a->n)) return atoms_sample(l, r, t->x, a->n, s);
    WEDGE_TRY(within ? find_within(l, t, cutoff) : find_all(l, t));
    const energy_sum *want = within ? &t->within : &t->all;
    uint64_t doubt = within ? want->count / 100000 + 10 : 0; /* sides that are the cutoff, but for rounding */
    truth_check_between(&r->row, "triplets", s->count,
                        (between){want->count > doubt ? want->count - doubt : 0, want->count + doubt});
    check_energy(&r->row, s->sum, want, r->engine->dtype);
    return WEDGE_OK;
}

/* ---- The kernel with a thread per triplet ---- */

static wedge_status run_cells(lab *l, const arena *a, runner *r, double *energy) {
    const backend *b = l->dev->backend;
    int64_t *sums = malloc(LAB_SUMS * sizeof *sums), total = 0;
    WEDGE_CHECK(sums, &l->dev->note, WEDGE_NO_MEMORY, "no memory to verify with");
    wedge_status status = b->fill(l->dev, l->queue, &a->out, 0, LAB_SUMS * sizeof *sums, 0);
    if (!status) status = runner_launch(l, a, r);
    if (!status) status = lab_read(l, sums, &a->out, 0, LAB_SUMS * sizeof *sums);
    for (int k = 0; k < LAB_SUMS && !status; ++k) total += sums[k];
    free(sums);
    *energy = (double)total / (1 << LAB_UNIT);
    return status;
}

/* Of the first `n` points: all triplets of them, against plain loops. */
static wedge_status verify_some(lab *l, const arena *a, runner *r, uint64_t n, struct atom_truth **t) {
    wedge_limits limits = {.size = sizeof(wedge_limits), .exact_rows = UINT64_MAX};
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 3, .strict = true, .n = n};
    arena some = *a;
    runner c = {.map = r->map};
    double energy = 0;
    some.n = n;
    WEDGE_TRY(find_truth(l, &a->points->x, WEDGE_F32, n, 4, t));
    WEDGE_TRY(find_all(l, *t));
    if (n == a->n) {
        WEDGE_TRY(run_cells(l, a, r, &energy));
        check_energy(&r->row, energy, &(*t)->all, WEDGE_F32);
        return WEDGE_OK;
    }
    wedge_status status = plan_make(&l->dev->ctx->note, r->map, &domain, r->plan.rho, &limits, &c.plan);
    if (!status) status = runner_prepare(l, &some, &c);
    if (!status) status = run_cells(l, &some, &c, &energy);
    if (!status) check_energy(&r->row, energy, &(*t)->all, WEDGE_F32);
    runner_free(l, &c);
    return status;
}

/* Where there are many triplets, each map's sum of all is held against the first map's, and that of fewer points against
 * plain loops. That each cell is taken once is known of all n. */
wedge_status atoms_verify(lab *l, const arena *a, runner *r) {
    const bool many = atoms_are_many(l, a->n);
    const uint64_t n = many ? atoms_few(l) : a->n;
    struct atom_truth *t;
    double energy = 0;
    WEDGE_TRY(verify_some(l, a, r, n, &t));
    if (!many || r->row.status != ROW_OK) return WEDGE_OK;
    WEDGE_TRY(run_cells(l, a, r, &energy));
    if (l->cells_n != a->n) {
        l->cells_n = a->n;
        l->cells_energy = energy;
    }
    double size = t->all.size * (double)a->n / (double)n; /* a sum over what is near each point */
    const energy_sum want = {.sum = l->cells_energy, .size = size};
    check_energy(&r->row, energy, &want, WEDGE_F32);
    if (r->row.status == ROW_OK)
        snprintf(r->row.remark, sizeof r->row.remark,
                 "values verified at n = %" PRIu64 ", every cell and the same sum as the first map at this n", n);
    return WEDGE_OK;
}
