/* marks_native.c: marks to a list on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "engine/select/marks.h"

/* Words [first, end) of a row's marks, those that a cell of the range lies in. A sink marks such cells alone, so these words
 * are right as a whole; others were never written. */
typedef struct {
    uint64_t first, end;
} word_range;

static word_range words_of(const marks_batch *b, uint64_t r) {
    const domain *d = &b->job->domain;
    columns all = d->kind->columns(d, b->area.row + r);
    uint64_t start = d->kind->start(d, b->area.row + r), past = start + (all.last + 1 - all.first);
    if (start < b->begin) all.first += b->begin - start;
    if (past > b->end) all.last -= past - b->end;
    return (word_range){all.first / 32 - b->area.word, all.last / 32 + 1 - b->area.word};
}

/* What of chunk k the words are. */
static word_range words_in(word_range all, uint64_t k) {
    uint64_t first = k * SELECT_CHUNK, end = first + SELECT_CHUNK;
    return (word_range){all.first > first ? all.first : first, all.end < end ? all.end : end};
}

static const uint32_t *marks_of(const marks_batch *b, uint64_t r) {
    return (const uint32_t *)b->marks->host + r * b->area.words;
}

/* By sums of neighbouring bits, pairs and quads: the base level has no instruction for it, and vectors do this. */
static uint32_t bits_set(uint32_t x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    x += x >> 8;
    return (x + (x >> 16)) & 63u;
}

static void tally_rows(void *user, uint64_t begin, uint64_t end) {
    const marks_batch *b = user;
    for (uint64_t r = begin; r < end; ++r) {
        word_range all = words_of(b, r);
        const uint32_t *marks = marks_of(b, r);
        for (uint64_t k = 0; k < b->chunks; ++k) {
            word_range w = words_in(all, k);
            uint32_t count = 0;
            for (; w.first < w.end; ++w.first) count += bits_set(marks[w.first]);
            b->counts[r * b->chunks + k] = count;
        }
    }
}

static wedge_status tally(marks_batch *b) {
    wedge_device *dev = b->job->dev;
    return dev->backend->run(dev, tally_rows, b, 0, b->area.rows, 1 + (1 << 16) / (1 + b->area.words));
}

typedef struct {
    const marks_batch *b;
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
        for (int k = 0; k < NATIVE_ROWS; ++k) points[k] = (const char *)job->points.rows.host + i * row_bytes;
        job->native.tile(held->values, NATIVE_COLS * job->info.values, points,
                         (const char *)job->points.panels.host + panel * NATIVE_COLS * row_bytes, 1,
                         job_args(job, job->info.values));
        held->row = i, held->panel = panel;
    }
    memcpy(to, held->values + j % NATIVE_COLS * job->cell_size, job->cell_size);
}

static void put_cell(const listing *l, panel_values *held, uint64_t i, uint64_t j, uint64_t slot) {
    const select_target *to = l->to;
    const wedge_job *job = l->b->job;
    if (slot < to->least || slot >= to->most) return;
    if (to->pairs.handle) {
        int64_t *pair = (int64_t *)to->pairs.host + to->pair_shift + 2 * (slot - to->least);
        pair[0] = (int64_t)i, pair[1] = (int64_t)j;
    }
    if (to->values.handle)
        put_value(job, held, i, j,
                  (char *)to->values.host + to->value_shift * job->size + (slot - to->least) * job->cell_size);
}

/* The cells of words [first, end), at most SELECT_CHUNK of them, from `place` on. Which words have marks is found without
 * branches, which could not be predicted. */
static void list_words(const listing *l, panel_values *held, uint64_t r, word_range w, uint64_t slot) {
    const marks_batch *b = l->b;
    const uint32_t *marks = marks_of(b, r);
    uint16_t marked[SELECT_CHUNK];
    uint32_t count = 0;
    for (uint64_t k = w.first; k < w.end; ++k) {
        marked[count] = (uint16_t)(k - w.first);
        count += marks[k] != 0;
    }
    for (uint32_t m = 0; m < count; ++m) {
        const uint64_t word = w.first + marked[m];
        for (uint32_t bits = marks[word]; bits; bits &= bits - 1)
            put_cell(l, held, b->area.row + r, 32 * (b->area.word + word) + (uint32_t)__builtin_ctz(bits), slot++);
    }
}

static void list_rows(void *user, uint64_t begin, uint64_t end) {
    const listing *l = user;
    const marks_batch *b = l->b;
    panel_values held;
    held.row = held.panel = UINT64_MAX;
    for (uint64_t r = begin; r < end; ++r) {
        word_range all = words_of(b, r);
        for (uint64_t k = 0; k < b->chunks; ++k) {
            const uint64_t *slot = b->starts_at + r * b->chunks + k;
            if (slot[0] == slot[1] || slot[1] <= l->to->least || slot[0] >= l->to->most) continue;
            list_words(l, &held, r, words_in(all, k), slot[0]);
        }
    }
}

static wedge_status list(marks_batch *b, const select_target *to) {
    wedge_device *dev = b->job->dev;
    listing l = {b, to};
    return dev->backend->run(dev, list_rows, &l, 0, b->area.rows, 1 + (1 << 14) / (1 + b->area.words));
}

const marks_path marks_native = {tally, list};
