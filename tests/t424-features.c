/* t424-features.c: values of many features: cut in fixed places, right to some units in the last place however many there are, the same
 * bytes on every device, layout and way to a value, and of ops that say nothing of it, added one after another.
 *
 * SPDX-License-Identifier: MIT */
#include "own_problem.h"
#include "sinks_problem.h"

enum { POINTS = 5 };

/* As op_builtins.h says, and docs/add-an-op.md. */
enum { PART = 128, GROUP = 2048 };

/* In [0, 1): the same for the same arguments. */
static double chance(uint64_t x, uint64_t f) {
    const wedge_random4 r = wedge_philox((wedge_random4){{(uint32_t)x, (uint32_t)f, 0, 0}}, 424, 0);
    return (double)wedge_random_float(r.v[0]);
}

static double uniform(uint64_t x, uint64_t f) { return chance(x, f); }
static double centred(uint64_t x, uint64_t f) { return chance(x, f) + chance(x, f + 1000000) - 1; }
static double equal(uint64_t x, uint64_t f) { return (void)f, chance(x, 0); } /* every rounding goes the same way */

static problem points_of(const char *op, wedge_layout layout, wedge_dtype dtype, uint64_t d,
                         double (*number)(uint64_t, uint64_t)) {
    problem p = make_problem(op, layout, dtype, POINTS, d);
    for (uint64_t x = 0; x < POINTS + p.pairs.m; ++x)
        for (uint64_t f = 0; f < d; ++f) set_number(&p, x, f, number(x, f));
    return p;
}

/* ---- Right ---- */

/* In long double. size: of what the error is a share. */
static long double exact(const problem *p, uint64_t i, uint64_t j, long double *size) {
    const char *op = p->pairs.op;
    const bool moved = !strcmp(op, "correlation"), angle = moved || !strcmp(op, "cosine");
    long double sum = 0, under = 0, aa = 0, bb = 0, mean[2] = {0, 0}, d = (long double)p->pairs.d;
    *size = 0;
    for (uint64_t f = 0; f < p->pairs.d && moved; ++f) mean[0] += at(p, i, f) / d, mean[1] += at(p, j, f) / d;
    for (uint64_t f = 0; f < p->pairs.d; ++f) {
        const long double a = at(p, i, f) - mean[0], b = at(p, j, f) - mean[1], t = fabsl(a - b);
        const long double term = strstr(op, "euclidean")       ? t * t
                                 : !strcmp(op, "dot") || angle ? a * b
                                 : !strcmp(op, "lorentzian")   ? log1pl(t)
                                                               : t;
        sum += term, *size += fabsl(term), under += fabsl(a + b), aa += a * a, bb += b * b;
    }
    if (!strcmp(op, "euclidean")) sum = sqrtl(sum), *size = sum;
    if (!strcmp(op, "braycurtis")) sum /= under, *size = sum;
    if (angle) sum = 1 - sum / sqrtl(aa * bb), *size = fmaxl(fabsl(sum), 0.25L);
    return sum;
}

static void check_errors(wedge_device *dev, const char *op, wedge_dtype dtype, uint64_t d,
                         double (*number)(uint64_t, uint64_t), double most) {
    problem p = points_of(op, WEDGE_CONDENSED, dtype, d, number);
    cell_list c = list_cells(dev, &p);
    for (uint64_t k = 0; k < c.count; ++k) {
        long double size, want = exact(&p, c.i[k], c.j[k], &size);
        const double unit = dtype == WEDGE_F64 ? 0x1p-52 : 0x1p-23;
        double off = (double)(fabsl((long double)c.v[k] - want) / size) / unit;
        if (!(off <= most)) fail_msg(CASE "%.17g, not %.17Lg: off by %g units", SAY_CASE(&c), c.v[k], want, off);
    }
    free_cells(&c);
    free(p.points);
}

/* d = 100,000 has 237 units one after another of random numbers, 700 as a cosine, and 20,000 of equal ones. */
static void errors_do_not_grow_with_features_on(wedge_device *dev) {
    static const char *const ops[] = {"sqeuclidean", "cosine", "dot", "cityblock", "braycurtis", "correlation"};
    const int count = compiles_slowly(dev) ? 1 : 6;
    for (int k = 0; k < count; ++k) {
        const bool angle = strstr("cosine correlation", ops[k]);
        for (int f64 = 0; f64 <= (dev->info.has_double && !compiles_slowly(dev) ? 1 : 0); ++f64) {
            check_errors(dev, ops[k], f64 ? WEDGE_F64 : WEDGE_F32, 100000, uniform, angle ? 20 : 8);
            if (compiles_slowly(dev)) continue;
            check_errors(dev, ops[k], f64 ? WEDGE_F64 : WEDGE_F32, 5000, centred, 8);
            if (!angle) check_errors(dev, ops[k], f64 ? WEDGE_F64 : WEDGE_F32, 100000, equal, k == 4 ? 70 : 40);
        }
    }
}

static void errors_do_not_grow_with_features(void **state) {
    (void)state;
    on_every_device(errors_do_not_grow_with_features_on);
}

static void errors_do_not_grow_with_features_with_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, errors_do_not_grow_with_features_on);
}

/* ---- In fixed places ---- */

/* Each sum in the dtype: parts from zeros, into groups, these into the whole; or, sequential, all of them in a row. */
#define IN_PARTS(name, number)                                                             \
    static double name(const problem *p, uint64_t i, uint64_t j, bool sequential) {        \
        volatile number all = 0, group = 0, part = 0;                                      \
        for (uint64_t f = 0; f < p->pairs.d; ++f) {                                        \
            const volatile number t = (number)at(p, i, f) - (number)at(p, j, f);           \
            part = part + (t < 0 ? -t : t);                                                \
            if (sequential || (f + 1 < p->pairs.d && (f + 1) % PART)) continue;            \
            group = group + part, part = 0;                                                \
            if (f + 1 == p->pairs.d || (f + 1) % GROUP == 0) all = all + group, group = 0; \
        }                                                                                  \
        return (double)(sequential ? part : all);                                          \
    }
IN_PARTS(in_parts_f32, float)
IN_PARTS(in_parts_f64, double)

static void check_places(const problem *p, const cell_list *c, bool sequential) {
    for (uint64_t k = 0; k < c->count; ++k) {
        const uint64_t other = p->pairs.layout == WEDGE_RECTANGLE ? POINTS + c->j[k] : c->j[k];
        const double want = (p->pairs.dtype == WEDGE_F64 ? in_parts_f64 : in_parts_f32)(p, c->i[k], other, sequential);
        if (c->v[k] != want)
            fail_msg("layout %d, d = %d: (%d, %d) is %.17g, not %.17g", (int)p->pairs.layout, (int)p->pairs.d,
                     (int)c->i[k], (int)c->j[k], c->v[k], want);
    }
}

/* Sums and differences alone: every device has these bytes. */
static void features_are_cut_in_fixed_places_on(wedge_device *dev) {
    static const uint64_t counts[] = {PART, PART + 1, 2 * PART, 999, GROUP, GROUP + 1, 2 * GROUP + 2 * PART, 5003};
    for (int k = 0; k < 8; ++k)
        for (int f64 = 0; f64 <= (dev->info.has_double && !compiles_slowly(dev) ? 1 : 0); ++f64) {
            if (compiles_slowly(dev) && k != 1 && k != 5 && k != 7) continue;
            const wedge_layout layouts[] = {WEDGE_CONDENSED, WEDGE_RECTANGLE, WEDGE_SQUARE, WEDGE_PACKED};
            const wedge_layout layout = layouts[compiles_slowly(dev) ? 0 : k % 4];
            problem p = points_of("cityblock", layout, f64 ? WEDGE_F64 : WEDGE_F32, counts[k], uniform);
            cell_list c = list_cells(dev, &p);
            check_places(&p, &c, false);
            if (compiles_slowly(dev) ? k == 7 : layout == WEDGE_CONDENSED) check_select(dev, &c, c.v[0]);
            if (k % 4 == 0 && !compiles_slowly(dev)) check_count(dev, &c, c.v[0]);
            free_cells(&c);
            free(p.points);
        }
}

static void features_are_cut_in_fixed_places(void **state) {
    (void)state;
    on_every_device(features_are_cut_in_fixed_places_on);
}

static void features_are_cut_in_fixed_places_with_every_instruction_set(void **state) {
    (void)state;
    on_every_instruction_set(NULL, features_are_cut_in_fixed_places_on);
}

static void run_rows(wedge_device *dev, wedge_job *job, wedge_result r) {
    assert_ok(dev, wedge_job_run(job, 0, wedge_job_get_info(job)->cells, &r, NULL, NULL));
    wedge_job_destroy(job);
}

/* The sums of rows, and the nearest, are made of the values that store has. */
static void rows_have_the_same_values_on(wedge_device *dev) {
    problem p = points_of("cityblock", WEDGE_SQUARE, WEDGE_F32, 3000, uniform);
    cell_list c = list_cells(dev, &p);
    const wedge_parameter one = WEDGE_WHOLE("k", 1);
    int64_t to[POINTS], count[POINTS];
    float nearest[POINTS] = {0}, sum[POINTS] = {0};
    run_rows(dev, sink_job(dev, &p.pairs, "nearest", &one, 1),
             (wedge_result){.size = sizeof(wedge_result), .indices = to, .values = nearest, .room = POINTS});
    run_rows(dev, sink_job(dev, &p.pairs, "scatter", NULL, 0),
             (wedge_result){.size = sizeof(wedge_result), .counts = count, .values = sum, .room = POINTS});
    for (uint64_t i = 0; i < POINTS; ++i) {
        double least = INFINITY, all = 0;
        for (uint64_t j = 0; j < POINTS; ++j)
            if (i != j) least = fmin(least, c.v[i * POINTS + j]), all += c.v[i * POINTS + j];
        assert_true((double)nearest[i] == least);
        assert_true(fabs((double)sum[i] - all) <= 0x1p-22 * all);
    }
    free_cells(&c);
    free(p.points);
}

static void rows_have_the_same_values(void **state) {
    (void)state;
    on_every_device(rows_have_the_same_values_on);
}

/* ---- What an op says ---- */

/* A NaN of any part comes through, and the largest is the largest of all parts. */
static void what_is_no_sum_is_joined_on(wedge_device *dev) {
    problem p = points_of("chebyshev", WEDGE_CONDENSED, WEDGE_F32, 5003, uniform);
    for (uint64_t x = 0; x < POINTS; ++x) set_number(&p, x, x * 800, 2 + (double)x);
    set_number(&p, 3, 2100, (double)NAN);
    cell_list c = list_cells(dev, &p);
    for (uint64_t k = 0; k < c.count; ++k) {
        double most = 0;
        for (uint64_t f = 0; f < p.pairs.d; ++f) {
            const double t = (double)fabsf((float)at(&p, c.i[k], f) - (float)at(&p, c.j[k], f));
            if (t > most || isnan(t)) most = t;
            if (isnan(most)) break;
        }
        assert_true(isnan(most) ? isnan(c.v[k]) : c.v[k] == most);
    }
    free_cells(&c);
    free(p.points);
}

static void what_is_no_sum_is_joined(void **state) {
    (void)state;
    on_every_device(what_is_no_sum_is_joined_on);
}

#define OWN                                                                \
    "typedef struct { real sum; } op_state;\n"                             \
    "WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {\n" \
    "    s.sum = s.sum + wedge_abs(a - b);\n    return s;\n}\n"            \
    "WEDGE_OP real op_finish(op_state s, op_args q) { return s.sum; }\n"
#define OWN_JOIN "WEDGE_OP op_state op_join(op_state s, op_state t) { s.sum = s.sum + t.sum; return s; }\n"

static void a_users_op_is_cut_where_it_says_so_on(wedge_device *dev) {
    static const struct {
        const char *text;
        bool sequential;
    } files[] = {{OWN, true}, {"#define OP_SUMS 1\n" OWN, false}, {"#define OP_JOINS 1\n" OWN OWN_JOIN, false}};
    for (int k = 0; k < (compiles_slowly(dev) ? 2 : 3); ++k) {
        problem p = points_of("cityblock", WEDGE_CONDENSED, WEDGE_F32, 2500, uniform);
        wedge_op *op = compile_for(dev, files[k].text, "mine", NULL);
        p.pairs.op = NULL, p.pairs.own_op = op;
        cell_list c = {.p = &p};
        char *raw = stored_values(dev, &p.pairs);
        c.i = malloc(MOST_N), c.j = malloc(MOST_N), c.v = malloc(MOST_N * 8);
        for (uint32_t i = 0; i < POINTS; ++i)
            for (uint32_t j = i + 1; j < POINTS; ++j, ++c.count)
                c.i[c.count] = i, c.j[c.count] = j, c.v[c.count] = (double)((float *)(void *)raw)[c.count];
        check_places(&p, &c, files[k].sequential);
        free(c.i), free(c.j), free(c.v), free(raw);
        wedge_op_destroy(op);
        free(p.points);
    }
}

static void a_users_op_is_cut_where_it_says_so(void **state) {
    (void)state;
    on_every_device(a_users_op_is_cut_where_it_says_so_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_do_not_grow_with_features),
        cmocka_unit_test(errors_do_not_grow_with_features_with_every_instruction_set),
        cmocka_unit_test(features_are_cut_in_fixed_places),
        cmocka_unit_test(features_are_cut_in_fixed_places_with_every_instruction_set),
        cmocka_unit_test(rows_have_the_same_values),
        cmocka_unit_test(what_is_no_sum_is_joined),
        cmocka_unit_test(a_users_op_is_cut_where_it_says_so),
    };
    return device_status(cmocka_run_group_tests(tests, NULL, NULL));
}
