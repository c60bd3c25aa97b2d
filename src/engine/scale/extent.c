/* extent.c: the extent of points in host memory, by all threads of the cpu device, and the conversion of extents that a device computed.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/scale/extent.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SIZES_AT_ONCE = 64, LANES_AT_ONCE = 64, PART_NUMBERS = 1 << 17, MOST_PARTS = 64 };

static void take_lane(extent *e, uint64_t f, double lo, double hi, double least) {
    if (lo < e->lo[f]) e->lo[f] = lo;
    if (hi > e->hi[f]) e->hi[f] = hi;
    if (least < e->least) e->least = least;
}

#define NUMBER float
#define NAME(name) name##_f32
#define MOST FLT_MAX
#define SIZE fabsf
#include "engine/scale/extent_number.h"
#undef NUMBER
#undef NAME
#undef MOST
#undef SIZE
#define NUMBER double
#define NAME(name) name##_f64
#define MOST DBL_MAX
#define SIZE fabs
#include "engine/scale/extent_number.h"

static wedge_status extent_new(wedge_job *job, extent *e) {
    uint64_t d = job->pairs.d;
    *e = (extent){.lo = malloc(2 * d * sizeof(double)), .least = INFINITY};
    WEDGE_CHECK(e->lo, &job->dev->note, WEDGE_NO_MEMORY, "no memory for the extent of %" PRIu64 " features", d);
    e->hi = e->lo + d;
    for (uint64_t f = 0; f < d; ++f) e->lo[f] = INFINITY, e->hi[f] = -INFINITY;
    return WEDGE_OK;
}

void extent_free(extent *e) {
    free(e->lo);
    *e = (extent){0};
}

/* ---- Host memory ---- */

typedef struct {
    const wedge_job *job;
    const given_points *from;
    bool roughly;
    uint64_t width, parts;
    char *lanes;   /* 3 * `width` numbers per part */
    double *found; /* lo and hi of each feature, per part */
    double *least; /* smallest magnitude, per part */
} host_pass;

static void pass_parts(void *user, uint64_t begin, uint64_t end) {
    const host_pass *h = user;
    const wedge_job *job = h->job;
    uint64_t d = job->pairs.d, n = h->from->n, stride = h->from->stride;
    for (uint64_t k = begin; k < end; ++k) {
        uint64_t row = n / h->parts * k, rows = k + 1 < h->parts ? n / h->parts : n - row;
        const char *at = (const char *)h->from->at.memory.host + row * stride * job->size;
        void *memory = h->lanes + 3 * h->width * k * job->size;
        extent e = {h->found + 2 * d * k, h->found + 2 * d * k + d, INFINITY};
        for (uint64_t f = 0; f < d; ++f) e.lo[f] = INFINITY, e.hi[f] = -INFINITY;
        if (h->roughly && job->pairs.dtype == WEDGE_F64)
            rows_roughly_f64((const double *)(const void *)at, rows, stride, d, &e);
        else if (h->roughly)
            rows_roughly_f32((const float *)(const void *)at, rows, stride, d, &e);
        else if (job->pairs.dtype == WEDGE_F64)
            rows_f64((const double *)(const void *)at, rows, stride, d, h->width, memory, &e);
        else
            rows_f32((const float *)(const void *)at, rows, stride, d, h->width, memory, &e);
        h->least[k] = e.least;
    }
}

static wedge_status run_parts(host_pass *h, extent *e) {
    const wedge_job *job = h->job;
    uint64_t d = job->pairs.d;
    h->least = h->found + 2 * d * h->parts;
    if (h->parts > 1)
        WEDGE_TRY(job->dev->backend->run(job->dev, pass_parts, h, 0, h->parts, 1));
    else
        pass_parts(h, 0, 1);
    for (uint64_t k = 0; k < h->parts; ++k)
        for (uint64_t f = 0; f < d; ++f)
            take_lane(e, f, h->found[2 * d * k + f], h->found[2 * d * k + d + f], h->least[k]);
    return WEDGE_OK;
}

static wedge_status find_on_host(wedge_job *job, const given_points *from, bool roughly, extent *e) {
    uint64_t d = job->pairs.d, n = from->n, parts = n * d / PART_NUMBERS + 1;
    host_pass h = {.job = job, .from = from, .roughly = roughly, .width = d};
    if (from->stride == d && d < LANES_AT_ONCE) h.width = d * ((LANES_AT_ONCE + d - 1) / d);
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    h.parts = parts < n && job->dev->backend->run ? parts : 1;
    h.lanes = malloc(3 * h.width * h.parts * job->size);
    h.found = malloc((2 * d + 1) * h.parts * sizeof *h.found);
    wedge_status status = h.lanes && h.found ? run_parts(&h, e)
                                             : note_fail(&job->dev->note, WEDGE_NO_MEMORY,
                                                         "no memory for the extent of %" PRIu64 " features", d);
    free(h.lanes);
    free(h.found);
    return status;
}

/* ---- A device's ---- */

static wedge_status find_on_device(wedge_job *job, const given_points *from, extent *e) {
    uint64_t d = job->pairs.d, parts = extent_gpu_parts(from->n, d), count = 3 * parts * d;
    void *found = malloc(count * job->size);
    WEDGE_CHECK(found, &job->dev->note, WEDGE_NO_MEMORY, "no memory for the extent of %" PRIu64 " features", d);
    wedge_status status = extent_gpu(job, from, parts, found);
    for (uint64_t k = 0; k < count && !status; k += 3) {
        const double *wide = (const double *)found + k;
        const float *narrow = (const float *)found + k;
        if (job->pairs.dtype == WEDGE_F64)
            take_lane(e, k / 3 % d, wide[0], wide[1], wide[2]);
        else
            take_lane(e, k / 3 % d, (double)narrow[0], (double)narrow[1], (double)narrow[2]);
    }
    free(found);
    return status;
}

wedge_status extent_find(wedge_job *job, bool roughly, extent *e) {
    int sets = job->domain.kind->two_sets ? 2 : 1;
    WEDGE_TRY(extent_new(job, e));
    for (int k = 0; k < sets; ++k)
        WEDGE_TRY(job->points.given[k].at.memory.host ? find_on_host(job, &job->points.given[k], roughly, e)
                                                      : find_on_device(job, &job->points.given[k], e));
    for (uint64_t f = 0; f < job->pairs.d; ++f)
        if (e->lo[f] > e->hi[f]) e->lo[f] = e->hi[f] = 0;
    return WEDGE_OK;
}
