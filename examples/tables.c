/* tables.c: what this library has, asked of the library itself: ops and sinks with their parameters and results, as two tables of
 * Markdown.
 *
 * A program that offers a choice of metrics, or a binding for another language, reads the same tables. docs/library.md shows what
 * this one prints; tests/examples.py compares.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wedge/wedge.h>

/* "|" ends a column of a table unless it is written as an entity. */
static void cell(const char *text) {
    for (; *text; ++text)
        if (*text == '|')
            fputs("&#124;", stdout);
        else
            putchar(*text);
}

static void value(const wedge_parameter_info *p) {
    if (p->kind == WEDGE_IS_NUMBER && !isnan(p->value)) printf(" = %g", p->value);
    if (p->kind == WEDGE_IS_WHOLE && !p->required) printf(" = %" PRId64, p->whole);
    if (p->kind == WEDGE_IS_FLAG) printf(" = %s", p->flag ? "true" : "false");
}

static void parameters(const wedge_parameter_info *const *list, int count) {
    static const char *const kinds[] = {
        [WEDGE_IS_NUMBER] = "", [WEDGE_IS_WHOLE] = " whole", [WEDGE_IS_FLAG] = " flag", [WEDGE_IS_LIST] = " list"};
    for (int k = 0; k < count; ++k) {
        printf("%s`%s`%s", k ? ", " : "", list[k]->name, kinds[list[k]->kind]);
        value(list[k]);
        if (list[k]->required) fputs(" required", stdout);
        if (*list[k]->condition) fputs(" (", stdout), cell(list[k]->condition), putchar(')');
    }
}

/* "`indices` int64 [count, points]". */
static void outputs(const wedge_sink_info *sink) {
    static const char *const types[] = {[WEDGE_TYPE_DTYPE] = "dtype",
                                        [WEDGE_TYPE_INT64] = "int64",
                                        [WEDGE_TYPE_UINT64] = "uint64",
                                        [WEDGE_TYPE_SUMMARY] = "wedge_summary"};
    for (int k = 0; k < sink->output_count; ++k) {
        const wedge_output_info *o = sink->outputs[k];
        printf("%s`%s` %s [%s]", k ? ", " : "", o->member, types[o->type], o->shape);
    }
}

/* "x,y?,r|radius" as "x, [y], r": without other names; what may be missing in brackets. */
static void columns(const char *text) {
    for (; *text; text += strcspn(text, ","), text += *text == ',') {
        int name = (int)strcspn(text, "|?,"), optional = memchr(text, '?', strcspn(text, ",")) != NULL;
        printf(optional ? "[%.*s]" : "%.*s", name, text);
        if (text[strcspn(text, ",")]) fputs(", ", stdout);
    }
}

static void op_line(const wedge_op_info *op) {
    printf("| `%s` | %" PRIu32 " | ", op->name, op->points);
    cell(op->formula);
    fputs(" | ", stdout);
    if (op->columns)
        columns(op->columns);
    else if (op->record)
        printf("%" PRIu32 " numbers", op->record);
    else
        fputs("any number of features", stdout);
    printf(" | %" PRIu32 " | %s | ", op->values, op->bounded ? "yes" : "");
    parameters(op->parameters, op->parameter_count);
    puts(" |");
}

int main(void) {
    puts(
        "| op | points | value | a point is | values | leaves out tiles | parameters "
        "|\n|---|---:|---|---|---:|---|---|");
    for (int k = 0; k < wedge_op_count(0); ++k) op_line(wedge_op_at(0, k));
    puts("\n| sink | what becomes of the values | in wedge_result | parameters |\n|---|---|---|---|");
    for (int k = 0; k < wedge_sink_count(); ++k) {
        const wedge_sink_info *sink = wedge_sink_at(k);
        printf("| `%s` | ", sink->name);
        cell(sink->summary);
        fputs(" | ", stdout);
        outputs(sink);
        fputs(" | ", stdout);
        parameters(sink->parameters, sink->parameter_count);
        puts(" |");
    }
    return 0;
}
