/* select.c: the host half of select. Its marks are turned into a list by engine/select/select.c.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "sinks/parts.h"
#include "sinks/radius.h"

static const wedge_parameter_info *const parameters[] = {
    SINK_PARAMETER("radius", .required = true, .value = NAN, .condition = "a number"),
    SINK_PARAMETER("values", WEDGE_IS_FLAG, .condition = "")};

static wedge_status open_select(sink *k, note *n) {
    k->values = k->parameters.value[1] != 0;
    return sink_open_radius(k, n);
}

extern const sink_def sink_select_def;
const sink_def sink_select_def = {.info = {.name = "select",
                                           .summary = "lists the cells with a value of at most radius",
                                           SINK_PARAMETERS(parameters),
                                           SINK_OUTPUTS(SINK_OUTPUT("indices", WEDGE_TYPE_INT64, "count, points"),
                                                        SINK_OUTPUT("values", WEDGE_TYPE_DTYPE, "count, values"))},
                                  SINK_PARTS(select),
                                  .way = WAY_LIST,
                                  .triples = true,
                                  .open = open_select,
                                  .most = sink_radius};
