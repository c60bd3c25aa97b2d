/* report_svg.c: one figure of a result as a picture of its own, for documents that are not the page.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/report_parts.h"

bool report_write_svg(FILE *f, const bench_result *r, const bench_row *like, uint32_t rho) {
    figure fig = {.result = r, .like = like};
    char title[160];
    chart c = {0};
    if (!figure_chart(&fig, rho, &c, title) || !figure_marks(&fig, &c)) return false;
    c.alone = c.values = true;
    c.width = 700, c.height = 440;
    c.notes = true;
    bool good = chart_write(f, &c);
    chart_free(&c);
    return good && !ferror(f);
}

bool report_is_first_of_rho(const bench_result *r, int row) {
    if (!r->rows[row].rho) return false; /* the engine alone: nothing to draw it against */
    for (int k = 0; k < row; ++k)
        if (same_figure(&r->rows[k], &r->rows[row]) && r->rows[k].rho == r->rows[row].rho) return false;
    return true;
}
