/* native_def.h: the definition of an op in the table, from what its file says. The end of native.c, where that is compiled for the base
 * level.
 *
 * SPDX-License-Identifier: MIT */
#include "ops/ops.h"

#ifndef OP_COLUMNS
#define OP_COLUMNS NULL
#endif
#ifndef OP_ANGLES
#define OP_ANGLES 0
#endif
#ifndef OP_ZERO_FOR_EQUALS
#define OP_ZERO_FOR_EQUALS 0
#endif

/* What the file says of parameters, where it does or has the older OP_TAKES_P. */
#if defined(OP_PARAMETERS) || defined(OP_TAKES_P)
#define PARAMETERS OP_FIELDS
#else
#define PARAMETERS(P)
#endif
#define INFO_OF(parameter, initial, holds) \
    &(const wedge_parameter_info){.name = #parameter, .value = initial, .condition = #holds},
#define CHECK_OF(name, initial, condition)            \
    static bool check_##name(double name) {           \
        const bool all[] = {name == name, condition}; \
        return all[sizeof all / sizeof *all - 1];     \
    }
#define CHECK_NAME(name, initial, condition) check_##name,
PARAMETERS(CHECK_OF)
static const wedge_parameter_info *const parameters[] = {PARAMETERS(INFO_OF) NULL};
static bool check(const op_def *op, int parameter, double value) {
    static bool (*const checks[])(double) = {PARAMETERS(CHECK_NAME) NULL};
    return checks[parameter](value);
}
#define PARAMETER_COUNT ((int)(sizeof parameters / sizeof *parameters) - 1)
_Static_assert(PARAMETER_COUNT <= MOST_PARAMETERS, "an op has at most 16 parameters");

/* The macros for the host see parameters by their names, and the first also as their last argument. */
#define LOCAL_OF(name, initial, condition) \
    const double name = *op_next++;        \
    (void)name;
#define LOCALS                      \
    const double *op_next = op_all; \
    PARAMETERS(LOCAL_OF)            \
    (void)op_next;
#ifdef OP_MAGNITUDE
static double magnitude(const op_def *op, double op_span, double op_most, const double *op_all) {
    LOCALS
    return OP_MAGNITUDE(op_span, op_most, op_all[0]);
}
#define MAGNITUDE magnitude
#else
#define MAGNITUDE NULL
#endif
#ifdef OP_MAGNITUDE_END
static double magnitude_end(const op_def *op, double op_sum, const double *op_all) {
    LOCALS
    return OP_MAGNITUDE_END(op_sum, op_all[0]);
}
#define MAGNITUDE_END magnitude_end
#else
#define MAGNITUDE_END NULL
#endif
#ifdef OP_LEAST
static double least(const op_def *op, double op_gap, const double *op_all) {
    LOCALS
    return OP_LEAST(op_gap, op_all[0]);
}
#define LEAST least
#else
#define LEAST NULL
#endif
#ifdef OP_MAGNITUDE_ALL
static double magnitude_all(const op_def *op, const double *op_lo, const double *op_hi, uint64_t op_d,
                            const double *op_all) {
    LOCALS
    return OP_MAGNITUDE_ALL(op_lo, op_hi, op_d);
}
#define MAGNITUDE_ALL magnitude_all
#else
#define MAGNITUDE_ALL NULL
#endif
#ifdef OP_BOUND
static int bound(const op_def *op, uint64_t f, uint64_t d) { return OP_BOUND(f, d); }
#define BOUND bound
#define BOUNDED true
#else
#define BOUND NULL
#define BOUNDED false
#endif
#ifdef OP_BOUND_MARGIN
static double margin(const op_def *op, double d, const double *op_all) {
    LOCALS
    return OP_BOUND_MARGIN(d, op_all[0]);
}
#define MARGIN margin
#else
#define MARGIN NULL
#endif
#ifdef OP_SAME_AS
static const char *same_as(const op_def *op, const double *op_all) {
    LOCALS
    return OP_SAME_AS;
}
#define SAME_AS same_as
#else
#define SAME_AS NULL
#endif
#ifdef OP_DIRECT
#define TAKEN(d) (TAKES(d) ? 1u << (d) : 0u)
#define TAKEN4(d) (TAKEN(d) | TAKEN((d) + 1) | TAKEN((d) + 2) | TAKEN((d) + 3))
#define RECORDS (TAKEN4(1) | TAKEN4(5) | TAKEN4(9) | TAKEN4(13))
#define RECORD (RECORDS == 1u << OP_DIRECT ? OP_DIRECT : 0)
#else
#define RECORDS 0
#define RECORD 0
#endif
#ifdef OP_PREPARES
#define PREPARE(kind) JOIN(prepare, OP, kind, base)
extern native_prepare_fn PREPARE(f32), PREPARE(f64);
#else
#define PREPARE(kind) NULL
#endif
#ifdef OP_KEY
#define KEY(kind) JOIN(key, OP, kind, base)
extern native_key_fn KEY(f32), KEY(f64);
#else
#define KEY(kind) NULL
#endif
#if OP_ROW > 1 /* levels of x86-64 */
#define LEVELS(name, kind) \
    { JOIN(name, OP, kind, base), JOIN(name, OP, kind, v3), JOIN(name, OP, kind, v4) }
#define DECLARE_LEVELS(name, fn)                                                                                    \
    extern fn JOIN(name, OP, f64, base), JOIN(name, OP, f32, v3), JOIN(name, OP, f32, v4), JOIN(name, OP, f64, v3), \
        JOIN(name, OP, f64, v4);
#else
#define LEVELS(name, kind) \
    { JOIN(name, OP, kind, base) }
#define DECLARE_LEVELS(name, fn) extern fn JOIN(name, OP, f64, base);
#endif
#ifdef OP_KEY
DECLARE_LEVELS(keys, native_tile_fn)
#endif
#ifdef OP_SIDE
DECLARE_LEVELS(side, native_side_fn)
DECLARE_LEVELS(triple, native_triple_fn)
#define OP_POINTS 3
#else
DECLARE_LEVELS(tile, native_tile_fn)
#define OP_POINTS 2
#endif
#if OP_ROW > 1 && OP_VALUES == 1 && !defined(OP_SIDE)
#define STREAMINGS(kind) \
    { NULL, JOIN(streaming, OP, kind, v3), JOIN(streaming, OP, kind, v4) }
extern native_streaming_fn JOIN(streaming, OP, f32, v3), JOIN(streaming, OP, f32, v4), JOIN(streaming, OP, f64, v3),
    JOIN(streaming, OP, f64, v4);
#else
#define STREAMINGS(kind) \
    { NULL }
#endif

#ifdef OP_PULLS
#define FORCES true
#else
#define FORCES false
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern const char JOIN(text, op, OP, file)[];
#define DEF_OF_(name) op_##name##_def
#define DEF_OF(name) DEF_OF_(name)
extern const op_def DEF_OF(OP);
const op_def DEF_OF(OP) = {
    .info = {.name = TEXT(OP),
             .formula = OP_FORMULA,
             .zero_for_equals = OP_ZERO_FOR_EQUALS,
             .record = RECORD,
             .values = OP_VALUES,
             .points = OP_POINTS,
             .bounded = BOUNDED,
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters,
             .forces = FORCES,
             .columns = OP_COLUMNS},
    .records = RECORDS,
    .check = check,
    .same_as = SAME_AS,
    .text = JOIN(text, op, OP, file),
    .heavy = OP_HEAVY,
    .angles = OP_ANGLES,
    .state = STATE_NUMBERS,
#ifdef OP_SIDE
    .side = OP_SIDE,
    .sides = {LEVELS(side, f32), LEVELS(side, f64)},
    .triple = {LEVELS(triple, f32), LEVELS(triple, f64)},
#else
    .tile = {LEVELS(tile, f32), LEVELS(tile, f64)},
#endif
#ifdef OP_KEY
    .keys = {LEVELS(keys, f32), LEVELS(keys, f64)},
#endif
    .streaming = {STREAMINGS(f32), STREAMINGS(f64)},
    .prepare = {PREPARE(f32), PREPARE(f64)},
    .key = {KEY(f32), KEY(f64)},
    .magnitude = MAGNITUDE,
    .magnitude_end = MAGNITUDE_END,
    .magnitude_all = MAGNITUDE_ALL,
    .least = LEAST,
    .bound = BOUND,
    .margin = MARGIN,
};
