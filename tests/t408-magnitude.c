/* Overflow is foreseen: where a value of f32 is not what f64 says, op_magnitude said so before; ordinary points pass.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>

#include "pairs_problem.h"

enum { N = 12 };

/* Values of every op on the cpu, as double. */
static double *all_values(wedge_device *dev, const problem *p, uint64_t *count) {
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p->pairs, &job));
    *count = wedge_job_get_info(job)->cells * values_each(p);
    void *raw = malloc(*count * 8);
    double *values = malloc(*count * 8);
    assert_ok(dev, run_values(job, 0, wedge_job_get_info(job)->cells, raw, WEDGE_ON_HOST, NULL, NULL));
    for (uint64_t k = 0; k < *count; ++k)
        values[k] = p->pairs.dtype == WEDGE_F64 ? ((double *)raw)[k] : ((float *)raw)[k];
    wedge_job_destroy(job);
    free(raw);
    return values;
}

static void scale(const problem *p, double by) {
    for (uint64_t k = 0; k < N * p->pairs.d; ++k)
        if (p->pairs.dtype == WEDGE_F64)
            ((double *)p->points)[k] *= by;
        else
            ((float *)p->points)[k] *= (float)by;
}

static double magnitude_of(const problem *p) {
    double set[MOST_PARAMETERS];
    const op_def *op = op_find(p->pairs.op);
    assert_int_equal(op_take_parameters(op, p->pairs.dtype, p->pairs.parameters, p->pairs.parameter_count, set, NULL),
                     WEDGE_OK);
    double lo[32], hi[32];
    for (uint64_t f = 0; f < p->pairs.d; ++f) lo[f] = INFINITY, hi[f] = -INFINITY;
    for (uint64_t k = 0; k < N * p->pairs.d; ++k) {
        uint64_t f = k % p->pairs.d;
        double x = p->pairs.dtype == WEDGE_F64 ? ((const double *)p->points)[k] : (double)((const float *)p->points)[k];
        lo[f] = fmin(lo[f], x), hi[f] = fmax(hi[f], x);
    }
    return op_magnitude(op, set, lo, hi, p->pairs.d);
}

/* As f32 and as f64, the points 8 * 10^power in size: is f32 what it should be? */
static bool is_lost(wedge_device *dev, const char *op, double p, int power, uint64_t d, double *magnitude) {
    problem narrow = make_problem(op, WEDGE_CONDENSED, WEDGE_F32, N, fitting(op, d));
    problem wide = make_problem(op, WEDGE_CONDENSED, WEDGE_F64, N, fitting(op, d));
    uint64_t count;
    bool lost = false;
    const wedge_parameter given = WEDGE_NUMBER("p", p);
    if (!strcmp(op, "minkowski")) narrow.pairs.parameters = wide.pairs.parameters = &given;
    scale(&narrow, pow(10, power));
    scale(&wide, pow(10, power));
    double *got = all_values(dev, &narrow, &count), *want = all_values(dev, &wide, &count);
    for (uint64_t k = 0; k < count; ++k)
        lost = lost || (isfinite(want[k]) && !(fabs(got[k] - want[k]) <= 1e-3 * fabs(want[k]) + 1e-3));
    *magnitude = magnitude_of(&narrow);
    free(got);
    free(want);
    free(narrow.points);
    free(wide.points);
    return lost;
}

static void what_overflows_is_foreseen(void **state) {
    (void)state;
    wedge_context *ctx;
    wedge_device *dev;
    int lost = 0;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    for (int k = 0; k < wedge_op_count(2); ++k)
        for (int power = 0; power < 38; ++power)
            for (uint64_t d = 1; d <= 32; d = 4 * d + 3) {
                const char *op = wedge_op_at(2, k)->name;
                double magnitude, p = power % 3 == 0 ? 10 : power % 3 == 1 ? 3.5 : 0.5;
                if (power && op_find(op)->angles) continue; /* many turns: the two kinds hold other angles */
                bool bad = is_lost(dev, op, p, power, d, &magnitude);
                lost += bad;
                if (bad && magnitude <= FLT_MAX) fail_msg("%s, 1e%d, %d features: not foreseen", op, power, (int)d);
            }
    assert_true(lost > 50);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* Not too careful: a bound is at most some times what is really there, and ordinary points are never refused. */
static void ordinary_points_pass(void **state) {
    (void)state;
    for (int k = 0; k < wedge_op_count(2); ++k) {
        const char *op = wedge_op_at(2, k)->name;
        problem p = make_problem(op, WEDGE_CONDENSED, WEDGE_F32, N, fitting(op, 20));
        scale(&p, 1000);
        assert_true(magnitude_of(&p) < FLT_MAX);
        free(p.points);
    }
}

/* The value itself, a root, can be more than all sums on the way. */
static void a_root_above_its_sum_is_foreseen(void **state) {
    (void)state;
    problem p = make_problem("minkowski", WEDGE_CONDENSED, WEDGE_F32, N, 20);
    scale(&p, 1e35);
    p.pairs.parameters = &(wedge_parameter)WEDGE_NUMBER("p", 0.5);
    assert_true(magnitude_of(&p) > FLT_MAX);
    p.pairs.parameters = &(wedge_parameter)WEDGE_NUMBER("p", 1.5);
    scale(&p, 1e-15);
    assert_true(magnitude_of(&p) < FLT_MAX);
    free(p.points);
}

/* Far from the origin but close together: differences are small, and so is what they reach. */
static void only_differences_count_where_only_they_are_taken(void **state) {
    (void)state;
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, N, 3);
    for (uint64_t k = 0; k < N * 3; ++k) ((float *)p.points)[k] = 1e20f * (1 + 1e-6f * (float)k);
    assert_true(magnitude_of(&p) < FLT_MAX);
    free(p.points);
    p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, N, 3);
    for (uint64_t k = 0; k < N * 3; ++k) ((float *)p.points)[k] = -1e20f;
    assert_true(magnitude_of(&p) > FLT_MAX);
    free(p.points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overflows_is_foreseen),
        cmocka_unit_test(ordinary_points_pass),
        cmocka_unit_test(a_root_above_its_sum_is_foreseen),
        cmocka_unit_test(only_differences_count_where_only_they_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
