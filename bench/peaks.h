/* peaks.h: the vector loops behind the cpu's ceilings, one row an instruction set, as src/ops has its tiles.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_PEAKS_H
#define WEDGE_BENCH_PEAKS_H

#include "backend/backend.h"

/* What `stream` fills, or copies to; numbers in whole lines. */
typedef struct {
    float *out;
    const float *in; /* NULL: fill */
} stream_user;

typedef struct {
    native_task stream;               /* user: a stream_user */
    native_task fused, step, root;    /* user: a float that they never write to */
    double fused_flops, steps, roots; /* of one part of each */
} peak_row;

extern const peak_row peaks_base, peaks_v3, peaks_v4; /* levels of x86-64; elsewhere the base alone */

#endif
