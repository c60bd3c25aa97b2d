/* report.c: one self-contained HTML page from one or several results: no script, nothing loaded from elsewhere.
 *
 * What was run and on what comes first, then how to read the rest, then the figures; the numbers are folded behind
 * them. It is made from bench_result alone, so a saved file gives the same page as the run itself.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "bench/report_parts.h"

static const char how_to_read[] =
    "<h2 id=\"read\">How to read this</h2>\n<dl class=\"read\">\n"
    "<div><dt>I, the improvement</dt><dd>time(bb) / time(map) for the same experiment, n and rho: 2 means half the "
    "time of "
    "the bounding box. The interval is what the intervals of both times allow. Axes are logarithmic: equal factors, "
    "equal distances.</dd></div>\n"
    "<div><dt>k, the penalty</dt><dd>Time a tile over bb's time a tile. 1: finding the tile costs as much as bb's "
    "test, "
    "which is next to nothing; above 1 the map itself is felt; below 1 blocks do more than one tile each.</dd></div>\n"
    "<div><dt>The bound</dt><dd>I if k were 1: tiles that bb launches over tiles that the map does, near 2 for a "
    "triangle "
    "and "
    "near 6 for a tetrahedron. It holds for one block a tile; walk steps from tile to tile and may pass "
    "it.</dd></div>\n"
    "<div><dt>Verified</dt><dd>Before it was timed, every cell was seen visited exactly once and the values were "
    "compared "
    "with "
    "an independent reference. What did not pass is marked failed and has no time.</dd></div>\n"
    "<div><dt>Wrong</dt><dd>The paper's own roots are kept as printed and round wrongly from some row of tiles on. "
    "Beyond "
    "it "
    "they are timed for comparison, drawn hollow and dotted, and never ranked.</dd></div>\n"
    "<div><dt>Noise</dt><dd>Times are medians. Their 95 % interval comes from order statistics and assumes no "
    "distribution; "
    "noise is half of it, relative to the median. Sampling stopped when the noise was small enough (noise), or at a "
    "limit of time (time) or of samples (count). Where intervals overlap it is a tie.</dd></div>\n"
    "<div><dt>Share of the ceiling</dt><dd>Useful bytes a second against the fill kernel, or useful operations a "
    "second against the FMA loop, both measured in the same run: the larger share counts, and is named. The engine's "
    "arithmetic is held against vector roots (on the cpu, one a cell), with 64 features against the issue of "
    "instructions: a subtraction and a multiply-add a feature. On the cpu each sample of a large result is held "
    "against "
    "fills of the same memory right before and after it.</dd></div>\n"
    "<div><dt>engine</dt><dd>wedge's own kernels, as <code>wedge edm</code> runs them: tiles of many cells, several a "
    "thread, aligned stores. It stands beside the paper's maps, which take a thread a cell, and is not ranked among "
    "them. In place of its threads stands which map and tile it chose.</dd></div>\n</dl>\n";

static const char *device_name(const bench_result *r) { return *r->device.name ? r->device.name : r->device.id; }

static void fact(FILE *f, const char *name, const char *value) {
    if (!value || !*value) return;
    fprintf(f, "<dt>%s</dt><dd>", name);
    markup_text(f, value);
    fputs("</dd>\n", f);
}

static void write_ceiling(FILE *f, const char *name, const ceiling *c, const char *unit) {
    fputs("<li><b>", f);
    if (c->rate > 0.0)
        fprintf(f, "%s%s%s</b>%s ± %s</li>\n", numeral_scaled(c->rate).s, c->rate < 999.95 ? " " : "", unit, name,
                numeral_percent(c->time.noise).s);
    else
        fprintf(f, "–</b>%s, not measured</li>\n", name);
}

static void write_run(FILE *f, const bench_result *r) {
    char line[256];
    fputs("<section class=\"run\"><h3>", f);
    markup_text(f, device_name(r));
    fputs("</h3><p class=\"dim\">", f);
    markup_text(f, r->device.id);
    if (r->device.memory) fprintf(f, ", %.1f GiB", (double)r->device.memory / (1 << 30));
    if (r->device.units)
        fprintf(f, ", %" PRIu32 " %s", r->device.units, r->device.is_gpu ? "multiprocessors" : "cores");
    fputs("</p>\n<ul class=\"ceilings\" aria-label=\"Ceilings measured in this run\">\n", f);
    write_ceiling(f, "fill", &r->fill, "B/s");
    write_ceiling(f, "copy", &r->copy, "B/s");
    write_ceiling(f, "FMA", &r->fma, "FLOP/s");
    if (r->root.rate > 0.0) { /* the cpu's */
        write_ceiling(f, "vector root", &r->root, "/s");
        write_ceiling(f, "subtraction and FMA", &r->step, "/s");
    }
    fputs("</ul>\n<dl class=\"facts\">\n", f);
    fact(f, "driver", r->device.driver);
    fact(f, "host", r->host);
    fact(f, "date", r->date);
    fact(f, "wedge", r->wedge);
    fact(f, "commit", r->commit);
    fact(f, "flags", r->flags);
    snprintf(line, sizeof line, "%.0f s of at most %.0f s; %d rows, sampled until the noise is below %s", r->spent,
             r->budget, r->count, numeral_percent(r->noise_target).s);
    if (r->budget <= 0.0)
        snprintf(line, sizeof line, "%.0f s; %d rows, sampled until the noise is below %s", r->spent, r->count,
                 numeral_percent(r->noise_target).s);
    fact(f, "run", line);
    fputs("<dt>command</dt><dd><code>", f);
    markup_text(f, r->command ? r->command : "");
    fputs("</code></dd>\n</dl></section>\n", f);
}

static void write_title(FILE *f, const bench_result *results, int count) {
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"wedge report\">\n<link rel=\"icon\" href=\"data:,\">\n<title>wedge bench",
        f);
    for (int k = 0; k < count; ++k) {
        fputs(k ? ", " : ": ", f);
        markup_text(f, device_name(&results[k]));
    }
    fprintf(f, "</title>\n<style>\n%s\n", chart_style);
    for (const char *const *piece = page_style; *piece; ++piece) fprintf(f, "%s\n", *piece);
    fputs("</style>\n</head>\n<body>\n", f);
    fputs(
        "<header><h1>Thread maps for triangles and tetrahedra, measured</h1>\n"
        "<p>How fast a GPU (or a CPU) gets through the cells of a triangle or a tetrahedron depends on how its blocks "
        "find their tiles. This page has the experiments of “A Non-linear GPU Thread Map for Triangular Domains” "
        "(Navarro, Bustos, Hitschfeld), run by <code>wedge bench</code>, with the paper's maps beside exact "
        "ones.</p>\n",
        f);
}

static void write_contents(FILE *f, const bench_result *results, int count) {
    fputs("<nav aria-label=\"Contents\"><p><a href=\"#read\">How to read this</a>", f);
    if (count > 1) fputs("<a href=\"#devices\">Devices side by side</a>", f);
    fputs("</p>\n", f);
    for (int r = 0; r < count; ++r) {
        fprintf(f, "<p><a href=\"#r%d\"><b>", r);
        markup_text(f, device_name(&results[r]));
        fputs("</b></a>", f);
        for (int k = 0; k < results[r].count; ++k) {
            if (!first_of_figure(&results[r], k)) continue;
            fprintf(f, "<a href=\"#r%d-%d\">", r, k);
            markup_text(f, experiment_title(&results[r].rows[k]));
            fputs("</a>", f);
        }
        fputs("</p>\n", f);
    }
    fputs("</nav></header>\n", f);
}

static bool write_result(FILE *f, const bench_result *r, int index) {
    fprintf(f, "<h2 id=\"r%d\">", index);
    markup_text(f, device_name(r));
    fputs("<small>", f);
    markup_text(f, r->device.id);
    fputs("</small></h2>\n", f);
    if (r->count == 0) fputs("<p class=\"dim\">This result has no rows.</p>\n", f);
    for (int k = 0; k < r->count; ++k) {
        if (!first_of_figure(r, k)) continue;
        figure fig = {.result = r, .like = &r->rows[k]};
        fprintf(f, "<section><div class=\"head\"><h3 id=\"r%d-%d\">", index, k);
        markup_text(f, experiment_title(fig.like));
        fputs("</h3>\n<p class=\"dim\">", f);
        markup_text(f, experiment_about(fig.like));
        fputs("</p></div>\n", f);
        if (!write_figure(f, &fig)) return false;
        write_tables(f, &fig);
        fputs("</section>\n", f);
    }
    write_unmeasured(f, r);
    return true;
}

bool report_write_html(FILE *f, const bench_result *results, int count) {
    write_title(f, results, count);
    write_contents(f, results, count);
    fputs("<main>\n<div class=\"runs\">\n", f);
    for (int k = 0; k < count; ++k) write_run(f, &results[k]);
    fputs("</div>\n", f);
    fputs(how_to_read, f);
    if (count > 1) write_devices(f, results, count);
    for (int k = 0; k < count; ++k)
        if (!write_result(f, &results[k], k)) return false;
    fprintf(f, "</main>\n<footer>Made by <code>wedge report</code> %s from %d result%s.</footer>\n</body>\n</html>\n",
            wedge_version(), count, count == 1 ? "" : "s");
    return !ferror(f);
}
