/* permissions.c: sets owner and group first, while nobody else may read the file, then the mode.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/permissions.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL = 0666 };

/* A file without a name, made there, shows it. -1: this file system has none. */
static int mode_of_nameless(const char *place) {
    struct stat s;
    const char *slash = strrchr(place, '/');
    char *folder = slash ? strndup(place, (size_t)(slash - place) + 1) : strdup(".");
    int fd = folder ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, ALL) : -1;
    int mode = fd >= 0 && !fstat(fd, &s) ? (int)(s.st_mode & 0777) : -1;
    if (fd >= 0) close(fd);
    free(folder);
    return mode;
}

/* umask(2) would have to change the mask to read it, under the feet of other threads. -1: the kernel does not say. */
static int mode_by_mask(void) {
    char line[128];
    unsigned mask;
    int mode = -1;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && mode < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "Umask: %o", &mask) == 1) mode = (int)(ALL & ~mask);
    if (f) fclose(f);
    return mode;
}

void permissions_keep(int fd, const struct stat *old) {
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    if (fstat(fd, &now)) return;
    int most = mode_by_mask();
    bool owner = now.st_uid == old->st_uid, group = now.st_gid == old->st_gid;
    if (!owner && !fchown(fd, old->st_uid, old->st_gid)) owner = group = true;
    if (!group && !fchown(fd, (uid_t)-1, old->st_gid)) group = true;
    if (!group) mode &= ~(mode_t)070 | (mode & 07) << 3;
    if (!owner) mode &= most < 0 ? 0600 : (mode_t)most; /* of a file that others may have put there to see ours */
    if (fchmod(fd, mode)) return;                       /* not our file: its owner has seen to it */
}

void permissions_fresh(int fd, const char *place) {
    int mode = mode_of_nameless(place);
    if (mode < 0) mode = mode_by_mask();
    if (mode >= 0 && fchmod(fd, (mode_t)mode)) return; /* it stays narrower */
}
