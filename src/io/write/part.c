/* part.c: names, locks, marks, space and removal of OUT.part and its companions.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "io/data/points.h"
#include "io/write/journal.h"
#include "io/write/mark.h"
#include "io/write/permissions.h"
#include "io/write/place.h"
#include "io/write/state.h"

enum { CLAIM_MS = 1000 }; /* a process that was just killed may take a moment to let go */

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
    *p = (part){.shard = shard, .shards = shards, .job_fd = -1, .data_fd = -1, .journal_fd = -1};
    bool there;
    WEDGE_TRY(place_find(file, ", so it cannot be replaced; name another", &p->place, &there, &about, n));
    p->file = strdup(file);
    p->data = p->place ? text_format("%s.part", p->place) : NULL;
    p->job = p->data ? text_format("%s.job", p->data) : NULL;
    p->journal = p->data ? part_journal(p, shard) : NULL;
    WEDGE_CHECK(p->file && p->job && p->journal, n, WEDGE_NO_MEMORY, "%s: out of memory", file);
    WEDGE_CHECK(strlen(last_name(p->journal)) <= NAME_MAX, n, WEDGE_BAD_ARGUMENT,
                "%s: the name is too long for the files beside it (%s); choose a shorter one", file,
                last_name(p->journal));
    return WEDGE_OK;
}

void part_close(part *p) {
    if (p->journal_fd >= 0) close(p->journal_fd);
    if (p->data_fd >= 0) close(p->data_fd);
    if (p->job_fd >= 0) close(p->job_fd);
    free(p->file);
    free(p->place);
    free(p->data);
    free(p->job);
    free(p->journal);
    *p = (part){.job_fd = -1, .data_fd = -1, .journal_fd = -1};
}

/* ---- Locks: byte 0 of OUT.part.job is the job's, byte k that of shard k ---- */

/* One process alone does without locks where the file system has none. */
wedge_status part_lock(part *p, note *n) {
    WEDGE_TRY(
        state_open_locked(p->job, p->file, p->lock_ms ? p->lock_ms : STATE_OPENING_MS, &p->job_fd, &p->locked, n));
    WEDGE_CHECK(p->locked || p->shards == 1, n, WEDGE_FAILED,
                "%s: shards need file locks, and its file system has none; write to another file system", p->file);
    return WEDGE_OK;
}

int part_lock_again(part *p, int most_ms) {
    if (state_lock(p->job_fd, 0, p->lock_ms ? p->lock_ms : most_ms) == EAGAIN) return EAGAIN;
    return part_is_ours(p) ? 0 : ESTALE;
}

void part_unlock(part *p) { state_unlock(p->job_fd, 0); }

bool part_claim(part *p) { return state_lock(p->job_fd, p->shard, CLAIM_MS) != EAGAIN; }

bool part_others_run(const part *p) { return state_locked_from(p->job_fd, 1); }

bool part_is_ours(const part *p) {
    return state_is_at(p->job_fd, p->job) && state_is_at(p->data_fd, p->data) && state_is_at(p->journal_fd, p->journal);
}

/* ---- Whose a file is ---- */

static bool has_mark(const char *path, const char *name) {
    char *value = mark_get(path, name);
    int error = errno;
    free(value);
    errno = error;
    return value != NULL;
}

bool part_data_is_ours(const part *p, uint64_t inode) {
    struct stat about;
    if (state_check(p->data, NULL) || lstat(p->data, &about)) return false;
    if (!about.st_size || has_mark(p->data, UNFINISHED_MARK) || has_mark(p->data, JOB_MARK)) return true;
    return errno == ENOTSUP && inode == about.st_ino;
}

bool part_companion_is_ours(const char *path) {
    int fd = state_open(path, false);
    if (fd < 0) return errno == ENOENT;
    bool ours = record_is_ours(fd) || has_mark(path, UNFINISHED_MARK);
    close(fd);
    return ours;
}

/* Is this a name such as "OUT.part.2-of-5.journal"? `data` is OUT.part, without the folder. */
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
    return !*name;
}

static char *folder_of(const char *path) {
    const char *base = last_name(path);
    return base == path ? strdup(".") : strndup(path, (size_t)(base - path));
}

bool names_one_file(const char *a, const char *b) {
    struct stat x, y;
    if (!stat(a, &x) && !stat(b, &y)) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char *in_a = folder_of(a), *in_b = folder_of(b);
    bool same = in_a && in_b && !strcmp(last_name(a), last_name(b)) && !stat(in_a, &x) && !stat(in_b, &y) &&
                x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    free(in_a);
    free(in_b);
    return same;
}

/* ---- Journals and removal ---- */

/* For how many journals `seen` holds, of any number of shards: an earlier job may have had another. -1: the folder cannot
 * be read. */
static int each_journal(const part *p, bool (*seen)(const char *path, const void *with), const void *with) {
    const char *base = last_name(p->data);
    char *folder = folder_of(p->data);
    DIR *d = folder ? opendir(folder) : NULL;
    int count = d ? 0 : -1;
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_journal(e->d_name, base)) {
            char *path = text_format("%s/%s", folder, e->d_name);
            count += path && seen(path, with);
            free(path);
        }
    if (d) closedir(d);
    free(folder);
    return count;
}

static bool is_our_journal(const char *path, const void *with) {
    (void)with;
    return part_companion_is_ours(path);
}

static bool remove_our_journal(const char *path, const void *with) {
    (void)with;
    return part_companion_is_ours(path) && !unlink(path);
}

static bool is_that_file(const char *path, const void *with) { return names_one_file(path, with); }

bool part_touches(const part *p, const char *path) {
    const char *const names[] = {p->file, p->place, p->data, p->job, p->journal};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (names_one_file(names[i], path)) return true;
    return each_journal(p, is_that_file, path) > 0;
}

/* What cannot be seen may be there. */
bool part_any_journal(const part *p) { return each_journal(p, is_our_journal, NULL) != 0; }

static bool is_progress(const char *path, const void *with) {
    (void)with;
    return journal_vouches(path);
}

bool part_any_progress(const part *p) { return each_journal(p, is_progress, NULL) != 0; }

bool part_remove_journals(const part *p) { return each_journal(p, remove_our_journal, NULL) > 0; }

void part_remove_companions(const part *p) {
    part_remove_journals(p);
    if (state_is_at(p->job_fd, p->job) && part_companion_is_ours(p->job)) unlink(p->job);
}

void part_remove(const part *p) {
    if (state_is_at(p->data_fd, p->data)) unlink(p->data);
    part_remove_companions(p);
}

/* ---- On the disk ---- */

int part_sync(const part *p, int fd) { return p->no_sync || !fsync(fd) ? 0 : errno; }

/* Some file systems cannot do that with a folder, and do not need it. */
int part_sync_folder(const part *p) {
    if (p->no_sync) return 0;
    char *folder = folder_of(p->place);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, error = 0;
    if (!folder || fd < 0 || fsync(fd)) error = folder ? errno : ENOMEM;
    if (fd >= 0) close(fd);
    free(folder);
    return error == EINVAL || error == EACCES ? 0 : error; /* EACCES: we may write there, and not read */
}

int part_mark_companion(const part *p, int fd) {
    mark_set(fd, UNFINISHED_MARK, "yes");
    return part_sync(p, fd);
}

written_text part_written(const struct stat *about) {
    written_text t;
    snprintf(t.text, sizeof t.text, "%lld.%09ld", (long long)about->st_mtim.tv_sec, about->st_mtim.tv_nsec);
    return t;
}

/* All data are written. A file system that keeps no marks keeps this one neither. */
static void mark_time(const part *p) {
    struct stat about;
    if (!fstat(p->data_fd, &about)) mark_set(p->data_fd, TIME_MARK, part_written(&about).text);
}

/* By the kernel's call: not every C library has the function. Where the file system or an old kernel cannot look before it
 * renames, the look that the caller took must do. */
static int rename_unless_there(const char *from, const char *to) {
    enum { NO_REPLACE = 1 }; /* RENAME_NOREPLACE of linux/fs.h */
    int r = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE);
    return r && (errno == EINVAL || errno == ENOSYS) ? rename(from, to) : r;
}

int part_put_in_place(const part *p, bool replace) {
    struct stat old;
    int error;
    bool there = !lstat(p->place, &old);
    if (there && !replace) return EEXIST;
    there ? permissions_keep(p->data_fd, &old) : permissions_fresh(p->data_fd, p->place);
    mark_time(p);
    if (!mark_remove(p->data_fd, UNFINISHED_MARK)) return errno;
    if ((error = part_sync(p, p->data_fd))) return error;
    int r = replace ? rename(p->data, p->place) : rename_unless_there(p->data, p->place);
    return r ? errno : part_sync_folder(p);
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
wedge_status part_reserve(const part *p, uint64_t bytes, note *n) {
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

/* The small marks come first: they fit in the inode, and go without needing space. A mark that is too long for the file
 * system is as good as none. */
static void mark(part *p, const char *made) {
    p->unmarked = !mark_set(p->data_fd, UNFINISHED_MARK, "yes") || !mark_set(p->data_fd, PART_MARK, p->identity.text) ||
                  !mark_set(p->data_fd, JOB_MARK, made);
}

/* No two parts that ever were have the same. */
static void draw_identity(part *p) {
    struct {
        struct timespec now;
        long process;
        unsigned char noise[16];
    } from;
    memset(&from, 0, sizeof from);
    clock_gettime(CLOCK_REALTIME, &from.now);
    from.process = getpid();
    if (getrandom(from.noise, sizeof from.noise, GRND_NONBLOCK) < 0) from.noise[0] = 1; /* the clock must do */
    p->identity = hash_of(&from, sizeof from);
}

wedge_status part_open(part *p, bool make, const char *made, note *n) {
    p->data_fd = make ? state_create(p->data) : state_open(p->data, true);
    if (p->data_fd < 0) return part_failed(p, errno, n);
    if (make || !*p->identity.text) draw_identity(p);
    mark(p, made);
    int error = make ? part_sync(p, p->data_fd) : 0; /* while it is empty: nobody's file has its length and no mark */
    return error ? part_failed(p, error, n) : WEDGE_OK;
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
