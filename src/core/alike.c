/* alike.c: edit distances, and the closest of several words.
 *
 * SPDX-License-Identifier: MIT */
#include "core/alike.h"

#include <string.h>
#include <strings.h>

enum { MOST = 40, CLOSE = 2, BEGINNING = 4 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c; }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Row i of the table has the distances from the first i letters of a to each beginning of b; a row needs the two before
 * it. An exchange of neighbours counts once, and what was exchanged is not edited again. */
size_t alike_edits(const char *a, const char *b) {
    size_t rows[3][MOST + 1], columns = strlen(b), i = 0;
    if (columns > MOST || strlen(a) > MOST) return MOST;
    for (size_t j = 0; j <= columns; ++j) rows[0][j] = j;
    while (a[i++]) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; ++j) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = least(before[j - 1] + (x != y), least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                row[j] = least(row[j], earlier[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][columns];
}

alike alike_to(const char *typed) { return (alike){.typed = typed, .edits = CLOSE + 1}; }

void alike_try(alike *a, const char *word) {
    size_t length = strlen(a->typed), edits = alike_edits(a->typed, word);
    if (length >= BEGINNING && !strncasecmp(a->typed, word, length)) edits = least(edits, CLOSE);
    if (edits >= a->edits || 2 * edits > length) return;
    a->best = word;
    a->edits = edits;
}
