/* journal.c: composes, writes, reads and compares records: a few lines of sealed text.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/data/hash.h"
#include "io/data/points.h"
#include "io/write/state.h"

#define NAME "wedge-part "
#define FORMAT NAME "3\n" /* the number grows when the lines change */
#define SEAL "sum "

enum { SEAL_BYTES = sizeof SEAL - 1 + 32 + 1, MOST_BYTES = 1 << 20, BLOCK = 4096, PROGRESS_BYTES = 256 };

char *made_text(const outfile_spec *s) {
    return text_format(FORMAT "%shead %s %zu\ndata %" PRIu64 "\n", s->binding ? s->binding : "",
                       hash_of(s->head, s->head_bytes).text, s->head_bytes, s->data_bytes);
}

char *job_text(const outfile_spec *s) {
    char *made = made_text(s);
    char *job = made ? text_format("%s%sshards %" PRIu32 "\n", made, s->beside ? s->beside : "", s->shards) : NULL;
    free(made);
    return job;
}

/* ---- Writing ---- */

static bool write_all(int fd, const char *text, size_t size, off_t from) {
    for (size_t at = 0; at < size;) {
        ssize_t w = pwrite(fd, text + at, size - at, from + (off_t)at);
        if (w < 0 && errno == EINTR) continue;
        if (w < 0) return false;
        at += (size_t)w;
    }
    return true;
}

static char *seal(const char *body) {
    char *text = body ? text_format("%s" SEAL "%s\n", body, hash_of(body, strlen(body)).text) : NULL;
    if (!text) errno = ENOMEM;
    return text;
}

bool job_write(int fd, const char *job, uint64_t file, const part_identity *part) {
    char *body = text_format("%spart %s\nfile %" PRIu64 "\n", job, part->text, file), *text = seal(body);
    bool good = text && !ftruncate(fd, 0) && write_all(fd, text, strlen(text), 0);
    free(body);
    free(text);
    return good;
}

/* Whole blocks, so that no two slots share one. */
static size_t slot_bytes(const char *job) {
    return (strlen(job) + PROGRESS_BYTES + SEAL_BYTES + BLOCK - 1) / BLOCK * BLOCK;
}

bool journal_reserve(int fd, const char *job) {
    size_t size = 2 * slot_bytes(job);
    char *zeros = calloc(1, size);
    if (!zeros) errno = ENOMEM;
    bool good = zeros && write_all(fd, zeros, size, 0);
    free(zeros);
    return good;
}

bool journal_write(int fd, const char *job, const part_identity *part, uint32_t shard, const record *p) {
    size_t size = slot_bytes(job);
    uint64_t turn = p->turn + 1;
    char *body =
        text_format("%spart %s\nshard %" PRIu32 "\nslice %" PRIu64 " %" PRIu64 "\ndone %" PRIu64 "\nturn %" PRIu64 "\n",
                    job, part->text, shard, p->begin, p->end, p->done, turn);
    char *text = seal(body), *slot = calloc(1, size);
    if (!slot) errno = ENOMEM;
    if (text && slot) memcpy(slot, text, strlen(text));
    bool good = text && slot && write_all(fd, slot, size, (off_t)(turn % 2 * size));
    free(body);
    free(text);
    free(slot);
    return good;
}

/* ---- Reading ---- */

/* The size of a file that could be a record's; -1: it could not. */
static off_t record_bytes(int fd) {
    struct stat about;
    return fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES ? -1 : about.st_size;
}

/* A part of the file, one zero after it. */
static char *read_bytes(int fd, off_t from, size_t size) {
    char *bytes = malloc(size + 1);
    if (bytes && pread(fd, bytes, size, from) == (ssize_t)size) return bytes[size] = 0, bytes;
    free(bytes);
    return NULL;
}

/* The sealed text that begins at `from` and takes at most `most` bytes, its seal broken off. NULL: there is none. */
static char *read_sealed(int fd, off_t from, size_t most) {
    char *text = read_bytes(fd, from, most);
    size_t size = text ? strlen(text) : 0, body = size - SEAL_BYTES;
    if (size > SEAL_BYTES && !strncmp(text, NAME, sizeof NAME - 1)) {
        hash_text sum = hash_of(text, body);
        if (!strncmp(text + body, SEAL, sizeof SEAL - 1) && text[size - 1] == '\n' &&
            !strncmp(text + body + sizeof SEAL - 1, sum.text, sizeof sum.text - 1)) {
            text[body] = 0;
            return text;
        }
    }
    free(text);
    return NULL;
}

static bool nothing_in(int fd, off_t from, off_t size) {
    char *bytes = size > 0 ? read_bytes(fd, from, (size_t)size) : NULL;
    bool nothing = !size || (bytes && !*bytes && !memcmp(bytes, bytes + 1, (size_t)size - 1));
    free(bytes);
    return nothing;
}

bool record_is_ours(int fd) {
    off_t size = record_bytes(fd);
    if (size < 0) return false;
    char *first = read_sealed(fd, 0, (size_t)size), *second = read_sealed(fd, size / 2, (size_t)size / 2);
    bool sealed = first || second;
    free(first);
    free(second);
    return sealed || nothing_in(fd, 0, size);
}

static bool is_hash(const char *text, size_t length) {
    return length == sizeof(hash_text) - 1 && strspn(text, "0123456789abcdef") >= length;
}

/* What a hash is of: two of them tell a user nothing. */
static const char *changed(const char *key, size_t length) {
    static const struct {
        const char *key, *what;
    } files[] = {{"input", "the points of the input have changed"},
                 {"others", "the points of the second input have changed"},
                 {"queries", "the queries have changed"},
                 {"op", "the file of the op has changed"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k)
        if (strlen(files[k].key) == length && !strncmp(files[k].key, key, length)) return files[k].what;
    return NULL;
}

char *text_difference(const char *there, const char *here) {
    size_t same = 0, a, b;
    for (size_t i = 0; there[i] && there[i] == here[i]; ++i)
        if (there[i] == '\n') same = i + 1;
    there += same;
    here += same;
    a = strcspn(there, "\n");
    b = strcspn(here, "\n");
    size_t key = strcspn(here, " \n"), skip = key + 1;
    const char *what = changed(here, key);
    if (what && a > skip && a == b && !strncmp(there, here, skip) && is_hash(there + skip, a - skip) &&
        is_hash(here + skip, b - skip))
        return text_format("%s", what);
    if (a > skip && b > skip && !strncmp(there, here, skip))
        return text_format("%.*s is %s there, but %s here", (int)key, here, quoted(there + skip, a - skip).text,
                           quoted(here + skip, b - skip).text);
    return text_format("it says %s, but this job %s", quoted(there, a).text, quoted(here, b).text);
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

/* "part 32DIGITS\n" */
static bool take_part(const char **at, part_identity *part) {
    size_t digits = sizeof part->text - 1, key = strlen("part ");
    if (strncmp(*at, "part ", key) || strspn(*at + key, "0123456789abcdef") != digits || (*at)[key + digits] != '\n')
        return false;
    memcpy(part->text, *at + key, digits);
    part->text[digits] = 0;
    *at += key + digits + 1;
    return true;
}

static bool take_progress(const char *s, uint32_t shard, record *r) {
    uint64_t k, slice[2];
    if (!take_part(&s, &r->part) || !take_line(&s, "shard", &k, 1) || k != shard || !take_line(&s, "slice", slice, 2))
        return false;
    if (!take_line(&s, "done", &r->done, 1) || !take_line(&s, "turn", &r->turn, 1) || *s) return false;
    r->begin = slice[0];
    r->end = slice[1];
    return r->begin <= r->done && r->done <= r->end;
}

static bool take_job(const char *s, record *r) {
    return take_part(&s, &r->part) && take_line(&s, "file", &r->file, 1) && !*s;
}

/* What a job's own record, whatever job that is, says of its part, in its last lines. */
static void take_last(const char *text, record *r) {
    const char *last = NULL;
    for (const char *at = strstr(text, "\npart "); at; at = strstr(at + 1, "\npart ")) last = at + 1;
    if (last && !take_job(last, r)) r->file = 0;
}

/* shard 0: a job's own record, which has one more line than the job. */
static record judge(const char *text, const char *job, uint32_t shard) {
    record r = {.kind = RECORD_DAMAGED};
    size_t length = strlen(job);
    if (strncmp(text, job, length)) {
        r.kind = RECORD_OTHER;
        r.difference = text_difference(text, job);
        if (!shard) take_last(text, &r);
        return r;
    }
    if (shard ? take_progress(text + length, shard, &r) : take_job(text + length, &r)) r.kind = RECORD_SAME;
    return r;
}

/* The best of the records that a file has in so many slots: of this job before another's, then the latest. A slot that
 * is empty beside a damaged one: its first record was torn, and vouched for nothing. */
static record judge_slots(int fd, const char *job, uint32_t shard, int slots) {
    record best = {.kind = RECORD_DAMAGED};
    bool unused = false;
    off_t size = record_bytes(fd) / slots;
    for (int i = 0; i < slots && size >= 0; ++i) {
        char *text = read_sealed(fd, i * size, (size_t)size);
        record r = text ? judge(text, job, shard) : (record){.kind = RECORD_DAMAGED};
        bool better = r.kind < best.kind || (r.kind == best.kind && r.turn > best.turn);
        record_free(better ? &best : &r);
        if (better) best = r;
        unused |= !text && nothing_in(fd, i * size, size);
        free(text);
    }
    if (best.kind == RECORD_DAMAGED && unused) best.kind = RECORD_NONE;
    return best;
}

record job_read(int fd, const char *job) { return judge_slots(fd, job, 0, 1); }

/* Of the length that it was made with: else the place of the second slot is not sure. */
static bool has_its_length(int fd, const char *job) { return record_bytes(fd) == (off_t)(2 * slot_bytes(job)); }

record journal_read(const char *path, const char *job, const part_identity *part, uint32_t shard) {
    int fd = state_open(path, false);
    if (fd < 0) return (record){.kind = errno == ENOENT ? RECORD_NONE : RECORD_DAMAGED};
    record r = judge_slots(fd, job, shard, 2);
    if (r.kind == RECORD_SAME && !has_its_length(fd, job)) r.kind = RECORD_DAMAGED;
    if (r.kind == RECORD_SAME && (!*part->text || strcmp(r.part.text, part->text))) r = (record){.kind = RECORD_NONE};
    close(fd);
    return r;
}

/* Says a slot that something is done? */
static bool slot_vouches(int fd, off_t from, off_t size) {
    uint64_t slice[2], done;
    char *text = read_sealed(fd, from, (size_t)size);
    const char *at = text ? strstr(text, "\nslice ") : NULL;
    bool vouches = !text && !nothing_in(fd, from, size);
    if (at && ++at && take_line(&at, "slice", slice, 2)) vouches = !take_line(&at, "done", &done, 1) || done > slice[0];
    free(text);
    return vouches;
}

bool journal_vouches(const char *path) {
    int fd = state_open(path, false);
    if (fd < 0) return false;
    off_t size = record_bytes(fd) / 2;
    bool vouches = size < 0 || slot_vouches(fd, 0, size) || slot_vouches(fd, size, size);
    close(fd);
    return vouches;
}

void record_free(record *r) {
    free(r->difference);
    r->difference = NULL;
}
