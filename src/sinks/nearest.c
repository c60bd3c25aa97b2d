/* nearest.c: the host half of nearest, which finds cells within a limit, as select does, but with a limit per row
 * (engine/rows/nearest.h).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "sinks/parts.h"

static const wedge_parameter_info parameters[] = {{"k", NAN, "a whole number from 1 to 1024"}, {"values", 0, "0 or 1"}};

static wedge_status open_nearest(sink *k, note *n) {
    double count = k->parameters.value[0], values = k->parameters.value[1];
    WEDGE_CHECK(count >= 1 && count <= MOST_NEAREST && count == floor(count), n, WEDGE_BAD_ARGUMENT,
                "nearest: k = %g: must be a whole number from 1 to %d", count, MOST_NEAREST);
    WEDGE_CHECK(values == 0 || values == 1, n, WEDGE_BAD_ARGUMENT, "nearest: values = %g: must be 0 or 1", values);
    k->smallest = (uint32_t)count;
    k->values = values != 0;
    return WEDGE_OK;
}

static double no_limit(const sink *k) {
    (void)k;
    return INFINITY;
}

extern const sink_def sink_nearest_def;
const sink_def sink_nearest_def = {.info = {.name = "nearest",
                                            .summary = "lists the k smallest values of each row",
                                            .parameter_count = 2,
                                            .parameters = parameters},
                                   SINK_PARTS(select),
                                   .way = WAY_ROWS,
                                   .result = ROW_SMALLEST,
                                   .open = open_nearest,
                                   .most = no_limit};
