/* t474-triples-packed.c: triplets in which a point may come twice or three times: sums, counts and what each point gets, against plain
 * loops, on every device. What is stored and listed of them is in t472 and t473.
 *
 * SPDX-License-Identifier: MIT */
#define TRIPLES_STREAM 474
#include "triples_stored.h"

/* The perimeter, with forces. Where points are one, the value changes with their side without bounds, and no force comes of it. */
static const char ring_op[] =
    "#define OP_FORMULA \"|a - b| + |a - c| + |b - c|\"\n"
    "#define OP_SIDE 2\n"
    "#define OP_PULLS 1\n"
    "#define OP_DIRECT 3\n"
    "#define OP_RECORDS(d) ((d) >= 1)\n"
    "WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {\n"
    "    s[1] = wedge_length(a, b, q);\n"
    "    s[0] = s[1] * s[1];\n"
    "}\n"
    "WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {\n"
    "    return ab[1] + ac[1] + bc[1];\n"
    "}\n"
    "WEDGE_OP real op_pull(const real *ab, const real *ac, const real *bc, op_args q) {\n"
    "    return wedge_real(0.5f) / ab[1];\n"
    "}\n";

static wedge_op *compile_ring(wedge_device *dev) {
    const wedge_op_options options = {.size = sizeof options, .name = "ring"};
    wedge_op *op = NULL;
    assert_ok(dev, wedge_op_compile(dev, ring_op, &options, &op));
    return op;
}

/* ---- Sums ---- */

static wedge_summary summary_of(wedge_device *dev, const problem *p) {
    wedge_summary s = {.size = sizeof s};
    wedge_job *job = job_of(dev, p, "summary", NULL, 0);
    wedge_result r = {.size = sizeof r, .values = &s};
    assert_int_equal(wedge_job_get_info(job)->cells, cells_of(p));
    assert_ok(dev, wedge_job_run(job, 0, cells_of(p), &r, NULL, NULL));
    assert_int_equal(r.count, s.count);
    wedge_job_destroy(job);
    return s;
}

static void check_summary(wedge_device *dev, const problem *p) {
    wedge_summary s = summary_of(dev, p);
    double sum = 0, most = -1, close = p->dtype == WEDGE_F64 ? 1e-12 : 1e-5;
    uint64_t count = 0;
    EACH_TRIPLET(p, i, j, k) {
        if (!counts(p, i, j, k)) continue;
        double v = value_of(p, i, j, k);
        ++count, sum += v, most = fmax(most, v);
    }
    assert_int_equal(s.count, count);
    assert_true(fabs(s.sum - sum) <= close * sum);
    assert_true(s.min == 0 && s.min_i == s.min_j && s.min_j == s.min_k && fabs(s.max - most) <= close * most);
    assert_true(s.max_i < p->n && s.max_i >= s.max_j && s.max_j >= s.max_k);
    assert_true(fabs(value_of(p, s.max_i, s.max_j, s.max_k) - most) <= close * most);
    if (p->cutoff == 0) assert_int_equal(s.min_i, 0); /* along a curve another may come first */
}

static void sums_are_right_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 34, 63, 65, 66, 97, 130};
    for (uint32_t k = 0; k < 28; ++k) {
        problem p = some_points(dev, sizes[k % 14], k);
        p.packed = true;
        if (k >= 14) p.cutoff = 2, p.periodic = k % 3 == 0, p.box[0] = 6.5, p.box[1] = 7;
        if (k >= 14 && compiles_slowly(dev)) p.periodic = true;
        check_summary(dev, &p);
        if (k < 14) continue;
        p.prune = WEDGE_PRUNE_NEVER;
        check_summary(dev, &p);
    }
}

/* The same bytes however positions are cut into ranges. */
static void any_split_gives_the_same_bytes_on(wedge_device *dev) {
    problem p = some_points(dev, 130, 3);
    p.packed = true;
    wedge_summary whole = summary_of(dev, &p), s = {.size = sizeof s};
    wedge_job *job = job_of(dev, &p, "summary", NULL, 0);
    const wedge_job_info *info = wedge_job_get_info(job);
    for (uint64_t step = 9973; step < info->cells; step = step * 3 + 1) {
        wedge_result r = {.size = sizeof r, .values = &s, .state = calloc(1, info->state_bytes)};
        for (uint64_t at = 0, to; at < info->cells; at = to) {
            to = at + step < info->cells ? wedge_job_boundary(job, at + step) : info->cells;
            if (to <= at) to = at + step < info->cells ? at + step : info->cells;
            assert_ok(dev, wedge_job_run(job, at, to, &r, NULL, NULL));
        }
        assert_memory_equal(&s, &whole, sizeof s);
        free(r.state);
    }
    wedge_job_destroy(job);
}

/* Of points at whole numbers on a line the perimeter is twice the extent, exactly. */
static void counts_and_bins_are_right_on(wedge_device *dev) {
    enum { N = 90, BINS = 8 };
    problem p = {.op = "perimeter", .n = N, .d = 1, .packed = true};
    uint64_t within = 0, bins[BINS] = {0}, got[BINS + 3];
    const wedge_parameter radius = WEDGE_NUMBER("radius", 60);
    const wedge_parameter edges[] = {WEDGE_NUMBER("min", 0), WEDGE_NUMBER("max", 80), WEDGE_WHOLE("bins", BINS)};
    for (uint64_t x = 0; x < N; ++x) set_number(&p, x, (double)(x * 37 % N));
    EACH_TRIPLET(&p, i, j, k) {
        double v = value_of(&p, i, j, k);
        within += v <= 60;
        if (v <= 80) ++bins[v < 80 ? (int)(v / 10) : BINS - 1];
    }
    wedge_job *job = job_of(dev, &p, "count", &radius, 1);
    wedge_result r = {.size = sizeof r, .values = got};
    assert_ok(dev, wedge_job_run(job, 0, cells_of(&p), &r, NULL, NULL));
    assert_int_equal(got[0], within);
    wedge_job_destroy(job);
    if (compiles_slowly(dev)) return;
    job = job_of(dev, &p, "histogram", edges, 3);
    assert_ok(dev, wedge_job_run(job, 0, cells_of(&p), &r, NULL, NULL));
    assert_memory_equal(got, bins, sizeof bins);
    wedge_job_destroy(job);
}

/* ---- What each point gets ---- */

typedef struct {
    int64_t counts[MOST_N];
    double given[MOST_N][4], sizes[MOST_N];
} shares;

/* Each point of a triplet once; the force by all sides, of which those from a point to itself are none. */
static void add_triplet(shares *s, const problem *p, const uint64_t *at) {
    double v = value_of(p, at[0], at[1], at[2]);
    for (int x = 0; x < 3; ++x) {
        uint64_t own = at[x];
        bool again = (x > 0 && at[0] == own) || (x > 1 && at[1] == own);
        if (!again) ++s->counts[own], s->given[own][0] += v;
        for (int y = 0; y < 3; ++y)
            for (uint64_t f = 0; f < p->d && at[y] != own; ++f) {
                double unit = delta(p, own, at[y], f) / distance(p, own, at[y]);
                s->given[own][1 + f] -= unit, s->sizes[own] += fabs(unit);
            }
    }
}

static void check_scatter(wedge_device *dev, const problem *p) {
    static shares want;
    static double f64[MOST_N * 4];
    static float f32[MOST_N * 4];
    static int64_t numbers[MOST_N];
    double close = p->dtype == WEDGE_F64 ? 1e-13 : 1e-5;
    memset(&want, 0, sizeof want);
    EACH_TRIPLET(p, i, j, k) if (counts(p, i, j, k)) add_triplet(&want, p, (const uint64_t[]){i, j, k});
    wedge_job *job = job_of(dev, p, "scatter", NULL, 0);
    wedge_result r = {.size = sizeof r, .counts = numbers, .room = p->n};
    r.values = p->dtype == WEDGE_F64 ? (void *)f64 : (void *)f32;
    assert_int_equal(wedge_job_get_info(job)->values, 4);
    assert_ok(dev, wedge_job_run(job, 0, cells_of(p), &r, NULL, NULL));
    for (uint64_t x = 0; x < p->n; ++x) {
        assert_int_equal(numbers[x], want.counts[x]);
        for (int v = 0; v < 4; ++v) {
            double got = p->dtype == WEDGE_F64 ? f64[4 * x + (uint64_t)v] : (double)f32[4 * x + (uint64_t)v];
            double size = v ? want.sizes[x] : want.given[x][0];
            if (!(fabs(got - want.given[x][v]) <= close * size))
                fail_msg("value %d of point %d of %d, within %g: %.17g, not %.17g", v, (int)x, (int)p->n, p->cutoff,
                         got, want.given[x][v]);
        }
    }
    wedge_job_destroy(job);
}

static void every_point_gets_its_share_on(wedge_device *dev) {
    static const uint64_t sizes[] = {1, 2, 3, 4, 31, 32, 33, 65, 97, 130};
    wedge_op *op = compile_ring(dev);
    for (uint32_t k = 0; k < 20; ++k) {
        bool slow = compiles_slowly(dev), wide = k % 2 && dev->info.has_double && !slow;
        uint64_t d = slow ? 3 - 2 * (k / 10) : 1 + (k + k / 10) % 3; /* of fewer coordinates than three, too */
        problem p = random_points("perimeter", wide ? WEDGE_F64 : WEDGE_F32, sizes[k % 10], d, k);
        p.packed = k % 4 != 3 || slow; /* the others tell how the oracle counts */
        p.own = op;
        if (k >= 10) p.cutoff = 2;
        if (k >= 10 && (k % 2 || slow)) p.periodic = true, p.box[0] = 6.5, p.box[1] = 7;
        check_scatter(dev, &p);
    }
    wedge_op_destroy(op);
}

static void too_many_points_are_refused_on(wedge_device *dev) {
    wedge_job_spec q = {.op = "perimeter", .layout = WEDGE_TRIPLES_PACKED, .n = 4801279};
    refuse(dev, q, WEDGE_BAD_ARGUMENT, "exceeds 64 bits");
    if (!dev->backend->compile) return;
    q.n = 92682;
    refuse(dev, q, WEDGE_BAD_ARGUMENT, "up to 92681");
}

ON_EVERY_DEVICE(sums_are_right)
ON_EVERY_DEVICE(any_split_gives_the_same_bytes)
ON_EVERY_DEVICE(counts_and_bins_are_right)
ON_EVERY_DEVICE(every_point_gets_its_share)
ON_EVERY_DEVICE(too_many_points_are_refused)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right),
        cmocka_unit_test(any_split_gives_the_same_bytes),
        cmocka_unit_test(counts_and_bins_are_right),
        cmocka_unit_test(every_point_gets_its_share),
        cmocka_unit_test(too_many_points_are_refused),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
