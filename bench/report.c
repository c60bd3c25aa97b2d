/* report.c: one self-contained HTML page from one or several results: no script, nothing loaded from elsewhere.
 *
 * The verdict and the figure that shows it come first, then every experiment, then how to read it all, then what was
 * run on what. It is made from bench_result alone, so a saved file gives the same page as the run itself.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "bench/report_parts.h"

static const char how_to_read[] =
    "<h2 id=\"read\">How to read this</h2>\n<dl class=\"read\">\n"
    "<div><dt>The experiments</dt><dd>Those of “A Non-linear GPU Thread Map for Triangular Domains” (Navarro, Bustos, "
    "Hitschfeld), run by <code>wedge bench</code>, with the paper's maps beside exact ones. A map tells each block of "
    "threads which tile of a triangle or tetrahedron it computes.</dd></div>\n"
    "<div><dt>I, the improvement</dt><dd>time(bb) / time(map) for the same experiment, n and rho: 2 means half the "
    "time of the bounding box. Its interval combines those of both times. bb itself depends on rho, so compare I "
    "within one chart, and times between charts. Axes are logarithmic, and each chart has its own.</dd></div>\n"
    "<div><dt>k, the penalty</dt><dd>Time per tile over bb's time per tile. At 1, finding the tile costs as much as "
    "bb's test, which is almost nothing; above 1 the map costs time; below 1 a block does several tiles.</dd></div>\n"
    "<div><dt>The bound</dt><dd>I if k were 1: the tiles of bb over the tiles of the map, near 2 for a triangle and "
    "near 6 for a tetrahedron. It holds for one tile per block. A map of that kind that is measured above it is "
    "marked, "
    "and is no result; a map whose blocks do many tiles may pass it.</dd></div>\n"
    "<div><dt>Verified</dt><dd>Before a map was timed, every cell was visited exactly once and the values were "
    "compared "
    "with an independent reference. A map that did not pass is marked failed and has no time.</dd></div>\n"
    "<div><dt>Wrong</dt><dd>The paper's roots are kept as printed, and round wrongly from some row of tiles on. There "
    "they are timed for comparison, drawn hollow and dotted, and never ranked.</dd></div>\n"
    "<div><dt>Noise</dt><dd>Times are medians. Their 95 % interval comes from order statistics and assumes no "
    "distribution; noise is half of it, relative to the median. Sampling stopped when the noise was small enough "
    "(noise), or at a limit of time (time) or of samples (count). Where intervals overlap it is a tie. Of fewer "
    "than six samples the interval is the whole range. An interval wider than a factor of two, or fewer than three "
    "samples, are no result.</dd></div>\n"
    "<div><dt>Share of the ceiling</dt><dd>Useful bytes per second against the fill kernel, or useful operations per "
    "second against the FMA loop, both measured in the same run: the larger share counts, and is named. For the engine "
    "it is vector roots (on the cpu, one per cell), or with 64 features the instruction rate: a subtraction and a "
    "multiply-add per feature. On the cpu each sample of a large result is compared with fills of the same memory "
    "right "
    "before and after it.</dd></div>\n"
    "<div><dt>Energy</dt><dd>Joules per cell, at the largest n of each experiment: of runs of half a second or more, "
    "from "
    "one "
    "step of the counter to another. NVML counts a GPU's whole board, RAPL the packages of the host's processors with "
    "all "
    "that runs there; what a device takes while it is idle is included.</dd></div>\n"
    "<div><dt>engine</dt><dd>wedge's own kernels, as <code>wedge edm</code> runs them: tiles of many cells, several "
    "per "
    "thread, aligned stores. The paper's maps take one cell per thread, so the engine is not ranked among them. Its "
    "row "
    "names the map and the tile that it chose instead of its threads.</dd></div>\n"
    "<div><dt>task</dt><dd>What a program asks the engine for. A time is that of <code>wedge_job_renew</code> and "
    "<code>wedge_job_run</code>, by the host's clock: from points on the device, in any order, to the result there. "
    "Rates "
    "count all cells, those of tiles that were left out included; the share is that of what was computed.</dd></div>\n"
    "</dl>\n";

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

static void write_facts(FILE *f, const bench_result *r) {
    char line[256];
    fputs("<dl class=\"facts\">\n", f);
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
    snprintf(line, sizeof line,
             "load average %.1f before the run; other processes used %.1f of %" PRIu32 " cores during it",
             r->load_before, r->load_others, r->cores);
    if (r->cores) fact(f, "load", line);
    bool energy = false;
    for (int k = 0; k < r->count; ++k) energy |= r->rows[k].energy > 0.0;
    snprintf(line, sizeof line, "%s%s%s", energy ? r->energy_by : "unknown",
             !*r->energy_why ? ""
             : energy        ? "; unknown of some rows: "
                             : ": ",
             r->energy_why);
    if (energy || *r->energy_why) fact(f, "energy", line);
    fputs("<dt>command</dt><dd><code>", f);
    markup_text(f, r->command ? r->command : "");
    fputs("</code></dd>\n</dl>\n", f);
}

static void write_run(FILE *f, const bench_result *r) {
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
    fputs("</ul>\n", f);
    write_facts(f, r);
    fputs("</section>\n", f);
}

static bool has_maps(const bench_result *results, int count) {
    for (int r = 0; r < count; ++r)
        for (int k = 0; k < results[r].count; ++k)
            if (!row_is_engine(&results[r].rows[k])) return true;
    return false;
}

/* The names of the devices, each once. */
static void write_names(FILE *f, const bench_result *results, int count, const char *last_gap) {
    int names[count > 0 ? count : 1], found = 0;
    for (int k = 0; k < count; ++k) {
        bool before = false;
        for (int b = 0; b < found && !before; ++b)
            before = !strcmp(device_name(&results[names[b]]), device_name(&results[k]));
        if (!before) names[found++] = k;
    }
    for (int k = 0; k < found; ++k) {
        fputs(!k ? "" : k + 1 < found ? ", " : last_gap, f);
        markup_text(f, device_name(&results[names[k]]));
    }
}

static void write_title(FILE *f, const bench_result *results, int count) {
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"wedge report\">\n<link rel=\"icon\" href=\"data:,\">\n<title>wedge bench: ",
        f);
    write_names(f, results, count, ", ");
    fprintf(f, "</title>\n<style>\n%s\n", chart_style);
    for (const char *const *piece = page_style; *piece; ++piece) fprintf(f, "%s\n", *piece);
    fputs("</style>\n</head>\n<body>\n", f);
    fprintf(f, "<header><h1>%s on ", has_maps(results, count) ? "Thread maps" : "All pairs");
    write_names(f, results, count, " and ");
    fputs("</h1>\n", f);
    write_warnings(f, results, count);
    for (int k = 0; k < count; ++k) write_verdict(f, &results[k]);
    fputs("</header>\n", f);
}

static bool write_section(FILE *f, const bench_result *r, int index, int row) {
    figure fig = {.result = r, .like = &r->rows[row]};
    fprintf(f, "<section><div class=\"head\"><h3 id=\"r%d-%d\">", index, row);
    markup_text(f, experiment_title(fig.like));
    fputs("</h3>\n<p class=\"dim\">", f);
    markup_text(f, experiment_about(fig.like));
    fputs("</p></div>\n", f);
    if (!write_figure(f, &fig)) return false;
    if (row_is_task(fig.like)) write_bars(f, &fig);
    write_tables(f, &fig);
    fputs("</section>\n", f);
    return true;
}

static void write_device(FILE *f, const bench_result *r, int index) {
    fprintf(f, "<h2 id=\"r%d\">", index);
    markup_text(f, device_name(r));
    fputs("<small>", f);
    markup_text(f, r->device.id);
    fputs("</small></h2>\n", f);
}

/* Tasks of one device, saved one by one, are one list. */
static bool goes_on(const bench_result *results, int index) {
    const bench_result *r = &results[index];
    return index && only_tasks(r) && only_tasks(r - 1) && !strcmp(device_name(r), device_name(r - 1)) &&
           !strcmp(r->device.id, (r - 1)->device.id);
}

/* The figure that leads the page, where there is one, stands above the device's name. */
static bool write_result(FILE *f, const bench_result *results, int index, bool led) {
    const bench_result *r = &results[index];
    int skipped = 0;
    if (!goes_on(results, index)) write_device(f, r, index);
    if (r->count == 0) fputs("<p class=\"dim\">This result has no rows.</p>\n", f);
    if (r->count && !only_tasks(r)) write_glance(f, r, index);
    for (int k = 0; k < r->count; ++k) {
        skipped += !row_timed(&r->rows[k]);
        figure fig = {.result = r, .like = &r->rows[k]};
        if (!first_of_figure(r, k) || !figure_ran(&fig) || (led && index == 0 && k == leading_row(r))) continue;
        if (!write_section(f, r, index, k)) return false;
    }
    if (skipped || !only_tasks(r)) write_unmeasured(f, r);
    return true;
}

static void write_runs(FILE *f, const bench_result *results, int count) {
    fputs("<h2 id=\"runs\">What was run</h2>\n<div class=\"runs\">\n", f);
    for (int k = 0; k < count; ++k) write_run(f, &results[k]);
    fputs("</div>\n", f);
}

bool report_write_html(FILE *f, const bench_result *results, int count) {
    write_title(f, results, count);
    fputs("<main>\n", f);
    bool led = count && result_ran(&results[0]) && !only_tasks(&results[0]),
         devices = count > 1 && has_maps(results, count);
    if (led && !write_section(f, &results[0], 0, leading_row(&results[0]))) return false;
    fputs(
        "<nav aria-label=\"Contents\"><p><a href=\"#read\">How to read this</a><a href=\"#runs\">What was run, on "
        "what</a>",
        f);
    fputs(devices ? "<a href=\"#devices\">Devices side by side</a></p></nav>\n" : "</p></nav>\n", f);
    write_tasks(f, results, count);
    if (devices) write_devices(f, results, count);
    for (int k = 0; k < count; ++k)
        if (!write_result(f, results, k, led)) return false;
    fputs(how_to_read, f);
    write_runs(f, results, count);
    fprintf(f, "</main>\n<footer>Made by <code>wedge report</code> %s from %d result%s.</footer>\n</body>\n</html>\n",
            wedge_version(), count, count == 1 ? "" : "s");
    return !ferror(f);
}
