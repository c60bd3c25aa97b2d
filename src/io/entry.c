/* entry.c: what an output file finds at its open, and what follows from it.
 *
 *     OUT.part is there     of another job        refused; force: all afresh, unless a process is at it
 *                           of no known job       refused; resume: taken over; force: all afresh
 *                           not of its length     afresh, unless journals vouch for it: then only by force
 *                           of this job           joined: the slice from its begin, or by resume from its journal
 *     OUT.part is not       OUT is there          refused; resume: nothing to do if it is this job's; force: afresh
 *                           nor is OUT            afresh
 *
 * SPDX-License-Identifier: MIT */
#include "io/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/journal.h"
#include "io/points.h"

#define EXISTS "%s exists; --force overwrites it"

static uint64_t whole_bytes(const outfile_spec *s) {
    return s->data_bytes > UINT64_MAX - s->head_bytes ? UINT64_MAX : s->head_bytes + s->data_bytes;
}

static bool same_head(const char *file, const outfile_spec *s) {
    char *head = malloc(s->head_bytes + 1);
    int fd = head ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    bool same = fd >= 0 && pread(fd, head, s->head_bytes, 0) == (ssize_t)s->head_bytes &&
                (!s->head_bytes || !memcmp(head, s->head, s->head_bytes));
    if (fd >= 0) close(fd);
    free(head);
    return same;
}

/* OUT, with no part of it beside: may we begin, or is it what we would make? */
static wedge_status judge_out(const part *p, const outfile_spec *s, entry *e, note *n) {
    struct stat about;
    if (lstat(p->place, &about)) return WEDGE_OK;
    e->replace = s->force;
    if (s->resume) {
        bool same_length = (uint64_t)about.st_size == whole_bytes(s);
        e->whole = e->complete = S_ISREG(about.st_mode) && same_length && same_head(p->place, s);
        if (e->whole) e->position = s->end;
        WEDGE_CHECK(e->whole || s->force, n, WEDGE_BAD_ARGUMENT,
                    "%s exists and is not what this job would make: %s; --force overwrites it", p->file,
                    same_length ? "its header is another" : "its length is another");
    }
    WEDGE_CHECK(e->whole || s->force, n, WEDGE_BAD_ARGUMENT, EXISTS, p->file);
    return WEDGE_OK;
}

/* ---- Afresh ---- */

/* The head is written at every open: after a power cut the file may have its length and nothing in it. */
static wedge_status prepare(part *p, const outfile_spec *s, note *n) {
    uint64_t written;
    WEDGE_TRY(part_reserve(p, whole_bytes(s), n));
    return part_write(p, s->head, s->head_bytes, 0, &written, n);
}

static wedge_status afresh(part *p, const outfile_spec *s, const char *job, entry *e, note *n) {
    WEDGE_CHECK(!part_others_run(p), n, WEDGE_BAD_ARGUMENT,
                "%s is being written by other processes; stop them first, or write to another file", p->data);
    WEDGE_TRY(judge_out(p, s, e, n));
    part_remove_journals(p);
    unlink(p->data); /* not truncated: who still has it open keeps it */
    if (e->whole) return WEDGE_OK;
    wedge_status status = job_write(p->job_fd, job) ? prepare(p, s, n) : part_failed(p, errno, n);
    if (status) part_remove(p);
    return status;
}

/* ---- Joined or resumed ---- */

static wedge_status refuse_slice(const part *p, const record *r, bool fits, note *n) {
    WEDGE_CHECK(r->kind != RECORD_DAMAGED, n, WEDGE_BAD_ARGUMENT,
                "%s is damaged, or of another version of wedge; --force starts its slice afresh", p->journal);
    WEDGE_CHECK(r->kind != RECORD_OTHER, n, WEDGE_BAD_ARGUMENT, "%s is of another job: %s; --force starts afresh",
                p->journal, r->difference ? r->difference : "");
    WEDGE_CHECK(fits, n, WEDGE_BAD_ARGUMENT,
                "%s is of another slice: bytes %" PRIu64 " to %" PRIu64 "; --force starts this one afresh", p->journal,
                r->begin, r->end);
    WEDGE_CHECK(r->done != r->end, n, WEDGE_BAD_ARGUMENT,
                "shard %" PRIu32 " of %" PRIu32 " of %s is done; --resume leaves it so, --force computes it again",
                p->shard, p->shards, p->file);
    return note_fail(n, WEDGE_BAD_ARGUMENT,
                     "%s is left from an earlier run of this shard; --resume goes on with it, --force starts it afresh",
                     p->journal);
}

/* How far this slice has come. */
static wedge_status read_progress(const part *p, const outfile_spec *s, const char *job, entry *e, note *n) {
    wedge_status status = WEDGE_OK;
    record r = journal_read(p->journal, job, s->shard);
    bool fits = r.kind == RECORD_SAME && r.begin == s->begin && r.end == s->end;
    if (s->resume && fits) {
        e->position = r.done;
        e->complete = r.done == r.end;
        e->vouched = true;
    } else if (r.kind != RECORD_NONE && !s->force)
        status = refuse_slice(p, &r, fits, n);
    else
        unlink(p->journal);
    record_free(&r);
    return status;
}

/* An OUT that was there when the job began was to be replaced by it, or the part would not be there. One that came later
 * is not ours to replace unasked. */
static bool was_there(const struct stat *out, const part *p) {
    struct stat job;
    if (fstat(p->job_fd, &job)) return false;
    return out->st_ctim.tv_sec != job.st_mtim.tv_sec ? out->st_ctim.tv_sec < job.st_mtim.tv_sec
                                                     : out->st_ctim.tv_nsec <= job.st_mtim.tv_nsec;
}

static wedge_status join(part *p, const outfile_spec *s, const char *job, bool known, entry *e, note *n) {
    struct stat about;
    bool out = !lstat(p->place, &about);
    WEDGE_CHECK(!out || s->force || s->resume, n, WEDGE_BAD_ARGUMENT, EXISTS, p->file);
    e->replace = s->force || (out && was_there(&about, p));
    WEDGE_TRY(read_progress(p, s, job, e, n));
    if (!known && !job_write(p->job_fd, job)) return part_failed(p, errno, n);
    return prepare(p, s, n);
}

static wedge_status enter_there(part *p, const outfile_spec *s, const char *job, const struct stat *data, entry *e,
                                note *n) {
    record r = job_read(p->job_fd, job);
    bool known = r.kind == RECORD_SAME, other = r.kind == RECORD_OTHER;
    wedge_status status = WEDGE_OK;
    if (other && !s->force)
        status = note_fail(n, WEDGE_BAD_ARGUMENT, "%s is of another job: %s; --force starts afresh", p->data,
                           r.difference ? r.difference : "");
    record_free(&r);
    if (status) return status;
    WEDGE_CHECK(s->resume || s->force || (known && s->shards > 1), n, WEDGE_BAD_ARGUMENT,
                "%s is left from an earlier run; --resume goes on with it, --force starts afresh", p->data);
    if (other || (!known && !s->resume)) return afresh(p, s, job, e, n);
    if ((uint64_t)data->st_size != whole_bytes(s)) {
        WEDGE_CHECK(s->force || !part_any_journal(p), n, WEDGE_BAD_ARGUMENT,
                    "%s is %s long, and its journals are of a file of %s: it was altered; --force starts afresh",
                    p->data, size_in_words((uint64_t)data->st_size).text, size_in_words(whole_bytes(s)).text);
        return afresh(p, s, job, e, n);
    }
    return join(p, s, job, known, e, n);
}

static wedge_status enter(part *p, const outfile_spec *s, const char *job, entry *e, note *n) {
    struct stat data;
    WEDGE_CHECK(part_claim(p), n, WEDGE_BAD_ARGUMENT,
                "%s (shard %" PRIu32 " of %" PRIu32 ") is being written by another process; wait for it, or stop it",
                p->file, p->shard, p->shards);
    if (lstat(p->data, &data)) return afresh(p, s, job, e, n);
    WEDGE_CHECK(S_ISREG(data.st_mode), n, WEDGE_BAD_ARGUMENT, "%s is not a plain file; remove it", p->data);
    return enter_there(p, s, job, &data, e, n);
}

/* What says nothing, or speaks of a part that is not there, goes. */
static void leave(part *p) {
    struct stat about;
    if (part_others_run(p)) return;
    if (lstat(p->data, &about))
        part_remove(p);
    else if (!fstat(p->job_fd, &about) && !about.st_size)
        unlink(p->job);
}

wedge_status part_enter(part *p, const outfile_spec *s, const char *job, entry *e, note *n) {
    struct stat about;
    *e = (entry){.position = s->begin};
    WEDGE_TRY(part_allows(p, whole_bytes(s), n));
    if (lstat(p->data, &about) && lstat(p->job, &about)) { /* also in a folder where we may not write */
        WEDGE_TRY(judge_out(p, s, e, n));
        if (e->whole) return WEDGE_OK;
    }
    wedge_status status = part_lock(p, n);
    if (p->job_fd < 0) return status;
    if (!status) status = enter(p, s, job, e, n);
    if (status || e->whole) leave(p);
    part_unlock(p);
    return status;
}
