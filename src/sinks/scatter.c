/* scatter.c: the host half of scatter (engine/rows/scatter.h).
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "sinks/radius.h"

static const wedge_parameter_info *const parameters[] = {
    SINK_PARAMETER("radius", .value = INFINITY, .condition = "a number")};

static wedge_status open_scatter(sink *k, note *n) {
    WEDGE_CHECK(!isnan(k->parameters.value[0]), n, WEDGE_BAD_ARGUMENT, "scatter: radius = nan: must be a number");
    k->values = true;
    k->limits = malloc(sizeof *k->limits);
    WEDGE_CHECK(k->limits, n, WEDGE_NO_MEMORY, "no memory for a radius");
    k->limits[0] = dtype_limit(k->parameters.value[0], k->dtype);
    k->limit_count = 1;
    if (!(k->limits[0] == INFINITY)) return WEDGE_OK;
    k->definitions = strdup("#define SCATTER_ALL 1\n");
    WEDGE_CHECK(k->definitions, n, WEDGE_NO_MEMORY, "no memory for a definition");
    return WEDGE_OK;
}

extern const sink_def sink_scatter_def;
const sink_def sink_scatter_def = {.info = {.name = "scatter",
                                            .summary = "adds up each row's values that are not above radius",
                                            SINK_PARAMETERS(parameters),
                                            SINK_OUTPUTS(SINK_OUTPUT("values", WEDGE_TYPE_DTYPE, "rows, values"),
                                                         SINK_OUTPUT("counts", WEDGE_TYPE_INT64, "rows"))},
                                   .way = WAY_ROWS,
                                   .result = ROW_SUM,
                                   .triples = true,
                                   .open = open_scatter,
                                   .most = sink_radius};
