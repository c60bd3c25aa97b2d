/* elements.h: the element types of .npy files: f2, f4, f8, integers and b1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_ELEMENTS_H
#define WEDGE_IO_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char name[3];
    unsigned size;
    bool is_f32; /* becomes f32 unless asked otherwise: a float of at most 32 bits */
    void (*convert)(const unsigned char *in, void *out, size_t count, size_t stride, bool to_f64);
} element_type;

/* By NumPy's name without the byte order; NULL: none that is read, and element_refused says what it is instead. */
const element_type *element_find(const char *name, size_t length);
const char *element_refused(const char *name, size_t length);

#endif
