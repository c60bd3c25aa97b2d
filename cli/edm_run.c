/* edm_run.c: reads the points, makes the job, streams its values into the file.
 *
 * Memory is settled before anything large is made: the points (three times on the cpu, which keeps them by rows and by
 * columns, 64 of those at a time) and what is left for buffers.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edm.h"
#include "io/hash.h"
#include "io/npy.h"
#include "io/outfile.h"

enum { LEAST_BUFFERS = 1 << 20, PROBE_CELLS = 1 << 22 };
#define DEFAULT_MEMORY (UINT64_C(4) << 30)

/* The one thing a signal can reach. The first asks to stop, the second is not caught any more. */
static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal) {
    (void)signal;
    stop_asked = 1;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Everything that a run holds. */
typedef struct {
    cli *c;
    const edm_request *r;
    wedge_device *dev;
    points points;
    wedge_job *job;
    const wedge_job_info *info;
    outfile *out;
    uint64_t n, d, begin, end; /* this process's positions */
    uint64_t buffers;          /* bytes of host memory for them */
    uint64_t host_bytes;       /* in all */
    size_t size;
    char binding[512];
    note note, taker_note;
    cli_progress progress;
    double start;
} edm;

static int fail(edm *e, wedge_status status, const char *message) {
    (void)e;
    return cli_error(cli_exit_code(status), "edm: %s", message);
}

/* ---- Points and job ---- */

static int read_points(edm *e) {
    uint64_t memory = e->r->memory;
    if (!memory) {
        long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        uint64_t half = pages > 0 && page > 0 ? (uint64_t)pages / 2 * (uint64_t)page : DEFAULT_MEMORY;
        memory = half < DEFAULT_MEMORY ? half : DEFAULT_MEMORY;
    }
    points_options options = e->r->input;
    options.memory = memory;
    wedge_status status = points_read(e->r->in, &options, &e->points, &e->note);
    if (status) return fail(e, status, note_text(&e->note));
    e->n = e->points.n, e->d = e->points.d;
    e->size = points_value_size(&e->points);
    bool native = !wedge_device_get_info(e->dev)->is_gpu && !strcmp(wedge_device_get_info(e->dev)->id, "cpu");
    uint64_t copies = native ? 2 * e->n + (e->n + 63) / 64 * 64 : e->n, used = copies * e->d * e->size;
    if (e->d > WEDGE_MOST_FEATURES)
        return cli_error(EXIT_DATA,
                         "edm: %s: %" PRIu64 " features: a point may have %d; are rows and columns exchanged?",
                         e->r->in, e->d, WEDGE_MOST_FEATURES);
    if (used + LEAST_BUFFERS > memory)
        return cli_error(EXIT_SPACE,
                         "edm: %s: %" PRIu64 " points of %" PRIu64
                         " features take %s here, and --memory is %s: give more",
                         e->r->in, e->n, e->d, size_in_words(used + LEAST_BUFFERS).text, size_in_words(memory).text);
    e->buffers = memory - used;
    return EXIT_OK;
}

static void bind(edm *e) {
    const wedge_device_info *d = wedge_device_get_info(e->dev);
    hash h;
    hash_start(&h);
    hash_add(&h, e->points.data, e->n * e->d * e->size);
    snprintf(e->binding, sizeof e->binding,
             "version %s\ninput %s\npoints %" PRIu64 "\nfeatures %" PRIu64
             "\nmetric %s\np %.17g\nlayout %s\ndtype %s\ndevice %.*s %.100s%s%s\n",
             wedge_version(), hash_end(&h).text, e->n, e->d, e->info->op,
             wedge_op_find(e->info->op)->takes_p ? e->r->pairs.p : 0, e->r->layout, e->size == 8 ? "f64" : "f32",
             (int)strcspn(d->id, ":"), d->id, d->name, *e->info->isa ? " " : "", e->info->isa);
}

/* Where slice k of K begins, k from 0: slices differ by one value at most. */
static uint64_t slice_start(uint64_t cells, uint64_t k, uint64_t all) {
    uint64_t extra = cells % all;
    return cells / all * k + (k < extra ? k : extra);
}

static int make_job(edm *e) {
    wedge_pairs pairs = e->r->pairs;
    uint64_t cells;
    pairs.n = e->n, pairs.d = e->d;
    pairs.dtype = e->points.is_f64 ? WEDGE_F64 : WEDGE_F32;
    pairs.points = e->points.data;
    wedge_status status = wedge_layout_cells(e->c->ctx, pairs.layout, e->n, pairs.dtype, &cells);
    if (status) return cli_error(EXIT_DATA, "edm: %s: %s", e->r->in, wedge_context_message(e->c->ctx));
    status = wedge_job_create(e->dev, &pairs, &e->job);
    if (status) return fail(e, status, wedge_device_message(e->dev));
    e->info = wedge_job_get_info(e->job);
    e->begin = slice_start(cells, e->r->shard - 1, e->r->shards);
    e->end = slice_start(cells, e->r->shard, e->r->shards);
    bind(e);
    points_free(&e->points); /* the job has its own */
    e->points = (points){0};
    return EXIT_OK;
}

/* ---- What is said ---- */

static const char *dtype_name(const edm *e) { return e->size == 8 ? "f64" : "f32"; }

static void say_how(const edm *e, FILE *f) {
    const wedge_device_info *d = wedge_device_get_info(e->dev);
    fprintf(f, "device  %s (%s)%s%s\n", d->id, d->name, *e->info->isa ? ", instruction set " : "", e->info->isa);
    fprintf(f, "runs    %s, %s, map %s, tiles of %u cells a side (%s)\n", e->info->op, dtype_name(e), e->info->map,
            e->info->tile, e->info->tuning);
}

/* what: "done", "complete" already, or a dry run's "estimate". */
static void print_json(const edm *e, const char *what, double seconds) {
    if (!e->r->json) return;
    const wedge_device_info *d = wedge_device_get_info(e->dev);
    FILE *f = e->r->json;
    fprintf(f, "{\"wedge\": \"%s\", \"command\": \"edm\", \"input\": ", wedge_version());
    cli_json_string(f, e->r->in);
    fprintf(f, ", \"output\": ");
    cli_json_string(f, e->r->out ? e->r->out : "");
    fprintf(f, ", \"outcome\": \"%s\",\n \"device\": ", what);
    cli_json_string(f, d->id);
    fprintf(f, ", \"name\": ");
    cli_json_string(f, d->name);
    fprintf(f,
            ", \"isa\": \"%s\", \"map\": \"%s\", \"tile\": %u, \"tuning\": \"%s\",\n \"n\": %" PRIu64
            ", \"d\": %" PRIu64
            ", \"metric\": \"%s\", \"layout\": \"%s\", \"dtype\": \"%s\",\n \"shard\": %u, \"shards\": %u, \"values\": "
            "%" PRIu64 ", \"bytes\": %" PRIu64 ", \"seconds\": %.6f}\n",
            e->info->isa, e->info->map, e->info->tile, e->info->tuning, e->n, e->d, e->info->op, e->r->layout,
            dtype_name(e), e->r->shard, e->r->shards, e->end - e->begin, (e->end - e->begin) * e->size, seconds);
}

static int dry_run(edm *e) {
    uint64_t cells = e->end - e->begin, most = e->buffers / 2 / e->size,
             probe = cells < PROBE_CELLS ? cells : PROBE_CELLS;
    if (probe > most) probe = most;
    double best = 0;
    void *out = malloc(probe * e->size + 1);
    if (!out) return cli_error(EXIT_SPACE, "edm: no memory to try a piece of it");
    for (int k = 0; k < 3 && probe; ++k) { /* the first warms up */
        double start = cli_now();
        wedge_status status = wedge_job_run(e->job, e->begin, e->begin + probe, out, WEDGE_ON_HOST, NULL, NULL);
        if (status) {
            free(out);
            return fail(e, status, wedge_device_message(e->dev));
        }
        double took = cli_now() - start;
        if (!k || took < best) best = took;
    }
    free(out);
    double bytes = (double)cells * (double)e->size, seconds = probe ? best * (double)cells / (double)probe : 0;
    print_json(e, "estimate", seconds);
    if (e->r->json == stdout) return EXIT_OK;
    printf("points  %" PRIu64 " of %" PRIu64 " features\n", e->n, e->d);
    printf("size    %" PRIu64 " %s values, %s and %d of header\n", cells, dtype_name(e),
           size_in_words(cells * e->size).text, NPY_HEADER_BYTES);
    printf("memory  %s on the device, buffers up to %s\n", size_in_words(e->info->device_bytes).text,
           size_in_words(e->buffers).text);
    printf("time    about %.*f s of computing; writing takes %.*f s at 1 GB/s, at the same time\n",
           seconds < 10 ? 2 : 0, seconds, bytes < 1e10 ? 2 : 0, bytes * 1e-9);
    say_how(e, stdout);
    return EXIT_OK;
}

static void say_done(const edm *e, double seconds, bool whole) {
    uint64_t cells = e->end - e->begin;
    double bytes = (double)cells * (double)e->size;
    print_json(e, "done", seconds);
    if (e->c->quiet) return;
    fprintf(stderr, "%s: %" PRIu64 " values of %" PRIu64 " points, %.3g GB in %.3g s (%.3g GB/s) on %s\n", e->r->out,
            cells, e->n, bytes * 1e-9, seconds, seconds > 0 ? bytes * 1e-9 / seconds : 0,
            wedge_device_get_info(e->dev)->id);
    if (!whole) fprintf(stderr, "shard %u of %u is done; the file is whole when all are\n", e->r->shard, e->r->shards);
}

/* ---- The run ---- */

static wedge_status take(void *user, uint64_t position, const void *values, uint64_t count) {
    edm *e = user;
    (void)position; /* they come in order */
    return outfile_write(e->out, values, count * e->size, &e->taker_note);
}

static bool show(void *user, double done) {
    edm *e = user;
    cli_progress_show(&e->progress, done);
    return !stop_asked;
}

static wedge_status open_output(edm *e) {
    char head[NPY_HEADER_BYTES];
    bool square = e->r->pairs.layout == WEDGE_SQUARE;
    npy_header(head, e->size == 8, square ? 2 : 1, square ? (uint64_t[]){e->n, e->n} : (uint64_t[]){e->info->cells, 0});
    outfile_spec spec = {.file = e->r->out,
                         .head = head,
                         .head_bytes = sizeof head,
                         .data_bytes = e->info->bytes,
                         .begin = e->begin * e->size,
                         .end = e->end * e->size,
                         .shard = e->r->shard,
                         .shards = e->r->shards,
                         .binding = e->binding,
                         .force = e->r->force,
                         .resume = e->r->resume};
    return outfile_open(&spec, &e->out, &e->note);
}

static int stopped(edm *e) {
    uint64_t at = outfile_position(e->out);
    double share = e->end > e->begin ? (double)(at - e->begin * e->size) / (double)((e->end - e->begin) * e->size) : 1;
    wedge_status status = outfile_pause(e->out, &e->note);
    e->out = NULL;
    if (status) return fail(e, status, note_text(&e->note));
    return cli_error(EXIT_STOPPED, "edm: stopped at %.1f %%; --resume goes on from there", 100 * share);
}

static int write_all(edm *e) {
    wedge_status status = open_output(e);
    if (status) return fail(e, status, note_text(&e->note));
    bool whole = false, complete = outfile_complete(e->out);
    uint64_t from = outfile_position(e->out) / e->size;
    if (!complete) {
        cli_progress_begin(&e->progress, e->c, e->r->out);
        e->progress.bytes = (double)(e->end - from) * (double)e->size;
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
    if (complete) print_json(e, "complete", 0);
    if (complete && !e->c->quiet && whole)
        fprintf(stderr, "%s is there already, of this size and type; what it was computed from is not known any more\n",
                e->r->out);
    else if (complete && !e->c->quiet)
        fprintf(stderr, "shard %u of %u of %s is done already\n", e->r->shard, e->r->shards, e->r->out);
    if (!complete) say_done(e, cli_now() - e->start, whole);
    return EXIT_OK;
}

int edm_run(cli *c, edm_request *r) {
    edm e = {.c = c, .r = r, .start = cli_now()};
    catch_signals();
    int code = cli_open_device(c, r->device, &e.dev);
    if (!code) code = read_points(&e);
    if (!code) code = make_job(&e);
    if (!code && c->verbose && !r->dry_run) say_how(&e, stderr);
    if (!code) code = r->dry_run ? dry_run(&e) : write_all(&e);
    outfile_abandon(e.out);
    wedge_job_destroy(e.job);
    points_free(&e.points);
    cli_close_device(c, e.dev);
    note_free(&e.note);
    note_free(&e.taker_note);
    return code;
}
