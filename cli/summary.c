/* summary.c: `wedge summary`, the closest pair, the diameter, the sum and the mean of all pairs; --rows: of each point.
 *
 * The sink `summary` has no rows, so --rows streams all values and adds them up here, each row in eight sums by column: the
 * result does not depend on how the values are cut.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/note.h"
#include "io/write/pairs_text.h"
#include "request.h"

static const char intro[] =
    "examples:\n"
    "  wedge summary examples/points.csv            count, sum, mean, min, max\n"
    "  wedge summary points.csv --metric cityblock --json\n"
    "  wedge summary p.npy q.npy                    each point of p with each of q\n"
    "  wedge summary p.npy --rows r.npy             the same for each point\n"
    "  wedge summary p.npy --box 17                 periodic in all coordinates\n"
    "\n"
    "usage: wedge summary IN [IN2] [options]   IN: .npy or text; - reads stdin\n"
    "\n"
    "options:\n";

static const cli_option options[] = {
    {"--rows", "R.npy", "write one row per point: count, sum, mean, min, its j, max, its j; f64 (n, 7)"},
    OPTION_BOX,
    OPTION_METRIC,
    OPTION_COLUMNS,
    OPTION_MEMORY,
    OPTION_FORCE,
    OPTION_NAN,
    OPTION_DEVICE,
    OPTION_RUN,
};

static void print_notes(void) {
    cli_metric_notes();
    cli_note(
        "Lines: \"count: N\", \"sum: S\", \"mean: M\", \"min: V I J\" (the closest pair), \"max: V I J\" (the "
        "diameter). Ties go to the first pair. NaN is left out of count, min and max, and makes the "
        "sum NaN.");
}

/* ---- Each point ---- */

enum { COUNT, SUM, MEAN, MIN, MIN_J, MAX, MAX_J, NUMBERS, LANES = 8 };

typedef struct {
    cli_work *w;
    uint64_t columns;
    bool one_set;
    double lanes[LANES]; /* of the row under way */
    double *rows;        /* NUMBERS each */
} per_row;

static void begin_row(per_row *p, double *row) {
    memset(p->lanes, 0, sizeof p->lanes);
    row[COUNT] = 0, row[MIN] = INFINITY, row[MAX] = -INFINITY, row[MIN_J] = row[MAX_J] = -1;
}

static void end_row(const per_row *p, double *row) {
    row[SUM] = 0;
    for (int k = 0; k < LANES; ++k) row[SUM] += p->lanes[k];
    row[MEAN] = row[COUNT] > 0 ? row[SUM] / row[COUNT] : (double)NAN;
    if (row[MIN_J] < 0) row[MIN] = row[MAX] = (double)NAN;
}

static void add_value(per_row *p, double *row, uint64_t j, double v) {
    p->lanes[j % LANES] += v;
    if (isnan(v)) return;
    row[COUNT] += 1;
    if (v < row[MIN] || row[MIN_J] < 0) row[MIN] = v, row[MIN_J] = (double)j;
    if (v > row[MAX] || row[MAX_J] < 0) row[MAX] = v, row[MAX_J] = (double)j;
}

static wedge_status take(void *user, const wedge_piece *piece) {
    per_row *p = user;
    uint64_t i = piece->begin / p->columns, j = piece->begin % p->columns, values = p->w->info->values;
    const double *wide = piece->values;
    const float *narrow = piece->values;
    for (uint64_t k = 0; k < piece->count; ++k) {
        double *row = p->rows + i * NUMBERS;
        if (!j) begin_row(p, row);
        if (!p->one_set || i != j) add_value(p, row, j, p->w->size == 8 ? wide[k * values] : narrow[k * values]);
        if (++j < p->columns) continue;
        end_row(p, row);
        j = 0, ++i;
    }
    return WEDGE_OK;
}

static bool show(void *user, double done) { return cli_work_show(((per_row *)user)->w, done); }

static int run_failed(const cli_work *w, wedge_status status) {
    return status == WEDGE_STOPPED ? cli_error(EXIT_STOPPED, "%s: stopped before the end", w->r->command)
                                   : cli_work_device_failed(w, status);
}

static int write_rows(cli_work *w, const char *file) {
    const cli_request *r = w->r;
    wedge_job_spec pairs = r->pairs;
    uint64_t n = w->sets[0].n;
    per_row p = {.w = w, .columns = w->sets[r->sets - 1].n, .one_set = r->sets == 1};
    double box[CLI_MOST_BOX];
    pairs.layout = r->sets == 2 ? WEDGE_RECTANGLE : WEDGE_SQUARE;
    int code = cli_box_lengths(w, pairs.op, box, &pairs.box);
    if (!code) code = cli_work_job(w, &pairs);
    if (code) return code;
    p.rows = malloc(n * NUMBERS * sizeof *p.rows);
    if (!p.rows) return cli_error(EXIT_SPACE, "%s: no memory for the results of %" PRIu64 " points", w->r->command, n);
    cli_progress_begin(&w->progress, w->c, file);
    wedge_status status = wedge_job_stream(w->job, 0, w->info->cells, w->buffers, take, &p, show, &p);
    cli_progress_end(&w->progress);
    code = status ? run_failed(w, status)
                  : cli_npy_write(w, file, "f8", 2, (uint64_t[]){n, NUMBERS}, p.rows, n * NUMBERS * sizeof *p.rows);
    free(p.rows);
    return code;
}

/* ---- All pairs ---- */

static uint32_t points_of(const cli_work *w) { return w->info->op_info->points; }

static void print_json(const cli_work *w, const wedge_summary *s) {
    FILE *f = w->r->json;
    const char *cell = points_of(w) == 3 ? "triplet" : "pair";
    const struct {
        const char *name;
        double value;
        uint64_t i, j, k;
    } ends[] = {{"min", s->min, s->min_i, s->min_j, s->min_k}, {"max", s->max, s->max_i, s->max_j, s->max_k}};
    if (!f) return;
    cli_work_json(w, "done");
    fprintf(f, "\"dtype\": \"%s\",\n \"result\": {\"count\": %" PRIu64 ", \"nan\": %" PRIu64, cli_work_dtype(w),
            s->count, s->nan);
    cli_json_number(f, ", \"sum\": ", s->sum);
    cli_json_number(f, ", \"mean\": ", s->count ? s->sum / (double)s->count : (double)NAN);
    for (int k = 0; k < 2; ++k) {
        fprintf(f, ", \"%s\": ", ends[k].name);
        cli_json_number(f, "", ends[k].value);
        fprintf(f, ", \"%s_%s\": ", ends[k].name, cell);
        if (s->count) {
            fprintf(f, "[%" PRIu64 ", %" PRIu64, ends[k].i, ends[k].j);
            if (points_of(w) == 3) fprintf(f, ", %" PRIu64, ends[k].k);
        }
        fprintf(f, s->count ? "]" : "null");
    }
    fprintf(f, "}, \"seconds\": %.6f}\n", clock_now() - w->start);
}

static void print_lines(const cli_work *w, const wedge_summary *s) {
    wedge_dtype dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    printf("count: %" PRIu64 "\nsum: %.17g\n", s->count, s->sum);
    if (s->nan) printf("nan: %" PRIu64 "\n", s->nan);
    if (!s->count) return;
    printf("mean: %.17g\n", s->sum / (double)s->count);
    printf("min: %s %" PRIu64 " %" PRIu64, number_as_text(s->min, dtype).text, s->min_i, s->min_j);
    if (points_of(w) == 3) printf(" %" PRIu64, s->min_k);
    printf("\nmax: %s %" PRIu64 " %" PRIu64, number_as_text(s->max, dtype).text, s->max_i, s->max_j);
    if (points_of(w) == 3) printf(" %" PRIu64, s->max_k);
    printf("\n");
}

/* -o: the same numbers in one row, f64; -1 for the points of a minimum that is not there. */
static int write_row(const cli_work *w, const wedge_summary *s) {
    static const char *const names[] = {"count", "nan",   "sum", "mean",  "min",   "min_i",
                                        "min_j", "min_k", "max", "max_i", "max_j", "max_k"};
    const double none = -1, count = (double)s->count;
    const double all[] = {count,
                          (double)s->nan,
                          s->sum,
                          s->count ? s->sum / count : (double)NAN,
                          s->min,
                          s->count ? (double)s->min_i : none,
                          s->count ? (double)s->min_j : none,
                          s->count ? (double)s->min_k : none,
                          s->max,
                          s->count ? (double)s->max_i : none,
                          s->count ? (double)s->max_j : none,
                          s->count ? (double)s->max_k : none};
    double row[12];
    uint64_t numbers = 0, of[12];
    for (uint64_t k = 0; k < 12; ++k)
        if (points_of(w) == 3 || (k != 7 && k != 11)) of[numbers] = k, row[numbers++] = all[k];
    if (!w->r->separator) return cli_npy_write(w, w->r->out, "f8", 1, &numbers, row, numbers * sizeof *row);
    cli_output out;
    int code = cli_output_open(&out, w->r->out, w->r->force);
    if (code) return code;
    for (uint64_t k = 0; k < numbers; ++k)
        fprintf(out.f, "%s%c", names[of[k]], k + 1 < numbers ? w->r->separator : '\n');
    for (uint64_t k = 0; k < numbers; ++k) fprintf(out.f, "%.17g%c", row[k], k + 1 < numbers ? w->r->separator : '\n');
    return cli_output_close(&out, true);
}

static int run(cli_work *w, void *own) {
    const char *rows = ((const summary_request *)own)->rows;
    wedge_job_spec pairs = w->r->pairs;
    wedge_summary s = {.size = sizeof s};
    double box[CLI_MOST_BOX];
    wedge_result result = {.size = sizeof result, .values = &s};
    int code = rows ? write_rows(w, rows) : EXIT_OK;
    pairs.layout = cli_work_layout(w);
    pairs.sink = "summary";
    if (!code) code = cli_box_lengths(w, pairs.op, box, &pairs.box);
    if (!code) code = cli_work_job(w, &pairs);
    if (code) return code;
    if (w->c->verbose) cli_work_say_how(w, stderr);
    cli_progress_begin(&w->progress, w->c, w->r->in[0]);
    wedge_status status = wedge_job_run(w->job, 0, w->info->cells, &result, cli_work_show, w);
    cli_progress_end(&w->progress);
    if (status) return run_failed(w, status);
    if (w->r->out && (code = write_row(w, &s))) return code;
    print_json(w, &s);
    cli_work_say_inputs(w);
    if (w->r->json != stdout && !w->r->to_stdout) print_lines(w, &s);
    return EXIT_OK;
}

static int parse_own(cli *c, const cli_args *a, cli_request *r, void *own) {
    (void)c;
    ((summary_request *)own)->rows = cli_given(a, "--rows");
    return cli_request_output(r, "--rows", cli_given(a, "--rows"), "results of each point", NULL);
}

const cli_command summary_command = {
    .name = "summary",
    .usage = "IN",
    .intro = intro,
    .options = options,
    .count = OPTION_COUNT(options),
    .notes = print_notes,
    .most_sets = 2,
    .what = "results",
    .parse_own = parse_own,
    .run = run,
};

int cmd_summary(cli *c, int argc, char **argv) {
    summary_request q = {0};
    return cli_command_run(c, &summary_command, &q, argc, argv);
}
