/* compiler.h: the C compiler of the machine, for userops on the cpu.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_CPU_COMPILER_H
#define WEDGE_BACKEND_CPU_COMPILER_H

#include "backend/backend.h"

typedef struct {
    char **words; /* the compiler's path, followed by the options given with it */
    int count;
    char *wanted; /* memory of all words but the first */
    char *about;  /* path, size and date, part of the key in the cache */
    char why[160];
    bool no_memory; /* the search for a compiler failed for lack of memory */
} compiler;

/* wanted: as CC has it, "gcc-12 -m64"; NULL or "": cc, gcc or clang, whichever PATH has. False: `why` says what was looked for. Free it in
 * any case. */
bool compiler_find(const char *wanted, compiler *c);
void compiler_free(compiler *c);

/* Everything but the source that the result depends on, as a key of the cache has it. Free it; NULL: no memory. */
char *compiler_describe(const compiler *c, const char *const *options);

/* Compiles a source into a shared object. options: more of them, NULL after the last. WEDGE_BUILD_FAILED has the whole log. */
wedge_status compiler_run(const compiler *c, const char *const *options, const char *source, blob *object, note *n);

#endif
