/* t428-records: values of bodies, spheres, atoms and triangles are right where squares on the way to them would leave the range of
 * the dtype: for tiny and huge points, and for a few that are close together among ordinary ones. The oracle is long double.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>

#include "pairs_problem.h"

enum { N = 9, CLOSE = 3 };

/* The first CLOSE points have size `near`, the others `far`. f32, f64. */
static const struct {
    double near[2], far[2];
} kinds[] = {{{1, 1}, {1, 1}},
             {{1e-24, 1e-170}, {1e-24, 1e-170}},
             {{1e-24, 1e-170}, {1, 1}},
             {{1e-36, 1e-300}, {1, 1}},
             {{1e-10, 1e-100}, {1e-10, 1e-100}},
             {{1e-15, 1e-90}, {1e-3, 1}},
             {{1e24, 1e200}, {1, 1}},
             {{1e17, 1e148}, {1e17, 1e148}},
             {{1e-20, 1e-160}, {1e15, 1e120}},
             {{1e-40, 1e-310}, {1e-40, 1e-310}}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double size_of(int kind, int wide, uint64_t x) { return (x < CLOSE ? kinds[kind].near : kinds[kind].far)[wide]; }

/* x, y, z and a mass or a radius; sigma is the size of the close ones. */
static problem points_of(const char *op, int kind, int wide, bool triples, wedge_parameter *sigma) {
    bool fourth = !strcmp(op, "gravity") || !strcmp(op, "spheres");
    problem p = {
        .pairs = {.size = sizeof p.pairs, .op = op, .n = N, .d = fourth ? 4 : 3, .overflow = WEDGE_OVERFLOW_REFUSED}};
    p.pairs.dtype = wide ? WEDGE_F64 : WEDGE_F32;
    p.pairs.layout = triples ? WEDGE_TRIPLES : WEDGE_CONDENSED;
    if (!strcmp(op, "area") && kind == 6) p.pairs.overflow = WEDGE_OVERFLOW_ACCEPTED; /* some are infinite */
    p.points = calloc(N * 4, 8);
    p.pairs.points = p.points;
    for (uint64_t x = 0; x < N; ++x)
        for (uint64_t f = 0; f < 3; ++f)
            set_number(&p, x, f, size_of(kind, wide, x) * (double)(1 + (x * 3 + f) * 7919 % 101) / 101);
    for (uint64_t x = 0; x < N && fourth; ++x) set_number(&p, x, 3, strcmp(op, "spheres") ? 2 : 0);
    *sigma = (wedge_parameter)WEDGE_NUMBER("sigma", size_of(kind, wide, 0));
    p.pairs.parameters = sigma, p.pairs.parameter_count = !strcmp(op, "lennard_jones");
    return p;
}

static long double between(const problem *p, uint64_t i, uint64_t j) {
    long double sum = 0;
    for (uint64_t f = 0; f < 3; ++f) sum += powl((long double)at(p, i, f) - at(p, j, f), 2);
    return sqrtl(sum);
}

static long double pair_value(const problem *p, uint64_t i, uint64_t j, uint64_t v, long double *size) {
    const char *op = p->pairs.op;
    long double r = between(p, i, j), value = r;
    if (!strcmp(op, "gravity")) value = v ? 4 / r / r * (((long double)at(p, j, v - 1) - at(p, i, v - 1)) / r) : -4 / r;
    if (!strcmp(op, "displacement") && v) value = (long double)at(p, j, v - 1) - at(p, i, v - 1);
    *size = fabsl(value);
    if (!strcmp(op, "lennard_jones")) {
        const double given = p->pairs.parameters->value;
        long double s = powl((p->pairs.dtype ? given : (double)(float)given) / r, 6);
        value = 4 * s * (s - 1), *size = 4 * s * (s + 1);
    }
    return value;
}

static long double triple_value(const problem *p, uint64_t i, uint64_t j, uint64_t k, long double *size) {
    long double ab = between(p, i, j), ac = between(p, i, k), bc = between(p, j, k), u[3], v[3],
                most = fmaxl(ab, fmaxl(ac, bc));
    uint64_t corner = most == ab ? k : most == ac ? j : i, to = corner == i ? j : i, other = corner == k ? j : k;
    for (uint64_t f = 0; f < 3; ++f)
        u[f] = (long double)at(p, to, f) - at(p, corner, f), v[f] = (long double)at(p, other, f) - at(p, corner, f);
    *size = ab + ac + bc;
    if (!strcmp(p->pairs.op, "perimeter")) return *size;
    if (!strcmp(p->pairs.op, "longest_side")) return *size = most;
    *size = ab * ac * bc / most / 2;
    return sqrtl(powl(u[1] * v[2] - u[2] * v[1], 2) + powl(u[2] * v[0] - u[0] * v[2], 2) +
                 powl(u[0] * v[1] - u[1] * v[0], 2)) /
           2;
}

static void check(const problem *p, int kind, double got, long double want, long double size) {
    const bool wide = p->pairs.dtype == WEDGE_F64;
    const long double unit = wide ? 0x1p-53L : 0x1p-24L, least = wide ? 0x1p-1074L : 0x1p-149L,
                      most = wide ? DBL_MAX : FLT_MAX;
    if (fabsl(want) > most ? isinf(got) && (got > 0) == (want > 0) : fabsl(got - want) <= 64 * unit * size + 2 * least)
        return;
    fail_msg("%s in %s, kind %d: %g, not %Lg", p->pairs.op, wide ? "f64" : "f32", kind, got, want);
}

static void values_are_right(wedge_device *dev, const char *op, int kind, int wide, bool triples) {
    wedge_parameter sigma;
    problem p = points_of(op, kind, wide, triples, &sigma);
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, &p.pairs, &job));
    const wedge_job_info info = *wedge_job_get_info(job);
    assert_true(kind || !info.scaled);
    char *values = malloc(info.cells * info.values * 8);
    wedge_result r = {.size = sizeof r, .values = values};
    assert_ok(dev, wedge_job_run(job, 0, info.cells, &r, NULL, NULL));
    wedge_job_destroy(job);
    uint64_t next = 0;
    long double size, want;
    for (uint64_t i = 0; i < N; ++i)
        for (uint64_t j = triples ? 0 : i + 1; j < (triples ? i : N); ++j)
            for (uint64_t k = 0; k < (triples ? j : info.values); ++k, ++next) {
                want = triples ? triple_value(&p, i, j, k, &size) : pair_value(&p, i, j, k, &size);
                check(&p, kind, wide ? ((double *)(void *)values)[next] : (double)((float *)(void *)values)[next], want,
                      size);
            }
    assert_int_equal(next, info.cells * info.values);
    free(values), free(p.points);
}

static void values_on(wedge_device *dev) {
    static const struct {
        const char *op;
        bool triples;
    } ops[] = {{"displacement", false}, {"gravity", false},  {"spheres", false},    {"lennard_jones", false},
               {"area", true},          {"perimeter", true}, {"longest_side", true}};
    int turn = 0;
    for (size_t op = 0; op < sizeof ops / sizeof *ops; ++op)
        for (int kind = 0; kind < KINDS; ++kind)
            for (int wide = 0; wide < (dev->info.has_double ? 2 : 1); ++wide)
                if (!compiles_slowly(dev) || ++turn % 37 == 0)
                    values_are_right(dev, ops[op].op, kind, wide, ops[op].triples);
}

static void values(void **state) {
    (void)state;
    if (device_wanted("cpu")) on_every_instruction_set(NULL, values_on);
    on_every_device(values_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
