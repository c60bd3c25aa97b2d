/* truth.h: what plain loops in double precision say about the pairs of some points, and whether a result is that.
 *
 * A value that is closer to a radius or an edge than it is known may fall on either side: so each count must lie between
 * two, least and most. Few values are that close: a leaf that is lost or taken twice shows. The value of two spheres is
 * their distance over the sum of their radii, and the radius is 1: its error is relative, as that of a distance.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_TRUTH_H
#define WEDGE_BENCH_TRUTH_H

#include "bench/lab.h"
#include "io/data/hash.h"

typedef struct {
    uint64_t least, most;
} between;

typedef struct {
    uint64_t cells;
    double radius, slack; /* slack: relative */
    between within;
    double sum, min, max;
    double edge[LAB_BINS + 1];
    between beyond[LAB_BINS + 2]; /* [e]: values of which exactly e edges are not above them */
} truth;

double truth_parameter(const runner *r, const char *name, double otherwise); /* of the row's sink */

/* Nothing yet, but the radius and the edges of the row; then value by value. */
truth truth_begin(const runner *r, uint64_t n);
void truth_tell(truth *t, double value, bool histogram);

/* Of two points or spheres. */
double truth_value(const runner *r, uint64_t i, uint64_t j);

/* Of all pairs i < j of n points with 3 features, or of spheres, f32, in the unit box, on all cores: those within the
 * radius, or below the last edge, one by one; of the others only how many there are. Sum, min and max are not told. */
wedge_status truth_within(lab *l, const runner *r, uint64_t n, truth *t);

/* The last of these, which the next row of a group asks for again. */
struct cutoff_truth {
    hash_text points;
    double reach;
    truth truth;
};

/* Each fails the row at the first thing that is wrong. */
void truth_check_between(bench_row *row, const char *what, uint64_t got, between want);
void truth_check_value(runner *r, const char *what, double got, double want, double slack);
void truth_check_counts(runner *r, const truth *t, const uint64_t *counts); /* of a histogram */
/* A list of pairs: sorted, so none twice; each within the radius. found: how many of them are, surely and at most. */
void truth_check_list(runner *r, uint64_t n, const int64_t *pairs, uint64_t count, between *found);

#endif
