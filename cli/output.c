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
#include "io/permissions.h"

static int failed(const cli_output *o, int error) {
    bool space = error == ENOSPC || error == EDQUOT || error == ENOMEM;
    return cli_error(space ? EXIT_SPACE : EXIT_RUN, "cannot write %s: %s", o->part ? o->file : "standard output",
                     strerror(error));
}

/* A fresh file beside `place`, with the permissions of the one it replaces, or those that fopen would give. */
static FILE *open_part(cli_output *o, const char *place, const struct stat *old) {
    static const char pattern[] = ".XXXXXX.part";
    size_t size = strlen(place) + sizeof pattern;
    if (!(o->part = malloc(size))) return NULL;
    snprintf(o->part, size, "%s%s", place, pattern);
    int fd = mkstemps(o->part, (int)strlen(".part"));
    if (fd < 0) return NULL;
    mode_t mask = umask(0);
    umask(mask);
    if (old) permissions_keep(fd, old, 0);
    FILE *f = !old && fchmod(fd, 0666 & ~mask) ? NULL : fdopen(fd, "w");
    if (!f) close(fd), unlink(o->part);
    return f;
}

int cli_output_open(cli_output *o, const char *file, bool force) {
    struct stat about;
    *o = (cli_output){.file = file, .f = stdout, .force = force};
    if (!*file || !strcmp(file, "-")) return EXIT_OK;
    bool there = !lstat(file, &about);
    if (there && (stat(file, &about) || !S_ISREG(about.st_mode)))
        return cli_error(EXIT_USAGE, "%s is not a plain file; - is standard output", file);
    if (there && !force) return cli_error(EXIT_USAGE, "%s exists; --force overwrites it", file);
    o->place = there ? realpath(file, NULL) : strdup(file); /* through a link to what it names */
    o->f = o->place ? open_part(o, o->place, there ? &about : NULL) : NULL;
    if (o->f) return EXIT_OK;
    int error = errno;
    if (!o->part) o->part = strdup("");
    int code = failed(o, error ? error : ENOMEM);
    free(o->part);
    free(o->place);
    *o = (cli_output){0};
    return code;
}

/* What came to stand there meanwhile is not overwritten unasked. Where there are no hard links, a rename must do. */
static int put_in_place(const cli_output *o) {
    if (!o->force && !link(o->part, o->place)) return unlink(o->part) ? errno : 0;
    if (!o->force && errno == EEXIST) return errno;
    return rename(o->part, o->place) ? errno : 0;
}

int cli_output_close(cli_output *o, bool good) {
    if (!o->f) return EXIT_OK;
    int error = 0;
    errno = 0;
    if (fflush(o->f) || ferror(o->f)) error = errno ? errno : EIO;
    if (o->part && fclose(o->f) && !error) error = errno;
    if (!error && !good) error = ENOMEM; /* the writer gave up, and not for the file's sake */
    if (!error && o->part) error = put_in_place(o);
    if (error && o->part) unlink(o->part);
    int code = error ? failed(o, error) : EXIT_OK;
    free(o->part);
    free(o->place);
    *o = (cli_output){0};
    return code;
}

void cli_output_drop(cli_output *o) {
    if (o->part) {
        fclose(o->f);
        unlink(o->part);
    }
    free(o->part);
    free(o->place);
    *o = (cli_output){0};
}
