/* edm_run.c: makes the job, streams its values into the file, and says what was done.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/clock.h"
#include "edm.h"
#include "io/read/npy.h"
#include "io/write/outfile.h"
#include "io/write/pairs_text.h"
#include "staged.h"

enum { PROBE_CELLS = 1 << 22, TEXT_MOST = 10000000 };

/* Everything that a run holds. */
typedef struct {
    cli_work *w;
    const cli_request *r;
    const char *layout;
    outfile *out;
    uint64_t begin, end; /* this process's positions */
    char *binding;       /* what the output is computed from */
    note note, taker_note;
} edm;

static int make_job(edm *e) {
    cli_work *w = e->w;
    double box[CLI_MOST_BOX];
    wedge_job_spec pairs = e->r->pairs;
    int code = cli_box_lengths(w, pairs.op, box, &pairs.box);
    if (!code) code = cli_work_job(w, &pairs);
    if (code) return code;
    e->begin = cli_slice_start(w->info->cells, e->r->shard - 1, e->r->shards);
    e->end = cli_slice_start(w->info->cells, e->r->shard, e->r->shards);
    char *layout = cli_box_text(w, box, text_format("layout %s\n", e->layout));
    e->binding = layout ? cli_work_binding(w, layout) : NULL;
    free(layout);
    if (!e->binding) return cli_error(EXIT_SPACE, "%s: no memory to describe the output", e->r->command);
    cli_work_drop_points(w);
    return EXIT_OK;
}

/* ---- What is said ---- */

static uint64_t values_in(const edm *e, uint64_t cells) { return cells * e->w->info->values; }

/* what: "done", "complete" already, or a dry run's "estimate". */
static void print_json(const edm *e, const char *what, double seconds) {
    if (!e->r->json) return;
    cli_work_json(e->w, what);
    fprintf(e->r->json,
            "\"layout\": \"%s\", \"dtype\": \"%s\",\n \"shard\": %u, \"shards\": %u, \"values\": "
            "%" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": %.6f}\n",
            e->layout, cli_work_dtype(e->w), e->r->shard, e->r->shards, values_in(e, e->end - e->begin),
            (e->end - e->begin) * e->w->cell, seconds);
}

static int dry_run(edm *e) {
    uint64_t cells = e->end - e->begin, most = e->w->buffers / 2 / e->w->cell,
             probe = cells < PROBE_CELLS ? cells : PROBE_CELLS;
    if (probe > most) probe = most;
    double best = 0;
    void *out = malloc(probe * e->w->cell + 1);
    if (!out) return cli_error(EXIT_SPACE, "%s: no memory for a trial run; raise --memory", e->r->command);
    wedge_result to = {.size = sizeof to, .values = out};
    for (int k = 0; k < 3 && probe; ++k) { /* the first warms up */
        double start = clock_now();
        wedge_status status = wedge_job_run(e->w->job, e->begin, e->begin + probe, &to, NULL, NULL);
        if (status) {
            free(out);
            return cli_work_device_failed(e->w, status);
        }
        double took = clock_now() - start;
        if (!k || took < best) best = took;
    }
    free(out);
    double bytes = (double)cells * (double)e->w->cell, seconds = probe ? best * (double)cells / (double)probe : 0;
    print_json(e, "estimate", seconds);
    if (e->r->json == stdout) return EXIT_OK;
    for (int k = 0; k < e->r->sets; ++k) printf("input   "), cli_input_say(stdout, &e->w->sets[k].about);
    if (e->r->separator)
        printf("size    %" PRIu64 " values as text\n", values_in(e, cells));
    else
        printf("size    %" PRIu64 " %s values, %s, and %d bytes of header\n", values_in(e, cells), cli_work_dtype(e->w),
               size_in_words(cells * e->w->cell).text, NPY_HEADER_BYTES);
    printf("memory  %s on the device, buffers up to %s\n", size_in_words(e->w->info->device_bytes).text,
           size_in_words(e->w->buffers).text);
    printf("time    about %.*f s to compute; writing, at the same time, takes %.*f s at 1 GB/s\n", seconds < 10 ? 2 : 0,
           seconds, bytes < 1e10 ? 2 : 0, bytes * 1e-9);
    cli_work_say_how(e->w, stdout);
    return EXIT_OK;
}

/* Bytes of the file that was written: of text only the file knows. */
static uint64_t file_bytes(const edm *e, uint64_t cells, bool whole) {
    struct stat about;
    if (whole && !e->r->to_stdout && !stat(e->r->out, &about)) return (uint64_t)about.st_size;
    return cells * e->w->cell + (whole ? NPY_HEADER_BYTES : 0);
}

static void say_done(const edm *e, double seconds, bool whole) {
    uint64_t cells = e->end - e->begin;
    bool all = cells == e->w->info->cells;
    print_json(e, "done", seconds);
    if (e->w->c->quiet) return;
    cli_work_say_inputs(e->w);
    if (e->r->to_stdout && e->r->separator)
        cli_say("standard output: %" PRIu64 " value%s\n", values_in(e, cells), values_in(e, cells) == 1 ? "" : "s");
    else
        cli_work_say_size(e->w, cli_request_out(e->r), values_in(e, cells), "value", file_bytes(e, cells, all),
                          seconds);
    if (!whole) cli_say("shard %u of %u is done; the file appears when all shards are\n", e->r->shard, e->r->shards);
}

/* A resume had nothing to compute. in_place: OUT was there already; whole: it is now. */
static void say_complete(const edm *e, bool in_place, bool whole) {
    print_json(e, "complete", 0);
    if (e->w->c->quiet) return;
    if (!whole)
        cli_say("shard %u of %u of %s was done already\n", e->r->shard, e->r->shards, e->r->out);
    else if (in_place)
        cli_say("%s was complete already\n", e->r->out);
    else
        cli_say("%s: everything was computed already; the file is complete now\n", e->r->out);
}

/* ---- The run ---- */

static wedge_status take(void *user, const wedge_piece *piece) {
    edm *e = user;
    return outfile_write(e->out, piece->values, piece->count * e->w->cell, &e->taker_note);
}

static bool show(void *user, double done) { return cli_work_show(((edm *)user)->w, done); }

/* The head of a .npy. */
static void describe(const edm *e, char head[NPY_HEADER_BYTES]) {
    bool table = e->r->pairs.layout == WEDGE_SQUARE || e->r->sets > 1;
    uint64_t n = e->w->sets[0].n, across = e->r->sets > 1 ? e->w->sets[1].n : n;
    uint64_t shape[3] = {table ? n : e->w->info->cells, across};
    unsigned rank = table ? 2 : 1;
    if (e->w->info->values > 1) shape[rank++] = e->w->info->values;
    npy_header(head, e->w->size == 8 ? "f8" : "f4", rank, shape);
}

static wedge_status open_output(edm *e) {
    char head[NPY_HEADER_BYTES];
    describe(e, head);
    outfile_spec spec = {.file = e->r->out,
                         .head = head,
                         .head_bytes = sizeof head,
                         .data_bytes = e->w->info->bytes,
                         .begin = e->begin * e->w->cell,
                         .end = e->end * e->w->cell,
                         .shard = e->r->shard,
                         .shards = e->r->shards,
                         .binding = e->binding,
                         .force = e->r->force,
                         .resume = e->r->resume,
                         .no_sync = e->r->no_sync};
    return outfile_open(&spec, &e->out, &e->note);
}

static int stopped(edm *e) {
    uint64_t at = outfile_position(e->out);
    double share =
        e->end > e->begin ? (double)(at - e->begin * e->w->cell) / (double)((e->end - e->begin) * e->w->cell) : 1;
    wedge_status status = outfile_pause(e->out, &e->note);
    e->out = NULL;
    if (status) return cli_work_failed(e->w, status, note_text(&e->note));
    return cli_error(EXIT_STOPPED, "%s: stopped at %.1f %%; --resume continues from there", e->r->command, 100 * share);
}

/* ---- As text, and to standard output ---- */

typedef struct {
    edm *e;
    pairs_text to;
    bool failed;
} text_run;

static wedge_status take_text(void *user, const wedge_piece *piece) {
    text_run *t = user;
    size_t cell = t->e->w->cell;
    t->failed = t->e->r->separator ? !pairs_text_put(&t->to, piece->values, piece->count)
                                   : fwrite(piece->values, cell, piece->count, stdout) != piece->count;
    return t->failed ? WEDGE_FAILED : WEDGE_OK;
}

static bool show_text(void *user, double done) { return show(((text_run *)user)->e, done); }

static int check_text(const edm *e) {
    uint64_t values = values_in(e, e->w->info->cells);
    if (e->r->separator && values > TEXT_MOST)
        return cli_error(EXIT_USAGE,
                         "%s: %s: %" PRIu64 " values are too many for text, which takes up to %d; use -o OUT.npy",
                         e->r->command, cli_request_out(e->r), values, TEXT_MOST);
    return EXIT_OK;
}

/* The file of a text that can be resumed, which e->out is. */
static cli_files staged_files(const edm *e) {
    return (cli_files){.w = e->w,
                       .npy[0] = {.file = e->r->out, .type = e->w->size == 8 ? "f8" : "f4", .entry = e->w->cell},
                       .count = 1,
                       .entries = e->w->info->cells,
                       .out[0] = e->out};
}

static int text_failed(const edm *e, wedge_status status, const note *why) {
    if (status != WEDGE_STOPPED)
        return why->text ? cli_work_failed(e->w, status, note_text(why)) : cli_work_device_failed(e->w, status);
    if (e->out) return cli_error(EXIT_STOPPED, "%s: stopped before the end; --resume continues", e->r->command);
    return cli_error(EXIT_STOPPED, "%s: stopped before the end%s%s%s", e->r->command, e->r->to_stdout ? "" : "; ",
                     e->r->to_stdout ? "" : e->r->out, e->r->to_stdout ? "" : " was not written");
}

static int write_once(edm *e) {
    cli_output out;
    char head[NPY_HEADER_BYTES];
    int code = cli_staged_open(e->r, &out);
    if (code) return code;
    describe(e, head);
    wedge_dtype dtype = e->w->size == 8 ? WEDGE_F64 : WEDGE_F32;
    uint64_t across = e->w->sets[e->r->sets - 1].n;
    text_run t = {.e = e};
    if (e->r->separator)
        t.to = pairs_text_begin(out.f, e->r->separator, e->r->pairs.layout, dtype, across, e->w->info->values);
    else
        fwrite(head, 1, sizeof head, out.f);
    cli_progress_begin(&e->w->progress, e->w->c, cli_request_out(e->r));
    cli_files from = staged_files(e);
    wedge_status status =
        e->out ? cli_staged_stream(&from, 1, take_text, show_text, &t)
               : wedge_job_stream(e->w->job, 0, e->w->info->cells, e->w->buffers, take_text, &t, show_text, &t);
    cli_progress_end(&e->w->progress);
    if (!status || t.failed) { /* a failed file says itself what is wrong */
        code = cli_output_close(&out, true);
        if (!code) say_done(e, clock_now() - e->w->start, true);
        return code;
    }
    cli_output_drop(&out);
    code = text_failed(e, status, &from.note);
    note_free(&from.note);
    return code;
}

/* All values into e->out. */
static int fill(edm *e) {
    wedge_status status = open_output(e);
    if (status) return cli_work_failed(e->w, status, note_text(&e->note));
    if (!outfile_marked(e->out) && !e->w->c->quiet && !e->r->separator)
        cli_say("%s: its file system has no extended attributes: --resume will not recognise the finished file\n",
                e->r->out);
    uint64_t from = outfile_position(e->out) / e->w->cell;
    if (outfile_complete(e->out)) return EXIT_OK;
    cli_progress_begin(&e->w->progress, e->w->c, e->r->out);
    e->w->progress.bytes = (double)(e->end - from) * (double)e->w->cell;
    status = wedge_job_stream(e->w->job, from, e->end, e->w->buffers, take, e, show, e);
    cli_progress_end(&e->w->progress);
    if (status == WEDGE_STOPPED) return stopped(e);
    if (!status) return EXIT_OK;
    const char *message = e->taker_note.text ? note_text(&e->taker_note) : wedge_device_message(e->w->dev);
    return cli_work_failed(e->w, status, message);
}

/* A text that can be resumed. */
static int write_staged(edm *e) {
    int code = fill(e);
    if (code) return code;
    cli_files staged = staged_files(e);
    code = cli_staged_hold(&staged);
    note_free(&staged.note);
    if (!code) code = write_once(e);
    if (code) return code;
    outfile_remove(e->out);
    e->out = NULL;
    return EXIT_OK;
}

static int write_all(edm *e) {
    int code = fill(e);
    if (code) return code;
    bool whole = false, complete = outfile_complete(e->out), in_place = outfile_in_place(e->out);
    wedge_status status = outfile_finish(e->out, &whole, &e->note);
    e->out = NULL;
    if (status) return cli_work_failed(e->w, status, note_text(&e->note));
    complete ? say_complete(e, in_place, whole) : say_done(e, clock_now() - e->w->start, whole);
    return EXIT_OK;
}

static int write_result(edm *e) {
    int code = check_text(e);
    if (code) return code;
    if (cli_request_staged(e->r)) return write_staged(e);
    return e->r->separator || e->r->to_stdout ? write_once(e) : write_all(e);
}

int edm_run(cli_work *w, void *request) {
    edm e = {.w = w, .r = w->r, .layout = ((const edm_request *)request)->layout};
    int code = make_job(&e);
    if (!code && cli_stop_asked())
        code = cli_error(EXIT_STOPPED, "%s: stopped before anything was computed", w->r->command);
    if (!code && w->c->verbose && !e.r->dry_run) cli_work_say_how(w, stderr);
    if (!code) code = e.r->dry_run ? dry_run(&e) : write_result(&e);
    outfile_abandon(e.out);
    free(e.binding);
    note_free(&e.note);
    note_free(&e.taker_note);
    return code;
}
