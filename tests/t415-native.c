/* The engine on the cpu: the same bytes for every number of threads and every path to memory, right at every instruction
 * set.
 *
 * SPDX-License-Identifier: MIT */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "pairs_problem.h"

static char *first; /* result of the first number of threads */

static void is_as_the_first(wedge_device *dev) {
    problem p = make_problem("correlation", WEDGE_PACKED, WEDGE_F32, 3000, 20);
    uint64_t bytes;
    char *values = run_whole(dev, &p.pairs, &bytes);
    if (first) assert_memory_equal(first, values, bytes);
    if (first)
        free(values);
    else
        first = values;
    free(p.points);
}

static void threads_give_the_same_bytes(void **state) {
    static const char *const counts[] = {"1", "2", "3"};
    (void)state;
    for (int k = 0; k < 3; ++k) on_cpu(NULL, counts[k], is_as_the_first);
    free(first);
}

static void every_op_is_right(wedge_device *dev) {
    for (int k = 0; k < 2 * wedge_op_count(2); ++k)
        one_op(dev, wedge_op_at(2, k / 2)->name, k % 3, k % 2, 130, 1 + (uint64_t)k % 7);
}

/* Each instruction set is right on its own; they may differ in the last bits where there is no fused product. */
static void every_instruction_set_is_right(void **state) {
    (void)state;
    on_every_instruction_set(NULL, every_op_is_right);
}

enum { GUARD = 128, PIECE = 100003, POISON = 0x5A };

/* Positions [begin, end) from any number of a line on, between guards. */
static char *run_guarded(wedge_job *job, uint64_t begin, uint64_t end, uint64_t off, uint64_t piece) {
    uint64_t size = job->size, bytes = (end - begin) * size;
    char *out = aligned_alloc(GUARD, (bytes / GUARD + 4) * GUARD);
    buffer to = {.host = out + GUARD + off * size};
    memset(out, POISON, bytes + 3 * GUARD);
    for (uint64_t at = begin; at < end; at += piece)
        assert_ok(job->dev, job_range(job, NULL, at, end - at < piece ? end : at + piece, &to, at - begin, NULL));
    return out;
}

/* Large results go past the cache in whole lines, of few features straight from registers, small ones through the cache:
 * the same bytes, to the last, and no others. `off`: numbers into a line. */
static void large_is_small_joined(wedge_device *dev, const problem *p, uint64_t begin, uint64_t end, uint64_t off) {
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p->pairs, &job));
    if (end > job->info.cells) end = job->info.cells;
    uint64_t bytes = (end - begin) * job->size;
    assert_true(bytes > 4 << 20 && PIECE * job->size < 4 << 20); /* on both sides of what a cache takes */
    char *large = run_guarded(job, begin, end, off, end - begin), *small = run_guarded(job, begin, end, off, PIECE);
    if (memcmp(large, small, bytes + 3 * GUARD))
        fail_msg("%s, layout %d, dtype %d, d %d, %s, off %d, from %d: large and small differ", p->pairs.op,
                 (int)p->pairs.layout, (int)p->pairs.dtype, (int)p->pairs.d, job->info.isa, (int)off, (int)begin);
    free(large);
    free(small);
    wedge_job_destroy(job);
}

static void large_results_are_joined(wedge_device *dev) {
    static const uint64_t features[] = {1, 2, 3, 4, 5, 16, 20};
    uint64_t k = 0;
    for (int layout = 0; layout <= WEDGE_LOWER; ++layout)
        for (int dtype = 0; dtype < 2; ++dtype)
            for (int f = 0; f < 7; ++f, ++k) {
                bool square = layout >= WEDGE_SQUARE, part = k % 3 == 0;
                uint64_t n = (square ? 1080 : 1500) + k % 32, cells = square ? n * n : n * (n - 1) / 2;
                problem p = make_problem(k % 5 ? "euclidean" : "jaccard", layout, dtype, n, features[f]);
                large_is_small_joined(dev, &p, part ? 1 + k * 37 % 900 : 0, part ? cells - k : UINT64_MAX, k % 16);
                free(p.points);
            }
}

/* More columns than a unit has: a row goes out in several. */
static void long_rows_are_joined(wedge_device *dev) {
    const uint64_t n = 33333, count = 1400003;
    for (uint64_t k = 0; k < 6; ++k) {
        problem p = make_problem("cityblock", k % 2 ? WEDGE_PACKED : WEDGE_CONDENSED, WEDGE_F32, n, 3);
        uint64_t begin = k % 2 ? n * (n + 1) / 2 - 1500000 - k : k * 7;
        large_is_small_joined(dev, &p, begin, begin + count, k);
        free(p.points);
    }
}

static void large_results_are_the_small_ones_joined(void **state) {
    (void)state;
    on_every_instruction_set(NULL, large_results_are_joined);
    on_every_instruction_set("3", long_rows_are_joined);
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

static void upper_halves_are_clean(wedge_device *dev) {
    for (int k = 0; k < 4 * wedge_op_count(2); ++k) {
        const char *op = wedge_op_at(2, k / 4)->name;
        problem p = make_problem(op, WEDGE_PACKED, k % 2, k & 2 ? 100 : 1473, fitting(op, 4));
        uint64_t bytes;
        char *values = run_whole(dev, &p.pairs, &bytes);
        if (upper_halves_in_use()) fail_msg("%s, dtype %d, %d bytes", p.pairs.op, k % 2, (int)bytes);
        free(values);
        free(p.points);
    }
}

static void upper_halves_are_left_clean(void **state) {
    (void)state;
    on_every_instruction_set("1", upper_halves_are_clean); /* the thread that asks is the one that worked */
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_give_the_same_bytes),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(large_results_are_the_small_ones_joined),
#if defined(__x86_64__)
        cmocka_unit_test(upper_halves_are_left_clean),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
