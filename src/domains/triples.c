/* triples.c: triplets a > b > c at C(a, 3) + C(b, 2) + c. A row is a pair (a, b) with b >= 1, and c its columns: row
 * T(a - 2) + b - 1, of b columns.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"
#include "wedge/map.h"

extern const domain_row domain_triples;

#define MOST_LAYERS 4801278 /* that 64 bits can count the cells of */

static uint64_t cells(uint64_t n, uint64_t m) {
    (void)m;
    return n < 3 ? 0 : n - 2 > MOST_LAYERS ? UINT64_MAX : wedge_tet64(n - 2);
}

static uint64_t rows(const domain *d) { return d->n < 3 ? 0 : wedge_tri64(d->n - 2); }

static uint64_t start(const domain *d, uint64_t row) {
    wedge_pair64 p = wedge_tri_unrank64(row);
    (void)d;
    return wedge_tet64(p.i) + wedge_tri64(p.j);
}

static uint64_t row(const domain *d, uint64_t position) {
    wedge_triple64 t = wedge_tet_unrank64(position);
    (void)d;
    return wedge_tri64(t.i) + t.j;
}

static columns columns_of(const domain *d, uint64_t row) {
    (void)d;
    return (columns){0, wedge_tri_unrank64(row).j};
}

/* `rows` counts points a here: a range that ends with a multiple of them cuts no tile. */
static uint64_t over(const domain *d, uint64_t row, uint64_t rows) {
    uint64_t i = wedge_tri_unrank64(row).i, whole = (i + 2) / rows * rows;
    (void)d;
    return whole > 2 ? row - wedge_tri64(whole - 2) : row;
}

const domain_row domain_triples = {.name = "triples",
                                   .triples = true,
                                   .cells = cells,
                                   .rows = rows,
                                   .start = start,
                                   .row = row,
                                   .columns = columns_of,
                                   .over = over,
                                   .device_rows = text_rows_triples,
                                   .device_definitions = DOMAIN_DEFINITIONS("0", "0", "0")};
