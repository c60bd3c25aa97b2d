/* say.c: what is said to the user on standard error, and text in lines of 80 columns.
 *
 * A terminal gets lines that end between words. A file or a pipe gets each message as one line, however long: scripts look for
 * words in it, and a log has one line per event.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "core/note.h"
#include "core/printable.h"

enum { COLUMNS = 80, INDENT = 2 };

/* Columns that `length` bytes of UTF-8 take. */
static int columns_of(const char *text, size_t length) {
    int columns = 0;
    for (size_t k = 0; k < length; ++k) columns += (text[k] & 0xc0) != 0x80;
    return columns;
}

void cli_wrap(FILE *out, const char *text, int at, int indent) {
    const char *gap = "";
    for (size_t length; *text; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        int columns = columns_of(text, length);
        if (*gap && at + 1 + columns > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            at = indent, gap = "";
        }
        fprintf(out, "%s%.*s", gap, (int)length, text);
        at += columns + (int)strlen(gap), gap = " ";
    }
    fputc('\n', out);
}

/* Of several lines, as a compiler's, a message stays as it is: its lines are not ours to join. So does a part of a line. */
static bool is_one_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end && !end[1];
}

static void show(char *text) {
    if (isatty(STDERR_FILENO) && is_one_line(text)) {
        *strchr(text, '\n') = 0;
        cli_wrap(stderr, text, 0, INDENT);
    } else
        fputs(text, stderr);
}

static void say(const char *before, const char *format, va_list args, const char *after) {
    char *text = text_vformat(format, args), *all = text ? text_format("%s%s%s", before, text, after) : NULL;
    char *shown = all ? text_printable(all) : NULL;
    if (shown)
        show(shown);
    else
        fputs("wedge: no memory for a message\n", stderr);
    free(shown);
    free(all);
    free(text);
}

void cli_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("", format, args, "");
    va_end(args);
}

int cli_error(int code, const char *format, ...) {
    va_list args;
    fflush(stdout);
    va_start(args, format);
    say("wedge: ", format, args, "\n");
    va_end(args);
    return code;
}
