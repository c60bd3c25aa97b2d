/* angles.c: for points on a sphere: checks latitudes, and converts degrees to radians.
 *
 * Radians are what SciPy's and scikit-learn's functions take, and degrees are what files have: taken for radians they give
 * distances that look like distances. A latitude beyond a pole tells.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>

#include "ops/ops.h"

#define HALF_PI 1.57079632679489661923
#define DEGREE (2 * HALF_PI / 180)

/* The pole itself, in f32 or by another way to convert, is a few roundings off. */
static const double most_latitude = HALF_PI * (1 + 0x1p-20);

wedge_status op_check_angles(const op_def *op, wedge_dtype dtype, const void *rows, uint64_t n, uint64_t stride,
                             bool was_degrees, const char *set, const char *remedy, note *why) {
    const double *wide = rows;
    const float *narrow = rows;
    for (uint64_t k = 0; op->angles && k < n; ++k) {
        double latitude = dtype == WEDGE_F64 ? wide[k * stride] : (double)narrow[k * stride];
        if (fabs(latitude) <= most_latitude || !isfinite(latitude)) continue;
        return note_fail(why, WEDGE_BAD_DATA, "%s: row %" PRIu64 " (from 0) has latitude %.6g: %s takes %s; %s", set, k,
                         was_degrees ? latitude / DEGREE : latitude, op->info.name,
                         was_degrees ? "degrees from -90 to 90" : "radians, from -pi/2 to pi/2", remedy);
    }
    return WEDGE_OK;
}

void op_radians(bool f64, void *numbers, uint64_t count) {
    double *wide = numbers;
    float *narrow = numbers;
    for (uint64_t k = 0; k < count; ++k)
        if (f64)
            wide[k] *= DEGREE;
        else
            narrow[k] = (float)((double)narrow[k] * DEGREE);
}
