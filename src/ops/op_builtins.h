/* op_builtins.h: the words that ops are written in: one meaning in C, CUDA C and OpenCL C.
 *
 * An op is a fold over the features of two points. Its file defines
 *
 *     op_state                                                   what is kept from feature to feature; zeros at first
 *     op_state op_step(op_state s, real a, real b, op_args q)    takes in one feature
 *     real     op_finish(op_state s, op_args q)                  the value of the cell
 *
 * or it is direct, announced by OP_DIRECT, and defines
 *
 *     real     op_pair(const real *a, const real *b, op_args q)  the value of a cell, from two records of q.numbers numbers
 *
 * With OP_VALUES, two to eight values for a pair, both get where to put them: op_finish(s, q, v) and op_pair(a, b, q, v) return
 * nothing and set v[0] to v[OP_VALUES - 1]. Point a is the row's, b the column's.
 *
 * An op of three points (triples.h) is announced by OP_SIDE, at most four: it works with the sides of triangles, and a side
 * is that many numbers, computed once for all triplets that have it. Its file defines
 *
 *     void     op_side(const real *a, const real *b, op_args q, real *s)    sets s[0] to s[OP_SIDE - 1]
 *     real     op_triple(const real *ab, const real *ac, const real *bc, op_args q)    the value of points a > b > c
 *
 * and with OP_PULLS, where s[0] is the square of the side, for forces
 *
 *     real     op_pull(const real *ab, const real *ac, const real *bc, op_args q)      what the value changes by with ab[0]
 *
 * A fold over many features is cut (WEDGE_PART) if its file says how the states of two runs of features become that of both:
 * by OP_SUMS, if all numbers of op_state are sums over the features, or by OP_JOINS and
 *
 *     op_state op_join(op_state s, op_state t)                   s, and then t; zeros joined with t are t
 *
 * And where it needs it, announced by OP_PREPARES,
 *
 *     void     op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) rewrites a point, once, before the first pair
 *
 * or, for folds on GPUs, with OP_QUICK_FROM,
 *
 *     real     op_quick(op_state s, op_args q)                   op_finish where that is OP_QUICK_FROM or more, with less
 *                                                                work; below it, less than OP_QUICK_FROM or NaN
 *
 * docs/add-an-op.md has examples, and all that a file may say: OP_FORMULA, OP_PARAMETERS, OP_RECORDS, OP_ZERO_FOR_EQUALS,
 * OP_HEAVY, OP_MAGNITUDE and others.
 *
 * Values in, value out. No branches on values, wedge_pick instead: on the cpu a `real` is a vector of numbers, one cell
 * a lane; on other devices it is one number.
 *
 * SPDX-License-Identifier: MIT */

/* OP_BOUND(f, d), where an op has a lower bound over two boxes of points: the number f of d of two points whose value is not
 * above that of any two points of the boxes. */
#define WEDGE_GAP 0   /* the value grows with |a - b|: 0, and what lies between the boxes */
#define WEDGE_LEAST 1 /* it grows with a and b, or only shrinks with the others: the least of each box */
#define WEDGE_MOST 2  /* it shrinks with a and b: the most of each box */

/* A sum of many numbers, one after another, is off by more the more there are. So features are cut into parts, these into groups: a
 * part is folded from zeros and joined with its group, a whole group with the sum of all groups, in order. The places are
 * fixed, so the bytes do not depend on who takes which features; whoever shares a cell takes whole groups. With parts of 128 the sum
 * of 100,000 equal numbers, whose roundings all go the same way, is right to 40 units in the last place, that of random ones to 5. */
#define WEDGE_PART 128u   /* features */
#define WEDGE_GROUP 2048u /* a multiple of WEDGE_PART */

/* op_join of an op that has OP_SUMS. */
#define WEDGE_JOIN_SUMS                                                \
    WEDGE_OP op_state op_join(op_state s, op_state t) {                \
        for (int k = 0; k < (int)(sizeof s / sizeof(real)); ++k)       \
            ((real *)&s)[k] = ((real *)&s)[k] + ((const real *)&t)[k]; \
        return s;                                                      \
    }

#ifndef WEDGE_NATIVE /* native.h has them for vectors */

typedef number real;

#define WEDGE_OP WEDGE_FN
#define wedge_real(x) ((real)(x))
#define wedge_pick(condition, a, b) ((condition) ? (a) : (b)) /* a where it holds, else b */
#define wedge_abs(x) fabs(x)
#if PAIRS_F64
#define wedge_sqrt(x) sqrt(x) /* of x >= 0 */
#define wedge_rsqrt(x) rsqrt(x)
#else
#define wedge_sqrt(x) wedge_sqrt_exact(x)
#define wedge_rsqrt(x) wedge_rsqrtf(x)
#endif
#define wedge_exp(x) exp(x)
#define wedge_log(x) log(x)
#define wedge_log1p(x) log1p(x)
#define wedge_pow(x, y) pow(x, y)
#define wedge_sin(x) sin(x)
#define wedge_cos(x) cos(x)
#define wedge_asin(x) asin(x)
#define wedge_fused(a, b, c) fma(a, b, c) /* a * b + c, rounded once */
#define wedge_number_sqrt(x) sqrt(x)
#define wedge_number_pow(x, y) pow(x, y)
#define WEDGE_UNROLL _Pragma("unroll") /* before a loop over the numbers of a record */

#endif

/* What the op's file says of its parameters comes before this text (op_parameters_line). A file that says nothing may have
 * one, p (OP_TAKES_P). */
#ifdef OP_PARAMETERS
#define OP_FIELDS OP_PARAMETERS
#else
#define OP_FIELDS(P) P(p, 2, )
#endif
#define OP_FIELD(name, initial, condition) real name;
#define OP_FIELD_COUNT(name, initial, condition) +1

typedef struct {
    real d;      /* the number of features */
    int numbers; /* the same, for the loops of op_pair: a constant when it is compiled */
    OP_FIELDS(OP_FIELD)
#if PAIRS_PERIODIC
    number image_lengths[PAIRS_IMAGES],
        image_inverses[PAIRS_IMAGES]; /* lengths of the periodic box and their inverses; 0: not periodic */
#endif
} op_args;

/* The parameters, as a kernel's argument. */
typedef struct {
    number v[0 OP_FIELDS(OP_FIELD_COUNT) ? 0 OP_FIELDS(OP_FIELD_COUNT) : 1];
#if PAIRS_PERIODIC
    number image_lengths[PAIRS_IMAGES], image_inverses[PAIRS_IMAGES];
#endif
} op_values;

#define OP_FIELD_TAKE(name, initial, condition) q.name = wedge_real((number)*value++);

/* ---- For ops of three points ---- */

/* NaN where one of them is. */
WEDGE_OP real wedge_larger(real a, real b) { return wedge_pick((a > b) | (a != a), a, b); }
WEDGE_OP real wedge_smaller(real a, real b) { return wedge_pick((a < b) | (a != a), a, b); }

/* Squares of numbers up to `most` leave the range where these are tiny or huge: a power of two, which rounds nothing, by which the
 * numbers are multiplied before, and 1 by it. */
#define WEDGE_BY_SIZE(most, tiny, huge)                                                                             \
    wedge_pick((most) < wedge_real((number)(sizeof(number) == 8 ? 0x1p-400 : 0x1p-30f)), wedge_real(tiny),          \
               wedge_pick((most) > wedge_real((number)(sizeof(number) == 8 ? 0x1p500 : 0x1p60f)), wedge_real(huge), \
                          wedge_real(1)))
WEDGE_OP real wedge_scale(real most) {
    return WEDGE_BY_SIZE(most, (number)(sizeof(number) == 8 ? 0x1p700 : 0x1p90f),
                         (number)(sizeof(number) == 8 ? 0x1p-600 : 0x1p-80f));
}
WEDGE_OP real wedge_unscale(real most) {
    return WEDGE_BY_SIZE(most, (number)(sizeof(number) == 8 ? 0x1p-700 : 0x1p-90f),
                         (number)(sizeof(number) == 8 ? 0x1p600 : 0x1p80f));
}

/* The length of v[0] to v[count - 1], in the range wherever they and it are. */
WEDGE_OP real wedge_norm(const real *v, int count) {
    real most = wedge_abs(v[0]);
    WEDGE_UNROLL for (int f = 1; f < count; ++f) most = wedge_pick(wedge_abs(v[f]) > most, wedge_abs(v[f]), most);
    const real by = wedge_scale(most);
    real sum = (v[0] * by) * (v[0] * by);
    WEDGE_UNROLL for (int f = 1; f < count; ++f) sum = wedge_fused(v[f] * by, v[f] * by, sum);
    return wedge_sqrt(sum) * wedge_unscale(most);
}

/* How far apart two points of q.numbers coordinates are. */
WEDGE_OP real wedge_length(const real *a, const real *b, op_args q) {
    real v[3];
    WEDGE_UNROLL for (int f = 0; f < q.numbers; ++f) v[f] = a[f] - b[f];
    return wedge_norm(v, q.numbers);
}

/* ---- Rows, for op_prepare ---- */

/* Sums of a row, cut as the features of a pair are: of the numbers, or of their squares. */
WEDGE_OP number wedge_row_sum(WEDGE_GLOBAL const number *row, wedge_u32 d, int squares) {
    number all = 0, group = 0;
    for (wedge_u32 begin = 0; begin < d; begin += WEDGE_PART) {
        const wedge_u32 end = d - begin < WEDGE_PART ? d : begin + WEDGE_PART;
        number part = 0;
        for (wedge_u32 f = begin; f < end; ++f) part = part + (squares ? row[f] * row[f] : row[f]);
        group = group + part;
        if (end % WEDGE_GROUP && end < d) continue;
        all = all + group;
        group = 0;
    }
    return all;
}

/* Divides a row by its length. By its largest value first, so that no square passes the range. A row of zeros becomes
 * NaN: it has no direction. */
WEDGE_OP void wedge_row_normalise(WEDGE_GLOBAL number *row, wedge_u32 d) {
    number most = 0;
    for (wedge_u32 f = 0; f < d; ++f) {
        number x = row[f] < 0 ? -row[f] : row[f];
        most = x > most || x != x ? x : most;
    }
    for (wedge_u32 f = 0; f < d; ++f) row[f] = row[f] / most;
    const number length = wedge_number_sqrt(wedge_row_sum(row, d, 1));
    for (wedge_u32 f = 0; f < d; ++f) row[f] = row[f] / length;
}

/* Takes the mean off a row, in two rounds: far from the origin the first mean is as coarse as the values, but the
 * differences from it are exact, and the second round takes off what it missed. */
WEDGE_OP void wedge_row_centre(WEDGE_GLOBAL number *row, wedge_u32 d) {
    for (int round = 0; round < 2; ++round) {
        const number mean = wedge_row_sum(row, d, 0) / (number)d;
        for (wedge_u32 f = 0; f < d; ++f) row[f] = row[f] - mean;
    }
}
