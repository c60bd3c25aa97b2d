/* text_row.c: a line as the fields of a row: without a comment after them, and without the empty field behind a comma that ends the
 * line, as many programs write it.
 *
 * A # begins a comment where a number stands before it in its field, or at the start of a field beyond the known number of
 * columns. Elsewhere it is data: a colour (#ff0000), a missing value of a spreadsheet (#N/A), a name (Room # 3).
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "io/data/header.h"
#include "io/read/text_reader.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* How many fields a row has, if that is known: as the first row, or the header. 0: it is not. */
static size_t known_count(const reader *r) { return r->rows.first ? (size_t)r->about->columns : (size_t)r->names; }

/* Whether field k, which begins with #, is a comment. */
static bool starts_comment(const reader *r, size_t k) {
    field f = r->fields.at[k];
    size_t known = known_count(r);
    if (known) return k >= known;
    return (r->separator == ' ' || f.length == 1 || is_blank(f.text[1])) && !field_is_missing(f);
}

/* Cuts a comment off the list. */
static bool drop_comment(reader *r) {
    for (size_t k = 0; k < r->fields.count; ++k) {
        field *f = &r->fields.at[k];
        const char *hash = f->quoted ? NULL : memchr(f->text, '#', f->length);
        double v;
        if (!hash) continue;
        if (hash == f->text && k && starts_comment(r, k)) {
            r->fields.count = k;
            return true;
        }
        field before = {.text = f->text, .length = (size_t)(hash - f->text)};
        while (before.length && is_blank(before.text[before.length - 1])) --before.length;
        if (!field_number(before, r->c_locale, &v)) continue;
        *f = before;
        r->fields.count = k + 1;
        return true;
    }
    return false;
}

/* The text after a quoted field, the last one, is a comment. */
static bool ends_in_comment(const reader *r) {
    field f = r->fields.at[r->fields.count - 1];
    const char *p = f.text + f.length;
    while (*p != '"') ++p;
    for (++p; is_blank(*p);) ++p;
    return *p == '#';
}

static wedge_status cut(reader *r, const char *line, bool *comment) {
    fields_status status = fields_cut(line, r->separator, &r->fields);
    WEDGE_CHECK(status != FIELDS_NO_MEMORY, r->n, WEDGE_NO_MEMORY, "%s: no memory for the fields of line %" PRIu64,
                r->in->name, r->line);
    WEDGE_CHECK(status != FIELDS_TOO_MANY, r->n, WEDGE_NO_MEMORY,
                "%s: line %" PRIu64
                " has more than %zu values, too many for the limit of %s: are rows and columns swapped? If not, raise "
                "it with --memory",
                r->in->name, r->line, r->fields.most, size_in_words(r->options->memory).text);
    *comment = drop_comment(r);
    if (!*comment && status == FIELDS_AFTER_QUOTE) *comment = ends_in_comment(r);
    if (status == FIELDS_OK || *comment) return WEDGE_OK;
    field f = r->fields.at[r->fields.count - 1];
    return note_fail(
        r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 ", column %zu: %s %s", r->in->name, r->line, r->fields.count,
        quoted(f.text, f.length).text,
        status == FIELDS_OPEN_QUOTE
            ? "starts with a quote that does not end on its line; close it, or write it without line breaks"
            : "is in quotes, and text follows them; write quotes inside a quoted field as two");
}

wedge_status text_cut_header(reader *r, const char *line) {
    bool comment;
    return cut(r, line, &comment);
}

/* The last field is empty because the line ends in a separator. A missing value looks the same: it is none where the number of
 * columns is known to be one less, or where nothing is known, and a value stands before it. */
static bool is_after_the_end(const reader *r) {
    const size_t count = r->fields.count, known = known_count(r);
    const field *last = count > 1 ? &r->fields.at[count - 1] : NULL;
    if (!last || last->length || last->quoted || r->separator == ' ') return false;
    if (r->rows.first) return count == known + 1;
    if (!known) return last[-1].length;
    char *const *names = r->about->names;
    return count == known + 1 || (count == known && names && !*names[count - 1]);
}

wedge_status text_cut_row(reader *r, const char *line) {
    bool comment;
    WEDGE_TRY(cut(r, line, &comment));
    bool blank = comment && r->separator == ' ' && r->fields.count > 1 && !r->fields.at[r->fields.count - 1].length;
    if (blank || is_after_the_end(r)) --r->fields.count;
    return WEDGE_OK;
}
