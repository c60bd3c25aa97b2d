/* facts.c: reading the file of an op: its parameters, and what it defines.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/userop/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/userop/expression.h"

/* ---- Parameters ---- */

/* The end of an argument: the comma or bracket that ends it, or the end of the text. */
static const char *argument_end(const char *at) {
    int depth = 0;
    for (; *at && (depth || (*at != ',' && *at != ')')); ++at) depth += (*at == '(') - (*at == ')');
    return at;
}

static wedge_status check_name(const facts *f, const macro *m, const char *name, note *n) {
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!*name || name[letters] || isdigit((unsigned char)*name))
        FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: '%s' is not a name", name);
    if (!strcmp(name, "d") || !strcmp(name, "numbers") || !strcmp(name, "box") || !strcmp(name, "by"))
        FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: q.%s has another meaning already; use another name", name);
    for (int k = 0; k < f->parameter_count; ++k)
        if (!strcmp(f->parameters[k].name, name)) FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: %s is there twice", name);
    if (f->parameter_count == MOST_PARAMETERS)
        FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: an op has at most %d", MOST_PARAMETERS);
    return WEDGE_OK;
}

static void add_parameter(facts *f, const char *name, double initial, const char *condition) {
    wedge_parameter_info *p = &f->parameters[f->parameter_count];
    *p = (wedge_parameter_info){.name = name, .value = initial, .condition = condition};
    f->listed[f->parameter_count++] = p;
}

/* "name, initial value, condition", between its brackets. */
static wedge_status take_parameter(facts *f, const macro *m, const char *parts[3], note *n) {
    char why[128];
    value initial, holds;
    scope s = {.facts = f, .budget = &f->budget};
    WEDGE_TRY(check_name(f, m, parts[0], n));
    if (!evaluate(parts[1], &s, &initial, why))
        FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: the initial value of %s: %s", parts[0], why);
    scope_add(&s, parts[0], real_value(as_real(initial)));
    if (*parts[2] && !evaluate(parts[2], &s, &holds, why))
        FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: the condition of %s: %s", parts[0], why);
    if (*parts[2] && !is_true(holds))
        FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: the initial value of %s is %g, and must be %s", parts[0],
                     as_real(initial), parts[2]);
    add_parameter(f, parts[0], as_real(initial), parts[2]);
    return WEDGE_OK;
}

static wedge_status take_parameters(facts *f, note *n) {
    const macro *m = facts_macro(f, "OP_PARAMETERS", 13), *older = facts_macro(f, "OP_TAKES_P", 10);
    if (!m && older) add_parameter(f, "p", 2, "");
    f->parameters_line = "";
    if (!m) return WEDGE_OK;
    if (m->argument_count != 1) FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS needs one argument: OP_PARAMETERS(P)");
    const char *each = m->arguments[0], *at = m->body;
    while (*at) {
        const char *parts[3] = {NULL};
        if (strncmp(at, each, strlen(each)) || at[strlen(each)] != '(')
            FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: expected %s(name, initial value, condition), not '%.40s'", each,
                         at);
        at += strlen(each) + 1;
        for (int k = 0; k < 3; ++k) {
            const char *end = argument_end(at);
            if (*end != (k < 2 ? ',' : ')'))
                FACTS_REFUSE(f, m->line, n, "OP_PARAMETERS: a parameter is %s(name, initial value, condition)", each);
            parts[k] = facts_keep(f, at, (size_t)(end - at));
            at = end + 1;
        }
        WEDGE_TRY(take_parameter(f, m, parts, n));
        while (isspace((unsigned char)*at)) ++at;
    }
    char *line = text_format("#define OP_PARAMETERS(%s) %s", each, m->body);
    WEDGE_CHECK(line, n, WEDGE_NO_MEMORY, "no memory for an op");
    f->parameters_line = facts_keep(f, line, strlen(line));
    free(line);
    return WEDGE_OK;
}

/* ---- The whole ---- */

static wedge_status check_text(const char *text, const char *file, note *n) {
    WEDGE_CHECK(strlen(text) <= MOST_OP_TEXT, n, WEDGE_BAD_DATA, "%s has %zu bytes: the file of an op has at most %d",
                file, strlen(text), MOST_OP_TEXT);
    WEDGE_CHECK(text[strspn(text, " \t\r\n")], n, WEDGE_BAD_DATA,
                "%s is empty: the file of an op defines op_step and op_finish, op_pair, or op_triple "
                "(docs/add-an-op.md)",
                file);
    return WEDGE_OK;
}

static wedge_status read_all(facts *f, const char *text, op_def *def, note *n) {
    unsigned line;
    char *code = clean_text(text, &line);
    if (!code && line) FACTS_REFUSE(f, line, n, "this comment has no end");
    WEDGE_CHECK(code, n, WEDGE_NO_MEMORY, "no memory for an op");
    f->code = code;
    WEDGE_TRY(facts_take_macros(f, n));
    WEDGE_TRY(take_parameters(f, n));
    return facts_take_def(f, def, n);
}

wedge_status facts_read(const char *text, const char *name, const char *file, op_def *def, facts **out, note *n) {
    *out = NULL;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3; /* some editors begin a file with it */
    WEDGE_TRY(check_text(text, file, n));
    size_t room = 4 * strlen(text) + strlen(file) + strlen(name) + 1024;
    facts *f = calloc(1, sizeof *f);
    if (f) f->strings = malloc(room), f->room = room;
    if (!f || !f->strings) {
        free(f);
        return note_fail(n, WEDGE_NO_MEMORY, "no memory for an op");
    }
    f->file = facts_keep(f, file, strlen(file));
    f->budget = MOST_FILE_STEPS;
    *def = (op_def){.info.name = facts_keep(f, name, strlen(name)), .text = text, .file = f->file, .facts = f};
    wedge_status status = read_all(f, text, def, n);
    def->parameters_line = f->parameters_line;
    if (status)
        facts_free(f);
    else
        *out = f;
    return status;
}

void facts_free(facts *f) {
    if (!f) return;
    free((char *)f->code);
    free(f->strings);
    free(f);
}
