/* chart_frame.h: what chart.c and chart_labels.c share: where the plot is, and where a value lies in it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_CHART_FRAME_H
#define WEDGE_BENCH_CHART_FRAME_H

#include "bench/chart.h"

/* How the parts of a chart look, as attributes: every program that shows SVG knows those. The style in chart.c only
 * recolours them on dark pages and says what attributes cannot. */
#define CHART_INK "#1b2430"
#define CHART_DIM "#5d6875"
#define CHART_DIM_DARK "#a3aebb"
#define CHART_PAGE "#ffffff"
#define CHART_LINE_OF(width, opacity) " fill=\"none\" stroke-width=\"" width "\" opacity=\"" opacity "\""
#define CHART_RULE " class=\"rule\" fill=\"none\" stroke=\"#e3e7ec\""
#define CHART_AXIS " class=\"axis\" fill=\"none\" stroke=\"#8a949f\""
#define CHART_ONE " class=\"axis\" fill=\"none\" stroke=\"#8a949f\" stroke-width=\"1.6\""
#define CHART_OLD " class=\"axis\" fill=\"none\" stroke=\"#8a949f\" stroke-width=\"1.2\""
#define CHART_OLD_IN " class=\"axis\" fill=\"none\" stroke=\"#8a949f\" stroke-width=\"0.7\""
#define CHART_HALO " class=\"halo\" stroke=\"" CHART_PAGE "\" stroke-width=\"3\" paint-order=\"stroke\""
#define CHART_OLD_NAME CHART_HALO " font-size=\"10\" text-anchor=\"end\""
#define CHART_NAME " fill=\"currentColor\" stroke=\"none\" font-weight=\"600\""
#define CHART_WHISKER CHART_LINE_OF("1", "0.7")
#define CHART_LEAD_IN CHART_LINE_OF("0.8", "0.45")
#define CHART_GUIDE CHART_LINE_OF("1", "0.75") " stroke-dasharray=\"4 4\""
#define CHART_MAYBE " fill=\"none\" opacity=\"0.85\" stroke-dasharray=\"0.1 4\" stroke-linecap=\"round\""
#define CHART_MARKER " class=\"m\" fill=\"currentColor\" stroke=\"" CHART_PAGE "\" stroke-width=\"0.8\""
#define CHART_MARKER_MAYBE " class=\"maybe\" fill=\"" CHART_PAGE "\" stroke=\"currentColor\" stroke-width=\"1.3\""

/* Where the plot is, and which powers of two its edges stand for. */
typedef struct {
    const chart *c;
    FILE *out;
    double left, right, top, bottom;
    double x0, x1, y0, y1;
} frame;

/* chart.c */
extern const char *const chart_markers[]; /* paths about the origin, by chart_marker */
double chart_at_x(const frame *f, double x);
double chart_at_y(const frame *f, double y);
void chart_open_series(FILE *out, const chart_pen *pen);

/* chart_bars.c: the whole plot of a chart with a single x. false: no memory. */
double chart_bars_height(const frame *f); /* of the picture: few bars leave nothing empty below them */
bool chart_bars(const frame *f);

/* chart_labels.c. false: no memory. */
double chart_label_room(const chart *c); /* right of the plot */
bool chart_labels(const frame *f);
bool chart_marks(const frame *f);

#endif
