/* The engine on the cpu: the same bytes for every number of threads and every path to memory, right at every instruction
 * set.
 *
 * SPDX-License-Identifier: MIT */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

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

enum { GUARD = 64, PIECE = 100003, POISON = 0x5A };

/* Positions [begin, end) at any number of a line, between guards; by pieces that are stored through the cache, or at once. */
static char *run_guarded(wedge_job *job, uint64_t begin, uint64_t end, uint64_t off, uint64_t piece) {
    uint64_t size = job->size, bytes = (end - begin) * size;
    char *out = aligned_alloc(64, (bytes + 4 * GUARD) / 64 * 64), *values = out + GUARD + off * size;
    memset(out, POISON, bytes + 3 * GUARD);
    for (uint64_t at = begin; at < end; at += piece) {
        buffer to = {.host = values};
        assert_ok(job->dev, job_range(job, NULL, at, end - at < piece ? end : at + piece, &to, at - begin));
    }
    return out;
}

/* Large results go past the cache in whole lines, of few features straight from registers, small ones through the cache:
 * the same bytes, to the last, and no others. */
static void large_is_small_joined(wedge_device *dev, const problem *p, int k) {
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p->pairs, &job));
    uint64_t cells = wedge_job_get_info(job)->cells, off = (uint64_t)k % 16, begin = 0, end = cells;
    if (k % 3 == 1) begin = 1 + (uint64_t)k * 37 % 900, end = cells - (uint64_t)k * 101 % 700;
    char *large = run_guarded(job, begin, end, off, cells), *small = run_guarded(job, begin, end, off, PIECE);
    assert_true((end - begin) * job->size > 4 << 20 &&
                PIECE * job->size < 4 << 20); /* on both sides of what a cache takes */
    if (memcmp(large, small, (end - begin) * job->size + 3 * GUARD))
        fail_msg("%s, layout %d, dtype %d, d %d, %s, off %d, from %d: large and small differ", p->pairs.op->name,
                 (int)p->pairs.layout, (int)p->pairs.dtype, (int)p->pairs.d, job->info.isa, (int)off, (int)begin);
    free(large);
    free(small);
    wedge_job_destroy(job);
}

static void large_results_are_the_small_ones_joined(void **state) {
    (void)state;
    static const uint64_t features[] = {1, 2, 3, 4, 5, 16, 20};
    for (int isa = 0, k = 0; isa < ISA_COUNT; ++isa) {
        if (native_isa_choose(native_isa_name(isa)) == ISA_COUNT) continue;
        wedge_context *ctx;
        wedge_device *dev;
        assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
        wedge_context_set(ctx, WEDGE_SET_ISA, native_isa_name(isa));
        assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
        for (int layout = 0; layout <= WEDGE_LOWER; ++layout)
            for (int dtype = 0; dtype < 2; ++dtype)
                for (int f = 0; f < 7; ++f, ++k) {
                    uint64_t n = (layout < WEDGE_SQUARE ? 1500 : 1080) + (uint64_t)k % 32;
                    problem p = make_problem(k % 5 ? "euclidean" : "jaccard", layout, dtype, n, features[f]);
                    large_is_small_joined(dev, &p, k);
                    free(p.points);
                }
        wedge_device_close(dev);
        wedge_context_destroy(ctx);
    }
}

/* More columns than a unit has: a row goes out in several. */
static void long_rows_are_joined(void **state) {
    (void)state;
    wedge_context *ctx;
    wedge_device *dev;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    for (int k = 0; k < 6; ++k) {
        problem p = make_problem("cityblock", k % 2 ? WEDGE_PACKED : WEDGE_CONDENSED, WEDGE_F32, 33333, 3);
        wedge_job *job;
        assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
        uint64_t cells = wedge_job_get_info(job)->cells,
                 begin = k % 2 ? cells - 1500000 - (uint64_t)k : (uint64_t)k * 7;
        char *large = run_guarded(job, begin, begin + 1400003, (uint64_t)k, cells);
        char *small = run_guarded(job, begin, begin + 1400003, (uint64_t)k, PIECE);
        assert_memory_equal(large, small, 1400003 * 4 + 3 * GUARD);
        free(large);
        free(small);
        wedge_job_destroy(job);
        free(p.points);
    }
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

#if defined(__x86_64__)
/* Registers whose upper halves are in use: code of the base level would run several times slower from then on. */
static bool upper_halves_in_use(void) {
    enum { UPPER_YMM = 1 << 2, UPPER_ZMM = 1 << 6 };
    unsigned a, b, c, d, in_use, high;
    if (!__get_cpuid_count(0xD, 1, &a, &b, &c, &d) || !(a & 1 << 2)) return false; /* this processor cannot tell */
    __asm__ volatile("xgetbv" : "=a"(in_use), "=d"(high) : "c"(1));
    return in_use & (UPPER_YMM | UPPER_ZMM);
}

static void upper_halves_are_left_clean(void **state) {
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; ++isa) {
        if (native_isa_choose(native_isa_name(isa)) == ISA_COUNT) continue;
        wedge_context *ctx;
        wedge_device *dev;
        assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
        wedge_context_set(ctx, WEDGE_SET_ISA, native_isa_name(isa));
        wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "1");
        assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
        for (int k = 0; k < 4 * wedge_op_count(); ++k) {
            problem p = make_problem(wedge_op_at(k / 4)->name, WEDGE_PACKED, k % 2, k & 2 ? 100 : 1473, 4);
            uint64_t bytes;
            char *values = run_whole(dev, &p.pairs, &bytes);
            if (upper_halves_in_use()) fail_msg("%s, dtype %d, %s", p.pairs.op->name, k % 2, native_isa_name(isa));
            free(values);
            free(p.points);
        }
        wedge_device_close(dev);
        wedge_context_destroy(ctx);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_same_bytes),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(large_results_are_the_small_ones_joined),
        cmocka_unit_test(long_rows_are_joined),
#if defined(__x86_64__)
        cmocka_unit_test(upper_halves_are_left_clean),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
