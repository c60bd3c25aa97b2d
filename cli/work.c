/* work.c: the part that all commands over pairs have in common once they know what they are asked: device, points, job,
 * progress, and what is said of them.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/text_stream.h"
#include "engine/base/job.h"
#include "io/data/hash.h"
#include "io/read/npy.h"
#include "request.h"

int cli_work_failed(const cli_work *w, wedge_status status, const char *message) {
    return cli_failed(w->r->command, status, message);
}

int cli_work_device_failed(const cli_work *w, wedge_status status) {
    return cli_work_failed(w, status, wedge_device_message(w->dev));
}

/* ---- The job ---- */

/* Warns about ignored options. */
static void warn_unused(const cli_work *w) {
    const wedge_job_spec *p = &w->r->pairs;
    bool cpu = !wedge_device_get_info(w->dev)->max_block;
    if (w->c->quiet) return;
    if (p->tile && cpu) cli_say("wedge: warning: --block has no effect: the cpu device chooses its own tiles\n");
    if (p->map && strcmp(p->map, w->info->map))
        cli_say("wedge: warning: --map has no effect: %s\n",
                cpu ? "the cpu device needs no map" : "there is no triangle to map");
}

int cli_work_job(cli_work *w, const wedge_job_spec *asked) {
    wedge_job_spec pairs = *asked;
    uint64_t cells;
    const cli_set *a = &w->sets[0], *b = &w->sets[1];
    pairs.n = a->n, pairs.d = w->d, pairs.m = b->n;
    pairs.dtype = a->points.is_f64 ? WEDGE_F64 : WEDGE_F32;
    pairs.points = a->points.data, pairs.others = b->points.data;
    wedge_status status = wedge_layout_cells(w->c->ctx, pairs.layout, pairs.n, pairs.m, pairs.dtype, &cells);
    if (status) return cli_error(EXIT_DATA, "%s: %s: %s", w->r->command, a->file, wedge_context_message(w->c->ctx));
    if (!wedge_device_get_info(w->dev)->max_block) pairs.tile = 0;
    wedge_job_destroy(w->job);
    w->job = NULL;
    pairs.own_op = w->own_op;
    status = wedge_job_create(w->dev, &pairs, &w->job);
    if (status == WEDGE_BUILD_FAILED && w->r->userop && !cli_stop_asked()) status = WEDGE_BAD_DATA;
    if (status) return cli_work_device_failed(w, status);
    w->info = wedge_job_get_info(w->job);
    w->cell = w->size * w->info->values;
    warn_unused(w);
    return EXIT_OK;
}

wedge_layout cli_work_layout(const cli_work *w) {
    bool triples = w->r->userop && w->r->userop->row.info.points == 3;
    if (triples) return w->r->diagonal ? WEDGE_TRIPLES_PACKED : WEDGE_TRIPLES;
    return w->r->sets == 2 ? WEDGE_RECTANGLE : WEDGE_CONDENSED;
}

void cli_work_drop_points(cli_work *w) {
    for (int k = 0; k < w->r->sets; ++k) points_free(&w->sets[k].points);
}

uint64_t cli_slice_start(uint64_t all, uint64_t k, uint64_t slices) {
    uint64_t extra = all % slices;
    return all / slices * k + (k < extra ? k : extra);
}

bool cli_work_show(void *work, double done) {
    cli_work *w = work;
    cli_progress_show(&w->progress, done);
    return !cli_stop_asked();
}

int cli_work_run(cli *c, cli_request *r, int (*run)(cli_work *w, void *own), void *own) {
    cli_work w = {.c = c, .r = r, .start = clock_now()};
    cli_catch_stops();
    int code = r->userop ? cli_userop_device(c, r, &w.dev) : cli_open_device(c, r->device, &w.dev);
    if (!code) code = cli_sets_read(c, r, w.dev, w.sets, &w.buffers);
    w.d = w.sets[0].points.d;
    w.size = points_value_size(&w.sets[0].points);
    if (!code && r->userop) code = cli_userop_compile(&w);
    if (!code) code = cli_box_of_inputs(&w, r);
    if (!code) code = run(&w, own);
    wedge_job_destroy(w.job);
    wedge_op_destroy(w.own_op);
    cli_sets_free(w.sets);
    cli_close_device(c, w.dev);
    return code;
}

/* ---- What is said ---- */

const char *cli_work_dtype(const cli_work *w) { return w->size == 8 ? "f64" : "f32"; }

/* ", p = 1.5" of each parameter; as JSON "p": 1.5, and infinity, for which JSON has no number, as a string. */
static void print_parameters(const cli_work *w, FILE *f, bool json) {
    const wedge_op_info *op = w->info->op_info;
    for (int k = 0; k < op->parameter_count; ++k) {
        const char *quote = json && isinf(w->info->parameters[k]) ? "\"" : "";
        fprintf(f, json ? "%s\"%s\": %s%.17g%s" : "%s%s = %s%.10g%s", json && !k ? "" : ", ", op->parameters[k]->name,
                quote, w->info->parameters[k], quote);
    }
}

void cli_work_say_how(const cli_work *w, FILE *f) {
    const wedge_device_info *d = wedge_device_get_info(w->dev);
    fprintf(f, "device  %s (%s)%s%s\n", d->id, d->name, *w->info->isa ? ", instruction set " : "", w->info->isa);
    fprintf(f, "runs    %s", w->info->op);
    print_parameters(w, f, false);
    fprintf(f, ", %s, map %s, tiles of %u cells per side (%s)\n", cli_work_dtype(w), w->info->map, w->info->tile,
            w->info->tuning);
}

void cli_work_say_inputs(const cli_work *w) {
    if (w->c->quiet) return;
    for (int k = 0; k < w->r->sets; ++k) {
        cli_say("%s: ", w->sets[k].file);
        cli_input_say(stderr, &w->sets[k].about);
    }
    cli_box_say(w);
}

void cli_work_say_size(const cli_work *w, const char *file, uint64_t count, const char *one, uint64_t bytes,
                       double seconds) {
    const char *unit = bytes < 1000 ? "bytes" : bytes < 1000000 ? "KB" : bytes < 1000000000 ? "MB" : "GB";
    double shown = (double)bytes / (bytes < 1000 ? 1 : bytes < 1000000 ? 1e3 : bytes < 1000000000 ? 1e6 : 1e9);
    cli_say("%s: %" PRIu64 " %s%s, %.*f %s", file, count, one, count == 1 ? "" : "s",
            bytes < 1000 || shown >= 100 ? 0 : 1, shown, unit);
    if (bytes >= 1000000)
        cli_say(" in %.3g s (%.3g GB/s) on %s", seconds, seconds > 0 ? (double)bytes * 1e-9 / seconds : 0,
                wedge_device_get_info(w->dev)->id);
    cli_say("\n");
}

void cli_work_say_plan(const cli_work *w, uint64_t count, const char *one, uint64_t bytes, double seconds) {
    for (int k = 0; k < w->r->sets; ++k) printf("input   "), cli_input_say(stdout, &w->sets[k].about);
    printf("size    %" PRIu64 " %s%s, %s as .npy\n", count, one, count == 1 ? "" : "s", size_in_words(bytes).text);
    printf("memory  %s on the device, buffers up to %s\n", size_in_words(w->info->device_bytes).text,
           size_in_words(w->buffers).text);
    printf("time    about %.*f s to compute\n", seconds < 10 ? 2 : 0, seconds);
    cli_work_say_how(w, stdout);
}

void cli_work_json(const cli_work *w, const char *outcome) {
    FILE *f = w->r->json;
    if (!f) return;
    const wedge_device_info *d = wedge_device_get_info(w->dev);
    fprintf(f, "{\"wedge\": \"%s\", \"command\": \"%s\", \"input\": ", wedge_version(), w->r->command);
    text_write_json(f, w->r->in[0]);
    if (w->r->sets > 1) fprintf(f, ", \"others\": "), text_write_json(f, w->r->in[1]);
    fprintf(f, ", \"output\": ");
    text_write_json(f, w->r->out ? w->r->out : "");
    if (outcome) fprintf(f, ", \"outcome\": \"%s\"", outcome);
    fprintf(f, ",\n \"device\": ");
    text_write_json(f, d->id);
    fprintf(f, ", \"name\": ");
    text_write_json(f, d->name);
    fprintf(f, ", \"isa\": \"%s\", \"map\": \"%s\", \"tile\": %u, \"tuning\": \"%s\",\n ", w->info->isa, w->info->map,
            w->info->tile, w->info->tuning);
    cli_input_json(f, &w->sets[0].about);
    if (w->r->sets > 1) fprintf(f, ",\n \"m\": %" PRIu64, w->sets[1].n);
    if (w->info->op_info->points == 3) fprintf(f, ",\n \"diagonal\": %s", w->r->diagonal ? "true" : "false");
    fprintf(f, ",\n \"n\": %" PRIu64 ", \"d\": %" PRIu64 ", \"metric\": \"%s\", \"parameters\": {", w->sets[0].n, w->d,
            w->info->op);
    print_parameters(w, f, true);
    fprintf(f, "}, \"box\": ");
    for (int k = 0; k < w->box_count; ++k) fprintf(f, "%s%.17g", k ? ", " : "[", w->box[k]);
    fprintf(f, w->box_count ? "], " : "null, ");
}

int cli_npy_write(const cli_work *w, const char *file, const char *type, unsigned rank, const uint64_t *shape,
                  const void *data, size_t bytes) {
    char head[NPY_HEADER_BYTES];
    cli_output out;
    int code = cli_output_open(&out, file, w->r->force);
    if (code) return code;
    npy_header(head, type, rank, shape);
    fwrite(head, 1, sizeof head, out.f);
    fwrite(data, 1, bytes, out.f);
    return cli_output_close(&out, true);
}

char *cli_work_binding(const cli_work *w, const char *more) {
    const wedge_device_info *d = wedge_device_get_info(w->dev);
    const wedge_op_info *op = w->info->op_info;
    static const char *const roles[2][CLI_SETS] = {{"input", "others"}, {"queries", "input"}};
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    fprintf(f, "version %s\n", wedge_version());
    for (int k = 0; k < w->r->sets; ++k)
        fprintf(f, "%s %s\n%s %" PRIu64 "\n", roles[w->r->queries][k],
                hash_of(w->sets[k].points.data, w->sets[k].n * w->d * w->size).text, k ? "columns" : "points",
                w->sets[k].n);
    fprintf(f, "features %" PRIu64 "\nmetric %s\n", w->d, op->name);
    if (w->r->userop) fprintf(f, "op %s\n", hash_of(w->r->userop->text, strlen(w->r->userop->text)).text);
    for (int k = 0; k < op->parameter_count; ++k)
        fprintf(f, "%s %.17g\n", op->parameters[k]->name, w->info->parameters[k]);
    fprintf(f, "%sdtype %s\ndevice %.*s %.100s%s%s\n", more, cli_work_dtype(w), (int)strcspn(d->id, ":"), d->id,
            d->name, *w->info->isa ? " " : "", w->info->isa);
    if (!text_lost(f)) return text;
    free(text);
    return NULL;
}
