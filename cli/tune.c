/* tune.c: `wedge tune` measures map and tile on a device and saves the fastest, which later runs use.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

static const char intro[] =
    "examples:\n"
    "  wedge tune                       tune the best device\n"
    "  wedge tune --device cuda:1       tune another one\n"
    "  wedge tune --json=tune.json      also save the measurements\n"
    "\n"
    "usage: wedge tune [options]\n"
    "\n"
    "options:\n";

static const char notes[] =
    "\n"
    "tune computes the same triangle of distances with every map and tile that wedge\n"
    "edm can use, checks that all give the same bytes, and times each: the median of\n"
    "five runs. It saves the fastest in the folder of compiled kernels\n"
    "(WEDGE_CACHE_DIR), by device, driver and version; the default stays if it is\n"
    "within 2 %. Later runs use it unless --map or --block say otherwise; the results\n"
    "are the same bytes. Delete the file to go back to the defaults.\n";

enum { DEVICE, QUIET, VERBOSE, JSON, FORCE, HELP, OPTIONS };

static const cli_option options[OPTIONS] = {
    [DEVICE] = {"--device", "D", "a device listed by wedge devices; default: the best one"},
    [QUIET] = {"--quiet", NULL, "print only the last line, with the file's name"},
    [VERBOSE] = {"--verbose", NULL, "also print the driver and the number of points"},
    [JSON] = {"--json", "[=FILE]", "write the measurements as JSON, to FILE or standard output"},
    [FORCE] = {"--force", NULL, "overwrite FILE"},
    [HELP] = {"--help", NULL, "this text"},
};

typedef struct {
    const wedge_device_info *device;
    wedge_tune_row rows[WEDGE_TUNE_ROWS];
    int count;
    char *file; /* NULL: nothing is kept */
} tuning;

static const char *dtype_name(wedge_dtype dtype) { return dtype == WEDGE_F64 ? "f64" : "f32"; }

static void print_table(const tuning *t, bool verbose) {
    const wedge_device_info *d = t->device;
    printf("%s: %s%s%s\n", d->id, d->name, verbose ? ", " : "", verbose ? d->driver : "");
    if (t->count)
        printf("%-13s%s  %-8s %4s %12s %14s\n", "kind", verbose ? "   points" : "", "map", "tile", "time", "rate");
    for (int k = 0; k < t->count; ++k) {
        const wedge_tune_row *r = &t->rows[k];
        printf("%s, d = %-4" PRIu64, dtype_name(r->dtype), r->d);
        if (verbose) printf("%9" PRIu64, r->n);
        printf("  %-8s %4" PRIu32 " %9.3f ms %10.3f G/s%s%s\n", r->map, r->tile, 1e3 * r->seconds, 1e-9 * r->rate,
               r->chosen ? "  chosen" : "", r->is_default ? "  default" : "");
    }
}

static void print_json(FILE *f, const tuning *t) {
    fprintf(f, "{\"wedge\": \"%s\", \"command\": \"tune\", \"device\": ", wedge_version());
    text_write_json(f, t->device->id);
    fprintf(f, ", \"name\": ");
    text_write_json(f, t->device->name);
    fprintf(f, ", \"driver\": ");
    text_write_json(f, t->device->driver);
    fprintf(f, ",\n \"file\": ");
    if (t->file)
        text_write_json(f, t->file);
    else
        fprintf(f, "null");
    fprintf(f, ",\n \"rows\": [");
    for (int k = 0; k < t->count; ++k) {
        const wedge_tune_row *r = &t->rows[k];
        fprintf(f,
                "%s\n  {\"dtype\": \"%s\", \"n\": %" PRIu64 ", \"d\": %" PRIu64 ", \"map\": \"%s\", \"tile\": %" PRIu32
                ", \"seconds\": %.9f, \"values_per_second\": %.0f, \"default\": %s, \"chosen\": %s}",
                k ? "," : "", dtype_name(r->dtype), r->n, r->d, r->map, r->tile, r->seconds, r->rate,
                r->is_default ? "true" : "false", r->chosen ? "true" : "false");
    }
    fprintf(f, "]}\n");
}

static void print_end(const tuning *t) {
    if (!t->count)
        printf("nothing to tune: %s has no maps or tiles to choose from; WEDGE_ISA chooses its instruction set\n",
               t->device->id);
    else if (t->file)
        printf("saved in %s\n", t->file);
    else
        printf("not saved: there is no cache folder; set WEDGE_CACHE_DIR\n");
}

static int find_file(const wedge_device *dev, tuning *t) {
    size_t length = wedge_tune_file(dev, NULL, 0);
    if (!length) return EXIT_OK;
    if (!(t->file = malloc(length + 1))) return cli_error(EXIT_SPACE, "no memory");
    wedge_tune_file(dev, t->file, length + 1);
    return EXIT_OK;
}

static int tune(cli *c, wedge_device *dev, tuning *t, cli_output *json) {
    cli_progress progress;
    int code = find_file(dev, t);
    if (code) return code;
    cli_progress_begin(&progress, c, "tuning");
    wedge_status status = wedge_tune(dev, t->rows, WEDGE_TUNE_ROWS, &t->count, cli_progress_show, &progress);
    cli_progress_end(&progress);
    if (status == WEDGE_STOPPED) return cli_error(EXIT_STOPPED, "tune: stopped before the end; nothing was saved");
    if (status && !t->count) return cli_failed("tune", status, wedge_device_message(dev));
    bool piped = json->f == stdout;
    if (status) free(t->file), t->file = NULL;
    if (json->f) print_json(json->f, t);
    code = cli_output_close(json, true);
    if (!c->quiet && !piped) print_table(t, c->verbose);
    if (status) return cli_failed("tune", status, wedge_device_message(dev));
    if (!piped) print_end(t);
    return code;
}

int cmd_tune(cli *c, int argc, char **argv) {
    const char *values[OPTIONS], *words[argc];
    wedge_device *dev = NULL;
    cli_output json = {0};
    tuning t = {.rows = {{.size = sizeof(wedge_tune_row)}}};
    int count = 0, code = cli_parse("tune", options, OPTIONS, argc, argv, values, words, &count);
    if (code) return code;
    if (values[HELP]) return cli_help("tune", intro, options, OPTIONS, notes), EXIT_OK;
    if (count) return cli_error(EXIT_USAGE, "tune: unexpected argument '%s'", words[0]);
    c->quiet = values[QUIET] != NULL;
    c->verbose = values[VERBOSE] != NULL;
    cli_catch_stops(); /* before there is a file to leave behind */
    if (values[JSON] && (code = cli_output_open(&json, values[JSON], values[FORCE] != NULL))) return code;
    code = cli_open_device(c, values[DEVICE], &dev);
    if (!code) {
        t.device = wedge_device_get_info(dev);
        code = tune(c, dev, &t, &json);
    }
    cli_output_drop(&json);
    free(t.file);
    cli_close_device(c, dev);
    return code;
}
