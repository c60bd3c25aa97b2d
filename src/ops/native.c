/* native.c: one op for the cpu. The build compiles this file for every op, kind of number and instruction set.
 *
 * OP is the op's name, OP_FILE its file; NATIVE_F64 the kind of number; ISA the set. A vector lane is a cell: lanes run
 * along a row of the output, and four rows share what is loaded.
 *
 * SPDX-License-Identifier: MIT */
#include "ops/native.h"

#include "ops/ops.h"
#include "ops/words.h"
#include OP_FILE

enum { VECTORS = 2, STATES = NATIVE_ROWS * VECTORS };

static inline op_state begin(op_args q) {
#ifdef OP_INITS
    return op_init(q);
#else
    op_state s;
    memset(&s, 0, sizeof s);
    return s;
#endif
}

#define JOIN_(a, b, c, d) a##_##b##_##c##_##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)

extern native_tile_fn JOIN(tile, OP, KIND, ISA);
void JOIN(tile, OP, KIND, ISA)(void *out, size_t stride, const void *const *row, const void *panel, size_t panels,
                               native_args args) {
    const op_args q = {wedge_real((number)args.p), wedge_real((number)args.d)};
    const number *a[NATIVE_ROWS];
    memcpy(a, row, sizeof a);
    for (size_t column = 0; column < panels * NATIVE_COLS; column += VECTORS * LANES) {
        const number *b = (const number *)panel + column / NATIVE_COLS * NATIVE_COLS * args.d + column % NATIVE_COLS;
        op_state s[STATES];
#pragma GCC unroll 8
        for (int c = 0; c < STATES; ++c) s[c] = begin(q);
        for (size_t f = 0; f < args.d; ++f, b += NATIVE_COLS) {
            const real y[VECTORS] = {*(const real *)b, *(const real *)(b + LANES)};
#pragma GCC unroll 8
            for (int c = 0; c < STATES; ++c) s[c] = op_step(s[c], wedge_real(a[c / VECTORS][f]), y[c % VECTORS], q);
        }
#pragma GCC unroll 8
        for (size_t c = 0; c < STATES; ++c) {
            real v = op_finish(s[c], q);
            memcpy((number *)out + c / VECTORS * stride + column + c % VECTORS * LANES, &v, sizeof v);
        }
    }
}

#if defined(OP_PREPARES) && defined(OP_BASE) /* the same at every instruction set: rows do not wait for vectors */
extern native_prepare_fn JOIN(prepare, OP, KIND, base);
void JOIN(prepare, OP, KIND, base)(void *row, uint32_t d) { op_prepare(row, d); }
#endif

#ifdef OP_ROW /* once an op: its row of the table */

#ifndef OP_ZERO_FOR_EQUALS
#define OP_ZERO_FOR_EQUALS 0
#endif
#ifndef OP_TAKES_P
#define OP_TAKES_P 0
#endif
#ifndef OP_HEAVY
#define OP_HEAVY 0
#endif
#ifdef OP_PREPARES
#define PREPARE(kind) JOIN(prepare, OP, kind, base)
extern native_prepare_fn PREPARE(f32), PREPARE(f64);
#else
#define PREPARE(kind) NULL
#endif
#if OP_ROW > 1 /* levels of x86-64 */
#define TILES(kind) \
    { JOIN(tile, OP, kind, base), JOIN(tile, OP, kind, v3), JOIN(tile, OP, kind, v4) }
extern native_tile_fn JOIN(tile, OP, f32, v3), JOIN(tile, OP, f32, v4), JOIN(tile, OP, f64, v3),
    JOIN(tile, OP, f64, v4);
#else
#define TILES(kind) \
    { JOIN(tile, OP, kind, base) }
#endif
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

extern native_tile_fn JOIN(tile, OP, f64, base);
extern const char JOIN(text, op, OP, file)[];
extern const op_row JOIN(op, OP, the, row);
const op_row JOIN(op, OP, the, row) = {
    .info = {TEXT(OP), OP_FORMULA, OP_TAKES_P, OP_ZERO_FOR_EQUALS},
    .text = JOIN(text, op, OP, file),
    .heavy = OP_HEAVY,
    .tile = {TILES(f32), TILES(f64)},
    .prepare = {PREPARE(f32), PREPARE(f64)},
};

#endif
