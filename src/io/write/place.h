/* place.h: where an output goes: its name, or what a link at that name leads to.
 *
 * A link of the user's own, or of root's, is followed, as by every tool: the output replaces what it names, and the files
 * of the run lie beside that. A link of another user's is refused: it would let them choose which file is replaced.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_PLACE_H
#define WEDGE_IO_WRITE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "core/note.h"

/* *place is to be freed; *there: a plain file is there, and *about is what lstat says of it. A place that is something else
 * is refused; the message ends with `remedy`. */
wedge_status place_find(const char *file, const char *remedy, char **place, bool *there, struct stat *about, note *n);

/* Can a rename replace what is at the place? Asked before hours of computing: in a folder such as /tmp only the owner of a file can. */
wedge_status place_replaceable(const char *place, note *n);

#endif
