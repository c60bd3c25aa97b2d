/* pairs_text.h: values of pairs as text: a table for a square or a rectangle, else one line "i,j,value" per pair; and
 * "i,j,k,value" per triplet.
 * Pairs with several values are always written one per line.
 *
 * Points count from 0. A number has as many digits as it needs to be read back to the same bits, and no more.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_PAIRS_TEXT_H
#define WEDGE_IO_WRITE_PAIRS_TEXT_H

#include <stdio.h>

#include "wedge/wedge.h"

typedef struct {
    FILE *f;
    char separator; /* ',' or '\t' */
    wedge_layout layout;
    wedge_dtype dtype;
    uint64_t n;       /* points; in a rectangle, points of the columns */
    uint32_t values;  /* values per pair */
    uint64_t i, j, k; /* the next pair, or triplet */
} pairs_text;

/* A writer at the first pair; for lines of pairs their header is written. */
pairs_text pairs_text_begin(FILE *f, char separator, wedge_layout layout, wedge_dtype dtype, uint64_t n,
                            uint32_t values);

/* The values of the next `count` pairs, in order of position. False: the file has an error. */
bool pairs_text_put(pairs_text *t, const void *values, uint64_t count);

/* The shortest text that gives the same float (or double) again. */
typedef struct {
    char text[40];
} number_text;
number_text number_as_text(double value, wedge_dtype dtype);

#endif
