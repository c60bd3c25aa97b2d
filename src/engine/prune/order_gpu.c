/* order_gpu.c: the order of points on a GPU; the kernels are in kernels/order.h and scan.h.
 *
 * The extents are copied to the host, which derives the frame of the cells. After that all launches of a sort are queued at
 * once; then the host asks for long runs of equal keys, and sorts each of them in the same way.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "backend/gpu/program.h"
#include "core/dtype.h"
#include "core/maps.h"
#include "engine/gpu/args.h"
#include "engine/kernels/texts.h"
#include "engine/prune/order.h"

/* As the kernels have it. */
enum { EXTENT_BLOCKS = 512, DIGITS = 256, DIGIT_BITS = 8 };

typedef struct {
    wedge_job *job;
    const buffer *raw;
    order_args args;
    uint32_t chunks, extent_blocks;
    buffer order;               /* the result; it is indices[0] while all points are sorted */
    buffer keys[2], indices[2]; /* a pass goes from one to the other */
    buffer counts, starts;      /* per digit and chunk */
    buffer found;               /* extents, per block */
    buffer runs;                /* how many long runs there are, where each begins, and its length */
    buffer spare;               /* all but the order, where memory can be pointed into */
} sorter;

wedge_status order_tools(wedge_job *job) {
    const source_piece pieces[] = {
        {"number", job->pairs.dtype == WEDGE_F64 ? "typedef double number;" : "typedef float number;"},
        {"lang.h", text_lang},
        {"kernels/args.h", text_args},
        {"box", job->period.periodic ? "#define ORDER_PERIODIC 1" : "#define ORDER_PERIODIC 0"},
        {"curve.h", text_curve},
        {"wrap.h", text_wrap},
        {"scan.h", text_scan},
        {"kernels/order.h", text_order},
        {"found.h", text_found}};
    return job->gpu.tools ? WEDGE_OK : gpu_build(job->dev, pieces, sizeof pieces / sizeof *pieces, &job->gpu.tools);
}

static wedge_status launch(wedge_job *job, const char *name, uint32_t blocks, uint32_t threads, const kernel_arg *args,
                           int count) {
    grid_launch l = {{blocks, 1, 1}, {threads, 1, 1}, args, count};
    return gpu_launch(job, job->gpu.tools, name, l);
}

wedge_status gpu_scan(wedge_job *job, const buffer *counts, uint64_t n, const buffer *starts) {
    WEDGE_CHECK(n <= SCAN_MOST, &job->dev->note, WEDGE_UNSUPPORTED, "%" PRIu64 " counts: at most %" PRIu64 " have sums",
                n, SCAN_MOST);
    uint32_t many = (uint32_t)n, chunks = (uint32_t)ceil_div(n, SCAN_CHUNK);
    const kernel_arg all[] = {ARG_BUFFER(counts), ARG_VALUE(many), ARG_BUFFER(starts)};
    const kernel_arg tops[] = {ARG_BUFFER(starts), ARG_VALUE(many)};
    if (n) WEDGE_TRY(launch(job, "scan_sums", chunks, SCAN_BLOCK, all, 3));
    WEDGE_TRY(launch(job, "scan_tops", 1, SCAN_BLOCK, tops, 2));
    return n ? launch(job, "scan_starts", chunks, SCAN_BLOCK, all, 3) : WEDGE_OK;
}

/* ---- The cells' frame ---- */

/* The lengths of a periodic box, as kernels/order.h has them: the last argument where there is one. */
typedef struct {
    float f32[ORDER_DIMS];
    double f64[ORDER_DIMS];
} period_lengths;

static period_lengths lengths_of(const sorter *s) {
    period_lengths l = {{0}, {0}};
    for (uint32_t f = 0; f < s->args.dims; ++f) l.f32[f] = (float)(l.f64[f] = s->job->period.lengths[f]);
    return l;
}
#define LENGTHS(l, job) \
    { .value = (job)->size == 8 ? (const void *)(l).f64 : (const void *)(l).f32, .size = ORDER_DIMS * (job)->size }

static order_frame fold(const sorter *s, const void *found) {
    double lo[ORDER_DIMS], hi[ORDER_DIMS];
    for (uint32_t f = 0; f < s->args.dims; ++f) {
        lo[f] = INFINITY, hi[f] = -INFINITY;
        for (uint32_t b = 0; b < s->extent_blocks; ++b) {
            uint64_t at = 2 * (UINT64_C(1) * b * ORDER_DIMS + f);
            lo[f] = fmin(lo[f], dtype_get(found, at, s->job->pairs.dtype));
            hi[f] = fmax(hi[f], dtype_get(found, at + 1, s->job->pairs.dtype));
        }
    }
    return order_frame_of(s->args.dims, s->job->pairs.dtype, lo, hi);
}

static wedge_status find_extents(const sorter *s, void *found) {
    wedge_device *dev = s->job->dev;
    const period_lengths period = lengths_of(s);
    const kernel_arg args[] = {ARG_BUFFER(s->raw), ARG_VALUE(s->args), ARG_BUFFER(&s->order), ARG_BUFFER(&s->found),
                               LENGTHS(period, s->job)};
    WEDGE_TRY(launch(s->job, "order_extent", s->extent_blocks, EXTENT_BLOCK, args, 4 + s->job->period.periodic));
    WEDGE_TRY(dev->backend->read(dev, s->job->queue, found, &s->found, 0, s->found.bytes));
    return dev->backend->wait(dev, s->job->queue);
}

static wedge_status find_frame(const sorter *s, order_frame *frame) {
    void *found = malloc(s->found.bytes);
    WEDGE_CHECK(found, &s->job->dev->note, WEDGE_NO_MEMORY, "no memory for the extents of points");
    wedge_status status = find_extents(s, found);
    if (!status) *frame = fold(s, found);
    free(found);
    return status;
}

/* ---- Keys, and the passes of the sort ---- */

static wedge_status make_keys(const sorter *s, const order_frame *frame, int first) {
    double f64[ORDER_DIMS + 1];
    float f32[ORDER_DIMS + 1];
    for (int f = 0; f < ORDER_DIMS; ++f) f64[f] = frame->lo[f];
    f64[ORDER_DIMS] = frame->scale;
    for (int f = 0; f <= ORDER_DIMS; ++f) f32[f] = (float)f64[f];
    bool is_f64 = s->job->pairs.dtype == WEDGE_F64;
    const period_lengths period = lengths_of(s);
    const kernel_arg numbers = {.value = is_f64 ? (const void *)f64 : (const void *)f32,
                                .size = is_f64 ? sizeof f64 : sizeof f32};
    const kernel_arg args[] = {ARG_BUFFER(s->raw),          ARG_VALUE(s->args),
                               ARG_BUFFER(&s->order),       numbers,
                               ARG_BUFFER(&s->keys[first]), ARG_BUFFER(&s->indices[first]),
                               LENGTHS(period, s->job)};
    return launch(s->job, "order_keys", (uint32_t)ceil_div(s->args.n, SCAN_BLOCK), SCAN_BLOCK, args,
                  6 + s->job->period.periodic);
}

static wedge_status sort_pass(const sorter *s, uint32_t shift, int from) {
    const kernel_arg tally[] = {ARG_BUFFER(&s->keys[from]), ARG_VALUE(s->args.n), ARG_VALUE(shift),
                                ARG_BUFFER(&s->counts)};
    const kernel_arg scatter[] = {
        ARG_BUFFER(&s->keys[from]), ARG_BUFFER(&s->indices[from]), ARG_VALUE(s->args.n),          ARG_VALUE(shift),
        ARG_BUFFER(&s->starts),     ARG_BUFFER(&s->keys[!from]),   ARG_BUFFER(&s->indices[!from])};
    WEDGE_TRY(launch(s->job, "order_tally", s->chunks, SCAN_BLOCK, tally, 4));
    WEDGE_TRY(gpu_scan(s->job, &s->counts, UINT64_C(1) * DIGITS * s->chunks, &s->starts));
    return launch(s->job, "order_scatter", s->chunks, SCAN_BLOCK, scatter, 7);
}

/* Sorts along the curve through the points' own extents. The last pass ends in keys[0] and indices[0]. *apart: some points
 * have different cells; a run that has none stays as it is. */
static wedge_status sort(const sorter *s, bool *apart) {
    order_frame frame = {0};
    WEDGE_TRY(find_frame(s, &frame));
    *apart = frame.scale > 0;
    if (!*apart && !s->args.whole) return WEDGE_OK;
    uint32_t bits = frame.dims * frame.bits, passes = (uint32_t)ceil_div(bits, DIGIT_BITS);
    int from = passes % 2;
    WEDGE_TRY(make_keys(s, &frame, from));
    for (uint32_t p = 0; p < passes; ++p, from = !from) WEDGE_TRY(sort_pass(s, p * DIGIT_BITS, from));
    return WEDGE_OK;
}

/* ---- Long runs of equal keys ---- */

typedef struct {
    uint32_t first, n, level; /* points of the order, and how often they were sorted */
} run;

/* Runs to sort. They share no point, so there are at most ORDER_RUNS. */
typedef struct {
    run all[ORDER_RUNS];
    uint32_t count;
} run_list;

/* Adds the runs of points that were just sorted. */
static wedge_status add_runs(const sorter *s, uint32_t least, uint32_t level, run_list *list) {
    wedge_device *dev = s->job->dev;
    uint32_t found[1 + 2 * ORDER_RUNS];
    const kernel_arg args[] = {ARG_BUFFER(&s->keys[0]), ARG_VALUE(s->args.n), ARG_VALUE(least), ARG_BUFFER(&s->runs)};
    if (s->args.n < least || level == ORDER_LEVELS) return WEDGE_OK;
    WEDGE_TRY(dev->backend->fill(dev, s->job->queue, &s->runs, 0, sizeof found, 0));
    WEDGE_TRY(launch(s->job, "order_runs", (uint32_t)ceil_div(s->args.n, SCAN_BLOCK), SCAN_BLOCK, args, 4));
    WEDGE_TRY(dev->backend->read(dev, s->job->queue, found, &s->runs, 0, sizeof found));
    WEDGE_TRY(dev->backend->wait(dev, s->job->queue));
    for (uint32_t r = 0; r < found[0]; ++r)
        list->all[list->count++] = (run){s->args.first + found[1 + 2 * r], found[2 + 2 * r], level};
    return WEDGE_OK;
}

static void set_size(sorter *s, uint32_t n) {
    uint64_t blocks = ceil_div(n, EXTENT_BLOCK);
    s->args.n = n, s->chunks = (uint32_t)ceil_div(n, SCAN_CHUNK);
    s->extent_blocks = blocks < EXTENT_BLOCKS ? (uint32_t)blocks : EXTENT_BLOCKS;
}

static wedge_status sort_run(const sorter *all, const buffer *indices, const run *r, bool *apart) {
    sorter s = *all;
    set_size(&s, r->n);
    s.args.whole = 0, s.args.first = r->first, s.indices[0] = *indices;
    WEDGE_TRY(sort(&s, apart));
    if (!*apart) return WEDGE_OK;
    const kernel_arg args[] = {ARG_BUFFER(indices), ARG_VALUE(s.args), ARG_BUFFER(&s.order)};
    return launch(s.job, "order_put", (uint32_t)ceil_div(r->n, SCAN_BLOCK), SCAN_BLOCK, args, 3);
}

static wedge_status sort_runs(sorter *s, uint32_t least, run_list *list, const buffer *indices) {
    while (list->count) {
        const run r = list->all[--list->count];
        bool apart;
        WEDGE_TRY(sort_run(s, indices, &r, &apart));
        sorter part = *s;
        part.args.n = r.n, part.args.first = r.first;
        if (apart) WEDGE_TRY(add_runs(&part, least, r.level + 1, list));
    }
    return WEDGE_OK;
}

static wedge_status sort_all(sorter *s) {
    wedge_device *dev = s->job->dev;
    run_list list = {.count = 0};
    uint32_t least = (uint32_t)order_run(s->args.n), longest = 0;
    bool apart;
    WEDGE_TRY(sort(s, &apart));
    if (apart) WEDGE_TRY(add_runs(s, least, 1, &list));
    if (!list.count) return WEDGE_OK;
    for (uint32_t r = 0; r < list.count; ++r)
        if (list.all[r].n > longest) longest = list.all[r].n;
    buffer indices;
    WEDGE_TRY(dev->backend->buffer_new(dev, UINT64_C(1) * longest * sizeof(uint32_t), ON_DEVICE, &indices));
    wedge_status status = sort_runs(s, least, &list, &indices);
    wedge_status waited = dev->backend->wait(dev, s->job->queue); /* also where a launch failed */
    dev->backend->buffer_free(dev, &indices);
    return status ? status : waited;
}

wedge_status gpu_sort(wedge_job *job, const buffer keys[2], const buffer indices[2], uint64_t n, uint32_t bits,
                      int *sorted) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    sorter s = {.job = job, .args.n = (uint32_t)n, .chunks = (uint32_t)ceil_div(n, SCAN_CHUNK)};
    uint64_t counts = UINT64_C(1) * DIGITS * s.chunks;
    for (int k = 0; k < 2; ++k) s.keys[k] = keys[k], s.indices[k] = indices[k];
    const kernel_arg own[] = {ARG_BUFFER(&s.indices[0]), ARG_VALUE(s.args.n)};
    *sorted = 0;
    WEDGE_TRY(order_tools(job));
    wedge_status status = b->buffer_new(dev, counts * sizeof(uint32_t), ON_DEVICE, &s.counts);
    if (!status) status = b->buffer_new(dev, (counts + 1) * sizeof(uint64_t), ON_DEVICE, &s.starts);
    if (!status) status = launch(job, "found_order", (uint32_t)ceil_div(n, SCAN_BLOCK), SCAN_BLOCK, own, 2);
    for (uint32_t shift = 0; shift < bits && !status; shift += DIGIT_BITS, *sorted = !*sorted)
        status = sort_pass(&s, shift, *sorted);
    wedge_status waited = b->wait(dev, job->queue); /* also where a launch failed */
    b->buffer_free(dev, &s.counts);
    b->buffer_free(dev, &s.starts);
    return status ? status : waited;
}

/* ---- Memory ---- */

enum { PARTS = 7, ALIGNED = 256 };

/* A buffer of its own for each part, or one for all: on GPUs an allocation may take longer than a pass. */
static wedge_status make_parts(sorter *s, buffer *const parts[PARTS], const uint64_t bytes[PARTS]) {
    wedge_device *dev = s->job->dev;
    const backend *b = dev->backend;
    uint64_t all = 0;
    for (int k = 0; k < PARTS; ++k) all += ceil_div(bytes[k], ALIGNED) * ALIGNED;
    if (b->addressed) WEDGE_TRY(b->buffer_new(dev, all, ON_DEVICE, &s->spare));
    for (int k = PARTS; k-- > 0;) {
        all -= ceil_div(bytes[k], ALIGNED) * ALIGNED;
        if (b->addressed)
            *parts[k] = (buffer){.handle = (char *)s->spare.handle + all, .bytes = bytes[k]};
        else
            WEDGE_TRY(b->buffer_new(dev, bytes[k], ON_DEVICE, parts[k]));
    }
    return WEDGE_OK;
}

#define PARTS_OF(s) \
    { &(s)->keys[0], &(s)->keys[1], &(s)->indices[1], &(s)->counts, &(s)->starts, &(s)->found, &(s)->runs }

static wedge_status make_buffers(sorter *s) {
    wedge_device *dev = s->job->dev;
    buffer *const parts[PARTS] = PARTS_OF(s);
    uint64_t n = s->args.n, counts = UINT64_C(1) * DIGITS * s->chunks;
    const uint64_t bytes[PARTS] = {n * sizeof(uint64_t),
                                   n * sizeof(uint64_t),
                                   n * sizeof(uint32_t),
                                   counts * sizeof(uint32_t),
                                   (counts + 1) * sizeof(uint64_t),
                                   2 * ORDER_DIMS * s->extent_blocks * s->job->size,
                                   (1 + 2 * ORDER_RUNS) * sizeof(uint32_t)};
    WEDGE_TRY(dev->backend->buffer_new(dev, n * sizeof(uint32_t), ON_DEVICE, &s->order));
    s->indices[0] = s->order;
    return make_parts(s, parts, bytes);
}

static void drop_buffers(sorter *s) {
    wedge_device *dev = s->job->dev;
    buffer *const parts[PARTS] = PARTS_OF(s);
    dev->backend->buffer_free(dev, &s->order);
    dev->backend->buffer_free(dev, &s->spare);
    for (int k = 0; k < PARTS && !dev->backend->addressed; ++k) dev->backend->buffer_free(dev, parts[k]);
}

/* ---- The whole ---- */

wedge_status order_gpu(wedge_job *job, const buffer *raw, uint64_t start, uint64_t stride, uint64_t n,
                       uint64_t features, buffer *order) {
    wedge_device *dev = job->dev;
    sorter s = {.job = job, .raw = raw};
    s.args = (order_args){.start = start, .stride = stride, .dims = order_dims(features), .whole = 1};
    set_size(&s, (uint32_t)n);
    *order = (buffer){0};
    WEDGE_TRY(order_tools(job));
    wedge_status status = make_buffers(&s);
    if (!status) status = sort_all(&s);
    wedge_status waited = dev->backend->wait(dev, job->queue); /* also where a launch failed */
    if (!status) status = waited;
    if (!status) {
        *order = s.order;
        s.order = (buffer){0};
        job->info.device_bytes += order->bytes;
    }
    drop_buffers(&s);
    return status;
}
