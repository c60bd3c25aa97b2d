/* count.c: the host half of count.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "sinks/parts.h"
#include "sinks/radius.h"

wedge_status sink_open_radius(sink *k, note *n) {
    double radius = k->set.value[0];
    WEDGE_CHECK(!k->set.list, n, WEDGE_BAD_ARGUMENT, "%s: a list for %s: give one number", k->row->info.name,
                k->row->info.parameters[k->set.list_of].name);
    WEDGE_CHECK(radius == radius, n, WEDGE_BAD_ARGUMENT, "%s: radius is NaN: give it, a number", k->row->info.name);
    k->limits = malloc(2 * sizeof *k->limits);
    WEDGE_CHECK(k->limits, n, WEDGE_NO_MEMORY, "no memory for a radius");
    k->limits[0] = k->limits[1] = sink_round_down(radius, k->dtype);
    k->limit_count = 2;
    if (k->limits[0] == (double)INFINITY) k->definitions = text_format("#define SINK_ALL 1\n");
    return WEDGE_OK;
}

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

static uint64_t settle(const sink *k, const void *state, uint64_t cells, void *values) {
    (void)k, (void)cells;
    *(uint64_t *)values = *(const uint64_t *)state;
    return *(const uint64_t *)state;
}

static const wedge_parameter_info parameters[] = {{"radius", NAN, "a number"}};

extern const sink_row sink_count_the_row;
const sink_row sink_count_the_row = {.info = {.name = "count",
                                              .summary = "counts the cells with a value of at most radius",
                                              .parameter_count = 1,
                                              .parameters = parameters},
                                     SINK_PARTS(count),
                                     .open = open_count,
                                     .add = add,
                                     .merge = merge,
                                     .settle = settle};
