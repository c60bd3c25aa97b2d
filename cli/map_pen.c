/* cli/map_pen.c: colours and squares of the drawings.
 *
 * SPDX-License-Identifier: MIT */
#include "map_pen.h"

#include <math.h>

#define CHAR_WIDTH 0.66 /* of a digit, in parts of the font size */

enum { NUMBERS_TO = 32, FEW_BLOCKS = 12, STEPS = 96 };

static const colour ramp[] = {{66, 92, 190},  {52, 142, 196}, {46, 168, 146}, {132, 186, 78},
                              {236, 190, 66}, {232, 126, 78}, {190, 82, 140}};
static const colour hues[] = {{78, 121, 167}, {242, 142, 43},  {89, 161, 79},  {225, 87, 89},   {118, 183, 178},
                              {237, 201, 72}, {176, 122, 161}, {156, 117, 95}, {255, 157, 167}, {120, 130, 200}};

enum { RAMP = sizeof ramp / sizeof *ramp, HUES = sizeof hues / sizeof *hues };

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

colour colour_shaded(colour c, double shade) {
    double to = shade > 1.0 ? 255.0 : 0.0, t = fabs(shade - 1.0);
    return (colour){mixed(c.r, to, t), mixed(c.g, to, t), mixed(c.b, to, t)};
}

bool colour_same(colour a, colour b) { return a.r == b.r && a.g == b.g && a.b == b.b; }

static uint64_t launch_blocks(const wedge_launch *l) { return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]; }

/* A launch has a hue; its blocks go from lighter to darker. */
static colour launch_colour(const map_view *view, uint64_t block, uint32_t launch) {
    uint64_t first = 0;
    for (uint32_t l = 0; l < launch; ++l) first += launch_blocks(wedge_plan_launch(&view->plan, l));
    double t = share(block - first, launch_blocks(wedge_plan_launch(&view->plan, launch)));
    return colour_shaded(hues[launch % HUES], 1.16 - round(t * 16.0) / 16.0 * 0.30);
}

colour block_colour(const map_view *view, uint64_t block, uint32_t launch) {
    if (view->plan.count > 1) return launch_colour(view, block, launch);
    if (view->plan.blocks <= FEW_BLOCKS) return hues[block % HUES];
    return ramp_at(share(block, view->plan.blocks));
}

colour tile_colour(const map_view *view, uint32_t i, uint64_t index) {
    if (!view->tiles) return ramp_at(share(i, view->side));
    return block_colour(view, view->tiles[index].block, view->tiles[index].launch);
}

static bool is_light(colour c) { return 0.30 * c.r + 0.59 * c.g + 0.11 * c.b > 125.0; }

/* ---- Squares ---- */

pen pen_of(const map_view *view, FILE *out, double cell) {
    double fit = 0.86 * cell / (CHAR_WIDTH * view_label_width(view));
    pen p = {.view = view, .out = out, .cell = cell, .shade = 1.0};
    p.gap = cell < 6.0 ? 0.0 : fmin(2.0, 0.05 * cell + 0.4);
    p.font = fmin(fit, 0.42 * cell);
    if (view->side > NUMBERS_TO || p.font < 4.5) p.font = 0.0;
    return p;
}

void pen_hole(const pen *p, double x, double y) {
    if (p->gap == 0.0) return;
    double inset = 0.5 * p->gap + 0.5;
    fprintf(p->out, "<rect class=\"hole\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" rx=\"%.1f\"/>\n",
            x + inset, y + inset, p->cell - 2.0 * inset, p->cell - 2.0 * inset, 0.1 * p->cell);
}

static void label_at(const pen *p, double x, double y, const char *class, const char *label) {
    if (p->font == 0.0) return;
    fprintf(p->out, "<text class=\"n %s\" x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\">%s</text>\n", class,
            x + 0.5 * p->cell, y + 0.5 * p->cell + 0.35 * p->font, p->font, label);
}

void pen_number(const pen *p, double x, double y, colour fill, const char *label) {
    label_at(p, x, y, is_light(fill) ? "on-light" : "on-dark", label);
}

/* Squares that touch overlap a little to the right and below, or seams would show through. */
static void rectangle(const pen *p, double x, double y, uint32_t count, const char *paint) {
    double inset = 0.5 * p->gap, more = p->gap > 0.0 ? -p->gap : 0.8;
    fprintf(p->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s", x + inset, y + inset,
            count * p->cell + more, p->cell + more, paint);
    if (p->gap > 0.0) fprintf(p->out, " rx=\"%.1f\"", 0.1 * p->cell);
    fputs("/>\n", p->out);
}

void pen_squares(const pen *p, double x, double y, uint32_t count, colour c) {
    char paint[32];
    snprintf(paint, sizeof paint, "fill=\"#%02x%02x%02x\"", (unsigned)c.r, (unsigned)c.g, (unsigned)c.b);
    rectangle(p, x, y, count, paint);
}

void pen_idle(const pen *p, double x, double y, uint32_t count) { rectangle(p, x, y, count, "class=\"idle\""); }
