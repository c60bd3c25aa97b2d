/* edm_run.c: makes the job, streams its values into the file, and says what was done.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "edm.h"
#include "io/hash.h"
#include "io/npy.h"
#include "io/outfile.h"
#include "io/pairs_text.h"

enum { PROBE_CELLS = 1 << 22, TEXT_MOST = 10000000 };

/* Everything that a run holds. */
typedef struct {
    cli *c;
    const edm_request *r;
    wedge_device *dev;
    edm_set sets[EDM_SETS];
    wedge_job *job;
    const wedge_job_info *info;
    outfile *out;
    uint64_t d, begin, end; /* this process's positions */
    uint64_t buffers;       /* bytes of host memory for them */
    uint64_t host_bytes;    /* in all */
    size_t size, cell;      /* of a number, and of all values of a pair */
    char *binding;          /* what the output is computed from */
    note note, taker_note;
    cli_progress progress;
    double start;
} edm;

static int fail(edm *e, wedge_status status, const char *message) {
    (void)e;
    return cli_failed("edm", status, message);
}

/* ---- The job ---- */

static bool bind(edm *e) {
    const wedge_device_info *d = wedge_device_get_info(e->dev);
    const wedge_op_info *op = wedge_op_find(e->info->op);
    size_t size;
    FILE *f = open_memstream(&e->binding, &size);
    if (!f) return false;
    fprintf(f, "version %s\n", wedge_version());
    for (int k = 0; k < e->r->sets; ++k)
        fprintf(f, "%s %s\n%s %" PRIu64 "\n", k ? "others" : "input",
                hash_of(e->sets[k].points.data, e->sets[k].n * e->d * e->size).text, k ? "columns" : "points",
                e->sets[k].n);
    fprintf(f, "features %" PRIu64 "\nmetric %s\n", e->d, op->name);
    for (int k = 0; k < op->parameter_count; ++k)
        fprintf(f, "%s %.17g\n", op->parameters[k].name, e->info->parameters[k]);
    fprintf(f, "layout %s\ndtype %s\ndevice %.*s %.100s%s%s\n", e->r->layout, e->size == 8 ? "f64" : "f32",
            (int)strcspn(d->id, ":"), d->id, d->name, *e->info->isa ? " " : "", e->info->isa);
    return !fclose(f);
}

/* Where slice k of K begins, k from 0: slices differ by one value at most. */
static uint64_t slice_start(uint64_t cells, uint64_t k, uint64_t all) {
    uint64_t extra = cells % all;
    return cells / all * k + (k < extra ? k : extra);
}

/* What was asked for in vain. */
static void warn_unused(const edm *e) {
    const wedge_pairs *p = &e->r->pairs;
    bool cpu = !wedge_device_get_info(e->dev)->max_block;
    if (e->c->quiet) return;
    if (p->tile && cpu)
        fprintf(stderr, "wedge: warning: --block has no effect: the cpu device chooses its own tiles\n");
    if (p->map && strcmp(p->map, e->info->map))
        fprintf(stderr, "wedge: warning: --map has no effect: %s\n",
                cpu ? "the cpu device needs no map" : "there is no triangle to map");
}

static int make_job(edm *e) {
    wedge_pairs pairs = e->r->pairs;
    uint64_t cells;
    const edm_set *a = &e->sets[0], *b = &e->sets[1];
    e->d = a->points.d;
    e->size = points_value_size(&a->points);
    pairs.n = a->n, pairs.d = e->d, pairs.m = b->n;
    pairs.dtype = a->points.is_f64 ? WEDGE_F64 : WEDGE_F32;
    pairs.points = a->points.data, pairs.others = b->points.data;
    wedge_status status = wedge_layout_cells(e->c->ctx, pairs.layout, pairs.n, pairs.m, pairs.dtype, &cells);
    if (status) return cli_error(EXIT_DATA, "edm: %s: %s", a->file, wedge_context_message(e->c->ctx));
    if (!wedge_device_get_info(e->dev)->max_block) pairs.tile = 0;
    status = wedge_job_create(e->dev, &pairs, &e->job);
    if (status) return fail(e, status, wedge_device_message(e->dev));
    e->info = wedge_job_get_info(e->job);
    e->cell = e->size * e->info->values;
    warn_unused(e);
    e->begin = slice_start(cells, e->r->shard - 1, e->r->shards);
    e->end = slice_start(cells, e->r->shard, e->r->shards);
    int code = e->r->input.nan_propagate ? EXIT_OK : edm_check_reach(e->r, e->sets, e->info);
    if (code) return code;
    if (!bind(e)) return cli_error(EXIT_SPACE, "edm: no memory to describe the output");
    for (int k = 0; k < e->r->sets; ++k) points_free(&e->sets[k].points); /* the job has its own */
    return EXIT_OK;
}

/* ---- What is said ---- */

static uint64_t values_in(const edm *e, uint64_t cells) { return cells * e->info->values; }

static const char *dtype_name(const edm *e) { return e->size == 8 ? "f64" : "f32"; }

/* ", p = 1.5" of each parameter; as JSON "p": 1.5, and infinity, for which JSON has no number, as a string. */
static void print_parameters(const edm *e, FILE *f, bool json) {
    const wedge_op_info *op = wedge_op_find(e->info->op);
    for (int k = 0; k < op->parameter_count; ++k) {
        const char *quote = json && isinf(e->info->parameters[k]) ? "\"" : "";
        fprintf(f, json ? "%s\"%s\": %s%.17g%s" : "%s%s = %s%.10g%s", json && !k ? "" : ", ", op->parameters[k].name,
                quote, e->info->parameters[k], quote);
    }
}

static void say_how(const edm *e, FILE *f) {
    const wedge_device_info *d = wedge_device_get_info(e->dev);
    fprintf(f, "device  %s (%s)%s%s\n", d->id, d->name, *e->info->isa ? ", instruction set " : "", e->info->isa);
    fprintf(f, "runs    %s", e->info->op);
    print_parameters(e, f, false);
    fprintf(f, ", %s, map %s, tiles of %u cells per side (%s)\n", dtype_name(e), e->info->map, e->info->tile,
            e->info->tuning);
}

/* what: "done", "complete" already, or a dry run's "estimate". */
static void print_json(const edm *e, const char *what, double seconds) {
    if (!e->r->json) return;
    const wedge_device_info *d = wedge_device_get_info(e->dev);
    FILE *f = e->r->json;
    fprintf(f, "{\"wedge\": \"%s\", \"command\": \"edm\", \"input\": ", wedge_version());
    cli_json_string(f, e->r->in[0]);
    if (e->r->sets > 1) fprintf(f, ", \"others\": "), cli_json_string(f, e->r->in[1]);
    fprintf(f, ", \"output\": ");
    cli_json_string(f, e->r->out ? e->r->out : "");
    fprintf(f, ", \"outcome\": \"%s\",\n \"device\": ", what);
    cli_json_string(f, d->id);
    fprintf(f, ", \"name\": ");
    cli_json_string(f, d->name);
    fprintf(f, ", \"isa\": \"%s\", \"map\": \"%s\", \"tile\": %u, \"tuning\": \"%s\",\n ", e->info->isa, e->info->map,
            e->info->tile, e->info->tuning);
    cli_input_json(f, &e->sets[0].about);
    if (e->r->sets > 1) fprintf(f, ",\n \"m\": %" PRIu64, e->sets[1].n);
    fprintf(f, ",\n \"n\": %" PRIu64 ", \"d\": %" PRIu64 ", \"metric\": \"%s\", \"parameters\": {", e->sets[0].n, e->d,
            e->info->op);
    print_parameters(e, f, true);
    fprintf(f,
            "}, \"layout\": \"%s\", \"dtype\": \"%s\",\n \"shard\": %u, \"shards\": %u, \"values\": "
            "%" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": %.6f}\n",
            e->r->layout, dtype_name(e), e->r->shard, e->r->shards, values_in(e, e->end - e->begin),
            (e->end - e->begin) * e->cell, seconds);
}

static int dry_run(edm *e) {
    uint64_t cells = e->end - e->begin, most = e->buffers / 2 / e->cell,
             probe = cells < PROBE_CELLS ? cells : PROBE_CELLS;
    if (probe > most) probe = most;
    double best = 0;
    void *out = malloc(probe * e->cell + 1);
    if (!out) return cli_error(EXIT_SPACE, "edm: no memory for a trial run; raise --memory");
    wedge_result to = {.size = sizeof to, .values = out};
    for (int k = 0; k < 3 && probe; ++k) { /* the first warms up */
        double start = clock_now();
        wedge_status status = wedge_job_run(e->job, e->begin, e->begin + probe, &to, NULL, NULL);
        if (status) {
            free(out);
            return fail(e, status, wedge_device_message(e->dev));
        }
        double took = clock_now() - start;
        if (!k || took < best) best = took;
    }
    free(out);
    double bytes = (double)cells * (double)e->cell, seconds = probe ? best * (double)cells / (double)probe : 0;
    print_json(e, "estimate", seconds);
    if (e->r->json == stdout) return EXIT_OK;
    for (int k = 0; k < e->r->sets; ++k) printf("input   "), cli_input_say(stdout, &e->sets[k].about);
    if (e->r->separator)
        printf("size    %" PRIu64 " values as text\n", values_in(e, cells));
    else
        printf("size    %" PRIu64 " %s values, %s, and %d bytes of header\n", values_in(e, cells), dtype_name(e),
               size_in_words(cells * e->cell).text, NPY_HEADER_BYTES);
    printf("memory  %s on the device, buffers up to %s\n", size_in_words(e->info->device_bytes).text,
           size_in_words(e->buffers).text);
    printf("time    about %.*f s to compute; writing, at the same time, takes %.*f s at 1 GB/s\n", seconds < 10 ? 2 : 0,
           seconds, bytes < 1e10 ? 2 : 0, bytes * 1e-9);
    say_how(e, stdout);
    return EXIT_OK;
}

/* Bytes of the file that was written: of text only the file knows. */
static uint64_t file_bytes(const edm *e, uint64_t cells, bool whole) {
    struct stat about;
    if (whole && !stat(e->r->out, &about)) return (uint64_t)about.st_size;
    return cells * e->cell + (whole ? NPY_HEADER_BYTES : 0);
}

/* "6 values, 176 bytes"; from a megabyte on also the time and the rate, which mean nothing for less. */
static void say_size(const edm *e, uint64_t values, uint64_t bytes, double seconds) {
    const char *unit = bytes < 1000 ? "bytes" : bytes < 1000000 ? "KB" : bytes < 1000000000 ? "MB" : "GB";
    double shown = (double)bytes / (bytes < 1000 ? 1 : bytes < 1000000 ? 1e3 : bytes < 1000000000 ? 1e6 : 1e9);
    fprintf(stderr, "%s: %" PRIu64 " value%s, %.*f %s", e->r->out, values, values == 1 ? "" : "s",
            bytes < 1000 || shown >= 100 ? 0 : 1, shown, unit);
    if (bytes >= 1000000)
        fprintf(stderr, " in %.3g s (%.3g GB/s) on %s", seconds, seconds > 0 ? (double)bytes * 1e-9 / seconds : 0,
                wedge_device_get_info(e->dev)->id);
    fprintf(stderr, "\n");
}

static void say_done(const edm *e, double seconds, bool whole) {
    uint64_t cells = e->end - e->begin;
    bool all = cells == e->info->cells;
    print_json(e, "done", seconds);
    if (e->c->quiet) return;
    for (int k = 0; k < e->r->sets; ++k) {
        fprintf(stderr, "%s: ", strcmp(e->r->in[k], "-") ? e->r->in[k] : "standard input");
        cli_input_say(stderr, &e->sets[k].about);
    }
    say_size(e, values_in(e, cells), file_bytes(e, cells, all), seconds);
    if (!whole) fprintf(stderr, "shard %u of %u is done; the file appears when all are\n", e->r->shard, e->r->shards);
}

/* A resume had nothing to compute. in_place: OUT was there already; whole: it is now. */
static void say_complete(const edm *e, bool in_place, bool whole) {
    print_json(e, "complete", 0);
    if (e->c->quiet) return;
    if (!whole)
        fprintf(stderr, "shard %u of %u of %s is done already\n", e->r->shard, e->r->shards, e->r->out);
    else if (in_place)
        fprintf(stderr, "%s is there already\n", e->r->out);
    else
        fprintf(stderr, "%s: nothing was left to compute; the complete file is in its place now\n", e->r->out);
}

/* ---- The run ---- */

static wedge_status take(void *user, const wedge_piece *piece) {
    edm *e = user;
    return outfile_write(e->out, piece->values, piece->count * e->cell, &e->taker_note);
}

static bool show(void *user, double done) {
    edm *e = user;
    cli_progress_show(&e->progress, done);
    return !cli_stop_asked();
}

static wedge_status open_output(edm *e) {
    char head[NPY_HEADER_BYTES];
    bool table = e->r->pairs.layout == WEDGE_SQUARE || e->r->sets > 1;
    uint64_t n = e->sets[0].n, across = e->r->sets > 1 ? e->sets[1].n : n;
    uint64_t shape[3] = {table ? n : e->info->cells, across};
    unsigned rank = table ? 2 : 1;
    if (e->info->values > 1) shape[rank++] = e->info->values;
    npy_header(head, e->size == 8, rank, shape);
    outfile_spec spec = {.file = e->r->out,
                         .head = head,
                         .head_bytes = sizeof head,
                         .data_bytes = e->info->bytes,
                         .begin = e->begin * e->cell,
                         .end = e->end * e->cell,
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
    double share = e->end > e->begin ? (double)(at - e->begin * e->cell) / (double)((e->end - e->begin) * e->cell) : 1;
    wedge_status status = outfile_pause(e->out, &e->note);
    e->out = NULL;
    if (status) return fail(e, status, note_text(&e->note));
    return cli_error(EXIT_STOPPED, "edm: stopped at %.1f %%; --resume continues from there", 100 * share);
}

/* ---- As text ---- */

typedef struct {
    edm *e;
    pairs_text to;
    bool failed;
} text_run;

static wedge_status take_text(void *user, const wedge_piece *piece) {
    text_run *t = user;
    t->failed = !pairs_text_put(&t->to, piece->values, piece->count);
    return t->failed ? WEDGE_FAILED : WEDGE_OK;
}

static bool show_text(void *user, double done) { return show(((text_run *)user)->e, done); }

static int write_text(edm *e) {
    cli_output out;
    if (values_in(e, e->info->cells) > TEXT_MOST)
        return cli_error(EXIT_USAGE, "edm: %s: %" PRIu64 " values are too many for text (at most %d); use -o OUT.npy",
                         e->r->out, values_in(e, e->info->cells), TEXT_MOST);
    int code = cli_output_open(&out, e->r->out, e->r->force);
    if (code) return code;
    wedge_dtype dtype = e->size == 8 ? WEDGE_F64 : WEDGE_F32;
    uint64_t across = e->sets[e->r->sets - 1].n;
    text_run t = {e, pairs_text_begin(out.f, e->r->separator, e->r->pairs.layout, dtype, across, e->info->values),
                  false};
    cli_progress_begin(&e->progress, e->c, e->r->out);
    wedge_status status = wedge_job_stream(e->job, 0, e->info->cells, e->buffers, take_text, show_text, &t);
    cli_progress_end(&e->progress);
    if (!status || t.failed) { /* a failed file says itself what is wrong */
        code = cli_output_close(&out, true);
        if (!code) say_done(e, clock_now() - e->start, true);
        return code;
    }
    cli_output_drop(&out);
    if (status == WEDGE_STOPPED)
        return cli_error(EXIT_STOPPED, "edm: stopped before the end; %s was not written", e->r->out);
    return fail(e, status, wedge_device_message(e->dev));
}

static int write_all(edm *e) {
    wedge_status status = open_output(e);
    if (status) return fail(e, status, note_text(&e->note));
    bool whole = false, complete = outfile_complete(e->out), in_place = outfile_in_place(e->out);
    if (!outfile_marked(e->out) && !e->c->quiet)
        fprintf(stderr,
                "%s: its file system has no extended attributes: --resume will not recognise the finished file\n",
                e->r->out);
    uint64_t from = outfile_position(e->out) / e->cell;
    if (!complete) {
        cli_progress_begin(&e->progress, e->c, e->r->out);
        e->progress.bytes = (double)(e->end - from) * (double)e->cell;
        status = wedge_job_stream(e->job, from, e->end, e->buffers, take, show, e);
        cli_progress_end(&e->progress);
        if (status == WEDGE_STOPPED) return stopped(e);
        if (status) {
            const char *message = e->taker_note.text ? note_text(&e->taker_note) : wedge_device_message(e->dev);
            return fail(e, status, message);
        }
    }
    status = outfile_finish(e->out, &whole, &e->note);
    e->out = NULL;
    if (status) return fail(e, status, note_text(&e->note));
    complete ? say_complete(e, in_place, whole) : say_done(e, clock_now() - e->start, whole);
    return EXIT_OK;
}

int edm_run(cli *c, edm_request *r) {
    edm e = {.c = c, .r = r, .start = clock_now()};
    cli_catch_stops();
    int code = cli_open_device(c, r->device, &e.dev);
    if (!code) code = edm_read_sets(c, r, e.dev, e.sets, &e.buffers);
    if (!code) code = make_job(&e);
    if (!code && cli_stop_asked()) code = cli_error(EXIT_STOPPED, "edm: stopped before anything was computed");
    if (!code && c->verbose && !r->dry_run) say_how(&e, stderr);
    if (!code) code = r->dry_run ? dry_run(&e) : r->separator ? write_text(&e) : write_all(&e);
    outfile_abandon(e.out);
    free(e.binding);
    wedge_job_destroy(e.job);
    edm_free_sets(e.sets);
    cli_close_device(c, e.dev);
    note_free(&e.note);
    note_free(&e.taker_note);
    return code;
}
