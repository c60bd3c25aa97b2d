/* sizes.h: lists of sizes as users write them: 30720, or 1024,2048, or 1024:65536:x2, or 1000:5000:+1000, or several
 * joined by commas.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_SIZES_H
#define WEDGE_BENCH_SIZES_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_SIZES = 256 };

typedef struct {
    uint64_t values[MOST_SIZES];
    int count;
} sizes;

bool sizes_parse(const char *text, sizes *s); /* false: not such a list, or too long */

#endif
