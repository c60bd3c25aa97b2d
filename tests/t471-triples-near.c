/* t471-triples-near.c: triplets with a cutoff, in a periodic box, and what each point gets, against plain loops, on every device.
 *
 * SPDX-License-Identifier: MIT */
#define TRIPLES_STREAM 471
#include "triples_problem.h"

static wedge_summary summary_of(wedge_device *dev, const problem *p, double extremes) {
    const wedge_parameter set = WEDGE_FLAG("extremes", extremes);
    wedge_summary s = {.size = sizeof s};
    wedge_job *job = job_of(dev, p, "summary", &set, 1);
    wedge_result r = {.size = sizeof r, .values = &s};
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    assert_int_equal(r.count, s.count);
    if (p->cutoff > 0) assert_true(wedge_job_get_info(job)->pruned == (p->prune != WEDGE_PRUNE_NEVER));
    wedge_job_destroy(job);
    return s;
}

/* ---- The oracle ---- */

/* What point i gets from the triplet: by numbers, the distance from i to each of the others a little longer and shorter. */
static void add_force(const problem *p, uint64_t i, uint64_t j, uint64_t k, double *force, double *size) {
    double a = distance(p, i, j), b = distance(p, i, k), c = distance(p, j, k), nu = 1, h = 1e-4;
    if (p->d == 4) nu = cbrt(p->points[4 * i + 3] * p->points[4 * j + 3] * p->points[4 * k + 3]);
    double by_a = (8 * (energy(a + h * a, b, c) - energy(a - h * a, b, c)) -
                   (energy(a + 2 * h * a, b, c) - energy(a - 2 * h * a, b, c))) /
                  (12 * h * a);
    double by_b = (8 * (energy(a, b + h * b, c) - energy(a, b - h * b, c)) -
                   (energy(a, b + 2 * h * b, c) - energy(a, b - 2 * h * b, c))) /
                  (12 * h * b);
    for (uint64_t f = 0; f < 3; ++f) force[f] -= nu * (by_a * delta(p, i, j, f) / a + by_b * delta(p, i, k, f) / b);
    *size += nu * (fabs(by_a) + fabs(by_b));
}

typedef struct {
    uint64_t count;
    double sum, size, min, max; /* size: of absolute values */
    int64_t counts[MOST_N];
    double given[MOST_N][4], sizes[MOST_N], force_sizes[MOST_N];
} totals;

static void add_triplet(totals *t, const problem *p, const uint64_t *at, bool forces) {
    double v = value_of(p, at[0], at[1], at[2]);
    ++t->count;
    t->sum += v, t->size += fabs(v);
    t->min = fmin(t->min, v), t->max = fmax(t->max, v);
    for (int x = 0; x < 3; ++x) {
        uint64_t i = at[x];
        ++t->counts[i];
        t->given[i][0] += v, t->sizes[i] += fabs(v);
        if (forces) add_force(p, i, at[(x + 1) % 3], at[(x + 2) % 3], &t->given[i][1], &t->force_sizes[i]);
    }
}

static totals totals_of(const problem *p, bool forces) {
    totals t = {.min = INFINITY, .max = -INFINITY};
    for (uint64_t i = 2; i < p->n; ++i)
        for (uint64_t j = 1; j < i; ++j)
            for (uint64_t k = 0; k < j; ++k)
                if (counts(p, i, j, k)) add_triplet(&t, p, (const uint64_t[]){i, j, k}, forces);
    return t;
}

/* ---- Sums ---- */

static void check_sums(wedge_device *dev, const problem *p) {
    totals t = totals_of(p, false);
    double close = p->dtype == WEDGE_F64 ? 1e-12 : 1e-5, one = p->dtype == WEDGE_F64 ? 1e-9 : 2e-3;
    for (int extremes = 0; extremes < 2; ++extremes) {
        if (extremes && compiles_slowly(dev)) continue; /* below, pruned */
        wedge_summary s = summary_of(dev, p, extremes);
        if (s.count != t.count || !(fabs(s.sum - t.sum) <= close * t.size))
            fail_msg("%s of %d points within %g: %d of sum %.17g, not %d of %.17g", p->op, (int)p->n, p->cutoff,
                     (int)s.count, s.sum, (int)t.count, t.sum);
        if (!extremes || !t.count) continue;
        double span = t.max - t.min + fabs(t.max);
        assert_true(fabs(s.min - t.min) <= one * span && fabs(s.max - t.max) <= one * span);
        assert_true(s.min_i > s.min_j && s.min_j > s.min_k && s.max_i > s.max_j && s.max_j > s.max_k);
        assert_true(fabs(value_of(p, s.min_i, s.min_j, s.min_k) - t.min) <= one * span);
        assert_true(fabs(value_of(p, s.max_i, s.max_j, s.max_k) - t.max) <= one * span);
    }
}

static void a_cutoff_leaves_what_is_near_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 3, 33, 100, 200};
    static const double cutoffs[] = {0.01, 1.5, 3, 6, 20};
    for (int wide = 0; wide < 2; ++wide)
        for (int k = 0; k < 25; ++k) {
            bool nu = k % 3 == 1;
            problem p = random_points(k % 4 == 3 ? "perimeter" : "axilrod_teller", (wedge_dtype)wide, sizes[k % 5],
                                      k % 4 != 3 && nu ? 4 : 3, (uint32_t)k);
            p.cutoff = cutoffs[k / 5];
            if (!is_possible(dev, &p) || (compiles_slowly(dev) && (p.d == 4 || wide || k % 4 == 3))) continue;
            check_sums(dev, &p);
        }
}

static void a_periodic_box_is_one_on(wedge_device *dev) {
    for (int k = 0; k < 6; ++k) {
        problem p = random_points("axilrod_teller", k % 2 ? WEDGE_F64 : WEDGE_F32, 120, 3, (uint32_t)(50 + k));
        p.periodic = true, p.box[0] = 6.5, p.box[1] = k > 1 ? 7 : 0, p.box[2] = k > 3 ? 6.25 : 9;
        p.cutoff = k % 3 ? 2 : 1.25;
        if (is_possible(dev, &p) && !(compiles_slowly(dev) && k)) check_sums(dev, &p);
    }
}

static void leaving_out_tiles_changes_no_byte_on(wedge_device *dev) {
    for (int wide = 0; wide < 2; ++wide) {
        problem p = clusters((wedge_dtype)wide);
        if (!is_possible(dev, &p) || (compiles_slowly(dev) && wide)) continue;
        p.prune = WEDGE_PRUNE_NEVER;
        wedge_summary all = summary_of(dev, &p, 0);
        p.prune = WEDGE_PRUNE_ALWAYS;
        wedge_summary some = summary_of(dev, &p, 0);
        assert_memory_equal(&all, &some, sizeof all);
        totals t = totals_of(&p, false);
        assert_int_equal(all.count, t.count);
        wedge_job *job = job_of(dev, &p, "summary", NULL, 0);
        wedge_summary s = {.size = sizeof s};
        wedge_result r = {.size = sizeof r, .values = &s};
        const wedge_job_info *info = wedge_job_get_info(job);
        assert_ok(dev, wedge_job_run(job, 0, info->cells, &r, NULL, NULL));
        assert_true(info->computed > s.count && info->computed < info->cells);
        wedge_job_destroy(job);
    }
}

static bool go_on(void *user, double done) { return ++*(int *)user && done >= 0 && done <= 1; }

static void any_split_gives_the_same_bytes_on(wedge_device *dev) {
    problem p = clusters(WEDGE_F32);
    const wedge_parameter none = WEDGE_FLAG("extremes", false);
    wedge_summary whole = summary_of(dev, &p, 0), s = {.size = sizeof s};
    for (int progress = 0; progress < 2; ++progress) {
        wedge_job *job = job_of(dev, &p, "summary", &none, 1);
        const wedge_job_info *info = wedge_job_get_info(job);
        void *state = calloc(1, info->state_bytes);
        wedge_result r = {.size = sizeof r, .values = &s, .state = state};
        int calls = 0;
        for (uint64_t at = 0, to; at < info->cells; at = to) {
            to = wedge_job_boundary(job, at + (progress ? 3000000 : 700001));
            assert_ok(dev, wedge_job_run(job, at, to, &r, progress ? go_on : NULL, &calls));
        }
        assert_memory_equal(&s, &whole, sizeof s);
        free(state);
        wedge_job_destroy(job);
    }
}

/* ---- What each point gets ---- */

static void scatter_of(wedge_device *dev, const problem *p, double given[][4], int64_t *numbers) {
    static float f32[MOST_N * 4];
    static double f64[MOST_N * 4];
    wedge_job *job = job_of(dev, p, "scatter", NULL, 0);
    const wedge_job_info *info = wedge_job_get_info(job);
    wedge_result r = {
        .size = sizeof r, .values = p->dtype == WEDGE_F64 ? (void *)f64 : (void *)f32, .counts = numbers, .room = p->n};
    assert_ok(dev, wedge_job_run(job, 0, info->cells, &r, NULL, NULL));
    assert_int_equal(r.count, p->n);
    assert_int_equal(info->bytes, p->n * (8 + info->values * (p->dtype == WEDGE_F64 ? 8 : 4)));
    for (uint64_t x = 0; x < p->n; ++x)
        for (uint32_t v = 0; v < info->values; ++v)
            given[x][v] = p->dtype == WEDGE_F64 ? f64[x * info->values + v] : (double)f32[x * info->values + v];
    wedge_job_destroy(job);
}

static void check_scatter(wedge_device *dev, const problem *p) {
    static double given[MOST_N][4];
    static int64_t numbers[MOST_N];
    bool forces = wedge_op_find(p->op)->forces;
    totals t = totals_of(p, forces);
    double close = p->dtype == WEDGE_F64 ? 1e-11 : 1e-5, by_numbers = p->dtype == WEDGE_F64 ? 1e-9 : 1e-5;
    double sum[4] = {0}, size = 0;
    scatter_of(dev, p, given, numbers);
    for (uint64_t x = 0; x < p->n; ++x) {
        assert_int_equal(numbers[x], t.counts[x]);
        if (!(fabs(given[x][0] - t.given[x][0]) <= close * t.sizes[x]))
            fail_msg("point %d gets %.17g, not %.17g", (int)x, given[x][0], t.given[x][0]);
        for (int v = 1; v < 4 && forces; ++v) {
            if (!(fabs(given[x][v] - t.given[x][v]) <= by_numbers * t.force_sizes[x]))
                fail_msg("force %d on point %d of %d within %g is %.17g, not %.17g (%g)", v, (int)x, (int)p->n,
                         p->cutoff, given[x][v], t.given[x][v], t.force_sizes[x]);
            sum[v] += given[x][v];
        }
        size += t.force_sizes[x];
    }
    for (int v = 1; v < 4; ++v) assert_true(fabs(sum[v]) <= (p->dtype == WEDGE_F64 ? 1e-13 : 1e-6) * size);
}

static void every_point_gets_its_share_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 31, 32, 33, 65, 97, 130, 200};
    for (int wide = 0; wide < 2; ++wide)
        for (int k = 0; k < 11; ++k) {
            problem p = random_points(k % 5 == 4 ? "perimeter" : "axilrod_teller", (wedge_dtype)wide, sizes[k],
                                      k % 5 != 4 && k % 2 ? 4 : 3, (uint32_t)(100 + k));
            if (!is_possible(dev, &p) || (compiles_slowly(dev) && (wide || p.d == 4 || k % 5 == 4))) continue;
            check_scatter(dev, &p);
        }
}

static void near_points_alone_give_on(wedge_device *dev) {
    for (int k = 0; k < 6; ++k) {
        problem p = random_points("axilrod_teller", k % 2 ? WEDGE_F64 : WEDGE_F32, 140, 3, (uint32_t)(200 + k));
        p.cutoff = k < 2 ? 2.25 : 1.75;
        if (k >= 4) p.periodic = true, p.box[0] = 6.5, p.box[1] = 7, p.box[2] = 0;
        if (is_possible(dev, &p) && !(compiles_slowly(dev) && k != 4)) check_scatter(dev, &p);
    }
}

/* Pruned or not, and from device memory. */
static void forces_are_the_same_bytes_on(wedge_device *dev) {
    static double one[MOST_N][4], other[MOST_N][4];
    static int64_t counts_one[MOST_N], counts_other[MOST_N];
    problem p = clusters(WEDGE_F32);
    p.prune = WEDGE_PRUNE_NEVER;
    scatter_of(dev, &p, one, counts_one);
    p.prune = WEDGE_PRUNE_AUTO;
    scatter_of(dev, &p, other, counts_other);
    assert_memory_equal(one, other, sizeof one);
    assert_memory_equal(counts_one, counts_other, sizeof counts_one);
}

/* ---- Odd ones ---- */

static void odd_jobs_are_refused_on(wedge_device *dev) {
    const double box[] = {3, 0, 9};
    const wedge_parameter radius = WEDGE_NUMBER("radius", 1);
    refuse(dev, (wedge_job_spec){.cutoff = -1}, WEDGE_BAD_ARGUMENT, "cutoff -1");
    refuse(dev, (wedge_job_spec){.cutoff = NAN}, WEDGE_BAD_ARGUMENT, "cutoff");
    refuse(dev, (wedge_job_spec){.cutoff = INFINITY}, WEDGE_BAD_ARGUMENT, "cutoff");
    refuse(dev, (wedge_job_spec){.box = box}, WEDGE_BAD_ARGUMENT, "need a cutoff");
    refuse(dev, (wedge_job_spec){.box = box, .cutoff = 1}, WEDGE_BAD_ARGUMENT, "third");
    refuse(dev, (wedge_job_spec){.op = "euclidean", .cutoff = 1}, WEDGE_BAD_ARGUMENT, "for triplets");
    refuse(dev, (wedge_job_spec){.prune = WEDGE_PRUNE_ALWAYS}, WEDGE_UNSUPPORTED, "without a cutoff");
    refuse(dev, (wedge_job_spec){.sink = "nearest"}, WEDGE_UNSUPPORTED, "nearest");
    refuse(dev, (wedge_job_spec){.sink = "scatter", .sink_parameters = &radius, .sink_parameter_count = 1},
           WEDGE_UNSUPPORTED, "cutoff");
    problem p = random_points("axilrod_teller", WEDGE_F32, 40, 3, 3);
    wedge_job *job = job_of(dev, &p, "scatter", NULL, 0);
    float given[160];
    wedge_result r = {.size = sizeof r, .values = given, .room = 40};
    assert_int_equal(wedge_job_run(job, 0, 1000, &r, NULL, NULL), WEDGE_UNSUPPORTED);
    wedge_job_destroy(job);
}

ON_EVERY_DEVICE(a_cutoff_leaves_what_is_near)
ON_EVERY_DEVICE(a_periodic_box_is_one)
ON_EVERY_DEVICE(leaving_out_tiles_changes_no_byte)
ON_EVERY_DEVICE(any_split_gives_the_same_bytes)
ON_EVERY_DEVICE(every_point_gets_its_share)
ON_EVERY_DEVICE(near_points_alone_give)
ON_EVERY_DEVICE(forces_are_the_same_bytes)
ON_EVERY_DEVICE(odd_jobs_are_refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cutoff_leaves_what_is_near),      cmocka_unit_test(a_periodic_box_is_one),
        cmocka_unit_test(leaving_out_tiles_changes_no_byte), cmocka_unit_test(any_split_gives_the_same_bytes),
        cmocka_unit_test(every_point_gets_its_share),        cmocka_unit_test(near_points_alone_give),
        cmocka_unit_test(forces_are_the_same_bytes),         cmocka_unit_test(odd_jobs_are_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
