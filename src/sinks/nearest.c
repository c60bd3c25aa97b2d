/* nearest.c: the host half of nearest, which finds cells within a limit, as select does, but with a limit per row
 * (engine/rows/nearest.h).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "sinks/parts.h"

static const wedge_parameter_info *const parameters[] = {
    SINK_PARAMETER("k", WEDGE_IS_WHOLE, .required = true, .condition = "1 to 1024"),
    SINK_PARAMETER("values", WEDGE_IS_FLAG, .condition = "")};

static wedge_status open_nearest(sink *k, note *n) {
    double count = k->parameters.value[0];
    WEDGE_CHECK(count >= 1 && count <= MOST_NEAREST, n, WEDGE_BAD_ARGUMENT,
                "nearest: k = %.10g: must be a whole number from 1 to %d", count, MOST_NEAREST);
    k->smallest = (uint32_t)count;
    k->values = k->parameters.value[1] != 0;
    return WEDGE_OK;
}

static double no_limit(const sink *k) {
    (void)k;
    return INFINITY;
}

extern const sink_def sink_nearest_def;
const sink_def sink_nearest_def = {.info = {.name = "nearest",
                                            .summary = "lists the k smallest values of each row",
                                            SINK_PARAMETERS(parameters),
                                            SINK_OUTPUTS(SINK_OUTPUT("indices", WEDGE_TYPE_INT64, "rows, k"),
                                                         SINK_OUTPUT("values", WEDGE_TYPE_DTYPE, "rows, k"))},
                                   SINK_PARTS(select),
                                   .way = WAY_ROWS,
                                   .result = ROW_SMALLEST,
                                   .open = open_nearest,
                                   .most = no_limit};
