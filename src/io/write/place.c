/* place.c: follows links one by one and checks each.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/place.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* What the link names, from where we are; NULL: no memory, or it cannot be read. */
static char *follow(const char *link) {
    char target[PATH_MAX];
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return NULL;
    target[length] = 0;
    const char *slash = strrchr(link, '/');
    return *target == '/' || !slash ? strdup(target) : text_format("%.*s%s", (int)(slash - link) + 1, link, target);
}

wedge_status place_find(const char *file, const char *remedy, char **place, bool *there, struct stat *about, note *n) {
    char *at = strdup(file);
    int links = 0;
    for (; at && !lstat(at, about) && S_ISLNK(about->st_mode) && links < MOST_LINKS; ++links) {
        if (about->st_uid != geteuid() && about->st_uid) {
            note_fail(
                n, WEDGE_BAD_ARGUMENT,
                "%s is a link made by another user, which wedge does not follow; remove it, or name another output",
                at);
            free(at);
            return WEDGE_BAD_ARGUMENT;
        }
        char *next = follow(at);
        free(at);
        at = next;
    }
    WEDGE_CHECK(at, n, WEDGE_NO_MEMORY, "%s: out of memory", file);
    bool exists = !lstat(at, about);
    if ((exists && !S_ISREG(about->st_mode)) || (!exists && links)) {
        free(at);
        return note_fail(n, WEDGE_BAD_ARGUMENT, "%s is not a plain file%s", file, remedy);
    }
    *place = at, *there = exists;
    return WEDGE_OK;
}

wedge_status place_replaceable(const char *place, note *n) {
    struct stat at, in;
    const char *slash = strrchr(place, '/');
    char *folder = text_format("%.*s.", slash ? (int)(slash - place) + 1 : 0, place);
    bool fixed = folder && geteuid() && !lstat(place, &at) && at.st_uid != geteuid() && !stat(folder, &in) &&
                 (in.st_mode & S_ISVTX) && in.st_uid != geteuid();
    free(folder);
    WEDGE_CHECK(!fixed, n, WEDGE_BAD_ARGUMENT,
                "%s belongs to another user, and only they can replace it in this folder; name another output", place);
    return WEDGE_OK;
}
