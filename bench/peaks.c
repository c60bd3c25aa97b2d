/* peaks.c: stores past the cache, and arithmetic in registers, at full vector width. The build compiles this file for
 * every instruction set: ISA is its name.
 *
 * fused: multiply-adds. step: a subtraction and a multiply-add, which is a feature of a distance; some cores have units
 * for each, so it cannot be told from the first. root: square roots; the argument moves on by a sum, so that no unit
 * meets a square it knows to be easy. Chains enough to hide the latency, few enough for sixteen registers. Without a
 * fused instruction (the base level) a product and a sum take its place, as in the engine.
 *
 * SPDX-License-Identifier: MIT */
#define NATIVE_F64 0
#include "bench/peaks.h"
#include "ops/native.h"

enum { CHAINS = 12, STEPS = 4096 };

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

static void stream(void *user, uint64_t begin, uint64_t end) {
    const stream_user *s = user;
    const real one = wedge_real(1);
    for (uint64_t k = begin; k < end; k += LANES)
        words_stream((char *)(s->out + k), (words)(s->in ? *(const real *)(s->in + k) : one));
}

static void start(real *x) {
    for (int c = 0; c < CHAINS; ++c) x[c] = wedge_real(0.05f * (float)c);
}

static void finish(const real *x, float *out) {
    real sum = x[0];
    float all = 0;
    for (int c = 1; c < CHAINS; ++c) sum += x[c];
    for (size_t l = 0; l < LANES; ++l) all += sum[l];
    if (all == 12345.678f) *out = all; /* never, but the compiler cannot know */
}

static void fused(void *user, uint64_t begin, uint64_t end) {
    const real a = wedge_real(0.999f), b = wedge_real(1e-3f);
    for (uint64_t part = begin; part < end; ++part) {
        real x[CHAINS];
        start(x);
        for (int s = 0; s < STEPS; ++s)
#pragma GCC unroll 12
            for (int c = 0; c < CHAINS; ++c) x[c] = wedge_fused(x[c], a, b);
        finish(x, user);
    }
}

/* x = (a - x)^2 + b tends to a point between 0 and a. */
static void step(void *user, uint64_t begin, uint64_t end) {
    const real a = wedge_real(0.5f), b = wedge_real(0.1f);
    for (uint64_t part = begin; part < end; ++part) {
        real x[CHAINS];
        start(x);
        for (int s = 0; s < STEPS; ++s)
#pragma GCC unroll 12
            for (int c = 0; c < CHAINS; ++c) {
                real t = a - x[c];
                x[c] = wedge_fused(t, t, b);
            }
        finish(x, user);
    }
}

static void root(void *user, uint64_t begin, uint64_t end) {
    const real b = wedge_real(0.37f);
    for (uint64_t part = begin; part < end; ++part) {
        real x[CHAINS];
        start(x);
        for (int s = 0; s < STEPS / 4; ++s)
#pragma GCC unroll 12
            for (int c = 0; c < CHAINS; ++c) x[c] = wedge_sqrt(x[c] + b);
        finish(x, user);
    }
}

const peak_row JOIN(peaks, ISA) = {
    .stream = stream,
    .fused = fused,
    .step = step,
    .root = root,
    .fused_flops = 2.0 * CHAINS * STEPS * LANES,
    .steps = 1.0 * CHAINS * STEPS * LANES,
    .roots = 1.0 * CHAINS * (STEPS / 4) * LANES,
};
