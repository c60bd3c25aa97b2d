/* t444-parameters.c: parameters of sinks that cannot be are refused with a message that names them; those at the limits of
 * what can be are taken.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "devices.h"

static wedge_context *ctx;
static wedge_device *dev;

static wedge_status create(const char *sink, const wedge_parameter *set, size_t count, wedge_dtype dtype) {
    static const double points[] = {0, 1, 3, 7};
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .n = 2, .d = 1};
    wedge_job *job;
    pairs.dtype = dtype, pairs.points = points;
    pairs.sink = sink, pairs.sink_parameters = set, pairs.sink_parameter_count = count;
    wedge_status status = wedge_job_create(dev, &pairs, &job);
    wedge_job_destroy(job);
    return status;
}

#define SET(...) \
    (const wedge_parameter[]){__VA_ARGS__}, sizeof(const wedge_parameter[]){__VA_ARGS__} / sizeof(wedge_parameter)
#define P WEDGE_NUMBER
#define W WEDGE_WHOLE
#define F WEDGE_FLAG
#define LIST(name, ...) \
    WEDGE_LIST(name, ((const double[]){__VA_ARGS__}), (sizeof(const double[]){__VA_ARGS__} / sizeof(double)))

static void refuse(const char *words, const char *sink, const wedge_parameter *set, size_t count, wedge_dtype dtype) {
    assert_int_equal(create(sink, set, count, dtype), WEDGE_BAD_ARGUMENT);
    if (!strstr(wedge_device_message(dev), words))
        fail_msg("%s: '%s' says nothing of '%s'", sink, wedge_device_message(dev), words);
}

#define BAD(words, sink, ...) refuse(words, sink, SET(__VA_ARGS__), WEDGE_F64)
#define GOOD(sink, ...) assert_ok(dev, create(sink, SET(__VA_ARGS__), WEDGE_F64))

static void a_sink_is_known_by_its_name(void **state) {
    (void)state;
    refuse("no such", "no such", NULL, 0, WEDGE_F64);
    refuse("did you mean 'count'", "cuont", NULL, 0, WEDGE_F64);
    assert_ok(dev, create(NULL, NULL, 0, WEDGE_F64));
    assert_ok(dev, create("store", NULL, 0, WEDGE_F64));
    assert_ok(dev, create("summary", NULL, 0, WEDGE_F64));
    assert_string_equal(wedge_sink_at(0)->name, "store");
    for (int k = 0; k < wedge_sink_count(); ++k)
        assert_ptr_equal(wedge_sink_find(wedge_sink_at(k)->name), wedge_sink_at(k));
}

static void parameters_are_known_by_their_names(void **state) {
    (void)state;
    refuse("NULL", "count", NULL, 1, WEDGE_F64);
    BAD("no name", "count", P(NULL, 1));
    BAD("did you mean 'radius'", "count", P("raduis", 1));
    BAD("'bins'", "count", P("radius", 1), W("bins", 1));
    BAD("none", "store", P("x", 1));
    BAD("it has extremes", "summary", P("x", 1));
    BAD("extremes is a flag, not a number", "summary", P("extremes", 1));
    BAD("extremes is a flag, not a whole number", "summary", W("extremes", 1));
    GOOD("summary", F("extremes", 0));
    BAD("'values'", "histogram", P("max", 1), F("values", 1));
}

static void a_radius_must_be_given(void **state) {
    static const char *const both[] = {"count", "select"};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        refuse("radius", both[k], NULL, 0, WEDGE_F64);
        BAD("radius", both[k], P("radius", (double)NAN));
        BAD("radius", both[k], LIST("radius", 1, 2));
        GOOD(both[k], P("radius", -1));
        GOOD(both[k], P("radius", (double)INFINITY));
        GOOD(both[k], P("radius", -(double)INFINITY));
    }
    BAD("values is a flag, not a number", "select", P("values", (double)NAN), P("radius", 1));
    BAD("values", "select", P("radius", 1), LIST("values", 1));
    GOOD("select", P("radius", 1), F("values", 1));
}

static void bins_must_be_some(void **state) {
    (void)state;
    BAD("0 bins", "histogram", P("max", 1), W("bins", 0));
    BAD("-1 bins", "histogram", P("max", 1), W("bins", -1));
    BAD("bins is a whole number, not a number: set wedge_parameter.whole alone, or use WEDGE_WHOLE", "histogram",
        P("max", 1), P("bins", 2.5));
    BAD("1000000000 bins", "histogram", P("max", 1), W("bins", 1000000000));
    BAD("1048577", "histogram", P("max", 1), W("bins", 1048577));
    BAD("bins", "histogram", P("max", 1), P("bins", (double)NAN));
    BAD("bins", "histogram", P("max", 1), W("bins", INT64_MAX));
    BAD("bins", "histogram", P("max", 1), W("bins", INT64_MIN));
    GOOD("histogram", P("max", 1), W("bins", 1));
    GOOD("histogram", P("max", 1), W("bins", 1048576));
    GOOD("histogram", P("max", 1));
}

static void min_must_be_below_max(void **state) {
    (void)state;
    refuse("max", "histogram", NULL, 0, WEDGE_F64);
    BAD("max", "histogram", P("min", 1));
    BAD("min = 2, max = 1", "histogram", P("min", 2), P("max", 1));
    BAD("min = 1, max = 1", "histogram", P("min", 1), P("max", 1));
    BAD("min = ", "histogram", P("min", (double)NAN), P("max", 1));
    BAD("finite", "histogram", P("max", (double)INFINITY));
    BAD("finite", "histogram", P("min", -(double)INFINITY), P("max", 1));
    BAD("far apart", "histogram", P("min", -1.5e308), P("max", 1.5e308));
    refuse("f32", "histogram", SET(P("min", 1), P("max", 1 + 0x1p-30)), WEDGE_F32);
    refuse("f32", "histogram", SET(P("max", 1e300)), WEDGE_F32);
    GOOD("histogram", P("min", 1), P("max", 1 + 0x1p-30));
    GOOD("histogram", P("min", -1), P("max", -0.5));
}

static void logarithms_need_more_than_0(void **state) {
    (void)state;
    BAD("min = 0", "histogram", F("log", 1), P("max", 1));
    BAD("min = -1", "histogram", F("log", 1), P("min", -1), P("max", 1));
    BAD("log is a flag", "histogram", P("log", 1), P("min", 1), P("max", 2));
    GOOD("histogram", F("log", 1), P("min", 1e-300), P("max", 1e300));
}

static void edges_must_ascend(void **state) {
    (void)state;
    BAD("edge 2 is 1", "histogram", LIST("edges", 1, 2, 1));
    BAD("edge 1 is ", "histogram", LIST("edges", 1, (double)NAN, 2));
    BAD("edge 0 is ", "histogram", LIST("edges", -(double)INFINITY, 1));
    BAD("edge 1 is ", "histogram", LIST("edges", 0, (double)INFINITY));
    BAD("0 bins", "histogram", LIST("edges", 1));
    BAD("bins is a whole number, not a list", "histogram", LIST("bins", 1, 2));
    BAD("edges", "histogram", P("max", 1), P("edges", 5));
    refuse("f32", "histogram", SET(LIST("edges", 0, 1e299, 1e300)), WEDGE_F32);
    const double none[1] = {0};
    BAD("bins", "histogram", WEDGE_LIST("edges", none, 0));
    GOOD("histogram", LIST("edges", 1, 1, 2));
    GOOD("histogram", LIST("edges", -1e300, 1e300));
}

/* Edges are the caller's, and may go once the job is made. */
static void edges_may_go_once_the_job_is_made(void **state) {
    static const double points[] = {0, 1, 3, 7};
    double edges[] = {0, 2, 5, 9};
    wedge_parameter set = WEDGE_LIST("edges", edges, 4);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64};
    wedge_job *job;
    uint64_t counts[6] = {0};
    wedge_result r = {.size = sizeof r, .values = counts};
    (void)state;
    pairs.n = 4, pairs.d = 1, pairs.points = points;
    pairs.sink = "histogram", pairs.sink_parameters = &set, pairs.sink_parameter_count = 1;
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    memset(edges, 0, sizeof edges), set.name = NULL;
    assert_ok(dev, wedge_job_run(job, 0, 6, &r, NULL, NULL));
    assert_true(counts[0] == 1 && counts[1] == 3 && counts[2] == 2); /* 1; 3 2 4; 7 6 */
    wedge_job_destroy(job);
}

/* Sums have one result at the end, and lists no state. */
static void what_a_sink_has_not_got_is_refused(void **state) {
    static const double points[] = {0, 1};
    wedge_parameter set = WEDGE_NUMBER("radius", 1);
    wedge_job_spec pairs = {.size = sizeof pairs, .op = "cityblock", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64};
    wedge_job *job;
    uint64_t memory[4] = {0};
    (void)state;
    pairs.n = 2, pairs.d = 1, pairs.points = points, pairs.sink_parameters = &set, pairs.sink_parameter_count = 1;
    pairs.sink = "count";
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    assert_int_equal(wedge_job_get_info(job)->bytes, 8);
    assert_int_equal(wedge_job_stream(job, 0, 1, 0, (wedge_taker)1, NULL, NULL, NULL), WEDGE_UNSUPPORTED);
    assert_ok(dev, wedge_job_merge(job, memory, memory + 2));
    wedge_job_destroy(job);
    pairs.sink = "select";
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    assert_int_equal(wedge_job_get_info(job)->state_bytes, 0);
    assert_int_equal(wedge_job_get_info(job)->bytes, 0);
    assert_int_equal(wedge_job_merge(job, memory, memory + 2), WEDGE_UNSUPPORTED);
    wedge_job_destroy(job);
}

static int open_cpu(void **state) {
    (void)state;
    return wedge_context_create(&ctx) || wedge_device_open(ctx, "cpu", &dev);
}

static int close_cpu(void **state) {
    (void)state;
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sink_is_known_by_its_name),
        cmocka_unit_test(parameters_are_known_by_their_names),
        cmocka_unit_test(a_radius_must_be_given),
        cmocka_unit_test(bins_must_be_some),
        cmocka_unit_test(min_must_be_below_max),
        cmocka_unit_test(logarithms_need_more_than_0),
        cmocka_unit_test(edges_must_ascend),
        cmocka_unit_test(edges_may_go_once_the_job_is_made),
        cmocka_unit_test(what_a_sink_has_not_got_is_refused),
    };
    return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
