/* radius.h: the parameter that `count` and `select` share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_RADIUS_H
#define WEDGE_SINKS_RADIUS_H

#include "sinks/sinks.h"

/* limits: the radius, rounded to the dtype, and the key up to which values are within it (the engine fills that in
 * where the op has keys). */
wedge_status sink_open_radius(sink *k, note *n);
double sink_radius(const sink *k); /* sink_def.most */

#endif
