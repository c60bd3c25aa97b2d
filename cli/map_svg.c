/* cli/map_svg.c: the view of `wedge map --draw` as one self-contained SVG, legible on light and dark pages.
 *
 * Everything is built from rows of square tiles: a triangle is rows, a tetrahedron is its layers side by side, and the
 * solid beside them is two facets (k = 0 and i = j), again rows, under an isometric matrix. Colours mean rows when the
 * tiles show w, else launches where there are several, else blocks in their order. Colours of tiles are the same on
 * light and dark pages; the page itself follows prefers-color-scheme.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "map_view.h"

#define MARGIN 28.0
#define HEAD 74.0 /* title and the line below it */
#define FOOT 34.0
#define LEGEND_LINE 20.0
#define SOLID_WIDTH 430.0 /* at most */
#define COS30 0.8660254037844386
#define CHAR_WIDTH 0.66 /* of a digit, in parts of the font size */

enum { NUMBERS_TO = 32, LEGEND_BLOCKS = 12, STEPS = 96 };

typedef struct {
    double r, g, b;
} colour;

static const colour ramp[] = {{66, 92, 190},  {52, 142, 196}, {46, 168, 146}, {132, 186, 78},
                              {236, 190, 66}, {232, 126, 78}, {190, 82, 140}};
static const colour hues[] = {{78, 121, 167}, {242, 142, 43},  {89, 161, 79},  {225, 87, 89},   {118, 183, 178},
                              {237, 201, 72}, {176, 122, 161}, {156, 117, 95}, {255, 157, 167}, {120, 130, 200}};

enum { RAMP = sizeof ramp / sizeof *ramp, HUES = sizeof hues / sizeof *hues };

static const char style[] =
    ".page{fill:#ffffff}.ink{fill:#1b2430}.dim{fill:#67727e}.hole{fill:none;stroke:#b4bcc6;stroke-dasharray:2 2}"
    ".on-dark{fill:#ffffff}.on-light{fill:#141a22}.n{text-anchor:middle}.end{text-anchor:end}"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "font-variant-numeric:tabular-nums}"
    "@media (prefers-color-scheme:dark){.page{fill:#12161b}.ink{fill:#e6ebf1}.dim{fill:#95a1ae}"
    ".hole{stroke:#4c5763}}";

/* A pen draws tiles of one size. shade lightens or darkens a facet of the solid. */
typedef struct {
    const map_view *view;
    FILE *out;
    double cell, gap, font;
    double shade;
} pen;

typedef struct {
    uint32_t i, j, k;
} place;

/* ---- Colours ---- */

static double mixed(double a, double b, double t) { return a + (b - a) * t; }

static colour ramp_at(double t) {
    double at = round(t * (STEPS - 1)) / (STEPS - 1) * (RAMP - 1);
    int low = at >= RAMP - 1 ? RAMP - 2 : (int)at;
    const colour *a = &ramp[low], *b = &ramp[low + 1];
    double f = at - low;
    return (colour){mixed(a->r, b->r, f), mixed(a->g, b->g, f), mixed(a->b, b->b, f)};
}

static double share(uint64_t part, uint64_t whole) { return whole > 1 ? (double)part / (double)(whole - 1) : 0.0; }

static colour shaded(colour c, double shade) {
    double to = shade > 1.0 ? 255.0 : 0.0, t = fabs(shade - 1.0);
    return (colour){mixed(c.r, to, t), mixed(c.g, to, t), mixed(c.b, to, t)};
}

static uint64_t launch_blocks(const wedge_launch *l) { return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]; }

/* A launch has a hue; its blocks go from lighter to darker. */
static colour launch_colour(const map_view *view, const view_tile *tile) {
    uint64_t first = 0;
    for (uint32_t l = 0; l < tile->launch; ++l) first += launch_blocks(&view->plan.launches[l]);
    double t = share(tile->block - first, launch_blocks(&view->plan.launches[tile->launch]));
    return shaded(hues[tile->launch % HUES], 1.16 - round(t * 16.0) / 16.0 * 0.30);
}

static colour tile_colour(const map_view *view, uint32_t i, uint64_t index) {
    if (!view->tiles) return ramp_at(share(i, view->side));
    const view_tile *tile = &view->tiles[index];
    if (view->plan.count > 1) return launch_colour(view, tile);
    if (view->plan.blocks <= LEGEND_BLOCKS) return hues[tile->block % HUES];
    return ramp_at(share(tile->block, view->plan.blocks));
}

static bool is_light(colour c) { return 0.30 * c.r + 0.59 * c.g + 0.11 * c.b > 125.0; }

/* ---- Tiles ---- */

static pen pen_of(const map_view *view, FILE *out, double cell) {
    double fit = 0.86 * cell / (CHAR_WIDTH * view_label_width(view));
    pen p = {.view = view, .out = out, .cell = cell, .shade = 1.0};
    p.gap = cell < 6.0 ? 0.0 : fmin(2.0, 0.05 * cell + 0.4);
    p.font = fmin(fit, 0.42 * cell);
    if (view->side > NUMBERS_TO || p.font < 4.5) p.font = 0.0;
    return p;
}

static void hole(const pen *p, double x, double y) {
    if (p->gap == 0.0) return;
    double inset = 0.5 * p->gap + 0.5;
    fprintf(p->out, "<rect class=\"hole\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" rx=\"%.1f\"/>\n",
            x + inset, y + inset, p->cell - 2.0 * inset, p->cell - 2.0 * inset, 0.1 * p->cell);
}

static void number(const pen *p, double x, double y, colour fill, uint64_t index) {
    char label[VIEW_LABEL];
    view_label(p->view, index, label);
    fprintf(p->out, "<text class=\"n %s\" x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\">%s</text>\n",
            is_light(fill) ? "on-light" : "on-dark", x + 0.5 * p->cell, y + 0.5 * p->cell + 0.35 * p->font, p->font,
            label);
}

/* Tiles that touch overlap a little to the right and below, or seams would show through. */
static void tiles_of(const pen *p, double x, double y, uint32_t count, colour c) {
    double inset = 0.5 * p->gap, more = p->gap > 0.0 ? -p->gap : 0.8;
    fprintf(p->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%02x%02x%02x\"", x + inset,
            y + inset, count * p->cell + more, p->cell + more, (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
    if (p->gap > 0.0) fprintf(p->out, " rx=\"%.1f\"", 0.1 * p->cell);
    fputs("/>\n", p->out);
}

static bool same(colour a, colour b) { return a.r == b.r && a.g == b.g && a.b == b.b; }

/* A row of tiles from `at` on, each next one (0, dj, dk) further. Where tiles touch, equal neighbours become one. */
static void row(const pen *p, double x, double y, place at, place step, uint32_t count) {
    const map_view *view = p->view;
    uint32_t run;
    for (uint32_t c = 0; c < count; c += run) {
        uint64_t index = view_index(view, at.i, at.j + c * step.j, at.k + c * step.k);
        colour fill = shaded(tile_colour(view, at.i, index), p->shade);
        run = 1;
        if (view->tiles && !view->tiles[index].taken) {
            hole(p, x + c * p->cell, y);
            continue;
        }
        for (; p->gap == 0.0 && c + run < count; ++run) {
            uint64_t next = view_index(view, at.i, at.j + (c + run) * step.j, at.k + (c + run) * step.k);
            bool taken = !view->tiles || view->tiles[next].taken;
            if (!taken || !same(fill, shaded(tile_colour(view, at.i, next), p->shade))) break;
        }
        tiles_of(p, x + c * p->cell, y, run, fill);
        if (p->font > 0.0) number(p, x + c * p->cell, y, fill, index);
    }
}

/* Rows 0 to rows-1 of a triangle: rank 2's own, or layer i of rank 3. Strict ones show the diagonal they lack. */
static void triangle(const pen *p, double x, double y, uint32_t layer, uint32_t rows) {
    bool flat = p->view->ask.rank == 2;
    uint32_t shift = p->view->dots;
    for (uint32_t r = 0; r < rows; ++r)
        row(p, x, y + (r + shift) * p->cell, flat ? (place){r, 0, 0} : (place){layer, r, 0},
            flat ? (place){0, 1, 0} : (place){0, 0, 1}, r + 1);
    for (uint32_t r = 0; shift && r <= rows; ++r) hole(p, x + r * p->cell, y + r * p->cell);
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
    double legend_x, legend_width;
    uint32_t legend_lines;
} layout;

static const char *formula(const view_request *ask) {
    static const char *const text[2][2] = {
        {"w = i(i+1)/2 + j,  i ≥ j", "w = i(i−1)/2 + j,  i > j"},
        {"w = i(i+1)(i+2)/6 + j(j+1)/2 + k,  i ≥ j ≥ k", "w = i(i−1)(i−2)/6 + j(j−1)/2 + k,  i > j > k"}};
    return text[ask->rank - 2][ask->strict];
}

static uint32_t legend_lines(const map_view *view) {
    if (!view->tiles) return 0;
    if (view->plan.count > 1) return (uint32_t)view->plan.count;
    return view->plan.blocks <= LEGEND_BLOCKS ? (uint32_t)view->plan.blocks : 0;
}

/* The legend sits in the empty corner above the diagonal where that is large enough, else right of the picture. */
static void place_legend(layout *l, double corner) {
    double height = l->legend_lines * LEGEND_LINE;
    l->legend_x = l->width - l->legend_width;
    if (!l->legend_lines || corner >= l->legend_width + height) return;
    l->legend_x = l->width + 24.0;
    l->width += 24.0 + l->legend_width;
    l->height = fmax(l->height, height);
}

static layout lay_out(const map_view *view) {
    layout l = {.legend_lines = legend_lines(view), .legend_width = view->plan.count > 1 ? 180.0 : 90.0};
    uint32_t side = view->side + (view->dots ? (uint32_t)view->ask.rank - 1u : 0u);
    if (view->ask.rank == 2) {
        l.cell = fmin(52.0, 760.0 / side);
        l.width = l.height = side * l.cell + 24.0;
        place_legend(&l, side * l.cell);
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
    place_legend(&l, 0.0);
    return l;
}

static void legend(const map_view *view, FILE *out, const layout *l) {
    for (uint32_t n = 0; n < l->legend_lines; ++n) {
        const wedge_plan *plan = &view->plan;
        const uint32_t *grid = plan->launches[plan->count > 1 ? n : 0].grid;
        double x = MARGIN + l->legend_x, y = HEAD + n * LEGEND_LINE;
        colour c = hues[n % HUES];
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"13\" height=\"13\" rx=\"2.5\" fill=\"#%02x%02x%02x\"/>", x, y,
                (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
        fprintf(out, "<text class=\"ink\" x=\"%.1f\" y=\"%.1f\" font-size=\"12.5\">", x + 20.0, y + 11.0);
        if (plan->count > 1)
            fprintf(out, "launch %c: %u × %u × %u</text>\n", (char)('a' + n % 26u), grid[0], grid[1], grid[2]);
        else
            fprintf(out, "block %u</text>\n", n);
    }
}

static void head(const map_view *view, FILE *out, double width, double height) {
    const view_request *ask = &view->ask;
    const char *shape = ask->rank == 2 ? "triangle" : "tetrahedron";
    char title[160], below[200];
    if (ask->map) {
        bool cells = ask->map->space == WEDGE_THREAD_SPACE;
        snprintf(title, sizeof title, "%s: %s, %u %s a side", ask->map->name, shape, ask->n, cells ? "cells" : "tiles");
        view_tally(view, below, sizeof below);
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

void view_draw_svg(const map_view *view, FILE *out) {
    layout l = lay_out(view);
    bool flat = view->ask.rank == 2;
    double width = fmax(420.0, l.width + 2.0 * MARGIN), height = HEAD + l.height + FOOT;
    head(view, out, width, height);
    pen p = pen_of(view, out, l.cell);
    if (flat) {
        triangle(&p, MARGIN + 24.0, HEAD, 0, view->side);
        axes(&p, MARGIN + 24.0, HEAD, view->side + view->dots);
    } else {
        solid(view, out, MARGIN, HEAD, l.unit);
        layers(&p, MARGIN + l.solid_width, HEAD, l.columns, l.slot);
    }
    legend(view, out, &l);
    fputs("</svg>\n", out);
}
