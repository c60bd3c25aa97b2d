/* radius.c: the parameter that `count` and `select` share.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks/radius.h"

#include <math.h>
#include <stdlib.h>

#include "core/dtype.h"

double sink_radius(const sink *k) { return k->limits[0]; }

wedge_status sink_open_radius(sink *k, note *n) {
    double radius = k->parameters.value[0];
    WEDGE_CHECK(radius == radius, n, WEDGE_BAD_ARGUMENT, "%s: radius is NaN: give a number", k->def->info.name);
    k->limits = malloc(2 * sizeof *k->limits);
    WEDGE_CHECK(k->limits, n, WEDGE_NO_MEMORY, "no memory for a radius");
    k->limits[0] = k->limits[1] = dtype_limit(radius, k->dtype);
    k->limit_count = 2;
    if (k->limits[0] < (double)INFINITY) return WEDGE_OK;
    k->definitions = text_format("#define SINK_ALL 1\n"); /* there is no number after it (leaves.h) */
    WEDGE_CHECK(k->definitions, n, WEDGE_NO_MEMORY, "no memory for a radius");
    return WEDGE_OK;
}
