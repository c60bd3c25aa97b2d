/* output.c: files that commands write: under another name first, renamed when complete, never over an existing one
 * unasked.
 *
 * A command that is killed leaves its part behind. A part carries a mark, so that it is not taken for a file of the
 * user's, and its process holds a lock on it: a marked part without a lock is a leftover.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "core/note.h"
#include "io/mark.h"
#include "io/permissions.h"

int cli_write_failed(const char *what, int error) {
    static const struct {
        int error, code;
        const char *remedy;
    } known[] = {{ENOSPC, EXIT_SPACE, "free some space, or write to another disk"},
                 {EDQUOT, EXIT_SPACE, "free some space, or write to another disk"},
                 {EFBIG, EXIT_SPACE, "raise the limit of this process (ulimit -f), or write to another disk"},
                 {ENOMEM, EXIT_SPACE, "free some memory"},
                 {EBADF, EXIT_RUN, "it is closed"},
                 {EPIPE, EXIT_RUN, "who reads it ended before"},
                 {EEXIST, EXIT_RUN, "--force overwrites it"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (known[k].error == error)
            return cli_error(known[k].code, "cannot write %s: %s; %s", what, strerror(error), known[k].remedy);
    return cli_error(EXIT_RUN, "cannot write %s: %s; check its folder, its permissions and the disk", what,
                     strerror(error));
}

static int failed(const cli_output *o, int error) {
    return cli_write_failed(o->part ? o->file : "standard output", error);
}

#define SUFFIX ".XXXXXX.part"
#define MARK "part" /* of mark.h */

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Is `name` that of a part of `base`: BASE.abcdef.part? */
static bool is_part(const char *name, const char *base) {
    size_t length = strlen(base);
    return strlen(name) == length + strlen(SUFFIX) && !strncmp(name, base, length) && name[length] == '.' &&
           !strcmp(name + length + strlen(".XXXXXX"), ".part");
}

static void remove_if_left(const char *path) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *mark = fd >= 0 ? mark_get_fd(fd, MARK) : NULL;
    if (mark && !flock(fd, LOCK_EX | LOCK_NB)) unlink(path);
    free(mark);
    if (fd >= 0) close(fd);
}

/* What killed commands left beside `place`. */
static void remove_leftovers(const char *place) {
    const char *base = last_name(place);
    size_t folder_length = (size_t)(base - place);
    char *folder = folder_length ? strndup(place, folder_length) : strdup("./");
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_part(e->d_name, base)) continue;
        char *path = text_format("%s%s", folder, e->d_name);
        if (path) remove_if_left(path);
        free(path);
    }
    if (d) closedir(d);
    free(folder);
}

/* A fresh file beside `place`, with the permissions of the one it replaces, or those that fopen would give. */
static FILE *open_part(cli_output *o, const char *place, const struct stat *old) {
    if (!(o->part = text_format("%s" SUFFIX, place))) return NULL;
    int fd = mkostemps(o->part, (int)strlen(".part"), O_CLOEXEC); /* a linker that outlives us must not hold the lock */
    if (fd < 0) return NULL;
    flock(fd, LOCK_EX); /* before the mark: a marked part without a lock is a leftover */
    mark_set(fd, MARK, "wedge");
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
    if (o->place) remove_leftovers(o->place);
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

/* What went wrong, if a write did. An earlier one left no cause behind: one byte more fails for the same. */
int cli_write_error(FILE *f) {
    bool before = ferror(f);
    clearerr(f);
    errno = 0;
    if (before) fputc(0, f);
    if (!fflush(f) && !before) return 0;
    return errno ? errno : EIO;
}

int cli_output_close(cli_output *o, bool good) {
    if (!o->f) return EXIT_OK;
    int error = cli_write_error(o->f);
    if (!error && !good) error = ENOMEM; /* the writer gave up, and not for the file's sake */
    if (!error && o->part && fsync(fileno(o->f)) && errno != EINVAL) error = errno;
    if (!error && o->part) error = put_in_place(o);
    if (!error && o->part) mark_remove(fileno(o->f), MARK); /* after the rename: until then it may be left over */
    if (o->part && fclose(o->f) && !error) error = errno;
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
