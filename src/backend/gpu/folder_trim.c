/* folder_trim.c: adds up the sizes in a folder, and removes the files used longest ago.
 *
 * The time of last use is the file's time of change, which whoever reads it sets: times of access are often not kept. Two processes
 * may trim at once: a file that the other one has removed already is no error. A file that is being read when it
 * is removed is read to its end.
 *
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/gpu/folder.h"

enum { MOST_NAME = 79, UNFINISHED_SECONDS = 3600 /* a write that takes longer was cut off */ };

typedef struct {
    char name[MOST_NAME + 1];
    uint64_t bytes;
    struct timespec used;
} entry;

typedef struct {
    entry *entries;
    size_t count, capacity;
} listing;

static int by_use(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* "NAME.ending", or "NAME.ending.PROCESS-TIME" of a write that is not finished. */
static bool is_kept(const char *name, const char *ending, bool *finished) {
    const char *at = strstr(name, ending);
    *finished = at && !at[strlen(ending)];
    return at && at > name && strlen(name) <= MOST_NAME && (*finished || at[strlen(ending)] == '.');
}

/* False: no memory. */
static bool add(listing *l, int folder, const char *name, const char *ending) {
    struct stat s;
    bool finished;
    if (!is_kept(name, ending, &finished) || fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW)) return true;
    if (!S_ISREG(s.st_mode) || s.st_uid != geteuid()) return true;
    if (!finished && time(NULL) - s.st_mtime < UNFINISHED_SECONDS) return true;
    if (l->count == l->capacity) {
        size_t capacity = 2 * l->capacity + 64;
        entry *more = realloc(l->entries, capacity * sizeof *more);
        if (!more) return false;
        l->entries = more, l->capacity = capacity;
    }
    entry *e = &l->entries[l->count++];
    *e = (entry){.bytes = (uint64_t)s.st_size, .used = s.st_mtim};
    strcpy(e->name, name);
    return true;
}

static listing list(int folder, const char *ending) {
    listing l = {0};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
    if (!all && fd >= 0) close(fd);
    for (const struct dirent *d; all && (d = readdir(all)) && add(&l, folder, d->d_name, ending);) {
    }
    if (all) closedir(all);
    return l;
}

folder_use folder_trim(const char *folder, const char *ending, uint64_t most) {
    folder_use use = {0};
    int at = folder_open(folder, false, NULL);
    if (at < 0) return use;
    listing l = list(at, ending);
    for (size_t k = 0; k < l.count; ++k) ++use.files, use.bytes += l.entries[k].bytes;
    if (use.bytes > most) qsort(l.entries, l.count, sizeof *l.entries, by_use);
    for (size_t k = 0; k < l.count && use.bytes > most; ++k) {
        unlinkat(at, l.entries[k].name, 0);
        --use.files, use.bytes -= l.entries[k].bytes;
    }
    free(l.entries);
    close(at);
    return use;
}

void folder_touch(FILE *f) { futimens(fileno(f), NULL); }
