/* text_reader.h: the state of reading a text (text.c), as its error messages (text_errors.c) see it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_READ_TEXT_READER_H
#define WEDGE_IO_READ_TEXT_READER_H

#include <locale.h>

#include "io/data/fields.h"
#include "io/data/ids.h"
#include "io/data/points.h"

/* Lines before the first row that may be the header. */
typedef struct {
    char *held; /* a first line of names and numbers: the next row tells */
    uint64_t held_line;
    char *comment; /* the last one, where a record's names may stand in it; NULL: none */
    uint64_t comment_line;
    size_t commented; /* fields of the last comment: as many as a row has, and it is the header */
} header_lines;

typedef struct {
    bool counts;   /* the column has no name and went up by one with every row so far */
    double origin; /* the first value of that column */
} counting;

typedef struct {
    uint64_t first;   /* the line of the first row; 0: none yet */
    bool interleaved; /* other lines lie between the rows */
} row_lines;

typedef struct {
    points_source *in;
    const points_options *options;
    points *out;
    points_about *about; /* out's description */
    note *n;
    locale_t c_locale;
    char *window;
    size_t capacity;
    field_list fields; /* fields of the line being read */
    header_lines header;
    const char *row, *end; /* in the window: the row being read, and the end of what was read */
    uint64_t bytes;        /* bytes read from the input so far */
    uint64_t line;         /* the line being read, from 1 */
    row_lines rows;
    uint64_t only_tabs;    /* number of the first line with nothing but tabs, before the separator was known; 0: none */
    uint64_t names;        /* number of names in the header */
    uint64_t values, room; /* values stored, and values that fit */
    char separator;        /* 0: not seen yet */
    bool chosen;           /* columns were chosen, by the caller or by their names */
    bool plain;            /* rows are read without cutting fields: all columns are wanted */
    counting first_column;
    uint64_t id; /* the column of names, where options have one */
    id_list ids;
} reader;

/* The line at hand as fields: a row; or what may be a header, which keeps the empty field at its end. */
wedge_status text_cut_row(reader *r, const char *line);
wedge_status text_cut_header(reader *r, const char *line);

/* With the fields of the first row; and when all rows are known. */
wedge_status text_choose_columns(reader *r);
wedge_status text_finish_columns(reader *r);

/* Each returns its status, after a note. Columns are counted from 0. */
wedge_status text_no_number(const reader *r, uint64_t column);
wedge_status text_not_finite(const reader *r, uint64_t column, double v);
wedge_status text_rounded(const reader *r, uint64_t column); /* a whole number that would become another one */
/* A row, or the header, has another number of fields than line `line` had. */
wedge_status text_ragged(const reader *r, uint64_t line, uint64_t wanted, const char *what);
wedge_status text_over_limit(const reader *r, size_t size); /* of memory; size: of a value */
wedge_status text_long_line(const reader *r, size_t bytes); /* a line beyond that limit */
wedge_status text_no_text(const reader *r, const char *zero);
wedge_status text_either(const reader *r); /* the held line: a header or a point? */

#endif
