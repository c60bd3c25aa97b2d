/* certify.c: `wedge certify` tries on a device whether the exact maps are, and where the paper's roots fail.
 *
 * The last line is fixed: "certified: R rows, F failures". It speaks of the exact forms only; the paper's maps are
 * reported apart and never make it fail.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const char intro[] =
    "examples:\n"
    "  wedge certify                      2^24 rows, on the best device\n"
    "  wedge certify --rows all           all 6,074,001,000 rows; a GPU takes seconds\n"
    "  wedge certify --dim 3 --rows all   all 4,801,279 layers of the tetrahedron\n"
    "  wedge certify --rows 100000 --no-double\n"
    "\n"
    "usage: wedge certify [options]\n"
    "\n"
    "options:\n";

static const char notes[] =
    "\n"
    "certify tries the 32-bit functions of map.h for every argument in these rows\n"
    "(all 2^32 arguments from 92,682 rows on), and the 64-bit ones for the first, a\n"
    "middle and the last cell of each row; docs/maps.md says why that is enough. With\n"
    "--dim 3 it also tries all tiles of hmap, for sides up to 64 and powers of two up\n"
    "to 512. It exits with 1 if any of them fails, and reports the first row that\n"
    "each of the paper's roots gets wrong on this device, and the number of points\n"
    "from which UTM as printed is wrong.\n";

enum { DIM, RANK, ROWS, DEVICE, NO_DOUBLE, THREADS, QUIET, VERBOSE, JSON, FORCE, HELP, OPTIONS };

static const cli_option options[OPTIONS] = {
    [DIM] = {"--dim", "D", "2: triangle (default), 3: tetrahedron"},
    [RANK] = {"--rank", "D", NULL},
    [ROWS] = {"--rows", "N", "rows (layers) to try: a number, or all; default 2^24 (--dim 3: all)"},
    [DEVICE] = {"--device", "D", "a device listed by wedge devices; default: the best one"},
    [NO_DOUBLE] = {"--no-double", NULL, "test the functions for devices without double precision"},
    [THREADS] = {"--threads", "T", "threads of the cpu device"},
    [QUIET] = {"--quiet", NULL, "print only the last line"},
    [VERBOSE] = {"--verbose", NULL, "also print the driver of the device"},
    [JSON] = {"--json", "[=FILE]", "write the report as JSON, to FILE or standard output"},
    [FORCE] = {"--force", NULL, "overwrite FILE"},
    [HELP] = {"--help", NULL, "this text"},
};

typedef struct {
    const wedge_map_info *map;
    uint64_t row;
} root;

enum { MOST_ROOTS = 8 };

static wedge_status scan_roots(wedge_device *dev, int rank, root *roots, int *count) {
    *count = 0;
    for (int m = 0; m < wedge_map_count() && *count < MOST_ROOTS; ++m) {
        const wedge_map_info *map = wedge_map_at(m);
        if (map->rank != rank || map->exact) continue;
        roots[*count].map = map;
        wedge_status status = wedge_map_first_wrong_row(dev, map, map->largest_side, &roots[*count].row);
        if (status) return status;
        ++*count;
    }
    return WEDGE_OK;
}

static void print_report(const wedge_device_info *d, const wedge_certify_report *r, int rank, const root *roots,
                         int count, bool verbose) {
    const char *rows = rank == 2 ? "row" : "layer";
    printf("%s: %s%s%s\n", d->id, d->name, verbose ? ", " : "", verbose ? d->driver : "");
    printf("%-28s %14s %10s\n", "function", "arguments", "failures");
    for (int f = 0; f < r->count; ++f) {
        const wedge_certify_form *form = wedge_certify_form_at(r, f);
        printf("%-28s %14" PRIu64 " %10" PRIu64, form->function, form->tried, form->failures);
        bool tiles = strstr(form->function, "hmap") != NULL;
        if (form->failures) printf("   first in %s %" PRIu64, tiles ? "side" : rows, form->first_row);
        printf("\n");
    }
    printf("in %.2f s\n\n", r->seconds);
    for (int k = 0; k < count; ++k) {
        bool threads = roots[k].map->space == WEDGE_THREAD_SPACE; /* a strict triangle of one point more */
        printf("%-10s %s: ", roots[k].map->name, threads ? "UTM as printed" : "a root of the paper");
        if (roots[k].row == UINT64_MAX)
            printf("no wrong %s found\n", threads ? "pair" : rows);
        else if (threads)
            printf("wrong from %" PRIu64 " points on\n", roots[k].row + 2);
        else
            printf("wrong from %s %" PRIu64 " on\n", rows, roots[k].row);
    }
    printf("\n");
}

static void print_json(FILE *f, const wedge_device_info *d, const wedge_certify_report *r,
                       const wedge_certify_options *o, const root *roots, int count) {
    fprintf(f, "{\"wedge\": \"%s\", \"command\": \"certify\", \"device\": ", wedge_version());
    text_write_json(f, d->id);
    fprintf(f, ", \"name\": ");
    text_write_json(f, d->name);
    fprintf(f, ", \"driver\": ");
    text_write_json(f, d->driver);
    fprintf(f,
            ",\n \"rank\": %d, \"rows\": %" PRIu64 ", \"no_double\": %s, \"failures\": %" PRIu64
            ", \"seconds\": %.3f,\n \"forms\": [",
            o->rank, r->rows, o->no_double ? "true" : "false", r->failures, r->seconds);
    for (int k = 0; k < r->count; ++k) {
        const wedge_certify_form *form = wedge_certify_form_at(r, k);
        fprintf(f,
                "%s\n  {\"function\": \"%s\", \"arguments\": %" PRIu64 ", \"failures\": %" PRIu64 ", \"first_row\": ",
                k ? "," : "", form->function, form->tried, form->failures);
        fprintf(f, form->failures ? "%" PRIu64 "}" : "null}", form->first_row);
    }
    fprintf(f, "],\n \"roots\": [");
    for (int k = 0; k < count; ++k) {
        fprintf(f, "%s\n  {\"map\": \"%s\", \"first_wrong_row\": ", k ? "," : "", roots[k].map->name);
        fprintf(f, roots[k].row == UINT64_MAX ? "null}" : "%" PRIu64 "}", roots[k].row);
    }
    fprintf(f, "]}\n");
}

static int parse(cli *c, const char **values, wedge_certify_options *o) {
    int code = cli_dim("certify", values[DIM], values[RANK], &o->rank);
    if (code) return code;
    o->rows = o->rank == 2 ? 1 << 24 : 0;
    o->no_double = values[NO_DOUBLE] != NULL;
    uint64_t most = o->rank == 2 ? UINT64_C(6074001000) : UINT64_C(4801279);
    if (values[ROWS] && !strcmp(values[ROWS], "all")) {
        o->rows = 0;
    } else if (values[ROWS] && (!cli_u64(values[ROWS], &o->rows) || o->rows < 1 || o->rows > most)) {
        return cli_error(EXIT_USAGE, "certify: --rows %s: must be a number from 1 to %" PRIu64 ", or all", values[ROWS],
                         most);
    }
    if (values[THREADS] && wedge_context_set(c->ctx, WEDGE_SET_NUM_THREADS, values[THREADS]))
        return cli_error(EXIT_SPACE, "%s", wedge_context_message(c->ctx));
    c->quiet = values[QUIET] != NULL;
    c->verbose = values[VERBOSE] != NULL;
    return EXIT_OK;
}

static int certify(cli *c, wedge_device *dev, wedge_certify_options *o, wedge_certify_report *report,
                   cli_output *json) {
    cli_progress progress;
    root roots[MOST_ROOTS];
    int count = 0;
    cli_progress_begin(&progress, c, "certifying");
    o->progress = cli_progress_show, o->user = &progress;
    wedge_status status = wedge_certify(dev, o, report);
    if (!status) status = scan_roots(dev, o->rank, roots, &count);
    cli_progress_end(&progress);
    if (status == WEDGE_STOPPED)
        return cli_error(EXIT_STOPPED, "certify: stopped before the end; nothing is certified");
    if (status) return cli_failed("certify", status, wedge_device_message(dev));
    const wedge_device_info *info = wedge_device_get_info(dev);
    bool piped = json->f == stdout;
    if (json->f) print_json(json->f, info, report, o, roots, count);
    int code = cli_output_close(json, true);
    if (!c->quiet && !piped) print_report(info, report, o->rank, roots, count, c->verbose);
    if (!piped) printf("certified: %" PRIu64 " rows, %" PRIu64 " failures\n", report->rows, report->failures);
    return code ? code : report->failures ? EXIT_RUN : EXIT_OK;
}

int cmd_certify(cli *c, int argc, char **argv) {
    const char *values[OPTIONS], *words[argc];
    wedge_certify_options o = {.size = sizeof(wedge_certify_options)};
    wedge_certify_report report = {.size = sizeof report};
    wedge_device *dev = NULL;
    cli_output json = {0};
    int count = 0, code = cli_parse("certify", options, OPTIONS, argc, argv, values, words, &count);
    if (code) return code;
    if (values[HELP]) return cli_help("certify", intro, options, OPTIONS, notes), EXIT_OK;
    if (count) return cli_error(EXIT_USAGE, "certify: unexpected argument '%s'", words[0]);
    if ((code = parse(c, values, &o))) return code;
    cli_catch_stops(); /* before there is a file to leave behind */
    if (values[JSON] && (code = cli_output_open(&json, values[JSON], values[FORCE] != NULL))) return code;
    code = cli_open_device(c, values[DEVICE], &dev);
    if (!code) code = certify(c, dev, &o, &report, &json);
    wedge_certify_report_free(&report);
    cli_output_drop(&json);
    cli_close_device(c, dev);
    return code;
}
