/* t208-abi.c: a program that was built with an older or a newer wedge.h runs: its structs are smaller or larger than the library's.
 *
 * Nothing of today's header is included, but a copy of 0.3.0's (abi-0.3.h), and the program is built three times: with its structs,
 * with smaller and with larger ones. Each struct lies at the end of a page, and the next page cannot be touched: a library that reads
 * or writes more than the program knows of crashes here. It runs with libwedge.so, as such a program would.
 *
 * Where a struct has grown and this fails, mend the library: the program cannot be.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi-0.3.h"

/* The last `size` bytes before memory that no one can touch, filled with `byte`. */
static void *at_the_end(size_t size, int byte) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(two != MAP_FAILED && size <= page);
    assert_int_equal(mprotect(two + page, page, PROT_NONE), 0);
    return memset(two + page - size, byte, size);
}

/* A struct of the program's, with its size; the rest of what it fills is 0, of what is filled for it 0xff. */
static void *sized(size_t size, int byte) {
    void *made = at_the_end(size, byte);
    memcpy(made, &size, sizeof size);
    return made;
}
#define GIVEN(type) ((type *)sized(sizeof(type), 0))
#define FILLED(type) ((type *)sized(sizeof(type), 0xff))

/* Members that the library does not have: set, they are refused with a word about it; filled, they are 0. */
#if ABI > 0
#define NEWER_IS_REFUSED(given, call, message)                  \
    do {                                                        \
        (given)->newer[2] = 1;                                  \
        assert_int_equal(call, WEDGE_BAD_ARGUMENT);             \
        const char *said = message;                             \
        if (said) assert_non_null(strstr(said, "newer wedge")); \
        (given)->newer[2] = 0;                                  \
    } while (0)
#define NEWER_IS_0(filled) assert_true(!(filled)->newer[0] && !(filled)->newer[1] && !(filled)->newer[2])
#else
#define NEWER_IS_REFUSED(given, call, message)
#define NEWER_IS_0(filled)
#endif

static const float points[] = {0, 0, 3, 4, 6, 8};
static void *ctx, *dev;

static wedge_parameter *number(const char *name, double value) {
    wedge_parameter *p = GIVEN(wedge_parameter);
    p->name = name, p->value = value;
    return p;
}

static void *job_of(const char *sink, const wedge_parameter *set, size_t count) {
    void *job;
    wedge_job_spec *s = GIVEN(wedge_job_spec);
    s->op = "euclidean", s->sink = sink, s->sink_parameters = set, s->sink_parameter_count = count;
    s->n = 3, s->d = 2, s->points = points;
    if (wedge_job_create(dev, s, &job)) fail_msg("%s", wedge_device_message(dev));
    NEWER_IS_REFUSED(s, wedge_job_create(dev, s, &(void *){NULL}), wedge_device_message(dev));
    return job;
}

/* count: what the run must find, where the program knows of it. */
static wedge_status run(void *job, wedge_result *r, uint64_t count) {
    wedge_status status = wedge_job_run(job, 0, 3, r, NULL, NULL);
#if ABI >= 0
    assert_int_equal(r->count, count);
#endif
    (void)count;
    return status;
}

static void lists_and_values(void **state) {
    (void)state;
    wedge_result *r = GIVEN(wedge_result);
    float *distances = at_the_end(3 * sizeof *distances, 0xff);
    void *job = job_of(NULL, NULL, 0);
    r->values = distances;
    assert_int_equal(run(job, r, 3), WEDGE_OK);
    assert_true(distances[0] == 5 && distances[1] == 10 && distances[2] == 5);
    NEWER_IS_REFUSED(r, wedge_job_run(job, 0, 3, r, NULL, NULL), wedge_device_message(dev));
    wedge_job_destroy(job);

    int64_t *list = at_the_end(4 * sizeof *list, 0xff);
    wedge_parameter *radius = number("radius", 6);
    job = job_of("select", radius, 1);
    r = GIVEN(wedge_result), r->indices = list, r->room = 2;
    assert_int_equal(run(job, r, 2), WEDGE_OK);
    assert_true(list[0] == 0 && list[1] == 1 && list[2] == 1 && list[3] == 2);
    r->room = 1;
    assert_int_equal(run(job, r, 2), WEDGE_TOO_SMALL);
    wedge_job_destroy(job);
}

/* Entries of an array are as far apart as the program has them. */
static void arrays_of_parameters(void **state) {
    (void)state;
    uint64_t *bins = at_the_end(5 * sizeof *bins, 0xff);
    wedge_parameter *set = at_the_end(2 * sizeof *set, 0);
    set[0].size = set[1].size = sizeof *set;
    set[0].name = "bins", set[0].whole = 2;
    set[1].name = "max", set[1].value = 12;
    void *job = job_of("histogram", set, 2);
    wedge_result *r = GIVEN(wedge_result);
    r->values = bins;
    assert_int_equal(run(job, r, 3), WEDGE_OK);
    assert_true(bins[0] == 2 && bins[1] == 1);
    wedge_job_destroy(job);
#if ABI > 0
    wedge_job_spec s = {.size = sizeof s, .op = "euclidean", .sink = "histogram", .n = 3, .d = 2, .points = points};
    s.sink_parameters = set, s.sink_parameter_count = 2;
    NEWER_IS_REFUSED(&set[1], wedge_job_create(dev, &s, &job), wedge_device_message(dev));
#endif
}

static void check_summary(const wedge_summary *s) {
    assert_int_equal(s->size, sizeof *s);
    assert_true(s->count == 3 && s->sum == 20 && s->max == 10 && s->max_i == 0 && s->max_j == 2);
    NEWER_IS_0(s);
}

static void summaries(void **state) {
    (void)state;
    wedge_summary *s = FILLED(wedge_summary), *back = FILLED(wedge_summary);
    void *job = job_of("summary", NULL, 0), *memory;
    wedge_result *r = GIVEN(wedge_result);
    r->values = s;
    assert_int_equal(run(job, r, 3), WEDGE_OK);
    check_summary(s);
    assert_int_equal(wedge_memory_create(dev, sizeof *back, &memory), WEDGE_OK); /* exactly as long */
    assert_int_equal(wedge_memory_write(dev, memory, 0, back, sizeof *back), WEDGE_OK);
    r = GIVEN(wedge_result), r->values = memory, r->place = 1;
    assert_int_equal(run(job, r, 3), WEDGE_OK);
    assert_int_equal(wedge_memory_read(dev, back, memory, 0, sizeof *back), WEDGE_OK);
    check_summary(back);
    wedge_memory_destroy(dev, memory);
    wedge_job_destroy(job);
}

static void devices(void **state) {
    (void)state;
    wedge_device_info *info = FILLED(wedge_device_info);
    assert_int_equal(wedge_device_at(ctx, 0, info), WEDGE_OK);
    assert_string_equal(info->id, "cpu");
    assert_true(info->size == sizeof *info && info->units > 0);
#if ABI >= 0
    assert_true(info->has_double && !info->is_gpu);
#endif
    NEWER_IS_0(info);
}

static void domains_and_plans(void **state) {
    (void)state;
    wedge_domain *d = GIVEN(wedge_domain);
    wedge_limits *limits = GIVEN(wedge_limits);
    wedge_plan *plan = FILLED(wedge_plan);
    uint64_t *cell = at_the_end(2 * sizeof *cell, 0xff), w = 7;
    d->rank = 2, limits->max_grid[0] = 4;
#if ABI >= 0
    d->n = 10;
    assert_int_equal(wedge_domain_unrank(d, &w, 1, cell), WEDGE_OK);
    assert_true(cell[0] == 3 && cell[1] == 1);
#else
    assert_int_equal(wedge_domain_unrank(d, &w, 1, cell), WEDGE_BAD_ARGUMENT); /* n counts as 0 */
#endif
    NEWER_IS_REFUSED(d, wedge_domain_unrank(d, &w, 1, cell), NULL);
    assert_int_equal(wedge_plan_make(ctx, wedge_map_find("lambda", 2), d, 4, limits, plan), WEDGE_OK);
    assert_true(plan->size == sizeof *plan && plan->rank == 2 && plan->rho == 4);
#if ABI >= 0
    assert_true(plan->cells == 55 && plan->blocks == 6 && plan->count == 2); /* 4 blocks and 2 */
    assert_true(wedge_plan_launch(plan, 1)->base == 4 && wedge_plan_launch(plan, 1)->grid[0] == 2);
#endif
    NEWER_IS_0(plan);
    wedge_plan_free(plan);
    assert_null(wedge_plan_launch(plan, 0));
    NEWER_IS_REFUSED(limits, wedge_plan_make(ctx, wedge_map_find("lambda", 2), d, 4, limits, plan),
                     wedge_context_message(ctx));
}

/* Today's text may be wrong on purpose: options are read before it is, and whoever lacks a compiler gets as far. */
static void options_of_ops(void **state) {
    (void)state;
    wedge_op_options *o = GIVEN(wedge_op_options);
    void *op;
    o->name = "mine";
    assert_int_not_equal(wedge_op_compile(dev, "#define OP_DIRECT nonsense", o, &op), WEDGE_OK);
    assert_non_null(strstr(wedge_device_message(dev), "mine.h"));
    NEWER_IS_REFUSED(o, wedge_op_compile(dev, "", o, &op), wedge_device_message(dev));
}

static void certificates(void **state) {
    (void)state;
    wedge_certify_options *o = GIVEN(wedge_certify_options);
    wedge_certify_report *report = FILLED(wedge_certify_report);
    o->rank = 2, o->rows = 10;
    assert_int_equal(wedge_certify(dev, o, report), WEDGE_OK);
    assert_true(report->size == sizeof *report && report->rows == 10 && !report->failures && report->count > 0);
    assert_int_equal(wedge_certify_form_at(report, 0)->tried, 55);
    assert_null(wedge_certify_form_at(report, report->count));
    NEWER_IS_0(report);
    wedge_certify_report_free(report);
    assert_int_equal(report->count, 0);
    NEWER_IS_REFUSED(o, wedge_certify(dev, o, report), wedge_device_message(dev));
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
        cmocka_unit_test(lists_and_values), cmocka_unit_test(arrays_of_parameters), cmocka_unit_test(summaries),
        cmocka_unit_test(devices),          cmocka_unit_test(domains_and_plans),    cmocka_unit_test(options_of_ops),
        cmocka_unit_test(certificates),
    };
    return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
