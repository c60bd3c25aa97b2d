/* chart_frame.h: what chart.c and chart_labels.c share: where the plot is, and where a value lies in it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_CHART_FRAME_H
#define WEDGE_BENCH_CHART_FRAME_H

#include "bench/chart.h"

/* Where the plot is, and which powers of two its edges stand for. */
typedef struct {
    const chart *c;
    FILE *out;
    double left, right, top, bottom;
    double x0, x1, y0, y1;
    bool lone; /* a single x: the series stand side by side in its place, or they would hide each other */
} frame;

/* chart.c */
extern const char *const chart_markers[]; /* paths about the origin, by chart_marker */
bool chart_drawn(const chart_point *p);
double chart_at_x(const frame *f, double x);
double chart_at_y(const frame *f, double y);
double chart_place(const frame *f, const chart_series *s, const chart_point *p); /* its x */
void chart_open_series(FILE *out, const chart_pen *pen);

/* chart_labels.c. false: no memory. */
double chart_label_room(const chart *c); /* right of the plot */
bool chart_labels(const frame *f);
bool chart_marks(const frame *f);

#endif
