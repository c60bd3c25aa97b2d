/* t460-scatter.c: the sums of rows are those of plain loops over stored values, and the same bytes however rows are run.
 *
 * SPDX-License-Identifier: MIT */
#include "prune_problem.h"

static uint64_t columns_of(const problem *p) { return p->pairs.layout == WEDGE_RECTANGLE ? p->pairs.m : p->pairs.n; }

static bool is_bounded(const problem *p, double radius) {
    return isfinite(radius) && wedge_op_find(p->pairs.op)->bounded && p->pairs.d <= 64;
}

static wedge_job *scatter_job(wedge_device *dev, const problem *p, double radius) {
    const wedge_parameter set = WEDGE_NUMBER("radius", radius);
    return sink_job(dev, &p->pairs, "scatter", &set, isinf(radius) ? 0 : 1); /* infinity is what it begins with */
}

typedef struct {
    char *values;
    int64_t *counts;
    size_t bytes; /* of the values of a row */
} sums;

static sums sums_new(const problem *p) {
    sums s = {.bytes = values_each(p) * (p->pairs.dtype == WEDGE_F64 ? 8 : 4)};
    s.values = malloc(p->pairs.n * s.bytes), s.counts = malloc(p->pairs.n * 8);
    memset(s.values, GUARD, p->pairs.n * s.bytes), memset(s.counts, GUARD, p->pairs.n * 8);
    return s;
}

static void sums_free(sums *s) {
    free(s->values);
    free(s->counts);
}

/* Rows [first, past) to their place among all. */
static void run_rows(wedge_device *dev, wedge_job *job, const problem *p, sums *s, uint64_t first, uint64_t past) {
    wedge_result r = {
        .size = sizeof r, .values = s->values + first * s->bytes, .counts = s->counts + first, .room = past - first};
    assert_ok(dev, wedge_job_run(job, first * columns_of(p), past * columns_of(p), &r, NULL, NULL));
    assert_int_equal(r.count, past - first);
}

static double number_at(const problem *p, const void *numbers, uint64_t k) {
    return p->pairs.dtype == WEDGE_F64 ? ((const double *)numbers)[k] : (double)((const float *)numbers)[k];
}

/* A leaf's sum is off by at most 12 roundings of its numbers, and the result by one of its own. */
static void check_row(const problem *p, const cell_list *c, const sums *s, uint64_t row, double radius) {
    uint64_t m = columns_of(p), values = values_each(p);
    double unit = p->pairs.dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24;
    int64_t count = 0;
    long double sum[MOST_VALUES] = {0}, size[MOST_VALUES] = {0};
    for (uint64_t j = 0; j < m; ++j) {
        uint64_t k = row * m + j;
        if ((p->pairs.layout == WEDGE_SQUARE && j == row) || c->v[k] > radius_of(c, radius)) continue;
        ++count;
        for (uint64_t w = 0; w < values; ++w) {
            double x = number_at(p, c->raw, k * values + w);
            sum[w] += (long double)x, size[w] += fabsl((long double)x);
        }
    }
    if (s->counts[row] != count)
        fail_msg(CASE "row %d: %lld cells, not %lld", SAY_CASE(c), (int)row, (long long)s->counts[row],
                 (long long)count);
    for (uint64_t w = 0; w < values; ++w) {
        double got = number_at(p, s->values, row * values + w);
        bool same = isfinite((double)sum[w]) ? fabsl((long double)got - sum[w]) <= 16 * unit * (double)size[w]
                    : isnan((double)sum[w])  ? isnan(got)
                                             : (long double)got == sum[w];
        if (!same) fail_msg(CASE "row %d value %d: %.17g, not %.17Lg", SAY_CASE(c), (int)row, (int)w, got, sum[w]);
    }
}

/* Against plain loops, and in two other ways: some rows at a time, and on a stream. */
typedef struct {
    const sums *want;
    uint64_t row, m, values_bytes;
    int pieces;
} reader;

static wedge_status take(void *user, const wedge_piece *piece) {
    reader *r = user;
    assert_int_equal(piece->begin, r->row * r->m);
    assert_int_equal(piece->end, piece->begin + piece->count * r->m);
    assert_memory_equal(piece->values, r->want->values + r->row * r->want->bytes, piece->count * r->want->bytes);
    assert_memory_equal(piece->counts, r->want->counts + r->row, piece->count * 8);
    r->row += piece->count, ++r->pieces;
    return WEDGE_OK;
}

static void check_sums_as(wedge_device *dev, const problem *p, double radius, const cell_list *c, sums *all) {
    uint64_t n = p->pairs.n;
    sums some = sums_new(p);
    wedge_job *job = scatter_job(dev, p, radius);
    run_rows(dev, job, p, all, 0, n);
    for (uint64_t row = 0; row < n; ++row) check_row(p, c, all, row, radius);
    for (uint64_t row = 0, step = 1; row < n; row += step, step = step % 37 + 5)
        run_rows(dev, job, p, &some, row, n - row < step ? n : row + step);
    assert_memory_equal(some.values, all->values, n * all->bytes);
    assert_memory_equal(some.counts, all->counts, n * 8);
    reader r = {.want = all, .m = columns_of(p)};
    assert_ok(dev, wedge_job_stream(job, 0, n * columns_of(p), 40 * (8 + all->bytes), take, &r, NULL, NULL));
    assert_int_equal(r.row, n);
    assert_int_equal(r.pieces, (n + 39) / 40);
    wedge_job_destroy(job);
    sums_free(&some);
}

/* With tiles left out it is the same bytes. */
static void check_sums(wedge_device *dev, problem *p, double radius) {
    cell_list c = list_cells(dev, p);
    sums all = sums_new(p), pruned = sums_new(p);
    p->pairs.prune = WEDGE_PRUNE_NEVER;
    check_sums_as(dev, p, radius, &c, &all);
    if (is_bounded(p, radius)) {
        p->pairs.prune = WEDGE_PRUNE_ALWAYS;
        check_sums_as(dev, p, radius, &c, &pruned);
        assert_memory_equal(pruned.values, all.values, p->pairs.n * all.bytes);
        assert_memory_equal(pruned.counts, all.counts, p->pairs.n * 8);
    }
    p->pairs.prune = WEDGE_PRUNE_AUTO;
    sums_free(&all), sums_free(&pruned);
    free_cells(&c);
}

static void check_problem(wedge_device *dev, const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t n,
                          uint64_t d, double radius) {
    problem p = make_problem(op, layout, dtype, n, fitting(op, d));
    check_sums(dev, &p, radius);
    free(p.points);
}

static void sums_are_right_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 31, 33, 64, 65, 130, 600};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        check_problem(dev, "gravity", WEDGE_SQUARE, WEDGE_F32, sizes[k], 4, INFINITY);
        check_problem(dev, "euclidean", WEDGE_RECTANGLE, WEDGE_F32, sizes[k], 3, k % 2 ? 6.5 : INFINITY);
        check_problem(dev, "displacement", WEDGE_SQUARE, WEDGE_F64, sizes[k], 3, k % 2 ? 8 : INFINITY);
    }
    check_problem(dev, "gravity", WEDGE_RECTANGLE, WEDGE_F64, 301, 4, INFINITY);
    check_problem(dev, "cityblock", WEDGE_SQUARE, WEDGE_F32, 200, 64, 300);
    check_problem(dev, "cosine", WEDGE_SQUARE, WEDGE_F64, 150, 9, 0.75);
}

static void sums_are_right(void **state) {
    (void)state;
    on_every_device(sums_are_right_on);
}

static void sums_are_right_with_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set("3", sums_are_right_on);
}

/* Every kind of points, with radii that some pairs are exactly apart; sums of huge numbers overflow, and are left out. */
static void tiles_can_be_left_out_on(wedge_device *dev) {
    for (unsigned k = 0; k < 2 * DATA_SETS; ++k) {
        const data_set *set = &data_sets[k % DATA_SETS];
        if (set->at == huge) continue;
        problem p = prune_problem("euclidean", NULL, k % 2 ? WEDGE_SQUARE : WEDGE_RECTANGLE,
                                  k < DATA_SETS ? WEDGE_F32 : WEDGE_F64, 350, 3, set);
        cell_list c = list_cells(dev, &p);
        double radius = c.v[c.count / 3 + 17 * k];
        check_sums(dev, &p, isfinite(radius) ? radius : 1);
        if (k % 5 == 0) check_sums(dev, &p, 0);
        free_cells(&c);
        free(p.points);
    }
}

static void tiles_can_be_left_out(void **state) {
    (void)state;
    on_every_device(tiles_can_be_left_out_on);
}

/* A run in which most tiles are beyond reach, and what is asked for makes no difference. */
static void most_tiles_are_left_out_on(wedge_device *dev) {
    problem p = prune_problem("euclidean", NULL, WEDGE_SQUARE, WEDGE_F32, 3000, 3, &data_sets[2]); /* clustered */
    sums s[3] = {sums_new(&p), sums_new(&p), sums_new(&p)};
    for (int prune = WEDGE_PRUNE_AUTO; prune <= WEDGE_PRUNE_ALWAYS; ++prune) {
        p.pairs.prune = (wedge_prune)prune;
        wedge_job *job = scatter_job(dev, &p, 0.25);
        run_rows(dev, job, &p, &s[prune], 0, p.pairs.n);
        const wedge_job_info *info = wedge_job_get_info(job);
        if (prune == WEDGE_PRUNE_ALWAYS) assert_true(info->computed > p.pairs.n && info->computed < info->cells / 2);
        assert_memory_equal(s[prune].values, s[0].values, p.pairs.n * s[0].bytes);
        assert_memory_equal(s[prune].counts, s[0].counts, p.pairs.n * 8);
        wedge_job_destroy(job);
    }
    p.pairs.sink = "scatter"; /* without a radius */
    wedge_job *job;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_UNSUPPORTED);
    for (int k = 0; k < 3; ++k) sums_free(&s[k]);
    free(p.points);
}

static void most_tiles_are_left_out(void **state) {
    (void)state;
    on_every_device(most_tiles_are_left_out_on);
}

/* One pair each: what a body does to another is what that one does to it. */
static void forces_are_opposite_on(wedge_device *dev) {
    problem p = make_problem("gravity", WEDGE_SQUARE, WEDGE_F32, 2, 4);
    sums s = sums_new(&p);
    wedge_job *job = scatter_job(dev, &p, INFINITY);
    run_rows(dev, job, &p, &s, 0, 2);
    const float *f = (const float *)(const void *)s.values;
    assert_true(f[0] == f[4] && f[1] == -f[5] && f[2] == -f[6] && f[3] == -f[7]);
    wedge_job_destroy(job);
    sums_free(&s);
    free(p.points);
}

static void forces_are_opposite(void **state) {
    (void)state;
    on_every_device(forces_are_opposite_on);
}

/* Infinity and NaN are sums like others; small numbers are not lost beside a large one. */
static void odd_numbers_are_added_on(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_RECTANGLE, WEDGE_F32, 40, 3);
    set_number(&p, 3, 1, INFINITY);
    set_number(&p, 5, 0, (double)NAN);
    check_sums(dev, &p, INFINITY);
    check_sums(dev, &p, 4);
    free(p.points);
    p = make_problem("cityblock", WEDGE_RECTANGLE, WEDGE_F32, 1, 1);
    free(p.points);
    enum { M = 70000 };
    float *x = malloc((M + 1) * sizeof *x), got = 0;
    for (int k = 0; k <= M; ++k) x[k] = k == 0 ? 0 : k == 1 ? 0x1p24f : 0.01f;
    p.pairs.points = x, p.pairs.others = x + 1, p.pairs.m = M;
    wedge_job *job = scatter_job(dev, &p, INFINITY);
    wedge_result r = {.size = sizeof r, .values = &got, .room = 1};
    assert_ok(dev, wedge_job_run(job, 0, M, &r, NULL, NULL));
    assert_true(fabs((double)got - (0x1p24 + 0.01 * (M - 1))) <= 4); /* the first leaf lost some */
    wedge_job_destroy(job);
    free(x);
}

static void odd_numbers_are_added(void **state) {
    (void)state;
    on_every_device(odd_numbers_are_added_on);
}

static bool stop_at_once(void *user, double done) {
    (void)user, (void)done;
    return false;
}

static void what_cannot_be_is_refused_on(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_SQUARE, WEDGE_F32, 70, 3);
    sums s = sums_new(&p);
    wedge_job *job = scatter_job(dev, &p, INFINITY);
    wedge_result r = {.size = sizeof r, .counts = s.counts, .room = 69};
    assert_int_equal(wedge_job_boundary(job, 3 * 70 + 69), 3 * 70);
    assert_int_equal(wedge_job_run(job, 0, 70 * 70, &r, NULL, NULL), WEDGE_TOO_SMALL);
    assert_int_equal(r.count, 70);
    r.room = r.count;
    assert_int_equal(wedge_job_run(job, 1, 70 * 70, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_job_run(job, 0, 70 * 70 - 1, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_job_run(job, 0, 70 * 70, &r, stop_at_once, NULL), WEDGE_STOPPED);
    assert_ok(dev, wedge_job_run(job, 70, 70, &r, NULL, NULL));
    assert_int_equal(r.count, 0);
    assert_ok(dev, wedge_job_run(job, 0, 70 * 70, &r, NULL, NULL));
    for (int k = 0; k < 70; ++k) assert_int_equal(s.counts[k], 69);
    r.counts = NULL;
    assert_int_equal(wedge_job_run(job, 0, 70 * 70, &r, NULL, NULL), WEDGE_BAD_ARGUMENT);
    wedge_job_destroy(job);
    const wedge_parameter nan = WEDGE_NUMBER("radius", (double)NAN);
    p.pairs.sink = "scatter";
    p.pairs.layout = WEDGE_CONDENSED;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    p.pairs.layout = WEDGE_SQUARE, p.pairs.sink_parameters = &nan, p.pairs.sink_parameter_count = 1;
    assert_int_equal(wedge_job_create(dev, &p.pairs, &job), WEDGE_BAD_ARGUMENT);
    sums_free(&s);
    free(p.points);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    on_every_device(what_cannot_be_is_refused_on);
}

/* ---- What wedge.h promises of sums ---- */

/* Numbers whose sums a long double holds: large ones cancel within a leaf, or in another one; exponents far apart. */
static double cancelling(uint64_t x) {
    switch (x / 64) {
        case 0:
            return x == 0 ? 1e17 : x == 1 ? -1e17 : 1;
        case 1:
            return x == 64 ? 0x1p40 : x == 127 ? -0x1p40 : x == 65 ? 0x1.8p20 : x < 96 ? 0 : -1;
        case 2:
            return x % 2 ? -0x1p-3 * (double)x : 0x1p30;
        default:
            return ldexp(1 + chance(x, 1), (int)choice(x, 40) - 20) * (x % 3 ? 1 : -1);
    }
}

typedef struct {
    long double sum, size;
} whole;

/* The product of the row's number, a power of 2, and the column's: no op rounds it. */
static whole sum_of_row(const problem *p, uint64_t row) {
    whole w = {0, 0};
    for (uint64_t j = 0; j < p->pairs.m; ++j) {
        const long double x = (long double)at(p, row, 0) * (long double)at(p, p->pairs.n + j, 0);
        w.sum += x, w.size += fabsl(x);
    }
    return w;
}

static void check_promise(const char *what, double got, whole want, double unit, double last) {
    const long double most = 10 * unit * want.size + last * fabsl(want.sum);
    if (!(fabsl((long double)got - want.sum) <= most))
        fail_msg("%s: %.17g, not %.17Lg: off by more than %.3Lg", what, got, want.sum, most);
}

static void check_cancelling(wedge_device *dev, wedge_dtype dtype, uint64_t first, uint64_t m) {
    const double unit = dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24;
    problem p = make_problem("dot", WEDGE_RECTANGLE, dtype, 3, 1);
    p.pairs.m = m;
    free(p.points);
    p.points = malloc((3 + m) * 8);
    p.pairs.points = p.points, p.pairs.others = (char *)p.points + 3 * (dtype == WEDGE_F64 ? 8 : 4);
    for (uint64_t x = 0; x < 3 + m; ++x) set_number(&p, x, 0, x < 3 ? ldexp(1, (int)x) : cancelling(first + x - 3));
    sums s = sums_new(&p);
    wedge_job *job = scatter_job(dev, &p, INFINITY);
    run_rows(dev, job, &p, &s, 0, 3);
    wedge_job_destroy(job);
    whole all = {0, 0};
    for (uint64_t row = 0; row < 3; ++row) {
        const whole w = sum_of_row(&p, row);
        check_promise("scatter", number_at(&p, s.values, row), w, unit, unit);
        all.sum += w.sum, all.size += w.size;
    }
    wedge_summary got = {.size = sizeof got};
    run_sink(dev, sink_job(dev, &p.pairs, "summary", NULL, 0), &got);
    check_promise("summary", got.sum, all, unit, 0x1p-53);
    sums_free(&s);
    free(p.points);
}

static void a_leaf_is_off_by_ten_roundings_on(wedge_device *dev) {
    for (wedge_dtype dtype = WEDGE_F32; dtype <= (dev->info.has_double ? WEDGE_F64 : WEDGE_F32); ++dtype) {
        check_cancelling(dev, dtype, 0, 32);
        if (dtype == WEDGE_F32 && compiles_slowly(dev)) continue;
        check_cancelling(dev, dtype, 0, 999);
        check_cancelling(dev, dtype, 64, 64);
    }
}

static void a_leaf_is_off_by_ten_roundings(void **state) {
    (void)state;
    on_every_device(a_leaf_is_off_by_ten_roundings_on);
}

static void a_leaf_is_off_by_ten_roundings_with_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, a_leaf_is_off_by_ten_roundings_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right),
        cmocka_unit_test(sums_are_right_with_every_instruction_set),
        cmocka_unit_test(tiles_can_be_left_out),
        cmocka_unit_test(most_tiles_are_left_out),
        cmocka_unit_test(forces_are_opposite),
        cmocka_unit_test(odd_numbers_are_added),
        cmocka_unit_test(a_leaf_is_off_by_ten_roundings),
        cmocka_unit_test(a_leaf_is_off_by_ten_roundings_with_every_instruction_set),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
