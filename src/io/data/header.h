/* header.h: decides whether the first line of a table is a header.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_HEADER_H
#define WEDGE_IO_DATA_HEADER_H

#include <locale.h>

#include "io/data/fields.h"

bool field_number(field f, locale_t c_locale, double *value); /* all of the field */

/* The field is a whole number, digits alone, and v, its nearest, is another one. */
bool field_is_rounded(field f, double v);

/* Names, with empty fields among them, are a header. Names and numbers may be one, and so may an empty field and numbers. */
typedef enum { LINE_OF_DATA, LINE_OF_NAMES, LINE_OF_BOTH } line_kind;
line_kind header_kind(const field_list *line, locale_t c_locale);

/* Whether a LINE_OF_BOTH is a header, by the row after it. With names: yes where a number stands below a name, or where
 * three numbers or more go up by one, two or more if
 * they are years and those of the row are not; perhaps where they rise from left to right. After an empty field: yes where
 * they are 0, 1, 2, ... above numbers. Otherwise it is a row. */
typedef enum { HEADER_NO, HEADER_PERHAPS, HEADER_YES } header_answer;
header_answer header_is(const field_list *first, const field_list *next, locale_t c_locale);

#endif
