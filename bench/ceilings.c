/* ceilings.c: what the device can do at most, measured in the same run as everything else: fill and copy (bytes/s),
 * fused multiply-adds (flop/s).
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "bench/lab.h"
#include "bench/stats.h"

enum { SAMPLES = 15, CHAINS = 64, STEPS = 4096, DEVICE_STEPS = 1024 };

typedef struct {
    float *out;
    const float *in; /* NULL: fill */
} stream;

/* Stores past the cache where the host has them, as the engine will. */
static void stream_part(void *user, uint64_t begin, uint64_t end) {
    const stream *s = user;
    for (uint64_t k = begin; k < end; k += 4) {
#if defined(__SSE2__)
        _mm_stream_ps(s->out + k, s->in ? _mm_load_ps(s->in + k) : _mm_set1_ps(1.0f));
#else
        for (int c = 0; c < 4; ++c) s->out[k + (uint64_t)c] = s->in ? s->in[k + (uint64_t)c] : 1.0f;
#endif
    }
}

/* Chains enough to hide the latency at any vector width. Without a fused instruction in the baseline a product and a
 * sum. */
static void fused_part(void *user, uint64_t begin, uint64_t end) {
    float *out = user;
    for (uint64_t part = begin; part < end; ++part) {
        float x[CHAINS], a = 0.999f, b = 1e-3f;
        for (int c = 0; c < CHAINS; ++c) x[c] = (float)c;
        for (int s = 0; s < STEPS; ++s)
            for (int c = 0; c < CHAINS; ++c) x[c] = x[c] * a + b;
        float sum = 0;
        for (int c = 0; c < CHAINS; ++c) sum += x[c];
        if (sum == 12345.678f) *out = sum;
    }
}

/* One run of a ceiling: 0 fill, 1 copy, 2 fused. */
typedef struct {
    int which;
    void *kernel; /* NULL: natively */
    buffer *out, *in;
} ceiling_run;

static wedge_status native_once(lab *l, const ceiling_run *r) {
    wedge_device *dev = l->dev;
    stream s = {.out = r->out->host, .in = r->which == 1 ? r->in->host : NULL};
    if (r->which == 2) return dev->backend->run(dev, fused_part, r->out->host, 0, 512 * (uint64_t)dev->info.units, 8);
    return dev->backend->run(dev, stream_part, &s, 0, r->out->bytes / sizeof(float), 1 << 18);
}

static wedge_status run_once(lab *l, void *user) {
    const ceiling_run *r = user;
    if (!r->kernel) return native_once(l, r);
    float one = 1.0f, a = 0.999f, b = 1e-3f;
    uint32_t blocks = r->which == 2 ? l->dev->info.units * 64 : (uint32_t)(r->out->bytes / 16 / 256);
    const kernel_arg fill[] = {ARG_BUFFER(r->out), ARG_VALUE(one)};
    const kernel_arg copy[] = {ARG_BUFFER(r->out), ARG_BUFFER(r->in)};
    const kernel_arg fused[] = {ARG_BUFFER(r->out), ARG_VALUE(a), ARG_VALUE(b)};
    const kernel_arg *args[] = {fill, copy, fused};
    grid_launch launch = {{blocks, 1, 1}, {256, 1, 1}, args[r->which], r->which == 2 ? 3 : 2};
    return l->dev->backend->launch(l->dev, l->queue, r->kernel, &launch);
}

static double work_of(const lab *l, int which, const buffer *out) {
    bool native = !l->dev->backend->compile;
    if (which < 2) return (double)out->bytes * (which + 1);
    return native ? 512.0 * l->dev->info.units * CHAINS * STEPS * 2
                  : 64.0 * l->dev->info.units * 256 * DEVICE_STEPS * 16;
}

static wedge_status one_ceiling(lab *l, int which, buffer *out, buffer *in, ceiling *c) {
    static const char *const names[] = {"fill", "copy", "fused"};
    ceiling_run r = {.which = which, .out = out, .in = in};
    double seconds;
    wedge_status status = WEDGE_OK;
    if (l->checks) WEDGE_TRY(l->dev->backend->kernel_new(l->dev, l->checks, names[which], &r.kernel));
    c->time.samples = calloc(SAMPLES, sizeof(double));
    for (int k = -2; k < SAMPLES && !status && c->time.samples; ++k) {
        status = lab_time(l, run_once, &r, &seconds);
        if (!status && k >= 0) c->time.samples[c->time.count++] = seconds;
    }
    if (r.kernel) l->dev->backend->kernel_free(l->dev, r.kernel);
    if (status || !c->time.count) return status;
    timing_settle(&c->time);
    c->rate = work_of(l, which, out) / c->time.median;
    return WEDGE_OK;
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
    if (!status) status = one_ceiling(l, 0, &out, &in, &l->result->fill);
    if (!status) status = one_ceiling(l, 1, &out, &in, &l->result->copy);
    if (!status) status = one_ceiling(l, 2, &out, &in, &l->result->fma);
    if (in.handle) b->buffer_free(l->dev, &in);
    b->buffer_free(l->dev, &out);
    return status;
}
