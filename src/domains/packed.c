/* packed.c: cells i >= j at i(i+1)/2 + j.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"
#include "wedge/map.h"

extern const domain_def domain_packed;

static uint64_t cells(uint64_t n, uint64_t m) {
    (void)m;
    return wedge_tri64(n);
}

static uint64_t start(const domain *d, uint64_t row) {
    (void)d;
    return wedge_tri64(row);
}

static uint64_t row(const domain *d, uint64_t position) {
    (void)d;
    return wedge_tri_unrank64(position).i;
}

const domain_def domain_packed = {.name = "packed",
                                  .cells = cells,
                                  .rows = domain_all_rows,
                                  .start = start,
                                  .row = row,
                                  .columns = domain_to_diagonal,
                                  .over = domain_over,
                                  .device_rows = text_rows_triangle,
                                  .device_definitions = DOMAIN_DEFINITIONS("0", "0", "0")};
