/* output.c: files that commands write: beside their place first, moved there when whole, never over one that exists
 * unasked.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static int failed(const cli_output *o, int error) {
    bool space = error == ENOSPC || error == EDQUOT || error == ENOMEM;
    return cli_error(space ? EXIT_SPACE : EXIT_RUN, "cannot write %s: %s", o->part ? o->file : "standard output",
                     strerror(error));
}

int cli_output_open(cli_output *o, const char *file, bool force) {
    struct stat about;
    *o = (cli_output){.file = file, .f = stdout};
    if (!*file || !strcmp(file, "-")) return EXIT_OK;
    bool there = !stat(file, &about);
    if (there && !S_ISREG(about.st_mode))
        return cli_error(EXIT_USAGE, "%s is not a plain file; - is standard output", file);
    if (there && !force) return cli_error(EXIT_USAGE, "%s exists; --force overwrites it", file);
    size_t size = strlen(file) + sizeof ".part";
    o->part = malloc(size);
    if (!o->part) return cli_error(EXIT_SPACE, "no memory");
    snprintf(o->part, size, "%s.part", file);
    o->f = fopen(o->part, "w");
    if (o->f) return EXIT_OK;
    int code = failed(o, errno);
    free(o->part);
    *o = (cli_output){0};
    return code;
}

int cli_output_close(cli_output *o, bool good) {
    if (!o->f) return EXIT_OK;
    int error = 0;
    errno = 0;
    if (fflush(o->f) || ferror(o->f)) error = errno ? errno : EIO;
    if (o->part && fclose(o->f) && !error) error = errno;
    if (!error && !good) error = ENOMEM; /* the writer gave up, and not for the file's sake */
    if (!error && o->part && rename(o->part, o->file)) error = errno;
    if (error && o->part) unlink(o->part);
    int code = error ? failed(o, error) : EXIT_OK;
    free(o->part);
    *o = (cli_output){0};
    return code;
}

void cli_output_drop(cli_output *o) {
    if (o->part) {
        fclose(o->f);
        unlink(o->part);
        free(o->part);
    }
    *o = (cli_output){0};
}
