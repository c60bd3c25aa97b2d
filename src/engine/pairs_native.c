/* pairs_native.c: pairs on the cpu. Tiles of four rows are computed into a buffer that stays in the cache, and rows of
 * it go out by stores past the cache.
 *
 * Points are kept twice: by rows, and in panels of 64 columns, feature by feature, as vectors want them. Work is cut into
 * units of some rows by some columns, dealt to threads as they come free; a unit outside of the triangle or of the range costs
 * nothing.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "engine/job.h"

enum {
    FEW_FEATURES = 16,      /* up to here a unit is NATIVE_ROWS high: stores bound it */
    MANY_ROWS = 32,         /* beyond, higher: columns come from the cache more than once */
    BUFFER_BYTES = 1 << 16, /* rows of a unit on their way out */
    PANEL_BYTES = 1 << 18,  /* columns of a unit at a time */
    UNIT_COLUMNS = 1 << 14,
    UNIT_CELLS = 1 << 16,
    CACHED_BYTES = 4 << 20, /* results up to here are stored through the cache: the next one reads them there */
};

static uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* ---- Points ---- */

static void prepare_rows(void *user, uint64_t begin, uint64_t end) {
    const wedge_job *job = user;
    size_t bytes = job->pairs.d * job->size;
    native_prepare_fn *prepare = job->op->prepare[job->pairs.dtype];
    for (uint64_t x = begin; x < end; ++x) {
        char *row = (char *)job->points.host + x * bytes;
        memcpy(row, (const char *)job->pairs.points + x * bytes, bytes);
        if (prepare) prepare(row, (uint32_t)job->pairs.d);
    }
}

static void fill_panels(void *user, uint64_t begin, uint64_t end) {
    const wedge_job *job = user;
    uint64_t d = job->pairs.d, n = job->pairs.n;
    for (uint64_t column = begin * NATIVE_COLS; column < end * NATIVE_COLS; ++column) {
        uint64_t x = column < n ? column : n - 1; /* the last panel repeats the last point */
        uint64_t from = x * d, to = column / NATIVE_COLS * NATIVE_COLS * d + column % NATIVE_COLS;
        for (uint64_t f = 0; f < d; ++f, ++from, to += NATIVE_COLS)
            if (job->pairs.dtype == WEDGE_F64)
                ((double *)job->panels.host)[to] = ((const double *)job->points.host)[from];
            else
                ((float *)job->panels.host)[to] = ((const float *)job->points.host)[from];
    }
}

static wedge_status native_open(wedge_job *job) {
    wedge_device *dev = job->dev;
    uint64_t n = job->pairs.n, d = job->pairs.d, panels = ceil_div(n, NATIVE_COLS);
    const char *wanted = dev->ctx->settings[WEDGE_SET_ISA];
    native_isa isa = native_isa_choose(wanted);
    WEDGE_CHECK(isa < ISA_COUNT, &dev->note, WEDGE_BAD_ARGUMENT,
                "WEDGE_ISA is '%s': must be base, v3 or v4, and one that this processor has", wanted);
    job->tile = job->op->tile[job->pairs.dtype][isa];
    job->info.isa = native_isa_name(isa);
    job->info.map = "rows";
    job->info.tuning = "native";
    job->shape.tile = job->info.tile = d <= FEW_FEATURES ? NATIVE_ROWS : MANY_ROWS;
    WEDGE_TRY(dev->backend->buffer_new(dev, n * d * job->size, ON_DEVICE, &job->points));
    WEDGE_TRY(dev->backend->buffer_new(dev, panels * NATIVE_COLS * d * job->size, ON_DEVICE, &job->panels));
    job->info.device_bytes = job->points.bytes + job->panels.bytes;
    WEDGE_TRY(dev->backend->run(dev, prepare_rows, job, 0, n, 1 + 65536 / d));
    return dev->backend->run(dev, fill_panels, job, 0, panels, 1 + 1024 / d);
}

static void native_close(wedge_job *job) { (void)job; }

/* ---- A range ---- */

typedef struct {
    const wedge_job *job;
    char *out; /* of position begin */
    uint64_t begin, end;
    uint64_t row0, rows; /* rows that the range touches */
    uint64_t height;     /* rows of a unit */
    uint64_t unit_columns, units_across;
    uint64_t panels; /* of a buffer */
    bool past;       /* store past the cache */
} native_range;

/* The columns of a row that lie in the range and in [from, to); empty where last < first. */
static columns clip(const native_range *g, uint64_t row, uint64_t from, uint64_t to) {
    columns c = layout_columns(g->job->layout, row);
    uint64_t start = layout_start(g->job->layout, row) - c.first; /* of column 0, may wrap */
    if (start + c.first < g->begin) c.first = g->begin - start;
    if (start + c.last >= g->end) c.last = g->end - 1 - start;
    if (c.first < from) c.first = from;
    if (c.last >= to) c.last = to - 1;
    return c;
}

/* Copies past the cache: whole lines by streaming stores, the ends as they come. */
static void copy_past(char *to, const char *from, size_t bytes) {
#if defined(__SSE2__)
    size_t head = -(uintptr_t)to & 63;
    if (head > bytes) head = bytes;
    memcpy(to, from, head);
    to += head, from += head, bytes -= head;
    for (; bytes >= 64; to += 64, from += 64, bytes -= 64)
        for (int k = 0; k < 4; ++k) _mm_stream_si128((__m128i *)to + k, _mm_loadu_si128((const __m128i *)from + k));
#endif
    memcpy(to, from, bytes);
}

static void put_rows(const native_range *g, const char *buf, uint64_t row, uint64_t height, uint64_t from,
                     uint64_t to) {
    const wedge_job *job = g->job;
    size_t size = job->size, stride = g->panels * NATIVE_COLS * size;
    for (uint64_t r = 0; r < height; ++r) {
        columns c = clip(g, row + r, from, to);
        if (c.last + 1 <= c.first) continue;
        columns all = layout_columns(job->layout, row + r);
        uint64_t position = layout_start(job->layout, row + r) + c.first - all.first;
        char *target = g->out + (position - g->begin) * size;
        const char *source = buf + r * stride + (c.first - from) * size;
        size_t bytes = (c.last + 1 - c.first) * size;
        if (g->past)
            copy_past(target, source, bytes);
        else
            memcpy(target, source, bytes);
    }
}

/* Rows [row, row + height) by the panels from column `from` on, into buf. Rows past the last repeat it. */
static void compute(const native_range *g, char *buf, uint64_t row, uint64_t height, uint64_t from, uint64_t panels) {
    const wedge_job *job = g->job;
    uint64_t d = job->pairs.d, last = layout_rows(job->layout) - 1;
    const char *panel = (const char *)job->panels.host + from * d * job->size;
    for (uint64_t r = 0; r < height; r += NATIVE_ROWS) {
        const void *rows[NATIVE_ROWS];
        for (uint64_t k = 0; k < NATIVE_ROWS; ++k) {
            uint64_t x = row + r + k < last ? row + r + k : last;
            rows[k] = (const char *)job->points.host + x * d * job->size;
        }
        size_t stride = g->panels * NATIVE_COLS;
        job->tile(buf + r * stride * job->size, stride, rows, panel, panels, (native_args){job->pairs.p, d});
    }
}

static void one_unit(const native_range *g, uint64_t unit, char *buf) {
    uint64_t row = g->row0 + unit / g->units_across * g->height, height = g->height;
    uint64_t from = unit % g->units_across * g->unit_columns, to = from + g->unit_columns;
    if (row + height > g->row0 + g->rows) height = g->row0 + g->rows - row;
    uint64_t first = UINT64_MAX, end = 0;
    for (uint64_t r = 0; r < height; ++r) {
        columns c = clip(g, row + r, from, to);
        if (c.last + 1 <= c.first) continue;
        if (c.first < first) first = c.first;
        if (c.last + 1 > end) end = c.last + 1;
    }
    if (first >= end) return;
    for (uint64_t c = first / NATIVE_COLS * NATIVE_COLS; c < end; c += g->panels * NATIVE_COLS) {
        uint64_t panels = ceil_div(end - c, NATIVE_COLS);
        if (panels > g->panels) panels = g->panels;
        compute(g, buf, row, height, c, panels);
        put_rows(g, buf, row, height, c, c + panels * NATIVE_COLS);
    }
}

static void native_units(void *user, uint64_t begin, uint64_t end) {
    const native_range *g = user;
    char buf[BUFFER_BYTES] __attribute__((aligned(64)));
    for (uint64_t unit = begin; unit < end; ++unit) one_unit(g, unit, buf);
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static wedge_status native_range_run(wedge_job *job, void *queue, uint64_t begin, uint64_t end, const buffer *out,
                                     uint64_t offset) {
    (void)queue;
    wedge_device *dev = job->dev;
    uint64_t d = job->pairs.d, n = job->pairs.n;
    native_range g = {.job = job, .out = (char *)out->host + offset * job->size, .begin = begin, .end = end};
    g.row0 = layout_row(job->layout, begin);
    g.rows = layout_row(job->layout, end - 1) - g.row0 + 1;
    g.height = job->shape.tile;
    g.panels = BUFFER_BYTES / (g.height * NATIVE_COLS * job->size);
    if (g.panels * NATIVE_COLS * d * job->size > PANEL_BYTES) g.panels = PANEL_BYTES / (NATIVE_COLS * d * job->size);
    if (!g.panels) g.panels = 1;
    g.unit_columns = UNIT_COLUMNS;
    g.units_across = ceil_div(n, UNIT_COLUMNS);
    g.past = (end - begin) * job->size > CACHED_BYTES;
    uint64_t wide = n < UNIT_COLUMNS ? n : UNIT_COLUMNS, grain = UNIT_CELLS / (wide * g.height);
    return dev->backend->run(dev, native_units, &g, 0, ceil_div(g.rows, g.height) * g.units_across, grain ? grain : 1);
}

const pairs_path pairs_native = {.open = native_open, .close = native_close, .range = native_range_run};
