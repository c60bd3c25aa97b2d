/* parameters.c: checks what a caller asks of an op: values of its parameters, and the length of its points.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ops/ops.h"

/* In range as it is given, and as the kernels get it. */
static wedge_status check(const op_def *op, int k, wedge_dtype dtype, double value, note *n) {
    const wedge_parameter_info *p = op->info.parameters[k];
    double held = dtype == WEDGE_F32 ? (double)(float)value : value;
    WEDGE_CHECK(!isnan(value), n, WEDGE_BAD_ARGUMENT, "%s: %s = nan: must be a number", op->info.name, p->name);
    WEDGE_CHECK(op->check(op, k, value), n, WEDGE_BAD_ARGUMENT, "%s: %s = %.17g: must be %s", op->info.name, p->name,
                value, p->condition);
    WEDGE_CHECK(op->check(op, k, held), n, WEDGE_BAD_ARGUMENT, "%s: %s = %.17g is %g as f32: must be %s; use f64",
                op->info.name, p->name, value, held, p->condition);
    return WEDGE_OK;
}

wedge_status op_take_parameters(const op_def *op, wedge_dtype dtype, const wedge_parameter *given, size_t count,
                                double values[MOST_PARAMETERS], note *n) {
    const wedge_op_info *info = &op->info;
    parameter_values all;
    WEDGE_TRY(parameters_resolve(n, info->name, info->parameters, info->parameter_count, given, count, &all));
    for (int k = 0; k < info->parameter_count; ++k) WEDGE_TRY(check(op, k, dtype, all.value[k], n));
    memcpy(values, all.value, sizeof all.value);
    return WEDGE_OK;
}

wedge_status op_check_record(const op_def *op, uint64_t d, note *n) {
    char sizes[128] = "";
    size_t length = 0;
    if (!op->records || (d <= MOST_RECORD && op->records >> d & 1)) return WEDGE_OK;
    for (uint32_t k = 1, left = op->records; k <= MOST_RECORD; ++k) {
        if (!(left >> k & 1)) continue;
        left &= ~(1u << k);
        const char *gap = !length ? "" : left ? ", " : " or ";
        length += (size_t)snprintf(sizes + length, sizeof sizes - length, "%s%u", gap, k);
    }
    return note_fail(n, WEDGE_BAD_ARGUMENT, "%s takes points of %s number%s, not %" PRIu64, op->info.name, sizes,
                     op->records == 2 ? "" : "s", d);
}

char *op_file_name(const op_def *op) {
    return op->file ? text_format("%s", op->file) : text_format("ops/metrics/%s.h", op->info.name);
}

char *op_parameters_line(const op_def *op) {
    static const char begin[] = "#define OP_PARAMETERS(";
    const char *line = op->text;
    if (op->parameters_line) return text_format("%s\n", op->parameters_line);
    while (line && strncmp(line, begin, sizeof begin - 1)) {
        line = strchr(line, '\n');
        if (line) ++line;
    }
    return line ? text_format("%.*s\n", (int)strcspn(line, "\n"), line) : text_format("%s", "");
}
