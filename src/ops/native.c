/* native.c: one op for the cpu. The build compiles this file for every op, kind of number and instruction set.
 *
 * OP is the op's name, OP_FILE its file; NATIVE_F64 the kind of number; ISA the set. A vector lane is a cell: lanes run
 * along a row of the output, and four rows share what is loaded.
 *
 * SPDX-License-Identifier: MIT */
#include "ops/native.h"

#include "ops/native_call.h"
#include "ops/op_builtins.h"
#include OP_FILE

#ifndef OP_HEAVY
#define OP_HEAVY 0
#endif
#ifndef OP_VALUES
#define OP_VALUES 1
#endif
#if OP_VALUES > 1
#undef OP_KEY /* of one value */
#endif
_Static_assert(OP_VALUES >= 1 && OP_VALUES <= MOST_VALUES, "a cell has at most 8 values");

#define JOIN_(a, b, c, d) a##_##b##_##c##_##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)

WEDGE_OP op_args args_of(native_args args) {
    const double *value = args.parameters;
    op_args q;
    q.d = wedge_real((number)args.d);
    q.numbers = (int)args.d;
    OP_FIELDS(OP_FIELD_TAKE)
    return q;
}

/* Does the op take points of d numbers? Code for other d is never made. */
#ifdef OP_DIRECT
#ifndef OP_RECORDS
#define OP_RECORDS(d) ((d) == OP_DIRECT)
#endif
#define TAKES(d) ((d) <= OP_DIRECT && OP_RECORDS(d))
_Static_assert(OP_DIRECT <= MOST_RECORD, "a record has at most 16 numbers");
#else
#define TAKES(d) 1
#endif

/* Number f of two points, in a periodic box: their difference and 0. Where period is NULL, and that is a constant, they stay. */
#ifdef OP_SIDE
#undef OP_BOUND
#define OP_BOUND(f, d) ((f) < 3 ? WEDGE_GAP : WEDGE_LEAST) /* as kernels/pairs.h */
#endif
#ifdef OP_BOUND
WEDGE_OP void in_period(real *a, real *b, size_t f, size_t d, const double *period) {
    if (!period || OP_BOUND(f, d) != WEDGE_GAP || period[f] == 0) return;
    *a = wedge_image(*a - *b, (number)period[f], (number)period[MOST_BOX + f]);
    *b = wedge_real(0);
}
#else
#define in_period(a, b, f, d, period) ((void)(period))
#endif

#ifdef OP_SIDE
_Static_assert(OP_DIRECT <= 4 && OP_SIDE <= MOST_SIDE, "points of triplets have at most 4 numbers, and so have sides");
#include "ops/native_triple.h"
#else

enum { VECTORS = 2, STATES = NATIVE_ROWS * VECTORS, FEW = 4 };

#ifdef OP_DIRECT
/* The values of a pair, by a direct op, or by a fold with few features. d: a constant. */
WEDGE_OP void pair_of(const real *a, const real *b, const int d, op_args q, real *v) {
    q.numbers = d;
#if OP_VALUES > 1
    op_pair(a, b, q, v);
#else
    v[0] = op_pair(a, b, q);
#endif
}
#else
static inline op_state begin(void) {
    op_state s;
    memset(&s, 0, sizeof s);
    return s;
}

/* keys: a constant; instead of the value what grows with it and costs less. */
WEDGE_OP void finish(op_state s, op_args q, real *v, const int keys) {
#ifdef OP_KEY
    if (keys) {
        v[0] = op_key(s, q);
        return;
    }
#endif
#if OP_VALUES > 1
    op_finish(s, q, v);
#else
    v[0] = op_finish(s, q);
#endif
}

WEDGE_OP void pair_of(const real *a, const real *b, const int d, op_args q, real *v) {
    op_state s = begin();
#pragma GCC unroll 4
    for (int f = 0; f < d; ++f) s = op_step(s, a[f], b[f], q);
    finish(s, q, v, 0);
}
#endif

/* The cells of NATIVE_ROWS rows by VECTORS vectors of columns from b on, side by side; each OP_VALUES values. */
#ifdef OP_DIRECT
WEDGE_OP void cells_of_record(real v[STATES], const number *const *a, const number *b, const int d, op_args q,
                              const double *period) {
#pragma GCC unroll 8
    for (int c = 0; c < STATES; ++c) {
        real x[OP_DIRECT], y[OP_DIRECT];
#pragma GCC unroll 16
        for (int f = 0; f < d; ++f) {
            x[f] = wedge_real(a[c / VECTORS][f]);
            y[f] = *(const real *)(b + f * NATIVE_COLS + c % VECTORS * LANES);
            in_period(&x[f], &y[f], (size_t)f, (size_t)d, period);
        }
        pair_of(x, y, d, q, v + c * OP_VALUES);
    }
}

WEDGE_OP void cells(real v[STATES], const number *const *a, const number *b, size_t d, op_args q, const double *period,
                    const int keys) {
    (void)keys;
#define CELLS_OF(n)                                           \
    case n:                                                   \
        if (!TAKES(n)) __builtin_unreachable();               \
        if (TAKES(n)) cells_of_record(v, a, b, n, q, period); \
        break;
    switch (d) {
        CELLS_OF(1)
        CELLS_OF(2)
        CELLS_OF(3)
        CELLS_OF(4)
        CELLS_OF(5)
        CELLS_OF(6)
        CELLS_OF(7)
        CELLS_OF(8)
        CELLS_OF(9)
        CELLS_OF(10)
        CELLS_OF(11)
        CELLS_OF(12)
        CELLS_OF(13)
        CELLS_OF(14)
        CELLS_OF(15)
        CELLS_OF(16)
        default:
            __builtin_unreachable(); /* op_check_record */
    }
}
#else
/* The states of features [first, end), from zeros. */
WEDGE_OP void fold(op_state s[STATES], const number *const *a, const number *b, size_t first, size_t end, size_t d,
                   op_args q, const double *period) {
#pragma GCC unroll 8
    for (int c = 0; c < STATES; ++c) s[c] = begin();
    b += first * NATIVE_COLS;
    for (size_t f = first; f < end; ++f, b += NATIVE_COLS) {
        const real y[VECTORS] = {*(const real *)b, *(const real *)(b + LANES)};
#pragma GCC unroll 8
        for (int c = 0; c < STATES; ++c) {
            real one = wedge_real(a[c / VECTORS][f]), other = y[c % VECTORS];
            in_period(&one, &other, f, d, period);
            s[c] = op_step(s[c], one, other, q);
        }
    }
}

#if defined(OP_SUMS)
WEDGE_JOIN_SUMS
#endif
#if defined(OP_SUMS) || defined(OP_JOINS)
/* Of more features than a part has, which no box has. Not inline: apart from what is for few features. */
static __attribute__((noinline)) void fold_in_parts(op_state *s, const number *const *a, const number *b, size_t d,
                                                    const op_args *q) {
    op_state all[STATES], group[STATES], part[STATES];
    for (int c = 0; c < STATES; ++c) all[c] = group[c] = begin();
    for (size_t first = 0, end; first < d; first = end) {
        end = d - first < WEDGE_PART ? d : first + WEDGE_PART;
        fold(part, a, b, first, end, d, *q, NULL);
        for (int c = 0; c < STATES; ++c) group[c] = op_join(group[c], part[c]);
        if (end % WEDGE_GROUP && end < d) continue;
        for (int c = 0; c < STATES; ++c) all[c] = op_join(all[c], group[c]), group[c] = begin();
    }
    memcpy(s, all, sizeof all);
}
_Static_assert(PART_FEATURES == WEDGE_PART, "host and devices cut in the same places");
_Static_assert(MOST_BOX <= WEDGE_PART, "a periodic box has no more features than a part");
#define IS_CUT(d) ((d) > WEDGE_PART)
#else
#define IS_CUT(d) 0
#define fold_in_parts(s, a, b, d, q) (void)0
#endif

WEDGE_OP void cells(real v[STATES], const number *const *a, const number *b, size_t d, op_args q, const double *period,
                    const int keys) {
    op_state s[STATES];
    if (IS_CUT(d))
        fold_in_parts(s, a, b, d, &q);
    else
        fold(s, a, b, 0, d, d, q, period);
#pragma GCC unroll 8
    for (int c = 0; c < STATES; ++c) finish(s[c], q, v + c * OP_VALUES, keys);
}
#endif

/* Of LANES cells with their values side by side, LANES numbers from number `first` on. */
WEDGE_OP real side_by_side(const real *v, size_t first) {
    real all = v[0];
#if defined(VECTOR_) && !defined(__clang__)
    static const number_bits up[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    lanes number_of;
    memcpy(&number_of, up, sizeof number_of);
    number_of = number_of + (number_bits)first;
    const lanes cell = number_of / OP_VALUES, value = number_of - cell * OP_VALUES;
#pragma GCC unroll 8
    for (int w = 0; w < OP_VALUES; ++w) all = wedge_pick(value == w, __builtin_shuffle(v[w], cell), all);
#else
    for (size_t l = 0; l < LANES; ++l) all[l] = v[(first + l) % OP_VALUES][(first + l) / OP_VALUES];
#endif
    return all;
}

/* A vector of cells: their first values, or all values of each. */
WEDGE_OP void put_cells(number *row, size_t column, const real *v, size_t values) {
    if (OP_VALUES == 1 || values == 1) {
        memcpy(row + column, v, sizeof *v);
        return;
    }
#pragma GCC unroll 8
    for (size_t s = 0; s < OP_VALUES; ++s) {
        const real all = side_by_side(v, s * LANES);
        memcpy(row + column * OP_VALUES + s * LANES, &all, sizeof all);
    }
}

WEDGE_OP void tile(void *out, size_t stride, const void *const *row, const void *panel, size_t panels, native_args args,
                   const double *period, const int keys) {
    const op_args q = args_of(args);
    const number *a[NATIVE_ROWS];
    memcpy(a, row, sizeof a);
    for (size_t column = 0; column < panels * NATIVE_COLS; column += VECTORS * LANES) {
        const number *b = (const number *)panel + column / NATIVE_COLS * NATIVE_COLS * args.d + column % NATIVE_COLS;
        real v[STATES * OP_VALUES];
        cells(v, a, b, args.d, q, period, keys);
#pragma GCC unroll 8
        for (size_t c = 0; c < STATES; ++c)
            put_cells((number *)out + c / VECTORS * stride, column + c % VECTORS * LANES, v + c * OP_VALUES,
                      args.values);
    }
}

#ifdef OP_BOUND
#define TILE_FN(name, keys)                                                                                            \
    extern native_tile_fn JOIN(name, OP, KIND, ISA);                                                                   \
    void JOIN(name, OP, KIND, ISA)(void *out, size_t stride, const void *const *row, const void *panel, size_t panels, \
                                   native_args args) {                                                                 \
        if (args.period)                                                                                               \
            tile(out, stride, row, panel, panels, args, args.period, keys);                                            \
        else                                                                                                           \
            tile(out, stride, row, panel, panels, args, NULL, keys);                                                   \
    }
#else
#define TILE_FN(name, keys)                                                                                            \
    extern native_tile_fn JOIN(name, OP, KIND, ISA);                                                                   \
    void JOIN(name, OP, KIND, ISA)(void *out, size_t stride, const void *const *row, const void *panel, size_t panels, \
                                   native_args args) {                                                                 \
        tile(out, stride, row, panel, panels, args, NULL, keys);                                                       \
    }
#endif
TILE_FN(tile, 0)
#ifdef OP_KEY
TILE_FN(keys, 1)
#endif

/* ---- Straight to memory ---- */

#if defined(NATIVE_STRAIGHT) && OP_VALUES == 1
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
                real v[OP_VALUES];
                pair_of(x[r], y, d, q, v);
                words_stream(to[r].to + at, strand_next(&to[r], v[0]));
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

extern native_streaming_fn JOIN(streaming, OP, KIND, ISA);
void JOIN(streaming, OP, KIND, ISA)(const native_target *out, const void *const *row, const void *panel, size_t panels,
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
            if (TAKES(1) && args.d == 1) few_features(to, p * bytes, a, b, whole.end - p, 1, q);
            if (TAKES(2) && args.d == 2) few_features(to, p * bytes, a, b, whole.end - p, 2, q);
            if (TAKES(3) && args.d == 3) few_features(to, p * bytes, a, b, whole.end - p, 3, q);
            if (TAKES(4) && args.d == 4) few_features(to, p * bytes, a, b, whole.end - p, 4, q);
            p = whole.end;
            continue;
        }
        for (size_t column = 0; column < NATIVE_COLS; column += VECTORS * LANES) {
            real v[STATES * OP_VALUES];
            cells(v, a, b + column, args.d, q, NULL, 0);
#pragma GCC unroll 8
            for (size_t c = 0; c < STATES; ++c)
                strand_put(&to[c / VECTORS], p * bytes + (column + c % VECTORS * LANES) * sizeof(number),
                           v[c * OP_VALUES]);
        }
        ++p;
    }
#pragma GCC unroll 4
    for (int r = 0; r < NATIVE_ROWS; ++r) strand_put(&to[r], panels * bytes, wedge_real(0)); /* what is left */
    _mm256_zeroupper(); /* a tail call would leave that out */
}
#endif

#endif /* OP_SIDE */

#if defined(OP_PREPARES) && defined(OP_BASE) /* the same at every instruction set: rows do not wait for vectors */
extern native_prepare_fn JOIN(prepare, OP, KIND, base);
void JOIN(prepare, OP, KIND, base)(void *row, uint32_t d) { op_prepare(row, d); }
#endif

#if defined(OP_KEY) && defined(OP_BASE)
/* By halving: floats that are not below 0 are in the order of their bits. */
extern native_key_fn JOIN(key, OP, KIND, base);
double JOIN(key, OP, KIND, base)(double most) {
    op_args none;
    memset(&none, 0, sizeof none);
    const number largest = (number)INFINITY;
    number_bits low = 0, high, middle;
    memcpy(&high, &largest, sizeof high);
    if (!(most >= 0)) return -1;
    for (++high; high - low > 1;) { /* low is within, high is not */
        number key;
        middle = low + (high - low) / 2;
        memcpy(&key, &middle, sizeof key);
        const real all = wedge_real(key);
        op_state s;
        _Static_assert(sizeof s == sizeof all, "the state of an op with keys is its key");
        memcpy(&s, &all, sizeof s);
        if ((double)op_finish(s, none)[0] <= most)
            low = middle;
        else
            high = middle;
    }
    number key;
    memcpy(&key, &low, sizeof key);
    return (double)key;
}
#endif

#ifdef OP_DIRECT
#define STATE_NUMBERS 0
#else
#define STATE_NUMBERS (sizeof(op_state) / sizeof(real))
#endif

#ifdef OP_ROW /* once an op */
#include "ops/native_def.h"
#endif
