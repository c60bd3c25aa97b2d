/* count.c: the host half of count.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "sinks/parts.h"
#include "sinks/radius.h"

static wedge_status open_count(sink *k, note *n) {
    k->slot_bytes = k->native_bytes = k->state_bytes = k->result_bytes = sizeof(uint64_t);
    return sink_open_radius(k, n);
}

static void merge(const sink *k, void *state, const void *other) {
    (void)k;
    *(uint64_t *)state += *(const uint64_t *)other;
}

static void add(const sink *k, void *state, const void *slot, bool native) {
    (void)native;
    merge(k, state, slot);
}

static uint64_t finish(const sink *k, const void *state, uint64_t cells, void *values) {
    (void)k, (void)cells;
    *(uint64_t *)values = *(const uint64_t *)state;
    return *(const uint64_t *)state;
}

static const wedge_parameter_info *const parameters[] = {
    SINK_PARAMETER("radius", .required = true, .value = NAN, .condition = "a number")};

extern const sink_def sink_count_def;
const sink_def sink_count_def = {.info = {.name = "count",
                                          .summary = "counts the cells with a value of at most radius",
                                          SINK_PARAMETERS(parameters),
                                          SINK_OUTPUTS(SINK_OUTPUT("values", WEDGE_TYPE_UINT64, "1"))},
                                 SINK_PARTS(count),
                                 .triples = true,
                                 .open = open_count,
                                 .most = sink_radius,
                                 .add = add,
                                 .merge = merge,
                                 .finish = finish};
