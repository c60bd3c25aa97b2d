/* dtype.h: rounds a number to the dtype: to nearest, the one rule for every radius, cutoff and edge.
 *
 * Values are compared with limits in the dtype, so a value is within the limit that it prints as: f32(0.1) is within 0.1, and lies
 * on the edge 0.1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_DTYPE_H
#define WEDGE_CORE_DTYPE_H

#include <float.h>
#include <math.h>

#include "wedge/wedge.h"

static inline double dtype_round(double x, wedge_dtype dtype) { return dtype == WEDGE_F64 ? x : (double)(float)x; }

/* Number `at` of some of this dtype. */
static inline double dtype_get(const void *numbers, uint64_t at, wedge_dtype dtype) {
    return dtype == WEDGE_F64 ? ((const double *)numbers)[at] : (double)((const float *)numbers)[at];
}

static inline void dtype_put(void *numbers, uint64_t at, double x, wedge_dtype dtype) {
    if (dtype == WEDGE_F64)
        ((double *)numbers)[at] = x;
    else
        ((float *)numbers)[at] = (float)x;
}

/* Rounded as what values are compared with: a finite limit stays finite, the largest number at most. */
static inline double dtype_limit(double x, wedge_dtype dtype) {
    if (dtype == WEDGE_F64 || !isfinite(x)) return x;
    return dtype_round(fmin(fmax(x, -(double)FLT_MAX), (double)FLT_MAX), dtype);
}

#endif
