/* lines.h: lists of numbers as text, one line per entry, or as a JSON array of arrays; fast, for millions of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_LINES_H
#define WEDGE_CLI_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "wedge/wedge.h"

typedef struct {
    FILE *f;
    char gap;  /* between numbers */
    bool json; /* an array per entry */
    uint64_t entries;
    bool open; /* an entry is begun */
    size_t used;
    char buffer[1 << 16];
} cli_lines;

void lines_begin(cli_lines *l, FILE *f, char gap, bool json);
void lines_whole(cli_lines *l, int64_t number);
void lines_real(cli_lines *l, double number, wedge_dtype dtype); /* as many digits as it needs; JSON: null for NaN */
void lines_text(cli_lines *l, const char *text);                 /* in quotes where it could be misread */
void lines_next(cli_lines *l);                                   /* the entry is complete */
bool lines_end(cli_lines *l);                                    /* false: the file has an error */

#endif
