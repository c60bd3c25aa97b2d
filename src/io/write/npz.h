/* npz.h: several arrays in one .npz, as numpy.load opens it: a zip archive of .npy files, not compressed.
 *
 * For small results, which are in memory. The same arrays give the same bytes: members carry no time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_NPZ_H
#define WEDGE_IO_WRITE_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    const char *name; /* "counts" */
    const char *type; /* "f4", "f8", "i8", of this machine's order */
    uint64_t count;   /* it has one dimension */
    const void *data;
} npz_array;

enum { NPZ_MOST_BYTES = 1 << 30 }; /* of an array */

/* False where a write failed, or there are too many or too large arrays; at most 16. */
bool npz_write(FILE *f, const npz_array *arrays, int count);

#endif
