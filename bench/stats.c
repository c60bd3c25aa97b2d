/* stats.c: medians, their intervals, and what two of them say about each other.
 *
 * Order statistics are found by scanning, so that nothing is allocated, the samples keep their order (which shows
 * drift) and nothing here can fail.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/stats.h"

#include <math.h>

const char *const verdict_names[] = {[SAME] = "SAME", [FASTER] = "FASTER", [SLOWER] = "SLOWER", [UNCLEAR] = "UNCLEAR"};

/* The sample in the middle, as they stand, of those strictly between low and high; NAN if there is none. */
static double pivot_between(const double *samples, int count, double low, double high) {
    int inside = 0, seen = 0;
    for (int i = 0; i < count; ++i) inside += samples[i] > low && samples[i] < high;
    for (int i = 0; i < count; ++i)
        if (samples[i] > low && samples[i] < high && seen++ == inside / 2) return samples[i];
    return NAN;
}

/* The k-th smallest, k from 0: quickselect by narrowing the values it can have. */
static double kth_smallest(const double *samples, int count, int k) {
    double low = -INFINITY, high = INFINITY;
    for (;;) {
        double pivot = pivot_between(samples, count, low, high);
        if (isnan(pivot)) return NAN;
        int below = 0, same = 0;
        for (int i = 0; i < count; ++i) {
            below += samples[i] < pivot;
            same += samples[i] == pivot;
        }
        if (k < below)
            high = pivot;
        else if (k < below + same)
            return pivot;
        else
            low = pivot;
    }
}

double stats_median(const double *samples, int count) {
    double upper = kth_smallest(samples, count, count / 2);
    return count % 2 ? upper : 0.5 * (kth_smallest(samples, count, count / 2 - 1) + upper);
}

/* The largest k for which the k-th smallest and the k-th largest of n samples enclose the median with 95 %.
 *
 * The median lies below the k-th smallest exactly if fewer than k samples fall below it: P(B < k), B ~ Bin(n, 1/2);
 * each side may have 2.5 %. In logarithms, since 2^-n underflows. */
static int interval_rank(int n) {
    double log_p = -n * log(2), tail = 0;
    int k = 0;
    for (; k < n; ++k) {
        tail += exp(log_p);
        if (tail > 0.025) break;
        log_p += log((double)(n - k) / (k + 1));
    }
    return k ? k : 1;
}

void stats_interval(const double *samples, int count, double *low, double *high) {
    int k = interval_rank(count);
    *low = kth_smallest(samples, count, k - 1);
    *high = kth_smallest(samples, count, count - k);
}

void timing_finish(timing *t) {
    t->median = t->low = t->high = t->noise = 0;
    if (t->count < 1) return;
    t->median = stats_median(t->samples, t->count);
    stats_interval(t->samples, t->count, &t->low, &t->high);
    if (t->median > 0) t->noise = 0.5 * (t->high - t->low) / t->median;
}

void stats_ratio(const timing *a, const timing *b, double *ratio, double *low, double *high) {
    *ratio = *low = *high = 0;
    if (!(b->low > 0 && b->median > 0 && b->high > 0)) return;
    *ratio = a->median / b->median;
    *low = a->low / b->high;
    *high = a->high / b->low;
}

verdict stats_compare(const timing *old, const timing *new_, double margin) {
    double ratio, low, high;
    stats_ratio(new_, old, &ratio, &low, &high);
    if (!(ratio > 0) || !timing_has_spread(old) || !timing_has_spread(new_)) return UNCLEAR;
    if (high < 1 - margin) return FASTER;
    if (low > 1 + margin) return SLOWER;
    return low >= 1 - margin && high <= 1 + margin ? SAME : UNCLEAR;
}
