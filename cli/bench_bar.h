/* bench_bar.h: the progress bar of `wedge bench`.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_BENCH_BAR_H
#define WEDGE_CLI_BENCH_BAR_H

#include "bench/lab.h"
#include "cli.h"

typedef struct {
    const cli *c;
    const lab *l;
    cli_progress progress; /* cli_progress_end ends it */
    char group[96], line[128];
    bool named; /* a map of this group was shown */
} bench_bar;

void bench_bar_begin(bench_bar *b, const cli *c, const lab *l, double budget);
bool bench_bar_say(void *b, const char *group); /* lab's say */

#endif
