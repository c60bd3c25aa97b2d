/* state.c: makes, opens, locks and removes a state file.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_TO_OTHERS (S_IWGRP | S_IWOTH)

/* ---- Whose a file is ---- */

typedef enum { OURS, LINKED, NO_FILE, OF_ANOTHER, OPEN, NAMED_TWICE } verdict;

static const char *const reasons[] = {
    [LINKED] = "it is a link; remove it",
    [NO_FILE] = "it is not a plain file; remove it",
    [OF_ANOTHER] = "it belongs to another user; ask for its removal",
    [OPEN] = "others can write to it; if all in it is yours, type chmod go-w",
    [NAMED_TWICE] = "it has a second name (a hard link); remove it",
};

static verdict judge(const struct stat *s) {
    if (S_ISLNK(s->st_mode)) return LINKED;
    if (!S_ISREG(s->st_mode)) return NO_FILE;
    if (s->st_uid != geteuid()) return OF_ANOTHER;
    if (s->st_mode & OPEN_TO_OTHERS) return OPEN;
    return s->st_nlink > 1 ? NAMED_TWICE : OURS;
}

wedge_status state_check(const char *path, note *n) {
    struct stat s;
    if (lstat(path, &s)) return WEDGE_OK;
    verdict v = judge(&s);
    WEDGE_CHECK(v == OURS, n, WEDGE_BAD_ARGUMENT, "%s cannot be used: %s%s%s, or write elsewhere", path, reasons[v],
                v == OPEN ? " " : "", v == OPEN ? path : "");
    return WEDGE_OK;
}

int state_open(const char *path, bool write) {
    struct stat s;
    int fd =
        open(path, (write ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe must not hold us */
    if (fd < 0) {
        if (errno == ELOOP || errno == EACCES || errno == EISDIR || errno == ENXIO) errno = EPERM;
        return -1;
    }
    if (!fstat(fd, &s) && judge(&s) == OURS) return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int state_create(const char *path) { return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600); }

bool state_is_at(int fd, const char *path) {
    struct stat a, b;
    return fd >= 0 && !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* ---- The user's own folder ---- */

/* Makes one part of the way after the other, behind its first bytes; those that are there stay as they are. */
static bool make_way(char *path, size_t first) {
    for (char *slash = strchr(path + first + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool there = !mkdir(path, 0700) || errno == EEXIST;
        *slash = '/';
        if (!there) return false;
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

/* *first: the bytes that name what is not ours to make, HOME. */
static char *name_folder(size_t *first) {
    const char *given = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    *first = 0;
    if (given && *given == '/') return text_format("%s/wedge", given);
    if (home) *first = strlen(home);
    return home && *home == '/' ? text_format("%s/.local/state/wedge", home) : NULL;
}

char *state_folder(note *n) {
    struct stat s;
    size_t first;
    char *folder = name_folder(&first);
    const char *why = !folder ? "HOME is not set" : NULL;
    int fd = folder && make_way(folder, first) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder && (fd < 0 || fstat(fd, &s)))
        why = strerror(errno);
    else if (folder && s.st_uid != geteuid())
        why = "it belongs to another user";
    else if (folder && (s.st_mode & OPEN_TO_OTHERS))
        why = "others can write to it (type chmod go-w)";
    if (fd >= 0) close(fd);
    if (!why) return folder;
    note_fail(n, WEDGE_FAILED, "%s cannot be used: %s; set XDG_STATE_HOME to another folder",
              folder ? folder : "~/.local/state/wedge", why);
    free(folder);
    return NULL;
}
