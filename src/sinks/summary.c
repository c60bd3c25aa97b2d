/* summary.c: the host half of summary.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/parts.h"
#include "sinks/sums.h"
#include "wedge/map.h"

#define SINK_HOST_HALF 1
#include "sinks/summary.h"

static double value_of(const sink *k, uint64_t bits) {
    double d;
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return k->dtype == WEDGE_F64 ? d : (double)f;
}

/* sign: 1 for the smallest, -1 for the largest. Ties go to the smaller position. */
static void keep_better(const sink *k, sink_extreme *best, const sink_extreme *other, double sign) {
    if (!other->some) return;
    double a = sign * value_of(k, best->bits), b = sign * value_of(k, other->bits);
    bool before = other->row < best->row || (other->row == best->row && other->column < best->column);
    if (!best->some || b < a || (b == a && before)) *best = *other;
}

static void merge(const sink *k, void *state, const void *other) {
    sink_slot *s = state;
    const sink_slot *o = other;
    digits_add(s->digit, o->digit);
    s->nan += o->nan, s->above += o->above, s->below += o->below;
    keep_better(k, &s->least, &o->least, 1);
    keep_better(k, &s->most, &o->most, -1);
}

static void add(const sink *k, void *state, const void *slot, bool native) {
    (void)native;
    merge(k, state, slot);
}

static const wedge_parameter_info *const parameters[] = {
    SINK_PARAMETER("extremes", WEDGE_IS_FLAG, .flag = true, .condition = "")};

static wedge_status open_summary(sink *k, note *n) {
    summary_own *own = k->own = calloc(1, sizeof *own);
    WEDGE_CHECK(own, n, WEDGE_NO_MEMORY, "no memory for a summary");
    own->extremes = k->parameters.value[0] != 0;
    k->definitions = text_format("#define SINK_EXTREMES %d\n", own->extremes);
    WEDGE_CHECK(k->definitions, n, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    if (!own->extremes) k->merge[0] = MERGE_WORDS, k->merge[1] = MERGE_PARTS;
    k->slot_bytes = k->native_bytes = k->state_bytes = sizeof(sink_slot);
    k->result_bytes = sizeof(wedge_summary);
    return WEDGE_OK;
}

static double sum_of(const sink_slot *s) {
    if (s->nan || (s->above && s->below)) return (double)NAN;
    return s->above ? (double)INFINITY : s->below ? -(double)INFINITY : digits_round(s->digit);
}

static uint64_t finish(const sink *k, const void *state, uint64_t cells, void *values) {
    const sink_slot *s = state;
    wedge_summary r = {.size = sizeof r, .count = cells - s->nan, .nan = s->nan, .sum = sum_of(s)};
    r.min = s->least.some ? value_of(k, s->least.bits) : (double)NAN;
    r.max = s->most.some ? value_of(k, s->most.bits) : (double)NAN;
    r.min_i = s->least.row, r.min_j = s->least.column;
    r.max_i = s->most.row, r.max_j = s->most.column;
    memcpy(values, &r, sizeof r);
    return r.count;
}

/* Those of the smallest and of the largest value. */
static uint64_t *named(void *values, int which, uint64_t **third) {
    wedge_summary *s = values;
    if (which > 1 || s->min != s->min) return NULL;
    *third = which ? &s->max_k : &s->min_k;
    return which ? &s->max_i : &s->min_i;
}

extern const sink_def sink_summary_def;
const sink_def sink_summary_def = {.info = {.name = "summary",
                                            .summary = "sum, smallest and largest value, with their cells",
                                            SINK_PARAMETERS(parameters),
                                            SINK_OUTPUTS(SINK_OUTPUT("values", WEDGE_TYPE_SUMMARY, "1"))},
                                   SINK_PARTS(summary),
                                   .triples = true,
                                   .whole_leaves = true,
                                   .open = open_summary,
                                   .add = add,
                                   .merge = merge,
                                   .finish = finish,
                                   .named = named};
