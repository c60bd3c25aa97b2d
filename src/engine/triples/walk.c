/* walk.c: how the cpu goes over triplets.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/triples/walk.h"

#include "core/maps.h"
#include "engine/prune/boxes.h"

static const char *point_of(const wedge_job *job, uint64_t x) {
    return (const char *)job->points.rows.host + x * job->pairs.d * job->size;
}

static const char *panel_of(const wedge_job *job, uint64_t column) {
    return (const char *)job->points.panels.host + column * job->pairs.d * job->size;
}

triples_walk triples_walk_of(const wedge_job *job, triples_space *space) {
    return (triples_walk){.job = job,
                          .space = space,
                          .args = {job->parameters, job->pairs.d, 1, job->period.periodic ? job->period.lengths : NULL},
                          .sides = job->op->sides[job->pairs.dtype][job->native.isa],
                          .triple = job->op->triple[job->pairs.dtype][job->native.isa]};
}

/* ---- What is near ---- */

/* Distances of NATIVE_ROWS rows with a panel, as bits. */
static void put_bits(const wedge_job *job, const void *values, uint64_t row, uint32_t *bits) {
    for (int word = 0; word < NATIVE_COLS / LEAF; ++word) {
        uint64_t at = row * NATIVE_COLS + (uint64_t)word * LEAF;
        uint32_t within = 0;
        if (job->size == sizeof(double))
            for (int c = 0; c < LEAF; ++c) within |= (uint32_t)(((const double *)values)[at + c] <= job->cutoff) << c;
        else
            for (int c = 0; c < LEAF; ++c)
                within |= (uint32_t)(((const float *)values)[at + c] <= (float)job->cutoff) << c;
        bits[word] = within;
    }
}

/* Which columns of the panel at `column` are near to points [x, x + rows): bits of row r from bits[r * stride] on. By the values
 * that euclidean has; job->native.tile is its. */
static void find_within(const triples_walk *w, uint64_t x, uint64_t rows, uint64_t column, uint32_t *bits,
                        size_t stride) {
    const wedge_job *job = w->job;
    char values[NATIVE_ROWS * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    native_args args = w->args;
    args.d = job->curve.coordinates;
    for (uint64_t r = 0; r < rows; r += NATIVE_ROWS) {
        const void *points[NATIVE_ROWS];
        for (uint64_t k = 0; k < NATIVE_ROWS; ++k) points[k] = point_of(job, r + k < rows ? x + r + k : x + rows - 1);
        job->native.tile(values, NATIVE_COLS, points, panel_of(job, column), 1, args);
        for (uint64_t k = 0; k < NATIVE_ROWS && r + k < rows; ++k) put_bits(job, values, k, bits + (r + k) * stride);
    }
}

uint32_t triples_within_cutoff(const triples_walk *w, uint64_t b, uint64_t high, int word) {
    uint64_t column = b % NATIVE_COLS;
    const triples_space *s = w->space;
    if (!w->job->curve.ordered) return UINT32_MAX;
    if (!(s->ab_within[high][column / LEAF] >> column % LEAF & 1u)) return 0;
    return s->ac_within[high][word] & s->bc_within[column][word];
}

/* ---- Sides ---- */

/* The side of point a's with column b, out of those of a panel. */
static void pick_side(const triples_walk *w, uint64_t high, uint64_t b, char *ab) {
    const size_t size = w->job->size, side = w->job->op->side;
    const char *from = w->space->ab + (high * side * NATIVE_COLS + b) * size;
    for (size_t k = 0; k < side; ++k)
        for (size_t byte = 0; byte < size; ++byte) ab[k * size + byte] = from[k * NATIVE_COLS * size + byte];
}

void triples_values(const triples_walk *w, uint64_t b, uint64_t high, uint64_t count, bool pulls) {
    triples_space *s = w->space;
    char ab[MOST_SIDE * sizeof(double)] __attribute__((aligned(16)));
    pick_side(w, high, b % NATIVE_COLS, ab);
    w->triple(s->values, pulls ? s->pulls : NULL, ab, s->ac + high * w->job->op->side * ACROSS * w->job->size, s->bc,
              ACROSS, count, w->args);
}

/* ---- Units ---- */

typedef struct {
    uint64_t a, a_end, b, b_end; /* points */
} pair_block;

/* The pairs of a block with columns of `panels` panels from `from` on. */
static void visit_columns(const triples_walk *w, pair_block p, uint64_t from, uint64_t panels) {
    const wedge_job *job = w->job;
    triples_space *s = w->space;
    size_t side = job->op->side, size = job->size;
    uint64_t distinct = job->domain.kind->distinct;
    uint64_t to = from + panels * NATIVE_COLS < job->domain.n ? from + panels * NATIVE_COLS : job->domain.n;
    for (uint64_t high = 0; p.a + high < p.a_end; ++high)
        w->sides(s->ac + high * side * ACROSS * size, ACROSS, point_of(job, p.a + high), panel_of(job, from), panels,
                 w->args);
    for (uint64_t k = 0; k < panels && job->curve.ordered; ++k) {
        size_t word = k * NATIVE_COLS / LEAF;
        find_within(w, p.a, p.a_end - p.a, from + k * NATIVE_COLS, &s->ac_within[0][word], WORDS);
        find_within(w, p.b, p.b_end - p.b, from + k * NATIVE_COLS, &s->bc_within[p.b % NATIVE_COLS][word], WORDS);
    }
    for (uint64_t b = p.b; b < p.b_end; ++b) {
        if (b < from + distinct && !w->all_columns) continue;
        w->sides(s->bc, ACROSS, point_of(job, b), panel_of(job, from), panels, w->args);
        for (uint64_t high = 0; p.a + high < p.a_end; ++high)
            if (p.a + high >= b + distinct) w->visit(w, p.a + high, b, high, from, to);
    }
    if (w->computed) *w->computed += (p.a_end - p.a) * (p.b_end - p.b) * panels * NATIVE_COLS;
}

/* Columns that are in reach of the points a and of the points b. */
static void visit_block(const triples_walk *w, pair_block p) {
    const wedge_job *job = w->job;
    uint64_t end = w->all_columns ? job->domain.n : p.b_end, side = job->op->side;
    triples_space *s = w->space;
    for (uint64_t high = 0; p.a + high < p.a_end; ++high)
        w->sides(s->ab + high * side * NATIVE_COLS * job->size, NATIVE_COLS, point_of(job, p.a + high),
                 panel_of(job, p.b / NATIVE_COLS * NATIVE_COLS), 1, w->args);
    if (job->curve.ordered)
        find_within(w, p.a, p.a_end - p.a, p.b / NATIVE_COLS * NATIVE_COLS, s->ab_within[0], NATIVE_COLS / LEAF);
    column_runs of_a = runs_begin(job, point_of(job, p.a), p.a_end - p.a, 0, end);
    column_runs of_b = runs_begin(job, point_of(job, p.b), p.b_end - p.b, 0, end);
    bool some = runs_next(&of_a) && runs_next(&of_b);
    while (some) {
        uint64_t from = of_a.from > of_b.from ? of_a.from : of_b.from, to = of_a.to < of_b.to ? of_a.to : of_b.to;
        for (; from < to; from += ACROSS) {
            uint64_t panels = ceil_div(to - from, NATIVE_COLS);
            visit_columns(w, p, from, panels < ACROSS / NATIVE_COLS ? panels : ACROSS / NATIVE_COLS);
        }
        some = runs_next(of_a.to < of_b.to ? &of_a : &of_b);
    }
    if (w->done) w->done(w, p.a, p.a_end, p.b, p.b_end);
}

void triples_walk_unit(const triples_walk *w, uint64_t a, uint64_t b, uint64_t b_end) {
    const wedge_job *job = w->job;
    uint64_t n = job->domain.n, a_end = a + HIGH < n ? a + HIGH : n;
    if (b_end > a_end) b_end = a_end;
    if (a >= a_end || b >= b_end) return;
    column_runs runs = runs_begin(job, point_of(job, a), a_end - a, b, b_end);
    while (runs_next(&runs))
        for (uint64_t panel = runs.from; panel < runs.to; panel += NATIVE_COLS)
            visit_block(w, (pair_block){a, a_end, panel, panel + NATIVE_COLS < a_end ? panel + NATIVE_COLS : a_end});
}
