/* sized.c: copies that end where the shorter of two structs does.
 *
 * SPDX-License-Identifier: MIT */
#include "core/sized.h"

#include <string.h>

enum { MOST_SIZE = 4096 }; /* no struct comes near: a size beyond has not been set */

static size_t size_of(const void *theirs) {
    size_t size;
    memcpy(&size, theirs, sizeof size);
    return size;
}

wedge_status sized_check(note *n, const char *type, const void *theirs) {
    size_t size = size_of(theirs);
    bool whole =
        size % sizeof size == 0; /* no struct that begins with a size ends within a word: a pointer would be cut */
    WEDGE_CHECK(whole && size >= sizeof size && size <= MOST_SIZE, n, WEDGE_BAD_ARGUMENT,
                "%s.size is %zu: set it to sizeof(%s) before the call", type, size, type);
    return WEDGE_OK;
}

wedge_status sized_read(note *n, const char *type, const void *theirs, size_t index, void *ours, size_t size) {
    WEDGE_TRY(sized_check(n, type, theirs));
    size_t given = size_of(theirs), common = given < size ? given : size;
    const char *from = (const char *)theirs + index * given;
    for (size_t k = common; k < given; ++k)
        WEDGE_CHECK(
            !from[k], n, WEDGE_BAD_ARGUMENT,
            "%s.size is %zu, and %zu in wedge %s: the program sets members that a newer wedge has; install that "
            "one, or leave them 0",
            type, given, size, wedge_version());
    memset(ours, 0, size);
    memcpy(ours, from, common);
    memcpy(ours, &size, sizeof size);
    return WEDGE_OK;
}

void sized_write(void *theirs, size_t index, const void *ours, size_t size) {
    size_t given = size_of(theirs), common = given < size ? given : size;
    char *to = (char *)theirs + index * given;
    memcpy(to + sizeof given, (const char *)ours + sizeof given, common - sizeof given);
    if (given > common) memset(to + common, 0, given - common);
    memcpy(to, &given, sizeof given);
}
