/* load.h: how busy the host is with other work than ours, before a run and during it.
 *
 *     load_mark from = load_begin(&result);     sets cores and load_before
 *     ... the run ...
 *     load_end(&from, &result);                 sets load_others
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_LOAD_H
#define WEDGE_BENCH_LOAD_H

#include "bench/result.h"

typedef struct {
    double wall; /* seconds of the monotonic clock */
    double own;  /* processor seconds of this process and its children */
    double all;  /* processor seconds of everything on the host; negative: not known */
} load_mark;

load_mark load_begin(bench_result *r);
void load_end(const load_mark *from, bench_result *r);

/* Cores that others kept busy from one mark to another; 0 where that is not known, or the time was below a second. */
double load_others(const load_mark *from, const load_mark *to);

/* Processor seconds in the first line of /proc/stat: all but idle and waiting, with what a hypervisor took; negative
 * where the text is none. */
double load_stat_seconds(const char *text, double ticks_per_second);

#endif
