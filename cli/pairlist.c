/* pairlist.c: lists of pairs, or of triplets: counted, streamed into .npy, or printed.
 *
 * A .npy says its length in front, and shards must know where theirs go. A job that leaves out tiles knows how many pairs
 * there are with the first of them; with others they are counted before they are written, and kept as far as memory goes. A
 * resume finds its place by the last pair that the file has, for pairs are sorted.
 *
 * SPDX-License-Identifier: MIT */
#include "pairlist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/note.h"
#include "files.h"
#include "kept.h"
#include "lines.h"
#include "staged.h"
#include "wedge/map.h"

typedef struct {
    cli_work *w;
    const cli_request *r;
    const cli_pairlist *p;
    uint64_t begin, end; /* this process's positions */
    double box[CLI_MOST_BOX];
    wedge_job_spec pairs;
    bool values; /* are wanted */
    cli_files files;
    kept kept;
    uint64_t before, after; /* pairs of other shards */
    bool direct;            /* all pairs go to the files as they are found */
    int refused;            /* the files could not be opened: an exit code; it was said why */
    uint64_t written;       /* entries */
    cli_lines *lines;
} list;

/* A pair, or with an op of three points a triplet. */
static bool is_of_triplets(const list *l) { return l->r->userop && l->r->userop->row.info.points == 3; }
static unsigned points_of(const list *l) { return is_of_triplets(l) ? 3 : 2; }
static const char *entry_name(const list *l) { return is_of_triplets(l) ? "triplet" : "pair"; }

int cli_pairlist_parse(const cli_args *a, cli_request *r, cli_pairlist *p) {
    p->count = cli_given(a, "--count") != NULL;
    p->values = cli_given(a, "--values");
    p->brute = cli_given(a, "--brute") != NULL;
    bool beside = p->values && !strcmp(p->values, "-"), is_npy = r->out && !r->separator;
    if (p->count && (r->out || p->values))
        return cli_error(EXIT_USAGE, "%s: --count prints only a number; leave out %s", r->command,
                         r->to_stdout ? "--format"
                         : r->out     ? "-o"
                                      : "--values");
    if (r->input.id && (is_npy || p->count))
        return cli_error(EXIT_USAGE, "%s: --id needs pairs as text; %s has no names", r->command,
                         p->count ? "a count" : "a .npy");
    if (beside && is_npy)
        return cli_error(EXIT_USAGE, "%s: --values -: a .npy of pairs cannot hold values, too; use --values V.npy",
                         r->command);
    if (p->values && !beside && !is_npy)
        return cli_error(EXIT_USAGE, "%s: --values %s needs -o PAIRS.npy; --values - prints values beside the pairs",
                         r->command, p->values);
    if ((r->resume && !r->out) || (r->shards > 1 && !is_npy))
        return cli_error(EXIT_USAGE, "%s: %s needs -o PAIRS.npy%s", r->command, r->resume ? "--resume" : "--shard",
                         r->resume ? " or text, PAIRS.csv" : "");
    return p->values && !beside ? cli_request_output(r, "--values", p->values, "values", NULL) : EXIT_OK;
}

/* ---- The job ---- */

static int make_job(list *l, const char *sink) {
    const wedge_parameter parameters[] = {WEDGE_NUMBER("radius", l->p->radius), WEDGE_FLAG("values", true)};
    wedge_job_spec *pairs = &l->pairs;
    *pairs = l->r->pairs;
    pairs->layout = cli_work_layout(l->w);
    pairs->sink = sink, pairs->sink_parameters = parameters, pairs->sink_parameter_count = l->values ? 2 : 1;
    pairs->prune = l->p->brute ? WEDGE_PRUNE_NEVER : WEDGE_PRUNE_AUTO;
    int code = cli_box_lengths(l->w, pairs->op, l->box, &pairs->box);
    if (!code) code = cli_box_check(l->w, pairs, l->p->radius);
    if (!code) code = cli_work_job(l->w, pairs);
    if (!code && l->w->c->verbose && !l->r->dry_run) cli_work_say_how(l->w, stderr);
    if (!code && cli_stop_asked())
        code = cli_error(EXIT_STOPPED, "%s: stopped before anything was computed", l->r->command);
    return code;
}

static char *binding_of(const list *l) {
    char *text = text_format("command %s\nradius %.17g\n%s", l->r->command, l->p->radius,
                             !is_of_triplets(l) ? ""
                             : l->r->diagonal   ? "diagonal yes\n"
                                                : "diagonal no\n");
    char *more = cli_box_text(l->w, l->box, text), *all = more ? cli_work_binding(l->w, more) : NULL;
    free(more);
    return all;
}

static int stopped(const list *l) {
    const char *then = !l->r->out || l->r->to_stdout      ? ""
                       : l->files.out[0]                  ? cli_files_then(&l->files)
                       : l->r->separator && !l->r->resume ? "; nothing was written"
                                                          : "; --resume starts again";
    return cli_error(EXIT_STOPPED, "%s: stopped before the end%s", l->r->command, then);
}

static int run_failed(const list *l, wedge_status status) {
    if (status == WEDGE_STOPPED) return stopped(l);
    return l->files.note.text ? cli_work_failed(l->w, status, note_text(&l->files.note))
                              : cli_work_device_failed(l->w, status);
}

/* ---- What is said ---- */

/* outcome: NULL where it was said in front. */
static void finish_json(const list *l, uint64_t pairs, const char *outcome) {
    FILE *f = l->r->json;
    if (!f) return;
    fprintf(f, "\"%ss\": %" PRIu64 "}", entry_name(l), pairs);
    if (outcome) fprintf(f, ", \"outcome\": \"%s\"", outcome);
    fprintf(f, ", \"seconds\": %.6f}\n", clock_now() - l->w->start);
}

static void start_json(const list *l, const char *outcome) {
    if (!l->r->json) return;
    cli_work_json(l->w, outcome);
    fprintf(l->r->json,
            "\"dtype\": \"%s\", \"radius\": %.17g, \"brute\": %s,\n \"shard\": %u, \"shards\": %u, \"result\": {",
            cli_work_dtype(l->w), l->p->radius, l->p->brute ? "true" : "false", l->r->shard, l->r->shards);
}

/* ---- Only how many ---- */

static int count_all(list *l) {
    wedge_result result = {.size = sizeof result};
    int code = make_job(l, "count");
    if (code) return code;
    cli_progress_begin(&l->w->progress, l->w->c, l->r->in[0]);
    wedge_status status = wedge_job_run(l->w->job, 0, l->w->info->cells, &result, cli_work_show, l->w);
    cli_progress_end(&l->w->progress);
    if (status) return run_failed(l, status);
    start_json(l, "done");
    finish_json(l, result.count, NULL);
    cli_work_say_inputs(l->w);
    if (l->r->json != stdout) printf("%ss: %" PRIu64 "\n", entry_name(l), result.count);
    return EXIT_OK;
}

/* ---- As text ---- */

/* A point of a set: its number, or its name. */
static void put_point(const list *l, int set, int64_t point) {
    char *const *ids = l->w->sets[set].about.ids;
    ids ? lines_text(l->lines, ids[point]) : lines_whole(l->lines, point);
}

static wedge_status take_lines(void *user, const wedge_piece *piece) {
    list *l = user;
    const cli_work *w = l->w;
    wedge_dtype dtype = w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    const unsigned points = points_of(l);
    for (uint64_t k = 0; k < piece->count; ++k) {
        for (unsigned x = 0; x < points; ++x) put_point(l, x ? l->r->sets - 1 : 0, piece->indices[points * k + x]);
        for (uint32_t v = 0; l->values && v < w->info->values; ++v) {
            uint64_t at = k * w->info->values + v;
            lines_real(l->lines,
                       w->size == 8 ? ((const double *)piece->values)[at] : ((const float *)piece->values)[at], dtype);
        }
        lines_next(l->lines);
    }
    return ferror(l->lines->f) ? WEDGE_FAILED : WEDGE_OK;
}

static bool show(void *user, double done) { return cli_work_show(((list *)user)->w, done); }

/* As edm's: "i,j,value", or "i,j,value1,value2" where a pair has several. */
static void print_header(const list *l, FILE *f) {
    uint32_t values = l->values ? l->w->info->values : 0;
    fprintf(f, "i%cj", l->r->separator);
    if (is_of_triplets(l)) fprintf(f, "%ck", l->r->separator);
    if (values == 1) fprintf(f, "%cvalue", l->r->separator);
    for (uint32_t k = 1; values > 1 && k <= values; ++k) fprintf(f, "%cvalue%u", l->r->separator, k);
    fputc('\n', f);
}

static wedge_status stream_lines(list *l, FILE *f, bool json) {
    char gap = l->r->separator ? l->r->separator : ' ';
    wedge_status status = WEDGE_NO_MEMORY;
    l->lines = malloc(sizeof *l->lines);
    if (!l->lines) return status;
    if (l->r->separator) print_header(l, f);
    lines_begin(l->lines, f, gap, json);
    status = cli_request_staged(l->r)
                 ? cli_staged_stream(&l->files, 1, take_lines, show, l)
                 : wedge_job_stream(l->w->job, 0, l->w->info->cells, l->w->buffers, take_lines, l, show, l);
    lines_end(l->lines);
    l->written = l->lines->entries;
    free(l->lines);
    return status;
}

/* As JSON on standard output: complete also where the list is not, and then it says so. */
static wedge_status stream_json(list *l) {
    start_json(l, NULL);
    fprintf(stdout, "\"list\": ");
    wedge_status status = stream_lines(l, stdout, true);
    fprintf(stdout, ", ");
    finish_json(l, l->written, status == WEDGE_STOPPED ? "stopped" : status ? "failed" : "done");
    return status;
}

/* To standard output, or a file of text. */
static int print_list(list *l) {
    cli_output out = {.f = stdout};
    bool json = !l->r->out && l->r->json == stdout;
    int code = EXIT_OK;
    if (l->r->out) code = cli_staged_open(l->r, &out);
    if (code) return code;
    if (l->r->out) cli_progress_begin(&l->w->progress, l->w->c, cli_request_out(l->r));
    wedge_status status = json ? stream_json(l) : stream_lines(l, out.f, false);
    if (l->r->out) cli_progress_end(&l->w->progress);
    if (status && !ferror(out.f)) {
        cli_output_drop(&out);
        return run_failed(l, status);
    }
    if (l->r->out && (code = cli_output_close(&out, true))) return code; /* a failed file says itself what is wrong */
    if (!json) start_json(l, "done"), finish_json(l, l->written, NULL);
    cli_work_say_inputs(l->w);
    if (!l->w->c->quiet)
        cli_say("%s%s%" PRIu64 " %s%s\n", l->r->out ? cli_request_out(l->r) : "", l->r->out ? ": " : "", l->written,
                entry_name(l), l->written == 1 ? "" : "s");
    return EXIT_OK;
}

/* ---- As .npy ---- */

/* Pairs of positions [begin, end). */
static wedge_status count_range(list *l, uint64_t begin, uint64_t end, uint64_t *count) {
    wedge_result result = {.size = sizeof result};
    wedge_status status = wedge_job_run(l->w->job, begin, end, &result, cli_work_show, l->w);
    *count = result.count;
    return status;
}

static wedge_status take_entries(void *user, const wedge_piece *piece) {
    list *l = user;
    const void *const data[CLI_FILES] = {piece->indices, piece->values};
    WEDGE_TRY(cli_files_write(&l->files, l->written, piece->count, data));
    l->written += piece->count;
    return WEDGE_OK;
}

static int open_files(list *l);

static void set_entries(list *l, uint64_t own) {
    l->files.begin = l->before, l->files.end = l->before + own;
    l->files.entries = l->before + own + l->after;
}

/* The first piece decides: a total that is known makes the files, and nothing need be kept. */
static wedge_status take_pairs(void *user, const wedge_piece *piece) {
    list *l = user;
    if (!l->direct && !l->kept.count && piece->total != UINT64_MAX) {
        l->direct = true;
        set_entries(l, piece->total);
        if ((l->refused = open_files(l))) return WEDGE_FAILED;
        l->written = cli_files_position(&l->files);
    }
    if (!l->direct) return kept_take(&l->kept, piece);
    double done = piece->total ? (double)(l->written - l->files.begin) / (double)piece->total : 1;
    bool goes_on = cli_work_show(l->w, done);
    return goes_on ? take_entries(l, piece) : WEDGE_STOPPED;
}

/* Finds the pairs, and writes them, or keeps them as far as a quarter of the memory goes; the rest is counted. */
static wedge_status find_pairs(list *l, uint64_t *count) {
    kept *k = &l->kept;
    k->pair_bytes = points_of(l) * sizeof(int64_t), k->value_bytes = l->values ? l->w->cell : 0;
    k->budget = l->w->buffers / 4;
    l->w->buffers -= k->budget;
    wedge_status status = wedge_job_stream(l->w->job, l->begin, l->end, l->w->buffers, take_pairs, l, show, l);
    if (k->full) status = count_range(l, k->upto, l->end, count);
    *count += k->entries;
    return status;
}

/* Of pairs on their way to the files. */
static int ended(list *l, wedge_status status) {
    if (!status) return EXIT_OK;
    if (status != WEDGE_STOPPED) return run_failed(l, status);
    int code = cli_files_pause(&l->files);
    return code ? code
                : cli_error(EXIT_STOPPED, "%s: stopped before the end%s", l->r->command, cli_files_then(&l->files));
}

/* How many pairs there are before this process's, of its own, and after them. */
static int count_pairs(list *l) {
    uint64_t cells = l->w->info->cells, own = 0;
    bool writes = !l->r->resume && !l->r->dry_run;
    l->begin = cli_slice_start(cells, l->r->shard - 1, l->r->shards);
    l->end = cli_slice_start(cells, l->r->shard, l->r->shards);
    cli_progress_begin(&l->w->progress, l->w->c, writes ? cli_request_out(l->r) : "counting");
    wedge_status status = count_range(l, 0, l->begin, &l->before);
    if (!status) status = count_range(l, l->end, cells, &l->after);
    if (!status) status = writes ? find_pairs(l, &own) : count_range(l, l->begin, l->end, &own);
    cli_progress_end(&l->w->progress);
    if (l->direct) return l->refused ? l->refused : ended(l, status);
    if (status) return run_failed(l, status);
    set_entries(l, own);
    return EXIT_OK;
}

/* Counting takes as long as finding. */
static int dry_run(list *l) {
    int code = make_job(l, "select");
    double start = clock_now();
    if (!code) code = count_pairs(l);
    if (code) return code;
    uint64_t pairs = l->files.end - l->files.begin,
             entry = points_of(l) * sizeof(int64_t) + (l->values ? l->w->cell : 0);
    start_json(l, "estimate");
    finish_json(l, pairs, NULL);
    if (l->r->json != stdout) cli_work_say_plan(l->w, pairs, entry_name(l), pairs * entry, clock_now() - start);
    return EXIT_OK;
}

static int open_files(list *l) {
    cli_files *f = &l->files;
    const cli_work *w = l->w;
    uint64_t pairs = f->entries, values = w->info->values, points = points_of(l);
    f->npy[0] = (cli_npy){l->r->out, "i8", 2, {pairs, points}, points * sizeof(int64_t)};
    f->npy[1] = (cli_npy){l->p->values, w->size == 8 ? "f8" : "f4", values > 1 ? 2 : 1, {pairs, values}, w->cell};
    f->count = l->values ? 2 : 1, f->second = "values";
    char *binding = binding_of(l);
    if (!binding) return cli_error(EXIT_SPACE, "%s: no memory to describe the output", l->r->command);
    cli_work_drop_points(l->w);
    int code = cli_files_open(f, binding);
    free(binding);
    return code;
}

/* The position after the last pair that is in all files. */
static int find_position(const list *l, uint64_t *position) {
    uint64_t at = cli_files_position(&l->files), n = l->w->sets[0].n, m = l->w->sets[1].n;
    int64_t last[3] = {0};
    *position = l->kept.upto ? l->kept.upto : l->begin;
    if (at == l->files.begin) return EXIT_OK;
    if (!cli_files_read(&l->files, at - 1, last))
        return cli_error(EXIT_RUN, "%s: %s: what was written cannot be read; --force starts again", l->r->command,
                         l->r->out);
    uint64_t i = (uint64_t)last[0], j = (uint64_t)last[1], k = (uint64_t)last[2];
    uint64_t distinct = !l->r->diagonal;
    if (is_of_triplets(l) ? i >= n || j + distinct > i || k + distinct > j
                          : i >= n || j >= (m ? m : n) || (!m && j <= i))
        return cli_error(EXIT_RUN, "%s: %s: its part is damaged; --force starts again", l->r->command, l->r->out);
    *position = 1 + (is_of_triplets(l) ? wedge_tet_rank64(i - 2 * distinct, j - distinct, k)
                     : m               ? i * m + j
                                       : wedge_condensed_rank64(n, i, j));
    return EXIT_OK;
}

static wedge_status write_kept(list *l) {
    for (uint64_t k = 0; k < l->kept.count; ++k) {
        const kept_piece *p = &l->kept.pieces[k];
        const wedge_piece piece = {.count = p->count, .indices = p->pairs, .values = p->values};
        if (!cli_work_show(l->w, (double)l->written / (double)l->files.entries)) return WEDGE_STOPPED;
        WEDGE_TRY(take_entries(l, &piece));
    }
    return WEDGE_OK;
}

static int stream_entries(list *l) {
    uint64_t from;
    int code = find_position(l, &from);
    if (code) return code;
    l->written = cli_files_position(&l->files);
    cli_progress_begin(&l->w->progress, l->w->c, cli_request_out(l->r));
    wedge_status status = write_kept(l);
    if (!status) status = wedge_job_stream(l->w->job, from, l->end, l->w->buffers, take_entries, l, show, l);
    cli_progress_end(&l->w->progress);
    return ended(l, status);
}

static int fill_files(list *l, bool *complete) {
    int code = count_pairs(l);
    if (!code && !l->direct) code = open_files(l);
    *complete = !code && !l->direct && cli_files_complete(&l->files);
    if (!code && !*complete && !l->direct) code = stream_entries(l);
    return code;
}

static int write_files(list *l) {
    bool whole = false, complete;
    int code = fill_files(l, &complete);
    if (!code) code = cli_files_finish(&l->files, &whole);
    if (code) return code;
    start_json(l, complete ? "complete" : "done");
    finish_json(l, l->files.end - l->files.begin, NULL);
    cli_work_say_inputs(l->w);
    cli_files_say(&l->files, (const char *[]){entry_name(l), "value"}, complete, whole);
    return EXIT_OK;
}

/* A text that can be resumed. */
static int write_staged(list *l) {
    bool complete;
    int code = fill_files(l, &complete);
    if (!code) code = cli_staged_hold(&l->files);
    if (!code) code = print_list(l);
    if (!code) cli_staged_remove(&l->files);
    return code;
}

static int list_pairs(list *l) {
    int code = make_job(l, "select");
    if (code) return code;
    if (cli_request_staged(l->r)) return write_staged(l);
    return l->r->out && !l->r->separator ? write_files(l) : print_list(l);
}

int cli_pairlist_run(cli_work *w, const cli_pairlist *p) {
    list l = {.w = w, .r = w->r, .p = p, .values = p->values != NULL, .files = {.w = w}};
    int code = w->r->dry_run ? dry_run(&l) : p->count ? count_all(&l) : list_pairs(&l);
    cli_files_abandon(&l.files);
    kept_free(&l.kept);
    return code;
}
