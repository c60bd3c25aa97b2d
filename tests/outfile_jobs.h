/* outfile_jobs.h: for the tests of output files: a small job whose every byte is known, its four ends, and the state of
 * the folder it is written in.
 *
 * The calls that change files are the test's own here, in front of the kernel's: to refuse, to count, to remember what
 * a power cut would leave, and to kill the process before any one of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_OUTFILE_JOBS_H
#define WEDGE_TESTS_OUTFILE_JOBS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/data/hash.h"
#include "io/write/outfile.h"

enum { DATA = 200000, HEAD = 7, LARGE = 1 << 20 };

static char folder[48] = "/tmp/wedge-outfile-XXXXXX", out[sizeof folder + 8];

static inline int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    sprintf(out, "%s/OUT", folder);
    return 0;
}

/* The path of something beside OUT; good until the next but three. */
static inline const char *beside(const char *suffix) {
    static char paths[4][sizeof out + 256];
    static int turn;
    snprintf(paths[turn = (turn + 1) % 4], sizeof *paths, "%s%s", out, suffix);
    return paths[turn];
}

/* How many files there are; removes them if asked. */
static inline int files(bool removed) {
    DIR *d = opendir(folder);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
            ++count;
            if (removed) unlinkat(dirfd(d), e->d_name, 0);
        }
    if (d) closedir(d);
    return count;
}

static inline int clear_folder(void **state) {
    (void)state;
    files(true);
    return 0;
}

static inline int remove_folder(void **state) {
    clear_folder(state);
    return rmdir(folder);
}

static inline void put_file(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/* A whole file, one zero after it. */
static inline char *get_file(const char *path, size_t *size) {
    char *bytes = calloc(1, LARGE + 1);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    *size = fread(bytes, 1, LARGE, f);
    fclose(f);
    return bytes;
}

static inline bool there(const char *suffix) {
    struct stat about;
    return !lstat(beside(suffix), &about);
}

/* ---- The kernel, with a will of its own ---- */

static int fallocate_error; /* -1: only the length is set, as if the disk were large */
static int fdatasync_error;
static int calls_left = -1; /* before the process is killed; negative: it lives */
static int sync_calls;      /* so far */
static bool no_attributes;  /* as on an old tmpfs */

static void (*before_call)(void);         /* NULL, or told before every call that changes files */
static void (*synced_now)(int fd, bool);  /* NULL, or told what is on the disk; true: with its attributes */
static bool (*may_write)(int fd, size_t); /* NULL, or asked first; false: the disk is full */

/* What is surely on the disk: two copies of OUT.part, and which of them holds. Shared with children. */
typedef struct {
    int syncs, current;
    size_t size[2];
    unsigned char bytes[2][LARGE];
} disk;
static disk *synced; /* NULL: not remembered */

static inline void maybe_die(void) {
    if (calls_left >= 0 && !calls_left--) kill(getpid(), SIGKILL);
    if (before_call) before_call();
}

int rename(const char *from, const char *to) {
    maybe_die();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
    maybe_die();
    return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

int unlinkat(int fd, const char *path, int flags) {
    maybe_die();
    return (int)syscall(SYS_unlinkat, fd, path, flags);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int ftruncate(int fd, off_t size) {
    maybe_die();
    return (int)syscall(SYS_ftruncate, fd, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    maybe_die();
    if (may_write && !may_write(fd, size)) return errno = ENOSPC, -1;
    return syscall(SYS_pwrite64, fd, bytes, size, at);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
    maybe_die();
    if (fallocate_error < 0) return ftruncate(fd, at + size);
    errno = fallocate_error;
    return fallocate_error ? -1 : (int)syscall(SYS_fallocate, fd, mode, at, size);
}

static inline int attributes(void) { return no_attributes ? errno = ENOTSUP, -1 : 0; }

int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags) {
    maybe_die();
    return attributes() ? -1 : (int)syscall(SYS_fsetxattr, fd, name, value, size, flags);
}

int fremovexattr(int fd, const char *name) {
    maybe_die();
    return attributes() ? -1 : (int)syscall(SYS_fremovexattr, fd, name);
}

ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size) {
    return attributes() ? -1 : (int)syscall(SYS_lgetxattr, path, name, value, size);
}

static inline bool is_the_part(int fd) {
    struct stat a, b;
    return !fstat(fd, &a) && !stat(beside(".part"), &b) && a.st_ino == b.st_ino;
}

/* What was written before the call is on the disk after it; what comes meanwhile may be or not. The kernel is not asked:
 * that would take as long as the disk needs, and no test here could see a difference. */
static inline int sync_call(int fd, bool attributes_too) {
    bool noted = synced && is_the_part(fd);
    maybe_die();
    ++sync_calls;
    int spare = noted ? !synced->current : 0;
    if (noted) synced->size[spare] = (size_t)pread(fd, synced->bytes[spare], LARGE, 0);
    errno = fdatasync_error;
    if (fdatasync_error) return -1;
    if (noted) {
        synced->current = spare;
        ++synced->syncs;
    }
    if (synced_now) synced_now(fd, attributes_too);
    return 0;
}

int fdatasync(int fd) { return sync_call(fd, false); }

int fsync(int fd) { return sync_call(fd, true); }

static inline void pause_us(unsigned us) {
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L}, NULL);
}

static inline void *shared_memory(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    return p;
}

/* ---- The job ---- */

static inline unsigned char byte_at(uint64_t i) { return (unsigned char)(hash_mix(i / 8) >> i % 8 * 8); }

static inline outfile_spec plain(void) {
    return (outfile_spec){.file = out,
                          .head = "header\n",
                          .head_bytes = HEAD,
                          .data_bytes = DATA,
                          .end = DATA,
                          .shard = 1,
                          .shards = 1,
                          .binding = "input 0123\nmetric euclidean\ndtype f32\n"};
}

static inline outfile_spec forced(outfile_spec s) { return s.force = true, s; }
static inline outfile_spec resumed(outfile_spec s) { return s.resume = true, s; }

/* Uneven slices; some may be empty. */
static inline outfile_spec shard_of(uint32_t k, uint32_t shards) {
    outfile_spec s = plain();
    s.shard = k;
    s.shards = shards;
    s.begin = s.data_bytes * (k - 1) * (k - 1) / shards / shards;
    s.end = s.data_bytes * k * k / shards / shards;
    return s;
}

/* Writes up to a place, in pieces of odd sizes. */
static inline wedge_status advance(outfile *o, uint64_t until, size_t most, note *n) {
    unsigned char piece[4096];
    while (outfile_position(o) < until) {
        uint64_t at = outfile_position(o);
        size_t size = 1 + hash_mix(at) % (most < sizeof piece ? most : sizeof piece);
        if (size > until - at) size = (size_t)(until - at);
        for (size_t i = 0; i < size; ++i) piece[i] = byte_at(at + i);
        wedge_status status = outfile_write(o, piece, size, n);
        if (status) return status;
    }
    return WEDGE_OK;
}

typedef enum { FINISH, PAUSE, ABANDON } ending;

/* A run of it; `from` and `whole`, where asked for, say where it began and whether OUT is whole. */
static inline wedge_status run(outfile_spec s, uint64_t until, ending how, uint64_t *from, bool *whole, note *n) {
    outfile *o;
    bool w = false;
    wedge_status status = outfile_open(&s, &o, n);
    if (status) return status;
    if (from) *from = outfile_position(o);
    status = advance(o, until, 4096, n);
    if (status || how == ABANDON)
        outfile_abandon(o);
    else
        status = how == PAUSE ? outfile_pause(o, n) : outfile_finish(o, &w, n);
    if (whole) *whole = w;
    return status;
}

/* ... that must go well; where it began. */
static inline uint64_t good(outfile_spec s, uint64_t until, ending how) {
    note n = {0};
    uint64_t from = 0;
    bool whole = false;
    if (run(s, until, how, &from, &whole, &n)) fail_msg("%s", note_text(&n));
    if (how == FINISH && s.shards == 1) assert_true(whole);
    note_free(&n);
    return from;
}

static inline void refused(outfile_spec s, wedge_status status, const char *words) {
    note n = {0};
    outfile *o;
    wedge_status got = outfile_open(&s, &o, &n);
    if (got != status || !strstr(note_text(&n), words))
        fail_msg("wanted %s: '%s', got %s: %s", wedge_status_name(status), words, wedge_status_name(got),
                 note_text(&n));
    assert_null(o);
    note_free(&n);
}

/* Is OUT what the job makes? */
static inline bool is_right(void) {
    size_t size;
    unsigned char *bytes = (unsigned char *)get_file(out, &size);
    bool right = size == HEAD + DATA && !memcmp(bytes, plain().head, HEAD);
    for (size_t i = 0; right && i < DATA; ++i) right = bytes[HEAD + i] == byte_at(i);
    free(bytes);
    return right;
}

/* It is, and stands alone. */
static inline void assert_done(void) {
    assert_true(is_right());
    assert_int_equal(files(false), 1);
}

static const char older[] = "an older result";

static inline void put_older(void) { put_file(out, older, sizeof older); }

static inline void assert_older(void) {
    size_t size;
    char *bytes = get_file(out, &size);
    assert_int_equal(size, sizeof older);
    assert_string_equal(bytes, older);
    free(bytes);
}

/* For children, where the assertions of cmocka lead nowhere. */
#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            return 1;                                                               \
        }                                                                           \
    } while (0)

static inline int in_child(int (*f)(void)) {
    int status;
    pid_t child = fork();
    if (!child) _exit(f());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
