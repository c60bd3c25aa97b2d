/* bin_table.h: how many edges are at most v, found on the cpu in a few steps, whatever the edges are.
 *
 * A cell is a number from 0 to `cells` - 1 that never falls as v grows: v, or the bits of v, times a scale, cut off. Edges in cells
 * below that of v are below v, and edges in cells above it are above v; `before` has the number of the former. Those in the same
 * cell are searched by halving, always `halvings` times, so that no branch depends on v. Only the order of numbers is used: the
 * answer is exact, however the scale is rounded.
 *
 *     edges 0 1 4 6, cells of 2:   cell      0    1    2    3        v = 5: cell 2 has before[2] = 2 edges below it;
 *                                  edges     0 1  -    4    6        of its own, one halving finds 4 <= 5, 3 in all
 *                                  before    0    2    2    3
 *
 * By their bits, positive numbers are cut as their logarithms would be; all others are in cell 0.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_BIN_TABLE_H
#define WEDGE_SINKS_BIN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wedge/wedge.h"

typedef struct {
    uint32_t cells, halvings;
    bool by_bits;
    double low, scale;      /* of cells, numbers of the dtype */
    const uint32_t *before; /* edges in the cells before each; 0 to the number of edges */
    const void
        *edge; /* numbers of the dtype, the last one just above the last edge, which its bin includes; then NaN */
} bin_table;

/* Of `bins` + 1 ascending finite edges, numbers of the dtype. Memory for its arrays: bin_table_bytes, aligned as doubles are. */
size_t bin_table_bytes(uint32_t bins, wedge_dtype dtype);
bin_table bin_table_make(const double *edge, uint32_t bins, wedge_dtype dtype, void *memory);

#endif
