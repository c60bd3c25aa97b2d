/* xyz.h: reads points from .xyz, the format of molecules: the number of atoms, a comment, and a line "El x y z" per atom.
 *
 *     3
 *     water
 *     O  0.000  0.000  0.117
 *     H  0.000  0.757 -0.471
 *     H  0.000 -0.757 -0.471
 *
 * Blanks and tabs separate. Column 1 is the element, a name or a number; columns 2 to 4 are x, y and z, which are taken unless
 * --columns says otherwise; more columns may follow. The second line may say what the columns are, and that space is periodic
 * (extended .xyz, xyz_comment.h). Numbers may be Fortran's, 1.0D+00. Of several frames the first is read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_READ_XYZ_H
#define WEDGE_IO_READ_XYZ_H

#include "io/data/points.h"

enum { XYZ_HEAD = 4096 }; /* bytes that are enough to tell */

/* Is it one? Its first line is a whole number alone, and then comes what no table of numbers has; or the file has that name, and
 * its first line is one value. Tables of x y z without a count, which often have the same name, are text. all: the head is the
 * whole input. *no_memory becomes true where there is none to tell. */
bool xyz_starts(const char *name, const void *head, size_t size, bool all, bool *no_memory);

wedge_status xyz_read(points_source *in, const points_options *options, points *out, note *n);

#endif
