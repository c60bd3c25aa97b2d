/* npy.h: NumPy's .npy files: the header, read and written, and the data as points.
 *
 * Versions 1.0 to 3.0; f2, f4, f8, integers and b1 in either byte order, C or Fortran order; shape (n, d), or (n,) for n
 * points with one feature. Everything else is refused by name. The header is read as data, never evaluated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_READ_NPY_H
#define WEDGE_IO_READ_NPY_H

#include "io/data/points.h"

/* Does the input start like a .npy? True for a file that ends within the magic, too. */
bool npy_starts(const unsigned char *bytes, size_t size);

wedge_status npy_read(points_source *in, const points_options *options, points *out, note *n);

/* The whole head of a v1.0 file in the byte order of this machine, C order, rank 1 to 3. One length holds every shape,
 * so that the data start at the same place whatever it is. type: "f4", "f8", "i8". */
enum { NPY_HEADER_BYTES = 128 };
void npy_header(char out[NPY_HEADER_BYTES], const char *type, unsigned rank, const uint64_t *shape);

#endif
