/* t445-odd-values.c: sinks with values that are not like others: NaN, infinities, sums that overflow, zeros, equals; at every
 * instruction set of the cpu.
 *
 * SPDX-License-Identifier: MIT */
#include "sinks_problem.h"

/* Points of one number whose products are NaN, infinite of both signs, zeros of both signs, huge and tiny. */
static void fill_odd(problem *p, const float *odd, int count, uint64_t from) {
    for (uint64_t x = from; x < p->pairs.n; ++x) {
        float v = odd[x % (uint64_t)count];
        for (uint64_t f = 0; f < p->pairs.d; ++f)
            if (p->pairs.dtype == WEDGE_F64)
                ((double *)p->points)[x * p->pairs.d + f] = (double)v;
            else
                ((float *)p->points)[x * p->pairs.d + f] = v;
    }
}

/* NaN, both infinities and zeros of both signs: in places, everywhere, and after many other values. */
static void odd_values_are_counted_on(wedge_device *dev) {
    static const float mixed[] = {1e30f, -2e30f, 0, -0.0f, 3, 1e-30f, NAN}, above[] = {1e30f, 1, 2},
                       below[] = {-1e30f, 1e30f, 0, 5}, nothing[] = {NAN}, zeros[] = {-0.0f, 0.0f};
    static const struct {
        const float *odd;
        int count;
        uint64_t n, from;
    } cases[] = {{mixed, 7, 40, 0}, {mixed, 7, 300, 290}, {mixed, 7, 257, 0},  {above, 3, 70, 35},
                 {below, 4, 70, 0}, {nothing, 1, 70, 0},  {nothing, 1, 70, 1}, {zeros, 2, 70, 0}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; ++k) {
        problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, cases[k].n, 1);
        fill_odd(&p, cases[k].odd, cases[k].count, cases[k].from);
        check_sinks(dev, &p, CHECK_ALL, k, 4);
        free(p.points);
    }
}

static void odd_values_are_counted(void **state) {
    (void)state;
    on_every_device(odd_values_are_counted_on);
}

/* The sum of 32 values is beyond the largest float, that of all is a double. */
static void leaves_that_overflow_are_added_one_by_one_on(wedge_device *dev) {
    static const float huge[] = {0x1p63f}, both[] = {0x1p63f, -0x1p63f, 0x1p62f};
    for (int k = 0; k < 2; ++k) {
        problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 200, 1);
        fill_odd(&p, k ? both : huge, k ? 3 : 1, 0);
        cell_list c = list_cells(dev, &p);
        assert_true(isfinite(c.v[0]) && fabs(c.v[0]) > 1e37);
        check_summary(dev, &c, true);
        free_cells(&c);
        free(p.points);
    }
}

static void leaves_that_overflow_are_added_one_by_one(void **state) {
    (void)state;
    on_every_device(leaves_that_overflow_are_added_one_by_one_on);
}

/* All values 0: every pair is within radius 0, all are in one bin, the first cell is both extremes. */
static void check_zeros(wedge_device *dev, problem *p, float point) {
    fill_odd(p, &point, 1, 0);
    cell_list c = list_cells(dev, p);
    assert_int_equal(within(&c, 0), p->pairs.n * (p->pairs.n - 1) / 2);
    check_count(dev, &c, 0);
    check_count(dev, &c, -0x1p-149);
    check_select(dev, &c, 0);
    check_summary(dev, &c, true);
    check_even_bins(dev, &c, 0, 1, 10);
    check_even_bins(dev, &c, -1, 0, 10);
    free_cells(&c);
    free(p->points);
}

static void equal_points_are_all_within_0_on(wedge_device *dev) {
    problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 257, 1);
    check_zeros(dev, &p, 0);
    if (compiles_slowly(dev)) return;
    p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, 257, 3);
    check_zeros(dev, &p, 1.25f);
}

static void equal_points_are_all_within_0(void **state) {
    (void)state;
    on_every_device(equal_points_are_all_within_0_on);
}

/* Rows are worked on some columns at a time: (1, 5) is met before (0, 1500), and is not the first of the two in order of
 * position. Once both are the smallest, once the largest; nothing else in the leaf of (0, 1500) is either. */
static void check_work_by_columns(wedge_device *dev) {
    static const float rows[2][3] = {{0, 1000, 5000}, {0, 1000, 500}},
                       columns[2][4] = {{1000, 0, 20000, 9000}, {-2000, 3000, 500, 500}};
    for (int k = 0; k < 4; ++k) {
        int most = k % 2, dtype = dev->info.has_double ? k / 2 : 0;
        problem p = make_problem("cityblock", WEDGE_RECTANGLE, dtype, 801, 1);
        for (uint64_t x = 0; x < 801 + p.pairs.m; ++x) {
            uint64_t y = x - 801;
            float v = x < 801 ? rows[most][x < 2 ? x : 2] : columns[most][y == 5 ? 0 : y == 1500 ? 1 : y == 6 ? 2 : 3];
            if (dtype)
                ((double *)p.points)[x] = (double)v;
            else
                ((float *)p.points)[x] = v;
        }
        cell_list c = list_cells(dev, &p);
        uint64_t first = first_extreme(&c, most ? -1 : 1), other = p.pairs.m + 5;
        assert_true(c.i[first] == 0 && c.j[first] == 1500 && c.v[first] == c.v[other]);
        check_summary(dev, &c, true);
        free_cells(&c);
        free(p.points);
    }
}

/* Devices go backwards, and rows that a thread has one after another are multiples of 32 apart. Such rows of ones have equals
 * in column 950, the largest or the smallest, in a leaf that has nothing else to look at. */
static void check_work_backwards(wedge_device *dev, float first, float second) {
    problem p = make_problem("dot", WEDGE_CONDENSED, WEDGE_F32, 1000, 1);
    float *x = p.points;
    for (uint64_t k = 0; k < 1000; ++k) x[k] = k % 32 == 18 && k < 700;
    x[950] = first, x[910] = second;
    cell_list c = list_cells(dev, &p);
    uint64_t k = first_extreme(&c, first > 0 ? -1 : 1);
    assert_true(c.i[k] == 18 && c.j[k] == 950);
    check_summary(dev, &c, true);
    free_cells(&c);
    free(p.points);
}

static void the_first_of_equals_is_kept_on(wedge_device *dev) {
    check_work_backwards(dev, 10, -10);
    check_work_backwards(dev, -10, 0);
    if (!compiles_slowly(dev)) check_work_by_columns(dev); /* kernels of its own */
}

static void the_first_of_equals_is_kept(void **state) {
    (void)state;
    on_every_device(the_first_of_equals_is_kept_on);
}

/* ---- Instruction sets ---- */

static void sinks_are_right(wedge_device *dev) {
    for (unsigned k = 0; k < 8; ++k) {
        problem p = make_problem("euclidean", k % 2 ? WEDGE_PACKED : WEDGE_CONDENSED, k / 2 % 2, k < 4 ? 257 : 33, 3);
        check_sinks(dev, &p, CHECK_ALL, k, 4);
        free(p.points);
    }
    odd_values_are_counted_on(dev);
    leaves_that_overflow_are_added_one_by_one_on(dev);
}

static void every_instruction_set_is_right(void **state) {
    (void)state;
    on_every_instruction_set(NULL, sinks_are_right);
}

/* Two rows of `count` values: products with 1 and with `second`. */
static problem rows_of(wedge_dtype dtype, double second, const double *v, uint64_t count) {
    problem p = {.pairs = {.size = sizeof p.pairs, .op = "dot", .layout = WEDGE_RECTANGLE, .dtype = dtype}};
    p.pairs.overflow = WEDGE_OVERFLOW_ACCEPTED;
    p.pairs.n = 2, p.pairs.d = 1, p.pairs.m = count;
    p.points = malloc((2 + count) * sizeof(double));
    for (uint64_t k = 0; k < 2 + count; ++k) {
        double x = k < 2 ? (k ? second : 1) : v[k - 2];
        if (dtype == WEDGE_F64)
            ((double *)p.points)[k] = x;
        else
            ((float *)p.points)[k] = (float)x;
    }
    p.pairs.points = p.points;
    p.pairs.others = (char *)p.points + 2 * (dtype == WEDGE_F64 ? 8 : 4);
    return p;
}

/* As many leaves of each size, one by one or four by four, and as many that take it off again, but for something of one size.
 * The sums of leaves are exact, so that of all is, in whatever order and way they are added. */
static void sizes_on(wedge_device *dev) {
    static const int sizes[] = {0,   -12,  -13,  -14,  -20, -30, -36, -37, 13, 14,
                                100, -100, -126, -140, -60, 15,  20,  30,  60, 90};
    enum { SIZES = sizeof sizes / sizeof *sizes, LEFT = 11, CELLS = 2 * 4 * SIZES * LEAF };
    static double v[CELLS];
    for (unsigned k = 0; k < 8 * SIZES; ++k) {
        unsigned first = k / 8, alike = k & 4 ? 4 : 1; /* which size comes first decides what is added together */
        double sign = k & 2 ? 1 : -1;
        for (unsigned c = 0; c < CELLS; ++c) {
            unsigned size = (c / (alike * LEAF) + first) % SIZES;
            v[c] = sign * (c < CELLS / 2 ? 1 : -1) * ldexp(1 + 0x1p-22, sizes[size]);
            if (size == LEFT && c < CELLS / 2) v[c] *= 3;
        }
        problem p = rows_of(k % 2, 1, v, CELLS);
        wedge_summary s = {.size = sizeof s};
        run_sink(dev, sink_job(dev, &p.pairs, "summary", NULL, 0), &s);
        assert_true(s.sum == sign * 2 * 2 * 4 * LEAF * ldexp(1 + 0x1p-22, sizes[LEFT]));
        free(p.points);
    }
}

static void leaves_of_all_sizes_are_added_exactly(void **state) {
    (void)state;
    on_every_instruction_set(NULL, sizes_on);
}

/* Values are compared by lanes: NaN in the first of them must not hide the others. */
static void nan_first_on(wedge_device *dev) {
    static double v[10 * LEAF];
    for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 10 * LEAF; ++c) v[c] = c ? 1 : NAN;
        v[2 * LEAF] = k & 2 ? -5 : 5;
        problem p = rows_of(k % 2, 2, v, 10 * LEAF);
        cell_list c = list_cells(dev, &p);
        check_summary(dev, &c, true);
        free_cells(&c);
        free(p.points);
    }
}

static void nan_does_not_hide_extremes(void **state) {
    (void)state;
    on_every_instruction_set(NULL, nan_first_on);
}

/* Leaves of middles of bins, where no guess is in doubt, then every edge with the numbers before and after it, then others. */
static uint64_t values_at(const double *edge, uint32_t bins, wedge_dtype dtype, double *v) {
    static const double others[] = {0, -0.0, -1, -1e30, 1e-44, 1e-40, 3e38, 1e-310, NAN, INFINITY, -INFINITY, 1};
    uint64_t count = 0;
    while (count < 10 * LEAF) v[count] = (edge[count % bins] + edge[count % bins + 1]) / 2, ++count;
    for (uint32_t e = 0; e <= bins; ++e)
        for (int k = -1; k < 2; ++k)
            v[count++] = !k                   ? edge[e]
                         : dtype == WEDGE_F64 ? nextafter(edge[e], k * (double)INFINITY)
                                              : (double)nextafterf((float)edge[e], (float)k * INFINITY);
    for (unsigned k = 0; k < sizeof others / sizeof *others; ++k) v[count++] = others[k];
    return count;
}

static double *even_edges(double low, double high, uint32_t bins) {
    double *edge = malloc((bins + 1) * sizeof *edge);
    for (uint32_t e = 0; e <= bins; ++e) edge[e] = e < bins ? low + e * ((high - low) / bins) : high;
    return edge;
}

static double *log_edges(double low, double high, uint32_t bins) {
    double *edge = even_edges(log10(low), log10(high), bins);
    for (uint32_t e = 0; e <= bins; ++e) edge[e] = e % bins ? pow(10, edge[e]) : e ? high : low;
    return edge;
}

typedef void check_bins_fn(wedge_device *dev, const cell_list *c, double low, double high, uint32_t bins);

static void bins_at_edges(wedge_device *dev, wedge_dtype dtype, check_bins_fn *check, double *edge, uint32_t bins) {
    double *v = malloc((10 * LEAF + 3 * (bins + 1) + 12) * sizeof *v), low = edge[0], high = edge[bins];
    for (uint32_t e = 0; e <= bins; ++e) edge[e] = as_held(edge[e], dtype == WEDGE_F32 ? 4 : 8);
    problem p = rows_of(dtype, 1, v, values_at(edge, bins, dtype, v));
    cell_list c = list_cells(dev, &p);
    check(dev, &c, low, high, bins);
    check_given_bins(dev, &c, edge, bins);
    free_cells(&c);
    free(p.points), free(edge), free(v);
}

static void log_bins(wedge_device *dev, wedge_dtype dtype, double low, double high, uint32_t bins) {
    bins_at_edges(dev, dtype, check_log_bins, log_edges(low, high, bins), bins);
}

static void even_bins(wedge_device *dev, wedge_dtype dtype, double low, double high, uint32_t bins) {
    bins_at_edges(dev, dtype, check_even_bins, even_edges(low, high, bins), bins);
}

static void edges_on(wedge_device *dev) {
    for (int dtype = 0; dtype < 2; ++dtype) {
        log_bins(dev, dtype, 1e-3, 1.8, 64);
        log_bins(dev, dtype, 1e-30, 1e30, 200);
        log_bins(dev, dtype, 1, 1.01, 20);
        log_bins(dev, dtype, 1e-43, 1e-36, 50); /* from below the smallest normal float on */
        log_bins(dev, dtype, 0x1p-126, 1, 126);
        log_bins(dev, dtype, 0x1p-125, 0x1p127, 252);
        even_bins(dev, dtype, 0, 1.8, 64);
        even_bins(dev, dtype, -3, 5, 100);
        even_bins(dev, dtype, 1e6, 1e6 + 64, 64);
    }
    log_bins(dev, WEDGE_F64, 1e-310, 1e-300, 50);
    log_bins(dev, WEDGE_F64, 1e-300, 1e300, 500);
}

static void bins_are_right_at_their_edges(void **state) {
    (void)state;
    on_every_instruction_set(NULL, edges_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_values_are_counted),         cmocka_unit_test(leaves_that_overflow_are_added_one_by_one),
        cmocka_unit_test(equal_points_are_all_within_0),  cmocka_unit_test(the_first_of_equals_is_kept),
        cmocka_unit_test(every_instruction_set_is_right), cmocka_unit_test(leaves_of_all_sizes_are_added_exactly),
        cmocka_unit_test(bins_are_right_at_their_edges),  cmocka_unit_test(nan_does_not_hide_extremes),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
