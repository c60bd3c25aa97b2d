/* t418-recipe.c: the ops of docs/add-an-op.md, as they are printed there, compile and are what the page says they are.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

extern const op_def op_clark_def, op_coulomb_def;

static double clark(const problem *p, uint64_t i, uint64_t j) {
    double sum = 0;
    for (uint64_t f = 0; f < p->pairs.d; ++f) {
        double a = at(p, i, f), b = at(p, j, f);
        sum += a != b ? pow((a - b) / (fabs(a) + fabs(b)), 2) : 0;
    }
    return sqrt(sum);
}

static double coulomb_with(const problem *p, uint64_t i, uint64_t j, double k, double soft) {
    double square = soft * soft;
    for (uint64_t f = 0; f < 3; ++f) square += pow(at(p, i, f) - at(p, j, f), 2);
    return k * at(p, i, 3) * at(p, j, 3) / sqrt(square);
}

static double coulomb(const problem *p, uint64_t i, uint64_t j) { return coulomb_with(p, i, j, 1, 0); }
static double soft_coulomb(const problem *p, uint64_t i, uint64_t j) { return coulomb_with(p, i, j, 14.4, 0.5); }

static void check(wedge_device *dev, const op_def *op, uint64_t d, const wedge_parameter *given, size_t count,
                  double (*want_of)(const problem *p, uint64_t i, uint64_t j)) {
    enum { N = 70 };
    for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype) {
        problem p = make_problem("cityblock", WEDGE_SQUARE, dtype, N, d);
        wedge_job *job;
        uint64_t bytes;
        p.pairs.parameters = given, p.pairs.parameter_count = count;
        assert_ok(dev, job_create(dev, &p.pairs, op, &job));
        void *out = run_job(dev, job, &bytes);
        for (uint64_t c = 0; c < N * N; ++c) {
            double got = dtype ? ((double *)out)[c] : ((float *)out)[c], want = want_of(&p, c / N, c % N);
            bool same = got == want || (isnan(got) && isnan(want));
            if (!same && !(fabs(got - want) <= (dtype ? 1e-14 : 5e-6) * fabs(want)))
                fail_msg("%s of %d and %d: %.17g, not %.17g", op->info.name, (int)(c / N), (int)(c % N), got, want);
        }
        free(out);
        free(p.points);
    }
}

static void recipe_on(wedge_device *dev) {
    const wedge_parameter given[] = {WEDGE_NUMBER("k", 14.4), WEDGE_NUMBER("soft", 0.5)};
    check(dev, &op_clark_def, 5, NULL, 0, clark);
    check(dev, &op_coulomb_def, 4, NULL, 0, coulomb);
    check(dev, &op_coulomb_def, 4, given, 2, soft_coulomb);
}

static void the_ops_of_the_page_are_right(void **state) {
    (void)state;
    on_every_device(recipe_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_ops_of_the_page_are_right)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
