/* order_native.c: the order of points on the cpu: keys by vectors of cells, which are then sorted.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "core/maps.h"
#include "engine/prune/order.h"
#include "engine/prune/sort.h"
#include "wedge/lang.h"

#include "engine/kernels/curve.h"
#include "engine/kernels/wrap.h"

enum { PARTS_EACH = 4 };

typedef struct {
    double lo[ORDER_DIMS], hi[ORDER_DIMS];
} part;

typedef struct {
    wedge_job *job;
    const given_points *from;
    order_frame frame;
    double length[ORDER_DIMS]; /* lengths of the periodic box */
    uint64_t each, parts;
    part *part;
    sort_item *items;
} sorter;

static uint64_t part_begin(const sorter *s, uint64_t p) { return p * s->each; }
static uint64_t part_end(const sorter *s, uint64_t p) {
    return s->from->n - p * s->each < s->each ? s->from->n : (p + 1) * s->each;
}

/* ---- Of either kind of number ---- */

#define EXTENT(name, number)                                                                     \
    static void name(const sorter *s, part *own, uint64_t begin, uint64_t end) {                 \
        const number *point = (const number *)s->from->at.memory.host + begin * s->from->stride; \
        for (uint64_t x = begin; x < end; ++x, point += s->from->stride)                         \
            for (uint32_t f = 0; f < s->frame.dims; ++f) {                                       \
                double v = wrapped((double)point[f], s->length[f]);                              \
                bool finite = v - v == 0;                                                        \
                if (finite && v < own->lo[f]) own->lo[f] = v;                                    \
                if (finite && v > own->hi[f]) own->hi[f] = v;                                    \
            }                                                                                    \
    }

/* Cells of `count` points from x on, one per lane. */
#define CELLS(name, number, cell)                                                                                  \
    static void name(const sorter *s, uint64_t x, uint32_t count, curve_word *cells) {                             \
        const number *point = (const number *)s->from->at.memory.host + x * s->from->stride;                       \
        const number scale = (number)s->frame.scale;                                                               \
        for (uint32_t k = 0; k < count; ++k, point += s->from->stride)                                             \
            for (uint32_t f = 0; f < s->frame.dims; ++f)                                                           \
                cells[f][k] = cell((number)wrapped((double)point[f], s->length[f]), (number)s->frame.lo[f], scale, \
                                   s->frame.bits);                                                                 \
    }

WRAP(wrapped, double) /* of a float it is one */
CURVE_CELL(cell_f32, float)
CURVE_CELL(cell_f64, double)
EXTENT(extent_f32, float)
EXTENT(extent_f64, double)
CELLS(cells_f32, float, cell_f32)
CELLS(cells_f64, double, cell_f64)

static bool is_f64(const sorter *s) { return s->job->pairs.dtype == WEDGE_F64; }

/* ---- The work of parts ---- */

static void find_extents(void *user, uint64_t begin, uint64_t end) {
    const sorter *s = user;
    for (uint64_t p = begin; p < end; ++p) {
        part *own = &s->part[p];
        for (int f = 0; f < ORDER_DIMS; ++f) own->lo[f] = INFINITY, own->hi[f] = -INFINITY;
        (is_f64(s) ? extent_f64 : extent_f32)(s, own, part_begin(s, p), part_end(s, p));
    }
}

/* The number of dimensions as a constant: loops over it unroll, and what no dimension needs falls away. */
#define KEYS(dims)                                                              \
    static void keys_##dims(curve_word *x, curve_word *high, curve_word *low) { \
        curve_key(x, dims, curve_bits(dims), high, low);                        \
    }
KEYS(1)
KEYS(2)
KEYS(3)
KEYS(4)
KEYS(5)
KEYS(6)
KEYS(7)
KEYS(8)
static void (*const keys_of[])(curve_word *x, curve_word *high, curve_word *low) = {
    NULL, keys_1, keys_2, keys_3, keys_4, keys_5, keys_6, keys_7, keys_8};

static void make_keys(void *user, uint64_t begin, uint64_t end) {
    const sorter *s = user;
    for (uint64_t x = part_begin(s, begin); x < part_end(s, end - 1); x += CURVE_LANES) {
        uint64_t left = part_end(s, end - 1) - x;
        uint32_t count = left < CURVE_LANES ? (uint32_t)left : CURVE_LANES;
        curve_word cells[ORDER_DIMS] = {0}, high, low;
        (is_f64(s) ? cells_f64 : cells_f32)(s, x, count, cells);
        keys_of[s->frame.dims](cells, &high, &low);
        for (uint32_t k = 0; k < count; ++k)
            s->items[x + k] = (sort_item){.key = (uint64_t)high[k] << 32 | low[k], .index = x + k};
    }
}

typedef struct {
    const sort_item *items;
    uint32_t *order;
} list;

static void take_indices(void *user, uint64_t begin, uint64_t end) {
    const list *l = user;
    for (uint64_t k = begin; k < end; ++k) l->order[k] = (uint32_t)l->items[k].index;
}

/* ---- The whole ---- */

static void fold_extents(sorter *s) {
    double lo[ORDER_DIMS], hi[ORDER_DIMS];
    for (uint32_t f = 0; f < s->frame.dims; ++f) {
        lo[f] = INFINITY, hi[f] = -INFINITY;
        for (uint64_t p = 0; p < s->parts; ++p) {
            lo[f] = fmin(lo[f], s->part[p].lo[f]);
            hi[f] = fmax(hi[f], s->part[p].hi[f]);
        }
    }
    s->frame = order_frame_of(s->frame.dims, s->job->pairs.dtype, lo, hi);
}

static wedge_status on_parts(sorter *s, native_task task) {
    return s->job->dev->backend->run(s->job->dev, task, s, 0, s->parts, 1);
}

static wedge_status sort(sorter *s, sort_item *spare, uint32_t *order) {
    wedge_device *dev = s->job->dev;
    sort_item *sorted;
    WEDGE_TRY(on_parts(s, find_extents));
    fold_extents(s);
    WEDGE_TRY(on_parts(s, make_keys));
    WEDGE_TRY(sort_native(dev, s->items, spare, s->from->n, s->frame.dims * s->frame.bits, &sorted));
    list l = {sorted, order};
    return dev->backend->run(dev, take_indices, &l, 0, s->from->n, ORDER_PART);
}

wedge_status order_native(wedge_job *job, const given_points *from, uint64_t features, buffer *order) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    uint64_t most = UINT64_C(1) * PARTS_EACH * dev->info.units, parts = ceil_div(from->n, ORDER_PART);
    sorter s = {.job = job, .from = from, .frame.dims = order_dims(features)};
    for (uint32_t f = 0; f < s.frame.dims; ++f) s.length[f] = job->period.lengths[f];
    s.each = ceil_div(from->n, parts < most ? parts : most);
    s.parts = ceil_div(from->n, s.each);
    buffer spare[3] = {{0}};
    *order = (buffer){0};
    wedge_status status = b->buffer_new(dev, from->n * sizeof(sort_item), ON_DEVICE, &spare[0]);
    if (!status) status = b->buffer_new(dev, from->n * sizeof(sort_item), ON_DEVICE, &spare[1]);
    if (!status) status = b->buffer_new(dev, s.parts * sizeof(part), ON_DEVICE, &spare[2]);
    if (!status) status = b->buffer_new(dev, from->n * sizeof(uint32_t), ON_DEVICE, order);
    s.part = spare[2].host, s.items = spare[0].host;
    if (!status) status = sort(&s, spare[1].host, order->host);
    for (int k = 0; k < 3; ++k) b->buffer_free(dev, &spare[k]);
    if (status)
        b->buffer_free(dev, order);
    else
        job->info.device_bytes += order->bytes;
    return status;
}
