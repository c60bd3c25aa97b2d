/* chart.h: a line chart as SVG: positive x and y on logarithmic axes, one line per series, labels at the line ends.
 *
 *     chart c = {.title = "dummy kernel, rho 16", .width = 600, .height = 400, .y_label = "I", .x_label = "n"};
 *     chart_series *s = chart_add(&c, "lambda", pen);
 *     chart_point *p = chart_add_point(s);
 *     chart_write(f, &c);
 *     chart_free(&c);
 *
 * A chart stands in a page that has chart_style in its <style>, or alone in a file of its own. It follows light and
 * dark; a colour is given for both. Ratios are what it shows, so equal factors are equal distances and y = 1 is marked.
 * Series that end within 1.5 % of each other share one label.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_CHART_H
#define WEDGE_BENCH_CHART_H

#include <stdbool.h>
#include <stdio.h>

typedef enum {
    CHART_DISC,
    CHART_SQUARE,
    CHART_DIAMOND,
    CHART_UP,
    CHART_DOWN,
    CHART_PLUS,
    CHART_CROSS,
    CHART_STAR,
    CHART_HEXAGON,
    CHART_BARE, /* no markers */
} chart_marker;

typedef struct {
    const char *light, *dark; /* colours, "#0072b2" */
    const char *dash;         /* of the line, "6 3"; "" is solid */
    double width;
    chart_marker marker;
} chart_pen;

typedef struct {
    double x, y;       /* y <= 0: nothing was measured here, and the line has a gap */
    double low, high;  /* whiskers; 0: none */
    const char *doubt; /* "wrong", "no result": drawn hollow, its segments dotted, and said in the label; NULL: none */
    char tail[32];     /* after the value in the label, "1.63 ms" */
    char note[320];    /* shown when pointed at */
} chart_point;

typedef struct {
    char name[32];
    const chart_pen *pen;
    bool guide; /* a thin line without label or whiskers: theory, not measurement */
    chart_point *points;
    int count;
} chart_series;

/* A value from elsewhere, in grey: not measured here. Its name stands beside it. */
typedef struct {
    double x, y;
    char name[40];
    chart_marker marker;
} chart_mark;

typedef struct {
    const char *title, *about; /* for those who do not see the picture; alone, the title is printed as well */
    const char *x_label, *y_label;
    const char *reference; /* name of the line y = 1 */
    double width, height;
    double y_low, y_high; /* 0: as chart_range says */
    double y_floor;       /* what lies below is cut off, and its label gets an arrow; 0: nothing is */
    bool alone;           /* a file of its own: with its style, its background and its title */
    bool values;          /* the label at a line's end has its last y and its tail */
    bool notes;           /* points have their notes */
    chart_series *series;
    int count;
    chart_mark *marks; /* those left of the first x or right of the last are not drawn */
    int mark_count;
} chart;

extern const char chart_style[]; /* CSS */

chart_series *chart_add(chart *c, const char *name, const chart_pen *pen); /* NULL: no memory; moves earlier series */
chart_point *chart_add_point(chart_series *s);                             /* zeroed; NULL: no memory; in order of x */
chart_mark *chart_add_mark(chart *c);                                      /* zeroed; NULL: no memory */
void chart_free(chart *c);

/* Widens low..high to what the chart has to show. Start with 0, 0. */
void chart_range(const chart *c, double *low, double *high);

bool chart_drawn(const chart_point *p); /* it has values that a logarithmic scale can show */
bool chart_lone(const chart *c);        /* a single x is drawn: bars, no lines */

bool chart_write(FILE *f, const chart *c); /* false: no memory */

/* A piece of a line with its marker, for a legend. */
void chart_swatch(FILE *f, const chart_pen *pen, bool doubtful);

/* markup.c. Text for SVG and HTML: escaped; what is not UTF-8 becomes U+FFFD, control characters become blanks. */
void markup_text(FILE *f, const char *text);
void markup_reason(FILE *f, const char *text); /* a sentence of HTML, whose options stay in one piece */

#endif
