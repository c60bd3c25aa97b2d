/* ops.h: the table of ops, and what of an op the cpu runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_OPS_OPS_H
#define WEDGE_OPS_OPS_H

#include "wedge/wedge.h"

/* Cells of a native tile: NATIVE_ROWS rows by NATIVE_COLS columns a panel. */
enum { NATIVE_ROWS = 4, NATIVE_COLS = 64 };

typedef struct {
    double p;
    uint64_t d;
} native_args;

/* NATIVE_ROWS rows of d numbers against `panels` panels of columns, each d times NATIVE_COLS numbers, feature by
 * feature. Row r of the result goes to out + r * stride (in numbers). Always whole panels: a value never depends on
 * where its cell lies. The pointers are to float or double; panels are aligned to 64 bytes. */
typedef void native_tile_fn(void *out, size_t stride, const void *const *row, const void *panel, size_t panels,
                            native_args args);
/* The same straight to memory, past the cache, for rows that may begin and end anywhere. `at` is where a row's first cell
 * would go, at a multiple of four bytes; what lies outside of [begin, end) is not stored. */
typedef struct {
    char *at[NATIVE_ROWS], *begin[NATIVE_ROWS], *end[NATIVE_ROWS];
} native_target;
typedef void native_straight_fn(const native_target *out, const void *const *row, const void *panel, size_t panels,
                                native_args args);

typedef void native_prepare_fn(void *row, uint32_t d);

typedef double op_reach_fn(double span, double most, double p);
typedef double op_reach_end_fn(double sum, double p);

typedef enum { ISA_BASE, ISA_V3, ISA_V4, ISA_COUNT } native_isa; /* levels of x86-64; elsewhere the base alone */

typedef struct {
    wedge_op_info info;
    const char *text;                           /* its file, for devices */
    bool heavy;                                 /* a step is long: devices unroll less */
    uint32_t state;                             /* numbers of an op_state */
    native_tile_fn *tile[2][ISA_COUNT];         /* [0] f32, [1] f64; NULL where this machine's kind has no such level */
    native_straight_fn *straight[2][ISA_COUNT]; /* NULL: not at this level */
    native_prepare_fn *prepare[2];              /* NULL: nothing to prepare */
    op_reach_fn *reach;                         /* OP_REACH; NULL: it cannot overflow, or does not say */
    op_reach_end_fn *reach_end;                 /* OP_REACH_END; NULL: the value is at most the sum */
} op_row;

/* By name, so that a copy of an info does as well. NULL: there is no such op. */
const op_row *op_row_of(const wedge_op_info *op);

/* The largest number that the op can come to on its way to a value, where feature f of all points lies in lo[f] .. hi[f];
 * 0 where it does not say. Beyond the largest float or double a value may be infinite, NaN or wrong. */
double op_reach(const op_row *op, double p, const double *lo, const double *hi, uint64_t d);

/* The best instruction set of this machine, or the one that is wanted ("base", "v3", "v4"; NULL or "": the best).
 * ISA_COUNT: unknown, or this machine has not got it. */
native_isa native_isa_choose(const char *wanted);
const char *native_isa_name(native_isa isa);

#endif
