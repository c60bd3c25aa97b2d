/* report_parts.h: what the page is put together from: numbers as text, figures, tables.
 *
 *   report.c          the page: its order, what was run, how to read it
 *   report_summary.c  what comes first: warnings, the verdict, every experiment in one line
 *   report_parts.c    CSS, numbers and names
 *   report_figures.c  an experiment's charts, their legend, a verdict for each
 *   report_tasks.c    tasks in one table, and as bars
 *   report_tables.c   every row, devices side by side, what was not measured
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_REPORT_PARTS_H
#define WEDGE_BENCH_REPORT_PARTS_H

#include "bench/chart.h"
#include "bench/result.h"

/* An experiment of a result, all its sizes and blocks: what one set of charts shows. */
typedef struct {
    const bench_result *result;
    const bench_row *like; /* its first row */
} figure;

typedef struct {
    char s[32];
} numeral;

enum { MOST_RHOS = 16, FEW_ROWS = 40 }; /* longer tables are folded */

/* report_parts.c */
extern const char *const page_style[];            /* NULL-terminated pieces of CSS */
numeral numeral_time(double seconds);             /* "12.34 µs" */
numeral numeral_scaled(double value);             /* "4.295 G" */
numeral numeral_whole(uint64_t value);            /* "65,536" */
numeral numeral_number(double value, int digits); /* significant ones; "–" for 0 and what is no number */
numeral numeral_percent(double share);            /* "93.8 %" */
numeral numeral_energy(double joules);            /* "1.93 nJ"; "–" for 0 */
const char *experiment_title(const bench_row *row);
const char *experiment_about(const bench_row *row);
bool same_figure(const bench_row *a, const bench_row *b);
bool first_of_figure(const bench_result *r, int row);
bool figure_ran(const figure *f); /* not all of its rows were skipped: those stand under "Not measured" alone */
/* The block sides of a figure, the one to show large first: 16, else 8, else the largest. Returns how many. */
int figure_rhos(const figure *f, uint32_t rhos[MOST_RHOS]);
uint64_t figure_largest_n(const figure *f, uint32_t rho); /* with a time; 0: none */

/* report_figures.c */
const chart_pen *pen_of_map(const char *map);
/* The chart of one block side: I against n, one line per map, bb as 1, the bounds. false: no memory. chart_free it; its
 * title lies in `title`. */
bool figure_chart(const figure *f, uint32_t rho, chart *c, char title[160]);
bool figure_marks(const figure *f, chart *c); /* the paper's values, in grey */
bool write_figure(FILE *f, const figure *fig);
bool has_figure(const figure *fig); /* something to draw */

/* report_summary.c */
/* Who won a group. best is the fastest of those that tie, NULL where no row is a result; where there are no maps it is
 * the engine. */
typedef struct {
    const bench_row *best, *bb;
    int tied;
    const bench_row *doubted; /* one of the fastest, where it is no result; else NULL */
} outcome;
outcome outcome_of(const bench_result *r, const bench_row *like, uint64_t n, uint32_t rho);
void write_winners(FILE *f, const bench_result *r, const outcome *o); /* their names */
void write_warnings(FILE *f, const bench_result *results, int count);
void write_verdict(FILE *f, const bench_result *r); /* one sentence on the leading figure */
bool result_ran(const bench_result *r);             /* not all of its rows were skipped */
/* A table, one line per experiment; index: of the result, in links. */
void write_glance(FILE *f, const bench_result *r, int index);
int leading_row(const bench_result *r); /* the first row of the figure to show first */

/* report_tasks.c */
bool only_tasks(const bench_result *r);                            /* all of its rows are tasks */
void write_tasks(FILE *f, const bench_result *results, int count); /* a table; nothing where there are none */
void write_bars(FILE *f, const figure *fig);                       /* the times of a task, at each n */

/* report_tables.c */
void write_tables(FILE *f, const figure *fig);
void write_devices(FILE *f, const bench_result *results, int count); /* best maps side by side, if several */
void write_unmeasured(FILE *f, const bench_result *r);
void write_best(FILE *f, const bench_result *r, const bench_row *like, uint64_t n, uint32_t rho);

#endif
