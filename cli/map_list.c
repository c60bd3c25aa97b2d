/* cli/map_list.c: `wedge map --list`, the table of maps in words.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/note.h"
#include "map_view.h"

enum { INDENT = 13 };

static void list_map(const wedge_map_info *map) {
    bool threads = map->space == WEDGE_THREAD_SPACE;
    char text[320], cut[40] = "";
    if (!map->exact) snprintf(cut, sizeof cut, " of %" PRIu64, map->largest_side);
    printf("%-*s  %d  %-7s  %s <= %" PRIu64 "%s\n", INDENT - 2, map->name, map->rank, threads ? "threads" : "blocks",
           threads ? "n" : "m", map->exact_rows, cut);
    printf("%*s", INDENT, "");
    cli_wrap(stdout, map->summary, INDENT, INDENT);
    printf("%*s", INDENT, "");
    snprintf(text, sizeof text, "grid %s; threads %s", map->grid, map->launched);
    cli_wrap(stdout, text, INDENT, INDENT + 2);
}

void map_list(int rank) {
    printf("%-*s  D  %-7s  %s\n", INDENT - 2, "map", "space", "exact for");
    for (int m = 0; m < wedge_map_count(); ++m)
        if (!rank || wedge_map_at(m)->rank == rank) list_map(wedge_map_at(m));
    puts(
        "\nD: dimension; m: tiles per side; n: cells per side; rho: threads per side of a\n"
        "block; T(m) = m(m+1)/2; Te(m) = m(m+1)(m+2)/6. m <= 4607 of 92681: the map takes\n"
        "m up to 92681 and is right up to 4607, with correctly rounded roots.");
}
