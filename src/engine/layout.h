/* layout.h: where the value of a pair lies, as arithmetic: positions, rows, and where to cut.
 *
 * In every layout a row's columns lie side by side. Rows and columns count points as the caller gave them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_LAYOUT_H
#define WEDGE_ENGINE_LAYOUT_H

#include "wedge/wedge.h"

typedef struct {
    wedge_layout kind;
    uint64_t n;
} layout;

uint64_t layout_rows(layout l);
uint64_t layout_start(layout l, uint64_t row); /* the position of its first column */
uint64_t layout_row(layout l, uint64_t position);

/* The columns of a row, first to last inclusive. */
typedef struct {
    uint64_t first, last;
} columns;
columns layout_columns(layout l, uint64_t row);

/* Where a range of at most `most` positions from begin on should end: at a multiple of `rows` rows (counted from the end
 * that condensed order is the mirror of), if there is one; otherwise where it must. */
uint64_t layout_cut(layout l, uint64_t begin, uint64_t end, uint64_t most, uint64_t rows);

#endif
