/* bench_end.h: what bench.c asks of bench_end.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_BENCH_END_H
#define WEDGE_CLI_BENCH_END_H

#include "bench/result.h"

/* `wedge bench compare OLD.json NEW.json`. */
int bench_compare(const char *const *files, int count);

/* The exit code of a run of `what` that came to its end; says why where it is not 0. */
int bench_end(const bench_result *r, const char *what);

#endif
