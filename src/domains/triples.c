/* triples.c: triplets of points. triples: a > b > c at C(a, 3) + C(b, 2) + c; triples_packed: a >= b >= c at Te(a) + T(b) + c.
 *
 * A row is a pair (a, b), and c its columns. Both have the same rows: row T(i) + j begins at Te(i) + T(j), has j + 1 columns, and is
 * the pair of points i and j, or where no point may come twice, i + 2 and j + 1.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"
#include "wedge/map.h"

extern const domain_def domain_triples, domain_triples_packed;

#define MOST_LAYERS 4801278 /* that 64 bits can count the cells of */

static uint64_t layers_cells(uint64_t layers) { return layers > MOST_LAYERS ? UINT64_MAX : wedge_tet64(layers); }

static uint64_t cells(uint64_t n, uint64_t m) {
    (void)m;
    return n < 3 ? 0 : layers_cells(n - 2);
}

static uint64_t packed_cells(uint64_t n, uint64_t m) {
    (void)m;
    return layers_cells(n);
}

/* By how many a pair's first point is ahead of its row's i. */
static uint64_t ahead(const domain *d) { return 2 * d->kind->distinct; }

static uint64_t rows(const domain *d) { return d->n <= ahead(d) ? 0 : wedge_tri64(d->n - ahead(d)); }

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
    uint64_t i = wedge_tri_unrank64(row).i, whole = (i + ahead(d)) / rows * rows;
    return whole > ahead(d) ? row - wedge_tri64(whole - ahead(d)) : row;
}

#define TRIPLES_ROW                                                                                 \
    .triples = true, .rows = rows, .start = start, .row = row, .columns = columns_of, .over = over, \
    .device_rows = text_rows_triples
#define TRIPLES_DEFINITIONS(distinct) DOMAIN_DEFINITIONS("0", "0", "0") "#define DOMAIN_DISTINCT " distinct "u\n"

const domain_def domain_triples = {
    .name = "triples", TRIPLES_ROW, .cells = cells, .distinct = 1, .device_definitions = TRIPLES_DEFINITIONS("1")};
const domain_def domain_triples_packed = {
    .name = "triples_packed", TRIPLES_ROW, .cells = packed_cells, .device_definitions = TRIPLES_DEFINITIONS("0")};

wedge_triple64 domain_triple(const domain *d, uint64_t position) {
    wedge_triple64 t = wedge_tet_unrank64(position);
    t.i += 2 * d->kind->distinct, t.j += d->kind->distinct;
    return t;
}

uint64_t domain_triple_position(const domain *d, uint64_t i, uint64_t j, uint64_t k) {
    return wedge_tet_rank64(i - 2 * d->kind->distinct, j - d->kind->distinct, k);
}
