/* library.c: dlopen and dlsym for drivers and zlib; each of them may be missing.
 *
 * SPDX-License-Identifier: MIT */
#include "core/library.h"

#include <dlfcn.h>
#include <string.h>

void *library_open(const char *path, const char *const *names, const library_symbol *symbols, size_t count,
                   void *functions, note *remark) {
    const char *only[] = {path, NULL};
    const char *const *candidates = path && *path ? only : names;
    const char *opened = NULL;
    void *library = NULL;
    /* Drivers do not all survive being unloaded and loaded again: what is loaded once stays. */
    for (const char *const *c = candidates; *c && !library; ++c)
        library = dlopen(opened = *c, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *why = dlerror();
        note_fail(remark, WEDGE_UNSUPPORTED, "%s: %s", candidates[0], path && *path && why ? why : "not found");
        return NULL;
    }
    for (size_t s = 0; s < count; ++s) {
        void *address = dlsym(library, symbols[s].name);
        if (!address) {
            note_fail(remark, WEDGE_UNSUPPORTED, "%s has no function %s: it is too old, or another library", opened,
                      symbols[s].name);
            dlclose(library);
            return NULL;
        }
        memcpy((char *)functions + symbols[s].offset, &address, sizeof address);
    }
    return library;
}
