/* mark.c: marks as extended attributes of Linux.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "core/note.h"

enum { MOST_BYTES = 1 << 16 }; /* the kernel's own limit of a value */

static char *attribute(const char *name) {
    char *whole = text_format("user.wedge.%s", name);
    if (!whole) errno = ENOMEM;
    return whole;
}

bool mark_set(int fd, const char *name, const char *value) {
    char *whole = attribute(name);
    bool good = whole && !fsetxattr(fd, whole, value, strlen(value), 0);
    free(whole);
    return good;
}

bool mark_remove(int fd, const char *name) {
    char *whole = attribute(name);
    bool good = whole && (!fremovexattr(fd, whole) || errno == ENODATA || errno == ENOTSUP);
    free(whole);
    return good;
}

/* By path, or by fd where path is NULL. */
static char *get(const char *path, int fd, const char *name) {
    char *whole = attribute(name), *value = whole ? malloc(MOST_BYTES + 1) : NULL, *result = NULL;
    ssize_t size = -1;
    if (value) size = path ? lgetxattr(path, whole, value, MOST_BYTES) : fgetxattr(fd, whole, value, MOST_BYTES);
    if (size >= 0) {
        value[size] = 0;
        result = strdup(value);
    }
    int error = errno;
    free(whole);
    free(value);
    errno = error;
    return result;
}

char *mark_get(const char *path, const char *name) { return get(path, -1, name); }

char *mark_get_fd(int fd, const char *name) { return get(NULL, fd, name); }
