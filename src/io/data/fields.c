/* fields.c: finds the separator of a line and cuts it.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/fields.h"

#include <stdlib.h>
#include <string.h>

/* After the closing quote of the field that starts at p; NULL: it is not closed on its line. */
static const char *skip_quoted(const char *p) {
    for (++p; *p != '\n'; ++p) {
        if (*p != '"') continue;
        if (p[1] != '"') return p + 1;
        ++p;
    }
    return NULL;
}

static bool starts_field(const char *p, const char *line) { return p == line || strchr(" \t,;", p[-1]); }

char fields_separator(const char *line) {
    bool comma = false, tab = false, blank = false, leading_tab = false;
    bool value = false; /* the last character that is not blank was one of a field */
    for (const char *p = line; !at_line_end(p);) {
        if (*p == ';') return ';';
        if (*p == ' ' || *p == '\t') {
            const char *end = skip_blanks(p, ' ');
            bool tabs = memchr(p, '\t', (size_t)(end - p)), between = value && *end != ',' && *end != ';';
            if (at_line_end(end)) break;
            tab = tab || (between && tabs);
            blank = blank || between;
            leading_tab = leading_tab || (p == line && tabs);
            p = end;
            continue;
        }
        comma = comma || *p == ',';
        value = *p != ',';
        const char *after = *p == '"' && starts_field(p, line) ? skip_quoted(p) : NULL;
        p = after ? after : p + 1;
    }
    return tab ? '\t' : comma ? ',' : blank ? ' ' : leading_tab ? '\t' : 0;
}

char fields_named_separator(const char *line) {
    bool quoted = *line == '"';
    const char *p = line + quoted;
    if (strncmp(p, "sep=", 4) || !(p[4] == ',' || p[4] == ';' || p[4] == '\t')) return 0;
    return (!quoted || p[5] == '"') && at_line_end(p + 5 + quoted) ? p[4] : 0;
}

static bool add(field_list *list, field f) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        field *at = realloc(list->at, room * sizeof *at);
        if (!at) return false;
        list->at = at;
        list->room = room;
    }
    list->at[list->count++] = f;
    return true;
}

static field trimmed(const char *start, const char *end, bool quoted) {
    while (start < end && (*start == ' ' || *start == '\t')) ++start;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t')) --end;
    return (field){start, (size_t)(end - start), quoted};
}

fields_status fields_cut(const char *line, char separator, field_list *out) {
    out->count = 0;
    for (const char *p = line;; ++p) {
        const char *start = skip_blanks(p, separator), *after = NULL;
        bool quoted = *start == '"';
        if (quoted && !(after = skip_quoted(start))) {
            const char *end = strchr(start, '\n');
            return add(out, trimmed(start, end, true)) ? FIELDS_OPEN_QUOTE : FIELDS_NO_MEMORY;
        }
        for (p = quoted ? after : start; *p != separator && !at_line_end(p); ++p)
            if (separator == ' ' && *p == '\t') break;
        if (out->most && out->count == out->most) return FIELDS_TOO_MANY;
        if (!add(out, quoted ? trimmed(start + 1, after - 1, true) : trimmed(start, p, false))) return FIELDS_NO_MEMORY;
        if (quoted && skip_blanks(after, separator) < p) return FIELDS_AFTER_QUOTE;
        if (separator == ' ') p = skip_blanks(p, ' ');
        if (at_line_end(p)) return FIELDS_OK;
        if (separator == ' ') --p; /* the next field starts here */
    }
}
