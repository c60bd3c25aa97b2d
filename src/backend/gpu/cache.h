/* cache.h: compiled kernels on disk.
 *
 * The key is everything a binary depends on: source, options, device, driver, compiler. It is kept whole in the file
 * and compared, so that a clash of file names is a miss and never a wrong kernel. A folder that cannot be read or
 * written is harmless: every look-up is a miss.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_GPU_CACHE_H
#define WEDGE_BACKEND_GPU_CACHE_H

#include "backend/backend.h"

/* folder: the user's choice, NULL for the default, "" for none. */
bool cache_get(const char *folder, const char *key, blob *binary);
void cache_put(const char *folder, const char *key, const blob *binary);

/* Where the binary of a key lies; NULL where there is no cache. Free it. */
char *cache_path(const char *folder, const char *key);

#endif
