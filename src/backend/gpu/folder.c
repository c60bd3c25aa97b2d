/* folder.c: opens a folder step by step, checking each step, and the files in it.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/gpu/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

enum { MOST_LINKS = 40, MOST_TRIES = 100 };

#define OPEN_TO_OTHERS (S_IWGRP | S_IWOTH)
#define ELSEWHERE "set WEDGE_CACHE_DIR to another folder"

/* The folder that was reached, by descriptor and by name, and what is left of the way. */
typedef struct {
    const char *folder; /* where to */
    int fd;
    char at[PATH_MAX], rest[PATH_MAX];
    int links;
    bool make;
    note *why;
} way;

static void close_if(int fd) {
    if (fd >= 0) close(fd);
}

static bool is_trusted(uid_t owner) { return owner == 0 || owner == geteuid(); }

#define UNUSED "%s is not used for compiled kernels and tunings: "

static const char *place(const way *w) { return *w->at ? w->at : "/"; }

static bool refuse(const way *w, const char *what) {
    note_fail(w->why, WEDGE_FAILED, UNUSED "%s %s; " ELSEWHERE, w->folder, place(w), what);
    errno = EPERM;
    return false;
}

static bool refuse_mode(const way *w) {
    note_fail(w->why, WEDGE_FAILED, UNUSED "%s can be written by others; type chmod go-w '%s', or " ELSEWHERE,
              w->folder, place(w), place(w));
    errno = EPERM;
    return false;
}

/* errno says why; that a folder is not there yet is worth no word. */
static bool fail(const way *w) {
    int error = errno;
    if (w->make || error != ENOENT)
        note_fail(w->why, WEDGE_FAILED, UNUSED "%s: %s; " ELSEWHERE, w->folder, place(w), strerror(error));
    errno = error;
    return false;
}

/* ---- The way ---- */

static bool check_step(const way *w) {
    struct stat s;
    if (fstat(w->fd, &s)) return fail(w);
    if (!is_trusted(s.st_uid)) return refuse(w, "belongs to another user");
    if ((s.st_mode & OPEN_TO_OTHERS) && !(s.st_mode & S_ISVTX)) return refuse_mode(w);
    return true;
}

static bool check_end(const way *w) {
    struct stat s;
    if (fstat(w->fd, &s)) return fail(w);
    if (s.st_uid != geteuid()) return refuse(w, "belongs to another user");
    if (s.st_mode & OPEN_TO_OTHERS) return refuse_mode(w);
    return true;
}

/* Joins two names, or fails as a name that is too long does. */
static bool join(const way *w, char to[PATH_MAX], const char *a, const char *b) {
    char joined[2 * PATH_MAX + 1];
    int length = snprintf(joined, sizeof joined, "%s/%s", a, b);
    errno = ENAMETOOLONG;
    if (length < 0 || length >= PATH_MAX) return fail(w);
    memcpy(to, joined, (size_t)length + 1);
    return true;
}

/* From the root, or from HOME where w->rest, which is absolute, lies below it. */
static bool set_out(way *w) {
    const char *home = getenv("HOME");
    size_t length = home && *home == '/' ? strlen(home) : 0;
    const char *rest = w->rest + strspn(w->rest, "/") - 1;
    bool below = length > 1 && length < PATH_MAX && !strncmp(rest, home, length) && rest[length] == '/';
    strcpy(w->at, below ? home : "/");
    if (below) rest += length;
    memmove(w->rest, rest, strlen(rest) + 1);
    close_if(w->fd);
    w->fd = open(w->at, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (w->fd < 0) return fail(w);
    if (!below) *w->at = 0; /* names below it begin with their slash */
    return check_step(w);
}

/* `name` in w->fd is no folder: a link, if it belongs to who may lead us elsewhere. */
static bool follow(way *w, const char *name) {
    char target[PATH_MAX];
    struct stat s;
    ssize_t length;
    if (fstatat(w->fd, name, &s, AT_SYMLINK_NOFOLLOW)) return fail(w);
    if (!join(w, w->at, w->at, name)) return false;
    if (!S_ISLNK(s.st_mode)) return refuse(w, "is not a folder");
    if (!is_trusted(s.st_uid)) return refuse(w, "is a link made by another user");
    if (++w->links > MOST_LINKS) return errno = ELOOP, fail(w);
    if ((length = readlinkat(w->fd, name, target, sizeof target - 1)) < 0) return fail(w);
    target[length] = 0;
    *strrchr(w->at, '/') = 0;
    if (!join(w, w->rest, target, w->rest)) return false;
    return *target != '/' || set_out(w);
}

static bool step(way *w, const char *name) {
    static const int how = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int next = openat(w->fd, name, how);
    if (next < 0 && errno == ENOENT && w->make && (!mkdirat(w->fd, name, 0700) || errno == EEXIST))
        next = openat(w->fd, name, how);
    if (next < 0 && (errno == ENOTDIR || errno == ELOOP)) return follow(w, name);
    int error = errno;
    if (!join(w, w->at, w->at, name)) return close_if(next), false;
    errno = error;
    if (next < 0) return fail(w);
    close(w->fd);
    w->fd = next;
    return check_step(w);
}

static bool walk(way *w) {
    char name[PATH_MAX];
    if (!set_out(w)) return false;
    for (;;) {
        size_t skip = strspn(w->rest, "/"), length = strcspn(w->rest + skip, "/");
        if (!length) return check_end(w);
        memcpy(name, w->rest + skip, length);
        name[length] = 0;
        memmove(w->rest, w->rest + skip + length, strlen(w->rest + skip + length) + 1);
        if (strcmp(name, ".") && !step(w, name)) return false;
    }
}

int folder_open(const char *folder, bool make, note *why) {
    way w = {.folder = folder, .fd = -1, .at = ".", .make = make, .why = why};
    bool absolute = *folder == '/';
    bool good = (absolute || getcwd(w.rest, sizeof w.rest) || fail(&w)) &&
                join(&w, w.rest, absolute ? "" : w.rest, folder) && walk(&w);
    int error = errno;
    if (!good) close_if(w.fd);
    errno = error;
    return good ? w.fd : -1;
}

/* ---- Files ---- */

FILE *folder_read(const char *folder, const char *name, note *why) {
    struct stat s;
    int at = folder_open(folder, false, why);
    if (at < 0) return NULL;
    int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const char *fault = NULL;
    if (fd < 0)
        fault = errno == ENOENT ? NULL : errno == ELOOP ? "it is a link" : strerror(errno);
    else if (fstat(fd, &s) || !S_ISREG(s.st_mode))
        fault = "it is not a plain file";
    else if (s.st_uid != geteuid())
        fault = "it belongs to another user";
    else if (s.st_mode & OPEN_TO_OTHERS)
        fault = "it can be written by others";
    if (fault) note_fail(why, WEDGE_FAILED, "%s/%s is not loaded: %s; remove it", folder, name, fault);
    FILE *f = fd >= 0 && !fault ? fdopen(fd, "rb") : NULL;
    if (!f) close_if(fd);
    close(at);
    return f;
}

/* A new file beside `name`, and its name. */
static int open_part(int folder, const char *name, char part[NAME_MAX]) {
    int fd = -1;
    for (int k = 0; k < MOST_TRIES && fd < 0; ++k) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        snprintf(part, NAME_MAX, "%s.%ld-%lx", name, (long)getpid(), (unsigned long)t.tv_nsec);
        fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) break;
    }
    return fd;
}

static bool write_pieces(int fd, const folder_piece *pieces, int count) {
    FILE *f = fdopen(fd, "wb");
    bool good = f != NULL;
    for (int p = 0; p < count && good; ++p) good = fwrite(pieces[p].bytes, 1, pieces[p].size, f) == pieces[p].size;
    int error = errno;
    bool closed = f ? !fclose(f) : !close(fd);
    if (!good) errno = error;
    return good && closed;
}

bool folder_write(const char *folder, const char *name, const folder_piece *pieces, int count, note *why) {
    char part[NAME_MAX];
    int at = folder_open(folder, true, why);
    if (at < 0) return false;
    int fd = open_part(at, name, part);
    bool good = fd >= 0 && write_pieces(fd, pieces, count) && !renameat(at, part, at, name);
    int error = errno;
    if (!good) {
        if (fd >= 0) unlinkat(at, part, 0);
        note_fail(why, WEDGE_FAILED, "cannot write %s/%s: %s; " ELSEWHERE, folder, name, strerror(error));
    }
    close(at);
    errno = error;
    return good;
}
