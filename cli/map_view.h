/* cli/map_view.h: what `wedge map --draw` shows, made once and written as text or as SVG.
 *
 * A view is a triangle (or tetrahedron) of tiles. Without a map each tile shows its w; with one it shows the block that
 * takes it, found as a device finds it: every block of every launch of the plan is asked for its tiles. So a map that
 * is wrong looks wrong: tiles missed, tiles taken twice.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_MAP_VIEW_H
#define WEDGE_CLI_MAP_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli.h"
#include "wedge/wedge.h"

enum { VIEW_LABEL = 24 }; /* bytes of a label at most */

typedef struct {
    uint64_t block;  /* counted over all launches, x fastest, then y, then z */
    uint32_t launch; /* which launch of the plan */
    uint32_t taken;  /* by how many blocks: 1 where the map is right */
} view_tile;

typedef struct {
    int rank;
    bool strict;
    uint32_t n;                /* tiles per side as asked for (thread-space maps: cells) */
    const wedge_map_info *map; /* NULL: tiles show w */
    uint32_t rho;
    uint32_t resident; /* blocks of walk */
} view_request;

typedef struct {
    view_request ask;
    uint32_t side; /* rows (layers) that hold tiles */
    bool dots;     /* leave room for the diagonals that a strict domain lacks */
    uint64_t count;
    view_tile *tiles; /* with a map, else NULL: in packed order */
    wedge_plan plan;  /* with a map */
    bool *busy;       /* with a map: of each block whether it takes a tile */
    uint64_t idle;    /* blocks without any tile */
    uint64_t missed;  /* tiles that no block takes */
    uint64_t doubled; /* tiles that several blocks take */
    uint64_t strays;  /* times a block goes outside the domain without noticing */
} map_view;

/* Returns an exit code; the reason is printed. Free with view_free, also after a failure. */
int view_make(cli *c, const view_request *ask, map_view *view);
void view_free(map_view *view);

/* The place of a tile in packed order, coordinates counted without strictness; k = 0 for rank 2. */
uint64_t view_index(const map_view *view, uint32_t i, uint32_t j, uint32_t k);

/* What a tile shows: "7", or with several launches "b7"; "-" for a missed tile, "7+" for one taken again. */
void view_label(const map_view *view, uint64_t index, char label[VIEW_LABEL]);
void view_block_label(const map_view *view, uint64_t block, uint32_t launch, char label[VIEW_LABEL]);
int view_label_width(const map_view *view); /* the longest */

/* A line on the blocks: "16 blocks, 6 idle". */
void view_tally(const map_view *view, char *text, size_t size);

/* `wedge map --list`: every map of a rank; 0: of both. */
void map_list(int rank);

void view_draw_text(const map_view *view, FILE *out);
void view_draw_svg(const map_view *view, FILE *out);

#endif
