/* cli/map_svg.c: the view of `wedge map --draw` as one self-contained SVG, legible on light and dark pages.
 *
 * Everything is built from rows of square tiles: a triangle is rows, a tetrahedron is its layers side by side, and the
 * solid beside them is two facets (k = 0 and i = j), again rows, under an isometric matrix. With a map, the launched
 * grid stands above. The page follows prefers-color-scheme.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "map_pen.h"

#define MARGIN 28.0
#define HEAD 74.0 /* title and the line below it */
#define FOOT 34.0
#define CAPTION 22.0      /* what a part of the picture is */
#define SOLID_WIDTH 430.0 /* at most */
#define COS30 0.8660254037844386
static const char style[] =
    ".page{fill:#ffffff}.ink{fill:#1b2430}.dim{fill:#67727e}.hole{fill:none;stroke:#b4bcc6;stroke-dasharray:2 "
    "2}.idle{fill:#d9dee4}"
    ".on-dark{fill:#ffffff}.on-light{fill:#141a22}.n{text-anchor:middle}.end{text-anchor:end}"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "font-variant-numeric:tabular-nums}"
    "@media (prefers-color-scheme:dark){.page{fill:#12161b}.ink{fill:#e6ebf1}.dim{fill:#95a1ae}"
    ".hole{stroke:#4c5763}.idle{fill:#343d47}}";

typedef struct {
    uint32_t i, j, k;
} place;

/* ---- Tiles ---- */

/* A row of tiles from `at` on, each next one (0, dj, dk) further. Where tiles touch, equal neighbours become one. */
static void row(const pen *p, double x, double y, place at, place step, uint32_t count) {
    const map_view *view = p->view;
    char label[VIEW_LABEL];
    uint32_t run;
    for (uint32_t c = 0; c < count; c += run) {
        uint64_t index = view_index(view, at.i, at.j + c * step.j, at.k + c * step.k);
        colour fill = colour_shaded(tile_colour(view, at.i, index), p->shade);
        run = 1;
        if (view->tiles && !view->tiles[index].taken) {
            pen_hole(p, x + c * p->cell, y);
            continue;
        }
        for (; p->gap == 0.0 && c + run < count; ++run) {
            uint64_t next = view_index(view, at.i, at.j + (c + run) * step.j, at.k + (c + run) * step.k);
            bool taken = !view->tiles || view->tiles[next].taken;
            if (!taken || !colour_same(fill, colour_shaded(tile_colour(view, at.i, next), p->shade))) break;
        }
        pen_squares(p, x + c * p->cell, y, run, fill);
        view_label(view, index, label);
        pen_number(p, x + c * p->cell, y, fill, label);
    }
}

/* Rows 0 to rows-1 of a triangle: rank 2's own, or layer i of rank 3. Strict ones show the diagonal they lack. */
static void triangle(const pen *p, double x, double y, uint32_t layer, uint32_t rows) {
    bool flat = p->view->ask.rank == 2;
    uint32_t shift = p->view->dots;
    for (uint32_t r = 0; r < rows; ++r)
        row(p, x, y + (r + shift) * p->cell, flat ? (place){r, 0, 0} : (place){layer, r, 0},
            flat ? (place){0, 1, 0} : (place){0, 0, 1}, r + 1);
    for (uint32_t r = 0; shift && r <= rows; ++r) pen_hole(p, x + r * p->cell, y + r * p->cell);
}

/* i down the left, j along the bottom. */
static void axes(const pen *p, double x, double y, uint32_t rows) {
    double size = fmin(12.0, 0.42 * p->cell);
    if (p->font == 0.0) return;
    fprintf(p->out, "<g class=\"dim\" font-size=\"%.1f\">\n", size);
    for (uint32_t r = 0; r < rows; ++r) {
        double middle = (r + 0.5) * p->cell;
        fprintf(p->out, "<text class=\"end\" x=\"%.2f\" y=\"%.2f\">%s%u</text>", x - 6.0, y + middle + 0.35 * size,
                r ? "" : "i = ", r);
        fprintf(p->out, "<text class=\"n\" x=\"%.2f\" y=\"%.2f\">%s%u</text>\n", x + middle,
                y + rows * p->cell + 6.0 + size, r ? "" : "j = ", r);
    }
    fputs("</g>\n", p->out);
}

/* ---- The tetrahedron ---- */

/* Layers in a grid of columns; a row of the grid is as high as its last layer. Returns the height; a pen without a
 * file only measures. */
static double layers(const pen *p, double x, double y, uint32_t columns, double slot) {
    uint32_t side = p->view->side, shift = p->view->dots ? 2u : 0u;
    double top = y;
    for (uint32_t first = 0; first < side; first += columns) {
        uint32_t last = first + columns < side ? first + columns : side;
        double label = fmax(7.0, fmin(13.0, slot * 0.12));
        for (uint32_t i = first; p->out && i < last; ++i) {
            double left = x + (i - first) * slot;
            fprintf(p->out, "<text class=\"dim\" x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\">i = %u</text>\n", left,
                    top + label, label, i + shift);
            triangle(p, left, top + label + 5.0, i, i + 1);
        }
        top += label + 5.0 + (last + (shift ? 1 : 0)) * p->cell + fmax(8.0, 0.5 * p->cell);
    }
    return top - y;
}

/* The solid from the side of small k and large j: P(i, j, k) = ((j + k) cos 30, (j - k)/2 + i). Its wall k = 0 is a
 * triangle of tiles under one matrix; each step i = j shows a tread and a riser, a row of tiles under a matrix each. */
static void solid(const map_view *view, FILE *out, double x, double y, double unit) {
    pen p = pen_of(view, out, unit);
    p.font = p.font < 7.0 ? 0.0 : p.font;
    p.shade = 0.90;
    fprintf(out, "<g transform=\"matrix(%.5f .5 0 1 %.2f %.2f)\">\n", COS30, x, y + 0.5 * unit);
    for (uint32_t i = 0; i < view->side; ++i) row(&p, 0.0, i * unit, (place){i, 0, 0}, (place){0, 1, 0}, i + 1);
    fputs("</g>\n", out);
    for (uint32_t i = 0; i < view->side; ++i) {
        double px = x + i * unit * COS30, py = y + (1.5 * i + 0.5) * unit;
        p.shade = 1.18;
        fprintf(out, "<g transform=\"matrix(%.5f -.5 %.5f .5 %.2f %.2f)\">\n", COS30, COS30, px, py);
        row(&p, 0.0, 0.0, (place){i, i, 0}, (place){0, 0, 1}, i + 1);
        pen riser = p;
        riser.shade = 0.70;
        riser.font = 0.0;
        fprintf(out, "</g>\n<g transform=\"matrix(%.5f -.5 0 1 %.2f %.2f)\">\n", COS30, px + COS30 * unit,
                py + 0.5 * unit);
        row(&riser, 0.0, 0.0, (place){i, i, 0}, (place){0, 0, 1}, i + 1);
        fputs("</g>\n", out);
    }
}

/* ---- The page ---- */

typedef struct {
    double width, height; /* of what lies between head and foot */
    double cell, unit;    /* unit: of the solid */
    double solid_width;
    double slot; /* of a layer */
    uint32_t columns;
    double grid; /* height of the launched grid, which is above all that; 0: there is none */
} layout;

static const char *formula(const view_request *ask) {
    static const char *const text[2][2] = {
        {"w = i(i+1)/2 + j,  i ≥ j", "w = i(i−1)/2 + j,  i > j"},
        {"w = i(i+1)(i+2)/6 + j(j+1)/2 + k,  i ≥ j ≥ k", "w = i(i−1)(i−2)/6 + j(j−1)/2 + k,  i > j > k"}};
    return text[ask->rank - 2][ask->strict];
}

static double grid_height(const map_view *view, double cell, double width) {
    pen p = pen_of(view, NULL, cell);
    return view->tiles ? CAPTION + grid_draw(&p, 0.0, 0.0, width) + CAPTION : 0.0;
}

static layout lay_out(const map_view *view) {
    layout l = {0};
    uint32_t side = view->side + (view->dots ? (uint32_t)view->ask.rank - 1u : 0u);
    if (view->ask.rank == 2) {
        l.cell = fmin(52.0, 760.0 / side);
        l.width = l.height = side * l.cell + 24.0;
        l.grid = grid_height(view, l.cell, side * l.cell);
        return l;
    }
    l.columns = (uint32_t)ceil(sqrt(view->side));
    l.cell = fmin(40.0, 660.0 / (l.columns * (side + 1.5)));
    l.slot = fmax((side + 1.5) * l.cell, 44.0);
    l.unit = fmin(44.0, SOLID_WIDTH / (2.0 * COS30 * view->side));
    pen p = pen_of(view, NULL, l.cell);
    l.solid_width = 2.0 * COS30 * view->side * l.unit + 36.0;
    l.width = l.solid_width + l.columns * l.slot;
    l.height = fmax(layers(&p, 0.0, 0.0, l.columns, l.slot), (1.5 * view->side + 1.0) * l.unit);
    l.grid = grid_height(view, l.cell, l.width);
    return l;
}

static void head(const map_view *view, FILE *out, double width, double height) {
    const view_request *ask = &view->ask;
    const char *shape = ask->rank == 2 ? "triangle" : "tetrahedron";
    char title[160], below[300], tally[160];
    if (ask->map) {
        bool cells = ask->map->space == WEDGE_THREAD_SPACE;
        snprintf(title, sizeof title, "%s", ask->map->name);
        view_tally(view, tally, sizeof tally);
        snprintf(below, sizeof below, "%s, %u %s per side: %s", shape, ask->n, cells ? "cells" : "tiles", tally);
    } else {
        snprintf(title, sizeof title, "%s of side %u%s", ask->rank == 2 ? "Triangle" : "Tetrahedron", ask->n,
                 ask->strict ? ", strict" : "");
        snprintf(below, sizeof below, "%s", formula(ask));
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
            "role=\"img\">\n"
            "<title>%s</title>\n<style>%s</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n",
            width, height, width, height, title, style);
    fprintf(out, "<text class=\"ink\" x=\"%.0f\" y=\"38\" font-size=\"20\" font-weight=\"600\">%s</text>\n", MARGIN,
            title);
    fprintf(out, "<text class=\"dim\" x=\"%.0f\" y=\"58\" font-size=\"13\">%s%s</text>\n", MARGIN, below,
            ask->rank == 3 ? "; in a layer j goes down, k to the right" : "");
}

static void caption(FILE *out, double x, double y, const char *text) {
    fprintf(out, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\" font-size=\"13\">%s</text>\n", x, y, text);
}

/* A grid of one dimension is drawn in several lines, so its caption says that it has one. */
static void grid_caption(const map_view *view, char *text, size_t size) {
    const uint32_t *g = wedge_plan_launch(&view->plan, 0)->grid;
    const char *grey = view->idle ? " (grey: without a tile)" : "";
    if (view->plan.count > 1)
        snprintf(text, size, "launched grids%s", grey);
    else if (g[1] == 1 && g[2] == 1)
        snprintf(text, size, "launched grid: %u blocks in one dimension%s", g[0], grey);
    else if (g[2] == 1)
        snprintf(text, size, "launched grid: %u × %u%s", g[0], g[1], grey);
    else
        snprintf(text, size, "launched grid: %u × %u × %u%s", g[0], g[1], g[2], grey);
}

/* Above: the grid that is launched. Below: what its blocks take. */
static void draw_grid(const map_view *view, FILE *out, const layout *l, double x) {
    pen p = pen_of(view, out, l->cell);
    bool flat = view->ask.rank == 2;
    char text[96];
    grid_caption(view, text, sizeof text);
    caption(out, x, HEAD + 10.0, text);
    grid_draw(&p, x, HEAD + CAPTION, flat ? l->width - 24.0 : l->width);
    caption(out, x, HEAD + l->grid - 12.0,
            flat ? "the tiles of the triangle, by block" : "the tiles of the tetrahedron, by block");
}

void view_draw_svg(const map_view *view, FILE *out) {
    layout l = lay_out(view);
    bool flat = view->ask.rank == 2;
    double width = fmax(flat ? 360.0 : 420.0, l.width + 2.0 * MARGIN), top = HEAD + l.grid;
    head(view, out, width, top + l.height + FOOT);
    pen p = pen_of(view, out, l.cell);
    if (l.grid > 0.0) draw_grid(view, out, &l, flat ? MARGIN + 24.0 : MARGIN);
    if (flat) {
        triangle(&p, MARGIN + 24.0, top, 0, view->side);
        axes(&p, MARGIN + 24.0, top, view->side + view->dots);
    } else {
        solid(view, out, MARGIN, top, l.unit);
        layers(&p, MARGIN + l.solid_width, top, l.columns, l.slot);
    }
    fputs("</svg>\n", out);
}
