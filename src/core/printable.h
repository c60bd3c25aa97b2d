/* printable.h: makes text that wedge did not write (names of files and columns, fields, drivers' messages) safe to print.
 *
 * Terminals obey control characters and escape sequences, and JSON must be valid UTF-8: such text passes through here first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_PRINTABLE_H
#define WEDGE_CORE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_INVALID UINT32_C(0xfffd)

/* The code point at text, its length in *size; UTF8_INVALID and one byte where the bytes are no UTF-8. left: above 0. */
uint32_t utf8_next(const char *text, size_t left, size_t *size);

/* Whether it does something in place of being seen: control characters, those of C1 too, and marks that reverse the order of
 * what follows. */
bool utf8_controls(uint32_t c);

/* A copy in which bytes that are no UTF-8, and those of code points that control, are \xNN; newlines and tabs stay. To be
 * freed; NULL: no memory. */
char *text_printable(const char *text);

/* The text as a JSON string, in quotes: what is no UTF-8 becomes U+FFFD, what controls becomes \uNNNN. */
void text_write_json(FILE *f, const char *text);

#endif
