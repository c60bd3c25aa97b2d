/* t452-pruned.c: jobs that leave out tiles (wedge_prune) give what jobs that do not give, and what plain loops make of the
 * stored values: wherever the points lie, whatever the radius, for every op that has a bound.
 *
 * SPDX-License-Identifier: MIT */
#include "prune_problem.h"

static const uint64_t sizes[] = {257, 65, 1100, 2, 513, 33, 64, 1, 31};
static const uint64_t features[] = {1, 2, 3, 4, 5, 8, 64};
enum { SIZES = 9, FEATURES = 7, LARGE = 1100, CHECK_PRUNED = CHECK_COUNT | CHECK_SELECT | CHECK_HISTOGRAM };

static const wedge_parameter powers[] = {WEDGE_NUMBER("p", 3), WEDGE_NUMBER("p", 0.5), WEDGE_NUMBER("p", 1.5)};

typedef struct {
    const char *op;
    int power; /* of minkowski */
    wedge_layout layout;
    wedge_dtype dtype;
    uint64_t d;
    int sinks;
} one_case;

/* Powers take a CPU long. */
static void check_case(wedge_device *dev, const one_case *o, const data_set *set, uint64_t n, unsigned turn,
                       unsigned turns) {
    if (o->dtype == WEDGE_F64 && !dev->info.has_double) return;
    bool heavy = !strcmp(o->op, "minkowski") && !dev->info.is_gpu;
    if (heavy) n = n < 130 ? n : 130, turns = (turns + 3) / 4;
    problem p = prune_problem(o->op, &powers[o->power], o->layout, o->dtype, n, o->d, set);
    check_pruned(dev, &p, o->sinks, turn, turns);
    free(p.points);
}

/* ---- Ops, layouts, data sets ---- */

/* Every bounded op, every layout, both kinds of number, few features and many. */
static const one_case covering[] = {
    {"euclidean", 0, WEDGE_CONDENSED, WEDGE_F32, 3, CHECK_PRUNED},
    {"sqeuclidean", 0, WEDGE_RECTANGLE, WEDGE_F64, 2, CHECK_PRUNED},
    {"cityblock", 0, WEDGE_SQUARE, WEDGE_F32, 1, CHECK_PRUNED},
    {"chebyshev", 0, WEDGE_PACKED, WEDGE_F64, 5, CHECK_PRUNED},
    {"minkowski", 0, WEDGE_LOWER, WEDGE_F32, 4, CHECK_PRUNED},
    {"minkowski", 1, WEDGE_CONDENSED, WEDGE_F64, 2, CHECK_PRUNED},
    {"spheres", 0, WEDGE_PACKED, WEDGE_F32, 4, CHECK_PRUNED},
    {"boxes", 0, WEDGE_CONDENSED, WEDGE_F64, 4, CHECK_PRUNED},
    {"boxes", 0, WEDGE_RECTANGLE, WEDGE_F32, 6, CHECK_PRUNED},
    {"euclidean", 0, WEDGE_SQUARE, WEDGE_F64, 8, CHECK_PRUNED},
    {"cityblock", 0, WEDGE_LOWER, WEDGE_F32, 64, CHECK_PRUNED},
    {"minkowski", 1, WEDGE_RECTANGLE, WEDGE_F32, 3, CHECK_PRUNED},
};

/* A kernel takes seconds to compile where a CPU's compiler does it. */
static const one_case covering_slow[] = {
    {"euclidean", 0, WEDGE_CONDENSED, WEDGE_F32, 3, CHECK_PRUNED},
    {"euclidean", 0, WEDGE_RECTANGLE, WEDGE_F32, 3, CHECK_COUNT | CHECK_SELECT}, /* and of rectangles below */
    {"spheres", 0, WEDGE_PACKED, WEDGE_F64, 4, CHECK_HISTOGRAM},
};

/* One kernel per sink: every data set, in turn with every n around tiles. A radius costs as many steps as there are cells. */
static void check_data_sets(wedge_device *dev, const one_case *o, unsigned turn) {
    for (unsigned set = 0; set < DATA_SETS; ++set) {
        uint64_t n = sizes[(turn + set) % SIZES];
        unsigned turns = compiles_slowly(dev) ? 4 : n < 300 ? RADII / 2 : n < LARGE ? 6 : 3;
        check_case(dev, o, &data_sets[set], n, turn + 5 * set, turns);
    }
}

static void every_data_set_is_right_on(wedge_device *dev) {
    bool slow = compiles_slowly(dev);
    const one_case *cases = slow ? covering_slow : covering;
    size_t count = slow ? sizeof covering_slow / sizeof *covering_slow : sizeof covering / sizeof *covering;
    for (unsigned k = 0; k < count; ++k) check_data_sets(dev, &cases[k], 2 * k);
    for (unsigned k = 0; k < count && dev->info.is_gpu; ++k) /* tiles of GPUs are larger */
        for (unsigned set = k % 3; set < DATA_SETS; set += 3)
            check_case(dev, &cases[k], &data_sets[set], LARGE, 3 * k, 4);
}

static void every_data_set_is_right(void **state) {
    (void)state;
    on_every_device(every_data_set_is_right_on);
}

/* Every bounded op of the table with every data set; layout, dtype, features and n at random, or all of them. */
static void check_op(wedge_device *dev, const char *op, int power, unsigned *turn) {
    for (unsigned set = 0; set < DATA_SETS; ++set)
        for (unsigned k = 0; k < 10 * FEATURES; ++k, ++*turn) {
            one_case o = {op, power, k % 5, k / 5 % 2, features[k / 10], CHECK_PRUNED};
            if (test_everything() ? !is_in_part(*turn) : *turn % 61) continue;
            uint64_t n = sizes[choice(*turn, SIZES)];
            if (n == LARGE && !test_everything()) n = 130; /* which covering has, and takes its time */
            check_case(dev, &o, &data_sets[set], n, *turn / 61, test_everything() ? RADII : n < 300 ? 6 : 2);
        }
}

static void every_bounded_op_is_right_on(wedge_device *dev) {
    if (dev->backend->compile && !test_everything()) NOTHING_HERE("a kernel for each: WEDGE_TEST_FULL is not set");
    unsigned turn = 0, bounded = 0;
    for (int k = 0; k < wedge_op_count(2); ++k) {
        const wedge_op_info *op = wedge_op_at(2, k);
        if (!op->bounded) continue;
        ++bounded;
        for (int power = 0; power < (strcmp(op->name, "minkowski") ? 1 : 3); ++power)
            check_op(dev, op->name, power, &turn);
    }
    assert_true(bounded >= 7);
}

static void every_bounded_op_is_right(void **state) {
    (void)state;
    on_every_device(every_bounded_op_is_right_on);
}

/* ---- Shapes ---- */

/* Two sets of very different size: n and m of the points that a problem has. */
static void check_sides(wedge_device *dev, wedge_dtype dtype, uint64_t n, uint64_t m, const data_set *set) {
    problem p = make_problem("euclidean", WEDGE_RECTANGLE, dtype, 1336, 3);
    assert_true(n + m <= p.pairs.n + p.pairs.m);
    p.pairs.n = n, p.pairs.m = m, p.pairs.others = (char *)p.points + n * 3 * (dtype == WEDGE_F64 ? 8 : 4);
    fill(&p, set);
    check_pruned(dev, &p, compiles_slowly(dev) ? CHECK_COUNT | CHECK_SELECT : CHECK_PRUNED, (unsigned)(n % 5),
                 compiles_slowly(dev) ? 2 : 8);
    free(p.points);
}

static void rectangles_of_all_shapes_are_right_on(wedge_device *dev) {
    static const uint64_t sides[][2] = {{3, 2000}, {2000, 3}, {1, 1}, {1, 600}, {33, 64}};
    for (unsigned k = 0; k < 5; ++k)
        for (unsigned set = 0; set < DATA_SETS; ++set) {
            if (set % 3 != k % 3 && data_sets[set].at != nested) continue;
            check_sides(dev, dev->info.has_double && !compiles_slowly(dev) && set % 2, sides[k][0], sides[k][1],
                        &data_sets[set]);
        }
}

static void rectangles_of_all_shapes_are_right(void **state) {
    (void)state;
    on_every_device(rectangles_of_all_shapes_are_right_on);
}

static void thousands_of_points_are_right_on(wedge_device *dev) {
    for (unsigned set = 0; set < DATA_SETS; ++set)
        if (set == 2 || (dev->info.is_gpu && set % 3 == 0) || (test_everything() && is_in_part(set)))
            check_case(dev, &covering[0], &data_sets[set], 4097, set, test_everything() ? 8 : 2);
}

static void thousands_of_points_are_right(void **state) {
    (void)state;
    on_every_device(thousands_of_points_are_right_on);
}

/* ---- Ways to run ---- */

static const unsigned quick[] = {0, 1, 3, 4, 6}; /* data sets */
enum { QUICK = 5 };

static void every_tile_is_right_on(wedge_device *dev) {
    static const char *const maps[] = {"lambda", "walk"};
    if (!dev->backend->compile) NOTHING_HERE("it has neither maps nor tiles");
    bool slow = compiles_slowly(dev);
    for (unsigned k = slow ? 2 : 0; k < (slow ? 3 : 5); ++k)
        for (unsigned set = 0; set < QUICK; ++set) {
            problem p = prune_problem("euclidean", NULL, WEDGE_CONDENSED, WEDGE_F32, slow ? 300 : LARGE, 3,
                                      &data_sets[quick[set]]);
            p.pairs.map = maps[k % 2], p.pairs.tile = 32u << k;
            check_pruned(dev, &p, slow ? CHECK_COUNT : CHECK_PRUNED, k, 4);
            free(p.points);
        }
}

static void every_tile_is_right(void **state) {
    (void)state;
    on_every_device(every_tile_is_right_on);
}

/* Some compilers get no other (pairs_no_shared.h). */
static void the_skeleton_without_shared_memory_is_right_on(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it has skeletons of its own");
    dev->no_shared = true;
    one_case o = covering[0];
    if (compiles_slowly(dev)) o.sinks = CHECK_SELECT;
    for (unsigned set = 0; set < QUICK; ++set) check_case(dev, &o, &data_sets[quick[set]], 257, set, 8);
}

static void the_skeleton_without_shared_memory_is_right(void **state) {
    (void)state;
    on_every_device(the_skeleton_without_shared_memory_is_right_on);
}

static void some_cases_are_right(wedge_device *dev) {
    for (unsigned k = 0; k < sizeof covering / sizeof *covering; ++k)
        for (unsigned set = 0; set < QUICK; ++set) check_case(dev, &covering[k], &data_sets[quick[set]], 130, 4 * k, 2);
}

static void every_instruction_set_is_right(void **state) {
    (void)state;
    on_every_instruction_set("3", some_cases_are_right);
}

/* ---- Refused ---- */

static wedge_status created(wedge_device *dev, wedge_job_spec *q, const char *sink, int prune, bool *pruned) {
    static const wedge_parameter radius = WEDGE_NUMBER("radius", 1);
    bool takes_radius = sink && (!strcmp(sink, "count") || !strcmp(sink, "select"));
    wedge_job *job = NULL;
    q->sink = sink, q->sink_parameters = &radius, q->sink_parameter_count = takes_radius;
    q->prune = (wedge_prune)prune;
    wedge_status status = wedge_job_create(dev, q, &job);
    if (!status) *pruned = wedge_job_get_info(job)->pruned;
    wedge_job_destroy(job);
    return status;
}

/* Always: an error that names who has no bound. Otherwise such jobs run as ever. */
static void no_bound_no_pruning_on(wedge_device *dev) {
    if (dev->backend->compile) NOTHING_HERE("refusals do not depend on the device");
    static const char *const sinks[] = {NULL, "store", "summary", "count", "select"};
    for (int k = 0; k < wedge_op_count(2); ++k)
        for (int sink = 0; sink < 5; ++sink) {
            const wedge_op_info *op = wedge_op_at(2, k);
            bool can = op->bounded && sink > 2, pruned = !can;
            problem p = make_problem(op->name, WEDGE_CONDENSED, WEDGE_F32, 70, fitting(op->name, 3));
            wedge_status status = created(dev, &p.pairs, sinks[sink], WEDGE_PRUNE_ALWAYS, &pruned);
            assert_int_equal(status, can ? WEDGE_OK : WEDGE_UNSUPPORTED);
            const char *who = op->bounded ? sinks[sink] ? sinks[sink] : "store" : op->name;
            if (can)
                assert_true(pruned);
            else
                assert_non_null(strstr(wedge_device_message(dev), who));
            assert_int_equal(created(dev, &p.pairs, sinks[sink], WEDGE_PRUNE_NEVER, &pruned), WEDGE_OK);
            assert_false(pruned);
            assert_int_equal(created(dev, &p.pairs, sinks[sink], WEDGE_PRUNE_AUTO, &pruned), WEDGE_OK);
            if (!can) assert_false(pruned);
            assert_int_equal(created(dev, &p.pairs, sinks[sink], 3, &pruned), WEDGE_BAD_ARGUMENT);
            assert_int_equal(created(dev, &p.pairs, sinks[sink], -1, &pruned), WEDGE_BAD_ARGUMENT);
            free(p.points);
        }
}

static void no_bound_no_pruning(void **state) {
    (void)state;
    on_every_device(no_bound_no_pruning_on);
}

/* Boxes of so many features are kept where a thread has room for them. */
static void at_most_64_features_are_pruned_on(wedge_device *dev) {
    for (uint64_t d = 64; d <= 65; ++d) {
        problem p = make_problem("chebyshev", WEDGE_CONDENSED, WEDGE_F32, 70, d);
        bool pruned = false;
        assert_int_equal(created(dev, &p.pairs, "count", WEDGE_PRUNE_ALWAYS, &pruned),
                         d > 64 ? WEDGE_UNSUPPORTED : WEDGE_OK);
        assert_int_equal(pruned, d <= 64);
        free(p.points);
    }
}

static void at_most_64_features_are_pruned(void **state) {
    (void)state;
    on_every_device(at_most_64_features_are_pruned_on);
}

/* ---- Limits ---- */

static double limit_of_powers(wedge_device *dev, wedge_dtype dtype, double power, double radius) {
    const wedge_parameter set = WEDGE_NUMBER("p", power), within = WEDGE_NUMBER("radius", radius);
    problem p = make_problem("minkowski", WEDGE_CONDENSED, dtype, 5, 4);
    p.pairs.parameters = &set, p.pairs.parameter_count = 1, p.pairs.prune = WEDGE_PRUNE_ALWAYS;
    wedge_job *job = sink_job(dev, &p.pairs, "count", &within, 1);
    double limit = job->prune.limit;
    wedge_job_destroy(job);
    free(p.points);
    return limit;
}

/* Powers need not be monotone: tiles are left out only where their bound is well above the radius. A power of 16 units in the
 * last place is 32 roundings, one for each of the four terms, and the root has as many again. */
static void the_limits_of_powers_are_raised_on(wedge_device *dev) {
    if (dev->backend->compile) NOTHING_HERE("limits do not depend on the device");
    for (int wide = 0; wide < 2; ++wide) {
        double unit = wide ? 0x1p-53 : 0x1p-24;
        for (double power = 0.25; power < 9; power *= 1.5) {
            double roundings = 2 * (32 + 4) / power + 2 * 32;
            assert_true(limit_of_powers(dev, wide, power, 3) >= 3 * (1 + roundings * unit));
            assert_true(limit_of_powers(dev, wide, power, 3) <= 3 * (1 + 100 * roundings * unit));
        }
        assert_true(limit_of_powers(dev, wide, 1.5, 0) > 0);
        assert_true(isinf(limit_of_powers(dev, wide, wide ? 1e-14 : 1e-5, 3))); /* such a root is all error */
        assert_true(isinf(limit_of_powers(dev, wide, 1.5, INFINITY)));
        assert_true(isinf(limit_of_powers(dev, wide, 3, wide ? 1e102 : 1e12)));   /* sums that overflow, */
        assert_true(isinf(limit_of_powers(dev, wide, 3, wide ? 1e-102 : 1e-12))); /* and that underflow */
        assert_false(isinf(limit_of_powers(dev, wide, 3, wide ? 1e90 : 1e10)));
        assert_true(limit_of_powers(dev, wide, 1.5, -1) < 0);
    }
}

static void the_limits_of_powers_are_raised(void **state) {
    (void)state;
    on_every_device(the_limits_of_powers_are_raised_on);
}

/* ---- The default ---- */

static uint64_t counted(wedge_job *job) {
    uint64_t count = 0;
    wedge_result r = {.size = sizeof r, .values = &count};
    assert_ok(job->dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    return count;
}

/* Whether a job of n points, d features, is pruned where nothing was said, and with which tile; what it counts is what a job
 * counts that never is. */
static bool is_pruned(wedge_device *dev, uint64_t n, uint64_t d, double radius, uint32_t *tile) {
    const wedge_parameter within = WEDGE_NUMBER("radius", radius);
    problem p = prune_problem("euclidean", NULL, WEDGE_CONDENSED, WEDGE_F32, n, d, &data_sets[0]);
    wedge_job *job = sink_job(dev, &p.pairs, "count", &within, 1);
    bool pruned = wedge_job_get_info(job)->pruned;
    uint64_t count = counted(job);
    *tile = wedge_job_get_info(job)->tile;
    wedge_job_destroy(job);
    p.pairs.prune = WEDGE_PRUNE_NEVER;
    job = sink_job(dev, &p.pairs, "count", &within, 1);
    assert_int_equal(count, counted(job));
    wedge_job_destroy(job);
    free(p.points);
    return pruned;
}

static void the_default_prunes_where_it_pays_on(wedge_device *dev) {
    uint64_t many = dev->info.is_gpu ? 300000 : 12000;
    uint32_t small, large, none;
    assert_true(is_pruned(dev, many, 3, 1, &small));
    assert_false(is_pruned(dev, many, 3, 30, &none)); /* everything is in reach: seen from the points */
    if (compiles_slowly(dev)) return;
    assert_true(is_pruned(dev, many, 3, 7, &large)); /* a third is */
    assert_true(is_pruned(dev, many, 8, 1, &none));
    assert_false(is_pruned(dev, many, 9, 1, &none)); /* few boxes are apart */
    assert_false(is_pruned(dev, many, 3, INFINITY, &none));
    assert_false(is_pruned(dev, 1000, 3, 1, &none));
    assert_int_equal(large / small, dev->info.is_gpu ? 4 : 1);
}

static void the_default_prunes_where_it_pays(void **state) {
    (void)state;
    on_every_device(the_default_prunes_where_it_pays_on);
}

/* Of uniform points on one thread of the cpu. computed: at most, for each point. */
typedef struct {
    const char *sink;
    uint64_t n, d;
    double limit; /* a radius, or k */
    bool pruned;
    uint64_t computed;
} choice_case;

static const choice_case few_points[] =
    {
        {"select", 300, 3, 1.0, false, 0},      {"select", 2000, 2, 0.5, true, 250},
        {"select", 3000, 3, 1.8, true, 450},    {"select", 3000, 3, 40, false, 0},
        {"select", 3000, 3, 8, false, 0}, /* each pair that is kept costs as much as many */
        {"select", 3000, 8, 2.0, false, 0},     {"select", 1000, 3, 2.0, false, 0},
        {"select", 5500, 2, 1.07, true, 400},   {"select", 6000, 2, 1.03, true, 400},
        {"select", 6500, 2, 0.99, true, 400},   {"count", 3000, 3, 1.8, true, 450},
        {"histogram", 2000, 3, 2.0, true, 450}, {"nearest", 60, 3, 4, false, 0},
        {"nearest", 1000, 2, 1, true, 300},     {"nearest", 1000, 3, 1, true, 550},
        {"nearest", 5000, 3, 8, true, 900},     {"nearest", 6000, 3, 8, true, 900},
        {"nearest", 6000, 8, 8, false, 0}, /* all tiles are in reach */
        {"nearest", 12000, 8, 8, false, 0},
};

static void check_choice(wedge_device *dev, const choice_case *c) {
    bool nearest = !strcmp(c->sink, "nearest"), counts = !strcmp(c->sink, "histogram");
    const wedge_parameter k = WEDGE_WHOLE("k", c->limit), limit = WEDGE_NUMBER(counts ? "max" : "radius", c->limit),
                          set[] = {nearest ? k : limit, WEDGE_WHOLE("bins", 8)};
    problem p = prune_problem("euclidean", NULL, nearest ? WEDGE_SQUARE : WEDGE_CONDENSED, WEDGE_F64, c->n, c->d,
                              &data_sets[0]);
    wedge_job *job = sink_job(dev, &p.pairs, c->sink, set, counts ? 2 : 1);
    const wedge_job_info *info = wedge_job_get_info(job);
    uint64_t room = 1024 * c->n;
    int64_t *pairs = malloc(room * 2 * sizeof *pairs), bins[64];
    wedge_result r = {.size = sizeof r, .values = counts ? bins : NULL, .indices = pairs, .room = room};
    if (!strcmp(c->sink, "count")) r.values = bins;
    if (info->pruned != c->pruned) fail_msg("%s of %d points in %d-D, %g", c->sink, (int)c->n, (int)c->d, c->limit);
    if (c->pruned) assert_ok(dev, wedge_job_run(job, 0, info->cells, &r, NULL, NULL));
    if (info->computed > c->computed * c->n)
        fail_msg("%s of %d points in %d-D, %g: %g pairs computed per point, not %d", c->sink, (int)c->n, (int)c->d,
                 c->limit, (double)info->computed / (double)c->n, (int)c->computed);
    free(pairs);
    wedge_job_destroy(job);
    free(p.points);
}

static void few_points_are_pruned_where_it_pays(void **state) {
    wedge_context *ctx;
    wedge_device *dev;
    (void)state;
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    wedge_context_set(ctx, WEDGE_SET_NUM_THREADS, "1");
    assert_int_equal(wedge_device_open(ctx, "cpu", &dev), WEDGE_OK);
    for (unsigned k = 0; k < sizeof few_points / sizeof *few_points; ++k) check_choice(dev, &few_points[k]);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

/* Whatever it chooses. */
static void the_default_is_right_on(wedge_device *dev) {
    if (compiles_slowly(dev)) NOTHING_HERE("it is one of the two that other tests ask for");
    for (unsigned set = 0; set < DATA_SETS; ++set) {
        problem p = prune_problem("euclidean", NULL, WEDGE_CONDENSED, WEDGE_F32, 513, 3, &data_sets[set]);
        cell_list c = list_cells(dev, &p);
        uint64_t count;
        double *v = some_values(&c, &count);
        for (unsigned k = set; k < set + 4; ++k) {
            check_count(dev, &c, prune_radius(v, count, c.size, k));
            check_select(dev, &c, prune_radius(v, count, c.size, k));
        }
        free(v);
        free_cells(&c);
        free(p.points);
    }
}

static void the_default_is_right(void **state) {
    (void)state;
    on_every_device(the_default_is_right_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_data_set_is_right),
        cmocka_unit_test(every_bounded_op_is_right),
        cmocka_unit_test(rectangles_of_all_shapes_are_right),
        cmocka_unit_test(thousands_of_points_are_right),
        cmocka_unit_test(every_tile_is_right),
        cmocka_unit_test(the_skeleton_without_shared_memory_is_right),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(no_bound_no_pruning),
        cmocka_unit_test(at_most_64_features_are_pruned),
        cmocka_unit_test(the_limits_of_powers_are_raised),
        cmocka_unit_test(the_default_prunes_where_it_pays),
        cmocka_unit_test(few_points_are_pruned_where_it_pays),
        cmocka_unit_test(the_default_is_right),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
