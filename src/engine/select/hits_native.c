/* hits_native.c: hits on the cpu.
 *
 * A hit is turned into the caller's cell at once and put into the bucket of its row, some thousand rows each. Buckets are
 * chains of chunks; every thread fills chunks of its own. So whatever is done row by row afterwards stays in the cache.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "core/maps.h"
#include "engine/base/task_memory.h"
#include "engine/prune/prune.h"
#include "engine/range/native.h"
#include "engine/select/hits.h"

enum { CHUNK = HITS_CHUNK, BUCKET_ROWS = 1024 /* at least */, FEW = 96 /* columns, ordered by counting */ };

struct hits_buckets {
    uint32_t shift, count;            /* 2^shift rows per bucket; number of buckets */
    uint32_t chunks;                  /* chunks that fit */
    uint32_t taken;                   /* chunks needed so far, whether or not they fitted */
    uint32_t *bucket;                 /* per chunk: its bucket */
    uint32_t *used;                   /* per chunk: number of its hits */
    uint32_t *sorted;                 /* chunks in the order of their buckets */
    uint32_t first[HITS_BUCKETS + 1]; /* per bucket: its first entry in `sorted` */
    hits_thread *threads;
};

static hit *chunk_at(const hits *f, uint32_t chunk) {
    return (hit *)(void *)((uint32_t *)f->kept->found.host + FOUND_HEAD) + (size_t)chunk * CHUNK;
}

static wedge_status no_memory(const hits *f) {
    return note_fail(&f->job->dev->note, WEDGE_NO_MEMORY, "no memory for a list of pairs");
}

static wedge_status open_native(hits *f) {
    hits_buckets *b = f->cpu.buckets = calloc(1, sizeof *b);
    uint64_t rows = f->last_row - f->first_row + 1;
    if (!b) return no_memory(f);
    b->threads = calloc(f->job->dev->info.units, sizeof *b->threads);
    while (rows >> b->shift >= HITS_BUCKETS || (UINT64_C(1) << b->shift < BUCKET_ROWS && rows >> b->shift)) ++b->shift;
    b->count = (uint32_t)(((rows - 1) >> b->shift) + 1);
    f->cpu.cursors = malloc(rows * sizeof *f->cpu.cursors);
    return b->threads && f->cpu.cursors ? WEDGE_OK : no_memory(f);
}

static void close_native(hits *f) {
    if (f->cpu.buckets) {
        free(f->cpu.buckets->bucket);
        free(f->cpu.buckets->used);
        free(f->cpu.buckets->sorted);
        free(f->cpu.buckets->threads);
    }
    free(f->cpu.buckets);
    free(f->cpu.cursors);
    free(f->cpu.curve_index[0]);
    free(f->cpu.curve_index[1]);
}

/* ---- Finding ---- */

/* The caller's cell of a hit, its row counted from first_row on; false where it is not wanted. */
static bool cell_of(const hits *f, uint32_t row, uint32_t column, hit *cell) {
    uint32_t low = row < column ? row : column,
             high = row < column ? column : row; /* no branch: half of them are turned */
    uint32_t i = !f->folds ? row : f->above ? low : high, j = !f->folds ? column : f->above ? high : low;
    *cell = (hit){(uint32_t)(i - f->first_row), j};
    if (i < f->first_row || i > f->last_row) return false;
    return (i > f->first_row || j >= f->first_column) && (i < f->last_row || j <= f->last_column);
}

/* The hits of a thread's chunk are all there. */
static void end_chunk(hits *f, hits_thread *own, uint32_t bucket) {
    hit *start = own->end[bucket] ? own->end[bucket] - CHUNK : own->spare;
    if (start != own->spare)
        f->cpu.buckets->used[(start - chunk_at(f, 0)) / CHUNK] = (uint32_t)(own->next[bucket] - start);
}

static void next_chunk(hits *f, hits_thread *own, uint32_t bucket) {
    hits_buckets *b = f->cpu.buckets;
    uint32_t chunk = __atomic_fetch_add(&b->taken, 1, __ATOMIC_RELAXED);
    end_chunk(f, own, bucket);
    own->next[bucket] = chunk < b->chunks ? chunk_at(f, chunk) : own->spare;
    own->end[bucket] = own->next[bucket] + CHUNK;
    if (chunk < b->chunks) b->bucket[chunk] = bucket;
}

static void take_marks(void *user, void *slot, const native_sink *marks, uint64_t rows) {
    hits *f = user;
    hits_thread *own = slot;
    const uint32_t *order_rows = (const uint32_t *)f->job->curve.order[0].host + marks->marks_row;
    const uint32_t *order_columns = f->job->curve.order[f->job->domain.kind->two_sets].host;
    const uint32_t shift = f->cpu.buckets->shift;
    const uint64_t pairs = marks->marks_words / 2; /* of words: panels are 64 columns wide */
    for (uint64_t w = 0; w < rows * pairs; ++w) {
        uint64_t row = w / pairs, column = 32 * marks->marks_word + 64 * (w % pairs);
        for (uint64_t bits = marks->marks[2 * w] | (uint64_t)marks->marks[2 * w + 1] << 32; bits; bits &= bits - 1) {
            hit cell;
            if (!cell_of(f, order_rows[row], order_columns[column + (uint64_t)__builtin_ctzll(bits)], &cell)) continue;
            uint32_t bucket = cell.row >> shift;
            if (own->next[bucket] == own->end[bucket]) next_chunk(f, own, bucket);
            *own->next[bucket]++ = cell;
        }
    }
}

/* Which chunks a bucket has. */
static void sort_chunks(hits_buckets *b) {
    uint32_t next[HITS_BUCKETS] = {0}, sum = 0;
    for (uint32_t c = 0; c < b->taken; ++c) ++next[b->bucket[c]];
    for (uint32_t k = 0; k < b->count; ++k) {
        b->first[k] = sum;
        sum += next[k];
        next[k] = b->first[k];
    }
    b->first[b->count] = sum;
    for (uint32_t c = 0; c < b->taken; ++c) b->sorted[next[b->bucket[c]]++] = c;
}

static wedge_status make_chunks(hits *f) {
    hits_buckets *b = f->cpu.buckets;
    uint32_t chunks = (uint32_t)(f->room.room / CHUNK);
    if (b->chunks == chunks) return WEDGE_OK;
    uint32_t **each[] = {&b->bucket, &b->used, &b->sorted};
    b->chunks = chunks;
    for (int k = 0; k < 3; ++k) {
        free(*each[k]);
        *each[k] = malloc(chunks * sizeof **each[k]);
        if (!*each[k]) return no_memory(f);
    }
    return WEDGE_OK;
}

static wedge_status native_find(hits *f, uint64_t begin, uint64_t end, pace *p) {
    hits_buckets *b = f->cpu.buckets;
    uint32_t threads = f->job->dev->info.units;
    WEDGE_TRY(make_chunks(f));
    b->taken = 0;
    memset(b->threads, 0, threads * sizeof *b->threads);
    const native_marks_taker to = {take_marks, f, (char *)b->threads, sizeof *b->threads};
    WEDGE_TRY(native_take_marks(f->job, begin, end, &to, p));
    for (uint32_t t = 0; t < threads; ++t)
        for (uint32_t k = 0; k < b->count; ++k) end_chunk(f, &b->threads[t], k);
    bool fits = b->taken <= b->chunks; /* if not, the next time threads may leave other chunks unfilled */
    f->taken = ((uint64_t)b->taken + (fits ? 0 : threads * b->count)) * CHUNK;
    if (fits) sort_chunks(b);
    return WEDGE_OK;
}

/* ---- Rows ---- */

static wedge_status each_bucket(hits *f, native_task task) {
    return f->job->dev->backend->run(f->job->dev, task, f, 0, f->cpu.buckets->count, 1);
}

static void tally_buckets(void *user, uint64_t begin, uint64_t end) {
    const hits *f = user;
    const hits_buckets *b = f->cpu.buckets;
    uint32_t *counts = f->counts.host;
    for (uint32_t c = b->first[begin]; c < b->first[end]; ++c) {
        const hit *x = chunk_at(f, b->sorted[c]);
        for (uint32_t k = 0; k < b->used[b->sorted[c]]; ++k) ++counts[x[k].row];
    }
}

static wedge_status tally(hits *f) { return each_bucket(f, tally_buckets); }

static wedge_status scan(hits *f) {
    const uint32_t *counts = f->counts.host;
    uint64_t *starts = f->starts.host, rows = f->last_row - f->first_row + 1;
    f->total = 0;
    for (uint64_t r = 0; r < rows; ++r) {
        starts[r] = f->total;
        f->total += counts[r];
    }
    starts[rows] = f->total;
    return WEDGE_OK;
}

static wedge_status start_at(hits *f, uint64_t row, uint64_t *start) {
    *start = ((const uint64_t *)f->starts.host)[row];
    return WEDGE_OK;
}

static wedge_status batch(hits *f) {
    const uint64_t *starts = f->starts.host;
    for (uint64_t r = f->batch.row; r < f->batch.row + f->batch.rows; ++r)
        f->cpu.cursors[r] = starts[r] - f->batch.base;
    return WEDGE_OK;
}

static void fill_buckets(void *user, uint64_t begin, uint64_t end) {
    const hits *f = user;
    const hits_buckets *b = f->cpu.buckets;
    uint32_t *columns = f->kept->columns.host;
    for (uint32_t c = b->first[begin]; c < b->first[end]; ++c) {
        const hit *x = chunk_at(f, b->sorted[c]);
        for (uint32_t k = 0; k < b->used[b->sorted[c]]; ++k)
            if (x[k].row >= f->batch.row && x[k].row - f->batch.row < f->batch.rows)
                columns[f->cpu.cursors[x[k].row]++] = x[k].column;
    }
}

static wedge_status fill(hits *f) { return each_bucket(f, fill_buckets); }

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A column goes after all that are smaller; there are no equal ones. They are compared as int, which vectors can, at each
 * level of the instruction set. */
static inline __attribute__((always_inline)) void sort_few(uint32_t *x, uint64_t count) {
    int32_t from[FEW];
    const uint64_t whole = ceil_div(count, 16) * 16;
    memcpy(from, x, count * sizeof *x);
    for (uint64_t k = count; k < whole; ++k) from[k] = INT32_MAX;
    for (uint64_t k = 0; k < count; ++k) {
        int32_t own = from[k], smaller = 0;
        for (uint64_t other = 0; other < whole; other += 16)
            for (int l = 0; l < 16; ++l) smaller += from[other + (uint64_t)l] < own;
        x[smaller] = (uint32_t)own;
    }
}

static void sort_base(uint32_t *x, uint64_t count) { sort_few(x, count); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) static void sort_v3(uint32_t *x, uint64_t count) { sort_few(x, count); }
__attribute__((target("avx512f"))) static void sort_v4(uint32_t *x, uint64_t count) { sort_few(x, count); }
#else
#define sort_v3 sort_base
#define sort_v4 sort_base
#endif
static void (*const sorts[ISA_COUNT])(uint32_t *, uint64_t) = {sort_base, sort_v3, sort_v4};

/* Columns of a long row become bits, and bits columns again. */
static void sort_bits(uint32_t *x, uint64_t count, uint64_t *bits, uint64_t words) {
    memset(bits, 0, words * sizeof *bits);
    for (uint64_t k = 0; k < count; ++k) bits[x[k] / 64] |= UINT64_C(1) << x[k] % 64;
    for (uint64_t w = 0; w < words; ++w)
        for (uint64_t left = bits[w]; left; left &= left - 1)
            *x++ = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(left));
}

static void sort_row(const hits *f, uint32_t *x, uint64_t count, uint64_t **bits) {
    uint64_t words = ceil_div(f->job->domain.m, 64);
    if (count > FEW && count > words && !*bits) *bits = malloc(words * sizeof **bits);
    if (count > FEW && count > words && *bits)
        sort_bits(x, count, *bits, words);
    else if (count > FEW)
        qsort(x, count, sizeof *x, by_number);
    else if (count > 1)
        sorts[f->job->native.isa](x, count);
}

static void sort_rows(void *user, uint64_t begin, uint64_t end) {
    const hits *f = user;
    const uint64_t *starts = f->starts.host;
    uint32_t *columns = f->kept->columns.host;
    uint64_t *bits = NULL;
    for (uint64_t r = begin; r < end; ++r)
        sort_row(f, columns + (starts[r] - f->batch.base), starts[r + 1] - starts[r], &bits);
    free(bits);
}

static wedge_status sort(hits *f) {
    return f->job->dev->backend->run(f->job->dev, sort_rows, f, f->batch.row, f->batch.row + f->batch.rows, 256);
}

/* ---- The list ---- */

typedef struct {
    const hits *f;
    const select_target *to;
    bool failed; /* a thread had no memory */
} listing;

typedef struct {
    char panel[MOST_BOX * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    char values[NATIVE_ROWS * NATIVE_COLS * MOST_VALUES * sizeof(double)] __attribute__((aligned(64)));
} list_space;

/* Entries [from, end) of row i, at most NATIVE_COLS: their columns' points become a panel. A value is the same bytes in every
 * panel. */
static void put_values(const listing *l, list_space *s, uint64_t i, uint64_t from, uint64_t end) {
    const hits *f = l->f;
    const wedge_job *job = f->job;
    uint64_t d = job->pairs.d;
    const char *others = job->domain.kind->two_sets ? job->points.columns.host : job->points.rows.host;
    const uint32_t *columns = (const uint32_t *)f->kept->columns.host + from;
    const void *rows[NATIVE_ROWS];
    for (int r = 0; r < NATIVE_ROWS; ++r)
        rows[r] = (const char *)job->points.rows.host + f->cpu.curve_index[0][i] * d * job->size;
    for (uint64_t k = 0; k < NATIVE_COLS; ++k) {
        const char *point = others + f->cpu.curve_index[1][columns[k < end - from ? k : 0]] * d * job->size;
        for (uint64_t x = 0; x < d; ++x)
            memcpy(s->panel + (x * NATIVE_COLS + k) * job->size, point + x * job->size, job->size);
    }
    job->native.tile(s->values, NATIVE_COLS * job->info.values, rows, s->panel, 1, job_args(job, job->info.values));
    memcpy((char *)l->to->values.host + l->to->value_shift * job->size + (from - l->to->least) * job->cell_size,
           s->values, (end - from) * job->cell_size);
}

static void list_rows(void *user, uint64_t begin, uint64_t end) {
    listing *l = user;
    const hits *f = l->f;
    const select_target *to = l->to;
    list_space *space = to->values.handle ? task_memory(sizeof *space, &l->failed) : NULL;
    const uint64_t *starts = f->starts.host;
    const uint32_t *columns = f->kept->columns.host;
    for (uint64_t r = begin; r < end; ++r) {
        uint64_t first = starts[r] - f->batch.base, past = starts[r + 1] - f->batch.base, i = f->first_row + r;
        if (first < to->least) first = to->least;
        if (past > to->most) past = to->most;
        for (uint64_t k = first; to->pairs.handle && k < past; ++k) {
            int64_t *pair = (int64_t *)to->pairs.host + to->pair_shift + 2 * (k - to->least);
            pair[0] = (int64_t)i, pair[1] = (int64_t)columns[k];
        }
        for (uint64_t k = first; space && k < past; k += NATIVE_COLS)
            put_values(l, space, i, k, past - k < NATIVE_COLS ? past : k + NATIVE_COLS);
    }
    free(space);
}

/* Where along the curve each of the caller's points lies. */
static wedge_status turn_order(hits *f) {
    for (int k = 0; k < 2; ++k) {
        const uint32_t *order = f->job->curve.order[k && f->job->domain.kind->two_sets].host;
        uint64_t n = k ? f->job->domain.m : f->job->domain.n;
        f->cpu.curve_index[k] = malloc(n * sizeof *f->cpu.curve_index[k]);
        WEDGE_CHECK(f->cpu.curve_index[k], &f->job->dev->note, WEDGE_NO_MEMORY, "no memory for the values of pairs");
        for (uint64_t x = 0; x < n; ++x) f->cpu.curve_index[k][order[x]] = (uint32_t)x;
    }
    return WEDGE_OK;
}

static wedge_status list(hits *f, const select_target *to) {
    listing l = {f, to, false};
    if (to->values.handle && !f->cpu.curve_index[1]) WEDGE_TRY(turn_order(f));
    WEDGE_TRY(f->job->dev->backend->run(f->job->dev, list_rows, &l, f->batch.row, f->batch.row + f->batch.rows, 256));
    return task_memory_status(&l.failed, &f->job->dev->note);
}

const hits_path hits_native = {open_native, close_native, native_find, tally, scan, start_at, batch, fill, sort, list};
