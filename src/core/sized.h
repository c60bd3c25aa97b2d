/* sized.h: structs of wedge.h that begin with their size, between a program and this library, either of which may be older.
 *
 * Of the two, the shorter struct has fewer members at its end. What it lacks counts as 0; what only the program's has must be 0 on
 * the way in, and becomes 0 on the way out. Nothing else reads or writes such a struct of the caller's, so that no call touches
 * memory beyond it. A struct of wedge.h grows by members of 8 bytes at its end: one that fits its padding would have no size of
 * its own, and padding is not always 0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_SIZED_H
#define WEDGE_CORE_SIZED_H

#include "core/note.h"

/* Has the size been set? To be asked before long work whose result goes there. */
wedge_status sized_check(note *n, const char *type, const void *theirs);

/* Entry `index` of an array of the caller's, whose first entry has the size of all, into a struct of this library's. */
wedge_status sized_read(note *n, const char *type, const void *theirs, size_t index, void *ours, size_t size);

/* The other way, but for the size itself. The array has been checked or read before. */
void sized_write(void *theirs, size_t index, const void *ours, size_t size);

#define SIZED_READ(n, type, theirs, ours) sized_read((n), #type, (theirs), 0, (ours), sizeof(type))
#define SIZED_CHECK(n, type, theirs) sized_check((n), #type, (theirs))
#define SIZED_WRITE(type, theirs, ours) sized_write((theirs), 0, (ours), sizeof(type))

#endif
