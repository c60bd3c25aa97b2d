/* t205-arguments.c: every function of wedge.h with arguments that cannot be: WEDGE_BAD_ARGUMENT with a message, or NULL,
 * "" or 0, and never a crash.
 *
 * The table below has a row for each function; the header is read, so that one without a row fails the test.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "devices.h"

static wedge_context *ctx;
static wedge_device *dev;
static wedge_job *job;
static float points[] = {0, 0, 3, 4, 6, 8}, values[8];

enum { N = 3, D = 2, CELLS = 3 };

static wedge_job_spec good_pairs(void) {
    wedge_job_spec pairs = {
        .size = sizeof(wedge_job_spec), .op = "euclidean", .layout = WEDGE_CONDENSED, .dtype = WEDGE_F32};
    pairs.n = N, pairs.d = D, pairs.points = points;
    return pairs;
}

/* The call is refused; of those with a handle, with a message of their own. */
#define BAD(call) assert_int_equal((call), WEDGE_BAD_ARGUMENT)
#define BAD_SAID(handle, text, call)                                                               \
    do {                                                                                           \
        note_free(&(handle)->note);                                                                \
        BAD(call);                                                                                 \
        if (!strstr(note_text(&(handle)->note), (text)))                                           \
            fail_msg("%s: says '%s', nothing of '%s'", #call, note_text(&(handle)->note), (text)); \
    } while (0)

/* ---- Context and devices ---- */

static void try_version(void) { assert_non_null(wedge_version()); }

static void try_status_name(void) {
    assert_non_null(wedge_status_name((wedge_status)99));
    assert_non_null(wedge_status_name((wedge_status)-1));
}

static void try_context_create(void) { BAD(wedge_context_create(NULL)); }
static void try_context_destroy(void) { wedge_context_destroy(NULL); }
static void try_context_message(void) { assert_string_equal(wedge_context_message(NULL), ""); }

static void try_context_set(void) {
    BAD(wedge_context_set(NULL, WEDGE_SET_DEVICE, "cpu"));
    BAD_SAID(ctx, "99", wedge_context_set(ctx, (wedge_setting)99, "cpu"));
    BAD_SAID(ctx, "-1", wedge_context_set(ctx, (wedge_setting)-1, "cpu"));
    BAD_SAID(ctx, "setting", wedge_context_set(ctx, (wedge_setting)(WEDGE_SET_PROBE + 1), NULL));
}

static void try_context_get(void) {
    assert_null(wedge_context_get(NULL, WEDGE_SET_DEVICE));
    assert_null(wedge_context_get(ctx, (wedge_setting)99));
    assert_null(wedge_context_get(ctx, (wedge_setting)-1));
}

static void try_device_count(void) {
    int count = 7;
    BAD(wedge_device_count(NULL, &count));
    BAD_SAID(ctx, "count", wedge_device_count(ctx, NULL));
}

static void try_device_at(void) {
    wedge_device_info info = {.size = sizeof info};
    BAD(wedge_device_at(NULL, 0, &info));
    BAD_SAID(ctx, "info", wedge_device_at(ctx, 0, NULL));
    BAD_SAID(ctx, "-1", wedge_device_at(ctx, -1, &info));
    BAD_SAID(ctx, "1000", wedge_device_at(ctx, 1000, &info));
    info.size = 0;
    BAD_SAID(ctx, "wedge_device_info.size", wedge_device_at(ctx, 0, &info));
}

static void try_backend_remark(void) {
    assert_non_null(wedge_backend_remark(NULL, "cuda"));
    assert_non_null(wedge_backend_remark(ctx, NULL));
    assert_non_null(wedge_backend_remark(ctx, "no such"));
}

static void try_device_open(void) {
    wedge_device *d;
    BAD(wedge_device_open(NULL, "cpu", &d));
    BAD_SAID(ctx, "out", wedge_device_open(ctx, "cpu", NULL));
    assert_int_equal(wedge_device_open(ctx, "no such", &d), WEDGE_NO_DEVICE);
    assert_null(d);
}

static void try_device_close(void) { wedge_device_close(NULL); }
static void try_device_get_info(void) { assert_null(wedge_device_get_info(NULL)); }
static void try_device_remark(void) { assert_string_equal(wedge_device_remark(NULL), ""); }
static void try_device_native(void) {
    void *context, *device;
    BAD(wedge_device_native(NULL, &context, &device));
    BAD_SAID(dev, "context", wedge_device_native(dev, NULL, &device));
    BAD_SAID(dev, "device", wedge_device_native(dev, &context, NULL));
    wedge_status status = wedge_device_native(dev, &context, &device);
    assert_int_equal(status, dev->backend->compile ? WEDGE_OK : WEDGE_UNSUPPORTED);
    assert_true(dev->backend->compile ? context != NULL : !context && !device);
}

static void try_device_message(void) { assert_string_equal(wedge_device_message(NULL), ""); }

/* ---- Maps, plans, ops ---- */

static void try_map_count(void) { assert_true(wedge_map_count() > 0); }

static void try_map_at(void) {
    assert_null(wedge_map_at(-1));
    assert_null(wedge_map_at(wedge_map_count()));
}

static void try_map_find(void) {
    assert_null(wedge_map_find(NULL, 2));
    assert_null(wedge_map_find("no such", 2));
    assert_null(wedge_map_find("lambda", 7));
}

static void try_domain_cells(void) {
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 5},
                 seven = {.size = sizeof(wedge_domain), .rank = 7, .n = 5};
    uint64_t cells;
    BAD(wedge_domain_cells(NULL, &cells));
    BAD(wedge_domain_cells(&domain, NULL));
    BAD(wedge_domain_cells(&seven, &cells));
}

static void try_domain_rank(void) {
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 5},
                 seven = {.size = sizeof(wedge_domain), .rank = 7, .n = 5};
    uint64_t cell[] = {3, 1}, outside[] = {1, 3}, w = 99;
    BAD(wedge_domain_rank(NULL, cell, 1, &w));
    BAD(wedge_domain_rank(&domain, NULL, 1, &w));
    BAD(wedge_domain_rank(&domain, cell, 1, NULL));
    BAD(wedge_domain_rank(&seven, cell, 1, &w));
    BAD(wedge_domain_rank(&domain, outside, 1, &w));
    assert_int_equal(wedge_domain_rank(&domain, NULL, 0, NULL), WEDGE_OK);
    assert_int_equal(w, 99);
}

static void try_domain_unrank(void) {
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 5},
                 seven = {.size = sizeof(wedge_domain), .rank = 7, .n = 5};
    uint64_t cell[2] = {99, 99}, w = 7, outside = 15;
    BAD(wedge_domain_unrank(NULL, &w, 1, cell));
    BAD(wedge_domain_unrank(&domain, NULL, 1, cell));
    BAD(wedge_domain_unrank(&domain, &w, 1, NULL));
    BAD(wedge_domain_unrank(&seven, &w, 1, cell));
    BAD(wedge_domain_unrank(&domain, &outside, 1, cell));
    assert_int_equal(wedge_domain_unrank(&domain, NULL, 0, NULL), WEDGE_OK);
    assert_int_equal(cell[0], 99);
}

static void try_plan_make(void) {
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = 100},
                 seven = {.size = sizeof(wedge_domain), .rank = 7, .n = 5};
    wedge_map_info copy = *wedge_map_find("lambda", 2), nameless = copy, unknown = copy, other = copy;
    wedge_plan plan = {.size = sizeof plan};
    nameless.name = NULL, unknown.name = "no such", other.rank = 7;
    BAD(wedge_plan_make(ctx, &copy, &domain, 16, NULL, NULL));
    BAD_SAID(ctx, "domain", wedge_plan_make(ctx, &copy, NULL, 16, NULL, &plan));
    BAD_SAID(ctx, "rank 7", wedge_plan_make(ctx, &copy, &seven, 16, NULL, &plan));
    BAD_SAID(ctx, "rho", wedge_plan_make(ctx, &copy, &domain, 0, NULL, &plan));
    BAD_SAID(ctx, "map", wedge_plan_make(ctx, NULL, &domain, 16, NULL, &plan));
    BAD_SAID(ctx, "map", wedge_plan_make(ctx, &nameless, &domain, 16, NULL, &plan));
    BAD_SAID(ctx, "no such", wedge_plan_make(ctx, &unknown, &domain, 16, NULL, &plan));
    BAD_SAID(ctx, "rank 7", wedge_plan_make(ctx, &other, &domain, 16, NULL, &plan));
    BAD(wedge_plan_make(NULL, NULL, NULL, 0, NULL, NULL));
    assert_int_equal(wedge_plan_make(NULL, &copy, &domain, 16, NULL, &plan), WEDGE_OK); /* a copy does as well */
    assert_ptr_equal(plan.map, wedge_map_find("lambda", 2));
    assert_int_equal(plan.blocks, 28);
    assert_non_null(wedge_plan_launch(&plan, 0));
    assert_null(wedge_plan_launch(&plan, plan.count));
    wedge_plan_free(&plan);
    plan.size = domain.size = 0;
    BAD_SAID(ctx, "wedge_plan.size", wedge_plan_make(ctx, &copy, &domain, 16, NULL, &plan));
    plan.size = sizeof plan;
    BAD_SAID(ctx, "wedge_domain.size", wedge_plan_make(ctx, &copy, &domain, 16, NULL, &plan));
    domain.size = sizeof domain;
    BAD_SAID(ctx, "wedge_limits.size", wedge_plan_make(ctx, &copy, &domain, 16, &(wedge_limits){.size = 0}, &plan));
}

static void try_plan_free(void) { wedge_plan_free(NULL); }

static void try_plan_launch(void) {
    wedge_plan plan = {.size = sizeof plan};
    assert_null(wedge_plan_launch(NULL, 0));
    assert_null(wedge_plan_launch(&plan, 0));
}

static void try_op_count(void) {
    assert_true(wedge_op_count(2) > 0 && wedge_op_count(3) > 0);
    assert_int_equal(wedge_op_count(0), wedge_op_count(2) + wedge_op_count(3));
    assert_int_equal(wedge_op_count(1), 0);
    assert_int_equal(wedge_op_count(-1), 0);
}

static void try_op_at(void) {
    for (int points = -1; points <= 4; ++points) {
        assert_null(wedge_op_at(points, -1));
        assert_null(wedge_op_at(points, wedge_op_count(points)));
        for (int k = 0; k < wedge_op_count(points); ++k)
            assert_true(!points || wedge_op_at(points, k)->points == (uint32_t)points);
    }
}

static void try_op_find(void) {
    assert_null(wedge_op_find(NULL));
    assert_null(wedge_op_find("no such"));
}

static void try_op_instead(void) {
    assert_null(wedge_op_instead(NULL));
    assert_null(wedge_op_instead("no such"));
    assert_null(wedge_op_instead("euclidean"));
}

static void try_op_compile(void) {
    static const char text[] =
        "#define OP_DIRECT 1\nWEDGE_OP real op_pair(const real *a, const real *b, op_args q) { return a[0]; }";
    wedge_dtype nine = (wedge_dtype)9;
    const wedge_op_options empty = {.size = 0}, huge = {.size = SIZE_MAX}, odd = {.size = sizeof odd, .dtype = &nine};
    wedge_op *op;
    BAD(wedge_op_compile(NULL, text, NULL, &op));
    BAD_SAID(dev, "out", wedge_op_compile(dev, text, NULL, NULL));
    BAD_SAID(dev, "text", wedge_op_compile(dev, NULL, NULL, &op));
    BAD_SAID(dev, "size", wedge_op_compile(dev, text, &empty, &op));
    BAD_SAID(dev, "size", wedge_op_compile(dev, text, &huge, &op));
    BAD_SAID(dev, "dtype", wedge_op_compile(dev, text, &odd, &op));
    assert_null(op);
}

static void try_op_destroy(void) { wedge_op_destroy(NULL); }
static void try_op_get_info(void) { assert_null(wedge_op_get_info(NULL)); }

static void try_sink_count(void) { assert_true(wedge_sink_count() > 0); }

static void try_sink_at(void) {
    assert_null(wedge_sink_at(-1));
    assert_null(wedge_sink_at(wedge_sink_count()));
}

static void try_sink_find(void) {
    assert_null(wedge_sink_find(NULL));
    assert_null(wedge_sink_find("no such"));
}

/* ---- Jobs ---- */

static void try_layout_cells(void) {
    uint64_t cells;
    BAD_SAID(ctx, "cells", wedge_layout_cells(ctx, WEDGE_SQUARE, N, 0, WEDGE_F32, NULL));
    BAD_SAID(ctx, "9", wedge_layout_cells(ctx, (wedge_layout)9, N, 0, WEDGE_F32, &cells));
    BAD_SAID(ctx, "-1", wedge_layout_cells(ctx, (wedge_layout)-1, N, 0, WEDGE_F32, &cells));
    BAD_SAID(ctx, "9", wedge_layout_cells(ctx, WEDGE_SQUARE, N, 0, (wedge_dtype)9, &cells));
    BAD_SAID(ctx, "points", wedge_layout_cells(ctx, WEDGE_SQUARE, UINT64_MAX, 0, WEDGE_F32, &cells));
    BAD(wedge_layout_cells(NULL, (wedge_layout)9, N, 0, (wedge_dtype)9, NULL));
}

#define BAD_PAIRS(text, ...)                                       \
    do {                                                           \
        wedge_job_spec pairs = good_pairs();                       \
        wedge_job *made = job;                                     \
        __VA_ARGS__;                                               \
        BAD_SAID(dev, text, wedge_job_create(dev, &pairs, &made)); \
        assert_null(made);                                         \
    } while (0)

#define GIVE(...)                                              \
    pairs.parameters = (const wedge_parameter[]){__VA_ARGS__}, \
    pairs.parameter_count = sizeof((wedge_parameter[]){__VA_ARGS__}) / sizeof(wedge_parameter)

static void try_job_create(void) {
    wedge_job_spec whole = good_pairs();
    wedge_job *made;
    BAD(wedge_job_create(NULL, &whole, &made));
    BAD_SAID(dev, "out", wedge_job_create(dev, &whole, NULL));
    BAD_SAID(dev, "spec", wedge_job_create(dev, NULL, &made));
    BAD_PAIRS("op", pairs.op = NULL);
    BAD_PAIRS("no such", pairs.op = "no such");
    BAD_PAIRS("size", pairs.size = 0);
    BAD_PAIRS("op", pairs.size = 8); /* all that follows counts as 0 */
    BAD_PAIRS("size", pairs.size = SIZE_MAX);
    BAD_PAIRS("size", GIVE({.size = 0}));
    BAD_PAIRS("did you mean 'summary'", pairs.sink = "sumary");
    BAD_PAIRS("p > 0", pairs.op = "minkowski", GIVE(WEDGE_NUMBER("p", 0)));
    BAD_PAIRS("p = nan", pairs.op = "minkowski", GIVE(WEDGE_NUMBER("p", (double)NAN)));
    BAD_PAIRS("as f32", pairs.op = "minkowski", GIVE(WEDGE_NUMBER("p", 1e-60)));
    BAD_PAIRS("p is a number, not a list", pairs.op = "minkowski", GIVE(WEDGE_LIST("p", ((double[]){1, 2}), 2)));
    BAD_PAIRS("has no parameter 'exponent': it has p", pairs.op = "minkowski", GIVE(WEDGE_NUMBER("exponent", 1)));
    BAD_PAIRS("it has none", GIVE(WEDGE_NUMBER("p", 1)));
    BAD_PAIRS("has no name", GIVE(WEDGE_NUMBER(NULL, 1)));
    BAD_PAIRS("NULL pointer", pairs.parameter_count = 2);
    BAD_PAIRS("layout", pairs.layout = (wedge_layout)9);
    BAD_PAIRS("others", pairs.layout = WEDGE_RECTANGLE, pairs.m = 3);
    BAD_PAIRS("others", pairs.layout = WEDGE_RECTANGLE, pairs.others = pairs.points);
    BAD_PAIRS("points", pairs.layout = WEDGE_RECTANGLE, pairs.others = pairs.points, pairs.m = UINT64_MAX);
    BAD_PAIRS("dtype", pairs.dtype = (wedge_dtype)9);
    BAD_PAIRS("dtype", pairs.dtype = (wedge_dtype)-1);
    BAD_PAIRS("place 7", pairs.place = (wedge_place)7);
    BAD_PAIRS("points", pairs.n = 0);
    BAD_PAIRS("points", pairs.n = UINT64_MAX);
    BAD_PAIRS("features", pairs.d = 0);
    BAD_PAIRS("features", pairs.d = UINT64_MAX);
    BAD_PAIRS("points", pairs.points = NULL);
    BAD_PAIRS("points_stride", pairs.points_stride = D - 1);
    BAD_PAIRS("points_stride", pairs.points_stride = UINT64_MAX);
    BAD_PAIRS("points_stride", pairs.points_stride = UINT64_MAX / 2);
    BAD_PAIRS("points_stride", pairs.points_stride = UINT64_MAX / 8);
    BAD_PAIRS("offset", pairs.points_offset = SIZE_MAX - 7);
    BAD_PAIRS("aligned", pairs.points_offset = 2);
    BAD_PAIRS("others_stride", pairs.layout = WEDGE_RECTANGLE, pairs.others = points, pairs.m = 3,
              pairs.others_stride = 1);
    BAD_PAIRS("aligned", pairs.layout = WEDGE_RECTANGLE, pairs.others = points, pairs.m = 3, pairs.others_offset = 3);
    BAD_PAIRS("radius", pairs.op = "perimeter", pairs.layout = WEDGE_TRIPLES, pairs.sink = "select");
    BAD_PAIRS("cutoff", pairs.op = "perimeter", pairs.layout = WEDGE_TRIPLES, pairs.cutoff = -1);
    BAD_PAIRS("tiles", pairs.op = "perimeter", pairs.layout = WEDGE_TRIPLES, pairs.tile = 64);
    BAD_PAIRS("bb", pairs.map = "bb");
    BAD_PAIRS("no such", pairs.map = "no such");
    BAD_PAIRS("tiles", pairs.tile = 7);
    if (!dev->backend->compile) BAD_PAIRS("leave", pairs.tile = 32);
}

/* Nothing of the caller's is kept. */
static void names_may_go_once_the_job_is_made(void) {
    char name[] = "euclidean", map_name[] = "lambda";
    wedge_job_spec pairs = good_pairs();
    wedge_job *made;
    pairs.op = name, pairs.map = map_name;
    assert_ok(dev, wedge_job_create(dev, &pairs, &made));
    memset(name, 0, sizeof name), memset(map_name, 0, sizeof map_name);
    assert_ok(dev, run_values(made, 0, CELLS, values, WEDGE_ON_HOST, NULL, NULL));
    assert_true(values[0] == 5 && values[1] == 10 && values[2] == 5);
    assert_string_equal(wedge_job_get_info(made)->op, "euclidean");
    wedge_job_destroy(made);
}

static void try_job_renew(void) {
    static const float other[4];
    BAD(wedge_job_renew(NULL, other, NULL));
    BAD_SAID(dev, "points", wedge_job_renew(job, NULL, NULL));
}

static void try_job_destroy(void) { wedge_job_destroy(NULL); }
static void try_job_get_info(void) { assert_null(wedge_job_get_info(NULL)); }

static void try_memory_create(void) {
    void *memory;
    BAD(wedge_memory_create(NULL, 64, &memory));
    BAD_SAID(dev, "memory", wedge_memory_create(dev, 64, NULL));
}

static void try_memory_destroy(void) {
    wedge_memory_destroy(NULL, values);
    wedge_memory_destroy(dev, NULL);
}

static void try_memory_write(void) {
    void *memory;
    assert_ok(dev, wedge_memory_create(dev, 64, &memory));
    BAD(wedge_memory_write(NULL, memory, 0, values, 4));
    BAD_SAID(dev, "memory", wedge_memory_write(dev, NULL, 0, values, 4));
    BAD_SAID(dev, "from", wedge_memory_write(dev, memory, 0, NULL, 4));
    BAD_SAID(dev, "offset", wedge_memory_write(dev, memory, SIZE_MAX - 1, values, 4));
    assert_ok(dev, wedge_memory_write(dev, memory, 0, NULL, 0));
    wedge_memory_destroy(dev, memory);
}

static void try_memory_read(void) {
    void *memory;
    assert_ok(dev, wedge_memory_create(dev, 64, &memory));
    BAD(wedge_memory_read(NULL, values, memory, 0, 4));
    BAD_SAID(dev, "memory", wedge_memory_read(dev, values, NULL, 0, 4));
    BAD_SAID(dev, "to", wedge_memory_read(dev, NULL, memory, 0, 4));
    BAD_SAID(dev, "offset", wedge_memory_read(dev, values, memory, SIZE_MAX - 1, 4));
    assert_ok(dev, wedge_memory_read(dev, NULL, memory, 0, 0));
    wedge_memory_destroy(dev, memory);
}

static void try_job_run(void) {
    BAD(run_values(NULL, 0, CELLS, values, WEDGE_ON_HOST, NULL, NULL));
    BAD_SAID(dev, "memory", run_values(job, 0, CELLS, NULL, WEDGE_ON_HOST, NULL, NULL));
    BAD_SAID(dev, "memory", run_values(job, 0, CELLS, NULL, WEDGE_ON_DEVICE, NULL, NULL));
    BAD_SAID(dev, "place 7", run_values(job, 0, CELLS, values, (wedge_place)7, NULL, NULL));
    BAD_SAID(dev, "place -1", run_values(job, 0, CELLS, values, (wedge_place)-1, NULL, NULL));
    wedge_result result = {.size = sizeof result, .values = values, .values_offset = 2};
    BAD_SAID(dev, "aligned", wedge_job_run(job, 0, CELLS, &result, NULL, NULL));
    result.values_offset = SIZE_MAX - 3;
    BAD_SAID(dev, "offset", wedge_job_run(job, 0, CELLS, &result, NULL, NULL));
    BAD_SAID(dev, "positions 2 to 1", run_values(job, 2, 1, values, WEDGE_ON_HOST, NULL, NULL));
    BAD_SAID(dev, "positions 0 to 4", run_values(job, 0, CELLS + 1, values, WEDGE_ON_HOST, NULL, NULL));
    BAD_SAID(dev, "positions", run_values(job, UINT64_MAX, UINT64_MAX, values, WEDGE_ON_HOST, NULL, NULL));
    wedge_result small = {.size = sizeof(size_t) - 1, .values = values}, off = {.size = sizeof off, .values = values};
    off.values_offset = 3;
    BAD_SAID(dev, "result", wedge_job_run(job, 0, CELLS, NULL, NULL, NULL));
    BAD_SAID(dev, "size", wedge_job_run(job, 0, CELLS, &small, NULL, NULL));
    BAD_SAID(dev, "offset", wedge_job_run(job, 0, CELLS, &off, NULL, NULL));
}

static void try_job_boundary(void) {
    assert_int_equal(wedge_job_boundary(NULL, 1), 0);
    assert_int_equal(wedge_job_boundary(job, UINT64_MAX), CELLS);
}

/* store keeps no state; what does is tried in t444. */
static void try_job_merge(void) {
    uint64_t into[64] = {0}, from[64] = {0};
    BAD(wedge_job_merge(NULL, into, from));
    BAD_SAID(dev, "into", wedge_job_merge(job, NULL, from));
    BAD_SAID(dev, "from", wedge_job_merge(job, into, NULL));
    assert_int_equal(wedge_job_merge(job, into, from), WEDGE_UNSUPPORTED);
}

static wedge_status take(void *user, const wedge_piece *piece) {
    (void)user, (void)piece;
    return WEDGE_OK;
}

static void try_job_stream(void) {
    BAD(wedge_job_stream(NULL, 0, CELLS, 0, take, NULL, NULL, NULL));
    BAD_SAID(dev, "take", wedge_job_stream(job, 0, CELLS, 0, NULL, NULL, NULL, NULL));
    BAD_SAID(dev, "take", wedge_job_stream(job, 0, 0, 0, NULL, NULL, NULL, NULL));
    BAD_SAID(dev, "positions 2 to 1", wedge_job_stream(job, 2, 1, 0, take, NULL, NULL, NULL));
    BAD_SAID(dev, "positions 0 to 4", wedge_job_stream(job, 0, CELLS + 1, 0, take, NULL, NULL, NULL));
}

/* ---- Tuning and certifying ---- */

static void try_tune(void) {
    wedge_tune_row row = {.size = sizeof row}, sizeless = {.size = 0};
    int count;
    BAD(wedge_tune(NULL, &row, 1, &count, NULL, NULL));
    BAD_SAID(dev, "count", wedge_tune(dev, &row, 1, NULL, NULL, NULL));
    BAD_SAID(dev, "rows", wedge_tune(dev, NULL, 1, &count, NULL, NULL));
    BAD_SAID(dev, "wedge_tune_row.size", wedge_tune(dev, &sizeless, 1, &count, NULL, NULL));
}

static void try_tune_file(void) {
    char path[8] = "before";
    assert_int_equal(wedge_tune_file(NULL, path, sizeof path), 0);
    assert_string_equal(path, "");
    wedge_tune_file(dev, NULL, 100);
    wedge_tune_file(dev, NULL, 0);
}

static void try_certify(void) {
    wedge_certify_options options = {.size = sizeof(wedge_certify_options), .rank = 2, .rows = 5},
                          seven = {.size = sizeof seven, .rank = 7},
                          many = {.size = sizeof many, .rank = 2, .rows = UINT64_MAX};
    wedge_certify_report report = {.size = sizeof report};
    BAD(wedge_certify(NULL, &options, &report));
    BAD_SAID(dev, "options", wedge_certify(dev, NULL, &report));
    BAD_SAID(dev, "report", wedge_certify(dev, &options, NULL));
    BAD_SAID(dev, "rank 7", wedge_certify(dev, &seven, &report));
    BAD_SAID(dev, "rows", wedge_certify(dev, &many, &report));
    report.size = 0;
    BAD_SAID(dev, "wedge_certify_report.size", wedge_certify(dev, &options, &report));
    many.size = 0, report.size = sizeof report;
    BAD_SAID(dev, "wedge_certify_options.size", wedge_certify(dev, &many, &report));
}

static void try_certify_report_free(void) { wedge_certify_report_free(NULL); }

static void try_certify_form_at(void) {
    wedge_certify_report report = {.size = sizeof report};
    assert_null(wedge_certify_form_at(NULL, 0));
    assert_null(wedge_certify_form_at(&report, 0));
    assert_null(wedge_certify_form_at(&report, -1));
}

static void try_map_first_wrong_row(void) {
    wedge_map_info map = *wedge_map_find("lambda-x", 2), unknown = map;
    uint64_t row;
    unknown.name = "no such";
    BAD(wedge_map_first_wrong_row(NULL, &map, 10, &row));
    BAD_SAID(dev, "row", wedge_map_first_wrong_row(dev, &map, 10, NULL));
    BAD_SAID(dev, "map", wedge_map_first_wrong_row(dev, NULL, 10, &row));
    BAD_SAID(dev, "no such", wedge_map_first_wrong_row(dev, &unknown, 10, &row));
    if (!dev->backend->compile) assert_ok(dev, wedge_map_first_wrong_row(dev, &map, 10, &row)); /* a copy */
}

/* ---- All of them ---- */

#define ROW(name) \
    { "wedge_" #name, try_##name }

static const struct {
    const char *name;
    void (*try)(void);
} functions[] = {ROW(version),
                 ROW(status_name),
                 ROW(context_create),
                 ROW(context_destroy),
                 ROW(context_message),
                 ROW(context_set),
                 ROW(context_get),
                 ROW(device_count),
                 ROW(device_at),
                 ROW(backend_remark),
                 ROW(device_open),
                 ROW(device_close),
                 ROW(device_get_info),
                 ROW(device_message),
                 ROW(device_remark),
                 ROW(device_native),
                 ROW(map_count),
                 ROW(map_at),
                 ROW(map_find),
                 ROW(domain_cells),
                 ROW(domain_rank),
                 ROW(domain_unrank),
                 ROW(plan_make),
                 ROW(plan_free),
                 ROW(plan_launch),
                 ROW(op_count),
                 ROW(op_at),
                 ROW(op_find),
                 ROW(op_instead),
                 ROW(op_compile),
                 ROW(op_destroy),
                 ROW(op_get_info),
                 ROW(sink_count),
                 ROW(sink_at),
                 ROW(sink_find),
                 ROW(layout_cells),
                 ROW(job_create),
                 ROW(job_destroy),
                 ROW(job_renew),
                 ROW(job_get_info),
                 ROW(memory_create),
                 ROW(memory_destroy),
                 ROW(memory_write),
                 ROW(memory_read),
                 ROW(job_run),
                 ROW(job_boundary),
                 ROW(job_merge),
                 ROW(job_stream),
                 ROW(tune),
                 ROW(tune_file),
                 ROW(certify),
                 ROW(certify_report_free),
                 ROW(certify_form_at),
                 ROW(map_first_wrong_row)};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static char *read_header(void) {
    enum { MOST = 1 << 20 };
    FILE *f = fopen(WEDGE_HEADER, "r");
    char *text = calloc(MOST, 1);
    assert_true(f && text && fread(text, 1, MOST - 1, f) > 0);
    fclose(f);
    return text;
}

static bool is_tried(const char *name, size_t length) {
    for (int f = 0; f < FUNCTIONS; ++f)
        if (strlen(functions[f].name) == length && !memcmp(functions[f].name, name, length)) return true;
    return false;
}

/* A declaration begins a line; its name is what stands before the first "(". */
static void every_function_of_the_header_is_tried(void **state) {
    static const char mark[] = "\nWEDGE_API ", letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    char *text = read_header();
    int found = 0;
    (void)state;
    for (const char *at = text; (at = strstr(at, mark)); at += sizeof mark - 1, ++found) {
        const char *end = strchr(at, '('), *name = end;
        assert_non_null(end);
        while (strchr(letters, name[-1])) --name;
        if (!is_tried(name, (size_t)(end - name)))
            fail_msg("%.*s has no row in this test: add one with arguments that cannot be", (int)(end - name), name);
    }
    free(text);
    assert_int_equal(found, FUNCTIONS);
}

/* ---- On every device ---- */

static void on_a_device(const char *id) {
    wedge_job_spec pairs = good_pairs();
    assert_int_equal(wedge_context_create(&ctx), WEDGE_OK);
    assert_int_equal(wedge_device_open(ctx, id, &dev), WEDGE_OK);
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    for (int f = 0; f < FUNCTIONS; ++f) functions[f].try();
    names_may_go_once_the_job_is_made();
    assert_ok(dev, run_values(job, 0, CELLS, values, WEDGE_ON_HOST, NULL, NULL)); /* none of it did harm */
    assert_true(values[0] == 5 && values[1] == 10 && values[2] == 5);
    wedge_job_destroy(job);
    wedge_device_close(dev);
    wedge_context_destroy(ctx);
}

static void with_this_device(wedge_device *d) { on_a_device(d->info.id); }

static void what_cannot_be_is_refused_on_every_device(void **state) {
    (void)state;
    on_every_device(with_this_device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_header_is_tried),
        cmocka_unit_test(what_cannot_be_is_refused_on_every_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
