/* cache.h: compiled kernels on disk.
 *
 * The key is everything a binary depends on: source, options, device, driver, compiler. The file contains the whole key,
 * which is compared, so a clash of file names is a miss and never a wrong kernel. A folder that cannot be read or
 * written, or that others could write (folder.h), is harmless: every look-up is a miss, nothing is stored, and a warning
 * says why.
 *
 * All kernels together have at most as many bytes as the limit says: those that were used longest ago are removed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_GPU_CACHE_H
#define WEDGE_BACKEND_GPU_CACHE_H

#include "backend/backend.h"
#include "backend/gpu/folder.h"

/* folder: the user's choice, NULL for the default, "" for none. */
bool cache_get(const char *folder, const char *key, blob *binary, note *remark);

/* limit: bytes of all kernels together, as text with K, M or G behind it where that is meant; NULL: CACHE_LIMIT. One that cannot be
 * read counts as that, too, and the remark says so. */
void cache_put(const char *folder, const char *limit, const char *key, const blob *binary, note *remark);

#define CACHE_LIMIT (UINT64_C(256) << 20)
bool cache_limit(const char *limit, uint64_t *bytes); /* false: it cannot be read */

/* The kernels that are there. */
folder_use cache_use(const char *folder);

/* Where the binary of a key lies; NULL where there is no cache. Free it. */
char *cache_path(const char *folder, const char *key);

/* The folder itself, which has the table of tunings, too. Likewise. */
char *cache_folder(const char *folder);

#endif
