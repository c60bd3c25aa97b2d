/* chart_bars.c: a chart with a single x as bars, one per series, the largest first: its name at the left, its value at its end.
 *
 * The scale is linear from 0, so that a bar twice as long is twice as much; a dashed line marks y = 1, the reference, and a guide is
 * a thin line across the bars. Bars reach at most what is left beside the longest text.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chart_frame.h"

#define NAME_LETTER 7.0  /* mean width of a letter of 12 units */
#define MOST_BAR 26.0    /* height of a bar and its gap */
#define VALUE_ROOM 120.0 /* right of the longest bar */

typedef struct {
    const frame *f;
    const chart_series **series; /* without guides, the largest y first; those without a value are not here */
    int count;
    double left, scale, step; /* where bars begin, units per 1, height of a bar with its gap */
} bars;

/* The one point of a series; NULL: it has none to draw. */
static const chart_point *point_of(const chart_series *s) {
    for (int k = 0; k < s->count; ++k)
        if (chart_drawn(&s->points[k])) return &s->points[k];
    return NULL;
}

static int larger_first(const void *a, const void *b) {
    double p = point_of(*(const chart_series *const *)a)->y, q = point_of(*(const chart_series *const *)b)->y;
    return (p < q) - (p > q);
}

static double bar_at(const bars *b, double y) { return b->left + y * b->scale; }

static double step_of(const frame *f, int count) { return fmin(MOST_BAR, (f->bottom - f->top) / fmax(count, 1.0)); }

double chart_bars_height(const frame *f) {
    int count = 0;
    for (int k = 0; k < f->c->count; ++k) count += !f->c->series[k].guide && point_of(&f->c->series[k]);
    return f->top + count * step_of(f, count) + (f->c->height - f->bottom);
}

static bars bars_of(const frame *f, const chart_series **series) {
    bars b = {.f = f, .series = series};
    double largest = 1.0;
    size_t letters = 0;
    for (int k = 0; k < f->c->count; ++k) {
        const chart_series *s = &f->c->series[k];
        const chart_point *p = point_of(s);
        if (!p) continue;
        largest = fmax(largest, p->y);
        if (s->guide) continue;
        series[b.count++] = s;
        letters = letters < strlen(s->name) ? strlen(s->name) : letters;
    }
    qsort(series, (size_t)b.count, sizeof *series, larger_first);
    b.left = 12.0 + NAME_LETTER * (double)letters;
    b.scale = (f->c->width - VALUE_ROOM - b.left) / largest;
    b.step = step_of(f, b.count);
    return b;
}

static double top_of(const bars *b, int at) { return b->f->top + at * b->step; }

static double text_at(const bars *b, int at) { return top_of(b, at) + 0.35 * b->step + 4.0; }

static void write_bar(const bars *b, int at) {
    const chart_series *s = b->series[at];
    const chart_point *p = point_of(s);
    chart_open_series(b->f->out, s->pen);
    fprintf(b->f->out, "<path%s d=\"M%.1f %.1fH%.1fv%.1fH%.1fz\"",
            p->doubt ? " fill=\"none\" stroke-dasharray=\"3 2\"" : " fill=\"currentColor\" stroke=\"none\"", b->left,
            top_of(b, at), bar_at(b, p->y), 0.7 * b->step, b->left);
    fputs(b->f->c->notes ? "><title>" : "/>", b->f->out);
    if (b->f->c->notes) markup_text(b->f->out, p->note), fputs("</title></path>", b->f->out);
    fputs("</g>\n", b->f->out);
}

/* The name, and "1.98 · 5.08 ms", or why it is no result. What lies behind a text does not cross it. */
static void write_texts(const bars *b, int at) {
    const chart_series *s = b->series[at];
    const chart_point *p = point_of(s);
    fprintf(b->f->out, "<text font-weight=\"600\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">", b->left - 6.0,
            text_at(b, at));
    markup_text(b->f->out, s->name);
    fprintf(b->f->out, "</text><text" CHART_HALO " x=\"%.1f\" y=\"%.1f\">%.*f", bar_at(b, p->y) + 8.0, text_at(b, at),
            p->y < 10.0 ? 2 : 1, p->y);
    if (p->doubt || (b->f->c->values && *p->tail)) {
        fputs(" · ", b->f->out);
        markup_text(b->f->out, p->doubt ? p->doubt : p->tail);
    }
    fputs("</text>\n", b->f->out);
}

/* A line across all bars. */
static void write_across(const bars *b, double y, const char *look) {
    fprintf(b->f->out, "<path%s d=\"M%.1f %.1fV%.1f\"/>", look, bar_at(b, y), b->f->top - 4.0,
            b->f->top + b->count * b->step);
}

static void write_guides(const bars *b) {
    for (int k = 0; k < b->f->c->count; ++k) {
        const chart_series *s = &b->f->c->series[k];
        const chart_point *p = s->guide ? point_of(s) : NULL;
        if (!p) continue;
        chart_open_series(b->f->out, s->pen);
        write_across(b, p->y, CHART_GUIDE);
        fputs("</g>\n", b->f->out);
    }
}

bool chart_bars(const frame *f) {
    const chart_series **series = calloc((size_t)f->c->count + 1, sizeof *series);
    if (!series) return false;
    bars b = bars_of(f, series);
    fprintf(f->out, "<text x=\"4\" y=\"%.1f\">", f->top - 12.0);
    markup_text(f->out, f->c->y_label);
    fputs("</text>\n", f->out);
    for (int k = 0; k < b.count; ++k) write_bar(&b, k);
    write_across(&b, 1.0, CHART_ONE);
    write_guides(&b);
    for (int k = 0; k < b.count; ++k) write_texts(&b, k);
    fprintf(f->out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", bar_at(&b, 1.0),
            f->top + b.count * b.step + 14.0);
    markup_text(f->out, f->c->reference ? f->c->reference : "1");
    fputs("</text>\n", f->out);
    free(series);
    return true;
}
