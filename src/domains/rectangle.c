/* rectangle.c: two sets of points: n rows of m, every point of the first with every point of the second.
 *
 * SPDX-License-Identifier: MIT */
#include "domains/domains.h"

extern const domain_def domain_rectangle;

const domain_def domain_rectangle = {.name = "rectangle",
                                     .two_sets = true,
                                     .cells = domain_full_cells,
                                     .rows = domain_all_rows,
                                     .start = domain_even_start,
                                     .row = domain_even_row,
                                     .columns = domain_all_columns,
                                     .over = domain_over,
                                     .full_rows = true,
                                     .device_rows = text_rows_even,
                                     .device_definitions = DOMAIN_DEFINITIONS("1", "0", "0")};
