/* shared.c: what several domains share.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"

uint64_t domain_all_rows(const domain *d) { return d->n; }
uint64_t domain_even_start(const domain *d, uint64_t row) { return row * d->m; }
uint64_t domain_even_row(const domain *d, uint64_t position) { return position / d->m; }
uint64_t domain_full_cells(uint64_t n, uint64_t m) { return n * m; }

columns domain_to_diagonal(const domain *d, uint64_t row) {
    (void)d;
    return (columns){0, row};
}

columns domain_all_columns(const domain *d, uint64_t row) {
    (void)row;
    return (columns){0, d->m - 1};
}

uint64_t domain_over(const domain *d, uint64_t row, uint64_t rows) {
    (void)d;
    return row % rows;
}
