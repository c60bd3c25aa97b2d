/* stats.h: what a handful of noisy times can honestly say.
 *
 * Medians and order statistics only: a shared machine's outliers must not move a result.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_STATS_H
#define WEDGE_BENCH_STATS_H

#include "bench/result.h"

double stats_median(const double *samples, int count); /* count >= 1 */

/* A distribution-free interval of the median with at least 95 % confidence by order statistics (binomial); where
 * there are too few samples for one (below 6) the whole range. */
void stats_interval(const double *samples, int count, double *low, double *high);

/* Fills median, low, high and noise from the samples. */
void timing_finish(timing *t);

/* a / b of two independent timings, with the interval that both intervals allow; zeros where b has no time. */
void stats_ratio(const timing *a, const timing *b, double *ratio, double *low, double *high);

typedef enum { SAME, FASTER, SLOWER, UNCLEAR } verdict;
extern const char *const verdict_names[];

/* By intervals of the ratio new/old: FASTER (SLOWER) if all of it is below (above) 1 by more than `margin` (0.01: 1
 * %), SAME if it lies within the margin on both sides, UNCLEAR otherwise, and always where either has too few
 * samples. */
verdict stats_compare(const timing *old, const timing *new_, double margin);

#endif
