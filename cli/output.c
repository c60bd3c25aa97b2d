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
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "core/note.h"
#include "io/write/mark.h"
#include "io/write/permissions.h"
#include "io/write/place.h"
#include "io/write/state.h"

int cli_write_failed(const char *what, int error) {
    static const struct {
        int error, code;
        const char *remedy;
    } known[] = {{ENOSPC, EXIT_SPACE, "free some space, or write to another disk"},
                 {EDQUOT, EXIT_SPACE, "free some space, or write to another disk"},
                 {EFBIG, EXIT_SPACE, "raise the limit of this process (ulimit -f), or write to another disk"},
                 {ENOMEM, EXIT_SPACE, "free some memory"},
                 {EBADF, EXIT_RUN, "it is closed"},
                 {EPIPE, EXIT_RUN, "the reader closed the pipe"},
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
    int fd = state_open(path, false);
    char *mark = fd >= 0 ? mark_get_fd(fd, MARK) : NULL;
    if (mark && !flock(fd, LOCK_EX | LOCK_NB)) unlink(path);
    free(mark);
    if (fd >= 0) close(fd);
}

void cli_part_clear(const char *place) {
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

/* A marked part without a lock is a leftover. */
static void lock_and_mark(int fd) {
    flock(fd, LOCK_EX);
    mark_set(fd, MARK, "wedge");
}

/* Replaces the last six letters before ".part" by others. */
static void rename_part(char *part, uint32_t try) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEF";
    char *at = part + strlen(part) - strlen(SUFFIX) + 1;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint32_t bits = ((uint32_t)now.tv_nsec ^ (uint32_t)getpid() * 2654435761u) + try * 40503u;
    for (int k = 0; k < 6; ++k, bits /= 32) at[k] = letters[bits % 32];
}

/* A file that gets its name when it has its mark: a kill before leaves nothing. -1 where the file system cannot do that. */
static int open_marked(const char *place, char *part) {
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)], *folder = strndup(place, (size_t)(last_name(place) - place));
    int fd = folder ? open(*folder ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    free(folder);
    if (fd < 0) return -1;
    lock_and_mark(fd);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    for (uint32_t try = 0; try < 100; ++try) {
        rename_part(part, try);
        if (!linkat(AT_FDCWD, link, AT_FDCWD, part, AT_SYMLINK_FOLLOW)) return fd;
        if (errno != EEXIST) break;
    }
    close(fd);
    return -1;
}

int cli_part_open(const char *place, char **part) {
    if (!(*part = text_format("%s" SUFFIX, place))) return errno = ENOMEM, -1;
    int fd = open_marked(place, *part);
    if (fd >= 0) return fd;
    memcpy(*part + strlen(place), SUFFIX, strlen(SUFFIX));
    fd = mkostemps(*part, (int)strlen(".part"), O_CLOEXEC); /* a linker that outlives us must not hold the lock */
    if (fd >= 0) lock_and_mark(fd);
    return fd;
}

void cli_part_done(int fd) { mark_remove(fd, MARK); }

static FILE *open_part(cli_output *o) {
    int fd = cli_part_open(o->place, &o->part);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f && fd >= 0) close(fd), unlink(o->part);
    return f;
}

static int find_place(cli_output *o, bool *there) {
    struct stat about;
    note why = {0};
    wedge_status status = place_find(o->file, "; - is standard output", &o->place, there, &about, &why);
    if (!status && o->force) status = place_replaceable(o->place, &why);
    int code = status ? cli_error(cli_exit_code(status), "%s", note_text(&why)) : EXIT_OK;
    note_free(&why);
    return code;
}

int cli_output_open(cli_output *o, const char *file, bool force) {
    bool there;
    *o = (cli_output){.file = file, .f = stdout, .force = force};
    if (!*file || !strcmp(file, "-")) return EXIT_OK;
    o->f = NULL;
    int code = find_place(o, &there);
    if (!code && there && !force) code = cli_error(EXIT_USAGE, "%s exists; --force overwrites it", file);
    if (!code) cli_part_clear(o->place);
    if (!code && (o->f = open_part(o))) return EXIT_OK;
    if (!code) {
        int error = errno;
        if (!o->part) o->part = strdup("");
        code = failed(o, error ? error : ENOMEM);
    }
    free(o->part);
    free(o->place);
    *o = (cli_output){0};
    return code;
}

/* Those of the file that it replaces, or of a new one. */
static void set_permissions(const cli_output *o) {
    struct stat old;
    if (o->force && !lstat(o->place, &old) && S_ISREG(old.st_mode))
        permissions_keep(fileno(o->f), &old);
    else
        permissions_fresh(fileno(o->f), o->place);
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
    if (!error && o->part) set_permissions(o);
    if (!error && o->part && fsync(fileno(o->f)) && errno != EINVAL) error = errno;
    if (!error && o->part) error = put_in_place(o);
    if (!error && o->part) cli_part_done(fileno(o->f)); /* after the rename: until then it may be left over */
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
