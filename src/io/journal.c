/* journal.c: sealed text of a few lines: composed, written, read back, compared.
 *
 * SPDX-License-Identifier: MIT */
#include "io/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hash.h"
#include "io/points.h"

#define FORMAT "wedge-part 1\n" /* the number grows when the lines change */
#define SEAL "sum "

enum { SEAL_BYTES = sizeof SEAL - 1 + 32 + 1, MOST_BYTES = 1 << 20 };

char *job_text(const outfile_spec *s) {
    return text_format(FORMAT "%shead %s %zu\ndata %" PRIu64 "\nshards %" PRIu32 "\n", s->binding ? s->binding : "",
                       hash_of(s->head, s->head_bytes).text, s->head_bytes, s->data_bytes, s->shards);
}

/* ---- Writing ---- */

static bool write_all(int fd, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t w = pwrite(fd, text + at, size - at, (off_t)at);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) return false;
        at += (size_t)w;
    }
    return true;
}

static bool write_sealed(int fd, const char *body) {
    char *text = text_format("%s" SEAL "%s\n", body, hash_of(body, strlen(body)).text);
    if (!text) errno = ENOMEM;
    bool good = text && !ftruncate(fd, 0) && write_all(fd, text, strlen(text));
    free(text);
    return good;
}

bool job_write(int fd, const char *job) { return write_sealed(fd, job); }

static bool write_fresh(const char *path, const char *fresh, const char *body) {
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return false;
    bool good = write_sealed(fd, body) && !fsync(fd);
    int error = errno;
    if (close(fd) && good) good = false, error = errno;
    if (good && rename(fresh, path)) good = false, error = errno;
    if (!good) unlink(fresh);
    errno = error;
    return good;
}

bool journal_write(const char *path, const char *fresh, const char *job, uint32_t shard, const record *p) {
    char *body = text_format("%sshard %" PRIu32 "\nslice %" PRIu64 " %" PRIu64 "\ndone %" PRIu64 "\n", job, shard,
                             p->begin, p->end, p->done);
    if (!body) errno = ENOMEM;
    bool good = body && write_fresh(path, fresh, body);
    free(body);
    return good;
}

/* ---- Reading ---- */

/* The text of a record, its seal broken off. NULL: nothing whole; *empty where there is nothing at all. */
static char *read_sealed(int fd, bool *empty) {
    struct stat about;
    *empty = false;
    if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES) return NULL;
    *empty = !about.st_size;
    if (about.st_size <= SEAL_BYTES) return NULL;
    size_t size = (size_t)about.st_size, body = size - SEAL_BYTES;
    char *text = malloc(size + 1);
    if (text && pread(fd, text, size, 0) == (ssize_t)size) {
        text[size] = 0;
        hash_text sum = hash_of(text, body);
        if (strlen(text) == size && !strncmp(text + body, SEAL, sizeof SEAL - 1) && text[size - 1] == '\n' &&
            !strncmp(text + body + sizeof SEAL - 1, sum.text, sizeof sum.text - 1)) {
            text[body] = 0;
            return text;
        }
    }
    free(text);
    return NULL;
}

/* What the first line says that is not the same in both. */
static char *first_difference(const char *there, const char *here) {
    size_t same = 0, a, b;
    for (size_t i = 0; there[i] && there[i] == here[i]; ++i)
        if (there[i] == '\n') same = i + 1;
    there += same;
    here += same;
    a = strcspn(there, "\n");
    b = strcspn(here, "\n");
    size_t key = strcspn(here, " \n"), skip = key + 1;
    if (a > skip && b > skip && !strncmp(there, here, skip))
        return text_format("%.*s is %s there and %s here", (int)key, here, quoted(there + skip, a - skip).text,
                           quoted(here + skip, b - skip).text);
    return text_format("it says %s, this job %s", quoted(there, a).text, quoted(here, b).text);
}

/* "key 12 34\n": as many numbers as asked, in plain digits. */
static bool take_line(const char **at, const char *key, uint64_t *values, int count) {
    const char *s = *at;
    size_t length = strlen(key);
    if (strncmp(s, key, length)) return false;
    s += length;
    for (int i = 0; i < count; ++i) {
        if (s[0] != ' ' || s[1] < '0' || s[1] > '9') return false;
        char *end;
        errno = 0;
        values[i] = strtoull(s + 1, &end, 10);
        if (errno) return false;
        s = end;
    }
    if (*s != '\n') return false;
    *at = s + 1;
    return true;
}

static bool take_progress(const char *s, uint32_t shard, record *r) {
    uint64_t k, slice[2];
    if (!take_line(&s, "shard", &k, 1) || k != shard || !take_line(&s, "slice", slice, 2)) return false;
    if (!take_line(&s, "done", &r->done, 1) || *s) return false;
    r->begin = slice[0];
    r->end = slice[1];
    return r->begin <= r->done && r->done <= r->end;
}

/* shard 0: a job's own record, which ends where the job's lines do. */
static record judge(int fd, const char *job, uint32_t shard) {
    bool empty;
    record r = {.kind = RECORD_DAMAGED};
    char *text = read_sealed(fd, &empty);
    size_t length = strlen(job);
    if (empty)
        r.kind = shard ? RECORD_DAMAGED : RECORD_NONE;
    else if (text && strncmp(text, job, length)) {
        r.kind = RECORD_OTHER;
        r.difference = first_difference(text, job);
    } else if (text && (shard ? take_progress(text + length, shard, &r) : !text[length]))
        r.kind = RECORD_SAME;
    free(text);
    return r;
}

record job_read(int fd, const char *job) { return judge(fd, job, 0); }

record journal_read(const char *path, const char *job, uint32_t shard) {
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a pipe in its place must not hold us up */
    if (fd < 0) return (record){.kind = errno == ENOENT ? RECORD_NONE : RECORD_DAMAGED};
    record r = judge(fd, job, shard);
    close(fd);
    return r;
}

void record_free(record *r) {
    free(r->difference);
    r->difference = NULL;
}
