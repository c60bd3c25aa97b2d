/* lower.c: n rows of n, of which only cells i >= j are computed and touched.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"

extern const domain_def domain_lower;

const domain_def domain_lower = {.name = "lower",
                                 .partial = true,
                                 .cells = domain_full_cells,
                                 .rows = domain_all_rows,
                                 .start = domain_even_start,
                                 .row = domain_even_row,
                                 .columns = domain_to_diagonal,
                                 .over = domain_over,
                                 .device_rows = text_rows_even,
                                 .device_definitions = DOMAIN_DEFINITIONS("0", "0", "0")};
