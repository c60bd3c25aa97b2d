/* cache.h: compiled kernels on disk.
 *
 * The key is everything a binary depends on: source, options, device, driver, compiler. It is kept whole in the file
 * and compared, so that a clash of file names is a miss and never a wrong kernel. A folder that cannot be read or
 * written is harmless: every look-up is a miss.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_GPU_CACHE_H
#define WEDGE_BACKEND_GPU_CACHE_H

#include <stdio.h>

#include "backend/backend.h"

/* folder: the user's choice, NULL for the default, "" for none. */
bool cache_get(const char *folder, const char *key, blob *binary);
void cache_put(const char *folder, const char *key, const blob *binary);

/* Where the binary of a key lies; NULL where there is no cache. Free it. */
char *cache_path(const char *folder, const char *key);

/* Where a file of the cache lies that is no kernel (the table of tunings). Likewise. */
char *cache_file(const char *folder, const char *name);

/* A file of the cache is written beside its place, folders made on the way, and moved there when it is good: readers
 * see a whole one or none. errno says why where open gives NULL or close false; close frees part. */
FILE *cache_open_part(const char *path, char **part);
bool cache_close_part(FILE *f, char *part, const char *path, bool good);

#endif
