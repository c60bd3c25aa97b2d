/* chart_labels.c: names at the line ends, one for all lines that end together, and the grey marks with theirs.
 *
 * Labels must not overlap and should stay near their lines: that is isotonic regression of the line ends less the
 * heights above each, solved by pooling neighbours, after which leaders never cross.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chart_frame.h"

#define LINE 14.0      /* height of a line of a label */
#define MARK_LINE 11.0 /* of a mark's name */
#define LETTER 7.3     /* mean width of a bold letter of 12 units */
#define TIED 1.015     /* the ends of lines that count as one, one over the other */
#define BLANK 4.0 /* between a name and what follows it: a blank at the edge of a tspan is dropped by some programs */

enum { MOST_TIED = 16, LETTERS = 20, NARROW = 480, FEW_LETTERS = 13 }; /* of a line; a chart below NARROW has few */

/* One label: the lines that end in it, NULL for the reference alone. */
typedef struct {
    const chart_series *series[MOST_TIED];
    int count;
    double low, high; /* their last y */
    double x, y;      /* where the leader begins */
    double top, tall; /* of its text */
    int rows;
} label;

static const chart_point *last_of(const chart_series *s) {
    for (int p = s->count - 1; p >= 0; --p)
        if (chart_drawn(&s->points[p])) return &s->points[p];
    return NULL;
}

static bool below(const frame *f, double y) { return chart_at_y(f, y) > f->bottom; }

static bool tied(const label *l, const chart_series *s) {
    const chart_point *p = last_of(s), *q = last_of(l->series[0]);
    double low = fmin(l->low, p->y), high = fmax(l->high, p->y);
    return l->count < MOST_TIED && p->x == q->x && !p->doubt == !q->doubt && high <= TIED * low;
}

/* ---- What a label says ---- */

static int letters_of(const chart *c) { return c->width < NARROW ? FEW_LETTERS : LETTERS; }

static bool starts_row(const frame *f, const label *l, int k, int *letters) {
    int length = (int)strlen(l->series[k]->name) + (k + 1 < l->count ? 2 : 0);
    bool next = *letters > 0 && *letters + length > letters_of(f->c);
    *letters = (next ? 0 : *letters) + length;
    return next;
}

/* "6.21", or "1.98 to 1.99" of lines that end together. */
static void value_text(const label *l, char *text, size_t size) {
    char low[24], high[24];
    int decimals = l->high < 10.0 ? 2 : 1;
    snprintf(low, sizeof low, "%.*f", decimals, l->low);
    snprintf(high, sizeof high, "%.*f", decimals, l->high);
    snprintf(text, size, strcmp(low, high) ? "%s to %s" : "%s", low, high);
}

static const char *doubt_of(const label *l) { return last_of(l->series[0])->doubt; }

/* A doubt is said in the tail's room, on a phone in the value's as well. */
static bool has_value(const frame *f, const label *l) {
    return f->c->values && l->count && !(doubt_of(l) && f->c->width < NARROW);
}

static bool has_tail(const frame *f, const label *l) {
    return f->c->width >= NARROW && !doubt_of(l) && *last_of(l->series[0])->tail;
}

/* The value begins a row of its own where there are several names, or no room. */
static bool value_apart(const frame *f, const label *l) {
    char text[64];
    value_text(l, text, sizeof text);
    size_t tail = has_tail(f, l) ? strlen(last_of(l->series[0])->tail) + 3 : 0;
    return has_value(f, l) &&
           (l->count > 1 || strlen(l->series[0]->name) + strlen(text) + tail > (size_t)letters_of(f->c) + 2);
}

/* So does a doubt where the value gave way to it and there is still no room. */
static bool doubt_apart(const frame *f, const label *l) {
    return doubt_of(l) && f->c->width < NARROW &&
           (l->count > 1 || strlen(l->series[0]->name) + strlen(doubt_of(l)) > (size_t)letters_of(f->c) + 1);
}

static int rows_of(const frame *f, const label *l) {
    int rows = 1, letters = 0;
    for (int k = 0; k < l->count; ++k) rows += starts_row(f, l, k, &letters);
    return rows + (l->count && (value_apart(f, l) || doubt_apart(f, l)));
}

/* A tspan without text moves nothing: a row begins with the text that stands first in it. */
static void begin_row(const frame *f, bool row) {
    if (row) fprintf(f->out, " x=\"%.1f\" dy=\"%.1f\"", f->right + 16.0, LINE);
}

/* Of what follows a name: in a row of its own, or behind a blank. */
static void go_on(const frame *f, bool apart) {
    if (!apart) fprintf(f->out, " dx=\"%.1f\"", BLANK);
    begin_row(f, apart);
}

static void write_value(const frame *f, const label *l) {
    char text[64];
    bool apart = value_apart(f, l);
    value_text(l, text, sizeof text);
    fputs("<tspan font-weight=\"400\"", f->out);
    go_on(f, apart);
    fprintf(f->out, ">%s", text);
    if (has_tail(f, l)) {
        fputs(" · ", f->out);
        markup_text(f->out, last_of(l->series[0])->tail);
    }
    fputs("</tspan>", f->out);
}

static void write_doubt(const frame *f, const label *l) {
    fputs("<tspan font-weight=\"400\" font-style=\"italic\"", f->out);
    go_on(f, doubt_apart(f, l));
    fprintf(f->out, ">%s</tspan>", doubt_of(l));
}

static void write_name(const frame *f, const label *l, int k, bool row) {
    const chart_pen *pen = l->series[k]->pen;
    fputs("<tspan", f->out);
    begin_row(f, row);
    if (l->count > 1) fprintf(f->out, " fill=\"%s\" style=\"--d:%s\"", pen->light, pen->dark);
    fputs(">", f->out);
    markup_text(f->out, l->series[k]->name);
    fputs(k + 1 < l->count ? ",</tspan> " : "</tspan>", f->out);
}

static void write_label(const frame *f, const label *l) {
    static const chart_pen plain = {CHART_DIM, CHART_DIM_DARK, "", 1.0, CHART_BARE};
    double middle = l->top + 0.5 * l->tall;
    int letters = 0;
    chart_open_series(f->out, l->count ? l->series[0]->pen : &plain);
    fprintf(f->out, "<path" CHART_LEAD_IN " d=\"M%.1f %.1fH%.1fL%.1f %.1f\"/>", fmin(l->x + 5.0, f->right + 2.0), l->y,
            f->right + 2.0, f->right + 13.0, middle);
    fprintf(f->out, "<text" CHART_NAME "%s x=\"%.1f\" y=\"%.1f\">", l->count > 1 ? " class=\"tie\"" : "",
            f->right + 16.0, middle - 0.5 * LINE * (l->rows - 1) + 4.0);
    if (!l->count) markup_text(f->out, f->c->reference);
    for (int k = 0; k < l->count; ++k) write_name(f, l, k, starts_row(f, l, k, &letters));
    if (has_value(f, l)) write_value(f, l);
    if (l->count && doubt_of(l)) write_doubt(f, l);
    if (l->count && below(f, l->high)) fputs(" ↓", f->out);
    fputs("</text></g>\n", f->out);
}

/* ---- Where they stand ---- */

/* From above; of those below the chart, which all stand at its edge, the larger value first. */
static int by_height(const void *a, const void *b) {
    const label *p = a, *q = b;
    if (p->y != q->y) return p->y > q->y ? 1 : -1;
    return (p->high < q->high) - (p->high > q->high);
}

static void join(label *labels, int *count, const chart_series *s) {
    const chart_point *last = last_of(s);
    label *l = NULL;
    for (int k = 0; k < *count && !l; ++k)
        if (labels[k].count && tied(&labels[k], s)) l = &labels[k];
    if (!l) l = &labels[(*count)++], *l = (label){.low = last->y, .high = last->y};
    l->series[l->count++] = s;
    l->low = fmin(l->low, last->y);
    l->high = fmax(l->high, last->y);
}

static int collect(const frame *f, label *labels) {
    int count = 0;
    for (int k = 0; k < f->c->count; ++k)
        if (!f->c->series[k].guide && last_of(&f->c->series[k])) join(labels, &count, &f->c->series[k]);
    for (int k = 0; k < count; ++k) {
        label *l = &labels[k];
        l->x = below(f, l->high) ? f->right : chart_at_x(f, last_of(l->series[0])->x);
        l->y = fmin(chart_at_y(f, sqrt(l->low * l->high)), f->bottom);
    }
    if (f->c->reference) labels[count++] = (label){.x = f->right, .y = chart_at_y(f, 1.0)};
    for (int k = 0; k < count; ++k) labels[k].rows = rows_of(f, &labels[k]), labels[k].tall = LINE * labels[k].rows + 1;
    qsort(labels, (size_t)count, sizeof *labels, by_height);
    return count;
}

/* Less the heights above it, each label's top must rise: pool neighbours until their means do, then keep within the
 * chart. */
static void spread(double from, double to, double *tops, const double *tall, int count) {
    double above = 0.0;
    for (int k = 0; k < count; above += tall[k++]) tops[k] -= above;
    for (int k = 1; k < count; ++k) {
        int first = k;
        double mean = tops[k];
        while (first > 0 && tops[first - 1] > mean) {
            int size = first - 1;
            while (size > 0 && tops[size - 1] == tops[first - 1]) --size;
            mean = (tops[first - 1] * (first - size) + mean * (k - first + 1)) / (k - size + 1);
            first = size;
        }
        for (int j = first; j <= k; ++j) tops[j] = mean;
    }
    double most = to - above;
    above = 0.0;
    for (int k = 0; k < count; above += tall[k++]) tops[k] = fmax(fmin(tops[k], most), from) + above;
}

double chart_label_room(const chart *c) { return 26.0 + LETTER * letters_of(c); }

bool chart_labels(const frame *f) {
    size_t most = (size_t)f->c->count + 1;
    label *labels = calloc(most, sizeof *labels);
    double *tops = calloc(2 * most, sizeof *tops), *tall = tops ? tops + most : NULL;
    int count = labels && tops ? collect(f, labels) : 0;
    for (int k = 0; k < count; ++k) tall[k] = labels[k].tall, tops[k] = labels[k].y - 0.5 * tall[k];
    if (count) spread(f->top - LINE, f->bottom + 3.0, tops, tall, count);
    for (int k = 0; k < count; ++k) {
        labels[k].top = tops[k];
        write_label(f, &labels[k]);
    }
    bool good = labels && tops;
    free(labels);
    free(tops);
    return good;
}

/* ---- Marks ---- */

#define MARK_LETTER 5.4 /* mean width of a letter of 10 units */

/* Where the name of a mark stands: its right end and the middle of its height. */
typedef struct {
    double right, middle;
} spot;

static double name_width(const chart_mark *m) { return MARK_LETTER * (double)strlen(m->name); }

/* Whether the piece of the line from a to b within [x0, x1] stays out of [y0, y1]. */
static bool passes_by(const frame *f, const chart_point *a, const chart_point *b, double x0, double x1, double y0,
                      double y1) {
    double ax = chart_at_x(f, a->x), ay = chart_at_y(f, a->y), bx = chart_at_x(f, b->x), by = chart_at_y(f, b->y);
    if (bx < x0 || ax > x1) return true;
    double slope = bx > ax ? (by - ay) / (bx - ax) : 0.0;
    double from = ay + slope * (fmax(ax, x0) - ax), to = ay + slope * (fmin(bx, x1) - ax);
    return fmax(from, to) < y0 || fmin(from, to) > y1;
}

static bool crossed(const frame *f, const chart_mark *m, spot at) {
    double x0 = at.right - name_width(m), y0 = at.middle - 0.5 * MARK_LINE, y1 = at.middle + 0.5 * MARK_LINE;
    double one = chart_at_y(f, 1.0);
    if (x0 < f->left || y0 < f->top || y1 > f->bottom || (one > y0 && one < y1)) return true;
    for (int k = 0; k < f->c->count; ++k)
        for (int p = 1; p < f->c->series[k].count; ++p) {
            const chart_point *a = &f->c->series[k].points[p - 1], *b = a + 1;
            if (chart_drawn(a) && chart_drawn(b) && !passes_by(f, a, b, x0, at.right, y0, y1)) return true;
        }
    return false;
}

static bool covers(const chart_mark *marks, const spot *spots, int count, int k, spot at) {
    for (int j = 0; j < count; ++j)
        if (j != k && fabs(spots[j].middle - at.middle) < MARK_LINE &&
            at.right - name_width(&marks[k]) < spots[j].right && spots[j].right - name_width(&marks[j]) < at.right)
            return true;
    return false;
}

/* The nearest place for a name that no line crosses, left of its mark; where there is none, beside the mark. */
static spot place_of(const frame *f, const chart_mark *marks, const spot *taken, int k) {
    spot beside = {chart_at_x(f, marks[k].x) - 14.0, chart_at_y(f, marks[k].y)}, best = beside;
    double nearest = INFINITY;
    for (double dx = 0.0; beside.right - dx > f->left + name_width(&marks[k]); dx += 8.0)
        for (double y = f->top; y < f->bottom; y += 3.0) {
            spot at = {beside.right - dx, y};
            double far = hypot(0.5 * dx, y - beside.middle);
            if (far < nearest && !crossed(f, &marks[k], at) && !covers(marks, taken, k, k, at))
                nearest = far, best = at;
        }
    return best;
}

static int by_value(const void *a, const void *b) {
    const chart_mark *p = a, *q = b;
    return (p->y < q->y) - (p->y > q->y);
}

static void write_mark(const frame *f, const chart_mark *m, spot at) {
    double x = chart_at_x(f, m->x), y = chart_at_y(f, m->y);
    fprintf(f->out, "<path" CHART_OLD " d=\"M%.1f %.1f%s\"/>", x, y, chart_markers[m->marker]);
    fprintf(f->out, "<path" CHART_OLD_IN " d=\"M%.1f %.1fL%.1f %.1f\"/>", x - 5.0, y, at.right + 2.0, at.middle);
    fprintf(f->out, "<text" CHART_OLD_NAME " x=\"%.1f\" y=\"%.1f\">", at.right, at.middle + 3.5);
    markup_text(f->out, m->name);
    fputs("</text>\n", f->out);
}

bool chart_marks(const frame *f) {
    int count = f->c->mark_count;
    if (!count) return true;
    chart_mark *marks = malloc((size_t)count * sizeof *marks);
    spot *spots = calloc((size_t)count, sizeof *spots);
    bool good = marks && spots;
    if (good) {
        memcpy(marks, f->c->marks, (size_t)count * sizeof *marks);
        qsort(marks, (size_t)count, sizeof *marks, by_value);
    }
    for (int k = 0; k < count && good; ++k) {
        spots[k] = place_of(f, marks, spots, k);
        if (log2(marks[k].x) >= f->x0 && log2(marks[k].x) <= f->x1) write_mark(f, &marks[k], spots[k]);
    }
    free(marks);
    free(spots);
    return good;
}
