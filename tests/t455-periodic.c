/* t455-periodic.c: periodic boxes: values are those of the nearest images, sinks agree with plain loops over them, with and
 * without pruning, and boxes that cannot be are refused.
 *
 * SPDX-License-Identifier: MIT */
#include "prune_problem.h"

/* Every length another, one side open; number 3 is the radius of a sphere. */
static const double lengths[] = {7, 2.5, 0, 0};
static const double cube[] = {20, 20, 20, 20, 20};

/* ---- Values ---- */

/* The least value of all images by plain loops, in double: of each difference the shortest of t + k length. */
static double nearest_image(const problem *p, uint64_t i, uint64_t j) {
    const wedge_job_spec *q = &p->pairs;
    double sum = 0, most = 0, power = !strcmp(q->op, "minkowski") ? parameter(q, "p") : 1;
    bool spheres = !strcmp(q->op, "spheres"), squares = spheres || strstr(q->op, "euclidean");
    for (uint64_t f = 0; f < q->d - spheres; ++f) {
        double t = fabs(at(p, i, f) - at(p, j, f)), least = t;
        for (int k = 1; k < 100 && q->box[f] > 0; ++k) least = fmin(least, fabs(t - k * q->box[f]));
        sum += squares ? least * least : pow(least, power);
        most = fmax(most, least);
    }
    if (spheres) return sqrt(sum) - at(p, i, q->d - 1) - at(p, j, q->d - 1);
    if (!strcmp(q->op, "chebyshev")) return most;
    return !strcmp(q->op, "euclidean") ? sqrt(sum) : pow(sum, 1 / power);
}

static void check_images(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t d,
                         const data_set *set, const double *box) {
    problem p = prune_problem(op, NULL, layout, dtype, 130, d, set);
    p.pairs.box = box;
    cell_list c = list_cells(dev, &p);
    uint64_t others = layout == WEDGE_RECTANGLE ? p.pairs.n : 0;
    for (uint64_t k = 0; k < c.count; ++k) {
        double want = nearest_image(&p, c.i[k], c.j[k] + others), size = 200 * (dtype == WEDGE_F64 ? 1e-14 : 3e-6);
        if (!(fabs(c.v[k] - want) <= size * (1 + fabs(want))))
            fail_msg(CASE "(%d, %d) is %.17g, not %.17g", SAY_CASE(&c), (int)c.i[k], (int)c.j[k], c.v[k], want);
    }
    free_cells(&c);
    free(p.points);
}

static void values_are_of_nearest_images_on(wedge_device *dev) {
    bool f64 = dev->info.has_double;
    check_images(dev, "euclidean", WEDGE_CONDENSED, WEDGE_F32, 3, &data_sets[0], lengths);
    check_images(dev, "spheres", WEDGE_RECTANGLE, f64 ? WEDGE_F64 : WEDGE_F32, 4, &data_sets[0], lengths);
    check_images(dev, "cityblock", WEDGE_PACKED, WEDGE_F32, 5, &data_sets[3], cube);
    if (compiles_slowly(dev)) return;
    check_images(dev, "sqeuclidean", WEDGE_SQUARE, WEDGE_F32, 2, &data_sets[3], lengths);
    check_images(dev, "chebyshev", WEDGE_CONDENSED, f64 ? WEDGE_F64 : WEDGE_F32, 1, &data_sets[10], lengths);
    check_images(dev, "minkowski", WEDGE_CONDENSED, WEDGE_F32, 3, &data_sets[0], lengths);
    check_images(dev, "euclidean", WEDGE_CONDENSED, f64 ? WEDGE_F64 : WEDGE_F32, 5, &data_sets[0], cube);
}

static void values_are_of_nearest_images(void **state) {
    (void)state;
    on_every_device(values_are_of_nearest_images_on);
}

/* Many lengths outside of the box, and so far that numbers are further apart than a length. */
static double outside(const wedge_job_spec *q, uint64_t x, uint64_t f) {
    (void)q;
    const double size = x % 16 == 3 ? 1e9 : x % 16 == 5 ? 1e28 : x % 16 == 7 ? 2 : 20;
    return size * lengths[0] * (chance(x, f) - 0.5);
}

static const data_set far_outside = {.name = "outside", .at = outside};

/* What is exact: fmod, and its difference in long double; then the shortest of its images. */
static double exact_image(long double a, long double b, long double length) {
    const long double t = fmodl(a, length) - fmodl(b, length);
    return (double)fabsl(t - length * roundl(t / length));
}

/* As if points lay in the box: a difference of such numbers has half a unit in the last place of 1.5 lengths. */
static void check_outside(wedge_device *dev, const char *op, wedge_dtype dtype) {
    problem p = prune_problem(op, NULL, WEDGE_CONDENSED, dtype, 130, 1, &far_outside);
    const double most = lengths[0] * (dtype == WEDGE_F64 ? 0x1p-52 : 0x1p-23);
    p.pairs.box = lengths;
    cell_list c = list_cells(dev, &p);
    for (uint64_t k = 0; k < c.count; ++k) {
        double want = exact_image(at(&p, c.i[k], 0), at(&p, c.j[k], 0), lengths[0]);
        if (!(fabs(c.v[k] - want) <= most))
            fail_msg(CASE "(%d, %d), %.17g and %.17g, is %.17g, not %.17g", SAY_CASE(&c), (int)c.i[k], (int)c.j[k],
                     at(&p, c.i[k], 0), at(&p, c.j[k], 0), c.v[k], want);
    }
    free_cells(&c);
    free(p.points);
}

static void points_outside_are_as_good_as_inside_on(wedge_device *dev) {
    check_outside(dev, "cityblock", WEDGE_F32);
    if (dev->info.has_double) check_outside(dev, "euclidean", WEDGE_F64);
}

static void points_outside_are_as_good_as_inside(void **state) {
    (void)state;
    on_every_device(points_outside_are_as_good_as_inside_on);
}

static void points_outside_are_as_good_as_inside_with_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, points_outside_are_as_good_as_inside_on);
}

/* Lengths of 0 are no box: the same bytes as without. */
static void an_open_box_is_none_on(wedge_device *dev) {
    static const double open[] = {0, 0, 0};
    problem p = prune_problem("euclidean", NULL, WEDGE_CONDENSED, WEDGE_F32, 130, 3, &data_sets[6]);
    cell_list without = list_cells(dev, &p);
    p.pairs.box = open;
    cell_list with = list_cells(dev, &p);
    assert_memory_equal(with.raw, without.raw, with.count * with.cell);
    free_cells(&with);
    free_cells(&without);
    free(p.points);
}

static void an_open_box_is_none(void **state) {
    (void)state;
    on_every_device(an_open_box_is_none_on);
}

/* On an open side a point at infinity is at infinity, and its image is not asked for. */
static void open_sides_stay_open_on(wedge_device *dev) {
    static const double box[] = {0, 5, 5};
    problem p = make_problem("cityblock", WEDGE_CONDENSED, WEDGE_F32, 3, 3);
    for (uint64_t k = 0; k < 9; ++k) set_number(&p, k / 3, k % 3, k ? (double)k : INFINITY);
    p.pairs.box = box;
    cell_list c = list_cells(dev, &p);
    assert_true(isinf(c.v[0]) && isinf(c.v[1]));
    assert_true(c.v[2] == 3 + 2 + 2);
    free_cells(&c);
    free(p.points);
}

static void open_sides_stay_open(void **state) {
    (void)state;
    on_every_device(open_sides_stay_open_on);
}

/* ---- Sinks ---- */

static void check_box(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n, uint64_t d,
                      const double *box, int sinks) {
    for (int set = 0; set < DATA_SETS; ++set) {
        problem p = prune_problem(op, NULL, layout, dtype, n, d, &data_sets[set]);
        p.pairs.box = box;
        check_pruned(dev, &p, sinks, (unsigned)set, compiles_slowly(dev) ? 2 : 4);
        free(p.points);
    }
}

static void pruned_and_not_agree_on(wedge_device *dev) {
    bool slow = compiles_slowly(dev), f64 = dev->info.has_double;
    check_box(dev, "euclidean", WEDGE_CONDENSED, WEDGE_F32, slow ? 257 : 513, 3, cube, CHECK_SELECT | CHECK_COUNT);
    check_box(dev, "spheres", WEDGE_RECTANGLE, f64 ? WEDGE_F64 : WEDGE_F32, 130, 4, lengths, CHECK_COUNT);
    if (slow) return;
    check_box(dev, "chebyshev", WEDGE_PACKED, WEDGE_F32, 300, 2, lengths, CHECK_HISTOGRAM | CHECK_SELECT);
    check_box(dev, "cityblock", WEDGE_SQUARE, f64 ? WEDGE_F64 : WEDGE_F32, 257, 5, cube, CHECK_COUNT | CHECK_SELECT);
    check_box(dev, "minkowski", WEDGE_CONDENSED, WEDGE_F32, 257, 3, lengths, CHECK_COUNT);
    problem p = prune_problem("euclidean", NULL, WEDGE_CONDENSED, WEDGE_F32, 513, 3, &far_outside);
    p.pairs.box = lengths;
    check_pruned(dev, &p, CHECK_SELECT | CHECK_COUNT, 3, 4);
    free(p.points);
}

static void pruned_and_not_agree(void **state) {
    (void)state;
    on_every_device(pruned_and_not_agree_on);
}

static void every_instruction_set_is_right(void **state) {
    (void)state;
    on_every_instruction_set(NULL, pruned_and_not_agree_on);
}

/* Tiles on either side of the box are neighbours, and others are still left out; wherever in space a point's image lies. */
static void a_box_is_pruned_on(wedge_device *dev) {
    static const double line[] = {1100};
    static const wedge_parameter radius = WEDGE_NUMBER("radius", 1);
    if (!dev->backend->compile || compiles_slowly(dev)) {
        problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 1100, 1);
        for (uint64_t x = 0; x < 1100; ++x) set_number(&p, x, 0, (double)x + 1100 * ((double)(x * 7919 % 21) - 10));
        p.pairs.box = line, p.pairs.prune = WEDGE_PRUNE_ALWAYS;
        wedge_job *job = sink_job(dev, &p.pairs, "count", &radius, 1);
        uint64_t count = 0;
        wedge_result r = {.size = sizeof r, .values = &count};
        assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
        assert_int_equal(count, 1100); /* a ring */
        assert_true(wedge_job_get_info(job)->computed < wedge_job_get_info(job)->cells / 2);
        wedge_job_destroy(job);
        free(p.points);
    } else
        NOTHING_HERE("its tiles are too large for so few points");
}

static void a_box_is_pruned(void **state) {
    (void)state;
    on_every_device(a_box_is_pruned_on);
}

/* ---- Boxes that cannot be ---- */

static wedge_status made_with(wedge_device *dev, const char *op, uint64_t d, const double *box) {
    problem p = make_problem(op, WEDGE_CONDENSED, WEDGE_F32, 3, d);
    wedge_job *job = NULL;
    p.pairs.box = box;
    wedge_status status = wedge_job_create(dev, &p.pairs, &job);
    wedge_job_destroy(job);
    free(p.points);
    return status;
}

static void odd_boxes_are_refused_on(wedge_device *dev) {
    double many[65] = {0};
    const double bad[] = {-1, (double)NAN, INFINITY, 1e-60, 1e60};
    for (int k = 0; k < 5; ++k) {
        const double box[] = {0, bad[k], 2};
        assert_int_equal(made_with(dev, "euclidean", 3, box), WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(wedge_device_message(dev), "box: length 1 is "));
    }
    assert_int_equal(made_with(dev, "cosine", 3, cube), WEDGE_UNSUPPORTED);
    assert_non_null(strstr(wedge_device_message(dev), "cosine"));
    assert_int_equal(made_with(dev, "spheres", 3, cube), WEDGE_UNSUPPORTED); /* a radius */
    assert_non_null(strstr(wedge_device_message(dev), "number 2"));
    assert_int_equal(made_with(dev, "boxes", 4, cube), WEDGE_UNSUPPORTED);
    many[3] = 1;
    assert_int_equal(made_with(dev, "euclidean", 65, many), WEDGE_UNSUPPORTED);
}

static void odd_boxes_are_refused(void **state) {
    (void)state;
    on_every_device(odd_boxes_are_refused_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_of_nearest_images),
        cmocka_unit_test(an_open_box_is_none),
        cmocka_unit_test(points_outside_are_as_good_as_inside),
        cmocka_unit_test(points_outside_are_as_good_as_inside_with_every_instruction_set),
        cmocka_unit_test(open_sides_stay_open),
        cmocka_unit_test(pruned_and_not_agree),
        cmocka_unit_test(every_instruction_set_is_right),
        cmocka_unit_test(a_box_is_pruned),
        cmocka_unit_test(odd_boxes_are_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
