/* facts_def.c: the definition of an op from the macros of its file, as native_def.h makes it with a compiler.
 *
 * Every expression is tried once when the file is read, so that what its functions are asked later has an answer.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/userop/expression.h"
#include "engine/userop/facts.h"

enum { MOST_STATE = 4096 /* numbers of an op_state */ };

typedef struct {
    facts *f;
    note *n;
} asked;

static const macro *find(const facts *f, const char *name) { return facts_macro(f, name, strlen(name)); }

/* ---- What its functions say ---- */

static scope parameters_of(const facts *f, const double *values) {
    scope s = {.facts = f};
    for (int k = 0; k < f->parameter_count; ++k) scope_add(&s, f->parameters[k].name, real_value(values[k]));
    return s;
}

/* budget: of the file, as long as it is read. Refused where it is read; later there is nothing to refuse. */
static bool ask(const facts *f, int64_t *budget, const char *name, const value *arguments, const double *values,
                value *out, char why[128]) {
    const macro *m = find(f, name);
    scope s = values ? parameters_of(f, values) : (scope){.facts = f};
    s.budget = budget;
    return evaluate_macro(m, arguments, &s, out, why);
}

static bool check(const op_def *op, int k, double x) {
    const facts *f = op->facts;
    scope s = {.facts = f};
    value holds;
    char why[128];
    if (!*f->parameters[k].condition) return x == x;
    scope_add(&s, f->parameters[k].name, real_value(x));
    return evaluate(f->parameters[k].condition, &s, &holds, why) && is_true(holds);
}

static value first_of(const facts *f, const double *values) { return real_value(f->parameter_count ? values[0] : 0); }

static double number_of(const op_def *op, const char *name, const value *arguments, const double *values) {
    value v;
    char why[128];
    return ask(op->facts, NULL, name, arguments, values, &v, why) ? as_real(v) : (double)NAN;
}

static double magnitude(const op_def *op, double span, double most, const double *values) {
    const value arguments[] = {real_value(span), real_value(most), first_of(op->facts, values)};
    return number_of(op, "OP_MAGNITUDE", arguments, values);
}

static double magnitude_end(const op_def *op, double sum, const double *values) {
    const value arguments[] = {real_value(sum), first_of(op->facts, values)};
    return number_of(op, "OP_MAGNITUDE_END", arguments, values);
}

static int bound(const op_def *op, uint64_t f, uint64_t d) {
    const value arguments[] = {whole_value((int64_t)f), whole_value((int64_t)d)};
    if (op->side) return f < MOST_COORDINATES ? BOUND_GAP : BOUND_LEAST;
    if (d <= MOST_BOX && f < d) return op->facts->bounds[d][f];
    double kind = number_of(op, "OP_BOUND", arguments, NULL);
    return kind >= BOUND_GAP && kind <= BOUND_MOST ? (int)kind : BOUND_GAP;
}

static double margin(const op_def *op, double d, const double *values) {
    const value arguments[] = {real_value(d), first_of(op->facts, values)};
    return number_of(op, "OP_BOUND_MARGIN", arguments, values);
}

/* One of the table's names, or NULL. */
static const char *same_as(const op_def *op, const double *values) {
    value v;
    char why[128], name[64];
    if (!ask(op->facts, NULL, "OP_SAME_AS", NULL, values, &v, why) || v.kind != TEXT || !v.text ||
        v.length >= sizeof name)
        return NULL;
    memcpy(name, v.text, v.length);
    name[v.length] = 0;
    const op_def *same = op_find(name);
    return same ? same->info.name : NULL;
}

/* ---- Reading it ---- */

/* With arguments as it will have; the parameters at their initial values. */
static wedge_status try_macro(const asked *a, const char *name, const value *arguments, int count, bool parameters,
                              value *out) {
    const macro *m = find(a->f, name);
    double values[MOST_PARAMETERS];
    char why[128];
    for (int k = 0; k < a->f->parameter_count; ++k) values[k] = a->f->parameters[k].value;
    if (m->argument_count != count)
        FACTS_REFUSE(a->f, m->line, a->n, "%s needs %d argument%s", name, count < 0 ? 0 : count, count == 1 ? "" : "s");
    if (!ask(a->f, &a->f->budget, name, arguments, parameters ? values : NULL, out, why))
        FACTS_REFUSE(a->f, m->line, a->n, "%s: %s", name, why);
    return WEDGE_OK;
}

/* A whole number within [least, most]; `absent` where the file does not say. */
static wedge_status take_whole(const asked *a, const char *name, int least, int most, int absent, uint32_t *out) {
    const macro *m = find(a->f, name);
    value v;
    *out = (uint32_t)absent;
    if (!m || (!*m->body && least == 0)) return WEDGE_OK;
    WEDGE_TRY(try_macro(a, name, NULL, -1, false, &v));
    if (v.kind != WHOLE || v.whole < least || v.whole > most)
        FACTS_REFUSE(a->f, m->line, a->n, "%s must be a whole number from %d to %d", name, least, most);
    *out = (uint32_t)v.whole;
    return WEDGE_OK;
}

/* "text", several of which are one. */
static wedge_status take_text(const asked *a, const char *name, const char **out) {
    const macro *m = find(a->f, name);
    if (!m) return WEDGE_OK;
    char *text = malloc(strlen(m->body) + 1), *to = text;
    const char *at = m->body;
    WEDGE_CHECK(text, a->n, WEDGE_NO_MEMORY, "no memory for an op");
    while (*at == '"') {
        for (++at; *at && *at != '"'; ++at) {
            if (at[0] == '\\' && at[1]) ++at;
            *to++ = *at;
        }
        if (*at) ++at;
        while (isspace((unsigned char)*at)) ++at;
    }
    *to = 0;
    bool good = !*at && *m->body == '"';
    if (good) *out = facts_keep(a->f, text, strlen(text));
    free(text);
    if (!good) FACTS_REFUSE(a->f, m->line, a->n, "%s must be text in quotes", name);
    return WEDGE_OK;
}

/* ---- Code, as far as it is looked at ---- */

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The first place of a name in the code; NULL: it is not there. */
static const char *name_in(const char *code, const char *name) {
    size_t length = strlen(name);
    for (const char *at = code; (at = strstr(at, name)); at += length)
        if ((at == code || !is_letter(at[-1])) && !is_letter(at[length])) return at;
    return NULL;
}

static unsigned line_of(const facts *f, const char *place) {
    unsigned line = 1;
    for (const char *at = f->code; at < place; ++at) line += *at == '\n' || *at == 1;
    return line;
}

/* The extents "[2][3]" of a member, as numbers: six. 0: they cannot be read, or there are more than a state may have. */
static uint32_t count_extents(facts *f, const char **at, const char *end) {
    uint32_t numbers = 1;
    for (; *at < end && **at == '['; *at += strcspn(*at, "]") + 1) {
        char extent[64] = "", why[128];
        value v;
        const scope s = {.facts = f, .budget = &f->budget};
        size_t length = strcspn(*at + 1, "]");
        if (length >= sizeof extent) return 0;
        memcpy(extent, *at + 1, length);
        if (!evaluate(extent, &s, &v, why) || v.kind != WHOLE || v.whole < 1 || v.whole > MOST_STATE) return 0;
        numbers *= (uint32_t)v.whole;
        if (numbers > MOST_STATE) return 0;
    }
    return numbers;
}

/* "real a, b; real c[3];": how many numbers. 0: it is something else, or more than MOST_STATE. */
static uint32_t count_members(facts *f, const char *at, const char *end) {
    uint32_t count = 0;
    while (at < end) {
        while (at < end && isspace((unsigned char)*at)) ++at;
        if (at == end) return count;
        if (strncmp(at, "real", 4) || is_letter(at[4])) return 0;
        for (at += 4; at < end && *at != ';';) {
            while (at < end && *at != ',' && *at != ';' && *at != '[') ++at;
            uint32_t each = count_extents(f, &at, end);
            if (!each || (count += each) > MOST_STATE) return 0;
            while (at < end && *at != ',' && *at != ';') ++at;
            if (at < end && *at == ',') ++at;
        }
        if (at < end) ++at;
    }
    return count;
}

/* The first op_state of a file is the end of its typedef. */
static wedge_status take_state(const asked *a, op_def *def) {
    facts *f = a->f;
    const char *name = name_in(f->code, "op_state"), *end = name;
    while (end && end > f->code && (isspace((unsigned char)end[-1]) || end[-1] == 1)) --end;
    if (end && end > f->code && end[-1] == '}') {
        const char *close = end - 1, *open = close;
        while (open > f->code && *open != '{') --open;
        def->state = count_members(f, open + 1, close);
    } else if (end && end - f->code >= 4 && !strncmp(end - 4, "real", 4)) {
        def->state = 1;
    }
    if (!name) FACTS_REFUSE(f, 1, a->n, "no op_state: a fold declares what it carries from feature to feature");
    if (!def->state && f->budget <= 0)
        FACTS_REFUSE(f, line_of(f, name), a->n, "op_state: the expressions of this file take too long; shorten them");
    if (!def->state)
        FACTS_REFUSE(f, line_of(f, name), a->n,
                     "op_state must be a struct of at most %d real, as in { real sum, most; }", MOST_STATE);
    return WEDGE_OK;
}

static wedge_status need(const asked *a, const char *name, const char *since) {
    if (!name_in(a->f->code, name)) FACTS_REFUSE(a->f, 1, a->n, "there is no %s: %s", name, since);
    return WEDGE_OK;
}

/* How states of features are joined is said once. */
static wedge_status check_joins(const asked *a) {
    const macro *sums = find(a->f, "OP_SUMS"), *joins = find(a->f, "OP_JOINS");
    if (joins) WEDGE_TRY(need(a, "op_join", "OP_JOINS says that states can be joined"));
    if (sums && joins)
        FACTS_REFUSE(a->f, joins->line, a->n, "OP_SUMS and OP_JOINS: with OP_SUMS states are added, leave one out");
    return WEDGE_OK;
}

static wedge_status check_functions(const asked *a, const op_def *def) {
    const facts *f = a->f;
    if (def->info.points == 3) {
        WEDGE_TRY(need(a, "op_side", "OP_SIDE says that it is an op of three points"));
        WEDGE_TRY(need(a, "op_triple", "OP_SIDE says that it is an op of three points"));
        if (def->info.forces) WEDGE_TRY(need(a, "op_pull", "OP_PULLS says that there are forces"));
    } else if (def->records) {
        WEDGE_TRY(need(a, "op_pair", "OP_DIRECT says that it is a direct op"));
    } else {
        if (name_in(f->code, "op_pair"))
            FACTS_REFUSE(f, line_of(f, name_in(f->code, "op_pair")), a->n,
                         "op_pair, and no OP_DIRECT: how many numbers does a point have?");
        if (name_in(f->code, "op_triple"))
            FACTS_REFUSE(f, line_of(f, name_in(f->code, "op_triple")), a->n,
                         "op_triple, and no OP_SIDE: how many numbers does a side have?");
        WEDGE_TRY(need(a, "op_step", "a file defines op_step and op_finish, op_pair, or op_side and op_triple"));
        WEDGE_TRY(need(a, "op_finish", "op_step needs it"));
        WEDGE_TRY(check_joins(a));
    }
    if (find(f, "OP_PREPARES")) return need(a, "op_prepare", "OP_PREPARES says that points are prepared");
    return WEDGE_OK;
}

/* ---- The definition ---- */

static wedge_status take_records(const asked *a, op_def *def) {
    uint32_t direct, side;
    const macro *which = find(a->f, "OP_RECORDS");
    WEDGE_TRY(take_whole(a, "OP_DIRECT", 1, MOST_RECORD, 0, &direct));
    WEDGE_TRY(take_whole(a, "OP_SIDE", 1, MOST_SIDE, 0, &side));
    def->side = side;
    def->info.points = side ? 3 : 2;
    if (side && (!direct || direct > 4))
        FACTS_REFUSE(a->f, find(a->f, "OP_SIDE")->line, a->n,
                     "OP_SIDE needs OP_DIRECT, from 1 to 4: the numbers of a point");
    for (uint32_t d = 1; d <= direct; ++d) {
        const value arguments[] = {whole_value(d)};
        value takes = whole_value(d == direct);
        if (which) WEDGE_TRY(try_macro(a, "OP_RECORDS", arguments, 1, false, &takes));
        if (is_true(takes)) def->records |= 1u << d;
    }
    if (direct && !def->records)
        FACTS_REFUSE(a->f, which->line, a->n, "OP_RECORDS must allow a length from 1 to %u", direct);
    def->info.record = direct && def->records == 1u << direct ? direct : 0;
    return WEDGE_OK;
}

static wedge_status take_bounds(const asked *a, op_def *def) {
    const value half = real_value(0.5), one = real_value(1), arguments[] = {half, one, one};
    value v;
    if (find(a->f, "OP_MAGNITUDE")) {
        WEDGE_TRY(try_macro(a, "OP_MAGNITUDE", arguments, 3, true, &v));
        def->magnitude = magnitude;
    }
    if (find(a->f, "OP_MAGNITUDE_END")) {
        WEDGE_TRY(try_macro(a, "OP_MAGNITUDE_END", arguments, 2, true, &v));
        def->magnitude_end = magnitude_end;
    }
    if (find(a->f, "OP_BOUND_MARGIN")) {
        WEDGE_TRY(try_macro(a, "OP_BOUND_MARGIN", arguments, 2, true, &v));
        def->margin = margin;
    }
    for (uint64_t d = 1; d <= MOST_BOX && find(a->f, "OP_BOUND"); ++d) {
        for (uint64_t f = 0; f < d; ++f) {
            const value number[] = {whole_value((int64_t)f), whole_value((int64_t)d)};
            WEDGE_TRY(try_macro(a, "OP_BOUND", number, 2, false, &v));
            if (v.kind != WHOLE || v.whole < BOUND_GAP || v.whole > BOUND_MOST)
                FACTS_REFUSE(a->f, find(a->f, "OP_BOUND")->line, a->n,
                             "OP_BOUND must be WEDGE_GAP, WEDGE_LEAST or WEDGE_MOST");
            a->f->bounds[d][f] = (unsigned char)v.whole;
        }
        def->bound = bound;
    }
    if (def->side) def->bound = bound;
    def->info.bounded = def->bound != NULL;
    return WEDGE_OK;
}

wedge_status facts_take_def(facts *f, op_def *def, note *n) {
    const asked a = {f, n};
    uint32_t flag;
    value v;
    def->check = check;
    def->info.formula = def->info.name;
    def->info.parameters = f->listed, def->info.parameter_count = f->parameter_count;
    WEDGE_TRY(take_text(&a, "OP_FORMULA", &def->info.formula));
    WEDGE_TRY(take_text(&a, "OP_COLUMNS", &def->info.columns));
    WEDGE_TRY(take_records(&a, def));
    WEDGE_TRY(take_whole(&a, "OP_VALUES", 1, MOST_VALUES, 1, &def->info.values));
    WEDGE_TRY(take_whole(&a, "OP_ZERO_FOR_EQUALS", 0, 1, 0, &flag));
    def->info.zero_for_equals = flag;
    WEDGE_TRY(take_whole(&a, "OP_HEAVY", 0, 1, 0, &flag));
    def->heavy = flag;
    WEDGE_TRY(take_whole(&a, "OP_ANGLES", 0, 1, 0, &flag));
    def->angles = flag;
    WEDGE_TRY(take_whole(&a, "OP_PULLS", 1, 1, 0, &flag));
    def->info.forces = flag && def->side;
    WEDGE_TRY(take_bounds(&a, def));
    if (find(f, "OP_SAME_AS")) {
        WEDGE_TRY(try_macro(&a, "OP_SAME_AS", NULL, -1, true, &v));
        def->same_as = same_as;
    }
    WEDGE_TRY(check_functions(&a, def));
    return def->records ? WEDGE_OK : take_state(&a, def);
}
