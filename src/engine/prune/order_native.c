/* order_native.c: the order of points on the cpu: keys by vectors of cells, which are then sorted. Runs of one cell are
 * sorted again, by cells of their own.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* n items of a job's points: all of them, item k of point k, or the points of one cell. */
typedef struct {
    wedge_job *job;
    const given_points *from;
    order_frame frame;
    double length[ORDER_DIMS]; /* lengths of the periodic box */
    uint64_t n, each, parts;
    part *part;
    sort_item *items, *spare;
    bool whole;
} sorter;

static uint64_t part_begin(const sorter *s, uint64_t p) { return p * s->each; }
static uint64_t part_end(const sorter *s, uint64_t p) {
    return s->n - p * s->each < s->each ? s->n : (p + 1) * s->each;
}

/* The number of the point of item k, and where it lies. */
static uint64_t point_of(const sorter *s, uint64_t k) { return s->whole ? k : s->items[k].index; }
static uint64_t first_of(const sorter *s, uint64_t k) { return point_of(s, k) * s->from->stride; }

/* ---- Of either kind of number ---- */

#define EXTENT(name, number)                                                                \
    static void name(const sorter *s, part *own, uint64_t begin, uint64_t end) {            \
        for (uint64_t k = begin; k < end; ++k) {                                            \
            const number *point = (const number *)s->from->at.memory.host + first_of(s, k); \
            for (uint32_t f = 0; f < s->frame.dims; ++f) {                                  \
                double v = wrapped((double)point[f], s->length[f]);                         \
                bool finite = v - v == 0;                                                   \
                if (finite && v < own->lo[f]) own->lo[f] = v;                               \
                if (finite && v > own->hi[f]) own->hi[f] = v;                               \
            }                                                                               \
        }                                                                                   \
    }

/* Cells of the points of `count` items from `first` on, one per lane. */
#define CELLS(name, number, cell)                                                                                  \
    static void name(const sorter *s, uint64_t first, uint32_t count, curve_word *cells) {                         \
        const number scale = (number)s->frame.scale;                                                               \
        for (uint32_t k = 0; k < count; ++k) {                                                                     \
            const number *point = (const number *)s->from->at.memory.host + first_of(s, first + k);                \
            for (uint32_t f = 0; f < s->frame.dims; ++f)                                                           \
                cells[f][k] = cell((number)wrapped((double)point[f], s->length[f]), (number)s->frame.lo[f], scale, \
                                   s->frame.bits);                                                                 \
        }                                                                                                          \
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
            s->items[x + k] = (sort_item){.key = (uint64_t)high[k] << 32 | low[k], .index = point_of(s, x + k)};
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

static uint64_t most_parts(const wedge_job *job) { return UINT64_C(1) * PARTS_EACH * job->dev->info.units; }

static void cut(sorter *s) {
    uint64_t most = most_parts(s->job), parts = ceil_div(s->n, ORDER_PART);
    s->each = ceil_div(s->n, parts < most ? parts : most);
    s->parts = ceil_div(s->n, s->each);
}

/* Sorts the items along the curve through their own extents. They end in *sorted, which is s->items or s->room. */
static wedge_status sort(sorter *s, sort_item **sorted) {
    *sorted = s->items;
    cut(s);
    WEDGE_TRY(on_parts(s, find_extents));
    fold_extents(s);
    if (!s->whole && s->frame.scale == 0) return WEDGE_OK;
    WEDGE_TRY(on_parts(s, make_keys));
    return sort_native(s->job->dev, s->items, s->spare, s->n, s->frame.dims * s->frame.bits, sorted);
}

static uint64_t run_end(const sort_item *items, uint64_t begin, uint64_t n) {
    uint64_t end = begin + 1;
    while (end < n && items[end].key == items[begin].key) ++end;
    return end;
}

/* Sorts the long runs of equal keys, by cells of their own. */
static wedge_status refine(const sorter *all, uint32_t level) {
    const uint64_t least = order_run(all->from->n);
    for (uint64_t begin = 0, end; begin + least <= all->n; begin = end) {
        end = begin + 1;
        if (all->items[begin + least - 1].key != all->items[begin].key) continue;
        end = run_end(all->items, begin, all->n);
        sorter s = *all;
        sort_item *sorted;
        s.items += begin, s.spare += begin, s.n = end - begin, s.whole = false;
        WEDGE_TRY(sort(&s, &sorted));
        if (sorted != s.items) memcpy(s.items, sorted, s.n * sizeof *sorted);
        if (s.frame.scale > 0 && level + 1 < ORDER_LEVELS) WEDGE_TRY(refine(&s, level + 1));
    }
    return WEDGE_OK;
}

static wedge_status sort_all(sorter *s, uint32_t *order) {
    wedge_device *dev = s->job->dev;
    sort_item *sorted;
    WEDGE_TRY(sort(s, &sorted));
    if (sorted != s->items) s->spare = s->items, s->items = sorted;
    if (s->frame.scale > 0) WEDGE_TRY(refine(s, 1));
    list l = {s->items, order};
    return dev->backend->run(dev, take_indices, &l, 0, s->n, ORDER_PART);
}

wedge_status order_native(wedge_job *job, const given_points *from, uint64_t features, buffer *order) {
    wedge_device *dev = job->dev;
    const backend *b = dev->backend;
    sorter s = {.job = job, .from = from, .n = from->n, .frame.dims = order_dims(features), .whole = true};
    for (uint32_t f = 0; f < s.frame.dims; ++f) s.length[f] = job->period.lengths[f];
    buffer spare[3] = {{0}};
    *order = (buffer){0};
    wedge_status status = b->buffer_new(dev, from->n * sizeof(sort_item), ON_DEVICE, &spare[0]);
    if (!status) status = b->buffer_new(dev, from->n * sizeof(sort_item), ON_DEVICE, &spare[1]);
    if (!status) status = b->buffer_new(dev, most_parts(job) * sizeof(part), ON_DEVICE, &spare[2]);
    if (!status) status = b->buffer_new(dev, from->n * sizeof(uint32_t), ON_DEVICE, order);
    s.part = spare[2].host, s.items = spare[0].host, s.spare = spare[1].host;
    if (!status) status = sort_all(&s, order->host);
    for (int k = 0; k < 3; ++k) b->buffer_free(dev, &spare[k]);
    if (status)
        b->buffer_free(dev, order);
    else
        job->info.device_bytes += order->bytes;
    return status;
}
