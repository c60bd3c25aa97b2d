/* nearest_problem.h: the nearest of every row by a plain sort of stored values, and jobs that must agree with it: the
 * same columns and the same values, but that a zero may have either sign.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_NEAREST_PROBLEM_H
#define WEDGE_TESTS_NEAREST_PROBLEM_H

#include "prune_problem.h"

enum { MOST_K = 1024, MARGIN = 64 /* bytes of a guard */ };

/* ---- By plain loops ---- */

typedef struct {
    double value;
    uint32_t column;
} candidate;

/* All candidates of each row in order: row i has count[i] of them, from i * columns on. */
typedef struct {
    problem *p;
    uint64_t rows, columns;
    size_t size; /* of a number */
    candidate *nearest;
    uint32_t *count;
} ranking;

static inline int by_value_then_column(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->value < y->value || x->value > y->value) return x->value < y->value ? -1 : 1; /* zeros are equal */
    return x->column < y->column ? -1 : x->column > y->column;
}

static inline ranking rank_rows(wedge_device *dev, problem *p) {
    const wedge_job_spec *q = &p->pairs;
    bool two_sets = q->layout == WEDGE_RECTANGLE;
    cell_list c = list_cells(dev, p);
    ranking r = {.p = p, .rows = q->n, .columns = two_sets ? q->m : q->n, .size = c.size};
    r.nearest = malloc(r.rows * r.columns * sizeof *r.nearest), r.count = calloc(r.rows, sizeof *r.count);
    assert_int_equal(c.count, r.rows * r.columns);
    for (uint64_t i = 0; i < r.rows; ++i) {
        candidate *row = r.nearest + i * r.columns;
        for (uint64_t j = 0; j < r.columns; ++j) {
            double value = c.v[i * r.columns + j];
            if (!isnan(value) && (two_sets || i != j)) row[r.count[i]++] = (candidate){value, (uint32_t)j};
        }
        qsort(row, r.count[i], sizeof *row, by_value_then_column);
    }
    free_cells(&c);
    return r;
}

static inline void free_ranking(ranking *r) {
    free(r->nearest);
    free(r->count);
}

static inline double number_in(const void *values, uint64_t at, size_t size) {
    return size == 8 ? ((const double *)values)[at] : (double)((const float *)values)[at];
}

/* columns and values, where they are not NULL, are those of `rows` rows from `first` on. Numbers that are equal and not
 * 0 have the same bytes, and NaN is equal to nothing. */
static inline void assert_nearest(const ranking *r, uint32_t k, uint64_t first, uint64_t rows, const int64_t *columns,
                                  const void *values) {
    for (uint64_t at = 0; at < rows * k; ++at) {
        uint64_t i = first + at / k, place = at % k;
        bool some = place < r->count[i];
        const candidate *c = &r->nearest[i * r->columns + place];
        int64_t column = some ? (int64_t)c->column : -1;
        double value = some ? c->value : (double)INFINITY;
        if (columns && columns[at] != column)
            fail_msg(CASE "neighbour %d of %d of row %d is %lld, not %lld at %.17g", SAY_CASE(r), (int)place, (int)k,
                     (int)i, (long long)columns[at], (long long)column, value);
        if (values && !(number_in(values, at, r->size) == value))
            fail_msg(CASE "neighbour %d of %d of row %d is %.17g away, not %.17g in column %lld", SAY_CASE(r),
                     (int)place, (int)k, (int)i, number_in(values, at, r->size), value, (long long)column);
    }
}

/* ---- Jobs ---- */

static inline wedge_job *nearest_job(wedge_device *dev, const problem *p, uint32_t k, double values) {
    const wedge_parameter set[] = {WEDGE_FLAG("values", values), WEDGE_WHOLE("k", k)};
    return sink_job(dev, &p->pairs, "nearest", set, 2);
}

/* Host memory for `entries` of a result, with a guard behind them. */
typedef struct {
    char *columns, *values;
    uint64_t entries;
    size_t size;
} neighbours;

static inline neighbours room_for(uint64_t entries, size_t size) {
    neighbours to = {malloc(entries * 8 + MARGIN), malloc(entries * size + MARGIN), entries, size};
    memset(to.columns, GUARD, entries * 8 + MARGIN), memset(to.values, GUARD, entries * size + MARGIN);
    return to;
}

static inline void free_neighbours(neighbours *to) {
    free(to->columns);
    free(to->values);
}

enum { WANT_COLUMNS = 1, WANT_VALUES = 2, WANT_BOTH = 3 };

static inline wedge_result result_in(const neighbours *to, int want) {
    wedge_result r = {.size = sizeof r, .room = to->entries};
    if (want & WANT_COLUMNS) r.indices = (int64_t *)(void *)to->columns;
    if (want & WANT_VALUES) r.values = to->values;
    return r;
}

/* So many entries are written, of what was wanted, and nothing else. */
static inline void assert_written(const neighbours *to, int want, uint64_t written) {
    size_t columns = want & WANT_COLUMNS ? written * 8 : 0, values = want & WANT_VALUES ? written * to->size : 0;
    assert_untouched(to->columns + columns, to->entries * 8 - columns + MARGIN);
    assert_untouched(to->values + values, to->entries * to->size - values + MARGIN);
}

/* Rows [first, past) of a job. */
static inline void check_rows(wedge_device *dev, wedge_job *job, const ranking *r, uint32_t k, uint64_t first,
                              uint64_t past, int want) {
    uint64_t entries = (past - first) * k;
    neighbours to = room_for(entries, r->size);
    wedge_result got = result_in(&to, want);
    got.count = 77;
    assert_ok(dev, wedge_job_run(job, first * r->columns, past * r->columns, &got, NULL, NULL));
    assert_int_equal(got.count, entries);
    assert_nearest(r, k, first, past - first, got.indices, got.values);
    assert_written(&to, want, entries);
    free_neighbours(&to);
}

static inline bool can_be_pruned(const wedge_job_spec *q) { return wedge_op_find(q->op)->bounded && q->d <= 64; }

/* All rows, pruned and not. */
static inline void check_nearest(wedge_device *dev, const ranking *r, uint32_t k) {
    wedge_job_spec *q = &r->p->pairs;
    for (int prune = WEDGE_PRUNE_NEVER; prune <= (can_be_pruned(q) ? WEDGE_PRUNE_ALWAYS : WEDGE_PRUNE_NEVER); ++prune) {
        q->prune = prune;
        wedge_job *job = nearest_job(dev, r->p, k, 0);
        assert_int_equal(wedge_job_get_info(job)->bytes, r->rows * k * (8 + r->size));
        check_rows(dev, job, r, k, 0, r->rows, WANT_BOTH);
        wedge_job_destroy(job);
    }
    q->prune = WEDGE_PRUNE_AUTO;
}

/* A k: few, many, and about as many as there are. */
static inline uint32_t some_k(uint64_t columns, unsigned turn) {
    const uint64_t ks[] = {2, 16, columns - 1, 1, 100, columns, MOST_K};
    uint64_t k = ks[turn % 7];
    return k < 1 ? 1 : k > MOST_K ? MOST_K : (uint32_t)k;
}

/* `turns` of them, from the `turn`-th on. */
static inline void check_some(wedge_device *dev, problem *p, unsigned turn, unsigned turns) {
    ranking r = rank_rows(dev, p);
    for (unsigned k = turn; k < turn + turns; ++k) check_nearest(dev, &r, some_k(r.columns, k));
    free_ranking(&r);
}

#endif
