/* t472-triples-store.c: every value of triplets at its position, against plain loops, on every device: ranges, offsets, streams.
 *
 * SPDX-License-Identifier: MIT */
#include "triples_stored.h"

static void check_values(wedge_device *dev, const problem *p) {
    double close = p->dtype == WEDGE_F64 ? 1e-9 : 2e-3;
    char *values = store_all(dev, p);
    uint64_t w = 0;
    EACH_TRIPLET(p, i, j, k) {
        double got = number_at(p, values, w++), want = value_of(p, i, j, k);
        double a = distance(p, i, j), b = distance(p, i, k), c = distance(p, j, k);
        double scale = strcmp(p->op, "axilrod_teller") ? 8 : fabs(want) + 8 * p->nu / pow(a * b * c, 3);
        if (!(fabs(got - want) <= close * scale))
            fail_msg("%s of %d points at (%d, %d, %d): %.17g, not %.17g", p->op, (int)p->n, (int)i, (int)j, (int)k, got,
                     want);
    }
    assert_int_equal(w, cells_of(p));
    free(values);
}

static void every_value_is_at_its_position_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 34, 63, 64, 65, 66, 97, 130, 147};
    static const char *const ops[] = {"perimeter", "axilrod_teller", "area", "axilrod_teller"};
    for (int op = 0; op < (compiles_slowly(dev) ? 1 : 4); ++op)
        for (int k = 0; k < 16; ++k) {
            problem p = random_points(ops[op], op % 2 ? WEDGE_F64 : WEDGE_F32, sizes[k], op == 3 ? 4 : 3, (uint32_t)k);
            if (op == 2) p.dtype = k % 2 ? WEDGE_F64 : WEDGE_F32, p = random_points(ops[op], p.dtype, sizes[k], 2, 3);
            if (is_possible(dev, &p)) check_values(dev, &p);
            if (op % 2) continue; /* where two atoms are one, energies are infinite */
            p.packed = true;
            if (is_possible(dev, &p)) check_values(dev, &p);
        }
}

/* What summary sees: its extremes are values that are stored, at their cells. */
static void summary_sees_what_is_stored_on(wedge_device *dev) {
    if (compiles_slowly(dev)) NOTHING_HERE("the kernel of another sink, for seconds");
    for (uint32_t seed = 0; seed < 2; ++seed) {
        problem p = some_points(dev, 101, seed);
        p.packed = seed;
        char *values = store_all(dev, &p);
        wedge_summary s = {.size = sizeof s};
        wedge_job *job = job_of(dev, &p, "summary", NULL, 0);
        wedge_result r = {.size = sizeof r, .values = &s};
        double least = INFINITY, most = -INFINITY, sum = 0;
        assert_ok(dev, wedge_job_run(job, 0, cells_of(&p), &r, NULL, NULL));
        for (uint64_t w = 0; w < cells_of(&p); ++w) {
            double v = number_at(&p, values, w);
            least = fmin(least, v), most = fmax(most, v), sum += v;
        }
        assert_true(s.min == least && s.max == most && fabs(s.sum - sum) <= 1e-6 * sum);
        assert_true(number_at(&p, values, position_of(&p, s.min_i, s.min_j, s.min_k)) == least);
        assert_true(number_at(&p, values, position_of(&p, s.max_i, s.max_j, s.max_k)) == most);
        wedge_job_destroy(job);
        free(values);
    }
}

static bool go_on(void *user, double done) { return ++*(int *)user && done >= 0 && done <= 1; }

/* Ranges that cut rows anywhere, into either memory; by the other map; with progress. */
static void every_range_stores_the_same_bytes_on(wedge_device *dev) {
    for (uint32_t seed = 0; seed < 2; ++seed) {
        problem p = some_points(dev, 99, seed);
        p.packed = seed;
        char *all = store_all(dev, &p);
        if (!compiles_slowly(dev)) p.map = "walk";
        wedge_job *job = job_of(dev, &p, "store", NULL, 0);
        uint64_t cells = cells_of(&p);
        for (uint64_t k = 0; k < 24; ++k) {
            uint64_t begin = (uint64_t)(chance(1, k) * (double)cells), end = begin;
            while (end < cells && chance(2, end) > (k % 3 ? 1e-4 : 0.1)) ++end;
            if (k == 0) begin = 0, end = 1;
            if (k == 1) begin = cells - 1, end = cells;
            if (k == 2) begin = end = 77;
            char *some = store_range(dev, job, &p, begin, end, k % 2 ? WEDGE_ON_DEVICE : WEDGE_ON_HOST);
            assert_memory_equal(some, all + begin * size_of(&p), (end - begin) * size_of(&p));
            free(some);
        }
        int calls = 0;
        char *told = malloc(cells * size_of(&p));
        assert_ok(dev, run_values(job, 0, cells, told, WEDGE_ON_HOST, go_on, &calls));
        assert_true(calls > 0);
        assert_memory_equal(told, all, cells * size_of(&p));
        wedge_job_destroy(job);
        free(told);
        free(all);
    }
}

typedef struct {
    const char *want;
    size_t size;
    uint64_t at;
    int pieces;
} reader;

static wedge_status read_values(void *user, const wedge_piece *piece) {
    reader *r = user;
    assert_int_equal(piece->begin, r->at);
    assert_int_equal(piece->count, piece->end - piece->begin);
    assert_memory_equal(piece->values, r->want + r->at * r->size, piece->count * r->size);
    r->at = piece->end;
    ++r->pieces;
    return WEDGE_OK;
}

static void values_are_streamed_on(wedge_device *dev) {
    problem p = some_points(dev, 130, 2);
    char *all = store_all(dev, &p);
    wedge_job *job = job_of(dev, &p, "store", NULL, 0);
    reader r = {.want = all, .size = size_of(&p), .at = 1234};
    assert_ok(dev, wedge_job_stream(job, 1234, cells_of(&p) - 7, 3 * 65536, read_values, &r, NULL, NULL));
    assert_int_equal(r.at, cells_of(&p) - 7);
    assert_true(r.pieces >= 10);
    wedge_job_destroy(job);
    free(all);
}

static void a_cutoff_is_refused_on(wedge_device *dev) {
    const double box[] = {9, 9, 9};
    refuse(dev, (wedge_job_spec){.sink = "store", .cutoff = 2}, WEDGE_UNSUPPORTED, "use select or summary");
    refuse(dev, (wedge_job_spec){.sink = "store", .box = box}, WEDGE_UNSUPPORTED, "use select or summary");
}

ON_EVERY_DEVICE(every_value_is_at_its_position)
ON_EVERY_DEVICE(summary_sees_what_is_stored)
ON_EVERY_DEVICE(every_range_stores_the_same_bytes)
ON_EVERY_DEVICE(values_are_streamed)
ON_EVERY_DEVICE(a_cutoff_is_refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_at_its_position),
        cmocka_unit_test(summary_sees_what_is_stored),
        cmocka_unit_test(every_range_stores_the_same_bytes),
        cmocka_unit_test(values_are_streamed),
        cmocka_unit_test(a_cutoff_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
