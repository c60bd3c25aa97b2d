/* prune_problem.h: points that lie as pruning must expect them, and radii where it may go wrong; a pruned job, one that is
 * not and plain loops over stored values agree to the last bit.
 *
 * Neighbours in the caller's order are not neighbours in space, unless a data set says so.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_PRUNE_PROBLEM_H
#define WEDGE_TESTS_PRUNE_PROBLEM_H

#include "sinks_problem.h"

/* ---- Points ---- */

/* In [0, 1), of 48 bits; the same for the same arguments. */
static inline double chance(uint64_t x, uint64_t f) {
    wedge_random4 r = wedge_philox((wedge_random4){{(uint32_t)x, (uint32_t)f, 0, 0}}, 452, 0);
    return (double)wedge_random_float(r.v[0]) + (double)wedge_random_float(r.v[1]) * 0x1p-24;
}

static inline uint64_t choice(uint64_t x, uint64_t count) { return (uint64_t)(chance(x, 1 << 20) * (double)count); }

static inline double uniform(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return 20 * chance(x, f) - 10;
}

static inline double clustered(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return 1000 * chance(1000000 + choice(x, 7), f) + chance(x, f) / 8;
}

static inline double collinear(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return 30 * chance(x, 0) * (double)(1 + f % 3);
}

/* No extent at all, and zeros of both signs. */
static inline double same(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return f % 2 == 0 ? 1.25 : x % 2 ? 0.0 : -0.0;
}

/* Boxes of no extent: their bound is the value of all their pairs. */
static inline double two_places(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return x % 2 ? 0.1 + (double)f : -0.3;
}

/* Two places again, but for the last bits: where a function is not quite monotone, the corners of boxes do not have the
 * smallest value. */
static inline double last_bits(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    double unit = q->dtype == WEDGE_F64 ? 0x1p-52 : 0x1p-23, bits = floor(4 * chance(x, f));
    return x % 2 ? 1 + bits * unit : 700 + 512 * bits * unit;
}

static inline double far_away(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return (f % 2 ? -1e6 : 1e6) + 20 * chance(x, f);
}

static inline double negative(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return -40 * chance(x, f);
}

/* One set, or every other point, within a hundredth of the other's extent. */
static inline double nested(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    bool inner = q->layout == WEDGE_RECTANGLE ? x >= q->n : x % 2;
    return (inner ? 0.2 : 20) * (chance(x, f) - 0.5);
}

/* A lattice of spacing 1/2 along the first three features: every distance occurs many times. */
static inline double grid(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    uint64_t all = q->n + q->m, axes = q->d < 3 ? q->d : 3, side = 1, place = x * 7919 % all;
    while ((axes > 2 ? side * side * side : axes > 1 ? side * side : side) < all) ++side;
    for (uint64_t k = 0; k < f; ++k) place /= side;
    return f < axes ? (double)(place % side) / 2 : 0;
}

/* Along the caller's order, so that this order is as good as any other. */
static inline double in_order(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    return (double)x / 16 + chance(x, f) / 64;
}

/* Infinities in one feature where the others are far apart: inf - inf is NaN, and lies in tiles whose boxes are apart. */
static inline double odd(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    uint64_t kind = choice(x, 16), axis = choice(x + 5000, q->d);
    if (kind < 4 && f == 0) return kind < 3 ? INFINITY : -INFINITY;
    if (kind == 4 && f == axis) return x % 2 ? (double)NAN : copysign(NAN, -1);
    return 200 * chance(x, f) - 100;
}

/* One point has a NaN, one an infinity, all others are clusters: almost every tile can be left out. */
static inline double one_nan(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    if (x == (q->n + q->m) / 2 && f == q->d / 2) return (double)NAN;
    if (x == (q->n + q->m) / 3 && f == 0) return -INFINITY;
    return clustered(q, x, f);
}

/* Differences, and squares even more, overflow. */
static inline double huge(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    return (q->dtype == WEDGE_F64 ? 1.7e308 : 3.4e38) * (2 * chance(x, f) - 1) * (x % 3 ? 1 : 1e-25);
}

/* Squares underflow, some to 0. */
static inline double tiny(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    return (q->dtype == WEDGE_F64 ? 1e-162 : 1e-22) * chance(x, f);
}

typedef struct {
    const char *name;
    double (*at)(const wedge_job_spec *q, uint64_t x, uint64_t f);
    double spread; /* of radii of spheres and sides of boxes; 0: they are all alike */
    bool raw;      /* these are like the other numbers, also below 0 */
} data_set;

static const data_set data_sets[] = {
    {"uniform", uniform, 1, false},
    {"two places", two_places, 0, false},
    {"clustered", clustered, 1, false},
    {"grid", grid, 0, false},
    {"one NaN", one_nan, 1, false},
    {"last bits", last_bits, 0, false},
    {"odd", odd, 0, true},
    {"same", same, 0, false},
    {"collinear", collinear, 0.1, false},
    {"far away", far_away, 1, false},
    {"negative", negative, 0, true},
    {"nested", nested, 0.01, false},
    {"in order", in_order, 0.1, false},
    {"huge", huge, 0, true},
    {"tiny", tiny, 0, true},
};
enum { DATA_SETS = sizeof data_sets / sizeof *data_sets };

/* Spheres end with a radius, boxes with their upper corner. A few of them are much larger than the others. */
static inline double number_of(const data_set *set, const wedge_job_spec *q, uint64_t x, uint64_t f) {
    bool spheres = !strcmp(q->op, "spheres"), boxes = !strcmp(q->op, "boxes");
    uint64_t axes = spheres ? q->d - 1 : boxes ? q->d / 2 : q->d;
    if (f < axes || set->raw) return set->at(q, x, f);
    double size = 0.25 + set->spread * (chance(x, f) + (x % 97 == 5 ? 30 : 0));
    return spheres ? size : set->at(q, x, f - axes) + size;
}

static inline void fill(problem *p, const data_set *set) {
    p->data = set->name;
    for (uint64_t x = 0; x < p->pairs.n + p->pairs.m; ++x)
        for (uint64_t f = 0; f < p->pairs.d; ++f)
            set_number(p, x, f, in_range(p->pairs.op, f, number_of(set, &p->pairs, x, f)));
}

/* p: of minkowski. */
static inline problem prune_problem(const char *op, const wedge_parameter *p, wedge_layout layout, wedge_dtype dtype,
                                    uint64_t n, uint64_t d, const data_set *set) {
    problem made = make_problem(op, layout, dtype, n, fitting(op, d));
    if (!strcmp(op, "minkowski") && p) made.pairs.parameters = p;
    fill(&made, set);
    return made;
}

/* ---- Radii ---- */

enum { RADII = 20 };

static inline double neighbour(double x, double to, size_t size) {
    return size == 8 ? nextafter(x, to) : (double)nextafterf((float)x, (float)to);
}

/* Of values in order: exactly one of them, the number before and the one behind it; and radii that nothing, everything and
 * about half of the extent is within. */
static inline double prune_radius(const double *v, uint64_t count, size_t size, unsigned k) {
    double most = count ? v[count - 1] : 1;
    const double others[] = {most / 2, INFINITY, 0, 2 * most + 1, -1};
    if (k % 4 == 3 || !count) return others[k / 4 % 5];
    uint64_t across = 0;
    while (across + 1 < count && v[across] <= most / 2) ++across;
    const uint64_t at[] = {count / 5, across, count / 50, 0, count - 1};
    double value = v[at[k / 4 % 5]];
    return k % 4 == 0 ? value : neighbour(value, k % 4 == 1 ? -INFINITY : INFINITY, size);
}

/* Values among those of the cells, in order; not all of them where they are many. */
static inline double *some_values(const cell_list *c, uint64_t *count) {
    uint64_t step = c->count / 100000 + 1;
    cell_list some = {.count = (c->count + step - 1) / step};
    some.v = malloc(some.count * sizeof *some.v + 1);
    for (uint64_t k = 0; k < some.count; ++k) some.v[k] = c->v[k * step];
    double *v = sorted_values(&some, count);
    free(some.v);
    return v;
}

/* ---- Pruned, not pruned, and the plain loops ---- */

/* Edges up to `last`: evenly spaced from 0 or from above it, given, by logarithm. */
static inline void check_edges_up_to(wedge_device *dev, const cell_list *c, double last, unsigned kind) {
    enum { BINS = 10 };
    double low = last > 1e-30 ? 0 : last - fabs(last) - 5, edges[BINS + 1];
    if (!(fabs(last) < 1e37)) return; /* not an edge of every dtype */
    for (int e = 0; e <= BINS; ++e) edges[e] = e < BINS ? low + (last - low) * (e / 2) / (BINS / 2) : last;
    if (kind % 4 == 1)
        check_given_bins(dev, c, edges, BINS);
    else if (kind % 4 == 2 && last > 1e-30)
        check_even_bins(dev, c, last / 2, last, BINS);
    else if (kind % 4 == 3 && last > 1e-30)
        check_log_bins(dev, c, last / 1000, last, BINS);
    else
        check_even_bins(dev, c, low, last, BINS);
}

/* `turns`: how many radii are tried, from the `turn`-th on. */
static inline void check_pruned(wedge_device *dev, problem *p, int sinks, unsigned turn, unsigned turns) {
    cell_list c = list_cells(dev, p);
    uint64_t count;
    double *v = some_values(&c, &count);
    if (p->pairs.layout == WEDGE_LOWER) sinks &= ~CHECK_SELECT; /* refused: t441 */
    for (unsigned k = turn; k < turn + turns; ++k)
        for (int prune = WEDGE_PRUNE_NEVER; prune <= WEDGE_PRUNE_ALWAYS; ++prune) {
            double radius = prune_radius(v, count, c.size, k);
            if (isinf(radius) && compiles_slowly(dev)) continue; /* kernels of their own */
            p->pairs.prune = prune;
            if (sinks & CHECK_COUNT) check_count(dev, &c, radius);
            if (sinks & CHECK_SELECT) check_select(dev, &c, radius);
            if (sinks & CHECK_HISTOGRAM) check_edges_up_to(dev, &c, radius, compiles_slowly(dev) ? 0 : k / 4 + k);
        }
    p->pairs.prune = WEDGE_PRUNE_AUTO;
    free(v);
    free_cells(&c);
}

#endif
