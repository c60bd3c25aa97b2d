/* metric.c: the metric that a command is asked for, with its parameters: --metric M, --set NAME=VALUE, --p P.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/alike.h"
#include "ops/ops.h"

static const char *metric_name(const void *none, int k) {
    (void)none;
    return k < wedge_op_count(2) ? wedge_op_at(2, k)->name : NULL;
}

/* A mistyped metric: the closest of all names that there are. */
static int unknown_metric(const char *command, const char *metric) {
    char what[64];
    const char *other;
    alike meant = alike_to(metric);
    snprintf(what, sizeof what, "%s: no metric", command);
    for (int k = 0; k < wedge_op_count(2); ++k) {
        alike_try(&meant, wedge_op_at(2, k)->name);
        for (int n = 0; (other = op_other_name(wedge_op_at(2, k)->name, n)); ++n) alike_try(&meant, other);
    }
    if (meant.best) return cli_error(EXIT_USAGE, "%s '%s'; did you mean '%s'?", what, metric, meant.best);
    return cli_unknown(what, metric, metric_name, NULL);
}

static const char *parameter_name(const void *op, int k) {
    const wedge_op_info *o = op;
    return k < o->parameter_count ? o->parameters[k]->name : NULL;
}

/* A parameter of the op by the first `length` letters of name; NULL: it has no such one. */
static const char *find(const wedge_op_info *op, const char *name, size_t length) {
    for (int k = 0; k < op->parameter_count; ++k)
        if (strlen(op->parameters[k]->name) == length && !strncmp(op->parameters[k]->name, name, length))
            return op->parameters[k]->name;
    return NULL;
}

/* name: the op's own; text: its value as typed, option: with which. */
static int give(const char *command, const char *option, const char *name, const char *text, cli_metric *m) {
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end) return cli_error(EXIT_USAGE, "%s: %s %s: must be a number", command, option, text);
    for (size_t k = 0; k < m->count; ++k)
        if (m->parameters[k].name == name)
            return cli_error(EXIT_USAGE, "%s: %s %s: %s is given twice", command, option, text, name);
    m->parameters[m->count++] = (wedge_parameter)WEDGE_NUMBER(name, value);
    return EXIT_OK;
}

static int give_set(const char *command, const char *text, cli_metric *m) {
    char typed[64], what[128];
    size_t length = strcspn(text, "=");
    if (!text[length] || !length)
        return cli_error(EXIT_USAGE, "%s: --set %s: must be NAME=VALUE, such as --set p=3", command, text);
    const char *name = find(m->op, text, length);
    snprintf(typed, sizeof typed, "%.*s", (int)length, text);
    snprintf(what, sizeof what, "%s: --set: %s has no parameter", command, m->op->name);
    if (!name && !m->op->parameter_count) return cli_error(EXIT_USAGE, "%s '%s': it has none at all", what, typed);
    if (!name) return cli_unknown(what, typed, parameter_name, m->op);
    return give(command, "--set", name, text + length + 1, m);
}

int cli_metric_parse(const char *command, const char *metric, const char *p, const char *const *sets, cli_metric *m) {
    const op_def *op = op_find(metric ? metric : "euclidean");
    *m = (cli_metric){.op = NULL};
    if (!op || op->info.points != 2) {
        const char *instead = wedge_op_instead(metric);
        if (instead) return cli_error(EXIT_USAGE, "%s: no metric '%s': %s", command, metric, instead);
        return unknown_metric(command, metric);
    }
    return cli_metric_set(command, op, p, sets, m);
}

int cli_metric_set(const char *command, const op_def *op, const char *p, const char *const *sets, cli_metric *m) {
    int code = EXIT_OK;
    double set[MOST_PARAMETERS];
    note why = {0};
    *m = (cli_metric){.op = &op->info};
    const char *its_p = find(m->op, "p", 1);
    if (p && !its_p)
        return cli_error(EXIT_USAGE, "%s: --p is a parameter of minkowski; %s has none of that name", command,
                         m->op->name);
    if (p) code = give(command, "--p", its_p, p, m);
    for (; *sets && !code; ++sets) code = give_set(command, *sets, m);
    if (!code && op_take_parameters(op, WEDGE_F64, m->parameters, m->count, set, &why))
        code = cli_error(EXIT_USAGE, "%s: %s", command, note_text(&why));
    note_free(&why);
    return code;
}

/* "sqrt(sum (a - b)^2)"; of what has parameters "...; --set sigma=1 (sigma > 0)". */
void cli_metric_help(void) {
    int width = 0;
    for (int k = 0; k < wedge_op_count(2); ++k)
        if ((int)strlen(wedge_op_at(2, k)->name) > width) width = (int)strlen(wedge_op_at(2, k)->name);
    for (int k = 0; k < wedge_op_count(2); ++k) {
        const wedge_op_info *op = wedge_op_at(2, k);
        const char *other = op_other_name(op->name, 0), *second = other ? op_other_name(op->name, 1) : NULL;
        char *text = text_format("%s%s%s%s%s", op->formula, other ? "; also " : "", other ? other : "",
                                 second ? ", " : "", second ? second : "");
        for (int q = 0; q < op->parameter_count && text; ++q) {
            const wedge_parameter_info *of = op->parameters[q];
            char *more = text_format("%s%s --set %s=%g", text, q ? "," : ";", of->name, of->value);
            if (more && *of->condition) {
                free(text);
                text = more;
                more = text_format("%s (%s)", text, of->condition);
            }
            free(text);
            text = more;
        }
        printf("  %-*s ", width, op->name);
        cli_wrap(stdout, text ? text : op->formula, width + 3, width + 3);
        free(text);
    }
}
