/* report_tables.c: the numbers behind the figures: every row, devices side by side, and what was not measured.
 *
 * A table scrolls in a box of its own, so that the page never does sideways; its head and the names of maps stay.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/report_parts.h"

static const struct {
    const char *title, *below, *left;
} columns[] = {
    {"map", "", NULL},
    {"check", "", "t"},
    {"time", "median ± noise", NULL},
    {"I", "95 % interval", NULL},
    {"k", "penalty", NULL},
    {"bound", "of I if k = 1", NULL},
    {"threads", "launches", NULL},
    {"wasted", "of the work", NULL},
    {"share", "of the ceiling", NULL},
    {"energy", "per cell", NULL},
    {"samples", "stopped by", NULL},
    {"compile", "", NULL},
    {"remark", "", "t"},
};

enum { RATIO = 3, THREADS = 6, SHARE = 8, ENERGY = 9, COLUMNS = sizeof columns / sizeof *columns };

static bool has_energy(const figure *fig) {
    for (int k = 0; k < fig->result->count; ++k)
        if (same_figure(&fig->result->rows[k], fig->like) && fig->result->rows[k].energy > 0.0) return true;
    return false;
}

/* Sinks and tasks have a rate where maps have I, k and their bound, and words where maps have threads. */
static void write_head(FILE *f, const figure *fig) {
    const bench_row *like = fig->like;
    fprintf(f, "<thead><tr><th scope=\"col\">%s</th>", row_kind(like));
    for (int k = 1; k < COLUMNS; ++k) {
        if (k == ENERGY && !has_energy(fig)) continue;
        if (*like->sink && k >= RATIO && k < SHARE) {
            if (k == RATIO) fputs("<th scope=\"col\" colspan=\"3\">rate</th>", f);
            if (k == THREADS) fputs("<th scope=\"col\" colspan=\"2\">how</th>", f);
            continue;
        }
        fprintf(f, "<th scope=\"col\"%s>%s", columns[k].left ? " class=\"t\"" : "", columns[k].title);
        if (*columns[k].below) fprintf(f, "<small>%s</small>", columns[k].below);
        fputs("</th>", f);
    }
    fputs("</tr></thead>\n", f);
}

static const char *check(const bench_row *row) {
    if (*row->doubt)
        return !strcmp(row->doubt, "bound") ? "above its bound"
               : !strcmp(row->doubt, "few") ? "too few samples"
                                            : "no result";
    if (row->status == ROW_OK) return row->verified ? "verified" : "not verified";
    return (unsigned)row->status <= ROW_SKIPPED ? row_status_names[row->status] : "?";
}

static void write_ratio(FILE *f, const bench_row *row) {
    if (*row->sink) { /* no map to compare with: its rate, and that of store */
        fputs("<td colspan=\"3\">", f);
        if (row_timed(row)) fprintf(f, "%s cells/s", numeral_scaled((double)row->cells / row->time.median).s);
        if (row->of_store > 0.0) fprintf(f, " <small>%s of store</small>", numeral_percent(row->of_store).s);
        fputs("</td>", f);
        return;
    }
    if (row->improvement > 0.0 && !strcmp(row->doubt, "few"))
        fprintf(f, "<td>%s</td>", numeral_number(row->improvement, 3).s);
    else if (row->improvement > 0.0 && !strcmp(row->doubt, "spread"))
        fprintf(f, "<td><small>%s to %s</small></td>", numeral_number(row->improvement_low, 3).s,
                numeral_number(row->improvement_high, 3).s);
    else if (row->improvement > 0.0)
        fprintf(f, "<td>%s <small>%s to %s</small></td>", numeral_number(row->improvement, 4).s,
                numeral_number(row->improvement_low, 4).s, numeral_number(row->improvement_high, 4).s);
    else
        fputs("<td>–</td>", f);
    fprintf(f, "<td>%s</td><td>%s</td>", numeral_number(*row->doubt ? 0.0 : row->penalty, 3).s,
            numeral_number(row->bound, 4).s);
}

/* The engine's blocks are its own: instead, which map and tile it chose. */
static void write_threads(FILE *f, const bench_row *row) {
    if (*row->how) {
        fputs("<td colspan=\"2\"><small>", f);
        markup_text(f, row->how);
        fputs("</small></td>", f);
        return;
    }
    if (row->threads == 0) {
        fputs("<td>–</td><td>–</td>", f);
        return;
    }
    fprintf(f, "<td>%s <small>in %s</small></td>", numeral_scaled((double)row->threads).s,
            numeral_whole(row->launches).s);
    fprintf(f, "<td>%s <small>%s</small></td>", numeral_scaled((double)row->wasted).s,
            numeral_percent((double)row->wasted / ((double)row->wasted + (double)row->cells)).s);
}

/* Results of before the ceiling had a name: what has bytes was held against fill. */
static void write_share(FILE *f, const bench_row *row) {
    if (!row_timed(row) || row->share <= 0.0) {
        fputs("<td>–</td>", f);
        return;
    }
    fprintf(f, "<td>%s <small>", numeral_percent(row->share).s);
    markup_text(f, *row->limit ? row->limit : row->bytes > 0.0 ? "fill" : "fma");
    if (row->share_fill > 0.0 && row_is_engine(row) && strcmp(row->limit, "fill"))
        fprintf(f, ", fill %s", numeral_percent(row->share_fill).s);
    fputs("</small></td>", f);
}

static void write_row(FILE *f, const bench_row *row, const outcome *o, bool energy) {
    bool timed = row_timed(row), wins = o->best && row_wins(row);
    fprintf(f, "<tr%s><th scope=\"row\">", wins ? " class=\"best\"" : timed && !*row->doubt ? "" : " class=\"off\"");
    markup_text(f, row_name(row));
    if (wins) fprintf(f, "<span class=\"tag\">%s</span>", o->tied > 1 ? "tie" : "best");
    if (row_is_engine(row) && !*row->sink) fputs("<small class=\"dim\"> not ranked</small>", f);
    fprintf(f, "</th><td class=\"t%s\">%s</td>", row->status == ROW_OK && !*row->doubt ? "" : " bad", check(row));
    fprintf(f, "<td>%s", timed ? numeral_time(row->time.median).s : "–");
    if (row_is_result(row)) fprintf(f, " <small>± %s</small>", numeral_percent(row->time.noise).s);
    fputs("</td>", f);
    write_ratio(f, row);
    write_threads(f, row);
    write_share(f, row);
    if (energy) fprintf(f, "<td>%s</td>", numeral_energy(row->cells ? row->energy / (double)row->cells : 0).s);
    if (timed) {
        fprintf(f, "<td>%d <small>", row->time.count);
        markup_text(f, row->stop);
        fprintf(f, "</small></td>");
    } else {
        fputs("<td>–</td>", f);
    }
    fprintf(f, "<td>%s</td><td class=\"t remark\">", numeral_time(row->compile).s);
    markup_text(f, row->remark);
    fputs("</td></tr>\n", f);
}

/* The next larger n of the table; 0: no more. */
static uint64_t next_n(const figure *fig, uint32_t rho, uint64_t after) {
    uint64_t next = 0;
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!same_figure(row, fig->like) || row->rho != rho || row->n <= after) continue;
        if (next == 0 || row->n < next) next = row->n;
    }
    return next;
}

/* How many rows ran of a block side and n, of how many. */
static int rows_that_ran(const figure *fig, uint32_t rho, uint64_t n, int *rows) {
    int ran = 0;
    *rows = 0;
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!same_figure(row, fig->like) || row->rho != rho || row->n != n) continue;
        ++*rows, ran += row->status != ROW_SKIPPED;
    }
    return ran;
}

static void write_group(FILE *f, const figure *fig, uint32_t rho, uint64_t n) {
    bool first = true;
    outcome o = outcome_of(fig->result, fig->like, n, rho);
    for (int k = 0; k < fig->result->count; ++k) {
        const bench_row *row = &fig->result->rows[k];
        if (!same_figure(row, fig->like) || row->rho != rho || row->n != n) continue;
        if (first)
            fprintf(f, "<tbody><tr class=\"group\"><th scope=\"rowgroup\">n = %s</th><td colspan=\"%d\"></td></tr>\n",
                    numeral_whole(n).s, COLUMNS - 1);
        first = false;
        write_row(f, row, &o, has_energy(fig));
    }
    fputs("</tbody>\n", f);
}

void write_tables(FILE *f, const figure *fig) {
    uint32_t rhos[MOST_RHOS];
    int count = figure_rhos(fig, rhos);
    for (int k = 0; k < count; ++k) {
        int rows = 0, all = 0;
        for (uint64_t n = next_n(fig, rhos[k], 0); n; n = next_n(fig, rhos[k], n))
            if (rows_that_ran(fig, rhos[k], n, &all)) rows += all;
        if (!rows) continue;
        char side[24] = "";
        if (rhos[k]) snprintf(side, sizeof side, ", rho %" PRIu32, rhos[k]);
        fprintf(f, "<details%s><summary>Table%s <span>%d row%s</span></summary></details>\n",
                rows <= FEW_ROWS ? " open" : "", side, rows, rows == 1 ? "" : "s");
        fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of ", f);
        markup_text(f, experiment_title(fig->like));
        fprintf(f, "%s\"><table>\n", side);
        write_head(f, fig);
        for (uint64_t n = next_n(fig, rhos[k], 0); n; n = next_n(fig, rhos[k], n))
            if (rows_that_ran(fig, rhos[k], n, &all)) write_group(f, fig, rhos[k], n);
        fputs("</table></div>\n", f);
    }
}

/* ---- Best maps ---- */

static bool in_group(const bench_row *row, const bench_row *like, uint64_t n, uint32_t rho) {
    return same_figure(row, like) && row->n == n && row->rho == rho;
}

void write_best(FILE *f, const bench_result *r, const bench_row *like, uint64_t n, uint32_t rho) {
    outcome o = outcome_of(r, like, n, rho);
    if (!o.best) {
        fprintf(f, "<span class=\"dim\">%s</span>", o.doubted ? "no result" : "–");
        return;
    }
    write_winners(f, r, &o);
    fprintf(f, " <span class=\"dim\">%s%s", o.tied > 1 ? "tie, " : "", numeral_time(o.best->time.median).s);
    if (o.bb && o.bb != o.best)
        fprintf(f, " against bb's %s, I = %s", numeral_time(o.bb->time.median).s,
                numeral_number(o.best->improvement, 3).s);
    fputs("</span>", f);
}

static bool has_best(const bench_result *r, const bench_row *like, uint64_t n, uint32_t rho) {
    for (int k = 0; k < r->count; ++k)
        if (in_group(&r->rows[k], like, n, rho) && row_wins(&r->rows[k])) return true;
    return false;
}

/* The largest n of a block side at which two results at least have a best map; 0: none. */
static uint64_t common_n(const bench_result *results, int count, const bench_row *like, uint32_t rho) {
    uint64_t largest = 0;
    for (int a = 0; a < count; ++a)
        for (int k = 0; k < results[a].count; ++k) {
            const bench_row *row = &results[a].rows[k];
            if (row->n <= largest || !in_group(row, like, row->n, rho) || !row_wins(row)) continue;
            int have = 0;
            for (int b = 0; b < count; ++b) have += has_best(&results[b], like, row->n, rho);
            if (have > 1) largest = row->n;
        }
    return largest;
}

/* Whether an earlier row, here or in an earlier result, has the same experiment and block side. */
static bool listed(const bench_result *results, int result, int row) {
    const bench_row *it = &results[result].rows[row];
    for (int r = 0; r <= result; ++r)
        for (int k = 0; k < (r < result ? results[r].count : row); ++k)
            if (same_figure(&results[r].rows[k], it) && results[r].rows[k].rho == it->rho) return true;
    return false;
}

static void write_device_head(FILE *f, const bench_result *results, int count) {
    fputs(
        "<h2 id=\"devices\">Devices side by side</h2>\n<p class=\"dim\">The fastest map at the largest n that at "
        "least two devices have measured. I is against bb on the same device.</p>\n<div class=\"scroll\" "
        "tabindex=\"0\" role=\"region\" aria-label=\"Best maps by device\"><table class=\"side\">\n<thead><tr>"
        "<th scope=\"col\">experiment</th><th scope=\"col\">rho</th><th scope=\"col\">n</th>",
        f);
    for (int r = 0; r < count; ++r) {
        fputs("<th scope=\"col\" class=\"t\">", f);
        markup_text(f, results[r].device.name);
        fputs("<small>", f);
        markup_text(f, results[r].device.id);
        fputs("</small></th>", f);
    }
    fputs("</tr></thead><tbody>\n", f);
}

void write_devices(FILE *f, const bench_result *results, int count) {
    bool any = false;
    for (int r = 0; r < count; ++r)
        for (int k = 0; k < results[r].count; ++k) {
            const bench_row *row = &results[r].rows[k];
            uint64_t n = listed(results, r, k) ? 0 : common_n(results, count, row, row->rho);
            if (n == 0) continue;
            if (!any) write_device_head(f, results, count);
            any = true;
            fputs("<tr><th scope=\"row\">", f);
            markup_text(f, experiment_title(row));
            fprintf(f, "</th><td>%" PRIu32 "</td><td>%s</td>", row->rho, numeral_whole(n).s);
            for (int d = 0; d < count; ++d) {
                fputs("<td class=\"t\">", f);
                write_best(f, &results[d], row, n, row->rho);
                fputs("</td>", f);
            }
            fputs("</tr>\n", f);
        }
    if (any)
        fputs("</tbody></table></div>\n", f);
    else
        fputs("<h2 id=\"devices\">Devices side by side</h2>\n<p class=\"dim\">They have no size in common.</p>\n", f);
}

/* ---- What was not measured ---- */

static bool unmeasured(const bench_row *row) { return row->status == ROW_FAILED || row->status == ROW_SKIPPED; }

/* What is skipped for one cause is one line per experiment; what fails, and what has no known cause, one per group and
 * remark. */
static bool said_alike(const bench_row *a, const bench_row *b) {
    if (!unmeasured(a) || a->status != b->status || !same_figure(a, b)) return false;
    if (a->status == ROW_SKIPPED && *a->cause) return !strcmp(a->cause, b->cause);
    return row_same_group(a, b) && !strcmp(a->remark, b->remark);
}

/* The numbers that rows alike have, each once and in their order: "16, 8, 32". */
static void write_alike(FILE *f, const bench_result *r, int at, uint64_t (*number)(const bench_row *)) {
    int said = 0;
    for (int k = at; k < r->count; ++k) {
        bool before = false;
        if (!said_alike(&r->rows[k], &r->rows[at])) continue;
        for (int b = at; b < k && !before; ++b)
            before = said_alike(&r->rows[b], &r->rows[at]) && number(&r->rows[b]) == number(&r->rows[k]);
        if (before) continue;
        fprintf(f, "%s%s", said++ ? ", " : "", number(&r->rows[k]) ? numeral_whole(number(&r->rows[k])).s : "–");
    }
}

static uint64_t n_of(const bench_row *row) { return row->n; }
static uint64_t rho_of(const bench_row *row) { return row->rho; }

static void write_names(FILE *f, const bench_result *r, int at) {
    int said = 0;
    for (int k = at; k < r->count; ++k) {
        bool before = false;
        if (!said_alike(&r->rows[k], &r->rows[at])) continue;
        for (int b = at; b < k && !before; ++b)
            before = said_alike(&r->rows[b], &r->rows[at]) && !strcmp(row_name(&r->rows[b]), row_name(&r->rows[k]));
        if (before) continue;
        if (said++) fputs(", ", f);
        markup_text(f, row_name(&r->rows[k]));
    }
}

static bool has_own_line(const bench_result *r, int at) {
    for (int k = 0; k < at; ++k)
        if (said_alike(&r->rows[k], &r->rows[at])) return false;
    return unmeasured(&r->rows[at]);
}

static void write_fate(FILE *f, const bench_result *r, int at) {
    const bench_row *row = &r->rows[at];
    fputs("<tr><th scope=\"row\">", f);
    markup_text(f, experiment_title(row));
    fputs("</th><td class=\"remark\">", f);
    write_alike(f, r, at, rho_of);
    fputs("</td><td class=\"remark\">", f);
    write_alike(f, r, at, n_of);
    fprintf(f, "</td><td class=\"t%s\">%s</td><td class=\"t remark\">", row->status == ROW_FAILED ? " bad" : "",
            check(row));
    write_names(f, r, at);
    fputs("</td><td class=\"t remark\">", f);
    markup_text(f, row->remark);
    fputs("</td></tr>\n", f);
}

void write_unmeasured(FILE *f, const bench_result *r) {
    int count = 0, lines = 0;
    for (int k = 0; k < r->count; ++k) count += unmeasured(&r->rows[k]), lines += has_own_line(r, k);
    fputs("<h3>Not measured</h3>\n", f);
    if (count == 0) {
        fputs("<p class=\"dim\">Nothing was skipped and nothing failed.</p>\n", f);
        return;
    }
    fprintf(f, "<details%s><summary>Skipped and failed <span>%d row%s</span></summary></details>\n",
            lines <= FEW_ROWS ? " open" : "", count, count == 1 ? "" : "s");
    fputs(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rows that were not measured\"><table "
        "class=\"side\">\n"
        "<thead><tr><th scope=\"col\">experiment</th><th scope=\"col\">rho</th><th scope=\"col\">n</th>"
        "<th scope=\"col\" class=\"t\">what</th><th scope=\"col\" class=\"t\">maps</th>"
        "<th scope=\"col\" class=\"t\">why</th></tr></thead><tbody>\n",
        f);
    for (int k = 0; k < r->count; ++k)
        if (has_own_line(r, k)) write_fate(f, r, k);
    fputs("</tbody></table></div>\n", f);
}
