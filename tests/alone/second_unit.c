/* second_unit.c: the second file of a user's program that includes map.h; see on_cpu.c.
 *
 * SPDX-License-Identifier: MIT */
#include "map.h"

wedge_u32 row_by_second_unit(wedge_u32 w);

wedge_u32 row_by_second_unit(wedge_u32 w) { return wedge_lambda_tile(w).i; }
