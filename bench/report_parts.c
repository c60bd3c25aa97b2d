/* report_parts.c: the page's CSS, and how numbers and experiments read on it.
 *
 * What is folded must still be printed, and CSS cannot open a <details>: so a table is not in its <details> but behind
 * it, hidden on the screen as long as that is closed.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char screen_style[] =
    ":root{color-scheme:light dark;--ink:#1b2430;--dim:#5d6875;--rule:#dfe4ea;--page:#fff;--card:#f6f8fa;"
    "--best:#0a6b4e;--best-bg:#e4f4ee;--bad:#a8321f;--warn:#fdf0e4;--link:#0b5ea8}"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#e6ebf1;--dim:#a3aebb;--rule:#2c343e;"
    "--page:#14181e;--card:#1b2129;--best:#5fd6ab;--best-bg:#16332a;--bad:#ff9078;--warn:#37251c;--link:#7bbcf5}}"
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}"
    "body{margin:0 auto;max-width:76rem;padding:1.5rem clamp(1rem,3vw,2.5rem) 4rem;color:var(--ink);"
    "background:var(--page);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "overflow-wrap:anywhere}"
    "h1{font-size:clamp(1.6rem,4vw,2.2rem);line-height:1.2;margin:.4em 0 .2em;letter-spacing:-.01em}"
    "h2{font-size:1.45rem;line-height:1.25;margin:3.2rem 0 .6rem;padding-top:1.2rem;"
    "border-top:2px solid var(--rule)}h3{font-size:1.15rem;margin:2.6rem 0 .1rem}h2,h3{scroll-margin-top:.5rem}"
    "h2 small{font-size:.9rem;font-weight:400;color:var(--dim);margin-left:.5em}"
    "p{margin:.3rem 0 .8rem;max-width:46rem}.dim{color:var(--dim)}a{color:var(--link)}"
    "code{font:.86em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
    "nav{margin:1.2rem 0 0;font-size:.92rem}.option{white-space:nowrap}"
    "nav p{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.25rem 0;max-width:none}"
    ".verdict{font-size:1.15rem;max-width:60rem;margin:.2rem 0 .6rem}"
    ".warning{background:var(--warn);border-left:4px solid var(--bad);padding:.5rem .9rem;max-width:60rem;"
    "border-radius:0 6px 6px 0}.narrow{display:none}main>section:first-child h3{margin-top:1rem}"
    ".runs{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:1.2rem;"
    "margin:1.4rem 0}"
    ".run{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:1rem 1.2rem}"
    ".run h3{margin:0 0 .1rem}.run>p{margin:0 0 .8rem}"
    "dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.1rem 1rem;margin:0;"
    "font-size:.92rem}.facts dt{color:var(--dim)}.facts dd{margin:0}"
    ".ceilings{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.8rem,1fr));gap:.6rem;margin:0 0 "
    ".9rem;padding:0;"
    "list-style:none}"
    ".ceilings li{border-left:3px solid var(--rule);padding:.05rem 0 .05rem .7rem;font-size:.85rem;"
    "line-height:1.35;color:var(--dim)}"
    ".ceilings b{display:block;font-size:1.12rem;color:var(--ink);font-variant-numeric:tabular-nums}"
    "dl.read{margin:.6rem 0;columns:2 25rem;column-gap:2.5rem;font-size:.94rem}"
    ".read div{break-inside:avoid;padding-bottom:.7rem}.read dt{font-weight:600}"
    ".read dd{margin:0;color:var(--dim)}"
    ".charts{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,1fr);gap:1.4rem 1.6rem;"
    "margin:.8rem 0 .4rem}.charts.one{grid-template-columns:minmax(0,52rem)}"
    ".rest{display:grid;align-content:start;gap:1rem}figure{margin:0;min-width:0;break-inside:avoid}"
    "figcaption{font-size:.9rem;margin-bottom:.3rem}figcaption b{margin-right:.5em}"
    ".chart{display:block;width:100%;height:auto;overflow:visible}"
    ".swatch{display:inline-block;width:2.2rem;height:.8rem}"
    ".legend{display:flex;flex-wrap:wrap;gap:.15rem 1.3rem;margin:.2rem 0 1rem;padding:0;list-style:none;"
    "font-size:.88rem}.legend li{display:flex;overflow-wrap:normal;align-items:center;gap:.45rem}"
    ".legend i{color:var(--bad)}"
    "dl.bars{display:grid;grid-template-columns:max-content minmax(4rem,1fr) max-content;gap:.3rem .8rem;"
    "align-items:center;max-width:52rem;margin:.2rem 0 1rem;font-size:.92rem}.bars dd{margin:0}"
    ".bars span{display:block;height:.9rem;min-width:2px;background:var(--link);border-radius:2px}"
    "p.size{margin:.8rem 0 0}";

static const char table_style[] =
    "summary{cursor:pointer;padding:.3rem 0;font-weight:600;font-size:.95rem}"
    "summary span{font-weight:400;color:var(--dim)}"
    "details:not([open])+.scroll{display:none}"
    ".scroll{overflow:auto;max-height:80vh;border:1px solid var(--rule);border-radius:8px;margin:.2rem 0 1rem;"
    "overscroll-behavior-x:contain}"
    "table{border-collapse:separate;border-spacing:0;font-size:.77rem;font-variant-numeric:tabular-nums;"
    "min-width:100%;overflow-wrap:normal}"
    "th,td{padding:.25rem .33rem;line-height:1.25rem;text-align:right;white-space:nowrap;border-bottom:1px solid "
    "var(--rule)}"
    "tbody:last-child tr:last-child>*{border-bottom:0}"
    "thead th{position:sticky;top:0;z-index:2;background:var(--card);font-weight:600;vertical-align:bottom;"
    "line-height:1rem}thead small{display:block;font-weight:400;color:var(--dim);font-size:.9em}"
    "tbody th{position:sticky;left:0;z-index:1;background:var(--page);text-align:left;font-weight:500}"
    "thead th:first-child{left:0;z-index:3;text-align:left}td.t,th.t{text-align:left}"
    "td.remark{white-space:normal;min-width:7.5rem;max-width:26rem}tr.group th{font-weight:700;padding-top:.75rem}"
    "tr.group>*{border-bottom-color:var(--dim)}.side td.t{white-space:normal;min-width:9rem}"
    "td small{color:var(--dim);font-size:.92em;line-height:1}tr.best th,tr.best td{background:var(--best-bg)}"
    "tr.off td,tr.off th{color:var(--dim)}"
    ".tag{color:var(--best);font-size:.92em;font-weight:700;margin-left:.5em}.bad{color:var(--bad)}"
    "footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--rule);font-size:.88rem;"
    "color:var(--dim)}";

static const char small_style[] =
    "@media (max-width:56rem){.charts{grid-template-columns:minmax(0,1fr)}}"
    "@media screen and (max-width:40rem){.wide{display:none}.narrow{display:block}.verdict{font-size:1.02rem}"
    "dl.facts{grid-template-columns:minmax(0,1fr)}.facts dd{margin-bottom:.35rem}"
    "dl.bars{grid-template-columns:max-content minmax(2rem,1fr)}.bars dd+dd{grid-column:1/-1;margin-bottom:.4rem}"
    ".ceilings{grid-template-columns:1fr;gap:.2rem}"
    ".ceilings b{display:inline-block;min-width:9rem;font-size:1rem}.side tbody "
    "th{max-width:34vw;white-space:normal}.side td.t{min-width:8rem}}";

static const char print_style[] =
    "@media print{@page{size:landscape;margin:12mm}html{font-size:9.5pt}body{max-width:none;padding:0;font-size:1rem}"
    "nav{display:none}details:not([open])+.scroll{display:block}summary{list-style:none;break-after:avoid}"
    "summary::-webkit-details-marker{display:none}.scroll{overflow:visible;max-height:none;border:0}"
    "table{font-size:.78rem}th,td{padding:.5pt 4pt}thead{display:table-header-group}"
    "thead th,tbody th{position:static}td.remark{min-width:6rem}tr,.run,figure{break-inside:avoid}"
    "h2,h3,.head,tr.group{break-after:avoid}h2{margin-top:1.6rem}h3{margin-top:1.4rem}p{max-width:none}"
    ".charts{break-inside:avoid;grid-template-columns:minmax(0,1.75fr) minmax(0,1fr)}"
    ".charts.one{grid-template-columns:minmax(0,40rem)}"
    "tr.best th,tr.best td,.run,thead th,.bars span{-webkit-print-color-adjust:exact;print-color-adjust:exact}}";

const char *const page_style[] = {screen_style, table_style, small_style, print_style, NULL};

/* ---- Numbers ---- */

numeral numeral_number(double value, int digits) {
    numeral t = {"–"};
    if (!isnormal(value)) return t;
    int whole = fabs(value) >= 1.0 ? (int)floor(log10(fabs(value))) + 1 : 1;
    if (whole > 15)
        snprintf(t.s, sizeof t.s, "%.3g", value);
    else
        snprintf(t.s, sizeof t.s, "%.*f", digits > whole ? digits - whole : 0, value);
    return t;
}

numeral numeral_time(double seconds) {
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    numeral t = {"–"};
    if (!isnormal(seconds) || seconds < 0.0) return t;
    double value = seconds * 1e9;
    int unit = 0;
    for (; value >= 999.95 && unit < 3; ++unit) value /= 1000.0;
    snprintf(t.s, sizeof t.s, "%.24s\u00a0%s", numeral_number(value, 4).s, units[unit]);
    return t;
}

numeral numeral_scaled(double value) {
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    numeral t = {"0"};
    int unit = 0;
    if (!isnormal(value)) return t;
    for (; fabs(value) >= 999.95 && unit < 5; ++unit) value /= 1000.0;
    if (unit)
        snprintf(t.s, sizeof t.s, "%.24s%s", numeral_number(value, 4).s, units[unit]);
    else
        snprintf(t.s, sizeof t.s, "%.4g", value);
    return t;
}

numeral numeral_whole(uint64_t value) {
    char plain[24];
    numeral t = {""};
    size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, value), to = 0;
    for (size_t k = 0; k < length; ++k) {
        if (k && (length - k) % 3 == 0) t.s[to++] = ',';
        t.s[to++] = plain[k];
    }
    t.s[to] = '\0';
    return t;
}

numeral numeral_percent(double share) {
    numeral t = {"–"};
    if (!isfinite(share) || fabs(share) > 1e6) return t;
    snprintf(t.s, sizeof t.s, fabs(share) < 0.01 ? "%.2f %%" : "%.1f %%", 100.0 * share);
    return t;
}

numeral numeral_energy(double joules) {
    static const char *const units[] = {"pJ", "nJ", "µJ", "mJ", "J"};
    numeral t = {"–"};
    int u = 0;
    if (!isnormal(joules) || joules < 0) return t;
    for (joules *= 1e12; joules >= 1000 && u < 4; ++u) joules /= 1000;
    snprintf(t.s, sizeof t.s, "%.3g %s", joules, units[u]);
    return t;
}

/* ---- Experiments ---- */

static const struct {
    const char *name, *variant, *title, *about;
} experiments_shown[] = {
    {"roots", "", "The paper's roots",
     "The dummy kernel with λ by sqrtf (lambda-x), by a magic number and Newton steps (lambda-n), by rsqrtf "
     "(lambda-r), "
     "and the exact λ."},
    {"map", "", "Dummy kernel",
     "Each cell writes i + j to one fixed address: this measures the map, and how fast blocks start and end. bb-late "
     "is "
     "bb without its test of the block: each thread computes its cell and then asks whether there is one."},
    {"edm", "square", "Euclidean distances, lower half of a square",
     "Four features per point from global memory, one distance per cell, written to an n × n matrix."},
    {"edm", "packed", "Euclidean distances, packed",
     "Four features per point from global memory, one distance per cell, written in packed order without the upper "
     "half."},
    {"edm", "condensed", "The engine: Euclidean distances, condensed",
     "Four features per point, f32, in SciPy's order, by wedge's own kernels."},
    {"edm", "condensed-d64", "The engine: Euclidean distances of 64 features",
     "f32, in SciPy's order, by differences: a subtraction and a multiply-add per feature."},
    {"edm", "condensed-f64", "The engine: Euclidean distances, double precision",
     "Four features per point, in SciPy's order, on the cpu."},
    {"sinks", "d3", "The engine's sinks: distances of 3 features",
     "What becomes of each distance: stored, counted and listed within a radius of about 50 neighbours per point, "
     "added "
     "up with the smallest and the largest, sorted into 64 bins of equal width or in geometric progression. store "
     "writes "
     "to the same memory again and again; times of the others are those of a whole run."},
    {"sinks", "d4", "The engine's sinks: distances of 4 features", "The same of four features per point, on the cpu."},
    {"within", "d3", "All pairs within a radius",
     "The list of all pairs within a radius of about 50 neighbours per point, sorted; 3 features, f32, uniform in the "
     "unit "
     "cube. A time is from points on the device, in any order, to the list there. pruned leaves out tiles that are too "
     "far "
     "apart, all-pairs computes every distance; both find the same list, and rates are of all pairs."},
    {"histogram", "d3", "Histogram of distances up to 0.1",
     "64 bins of equal width up to 0.1, and how many distances are above; 3 features, f32, uniform in the unit cube. A "
     "time "
     "is from points on the device, in any order, to the counts there. pruned only counts the pairs of tiles that are "
     "too far "
     "apart, all-pairs computes every distance; rates are of all pairs."},
    {"knn", "d3", "The 16 nearest neighbours, 3 features",
     "Of each point of one set, with their distances; f32, uniform in the unit cube. A time is from points on the "
     "device, in "
     "any order, to the neighbours there. pruned leaves out tiles that are farther than what was found already; rates "
     "are "
     "of all n² cells."},
    {"knn", "d64", "The 16 nearest neighbours, 64 features",
     "Of each point of one set, with their distances, euclidean and cityblock; every pair is computed, and rates are "
     "of all "
     "n² cells."},
    {"nbody", "", "Gravity",
     "forces: the energy and the force of each body, softening 0.01. energy: the sum of all pairs' energies, with the "
     "smallest "
     "and the largest, over all n² cells of the square and over the triangle, in which each pair is one cell."},
    {"collide", "d3", "Spheres that touch",
     "The list of all pairs of spheres that touch or overlap, sorted; f32, uniform in the unit cube, radii from 0 to a "
     "largest "
     "one with which a sphere touches some six others. A time is from spheres on the device, in any order, to the list "
     "there. "
     "pruned leaves out tiles that are too far apart; all-pairs is the paper's test of every pair, and lists them."},
    {"collide1d", "", "Collisions in 1D",
     "Overlaps among n spheres of random radius in the unit interval; blocks keep their points in shared memory, utm "
     "cannot, and rb-thread does not; rb-tiles is rb-thread with the points of its rows and columns there."},
    {"collide3d", "", "Collisions in 3D",
     "Overlaps among n spheres of random radius in the unit box; blocks keep their points in shared memory, utm "
     "cannot, and rb-thread does not; rb-tiles is rb-thread with the points of its rows and columns there."},
    {"tet-map", "", "Dummy kernel on the tetrahedron", "Cells i ≥ j ≥ k: five of six blocks of a box have no work."},
    {"tet-collide", "", "Collisions of three spheres",
     "Triplets of spheres in the unit box of which each two overlap, counted; blocks keep their points in shared "
     "memory. The dummy kernel's cells i > j > k, with work in them."},
};

enum { SHOWN = sizeof experiments_shown / sizeof *experiments_shown };

static int shown(const bench_row *row) {
    for (int k = 0; k < SHOWN; ++k)
        if (!strcmp(row->experiment, experiments_shown[k].name) && !strcmp(row->variant, experiments_shown[k].variant))
            return k;
    return -1;
}

const char *experiment_title(const bench_row *row) {
    int k = shown(row);
    return k < 0 ? row->experiment : experiments_shown[k].title;
}

const char *experiment_about(const bench_row *row) {
    int k = shown(row);
    return k < 0 ? row->variant : experiments_shown[k].about;
}

bool same_figure(const bench_row *a, const bench_row *b) {
    return !strcmp(a->experiment, b->experiment) && !strcmp(a->variant, b->variant);
}

bool figure_ran(const figure *f) {
    for (int k = 0; k < f->result->count; ++k)
        if (same_figure(&f->result->rows[k], f->like) && f->result->rows[k].status != ROW_SKIPPED) return true;
    return false;
}

bool first_of_figure(const bench_result *r, int row) {
    for (int k = 0; k < row; ++k)
        if (same_figure(&r->rows[k], &r->rows[row])) return false;
    return true;
}

static int rho_weight(uint32_t rho) { return rho == 16 ? 2 : rho == 8 ? 1 : 0; }

int figure_rhos(const figure *f, uint32_t rhos[MOST_RHOS]) {
    int count = 0;
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        int at = 0;
        if (!same_figure(row, f->like)) continue;
        while (at < count && rhos[at] < row->rho) ++at;
        if ((at < count && rhos[at] == row->rho) || count == MOST_RHOS) continue;
        memmove(&rhos[at + 1], &rhos[at], (size_t)(count - at) * sizeof *rhos);
        rhos[at] = row->rho;
        ++count;
    }
    int lead = count - 1;
    for (int k = 0; k < count; ++k)
        if (rho_weight(rhos[k]) > rho_weight(rhos[lead])) lead = k;
    if (count == 0) return 0;
    uint32_t first = rhos[lead];
    memmove(&rhos[1], &rhos[0], (size_t)lead * sizeof *rhos);
    rhos[0] = first;
    return count;
}

uint64_t figure_largest_n(const figure *f, uint32_t rho) {
    uint64_t n = 0;
    for (int k = 0; k < f->result->count; ++k) {
        const bench_row *row = &f->result->rows[k];
        if (same_figure(row, f->like) && row->rho == rho && row_timed(row) && row->n > n) n = row->n;
    }
    return n;
}
