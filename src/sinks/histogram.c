/* histogram.c: the host half of histogram: edges, how to guess a bin, and the counts.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "sinks/bin_table.h"
#include "sinks/parts.h"

#define SINK_HOST_HALF 1
#include "sinks/histogram.h"

enum { MIN, MAX, BINS, LOG, EDGES };
enum { MOST_BINS = 1 << 20, SHARED_BINS = 200 }; /* counters of a warp's threads fit shared memory */

static const wedge_parameter_info *const parameters[] = {
    [MIN] = SINK_PARAMETER("min", .condition = "min < max"),
    [MAX] = SINK_PARAMETER("max", .value = NAN, .condition = "a number, unless edges are given"),
    [BINS] = SINK_PARAMETER("bins", WEDGE_IS_WHOLE, .whole = 10, .condition = "1 to 1048576"),
    [LOG] = SINK_PARAMETER("log", WEDGE_IS_FLAG, .condition = "edges in geometric progression, min > 0"),
    [EDGES] =
        SINK_PARAMETER("edges", WEDGE_IS_LIST, .condition = "ascending numbers, instead of min, max, bins and log")};

static uint32_t bins_of(const sink *k) { return ((const histogram_own *)k->own)->bins; }

static const char *dtype_name(const sink *k) { return k->dtype == WEDGE_F64 ? "f64" : "f32"; }

/* As numpy.linspace and numpy.geomspace, in f64, and then rounded. */
static double edge_at(const sink *k, double low, double high, uint32_t at) {
    if (at == bins_of(k)) return high;
    if (!k->parameters.value[LOG]) return low + (double)at * ((high - low) / bins_of(k));
    double first = log10(low), step = (log10(high) - first) / bins_of(k);
    return at ? pow(10, first + at * step) : low;
}

/* Rounded to the dtype. The outer edges stay finite there; those between them must be so, or bins would become one. */
static wedge_status take_edge(const sink *k, note *n, double *edge, uint32_t e, double given) {
    bool outer = !e || e == bins_of(k);
    edge[e] = outer ? dtype_limit(given, k->dtype) : dtype_round(given, k->dtype);
    WEDGE_CHECK(isfinite(edge[e]), n, WEDGE_BAD_ARGUMENT, "histogram: edge %" PRIu32 " is %g: must be finite in %s", e,
                given, dtype_name(k));
    return WEDGE_OK;
}

static wedge_status given_edges(sink *k, note *n, double *edge) {
    const double *given = k->parameters.list;
    for (uint32_t e = 0; e <= bins_of(k); ++e) {
        WEDGE_TRY(take_edge(k, n, edge, e, given[e]));
        WEDGE_CHECK(!e || given[e] >= given[e - 1], n, WEDGE_BAD_ARGUMENT,
                    "histogram: edge %" PRIu32 " is %g: edges must ascend", e, given[e]);
    }
    return WEDGE_OK;
}

static wedge_status spaced_edges(sink *k, note *n, double *edge) {
    double low = k->parameters.value[MIN], high = k->parameters.value[MAX], geometric = k->parameters.value[LOG];
    WEDGE_CHECK(isfinite(low) && isfinite(high) && low < high, n, WEDGE_BAD_ARGUMENT,
                "histogram: min = %g, max = %g: give both, finite, min < max", low, high);
    WEDGE_CHECK(isfinite(dtype_limit(high, k->dtype) - dtype_limit(low, k->dtype)), n, WEDGE_BAD_ARGUMENT,
                "histogram: min = %g, max = %g: too far apart for %s", low, high, dtype_name(k));
    WEDGE_CHECK(!geometric || low > 0, n, WEDGE_BAD_ARGUMENT, "histogram: min = %g: must be above 0 for log", low);
    for (uint32_t e = 0; e <= bins_of(k); ++e) WEDGE_TRY(take_edge(k, n, edge, e, edge_at(k, low, high, e)));
    WEDGE_CHECK(edge[0] < edge[bins_of(k)], n, WEDGE_BAD_ARGUMENT, "histogram: min and max are one number in %s",
                dtype_name(k));
    return WEDGE_OK;
}

/* By how much v * scale + shift is wrong for each unit in the last place (half of one, as rounding leaves it) that v, the
 * edges and the sum are. */
static double doubt_even(const sink *k, double low, double high, double scale) {
    double unit = k->dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24;
    return unit * (fmax(fabs(low), fabs(high)) * scale + bins_of(k)) + 0x1p-60 * scale;
}

/* Logarithms on devices are wrong by up to 2^-22 of 1, or of themselves. */
static double doubt_log(double low, double high, double scale) {
    return 0x1p-23 * scale * (1 + fmax(fabs(low), fabs(high)));
}

/* The cpu takes logarithms of normal numbers alone. */
static bool has_normal_logarithm(const sink *k, double edge) {
    return edge >= (k->dtype == WEDGE_F64 ? 0x1p-1021 : 0x1p-125);
}

/* How devices guess; and the numbers that it takes. */
static bin_guess guess(const sink *k, double low, double high) {
    bool geometric = !k->parameters.list && k->parameters.value[LOG] != 0;
    if (geometric) low = log2(low), high = log2(high);
    double scale = dtype_round(bins_of(k) / (high - low), k->dtype);
    double doubt = geometric ? doubt_log(low, high, scale) : doubt_even(k, low, high, scale);
    bool normal = isfinite(scale) && scale >= (k->dtype == WEDGE_F64 ? DBL_MIN : (double)FLT_MIN);
    bool guesses = !k->parameters.list && normal && doubt < 0.01;
    k->limits[0] = scale;
    k->limits[1] = dtype_round(-low * scale - 0.5, k->dtype);
    k->limits[2] = dtype_round(doubt, k->dtype);
    return !guesses ? GUESS_NONE : geometric ? GUESS_LOG : GUESS_EVEN;
}

static wedge_status open_histogram(sink *k, note *n) {
    double bins = k->parameters.list ? (double)k->parameters.list_count - 1 : k->parameters.value[BINS];
    WEDGE_CHECK(bins >= 1 && bins <= MOST_BINS, n, WEDGE_BAD_ARGUMENT,
                "histogram: %.10g bins: must be a whole number from 1 to %d", bins, MOST_BINS);
    histogram_own *own = k->own = calloc(1, sizeof *own + bin_table_bytes((uint32_t)bins, k->dtype));
    WEDGE_CHECK(own, n, WEDGE_NO_MEMORY, "no memory for %.10g bins", bins);
    own->bins = (uint32_t)bins;
    k->limit_count = HISTOGRAM_HEAD + own->bins + 1;
    k->limits = malloc(k->limit_count * sizeof *k->limits);
    WEDGE_CHECK(k->limits, n, WEDGE_NO_MEMORY, "no memory for %" PRIu32 " bins", own->bins);
    double *edge = k->limits + HISTOGRAM_HEAD;
    WEDGE_TRY(k->parameters.list ? given_edges(k, n, edge) : spaced_edges(k, n, edge));
    own->table = bin_table_make(edge, own->bins, k->dtype, own + 1);
    bin_guess guessed = guess(k, edge[0], edge[own->bins]);
    own->guess = guessed == GUESS_LOG && !has_normal_logarithm(k, edge[0]) ? GUESS_NONE : guessed;
    k->parameters.list = NULL; /* the caller's: not kept */
    k->definitions = text_format("#define HISTOGRAM_BINS %" PRIu32 "\n%s%s", own->bins,
                                 own->bins > SHARED_BINS ? "#define HISTOGRAM_GLOBAL 1\n" : "",
                                 guessed == GUESS_NONE  ? "#define HISTOGRAM_NO_GUESS 1\n"
                                 : guessed == GUESS_LOG ? "#define HISTOGRAM_LOG 1\n"
                                                        : "");
    WEDGE_CHECK(k->definitions, n, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    size_t counters = own->bins + 3;
    k->one_slot = own->bins > SHARED_BINS;
    k->thread_bytes = k->one_slot ? 0 : counters * sizeof(uint32_t);
    k->slot_bytes = counters * sizeof(uint32_t);
    k->native_bytes = NATIVE_SETS * counters * sizeof(uint32_t) + 64 + HISTOGRAM_RING * LEAF * sizeof(uint64_t);
    k->state_bytes = k->result_bytes = counters * sizeof(uint64_t);
    return WEDGE_OK;
}

static void merge(const sink *k, void *state, const void *other) {
    const uint32_t counters = bins_of(k) + 3;
    for (uint32_t c = 0; c < counters; ++c) ((uint64_t *)state)[c] += ((const uint64_t *)other)[c];
}

/* On the cpu a slot has several sets of counters. */
static void add(const sink *k, void *state, const void *slot, bool native) {
    const uint32_t *count = slot, counters = bins_of(k) + 3;
    for (int s = 0; s < (native ? NATIVE_SETS : 1); ++s)
        for (uint32_t c = 0; c < counters; ++c) ((uint64_t *)state)[c] += *count++;
}

static double last_edge(const sink *k) { return k->limits[k->limit_count - 1]; }

/* The bins first, then below, above and NaN. Above are all others: cells of tiles that were left out, too. */
static uint64_t finish(const sink *k, const void *state, uint64_t cells, void *values) {
    const uint64_t *count = state;
    uint64_t *out = values, within = 0, below = count[0], nan = count[bins_of(k) + 2];
    for (uint32_t b = 0; b < bins_of(k); ++b) within += out[b] = count[b + 1];
    out[bins_of(k)] = below;
    out[bins_of(k) + 1] = cells - within - below - nan;
    out[bins_of(k) + 2] = nan;
    return within;
}

extern const sink_def sink_histogram_def;
const sink_def sink_histogram_def = {.info = {.name = "histogram",
                                              .summary = "counts values by bins, edges as numpy.histogram",
                                              SINK_PARAMETERS(parameters),
                                              SINK_OUTPUTS(SINK_OUTPUT("values", WEDGE_TYPE_UINT64, "bins + 3"))},
                                     SINK_PARTS(histogram),
                                     .triples = true,
                                     .open = open_histogram,
                                     .most = last_edge,
                                     .add = add,
                                     .merge = merge,
                                     .finish = finish};
