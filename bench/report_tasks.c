/* report_tasks.c: tasks on the page: all of them in one table, and each with bars as long as its times.
 *
 * Tasks are not ranked, and their rows are not always ways to one result. Where they are, pruned beside all-pairs, it is
 * said how many times as long every pair takes.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "bench/report_parts.h"

bool only_tasks(const bench_result *r) {
    for (int k = 0; k < r->count; ++k)
        if (!row_is_task(&r->rows[k])) return false;
    return r->count > 0;
}

static bool counts(const bench_row *row, const bench_row *like, uint64_t n) {
    return same_figure(row, like) && row->n == n && row_is_task(row) && row_timed(row) && !*row->doubt;
}

static const bench_row *named(const figure *fig, uint64_t n, const char *name) {
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (counts(row, fig->like, n) && !strcmp(row->sink, name)) return row;
    }
    return NULL;
}

/* ---- Bars ---- */

static double longest(const figure *fig, uint64_t n) {
    double most = 0;
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (counts(row, fig->like, n) && row->time.median > most) most = row->time.median;
    }
    return most;
}

static void write_bar(FILE *f, const bench_row *row, double most, const bench_row *pruned) {
    fputs("<dt>", f);
    markup_text(f, row->sink);
    fprintf(f, "</dt><dd><span style=\"width:%.2f%%\"></span></dd><dd>%s", 100 * row->time.median / most,
            numeral_time(row->time.median).s);
    if (pruned && pruned != row)
        fprintf(f, ", <strong>%s</strong> times as long", numeral_number(row->time.median / pruned->time.median, 3).s);
    fputs("</dd>\n", f);
}

static bool first_of_size(const figure *fig, int at) {
    const bench_row *row = &fig->result->rows[at];
    for (int k = 0; k < at; ++k)
        if (counts(&fig->result->rows[k], fig->like, row->n)) return false;
    return counts(row, fig->like, row->n);
}

void write_bars(FILE *f, const figure *fig) {
    for (int at = 0; at < fig->result->count; ++at) {
        if (!first_of_size(fig, at)) continue;
        uint64_t n = fig->result->rows[at].n;
        double most = longest(fig, n);
        fprintf(f, "<p class=\"dim size\">n = %s</p>\n<dl class=\"bars\">\n", numeral_whole(n).s);
        for (int k = at; k < fig->result->count; ++k)
            if (counts(&fig->result->rows[k], fig->like, n))
                write_bar(f, &fig->result->rows[k], most, named(fig, n, "pruned"));
        fputs("</dl>\n", f);
    }
}

/* ---- All of them ---- */

static void write_head(FILE *f, const figure *fig, int index, int at, uint64_t n, const char *row) {
    fprintf(f, "<tr><th scope=\"row\"><a href=\"#r%d-%d\">", index, at);
    markup_text(f, experiment_title(fig->like));
    fputs("</a>", f);
    if (row) {
        fputs(", ", f);
        markup_text(f, row);
    }
    fputs("</th><td class=\"t\">", f);
    markup_text(f, *fig->result->device.name ? fig->result->device.name : fig->result->device.id);
    fprintf(f, "</td><td>%s</td>", numeral_whole(n).s);
}

static void write_task(FILE *f, const figure *fig, int index, int at) {
    uint64_t n = figure_largest_n(fig, 0);
    const bench_row *pruned = named(fig, n, "pruned"), *every = named(fig, n, "all-pairs");
    if (pruned || every) {
        write_head(f, fig, index, at, n, NULL);
        fprintf(f, "<td>%s</td><td>%s</td>", pruned ? numeral_time(pruned->time.median).s : "–",
                every ? numeral_time(every->time.median).s : "–");
        fprintf(f, "<td>%s</td></tr>\n",
                pruned && every ? numeral_number(every->time.median / pruned->time.median, 3).s : "–");
        return;
    }
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!counts(row, fig->like, n)) continue;
        write_head(f, fig, index, at, n, row->sink);
        fprintf(f, "<td>–</td><td>%s</td><td>–</td></tr>\n", numeral_time(row->time.median).s);
    }
}

void write_tasks(FILE *f, const bench_result *results, int count) {
    bool any = false;
    for (int r = 0; r < count; ++r)
        for (int k = 0; k < results[r].count; ++k) {
            figure fig = {.result = &results[r], .like = &results[r].rows[k]};
            if (!first_of_figure(&results[r], k) || !row_is_task(fig.like) || !figure_largest_n(&fig, 0)) continue;
            if (!any)
                fputs(
                    "<h2 id=\"tasks\">What programs ask for</h2>\n<p class=\"dim\">From points on the device, in any "
                    "order, to the result there, at the largest n. Pruned leaves out tiles that cannot matter; every "
                    "result was compared with double precision before it was timed.</p>\n<div class=\"scroll\" "
                    "tabindex=\"0\" role=\"region\" aria-label=\"Tasks\"><table class=\"side\">\n<thead><tr>"
                    "<th scope=\"col\">task</th><th scope=\"col\" class=\"t\">device</th><th scope=\"col\">n</th>"
                    "<th scope=\"col\">pruned</th><th scope=\"col\">all computed</th><th scope=\"col\">times as "
                    "long</th></tr></thead><tbody>\n",
                    f);
            any = true;
            write_task(f, &fig, r, k);
        }
    if (any) fputs("</tbody></table></div>\n", f);
}
