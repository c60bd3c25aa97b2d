/* frame.c: divides the extent of the points into the cells of the curve.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>

#include "engine/prune/order.h"
#include "wedge/lang.h"

#include "engine/kernels/curve.h"

_Static_assert(ORDER_DIMS == CURVE_DIMS, "order.h and curve.h name the same limit");

uint32_t order_dims(uint64_t features) { return features < ORDER_DIMS ? (uint32_t)features : ORDER_DIMS; }

/* Of no use where the dtype cannot hold it: all points are in one cell then. */
static double scale_of(double extent, uint32_t bits, wedge_dtype dtype) {
    double cells = (double)((UINT32_C(1) << bits) - 1), scale = extent > 0 ? cells / extent : 0;
    return scale <= (dtype == WEDGE_F32 ? FLT_MAX : DBL_MAX) ? scale : 0;
}

order_frame order_frame_of(uint32_t dims, wedge_dtype dtype, const double *lo, const double *hi) {
    order_frame frame = {.dims = dims, .bits = curve_bits(dims)};
    double most = 0;
    for (uint32_t f = 0; f < dims; ++f) {
        if (lo[f] > hi[f]) continue;
        frame.lo[f] = lo[f];
        if (hi[f] - lo[f] > most) most = hi[f] - lo[f];
    }
    frame.scale = scale_of(most, frame.bits, dtype);
    return frame;
}
