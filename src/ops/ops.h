/* ops.h: the table of ops, and what of an op the cpu runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_OPS_OPS_H
#define WEDGE_OPS_OPS_H

#include "core/parameters.h"
#include "wedge/wedge.h"

/* Cells of a native tile: NATIVE_ROWS rows by NATIVE_COLS columns a panel. */
enum { NATIVE_ROWS = 4, NATIVE_COLS = 64 };

enum { MOST_BOX = 64 };                     /* features that a box of points, or a periodic one, can have */
enum { MOST_RECORD = 16, MOST_VALUES = 8 }; /* numbers of a direct op's records; values of a cell */
enum { MOST_COORDINATES = 3 };              /* of a point of triplets */
enum { MOST_SIDE = 4 };                     /* numbers of a side of a triplet */

typedef struct {
    const double *set; /* the values of the op's parameters, in its order */
    uint64_t d;
    uint64_t values;   /* of a cell that are wanted: all, or 1, the first */
    const double *box; /* periodic: lengths, and from MOST_BOX on 1 by each; NULL: open */
} native_args;

/* NATIVE_ROWS rows of d numbers against `panels` panels of columns, each d times NATIVE_COLS numbers, feature by
 * feature. Row r of the result goes to out + r * stride (in numbers), the values of a cell side by side. Always whole
 * panels: a value never depends on where its cell lies. The pointers are to float or double; panels are aligned to
 * 64 bytes. */
typedef void native_tile_fn(void *out, size_t stride, const void *const *row, const void *panel, size_t panels,
                            native_args args);
/* The same straight to memory, past the cache, for ops of one value and rows that may begin and end anywhere. `at` is where
 * a row's first cell would go, at a multiple of four bytes; what lies outside of [begin, end) is not stored. */
typedef struct {
    char *at[NATIVE_ROWS], *begin[NATIVE_ROWS], *end[NATIVE_ROWS];
} native_target;
typedef void native_straight_fn(const native_target *out, const void *const *row, const void *panel, size_t panels,
                                native_args args);

/* Ops of three points. The sides of a point, of d numbers, with the columns of some panels: number k of the side with column c
 * goes to out[k * plane + c]. And the values of triplets with `count` third points, a multiple of 32: from the side of their
 * first two points, and the sides of each of these with the third. pulls: where op_pull goes, of ops that have it; NULL: not
 * wanted. */
typedef void native_side_fn(void *out, size_t plane, const void *point, const void *panel, size_t panels,
                            native_args args);
typedef void native_triple_fn(void *out, void *pulls, const void *ab, const void *ac, const void *bc, size_t plane,
                              size_t count, native_args args);

typedef void native_prepare_fn(void *row, uint32_t d);

/* The largest key (op_key) whose value is at most `most`; -1 where there is none. */
typedef double native_key_fn(double most);

/* For the host, from what an op's file says; set as in native_args. */
typedef bool op_check_fn(double value);
typedef double op_reach_fn(double span, double most, const double *set);
typedef double op_reach_end_fn(double sum, const double *set);
typedef const char *op_same_fn(const double *set);
enum { BOUND_GAP, BOUND_LEAST, BOUND_MOST }; /* as words.h has them */
typedef int op_bound_fn(uint64_t f, uint64_t d);
typedef double op_margin_fn(double d, const double *set);

typedef enum { ISA_BASE, ISA_V3, ISA_V4, ISA_COUNT } native_isa; /* levels of x86-64; elsewhere the base alone */

typedef struct {
    wedge_op_info info;
    const char *text;                   /* its file, for devices */
    uint32_t records;                   /* of a direct op: bit d where it takes points of d numbers; 0: a fold */
    op_check_fn *const *checks;         /* of its parameters, in order: may it have this value? */
    op_same_fn *same_as;                /* OP_SAME_AS: the op to run in its place, or NULL; NULL: there is none */
    uint32_t state;                     /* numbers of an op_state */
    bool heavy;                         /* a step is long: devices unroll less */
    native_tile_fn *tile[2][ISA_COUNT]; /* [0] f32, [1] f64; NULL where this machine's kind has no such level */
    native_straight_fn *straight[2][ISA_COUNT]; /* NULL: not at this level */
    uint32_t side;                              /* of three points: numbers of a side; 0: of two points */
    native_side_fn *sides[2][ISA_COUNT];        /* and these in place of tile */
    native_triple_fn *triple[2][ISA_COUNT];
    native_prepare_fn *prepare[2]; /* NULL: nothing to prepare */
    native_key_fn *key[2];         /* NULL: it has no keys */
    op_reach_fn *reach;            /* OP_REACH; NULL: it cannot overflow, or does not say */
    op_reach_end_fn *reach_end;    /* OP_REACH_END; NULL: the value is at most the sum */
    op_bound_fn *bound;            /* OP_BOUND; NULL: it has none */
    op_margin_fn *margin;          /* OP_BOUND_MARGIN; NULL: 0 */
} op_row;

const op_row *op_find(const char *name); /* of pairs or of triplets; NULL: there is no such op */

/* The values of all parameters, in the op's order: those given, else the initial ones. Refused are names that the op does
 * not have, and values out of its range, also as the dtype rounds them. */
wedge_status op_set(const op_row *op, wedge_dtype dtype, const wedge_parameter *given, size_t count,
                    double set[MOST_PARAMETERS], note *n);

/* WEDGE_BAD_ARGUMENT where points of d numbers are not the op's records. */
wedge_status op_check_record(const op_row *op, uint64_t d, note *n);

/* The line of an op's file that defines OP_PARAMETERS: words.h must follow it. "" where there is none. Free it; NULL: no
 * memory. */
char *op_parameters_line(const char *text);

/* The largest number that the op can come to on its way to a value, where feature f of all points lies in lo[f] .. hi[f];
 * 0 where it does not say. Beyond the largest float or double a value may be infinite, NaN or wrong. */
double op_reach(const op_row *op, const double *set, const double *lo, const double *hi, uint64_t d);

/* The best instruction set of this machine, or the one that is wanted ("base", "v3", "v4"; NULL or "": the best).
 * ISA_COUNT: unknown, or this machine has not got it. */
native_isa native_isa_choose(const char *wanted);
const char *native_isa_name(native_isa isa);

#endif
