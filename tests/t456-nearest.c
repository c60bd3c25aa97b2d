/* t456-nearest.c: the sink nearest gives the k smallest values of each row, as a plain sort of the stored values has
 * them: wherever the points lie, for every op, dtype and k, pruned and not.
 *
 * SPDX-License-Identifier: MIT */
#include "nearest_problem.h"

static const uint64_t sizes[] = {257, 65, 2, 513, 64, 1, 129, 63, 3, 600, 127};
enum { SIZES = 11, LARGE = 1100, SLOW_LARGE = 300 };

static const wedge_parameter powers[] = {WEDGE_NUMBER("p", 3), WEDGE_NUMBER("p", 0.5)};

typedef struct {
    const char *op;
    int power; /* of minkowski */
    wedge_layout layout;
    wedge_dtype dtype;
    uint64_t d;
} one_case;

/* Powers take a CPU long. */
static void check_case(wedge_device *dev, const one_case *o, const data_set *set, uint64_t n, unsigned turn,
                       unsigned turns) {
    if (o->dtype == WEDGE_F64 && !dev->info.has_double) return;
    if (!strcmp(o->op, "minkowski") && !dev->info.is_gpu) n = n < 130 ? n : 130;
    if (compiles_slowly(dev) && n > SLOW_LARGE) n = SLOW_LARGE;
    problem p = prune_problem(o->op, &powers[o->power], o->layout, o->dtype, n, o->d, set);
    check_some(dev, &p, turn, turns);
    free(p.points);
}

/* ---- By hand ---- */

/* Compilers that take their time get a line in space, whose kernels the tests below use as well. */
static problem points_on_a_line(wedge_device *dev, wedge_layout layout, wedge_dtype dtype, const double *x, uint64_t n,
                                uint64_t m) {
    uint64_t d = compiles_slowly(dev) ? 3 : 1;
    problem p = make_problem(d == 3 ? "euclidean" : "cityblock", layout, dtype, n + m, d);
    for (uint64_t k = 0; k < d * (n + m); ++k) set_number(&p, k / d, k % d, k % d ? 0 : x[k / d]);
    p.pairs.n = n, p.pairs.m = m, p.pairs.others = (char *)p.points + n * d * (dtype == WEDGE_F64 ? 8 : 4);
    return p;
}

/* columns and values: rows of `most`, of which the first k are asked for. The plain loops must say the same. */
static void check_by_hand(wedge_device *dev, problem *p, uint32_t most, const int64_t *columns, const double *values) {
    ranking r = rank_rows(dev, p);
    for (uint64_t at = 0; at < r.rows * most; ++at) {
        uint64_t i = at / most, place = at % most;
        assert_true((place < r.count[i]) == (columns[at] >= 0));
        if (columns[at] < 0) continue;
        assert_int_equal(r.nearest[i * r.columns + place].column, columns[at]);
        assert_true(r.nearest[i * r.columns + place].value == values[at]);
    }
    for (uint32_t k = 1; k <= most; ++k) check_nearest(dev, &r, k);
    free_ranking(&r);
    free(p->points);
}

/* Equal points, values that are equal, infinity, and NaN. */
static void neighbours_on_a_line_are_these_on(wedge_device *dev) {
    enum { N = 7 };
    const double inf = INFINITY, one[N] = {0, 5, 1, 5, (double)NAN, inf, 2};
    const double two[] = {0, 5, 5, 0, 5, (double)NAN};
    static const int64_t near_one[] = {2,  6, 1,  3,  5, -1, -1, 3,  6, 2,  0,  5,  -1, -1, 0,  6,  1,
                                       3,  5, -1, -1, 1, 6,  2,  0,  5, -1, -1, -1, -1, -1, -1, -1, -1,
                                       -1, 0, 1,  2,  3, 6,  -1, -1, 2, 0,  1,  3,  5,  -1, -1};
    const double away_one[] = {1,   2,   5,   5,   inf, inf, inf, 0,   3,   4,   5,   inf, inf, inf, 1,   1,   4,
                               4,   inf, inf, inf, 0,   3,   4,   5,   inf, inf, inf, inf, inf, inf, inf, inf, inf,
                               inf, inf, inf, inf, inf, inf, inf, inf, 1,   2,   3,   3,   inf, inf, inf};
    static const int64_t near_two[] = {1, 0, 2, -1, 0, 2, 1, -1};
    const double away_two[] = {0, 5, 5, inf, 0, 0, 5, inf};
    bool both = dev->info.has_double && !compiles_slowly(dev);
    for (int dtype = WEDGE_F32; dtype <= (both ? WEDGE_F64 : WEDGE_F32); ++dtype) {
        problem p = points_on_a_line(dev, WEDGE_SQUARE, dtype, one, N, 0);
        check_by_hand(dev, &p, N, near_one, away_one);
        p = points_on_a_line(dev, WEDGE_RECTANGLE, dtype, two, 2, 4);
        check_by_hand(dev, &p, 4, near_two, away_two);
    }
}

static void neighbours_on_a_line_are_these(void **state) {
    (void)state;
    on_every_device(neighbours_on_a_line_are_these_on);
}

/* Atoms at sigma from the first have +0, those far away -0: in turns, so that an order by bits would show. */
static void zeros_of_both_signs_are_equal_on(wedge_device *dev) {
    enum { N = 70 };
    unsigned plus = 0, minus = 0;
    problem p = make_problem("lennard_jones", WEDGE_SQUARE, WEDGE_F32, N, 1);
    for (uint64_t x = 0; x < N; ++x) set_number(&p, x, 0, !x ? 0 : x % 2 ? parameter(&p.pairs, "sigma") : 1e15);
    ranking r = rank_rows(dev, &p);
    for (uint64_t k = 0; k < r.count[0]; ++k) {
        assert_true(r.nearest[k].value == 0 && r.nearest[k].column == k + 1);
        ++*(signbit(r.nearest[k].value) ? &minus : &plus);
    }
    assert_true(plus == N / 2 && minus == N / 2 - 1);
    for (unsigned turn = 0; turn < 7; ++turn) check_nearest(dev, &r, some_k(N, turn));
    free_ranking(&r);
    free(p.points);
}

static void zeros_of_both_signs_are_equal(void **state) {
    (void)state;
    on_every_device(zeros_of_both_signs_are_equal_on);
}

/* ---- Ops and data sets ---- */

/* Every bounded op, both layouts, both kinds of number, few features and many; then ops without a bound, one of several
 * values, and more features than boxes are told apart by. */
static const one_case covering[] = {
    {"euclidean", 0, WEDGE_SQUARE, WEDGE_F32, 3},     {"sqeuclidean", 0, WEDGE_RECTANGLE, WEDGE_F64, 2},
    {"cityblock", 0, WEDGE_SQUARE, WEDGE_F32, 1},     {"chebyshev", 0, WEDGE_RECTANGLE, WEDGE_F64, 5},
    {"minkowski", 0, WEDGE_SQUARE, WEDGE_F32, 4},     {"minkowski", 1, WEDGE_RECTANGLE, WEDGE_F64, 2},
    {"spheres", 0, WEDGE_SQUARE, WEDGE_F32, 4},       {"boxes", 0, WEDGE_SQUARE, WEDGE_F64, 4},
    {"boxes", 0, WEDGE_RECTANGLE, WEDGE_F32, 6},      {"euclidean", 0, WEDGE_SQUARE, WEDGE_F64, 8},
    {"cityblock", 0, WEDGE_RECTANGLE, WEDGE_F32, 64}, {"cosine", 0, WEDGE_SQUARE, WEDGE_F32, 5},
    {"dot", 0, WEDGE_RECTANGLE, WEDGE_F64, 1},        {"hamming", 0, WEDGE_SQUARE, WEDGE_F32, 3},
    {"displacement", 0, WEDGE_SQUARE, WEDGE_F32, 3},  {"displacement", 0, WEDGE_RECTANGLE, WEDGE_F64, 3},
    {"lennard_jones", 0, WEDGE_SQUARE, WEDGE_F64, 2}, {"euclidean", 0, WEDGE_SQUARE, WEDGE_F32, 100},
    {"correlation", 0, WEDGE_SQUARE, WEDGE_F64, 130},
};

/* A kernel takes its time where a CPU's compiler makes it. */
static const one_case covering_slow[] = {
    {"euclidean", 0, WEDGE_SQUARE, WEDGE_F32, 3},
    {"spheres", 0, WEDGE_RECTANGLE, WEDGE_F64, 4},
    {"cosine", 0, WEDGE_SQUARE, WEDGE_F32, 5},
};

/* Every data set, in turn with every n around tiles and every k. */
static void every_data_set_is_right_on(wedge_device *dev) {
    bool slow = compiles_slowly(dev);
    const one_case *cases = slow ? covering_slow : covering;
    size_t count = slow ? sizeof covering_slow / sizeof *covering_slow : sizeof covering / sizeof *covering;
    for (unsigned k = 0; k < count; ++k)
        for (unsigned set = 0; set < DATA_SETS; ++set) {
            uint64_t n = sizes[(3 * k + set) % SIZES];
            check_case(dev, &cases[k], &data_sets[set], n, k + set, slow ? 2 : 3);
            if (dev->info.is_gpu) check_case(dev, &cases[k], &data_sets[set], LARGE, k + set, 2); /* larger tiles */
        }
}

static void every_data_set_is_right(void **state) {
    (void)state;
    on_every_device(every_data_set_is_right_on);
}

/* Every op of the table, once per layout; dtype, features, n and data in turn. */
static void every_op_is_right_on(wedge_device *dev) {
    static const uint64_t features[] = {1, 2, 3, 5, 8, 64};
    if (dev->backend->compile && !test_everything()) NOTHING_HERE("a kernel for each: WEDGE_TEST_FULL is not set");
    for (unsigned k = 0; k < 4 * (unsigned)wedge_op_count(2); ++k) {
        const one_case o = {wedge_op_at(2, (int)k / 4)->name, (int)k % 2, k % 2 ? WEDGE_RECTANGLE : WEDGE_SQUARE,
                            k / 2 % 2 ? WEDGE_F64 : WEDGE_F32, features[choice(k, 6)]};
        if (is_in_part(k)) check_case(dev, &o, &data_sets[k % DATA_SETS], 66 + 61 * choice(k + 500, 2), k, 3);
    }
}

static void every_op_is_right(void **state) {
    (void)state;
    on_every_device(every_op_is_right_on);
}

/* ---- k and n ---- */

/* One kernel: points that lie anywhere, and points of which all distances are equal. */
static void every_k_and_n_is_right_on(wedge_device *dev) {
    static const uint64_t around[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 512, 513};
    const one_case o = {"euclidean", 0, WEDGE_SQUARE, WEDGE_F32, 3};
    for (unsigned n = 0; n < sizeof around / sizeof *around; ++n)
        for (unsigned set = 0; set < 8; set += 7)
            check_case(dev, &o, &data_sets[set], around[n], 3 * n + set, compiles_slowly(dev) ? 3 : 7);
}

static void every_k_and_n_is_right(void **state) {
    (void)state;
    on_every_device(every_k_and_n_is_right_on);
}

/* Many points and the largest k: nearer and nearer ones along a row, equal ones, clusters that are smaller than k. */
static void many_neighbours_are_right_on(wedge_device *dev) {
    static const unsigned sets[] = {12, 7, 2, 0};
    for (unsigned k = 0; k < 4; ++k) {
        problem p = prune_problem("euclidean", NULL, k % 2 ? WEDGE_RECTANGLE : WEDGE_SQUARE, WEDGE_F32,
                                  k % 2 ? 700 : 1500, 3, &data_sets[sets[k]]);
        ranking r = rank_rows(dev, &p);
        if (k % 2 == 0) assert_true(r.columns > MOST_K);
        check_nearest(dev, &r, k % 2 ? 100 : MOST_K);
        if (!compiles_slowly(dev)) check_nearest(dev, &r, 31 + k);
        free_ranking(&r);
        free(p.points);
    }
}

static void many_neighbours_are_right(void **state) {
    (void)state;
    on_every_device(many_neighbours_are_right_on);
}

/* ---- Two sets ---- */

/* Rows within a hundredth of the columns' extent (nested has it the other way round). */
static double enclosed(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    return (x < q->n ? 0.2 : 20) * (chance(x, f) - 0.5);
}

/* No row is near a column. */
static double delta(const wedge_job_spec *q, uint64_t x, uint64_t f) { return (x < q->n ? 0 : 1000) + chance(x, f); }

static double all_nan(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    return x < q->n || f == q->d - 1 ? (double)NAN : chance(x, f);
}

static const data_set two_sets[] = {
    {"enclosed", enclosed, 0, false}, {"apart", delta, 0, false}, {"all NaN", all_nan, 0, false}};

static void check_sides(wedge_device *dev, wedge_dtype dtype, uint64_t n, uint64_t m, const data_set *set,
                        unsigned turn) {
    problem p = make_problem("euclidean", WEDGE_RECTANGLE, dtype, 1336, 3);
    assert_true(n + m <= p.pairs.n + p.pairs.m);
    p.pairs.n = n, p.pairs.m = m, p.pairs.others = (char *)p.points + n * 3 * (dtype == WEDGE_F64 ? 8 : 4);
    fill(&p, set);
    check_some(dev, &p, turn, compiles_slowly(dev) ? 1 : 3);
    free(p.points);
}

static void two_sets_of_any_size_are_right_on(wedge_device *dev) {
    static const uint64_t sides[][2] = {{1, 1}, {1, 1300}, {1300, 1}, {3, 2000}, {2000, 3}, {65, 129}, {600, 64}};
    bool f64 = dev->info.has_double && !compiles_slowly(dev);
    for (unsigned k = 0; k < 7; ++k) {
        for (unsigned set = 0; set < 3; ++set)
            check_sides(dev, f64 && set == 1, sides[k][0], sides[k][1], &two_sets[set], k + set);
        for (unsigned set = k % 3; set < DATA_SETS; set += 3)
            check_sides(dev, f64 && set % 2, sides[k][0], sides[k][1], &data_sets[set], k + set);
    }
}

static void two_sets_of_any_size_are_right(void **state) {
    (void)state;
    on_every_device(two_sets_of_any_size_are_right_on);
}

/* ---- Periodic boxes ---- */

static void check_box(wedge_device *dev, const one_case *o, const double *box, uint64_t n, unsigned step) {
    if (o->dtype == WEDGE_F64 && !dev->info.has_double) return;
    for (unsigned set = 0; set < DATA_SETS; set += step) {
        problem p = prune_problem(o->op, &powers[o->power], o->layout, o->dtype, n, o->d, &data_sets[set]);
        p.pairs.box = box;
        check_some(dev, &p, set, 2);
        free(p.points);
    }
}

/* Every length another, one side open (a point at infinity stays there); number 3 is the radius of a sphere. */
static void periodic_boxes_are_right_on(wedge_device *dev) {
    static const double lengths[] = {7, 2.5, 0, 0}, cube[] = {20, 20, 20, 20, 20}, open_first[] = {0, 20, 7};
    static const one_case cases[] = {
        {"euclidean", 0, WEDGE_SQUARE, WEDGE_F32, 3}, {"spheres", 0, WEDGE_RECTANGLE, WEDGE_F64, 4},
        {"cityblock", 0, WEDGE_SQUARE, WEDGE_F64, 5}, {"chebyshev", 0, WEDGE_RECTANGLE, WEDGE_F32, 2},
        {"minkowski", 0, WEDGE_SQUARE, WEDGE_F32, 3}, {"sqeuclidean", 0, WEDGE_SQUARE, WEDGE_F64, 1},
    };
    bool slow = compiles_slowly(dev);
    check_box(dev, &cases[0], cube, slow ? 257 : 513, slow ? 3 : 1);
    check_box(dev, &cases[0], open_first, 130, slow ? 3 : 1);
    if (slow) return;
    for (unsigned k = 1; k < 6; ++k) check_box(dev, &cases[k], k == 2 ? cube : lengths, 130, 1);
}

static void periodic_boxes_are_right(void **state) {
    (void)state;
    on_every_device(periodic_boxes_are_right_on);
}

/* ---- Ways to run ---- */

/* Some compilers get no other (pairs_no_shared.h). */
static void the_skeleton_without_shared_memory_is_right_on(wedge_device *dev) {
    if (!dev->backend->compile) NOTHING_HERE("it has skeletons of its own");
    dev->no_shared = true;
    for (unsigned set = 0; set < DATA_SETS; set += 3) check_case(dev, &covering[0], &data_sets[set], 257, set, 2);
}

static void the_skeleton_without_shared_memory_is_right(void **state) {
    (void)state;
    on_every_device(the_skeleton_without_shared_memory_is_right_on);
}

static void every_tile_is_right_on(wedge_device *dev) {
    static const char *const maps[] = {"lambda", "walk"};
    if (!dev->backend->compile) NOTHING_HERE("it has neither maps nor tiles");
    bool slow = compiles_slowly(dev);
    for (unsigned k = slow ? 2 : 0; k < (slow ? 3 : 5); ++k)
        for (unsigned set = 0; set < DATA_SETS; set += 4) {
            problem p = prune_problem("euclidean", NULL, WEDGE_SQUARE, WEDGE_F32, slow ? SLOW_LARGE : LARGE, 3,
                                      &data_sets[set]);
            p.pairs.map = maps[k % 2], p.pairs.tile = 32u << k;
            check_some(dev, &p, k + set, 1);
            free(p.points);
        }
}

static void every_tile_is_right(void **state) {
    (void)state;
    on_every_device(every_tile_is_right_on);
}

static void some_cases_are_right(wedge_device *dev) {
    for (unsigned k = 0; k < sizeof covering / sizeof *covering; ++k)
        for (unsigned set = k % 2; set < DATA_SETS; set += 5) check_case(dev, &covering[k], &data_sets[set], 131, k, 2);
}

static void every_instruction_set_is_right(void **state) {
    (void)state;
    on_every_instruction_set("3", some_cases_are_right);
}

/* `store` gives the same bytes with any number of threads, and nearest those of store. */
static void any_number_of_threads_is_right(void **state) {
    static const char *const threads[] = {"1", "2", "3"};
    (void)state;
    once_for_all_devices();
    for (int k = 0; k < 3; ++k) on_cpu(NULL, threads[k], some_cases_are_right);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_on_a_line_are_these),
        cmocka_unit_test(zeros_of_both_signs_are_equal),
        cmocka_unit_test(every_data_set_is_right),
        cmocka_unit_test(every_op_is_right),
        cmocka_unit_test(every_k_and_n_is_right),
        cmocka_unit_test(many_neighbours_are_right),
        cmocka_unit_test(two_sets_of_any_size_are_right),
        cmocka_unit_test(periodic_boxes_are_right),
        cmocka_unit_test(the_skeleton_without_shared_memory_is_right),
        cmocka_unit_test(every_tile_is_right),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(any_number_of_threads_is_right),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
