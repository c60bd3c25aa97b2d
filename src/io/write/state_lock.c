/* state_lock.c: locks on bytes of a state file, waited for with a limit, and who has them.
 *
 * A lock belongs to the open file, not to the process, so that threads and other descriptors cannot lose it. The kernel
 * then does not say which process has it; /proc does.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/write/state.h"

enum { POLL_MS = 10 };

static int ask(int fd, int how, struct flock *l) {
    int r;
    do r = fcntl(fd, how, l);
    while (r && errno == EINTR);
    return r ? errno : 0;
}

static struct flock lock_of(int type, unsigned long byte) {
    return (struct flock){.l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
}

int state_lock(int fd, unsigned long byte, int most_ms) {
    for (int waited = 0;; waited += POLL_MS) {
        struct flock l = lock_of(F_WRLCK, byte);
        int error = ask(fd, F_OFD_SETLK, &l);
        if (error == EACCES) error = EAGAIN;
        if (error != EAGAIN || waited >= most_ms) return error;
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
}

void state_unlock(int fd, unsigned long byte) {
    struct flock l = lock_of(F_UNLCK, byte);
    ask(fd, F_OFD_SETLK, &l);
}

bool state_locked_from(int fd, unsigned long byte) {
    struct flock l = lock_of(F_WRLCK, byte);
    l.l_len = 0;
    return !ask(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}

/* ---- Who has it ---- */

/* Does a line of fdinfo, "lock: 1: OFDLCK ADVISORY WRITE -1 fe:00:1234 0 0", tell of a lock on this byte? */
static bool tells_of(const char *line, unsigned long byte) {
    const char *numbers = strstr(line, "OFDLCK");
    unsigned long from, to;
    char end[24];
    if (strncmp(line, "lock:", 5) || !numbers) return false;
    if (sscanf(numbers, "%*s %*s %*s %*s %*s %lu %23s", &from, end) != 2) return false;
    return byte >= from && (!strcmp(end, "EOF") || (sscanf(end, "%lu", &to) == 1 && byte <= to));
}

static bool holds(const char *process, const char *fd, unsigned long byte) {
    char line[256];
    bool found = false;
    char *path = text_format("/proc/%s/fdinfo/%s", process, fd);
    FILE *f = path ? fopen(path, "re") : NULL;
    while (f && !found && fgets(line, sizeof line, f)) found = tells_of(line, byte);
    if (f) fclose(f);
    free(path);
    return found;
}

static bool same_file(int folder, const char *fd, const struct stat *file) {
    struct stat s;
    return !fstatat(folder, fd, &s, 0) && s.st_dev == file->st_dev && s.st_ino == file->st_ino;
}

/* Has this process the file open, with that lock on it? */
static bool is_holder(const char *process, const struct stat *file, unsigned long byte) {
    char *path = text_format("/proc/%s/fd", process);
    DIR *d = path ? opendir(path) : NULL;
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));)
        found = *e->d_name != '.' && same_file(dirfd(d), e->d_name, file) && holds(process, e->d_name, byte);
    if (d) closedir(d);
    free(path);
    return found;
}

static long search(const struct stat *file, unsigned long byte) {
    DIR *d = opendir("/proc");
    long process = 0;
    for (struct dirent *e; d && !process && (e = readdir(d));)
        if (strspn(e->d_name, "0123456789") == strlen(e->d_name) && is_holder(e->d_name, file, byte))
            process = atol(e->d_name);
    if (d) closedir(d);
    return process;
}

char *state_holder(int fd, unsigned long byte) {
    struct flock l = lock_of(F_WRLCK, byte);
    struct stat file;
    long process = !ask(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK && l.l_pid > 0 ? (long)l.l_pid : 0;
    if (!process && !fstat(fd, &file)) process = search(&file, byte);
    return process ? text_format("process %ld", process) : text_format("another process");
}

/* ---- A file for its lock ---- */

static int open_or_create(const char *path) {
    for (int tries = 0; tries < 100; ++tries) { /* others may make and remove it in between */
        int fd = state_open(path, true);
        if (fd >= 0 || errno != ENOENT) return fd;
        fd = state_create(path);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static wedge_status cannot_open(const char *path, const char *what, int error, note *n) {
    WEDGE_TRY(state_check(path, n));
    return note_fail(n, error == ENOSPC || error == EDQUOT ? WEDGE_NO_SPACE : WEDGE_FAILED,
                     "cannot write %s: %s; check its folder, its permissions and the disk", what, strerror(error));
}

wedge_status state_open_locked(const char *path, const char *what, int most_ms, int *fd, bool *locked, note *n) {
    for (;;) {
        *fd = open_or_create(path);
        if (*fd < 0) return cannot_open(path, what, errno, n);
        int error = state_lock(*fd, 0, most_ms);
        *locked = !error;
        if (error == EAGAIN) {
            char *holder = state_holder(*fd, 0);
            note_fail(n, WEDGE_BAD_ARGUMENT, "%s is locked by %s; wait for it, or stop it", path,
                      holder ? holder : "another process");
            free(holder);
            close(*fd), *fd = -1;
            return WEDGE_BAD_ARGUMENT;
        }
        if (state_is_at(*fd, path)) return WEDGE_OK;
        close(*fd); /* removed while we waited */
    }
}
