/* elements.h: the element types of .npy files: f2, f4, f8, integers and b1.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_ELEMENTS_H
#define WEDGE_IO_DATA_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char name[3];
    unsigned size;
    bool is_f32; /* becomes f32 unless asked otherwise: a float of at most 32 bits */
    void (*convert)(const unsigned char *in, void *out, size_t count, size_t stride, bool to_f64);
    /* Integers of 32 bits and more: the first from `from` on that f64, or f32, does not have, and would round to another one; count:
     * there is none. What it is goes to text. NULL: every value is exact. */
    size_t (*first_rounded)(const unsigned char *in, size_t from, size_t count, bool to_f64, char text[24]);
} element_type;

/* By NumPy's name without the byte order; NULL: none that is read, and element_refused says what it is instead. */
const element_type *element_find(const char *name, size_t length);
const char *element_refused(const char *name, size_t length);

#endif
