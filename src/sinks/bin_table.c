/* bin_table.c: cells are chosen so that few edges share one: by numbers or by their bits, whichever takes fewer steps.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks/bin_table.h"

#include <math.h>
#include <string.h>

#include "core/dtype.h"

enum { CELLS_PER_BIN = 4, LEAST_CELLS = 1 << 8, MOST_CELLS = 1 << 16 };

static uint32_t cells_for(uint32_t bins) {
    uint32_t cells = LEAST_CELLS;
    while (cells < MOST_CELLS && cells < (uint64_t)CELLS_PER_BIN * bins) cells *= 2;
    return cells;
}

/* The most that halving can ask for: a power of two above all edges. */
static uint32_t padded(uint32_t edges) {
    uint32_t most = 1;
    while (most <= edges) most *= 2;
    return most;
}

size_t bin_table_bytes(uint32_t bins, wedge_dtype dtype) {
    size_t size = dtype == WEDGE_F64 ? 8 : 4;
    return (size_t)(bins + 1 + padded(bins + 1)) * size + cells_for(bins) * sizeof(uint32_t);
}

/* What histogram.h does to a leaf, operation by operation, in the dtype. */
static double cut_of(const bin_table *t, double v, wedge_dtype dtype) {
    if (!t->by_bits) return v;
    double positive = v > 0 ? v : 0;
    float narrow = (float)positive;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &narrow, sizeof narrow);
    memcpy(&bits64, &positive, sizeof positive);
    return dtype == WEDGE_F64 ? (double)bits64 : (double)(float)bits32;
}

static uint32_t cell_of(const bin_table *t, double v, wedge_dtype dtype) {
    double x = cut_of(t, v, dtype), last = t->cells - 1;
    double at = dtype == WEDGE_F64 ? (x - t->low) * t->scale : (double)(((float)x - (float)t->low) * (float)t->scale);
    at = at > 0 ? at : 0;
    return (uint32_t)(at < last ? at : last);
}

/* Sets low and scale. A range that the dtype cannot hold leaves one cell, which takes more steps and no other answer. */
static void cut(bin_table *t, const double *edge, uint32_t bins, wedge_dtype dtype) {
    t->low = cut_of(t, edge[0], dtype);
    t->scale = dtype_round(t->cells / (cut_of(t, edge[bins], dtype) - t->low), dtype);
    if (!isfinite(t->scale) || !isfinite(dtype_round(edge[bins] - edge[0], dtype))) t->scale = 0;
}

/* Edges of each cell and of those before it; returns the most edges of one. */
static uint32_t count(const bin_table *t, const double *edge, uint32_t bins, wedge_dtype dtype, uint32_t *before) {
    uint32_t most = 0, first = 0;
    memset(before, 0, t->cells * sizeof *before);
    for (uint32_t e = 0; e <= bins; ++e) {
        uint32_t in_cell = ++before[cell_of(t, edge[e], dtype)];
        if (in_cell > most) most = in_cell;
    }
    for (uint32_t c = 0; c < t->cells; ++c) {
        uint32_t in_cell = before[c];
        before[c] = first;
        first += in_cell;
    }
    return most;
}

static uint32_t halvings_of(uint32_t most) {
    uint32_t halvings = 0;
    while ((UINT32_C(1) << halvings) <= most) ++halvings;
    return halvings;
}

static double just_above(double v, wedge_dtype dtype) {
    return dtype == WEDGE_F64 ? nextafter(v, INFINITY) : (double)nextafterf((float)v, INFINITY);
}

bin_table bin_table_make(const double *edge, uint32_t bins, wedge_dtype dtype, void *memory) {
    uint32_t most[2], edges = bins + 1, all = edges + padded(edges);
    uint32_t *before = (uint32_t *)(void *)((char *)memory + (size_t)all * (dtype == WEDGE_F64 ? 8 : 4));
    bin_table t = {.cells = cells_for(bins), .before = before, .edge = memory};
    for (int by_bits = 0; by_bits < 2; ++by_bits) {
        t.by_bits = by_bits;
        cut(&t, edge, bins, dtype);
        most[by_bits] = count(&t, edge, bins, dtype, before);
    }
    t.by_bits = halvings_of(most[1]) < halvings_of(most[0]);
    t.halvings = halvings_of(most[t.by_bits]);
    cut(&t, edge, bins, dtype);
    count(&t, edge, bins, dtype, before);
    for (uint32_t e = 0; e < all; ++e)
        dtype_put(memory, e, e < bins ? edge[e] : e == bins ? just_above(edge[bins], dtype) : (double)NAN, dtype);
    return t;
}
