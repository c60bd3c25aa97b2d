/* t416-direct.c: direct ops: records of every size, on every device, and on the cpu at every instruction set and on both ways
 * to memory. Values are whole multiples of 1/64, so every device must have them exactly.
 *
 * SPDX-License-Identifier: MIT */
#include "pairs_problem.h"

extern const op_def op_test_direct_def;

enum {
    MISSING = 13 /* no record has this many numbers */,
    LARGE = 1500 /* points: the result is beyond CACHED_BYTES */
};

static double want_of(const problem *p, uint64_t i, uint64_t j, double scale) {
    double sum = 0;
    for (uint64_t f = 0; f < p->pairs.d; ++f)
        sum += (double)(f + 1) * fabs(at(p, i, f) - at(p, j, f)) * (f + 1 == p->pairs.d ? 2 : 1);
    return scale * sum;
}

/* Every value, in one run, or in pieces that are small enough to go through the cache. */
static void one_size(wedge_device *dev, wedge_layout layout, wedge_dtype dtype, uint64_t n, uint64_t d,
                     uint64_t piece) {
    const wedge_parameter scale = WEDGE_NUMBER("scale", 3);
    problem p = make_problem("cityblock", layout, dtype, n, d);
    wedge_job *job;
    p.pairs.parameters = &scale, p.pairs.parameter_count = 1;
    if (dev->backend->compile && d % 3)
        p.pairs.tile = 64; /* two cells per lane and row, also where 32 is the default */
    assert_ok(dev, job_create(dev, &p.pairs, &op_test_direct_def, &job));
    uint64_t cells = wedge_job_get_info(job)->cells;
    void *out = malloc(cells * job->size);
    for (uint64_t at = 0; at < cells; at += piece) {
        uint64_t end = cells - at < piece ? cells : at + piece;
        assert_ok(dev, run_values(job, at, end, (char *)out + at * job->size, WEDGE_ON_HOST, NULL, NULL));
    }
    for (uint64_t k = 0; k < cells; ++k) {
        wedge_pair c = wedge_tri_unrank32((uint32_t)k);
        uint64_t i = layout == WEDGE_SQUARE ? k / n : c.i, j = layout == WEDGE_SQUARE ? k % n : c.j;
        double got = dtype ? ((double *)out)[k] : ((float *)out)[k], want = want_of(&p, i, j, 3);
        if (got != want)
            fail_msg("dtype %d, %d numbers, points %d and %d: %.17g, not %.17g", dtype, (int)d, (int)i, (int)j, got,
                     want);
    }
    free(out);
    wedge_job_destroy(job);
    free(p.points);
}

/* On a cpu behind OpenCL a kernel takes seconds to compile: there some sizes. */
static void every_size_on(wedge_device *dev) {
    for (uint64_t d = 1; d <= MOST_RECORD; ++d) {
        if (d == MISSING || (compiles_slowly(dev) && d != 2 && d != 5 && d != 16)) continue;
        for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype)
            one_size(dev, (d + (uint64_t)dtype) % 2 ? WEDGE_PACKED : WEDGE_SQUARE, dtype, 150, d, UINT64_MAX / 2);
    }
}

static void records_of_every_size_are_right(void **state) {
    (void)state;
    on_every_device(every_size_on);
}

static void both_ways_on(wedge_device *dev) {
    for (uint64_t d = 1; d <= MOST_RECORD; ++d)
        for (int dtype = 0; dtype < 2 && d != MISSING; ++dtype) {
            one_size(dev, WEDGE_PACKED, dtype, LARGE, d, UINT64_MAX / 2);
            one_size(dev, WEDGE_PACKED, dtype, LARGE, d, 100003);
        }
}

static void both_ways_at_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, both_ways_on);
}

/* ---- What is refused ---- */

static void refuse(wedge_device *dev, const op_def *op, uint64_t d, const char *words) {
    problem p = make_problem("cityblock", WEDGE_PACKED, WEDGE_F32, 5, d);
    wedge_job *job = NULL;
    assert_int_equal(job_create(dev, &p.pairs, op, &job), WEDGE_BAD_ARGUMENT);
    assert_null(job);
    if (!strstr(wedge_device_message(dev), words))
        fail_msg("'%s' says nothing of %s", wedge_device_message(dev), words);
    free(p.points);
}

static void other_records_are_refused_on(wedge_device *dev) {
    refuse(dev, &op_test_direct_def, MISSING, "11, 12, 14, 15 or 16 numbers, not 13");
    refuse(dev, &op_test_direct_def, 17, "not 17");
    refuse(dev, &op_test_direct_def, 64, "not 64");
    refuse(dev, op_find("haversine"), 3, "haversine takes points of 2 numbers, not 3");
    refuse(dev, op_find("spheres"), 1, "spheres takes points of 2, 3 or 4 numbers, not 1");
    refuse(dev, op_find("spheres"), 5, "not 5");
    refuse(dev, op_find("boxes"), 3, "2, 4, 6, 8, 10, 12, 14 or 16");
    refuse(dev, op_find("lennard_jones"), 4, "1, 2 or 3");
    if (!dev->backend->compile) return;
    problem p = make_problem("boxes", WEDGE_PACKED, WEDGE_F32, 5, 6);
    wedge_job *job;
    p.pairs.tile = 128;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    assert_non_null(strstr(wedge_device_message(dev), "32 or 64"));
    free(p.points);
}

static void other_records_are_refused(void **state) {
    (void)state;
    on_every_device(other_records_are_refused_on);
}

static void the_table_tells_records(void **state) {
    (void)state;
    once_for_all_devices();
    assert_int_equal(wedge_op_find("haversine")->record, 2);
    assert_int_equal(wedge_op_find("spheres")->record, 0);
    assert_int_equal(wedge_op_find("euclidean")->record, 0);
    assert_int_equal(op_find("spheres")->records, 1u << 2 | 1u << 3 | 1u << 4);
    assert_int_equal(op_find("euclidean")->records, 0);
}

/* ---- The ops' own promises ---- */

/* Every op of one value gives the same bytes for (a, b) and (b, a): squares are symmetric to the bit, also in the sign of zeros. */
static void symmetry_on(wedge_device *dev) {
    enum { N = 90 };
    if (dev->backend->compile) NOTHING_HERE("the kernels of ops are the same text");
    for (int k = 0; k < 2 * wedge_op_count(2); ++k) {
        const char *op = wedge_op_at(2, k / 2)->name;
        if (wedge_op_at(2, k / 2)->values > 1) continue; /* a vector has a direction */
        problem p = make_problem(op, WEDGE_SQUARE, k % 2, N, fitting(op, 4));
        size_t size = k % 2 ? 8 : 4;
        uint64_t bytes;
        for (uint64_t x = 0; x < N * p.pairs.d && !strcmp(op, "boxes"); x += 3) { /* -0 and 0 */
            const double zero = x % 2 ? -0.0 : 0.0;
            if (size == 8)
                ((double *)p.points)[x] = zero;
            else
                ((float *)p.points)[x] = (float)zero;
        }
        const char *out = run_whole(dev, &p.pairs, &bytes);
        for (uint64_t c = 0; c < N * N; ++c)
            if (memcmp(out + c * size, out + (c % N * N + c / N) * size, size))
                fail_msg("%s dtype %d: %d and %d", op, k % 2, (int)(c / N), (int)(c % N));
        free((void *)(uintptr_t)out);
        free(p.points);
    }
}

static void values_are_symmetric_to_the_bit(void **state) {
    (void)state;
    on_every_device(symmetry_on);
}

/* ---- Places ---- */

static wedge_status job_of(wedge_device *dev, const char *op, wedge_dtype dtype, double latitude) {
    const double wide[] = {0.5, 7, latitude, -300};
    const float narrow[] = {0.5f, 7, (float)latitude, -300};
    wedge_job_spec pairs = {.size = sizeof pairs, .op = op, .layout = WEDGE_CONDENSED, .dtype = dtype, .n = 2, .d = 2};
    wedge_job *job = NULL;
    pairs.points = dtype == WEDGE_F64 ? (const void *)wide : narrow;
    wedge_status status = wedge_job_create(dev, &pairs, &job);
    if (!status) { /* and again in place of good ones */
        const double north[] = {0, 0, 48.85, 2.35};
        const float north32[] = {0, 0, 48.85f, 2.35f};
        const bool angles = op_find(op)->angles;
        assert_int_equal(wedge_job_renew(job, dtype == WEDGE_F64 ? (const void *)north : north32, NULL),
                         angles ? WEDGE_BAD_DATA : WEDGE_OK);
    }
    wedge_job_destroy(job);
    return status;
}

static void latitudes_on(wedge_device *dev) {
    const double half_pi = acos(-1) / 2;
    for (int dtype = 0; dtype < (dev->info.has_double ? 2 : 1); ++dtype) {
        assert_int_equal(job_of(dev, "haversine", dtype, 48.85), WEDGE_BAD_DATA);
        assert_non_null(
            strstr(wedge_device_message(dev), "points: row 1 (from 0) has latitude 48.85: haversine takes radians"));
        assert_int_equal(job_of(dev, "haversine", dtype, -1.58), WEDGE_BAD_DATA);
        assert_ok(dev, job_of(dev, "haversine", dtype, half_pi));
        assert_ok(dev, job_of(dev, "haversine", dtype, -(double)(float)half_pi));
        assert_ok(dev, job_of(dev, "haversine", dtype, NAN));
        assert_ok(dev, job_of(dev, "euclidean", dtype, 48.85));
    }
}

static void latitudes_beyond_the_poles_are_refused(void **state) {
    (void)state;
    on_every_device(latitudes_on);
}

static void degrees_are_rounded_once(void **state) {
    float narrow[] = {90, 48.85f, -0.1f, 0};
    double wide[] = {90, 48.85, -0.1, 0}, exact[4];
    (void)state;
    for (int k = 0; k < 4; ++k) exact[k] = (double)narrow[k] * (acos(-1) / 180);
    op_radians(false, narrow, 4);
    op_radians(true, wide, 4);
    for (int k = 0; k < 4; ++k) assert_true(narrow[k] == (float)exact[k]);
    assert_true(wide[0] == acos(-1) / 2 && wide[1] == 48.85 * (acos(-1) / 180));
}

static void values_of(wedge_device *dev, const char *op, uint64_t d, const double *points, uint64_t n, double *values) {
    wedge_job_spec pairs = {
        .size = sizeof(wedge_job_spec), .op = op, .layout = WEDGE_CONDENSED, .dtype = WEDGE_F64, .n = n, .d = d};
    wedge_job *job;
    pairs.points = points;
    assert_ok(dev, wedge_job_create(dev, &pairs, &job));
    assert_ok(dev, run_values(job, 0, n * (n - 1) / 2, values, WEDGE_ON_HOST, NULL, NULL));
    wedge_job_destroy(job);
}

/* Touching is 0 exactly; one step in the last place apart is not. */
static void touching_on(wedge_device *dev) {
    double v[3], far = nextafter(4, 5), none = 0;
    if (!dev->info.has_double) NOTHING_HERE("it has no doubles");
    values_of(dev, "spheres", 4, (double[]){0, 0, 0, 2, 3, 4, 0, 3, 3, 4, 12, 10}, 3, v);
    assert_true(v[0] == 0 && v[1] == 1 && v[2] == -1);
    values_of(dev, "spheres", 2, (double[]){0, 1, far, 3, -4, 3}, 3, v);
    assert_true(v[0] > 0 && v[1] == 0);
    values_of(dev, "boxes", 4, (double[]){0, 0, 1, 1, 1, 1, 2, 2, 0.5, nextafter(1, 2), 3, 5}, 3, v);
    assert_true(v[0] == 0 && v[1] > 0 && v[1] < 1e-15 && v[2] < 0);
    values_of(dev, "lennard_jones", 3, (double[]){0, 0, 0, 0, 0, 1, 0, 0, 0}, 3, v);
    assert_true(v[0] == 0 && v[1] == 1 / none && v[2] == 0);
}

static void touching_is_exact(void **state) {
    (void)state;
    on_every_device(touching_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_every_size_are_right), cmocka_unit_test(both_ways_at_every_instruction_set),
        cmocka_unit_test(other_records_are_refused),       cmocka_unit_test(the_table_tells_records),
        cmocka_unit_test(values_are_symmetric_to_the_bit), cmocka_unit_test(latitudes_beyond_the_poles_are_refused),
        cmocka_unit_test(degrees_are_rounded_once),        cmocka_unit_test(touching_is_exact),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
