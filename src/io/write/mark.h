/* mark.h: extended attributes that tell files wedge made from all others.
 *
 * A mark is the attribute user.wedge.<name> with a short text as its value. It stays with the file through a rename, and
 * gets lost where a file is copied without its attributes. Some file systems have none.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_MARK_H
#define WEDGE_IO_WRITE_MARK_H

#include <stdbool.h>

/* Replaces an older value. False: errno says why; ENOTSUP: this file system has no attributes. */
bool mark_set(int fd, const char *name, const char *value);
bool mark_remove(int fd, const char *name); /* true where there was none */

/* The value, to be freed. NULL: errno says why. ENODATA: the file does not have the mark; ENOENT: there is no file;
 * ENOTSUP: this file system has no attributes. A symbolic link is not followed and has no mark. */
char *mark_get(const char *path, const char *name);
char *mark_get_fd(int fd, const char *name);

#endif
