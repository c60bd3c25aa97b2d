/* histogram.c: `wedge histogram`, how many pairs there are at each distance, and the radial distribution function.
 *
 * Bins are [lo, hi), the last one closed, as numpy.histogram has them. Counts are 64-bit. Beyond the last bin edge nothing is
 * computed that pruning can leave out; what lies there is known by subtraction.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/dtype.h"
#include "core/note.h"
#include "io/write/npz.h"
#include "io/write/outfile.h"
#include "io/write/pairs_text.h"
#include "request.h"

enum { MOST_BINS = 1 << 20 };

static const char intro[] =
    "examples:\n"
    "  wedge histogram examples/points.csv --max 8 --bins 4  lines \"lo hi count\"\n"
    "  wedge histogram points.csv --max 20 --min 0.5 --bins 8 --log\n"
    "  wedge histogram p.npy q.npy --max 20 --bins 10       each of p with each of q\n"
    "  wedge histogram p.npy --max 8 --bins 16 --box 17 --rdf    also g(r)\n"
    "  wedge histogram p.npy --max 20 --bins 10 -o h.npz    counts and edges\n"
    "\n"
    "usage: wedge histogram IN [IN2] --max R --bins B [options]   IN: .npy or text\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--max", "R", "the last bin edge"},
    {"--bins", "B", "number of bins, 1 to 1048576"},
    {"--min", "R0", "the first bin edge; default 0"},
    {"--log", NULL, "bins in geometric progression; needs --min above 0"},
    {"--edges", "FILE", "file of ascending bin edges, instead of the options above: .npy or text"},
    {"--rdf", NULL, "also print g(r), the radial distribution function, as a fourth number; needs --box"},
    {"-o", "H", "write H.npy, the counts, int64 (bins,); H.npz, counts, edges and with --rdf g; or text: H.csv, H.tsv"},
    OPTION_BOX,
    OPTION_BRUTE,
    OPTION_METRIC,
    OPTION_COLUMNS,
    OPTION_FORMAT,
    OPTION_MEMORY,
    OPTION_FORCE,
    OPTION_NAN,
    OPTION_DEVICE,
    OPTION_RUN,
};

static void print_notes(void) {
    cli_metric_notes();
    cli_note(
        "A bin is [lo, hi); the last one includes hi. Below the bins come \"below: N\" and \"above: N\", the pairs "
        "outside them, and \"nan: N\" if there are any. With --rdf, g = 2 count V / (n (n - 1) shell) for one set and "
        "count V / (n m shell) for two, where V is the volume of the box and shell the volume between spheres of "
        "radius lo and hi.");
}

typedef struct {
    cli_work *w;
    const histogram_request *q;
    uint64_t bins;
    double *edges;    /* bins + 1, as typed or spaced */
    uint64_t *counts; /* bins, below, above, NaN */
    double box[CLI_MOST_BOX];
    wedge_job_spec pairs;
} histogram;

static int parse_min(const cli_args *a, histogram_request *q) {
    const char *text = cli_given(a, "--min");
    char *end = NULL;
    q->min = text ? strtod(text, &end) : 0;
    if (text && (end == text || *end || !isfinite(q->min)))
        return cli_error(EXIT_USAGE, "%s: --min %s: must be a number", a->command, text);
    return EXIT_OK;
}

static int parse_max(const cli_args *a, histogram_request *q) {
    const char *text = cli_given(a, "--max");
    char *end = NULL;
    if (!text) return cli_error(EXIT_USAGE, "%s: missing --max R, the last bin edge (or --edges FILE)", a->command);
    q->max = strtod(text, &end);
    if (end == text || *end || !isfinite(q->max) || !(q->max > q->min))
        return cli_error(EXIT_USAGE, "%s: --max %s: must be a number above %s %g", a->command, text,
                         cli_given(a, "--min") ? "--min" : "the first edge,", q->min);
    return EXIT_OK;
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    static const char *const spaced[] = {"--max", "--min", "--bins", "--log"};
    histogram_request *q = own;
    int code;
    (void)c;
    q->log = cli_given(a, "--log") != NULL, q->rdf = cli_given(a, "--rdf") != NULL;
    q->brute = cli_given(a, "--brute") != NULL;
    q->edges = r->edges = cli_given(a, "--edges"), r->at_end = true;
    if (q->rdf && strcmp(r->pairs.op, "euclidean"))
        return cli_error(EXIT_USAGE, "%s: --rdf needs Euclidean distances; leave out --metric %s", a->command,
                         r->pairs.op);
    for (int k = 0; k < 4 && q->edges; ++k)
        if (cli_given(a, spaced[k]))
            return cli_error(EXIT_USAGE, "%s: --edges gives all edges; leave out %s", a->command, spaced[k]);
    if (q->edges) return EXIT_OK;
    if ((code = parse_min(a, q)) || (code = parse_max(a, q))) return code;
    if (!cli_given(a, "--bins")) return cli_error(EXIT_USAGE, "%s: missing --bins B", a->command);
    if (q->log && !(q->min > 0))
        return cli_error(EXIT_USAGE, "%s: --log needs --min R0 above 0, the first edge", a->command);
    return cli_whole(a, "--bins", 1, MOST_BINS, &q->bins);
}

/* ---- Edges ---- */

static double number_at(const points *p, uint64_t k) {
    return p->is_f64 ? ((const double *)p->data)[k] : (double)((const float *)p->data)[k];
}

static int check_edges(const char *file, const points *p) {
    uint64_t count = p->n * p->d;
    if ((p->n > 1 && p->d > 1) || count < 2 || count > MOST_BINS + 1)
        return cli_error(EXIT_DATA, "histogram: --edges %s: must be one row or column of 2 to %d numbers", file,
                         MOST_BINS + 1);
    for (uint64_t k = 0; k < count; ++k)
        if (!isfinite(number_at(p, k)))
            return cli_error(EXIT_DATA, "histogram: --edges %s: edge %" PRIu64 " (from 0) is %g; edges must be finite",
                             file, k, number_at(p, k));
    for (uint64_t k = 1; k < count; ++k)
        if (!(number_at(p, k) > number_at(p, k - 1)))
            return cli_error(EXIT_USAGE,
                             "histogram: --edges %s: edge %" PRIu64
                             " (from 0) is %g, and the one before it %g; edges must ascend",
                             file, k, number_at(p, k), number_at(p, k - 1));
    return EXIT_OK;
}

static int read_edges(histogram *h) {
    const points_options options = {.dtype = POINTS_F64, .nan_propagate = true}; /* what is said of NaN is of edges */
    points p = {0};
    note why = {0};
    const char *file = h->q->edges;
    wedge_status status = points_read(file, &options, &p, &why);
    int code = status ? cli_work_failed(h->w, status, note_text(&why)) : EXIT_OK;
    note_free(&why);
    if (code) return code;
    uint64_t count = p.n * p.d;
    code = check_edges(file, &p);
    h->edges = code ? NULL : malloc(count * sizeof *h->edges);
    for (uint64_t k = 0; h->edges && k < count; ++k) h->edges[k] = number_at(&p, k);
    h->bins = count - 1;
    points_free(&p);
    return code || h->edges ? code : cli_error(EXIT_SPACE, "%s: no memory for the edges", h->w->r->command);
}

/* As numpy.linspace and numpy.geomspace have them; the sink rounds them to the dtype. */
static int space_edges(histogram *h) {
    const histogram_request *q = h->q;
    h->bins = q->bins;
    h->edges = malloc((q->bins + 1) * sizeof *h->edges);
    if (!h->edges) return cli_error(EXIT_SPACE, "%s: no memory for the edges", h->w->r->command);
    double first = q->log ? log10(q->min) : q->min, last = q->log ? log10(q->max) : q->max;
    double step = (last - first) / (double)q->bins;
    for (uint64_t k = 0; k <= q->bins; ++k) {
        double at = first + (double)k * step;
        h->edges[k] = k == q->bins ? q->max : !k ? q->min : q->log ? pow(10, at) : at;
    }
    return EXIT_OK;
}

/* ---- The job ---- */

static int make_job(histogram *h) {
    const histogram_request *q = h->q;
    const wedge_parameter spaced[] = {WEDGE_NUMBER("min", q->min), WEDGE_NUMBER("max", q->max),
                                      WEDGE_WHOLE("bins", q->bins), WEDGE_FLAG("log", q->log)};
    const wedge_parameter listed = WEDGE_LIST("edges", h->edges, h->bins + 1);
    wedge_job_spec *pairs = &h->pairs;
    *pairs = h->w->r->pairs;
    pairs->layout = cli_work_layout(h->w);
    pairs->sink = "histogram", pairs->sink_parameters = q->edges ? &listed : spaced;
    pairs->sink_parameter_count = q->edges ? 1 : 4;
    pairs->prune = q->brute ? WEDGE_PRUNE_NEVER : WEDGE_PRUNE_AUTO;
    if (q->rdf && !h->w->r->box_count)
        return cli_error(EXIT_USAGE, "%s: --rdf needs the lengths of a periodic box: --box L[,L..]", h->w->r->command);
    int code = cli_box_lengths(h->w, pairs->op, h->box, &pairs->box);
    if (!code) code = cli_box_check(h->w, pairs, h->edges[h->bins]);
    for (uint64_t f = 0; q->rdf && f < h->w->d && !code; ++f)
        if (!(h->box[f] > 0))
            code = cli_error(EXIT_USAGE,
                             "%s: --rdf needs a box that is periodic in every coordinate; %s has a length of 0",
                             h->w->r->command, cli_box_name(h->w->r));
    if (!code) code = cli_work_job(h->w, pairs);
    if (!code && h->w->c->verbose) cli_work_say_how(h->w, stderr);
    return code;
}

/* ---- What comes out ---- */

/* The volume of a ball in d dimensions. */
static double ball(uint64_t d, double radius) {
    double half = (double)d / 2, pi = 3.14159265358979323846;
    return exp(half * log(pi) - lgamma(half + 1)) * pow(radius, (double)d);
}

static double edge_at(const histogram *h, uint64_t k) {
    return dtype_limit(h->edges[k], h->w->size == 8 ? WEDGE_F64 : WEDGE_F32);
}

/* g of a bin; 0 where there are no pairs, or a shell that has no volume. */
static double density(const histogram *h, uint64_t bin) {
    uint64_t d = h->w->d;
    double volume = 1, n = (double)h->w->sets[0].n, m = (double)h->w->sets[1].n;
    double pairs = h->w->r->sets == 2 ? n * m : n * (n - 1) / 2;
    double low = fmax(0, edge_at(h, bin)), high = fmax(0, edge_at(h, bin + 1));
    double share = pairs * (ball(d, high) - ball(d, low));
    for (uint64_t f = 0; f < d; ++f) volume *= h->box[f];
    return share > 0 ? (double)h->counts[bin] * volume / share : 0;
}

static void print_lines(const histogram *h) {
    wedge_dtype dtype = h->w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    const uint64_t *rest = h->counts + h->bins;
    for (uint64_t k = 0; k < h->bins; ++k) {
        printf("%s ", number_as_text(edge_at(h, k), dtype).text);
        printf("%s %" PRIu64, number_as_text(edge_at(h, k + 1), dtype).text, h->counts[k]);
        if (h->q->rdf) printf(" %.17g", density(h, k));
        printf("\n");
    }
    printf("below: %" PRIu64 "\nabove: %" PRIu64 "\n", rest[0], rest[1]);
    if (rest[2]) printf("nan: %" PRIu64 "\n", rest[2]);
}

static void print_json(const histogram *h) {
    FILE *f = h->w->r->json;
    const uint64_t *rest = h->counts + h->bins;
    if (!f) return;
    cli_work_json(h->w, "done");
    fprintf(f, "\"dtype\": \"%s\", \"log\": %s, \"brute\": %s,\n \"result\": {\"edges\": [", cli_work_dtype(h->w),
            h->q->log ? "true" : "false", h->q->brute ? "true" : "false");
    for (uint64_t k = 0; k <= h->bins; ++k) fprintf(f, "%s%.17g", k ? ", " : "", edge_at(h, k));
    fprintf(f, "],\n  \"counts\": [");
    for (uint64_t k = 0; k < h->bins; ++k) fprintf(f, "%s%" PRIu64, k ? ", " : "", h->counts[k]);
    fprintf(f, "],\n  ");
    for (uint64_t k = 0; h->q->rdf && k < h->bins; ++k) cli_json_number(f, k ? ", " : "\"g\": [", density(h, k));
    fprintf(f, "%s\"below\": %" PRIu64 ", \"above\": %" PRIu64 ", \"nan\": %" PRIu64 "}, \"seconds\": %.6f}\n",
            h->q->rdf ? "],\n  " : "", rest[0], rest[1], rest[2], clock_now() - h->w->start);
}

static int write_text(const histogram *h) {
    wedge_dtype dtype = h->w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    char gap = h->w->r->separator;
    cli_output out;
    int code = cli_output_open(&out, h->w->r->out, h->w->r->force);
    if (code) return code;
    fprintf(out.f, h->q->rdf ? "lo%chi%ccount%cg\n" : "lo%chi%ccount\n", gap, gap, gap);
    for (uint64_t k = 0; k < h->bins; ++k) {
        fprintf(out.f, "%s%c", number_as_text(edge_at(h, k), dtype).text, gap);
        fprintf(out.f, "%s%c%" PRIu64, number_as_text(edge_at(h, k + 1), dtype).text, gap, h->counts[k]);
        if (h->q->rdf) fprintf(out.f, "%c%.17g", gap, density(h, k));
        fputc('\n', out.f);
    }
    return cli_output_close(&out, true);
}

/* numpy.load(H)["counts"], ["edges"], ["g"]. Edges as the points' kind of number has them, in f64. */
static int write_archive(const histogram *h) {
    double *edges = malloc((2 * h->bins + 1) * sizeof *edges), *g = edges ? edges + h->bins + 1 : NULL;
    const npz_array arrays[] = {
        {"counts", "i8", h->bins, h->counts}, {"edges", "f8", h->bins + 1, edges}, {"g", "f8", h->bins, g}};
    cli_output out;
    if (!edges) return cli_error(EXIT_SPACE, "%s: no memory for %s", h->w->r->command, h->w->r->out);
    for (uint64_t k = 0; k <= h->bins; ++k) edges[k] = edge_at(h, k);
    for (uint64_t k = 0; h->q->rdf && k < h->bins; ++k) g[k] = density(h, k);
    int code = cli_output_open(&out, h->w->r->out, h->w->r->force);
    if (!code) {
        npz_write(out.f, arrays, h->q->rdf ? 3 : 2);
        code = cli_output_close(&out, true);
    }
    free(edges);
    return code;
}

static int write_counts(const histogram *h) {
    const cli_request *r = h->w->r;
    if (!r->out) return EXIT_OK;
    if (r->separator) return write_text(h);
    if (r->archive) return write_archive(h);
    return cli_npy_write(h->w, r->out, "i8", 1, &h->bins, h->counts, h->bins * sizeof *h->counts);
}

static int compute(histogram *h) {
    h->counts = calloc(h->bins + 3, sizeof *h->counts);
    if (!h->counts) return cli_error(EXIT_SPACE, "%s: no memory for the counts", h->w->r->command);
    int code = make_job(h);
    if (code) return code;
    wedge_result result = {.size = sizeof result, .values = h->counts};
    cli_progress_begin(&h->w->progress, h->w->c, h->w->r->in[0]);
    wedge_status status = wedge_job_run(h->w->job, 0, h->w->info->cells, &result, cli_work_show, h->w);
    cli_progress_end(&h->w->progress);
    if (status == WEDGE_STOPPED) return cli_error(EXIT_STOPPED, "%s: stopped before the end", h->w->r->command);
    return status ? cli_work_device_failed(h->w, status) : EXIT_OK;
}

static int run(cli_work *w, void *own) {
    histogram h = {.w = w, .q = own};
    int code = h.q->edges ? read_edges(&h) : space_edges(&h);
    if (!code) code = compute(&h);
    if (!code) code = write_counts(&h);
    if (!code) {
        print_json(&h);
        cli_work_say_inputs(w);
        if (w->r->json != stdout && !w->r->to_stdout) print_lines(&h);
    }
    free(h.edges);
    free(h.counts);
    return code;
}

const cli_command histogram_command = {
    .name = "histogram",
    .usage = "IN --max R --bins B",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 2,
    .what = "counts",
    .text = true,
    .archive = true,
    .parse_own = parse_own,
    .run = run,
};

int cmd_histogram(cli *c, int argc, char **argv) {
    histogram_request q = {0};
    return cli_command_run(c, &histogram_command, &q, argc, argv);
}
