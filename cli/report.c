/* report.c: `wedge report`, a page with figures from saved results of `wedge bench`.
 *
 * The page is written beside its place and moved there when it is whole, so that a page that exists is never half new.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/result.h"
#include "cli.h"

static const char intro[] =
    "examples:\n"
    "  wedge report run.json -o run.html             the page that wedge bench --html makes\n"
    "  wedge report h200.json cpu.json -o both.html  several devices on one page\n"
    "\n"
    "usage: wedge report RESULTS.json... -o PAGE.html [options]\n"
    "\n"
    "options:\n";

static const char notes[] =
    "\n"
    "RESULTS.json is what wedge bench --json writes. The page needs no other file: it can be mailed, printed and "
    "opened\n"
    "without a network. The exit code is 3 if a file is not such a result.\n";

enum { OUTPUT, FORCE, QUIET, HELP, OPTIONS };

static const cli_option options[OPTIONS] = {
    [OUTPUT] = {"-o", "PAGE.html", "where the page goes"},
    [FORCE] = {"--force", NULL, "overwrite a page that exists"},
    [QUIET] = {"--quiet", NULL, "say nothing when it works"},
    [HELP] = {"--help", NULL, "this text"},
};

static int write_failed(const char *file, int error) {
    return cli_error(error == ENOSPC || error == EDQUOT || error == ENOMEM ? EXIT_SPACE : EXIT_RUN,
                     "report: cannot write %s: %s", file, strerror(error));
}

static int write_page(const char *page, const bench_result *results, int count) {
    size_t size = strlen(page) + sizeof ".part";
    char *part = malloc(size);
    if (!part) return cli_error(EXIT_SPACE, "report: no memory");
    snprintf(part, size, "%s.part", page);
    errno = 0;
    FILE *f = fopen(part, "w");
    bool good = f && report_write_html(f, results, count);
    if (f && !good && !ferror(f)) errno = ENOMEM;
    int error = errno;
    if (f && fclose(f)) good = false, error = errno;
    if (good && rename(part, page)) good = false, error = errno;
    if (!good && f) unlink(part);
    free(part);
    return good ? EXIT_OK : write_failed(page, error ? error : EIO);
}

static int make(const char *page, const char *const *files, int count) {
    bench_result *results = calloc((size_t)count, sizeof *results);
    if (!results) return cli_error(EXIT_SPACE, "report: no memory");
    int code = EXIT_OK, read = 0;
    for (; read < count && !code; ++read) {
        char *wrong = result_read_json(files[read], &results[read]);
        if (wrong) code = cli_error(EXIT_DATA, "report: %s", wrong);
        free(wrong);
    }
    if (!code) code = write_page(page, results, count);
    for (int k = 0; k < read; ++k) result_free(&results[k]);
    free(results);
    return code;
}

int cmd_report(cli *c, int argc, char **argv) {
    const char *values[OPTIONS], *files[argc];
    int count = 0, code = cli_parse("report", options, OPTIONS, argc, argv, values, files, &count);
    (void)c;
    if (code) return code;
    if (values[HELP]) return cli_help(intro, options, OPTIONS, notes), EXIT_OK;
    const char *page = values[OUTPUT];
    if (count == 0) return cli_error(EXIT_USAGE, "report: no results; name a file that wedge bench --json has written");
    if (!page || !*page) return cli_error(EXIT_USAGE, "report: where to? add -o PAGE.html");
    if (!values[FORCE] && access(page, F_OK) == 0)
        return cli_error(EXIT_USAGE, "report: %s exists; --force overwrites it", page);
    code = make(page, files, count);
    if (!code && !values[QUIET]) fprintf(stderr, "wedge: wrote %s\n", page);
    return code;
}
