/* t304-float-env.c: whatever the floating-point environment of the caller is (rounding, small numbers flushed to zero, traps), before
 * and between the calls, the results are the same bytes, nothing traps, and the environment is the same afterwards.
 *
 * SPDX-License-Identifier: MIT */
#include <fenv.h>
#include <math.h>

#include "core/random.h"
#include "devices.h"

enum { N = 900, D = 3, MOST_D = 4 };

/* ---- Environments ---- */

static void round_up(void) { fesetround(FE_UPWARD); }
static void round_down(void) { fesetround(FE_DOWNWARD); }

/* As a library does that is linked with -ffast-math. */
static void flush_to_zero(void) {
#if defined(__x86_64__)
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    mxcsr |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | 1u << 24));
#endif
}

static void trap(void) {
#ifdef __GLIBC__
    feenableexcept(FE_ALL_EXCEPT);
#endif
}

static void raise_flags(void) { feraiseexcept(FE_DIVBYZERO | FE_OVERFLOW); }

static const struct {
    const char *name;
    void (*set)(void);
} environments[] = {{"upward", round_up},
                    {"downward", round_down},
                    {"small numbers flushed", flush_to_zero},
                    {"traps", trap},
                    {"flags", raise_flags}};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

/* What can be asked of it: rounding, masks, flags, and small numbers. */
typedef struct {
    int rounding, traps, flags;
    bool small;
} seen;

static seen look(void) {
    seen s = {.rounding = fegetround(), .flags = fetestexcept(FE_ALL_EXCEPT)};
    fenv_t all;
#ifdef __GLIBC__
    s.traps = fegetexcept();
#endif
    feholdexcept(&all); /* what follows raises flags, and traps */
    volatile float least = 0x1p-126f, half = 0.5f;
    s.small = least * half > 0;
    fesetenv(&all);
    return s;
}

static void assert_seen(seen was, const char *name, const char *after) {
    seen is = look();
    bool same = was.rounding == is.rounding && was.traps == is.traps && was.flags == is.flags && was.small == is.small;
    fesetenv(FE_DFL_ENV);
    if (!same)
        fail_msg("%s: not as it was after %s: rounding %x to %x, traps %x to %x, flags %x to %x, small %d to %d", name,
                 after, (unsigned)was.rounding, (unsigned)is.rounding, (unsigned)was.traps, (unsigned)is.traps,
                 (unsigned)was.flags, (unsigned)is.flags, was.small, is.small);
}

/* ---- Problems ---- */

static const wedge_parameter within[] = {WEDGE_NUMBER("radius", 0.3)};
static const wedge_parameter sigma[] = {WEDGE_NUMBER("sigma", 0.7)};
static const wedge_parameter logarithmic[] = {WEDGE_NUMBER("min", 0.1), WEDGE_NUMBER("max", 0.9),
                                              WEDGE_WHOLE("bins", 33), WEDGE_FLAG("log", true)};
static const wedge_parameter three[] = {WEDGE_WHOLE("k", 3), WEDGE_FLAG("values", true)};
static const double box[D] = {1.1, 1.3, 0.9};

typedef struct {
    const char *op, *sink;
    const wedge_parameter *set;
    size_t count;
    wedge_layout layout;
    wedge_dtype dtype;
    uint64_t n;
    double scale, cutoff;
    bool periodic;
    const wedge_parameter *of_op;
} one_problem;

static const one_problem problems[] = {
    {"euclidean", "count", within, 1, WEDGE_CONDENSED, WEDGE_F32, N, 1, 0, true, NULL},
    {"euclidean", "count", within, 1, WEDGE_CONDENSED, WEDGE_F64, N, 1, 0, true, NULL},
    {"cityblock", "store", NULL, 0, WEDGE_CONDENSED, WEDGE_F32, N, 1e-38, 0, false, NULL}, /* small numbers */
    {"lennard_jones", "store", NULL, 0, WEDGE_CONDENSED, WEDGE_F64, N, 1, 0, false, sigma},
    {"gravity", "scatter", NULL, 0, WEDGE_SQUARE, WEDGE_F64, N, 1, 0, false, NULL},
    {"gaussian", "summary", NULL, 0, WEDGE_CONDENSED, WEDGE_F64, N, 1, 0, false, sigma},
    {"euclidean", "histogram", logarithmic, 4, WEDGE_CONDENSED, WEDGE_F64, N, 1, 0, false, NULL},
    {"euclidean", "nearest", three, 2, WEDGE_SQUARE, WEDGE_F64, N, 1, 0, true, NULL},
    {"axilrod_teller", "summary", NULL, 0, WEDGE_TRIPLES, WEDGE_F64, 120, 1, 0.28, true, NULL},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, A_FEW = 4 }; /* a few: where kernels take seconds to compile */

/* Bodies have a mass. */
static uint64_t d_of(const one_problem *q) { return strcmp(q->op, "gravity") ? D : MOST_D; }

static void make_points(const one_problem *q, void *points) {
    for (uint32_t x = 0; x < q->n * d_of(q); ++x) {
        double v = (double)wedge_random_float(wedge_philox((wedge_random4){{x, 0, 0, 0}}, 304, 0).v[0]) * q->scale;
        if (q->dtype == WEDGE_F64)
            ((double *)points)[x] = v;
        else
            ((float *)points)[x] = (float)v;
    }
}

typedef struct {
    char *values;
    int64_t *pairs;
    size_t bytes;
    uint64_t count;
} answer;

static wedge_job_spec pairs_of(const one_problem *q, const void *points) {
    wedge_job_spec p = {.size = sizeof p, .op = q->op, .sink = q->sink, .layout = q->layout, .dtype = q->dtype};
    p.sink_parameters = q->set, p.sink_parameter_count = q->count, p.n = q->n, p.d = d_of(q), p.points = points;
    p.parameters = q->of_op, p.parameter_count = q->of_op ? 1 : 0;
    p.box = q->periodic ? box : NULL, p.cutoff = q->cutoff;
    return p;
}

/* Bit by bit what the calls do with the environments `around` creating the job and `during` the run; -1: the default. */
static answer solve(wedge_device *dev, const one_problem *q, int creating, int running) {
    static double points[N * MOST_D];
    answer a = {.bytes = (size_t)(q->n * q->n * 8 + 4096)};
    wedge_job *job = NULL;
    make_points(q, points);
    a.values = fit_for_result(calloc(1, a.bytes)), a.pairs = calloc(q->n * 4, sizeof *a.pairs);
    wedge_job_spec p = pairs_of(q, points);
    if (creating >= 0) environments[creating].set();
    seen was = look();
    wedge_status status = wedge_job_create(dev, &p, &job);
    assert_seen(was, creating < 0 ? "default" : environments[creating].name, "wedge_job_create");
    assert_ok(dev, status);
    wedge_result r = {.size = sizeof r, .values = a.values, .room = q->n * 3};
    *(strcmp(q->sink, "scatter") ? &r.indices : &r.counts) = a.pairs;
    uint64_t cells = wedge_job_get_info(job)->cells;
    if (running >= 0) environments[running].set();
    was = look();
    status = wedge_job_run(job, 0, cells, &r, NULL, NULL);
    assert_seen(was, running < 0 ? "default" : environments[running].name, "wedge_job_run");
    assert_ok(dev, status);
    wedge_job_destroy(job);
    a.count = r.count;
    return a;
}

static void free_answer(answer *a) {
    free(a->values);
    free(a->pairs);
}

static bool is_possible(const wedge_device *dev, const one_problem *q) {
    if (compiles_slowly(dev)) return q < &problems[A_FEW];
    return q->dtype == WEDGE_F32 || dev->info.has_double;
}

static void check_problem(wedge_device *dev, const one_problem *q) {
    answer want = solve(dev, q, -1, -1);
    assert_true(want.count > 0);
    for (int e = 0; e < ENVIRONMENTS; ++e)
        for (int both = compiles_slowly(dev) ? 2 : 0; both < 3; ++both) {
            answer got = solve(dev, q, both != 1 ? e : -1, both != 0 ? e : -1);
            if (got.count != want.count || memcmp(got.values, want.values, want.bytes) ||
                memcmp(got.pairs, want.pairs, q->n * 4 * sizeof *want.pairs))
                fail_msg("%s %s: %s while %s: not the same bytes", q->op, q->sink, environments[e].name,
                         both == 0   ? "creating"
                         : both == 1 ? "running"
                                     : "creating and running");
            free_answer(&got);
        }
    free_answer(&want);
}

static void results_are_the_same_on(wedge_device *dev) {
    for (int k = 0; k < PROBLEMS; ++k)
        if (is_possible(dev, &problems[k])) check_problem(dev, &problems[k]);
}

ON_EVERY_DEVICE(results_are_the_same)

/* Workers, and the threads of a device's runtime, that begin in a foreign environment. */
static void devices_may_be_opened_in_any_on(wedge_device *dev) {
    const one_problem *q = &problems[0], *small = &problems[2];
    answer want = solve(dev, q, -1, -1), least = solve(dev, small, -1, -1);
    for (int e = 0; e < ENVIRONMENTS; ++e) {
        wedge_context *ctx;
        wedge_device *other = NULL;
        environments[e].set();
        seen was = look();
        wedge_status status = wedge_context_create(&ctx);
        if (!status) status = wedge_device_open(ctx, dev->info.id, &other);
        assert_seen(was, environments[e].name, "wedge_device_open");
        assert_int_equal(status, WEDGE_OK);
        for (int run = 0; run < 2; ++run) {
            answer got = solve(other, q, e, run ? -1 : e), tiny = solve(other, small, e, run ? -1 : e);
            assert_int_equal(got.count, want.count);
            assert_memory_equal(tiny.values, least.values, least.bytes);
            free_answer(&got), free_answer(&tiny);
        }
        wedge_device_close(other);
        wedge_context_destroy(ctx);
    }
    free_answer(&want), free_answer(&least);
}

ON_EVERY_DEVICE(devices_may_be_opened_in_any)

/* ---- What needs no job ---- */

static void cells_are_the_same(void **state) {
    (void)state;
    const wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 3, .n = 4000000};
    const uint64_t w[] = {0, 7, 123456789012345, 9999999999999999999u};
    uint64_t want[12], got[12];
    assert_int_equal(wedge_domain_unrank(&domain, w, 4, want), WEDGE_OK);
    for (int e = 0; e < ENVIRONMENTS; ++e) {
        environments[e].set();
        seen was = look();
        wedge_status status = wedge_domain_unrank(&domain, w, 4, got);
        assert_seen(was, environments[e].name, "wedge_domain_unrank");
        assert_int_equal(status, WEDGE_OK);
        assert_memory_equal(got, want, sizeof want);
    }
}

/* Text to numbers: the initial value of a user's parameter, and its use. */
static void texts_are_the_same_on(wedge_device *dev) {
    static const char text[] =
        "#define OP_PARAMETERS(P) P(a, 0.1 + 1e-3 / 3, )\n#define OP_DIRECT 3\n"
        "WEDGE_OP real op_pair(const real *x, const real *y, op_args q) { return q.a * x[0]; }\n";
    wedge_op *op;
    wedge_status able = wedge_op_compile(dev, text, NULL, &op);
    if (able == WEDGE_UNSUPPORTED) NOTHING_HERE(wedge_device_message(dev));
    assert_ok(dev, able);
    double want = wedge_op_get_info(op)->parameters[0]->value;
    wedge_op_destroy(op);
    for (int e = 0; e < ENVIRONMENTS; ++e) {
        environments[e].set();
        seen was = look();
        wedge_status status = wedge_op_compile(dev, text, NULL, &op);
        assert_seen(was, environments[e].name, "wedge_op_compile");
        assert_ok(dev, status);
        assert_true(wedge_op_get_info(op)->parameters[0]->value == want);
        wedge_op_destroy(op);
    }
}

ON_EVERY_DEVICE(texts_are_the_same)

/* A callback that changes the environment, by loading a library say, changes nothing of the run, nor of its caller. */
static bool meddle(void *user, double done) {
    (void)done;
    environments[*(int *)user].set();
    return true;
}

static void callbacks_change_nothing_on(wedge_device *dev) {
    static double points[N * MOST_D];
    const one_problem *q = &problems[0];
    make_points(q, points);
    answer want = solve(dev, q, -1, -1);
    for (int e = 0; e < 3; ++e) {
        wedge_job_spec p = pairs_of(q, points);
        wedge_job *job;
        uint64_t got;
        wedge_result r = {.size = sizeof r, .values = &got};
        assert_ok(dev, wedge_job_create(dev, &p, &job));
        seen was = look();
        assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, meddle, &e));
        assert_seen(was, environments[e].name, "a callback");
        assert_int_equal(got, want.count);
        wedge_job_destroy(job);
    }
    free_answer(&want);
}

ON_EVERY_DEVICE(callbacks_change_nothing)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_the_same),     cmocka_unit_test(devices_may_be_opened_in_any),
        cmocka_unit_test(cells_are_the_same),       cmocka_unit_test(texts_are_the_same),
        cmocka_unit_test(callbacks_change_nothing),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
