/* ops.h: the table of ops: what the host knows of each, and what of it the cpu runs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_OPS_OPS_H
#define WEDGE_OPS_OPS_H

#include "core/parameters.h"
#include "ops/native_call.h"
#include "wedge/wedge.h"

typedef struct op_def op_def;

/* For the host, from what an op's file says; values of its parameters as in native_args. Each gets the definition that it belongs to: that of a user's op reads
 * its file (facts.h). */
typedef bool op_check_fn(const op_def *op, int parameter, double value);
typedef double op_magnitude_fn(const op_def *op, double span, double most, const double *values);
typedef double op_magnitude_end_fn(const op_def *op, double sum, const double *values);
typedef double op_magnitude_all_fn(const op_def *op, const double *lo, const double *hi, uint64_t d,
                                   const double *values);
typedef double op_least_fn(const op_def *op, double gap, const double *values);
typedef const char *op_same_fn(const op_def *op, const double *values);
enum { BOUND_GAP, BOUND_LEAST, BOUND_MOST }; /* as op_builtins.h has them */
typedef int op_bound_fn(const op_def *op, uint64_t f, uint64_t d);
typedef wedge_status op_find_key_fn(const op_def *op, wedge_dtype dtype, double most, double *key);
typedef double op_margin_fn(const op_def *op, double d, const double *values);

typedef enum { ISA_BASE, ISA_V3, ISA_V4, ISA_COUNT } native_isa; /* levels of x86-64; elsewhere the base alone */

struct op_def {
    wedge_op_info info;
    const char *text;                   /* text of its file, for devices */
    const char *file;                   /* what compilers' messages call it; NULL: ops/metrics/NAME.h */
    uint32_t records;                   /* direct op: bit d is set if it takes points of d numbers; 0: a fold */
    op_check_fn *check;                 /* may this parameter have this value? */
    op_same_fn *same_as;                /* OP_SAME_AS: the op to run in its place, or NULL; NULL: there is none */
    uint32_t state;                     /* numbers per op_state */
    bool heavy;                         /* a step is long: devices unroll less */
    bool angles;                        /* number 0 of a point is a latitude, number 1 a longitude, in radians */
    native_tile_fn *tile[2][ISA_COUNT]; /* [0] f32, [1] f64; NULL where this machine's kind has no such level */
    native_tile_fn *keys[2][ISA_COUNT]; /* tile functions for keys instead of values; NULL: the op has no keys */
    native_streaming_fn *streaming[2][ISA_COUNT]; /* stores past the cache; NULL: not at this level */
    uint32_t side;                       /* numbers per side, of an op of three points; 0: an op of two points */
    native_side_fn *sides[2][ISA_COUNT]; /* three points: sides, instead of tile */
    native_triple_fn *triple[2][ISA_COUNT];
    native_prepare_fn *prepare[2];      /* NULL: nothing to prepare */
    native_key_fn *key[2];              /* NULL: it has no keys */
    op_find_key_fn *find_key;           /* asks the device for a key, instead of `key`; NULL: use `key` */
    op_magnitude_fn *magnitude;         /* OP_MAGNITUDE; NULL: it cannot overflow, or does not say */
    op_magnitude_end_fn *magnitude_end; /* OP_MAGNITUDE_END; NULL: the value is at most the sum */
    op_magnitude_all_fn *magnitude_all; /* OP_MAGNITUDE_ALL, in place of magnitude; NULL: it has none */
    op_least_fn *least;                 /* OP_LEAST; NULL: it cannot underflow, or does not say */
    op_bound_fn *bound;                 /* OP_BOUND; NULL: it has none */
    op_margin_fn *margin;               /* OP_BOUND_MARGIN; NULL: 0 */
    const struct facts *facts;          /* what the file of a user's op says; NULL: an op of the table */
    const char *parameters_line; /* a user's op: its line with OP_PARAMETERS, or ""; NULL: the line is in `text` */
};

const op_def *op_find(const char *name); /* of pairs or of triplets; NULL: there is no such op */

/* The form of an op of the table that does not leave the range of the dtype (scaled.h); NULL: there is none. */
const op_def *op_scaled(const op_def *op);

/* The table's name for one that others have: "cityblock" for "manhattan"; other names stay as they are. And the other way round: the
 * names that others have for an op, from 0 on; NULL after the last. */
const char *op_canonical_name(const char *name);
const char *op_other_name(const char *op, int index);

wedge_status op_unknown(const char *name, note *n); /* says so, and what was probably meant; WEDGE_BAD_ARGUMENT */

/* The values of all parameters, in the op's order: those given, else the initial ones. Refused are names that the op does
 * not have, and values out of its range, also as the dtype rounds them. */
wedge_status op_take_parameters(const op_def *op, wedge_dtype dtype, const wedge_parameter *given, size_t count,
                                double values[MOST_PARAMETERS], note *n);

/* WEDGE_BAD_ARGUMENT where points of d numbers are not the op's records. */
wedge_status op_check_record(const op_def *op, uint64_t d, note *n);

/* WEDGE_BAD_DATA where the op takes angles and a latitude lies beyond a pole by more than rounding explains: these are degrees. NaN
 * and infinity pass, which others look for. rows: n of d numbers in radians, `stride` numbers apart; was_degrees:
 * op_radians converted them, and a message tells degrees; set: what it calls the points; remedy: what it tells to do. */
wedge_status op_check_angles(const op_def *op, wedge_dtype dtype, const void *rows, uint64_t n, uint64_t stride,
                             bool was_degrees, const char *set, const char *remedy, note *why);

/* Degrees to radians: each number times pi / 180, in double precision, rounded once to its kind. */
void op_radians(bool f64, void *numbers, uint64_t count);

/* The line of an op's file that defines OP_PARAMETERS: op_builtins.h must follow it. "" where there is none. And what compilers' messages
 * call the file. Free them; NULL: no memory. */
char *op_parameters_line(const op_def *op);
char *op_file_name(const op_def *op);

/* The largest number that the op can come to on its way to a value, where feature f of all points lies in lo[f] .. hi[f];
 * 0 where it does not say. Beyond the largest float or double a value may be infinite, NaN or wrong. */
double op_magnitude(const op_def *op, const double *values, const double *lo, const double *hi, uint64_t d);

/* For OP_MAGNITUDE_ALL: (sum over f of (hi - lo)^power)^(1/power), also where a power would leave the range of a double. */
double op_norm(const double *lo, const double *hi, uint64_t d, double power);

/* The best instruction set of this machine, or the one that is wanted ("base", "v3", "v4"; NULL or "": the best).
 * ISA_COUNT: unknown, or this machine has not got it. */
native_isa native_isa_choose(const char *wanted);
const char *native_isa_name(native_isa isa);

#endif
