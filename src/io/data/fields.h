/* fields.h: a line of text as fields, and what a field is: a number's text, a name, a missing value, or a mistake.
 *
 * One separator holds for a file: a comma, a semicolon, a tab, or blanks (spaces and tabs, any number of them). Blanks
 * around the first two, and spaces around a tab, do not count. A field in double quotes may hold any character but a
 * newline, a double quote as two. Lines end in LF or CRLF, and the text that holds them always ends in LF.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_FIELDS_H
#define WEDGE_IO_DATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *text; /* without blanks around it, and without the quotes; quotes inside are still two */
    size_t length;
    bool quoted;
} field;

typedef struct {
    field *at;
    size_t count, room;
    size_t most; /* fields of a line; 0: no limit */
} field_list;

typedef enum { FIELDS_OK, FIELDS_NO_MEMORY, FIELDS_TOO_MANY, FIELDS_OPEN_QUOTE, FIELDS_AFTER_QUOTE } fields_status;

static inline bool at_line_end(const char *p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

static inline const char *skip_blanks(const char *p, char separator) {
    const char tab = separator == '\t' ? ' ' : '\t';
    while (*p == ' ' || *p == tab) ++p;
    return p;
}

/* The separator that a line shows, blanks as ' '; 0: it has one field at most. A semicolon goes first, since fields
 * between semicolons may have decimal commas (and be refused for them); then a tab between fields; then a comma. */
char fields_separator(const char *line);

/* The separator that a first line for Excel names, "sep=;" and nothing else, in quotes or not; 0: it is no such line. */
char fields_named_separator(const char *line);

/* Cuts the line; the list is used again. Unless it is FIELDS_OK, the last field of the list is the one at fault. */
fields_status fields_cut(const char *line, char separator, field_list *out);

/* Its text with quotes single, and fit to be shown: valid UTF-8, "?" for what is not and for control characters. Writes
 * at most f.length bytes and a zero, and returns how many without the zero. */
size_t field_name(field f, char *to);

/* ---- What a field is ---- */

/* A name has a letter before its first digit, is no missing value and not inf or nan. Nothing that may be data is one:
 * a first line that is taken for a header is not read. */
bool field_is_name(field f);

/* NA, null, - and others, as programs write them. */
bool field_is_missing(field f);

/* Why a field that is not a number is none, if it is known: the rest of "'1,5' is not a number". NULL: it is just
 * another text. */
const char *field_mistake(field f, char separator);

/* The field seems to hold several, cut by another separator. */
bool field_is_several(field f, char separator);

#endif
