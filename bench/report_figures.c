/* report_figures.c: the paper's figures: I against n, one line per map, one chart per block side, each with its own
 * scale, and the paper's own values in grey.
 *
 * A map has the same colour, dash and marker in every chart, so that a reader learns it once. Colours are told apart
 * with the usual colour blindnesses; where two come near each other, dash and marker differ.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report_parts.h"

#define LOWEST 0.5 /* of I in a chart: a map that is far slower must not press the others together */

static const struct {
    const char *map;
    chart_pen pen;
} pens[] = {
    {"bb", {"#8a949f", "#75808d", "", 1.6, CHART_BARE}},
    {"bb-resident", {"#6b7580", "#9aa5b1", "6 3", 1.6, CHART_CROSS}},
    {"rows", {"#5a7d00", "#b4d455", "", 1.8, CHART_UP}},
    {"lambda", {"#0072b2", "#58b0ea", "", 2.0, CHART_DISC}},
    {"lambda-x", {"#3d8fd1", "#9fd0f5", "7 3", 1.5, CHART_UP}},
    {"lambda-n", {"#7a5cc0", "#bda6f2", "2 3", 1.5, CHART_DOWN}},
    {"lambda-r", {"#0b7f86", "#4fc9cf", "8 3 2 3", 1.5, CHART_PLUS}},
    {"rb", {"#c94f00", "#ff9350", "", 1.8, CHART_SQUARE}},
    {"rb-thread", {"#9a7400", "#e3b94a", "5 3", 1.5, CHART_SQUARE}},
    {"rb-tiles", {"#9a7400", "#e3b94a", "1 2", 1.8, CHART_DIAMOND}},
    {"bb-late", {"#6b7580", "#9aa5b1", "2 2", 1.6, CHART_DOWN}},
    {"rec", {"#00875f", "#3fd0a0", "", 1.6, CHART_DIAMOND}},
    {"utm", {"#a8357c", "#ec86c4", "3 2", 1.6, CHART_CROSS}},
    {"utm-x", {"#a8357c", "#ec86c4", "8 3", 1.5, CHART_DOWN}},
    {"hmap", {"#7b4b24", "#cfa37a", "10 3", 1.8, CHART_STAR}},
    {"walk", {"#111820", "#f4f6f8", "", 2.4, CHART_DIAMOND}},
    {"engine", {"#b3001b", "#ff7a85", "", 2.8, CHART_HEXAGON}},
    {"lut", {"#c25b94", "#f5a9d0", "6 2", 1.6, CHART_HEXAGON}},
};

static const chart_pen spare[] = {
    {"#4c6a1f", "#a9cf6a", "4 2 1 2", 1.6, CHART_UP},
    {"#84461c", "#e0a878", "9 2", 1.6, CHART_HEXAGON},
    {"#3f4fa8", "#9aa8ff", "1 2", 1.6, CHART_STAR},
};

static const chart_pen bound_pen = {"#5d6875", "#a3aebb", "4 4", 1.0, CHART_BARE};
static const chart_pen wrong_pen = {"#5d6875", "#a3aebb", "", 1.6, CHART_DISC};

enum { PENS = sizeof pens / sizeof *pens, SPARE = sizeof spare / sizeof *spare };

const chart_pen *pen_of_map(const char *map) {
    unsigned sum = 0;
    for (int k = 0; k < PENS; ++k)
        if (!strcmp(map, pens[k].map)) return &pens[k].pen;
    for (; *map; ++map) sum = sum * 31u + (unsigned char)*map;
    return &spare[sum % SPARE];
}

/* ---- Charts ---- */

static bool is_bb(const bench_row *row) { return !strcmp(row->map, "bb"); }

static chart_series *series_of(chart *c, const char *name) {
    for (int k = 0; k < c->count; ++k)
        if (!c->series[k].guide && !strcmp(c->series[k].name, name)) return &c->series[k];
    return chart_add(c, name, pen_of_map(name));
}

static bool add_row(chart *c, const bench_row *row) {
    chart_series *s = series_of(c, row->map);
    chart_point *p = s ? chart_add_point(s) : NULL;
    if (!p) return false;
    p->x = (double)row->n;
    if (!row_timed(row)) return true;
    p->y = row->improvement;
    p->low = row->improvement_low;
    p->high = row->improvement_high;
    p->doubt = row->status == ROW_WRONG ? "wrong" : *row->doubt ? "no result" : NULL;
    char noise[40] = "", interval[72] = "";
    if (row_is_result(row)) snprintf(noise, sizeof noise, " ± %s", numeral_percent(row->time.noise).s);
    if (strcmp(row->doubt, "few"))
        snprintf(interval, sizeof interval, " (%s to %s)", numeral_number(p->low, 3).s, numeral_number(p->high, 3).s);
    else
        p->low = p->high = p->y;
    snprintf(p->note, sizeof p->note, "%s, n = %s: %s%s, I = %s%s, k = %s%s%s", row->map, numeral_whole(row->n).s,
             numeral_time(row->time.median).s, noise, numeral_number(p->y, 3).s, interval,
             numeral_number(row->penalty, 3).s, p->doubt ? ", " : "", p->doubt ? p->doubt : "");
    snprintf(p->tail, sizeof p->tail, "%s", numeral_time(row->time.median).s);
    return true;
}

static int by_x(const void *a, const void *b) {
    const chart_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* Most maps have one bound, 2m/(m+1): it is drawn once, in grey. One that differs has the colour of its map. */
static bool same_bound(const chart_series *a, const chart_series *b) {
    for (int p = 0; p < b->count; ++p) {
        bool met = false;
        for (int q = 0; q < a->count; ++q)
            if (a->points[q].x == b->points[p].x) met = fabs(a->points[q].y / b->points[p].y - 1.0) < 0.12;
        if (!met) return false;
    }
    return true;
}

static bool add_bound(chart *c, const figure *f, uint32_t rho, const char *map, bool first) {
    chart_series *s = chart_add(c, map, first ? &bound_pen : pen_of_map(map));
    if (!s) return false;
    s->guide = true;
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        if (!same_figure(row, f->like) || row->rho != rho || strcmp(row->map, map) || !row_timed(row)) continue;
        if (!isnormal(row->bound) || row->bound < 0.0) continue;
        chart_point *p = chart_add_point(s);
        if (!p) return false;
        p->x = (double)row->n;
        p->y = row->bound;
    }
    if (s->count) qsort(s->points, (size_t)s->count, sizeof *s->points, by_x);
    bool known = s->count == 0;
    for (int k = 0; k < c->count - 1 && !known; ++k) known = c->series[k].guide && same_bound(&c->series[k], s);
    if (!known) return true;
    free(s->points);
    --c->count;
    return true;
}

static bool add_bounds(chart *c, const figure *f, uint32_t rho) {
    int lines = c->count;
    for (int k = 0; k < lines; ++k) {
        char map[32];
        snprintf(map, sizeof map, "%s", c->series[k].name);
        if (!add_bound(c, f, rho, map, c->count == lines)) return false;
    }
    return true;
}

/* What the paper says of its Kepler GPUs, and of which ("Kepler": it does not say). It names no n but the largest. */
static const struct {
    const char *experiment, *variant, *map, *name;
    double improvement;
} in_paper[] = {
    {"roots", "", "lambda-x", "X 0.83, GTX 765M", 0.83},   {"roots", "", "lambda-x", "X 0.87, GTX 680", 0.87},
    {"roots", "", "lambda-n", "N 0.96, GTX 765M", 0.96},   {"roots", "", "lambda-n", "N 1.025, GTX 680", 1.025},
    {"roots", "", "lambda-r", "R 1.10, GTX 765M", 1.10},   {"roots", "", "lambda-r", "R 1.15, GTX 680", 1.15},
    {"roots", "", "lambda-x", "X, N, R 1.08, K40", 1.08},  {"map", "", "rb-thread", "RB 1.33, GTX 765M", 1.33},
    {"map", "", "lambda-r", "lambda 1.18, GTX 680", 1.18}, {"map", "", "lambda-r", "all 1.07, K40", 1.07},
    {"edm", "square", "rb-thread", "RB 1.28, K40", 1.28},  {"edm", "square", "lambda-r", "lambda 1.18, Kepler", 1.18},
    {"edm", "square", "rec", "REC 1.12, Kepler", 1.12},    {"collide3d", "", "lambda-r", "lambda 1.07, Kepler", 1.07},
};

enum { IN_PAPER = sizeof in_paper / sizeof *in_paper, PAPERS_N = 30720 };

static bool has_marks(const chart *c) {
    bool left = false, right = false;
    for (int k = 0; k < c->count; ++k)
        for (int p = 0; p < c->series[k].count; ++p) {
            const chart_point *at = &c->series[k].points[p];
            left |= chart_drawn(at) && at->x < PAPERS_N;
            right |= chart_drawn(at) && at->x >= PAPERS_N;
        }
    return left && right;
}

bool figure_marks(const figure *f, chart *c) {
    const bench_row *like = f->like;
    for (int k = 0; k < IN_PAPER && has_marks(c); ++k) {
        if (strcmp(in_paper[k].experiment, like->experiment) || strcmp(in_paper[k].variant, like->variant)) continue;
        chart_mark *m = chart_add_mark(c);
        if (!m) return false;
        m->x = PAPERS_N;
        m->y = in_paper[k].improvement;
        m->marker = pen_of_map(in_paper[k].map)->marker;
        snprintf(m->name, sizeof m->name, "%s", in_paper[k].name);
    }
    return true;
}

bool figure_chart(const figure *f, uint32_t rho, chart *c, char title[160]) {
    snprintf(title, 160, "%.90s, rho %" PRIu32, experiment_title(f->like), rho);
    c->title = title;
    c->about = "Improvement over the bounding box against the side n, one line per map; the table has the numbers.";
    c->x_label = "n";
    c->y_label = "I = time(bb) / time(map)";
    c->reference = "bb";
    c->y_floor = LOWEST;
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        if (!same_figure(row, f->like) || row->rho != rho || is_bb(row)) continue;
        if (!add_row(c, row)) return false;
    }
    for (int k = 0; k < c->count; ++k)
        qsort(c->series[k].points, (size_t)c->series[k].count, sizeof(chart_point), by_x);
    return add_bounds(c, f, rho);
}

/* ---- On the page ---- */

static bool any_improvement(const figure *f, uint32_t rho) {
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        if (same_figure(row, f->like) && row->rho == rho && !is_bb(row) && row_timed(row) && row->improvement > 0.0)
            return true;
    }
    return false;
}

static void write_caption(FILE *f, const figure *fig, uint32_t rho) {
    uint64_t n = figure_largest_n(fig, rho);
    fprintf(f, "<figcaption><b>rho %" PRIu32 "</b>", rho);
    if (n) {
        fprintf(f, "<span class=\"dim\">n = %s: </span>", numeral_whole(n).s);
        write_best(f, fig->result, fig->like, n, rho);
        outcome o = outcome_of(fig->result, fig->like, n, rho);
        char why[192];
        if (!o.best && o.doubted) {
            doubt_reason(fig->result, o.doubted, why, sizeof why);
            fputs("<span class=\"dim\">, ", f);
            markup_reason(f, why);
            fputs("</span>", f);
        }
    }
    fputs("</figcaption>\n", f);
}

/* From where on a map is wrong, as the first of its rows says that has it; NULL: nowhere. */
static const char *wrong_from(const figure *f, const char *map) {
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        if (same_figure(row, f->like) && !strcmp(row->map, map) && row->status == ROW_WRONG) return row->remark;
    }
    return NULL;
}

static bool is_drawn(const figure *f, const char *map) {
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        if (same_figure(row, f->like) && !strcmp(row->map, map) && row_timed(row) && row->improvement > 0.0)
            return true;
    }
    return false;
}

static bool seen_before(const figure *f, int at) {
    for (int k = 0; k < at; ++k)
        if (same_figure(&f->result->rows[k], f->like) && !strcmp(f->result->rows[k].map, f->result->rows[at].map))
            return true;
    return false;
}

/* What the charts of a figure have, so that its legend explains that and nothing else. */
typedef struct {
    bool marks, bounds, lines; /* the paper's values; bounds of I; more than one n was timed, so that there are lines */
} parts;

static void write_legend(FILE *f, const figure *fig, parts have) {
    bool any_doubt = false, any_low = false;
    fputs("<ul class=\"legend\" aria-label=\"Legend\">\n", f);
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!same_figure(row, fig->like)) continue;
        any_low = any_low || (row_timed(row) && row->improvement > 0.0 && row->improvement < LOWEST);
        any_doubt = any_doubt || *row->doubt || row->status == ROW_WRONG;
        if (seen_before(fig, k) || !is_drawn(fig, row->map)) continue;
        const char *wrong = wrong_from(fig, row->map);
        if (!have.lines && !wrong) continue; /* a bar has its name beside it */
        fputs("<li>", f);
        chart_swatch(f, pen_of_map(row->map), false);
        markup_text(f, row->map);
        if (is_bb(row)) fputs(" <span class=\"dim\">bounding box, I = 1</span>", f);
        if (row_is_engine(row)) fputs("<span class=\"dim\">wedge's own kernel, not ranked</span>", f);
        if (wrong) fputs(" <i>", f), markup_text(f, wrong), fputs("</i>", f);
        fputs("</li>\n", f);
    }
    if (have.bounds) {
        fputs("<li class=\"dim\">", f);
        chart_swatch(f, &bound_pen, false);
        fputs("bound of I for one tile per block</li>\n", f);
    }
    if (have.marks)
        fputs("<li class=\"dim\">grey marks: the paper's Kepler GPUs, drawn at its largest n, 30,720</li>\n", f);
    if (any_low && have.lines) fprintf(f, "<li class=\"dim\">↓ below the chart, I under %g</li>\n", LOWEST);
    if (any_doubt && have.lines) {
        fputs("<li class=\"dim\">", f);
        chart_swatch(f, &wrong_pen, true);
        fputs("wrong at this n, or no result</li>\n", f);
    }
    fputs("</ul>\n", f);
}

enum {
    LEAD_WIDTH = 660,
    LEAD_HEIGHT = 400,
    PHONE_WIDTH = 370,
    PHONE_HEIGHT = 380,
    REST_WIDTH = 430,
    REST_HEIGHT = 270
};

/* The largest chart twice: as wide as a screen, and, shown in its place on a phone, as narrow as that. */
static bool write_chart(FILE *f, chart *c, bool lead) {
    c->width = lead ? LEAD_WIDTH : REST_WIDTH;
    c->height = lead ? LEAD_HEIGHT : REST_HEIGHT;
    c->values = lead;
    c->notes = true;
    if (!lead) return chart_write(f, c);
    fputs("<div class=\"wide\">", f);
    bool good = chart_write(f, c);
    c->width = PHONE_WIDTH, c->height = PHONE_HEIGHT, c->notes = false;
    fputs("</div><div class=\"narrow\">", f);
    good = good && chart_write(f, c);
    fputs("</div>", f);
    return good;
}

static void note_parts(const chart *c, parts *have) {
    have->marks |= c->mark_count > 0;
    for (int k = 0; k < c->count; ++k) have->bounds |= c->series[k].guide;
    have->lines |= !chart_lone(c);
}

static bool write_charts(FILE *f, const figure *fig, const uint32_t *rhos, int count, parts *have) {
    bool good = true;
    fprintf(f, "<div class=\"charts%s\">\n", count == 1 ? " one" : "");
    for (int k = 0; k < count && good; ++k) {
        chart c = {0};
        char title[160];
        good = figure_chart(fig, rhos[k], &c, title) && (k || figure_marks(fig, &c));
        note_parts(&c, have);
        if (k == 1) fputs("<div class=\"rest\">\n", f);
        fprintf(f, "<figure%s>", k ? "" : " class=\"lead\"");
        write_caption(f, fig, rhos[k]);
        good = good && write_chart(f, &c, k == 0);
        fputs("</figure>\n", f);
        chart_free(&c);
    }
    fputs(count > 1 ? "</div></div>\n" : "</div>\n", f);
    return good;
}

bool has_figure(const figure *fig) {
    uint32_t rhos[MOST_RHOS];
    int count = figure_rhos(fig, rhos);
    for (int k = 0; k < count; ++k)
        if (any_improvement(fig, rhos[k])) return true;
    return false;
}

bool write_figure(FILE *f, const figure *fig) {
    uint32_t rhos[MOST_RHOS], shown[MOST_RHOS];
    int count = figure_rhos(fig, rhos), charts = 0;
    for (int k = 0; k < count; ++k)
        if (any_improvement(fig, rhos[k])) shown[charts++] = rhos[k];
    if (charts == 0) {
        fputs(fig->like->rho ? "<p class=\"dim\">No figure: it needs bb and another map, both timed.</p>\n" : "", f);
        return true;
    }
    parts have = {0};
    if (!write_charts(f, fig, shown, charts, &have)) return false;
    write_legend(f, fig, have);
    return true;
}
