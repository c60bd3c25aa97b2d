/* knn.c: `wedge knn`, the k nearest neighbours of each point.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/note.h"
#include "files.h"
#include "lines.h"
#include "staged.h"

static const char intro[] =
    "examples:\n"
    "  wedge knn examples/points.csv -k 3           lines \"i j1 j2 j3\", nearest first\n"
    "  wedge knn p.npy -k 10 -o i.npy --distances d.npy\n"
    "  wedge knn points.csv -k 2 --distances -      lines \"i j1 j2 d1 d2\"\n"
    "  wedge knn p.npy -k 2 --queries q.npy         the points of p next to q's\n"
    "  wedge knn p.npy -k 4 --metric cosine -o c.csv\n"
    "\n"
    "usage: wedge knn IN -k K [options]   IN: .npy or text; - reads stdin\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"-k", "K", "neighbours per point, 1 to 1024, fewer than there are points"},
    {"--queries", "Q", "search the neighbours of the points of Q among those of IN; default: of IN's own points"},
    {"-o", "I", "write I.npy, int64 (points, K), or text: I.csv, I.tsv"},
    {"--distances", "D", "the distances, too: D.npy (points, K) beside I.npy; - after the neighbours in text"},
    {"--id", "COLUMN", "column with the points' names, by name or number; text lists them instead of numbers"},
    OPTION_BOX,
    OPTION_METRIC,
    OPTION_COLUMNS,
    OPTION_FORMAT,
    OPTION_MEMORY,
    OPTION_FORCE,
    OPTION_RESUME,
    OPTION_NAN,
    OPTION_DRY_RUN,
    OPTION_DEVICE,
    OPTION_RUN,
};

static void print_notes(void) {
    cli_metric_notes();
    cli_note(
        "Points are counted from 0. Ties go to the lower number. A point is not its own neighbour; with --queries "
        "every point of IN is a candidate. If NaN leaves a point fewer than K neighbours, the rest are -1, at infinite "
        "distance.");
}

/* A run: rows [begin, end) are this process's. */
typedef struct {
    cli_work *w;
    const knn_request *q;
    double box[CLI_MOST_BOX];
    uint64_t rows, columns;
    wedge_job_spec pairs; /* what the job was made of */
    wedge_parameter parameters[2];
    cli_files files;
    uint64_t row; /* the next one */
    cli_lines *lines;
    double prepared; /* seconds that making the job took */
} knn;

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    knn_request *q = own;
    const char *queries = cli_given(a, "--queries");
    bool is_npy = r->out && !r->separator;
    (void)c;
    q->distances = cli_given(a, "--distances");
    if (!cli_given(a, "-k")) return cli_error(EXIT_USAGE, "%s: missing -k K, the number of neighbours", a->command);
    int code = cli_whole(a, "-k", 1, 1024, &q->k);
    if (code) return code;
    r->queries = queries != NULL;
    if (queries) r->in[1] = r->in[0], r->in[0] = queries, r->sets = 2; /* rows are the queries */
    bool beside = q->distances && !strcmp(q->distances, "-");
    if (beside && is_npy)
        return cli_error(EXIT_USAGE,
                         "%s: --distances -: a .npy of neighbours cannot hold distances, too; use --distances D.npy",
                         a->command);
    if (q->distances && !beside && !is_npy)
        return cli_error(EXIT_USAGE,
                         "%s: --distances %s needs -o I.npy; --distances - prints distances after the neighbours",
                         a->command, q->distances);
    if (r->input.id && is_npy)
        return cli_error(EXIT_USAGE, "%s: --id needs neighbours as text; a .npy has no names", a->command);
    if ((r->resume && !r->out) || (r->shards > 1 && !is_npy))
        return cli_error(EXIT_USAGE, "%s: %s needs -o I.npy%s", a->command, r->resume ? "--resume" : "--shard",
                         r->resume ? " or text, I.csv" : "");
    return beside ? EXIT_OK : cli_request_output(r, "--distances", q->distances, "distances", NULL);
}

static int make_job(knn *n) {
    cli_work *w = n->w;
    const cli_request *r = w->r;
    wedge_job_spec *pairs = &n->pairs;
    *pairs = r->pairs;
    n->parameters[0] = (wedge_parameter)WEDGE_WHOLE("k", n->q->k);
    n->parameters[1] = (wedge_parameter)WEDGE_FLAG("values", true);
    n->rows = w->sets[0].n, n->columns = w->sets[r->sets - 1].n;
    if (n->q->k > n->columns - (r->sets == 1))
        return cli_error(EXIT_USAGE, "%s: -k %" PRIu64 ": %s has %" PRIu64 " point%s; K must be smaller",
                         n->w->r->command, n->q->k, r->in[r->sets - 1], n->columns, n->columns == 1 ? "" : "s");
    pairs->layout = r->sets == 2 ? WEDGE_RECTANGLE : WEDGE_SQUARE;
    pairs->sink = "nearest", pairs->sink_parameters = n->parameters;
    pairs->sink_parameter_count = n->q->distances ? 2 : 1;
    int code = cli_box_lengths(w, pairs->op, n->box, &pairs->box);
    double start = clock_now();
    if (!code) code = cli_work_job(w, pairs);
    n->prepared = clock_now() - start;
    if (!code && w->c->verbose && !r->dry_run) cli_work_say_how(w, stderr);
    return code;
}

static int run_failed(const knn *n, wedge_status status) {
    if (status != WEDGE_STOPPED)
        return n->files.note.text ? cli_work_failed(n->w, status, note_text(&n->files.note))
                                  : cli_work_device_failed(n->w, status);
    return cli_error(EXIT_STOPPED, "%s: stopped before the end%s", n->w->r->command,
                     n->files.out[0] ? cli_files_then(&n->files) : "");
}

static bool show(void *user, double done) { return cli_work_show(((knn *)user)->w, done); }

static void start_json(const knn *n, const char *outcome) {
    FILE *f = n->w->r->json;
    if (!f) return;
    cli_work_json(n->w, outcome);
    fprintf(f, "\"dtype\": \"%s\", \"k\": %" PRIu64 ",\n \"shard\": %u, \"shards\": %u, \"result\": {",
            cli_work_dtype(n->w), n->q->k, n->w->r->shard, n->w->r->shards);
}

/* outcome: NULL where it was said in front. */
static void finish_json(const knn *n, uint64_t rows, const char *outcome) {
    FILE *f = n->w->r->json;
    if (!f) return;
    fprintf(f, "\"rows\": %" PRIu64 "}", rows);
    if (outcome) fprintf(f, ", \"outcome\": \"%s\"", outcome);
    fprintf(f, ", \"seconds\": %.6f}\n", clock_now() - n->w->start);
}

/* ---- As text ---- */

/* A point of a set: its number, or its name. -1 is no point. */
static void put_point(const knn *n, int set, int64_t point) {
    char *const *ids = n->w->sets[set].about.ids;
    ids &&point >= 0 ? lines_text(n->lines, ids[point]) : lines_whole(n->lines, point);
}

/* A line begins with its point; in JSON the place in the list says that. */
static wedge_status take_lines(void *user, const wedge_piece *piece) {
    knn *n = user;
    const bool f64 = n->w->size == 8;
    for (uint64_t at = 0; at < piece->count; at += n->q->k, ++n->row) {
        if (!n->lines->json) put_point(n, 0, (int64_t)n->row);
        for (uint64_t k = at; k < at + n->q->k; ++k) put_point(n, n->w->r->sets - 1, piece->indices[k]);
        for (uint64_t k = at; n->q->distances && k < at + n->q->k; ++k)
            lines_real(n->lines, f64 ? ((const double *)piece->values)[k] : ((const float *)piece->values)[k],
                       f64 ? WEDGE_F64 : WEDGE_F32);
        lines_next(n->lines);
    }
    return ferror(n->lines->f) ? WEDGE_FAILED : WEDGE_OK;
}

static wedge_status stream_lines(knn *n, FILE *f, bool json) {
    char separator = n->w->r->separator;
    n->lines = malloc(sizeof *n->lines);
    if (!n->lines) return WEDGE_NO_MEMORY;
    if (separator) fputc('i', f);
    for (uint64_t k = 1; separator && k <= n->q->k; ++k) fprintf(f, "%cj%" PRIu64, separator, k);
    for (uint64_t k = 1; separator && n->q->distances && k <= n->q->k; ++k) fprintf(f, "%cd%" PRIu64, separator, k);
    if (separator) fputc('\n', f);
    lines_begin(n->lines, f, separator ? separator : ' ', json);
    n->row = 0;
    wedge_status status = cli_request_staged(n->w->r) ? cli_staged_stream(&n->files, n->q->k, take_lines, show, n)
                                                      : wedge_job_stream(n->w->job, 0, n->w->info->cells, n->w->buffers,
                                                                         take_lines, n, show, n);
    lines_end(n->lines);
    free(n->lines);
    return status;
}

/* As JSON on standard output: complete also where the list is not, and then it says so. */
static wedge_status stream_json(knn *n) {
    start_json(n, NULL);
    fprintf(stdout, "\"neighbours\": ");
    wedge_status status = stream_lines(n, stdout, true);
    fprintf(stdout, ", ");
    finish_json(n, n->row, status == WEDGE_STOPPED ? "stopped" : status ? "failed" : "done");
    return status;
}

static int print_rows(knn *n) {
    const cli_request *r = n->w->r;
    cli_output out = {.f = stdout};
    bool json = !r->out && r->json == stdout;
    int code = r->out ? cli_staged_open(r, &out) : EXIT_OK;
    if (code) return code;
    if (r->out) cli_progress_begin(&n->w->progress, n->w->c, cli_request_out(r));
    wedge_status status = json ? stream_json(n) : stream_lines(n, out.f, false);
    if (r->out) cli_progress_end(&n->w->progress);
    if (status && !ferror(out.f)) {
        cli_output_drop(&out);
        return run_failed(n, status);
    }
    if (r->out && (code = cli_output_close(&out, true))) return code;
    if (!json) start_json(n, "done"), finish_json(n, n->row, NULL);
    cli_work_say_inputs(n->w);
    return EXIT_OK;
}

/* ---- As .npy ---- */

static wedge_status take_entries(void *user, const wedge_piece *piece) {
    knn *n = user;
    const void *const data[CLI_FILES] = {piece->indices, piece->values};
    WEDGE_TRY(cli_files_write(&n->files, n->row, piece->count / n->q->k, data));
    n->row += piece->count / n->q->k;
    return WEDGE_OK;
}

static int open_files(knn *n) {
    cli_files *f = &n->files;
    cli_work *w = n->w;
    uint64_t k = n->q->k;
    f->npy[0] = (cli_npy){w->r->out, "i8", 2, {n->rows, k}, k * sizeof(int64_t)};
    f->npy[1] = (cli_npy){n->q->distances, w->size == 8 ? "f8" : "f4", 2, {n->rows, k}, k * w->size};
    f->count = n->q->distances ? 2 : 1, f->second = "distances";
    f->entries = n->rows;
    f->begin = cli_slice_start(n->rows, w->r->shard - 1, w->r->shards);
    f->end = cli_slice_start(n->rows, w->r->shard, w->r->shards);
    char *more = cli_box_text(w, n->box, text_format("command knn\nk %" PRIu64 "\n", k));
    char *binding = more ? cli_work_binding(w, more) : NULL;
    free(more);
    if (!binding) return cli_error(EXIT_SPACE, "%s: no memory to describe the output", n->w->r->command);
    cli_work_drop_points(w);
    int code = cli_files_open(f, binding);
    free(binding);
    return code;
}

static int stream_entries(knn *n) {
    cli_work *w = n->w;
    n->row = cli_files_position(&n->files);
    cli_progress_begin(&w->progress, w->c, cli_request_out(w->r));
    wedge_status status =
        wedge_job_stream(w->job, n->row * n->columns, n->files.end * n->columns, w->buffers, take_entries, n, show, n);
    cli_progress_end(&w->progress);
    if (status != WEDGE_STOPPED) return status ? run_failed(n, status) : EXIT_OK;
    int code = cli_files_pause(&n->files);
    return code ? code
                : cli_error(EXIT_STOPPED, "%s: stopped before the end%s", n->w->r->command, cli_files_then(&n->files));
}

static int fill_files(knn *n, bool *complete) {
    int code = open_files(n);
    *complete = !code && cli_files_complete(&n->files);
    return code || *complete ? code : stream_entries(n);
}

/* A text that can be resumed. */
static int write_staged(knn *n) {
    bool complete;
    int code = fill_files(n, &complete);
    if (!code) code = cli_staged_hold(&n->files);
    if (!code) code = print_rows(n);
    if (!code) cli_staged_remove(&n->files);
    return code;
}

static int write_files(knn *n) {
    bool whole = false, complete;
    int code = fill_files(n, &complete);
    if (!code) code = cli_files_finish(&n->files, &whole);
    if (code) return code;
    start_json(n, complete ? "complete" : "done");
    finish_json(n, n->files.end - n->files.begin, NULL);
    cli_work_say_inputs(n->w);
    cli_files_say(&n->files, (const char *[]){"row", "row"}, complete, whole);
    return EXIT_OK;
}

static int dry_run(const knn *n) {
    cli_work *w = n->w;
    const cli_request *r = w->r;
    uint64_t rows = cli_slice_start(n->rows, r->shard, r->shards) - cli_slice_start(n->rows, r->shard - 1, r->shards);
    uint64_t entry = sizeof(int64_t) + (n->q->distances ? w->size : 0);
    double share = (double)rows / (double)n->rows;
    cli_estimate e;
    wedge_status status = cli_trial_rows(w, &n->pairs, n->q->k, &e);
    if (status) return run_failed(n, status);
    double seconds = n->prepared + e.seconds * share;
    w->start = clock_now() - seconds; /* what --json says */
    start_json(n, "estimate");
    if (r->json) fprintf(r->json, "\"pairs\": %.0f, ", e.pairs * share);
    finish_json(n, rows, NULL);
    if (r->json == stdout) return EXIT_OK;
    cli_work_say_plan(w, rows, "row", rows * n->q->k * entry, seconds);
    printf("work    about %.2g of %.2g pairs\n", e.pairs * share, (double)w->info->cells * share);
    return EXIT_OK;
}

static int run(cli_work *w, void *own) {
    knn n = {.w = w, .q = own, .files = {.w = w}};
    int code = make_job(&n);
    if (!code && w->r->dry_run)
        code = dry_run(&n);
    else if (!code && cli_request_staged(w->r))
        code = write_staged(&n);
    else if (!code)
        code = w->r->out && !w->r->separator ? write_files(&n) : print_rows(&n);
    cli_files_abandon(&n.files);
    return code;
}

const cli_command knn_command = {
    .name = "knn",
    .usage = "IN -k K",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 1,
    .what = "neighbours",
    .text = true,
    .parse_own = parse_own,
    .run = run,
};

int cmd_knn(cli *c, int argc, char **argv) {
    knn_request q = {0};
    return cli_command_run(c, &knn_command, &q, argc, argv);
}
