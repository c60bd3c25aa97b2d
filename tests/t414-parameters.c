/* t414-parameters.c: parameters of ops: what is given arrives, what is not has its initial value, what is out of range is
 * refused, in f32 and f64 on every device; files of before OP_PARAMETERS mean what they meant.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

extern const op_def op_test_older_def, op_test_several_def;

enum { N = 40, D = 3 };

static problem problem_of(wedge_dtype dtype, const wedge_parameter *given, size_t count) {
    problem p = make_problem("cityblock", WEDGE_PACKED, dtype, N, D);
    p.pairs.parameters = given, p.pairs.parameter_count = count;
    return p;
}

/* offset + scale max(least, sum |a - b|) of all pairs, by an op that is in no table. */
static void check_op(wedge_device *dev, const op_def *op, const wedge_parameter *given, size_t count, double offset,
                     double scale, double least) {
    for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype) {
        problem p = problem_of(dtype, given, count);
        wedge_job *job;
        uint64_t bytes;
        assert_ok(dev, job_create(dev, &p.pairs, op, &job));
        const void *out = run_job(dev, job, &bytes);
        for (uint64_t w = 0; w < N * (N + 1) / 2; ++w) {
            wedge_pair cell = wedge_tri_unrank32((uint32_t)w);
            double want = offset + scale * fmax(least, oracle(&p, cell.i, cell.j));
            double got = dtype ? ((const double *)out)[w] : ((const float *)out)[w];
            if (!(fabs(got - want) <= (dtype ? 1e-15 : 1e-6) * (fabs(want) + 10)))
                fail_msg("%s dtype %d, cell %d: %.17g, not %.17g", op->info.name, dtype, (int)w, got, want);
        }
        free((void *)(uintptr_t)out);
        free(p.points);
    }
}

static void parameters_arrive_on(wedge_device *dev) {
    const op_def *several = &op_test_several_def, *older = &op_test_older_def;
    const wedge_parameter mixed[] = {WEDGE_NUMBER("floor_", 7), WEDGE_NUMBER("offset", 1e3)};
    const wedge_parameter scale = WEDGE_NUMBER("scale", 3), p = WEDGE_NUMBER("p", -4.5);
    check_op(dev, several, NULL, 0, -1.5, 0.25, 1);
    check_op(dev, several, mixed, 2, 1e3, 0.25, 7);
    check_op(dev, several, &scale, 1, -1.5, 3, 1);
    check_op(dev, older, &p, 1, -4.5, 1, 0);
    check_op(dev, older, NULL, 0, 2, 1, 0);
}

static void parameters_arrive(void **state) {
    (void)state;
    on_every_device(parameters_arrive_on);
}

/* ---- On the host ---- */

static void refuse(const op_def *op, wedge_parameter given, const char *words) {
    double set[MOST_PARAMETERS];
    note why = {0};
    assert_int_equal(op_take_parameters(op, WEDGE_F32, &given, 1, set, &why), WEDGE_BAD_ARGUMENT);
    if (!strstr(note_text(&why), words)) fail_msg("'%s' says nothing of %s", note_text(&why), words);
    note_free(&why);
}

static void what_is_out_of_range_is_refused(void **state) {
    const op_def *several = &op_test_several_def;
    (void)state;
    once_for_all_devices();
    refuse(several, (wedge_parameter)WEDGE_NUMBER("scale", 0), "scale = 0: must be scale > 0 && scale < 100");
    refuse(several, (wedge_parameter)WEDGE_NUMBER("scale", 100), "scale < 100");
    refuse(several, (wedge_parameter)WEDGE_NUMBER("scale", 1e-50), "is 0 as f32");
    refuse(several, (wedge_parameter)WEDGE_NUMBER("floor_", -1), "floor_ >= 0");
    refuse(several, (wedge_parameter)WEDGE_NUMBER("offset", NAN), "offset = nan: must be a number");
    refuse(several, (wedge_parameter)WEDGE_NUMBER("offest", 1), "did you mean 'offset'?");
    refuse(several, (wedge_parameter)WEDGE_NUMBER("p", 1), "it has offset, scale, floor_");
    refuse(several, (wedge_parameter)WEDGE_LIST("scale", ((double[]){1, 2}), 2), "not a list");
    refuse(&op_test_older_def, (wedge_parameter)WEDGE_NUMBER("p", NAN), "p = nan");
    refuse(op_find("minkowski"), (wedge_parameter)WEDGE_NUMBER("p", 0), "p = 0: must be p > 0");
}

static void tables_say_what_files_say(void **state) {
    const wedge_op_info *several = &op_test_several_def.info, *older = &op_test_older_def.info;
    (void)state;
    once_for_all_devices();
    assert_int_equal(several->parameter_count, 3);
    assert_string_equal(several->parameters[1]->name, "scale");
    assert_string_equal(several->parameters[1]->condition, "scale > 0 && scale < 100");
    assert_true(several->parameters[1]->value == 0.25 && several->parameters[0]->value == -1.5);
    assert_string_equal(several->parameters[0]->condition, "");
    assert_int_equal(older->parameter_count, 1);
    assert_string_equal(older->parameters[0]->name, "p");
    assert_string_equal(older->parameters[0]->condition, "");
    assert_true(older->parameters[0]->value == 2);
    assert_int_equal(wedge_op_find("euclidean")->parameter_count, 0);
}

/* Bounds and other ops follow from all parameters, by name, and from the first by its place. */
static void the_host_sees_parameters_by_name(void **state) {
    const double lo[] = {-1, 2}, hi[] = {3, 7}, set[MOST_PARAMETERS] = {100, 10, 1000},
                 same[MOST_PARAMETERS] = {0, 1, 0};
    const op_def *several = &op_test_several_def;
    (void)state;
    once_for_all_devices();
    assert_true(fabs(op_magnitude(several, set, lo, hi, 2) - (10 * 9 + 100 + 1000)) < 1e-3);
    assert_true(fabs(op_magnitude(&op_test_older_def, set, lo, hi, 2) - (9 + 100)) < 1e-3);
    assert_null(several->same_as(several, set));
    assert_string_equal(several->same_as(several, same), "cityblock");
}

static char *line_of(const char *text) {
    const op_def op = {.text = text};
    return op_parameters_line(&op);
}

static void the_line_of_parameters_is_found(void **state) {
    (void)state;
    once_for_all_devices();
    char *none = line_of("#define OP_FORMULA 1\n/* #define OP_PARAMETERS(P) */\n");
    char *first = line_of("#define OP_PARAMETERS(P) P(a, 1, )\nx\n");
    char *last = line_of("x\n\n#define OP_PARAMETERS(P) P(b, 1, )");
    assert_string_equal(none, "");
    assert_string_equal(first, "#define OP_PARAMETERS(P) P(a, 1, )\n");
    assert_string_equal(last, "#define OP_PARAMETERS(P) P(b, 1, )\n");
    free(none), free(first), free(last);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_arrive),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(tables_say_what_files_say),
        cmocka_unit_test(the_host_sees_parameters_by_name),
        cmocka_unit_test(the_line_of_parameters_is_found),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
