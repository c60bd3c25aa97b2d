/* t423-values.c: ops of several values a pair: where each value lies, in every layout, on every way to memory, and what
 * sinks make of them. Coordinates are multiples of 1/64, so that sums and differences are exact on every device.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks_problem.h"

extern const op_def op_test_values_def;

enum { SCALE = 3 };

/* Value w of the cell of points i and j. */
static double want_of(const problem *p, const op_def *op, uint64_t i, uint64_t j, uint32_t w) {
    double difference = 0, size = 0, first = 0, square = 0;
    for (uint64_t f = 0; f < p->pairs.d; ++f) {
        double a = at(p, i, f), b = at(p, j, f);
        difference += a - b, size += fabs(a - b), first += a, square += (a - b) * (a - b);
    }
    if (op == &op_test_values_def) return w == 0 ? difference : w == 1 ? size : SCALE * first;
    return w ? at(p, j, w - 1) - at(p, i, w - 1) : p->pairs.dtype ? sqrt(square) : (double)sqrtf((float)square);
}

static problem problem_of(const op_def *op, wedge_layout layout, wedge_dtype dtype, uint64_t n, uint64_t d) {
    static const wedge_parameter scale = WEDGE_NUMBER("scale", SCALE);
    bool own = op == &op_test_values_def;
    problem p = make_problem(own ? "cityblock" : op->info.name, layout, dtype, n, own ? d : 3);
    if (own) p.pairs.parameters = &scale, p.pairs.parameter_count = 1;
    return p;
}

static void check_cells(const problem *p, const op_def *op, const void *out) {
    const wedge_job_spec *q = &p->pairs;
    domain l = {domain_find(q->layout), q->n, domain_find(q->layout)->two_sets ? q->m : q->n};
    for (uint64_t i = 0; i < l.kind->rows(&l); ++i) {
        columns c = l.kind->columns(&l, i);
        for (uint64_t j = c.first; j <= c.last; ++j)
            for (uint32_t w = 0; w < op->info.values; ++w) {
                uint64_t k = (l.kind->start(&l, i) + j - c.first) * op->info.values + w;
                double got = q->dtype ? ((const double *)out)[k] : ((const float *)out)[k];
                double want = want_of(p, op, i, j + (l.kind->two_sets ? q->n : 0), w);
                if (got != want)
                    fail_msg("%s layout %d dtype %d n %d d %d, cell (%d, %d), value %d: %.17g, not %.17g",
                             op->info.name, (int)q->layout, (int)q->dtype, (int)q->n, (int)q->d, (int)i, (int)j, (int)w,
                             got, want);
            }
    }
}

typedef struct {
    char *out;
    size_t cell;
    uint64_t pieces;
} taken;

static wedge_status take(void *user, const wedge_piece *piece) {
    taken *t = user;
    memcpy(t->out + piece->begin * t->cell, piece->values, piece->count * t->cell);
    ++t->pieces;
    return WEDGE_OK;
}

/* All cells in one run, in pieces of any length between guards, and streamed in little memory. */
static void every_way(wedge_device *dev, const op_def *op, wedge_layout layout, wedge_dtype dtype, uint64_t n,
                      uint64_t d, uint32_t tile) {
    problem p = problem_of(op, layout, dtype, n, d);
    wedge_job *job;
    p.pairs.tile = dev->backend->compile ? tile : 0;
    assert_ok(dev, job_create(dev, &p.pairs, op, &job));
    const wedge_job_info *info = wedge_job_get_info(job);
    size_t cell = op->info.values * (dtype ? 8 : 4);
    uint64_t bytes = info->bytes;
    assert_int_equal(info->values, op->info.values);
    assert_int_equal(bytes, info->cells * cell);
    char *out = malloc(bytes + 64);
    memset(out, 0x5A, bytes + 64);
    assert_ok(dev, run_values(job, 0, info->cells, out, WEDGE_ON_HOST, NULL, NULL));
    check_cells(&p, op, out);
    assert_untouched(out + bytes, 64);
    memset(out, 0x5A, bytes);
    for (uint64_t begin = 0, step = 1; begin < info->cells; begin += step, step = step * 2 + 1) {
        uint64_t end = begin + step < info->cells ? begin + step : info->cells;
        assert_ok(dev, run_values(job, begin, end, out + begin * cell, WEDGE_ON_HOST, NULL, NULL));
    }
    check_cells(&p, op, out);
    assert_untouched(out + bytes, 64);
    memset(out, 0x5A, bytes);
    taken t = {.out = out, .cell = cell};
    assert_ok(dev, wedge_job_stream(job, 0, info->cells, 3 * 4096, take, &t, NULL, NULL));
    check_cells(&p, op, out);
    if (bytes > 3 * 4096) assert_true(t.pieces > 1);
    free(out);
    wedge_job_destroy(job);
    free(p.points);
}

static void every_value_has_its_place_on(wedge_device *dev) {
    static const wedge_layout layouts[] = {WEDGE_CONDENSED, WEDGE_PACKED, WEDGE_SQUARE, WEDGE_RECTANGLE};
    static const uint64_t sizes[] = {1, 2, 33, 130, 300};
    bool slow = compiles_slowly(dev);
    for (unsigned k = 0; k < 24; ++k) {
        const op_def *op = k % 3 ? &op_test_values_def : op_find("displacement");
        wedge_dtype dtype = k / 3 % 2;
        if ((dtype && !dev->info.has_double) || (slow && k % 7 && k != 3)) continue;
        for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; ++n)
            every_way(dev, op, layouts[k / 6], dtype, sizes[n], k % 3 == 2 ? 20 : 3, k % 3 == 2 ? 32 : 128);
    }
}

static void every_value_has_its_place(void **state) {
    (void)state;
    on_every_device(every_value_has_its_place_on);
}

/* On the cpu: at every instruction set, more than goes through the cache. */
static void large_results_on(wedge_device *dev) {
    for (int dtype = 0; dtype < 2; ++dtype) {
        every_way(dev, op_find("displacement"), WEDGE_CONDENSED, dtype, 1100, 3, 0);
        every_way(dev, &op_test_values_def, WEDGE_SQUARE, dtype, 701, 40, 0);
    }
}

static void large_results_at_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, large_results_on);
}

/* ---- Device memory ---- */

/* Cells from an offset on: taken where it is of whole cells and, where memory has addresses, of 16 bytes. */
static void device_memory_on(wedge_device *dev) {
    const op_def *op = &op_test_values_def;
    problem p = problem_of(op, WEDGE_PACKED, WEDGE_F32, 70, 3);
    wedge_job *job;
    void *memory;
    assert_ok(dev, job_create(dev, &p.pairs, op, &job));
    uint64_t cells = wedge_job_get_info(job)->cells, bytes = wedge_job_get_info(job)->bytes;
    char *out = malloc(bytes);
    assert_ok(dev, wedge_memory_create(dev, bytes + 96, &memory));
    wedge_result r = {.size = sizeof r, .values = memory, .values_offset = 48, .place = WEDGE_ON_DEVICE};
    assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    assert_ok(dev, wedge_memory_read(dev, out, memory, 48, bytes));
    check_cells(&p, op, out);
    r.values_offset = 4;
    if (dev->backend->compile) {
        assert_int_equal(wedge_job_run(job, 0, cells, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
        assert_non_null(strstr(wedge_device_message(dev), "3 values a cell: their memory must begin at a multiple of"));
    } else {
        assert_ok(dev, wedge_job_run(job, 0, cells, &r, NULL, NULL));
    }
    wedge_memory_destroy(dev, memory);
    wedge_job_destroy(job);
    free(out);
    free(p.points);
}

static void device_memory_takes_whole_cells(void **state) {
    (void)state;
    on_every_device(device_memory_on);
}

/* ---- Sinks ---- */

/* count, summary and histogram take the first value; select compares it and gives all. */
static void sinks_take_the_first_on(wedge_device *dev) {
    for (unsigned k = 0; k < 4; ++k) {
        if (compiles_slowly(dev) && k) continue;
        problem p = make_problem("displacement", k / 2 ? WEDGE_CONDENSED : WEDGE_RECTANGLE,
                                 dev->info.has_double ? k % 2 : 0, 130, 3);
        check_sinks(dev, &p, CHECK_ALL, k, 4);
        free(p.points);
    }
}

/* A list so long that it comes in parts: the values of each pair are beside it in every one. */
static void long_lists_on(wedge_device *dev) {
    enum { N = 2200, CELLS = N * (N - 1) / 2 };
    const wedge_parameter all = WEDGE_NUMBER("radius", INFINITY);
    problem p = make_problem("displacement", WEDGE_CONDENSED, WEDGE_F32, N, 3);
    wedge_job *job = sink_job(dev, &p.pairs, "select", &all, 1);
    float *values = malloc(CELLS * sizeof(float[4]));
    wedge_result r = {.size = sizeof r, .values = values, .room = CELLS};
    assert_ok(dev, wedge_job_run(job, 0, CELLS, &r, NULL, NULL));
    assert_int_equal(r.count, CELLS);
    check_cells(&p, op_find("displacement"), values);
    wedge_job_destroy(job);
    free(values);
    free(p.points);
}

static void long_lists_have_all_values(void **state) {
    (void)state;
    on_every_device(long_lists_on);
}

static void sinks_take_the_first(void **state) {
    (void)state;
    on_every_device(sinks_take_the_first_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_has_its_place),       cmocka_unit_test(large_results_at_every_instruction_set),
        cmocka_unit_test(device_memory_takes_whole_cells), cmocka_unit_test(sinks_take_the_first),
        cmocka_unit_test(long_lists_have_all_values),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
