/* facts_kept.c: stores what has been read of an op's text.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/userop/facts.h"

wedge_status facts_refuse(const facts *f, unsigned line, note *n, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *words = text_vformat(format, args);
    va_end(args);
    wedge_status status = note_fail(n, WEDGE_BAD_DATA, "%s:%u: %s", f->file, line, words ? words : "no memory");
    free(words);
    return status;
}

const macro *facts_macro(const facts *f, const char *name, size_t length) {
    for (int k = 0; k < f->macro_count; ++k)
        if (!strncmp(f->macros[k].name, name, length) && !f->macros[k].name[length]) return &f->macros[k];
    return NULL;
}

/* The room is four times the file, which has no more words than that. */
const char *facts_keep(facts *f, const char *from, size_t length) {
    while (length && (isspace((unsigned char)*from) || *from == 1)) ++from, --length;
    while (length && (isspace((unsigned char)from[length - 1]) || from[length - 1] == 1)) --length;
    if (f->used + length + 1 > f->room) return "";
    char *to = f->strings + f->used;
    for (size_t k = 0; k < length; ++k) to[k] = from[k] == 1 ? ' ' : from[k];
    to[length] = 0;
    f->used += length + 1;
    return to;
}
