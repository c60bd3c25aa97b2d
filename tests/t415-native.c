/* The engine on the cpu: the same bytes for every number of threads and every path to memory, right at every instruction
 * set.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

static void threads_give_the_same_bytes(void **state) {
    (void)state;
    problem p = make_problem("correlation", WEDGE_PACKED, WEDGE_F32, 3000, 20);
    char *first = NULL;
    uint64_t bytes;
    for (int threads = 1; threads <= 3; ++threads) {
        wedge_context *ctx;
        wedge_device *dev;
        char count[8];
        snprintf(count, sizeof count, "%d", threads);
        assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
        wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, count);
        assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
        char *values = run_whole(dev, &p.pairs, &bytes);
        if (first) assert_memory_equal(first, values, bytes);
        if (first)
            free(values);
        else
            first = values;
        wedge_device_close(dev);
        wedge_context_destroy(ctx);
    }
    free(first);
    free(p.points);
}

/* Each instruction set is right on its own; they may differ in the last bits where there is no fused product. */
static void every_instruction_set_is_right(void **state) {
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; ++isa) {
        if (native_isa_choose(native_isa_name(isa)) == ISA_COUNT) continue;
        wedge_context *ctx;
        wedge_device *dev;
        assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
        wedge_context_set(ctx, WEDGE_SET_ISA, native_isa_name(isa));
        assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
        for (int k = 0; k < 2 * wedge_op_count(); ++k)
            one_op(dev, wedge_op_at(k / 2)->name, k % 3, k % 2, 130, 1 + (uint64_t)k % 7);
        wedge_device_close(dev);
        wedge_context_destroy(ctx);
    }
}

/* Large results go past the cache in whole lines, small ones through it: both are the same bytes, to the last. */
static void large_results_are_the_small_ones_joined(void **state) {
    (void)state;
    wedge_context *ctx;
    wedge_device *dev;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    for (int k = 0; k < 12; ++k) {
        problem p = make_problem("euclidean", k % 3, k / 3 % 2, 1703, k < 6 ? 3 : 20);
        uint64_t bytes, size = p.pairs.dtype == WEDGE_F64 ? 8 : 4;
        char *whole = run_whole(dev, &p.pairs, &bytes), *pieces = malloc(bytes);
        wedge_job *job;
        assert_true(bytes > 5 << 20); /* beyond what is stored through the cache */
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        for (uint64_t at = 0, step = 100003; at < bytes / size; at += step) {
            if (step > bytes / size - at) step = bytes / size - at;
            assert_ok(dev, wedge_job_run(job, at, at + step, pieces + at * size, WEDGE_ON_HOST, NULL, NULL));
        }
        assert_memory_equal(whole, pieces, bytes);
        wedge_job_destroy(job);
        free(whole);
        free(pieces);
        free(p.points);
    }
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_same_bytes),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(large_results_are_the_small_ones_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
