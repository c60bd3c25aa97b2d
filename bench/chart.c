/* chart.c: chart.h in SVG. Everything is placed here and in chart_labels.c, in plain arithmetic; looks
 * are attributes (chart_frame.h), and CSS recolours them on dark pages.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/chart_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 40.0
#define TOP 26.0
#define BOTTOM 36.0
#define TITLE 34.0
#define TICK_ROOM 44.0 /* between labels on the x axis */

enum { MOST_TICKS = 24 };

const char chart_style[] =
    ".chart text{font-variant-numeric:tabular-nums}.chart path{vector-effect:non-scaling-stroke}"
    "@media screen and (prefers-color-scheme:dark){.chart,.chart text{fill:" CHART_DIM_DARK
    "}.chart .title{fill:#e6ebf1}"
    ".chart .page{fill:#14181e}.chart .rule{stroke:#28303a}.chart .axis{stroke:#75808d}.chart .halo{stroke:#14181e}"
    ".chart .s{color:var(--d)}.chart .s text{fill:currentColor}.chart .tie tspan[style]{fill:var(--d)}"
    ".chart .m{stroke:#14181e}.chart .maybe{fill:#14181e}}";

/* About the origin, some 7 units wide. */
const char *const chart_markers[] = {
    [CHART_DISC] = "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
    [CHART_SQUARE] = "m-2.9-2.9h5.8v5.8h-5.8z",
    [CHART_DIAMOND] = "m0-4.2l4.2 4.2l-4.2 4.2l-4.2-4.2z",
    [CHART_UP] = "m0-4l3.9 6.8h-7.8z",
    [CHART_DOWN] = "m0 4l3.9-6.8h-7.8z",
    [CHART_PLUS] = "m-1.2-3.9h2.4v2.7h2.7v2.4h-2.7v2.7h-2.4v-2.7h-2.7v-2.4h2.7z",
    [CHART_CROSS] = "m0-1.6l2.2-2.2 1.6 1.6-2.2 2.2 2.2 2.2-1.6 1.6-2.2-2.2-2.2 2.2-1.6-1.6 2.2-2.2-2.2-2.2 1.6-1.6z",
    [CHART_STAR] = "m0-4.8l1.3 3.5l3.5 1.3l-3.5 1.3l-1.3 3.5l-1.3-3.5l-3.5-1.3l3.5-1.3z",
    [CHART_HEXAGON] = "m-3.9 0l1.95-3.4h3.9l1.95 3.4l-1.95 3.4h-3.9z",
    [CHART_BARE] = "",
};

/* ---- The data ---- */

chart_series *chart_add(chart *c, const char *name, const chart_pen *pen) {
    chart_series *more = realloc(c->series, ((size_t)c->count + 1) * sizeof *more);
    if (!more) return NULL;
    c->series = more;
    chart_series *s = &more[c->count++];
    *s = (chart_series){.pen = pen};
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

chart_point *chart_add_point(chart_series *s) {
    chart_point *more = realloc(s->points, ((size_t)s->count + 1) * sizeof *more);
    if (!more) return NULL;
    s->points = more;
    s->points[s->count] = (chart_point){0};
    return &s->points[s->count++];
}

chart_mark *chart_add_mark(chart *c) {
    chart_mark *more = realloc(c->marks, ((size_t)c->mark_count + 1) * sizeof *more);
    if (!more) return NULL;
    c->marks = more;
    c->marks[c->mark_count] = (chart_mark){.x = 0};
    return &c->marks[c->mark_count++];
}

void chart_free(chart *c) {
    for (int k = 0; k < c->count; ++k) free(c->series[k].points);
    free(c->series);
    free(c->marks);
    c->series = NULL;
    c->marks = NULL;
    c->count = c->mark_count = 0;
}

bool chart_drawn(const chart_point *p) { return isnormal(p->x) && isnormal(p->y) && p->x > 0.0 && p->y > 0.0; }

static void widen(double *low, double *high, double value) {
    if (*low == 0.0 || value < *low) *low = value;
    if (value > *high) *high = value;
}

void chart_range(const chart *c, double *low, double *high) {
    widen(low, high, 1.0);
    for (int k = 0; k < c->count; ++k)
        for (int p = 0; p < c->series[k].count; ++p)
            if (chart_drawn(&c->series[k].points[p])) widen(low, high, fmax(c->series[k].points[p].y, c->y_floor));
    for (int k = 0; k < c->mark_count; ++k) widen(low, high, c->marks[k].y);
}

static void sizes(const chart *c, double *low, double *high) {
    for (int k = 0; k < c->count; ++k)
        for (int p = 0; p < c->series[k].count; ++p)
            if (chart_drawn(&c->series[k].points[p])) widen(low, high, c->series[k].points[p].x);
}

bool chart_lone(const chart *c) {
    double low = 0.0, high = 0.0;
    sizes(c, &low, &high);
    return high == low;
}

static frame frame_of(FILE *out, const chart *c) {
    frame f = {.c = c, .out = out, .left = LEFT, .bottom = c->height - BOTTOM};
    double x_low = 0.0, x_high = 0.0, y_low = c->y_low, y_high = c->y_high;
    f.top = TOP + (c->alone ? TITLE : 0.0);
    f.right = c->width - chart_label_room(c);
    if (y_low <= 0.0 || y_high <= 0.0) chart_range(c, &y_low, &y_high);
    sizes(c, &x_low, &x_high);
    f.x0 = x_low > 0.0 ? log2(x_low) : 0.0;
    f.x1 = x_low > 0.0 ? log2(x_high) : 0.0;
    f.y0 = log2(y_low);
    f.y1 = log2(y_high);
    double x_pad = fmax(0.02 * (f.x1 - f.x0), 0.01), y_pad = fmax(0.05 * (f.y1 - f.y0), 0.08);
    f.x0 -= x_pad, f.x1 += x_pad, f.y0 -= y_pad, f.y1 += y_pad;
    return f;
}

double chart_at_x(const frame *f, double x) {
    return f->left + (log2(x) - f->x0) / (f->x1 - f->x0) * (f->right - f->left);
}

double chart_at_y(const frame *f, double y) {
    return f->bottom - (log2(y) - f->y0) / (f->y1 - f->y0) * (f->bottom - f->top);
}

/* 30720 is 30k, 50000 is 50000: what a tick has room for. */
static void tick_text(char *text, size_t size, double x) {
    if (x >= 1024.0 && fmod(x, 1024.0) == 0.0)
        snprintf(text, size, "%.0fk", x / 1024.0);
    else
        snprintf(text, size, "%.10g", x);
}

/* ---- Axes ---- */

/* 1, 2 or 5 times a power of ten: a step of at most `most` ticks. */
static double nice_step(double span, double most) {
    double power = pow(10.0, floor(log10(span / most))), lead = span / most / power;
    return power * (lead <= 1.0 ? 1.0 : lead <= 2.0 ? 2.0 : lead <= 5.0 ? 5.0 : 10.0);
}

static int y_ticks(const frame *f, double *ticks) {
    double octaves = f->y1 - f->y0, low = exp2(f->y0), high = exp2(f->y1);
    int count = 0;
    if (octaves > 2.0) {
        double stride = ceil(octaves / 6.0);
        for (double e = ceil(f->y0 / stride) * stride; e <= f->y1 && count < MOST_TICKS - 1; e += stride) {
            ticks[count++] = exp2(e);
            if (octaves < 4.0 && e + 0.585 < f->y1) ticks[count++] = 1.5 * exp2(e);
        }
        return count;
    }
    double step = nice_step(high - low, (f->bottom - f->top) / 38.0);
    for (double k = ceil(low / step); k * step <= high && count < MOST_TICKS; ++k) ticks[count++] = k * step;
    return count;
}

/* Powers of two; where there are fewer than two of them, the x of the longest series. */
static int x_ticks(const frame *f, double *ticks) {
    const chart_series *longest = NULL;
    int count = 0;
    double stride = ceil((f->x1 - f->x0) / ((f->right - f->left) / TICK_ROOM));
    for (double e = ceil(f->x0); e <= f->x1 && count < MOST_TICKS; e += fmax(stride, 1.0)) ticks[count++] = exp2(e);
    if (count > 1) return count;
    for (int k = 0; k < f->c->count; ++k)
        if (!longest || f->c->series[k].count > longest->count) longest = &f->c->series[k];
    count = 0;
    for (int p = 0; longest && p < longest->count && count < MOST_TICKS; ++p) {
        double x = longest->points[p].x;
        if (!(x > 0.0) || log2(x) < f->x0 || log2(x) > f->x1) continue;
        if (!count || chart_at_x(f, x) - chart_at_x(f, ticks[count - 1]) > TICK_ROOM) ticks[count++] = x;
    }
    return count;
}

static void axes(const frame *f) {
    double ticks[MOST_TICKS];
    char text[32];
    int count = y_ticks(f, ticks);
    for (int k = 0; k < count; ++k) {
        double y = chart_at_y(f, ticks[k]);
        fprintf(f->out, "<path" CHART_RULE " d=\"M%.1f %.1fH%.1f\"/>", f->left, y, f->right);
        fprintf(f->out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%.4g</text>\n", f->left - 6.0, y + 4.0,
                ticks[k]);
    }
    count = x_ticks(f, ticks);
    for (int k = 0; k < count; ++k) {
        double x = chart_at_x(f, ticks[k]);
        tick_text(text, sizeof text, ticks[k]);
        fprintf(f->out, "<path" CHART_AXIS " d=\"M%.1f %.1fv4\"/>", x, f->bottom);
        fprintf(f->out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x, f->bottom + 17.0, text);
    }
    fprintf(f->out, "<path" CHART_AXIS " d=\"M%.1f %.1fH%.1f\"/>", f->left, f->bottom, f->right);
    fprintf(f->out, "<path" CHART_ONE " d=\"M%.1f %.1fH%.1f\"/>\n", f->left, chart_at_y(f, 1.0), f->right);
    fprintf(f->out, "<text x=\"4\" y=\"%.1f\">", f->top - 12.0);
    markup_text(f->out, f->c->y_label);
    fprintf(f->out, "</text><text x=\"%.1f\" y=\"%.1f\">", f->right + 12.0, f->bottom + 17.0);
    markup_text(f->out, f->c->x_label);
    fputs("</text>\n", f->out);
}

/* ---- Lines ---- */

void chart_open_series(FILE *out, const chart_pen *pen) {
    fprintf(out,
            "<g class=\"s\" color=\"%s\" style=\"--d:%s\" stroke=\"currentColor\" stroke-width=\"%.1f\" "
            "stroke-linejoin=\"round\">",
            pen->light, pen->dark, pen->width);
}

/* Opens the path of a line, up to its points. */
static void open_line(FILE *out, const chart_pen *pen, bool doubtful, bool guide) {
    if (doubtful)
        fputs("<path" CHART_MAYBE " d=\"", out);
    else if (guide)
        fputs("<path" CHART_GUIDE " d=\"", out);
    else
        fprintf(out, "<path fill=\"none\" stroke-dasharray=\"%s\" d=\"", *pen->dash ? pen->dash : "none");
}

static void open_marker(FILE *out, bool doubtful) {
    fprintf(out, "<path%s d=\"", doubtful ? CHART_MARKER_MAYBE : CHART_MARKER);
}

/* The segments that are (not) doubtful, as one path; a gap starts a new piece. */
static void line(const frame *f, const chart_series *s, bool doubtful) {
    const chart_point *before = NULL;
    bool opened = false;
    for (int k = 1; k < s->count; ++k) {
        const chart_point *a = &s->points[k - 1], *b = &s->points[k];
        if (!chart_drawn(a) || !chart_drawn(b) || (a->doubt || b->doubt) != doubtful) continue;
        if (!opened) open_line(f->out, s->pen, doubtful, s->guide);
        if (before != a) fprintf(f->out, "M%.1f %.1f", chart_at_x(f, a->x), chart_at_y(f, a->y));
        fprintf(f->out, "L%.1f %.1f", chart_at_x(f, b->x), chart_at_y(f, b->y));
        before = b;
        opened = true;
    }
    if (opened) fputs("\"/>\n", f->out);
}

static void points(const frame *f, const chart_series *s) {
    for (int k = 0; k < s->count; ++k) {
        const chart_point *p = &s->points[k];
        if (!chart_drawn(p)) continue;
        double x = chart_at_x(f, p->x), y = chart_at_y(f, p->y);
        if (isnormal(p->low) && isnormal(p->high) && p->low > 0.0 && p->high > p->low)
            fprintf(f->out, "<path" CHART_WHISKER " d=\"M%.1f %.1fV%.1fm-2.5 0h5M%.1f %.1fh5\"/>", x,
                    chart_at_y(f, p->low), chart_at_y(f, p->high), x - 2.5, chart_at_y(f, p->low));
        open_marker(f->out, p->doubt);
        fprintf(f->out, "M%.1f %.1f%s\"", x, y, chart_markers[s->pen->marker]);
        fputs(f->c->notes ? "><title>" : "/>\n", f->out);
        if (!f->c->notes) continue;
        markup_text(f->out, p->note);
        fputs("</title></path>\n", f->out);
    }
}

static void series(const frame *f, const chart_series *s) {
    chart_open_series(f->out, s->pen);
    line(f, s, false);
    line(f, s, true);
    if (!s->guide) points(f, s);
    fputs("</g>\n", f->out);
}

/* Guides first, beneath the rest. An inner <svg> cuts off what leaves the plot, with no id that another chart has
 * too. */
static void lines(const frame *f) {
    double width = f->right - f->left + 12.0, height = f->bottom - f->top;
    fprintf(f->out, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n",
            f->left - 6.0, f->top, width, height, f->left - 6.0, f->top, width, height);
    for (int k = 0; k < f->c->count; ++k)
        if (f->c->series[k].guide) series(f, &f->c->series[k]);
    for (int k = 0; k < f->c->count; ++k)
        if (!f->c->series[k].guide) series(f, &f->c->series[k]);
    fputs("</svg>\n", f->out);
}

/* ---- The whole ---- */

static void element(FILE *f, const char *before, const char *text, const char *after) {
    fputs(before, f);
    markup_text(f, text);
    fputs(after, f);
}

static void head(FILE *f, const chart *c, double height) {
    fprintf(f,
            "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" font-size=\"12\" fill=\"" CHART_DIM
            "\" "
            "font-family=\"system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif\"",
            c->width, height);
    if (c->alone) fprintf(f, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\"", c->width, height);
    element(f, "><title>", c->title, "</title>");
    element(f, "<desc>", c->about, "</desc>\n");
    if (!c->alone) return;
    fprintf(f, "<style>%s</style><rect class=\"page\" fill=\"" CHART_PAGE "\" width=\"100%%\" height=\"100%%\"/>\n",
            chart_style);
    element(f, "<text class=\"title\" font-size=\"15\" font-weight=\"600\" fill=\"" CHART_INK "\" x=\"12\" y=\"24\">",
            c->title, "</text>\n");
}

bool chart_write(FILE *f, const chart *c) {
    frame in = frame_of(f, c);
    bool good, lone = chart_lone(c);
    head(f, c, lone ? chart_bars_height(&in) : c->height);
    if (lone) {
        good = chart_bars(&in);
    } else {
        axes(&in);
        lines(&in);
        good = chart_marks(&in) && chart_labels(&in);
    }
    fputs("</svg>\n", f);
    return good;
}

void chart_swatch(FILE *f, const chart_pen *pen, bool doubtful) {
    fputs("<svg class=\"chart swatch\" viewBox=\"0 0 34 12\" aria-hidden=\"true\">", f);
    chart_open_series(f, pen);
    open_line(f, pen, doubtful, false);
    fputs("M1 6H33\"/>", f);
    open_marker(f, doubtful);
    fprintf(f, "M17 6%s\"/></g></svg>", chart_markers[pen->marker]);
}
