/* part.c: names, locks, space and removal of OUT.part and its companions.
 *
 * SPDX-License-Identifier: MIT */
#include "io/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/points.h"

#define FRESH ".new"

wedge_status part_failed(const part *p, int error, note *n) {
    if (error == ENOSPC || error == EDQUOT)
        return note_fail(n, WEDGE_NO_SPACE, "cannot write %s: %s; free some space, or write to another disk", p->file,
                         strerror(error));
    if (error == ENOMEM) return note_fail(n, WEDGE_NO_MEMORY, "cannot write %s: out of memory", p->file);
    return note_fail(n, WEDGE_FAILED, "cannot write %s: %s; check its folder, its permissions and the disk", p->file,
                     strerror(error));
}

/* ---- Names ---- */

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *part_journal(const part *p, uint32_t shard) {
    return text_format("%s.%" PRIu32 "-of-%" PRIu32 ".journal", p->data, shard, p->shards);
}

wedge_status part_name(part *p, const char *file, uint32_t shard, uint32_t shards, note *n) {
    struct stat about;
    *p = (part){.shard = shard, .shards = shards, .job_fd = -1, .data_fd = -1};
    bool there = !lstat(file, &about);
    WEDGE_CHECK(!there || (!stat(file, &about) && S_ISREG(about.st_mode)), n, WEDGE_BAD_ARGUMENT,
                "%s is not a plain file, and cannot be replaced by one; name another", file);
    p->file = strdup(file);
    p->place = there ? realpath(file, NULL) : strdup(file);
    p->data = p->place ? text_format("%s.part", p->place) : NULL;
    p->job = p->data ? text_format("%s.job", p->data) : NULL;
    p->journal = p->data ? part_journal(p, shard) : NULL;
    p->fresh = p->journal ? text_format("%s" FRESH, p->journal) : NULL;
    WEDGE_CHECK(p->file && p->job && p->fresh, n, WEDGE_NO_MEMORY, "%s: out of memory", file);
    WEDGE_CHECK(strlen(last_name(p->fresh)) <= NAME_MAX, n, WEDGE_BAD_ARGUMENT,
                "%s: the name is too long for the files beside it (%s); choose a shorter one", file,
                last_name(p->fresh));
    return WEDGE_OK;
}

void part_close(part *p) {
    if (p->data_fd >= 0) close(p->data_fd);
    if (p->job_fd >= 0) close(p->job_fd);
    free(p->file);
    free(p->place);
    free(p->data);
    free(p->job);
    free(p->journal);
    free(p->fresh);
    *p = (part){.job_fd = -1, .data_fd = -1};
}

/* ---- Locks: byte 0 is the job's, byte k that of shard k. They belong to the open file, not to the process, so that
 * threads and other descriptors cannot lose them. ---- */

static int lock(const part *p, int how, int type, uint64_t byte) {
    struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)byte, .l_len = 1};
    int r;
    do r = fcntl(p->job_fd, how, &l);
    while (r && errno == EINTR);
    return r ? errno : 0;
}

static bool same_file(int fd, const char *path) {
    struct stat a, b;
    return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* One process alone does without locks where the file system has none. */
static wedge_status lock_job(part *p, note *n) {
    int error = lock(p, F_OFD_SETLKW, F_WRLCK, 0);
    WEDGE_CHECK(!error || p->shards == 1, n, WEDGE_FAILED,
                "%s: shards need file locks, and its file system has none (%s); write to another one", p->file,
                strerror(error));
    return WEDGE_OK;
}

wedge_status part_lock(part *p, note *n) {
    for (;;) {
        p->job_fd = open(p->job, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (p->job_fd < 0) return part_failed(p, errno, n);
        WEDGE_TRY(lock_job(p, n));
        if (same_file(p->job_fd, p->job)) return WEDGE_OK;
        close(p->job_fd); /* removed while we waited */
    }
}

bool part_lock_again(part *p) {
    lock(p, F_OFD_SETLKW, F_WRLCK, 0);
    return part_is_ours(p);
}

void part_unlock(part *p) { lock(p, F_OFD_SETLK, F_UNLCK, 0); }

bool part_claim(part *p) {
    int error = lock(p, F_OFD_SETLK, F_WRLCK, p->shard);
    return error != EAGAIN && error != EACCES;
}

bool part_others_run(const part *p) {
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 0};
    return !fcntl(p->job_fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}

bool part_is_ours(const part *p) { return same_file(p->job_fd, p->job) && same_file(p->data_fd, p->data); }

/* ---- Removal ---- */

/* Is "OUT.part.2-of-5.journal" (or its fresh form) one of ours? `data` is OUT.part, without the folder. */
static bool is_journal(const char *name, const char *data) {
    static const char *const pieces[] = {"-of-", ".journal"};
    size_t length = strlen(data);
    if (strncmp(name, data, length) || name[length] != '.') return false;
    name += length + 1;
    for (int i = 0; i < 2; ++i) {
        size_t digits = strspn(name, "0123456789");
        if (!digits || strncmp(name + digits, pieces[i], strlen(pieces[i]))) return false;
        name += digits + strlen(pieces[i]);
    }
    return !*name || !strcmp(name, FRESH);
}

/* Journals of any number of shards: an earlier job may have had another. */
static bool each_journal(const part *p, bool removed) {
    const char *base = last_name(p->data);
    char *folder = base == p->data ? strdup(".") : strndup(p->data, (size_t)(base - p->data));
    DIR *d = folder ? opendir(folder) : NULL;
    bool any = !d; /* what cannot be seen may be there */
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_journal(e->d_name, base)) {
            any = true;
            if (removed) unlinkat(dirfd(d), e->d_name, 0);
        }
    if (d) closedir(d);
    free(folder);
    return any;
}

bool part_any_journal(const part *p) { return each_journal(p, false); }

void part_remove_journals(const part *p) { each_journal(p, true); }

void part_remove(const part *p) {
    part_remove_journals(p);
    unlink(p->data);
    unlink(p->job);
}

/* ---- Space and data ---- */

/* What more the disk gives a user; UINT64_MAX where it does not say. */
static uint64_t bytes_free(int fd) {
    struct statvfs disk;
    if (fstatvfs(fd, &disk) || !disk.f_blocks) return UINT64_MAX;
    return (uint64_t)disk.f_bavail * disk.f_frsize;
}

static wedge_status no_room(const part *p, uint64_t needed, uint64_t free, note *n) {
    return note_fail(n, WEDGE_NO_SPACE,
                     "%s needs %s more on its disk, which has %s free; free some, or write to another", p->file,
                     size_in_words(needed).text, size_in_words(free).text);
}

static wedge_status too_long(const part *p, uint64_t bytes, const char *why, note *n) {
    return note_fail(n, WEDGE_NO_SPACE, "%s takes %s, more than %s allows a file; write to another disk%s", p->file,
                     size_in_words(bytes).text, why, strchr(why, '(') ? ", or raise the limit" : "");
}

/* fallocate(2) itself: posix_fallocate would write every block where the file system cannot reserve. There the free
 * space is looked at instead, which others may take meanwhile. */
static wedge_status reserve(const part *p, uint64_t bytes, note *n) {
    struct stat about;
    uint64_t free = bytes_free(p->data_fd);
    if (!bytes || fstat(p->data_fd, &about)) return bytes ? part_failed(p, errno, n) : WEDGE_OK;
    uint64_t has = (uint64_t)about.st_blocks * 512, needed = has < bytes ? bytes - has : 0;
    int r;
    do r = fallocate(p->data_fd, 0, 0, (off_t)bytes);
    while (r && errno == EINTR);
    if (!r) return WEDGE_OK;
    if (errno == ENOSPC || errno == EDQUOT) return no_room(p, needed, free, n);
    if (errno == EOPNOTSUPP || errno == ENOSYS) {
        if (needed > free) return no_room(p, needed, free, n);
        if (!ftruncate(p->data_fd, (off_t)bytes)) return WEDGE_OK;
    }
    return errno == EFBIG ? too_long(p, bytes, "its file system", n) : part_failed(p, errno, n);
}

wedge_status part_allows(const part *p, uint64_t bytes, note *n) {
    struct rlimit most;
    if (bytes > INT64_MAX) return too_long(p, bytes, "any file system", n);
    if (!getrlimit(RLIMIT_FSIZE, &most) && most.rlim_cur != RLIM_INFINITY && bytes > most.rlim_cur)
        return too_long(p, bytes, "the limit of this process (ulimit -f)", n); /* the kernel would send a signal */
    return WEDGE_OK;
}

wedge_status part_reserve(part *p, uint64_t bytes, note *n) {
    p->data_fd = open(p->data, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    return p->data_fd < 0 ? part_failed(p, errno, n) : reserve(p, bytes, n);
}

wedge_status part_write(part *p, const void *data, size_t bytes, uint64_t at, uint64_t *written, note *n) {
    for (*written = 0; *written < bytes;) {
        ssize_t w = pwrite(p->data_fd, (const char *)data + *written, bytes - *written, (off_t)(at + *written));
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return part_failed(p, w ? errno : EIO, n);
        *written += (uint64_t)w;
    }
    return WEDGE_OK;
}
