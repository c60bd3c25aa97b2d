/* report.c: `wedge report`, a page with figures from saved results of `wedge bench`.
 *
 * The page is written beside its place and moved there when it is whole, so that a page that exists is never half new.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/result.h"
#include "cli.h"

static const char intro[] =
    "examples:\n"
    "  wedge report results/edm-cpu.json -o run.html  one run\n"
    "  wedge report h200.json cpu.json -o both.html  several devices on one page\n"
    "  wedge report run.json --figures docs          one SVG file per figure\n"
    "\n"
    "usage: wedge report RESULTS.json... [-o PAGE.html] [--figures FOLDER] [options]\n"
    "\n"
    "options:\n";

static const char notes[] =
    "\n"
    "RESULTS.json is what wedge bench --json writes. The page is one file: it loads\n"
    "nothing from elsewhere, so it can be mailed, printed and read without a network.\n"
    "--figures makes its folder; PDF and PNG need rsvg-convert (librsvg2-bin).\n"
    "report exits with 3, and makes no page, if a file is not such a result.\n";

enum { OUTPUT, FIGURES, FORCE, QUIET, HELP, OPTIONS };

static const cli_option options[OPTIONS] = {
    [OUTPUT] = {"-o", "PAGE.html", "write the page to this file"},
    [FIGURES] = {"--figures", "FOLDER", "write each figure into FOLDER, as SVG, PDF and PNG"},
    [FORCE] = {"--force", NULL, "overwrite existing files"},
    [QUIET] = {"--quiet", NULL, "print nothing but errors"},
    [HELP] = {"--help", NULL, "this text"},
};

static int write_page(const char *page, bool force, const bench_result *results, int count) {
    cli_output out;
    int code = cli_output_open(&out, page, force);
    return code ? code : cli_output_close(&out, report_write_html(out.f, results, count));
}

/* "run" of "some/where/run.json". */
static void stem(const char *file, char *name, size_t size) {
    const char *slash = strrchr(file, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : file);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = 0;
}

/* Figures in the formats that papers take: rsvg-convert, where there is one, turns SVG into the others. */
static const char *const formats[] = {"pdf", "png"};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Whether rsvg-convert ran and said that it did; it is found by PATH. It writes to our file: at the file's own name another user
 * may have put a link, which it would follow. */
static bool convert(const char *svg, FILE *out, const char *format) {
    char *argv[] = {"rsvg-convert", "--zoom=2", "-f", (char *)format, (char *)svg, NULL};
    extern char **environ;
    posix_spawn_file_actions_t streams;
    pid_t child;
    int status, error = posix_spawn_file_actions_init(&streams);
    if (error) return false;
    error = posix_spawn_file_actions_adddup2(&streams, fileno(out), 1);
    if (!error) error = posix_spawnp(&child, argv[0], &streams, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&streams);
    if (error) return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* `stem`.svg, and what it can be converted to. */
static int write_figure(const char *stem, const bench_result *r, int row, bool force) {
    char svg[512], file[512];
    cli_output out;
    snprintf(svg, sizeof svg, "%s.svg", stem);
    int code = cli_output_open(&out, svg, force);
    if (!code) code = cli_output_close(&out, report_write_svg(out.f, r, &r->rows[row], r->rows[row].rho));
    for (int k = 0; k < FORMATS && !code; ++k) {
        snprintf(file, sizeof file, "%s.%s", stem, formats[k]);
        if ((code = cli_output_open(&out, file, force))) return code;
        if (convert(svg, out.f, formats[k]))
            code = cli_output_close(&out, true);
        else
            cli_output_drop(&out);
    }
    return code;
}

/* Makes FOLDER, with the folders it lies in, as mkdir -p does. */
static int make_folder(const char *folder) {
    char path[512];
    if (!*folder) return cli_error(EXIT_USAGE, "report: --figures needs the name of a folder");
    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path - 192)
        return cli_error(EXIT_USAGE, "report: the name after --figures is too long");
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = 0;
        if (mkdir(path, 0777) && errno != EEXIST)
            return cli_error(EXIT_RUN, "report: cannot make the folder %s: %s", path, strerror(errno));
        if (!slash) return EXIT_OK;
        *slash = '/';
    }
}

/* "edm-square-rho16". A saved result is a stranger's: its experiments may be named anything, but a figure lies in its folder. */
static void figure_name(const bench_row *row, char *name, size_t size) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    snprintf(name, size, "%s%s%s-rho%u", row->experiment, *row->variant ? "-" : "", row->variant, row->rho);
    for (char *c = name; *(c += strspn(c, letters));) *c = '_';
}

static int write_figures(const char *folder, const char *source, const bench_result *r, bool force) {
    char name[128], figure[64], file[500];
    int code = make_folder(folder);
    stem(source, name, sizeof name);
    for (int k = 0; k < r->count && !code; ++k) {
        const bench_row *row = &r->rows[k];
        if (!report_is_first_of_rho(r, k)) continue;
        figure_name(row, figure, sizeof figure);
        snprintf(file, sizeof file, "%s/%s-%s", folder, name, figure);
        code = write_figure(file, r, k, force);
    }
    return code;
}

/* Figures are named after their results: two of one name would write over each other. */
static int same_stems(const char *const *files, int count) {
    char a[128], b[128];
    for (int k = 1; k < count; ++k)
        for (int j = 0; j < k; ++j) {
            stem(files[j], a, sizeof a);
            stem(files[k], b, sizeof b);
            if (!strcmp(a, b))
                return cli_error(EXIT_USAGE,
                                 "report: the figures of %s and %s would have the same names; rename one of the files",
                                 files[j], files[k]);
        }
    return EXIT_OK;
}

static int make(const char **values, const char *const *files, int count) {
    bench_result *results = calloc((size_t)count, sizeof *results);
    if (!results) return cli_error(EXIT_SPACE, "report: no memory");
    int code = EXIT_OK, bad = 0;
    for (int k = 0; k < count; ++k) {
        char *wrong = result_read_json(files[k], &results[k]);
        if (wrong) code = cli_error(errno == ENOMEM ? EXIT_SPACE : EXIT_DATA, "report: %s", wrong), ++bad;
        free(wrong);
    }
    if (bad && bad < count)
        cli_error(code, "report: leave %s out; the rest can be reported", bad == 1 ? "this file" : "these files");
    if (!code && values[OUTPUT]) code = write_page(values[OUTPUT], values[FORCE] != NULL, results, count);
    for (int k = 0; k < count && !code && values[FIGURES]; ++k)
        code = write_figures(values[FIGURES], files[k], &results[k], values[FORCE] != NULL);
    for (int k = 0; k < count; ++k) result_free(&results[k]);
    free(results);
    return code;
}

int cmd_report(cli *c, int argc, char **argv) {
    const char *values[OPTIONS], *files[argc];
    int count = 0, code = cli_parse("report", options, OPTIONS, argc, argv, values, files, &count);
    (void)c;
    if (code) return code;
    if (values[HELP]) return cli_help("report", intro, options, OPTIONS, notes), EXIT_OK;
    const char *page = values[OUTPUT];
    if (count == 0)
        return cli_error(EXIT_USAGE, "report: no results given; name a file that wedge bench --json=FILE wrote");
    if ((!page || !*page) && !values[FIGURES])
        return cli_error(EXIT_USAGE, "report: missing -o PAGE.html or --figures FOLDER");
    if (page && !values[FORCE] && access(page, F_OK) == 0)
        return cli_error(EXIT_USAGE, "report: %s exists; --force overwrites it", page);
    if (values[FIGURES] && (code = same_stems(files, count))) return code;
    code = make(values, files, count);
    if (!code && page && !values[QUIET]) cli_say("wedge: wrote %s\n", page);
    return code;
}
