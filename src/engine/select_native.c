/* select_native.c: marks to a list on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "core/maps.h"
#include "engine/select.h"

/* Columns [first, end) of a row that are in the range. */
static columns columns_in(const select_batch *b, uint64_t row) {
    const domain *d = &b->job->domain;
    columns all = d->kind->columns(d, row), c = {all.first, all.last + 1};
    uint64_t start = d->kind->start(d, row), past = start + (all.last + 1 - all.first);
    if (start < b->begin) c.first += b->begin - start;
    if (past > b->end) c.last -= past - b->end;
    return c;
}

static uint32_t bits_between(uint64_t first, uint64_t end, uint64_t word) {
    uint64_t low = 32 * word, from = first > low ? first - low : 0, to = end > low ? end - low : 0;
    if (to > 32) to = 32;
    return from < to ? (uint32_t)((UINT64_C(1) << to) - (UINT64_C(1) << from)) : 0;
}

/* The marks of a word, the row's own alone. */
static uint32_t bits_of(const select_batch *b, uint64_t r, columns c, uint64_t w) {
    const marks_area *a = &b->area;
    uint32_t inside = bits_between(c.first, c.last, a->word + w);
    return inside ? ((const uint32_t *)b->marks.host)[r * a->words + w] & inside : 0;
}

static void tally_rows(void *user, uint64_t begin, uint64_t end) {
    const select_batch *b = user;
    for (uint64_t r = begin; r < end; ++r) {
        columns c = columns_in(b, b->area.row + r);
        uint32_t *counts = b->counts + r * b->chunks;
        memset(counts, 0, b->chunks * sizeof *counts);
        for (uint64_t w = 0; w < b->area.words; ++w)
            counts[w / SELECT_CHUNK] += (uint32_t)__builtin_popcount(bits_of(b, r, c, w));
    }
}

static wedge_status tally(select_batch *b) {
    wedge_device *dev = b->job->dev;
    return dev->backend->run(dev, tally_rows, b, 0, b->area.rows, 1 + (1 << 16) / (1 + b->area.words));
}

typedef struct {
    const select_batch *b;
    const select_target *to;
} listing;

/* The values of a row and a panel: a tile of them alone, so that they are the same bytes as in any other. */
typedef struct {
    char values[NATIVE_ROWS * NATIVE_COLS * MOST_VALUES * sizeof(double)] __attribute__((aligned(64)));
    uint64_t row, panel; /* of these; UINT64_MAX: of none */
} panel_values;

static void put_value(const wedge_job *job, panel_values *held, uint64_t i, uint64_t j, char *to) {
    uint64_t d = job->pairs.d, row_bytes = d * job->size, panel = j / NATIVE_COLS;
    if (held->row != i || held->panel != panel) {
        const void *points[NATIVE_ROWS];
        for (int k = 0; k < NATIVE_ROWS; ++k) points[k] = (const char *)job->points.host + i * row_bytes;
        job->tile(held->values, NATIVE_COLS * job->info.values, points,
                  (const char *)job->panels.host + panel * NATIVE_COLS * row_bytes, 1,
                  (native_args){job->set, d, job->info.values});
        held->row = i, held->panel = panel;
    }
    memcpy(to, held->values + j % NATIVE_COLS * job->cell_size, job->cell_size);
}

static void put_cell(const listing *l, panel_values *held, uint64_t i, uint64_t j, uint64_t place) {
    const select_target *to = l->to;
    const wedge_job *job = l->b->job;
    if (place < to->least || place >= to->most) return;
    if (to->pairs.handle) {
        int64_t *pair = (int64_t *)to->pairs.host + to->pair_shift + 2 * (place - to->least);
        pair[0] = (int64_t)i, pair[1] = (int64_t)j;
    }
    if (to->values.handle)
        put_value(job, held, i, j,
                  (char *)to->values.host + to->value_shift * job->size + (place - to->least) * job->cell_size);
}

static void list_rows(void *user, uint64_t begin, uint64_t end) {
    const listing *l = user;
    const select_batch *b = l->b;
    panel_values held;
    held.row = held.panel = UINT64_MAX;
    for (uint64_t r = begin; r < end; ++r) {
        columns c = columns_in(b, b->area.row + r);
        for (uint64_t k = 0; k < b->chunks; ++k) {
            uint64_t place = b->places[r * b->chunks + k], last = (k + 1) * SELECT_CHUNK;
            if (b->places[r * b->chunks + k + 1] <= l->to->least || place >= l->to->most) continue;
            if (last > b->area.words) last = b->area.words;
            for (uint64_t w = k * SELECT_CHUNK; w < last; ++w)
                for (uint32_t bits = bits_of(b, r, c, w); bits; bits &= bits - 1)
                    put_cell(l, &held, b->area.row + r, 32 * (b->area.word + w) + (uint32_t)__builtin_ctz(bits),
                             place++);
        }
    }
}

static wedge_status list(select_batch *b, const select_target *to) {
    wedge_device *dev = b->job->dev;
    listing l = {b, to};
    return dev->backend->run(dev, list_rows, &l, 0, b->area.rows, 1 + (1 << 14) / (1 + b->area.words));
}

const select_path select_native = {tally, list};
