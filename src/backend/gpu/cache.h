/* cache.h: compiled kernels on disk.
 *
 * The key is everything a binary depends on: source, options, device, driver, compiler. It is kept whole in the file
 * and compared, so that a clash of file names is a miss and never a wrong kernel. A folder that cannot be read or
 * written, or that others could write (folder.h), is harmless: every look-up is a miss, nothing is kept, and the remark
 * says why.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_GPU_CACHE_H
#define WEDGE_BACKEND_GPU_CACHE_H

#include "backend/backend.h"

/* folder: the user's choice, NULL for the default, "" for none. */
bool cache_get(const char *folder, const char *key, blob *binary, note *remark);
void cache_put(const char *folder, const char *key, const blob *binary, note *remark);

/* Where the binary of a key lies; NULL where there is no cache. Free it. */
char *cache_path(const char *folder, const char *key);

/* The folder itself, which has the table of tunings, too. Likewise. */
char *cache_folder(const char *folder);

#endif
