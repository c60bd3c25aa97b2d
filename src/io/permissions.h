/* permissions.h: a file that replaces another takes over who may read and write it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_PERMISSIONS_H
#define WEDGE_IO_PERMISSIONS_H

#include <sys/stat.h>

/* Gives the open file the owner, group and permissions of `old`, as far as this user may, and `more` permissions. Where
 * the group cannot be kept, the new one gets no more than all others have. Never fails: what cannot be kept is narrower,
 * not wider. */
void permissions_keep(int fd, const struct stat *old, mode_t more);

#endif
