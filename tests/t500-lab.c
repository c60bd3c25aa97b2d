/* t500-lab.c: the lab on every device: experiments come out verified, and a map that is planted wrong is caught
 * before it is timed; so is an engine that is.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "bench/lab.h"
#include "bench/sizes.h"
#include "bench/stats.h"
#include "core/random.h"
#include "devices.h"
#include "engine/base/job.h"

#define ANY_NOISE 1e9 /* nothing here is about speed: the least number of samples is enough, however busy the machine */
#define BUDGET 3600   /* seconds, and never spent */

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

static const experiment *experiment_named(const char *name) {
    for (int e = 0; e < experiment_count; ++e)
        if (!strcmp(experiments[e].name, name)) return &experiments[e];
    return NULL;
}

/* Every map at one size; some at a second one, which some compilers take a minute for; all where there is time for it. Those
 * compilers get every map with the dummy kernel, and some in blocks, resident and of threads with the others. */
static void every_experiment_verifies(wedge_device *dev) {
    static const char *const some[] = {"lambda", "walk", "engine", NULL}, *const few[] = {"walk", "utm", "engine",
                                                                                          NULL};
    bench_result result = {.noise_target = ANY_NOISE};
    lab l = {0};
    int engines = 0, least = 0, sizes = compiles_slowly(dev) && !test_everything() ? 1 : 2;
    assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
    for (int e = 0; e < experiment_count; ++e) {
        if (experiments[e].tasks && compiles_slowly(dev)) continue; /* t520 has them */
        group_wish groups[] = {{&experiments[e], experiments[e].rank == 2 ? 100 : 21, 4}, {&experiments[e], 33, 2}};
        assert_ok(dev, lab_run(&l, &groups[0], 1, sizes == 1 && experiments[e].flops > 0 ? few : NULL));
        if (sizes > 1) assert_ok(dev, lab_run(&l, &groups[1], 1, test_everything() ? NULL : some));
        least += experiments[e].no_maps ? 0 : sizes == 1 ? 2 : 5 + 2 * (sizes - 1);
    }
    assert_true(result.count > least);
    for (int k = 0; k < result.count; ++k) engines += row_is_engine(&result.rows[k]);
    enum { TASKS = 2 + 2 + 2 + 2 + 2 + 3 + 4, SINKS = 6 }; /* rows of all groups of tasks; of each of sinks */
    int tasks = compiles_slowly(dev) ? 0 : TASKS;
    assert_int_equal(engines, sizes * (dev->backend->compile ? 4 + SINKS + tasks : 5 + 2 * SINKS + tasks));
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

/* Shared memory where a block has cells of two kinds (rb-tiles), or none (hmap, powers of two): sides even and odd, and
 * of less than a block. 18 triplets' points have 16 layers, four tiles a side. */
static void shared_tiles_verify(wedge_device *dev) {
    static const char *const pairs[] = {"rb-tiles", NULL}, *const triplets[] = {"hmap", "bb-resident", NULL};
    static const struct {
        const char *experiment;
        const char *const *maps;
        uint64_t n[6];
    } cases[] = {{"collide3d", pairs, {2, 4, 17, 18, 40, 61}}, {"tet-collide", triplets, {3, 18, 21, 34}}};
    for (int c = 0; c < 2; ++c) {
        bench_result result = {.noise_target = ANY_NOISE};
        lab l = {0};
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        for (int k = 0; k < 6 && cases[c].n[k]; ++k) {
            group_wish group = {experiment_named(cases[c].experiment), cases[c].n[k], 4};
            assert_ok(dev, lab_run(&l, &group, 1, cases[c].maps));
        }
        for (int k = 0; k < result.count; ++k) {
            bool left_out = !dev->backend->compile && !strcmp(result.rows[k].map, "rb-tiles");
            if (left_out) assert_true(result.rows[k].status == ROW_SKIPPED && strstr(result.rows[k].remark, "shared"));
            if (!left_out && (result.rows[k].status != ROW_OK || !result.rows[k].verified))
                fail_msg("%s %s n %u: %s", result.rows[k].experiment, result.rows[k].map, (unsigned)result.rows[k].n,
                         result.rows[k].remark);
        }
        assert_int_equal(result.count, 12);
        lab_close(&l);
        result_free(&result);
    }
}

static void shared_tiles_are_right_at_any_size(void **state) {
    (void)state;
    on_every_device(shared_tiles_verify);
}

/* The paper's rule for bb, without it: as many blocks, the same cells, and no bound on what it gains over bb. */
static void bb_without_its_test_verifies(wedge_device *dev) {
    static const char *const maps[] = {"bb-late", NULL};
    bench_result result = {.noise_target = ANY_NOISE};
    lab l = {0};
    group_wish group = {experiment_named("map"), 50, 4};
    assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
    assert_ok(dev, lab_run(&l, &group, 1, maps));
    assert_int_equal(result.count, 2);
    const bench_row *bb = &result.rows[0], *late = &result.rows[1];
    assert_string_equal(late->map, "bb-late");
    assert_true(late->verified && late->improvement > 0 && late->threads == bb->threads);
    result.rows[1].improvement_low = result.rows[1].improvement = 1.5;
    result_doubt(&result);
    assert_string_not_equal(late->doubt, "bound");
    lab_close(&l);
    result_free(&result);
}

static void bb_is_timed_without_its_test_of_the_block(void **state) {
    (void)state;
    on_every_device(bb_without_its_test_verifies);
}

static void every_experiment_is_verified_on_every_device(void **state) {
    (void)state;
    on_every_device(every_experiment_verifies);
}

/* lambda with one tile sent to its neighbour: one cell missed, one taken twice. */
static wedge_segment wrong_begin(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table) {
    (void)g, (void)y, (void)z, (void)table;
    wedge_pair p = wedge_lambda_tile(x == 7u ? 6u : x);
    return (wedge_segment){p.i, p.j, 0, p.j + 1, 0};
}

static void fails(wedge_device *dev, map_row wrong) {
    wrong.info.name = "planted";
    for (int e = 0; e < experiment_count; ++e) {
        if (experiments[e].rank != 2 || experiments[e].no_maps) continue;
        bench_result result = {.noise_target = ANY_NOISE};
        lab l = {0};
        runner r = {.map = &wrong.info};
        wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 40, .strict = experiments[e].strict};
        arena a = {.experiment = &experiments[e], .n = 40, .rho = 4, .points = calloc(40, sizeof(point4))};
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        assert_ok(dev, dev->backend->buffer_new(dev, 40 * sizeof(point4), ON_DEVICE, &a.in));
        assert_ok(dev, dev->backend->buffer_new(dev, 40 * 40 * 4, ON_DEVICE, &a.out));
        assert_int_equal(plan_make(NULL, &wrong.info, &domain, 4, NULL, &r.plan), WEDGE_OK);
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

/* lambda with one block more than there are tiles, which takes tile 0 again: nothing is missed. */
static void one_block_more(plan_maker *p) { plan_add(p, wedge_tri64(p->plan->m) + 1, 1, 1, 0, 0, 0); }

static wedge_segment repeating_begin(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table) {
    (void)y, (void)z, (void)table;
    wedge_pair p = wedge_lambda_tile(x == wedge_tri32(g.m) ? 0u : x);
    return (wedge_segment){p.i, p.j, 0, p.j + 1, 0};
}

static void a_wrong_map_fails(wedge_device *dev) {
    map_row missing = *map_row_of(wedge_map_find("lambda", 2)), repeating = missing;
    missing.begin = wrong_begin;
    missing.text = "wedge_one2(wedge_lambda_tile(x == 7u ? 6u : x))";
    fails(dev, missing);
    repeating.plan = one_block_more;
    repeating.begin = repeating_begin;
    repeating.text = "wedge_one2(wedge_lambda_tile(x == wedge_tri32(g.m) ? 0u : x))";
    fails(dev, repeating);
}

static void a_planted_wrong_map_is_caught(void **state) {
    (void)state;
    on_every_device(a_wrong_map_fails);
}

/* ---- Wrong kernels, one for each check, on a right map ---- */

static void edm_of_three(native_data *d, wedge_triple t, uint32_t rho) {
    (void)t, (void)rho;
    for (uint32_t i = 0; i < d->side; ++i) /* the last feature forgotten */
        for (uint32_t j = 0; j <= i; ++j) {
            float x = d->in[i].x - d->in[j].x, y = d->in[i].y - d->in[j].y, z = d->in[i].z - d->in[j].z;
            ((float *)d->out)[i * d->side + j] = sqrtf(x * x + y * y + z * z);
        }
}

static void edm_unwritten(native_data *d, wedge_triple t, uint32_t rho) { (void)d, (void)t, (void)rho; }

static void dummy_of_rows(native_data *d, wedge_triple t, uint32_t rho) {
    uint32_t *out = d->out;
    (void)rho;
    for (uint32_t i = 0; i < d->side && d->check && !t.i; ++i)
        for (uint32_t j = 0; j <= i; ++j) out[i * (i + 1) / 2 + j] = i;
}

static void count_nothing(native_data *d, wedge_triple t, uint32_t rho) { (void)d, (void)t, (void)rho; }

static const struct {
    const char *experiment, *text, *word;
    void (*tile)(native_data *d, wedge_triple t, uint32_t rho);
} wrong_kernels[] = {
    {"edm",
     "#define LAB_CELL ((WEDGE_GLOBAL float *)out)[i * side + j] = wedge_sqrtf((in[i].x - in[j].x) * (in[i].x - "
     "in[j].x));",
     "distance", edm_of_three},
    {"edm", "#define LAB_CELL if (i == 7u && j == 3u) out[0] = 0u;", "not written", edm_unwritten},
    {"map", "#define LAB_CELL out[LAB_CHECK ? i * (i + 1u) / 2u + j : 0u] = i;", "dummy", dummy_of_rows},
    {"collide3d", "#define LAB_CELL if (i == 0u) wedge_atomic_add(out, 1u);", "overlaps", count_nothing},
    {"tet-collide", "#define LAB_CELL if (i == 0u) wedge_atomic_add(out, 1u);", "overlaps", count_nothing},
};

static void wrong_kernels_fail(wedge_device *dev) {
    for (size_t k = 0; k < sizeof wrong_kernels / sizeof *wrong_kernels; ++k) {
        experiment wrong = *experiment_named(wrong_kernels[k].experiment);
        bench_result result = {.noise_target = ANY_NOISE};
        lab l = {0};
        wrong.text = wrong_kernels[k].text;
        wrong.tile = wrong_kernels[k].tile;
        group_wish group = {&wrong, 40, 4};
        static const char *const maps[] = {"lambda", NULL};
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        assert_ok(dev, lab_run(&l, &group, 1, maps));
        assert_int_equal(result.count, 2);
        for (int r = 0; r < 2; ++r) {
            const bench_row *row = &result.rows[r];
            if (row->status != ROW_FAILED || row->verified || row->time.count ||
                !strstr(row->remark, wrong_kernels[k].word))
                fail_msg("%s passed a wrong kernel: '%s'", wrong_kernels[k].experiment, row->remark);
        }
        lab_close(&l);
        result_free(&result);
    }
}

static void a_wrong_kernel_is_caught_by_each_check(void **state) {
    (void)state;
    on_every_device(wrong_kernels_fail);
}

/* ---- The engine ---- */

static void lose_the_points(wedge_job *job, lab *l) {
    assert_ok(l->dev, l->dev->backend->fill(l->dev, l->queue, &job->points.rows, 0, job->points.rows.bytes, 0));
    assert_ok(l->dev, l->dev->backend->wait(l->dev, l->queue));
}

static void leave_the_last_row(wedge_job *job, lab *l) {
    (void)l;
    job->info.cells -= job->pairs.n;
}

/* One kernel, harmed behind the lab's back. */
static void harmed_engines_fail(wedge_device *dev) {
    static const struct {
        void (*harm)(wedge_job *job, lab *l);
        const char *word;
    } harms[] = {{lose_the_points, "distance ("}, {leave_the_last_row, "60 cells were not written"}};
    for (int k = 0; k < 2; ++k) {
        bench_result result = {.noise_target = ANY_NOISE};
        lab l = {0};
        const experiment *e = experiment_named("edm");
        runner r = {.engine = e->engine};
        arena a = {.experiment = e, .n = 60};
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        assert_ok(dev, dev->backend->buffer_new(dev, 60 * 60 * 4, ON_DEVICE, &a.out));
        assert_ok(dev, runner_prepare(&l, &a, &r));
        assert_ok(dev, verify_runner(&l, &a, &r));
        assert_true(r.row.status == ROW_OK && r.row.verified);
        harms[k].harm(r.job, &l);
        assert_ok(dev, verify_runner(&l, &a, &r));
        if (r.row.status != ROW_FAILED || r.row.verified || !strstr(r.row.remark, harms[k].word))
            fail_msg("a harmed engine passed: '%s', not '%s'", r.row.remark, harms[k].word);
        runner_free(&l, &r);
        dev->backend->buffer_free(dev, &a.out);
        lab_close(&l);
    }
}

/* Where a kernel is compiled in no time: others than were asked for. */
static void other_engines_fail(wedge_device *dev) {
    static const struct {
        const char *op;
        wedge_layout layout;
        const char *word;
    } others[] = {{"sqeuclidean", WEDGE_LOWER, "distance (1, 0)"},
                  {"cityblock", WEDGE_LOWER, "distance (1, 0)"},
                  {"euclidean", WEDGE_SQUARE, "above the diagonal"},
                  {"euclidean", WEDGE_PACKED, "were not written"}};
    static const char *const maps[] = {"engine", NULL};
    for (int k = 0; k < 4 && !dev->backend->compile; ++k) {
        bench_result result = {.noise_target = ANY_NOISE};
        lab l = {0};
        experiment wrong = *experiment_named("edm");
        engine_wish wish = {others[k].op, others[k].layout, WEDGE_F32, 4, false}, asked = *wrong.engine;
        wrong.engine = &wish, wrong.no_maps = true;
        runner r = {.engine = &wish};
        arena a = {.experiment = &wrong, .n = 50};
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        assert_ok(dev, dev->backend->buffer_new(dev, 50 * 50 * 4, ON_DEVICE, &a.out));
        assert_ok(dev, runner_prepare(&l, &a, &r));
        r.engine = &asked; /* what the check expects */
        assert_ok(dev, verify_runner(&l, &a, &r));
        if (r.row.status != ROW_FAILED || !strstr(r.row.remark, others[k].word))
            fail_msg("%s passed for distances: '%s'", others[k].op, r.row.remark);
        runner_free(&l, &r);
        dev->backend->buffer_free(dev, &a.out);
        if (k == 0) { /* and such a row is not timed */
            group_wish group = {&wrong, 50, 0};
            assert_ok(dev, lab_run(&l, &group, 1, maps));
            assert_true(result.count == 1 && result.rows[0].status == ROW_FAILED && !result.rows[0].time.count);
        }
        lab_close(&l);
        result_free(&result);
    }
}

static void a_wrong_engine_is_caught(void **state) {
    (void)state;
    on_every_device(harmed_engines_fail);
    on_every_device(other_engines_fail);
}

/* A share has the right order of magnitude; how near it is to 1 is the machine's business, not a test's. */
static bool is_share(double share) { return share > 1e-12 && share < 1e3; }

static void engine_rows_have_shares(wedge_device *dev) {
    static const char *const maps[] = {"engine", NULL};
    bench_result result = {.noise_target = ANY_NOISE};
    lab l = {0};
    if (compiles_slowly(dev)) NOTHING_HERE("a compiler's minute for no more than the cpu has");
    assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
    assert_ok(dev, measure_ceilings(&l));
    assert_true((result.root.rate > 0) == !dev->backend->compile && (result.step.rate > 0) == !dev->backend->compile);
    for (int e = 0; e < experiment_count; ++e) {
        group_wish group = {&experiments[e], 100, 8};
        if (experiments[e].engine && !experiments[e].tasks) assert_ok(dev, lab_run(&l, &group, 1, maps));
    }
    for (int k = 0; k < result.count; ++k) {
        const bench_row *row = &result.rows[k];
        if (!row_is_engine(row)) continue;
        assert_true(row->verified && !row->best && *row->how && !row->bound && !row->penalty);
        assert_true(row->cells == 100 * 99 / 2 || row->cells == 100 * 101 / 2);
        assert_true(is_share(row->share) && row->share_fill <= row->share);
        assert_true(row->bytes > 0 ? is_share(row->share_fill) : !row->share_fill);
        assert_true(*row->sink ? is_share(row->of_store) : row->bytes > 0 && !row->of_store);
        bool beside_maps = !strcmp(row->variant, "square") || !strcmp(row->variant, "packed");
        assert_true((row->improvement > 0) == beside_maps);
        if (row->features == 64) assert_string_equal(row->limit, "issue");
    }
    lab_close(&l);
    result_free(&result);
}

static void engine_rows_have_shares_of_what_was_measured(void **state) {
    (void)state;
    on_every_device(engine_rows_have_shares);
}

/* A large result on the cpu is held against fills beside it: of its own memory, right before and after. */
static void large_rows_have_a_fill_beside_them(void **state) {
    static const char *const maps[] = {"engine", NULL};
    bench_result result = {.noise_target = ANY_NOISE, .fill = {.rate = 1}};
    wedge_context *ctx;
    wedge_device *dev;
    lab l = {0};
    int seen = 0;
    (void)state;
    once_for_all_devices();
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
    for (int e = 0; e < experiment_count; ++e)
        for (uint64_t n = 100; n <= 5900 && !strcmp(experiments[e].variant, "condensed"); n += 5800) {
            group_wish group = {&experiments[e], n, 0};
            assert_ok(dev, lab_run(&l, &group, 1, maps));
        }
    for (int k = 0; k < result.count; ++k, ++seen) {
        const bench_row *row = &result.rows[k];
        assert_int_equal(row->beside.count, row->n == 100 ? 0 : row->time.count);
        if (row->n > 100) assert_true(is_share(row->share_fill));
    }
    assert_int_equal(seen, 2);
    lab_close(&l);
    result_free(&result);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* What an earlier row says of a map is what it is expected to take. */
static void a_map_too_slow_for_the_budget_is_skipped_alone(void **state) {
    static const char *const maps[] = {"lambda", "utm", NULL};
    bench_result result = {.noise_target = 0.5};
    wedge_context *ctx;
    wedge_device *dev;
    lab l = {0};
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    bench_row *before = result_add(&result);
    *before = (bench_row){.experiment = "map", .map = "utm", .rank = 2, .n = 20, .rho = 4};
    before->time = (timing){.count = 1, .median = 250, .samples = calloc(1, sizeof(double))};
    assert_ok(dev, lab_open(&l, dev, &result, 3600)); /* at n = 40 four times as long, six times */
    group_wish group = {experiment_named("map"), 40, 4};
    assert_ok(dev, lab_run(&l, &group, 1, maps));
    assert_int_equal(result.count, 4);
    for (int k = 1; k < 4; ++k) {
        const bench_row *row = &result.rows[k];
        bool slow = !strcmp(row->map, "utm");
        assert_int_equal(row->status, slow ? ROW_SKIPPED : ROW_OK);
        assert_int_equal(row_timed(row), !slow);
        assert_true(!slow || strstr(row->remark, "budget"));
    }
    lab_close(&l);
    result_free(&result);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* A budget that ends while maps are made ready, or between two samples: the clock is not asked, the lab's deadline is moved. */
typedef struct {
    lab *l;
    int calls, ends_at;
} spender;

static bool spend(void *user, const char *group) {
    spender *s = user;
    (void)group;
    if (++s->calls == s->ends_at) s->l->deadline = 0;
    return true;
}

static void nothing_is_begun_after_the_budget(void **state) {
    static const char *const maps[] = {"lambda", "rb", NULL};
    wedge_context *ctx;
    wedge_device *dev;
    int partly = 0, none = 0;
    (void)state;
    once_for_all_devices();
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    for (int end = 1; end < 40; ++end) {
        bench_result result = {.noise_target = ANY_NOISE};
        lab l = {.say = spend};
        spender s = {&l, 0, end};
        l.user = &s;
        assert_ok(dev, lab_open(&l, dev, &result, BUDGET));
        group_wish groups[] = {{experiment_named("map"), 40, 4}, {experiment_named("map"), 50, 4}};
        assert_ok(dev, lab_run(&l, groups, 2, maps));
        assert_int_equal(result.count, 6);
        int timed = 0, samples = 0;
        for (int k = 0; k < 6; ++k) {
            const bench_row *row = &result.rows[k];
            timed += row->time.count > 0, samples += row->time.count;
            assert_int_equal(row->time.count == 0, row->status == ROW_SKIPPED);
            if (row->status == ROW_SKIPPED) assert_string_equal(row->cause, "budget");
        }
        /* A call before each map is made ready, warmed up and sampled; then at most what was begun. */
        assert_true(samples <= end);
        partly += timed > 0 && timed < 6, none += timed == 0;
        lab_close(&l);
        result_free(&result);
    }
    assert_true(none >= 7 && partly);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_vectors),
        cmocka_unit_test(sizes_are_read_as_written),
        cmocka_unit_test(every_experiment_is_verified_on_every_device),
        cmocka_unit_test(shared_tiles_are_right_at_any_size),
        cmocka_unit_test(bb_is_timed_without_its_test_of_the_block),
        cmocka_unit_test(a_planted_wrong_map_is_caught),
        cmocka_unit_test(a_wrong_kernel_is_caught_by_each_check),
        cmocka_unit_test(a_wrong_engine_is_caught),
        cmocka_unit_test(engine_rows_have_shares_of_what_was_measured),
        cmocka_unit_test(large_rows_have_a_fill_beside_them),
        cmocka_unit_test(a_map_too_slow_for_the_budget_is_skipped_alone),
        cmocka_unit_test(nothing_is_begun_after_the_budget),
    };
    setenv("WEDGE_NUM_THREADS", "1", 0); /* what is timed would wait for threads that a busy machine holds up */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
