/* range/native.c: pairs on the cpu.
 *
 * Large results of few features go from registers to memory, past the cache: stores and arithmetic then overlap. Others
 * are computed into a buffer that stays in the cache, and rows of it are written in whole cache lines: a remainder is
 * carried to the next piece.
 *
 * Work is cut into units of some rows by some columns, dealt to threads as they come free; a unit outside of the
 * triangle or of the range costs nothing.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/dtype.h"
#include "core/maps.h"
#include "engine/base/slots.h"
#include "engine/prune/boxes.h"
#include "engine/prune/pays.h"
#include "engine/range/cache_lines.h"
#include "engine/range/native.h"
#include "engine/range/native_points.h"
#include "engine/triples/native.h"

enum {
    LINE = 64,
    FEW_FEATURES = 16,      /* up to here a unit is NATIVE_ROWS high: stores bound it */
    MANY_ROWS = 32,         /* beyond, higher: columns come from the cache more than once */
    BUFFER_BYTES = 1 << 14, /* rows of a unit on their way out, */
    FEW_BYTES = 1 << 12,    /* of few features, to be stored: soon gone, and the first cache stays free for columns */
    PANEL_BYTES = 1 << 18,  /* columns of a unit at a time */
    UNIT_COLUMNS = 1 << 14,
    UNIT_STEPS = 1 << 24,   /* features taken in by a unit: some milliseconds, */
    HEAVY_STEPS = 1 << 21,  /* and where a step is a power, some tens of them */
    TASK_CELLS = 1 << 20,   /* a batch of units: asking for the next one waits for all stores */
    PARTS = 16,             /* batches per thread, at least */
    CACHED_BYTES = 4 << 20, /* results up to here are stored through the cache: the next one reads them there */
};

_Static_assert(BUFFER_BYTES >= MANY_ROWS * NATIVE_COLS * sizeof(double), "a panel of the highest unit fits");
_Static_assert(BUFFER_BYTES >= NATIVE_ROWS * NATIVE_COLS * MOST_VALUES * sizeof(double), "and of the widest cells");

/* Features up to which values go straight to memory: half the registers are too few for more. */
static const uint64_t most_streaming[ISA_COUNT] = {0, 4, FEW_FEATURES};

static wedge_status upload_limits(wedge_job *job) {
    const sink *k = &job->sink;
    if (!k->limit_count) return WEDGE_OK;
    WEDGE_TRY(job->dev->backend->buffer_new(job->dev, k->limit_count * job->size, ON_DEVICE, &job->limits));
    job->info.device_bytes += job->limits.bytes;
    for (size_t l = 0; l < k->limit_count; ++l) dtype_put(job->limits.host, l, k->limits[l], job->pairs.dtype);
    return WEDGE_OK;
}

wedge_status native_open(wedge_job *job) {
    wedge_device *dev = job->dev;
    uint64_t d = job->pairs.d;
    const char *wanted = dev->ctx->settings[WEDGE_SET_ISA];
    native_isa isa = native_isa_choose(wanted);
    WEDGE_CHECK(isa < ISA_COUNT, &dev->note, WEDGE_BAD_ARGUMENT,
                "WEDGE_ISA is '%s': must be base, v3 or v4, and one that this processor has", wanted);
    job->native.tile =
        (job->domain.kind->triples ? op_find("euclidean") : job->op)->tile[job->pairs.dtype][isa]; /* distances */
    job->native.streaming = d <= most_streaming[isa] ? job->op->streaming[job->pairs.dtype][isa] : NULL;
    job->native.isa = isa;
    job->info.isa = native_isa_name(isa);
    job->info.map = "rows";
    job->info.tuning = "native";
    job->shape.tile = job->info.tile = d <= FEW_FEATURES || job->info.values > 1 ? NATIVE_ROWS : MANY_ROWS;
    return upload_limits(job);
}

void native_close(wedge_job *job) { job_drop(job, &job->limits); }

/* ---- A range ---- */

typedef struct {
    const wedge_job *job;
    char *out; /* where the value of position `begin` goes */
    uint64_t begin, end;
    size_t size;                                  /* bytes per cell: all values, or the first if the sink sees leaves */
    uint64_t row0, rows;                          /* rows that the range touches */
    uint64_t height;                              /* rows per unit */
    uint64_t unit_columns, column0, units_across; /* units begin at column0 */
    uint64_t panels;                              /* panels per buffer */
    bool past;                                    /* store past the cache */
    bool streaming;                               /* values go to memory directly from registers */
    copy_cache_lines_fn *lines;
    native_tile_fn *tile;               /* computes values, or keys if the sink compares keys */
    native_take_fn *take;               /* a sink that sees leaves; NULL: store */
    native_sink sink;                   /* the sink as every thread has it, without its slot */
    char *slots;                        /* the threads' slots, slot_bytes each */
    size_t slot_bytes;                  /* bytes per slot */
    uint32_t *slot_taken;               /* per slot: 1 while a thread uses it */
    const native_marks_taker *marks_to; /* select of a pruned job: marks go here at once */
    uint64_t *computed;                 /* job->info.computed */
} native_range;

/* What of a row belongs to a unit: columns [first, end). Column 0 has a place in any case, if not always memory. */
typedef struct {
    char *zero;
    uint64_t first, end;
} row_piece;

static row_piece clip(const native_range *g, uint64_t row, uint64_t from, uint64_t to) {
    const domain *d = &g->job->domain;
    columns all = d->kind->columns(d, row), c = all;
    uint64_t start = d->kind->start(d, row) - c.first; /* of column 0, may wrap */
    if (start + all.first < g->begin) c.first = g->begin - start;
    if (start + all.last >= g->end) c.last = g->end - 1 - start;
    if (c.first < from) c.first = from;
    if (c.last >= to) c.last = to - 1;
    uint64_t end = c.last + 1 > c.first ? c.last + 1 : c.first;
    if (g->take) return (row_piece){NULL, c.first, end};
    return (row_piece){g->out + (int64_t)(start - g->begin) * (int64_t)g->size, c.first, end};
}

/* A piece of a row on its way out, `carried` bytes of it from the piece before. Lines leave whole: what does not fill
 * one is carried on, unless it is the row's last piece. A line written in two halves would be read from memory in
 * between. */
static size_t put_piece(const native_range *g, char *to, const char *from, size_t bytes, bool last) {
    size_t head = -(uintptr_t)to & (LINE - 1);
    if (!g->past || head >= bytes) {
        memcpy(to, from, bytes);
        return 0;
    }
    memcpy(to, from, head);
    size_t lines = (bytes - head) / LINE, done = head + lines * LINE;
    g->lines(to + head, from + head, lines);
    if (!last) return bytes - done;
    memcpy(to + done, from + done, bytes - done);
    return 0;
}

/* What a thread works with: rows of cells, each with room for what is carried before it. */
typedef struct {
    char cells[BUFFER_BYTES + MANY_ROWS * LINE] __attribute__((aligned(64)));
    size_t carried[MANY_ROWS];
    row_piece row[MANY_ROWS];
} workspace;

static size_t row_bytes(const native_range *g) { return LINE + g->panels * NATIVE_COLS * g->size; }

static void put_rows(const native_range *g, workspace *w, uint64_t height, uint64_t from, uint64_t to) {
    size_t size = g->size;
    for (uint64_t r = 0; r < height; ++r) {
        row_piece p = w->row[r];
        uint64_t first = p.first > from ? p.first : from, end = p.end < to ? p.end : to;
        if (first >= end) continue;
        size_t carried = w->carried[r], bytes = (end - first) * size + carried;
        char *cells = w->cells + r * row_bytes(g) + LINE, *source = cells + (first - from) * size - carried;
        w->carried[r] = carried = put_piece(g, p.zero + first * size - carried, source, bytes, end == p.end);
        memcpy(cells - carried, source + bytes - carried, carried);
    }
}

/* The points of NATIVE_ROWS rows; past the last they repeat it. */
static void points_of(const wedge_job *job, uint64_t row, const void *points[NATIVE_ROWS]) {
    uint64_t last = job->domain.kind->rows(&job->domain) - 1;
    for (uint64_t k = 0; k < NATIVE_ROWS; ++k)
        points[k] = (const char *)job->points.rows.host + (row + k < last ? row + k : last) * job->pairs.d * job->size;
}

/* Rows [row, row + height) by the panels from column `from` on. */
static void compute(const native_range *g, workspace *w, uint64_t row, uint64_t height, uint64_t from,
                    uint64_t panels) {
    const wedge_job *job = g->job;
    uint64_t d = job->pairs.d;
    const char *panel = (const char *)job->points.panels.host + from * d * job->size;
    for (uint64_t r = 0; r < height; r += NATIVE_ROWS) {
        const void *points[NATIVE_ROWS];
        points_of(job, row + r, points);
        g->tile(w->cells + r * row_bytes(g) + LINE, row_bytes(g) / job->size, points, panel, panels,
                job_args(job, g->size / job->size));
    }
}

/* A unit of NATIVE_ROWS rows whose values go from registers past the cache. */
static void store_streaming(const native_range *g, const workspace *w, uint64_t row, uint64_t from, uint64_t panels) {
    const wedge_job *job = g->job;
    const void *points[NATIVE_ROWS];
    native_target out;
    points_of(job, row, points);
    for (int r = 0; r < NATIVE_ROWS; ++r) {
        row_piece p = w->row[r];
        out.at[r] = p.zero + from * job->size;
        out.begin[r] = p.zero + p.first * job->size;
        out.end[r] = p.zero + p.end * job->size;
        __builtin_prefetch(out.end[r], 1); /* a line of two rows: there by then */
    }
    job->native.streaming(&out, points, (const char *)job->points.panels.host + from * job->pairs.d * job->size, panels,
                          job_args(job, 1));
}

/* Hands the values of columns [from, to) to the sink. */
static void sink_rows(const native_range *g, const native_sink *k, const workspace *w, uint64_t row, uint64_t height,
                      uint64_t from, uint64_t to) {
    for (uint64_t r = 0; r < height; ++r) {
        row_piece p = w->row[r];
        uint64_t first = p.first > from ? p.first : from, end = p.end < to ? p.end : to;
        if (first < end) g->take(k, w->cells + r * row_bytes(g) + LINE, row + r, from, first, end);
    }
}

/* The same where marks are handed on at once. */
static void find_rows(const native_range *g, const native_sink *k, const workspace *w, uint64_t row, uint64_t height,
                      uint64_t from, uint64_t to) {
    uint32_t marks[BUFFER_BYTES / sizeof(float) / LEAF];
    native_sink own = *k;
    own.marks = marks, own.marks_row = row, own.marks_word = from / LEAF, own.marks_words = (to - from) / LEAF;
    memset(marks, 0, height * own.marks_words * sizeof *marks);
    sink_rows(g, &own, w, row, height, from, to);
    g->marks_to->take(g->marks_to->user, k->slot, &own, height);
}

static void one_unit(const native_range *g, const native_sink *k, uint64_t unit, workspace *w) {
    uint64_t row = g->row0 + unit / g->units_across * g->height, height = g->height;
    uint64_t from = g->column0 + unit % g->units_across * g->unit_columns, to = from + g->unit_columns;
    if (row + height > g->row0 + g->rows) height = g->row0 + g->rows - row;
    uint64_t first = UINT64_MAX, end = 0, computed = 0;
    for (uint64_t r = 0; r < g->height; ++r) {
        row_piece p = r < height ? clip(g, row + r, from, to) : (row_piece){g->out, 0, 0};
        w->row[r] = p;
        w->carried[r] = 0;
        if (p.first >= p.end) continue;
        if (p.first < first) first = p.first;
        if (p.end > end) end = p.end;
    }
    if (first >= end) return;
    first = first / NATIVE_COLS * NATIVE_COLS;
    if (g->streaming) {
        store_streaming(g, w, row, first, ceil_div(end - first, NATIVE_COLS));
        return;
    }
    const char *points = (const char *)g->job->points.rows.host + row * g->job->pairs.d * g->job->size;
    column_runs runs = runs_begin(g->job, points, height, first, end);
    while (runs_next(&runs)) {
        computed += (runs.to - runs.from) * height;
        for (uint64_t c = runs.from; c < runs.to; c += g->panels * NATIVE_COLS) {
            uint64_t panels = ceil_div(runs.to - c, NATIVE_COLS);
            if (panels > g->panels) panels = g->panels;
            compute(g, w, row, height, c, panels);
            if (g->marks_to)
                find_rows(g, k, w, row, height, c, c + panels * NATIVE_COLS);
            else if (g->take)
                sink_rows(g, k, w, row, height, c, c + panels * NATIVE_COLS);
            else
                put_rows(g, w, height, c, c + panels * NATIVE_COLS);
        }
    }
    if (g->job->info.pruned) __atomic_fetch_add(g->computed, computed, __ATOMIC_RELAXED);
}

/* Slots of threads do not share lines. */
static size_t slot_bytes(const wedge_job *job) { return ceil_div(job->sink.native_bytes, LINE) * LINE; }

static void native_units(void *user, uint64_t begin, uint64_t end) {
    const native_range *g = user;
    workspace w;
    native_sink k = g->sink;
    uint32_t slot = g->slots ? slot_take(g->slot_taken) : 0;
    if (g->slots) k.slot = g->slots + slot * g->slot_bytes;
    for (uint64_t unit = begin; unit < end; ++unit) one_unit(g, &k, unit, &w);
    if (g->slots) slot_give(g->slot_taken, slot);
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* Short enough that a stop need not wait for them; but a panel of NATIVE_ROWS rows at least. */
static void shape_units(native_range *g) {
    const wedge_job *job = g->job;
    uint64_t d = job->pairs.d, steps = job->op->heavy ? HEAVY_STEPS : UNIT_STEPS;
    const domain *cells = &job->domain;
    columns first = cells->kind->columns(cells, g->row0), last = cells->kind->columns(cells, g->row0 + g->rows - 1);
    g->height = job->shape.tile;
    if (job->info.pruned) g->height = PRUNED_ROWS;
    if (d * NATIVE_COLS * g->height > steps) g->height = NATIVE_ROWS;
    g->unit_columns = steps / (d * g->height) / NATIVE_COLS * NATIVE_COLS;
    if (g->unit_columns > UNIT_COLUMNS && !job->info.pruned) g->unit_columns = UNIT_COLUMNS;
    if (!g->unit_columns) g->unit_columns = NATIVE_COLS;
    g->column0 = first.first / g->unit_columns * g->unit_columns; /* rows that begin later, or end sooner, lie within */
    g->units_across = ceil_div(last.last + 1 - g->column0, g->unit_columns);
}

typedef struct {
    native_range g;
    wedge_device *dev;
    uint64_t grain;
    uint32_t threads;
} native_steps;

static wedge_status run_units(void *user, uint64_t begin, uint64_t end) {
    native_steps *s = user;
    uint64_t each = ceil_div(end - begin, s->threads);
    return s->dev->backend->run(s->dev, native_units, &s->g, begin, end, s->grain < each ? s->grain : each);
}

/* Positions [begin, end) of the range g, whose sink is set. */
static wedge_status run_range(wedge_job *job, void *queue, uint64_t begin, uint64_t end, native_range g, pace *pace) {
    wedge_device *dev = job->dev;
    const domain *cells = &job->domain;
    uint64_t d = job->pairs.d, n = cells->m;
    g.job = job, g.begin = begin, g.end = end, g.computed = &job->info.computed;
    g.row0 = cells->kind->row(cells, begin);
    g.rows = cells->kind->row(cells, end - 1) - g.row0 + 1;
    shape_units(&g);
    uint64_t buffer = g.height == NATIVE_ROWS && !g.take ? FEW_BYTES : BUFFER_BYTES;
    g.size = g.take ? job->size : job->cell_size;
    g.panels = buffer / (g.height * NATIVE_COLS * g.size);
    if (g.panels * NATIVE_COLS * d * job->size > PANEL_BYTES) g.panels = PANEL_BYTES / (NATIVE_COLS * d * job->size);
    if (!g.panels) g.panels = 1;
    g.lines = copy_cache_lines[job->native.isa];
    g.past = !g.take && (end - begin) * g.size > CACHED_BYTES;
    g.streaming = g.past && job->native.streaming && !job->period.periodic;
    uint64_t units = ceil_div(g.rows, g.height) * g.units_across, wide = n < g.unit_columns ? n : g.unit_columns;
    uint64_t grain = TASK_CELLS / (wide * g.height), most = units / (PARTS * dev->info.units);
    if (grain > most) grain = most;
    if (!grain) grain = 1;
    bool alone = !pays_to_share(job, end - begin);
    native_steps steps = {g, dev, alone ? units : grain, alone ? 1 : dev->info.units};
    pace_items all = {units, (double)(wide * g.height), dev->info.units};
    return pace_run(pace, dev, queue, all, run_units, &steps);
}

wedge_status native_range_run(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out,
                              uint64_t offset, pace *pace) {
    native_range g = {.out = (char *)out->host + offset * job->cell_size, .tile = job->native.tile};
    triples_range triples = {.job = job, .begin = begin, .end = end, .out = g.out};
    if (job->domain.kind->triples) return triples_native_run(&triples, pace);
    return run_range(job, queue, begin, end, g, pace);
}

static native_range leaf_range(const wedge_job *job) {
    native_tile_fn *keys = sink_has_key_limit(&job->sink) ? job->op->keys[job->pairs.dtype][job->native.isa] : NULL;
    const char *limits = job->limits.host; /* NULL: this sink has none */
    return (native_range){.take = job->sink.def->take[job->pairs.dtype][job->native.isa],
                          .tile = keys ? keys : job->native.tile,
                          .sink = {.limits = keys ? limits + job->size : limits, .own = job->sink.own}};
}

/* With a slot for each thread. */
static wedge_status run_slots(wedge_job *job, uint64_t begin, uint64_t end, native_range g, uint64_t *inside,
                              pace *pace) {
    wedge_device *dev = job->dev;
    g.slot_taken = calloc(dev->info.units, sizeof *g.slot_taken);
    WEDGE_CHECK(g.slot_taken, &dev->note, WEDGE_NO_MEMORY, "no memory for %u threads", dev->info.units);
    triples_range triples = {.job = job,
                             .begin = begin,
                             .end = end,
                             .take = g.take,
                             .sink = g.sink,
                             .slots = g.slots,
                             .slot_bytes = g.slot_bytes,
                             .slot_taken = g.slot_taken};
    wedge_status status = job->domain.kind->triples ? triples_native_run(&triples, pace)
                                                    : run_range(job, job->queue, begin, end, g, pace);
    *inside = triples.inside;
    if (job->info.pruned && job->domain.kind->triples) job->info.computed += triples.computed;
    free(g.slot_taken);
    return status;
}

wedge_status native_sum(wedge_job *job, uint64_t begin, uint64_t end, buffer *slots, void *state, uint64_t *inside,
                        pace *pace) {
    wedge_device *dev = job->dev;
    uint32_t threads = dev->info.units;
    native_range g = leaf_range(job);
    g.slot_bytes = slot_bytes(job);
    WEDGE_TRY(job_reserve(job, slots, threads * g.slot_bytes));
    g.slots = slots->host;
    memset(g.slots, 0, threads * g.slot_bytes);
    wedge_status status = run_slots(job, begin, end, g, inside, pace);
    for (uint32_t t = 0; t < threads && !status; ++t)
        job->sink.def->add(&job->sink, state, g.slots + t * g.slot_bytes, true);
    return status;
}

/* A thread's digits take 2^30 terms; where the sum of a leaf overflows, each of its cells is one. */
uint64_t native_most_sum(const wedge_job *job) {
    (void)job;
    return UINT64_C(1) << 30;
}

wedge_status native_mark(wedge_job *job, uint64_t begin, uint64_t end, const marks_area *area, const buffer *marks,
                         pace *pace) {
    native_range g = leaf_range(job);
    g.sink.marks = marks->host;
    g.sink.marks_row = area->row, g.sink.marks_word = area->word, g.sink.marks_words = area->words;
    return run_range(job, job->queue, begin, end, g, pace);
}

wedge_status native_take_marks(wedge_job *job, uint64_t begin, uint64_t end, const native_marks_taker *to, pace *pace) {
    native_range g = leaf_range(job);
    g.marks_to = to;
    g.slots = to->slots, g.slot_bytes = to->slot_bytes;
    return run_slots(job, begin, end, g, &(uint64_t){0}, pace);
}

uint32_t native_rows(const wedge_job *job) { return job->domain.kind->triples ? NATIVE_COLS : NATIVE_ROWS; }
