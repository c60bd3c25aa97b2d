/* expression.c: reads an expression by the precedence of its operators, and computes as it reads.
 *
 * Both branches of ?: and both sides of && are computed: nothing here has an effect, and a name that is wrong is found wherever it
 * stands.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/userop/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/c_locale.h"

/* Steps: one per word that is read, and more for what takes longer. An expression that anyone writes has less than a hundred. */
enum {
    MOST_DEPTH = 64, /* of brackets and of macros within each other */
    MOST_STEPS = 10000,
    BYTES_PER_STEP = 64, /* blanks, digits, text and long names take time without being words */
    STEPS_PER_CALL = 16  /* fmod of far exponents is the slowest */
};

typedef struct {
    const char *at;
    const scope *scope;
    int depth;
    int64_t *steps; /* that are left */
    char *why;      /* "" as long as nothing is wrong */
} reader;

/* ---- Values ---- */

value whole_value(int64_t x) { return (value){.kind = WHOLE, .whole = x}; }
value real_value(double x) { return (value){.kind = REAL, .real = x}; }
double as_real(value v) { return v.kind == WHOLE ? (double)v.whole : v.kind == REAL ? v.real : (double)NAN; }
bool is_true(value v) { return v.kind == TEXT ? v.text != NULL : as_real(v) != 0; }

int64_t as_whole(value v) {
    if (v.kind == WHOLE) return v.whole;
    return v.kind == REAL && fabs(v.real) < 0x1p62 ? (int64_t)v.real : 0;
}

void scope_add(scope *s, const char *name, value v) {
    if (s->count == MOST_NAMES) return; /* facts.c declares no more */
    s->names[s->count] = name;
    s->values[s->count++] = v;
}

static value fail(reader *r, const char *what, const char *name, size_t length) {
    if (!*r->why) snprintf(r->why, 128, "%s%.*s%s", what, (int)(length < 60 ? length : 60), name, length ? "'" : "");
    return whole_value(0);
}

static bool spend(reader *r, uint64_t steps) {
    if (*r->steps < 0 || (uint64_t)*r->steps < steps) return *r->steps = -1, false;
    *r->steps -= (int64_t)steps;
    return true;
}

/* ---- Words ---- */

static void skip_blanks(reader *r) {
    while (*r->at && (isspace((unsigned char)*r->at) || *r->at == 1)) ++r->at;
}

static bool take(reader *r, const char *word) {
    size_t length = strlen(word);
    skip_blanks(r);
    if (strncmp(r->at, word, length)) return false;
    r->at += length;
    return true;
}

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t name_length(const char *at) {
    size_t length = 0;
    if (isdigit((unsigned char)*at)) return 0;
    while (is_letter(at[length])) ++length;
    return length;
}

static bool is_word(const char *at, size_t length, const char *word) {
    return strlen(word) == length && !strncmp(at, word, length);
}

static value number(reader *r) {
    C_LOCALE;
    char *end = NULL;
    bool hex = r->at[0] == '0' && (r->at[1] == 'x' || r->at[1] == 'X');
    size_t digits = strspn(r->at, hex ? "0123456789abcdefABCDEFxX" : "0123456789");
    bool real = r->at[digits] == '.' || strchr("pP", r->at[digits] ? r->at[digits] : ' ') ||
                (!hex && strchr("eE", r->at[digits] ? r->at[digits] : ' '));
    value v = real ? real_value(strtod(r->at, &end)) : whole_value((int64_t)strtoull(r->at, &end, 0));
    if (end == r->at) return fail(r, "'", r->at, 1);
    while (*end && strchr(real ? "fFlL" : "uUlL", *end)) ++end;
    if (is_letter(*end) || *end == '.') return fail(r, "unknown number '", r->at, (size_t)(end - r->at) + 1);
    r->at = end;
    return v;
}

static value text(reader *r) {
    const char *begin = ++r->at;
    while (*r->at && *r->at != '"') r->at += r->at[0] == '\\' && r->at[1] ? 2 : 1;
    if (!*r->at) return fail(r, "text without its closing quote", "", 0);
    value v = {.kind = TEXT, .text = begin, .length = (size_t)(r->at - begin)};
    ++r->at;
    return v;
}

/* ---- Names ---- */

static double is_inf(double x) { return isinf(x) ? 1 : 0; }
static double is_nan(double x) { return isnan(x) ? 1 : 0; }
static double is_finite(double x) { return isfinite(x) ? 1 : 0; }

static const struct {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
} functions[] = {
    {"pow", NULL, pow},
    {"fmax", NULL, fmax},
    {"fmin", NULL, fmin},
    {"hypot", NULL, hypot},
    {"atan2", NULL, atan2},
    {"fmod", NULL, fmod},
    {"sqrt", sqrt, NULL},
    {"cbrt", cbrt, NULL},
    {"fabs", fabs, NULL},
    {"exp", exp, NULL},
    {"exp2", exp2, NULL},
    {"expm1", expm1, NULL},
    {"log", log, NULL},
    {"log2", log2, NULL},
    {"log10", log10, NULL},
    {"log1p", log1p, NULL},
    {"sin", sin, NULL},
    {"cos", cos, NULL},
    {"tan", tan, NULL},
    {"asin", asin, NULL},
    {"acos", acos, NULL},
    {"atan", atan, NULL},
    {"sinh", sinh, NULL},
    {"cosh", cosh, NULL},
    {"tanh", tanh, NULL},
    {"floor", floor, NULL},
    {"ceil", ceil, NULL},
    {"trunc", trunc, NULL},
    {"isinf", is_inf, NULL},
    {"isnan", is_nan, NULL},
    {"isfinite", is_finite, NULL},
};

static value ternary(reader *r);

static int read_arguments(reader *r, value arguments[4]) {
    int count = 0;
    if (!take(r, "(")) return -1;
    if (take(r, ")")) return 0;
    do {
        value v = ternary(r);
        if (count < 4) arguments[count] = v;
        ++count;
    } while (take(r, ","));
    if (!take(r, ")")) fail(r, "a bracket is not closed", "", 0);
    return count;
}

static value call(reader *r, const char *name, size_t length) {
    value arguments[4] = {whole_value(0)};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k) {
        if (!is_word(name, length, functions[k].name)) continue;
        int count = read_arguments(r, arguments);
        if (!spend(r, STEPS_PER_CALL)) return fail(r, "too long", "", 0);
        if (count != (functions[k].of_one ? 1 : 2)) return fail(r, "wrong number of arguments of '", name, length);
        return functions[k].of_one ? real_value(functions[k].of_one(as_real(arguments[0])))
                                   : real_value(functions[k].of_two(as_real(arguments[0]), as_real(arguments[1])));
    }
    return fail(r, "no such name '", name, length);
}

/* Names of an argument hide those of the scope. */
static value expand(reader *r, const macro *m, const value *arguments) {
    scope inner = *r->scope;
    reader body = {.at = m->body, .scope = &inner, .depth = r->depth + 1, .steps = r->steps, .why = r->why};
    if (inner.count + (m->argument_count > 0 ? m->argument_count : 0) > MOST_NAMES || body.depth > MOST_DEPTH)
        return fail(r, "too deep: macro '", m->name, strlen(m->name));
    if (!spend(r, strlen(m->body) / BYTES_PER_STEP)) return fail(r, "too long: macro '", m->name, strlen(m->name));
    for (int k = 0; k < m->argument_count; ++k) scope_add(&inner, m->arguments[k], arguments[k]);
    value v = ternary(&body);
    skip_blanks(&body);
    if (*body.at) fail(r, "cannot be read from here on: '", body.at, strlen(body.at));
    return v;
}

static value named(reader *r) {
    static const struct {
        const char *name;
        int value;
    } constants[] = {
        {"WEDGE_GAP", BOUND_GAP}, {"WEDGE_LEAST", BOUND_LEAST}, {"WEDGE_MOST", BOUND_MOST}, {"true", 1}, {"false", 0}};
    const char *name = r->at;
    size_t length = name_length(name);
    r->at += length;
    for (int k = r->scope->count; k-- > 0;)
        if (is_word(name, length, r->scope->names[k])) return r->scope->values[k];
    for (size_t k = 0; k < sizeof constants / sizeof *constants; ++k)
        if (is_word(name, length, constants[k].name)) return whole_value(constants[k].value);
    if (is_word(name, length, "NULL")) return (value){.kind = TEXT};
    if (is_word(name, length, "INFINITY")) return real_value(INFINITY);
    if (is_word(name, length, "NAN")) return real_value((double)NAN);
    if (is_word(name, length, "M_PI")) return real_value(3.14159265358979323846);
    const macro *m = facts_macro(r->scope->facts, name, length);
    value arguments[4];
    if (!m) return call(r, name, length);
    if (m->argument_count >= 0 && read_arguments(r, arguments) != m->argument_count)
        return fail(r, "wrong number of arguments of '", name, length);
    return expand(r, m, arguments);
}

/* ---- Operators ---- */

/* "(double) x": what a cast makes of it; 0 where the bracket begins no cast. */
static char cast_at(reader *r) {
    static const char *const reals[] = {"double", "float", "number"}, *const wholes[] = {"int", "unsigned"};
    const char *begin = r->at;
    char kind = 0;
    if (!take(r, "(")) return 0;
    skip_blanks(r);
    size_t length = name_length(r->at);
    for (int k = 0; k < 3; ++k)
        if (is_word(r->at, length, reals[k])) kind = 'r';
    for (int k = 0; k < 2; ++k)
        if (is_word(r->at, length, wholes[k])) kind = 'w';
    r->at += length;
    if (!kind || !take(r, ")")) r->at = begin, kind = 0;
    return kind;
}

static value unary(reader *r) {
    value v;
    if (++r->depth > MOST_DEPTH) return fail(r, "too deep", "", 0);
    if (!spend(r, 1)) return fail(r, "too long", "", 0);
    if (*r->why) return whole_value(0);
    skip_blanks(r);
    char cast = *r->at == '(' ? cast_at(r) : 0;
    if (cast) {
        v = unary(r);
        v = cast == 'r' ? real_value(as_real(v)) : whole_value(as_whole(v));
    } else if (take(r, "-")) {
        v = unary(r);
        v = v.kind == WHOLE ? whole_value((int64_t)(0 - (uint64_t)v.whole)) : real_value(-as_real(v));
    } else if (take(r, "+")) {
        v = unary(r);
    } else if (take(r, "!")) {
        v = whole_value(!is_true(unary(r)));
    } else if (take(r, "(")) {
        v = ternary(r);
        if (!take(r, ")")) fail(r, "a bracket is not closed", "", 0);
    } else if (*r->at == '"') {
        v = text(r);
    } else if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
        v = number(r);
    } else if (name_length(r->at)) {
        v = named(r);
    } else {
        v = *r->at ? fail(r, "cannot be read from here on: '", r->at, strlen(r->at))
                   : fail(r, "it ends too early", "", 0);
    }
    --r->depth;
    return v;
}

/* Those of two characters before those that they begin with. */
static const struct {
    const char *word;
    int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"<", 7},
                 {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}, {"|", 3},  {"^", 4},  {"&", 5}};
enum { OPERATORS = sizeof operators / sizeof *operators };

static value compute_whole(const char *op, int64_t x, int64_t y) {
    const uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (*op) {
        case '+':
            return whole_value((int64_t)(a + b));
        case '-':
            return whole_value((int64_t)(a - b));
        case '*':
            return whole_value((int64_t)(a * b));
        case '/':
            return whole_value(y == 0 || (y == -1 && x == INT64_MIN) ? 0 : x / y);
        case '%':
            return whole_value(y == 0 || y == -1 ? 0 : x % y);
        case '|':
            return whole_value(x | y);
        case '^':
            return whole_value(x ^ y);
        case '&':
            return whole_value(x & y);
        case '<':
            return whole_value(b < 64 ? (int64_t)(a << b) : 0);
        default:
            return whole_value(b < 63 ? x >> b : 0);
    }
}

static value compute_real(reader *r, const char *op, double x, double y) {
    switch (*op) {
        case '+':
            return real_value(x + y);
        case '-':
            return real_value(x - y);
        case '*':
            return real_value(x * y);
        case '/':
            return real_value(x / y);
        default:
            return fail(r, "for whole numbers only: '", op, strlen(op));
    }
}

static bool compares(const char *op) { return (*op == '<' || *op == '>' || *op == '=' || *op == '!') && op[1] != *op; }

static bool compare(const char *op, double x, double y) {
    if (*op == '<') return op[1] ? x <= y : x < y;
    if (*op == '>') return op[1] ? x >= y : x > y;
    return *op == '=' ? x == y : x != y;
}

static value compute(reader *r, const char *op, value a, value b) {
    if (!strcmp(op, "||")) return whole_value(is_true(a) || is_true(b));
    if (!strcmp(op, "&&")) return whole_value(is_true(a) && is_true(b));
    if (a.kind == TEXT || b.kind == TEXT) return fail(r, "text is not a number", "", 0);
    if (!strcmp(op, "==") || compares(op)) return whole_value(compare(op, as_real(a), as_real(b)));
    return a.kind == WHOLE && b.kind == WHOLE ? compute_whole(op, a.whole, b.whole)
                                              : compute_real(r, op, as_real(a), as_real(b));
}

static int operator_at(reader *r, int least) {
    skip_blanks(r);
    for (int k = 0; k < OPERATORS; ++k)
        if (!strncmp(r->at, operators[k].word, strlen(operators[k].word))) return operators[k].level >= least ? k : -1;
    return -1;
}

static value binary(reader *r, int least) {
    value v = unary(r);
    for (int k; !*r->why && (k = operator_at(r, least)) >= 0;) {
        r->at += strlen(operators[k].word);
        value other = binary(r, operators[k].level + 1);
        v = compute(r, operators[k].word, v, other);
    }
    return v;
}

static value ternary(reader *r) {
    if (++r->depth > MOST_DEPTH) return fail(r, "too deep", "", 0);
    value v = binary(r, 1);
    if (take(r, "?")) {
        value one = ternary(r);
        if (!take(r, ":")) fail(r, "a ? without its :", "", 0);
        value other = ternary(r);
        v = is_true(v) ? one : other;
    }
    --r->depth;
    return v;
}

/* The steps of one expression, or what is left of those of its file. */
bool evaluate_macro(const macro *m, const value *arguments, const scope *s, value *out, char why[128]) {
    int64_t given = s->budget && *s->budget < MOST_STEPS ? *s->budget : MOST_STEPS, left = given;
    reader r = {.scope = s, .steps = &left, .why = why};
    *why = 0;
    *out = expand(&r, m, arguments);
    if (s->budget) *s->budget -= given - (left < 0 ? 0 : left);
    if (left < 0 && given < MOST_STEPS) snprintf(why, 128, "the expressions of this file take too long; shorten them");
    return !*why;
}

bool evaluate(const char *expression, const scope *s, value *out, char why[128]) {
    const macro m = {.name = "", .argument_count = -1, .body = expression};
    return evaluate_macro(&m, NULL, s, out, why);
}
