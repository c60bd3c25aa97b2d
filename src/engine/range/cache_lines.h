/* cache_lines.h: whole lines of 64 bytes, past the cache.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_RANGE_CACHE_LINES_H
#define WEDGE_ENGINE_RANGE_CACHE_LINES_H

#include "ops/ops.h"

typedef void copy_cache_lines_fn(char *to, const char *from, size_t lines); /* to: aligned */
extern copy_cache_lines_fn *const copy_cache_lines[ISA_COUNT];

#endif
