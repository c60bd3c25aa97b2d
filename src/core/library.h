/* library.h: opens a shared library at run time and fills a struct with its functions, from a table of their names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_LIBRARY_H
#define WEDGE_CORE_LIBRARY_H

#include <stddef.h>

#include "core/note.h"

typedef struct {
    const char *name; /* the symbol */
    size_t offset;    /* offset of its pointer in the struct of functions */
} library_symbol;

/* Opens `path` if it is given, else the first of `names` (NULL-terminated) that is there, and fills every symbol. NULL
 * if there is none or a symbol is missing; the remark says which. */
void *library_open(const char *path, const char *const *names, const library_symbol *symbols, size_t count,
                   void *functions, note *remark);

#endif
