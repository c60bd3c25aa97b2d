/* ops.c: texts of ops and their expressions, as far as they are read without a compiler.
 *
 * A text that is taken has a row whose numbers are within their ranges and whose functions answer; one that is refused is refused with
 * file and line. Whatever it is, the answer comes soon: libFuzzer's -timeout looks after that.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "engine/userop/expression.h"
#include "engine/userop/facts.h"
#include "engine/userop/source.h"
#include "fuzz.h"

static void try_parameters(const op_def *row, double set[MOST_PARAMETERS]) {
    static const double values[] = {-INFINITY, -1, 0, 0.5, 1, 2, 1e300, INFINITY, NAN};
    HOLDS(row->info.parameter_count >= 0 && row->info.parameter_count <= MOST_PARAMETERS);
    for (int k = 0; k < row->info.parameter_count; ++k) {
        const wedge_parameter_info *p = row->info.parameters[k];
        HOLDS(*p->name && p->condition);
        HOLDS(row->check(row, k, p->value) || isnan(p->value));
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v) row->check(row, k, values[v]);
        set[k] = p->value;
    }
}

static void try_functions(const op_def *row, const double *set) {
    static const double numbers[] = {0, 0.5, 3, 1e200, INFINITY};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        double x = numbers[k], y = numbers[(k + 2) % 5];
        if (row->magnitude) row->magnitude(row, x, y, set);
        if (row->magnitude_end) row->magnitude_end(row, x, set);
        if (row->margin) row->margin(row, x, set);
    }
    if (row->same_as) row->same_as(row, set);
    for (uint64_t d = 1; d <= 70 && row->bound; d += 23)
        for (uint64_t f = 0; f < d; ++f) {
            int kind = row->bound(row, f, d);
            HOLDS(kind >= BOUND_GAP && kind <= BOUND_MOST);
        }
}

static void try_row(const op_def *row) {
    double set[MOST_PARAMETERS] = {0};
    HOLDS(row->info.formula && row->info.values >= 1 && row->info.values <= MOST_VALUES);
    HOLDS(row->info.points == 2 || row->info.points == 3);
    HOLDS((row->records != 0) != (row->state != 0));
    HOLDS(row->state <= 4096);
    try_parameters(row, set);
    try_functions(row, set);
}

/* It copies 60 kB of text: now and then is enough. */
static void try_source(const op_def *row) {
    char *source = userop_source(row, WEDGE_F64, ISA_BASE);
    HOLDS(source);
    free(source);
}

static void try_expression(const char *text) {
    static const facts none;
    value v = {0};
    char why[128] = "";
    scope s = {.facts = &none};
    scope_add(&s, "x", real_value(0.5));
    scope_add(&s, "n", whole_value(7));
    bool good = evaluate(text, &s, &v, why);
    HOLDS(good == !*why);
    HOLDS(v.kind == WHOLE || v.kind == REAL || v.kind == TEXT);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    note n = {0};
    op_def row;
    facts *f;
    char *text = fuzz_text(bytes, size);
    wedge_status status = facts_read(text, "name", "file.h", &row, &f, &n);
    HOLDS(status ? !f && !strncmp(note_text(&n), "file.h", 6) : f && !*note_text(&n));
    if (!status) try_row(&row);
    if (!status && size % 64 == 0) try_source(&row);
    facts_free(f);
    note_free(&n);
    text[strcspn(text, "\n")] = 0;
    try_expression(text);
    free(text);
    return 0;
}
