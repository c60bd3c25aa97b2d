/* t206-example.c: the example at the head of wedge.h, as it is printed there, gives what it says.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wedge/wedge.h"

/* The corners of a square, 0.4 long, and its centre. */
enum { N = 5, D = 2, CELLS = N * (N - 1) / 2 };
static const float points[N * D] = {0, 0, 0.4f, 0, 0, 0.4f, 0.4f, 0.4f, 0.2f, 0.2f};

static const int sides[] = {0, 1, 5, 7};

static int example(uint64_t n, uint64_t d, float *distances) {
#include "header_example.h"
    assert_int_equal(cells, CELLS);
    for (int k = 0; k < 4; ++k) assert_true(distances[sides[k]] == 0.4f);
    assert_int_equal(result.count, CELLS); /* of the summary */
    assert_int_equal(result.room, 8);      /* all but the diagonals */
    assert_int_equal(result.indices[0], 0);
    assert_int_equal(result.indices[2 * 7], 3);
    assert_int_equal(result.indices[2 * 7 + 1], 4);
    assert_true(summary.max == (double)distances[2] && summary.max_i == 0 && summary.max_j == 3);
    assert_true(summary.min == (double)distances[3] && summary.min_i == 0 && summary.min_j == 4);
    assert_true(summary.sum > 3.862 && summary.sum < 3.863); /* 4 * 0.4, 2 * 0.5657, 4 * 0.2828 */
    free(result.indices);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}

static void the_example_of_the_header_runs(void **state) {
    (void)state;
    float distances[CELLS] = {0};
    assert_int_equal(example(N, D, distances), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_example_of_the_header_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
