/* finds_native.c: finds on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/finds.h"
#include "engine/prune.h"

enum { PART = 1 << 14, AHEAD = 32, FEW = 48 /* columns that are put in order one by one */ };

static find *finds_of(const finds *f) { return (find *)(void *)((uint32_t *)f->job->found.host + FINDS_HEAD); }

void finds_put_marks(finds *f, const native_sink *marks, uint64_t rows) {
    find some[256];
    uint32_t count = 0;
    for (uint64_t w = 0; w < rows * marks->marks_words || count; ++w) {
        uint32_t bits = w < rows * marks->marks_words ? marks->marks[w] : 0;
        if (count + 32 > 256 || w >= rows * marks->marks_words) {
            uint64_t at = __atomic_fetch_add(&f->taken, count, __ATOMIC_RELAXED);
            if (at + count <= f->room) memcpy(finds_of(f) + at, some, count * sizeof *some);
            count = 0;
        }
        for (; bits; bits &= bits - 1)
            some[count++] =
                (find){(uint32_t)(marks->marks_row + w / marks->marks_words),
                       (uint32_t)(32 * (marks->marks_word + w % marks->marks_words)) + (uint32_t)__builtin_ctz(bits)};
    }
}

static wedge_status native_find(finds *f, uint64_t begin, uint64_t end, pace *p) {
    f->taken = 0;
    return finds_native_find(f, begin, end, p);
}

static wedge_status native_open(finds *f) {
    (void)f;
    return WEDGE_OK;
}

static void native_close(finds *f) {
    free(f->cursors);
    free(f->along[0]);
    free(f->along[1]);
}

/* ---- Rows ---- */

/* The caller's cell of a find; false where it is not wanted. */
static bool cell_of(const finds *f, find x, caller_cell *c) {
    uint64_t i = ((const uint32_t *)f->job->order[0].host)[x.row];
    uint64_t j = ((const uint32_t *)f->job->order[f->job->domain.kind->two_sets].host)[x.column];
    bool turn = f->folds && (f->above ? i > j : i < j);
    c->i = turn ? j : i, c->j = turn ? i : j;
    if (c->i < f->first_row || c->i > f->last_row) return false;
    return (c->i > f->first_row || c->j >= f->first_column) && (c->i < f->last_row || c->j <= f->last_column);
}

/* Finds as cells, AHEAD at a time: rows lie anywhere in memory, so what is needed of them is fetched before. */
typedef struct {
    uint64_t row[AHEAD]; /* from first_row on */
    uint32_t column[AHEAD];
    uint64_t count;
} some_cells;

/* fetched: `size` bytes a row. Returns the first find that was not taken. */
static uint64_t next_cells(const finds *f, uint64_t begin, uint64_t end, const void *fetched, size_t size,
                           some_cells *some) {
    caller_cell c;
    for (some->count = 0; begin < end && some->count < AHEAD; ++begin)
        if (cell_of(f, finds_of(f)[begin], &c)) {
            some->row[some->count] = c.i - f->first_row;
            some->column[some->count++] = (uint32_t)c.j;
            __builtin_prefetch((const char *)fetched + (c.i - f->first_row) * size, 1);
        }
    return begin;
}

static void tally_some(void *user, uint64_t begin, uint64_t end) {
    const finds *f = user;
    uint32_t *counts = f->counts.host;
    some_cells some;
    while (begin < end) {
        begin = next_cells(f, begin, end, counts, sizeof *counts, &some);
        for (uint64_t k = 0; k < some.count; ++k) __atomic_fetch_add(&counts[some.row[k]], 1, __ATOMIC_RELAXED);
    }
}

static wedge_status tally(finds *f) { return f->job->dev->backend->run(f->job->dev, tally_some, f, 0, f->taken, PART); }

static wedge_status scan(finds *f) {
    const uint32_t *counts = f->counts.host;
    uint64_t *starts = f->starts.host, rows = f->last_row - f->first_row + 1;
    f->total = 0;
    for (uint64_t r = 0; r < rows; ++r) {
        starts[r] = f->total;
        f->total += counts[r];
    }
    starts[rows] = f->total;
    f->cursors = malloc(rows * sizeof *f->cursors);
    WEDGE_CHECK(f->cursors, &f->job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of pairs");
    return WEDGE_OK;
}

static wedge_status start_at(finds *f, uint64_t row, uint64_t *start) {
    *start = ((const uint64_t *)f->starts.host)[row];
    return WEDGE_OK;
}

static wedge_status batch(finds *f) {
    const uint64_t *starts = f->starts.host;
    for (uint64_t r = f->row; r < f->row + f->rows; ++r) f->cursors[r] = starts[r] - f->base;
    return WEDGE_OK;
}

static void place_some(void *user, uint64_t begin, uint64_t end) {
    const finds *f = user;
    uint32_t *columns = f->job->found_columns.host;
    uint64_t place[AHEAD];
    some_cells some;
    while (begin < end) {
        begin = next_cells(f, begin, end, f->cursors, sizeof *f->cursors, &some);
        for (uint64_t k = 0; k < some.count; ++k) {
            uint64_t r = some.row[k];
            bool wanted = r >= f->row && r < f->row + f->rows;
            place[k] = wanted ? __atomic_fetch_add(&f->cursors[r], 1, __ATOMIC_RELAXED) : UINT64_MAX;
            if (wanted) __builtin_prefetch(columns + place[k], 1);
        }
        for (uint64_t k = 0; k < some.count; ++k)
            if (place[k] != UINT64_MAX) columns[place[k]] = some.column[k];
    }
}

static wedge_status place(finds *f) { return f->job->dev->backend->run(f->job->dev, place_some, f, 0, f->taken, PART); }

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort_row(uint32_t *x, uint64_t count) {
    if (count > FEW) {
        qsort(x, count, sizeof *x, by_number);
        return;
    }
    for (uint64_t k = 1; k < count; ++k) {
        uint32_t own = x[k];
        uint64_t at = k;
        for (; at && x[at - 1] > own; --at) x[at] = x[at - 1];
        x[at] = own;
    }
}

static void sort_rows(void *user, uint64_t begin, uint64_t end) {
    const finds *f = user;
    const uint64_t *starts = f->starts.host;
    for (uint64_t r = begin; r < end; ++r)
        sort_row((uint32_t *)f->job->found_columns.host + (starts[r] - f->base), starts[r + 1] - starts[r]);
}

static wedge_status sort(finds *f) {
    return f->job->dev->backend->run(f->job->dev, sort_rows, f, f->row, f->row + f->rows, 256);
}

/* ---- The list ---- */

typedef struct {
    const finds *f;
    const select_target *to;
} listing;

/* Entries [from, end) of row i, at most NATIVE_COLS: their columns' points become a panel. A value is the same bytes in every
 * panel. */
static void put_values(const listing *l, uint64_t i, uint64_t from, uint64_t end) {
    const finds *f = l->f;
    const wedge_job *job = f->job;
    uint64_t d = job->pairs.d;
    char panel[MOST_PRUNED * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    char values[NATIVE_ROWS * NATIVE_COLS * MOST_VALUES * sizeof(double)] __attribute__((aligned(64)));
    const char *others = job->domain.kind->two_sets ? job->others.host : job->points.host;
    const uint32_t *columns = (const uint32_t *)f->job->found_columns.host + from;
    const void *rows[NATIVE_ROWS];
    for (int r = 0; r < NATIVE_ROWS; ++r) rows[r] = (const char *)job->points.host + f->along[0][i] * d * job->size;
    for (uint64_t k = 0; k < NATIVE_COLS; ++k) {
        const char *point = others + f->along[1][columns[k < end - from ? k : 0]] * d * job->size;
        for (uint64_t x = 0; x < d; ++x)
            memcpy(panel + (x * NATIVE_COLS + k) * job->size, point + x * job->size, job->size);
    }
    job->tile(values, NATIVE_COLS * job->info.values, rows, panel, 1, (native_args){job->set, d, job->info.values});
    memcpy((char *)l->to->values.host + l->to->value_shift * job->size + (from - l->to->least) * job->cell_size, values,
           (end - from) * job->cell_size);
}

static void list_rows(void *user, uint64_t begin, uint64_t end) {
    const listing *l = user;
    const finds *f = l->f;
    const select_target *to = l->to;
    const uint64_t *starts = f->starts.host;
    const uint32_t *columns = f->job->found_columns.host;
    for (uint64_t r = begin; r < end; ++r) {
        uint64_t first = starts[r] - f->base, past = starts[r + 1] - f->base, i = f->first_row + r;
        if (first < to->least) first = to->least;
        if (past > to->most) past = to->most;
        for (uint64_t k = first; to->pairs.handle && k < past; ++k) {
            int64_t *pair = (int64_t *)to->pairs.host + to->pair_shift + 2 * (k - to->least);
            pair[0] = (int64_t)i, pair[1] = (int64_t)columns[k];
        }
        for (uint64_t k = first; to->values.handle && k < past; k += NATIVE_COLS)
            put_values(l, i, k, past - k < NATIVE_COLS ? past : k + NATIVE_COLS);
    }
}

/* Where along the curve each of the caller's points lies. */
static wedge_status turn_order(finds *f) {
    for (int k = 0; k < 2; ++k) {
        const uint32_t *order = f->job->order[k && f->job->domain.kind->two_sets].host;
        uint64_t n = k ? f->job->domain.m : f->job->domain.n;
        f->along[k] = malloc(n * sizeof *f->along[k]);
        WEDGE_CHECK(f->along[k], &f->job->dev->note, WEDGE_NO_MEMORY, "no memory for the values of pairs");
        for (uint64_t x = 0; x < n; ++x) f->along[k][order[x]] = (uint32_t)x;
    }
    return WEDGE_OK;
}

static wedge_status list(finds *f, const select_target *to) {
    listing l = {f, to};
    if (to->values.handle && !f->along[1]) WEDGE_TRY(turn_order(f));
    return f->job->dev->backend->run(f->job->dev, list_rows, &l, f->row, f->row + f->rows, 256);
}

const finds_path finds_native = {native_open, native_close, native_find, tally, scan,
                                 start_at,    batch,        place,       sort,  list};
