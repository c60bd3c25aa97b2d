/* text.c: numeric text, in large blocks and in one pass.
 *
 * A window holds whole lines and always ends in a newline, so the scanner needs no other bound. A row of plain numbers
 * is read straight through; any other (quotes, comments, chosen columns, the first, a bad one) is cut into fields first
 * (text_row.c), and errors are reported only there. The first row decides which columns are taken (text_columns.c).
 *
 * SPDX-License-Identifier: MIT */
#include "io/read/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/data/about.h"
#include "io/data/header.h"
#include "io/data/line_end.h"
#include "io/data/number.h"
#include "io/data/roles.h"
#include "io/read/text_reader.h"

enum { BLOCK = 1 << 20, LINE_MOST = 1 << 30, LEAST_FIELDS = 1024 };

/* ---- Rows ---- */

static wedge_status grow(reader *r) {
    const size_t size = points_value_size(r->out);
    const uint64_t limit = r->options->memory, most = limit ? limit / size : INT64_MAX / 16;
    uint64_t room = r->room ? r->room + r->room / 2 : 1024;
    if (room > most) room = most;
    if (room == r->values) return text_over_limit(r, size);
    WEDGE_CHECK(points_resize(r->out, room * size), r->n, WEDGE_NO_MEMORY,
                "%s: no memory for more than its first %" PRIu64 " values, %s", r->in->name, r->values,
                size_in_words(r->values * size).text);
    r->room = room;
    return WEDGE_OK;
}

/* What is stored. */
static inline double put(reader *r, uint64_t at, double v) {
    if (r->out->is_f64) return ((double *)r->out->data)[at] = v;
    return (double)(((float *)r->out->data)[at] = (float)v);
}

/* A row of numbers, all of them wanted: the next line. NULL: it is something else, and nothing was read. */
static const char *read_plain(reader *r, const char *p) {
    const uint64_t columns = r->about->columns;
    const char separator = r->separator;
    const double exact = r->out->is_f64 ? 0x1p53 : 0x1p24; /* integers below it are; NaN and infinity are not below */
    bool small = true;
    double v, first = 0;
    if (r->room - r->values < columns) return NULL;
    for (uint64_t k = 0; k < columns; ++k) {
        if (k && *p == separator)
            p = skip_blanks(p + 1, separator);
        else if (k && (separator != ' ' || (p[-1] != ' ' && p[-1] != '\t')))
            return NULL;
        p = number_scan(p, &v, r->c_locale);
        if (!p) return NULL;
        small &= fabs(put(r, r->values + k, v)) < exact;
        if (!k) first = v;
        p = skip_blanks(p, separator);
    }
    if (*p == separator && separator != ' ') p = skip_blanks(p + 1, separator); /* one more at the end of the line */
    if (!at_line_end(p) || !small) return NULL;
    r->first_column.counts = r->first_column.counts && first == r->first_column.origin + (double)r->out->n;
    r->values += columns;
    return p + (*p == '\r') + 1;
}

static wedge_status read_field(reader *r, uint64_t column) {
    field f = r->fields.at[column];
    double v;
    if (!field_number(f, r->c_locale, &v)) return text_no_number(r, column);
    if (r->values == r->room) WEDGE_TRY(grow(r));
    double stored = put(r, r->values++, v);
    if (!isfinite(stored) && !r->options->nan_propagate) return text_not_finite(r, column, v);
    if (!column && !r->rows.first) r->first_column.origin = v;
    if (!column) r->first_column.counts = r->first_column.counts && v == r->first_column.origin + (double)r->out->n;
    bool index = !column && r->first_column.counts && r->first_column.origin <= 1; /* which is left out */
    if (field_is_rounded(f, stored) && !index) return text_rounded(r, column);
    return WEDGE_OK;
}

static wedge_status read_fields(reader *r, const char *line) {
    const points_about *a = r->about;
    WEDGE_TRY(text_cut_row(r, line));
    if (!r->rows.first) {
        WEDGE_TRY(text_choose_columns(r));
    } else if (r->fields.count != a->columns) {
        return text_ragged(r, r->rows.first, a->columns, "; every point needs the same number");
    }
    for (uint64_t k = 0; k < a->features; ++k) WEDGE_TRY(read_field(r, points_column(a, k)));
    WEDGE_CHECK(!r->options->id || ids_add(&r->ids, r->fields.at[r->id]), r->n, WEDGE_NO_MEMORY,
                "%s: no memory for the name in line %" PRIu64, r->in->name, r->line);
    if (!r->rows.first) r->rows.first = r->line;
    return WEDGE_OK;
}

static wedge_status read_row(reader *r, const char **line) {
    const char *next = r->plain ? read_plain(r, skip_blanks(*line, r->separator)) : NULL;
    if (!next) {
        WEDGE_TRY(read_fields(r, *line));
        next = line_end(*line) + 1;
    }
    r->rows.interleaved = r->rows.interleaved || r->line != r->rows.first + r->out->n;
    ++r->out->n;
    *line = next;
    return WEDGE_OK;
}

/* ---- Lines ---- */

static wedge_status take_header(reader *r, const field_list *header, uint64_t line) {
    r->about->header = line;
    r->names = header->count;
    r->about->names = about_names(header);
    WEDGE_CHECK(r->about->names, r->n, WEDGE_NO_MEMORY, "%s: no memory for its header", r->in->name);
    return WEDGE_OK;
}

/* With its newline. */
static char *copy_of_line(const char *line) {
    size_t length = (size_t)(line_end(line) + 1 - line);
    char *copy = malloc(length);
    return copy ? memcpy(copy, line, length) : NULL;
}

static wedge_status hold(reader *r, const char *line) {
    r->header.held = copy_of_line(line);
    WEDGE_CHECK(r->header.held, r->n, WEDGE_NO_MEMORY, "%s: no memory for line %" PRIu64, r->in->name, r->line);
    r->header.held_line = r->line;
    return WEDGE_OK;
}

/* The held line is a row. */
static wedge_status release(reader *r) {
    const char *line = r->header.held;
    uint64_t here = r->line;
    r->line = r->header.held_line;
    WEDGE_TRY(read_row(r, &line));
    r->line = here;
    return WEDGE_OK;
}

/* The line after the held one. */
static wedge_status judge_held(reader *r, const char *line) {
    field_list first = {0};
    fields_status cut_first = fields_cut(r->header.held, r->separator, &first); /* which went well before */
    r->names = first.count; /* as many as it has, if it is a header */
    wedge_status status = cut_first ? note_fail(r->n, WEDGE_NO_MEMORY, "%s: no memory for its header", r->in->name)
                                    : text_cut_row(r, line);
    r->names = 0;
    bool named = about_names_field(r->options->columns, &first) || about_names_field(r->options->id, &first);
    header_answer is = status ? HEADER_NO : named ? HEADER_YES : header_is(&first, &r->fields, r->c_locale);
    if (!status && is == HEADER_YES) status = take_header(r, &first, r->header.held_line);
    free(first.at);
    WEDGE_TRY(status);
    return is == HEADER_YES ? WEDGE_OK : is == HEADER_NO ? release(r) : text_either(r);
}

/* Up to the first row: the separator, and whether the line is a header. */
static wedge_status look_at(reader *r, const char *line, bool *passed) {
    if (!r->separator) r->separator = fields_separator(line);
    WEDGE_CHECK(r->separator != '\t' || !r->only_tabs, r->n, WEDGE_BAD_DATA,
                "%s: line %" PRIu64
                " has tabs and nothing between them: its values are missing; fill them in, or "
                "delete the line",
                r->in->name, r->only_tabs);
    char known = r->separator;
    if (!known) r->separator = ' ';
    if (r->about->header) return WEDGE_OK;
    if (r->header.held) return judge_held(r, line);
    WEDGE_TRY(text_cut_header(r, line));
    line_kind kind = header_kind(&r->fields, r->c_locale);
    bool chosen = r->options->columns || r->options->id || r->options->named;
    bool either = kind == LINE_OF_BOTH && chosen && r->header.commented != r->fields.count;
    *passed = kind == LINE_OF_NAMES || either;
    if (!*passed) return WEDGE_OK;
    r->separator = known; /* a header of one name shows none */
    return kind == LINE_OF_NAMES ? take_header(r, &r->fields, r->line) : hold(r, line);
}

/* A line that starts with # is a comment, unless it is a row that starts with a spreadsheet's error: #N/A,1,2. */
static bool is_comment(reader *r, const char *line) {
    if (*skip_blanks(line, r->separator) != '#') return false;
    char separator = r->separator ? r->separator : fields_separator(line);
    bool whole = !fields_cut(line, separator ? separator : ' ', &r->fields);
    r->header.commented = r->fields.count;
    if (!whole) return true;
    for (size_t k = 0; k < r->fields.count; ++k) {
        field f = r->fields.at[k];
        double v;
        if (!field_is_missing(f) && (!k || !field_number(f, r->c_locale, &v))) return true;
    }
    return false;
}

/* NumPy writes a header as a comment. */
static wedge_status keep_comment(reader *r, const char *line) {
    line = strchr(line, '#') + 1;
    free(r->header.comment);
    r->header.comment = copy_of_line(line);
    r->header.comment_line = r->line;
    WEDGE_CHECK(r->header.comment, r->n, WEDGE_NO_MEMORY, "%s: no memory for line %" PRIu64, r->in->name, r->line);
    return WEDGE_OK;
}

/* Whole lines. */
static wedge_status read_lines(reader *r, const char *p, const char *end) {
    if (!r->line && p[0] == '\xef' && p[1] == '\xbb' && p[2] == '\xbf') p += 3; /* a byte order mark */
    while (p < end) {
        const char *start = skip_blanks(p, r->separator);
        bool passed = at_line_end(start);
        ++r->line;
        r->row = p;
        if (passed && !r->separator && memchr(p, '\t', (size_t)(start - p)) && !r->only_tabs) r->only_tabs = r->line;
        if (!passed && r->line == 1 && (r->separator = fields_named_separator(p))) passed = true;
        if (!passed && (passed = is_comment(r, p)) && !r->rows.first && r->options->named)
            WEDGE_TRY(keep_comment(r, p));
        if (!passed && !r->rows.first) WEDGE_TRY(look_at(r, p, &passed));
        if (passed)
            p = line_end(p) + 1;
        else
            WEDGE_TRY(read_row(r, &p));
    }
    return WEDGE_OK;
}

/* ---- The window ---- */

/* The next block, after the kept bytes of an unfinished line. */
static wedge_status fill(reader *r, size_t kept, size_t *got, bool *last) {
    size_t block = r->options->block ? r->options->block : BLOCK;
    if (block > r->in->left) block = (size_t)r->in->left + 1; /* one more, to see the end */
    WEDGE_CHECK(kept <= LINE_MOST, r->n, WEDGE_BAD_DATA, "%s: line %" PRIu64 " is longer than %s; is this text?",
                r->in->name, r->line + 1, size_in_words(LINE_MOST).text);
    if (r->options->memory && kept > BLOCK && kept > r->options->memory / 4) return text_long_line(r, kept);
    if (r->capacity < kept + block + 1) {
        size_t capacity = 2 * kept + block + 1;
        char *window = realloc(r->window, capacity);
        WEDGE_CHECK(window, r->n, WEDGE_NO_MEMORY, "%s: no memory for line %" PRIu64 ", which is longer than %s",
                    r->in->name, r->line + 1, size_in_words(kept).text);
        r->window = window;
        r->capacity = capacity;
    }
    WEDGE_TRY(source_read(r->in, r->window + kept, block, got, r->n));
    r->bytes += *got;
    *last = *got < block;
    const char *zero = memchr(r->window + kept, 0, *got);
    if (zero) return text_no_text(r, zero);
    if (*last && kept + *got && r->window[kept + *got - 1] != '\n') r->window[kept + (*got)++] = '\n';
    return WEDGE_OK;
}

static wedge_status read_all(reader *r) {
    size_t kept = 0, got;
    for (bool last = false; !last;) {
        WEDGE_TRY(fill(r, kept, &got, &last));
        r->end = r->window + kept + got;
        const char *newline = memrchr(r->window + kept, '\n', got);
        kept += got;
        if (!newline) continue;
        WEDGE_TRY(read_lines(r, r->window, newline + 1));
        kept = (size_t)(r->end - (newline + 1));
        memmove(r->window, newline + 1, kept);
    }
    if (r->header.held && !r->rows.first && !r->about->header) WEDGE_TRY(release(r)); /* it is all there is */
    WEDGE_CHECK(r->out->n || !r->about->header, r->n, WEDGE_BAD_DATA,
                "%s: has a header in line %" PRIu64 " and no line of numbers after it", r->in->name, r->about->header);
    WEDGE_CHECK(r->out->n, r->n, WEDGE_BAD_DATA, "%s: has no line of numbers, only blank lines or comments",
                r->in->name);
    points_resize(r->out, r->values * points_value_size(r->out)); /* gives back; may fail */
    return text_finish_columns(r);
}

wedge_status text_read(points_source *in, const points_options *options, points *out, note *n) {
    reader r = {.in = in, .options = options, .out = out, .about = &out->about, .n = n};
    *out = (points){.is_f64 = options->dtype != POINTS_F32};
    if (options->memory) { /* a quarter of it for the fields of a line, some of them however little there is */
        uint64_t most = options->memory / (4 * sizeof(field));
        r.fields.most = most > LEAST_FIELDS ? (size_t)most : LEAST_FIELDS;
    }
    r.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    WEDGE_CHECK(r.c_locale, n, WEDGE_NO_MEMORY, "%s: no memory to read it", in->name);
    wedge_status status = read_all(&r);
    free(r.window);
    free(r.header.held);
    free(r.header.comment);
    free(r.fields.at);
    ids_free(&r.ids);
    freelocale(r.c_locale);
    return status;
}
