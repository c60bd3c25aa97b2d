/* on_cpu.c: a user's C or C++ program with two copied headers: every check, on the CPU.
 *
 * second_unit.c includes map.h as well, so that linking shows whether the header can be used in more than one file.
 * Exit 0 when every map is right.
 *
 * SPDX-License-Identifier: MIT */
#include "checks.h"
#include "map.h"

wedge_u32 row_by_second_unit(wedge_u32 w);

int main(void) {
    static wedge_u32 scratch[SCRATCH_WORDS];
    static wedge_u32 bad[SIZE_COUNT * CHECK_COUNT];
    for (wedge_u32 s = 0; s < SIZE_COUNT; ++s) check_size(s, scratch, bad + s * CHECK_COUNT);
    if (row_by_second_unit(7) != 3) bad[0] += 1;
    return report(bad);
}
