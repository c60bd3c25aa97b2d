/* t480-facts.c: what is read from the file of an op without a compiler is what the compiler says of it; what cannot be is refused, with file
 * and line.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <math.h>

#include "devices.h"
#include "engine/userop/expression.h"

extern const op_def op_test_older_def, op_test_several_def, op_test_direct_def, op_test_words_def, op_test_values_def,
    op_clark_def, op_coulomb_def;

/* ---- The ops of the table ---- */

static void assert_same_number(double got, double want) {
    if (!(got == want || (isnan(got) && isnan(want)))) fail_msg("%.17g, not %.17g", got, want);
}

static void compare_parameters(const op_def *got, const op_def *want) {
    static const double values[] = {-INFINITY, -2, -1, 0, 0.25, 0.5, 1, 2, 3, 6, 7, 99, 100, INFINITY};
    assert_int_equal(got->info.parameter_count, want->info.parameter_count);
    for (int k = 0; k < want->info.parameter_count; ++k) {
        assert_string_equal(got->info.parameters[k]->name, want->info.parameters[k]->name);
        assert_string_equal(got->info.parameters[k]->condition, want->info.parameters[k]->condition);
        assert_same_number(got->info.parameters[k]->value, want->info.parameters[k]->value);
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v)
            assert_int_equal(got->check(got, k, values[v]), want->check(want, k, values[v]));
    }
}

static void compare_functions(const op_def *got, const op_def *want, const double *set) {
    static const double numbers[] = {0, 0.5, 1, 3, 1e9, 1e200, INFINITY};
    assert_int_equal(got->magnitude != NULL, want->magnitude != NULL);
    assert_int_equal(got->magnitude_end != NULL, want->magnitude_end != NULL);
    assert_int_equal(got->margin != NULL, want->margin != NULL);
    assert_int_equal(got->same_as != NULL, want->same_as != NULL);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        double x = numbers[k], y = numbers[(k + 3) % 7];
        if (want->magnitude) assert_same_number(got->magnitude(got, x, y, set), want->magnitude(want, x, y, set));
        if (want->magnitude_end) assert_same_number(got->magnitude_end(got, x, set), want->magnitude_end(want, x, set));
        if (want->margin) assert_same_number(got->margin(got, x, set), want->margin(want, x, set));
    }
    if (!want->same_as) return;
    const char *one = got->same_as(got, set), *other = want->same_as(want, set);
    assert_int_equal(one != NULL, other != NULL);
    if (one) assert_string_equal(one, other);
}

static void compare_bounds(const op_def *got, const op_def *want) {
    assert_int_equal(got->bound != NULL, want->bound != NULL);
    assert_int_equal(got->info.bounded, want->info.bounded);
    for (uint64_t d = 1; d <= 70 && want->bound; ++d)
        for (uint64_t f = 0; f < d; ++f) assert_int_equal(got->bound(got, f, d), want->bound(want, f, d));
}

static void compare(const op_def *want) {
    static const double sets[][MOST_PARAMETERS] = {{1, 1, 0}, {2, 0.5, 1}, {INFINITY, 3, 2}, {0, 1, 0}, {0.5, 7, 7}};
    op_def got;
    facts *f;
    note n = {0};
    print_message("             %s\n", want->info.name);
    if (facts_read(want->text, want->info.name, "file.h", &got, &f, &n)) fail_msg("%s", note_text(&n));
    assert_string_equal(got.info.name, want->info.name);
    assert_string_equal(got.info.formula, want->info.formula);
    assert_int_equal(got.info.zero_for_equals, want->info.zero_for_equals);
    assert_int_equal(got.info.record, want->info.record);
    assert_int_equal(got.info.points, want->info.points);
    assert_int_equal(got.info.values, want->info.values);
    assert_int_equal(got.records, want->records);
    assert_int_equal(got.side, want->side);
    assert_int_equal(got.info.forces, want->info.forces);
    assert_int_equal(got.state, want->state);
    assert_int_equal(got.heavy, want->heavy);
    assert_int_equal(got.angles, want->angles);
    assert_int_equal(got.info.columns != NULL, want->info.columns != NULL);
    if (got.info.columns) assert_string_equal(got.info.columns, want->info.columns);
    compare_parameters(&got, want);
    compare_bounds(&got, want);
    for (size_t k = 0; k < sizeof sets / sizeof *sets; ++k) compare_functions(&got, want, sets[k]);
    char *one = op_parameters_line(&got), *other = op_parameters_line(want);
    assert_int_equal(strlen(one) > 1, strlen(other) > 1);
    free(one);
    free(other);
    facts_free(f);
}

static void what_is_read_is_what_the_compiler_says(void **state) {
    static const op_def *const more[] = {&op_test_older_def, &op_test_several_def, &op_test_direct_def,
                                         &op_test_words_def, &op_test_values_def,  &op_clark_def,
                                         &op_coulomb_def};
    (void)state;
    assert_true(wedge_op_count(2) >= 20 && wedge_op_count(3) >= 4);
    for (int k = 0; k < wedge_op_count(0); ++k) compare(op_find(wedge_op_at(0, k)->name));
    for (size_t k = 0; k < sizeof more / sizeof *more; ++k) compare(more[k]);
}

/* ---- Expressions ---- */

static void an_expression_has_the_value_that_c_gives_it(void **state) {
    (void)state;
    const int a = 7, b = 2, zero = 0;
    const double x = 0.5;
    const scope s = {.facts = &(facts){.macro_count = 0},
                     .names = {"a", "b", "x", "zero"},
                     .values = {whole_value(a), whole_value(b), real_value(x), whole_value(zero)},
                     .count = 4};
#define CASE(expression) \
    { #expression, (double)(expression) }
    const struct {
        const char *text;
        double want;
    } cases[] = {CASE(a / b),
                 CASE(a % b),
                 CASE(-a / b),
                 CASE(a / 2.0),
                 CASE(1 + 2 * 3 - 4),
                 CASE((1 + 2) * 3),
                 CASE(10 - 4 - 3),
                 CASE(a < b   ? 1
                      : a > 5 ? 2
                              : 3),
                 CASE(!(a == 7) || (b != 2 && x < 1)),
                 CASE((a == 7 && b == 2) || zero),
                 CASE((1 << 4) | 3),
                 CASE((a & 3) ^ 1),
                 CASE((a >> 1) + (b << 1)),
                 CASE(0x10 + 010),
                 CASE(0x1p-3 + 1e-3 + .5 + 2.),
                 CASE(1u + 2l + 3.5f),
                 CASE((double)a / b),
                 CASE((int)(x * 5)),
                 CASE(pow(a, x) + sqrt(x) - fmax(x, 2)),
                 CASE(isinf(INFINITY) != 0),
                 CASE(-x + +a),
                 CASE(a >= 7),
                 CASE(a <= 6),
                 CASE(x * -1)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        value v;
        char why[128];
        if (!evaluate(cases[k].text, &s, &v, why)) fail_msg("%s: %s", cases[k].text, why);
        if (as_real(v) != cases[k].want) fail_msg("%s: %g, not %g", cases[k].text, as_real(v), cases[k].want);
    }
}

static void what_is_no_expression_is_refused(void **state) {
    static const char *const cases[] = {"",       "a",          "1 +",   "(1",  "1)",      "1 2",
                                        "pow(1)", "sqrt(1, 2)", "1 ? 2", "\"x", "1.5 % 2", "1..2",
                                        "3q",     "\"a\" + 1",  "@",     "f(",  "((((",    "- - -"};
    const scope s = {.facts = &(facts){.macro_count = 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        value v;
        char why[128] = "";
        if (evaluate(cases[k], &s, &v, why)) fail_msg("'%s' was taken", cases[k]);
        assert_true(*why);
    }
}

/* ---- Files ---- */

static const char fold[] =
    "typedef struct { real sum; } op_state;\n"
    "WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) { return s; }\n"
    "WEDGE_OP real op_finish(op_state s, op_args q) { return s.sum; }\n";

/* The row of a file; the facts are kept until the next one. */
static op_def read(const char *before, const char *code) {
    static facts *kept;
    static char *text;
    note n = {0};
    op_def row;
    facts_free(kept);
    free(text);
    text = text_format("%s%s", before, code);
    if (facts_read(text, "name", "file.h", &row, &kept, &n)) fail_msg("%s", note_text(&n));
    return row;
}

static void refuse(const char *before, const char *code, const char *words) {
    note n = {0};
    op_def row;
    facts *f;
    char *text = text_format("%s%s", before, code);
    assert_int_equal(facts_read(text, "name", "file.h", &row, &f, &n), WEDGE_BAD_DATA);
    assert_null(f);
    if (!strstr(note_text(&n), words)) fail_msg("'%s' has no '%s'", note_text(&n), words);
    note_free(&n);
    free(text);
}

static void a_file_may_be_written_as_c_allows(void **state) {
    (void)state;
    char *guarded = text_format("%s#endif\n", fold);
    op_def row = read("#ifndef MINE_H\n#define MINE_H\n#pragma once\n#if 0\n#define OP_VALUES 9\n#endif\n", guarded);
    free(guarded);
    assert_int_equal(row.info.values, 1);
    assert_string_equal(row.info.formula, "name");
    row = read("#ifdef MINE_H\n#define OP_VALUES 9\n#else\n#define OP_VALUES 2\n#endif\n", fold);
    assert_int_equal(row.info.values, 2);
    row = read("/* #define OP_VALUES 3 */ // #define OP_VALUES 4\n#  define\tOP_VALUES /* two\nlines */ 2 \\\n + 1\n",
               fold);
    assert_int_equal(row.info.values, 3);
    row = read("#define TWO 2\n#define TWICE(x) ((x) * TWO)\n#define OP_VALUES TWICE(TWO)\r\n", fold);
    assert_int_equal(row.info.values, 4);
    row = read("#define OP_FORMULA \"a \\\"b\\\" \" \\\n   \"c\"\n", fold);
    assert_string_equal(row.info.formula, "a \"b\" c");
    row = read("#define OP_COLUMNS \"x,y\"\n", fold);
    assert_string_equal(row.info.columns, "x,y");
    row = read("#if PAIRS_F64\n#define OP_QUICK_FROM 1\n#endif\n#define OP_HEAVY\n", fold);
    assert_false(row.heavy);
}

static void parameters_may_take_several_lines(void **state) {
    (void)state;
    op_def row = read(
        "#define OP_PARAMETERS(EACH) \\\n  EACH(k, -(1 + 1) / 4.0, ) /* any */ \\\n  EACH(top, 3, (top > 1) && "
        "fmax(top, 2) < 9)\n",
        fold);
    assert_int_equal(row.info.parameter_count, 2);
    assert_string_equal(row.info.parameters[1]->name, "top");
    assert_true(row.info.parameters[0]->value == -0.5);
    assert_true(row.check(&row, 1, 8.5) && !row.check(&row, 1, 9) && !row.check(&row, 1, 1));
    assert_true(row.check(&row, 0, -1e300) && !row.check(&row, 0, (double)NAN));
    char *line = op_parameters_line(&row);
    assert_null(strchr(line, '\\'));
    assert_int_equal(strcspn(line, "\n"), strlen(line) - 1);
    free(line);
}

/* One that is installed, or one made in a folder; NULL where neither can be. */
static const char *locale_with_a_comma(char folder[]) {
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    char *make =
        mkdtemp(folder) ? text_format("localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder) : NULL;
    for (int k = 0; k < 4; ++k)
        if (setlocale(LC_ALL, names[k])) return names[k];
    if (make && !system(make)) setenv("LOCPATH", folder, 1);
    free(make);
    return setlocale(LC_ALL, names[0]);
}

static void numbers_have_a_point_in_every_locale(void **state) {
    char folder[] = "/tmp/wedge-locale-XXXXXX", seen[8];
    (void)state;
    const char *name = locale_with_a_comma(folder);
    char *gone = text_format("rm -rf %s", folder);
    if (system(gone)) print_message("             cannot remove %s\n", folder);
    free(gone);
    if (!name) {
        print_message("             nothing here: no locale has a decimal comma, and localedef makes none\n");
        return;
    }
    snprintf(seen, sizeof seen, "%g", 0.5);
    assert_string_equal(seen, "0,5");
    op_def row = read("#define OP_PARAMETERS(P) P(k, -1.25e-1, k < 0x1.8p1)\n", fold);
    assert_true(row.info.parameters[0]->value == -0.125);
    assert_true(row.check(&row, 0, 2.75) && !row.check(&row, 0, 3));
    refuse("#define OP_PARAMETERS(P) P(k, 0.5, k > 0.75)\n", fold, "is 0.5, and must be");
    snprintf(seen, sizeof seen, "%g", 0.5);
    assert_string_equal(seen, "0,5");
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
}

static void a_state_has_as_many_numbers_as_its_struct(void **state) {
    static const struct {
        const char *members;
        uint32_t numbers;
    } cases[] = {{"real a;", 1}, {"real a, b; real c;", 3}, {"real a[3], b;\n /* x */ real c[2][N];", 12}};
    (void)state;
    for (int k = 0; k < 3; ++k) {
        char *code = text_format("#define N 4\ntypedef struct state { %s } op_state;\nop_state op_step(); op_finish",
                                 cases[k].members);
        assert_int_equal(read("", code).state, cases[k].numbers);
        free(code);
    }
    assert_int_equal(read("", "typedef real op_state; op_step op_finish").state, 1);
    refuse("", "typedef struct { int k; } op_state;\nop_step op_finish",
           "file.h:1: op_state must be a struct of at most 4096 real");
    refuse("", "op_step op_finish", "no op_state");
    read("", "typedef struct { real a[64][64]; } op_state;\nop_step op_finish");
    refuse("", "typedef struct { real a[4096][4096][4096]; } op_state;\nop_step op_finish", "at most 4096 real");
    refuse("", "typedef struct { real a[2642][2501][650]; } op_state;\nop_step op_finish",
           "at most 4096 real"); /* 2^32 + 4 */
    refuse("", "typedef struct { real a[65][64]; } op_state;\nop_step op_finish", "at most 4096 real");
    refuse("", "typedef struct { real a[4096][1024][1024], b; } op_state;\nop_step op_finish", "at most 4096 real");
}

static void a_file_that_says_what_cannot_be_is_refused(void **state) {
    (void)state;
    refuse("", "", "file.h is empty");
    refuse(" \n\t", "", "file.h is empty");
    refuse("\n\n/* no end", fold, "file.h:3: this comment has no end");
    refuse("\n#if A\n", fold, "file.h:2: this #if has no #endif");
    refuse("#endif\n", fold, "file.h:1: #endif without its #if");
    refuse("\n#include <math.h>\n", fold, "file.h:2: #include");
    refuse("#define OP_VALUES 9\n", fold, "file.h:1: OP_VALUES must be a whole number from 1 to 8");
    refuse("#define OP_VALUES 1.5\n", fold, "OP_VALUES must be a whole number");
    refuse("#define OP_VALUES few\n", fold, "OP_VALUES: no such name 'few'");
    refuse("#define OP_VALUES OP_VALUES\n", fold, "too deep");
    refuse(
        "#define A(a, b, c, d) (a + b + c + d)\n#define B(a, b, c, d) A(a, b, c, d)\n#define C(a, b, c, d) B(a, b, c, "
        "d)\n"
        "#define D(a, b, c, d) C(a, b, c, d)\n#define E(a, b, c, d) D(a, b, c, d)\n#define F(a, b, c, d) E(a, b, c, "
        "d)\n"
        "#define OP_VALUES F(1, 0, 0, 0)\n",
        fold, "too deep: macro 'A'");
    refuse(
        "#define A 1\n#define B (A+A+A+A+A+A+A+A)\n#define C (B+B+B+B+B+B+B+B)\n#define D (C+C+C+C+C+C+C+C)\n"
        "#define E (D+D+D+D+D+D+D+D)\n#define F (E+E+E+E+E+E+E+E)\n#define G (F+F+F+F+F+F+F+F)\n#define OP_VALUES "
        "G+G\n",
        fold, "too long");
    refuse("#define OP_VALUES 2\n#define OP_VALUES 3\n", fold, "file.h:2: OP_VALUES is defined in line 1 already");
    refuse("#if PAIRS_F64\n#define OP_VALUES 2\n#endif\n", fold, "file.h:2: OP_VALUES depends on an #if");
    refuse("#define OP_FORMULA a - b\n", fold, "OP_FORMULA must be text in quotes");
    refuse("#define OP_DIRECT 17\n", fold, "OP_DIRECT must be a whole number from 1 to 16");
    refuse("#define OP_DIRECT 3\n", fold, "no op_pair: OP_DIRECT says");
    refuse("#define OP_DIRECT 3\n#define OP_RECORDS(d) ((d) > 3)\n", "op_pair",
           "file.h:2: OP_RECORDS must allow a length");
    refuse("#define OP_SIDE 1\n", fold, "OP_SIDE needs OP_DIRECT");
    refuse("#define OP_SIDE 1\n#define OP_DIRECT 3\n", "op_side", "no op_triple");
    refuse("", "\nreal op_pair(const real *a, const real *b, op_args q)", "file.h:2: op_pair, and no OP_DIRECT");
    refuse("", "int f(void);", "there is no op_step");
    refuse("#define OP_PREPARES 1\n", fold, "no op_prepare");
    refuse("#define OP_JOINS 1\n", fold, "no op_join");
    refuse("#define OP_JOINS 1\n#define OP_SUMS 1\n", "op_step op_finish op_state op_join",
           "file.h:1: OP_SUMS and OP_JOINS");
    refuse("#define OP_MAGNITUDE(span) 1\n", fold, "OP_MAGNITUDE needs 3 arguments");
    refuse("#define OP_MAGNITUDE(span, most, p) (span * sigma)\n", fold, "OP_MAGNITUDE: no such name 'sigma'");
    refuse("#define OP_REACH(span, most, p) (span)\n", fold, "file.h:1: OP_REACH is now called OP_MAGNITUDE");
    refuse("#define OP_REACH_END(sum, p) (sum)\n", fold, "OP_REACH_END is now called OP_MAGNITUDE_END");
    refuse("#define OP_NEAR 1\n", fold, "OP_NEAR is now called OP_APPROX");
    refuse("#define OP_BOUND(f, d) 7\n", fold, "OP_BOUND must be WEDGE_GAP");
}

/* "NAME (x+x+...+x)\n", `times` times x. */
static char *sum_of_names(const char *name, const char *x, int times) {
    char *text = malloc(strlen(name) + (strlen(x) + 1) * (size_t)times + 32), *to = text;
    to += sprintf(to, "#define %s (", name);
    for (int k = 0; k < times; ++k) to += sprintf(to, "%s%s", k ? "+" : "", x);
    strcpy(to, ")\n");
    return text;
}

/* OP_BOUND is asked for 2,080 times, members of a state as often as there are: neither may take as long as each of them might. */
static void a_file_has_a_budget_for_all_of_its_expressions(void **state) {
    (void)state;
    enum { LONG = 1 << 19, MEMBERS = 4000 };
    char *sum = sum_of_names("OP_BOUND(f, d)", "0", 400), *zero = sum_of_names("ZERO", "0", 400);
    char *blanks = malloc(LONG), *digits = malloc(LONG), *members = malloc(MEMBERS * 20), *to = members;
    memset(blanks, ' ', LONG - 1), memset(digits, '0', LONG - 1);
    blanks[LONG - 1] = digits[LONG - 1] = 0;
    char *wide = text_format("#define OP_BOUND(f, d) (0%s)\n", blanks);
    char *exact = text_format("#define OP_BOUND(f, d) %s\n", digits);
    for (int k = 0; k < MEMBERS; ++k) to += sprintf(to, "real a[ZERO+1];");
    char *code = text_format("typedef struct { %s } op_state;\nop_step op_finish", members);
    refuse(sum, fold, "file.h:1: OP_BOUND: the expressions of this file take too long");
    refuse(wide, fold, "file.h:1: OP_BOUND: the expressions of this file take too long");
    refuse(exact, fold, "file.h:1: OP_BOUND: the expressions of this file take too long");
    refuse(zero, code, "file.h:2: op_state: the expressions of this file take too long");
    read("#define OP_BOUND(f, d) ((f) < (d) / 2 ? WEDGE_LEAST : (f) + 1 == (d) ? WEDGE_GAP : WEDGE_MOST)\n", fold);
    char *const all[] = {sum, zero, blanks, digits, members, wide, exact, code};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) free(all[k]);
}

static void parameters_that_cannot_be_are_refused(void **state) {
    (void)state;
    refuse("#define OP_PARAMETERS P(k, 1, )\n", fold, "OP_PARAMETERS needs one argument");
    refuse("#define OP_PARAMETERS(P) P(k, 1)\n", fold, "a parameter is P(name, initial value, condition)");
    refuse("#define OP_PARAMETERS(P) Q(k, 1, )\n", fold, "expected P(name");
    refuse("#define OP_PARAMETERS(P) P(k, 1, ) P(k, 2, )\n", fold, "k is there twice");
    refuse("#define OP_PARAMETERS(P) P(d, 1, )\n", fold, "q.d has another meaning");
    refuse("#define OP_PARAMETERS(P) P(2k, 1, )\n", fold, "'2k' is not a name");
    refuse("#define OP_PARAMETERS(P) P(k, , )\n", fold, "the initial value of k");
    refuse("\n#define OP_PARAMETERS(P) P(sigma, 1, sgima > 0)\n", fold,
           "file.h:2: OP_PARAMETERS: the condition of sigma: no such name 'sgima'");
    refuse("#define OP_PARAMETERS(P) P(sigma, 0, sigma > 0)\n", fold,
           "initial value of sigma is 0, and must be sigma > 0");
    refuse(
        "#define T(P) P(a, 1, )\n#define OP_PARAMETERS(P) P(a, 1, ) P(b, 1, ) P(c, 1, ) P(e, 1, ) P(f, 1, ) P(g, 1, ) "
        "P(h, 1, ) "
        "P(i, 1, ) P(j, 1, ) P(k, 1, ) P(l, 1, ) P(m, 1, ) P(n, 1, ) P(o, 1, ) P(p, 1, ) P(q, 1, ) P(r, 1, )\n",
        fold, "at most 16");
}

/* Whatever the bytes are: an answer, and no crash. */
static void any_bytes_have_an_answer(void **state) {
    enum { SIZE = 400, ROUNDS = 4000 };
    static const char *const words[] = {"#define ",
                                        "OP_PARAMETERS(P) ",
                                        "P(",
                                        "a, ",
                                        ")",
                                        "(",
                                        "\n",
                                        "\"",
                                        "/*",
                                        "*/",
                                        "#if ",
                                        "#endif\n",
                                        "OP_BOUND(f, d) ",
                                        "OP_MAGNITUDE(a, b, c) ",
                                        "? ",
                                        ": ",
                                        "op_state",
                                        "{ real a[",
                                        "] }",
                                        "\\\n",
                                        "1 ",
                                        "+ ",
                                        "OP_DIRECT "};
    uint32_t seed = 1;
    (void)state;
    for (int k = 0; k < ROUNDS; ++k) {
        char text[SIZE + 64] = "";
        note n = {0};
        op_def row;
        facts *f;
        while (strlen(text) < SIZE) {
            seed = seed * 1664525u + 1013904223u;
            const uint32_t pick = seed >> 24;
            if (pick < 200)
                strcat(text, words[pick % (sizeof words / sizeof *words)]);
            else
                strcat(text, (char[]){(char)(pick - 199), 0});
        }
        if (!facts_read(text, "name", "file.h", &row, &f, &n)) facts_free(f);
        note_free(&n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_is_what_the_compiler_says),
                                       cmocka_unit_test(an_expression_has_the_value_that_c_gives_it),
                                       cmocka_unit_test(what_is_no_expression_is_refused),
                                       cmocka_unit_test(a_file_may_be_written_as_c_allows),
                                       cmocka_unit_test(parameters_may_take_several_lines),
                                       cmocka_unit_test(numbers_have_a_point_in_every_locale),
                                       cmocka_unit_test(a_state_has_as_many_numbers_as_its_struct),
                                       cmocka_unit_test(a_file_that_says_what_cannot_be_is_refused),
                                       cmocka_unit_test(a_file_has_a_budget_for_all_of_its_expressions),
                                       cmocka_unit_test(parameters_that_cannot_be_are_refused),
                                       cmocka_unit_test(any_bytes_have_an_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
