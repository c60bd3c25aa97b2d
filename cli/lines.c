/* lines.c: numbers into a buffer, the buffer to the file.
 *
 * SPDX-License-Identifier: MIT */
#include "lines.h"

#include <math.h>
#include <string.h>

#include "io/write/pairs_text.h"

enum { LONGEST = 64 };

void lines_begin(cli_lines *l, FILE *f, char gap, bool json) {
    l->f = f, l->gap = gap, l->json = json;
    l->entries = 0, l->open = false, l->used = 0;
    if (json) fputc('[', f);
}

static void flush(cli_lines *l) {
    fwrite(l->buffer, 1, l->used, l->f);
    l->used = 0;
}

static void put(cli_lines *l, const char *text, size_t length) {
    memcpy(l->buffer + l->used, text, length);
    l->used += length;
}

/* What comes before a number. */
static void separate(cli_lines *l) {
    if (l->used + LONGEST > sizeof l->buffer) flush(l);
    if (l->open && l->json)
        put(l, ", ", 2);
    else if (l->open)
        put(l, &l->gap, 1);
    else if (l->json)
        put(l, ", [", 3);
    if (!l->open && l->json && !l->entries) l->used -= 3, put(l, "[", 1);
    l->open = true;
}

void lines_whole(cli_lines *l, int64_t number) {
    char text[24];
    char *at = text + sizeof text;
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0) *--at = '-';
    separate(l);
    put(l, at, (size_t)(text + sizeof text - at));
}

void lines_real(cli_lines *l, double number, wedge_dtype dtype) {
    number_text text = number_as_text(number, dtype);
    separate(l);
    if (l->json && !isfinite(number)) snprintf(text.text, sizeof text.text, "null");
    put(l, text.text, strlen(text.text));
}

static bool needs_quotes(const cli_lines *l, const char *text) {
    return l->json || !*text || strchr(text, l->gap) || strchr(text, '"');
}

/* Quotes inside are two in text, as spreadsheets have it. */
void lines_text(cli_lines *l, const char *text) {
    bool quotes = needs_quotes(l, text);
    separate(l);
    if (quotes) put(l, "\"", 1);
    for (; *text; ++text) {
        if (l->used + LONGEST > sizeof l->buffer) flush(l);
        if (*text == '"') put(l, l->json ? "\\" : "\"", 1);
        if (*text == '\\' && l->json) put(l, "\\", 1);
        put(l, text, 1);
    }
    if (quotes) put(l, "\"", 1);
}

void lines_next(cli_lines *l) {
    if (l->used + LONGEST > sizeof l->buffer) flush(l);
    put(l, l->json ? "]" : "\n", 1);
    l->open = false;
    ++l->entries;
}

bool lines_end(cli_lines *l) {
    flush(l);
    if (l->json) fputc(']', l->f);
    return !ferror(l->f);
}
