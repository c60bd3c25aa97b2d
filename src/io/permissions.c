/* permissions.c: owner and group first, while nobody else may read the file; then the mode.
 *
 * SPDX-License-Identifier: MIT */
#include "io/permissions.h"

#include <stdbool.h>
#include <unistd.h>

void permissions_keep(int fd, const struct stat *old, mode_t more) {
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    if (fstat(fd, &now)) return;
    bool owner = now.st_uid == old->st_uid, group = now.st_gid == old->st_gid;
    if (!owner && !fchown(fd, old->st_uid, old->st_gid)) owner = group = true;
    if (!group && !fchown(fd, (uid_t)-1, old->st_gid)) group = true;
    if (!group) mode &= ~(mode_t)070 | (mode & 07) << 3;
    if (fchmod(fd, mode | more)) return; /* not our file: its owner has seen to it */
}
