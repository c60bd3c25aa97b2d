/* text_errors.c: error messages about a text: what is wrong, where, and what to do about it.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/text_reader.h"

static const char *separator_name(char separator) {
    return separator == ',' ? "commas" : separator == ';' ? "semicolons" : separator == '\t' ? "tabs" : "blanks";
}

/* Before any row a line could have been meant as a header. */
wedge_status text_no_number(const reader *r, uint64_t column) {
    field f = r->fields.at[column];
    const char *mistake = field_mistake(f, r->separator);
    bool first = !r->rows.first && !r->about->header;
    if (!f.length && first && !column && r->fields.count > 1)
        return note_fail(r->n, WEDGE_BAD_DATA,
                         "%s: line %" PRIu64
                         ", column 1 is empty; fill it in, or, if this is a header of numbered columns as pandas "
                         "writes it, begin the line with # and give --columns 2:%zu",
                         r->in->name, r->line, r->fields.count);
    WEDGE_CHECK(f.length, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64 ", column %" PRIu64
                " is empty (%s separate here); fill it in, delete the line, or leave the column out with --columns",
                r->in->name, r->line, column + 1, separator_name(r->separator));
    char hint[80] = "; numbers look like -1.5e3; choose columns of numbers with --columns";
    bool names = !column && r->fields.count > 1; /* of rows, most likely */
    if (names) snprintf(hint, sizeof hint, "; choose the columns of numbers, such as --columns 2:%zu", r->fields.count);
    return note_fail(r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 ", column %" PRIu64 ": %s is not a number%s%s",
                     r->in->name, r->line, column + 1, quoted(f.text, f.length).text, mistake ? mistake : hint,
                     first ? "; begin the line with # if it is a header" : "");
}

wedge_status text_not_finite(const reader *r, uint64_t column, double v) {
    field f = r->fields.at[column];
    const char *reach = !isfinite(v) ? "f64" : "f32 (--dtype f64 holds it)";
    bool number = f.text[*f.text == '-' || *f.text == '+'] < 'A'; /* a digit or the point; words start with a letter */
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: line %" PRIu64 ", column %" PRIu64
                     " is %s%s%s; fix the data, or accept it with --nan propagate",
                     r->in->name, r->line, column + 1, quoted(f.text, f.length).text, number ? ", too large for " : "",
                     number ? reach : "");
}

wedge_status text_rounded(const reader *r, uint64_t column) {
    field f = r->fields.at[column];
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: line %" PRIu64 ", column %" PRIu64
                     " is %s, which %s cannot hold: different integers would become equal; %s",
                     r->in->name, r->line, column + 1, quoted(f.text, f.length).text, r->out->is_f64 ? "f64" : "f32",
                     r->out->is_f64 ? "leave the column out with --columns, or write it with a decimal point"
                                    : "use --dtype f64, or leave the column out with --columns");
}

/* A row, or the header, has another number of fields than there are columns. */
wedge_status text_ragged(const reader *r, uint64_t line, uint64_t wanted, const char *what) {
    const uint64_t count = r->fields.count;
    for (uint64_t k = 0; k < count; ++k)
        if (field_is_several(r->fields.at[k], r->separator)) return text_no_number(r, k);
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: line %" PRIu64 " has %" PRIu64 " value%s, line %" PRIu64 " had %" PRIu64 "%s", r->in->name,
                     r->line, count, count == 1 ? "" : "s", line, wanted, what);
}

/* Too many values for the limit: how many in all, guessed from the share of the input they come from. */
wedge_status text_over_limit(const reader *r, size_t size) {
    double parsed = (double)r->bytes - (double)(r->end - r->row), need = 0;
    if (r->in->left != SOURCE_UNKNOWN && parsed > 0)
        need = (double)r->values * (double)size * ((double)r->bytes + (double)r->in->left) / parsed;
    char *guess = need > 0 ? text_format(" (about %s in all)", size_in_words((uint64_t)need).text) : NULL;
    wedge_status status =
        note_fail(r->n, WEDGE_NO_MEMORY,
                  "%s: its values up to line %" PRIu64 " take more than the limit of %s%s; raise it with --memory%s",
                  r->in->name, r->line, size_in_words(r->options->memory).text, guess ? guess : "",
                  r->out->is_f64 ? ", or halve the need with --dtype f32" : "");
    free(guess);
    return status;
}

wedge_status text_long_line(const reader *r, size_t bytes) {
    return note_fail(r->n, WEDGE_NO_MEMORY,
                     "%s: line %" PRIu64 " is longer than %s, too long for the limit of %s; raise it with --memory",
                     r->in->name, r->line + 1, size_in_words(bytes).text, size_in_words(r->options->memory).text);
}

wedge_status text_no_text(const reader *r, const char *zero) {
    uint64_t line = r->line + 1;
    for (const char *p = r->window; (p = memchr(p, '\n', (size_t)(zero - p))); ++p) ++line;
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: line %" PRIu64
                     " holds a zero byte, so this is neither .npy nor text; wanted: either of them "
                     "(text as UTF-8, not UTF-16)",
                     r->in->name, line);
}

wedge_status text_either(const reader *r) {
    return note_fail(r->n, WEDGE_BAD_DATA,
                     "%s: line %" PRIu64
                     " has names and ascending numbers: is it a header or a point? Begin it with # if it is a header; "
                     "put a line of names above it if it is a point",
                     r->in->name, r->header.held_line);
}
