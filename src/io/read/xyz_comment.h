/* xyz_comment.h: what line 2 of an extended .xyz says: the columns of its atoms, and their periodic cell.
 *
 *     Lattice="9 0 0 0 9 0 0 0 7.5" Properties=species:S:1:pos:R:3:charge:R:1 pbc="T T F"
 *
 * Pairs of a key and a value, which stands in quotes, braces or brackets if it has blanks; upper and lower case are the same
 * in keys. Any other text says nothing, which is right as well.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_READ_XYZ_COMMENT_H
#define WEDGE_IO_READ_XYZ_COMMENT_H

#include <locale.h>

#include "io/data/fields.h"
#include "io/data/points.h"

/* A value, where the line, which ends in a newline, has the key. */
bool xyz_value(const char *line, const char *key, field *value);

/* The names of columns that a value of Properties says: element, x, y, z; vx, vy, vz; charge; dipole_1, dipole_2; in *names, which
 * are in *text: both to be freed. False: it cannot be understood, and neither is set, or (*no_memory) there is none. */
bool xyz_properties(field value, field_list *names, char **text, bool *no_memory);

/* Lattice and pbc of the line, as about has them. False: no memory. */
bool xyz_cell(const char *line, locale_t c_locale, points_about *about);

#endif
