/* t500-lab.c: the lab on every device: experiments come out verified, and a map that is planted wrong is caught
 * before it is timed.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/lab.h"
#include "bench/sizes.h"
#include "core/random.h"
#include "devices.h"

static void philox_gives_the_published_vectors(void **state) {
    static const struct {
        wedge_random4 counter;
        uint32_t key[2];
        wedge_random4 want;
    } known[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
         {0xffffffff, 0xffffffff},
         {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    (void)state;
    for (int k = 0; k < 3; ++k) {
        wedge_random4 got = wedge_philox(known[k].counter, known[k].key[0], known[k].key[1]);
        assert_memory_equal(&got, &known[k].want, sizeof got);
    }
}

static void sizes_are_read_as_written(void **state) {
    sizes s;
    (void)state;
    assert_true(sizes_parse("30720", &s) && s.count == 1 && s.values[0] == 30720);
    assert_true(sizes_parse("1024:65536:x2", &s) && s.count == 7 && s.values[6] == 65536);
    assert_true(sizes_parse("1,5:9:+2,7", &s) && s.count == 5 && s.values[3] == 9 && s.values[4] == 7);
    static const char *const bad[] = {
        "", "x", "1,", "1:2", "5:1:x2", "0:9:x2", "1:9:x1", "1:9:+0", "99999999999999999999", "1:100000:+1"};
    for (int k = 0; k < 10; ++k) assert_false(sizes_parse(bad[k], &s));
}

static void every_experiment_verifies(wedge_device *dev) {
    bench_result result = {.noise_target = 0.5};
    lab l = {0};
    assert_ok(dev, lab_open(&l, dev, &result, 60));
    for (int e = 0; e < experiment_count; ++e) {
        group_wish groups[] = {{&experiments[e], experiments[e].rank == 2 ? 100 : 21, 4}, {&experiments[e], 33, 2}};
        assert_ok(dev, lab_run(&l, groups, 2, NULL));
    }
    assert_true(result.count > 2 * 5 * experiment_count);
    for (int k = 0; k < result.count; ++k) {
        const bench_row *row = &result.rows[k];
        if (row->status == ROW_WRONG && row->rank == 3 && !strcmp(row->map, "lambda-x")) continue;
        if (row->status != ROW_OK || !row->verified || row->time.count < 3 || row->time.median <= 0)
            fail_msg("%s %s %s n %u rho %u: %s", row->experiment, row->variant, row->map, (unsigned)row->n, row->rho,
                     row->remark);
        if (strcmp(row->map, "bb") == 0) assert_true(row->improvement == 1);
    }
    lab_close(&l);
    result_free(&result);
}

static void every_experiment_is_verified_on_every_device(void **state) {
    (void)state;
    on_every_device(every_experiment_verifies);
}

/* lambda with one tile sent to its neighbour: one cell missed, one taken twice. */
static wedge_walk wrong_begin(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table) {
    (void)g, (void)y, (void)z, (void)table;
    wedge_pair p = wedge_lambda_tile(x == 7u ? 6u : x);
    return (wedge_walk){p.i, p.j, 0, 1};
}

static void a_wrong_map_fails(wedge_device *dev) {
    map_row wrong = *map_row_of(wedge_map_find("lambda", 2));
    wrong.info.name = "planted";
    wrong.begin = wrong_begin;
    wrong.text = "wedge_one2(wedge_lambda_tile(x == 7u ? 6u : x))";
    for (int e = 0; e < experiment_count; ++e) {
        if (experiments[e].rank != 2) continue;
        bench_result result = {.noise_target = 0.5};
        lab l = {0};
        runner r = {.map = &wrong.info};
        wedge_domain domain = {.rank = 2, .n = 40, .strict = experiments[e].strict};
        arena a = {.experiment = &experiments[e], .n = 40, .rho = 4, .points = calloc(40, sizeof(point4))};
        assert_ok(dev, lab_open(&l, dev, &result, 10));
        assert_ok(dev, dev->backend->buffer_new(dev, 40 * sizeof(point4), ON_DEVICE, &a.in));
        assert_ok(dev, dev->backend->buffer_new(dev, 40 * 40 * 4, ON_DEVICE, &a.out));
        assert_int_equal(wedge_plan_make(NULL, &wrong.info, &domain, 4, NULL, &r.plan), WEDGE_OK);
        assert_ok(dev, runner_prepare(&l, &a, &r));
        assert_ok(dev, verify_runner(&l, &a, &r));
        assert_int_equal(r.row.status, ROW_FAILED);
        assert_false(r.row.verified);
        assert_non_null(strstr(r.row.remark, "cell"));
        runner_free(&l, &r);
        dev->backend->buffer_free(dev, &a.in);
        dev->backend->buffer_free(dev, &a.out);
        free(a.points);
        lab_close(&l);
    }
}

static void a_planted_wrong_map_is_caught(void **state) {
    (void)state;
    on_every_device(a_wrong_map_fails);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_vectors),
        cmocka_unit_test(sizes_are_read_as_written),
        cmocka_unit_test(every_experiment_is_verified_on_every_device),
        cmocka_unit_test(a_planted_wrong_map_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
