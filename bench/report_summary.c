/* report_summary.c: what a page says first: what to beware of, who won, and every experiment in one line.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "bench/report_parts.h"

outcome outcome_of(const bench_result *r, const bench_row *like, uint64_t n, uint32_t rho) {
    outcome o = {NULL, NULL, 0, NULL};
    const bench_row *engine = NULL;
    bool maps = false;
    for (int k = 0; k < r->count; ++k) {
        const bench_row *row = &r->rows[k];
        if (!same_figure(row, like) || row->n != n || row->rho != rho || !row_timed(row)) continue;
        maps |= !row_is_engine(row);
        if (row_is_engine(row) && !*row->sink && !*row->doubt) engine = row;
        if (!strcmp(row->map, "bb") && !*row->doubt) o.bb = row;
        if (row->best && *row->doubt && !o.doubted) o.doubted = row;
        if (!row_wins(row)) continue;
        ++o.tied;
        if (!o.best || row->time.median < o.best->time.median) o.best = row;
    }
    if (o.doubted) o.best = NULL;
    if (!maps && engine) o = (outcome){engine, NULL, 1, NULL};
    return o;
}

void write_winners(FILE *f, const bench_result *r, const outcome *o) {
    int said = 0;
    fputs("<strong>", f);
    if (o->tied == 1) markup_text(f, o->best->map);
    for (int k = 0; k < r->count && o->tied > 1; ++k) {
        if (!row_same_group(&r->rows[k], o->best) || !row_wins(&r->rows[k])) continue;
        if (said) fputs(said + 1 < o->tied ? ", " : " and ", f);
        markup_text(f, r->rows[k].map);
        ++said;
    }
    fputs("</strong>", f);
}

/* The dummy kernel says most about maps; else the first that can be drawn, else the first. */
int leading_row(const bench_result *r) {
    int drawn = -1;
    for (int k = 0; k < r->count; ++k) {
        figure fig = {.result = r, .like = &r->rows[k]};
        if (!first_of_figure(r, k) || !has_figure(&fig)) continue;
        if (!strcmp(r->rows[k].experiment, "map")) return k;
        if (drawn < 0) drawn = k;
    }
    return drawn < 0 ? 0 : drawn;
}

void write_warnings(FILE *f, const bench_result *results, int count) {
    for (int k = 0; k < count; ++k) {
        if (!results[k].warning || !*results[k].warning) continue;
        fputs("<p class=\"warning\" role=\"alert\"><b>", f);
        if (count > 1) markup_text(f, results[k].device.name);
        fputs(count > 1 ? ", careful:</b> " : "Careful:</b> ", f);
        markup_text(f, results[k].warning);
        fputs("</p>\n", f);
    }
}

/* At the figure's first block side: the largest n that has a winner, else the largest that has a time. */
static outcome final_outcome(const figure *fig, uint32_t *rho, uint64_t *n) {
    uint32_t rhos[MOST_RHOS];
    *rho = figure_rhos(fig, rhos) ? rhos[0] : 0;
    *n = figure_largest_n(fig, *rho);
    outcome best = outcome_of(fig->result, fig->like, *n, *rho);
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!same_figure(row, fig->like) || row->rho != *rho || (best.best && row->n <= *n)) continue;
        outcome o = outcome_of(fig->result, fig->like, row->n, *rho);
        if (o.best) best = o, *n = row->n;
    }
    return best;
}

static void write_case(FILE *f, const figure *fig, uint64_t n, uint32_t rho) {
    markup_text(f, experiment_title(fig->like));
    fprintf(f, ", n = %s", numeral_whole(n).s);
    if (rho) fprintf(f, ", blocks of %" PRIu32 "<sup>%d</sup> threads", rho, fig->like->rank);
}

/* Sinks and tasks are not ranked: at the largest n, each sink has its rate and each task its time. False: there is none. */
static bool write_rates(FILE *f, const figure *fig) {
    uint64_t n = figure_largest_n(fig, 0);
    bool tasks = row_is_task(fig->like);
    int said = 0;
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!same_figure(row, fig->like) || row->n != n || !*row->sink || !row_timed(row) || *row->doubt) continue;
        if (said++) fputs(", ", f);
        fputs("<strong>", f);
        markup_text(f, row->sink);
        fprintf(f, "</strong> %s",
                tasks ? numeral_time(row->time.median).s : numeral_scaled((double)row->cells / row->time.median).s);
    }
    if (said && !tasks) fputs(" cells/s", f);
    return said > 0;
}

bool result_ran(const bench_result *r) {
    for (int k = 0; k < r->count; ++k)
        if (r->rows[k].status != ROW_SKIPPED) return true;
    return false;
}

/* The first that was skipped says why nothing was measured; the table below has the others. */
static void nothing_reason(const bench_result *r, char *text, size_t size) {
    snprintf(text, size, "every row failed, or was refused");
    if (r->rows[0].status == ROW_SKIPPED && !strcmp(r->rows[0].cause, "budget") && r->budget > 0) {
        snprintf(text, size, "the budget of %.3g s is too short; try --budget %.0f", r->budget, result_next_budget(r));
        return;
    }
    for (int k = r->count - 1; k >= 0; --k)
        if (r->rows[k].status == ROW_SKIPPED && *r->rows[k].remark) snprintf(text, size, "%s", r->rows[k].remark);
}

/* Most of walk's gain is that of blocks that stay, which a plain loop over rows has, too. */
static void write_rows_beside(FILE *f, const bench_result *r, const outcome *o) {
    const bench_row *rows = result_rows_beside(r, o->best);
    if (!rows || row_wins(rows)) return;
    fprintf(f, "; <code>rows</code>, which needs no map, takes %s, <strong>%s times</strong> as long",
            numeral_time(rows->time.median).s, numeral_number(rows->time.median / o->best->time.median, 3).s);
}

void write_verdict(FILE *f, const bench_result *r) {
    figure fig = {.result = r, .like = r->count ? &r->rows[leading_row(r)] : NULL};
    uint32_t rho;
    uint64_t n;
    if (!r->count) return;
    outcome o = final_outcome(&fig, &rho, &n);
    fputs("<p class=\"verdict\">On ", f);
    markup_text(f, *r->device.name ? r->device.name : r->device.id);
    if (*fig.like->sink && n) {
        fputs(": ", f);
        if (!write_rates(f, &fig)) fputs("no result", f);
        fputs(" <span class=\"dim\">(", f);
        write_case(f, &fig, n, rho);
        fputs(")</span>.</p>\n", f);
        return;
    }
    if (!n || !o.best) {
        char why[256] = "none could be ranked";
        if (!n) nothing_reason(r, why, sizeof why);
        if (n && o.doubted) doubt_reason(r, o.doubted, why, sizeof why);
        fputs(n ? ", no map can be called the fastest: " : ", nothing was measured: ", f);
        markup_reason(f, why);
        fputs(".</p>\n", f);
        return;
    }
    fputs(o.tied > 1 ? ", these are fastest, in a tie: " : ", the fastest is ", f);
    write_winners(f, r, &o);
    fprintf(f, ", with %s", numeral_time(o.best->time.median).s);
    if (o.bb && o.bb != o.best)
        fprintf(f, "; the bounding box takes %s, <strong>%s times</strong> as long", numeral_time(o.bb->time.median).s,
                numeral_number(o.best->improvement, 3).s);
    write_rows_beside(f, r, &o);
    fputs(" <span class=\"dim\">(", f);
    write_case(f, &fig, n, rho);
    const bench_row *other = result_best_bb(r, o.best);
    if (other && other->rho != rho)
        fprintf(f, "; at its best, with %" PRIu32 "<sup>%d</sup> threads, the bounding box takes %s, %s times as long",
                other->rho, other->rank, numeral_time(other->time.median).s,
                numeral_number(other->time.median / o.best->time.median, 3).s);
    fputs(")</span>.</p>\n", f);
}

static void write_line(FILE *f, const figure *fig, int index, int row) {
    uint32_t rho;
    uint64_t n;
    outcome o = final_outcome(fig, &rho, &n);
    fprintf(f, "<tr><th scope=\"row\"><a href=\"#r%d-%d\">", index, row);
    markup_text(f, experiment_title(fig->like));
    fputs("</a></th><td class=\"t\">", f);
    const bench_row *rows = o.best ? result_rows_beside(fig->result, o.best) : NULL;
    if (o.best)
        write_winners(f, fig->result, &o);
    else if (!write_rates(f, fig))
        fputs(o.doubted ? "<span class=\"bad\">no result</span>" : "–", f);
    if (rows && !row_wins(rows)) fprintf(f, " <span class=\"dim\">rows: %s</span>", numeral_time(rows->time.median).s);
    fprintf(f, "</td><td>%s</td>", o.best && o.bb ? numeral_number(o.best->improvement, 3).s : "–");
    fprintf(f, "<td>%s</td>", o.best ? numeral_time(o.best->time.median).s : "–");
    fprintf(f, "<td>%s</td>", o.bb ? numeral_time(o.bb->time.median).s : "–");
    fprintf(f, "<td>%s</td><td>%s</td></tr>\n", n ? numeral_whole(n).s : "–", rho ? numeral_whole(rho).s : "–");
}

void write_glance(FILE *f, const bench_result *r, int index) {
    if (!result_ran(r)) return;
    fputs(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The fastest map of each experiment\">"
        "<table class=\"side\">\n<thead><tr><th scope=\"col\">experiment</th>"
        "<th scope=\"col\" class=\"t\">fastest</th><th scope=\"col\">I</th><th scope=\"col\">time</th>"
        "<th scope=\"col\">bb</th><th scope=\"col\">n</th><th scope=\"col\">rho</th></tr></thead><tbody>\n",
        f);
    for (int k = 0; k < r->count; ++k) {
        figure fig = {.result = r, .like = &r->rows[k]};
        if (first_of_figure(r, k) && figure_ran(&fig)) write_line(f, &fig, index, k);
    }
    fputs("</tbody></table></div>\n", f);
}
