/* t413-ops.c: ops where rounding, range and special values decide: opposite rows, rows as large and as small as numbers get,
 * rows far from the origin, NaN, and equal points.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

enum { N = 150, D = 5, VALUES = N * N };

static void put(problem *p, uint64_t x, uint64_t f, double value) {
    if (p->pairs.dtype == WEDGE_F64)
        ((double *)p->points)[x * p->pairs.d + f] = value;
    else
        ((float *)p->points)[x * p->pairs.d + f] = (float)value;
}

static double value_at(const problem *p, const void *values, uint64_t k) {
    k *= values_each(p);
    return p->pairs.dtype == WEDGE_F64 ? ((const double *)values)[k] : ((const float *)values)[k];
}

/* Both kinds of numbers where nothing is compiled or compiling is quick. */
static int dtypes_of(const wedge_device *dev) { return dev->info.has_double && !compiles_slowly(dev) ? 2 : 1; }

/* The ops that normalise rows. On every device, in a square: each pair twice, each point with itself. */
static void for_both_angles(wedge_device *dev, void (*check)(wedge_device *dev, problem *p)) {
    for (int dtype = 0; dtype < dtypes_of(dev); ++dtype)
        for (int centred = 0; centred < 2; ++centred) {
            problem p = make_problem(centred ? "correlation" : "cosine", WEDGE_SQUARE, dtype, N, D);
            check(dev, &p);
            free(p.points);
        }
}

/* Rows whose product passes 1 or -1 by rounding: the value is 0 or 2 then, as far as numbers go, and never beyond. */
static void check_opposites(wedge_device *dev, problem *p) {
    uint64_t bytes;
    for (uint64_t x = 0; x < N; ++x)
        for (uint64_t f = 0; f < D; ++f) {
            double value = sin((double)(x / 3 * D + f) + 0.5);
            put(p, x, f, x % 3 == 0 ? value : x % 3 == 1 ? -value : 3 * value);
        }
    void *values = run_whole(dev, &p->pairs, &bytes);
    check_values(p, values);
    for (uint64_t k = 0; k < VALUES; ++k) {
        double got = value_at(p, values, k);
        if (!(got >= 0 && got <= 2)) fail_msg("%s of %d and %d: %.17g", p->pairs.op, (int)(k / N), (int)(k % N), got);
    }
    free(values);
}

static void opposite_rows_on(wedge_device *dev) { for_both_angles(dev, check_opposites); }

static void angles_stay_between_0_and_2(void **state) {
    (void)state;
    on_every_device(opposite_rows_on);
}

/* Rows times powers of 2, so that squares of their numbers pass the range at both ends: nothing else changes. */
static void check_scaled(wedge_device *dev, problem *p) {
    int far = p->pairs.dtype == WEDGE_F64 ? 900 : 110;
    uint64_t bytes;
    void *kept = malloc((size_t)N * D * 8), *given = p->points;
    memcpy(kept, given, (size_t)N * D * (p->pairs.dtype == WEDGE_F64 ? 8 : 4));
    for (uint64_t x = 0; x < N; ++x)
        for (uint64_t f = 0; f < D; ++f) put(p, x, f, ldexp(at(p, x, f), x % 3 == 0 ? far : x % 3 == 1 ? -far : 0));
    void *values = run_whole(dev, &p->pairs, &bytes);
    p->points = kept; /* the oracle's: those of before */
    check_values(p, values);
    p->points = given;
    free(kept);
    free(values);
}

static void scaled_rows_on(wedge_device *dev) { for_both_angles(dev, check_scaled); }

static void the_size_of_rows_does_not_change_their_angle(void **state) {
    (void)state;
    on_every_device(scaled_rows_on);
}

/* Far from the origin a mean is as coarse as the values; a correlation is not. */
static void far_rows_on(wedge_device *dev) {
    for (int dtype = 0; dtype < dtypes_of(dev); ++dtype) {
        problem p = make_problem("correlation", WEDGE_SQUARE, dtype, N, D);
        double far = dtype == WEDGE_F64 ? 0x1p44 : 0x1p15; /* 64ths are still exact */
        uint64_t bytes;
        for (uint64_t x = 0; x < N; ++x)
            for (uint64_t f = 0; f < D; ++f) put(&p, x, f, at(&p, x, f) + far);
        void *values = run_whole(dev, &p.pairs, &bytes);
        for (uint64_t x = 0; x < N; ++x)
            for (uint64_t f = 0; f < D; ++f) put(&p, x, f, at(&p, x, f) - far); /* the same to an exact correlation */
        check_values(&p, values);
        free(values);
        free(p.points);
    }
}

static void a_correlation_does_not_depend_on_where_rows_lie(void **state) {
    (void)state;
    on_every_device(far_rows_on);
}

/* By default few ops where each is a kernel: those with a state, a mean, or a comparison of their own. */
static bool op_is_tried(const wedge_device *dev, const char *name) {
    static const char *const some[] = {"chebyshev", "cosine", "dot", "boxes"};
    if (!dev->backend->compile || test_everything()) return true;
    for (int k = 0; k < 4; ++k)
        if (!strcmp(some[k], name)) return true;
    return false;
}

/* A NaN makes each of its point's values NaN, wherever it stands and whatever comes after it; where features are only compared it
 * is unlike any other, and where they are only zero or not it is not zero. */
static void nan_on(wedge_device *dev) {
    for (int k = 0; k < wedge_op_count(2); ++k) {
        const char *op = wedge_op_at(2, k)->name;
        bool compares = !strcmp(op, "hamming") || !strcmp(op, "jaccard");
        if (!op_is_tried(dev, op)) continue;
        uint64_t bytes, d = fitting(op, D);
        problem p = make_problem(op, WEDGE_SQUARE, WEDGE_F32, N, d);
        for (uint64_t x = 0; x < d; ++x) put(&p, 7 * x, x, NAN);
        void *values = run_whole(dev, &p.pairs, &bytes);
        if (compares) check_values(&p, values);
        for (uint64_t c = 0; c < VALUES && !compares; ++c) {
            bool wanted = (c / N % 7 == 0 && c / N < 7 * d) || (c % N % 7 == 0 && c % N < 7 * d);
            if (wanted && !isnan(value_at(&p, values, c))) fail_msg("%s, cell %d: a NaN is lost", op, (int)c);
        }
        free(values);
        free(p.points);
    }
}

static void nan_comes_through(void **state) {
    (void)state;
    on_every_device(nan_on);
}

/* What an op says of equal points is what it does: exactly 0 for every one of them, or not. */
static void equals_on(wedge_device *dev) {
    for (int k = 0; k < wedge_op_count(2); ++k) {
        const wedge_op_info *op = wedge_op_at(2, k);
        uint64_t bytes, zeros = 0, equals = 0, d = fitting(op->name, D);
        if (!op_is_tried(dev, op->name)) continue;
        problem p = make_problem(op->name, WEDGE_SQUARE, WEDGE_F32, N, d);
        for (uint64_t x = 0; x < N; ++x)
            for (uint64_t f = 0; f < d; ++f) put(&p, x, f, sin((double)(x / 2 * d + f) + 0.5)); /* by twos */
        void *values = run_whole(dev, &p.pairs, &bytes);
        for (uint64_t c = 0; c < VALUES; ++c) {
            if (c / N / 2 != c % N / 2) continue;
            ++equals;
            zeros += value_at(&p, values, c) == 0;
        }
        if (op->zero_for_equals != (zeros == equals))
            fail_msg("%s: 0 for %d of %d equal pairs", op->name, (int)zeros, (int)equals);
        free(values);
        free(p.points);
    }
}

static void equal_points_give_0_where_an_op_says_so(void **state) {
    (void)state;
    on_every_device(equals_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_stay_between_0_and_2),
        cmocka_unit_test(the_size_of_rows_does_not_change_their_angle),
        cmocka_unit_test(a_correlation_does_not_depend_on_where_rows_lie),
        cmocka_unit_test(nan_comes_through),
        cmocka_unit_test(equal_points_give_0_where_an_op_says_so),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
