/* permissions.h: who may read and write a file that was made for this user alone and is now complete.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_PERMISSIONS_H
#define WEDGE_IO_WRITE_PERMISSIONS_H

#include <sys/stat.h>

/* Gives the open file the owner, group and permissions of `old`, which it replaces, as far as this user may. Where the
 * group cannot be kept, the new one gets no more than all others have; where the owner cannot, nobody gets what the mask of
 * the process denies. Never fails: what cannot be kept is narrower, not wider. */
void permissions_keep(int fd, const struct stat *old);

/* Gives the open file, which is to be at `place`, the permissions of one that is made there: by the process's mask, which is
 * asked for without changing it, or by what the folder says. Where neither can be known it stays this user's alone. */
void permissions_fresh(int fd, const char *place);

#endif
