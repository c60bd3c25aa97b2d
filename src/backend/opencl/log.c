/* log.c: finds the piece and line that a line number of a composed source refers to.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/opencl/log.h"
#include "core/text_stream.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "<kernel>:", directive[] = "#line 1 \"";

typedef struct {
    const char *name;
    int length;
    unsigned long number; /* in its piece */
} source_line;

static int length_to(const char *text, char end) {
    const char *stop = strchr(text, end);
    return (int)(stop ? (size_t)(stop - text) : strlen(text));
}

/* Line `wanted`, from 1, of the whole source. False: it is in no piece. */
static bool find_line(const char *source, unsigned long wanted, source_line *line) {
    *line = (source_line){0};
    for (unsigned long k = 1; *source && k <= wanted; ++k) {
        int length = length_to(source, '\n');
        if (!strncmp(source, directive, sizeof directive - 1)) {
            line->name = source + sizeof directive - 1;
            line->length = length_to(line->name, '"');
            line->number = 0;
        } else {
            ++line->number;
            if (k == wanted) return line->name;
        }
        source += length + (source[length] == '\n');
    }
    return false;
}

char *log_named(const char *log, const char *source) {
    char *named = NULL;
    size_t size;
    FILE *out = open_memstream(&named, &size);
    if (!out) return NULL;
    for (const char *at; (at = strstr(log, mark));) {
        const char *digits = at + sizeof mark - 1;
        char *end;
        unsigned long number = strtoul(digits, &end, 10);
        source_line line;
        fwrite(log, 1, (size_t)(at - log), out);
        if (*digits >= '0' && *digits <= '9' && find_line(source, number, &line))
            fprintf(out, "%.*s:%lu", line.length, line.name, line.number);
        else
            fwrite(at, 1, (size_t)(end - at), out);
        log = end;
    }
    fputs(log, out);
    if (!text_lost(out)) return named;
    free(named);
    return NULL;
}
