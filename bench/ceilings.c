/* ceilings.c: what the device can do at most, measured in the same run as everything else: fill and copy (bytes/s),
 * fused multiply-adds (flop/s); on the cpu also features of a distance and vector square roots (a second).
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bench/lab.h"
#include "bench/peaks.h"
#include "bench/stats.h"
#include "ops/ops.h"

enum { SAMPLES = 15, DEVICE_STEPS = 1024, PARTS = 512 }; /* parts: of a peak, a thread */
enum { FILL, COPY, FUSED, STEP, ROOT, CEILINGS };        /* the last two natively alone */

/* All ceilings together may take this share of the budget: the maps are what was asked for. One that has too few samples
 * by then is not known. */
#define SHARE_OF_BUDGET 0.25

/* The cpu's loops, at the instruction set that the engine takes. */
static const peak_row *peaks_of(const wedge_device *dev) {
#if defined(__x86_64__)
    static const peak_row *const rows[ISA_COUNT] = {&peaks_base, &peaks_v3, &peaks_v4};
    native_isa isa = native_isa_choose(dev->ctx->settings[WEDGE_SET_ISA]);
    return rows[isa < ISA_COUNT ? isa : ISA_BASE];
#else
    (void)dev;
    return &peaks_base;
#endif
}

/* One run of a ceiling. */
typedef struct {
    int which;
    void *kernel; /* NULL: natively */
    buffer *out, *in;
} ceiling_run;

static wedge_status native_once(lab *l, const ceiling_run *r) {
    wedge_device *dev = l->dev;
    const peak_row *peaks = peaks_of(dev);
    const native_task tasks[] = {[FUSED] = peaks->fused, [STEP] = peaks->step, [ROOT] = peaks->root};
    stream_user s = {.out = r->out->host, .in = r->which == COPY ? r->in->host : NULL};
    if (r->which >= FUSED)
        return dev->backend->run(dev, tasks[r->which], r->out->host, 0, PARTS * (uint64_t)dev->info.units, 8);
    return dev->backend->run(dev, peaks->stream, &s, 0, r->out->bytes / 64 * 16, 1 << 18);
}

static wedge_status run_once(lab *l, void *user) {
    const ceiling_run *r = user;
    if (!r->kernel) return native_once(l, r);
    float one = 1.0f, a = 0.999f, b = 1e-3f;
    uint32_t blocks = r->which == FUSED ? l->dev->info.units * 64 : (uint32_t)(r->out->bytes / 16 / 256);
    const kernel_arg fill[] = {ARG_BUFFER(r->out), ARG_VALUE(one)};
    const kernel_arg copy[] = {ARG_BUFFER(r->out), ARG_BUFFER(r->in)};
    const kernel_arg fused[] = {ARG_BUFFER(r->out), ARG_VALUE(a), ARG_VALUE(b)};
    const kernel_arg *args[] = {fill, copy, fused};
    grid_launch launch = {{blocks, 1, 1}, {256, 1, 1}, args[r->which], r->which == FUSED ? 3 : 2};
    return l->dev->backend->launch(l->dev, l->queue, r->kernel, &launch);
}

static double work_of(const lab *l, int which, const buffer *out) {
    const peak_row *peaks = peaks_of(l->dev);
    const double natively[] = {[FUSED] = peaks->fused_flops, [STEP] = peaks->steps, [ROOT] = peaks->roots};
    if (which < FUSED) return (double)out->bytes * (which + 1);
    return l->dev->backend->compile ? 64.0 * l->dev->info.units * 256 * DEVICE_STEPS * 16
                                    : PARTS * (double)l->dev->info.units * natively[which];
}

static wedge_status one_ceiling(lab *l, int which, buffer *out, buffer *in, ceiling *c) {
    static const char *const names[] = {"fill", "copy", "fused"};
    ceiling_run r = {.which = which, .out = out, .in = in};
    double seconds, until = clock_now() + SHARE_OF_BUDGET / CEILINGS * l->result->budget;
    wedge_status status = WEDGE_OK;
    if (l->checks) WEDGE_TRY(l->dev->backend->kernel_new(l->dev, l->checks, names[which], &r.kernel));
    c->time.samples = calloc(SAMPLES, sizeof(double));
    for (int k = -2; k < SAMPLES && !status && c->time.samples && clock_now() < until; ++k) {
        status = lab_time(l, run_once, &r, &seconds);
        if (!status && k >= 0) c->time.samples[c->time.count++] = seconds;
    }
    if (r.kernel) l->dev->backend->kernel_free(l->dev, r.kernel);
    if (!timing_has_spread(&c->time)) c->time.count = 0; /* not measured */
    if (status || !c->time.count) return status;
    timing_finish(&c->time);
    c->rate = work_of(l, which, out) / c->time.median;
    return WEDGE_OK;
}

wedge_status fill_beside(lab *l, buffer *out, double *seconds) {
    return lab_time(l, run_once, &(ceiling_run){.which = FILL, .out = out}, seconds);
}

wedge_status measure_ceilings(lab *l) {
    const backend *b = l->dev->backend;
    uint64_t left = 0;
    buffer out = {0}, in = {0};
    WEDGE_TRY(lab_checks(l));
    WEDGE_TRY(b->memory_free(l->dev, &left));
    uint64_t wanted = l->dev->info.is_gpu ? UINT64_C(4) << 30 : UINT64_C(256) << 20;
    while (wanted > left / 4 && wanted > 1 << 20) wanted /= 2;
    WEDGE_TRY(b->buffer_new(l->dev, (size_t)wanted, ON_DEVICE, &out));
    wedge_status status = b->buffer_new(l->dev, (size_t)wanted, ON_DEVICE, &in);
    if (!status) status = b->fill(l->dev, l->queue, &in, 0, in.bytes, 1);
    bench_result *r = l->result;
    ceiling *const ceilings[] = {
        [FILL] = &r->fill, [COPY] = &r->copy, [FUSED] = &r->fma, [STEP] = &r->step, [ROOT] = &r->root};
    for (int which = FILL; which <= (b->compile ? FUSED : ROOT) && !status; ++which)
        status = one_ceiling(l, which, &out, &in, ceilings[which]);
    if (in.handle) b->buffer_free(l->dev, &in);
    b->buffer_free(l->dev, &out);
    return status;
}
