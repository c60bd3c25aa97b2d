/* t481-own.c: ops of the user's own. A copy of an op of the table gives its bytes, with every sink; ops that are in no table give
 * what their definition says.
 *
 * SPDX-License-Identifier: MIT */
#include "own_problem.h"

/* ---- Copies of the table's ops ---- */

static void compare_copy(wedge_device *dev, const char *name, wedge_layout layout, wedge_dtype dtype, uint64_t d) {
    problem p = make_problem(name, layout, dtype, 150, fitting(name, d));
    uint64_t bytes, own_bytes;
    void *want = run_whole(dev, &p.pairs, &bytes);
    wedge_op *op = compile_for(dev, op_find(name)->text, "copy", &dtype);
    p.pairs.op = NULL, p.pairs.own_op = op;
    void *got = run_whole(dev, &p.pairs, &own_bytes);
    print_message("             %s, dtype %d\n", name, (int)dtype);
    assert_int_equal(bytes, own_bytes);
    if (memcmp(got, want, bytes)) fail_msg("a copy of %s, layout %d, dtype %d: other bytes", name, layout, dtype);
    wedge_op_destroy(op);
    free(got);
    free(want);
    free(p.points);
}

static void copies_on(wedge_device *dev) {
    static const struct {
        const char *op;
        uint64_t d;
        wedge_dtype dtype;
        wedge_layout layout;
    } cases[] = {{"lennard_jones", 3, WEDGE_F64, WEDGE_CONDENSED}, {"lennard_jones", 2, WEDGE_F32, WEDGE_SQUARE},
                 {"displacement", 3, WEDGE_F32, WEDGE_RECTANGLE},  {"euclidean", 3, WEDGE_F32, WEDGE_CONDENSED},
                 {"correlation", 9, WEDGE_F64, WEDGE_PACKED},      {"jaccard", 40, WEDGE_F32, WEDGE_CONDENSED},
                 {"minkowski", 5, WEDGE_F64, WEDGE_CONDENSED},     {"gravity", 4, WEDGE_F64, WEDGE_SQUARE},
                 {"boxes", 6, WEDGE_F32, WEDGE_CONDENSED}};
    size_t count = sizeof cases / sizeof *cases;
    if (compiles_slowly(dev) && !test_everything()) count = 1;
    for (size_t k = 0; k < count; ++k)
        if (dev->info.has_double || cases[k].dtype == WEDGE_F32)
            compare_copy(dev, cases[k].op, cases[k].layout, cases[k].dtype, cases[k].d);
    for (int k = 0; k < wedge_op_count(2) && test_everything(); ++k)
        for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype)
            compare_copy(dev, wedge_op_at(2, k)->name, WEDGE_CONDENSED, (wedge_dtype)dtype, 3);
}

static void a_copy_of_an_op_gives_its_bytes(void **state) {
    (void)state;
    on_every_device(copies_on);
}

/* ---- Every sink ---- */

enum { MOST_RESULT = 1 << 20 };

typedef struct {
    wedge_status status;
    uint64_t count;
    char values[MOST_RESULT];
    int64_t pairs[MOST_RESULT / 8];
} outcome;

static void run_sink(wedge_device *dev, const wedge_job_spec *pairs, outcome *o) {
    wedge_job *job;
    memset(o, 0, sizeof *o);
    wedge_result r = {.size = sizeof r, .values = fit_for_result(o->values), .room = 10000};
    bool counts = pairs->sink && !strcmp(pairs->sink, "scatter");
    *(counts ? &r.counts : &r.indices) = o->pairs;
    assert_ok(dev, wedge_job_create(dev, pairs, &job));
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    o->count = r.count;
    wedge_job_destroy(job);
}

static void sinks_on(wedge_device *dev) {
    static const struct {
        const char *sink;
        wedge_layout layout;
        int count;
        wedge_parameter parameters[3];
    } cases[] = {
        {"summary", WEDGE_CONDENSED, 0, {{0}}},
        {"histogram", WEDGE_CONDENSED, 3, {WEDGE_NUMBER("max", 2), WEDGE_WHOLE("bins", 7), WEDGE_NUMBER("min", -1)}},
        {"count", WEDGE_CONDENSED, 1, {WEDGE_NUMBER("radius", -0.0625)}},
        {"select", WEDGE_CONDENSED, 2, {WEDGE_NUMBER("radius", -0.0625), WEDGE_FLAG("values", 1)}},
        {"nearest", WEDGE_SQUARE, 2, {WEDGE_WHOLE("k", 3), WEDGE_FLAG("values", 1)}},
        {"scatter", WEDGE_SQUARE, 0, {{0}}}};
    static outcome want, got;
    const wedge_dtype dtype = WEDGE_F32;
    size_t count = compiles_slowly(dev) && !test_everything() ? 1 : sizeof cases / sizeof *cases;
    problem p = make_problem("lennard_jones", WEDGE_CONDENSED, dtype, 140, 3);
    wedge_op *op = compile_for(dev, op_find("lennard_jones")->text, "lj", &dtype);
    for (uint64_t x = 0; x < 140; ++x) set_number(&p, x, 0, (double)x); /* none at the place of another */
    for (size_t k = 0; k < count; ++k) {
        wedge_job_spec q = p.pairs;
        q.layout = cases[k].layout, q.sink = cases[k].sink;
        q.sink_parameters = cases[k].parameters, q.sink_parameter_count = (size_t)cases[k].count;
        run_sink(dev, &q, &want);
        q.op = NULL, q.own_op = op;
        run_sink(dev, &q, &got);
        assert_true(want.count > 0);
        if (memcmp(&want, &got, sizeof want)) fail_msg("%s: not the bytes of the table's op", cases[k].sink);
    }
    wedge_op_destroy(op);
    free(p.points);
}

static void every_sink_takes_it(void **state) {
    (void)state;
    on_every_device(sinks_on);
}

/* A copy with a bound is pruned, and so is one in a periodic box. */
static void pruned_on(wedge_device *dev) {
    if (compiles_slowly(dev) && !test_everything()) NOTHING_HERE("its compiler takes long");
    static outcome want, got;
    const wedge_dtype dtype = WEDGE_F32;
    const wedge_parameter radius = WEDGE_NUMBER("radius", 2);
    const double box[3] = {40, 40, 40};
    problem p = make_problem("euclidean", WEDGE_CONDENSED, dtype, 300, 3);
    wedge_op *op = compile_for(dev, op_find("euclidean")->text, "euclid", &dtype);
    wedge_job_spec q = p.pairs;
    q.sink = "select", q.sink_parameters = &radius, q.sink_parameter_count = 1, q.box = box;
    run_sink(dev, &q, &want);
    q.op = NULL, q.own_op = op, q.prune = WEDGE_PRUNE_ALWAYS;
    run_sink(dev, &q, &got);
    assert_true(want.count > 0);
    assert_memory_equal(&want, &got, sizeof want);
    wedge_op_destroy(op);
    free(p.points);
}

static void a_bound_leaves_tiles_out(void **state) {
    (void)state;
    on_every_device(pruned_on);
}

/* What a root is compared by, found by the device, is what the cpu finds for the table's op. */
static void keys_on(wedge_device *dev) {
    static const double limits[] = {0, 0.5, 1, 2, 1e-3, 3.25, 1e10, -1};
    const wedge_dtype dtype = dev->info.has_double ? WEDGE_F64 : WEDGE_F32;
    if (!dev->backend->compile) NOTHING_HERE("the cpu compares values");
    wedge_op *op = compile_for(dev, op_find("euclidean")->text, "euclid", &dtype);
    const op_def *row = userop_def(op);
    bool has_keys = dtype == WEDGE_F64 || dev->info.is_gpu; /* euclidean.h */
    assert_non_null(row->find_key);
    for (size_t k = 0; k < sizeof limits / sizeof *limits && has_keys; ++k) {
        double key = (double)NAN;
        assert_ok(dev, row->find_key(row, dtype, limits[k], &key));
        assert_true(key == op_find("euclidean")->key[dtype](limits[k]));
    }
    wedge_op_destroy(op);
}

static void a_device_finds_keys(void **state) {
    (void)state;
    on_every_device(keys_on);
}

/* ---- Ops that are in no table ---- */

/* A fold of two values with parameters over several lines, and helpers of its own. */
static const char spread_op[] =
    "#ifndef SPREAD_H\n"
    "#define SPREAD_H\n"
    "#define OP_FORMULA \"sum |a - b|^2, most |a - b| scale\"\n"
    "#define OP_PARAMETERS(P) \\\n"
    "    P(scale, 2, scale > 0) \\\n"
    "    P(least, 0, )\n"
    "#define OP_VALUES 2\n"
    "#define SQUARE(x) ((x) * (x))\n"
    "typedef struct { real sum, most; } op_state;\n"
    "WEDGE_OP real larger_of(real a, real b) { return wedge_pick(a > b, a, b); }\n"
    "WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {\n"
    "    s.sum = s.sum + SQUARE(a - b);\n"
    "    s.most = larger_of(s.most, wedge_abs(a - b));\n"
    "    return s;\n"
    "}\n"
    "WEDGE_OP void op_finish(op_state s, op_args q, real *v) {\n"
    "    v[0] = s.sum;\n"
    "    v[1] = larger_of(s.most, q.least) * q.scale;\n"
    "}\n"
    "#endif\n";

static void spread_on(wedge_device *dev) {
    enum { N = 90, D = 7 };
    const wedge_parameter given[] = {WEDGE_NUMBER("least", 3), WEDGE_NUMBER("scale", 0.5)};
    wedge_op *op = compile_for(dev, spread_op, "spread", NULL);
    assert_int_equal(wedge_op_get_info(op)->values, 2);
    assert_string_equal(wedge_op_get_info(op)->name, "spread");
    for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype) {
        problem p = make_problem("cityblock", WEDGE_SQUARE, (wedge_dtype)dtype, N, D);
        uint64_t bytes;
        p.pairs.op = NULL, p.pairs.own_op = op, p.pairs.parameters = given, p.pairs.parameter_count = 2;
        void *out = run_whole(dev, &p.pairs, &bytes);
        assert_int_equal(bytes, N * N * 2 * (dtype ? 8 : 4));
        for (uint64_t c = 0; c < N * N; ++c) {
            double sum = 0, most = 3;
            for (uint64_t f = 0; f < D; ++f) {
                double t = fabs(at(&p, c / N, f) - at(&p, c % N, f));
                sum += t * t, most = fmax(most, t);
            }
            double one = dtype ? ((double *)out)[2 * c] : ((float *)out)[2 * c];
            double two = dtype ? ((double *)out)[2 * c + 1] : ((float *)out)[2 * c + 1];
            if (one != sum || two != most / 2) fail_msg("cell %d: %g %g, not %g %g", (int)c, one, two, sum, most / 2);
        }
        free(out);
        free(p.points);
    }
    wedge_op_destroy(op);
}

static void a_fold_of_two_values_is_right(void **state) {
    (void)state;
    on_every_device(spread_on);
}

/* The sum of the three squared sides, times a parameter. */
static const char squares_op[] =
    "#define OP_FORMULA \"scale (r^2 + r'^2 + r''^2)\"\n"
    "#define OP_PARAMETERS(P) P(scale, 1, scale > 0)\n"
    "#define OP_DIRECT 2\n"
    "#define OP_SIDE 1\n"
    "WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {\n"
    "    s[0] = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);\n"
    "}\n"
    "WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {\n"
    "    return q.scale * (ab[0] + ac[0] + bc[0]);\n"
    "}\n";

static double square_of(const problem *p, uint64_t i, uint64_t j) {
    return pow(at(p, i, 0) - at(p, j, 0), 2) + pow(at(p, i, 1) - at(p, j, 1), 2);
}

static void triples_on(wedge_device *dev) {
    enum { N = 40 };
    const wedge_parameter scale = WEDGE_NUMBER("scale", 2);
    const wedge_dtype dtype = WEDGE_F32;
    problem p = make_problem("cityblock", WEDGE_TRIPLES, dtype, N, 2);
    wedge_op *op = compile_for(dev, squares_op, "squares", &dtype);
    wedge_summary s = {.size = sizeof s};
    wedge_result r = {.size = sizeof r, .values = &s};
    wedge_job *job;
    double sum = 0, most = 0;
    p.pairs.op = NULL, p.pairs.own_op = op, p.pairs.sink = "summary";
    p.pairs.parameters = &scale, p.pairs.parameter_count = 1;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    for (uint64_t i = 0; i < N; ++i)
        for (uint64_t j = 0; j < i; ++j)
            for (uint64_t k = 0; k < j; ++k) {
                double v = 2 * (square_of(&p, i, j) + square_of(&p, i, k) + square_of(&p, j, k));
                sum += v, most = fmax(most, v);
            }
    assert_int_equal(s.count, N * (N - 1) * (N - 2) / 6);
    assert_true(fabs(s.sum - sum) <= 1e-5 * sum && fabs(s.max - most) <= 1e-5 * most);
    wedge_job_destroy(job);
    wedge_op_destroy(op);
    free(p.points);
}

static void an_op_of_three_points_is_right(void **state) {
    (void)state;
    on_every_device(triples_on);
}

/* ---- Several at once ---- */

static void several_on(wedge_device *dev) {
    enum { OPS = 4 };
    const wedge_dtype dtype = WEDGE_F32;
    wedge_op *ops[OPS];
    for (int k = 0; k < OPS; ++k) {
        char *text = shifted(k);
        ops[k] = compile_for(dev, text, "shifted", &dtype);
        free(text);
        if (k == 1) wedge_op_destroy(ops[0]); /* what it had may be another's next */
    }
    for (int k = 1; k < OPS; ++k) check_shift(dev, ops[k], dtype, k);
    if (dev->info.has_double) check_shift(dev, ops[2], WEDGE_F64, 2); /* which it was not compiled for yet */
    for (int k = 1; k < OPS; ++k) wedge_op_destroy(ops[k]);
}

static void several_ops_live_side_by_side(void **state) {
    (void)state;
    on_every_device(several_on);
}

/* At every instruction set that the machine has: the bytes of the table's op there. */
static void lj_at_this_set(wedge_device *dev) { compare_copy(dev, "lennard_jones", WEDGE_CONDENSED, WEDGE_F32, 3); }

static void it_is_compiled_for_the_instruction_set_that_runs(void **state) {
    (void)state;
    on_every_instruction_set(NULL, lj_at_this_set);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_copy_of_an_op_gives_its_bytes),
                                       cmocka_unit_test(every_sink_takes_it),
                                       cmocka_unit_test(a_bound_leaves_tiles_out),
                                       cmocka_unit_test(a_device_finds_keys),
                                       cmocka_unit_test(a_fold_of_two_values_is_right),
                                       cmocka_unit_test(an_op_of_three_points_is_right),
                                       cmocka_unit_test(several_ops_live_side_by_side),
                                       cmocka_unit_test(it_is_compiled_for_the_instruction_set_that_runs)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
