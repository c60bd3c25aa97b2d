/* t600-stats.c: what the lab says about samples whose answer is known: medians, their intervals against
 * counting in whole numbers, ratios, the verdicts on planted differences, and how busy others kept the machine.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/load.h"
#include "bench/stats.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-8 * fabs(b))

static uint64_t random_state = 1;

static double random_real(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* 1 to n in a random order: the value of a sample is its rank. */
static void shuffled_ranks(double *samples, int n) {
    for (int i = 0; i < n; ++i) {
        int k = (int)(random_real() * (i + 1));
        if (k < i) samples[i] = samples[k];
        samples[k] = i + 1;
    }
}

static void a_median_is_the_middle_or_the_mean_of_both(void **state) {
    (void)state;
    assert_true(stats_median((double[]){7}, 1) == 7);
    assert_true(stats_median((double[]){9, 1}, 2) == 5);
    assert_true(stats_median((double[]){9, 1, 4}, 3) == 4);
    assert_true(stats_median((double[]){2, 100, 2, 2}, 4) == 2);
    assert_true(stats_median((double[]){3, 3, 1, 8, 1, 3}, 6) == 3);
    double samples[101] = {0};
    for (int n = 1; n <= 101; ++n) {
        shuffled_ranks(samples, n);
        assert_true(stats_median(samples, n) == 0.5 * (n + 1));
    }
}

/* Pascal's triangle in whole numbers: 40 times the tail is at most 2^n exactly if the tail is at most 2.5 %. */
static int rank_by_counting(int n) {
    uint64_t choose[31] = {1}, tail = 0;
    for (int row = 1; row <= n; ++row)
        for (int j = row; j > 0; --j) choose[j] += choose[j - 1];
    int k = 0;
    while (k < n && 40 * (tail += choose[k]) <= (uint64_t)1 << n) ++k;
    return k;
}

static void an_interval_has_the_ranks_of_the_binomial(void **state) {
    (void)state;
    double samples[30] = {0}, low, high;
    for (int n = 1; n <= 30; ++n) {
        int k = rank_by_counting(n);
        assert_true(n < 6 ? k == 0 : k >= 1);
        if (n < 6) k = 1;
        shuffled_ranks(samples, n);
        stats_interval(samples, n, &low, &high);
        assert_true(low == k);
        assert_true(high == n + 1 - k);
    }
    assert_int_equal(rank_by_counting(10), 2); /* as in the tables of the sign test */
    assert_int_equal(rank_by_counting(20), 6);
    assert_int_equal(rank_by_counting(30), 10);
}

static void an_interval_covers_the_median_of_19_in_20(void **state) {
    (void)state;
    double *samples = malloc(3000 * sizeof *samples), low, high;
    for (int n = 6; n <= 96; n += 15) {
        int covered = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            for (int i = 0; i < n; ++i) samples[i] = pow(random_real(), 3); /* skewed; its median is 1/8 */
            stats_interval(samples, n, &low, &high);
            covered += low <= 0.125 && high >= 0.125;
        }
        assert_true(covered >= 4000 * 0.94);
    }
    for (int i = 0; i < 3000; ++i) samples[i] = i; /* where 2^-n is no double */
    stats_interval(samples, 3000, &low, &high);
    NEAR(low + high, 2999.0);
    assert_true(fabs((high - low) / 2 - 1.96 * sqrt(3000) / 2) < 2); /* the normal approximation */
    free(samples);
}

static timing made(double middle, double spread, int count) {
    timing t = {.samples = malloc((size_t)count * sizeof *t.samples), .count = count};
    for (int i = 0; i < count; ++i) t.samples[i] = middle * (1 + spread * (2.0 * i / (count - 1) - 1));
    timing_finish(&t);
    return t;
}

static void an_outlier_moves_nothing(void **state) {
    (void)state;
    timing t = made(2, 0.01, 21), before = t;
    NEAR(t.median, 2.0);
    NEAR(t.noise, 0.5 * (t.high - t.low) / 2);
    t.samples[20] = 1000;
    timing_finish(&t);
    assert_true(t.median == before.median && t.low == before.low && t.high == before.high);
    t.count = 0;
    timing_finish(&t);
    assert_true(t.median == 0 && t.noise == 0);
    free(t.samples);
}

static void a_ratio_has_what_both_intervals_allow(void **state) {
    (void)state;
    timing a = {.median = 6, .low = 5, .high = 8}, b = {.median = 3, .low = 2, .high = 4}, none = {0};
    double ratio, low, high;
    stats_ratio(&a, &b, &ratio, &low, &high);
    assert_true(ratio == 2 && low == 1.25 && high == 4);
    stats_ratio(&a, &none, &ratio, &low, &high);
    assert_true(ratio == 0 && low == 0 && high == 0);
}

static void planted_differences_get_their_verdict(void **state) {
    (void)state;
    static const struct {
        double factor, spread;
        int count;
        verdict expected;
    } cases[] = {
        {1, 0.002, 21, SAME},       {1.004, 0.002, 21, SAME}, {1.05, 0.01, 21, SLOWER},
        {0.9, 0.01, 21, FASTER},    {1, 0.2, 21, UNCLEAR},    {1.05, 0.2, 21, UNCLEAR},
        {1.01, 0.002, 21, UNCLEAR}, {3, 0.2, 21, SLOWER},     {1.05, 0.01, 3, SLOWER},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        timing old = made(1e-3, cases[c].spread, 21),
               new_ = made(1e-3 * cases[c].factor, cases[c].spread, cases[c].count);
        assert_string_equal(verdict_names[stats_compare(&old, &new_, 0.01)], verdict_names[cases[c].expected]);
        for (new_.count = 1; new_.count <= 2; ++new_.count) /* too few have no spread, so they prove nothing */
            assert_int_equal(stats_compare(&old, &new_, 0.01), UNCLEAR);
        free(old.samples);
        free(new_.samples);
    }
}

/* user nice system idle iowait irq softirq steal, in hundredths of a second: 10 + 20 + 30 + 1 + 2 + 4 are busy. */
static void idle_and_waiting_time_is_nobodys_work(void **state) {
    (void)state;
    NEAR(load_stat_seconds("cpu  1000 2000 3000 99999 88888 100 200 400 7 7\ncpu0 5 5 5 5\n", 100), 67.0);
    NEAR(load_stat_seconds("cpu 100 0 0 5\n", 50), 2.0); /* of before there was more */
    assert_true(load_stat_seconds("", 100) < 0);
    assert_true(load_stat_seconds("cpu 1 2 3\n", 100) < 0);
    assert_true(load_stat_seconds("intr 1 2 3 4 5\n", 100) < 0);
    assert_true(load_stat_seconds("cpu 1 2 3 4\n", 0) < 0);
}

static void our_own_work_is_not_that_of_others(void **state) {
    (void)state;
    load_mark from = {.wall = 100, .own = 3, .all = 1000}, to = {.wall = 110, .own = 18, .all = 1025};
    NEAR(load_others(&from, &to), 1.0); /* 25 s in all, 15 ours, in 10 s */
    to.own = 30;
    assert_true(load_others(&from, &to) == 0);
    to = (load_mark){.wall = 100.5, .own = 3, .all = 1010};
    assert_true(load_others(&from, &to) == 0); /* too short to tell */
    to = (load_mark){.wall = 110, .own = 3, .all = -1};
    assert_true(load_others(&from, &to) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_median_is_the_middle_or_the_mean_of_both),
        cmocka_unit_test(an_interval_has_the_ranks_of_the_binomial),
        cmocka_unit_test(an_interval_covers_the_median_of_19_in_20),
        cmocka_unit_test(an_outlier_moves_nothing),
        cmocka_unit_test(a_ratio_has_what_both_intervals_allow),
        cmocka_unit_test(planted_differences_get_their_verdict),
        cmocka_unit_test(idle_and_waiting_time_is_nobodys_work),
        cmocka_unit_test(our_own_work_is_not_that_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
