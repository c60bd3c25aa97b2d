/* cli/map_pen.h: squares with colours and numbers, which the drawings of `wedge map --svg` are made of.
 *
 * Colours mean rows where tiles show w, else launches where there are several, else blocks in their order; they are the
 * same on light and dark pages. A block has the colour of its tiles.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_MAP_PEN_H
#define WEDGE_CLI_MAP_PEN_H

#include "map_view.h"

typedef struct {
    double r, g, b;
} colour;

/* Draws squares of one size. shade lightens or darkens a facet of the solid. font 0: no numbers; gap 0: squares
 * touch. */
typedef struct {
    const map_view *view;
    FILE *out;
    double cell, gap, font;
    double shade;
} pen;

pen pen_of(const map_view *view, FILE *out, double cell);

colour tile_colour(const map_view *view, uint32_t i, uint64_t index); /* tile `index`, in row i */
colour block_colour(const map_view *view, uint64_t block, uint32_t launch);
colour colour_shaded(colour c, double shade);
bool colour_same(colour a, colour b);

void pen_hole(const pen *p, double x, double y); /* a cell that is not there */
void pen_number(const pen *p, double x, double y, colour fill, const char *label);
void pen_squares(const pen *p, double x, double y, uint32_t count, colour c); /* side by side, as one */
void pen_idle(const pen *p, double x, double y, uint32_t count);              /* blocks without a tile: grey */

/* The launched grid, in as much width: the boxes of each launch, idle blocks grey. Returns its height; a pen without a
 * file only measures. */
double grid_draw(const pen *p, double x, double y, double width);

#endif
