/* about.h: describes in words what was used of an input, and chooses its columns. For the readers (npy.c, text.c, xyz.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_ABOUT_H
#define WEDGE_IO_DATA_ABOUT_H

#include "io/data/fields.h"
#include "io/data/points.h"

/* The names of a header, with room for one more in front of them, in one allocation; NULL: no memory. */
char **about_names(const field_list *header);

/* Settles a->taken by the list that an option, such as --columns, gave ("x,y", "2:4"); a->columns and a->names are known by
 * then. */
wedge_status about_choose(points_about *a, const char *option, const char *list, const char *file, note *n);

/* The names of a header, "x, y, z", the first dozen; to be freed, NULL: no memory. */
char *about_all_names(const points_about *a);

/* Whether a list of columns names a field of this line: by its text, and not by a number that may be its position. Such a line is
 * a header. */
bool about_names_field(const char *list, const field_list *line);

/* Settles a->taken as all columns but the one of --id, which is returned in *id. */
wedge_status about_choose_id(points_about *a, const char *name, const char *file, uint64_t *id, note *n);

/* Keeps the columns a->taken of a->columns, row by row, in place. False: no memory. */
bool about_narrow(points *p);

/* Column c from 0: its name, or "column 3"; shortened. */
typedef struct {
    char text[64];
} column_text;
column_text about_column(const points_about *a, uint64_t c);

#endif
