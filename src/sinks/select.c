/* select.c: the host half of select. Its marks are turned into a list by engine/select/select.c.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "sinks/parts.h"
#include "sinks/radius.h"

static const wedge_parameter_info parameters[] = {{"radius", NAN, "a number"}, {"values", 0, "0 or 1"}};

static wedge_status open_select(sink *k, note *n) {
    double values = k->parameters.value[1];
    WEDGE_CHECK(values == 0 || values == 1, n, WEDGE_BAD_ARGUMENT, "select: values = %g: must be 0 or 1", values);
    k->values = values != 0;
    return sink_open_radius(k, n);
}

extern const sink_def sink_select_def;
const sink_def sink_select_def = {.info = {.name = "select",
                                           .summary = "lists the cells with a value of at most radius",
                                           .parameter_count = 2,
                                           .parameters = parameters},
                                  SINK_PARTS(select),
                                  .way = WAY_LIST,
                                  .triples = true,
                                  .open = open_select,
                                  .most = sink_radius};
