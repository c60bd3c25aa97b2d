/* folder.h: files of the user's own, in a folder that no one else can write.
 *
 * A compiled kernel runs with the rights of whoever loads it, so one that another user put there must not be loaded. As
 * ssh does with its keys, the file and its folder must belong to the user (root's count for root alone) and be closed
 * to others' writing; on the way to the folder everything must belong to the user or to root, and be closed to others'
 * writing or sticky, as /tmp is. The way begins at HOME where the folder lies there, else at the root.
 *
 * Each step is opened first and then looked at through its descriptor, and the next is opened from there: nobody can put
 * something else in its place in between.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_GPU_FOLDER_H
#define WEDGE_BACKEND_GPU_FOLDER_H

#include <stdint.h>
#include <stdio.h>

#include "core/note.h"

/* For reading; NULL: not there, or not to be trusted or read, and then `why` says so with the remedy. */
FILE *folder_read(const char *folder, const char *name, note *why);

typedef struct {
    const void *bytes;
    size_t size;
} folder_piece;

/* Makes the folder where it is missing, for the user alone, and writes the pieces as one file beside its place, to be
 * moved there when it is complete: readers see all of it or nothing. False: `why` says why, errno too. */
bool folder_write(const char *folder, const char *name, const folder_piece *pieces, int count, note *why);

typedef struct {
    uint64_t files, bytes;
} folder_use;

/* The user's own files with this ending, and what remains of writes to such files that were cut off. While they have more than
 * `most` bytes, those that were used longest ago are removed, whatever other processes do here at that time. What remains is
 * returned; zeros where the folder is not there or not to be trusted. */
folder_use folder_trim(const char *folder, const char *ending, uint64_t most);

/* From now on the file is the one that was used last. */
void folder_touch(FILE *f);

/* The folder's descriptor, for names in it alone; -1: `why` says why. */
int folder_open(const char *folder, bool make, note *why);

#endif
