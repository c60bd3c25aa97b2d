/* square.c: n rows of n, symmetric.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"

extern const domain_def domain_square;

const domain_def domain_square = {.name = "square",
                                  .cells = domain_full_cells,
                                  .rows = domain_all_rows,
                                  .start = domain_even_start,
                                  .row = domain_even_row,
                                  .columns = domain_all_columns,
                                  .over = domain_over,
                                  .full_rows = true,
                                  .device_rows = text_rows_even,
                                  .device_definitions = DOMAIN_DEFINITIONS("1", "0", "0")};
