/* line_end.h: where a line of input ends. Every text that is read ends with a newline, put there if the file has none, so
 * that the search needs no limit; bytes of 0 are passed like any other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_LINE_END_H
#define WEDGE_IO_DATA_LINE_END_H

#include <stdint.h>
#include <string.h>

/* The newline at or after `line`. memchr reads no further than what it finds (C11, 7.24.5.1). */
static inline const char *line_end(const char *line) { return memchr(line, '\n', PTRDIFF_MAX); }

#endif
