/* native_call.h: what of an op the cpu calls: the functions that native.c makes of its file. With no other header of wedge, so that
 * the file of a user's op can be compiled beside it (source.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_OPS_NATIVE_CALL_H
#define WEDGE_OPS_NATIVE_CALL_H

#include <stddef.h>
#include <stdint.h>

/* Cells of a native tile: NATIVE_ROWS rows by NATIVE_COLS columns a panel. */
enum { NATIVE_ROWS = 4, NATIVE_COLS = 64 };

enum { PART_FEATURES = 128 };               /* beyond, features are cut: WEDGE_PART of op_builtins.h */
enum { MOST_BOX = 64 };                     /* most features of a bounding box, and of periodic points */
enum { MOST_RECORD = 16, MOST_VALUES = 8 }; /* most numbers per record of a direct op; most values per cell */
enum { MOST_COORDINATES = 3 };              /* most coordinates per point of triplets */
enum { MOST_SIDE = 4 };                     /* most numbers per side of a triplet */

typedef struct {
    const double *parameters; /* the values of the op's parameters, in its order */
    uint64_t d;
    uint64_t values;      /* values wanted per cell: all, or 1 for the first */
    const double *period; /* lengths of the periodic box, and from MOST_BOX on their inverses; NULL: not periodic */
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
typedef void native_streaming_fn(const native_target *out, const void *const *row, const void *panel, size_t panels,
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

#endif
