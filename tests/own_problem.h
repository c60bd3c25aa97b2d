/* own_problem.h: ops of the user's own for tests: compiled, and a small one whose values are known.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_OWN_PROBLEM_H
#define WEDGE_TESTS_OWN_PROBLEM_H

#include "engine/userop/userop.h"
#include "pairs_problem.h"

static inline wedge_op *compile_for(wedge_device *dev, const char *text, const char *name, const wedge_dtype *dtype) {
    const wedge_op_options options = {.size = sizeof options, .name = name, .dtype = dtype};
    wedge_op *op = NULL;
    assert_ok(dev, wedge_op_compile(dev, text, &options, &op));
    assert_non_null(op);
    return op;
}

static inline char *shifted(double by) {
    return text_format(
        "#define OP_DIRECT 1\nWEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0] + b[0] + "
        "wedge_real((number)%g); }\n",
        by);
}

static inline void check_shift(wedge_device *dev, const wedge_op *op, wedge_dtype dtype, double by) {
    problem p = make_problem("cityblock", WEDGE_SQUARE, dtype, 40, 1);
    uint64_t bytes;
    p.pairs.op = NULL, p.pairs.own_op = op;
    void *out = run_whole(dev, &p.pairs, &bytes);
    double got = dtype ? ((double *)out)[41] : ((float *)out)[41];
    assert_true(got == at(&p, 1, 0) + at(&p, 1, 0) + by);
    free(out);
    free(p.points);
}

#endif
