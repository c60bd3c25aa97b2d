/* checks.h: the list of checks, the sizes they are tried at, and the kernel that runs them all.
 *
 * One block (on a CPU: one turn of a loop) takes one size and writes a number of mismatches for every check. The
 * kernel is CUDA C and OpenCL C at once; OpenCL is given this very file as its program.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECKS_H
#define CHECKS_H

#include "cells.h"
#include "tiles.h"

#define CHECKS(X)               \
    X(triangle_cells)           \
    X(strict_triangle_cells)    \
    X(condensed_cells)          \
    X(tetrahedron_cells)        \
    X(strict_tetrahedron_cells) \
    X(far_rows)                 \
    X(far_layers)               \
    X(last_cells)               \
    X(bb_tiles)                 \
    X(lambda_tiles)             \
    X(printed_lambda_tiles)     \
    X(rb_tiles)                 \
    X(rec_tiles)                \
    X(hmap_tiles)               \
    X(hmap_any_tiles)           \
    X(utm_cells)                \
    X(walk_tiles)               \
    X(bb3_tiles)                \
    X(lambda3_tiles)            \
    X(printed_lambda3_tiles)    \
    X(walk3_tiles)              \
    X(lut_tiles)

#define CHECK_NUMBER(name) CHECK_##name,
enum { CHECKS(CHECK_NUMBER) CHECK_COUNT };

/* Sizes 1 to 17, 31 to 33, 63 to 65, 127 and 200: powers of two and their neighbours, even and odd. */
#define SIZE_COUNT 25u
#define SCRATCH_WORDS 40000u /* TRI_MOST^2, and TET_MOST^3 with its table */

CHECK_FN wedge_u32 size_of(wedge_u32 s) {
    return s < 17u ? s + 1u : s < 20u ? s + 14u : s < 23u ? s + 43u : s < 24u ? 127u : 200u;
}

CHECK_FN void check_size(wedge_u32 s, scratch_ptr scratch, scratch_ptr bad) {
    wedge_u32 n = size_of(s);
#define CHECK_RUN(name) bad[CHECK_##name] = name(n, scratch);
    CHECKS(CHECK_RUN)
#undef CHECK_RUN
}

#if defined(WEDGE_KERNEL)
WEDGE_KERNEL void check_all(WEDGE_GLOBAL wedge_u32 *scratch, WEDGE_GLOBAL wedge_u32 *bad) {
    wedge_u32 s = wedge_group_id(0);
    if (s < SIZE_COUNT) check_size(s, scratch + s * SCRATCH_WORDS, bad + s * CHECK_COUNT);
}
#endif

/* The rest is the host's: what came out, in words. */
#if !defined(__OPENCL_C_VERSION__)
#include <stdio.h>
#include <stdlib.h>

static int report(const wedge_u32 *bad) {
#define CHECK_NAME(name) #name,
    static const char *const names[] = {CHECKS(CHECK_NAME)};
    int failed = 0;
    for (wedge_u32 s = 0; s < SIZE_COUNT; ++s)
        for (wedge_u32 c = 0; c < CHECK_COUNT; ++c)
            if (bad[s * CHECK_COUNT + c]) {
                printf("%s: %lu mismatches at n = %lu\n", names[c], (unsigned long)bad[s * CHECK_COUNT + c],
                       (unsigned long)size_of(s));
                failed = 1;
            }
    return failed;
}
#endif

#endif
