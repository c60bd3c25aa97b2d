/* cli/map_grid.c: the grid that is launched, as `wedge map --svg` shows it above the triangle.
 *
 * A launch is a box of blocks: its slices (z) stand side by side, a box of one dimension is broken into lines. Blocks
 * that take no tile are grey: in a bounding box that is half of them.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>

#include "map_pen.h"

#define CAPTION 17.0 /* height of a line of text above a box */

/* A box as it is drawn: columns x rows, `slices` times. */
typedef struct {
    uint64_t columns, rows, slices, blocks;
} box;

static box box_of(const wedge_launch *l, uint64_t line) {
    const uint32_t *g = l->grid;
    box b = {g[0], g[1], g[2], (uint64_t)g[0] * g[1] * g[2]};
    if (g[1] > 1 || g[2] > 1 || g[0] <= line) return b;
    b.columns = line, b.rows = (g[0] + line - 1) / line;
    return b;
}

static void draw_blocks(const pen *p, double x, double y, uint64_t first, uint64_t count, uint32_t launch) {
    const map_view *view = p->view;
    for (uint64_t c = 0, run; c < count; c += run) {
        uint64_t block = first + c;
        bool busy = view->busy[block];
        colour fill = block_colour(view, block, launch);
        for (run = 1; p->gap == 0.0 && c + run < count; ++run)
            if (view->busy[block + run] != busy ||
                (busy && !colour_same(fill, block_colour(view, block + run, launch))))
                break;
        if (!busy) pen_idle(p, x + (double)c * p->cell, y, (uint32_t)run);
        if (!busy) continue;
        char label[VIEW_LABEL];
        pen_squares(p, x + (double)c * p->cell, y, (uint32_t)run, fill);
        view_block_label(view, block, launch, label);
        if (run == 1) pen_number(p, x + (double)c * p->cell, y, fill, label);
    }
}

static void draw_slice(const pen *p, double x, double y, box b, uint64_t first, uint64_t end, uint32_t launch) {
    for (uint64_t r = 0; r < b.rows && first < end; ++r, first += b.columns) {
        uint64_t count = first + b.columns < end ? b.columns : end - first;
        draw_blocks(p, x, y + (double)r * p->cell, first, count, launch);
    }
}

/* The slices of a launch, as many in a line as fit. Returns their height. */
static double draw_launch(const pen *p, double x, double y, double width, uint32_t launch, uint64_t first) {
    const uint32_t *grid = wedge_plan_launch(&p->view->plan, launch)->grid;
    uint64_t line = (uint64_t)fmax(1.0, floor(width / p->cell + 1e-6));
    box b = box_of(wedge_plan_launch(&p->view->plan, launch), line);
    double slot = ((double)b.columns + 0.5) * p->cell, top = y;
    uint64_t across = (uint64_t)fmax(1.0, floor((width + 0.5 * p->cell) / slot + 1e-6));
    uint64_t each = b.slices > 1 ? b.columns * b.rows : b.blocks;
    if (p->view->plan.count > 1) {
        if (p->out)
            fprintf(p->out,
                    "<text class=\"dim\" x=\"%.2f\" y=\"%.2f\" font-size=\"12\">launch %c: %u × %u × %u</text>\n", x,
                    top + 12.0, (char)('a' + launch % 26u), grid[0], grid[1], grid[2]);
        top += CAPTION;
    }
    for (uint64_t s = 0; s < b.slices; ++s) {
        double left = x + (double)(s % across) * slot;
        if (p->out) draw_slice(p, left, top, b, first + s * each, first + (s + 1) * each, launch);
        if (s + 1 == b.slices || (s + 1) % across == 0) top += ((double)b.rows + 0.5) * p->cell;
    }
    return top - y;
}

double grid_draw(const pen *p, double x, double y, double width) {
    double top = y;
    uint64_t first = 0;
    for (uint32_t l = 0; l < p->view->plan.count; ++l) {
        const uint32_t *g = wedge_plan_launch(&p->view->plan, l)->grid;
        top += draw_launch(p, x, top, width, l, first);
        first += (uint64_t)g[0] * g[1] * g[2];
    }
    return top - y;
}
