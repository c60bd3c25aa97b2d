/* gz.h: input that is compressed by gzip, unpacked as it is read, in little memory.
 *
 * zlib does it, where it is there at run time; a file may have several members, one after the other, as bgzip and cat make them.
 * What is cut, damaged or followed by other bytes is refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_READ_GZ_H
#define WEDGE_IO_READ_GZ_H

#include "io/data/points.h"

typedef struct gz gz;

bool gz_starts(const unsigned char *bytes, size_t size);

/* packed must outlive it. Close *out in any case. */
wedge_status gz_open(points_source *packed, gz **out, note *n);

/* As source_read: fewer bytes only at the end. */
wedge_status gz_read(gz *g, void *to, size_t size, size_t *got, note *n);
void gz_close(gz *g);

#endif
