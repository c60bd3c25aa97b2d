/* t461-renew.c: a job with other points is the same as another job: for every sink, pruned or not, of one set or two.
 *
 * SPDX-License-Identifier: MIT */
#include "prune_problem.h"

enum { N = 500, K = 5, MOST_BYTES = 8 * N * 1024 };

/* What a job gives for all positions: numbers, whole numbers, and how many. */
typedef struct {
    char *values;
    int64_t *pairs;
    uint64_t count;
} answer;

static answer answer_of(wedge_device *dev, wedge_job *job, const char *sink) {
    answer a = {fit_for_result(calloc(1, MOST_BYTES)), calloc(1, MOST_BYTES), 0};
    wedge_result r = {.size = sizeof r, .values = a.values, .room = MOST_BYTES / 16};
    if (!strcmp(sink, "select") || !strcmp(sink, "nearest")) r.indices = a.pairs;
    if (!strcmp(sink, "scatter")) r.counts = a.pairs;
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    a.count = r.count;
    return a;
}

static void same_answer(answer a, answer b) {
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.values, b.values, MOST_BYTES);
    assert_memory_equal(a.pairs, b.pairs, MOST_BYTES);
    free(a.values), free(a.pairs), free(b.values), free(b.pairs);
}

static void check_sink(wedge_device *dev, const char *sink, const char *parameter, double value, wedge_layout layout,
                       wedge_prune prune) {
    const wedge_parameter number = WEDGE_NUMBER(parameter, value), whole = WEDGE_WHOLE(parameter, value),
                          set = parameter && !strcmp(parameter, "k") ? whole : number;
    problem first = prune_problem("euclidean", NULL, layout, WEDGE_F32, N, 3, &data_sets[0]);
    problem second = prune_problem("euclidean", NULL, layout, WEDGE_F32, N, 3, &data_sets[2]);
    first.pairs.prune = second.pairs.prune = prune;
    wedge_job *job = sink_job(dev, &first.pairs, sink, &set, parameter ? 1 : 0);
    wedge_job *other = sink_job(dev, &second.pairs, sink, &set, parameter ? 1 : 0);
    answer before = answer_of(dev, job, sink);
    uint64_t bytes = wedge_job_get_info(job)->device_bytes;
    assert_ok(dev, wedge_job_renew(job, second.pairs.points, second.pairs.others));
    same_answer(answer_of(dev, job, sink), answer_of(dev, other, sink));
    assert_ok(dev, wedge_job_renew(job, first.pairs.points, first.pairs.others));
    same_answer(answer_of(dev, job, sink), before);
    if (!strcmp(sink, "store")) assert_int_equal(wedge_job_get_info(job)->device_bytes, bytes);
    bytes = wedge_job_get_info(job)->device_bytes; /* with all that runs need */
    for (int k = 0; k < 3; ++k) assert_ok(dev, wedge_job_renew(job, first.pairs.points, first.pairs.others));
    assert_int_equal(wedge_job_get_info(job)->device_bytes, bytes);
    wedge_job_destroy(job);
    wedge_job_destroy(other);
    free(first.points), free(second.points);
}

static void a_renewed_job_is_as_another_on(wedge_device *dev) {
    check_sink(dev, "store", NULL, 0, WEDGE_CONDENSED, WEDGE_PRUNE_NEVER);
    check_sink(dev, "store", NULL, 0, WEDGE_RECTANGLE, WEDGE_PRUNE_NEVER);
    check_sink(dev, "summary", NULL, 0, WEDGE_PACKED, WEDGE_PRUNE_NEVER);
    for (int prune = WEDGE_PRUNE_NEVER; prune <= WEDGE_PRUNE_ALWAYS; ++prune) {
        check_sink(dev, "select", "radius", 1.5, WEDGE_CONDENSED, (wedge_prune)prune);
        check_sink(dev, "count", "radius", 1.5, WEDGE_RECTANGLE, (wedge_prune)prune);
        check_sink(dev, "nearest", "k", K, WEDGE_SQUARE, (wedge_prune)prune);
        check_sink(dev, "nearest", "k", K, WEDGE_RECTANGLE, (wedge_prune)prune);
        check_sink(dev, "scatter", "radius", 2, WEDGE_SQUARE, (wedge_prune)prune);
    }
}

static void a_renewed_job_is_as_another(void **state) {
    (void)state;
    on_every_device(a_renewed_job_is_as_another_on);
}

static void what_cannot_be_is_refused_on(wedge_device *dev) {
    problem p = prune_problem("euclidean", NULL, WEDGE_RECTANGLE, WEDGE_F32, N, 3, &data_sets[0]);
    const wedge_parameter set = WEDGE_NUMBER("radius", 1.5);
    wedge_job *job = sink_job(dev, &p.pairs, "count", &set, 1);
    answer before = answer_of(dev, job, "count");
    assert_int_equal(wedge_job_renew(NULL, p.points, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_job_renew(job, NULL, p.pairs.others), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_job_renew(job, p.points, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_job_renew(job, (char *)p.points + 1, p.pairs.others), WEDGE_BAD_ARGUMENT);
    same_answer(answer_of(dev, job, "count"), before);
    wedge_job_destroy(job);
    free(p.points);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    on_every_device(what_cannot_be_is_refused_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_renewed_job_is_as_another),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
