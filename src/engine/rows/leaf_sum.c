/* leaf_sum.c: adds leaves to the sums of a row, on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/rows/scatter.h"

#define NUMBER float
#define NAME(name) name##_f32
#include "engine/rows/scatter_number.h"
#undef NUMBER
#undef NAME
#define NUMBER double
#define NAME(name) name##_f64
#include "engine/rows/scatter_number.h"

typedef uint64_t add_fn(void *cells, uint32_t values, uint64_t leaves, const uint32_t *inside, double radius,
                        row_sum *sums);
#if defined(__x86_64__)
static add_fn *const adds[2][ISA_COUNT] = {{add_base_f32, add_v3_f32, add_v4_f32},
                                           {add_base_f64, add_v3_f64, add_v4_f64}};
#else
static add_fn *const adds[2][ISA_COUNT] = {{add_base_f32}, {add_base_f64}};
#endif

uint64_t scatter_add(const wedge_job *job, void *cells, uint32_t values, uint64_t leaves, const uint32_t *inside,
                     double radius, row_sum *sums) {
    return adds[job->size == sizeof(double)][job->native.isa](cells, values, leaves, inside, radius, sums);
}
