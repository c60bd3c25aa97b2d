/* table.c: the ops by name, and the instruction set that this machine runs them at.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "ops/ops.h"

#define OP(name) extern const op_def op_##name##_def;
#define TRIPLE(name) OP(name)
#include "ops/list.h"
#include "ops/triples.h"
#undef OP

static const op_def *const defs[] = {
#define OP(name) &op_##name##_def,
#include "ops/list.h"
#include "ops/triples.h"
#undef OP
#undef TRIPLE
};

#define SCALED(name) extern const op_def op_##name##_scaled_def;
#include "ops/scaled.h"
#undef SCALED

static const struct {
    const op_def *op, *scaled;
} forms[] = {
#define SCALED(name) {&op_##name##_def, &op_##name##_scaled_def},
#include "ops/scaled.h"
#undef SCALED
};

#define DEFS ((int)(sizeof defs / sizeof *defs))

static bool has_points(const op_def *def, int points) { return !points || def->info.points == (uint32_t)points; }

int wedge_op_count(int points) {
    int count = 0;
    for (int r = 0; r < DEFS; ++r) count += has_points(defs[r], points);
    return count;
}

const wedge_op_info *wedge_op_at(int points, int index) {
    for (int r = 0; r < DEFS; ++r)
        if (has_points(defs[r], points) && !index--) return &defs[r]->info;
    return NULL;
}

const op_def *op_find(const char *name) {
    const char *plain = op_canonical_name(name);
    for (int r = 0; r < DEFS && name; ++r)
        if (!strcasecmp(defs[r]->info.name, plain)) return defs[r];
    return NULL;
}

const wedge_op_info *wedge_op_find(const char *name) {
    const op_def *def = op_find(name);
    return def ? &def->info : NULL;
}

const op_def *op_scaled(const op_def *op) {
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        if (forms[k].op == op) return forms[k].scaled;
    return NULL;
}

double op_norm(const double *lo, const double *hi, uint64_t d, double power) {
    double most = 0, sum = 0;
    for (uint64_t f = 0; f < d; ++f) most = fmax(most, hi[f] - lo[f]);
    for (uint64_t f = 0; f < d && most > 0 && isfinite(most); ++f) sum += pow((hi[f] - lo[f]) / most, power);
    return sum > 0 ? most * pow(sum, 1 / power) : most;
}

/* Every sum adds its own rounding, of f32 at worst. */
double op_magnitude(const op_def *op, const double *values, const double *lo, const double *hi, uint64_t d) {
    double sum = 0;
    if (op->magnitude_all) return op->magnitude_all(op, lo, hi, d, values) * (1 + (double)d * 0x1p-23);
    for (uint64_t f = 0; f < d && op->magnitude; ++f)
        sum += op->magnitude(op, hi[f] - lo[f], fmax(fabs(lo[f]), fabs(hi[f])), values);
    sum *= 1 + (double)d * 0x1p-23;
    return op->magnitude_end ? fmax(sum, op->magnitude_end(op, sum, values)) : sum;
}

static const char *const isa_names[ISA_COUNT] = {"base", "v3", "v4"};

const char *native_isa_name(native_isa isa) { return isa < ISA_COUNT ? isa_names[isa] : "unknown"; }

static native_isa best(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
        return ISA_V4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return ISA_V3;
#endif
    return ISA_BASE;
}

native_isa native_isa_choose(const char *wanted) {
    native_isa most = best(), isa = ISA_BASE;
    if (!wanted || !*wanted) return most;
    while (isa < ISA_COUNT && strcmp(wanted, isa_names[isa])) ++isa;
    return isa <= most ? isa : ISA_COUNT;
}
