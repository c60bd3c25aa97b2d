/* t470-triples.c: sums, counts and histograms of triplets against plain loops, on every device; the energies of triangles that
 * are known; the same bytes however positions are cut into ranges.
 *
 * SPDX-License-Identifier: MIT */
#include "triples_problem.h"

static wedge_summary summary_of(wedge_device *dev, const problem *p) {
    wedge_summary s = {.size = sizeof s};
    wedge_job *job = job_of(dev, p, "summary", NULL, 0);
    wedge_result r = {.size = sizeof r, .values = &s};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_int_equal(r.count, s.count);
    wedge_job_destroy(job);
    return s;
}

/* ---- The oracle ---- */

typedef struct {
    uint64_t count;
    double sum, size, min, max; /* size: of absolute values */
} totals;

static totals totals_of(const problem *p) {
    totals t = {.min = INFINITY, .max = -INFINITY};
    for (uint64_t i = 2; i < p->n; ++i)
        for (uint64_t j = 1; j < i; ++j)
            for (uint64_t k = 0; k < j; ++k, ++t.count) {
                double v = value_of(p, i, j, k);
                t.sum += v, t.size += fabs(v);
                t.min = fmin(t.min, v), t.max = fmax(t.max, v);
            }
    return t;
}

static void check_summary(wedge_device *dev, const problem *p) {
    wedge_summary s = summary_of(dev, p);
    totals t = totals_of(p);
    double close = p->dtype == WEDGE_F64 ? 1e-12 : 1e-5, one = p->dtype == WEDGE_F64 ? 1e-9 : 2e-3;
    assert_int_equal(s.count, t.count);
    assert_int_equal(s.nan, 0);
    if (!t.count) {
        assert_true(s.sum == 0 && isnan(s.min));
        return;
    }
    if (!(fabs(s.sum - t.sum) <= close * t.size))
        fail_msg("%s of %d points: %.17g, not %.17g", p->op, (int)p->n, s.sum, t.sum);
    double span = t.max - t.min + fabs(t.max);
    assert_true(fabs(s.min - t.min) <= one * span && fabs(s.max - t.max) <= one * span);
    assert_true(s.min_i > s.min_j && s.min_j > s.min_k && s.max_i < p->n && s.max_i > s.max_j && s.max_j > s.max_k);
    assert_true(fabs(value_of(p, s.min_i, s.min_j, s.min_k) - t.min) <= one * span);
    assert_true(fabs(value_of(p, s.max_i, s.max_j, s.max_k) - t.max) <= one * span);
}

/* ---- Sums ---- */

static const char *const ops[] = {"axilrod_teller", "perimeter", "area", "longest_side"};

static void every_op_is_right_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 34, 63, 65, 66, 97, 130};
    bool slow = compiles_slowly(dev);
    assert_int_equal(wedge_op_count(3), 5);
    for (int op = 0; op < (slow ? 1 : 4); ++op) /* another is counted below */
        for (int wide = 0; wide < 2; ++wide)
            for (uint64_t d = op == 2 ? 2 : op ? 1 : 3; d <= (op ? 3 : 4); ++d)
                for (int k = 0; k < 14; ++k) {
                    if (wide && !dev->info.has_double) continue;
                    if (slow && d != 3) continue;
                    if (dev->backend->compile && d != 3 && (d + (uint64_t)op + (uint64_t)wide) % 3) continue;
                    problem p = random_points(ops[op], (wedge_dtype)wide, sizes[k], d, (uint32_t)(op + 7 * k));
                    p.nu = 1 + op + k;
                    check_summary(dev, &p);
                }
}

ON_EVERY_DEVICE(every_op_is_right)

/* An equilateral triangle of side r has 11/8 nu / r^9; three on a line, apart by r, s and r + s, -2 nu / (r s (r + s))^3. */
static void known_energies_are_right_on(wedge_device *dev) {
    for (int wide = 0; wide < 2; ++wide) {
        if (wide && !dev->info.has_double) continue;
        double close = wide ? 1e-14 : 1e-6, r = 1.5, third = sqrt(3.0) / 2;
        const double even[] = {0, 0, 0, r, 0, 0, r / 2, r * third, 0}, line[] = {1, 0, 0, 2, 0, 0, 4, 0, 0};
        problem p = {.op = "axilrod_teller", .dtype = (wedge_dtype)wide, .n = 3, .d = 3, .nu = 2.5};
        for (uint64_t x = 0; x < 9; ++x) set_number(&p, x, even[x]);
        assert_true(fabs(summary_of(dev, &p).sum / (11.0 / 8 * 2.5 / pow(r, 9)) - 1) <= 8 * close);
        for (uint64_t x = 0; x < 9; ++x) set_number(&p, x, line[x]);
        assert_true(fabs(summary_of(dev, &p).sum / (-2 * 2.5 / pow(1 * 2 * 3, 3)) - 1) <= 8 * close);
    }
}

ON_EVERY_DEVICE(known_energies_are_right)

/* ---- Where digits are lost ---- */

/* Each value of a small problem, in order of position. */
static double *stored(wedge_device *dev, const problem *p, uint64_t *count) {
    wedge_job *job = job_of(dev, p, "store", NULL, 0);
    *count = wedge_job_get_info(job)->cells;
    double *values = malloc(*count * sizeof *values);
    wedge_result r = {.size = sizeof r, .values = values};
    assert_ok(dev, wedge_job_run(job, 0, *count, &r, NULL, NULL));
    wedge_job_destroy(job);
    for (uint64_t k = *count; k-- > 0 && p->dtype == WEDGE_F32;) values[k] = (double)((float *)(void *)values)[k];
    return values;
}

/* lost: are there differences of coordinates that are not exact? Else the area is right to some units in its own last place. */
static void check_areas(wedge_device *dev, const problem *p, bool lost) {
    const double unit = p->dtype == WEDGE_F64 ? 0x1p-53 : 0x1p-24;
    uint64_t count, at = 0;
    double *got = stored(dev, p, &count);
    EACH_TRIPLET(p, i, j, k) {
        double sides, want = exact_area(p, i, j, k, &sides), most = unit * (8 * want + (lost ? 3 * sides : 0));
        if (!(fabs(got[at] - want) <= most))
            fail_msg("d = %d, dtype %d: the area of (%d, %d, %d) is %.17g, not %.17g", (int)p->d, (int)p->dtype, (int)i,
                     (int)j, (int)k, got[at], want);
        ++at;
    }
    assert_int_equal(at, count);
    free(got);
}

/* Points next to a line, on a grid: all differences are exact, and triangles flatter than a number has digits. */
static void flat_triangles_have_an_area_on(wedge_device *dev) {
    for (int wide = 0; wide <= (dev->info.has_double && !compiles_slowly(dev) ? 1 : 0); ++wide)
        for (uint64_t d = compiles_slowly(dev) ? 3 : 2; d <= 3; ++d) {
            const double low = wide ? 0x1p-40 : 0x1p-18;
            problem p = {.op = "area", .dtype = (wedge_dtype)wide, .n = 20, .d = d, .nu = 1};
            for (uint64_t x = 0; x < p.n; ++x)
                for (uint64_t f = 0; f < d; ++f)
                    set_number(&p, x * d + f, f ? low * (double)(x * x * (f + 2) % 31) : (double)(x * 7 % 20) / 2);
            check_areas(dev, &p, false);
            problem close = random_points("area", (wedge_dtype)wide, 30, d, 77);
            for (uint64_t f = 0; f < d; ++f) /* and needles: 0 and 1 are close */
                set_number(&close, d + f, close.points[f] + (wide ? 1e-7 : 1e-3) * (double)(f + 1));
            check_areas(dev, &close, true);
        }
}

ON_EVERY_DEVICE(flat_triangles_have_an_area)

/* As tetrahedra.md says: off by at most 16 u, and u times the ratio of the longest to the shortest side, of the sum of the absolute
 * values of its terms. */
static void energies_keep_their_bound_on(wedge_device *dev) {
    for (int wide = 0; wide <= (dev->info.has_double && !compiles_slowly(dev) ? 1 : 0); ++wide) {
        const double unit = wide ? 0x1p-53 : 0x1p-24;
        uint64_t count, at = 0;
        problem p = random_points("axilrod_teller", (wedge_dtype)wide, 40, 3, 5);
        for (uint64_t x = 1; x < 9; ++x) /* pairs of atoms closer and closer */
            for (uint64_t f = 0; f < 3; ++f)
                set_number(&p, 3 * (2 * x + 1) + f, p.points[3 * 2 * x + f] + pow(4, -(double)x) * (double)(f + 1));
        double *got = stored(dev, &p, &count);
        EACH_TRIPLET(&p, i, j, k) {
            const double a = distance(&p, i, j), b = distance(&p, i, k), c = distance(&p, j, k);
            const double ratio = fmax(a, fmax(b, c)) / fmin(a, fmin(b, c)), cube = pow(a * b * c, 3);
            const double want = dot_energy(&p, i, j, k), terms = 1 / cube + fabs(want - 1 / cube);
            if (!(fabs(got[at] - want) <= 8 * unit * (2 + ratio) * terms))
                fail_msg("dtype %d: (%d, %d, %d), sides up to %g times another, has %.17g, not %.17g: off by %g u",
                         wide, (int)i, (int)j, (int)k, ratio, got[at], want, fabs(got[at] - want) / terms / unit);
            ++at;
        }
        free(got);
    }
}

ON_EVERY_DEVICE(energies_keep_their_bound)

/* Of points at whole numbers on a line the perimeter is twice the extent, exactly. */
static void counts_and_bins_are_right_on(wedge_device *dev) {
    enum { N = 90, BINS = 8 };
    problem p = {.op = "perimeter", .n = N, .d = 1};
    uint64_t within = 0, bins[BINS] = {0}, got[BINS + 3];
    const wedge_parameter radius = WEDGE_NUMBER("radius", 60);
    const wedge_parameter edges[] = {WEDGE_NUMBER("min", 0), WEDGE_NUMBER("max", 80), WEDGE_WHOLE("bins", BINS)};
    for (uint64_t x = 0; x < N; ++x) set_number(&p, x, (double)(x * 37 % N));
    for (uint64_t i = 2; i < N; ++i)
        for (uint64_t j = 1; j < i; ++j)
            for (uint64_t k = 0; k < j; ++k) {
                double v = value_of(&p, i, j, k);
                within += v <= 60;
                if (v <= 80) ++bins[v < 80 ? (int)(v / 10) : BINS - 1];
            }
    wedge_job *job = job_of(dev, &p, "count", &radius, 1);
    wedge_result r = {.size = sizeof r, .values = got};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_int_equal(got[0], within);
    wedge_job_destroy(job);
    if (compiles_slowly(dev)) return;
    job = job_of(dev, &p, "histogram", edges, 3);
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_memory_equal(got, bins, sizeof bins);
    wedge_job_destroy(job);
}

ON_EVERY_DEVICE(counts_and_bins_are_right)

/* Points at whole numbers: sides lie on edges of bins, and beyond the last. */
static void sides_fall_into_bins_on(wedge_device *dev) {
    enum { N = 70, B = 7, MOST = B * B * B };
    problem p = {.op = "sides", .n = N, .d = 3};
    static uint64_t want[MOST], got[MOST + 3];
    const wedge_parameter set[] = {WEDGE_NUMBER("max", 10.5), WEDGE_NUMBER("bins", B)};
    const wedge_parameter edges[] = {WEDGE_NUMBER("max", MOST), WEDGE_WHOLE("bins", MOST)};
    uint64_t above = 0;
    memset(want, 0, sizeof want);
    for (uint64_t x = 0; x < N * 3; ++x) set_number(&p, x, floor(12 * chance(5, x)) / 2);
    for (uint64_t i = 2; i < N; ++i)
        for (uint64_t j = 1; j < i; ++j)
            for (uint64_t k = 0; k < j; ++k) {
                double side[3] = {distance(&p, i, j), distance(&p, i, k), distance(&p, j, k)},
                       most = fmax(side[0], fmax(side[1], side[2]));
                double least = fmin(side[0], fmin(side[1], side[2])),
                       middle = side[0] + side[1] + side[2] - most - least;
                for (int s = 0; s < 3; ++s)
                    if (fabs(side[s] - middle) < 1e-9) middle = side[s];
                int bin[3] = {(int)(most / 1.5), (int)(middle / 1.5), (int)(least / 1.5)};
                if (most > 10.5)
                    ++above;
                else
                    ++want[((bin[0] < B ? bin[0] : B - 1) * B + bin[1]) * B + bin[2]];
            }
    wedge_job_spec q = {.size = sizeof q, .op = "sides", .sink = "histogram", .layout = WEDGE_TRIPLES, .n = N, .d = 3};
    wedge_job *job;
    q.points = p.f32, q.parameters = set, q.parameter_count = 2, q.sink_parameters = edges, q.sink_parameter_count = 2;
    assert_ok(dev, wedge_job_create(dev, &q, &job));
    wedge_result r = {.size = sizeof r, .values = got};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(got[MOST + 1], above);
    wedge_job_destroy(job);
}

ON_EVERY_DEVICE(sides_fall_into_bins)

/* Edges are those of numpy.linspace, rounded to the dtype. */
static int bin_of(float side, double most, int bins) {
    int bin = 0;
    while (bin + 1 < bins && side >= (float)((bin + 1) * (most / bins))) ++bin;
    return bin;
}

/* Points on a line, a step apart that is no number of the dtype: nearly all sides are where a bin begins. */
static void sides_at_edges_are_in_the_bins_of_numpy_on(wedge_device *dev) {
    enum { N = 40, B = 6, MOST = B * B * B };
    static const double steps[] = {0.1, 0.3, 0.7, 0.6, 1.0 / 3};
    const wedge_parameter edges[] = {WEDGE_NUMBER("max", MOST), WEDGE_WHOLE("bins", MOST)};
    for (int s = 0; s < (compiles_slowly(dev) ? 1 : 5); ++s)
        for (int bins = 3; bins <= B; bins += 3) {
            const double most = 12 * steps[s];
            const wedge_parameter set[] = {WEDGE_NUMBER("max", most), WEDGE_NUMBER("bins", bins),
                                           WEDGE_NUMBER("rest", most - (float)most)};
            problem p = {.op = "sides", .n = N, .d = 1};
            uint64_t want[MOST] = {0}, got[MOST + 3];
            for (uint64_t x = 0; x < N; ++x) set_number(&p, x, (double)(x * 7 % 13) * steps[s]);
            for (uint64_t i = 2; i < N; ++i)
                for (uint64_t j = 1; j < i; ++j)
                    for (uint64_t k = 0; k < j; ++k) {
                        float ij = fabsf(p.f32[i] - p.f32[j]), ik = fabsf(p.f32[i] - p.f32[k]),
                              jk = fabsf(p.f32[j] - p.f32[k]), longest = fmaxf(ij, fmaxf(ik, jk)),
                              least = fminf(ij, fminf(ik, jk)), other = fmaxf(fminf(ij, ik), fminf(fmaxf(ij, ik), jk));
                        if (longest <= (float)most)
                            ++want[(bin_of(longest, most, bins) * bins + bin_of(other, most, bins)) * bins +
                                   bin_of(least, most, bins)];
                    }
            wedge_job_spec q = {
                .size = sizeof q, .op = "sides", .sink = "histogram", .layout = WEDGE_TRIPLES, .n = N, .d = 1};
            wedge_job *job;
            q.points = p.f32, q.parameters = set, q.parameter_count = 3;
            q.sink_parameters = edges, q.sink_parameter_count = 2;
            assert_ok(dev, wedge_job_create(dev, &q, &job));
            wedge_result r = {.size = sizeof r, .values = got};
            assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
            assert_memory_equal(got, want, (size_t)(bins * bins * bins) * sizeof *want);
            wedge_job_destroy(job);
        }
}

static void sides_at_edges_are_in_the_bins_of_numpy(void **state) {
    (void)state;
    on_every_device(sides_at_edges_are_in_the_bins_of_numpy_on);
    on_every_instruction_set(NULL, sides_at_edges_are_in_the_bins_of_numpy_on);
}

/* Sums alone: the same bytes, and no extremes. */
static void sums_alone_are_the_same_on(wedge_device *dev) {
    const wedge_parameter none = WEDGE_FLAG("extremes", false);
    problem p = random_points("axilrod_teller", WEDGE_F32, 101, 3, 5);
    wedge_summary with = summary_of(dev, &p), without = {.size = sizeof without};
    wedge_job *job = job_of(dev, &p, "summary", &none, 1);
    wedge_result r = {.size = sizeof r, .values = &without};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_true(with.sum == without.sum && with.count == without.count && isnan(without.min) && isnan(without.max));
    wedge_job_destroy(job);
}

ON_EVERY_DEVICE(sums_alone_are_the_same)

/* ---- Ranges ---- */

static bool go_on(void *user, double done) { return ++*(int *)user && done >= 0 && done <= 1; }

/* By pieces of all sizes, merged; by the other map; and with progress. */
static void any_split_gives_the_same_bytes_on(wedge_device *dev) {
    problem p = random_points("axilrod_teller", WEDGE_F32, 101, 3, 5);
    wedge_summary whole = summary_of(dev, &p), s = {.size = sizeof s};
    static const uint64_t steps[] = {1, 33, 1000, 40000};
    for (int k = 0; k < 4; ++k) {
        p.map = k % 2 ? "walk" : NULL;
        wedge_job *job = job_of(dev, &p, "summary", NULL, 0);
        const wedge_job_info *info = wedge_job_get_info(job);
        void *state = calloc(1, info->state_bytes);
        wedge_result r = {.size = sizeof r, .values = &s, .state = state};
        int calls = 0;
        uint64_t from = k ? 0 : info->cells - 200;
        if (from) assert_ok(dev, wedge_job_run(job, 0, from = wedge_job_boundary(job, from), &r, NULL, NULL));
        for (uint64_t at = from, to; at < info->cells; at = to) {
            uint64_t step = steps[k];
            do to = at + step < info->cells ? wedge_job_boundary(job, at + step) : info->cells;
            while (to <= at && step++ < info->cells);
            assert_ok(dev, wedge_job_run(job, at, to, &r, k == 3 ? go_on : NULL, &calls));
        }
        assert_memory_equal(&s, &whole, sizeof s);
        assert_true(k < 3 || calls > 0);
        free(state);
        wedge_job_destroy(job);
    }
}

ON_EVERY_DEVICE(any_split_gives_the_same_bytes)

/* ---- Odd ones ---- */

static void coincident_atoms_give_nan_on(wedge_device *dev) {
    problem p = random_points("axilrod_teller", WEDGE_F32, 40, 3, 9);
    for (uint64_t f = 0; f < 3; ++f) set_number(&p, 3 * 30 + f, p.points[3 * 7 + f]);
    wedge_summary s = summary_of(dev, &p);
    assert_int_equal(s.nan, 38);
    assert_int_equal(s.count, 40 * 39 * 38 / 6 - 38);
    assert_true(isnan(s.sum));
}

ON_EVERY_DEVICE(coincident_atoms_give_nan)

static void odd_jobs_are_refused_on(wedge_device *dev) {
    const wedge_parameter nu = WEDGE_NUMBER("nu", -1);
    refuse(dev, (wedge_job_spec){.op = "perimeter", .layout = WEDGE_CONDENSED, .d = 3}, WEDGE_BAD_ARGUMENT,
           "three points");
    refuse(dev, (wedge_job_spec){.op = "euclidean", .layout = WEDGE_TRIPLES, .d = 3, .sink = "summary"},
           WEDGE_BAD_ARGUMENT, "two points");
    refuse(dev, (wedge_job_spec){.op = "perimeter", .layout = WEDGE_TRIPLES, .d = 3, .sink = "nearest"},
           WEDGE_UNSUPPORTED, "nearest");
    refuse(dev, (wedge_job_spec){.op = "perimeter", .layout = WEDGE_TRIPLES, .d = 4, .sink = "summary"},
           WEDGE_BAD_ARGUMENT, "perimeter");
    refuse(dev,
           (wedge_job_spec){.op = "axilrod_teller",
                            .layout = WEDGE_TRIPLES,
                            .d = 3,
                            .sink = "summary",
                            .parameters = &nu,
                            .parameter_count = 1},
           WEDGE_BAD_ARGUMENT, "nu");
    refuse(dev, (wedge_job_spec){.op = "perimeter", .layout = WEDGE_TRIPLES, .d = 3, .sink = "summary", .n = 5000000},
           WEDGE_BAD_ARGUMENT, "points");
}

ON_EVERY_DEVICE(odd_jobs_are_refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_is_right),           cmocka_unit_test(known_energies_are_right),
        cmocka_unit_test(flat_triangles_have_an_area), cmocka_unit_test(energies_keep_their_bound),
        cmocka_unit_test(counts_and_bins_are_right),   cmocka_unit_test(any_split_gives_the_same_bytes),
        cmocka_unit_test(sides_fall_into_bins),        cmocka_unit_test(sides_at_edges_are_in_the_bins_of_numpy),
        cmocka_unit_test(sums_alone_are_the_same),     cmocka_unit_test(coincident_atoms_give_nan),
        cmocka_unit_test(odd_jobs_are_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
