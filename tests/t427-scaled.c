/* t427-scaled: values are right where sums on the way to them would leave the range of the dtype, and what compares values decides by
 * those that store writes. The oracle is long double, whose range no case here leaves.
 *
 * SPDX-License-Identifier: MIT */
#include <float.h>

#include "nearest_problem.h"

enum { N = 40, D = 3, K = 4 };

/* Number f of point x, of a dtype with `tiny` and `huge` numbers whose squares are none. */
typedef double number_fn(uint64_t x, uint64_t f, double tiny, double huge, double least);
static double part(uint64_t x, uint64_t f) {
    return (double)((x * 2654435761u + f * 40503u * 7 + x * f * 97) % 1009) / 1009;
}
static double all_tiny(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)huge, (void)least, tiny * part(x, f);
}
static double all_huge(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)tiny, (void)least, huge * part(x, f);
}
static double on_a_line(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)tiny, (void)f, (void)least, huge * (double)x;
}
static double one_tiny_pair(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)huge, (void)least, x == 17 ? tiny : x == 31 ? 2 * tiny * (double)(f != 1) : part(x, f) + 0.25;
}
static double everything(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return part(x, f) * (x % 5 == 0   ? 1
                         : x % 5 == 1 ? tiny
                         : x % 5 == 2 ? sqrt(huge)
                         : x % 5 == 3 ? least * 1000
                                      : 0.001);
}
static double denormal(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)tiny, (void)huge, least * floor(9 * part(x, f) - 4);
}
static double signed_zeros(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)tiny, (void)huge, x == 7 ? least : (x + f) % 2 ? -0.0 : 0.0;
}
static double thousandths(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)tiny, (void)huge, (void)least, 0.001 * part(x, f);
}
static double huge_column(uint64_t x, uint64_t f, double tiny, double huge, double least) {
    return (void)tiny, (void)least, f == 1 ? huge * part(x, f) : part(x, f);
}
static const struct {
    const char *name;
    number_fn *at;
} kinds[] = {{"all tiny", all_tiny},           {"all huge", all_huge},       {"on a line", on_a_line},
             {"one tiny pair", one_tiny_pair}, {"everything", everything},   {"denormal", denormal},
             {"signed zeros", signed_zeros},   {"thousandths", thousandths}, {"a huge column", huge_column}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct {
    const char *op;
    double p; /* or sigma: 0 huge, -1 tiny */
} ops[] = {{"euclidean", 2},   {"minkowski", 20}, {"minkowski", 50},
           {"minkowski", 3.5}, {"gaussian", 0},   {"gaussian", -1}};
enum { OPS = sizeof ops / sizeof *ops };

/* N points; others of a rectangle are the same. */
static problem problem_of(int op, int kind, wedge_layout layout, wedge_dtype dtype, wedge_parameter *given) {
    bool wide = dtype == WEDGE_F64;
    problem p = make_problem(ops[op].op, layout, dtype, N, D);
    double tiny = wide ? 1e-170 : 1e-24, huge = wide ? 1e160 : 1e20, least = wide ? 0x1p-1074 : 0x1p-149;
    for (uint64_t x = 0; x < N + p.pairs.m; ++x)
        for (uint64_t f = 0; f < D; ++f) set_number(&p, x, f, kinds[kind].at(x % N, f, tiny, huge, least));
    bool gaussian = !strcmp(ops[op].op, "gaussian");
    *given = (wedge_parameter)WEDGE_NUMBER(gaussian ? "sigma" : "p", !gaussian        ? ops[op].p
                                                                     : ops[op].p == 0 ? huge
                                                                                      : tiny);
    p.pairs.parameters = given, p.pairs.parameter_count = strcmp(ops[op].op, "euclidean") ? 1 : 0;
    p.pairs.overflow = WEDGE_OVERFLOW_REFUSED;
    p.data = kinds[kind].name;
    return p;
}

static long double true_value(const problem *p, double parameter_, uint64_t i, uint64_t j, long double *slack) {
    bool gaussian = !strcmp(p->pairs.op, "gaussian");
    long double t[D], most = 0, sum = 0, power = gaussian || !strcmp(p->pairs.op, "euclidean") ? 2 : parameter_;
    for (uint64_t f = 0; f < D; ++f) t[f] = fabsl((long double)at(p, i, f) - at(p, j, f)), most = fmaxl(most, t[f]);
    for (uint64_t f = 0; f < D; ++f)
        sum += powl(gaussian ? t[f] / (long double)parameter_ : most > 0 ? t[f] / most : 0, power);
    long double value = gaussian ? expl(-sum / 2) : most * powl(sum, 1 / power);
    long double unit = p->pairs.dtype == WEDGE_F64 ? 0x1p-53L : 0x1p-24L,
                last = p->pairs.dtype == WEDGE_F64 ? 0x1p-1074L : 0x1p-149L;
    /* the root of a plain sum has the logarithm of the sum times what the power's rounding is off */
    *slack = (gaussian ? 8 + 4 * sum : 40 + 8 * fabsl(logl(value > 0 ? value : 1))) * unit * value + last;
    return value;
}

static void values_are_right(const problem *p, const cell_list *c, double parameter_) {
    for (uint64_t k = 0; k < c->count; ++k) {
        long double slack, want = true_value(p, parameter_, c->i[k], c->j[k], &slack);
        if (!(fabsl((long double)c->v[k] - want) <= slack))
            fail_msg("%s of %s, %s: (%d, %d) is %g, not %Lg", p->pairs.op, p->data, p->pairs.dtype ? "f64" : "f32",
                     (int)c->i[k], (int)c->j[k], c->v[k], want);
    }
}

static bool is_scaled(wedge_device *dev, const wedge_job_spec *pairs) {
    wedge_job *job;
    assert_ok(dev, wedge_job_create(dev, pairs, &job));
    bool scaled = wedge_job_get_info(job)->scaled;
    wedge_job_destroy(job);
    return scaled;
}

/* Radius 0 has the pairs that store writes as 0; nearest are nearest by those values; with and without pruning. */
static void decisions_agree(wedge_device *dev, problem *p, const cell_list *c) {
    bool bounded = wedge_op_find(p->pairs.op)->bounded;
    for (int prune = WEDGE_PRUNE_NEVER; prune <= (bounded ? WEDGE_PRUNE_ALWAYS : WEDGE_PRUNE_NEVER); ++prune) {
        p->pairs.prune = (wedge_prune)prune;
        check_count(dev, c, 0);
        check_select(dev, c, c->v[c->count / 3]);
        if (p->pairs.layout == WEDGE_CONDENSED && prune == WEDGE_PRUNE_NEVER) check_summary(dev, c, false);
    }
    p->pairs.layout = WEDGE_SQUARE;
    for (int prune = WEDGE_PRUNE_NEVER; prune <= (bounded ? WEDGE_PRUNE_ALWAYS : WEDGE_PRUNE_NEVER); ++prune) {
        p->pairs.prune = (wedge_prune)prune;
        ranking r = rank_rows(dev, p);
        check_nearest(dev, &r, K);
        free_ranking(&r);
    }
}

static void values_and_decisions_on(wedge_device *dev) {
    wedge_parameter given;
    int scaled = 0, turn = 0;
    for (int op = 0; op < OPS; ++op)
        for (int kind = 0; kind < KINDS; ++kind)
            for (int wide = 0; wide < (dev->info.has_double ? 2 : 1); ++wide) {
                if (compiles_slowly(dev) && ++turn % 13) continue;
                problem p = problem_of(op, kind, turn % 2 ? WEDGE_RECTANGLE : WEDGE_CONDENSED,
                                       wide ? WEDGE_F64 : WEDGE_F32, &given);
                scaled += is_scaled(dev, &p.pairs);
                cell_list c = list_cells(dev, &p);
                values_are_right(&p, &c, given.value);
                if (!compiles_slowly(dev)) decisions_agree(dev, &p, &c);
                free_cells(&c);
                free(p.points);
            }
    assert_true(scaled > (compiles_slowly(dev) ? 2 : 40));
}

static void values_and_decisions(void **state) {
    (void)state;
    if (device_wanted("cpu")) on_every_instruction_set(NULL, values_and_decisions_on);
    on_every_device(values_and_decisions_on);
}

/* Numbers that a scaled form does not lose are the same bytes as without it; and ordinary points are never scaled. */
static void what_needs_no_scale_keeps_its_bytes_on(wedge_device *dev) {
    problem p = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, N, D), q;
    assert_false(is_scaled(dev, &p.pairs));
    cell_list plain = list_cells(dev, &p);
    q = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, N + 1, D);
    for (uint64_t x = 0; x < N; ++x)
        for (uint64_t f = 0; f < D; ++f) set_number(&q, x, f, at(&p, x, f));
    for (uint64_t f = 0; f < D; ++f) set_number(&q, N, f, 1e-30);
    assert_true(is_scaled(dev, &q.pairs));
    cell_list mixed = list_cells(dev, &q);
    for (uint64_t k = 0, m = 0; k < mixed.count; ++k)
        if (mixed.j[k] < N) assert_memory_equal((char *)mixed.raw + 4 * k, (char *)plain.raw + 4 * m++, 4);
    free_cells(&plain), free_cells(&mixed);
    free(p.points), free(q.points);
}

static void what_needs_no_scale_keeps_its_bytes(void **state) {
    (void)state;
    on_every_device(what_needs_no_scale_keeps_its_bytes_on);
}

/* A job whose points come to need the other form, and no more. */
static void a_renewed_job_changes_its_form_on(wedge_device *dev) {
    wedge_parameter given, radius = WEDGE_NUMBER("radius", 0);
    problem tiny = problem_of(0, 0, WEDGE_CONDENSED, WEDGE_F32, &given);
    problem plain = make_problem("euclidean", WEDGE_CONDENSED, WEDGE_F32, N, D);
    for (uint64_t k = 0; k < N * D; ++k) ((float *)plain.points)[k] = (float)(k + 1);
    wedge_job *job = sink_job(dev, &plain.pairs, "count", &radius, 1);
    const float *points[] = {plain.points, tiny.points, plain.points};
    uint64_t counts[3] = {9, 9, 9}, bytes[3];
    for (int k = 0; k < 3; ++k) {
        wedge_result r = {.size = sizeof r, .values = &counts[k]};
        assert_ok(dev, wedge_job_renew(job, points[k], NULL));
        assert_int_equal(wedge_job_get_info(job)->scaled, k == 1);
        assert_ok(dev, wedge_job_run(job, 0, N * (N - 1) / 2, &r, NULL, NULL));
        bytes[k] = wedge_job_get_info(job)->device_bytes;
    }
    assert_int_equal(bytes[0], bytes[2]);
    for (int k = 0; k < 3; ++k) assert_int_equal(counts[k], 0); /* no two are equal */
    wedge_job_destroy(job);
    free(tiny.points), free(plain.points);
}

static void a_renewed_job_changes_its_form(void **state) {
    (void)state;
    on_every_device(a_renewed_job_changes_its_form_on);
}

/* In a periodic box, where neighbours meet across the end; and one point alone. */
static void boxes_and_one_point_on(wedge_device *dev) {
    wedge_parameter given;
    problem p = problem_of(0, 0, WEDGE_CONDENSED, WEDGE_F32, &given);
    double length = 1.25e-24, lengths[D] = {length, length, length};
    float box = (float)length;
    p.pairs.box = lengths;
    cell_list c = list_cells(dev, &p);
    for (uint64_t k = 0; k < c.count; ++k) {
        long double sum = 0;
        for (uint64_t f = 0; f < D; ++f) {
            long double t = (long double)at(&p, c.i[k], f) - at(&p, c.j[k], f);
            t -= box * roundl(t / box);
            sum += t * t;
        }
        assert_true(fabsl((long double)c.v[k] - sqrtl(sum)) <= 1e-6L * sqrtl(sum));
    }
    free_cells(&c);
    p.pairs.n = 1, p.pairs.box = NULL, p.pairs.layout = WEDGE_PACKED;
    c = list_cells(dev, &p);
    assert_true(c.count == 1 && c.v[0] == 0);
    free_cells(&c);
    free(p.points);
}

static void boxes_and_one_point(void **state) {
    (void)state;
    on_every_device(boxes_and_one_point_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_decisions),
        cmocka_unit_test(what_needs_no_scale_keeps_its_bytes),
        cmocka_unit_test(a_renewed_job_changes_its_form),
        cmocka_unit_test(boxes_and_one_point),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
