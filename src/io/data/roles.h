/* roles.h: what the numbers of a record are called, and which columns of a header those are.
 *
 * An op or a command names the numbers of its points in their order: "x,y?,z?,r|radius". A ? allows one to be missing, ?1 all
 * that say ?1 or none of them, and after a | comes another name. A name in double quotes is taken as it is.
 *
 * A header is searched for the name itself, then for the name in any case, then for the others in any case. Two columns that
 * fit equally well are refused, and nothing is guessed from positions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_ROLES_H
#define WEDGE_IO_DATA_ROLES_H

#include "io/data/about.h"

/* Settles a->taken by a->names. all: a list without any ? needs every name; else one is enough. What does not fit is
 * WEDGE_BAD_DATA. */
wedge_status roles_choose(points_about *a, const char *list, bool all, const char *file, note *n);

/* Puts a->taken, as --columns chose it, in the order of the list if the names are exactly those of a record. Others stay as they
 * are: it is the caller who says what they mean. */
wedge_status roles_arrange(points_about *a, const char *list, const char *file, note *n);

/* For people: "x[,y][,z],r". To be freed; NULL: no memory. */
char *roles_in_words(const char *list);

#endif
