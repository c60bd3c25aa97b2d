/* condensed.c: SciPy's order: pairs a < b by rows, no diagonal. What follows row r is a triangle of side n - 1 - r, so
 * condensed order is packed order read backwards over reversed points.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"
#include "wedge/map.h"

extern const domain_def domain_condensed;

static uint64_t cells(uint64_t n, uint64_t m) {
    (void)m;
    return n ? wedge_tri64(n - 1) : 0;
}

static uint64_t rows(const domain *d) { return d->n ? d->n - 1 : 0; }

static uint64_t start(const domain *d, uint64_t row) { return wedge_tri64(d->n - 1) - wedge_tri64(d->n - 1 - row); }

static uint64_t row(const domain *d, uint64_t position) {
    return d->n - 2 - wedge_tri_unrank64(wedge_tri64(d->n - 1) - 1 - position).i;
}

static columns columns_of(const domain *d, uint64_t row) { return (columns){row + 1, d->n - 1}; }

static uint64_t over(const domain *d, uint64_t row, uint64_t rows) { return (rows - (d->n - 1 - row) % rows) % rows; }

const domain_def domain_condensed = {.name = "condensed",
                                     .cells = cells,
                                     .rows = rows,
                                     .start = start,
                                     .row = row,
                                     .columns = columns_of,
                                     .over = over,
                                     .backwards = true,
                                     .device_rows = text_rows_triangle,
                                     .device_definitions = DOMAIN_DEFINITIONS("0", "1", "1")};
