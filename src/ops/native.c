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

#ifndef OP_HEAVY
#define OP_HEAVY 0
#endif

enum { VECTORS = 2, STATES = NATIVE_ROWS * VECTORS, FEW = 4 };

static inline op_state begin(void) {
    op_state s;
    memset(&s, 0, sizeof s);
    return s;
}

#define JOIN_(a, b, c, d) a##_##b##_##c##_##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)

/* The cells of NATIVE_ROWS rows by VECTORS vectors of columns from b on, side by side. */
WEDGE_OP void cells(real v[STATES], const number *const *a, const number *b, size_t d, op_args q) {
    op_state s[STATES];
#pragma GCC unroll 8
    for (int c = 0; c < STATES; ++c) s[c] = begin();
    for (size_t f = 0; f < d; ++f, b += NATIVE_COLS) {
        const real y[VECTORS] = {*(const real *)b, *(const real *)(b + LANES)};
#pragma GCC unroll 8
        for (int c = 0; c < STATES; ++c) s[c] = op_step(s[c], wedge_real(a[c / VECTORS][f]), y[c % VECTORS], q);
    }
#pragma GCC unroll 8
    for (int c = 0; c < STATES; ++c) v[c] = op_finish(s[c], q);
}

WEDGE_OP op_args args_of(native_args args) { return (op_args){wedge_real((number)args.p), wedge_real((number)args.d)}; }

extern native_tile_fn JOIN(tile, OP, KIND, ISA);
void JOIN(tile, OP, KIND, ISA)(void *out, size_t stride, const void *const *row, const void *panel, size_t panels,
                               native_args args) {
    const op_args q = args_of(args);
    const number *a[NATIVE_ROWS];
    memcpy(a, row, sizeof a);
    for (size_t column = 0; column < panels * NATIVE_COLS; column += VECTORS * LANES) {
        const number *b = (const number *)panel + column / NATIVE_COLS * NATIVE_COLS * args.d + column % NATIVE_COLS;
        real v[STATES];
        cells(v, a, b, args.d, q);
#pragma GCC unroll 8
        for (size_t c = 0; c < STATES; ++c)
            memcpy((number *)out + c / VECTORS * stride + column + c % VECTORS * LANES, &v[c], sizeof v[c]);
    }
}

/* ---- Straight to memory ---- */

#ifdef NATIVE_STRAIGHT
/* A row on its way: its vectors move up by as much as it is off a boundary, and leave whole. */
typedef struct {
    char *to, *begin, *end;
    words last, from; /* the vector before, and which of its words and the next one's make a whole one */
} strand;

WEDGE_OP strand strand_of(const native_target *out, int r) {
    size_t off = (uintptr_t)out->at[r] % NATIVE_BYTES;
    return (strand){out->at[r] - off, out->begin[r], out->end[r], words_from(0), words_from((NATIVE_BYTES - off) / 4)};
}

WEDGE_OP words strand_next(strand *s, real v) {
    words w = words_join(s->last, (words)v, s->from);
    s->last = (words)v;
    return w;
}

/* Whole, or what of it belongs to the row. */
WEDGE_OP void strand_put(strand *s, size_t at, real v) {
    words w = strand_next(s, v);
    char *to = s->to + at;
    if (to >= s->begin && to + NATIVE_BYTES <= s->end)
        words_stream(to, w);
    else
        words_store(to, w, s->begin, s->end);
}

/* Few features, their number a constant: rows stay in registers, and cells come one after another, so that long
 * instructions and stores are spread evenly among the others. All that is stored is whole. */
WEDGE_OP void few_features(strand *to, size_t at, const number *const *a, const number *b, size_t panels, const int d,
                           op_args q) {
    real x[NATIVE_ROWS][FEW], y[FEW];
#pragma GCC unroll 16
    for (int c = 0; c < NATIVE_ROWS * d; ++c) x[c / d][c % d] = wedge_real(a[c / d][c % d]);
    for (; panels; --panels, b += d * NATIVE_COLS)
        for (size_t c = 0; c < NATIVE_COLS; c += LANES, at += NATIVE_BYTES) {
#pragma GCC unroll 4
            for (int f = 0; f < d; ++f) y[f] = *(const real *)(b + f * NATIVE_COLS + c);
#pragma GCC unroll 4
            for (int r = 0; r < NATIVE_ROWS; ++r) {
                op_state s = begin();
#pragma GCC unroll 4
                for (int f = 0; f < d; ++f) s = op_step(s, x[r][f], y[f], q);
                words_stream(to[r].to + at, strand_next(&to[r], op_finish(s, q)));
            }
        }
}

/* Panels of few features that store nothing but whole vectors: [first, end). */
typedef struct {
    size_t first, end;
} whole_panels;

WEDGE_OP whole_panels whole_panels_of(const strand *to, size_t panels, size_t bytes, size_t d) {
    whole_panels w = {0, d <= FEW ? panels : 0};
#pragma GCC unroll 4
    for (int r = 0; r < NATIVE_ROWS; ++r) {
        size_t before = to[r].begin > to[r].to ? (size_t)(to[r].begin - to[r].to) : 0;
        size_t until = to[r].end > to[r].to ? (size_t)(to[r].end - to[r].to) : 0;
        if ((before + bytes - 1) / bytes > w.first) w.first = (before + bytes - 1) / bytes;
        if (until / bytes < w.end) w.end = until / bytes;
    }
    return w;
}

extern native_straight_fn JOIN(straight, OP, KIND, ISA);
void JOIN(straight, OP, KIND, ISA)(const native_target *out, const void *const *row, const void *panel, size_t panels,
                                   native_args args) {
    const size_t bytes = NATIVE_COLS * sizeof(number); /* of a panel's row */
    const op_args q = args_of(args);
    const number *a[NATIVE_ROWS];
    strand to[NATIVE_ROWS];
    memcpy(a, row, sizeof a);
#pragma GCC unroll 4
    for (int r = 0; r < NATIVE_ROWS; ++r) to[r] = strand_of(out, r);
    const whole_panels whole = whole_panels_of(to, panels, bytes, args.d);
    for (size_t p = 0; p < panels;) {
        const number *b = (const number *)panel + p * NATIVE_COLS * args.d;
        if (!OP_HEAVY && p == whole.first && p < whole.end) {
            if (args.d == 1) few_features(to, p * bytes, a, b, whole.end - p, 1, q);
            if (args.d == 2) few_features(to, p * bytes, a, b, whole.end - p, 2, q);
            if (args.d == 3) few_features(to, p * bytes, a, b, whole.end - p, 3, q);
            if (args.d == 4) few_features(to, p * bytes, a, b, whole.end - p, 4, q);
            p = whole.end;
            continue;
        }
        for (size_t column = 0; column < NATIVE_COLS; column += VECTORS * LANES) {
            real v[STATES];
            cells(v, a, b + column, args.d, q);
#pragma GCC unroll 8
            for (size_t c = 0; c < STATES; ++c)
                strand_put(&to[c / VECTORS], p * bytes + (column + c % VECTORS * LANES) * sizeof(number), v[c]);
        }
        ++p;
    }
#pragma GCC unroll 4
    for (int r = 0; r < NATIVE_ROWS; ++r) strand_put(&to[r], panels * bytes, wedge_real(0)); /* what is left */
    _mm256_zeroupper(); /* a tail call would leave that out */
}
#endif

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
#ifdef OP_REACH
static double reach(double span, double most, double p) { return OP_REACH(span, most, p); }
#define REACH reach
#else
#define REACH NULL
#endif
#ifdef OP_REACH_END
static double reach_end(double sum, double p) { return OP_REACH_END(sum, p); }
#define REACH_END reach_end
#else
#define REACH_END NULL
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
#define STRAIGHTS(kind) \
    { NULL, JOIN(straight, OP, kind, v3), JOIN(straight, OP, kind, v4) }
extern native_tile_fn JOIN(tile, OP, f32, v3), JOIN(tile, OP, f32, v4), JOIN(tile, OP, f64, v3),
    JOIN(tile, OP, f64, v4);
extern native_straight_fn JOIN(straight, OP, f32, v3), JOIN(straight, OP, f32, v4), JOIN(straight, OP, f64, v3),
    JOIN(straight, OP, f64, v4);
#else
#define TILES(kind) \
    { JOIN(tile, OP, kind, base) }
#define STRAIGHTS(kind) \
    { NULL }
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
    .state = sizeof(op_state) / sizeof(real),
    .tile = {TILES(f32), TILES(f64)},
    .straight = {STRAIGHTS(f32), STRAIGHTS(f64)},
    .prepare = {PREPARE(f32), PREPARE(f64)},
    .reach = REACH,
    .reach_end = REACH_END,
};

#endif
