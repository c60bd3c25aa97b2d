/* entry.c: what opening an output file does, depending on the files that are there.
 *
 *     OUT.part is there     not made by wedge     refused, by force too
 *                           not this user's alone refused, by force too; the same of its companions (state.h)
 *                           holds nothing yet     afresh: no journal vouches for a byte, no process is at it; but resume is
 *                                                 told of another job
 *                           of another job        refused; force: all afresh, unless a process is at it
 *                           of no known job       as of another
 *                           not of its length     afresh, unless journals vouch for it: then only by force
 *                           of this job           joined: the slice from its begin, or by resume from its journal
 *     OUT.part is not       OUT is there          refused; resume: nothing to do if it is this job's; force: afresh
 *                           nor is OUT            afresh
 *
 * A companion file that wedge did not write, under a name that this shard needs, is refused as well.
 *
 * Who says of which job an OUT.part is: its mark, or where there is none the record of the job, if it names this very file.
 * Who says how far it has come: journals that name the same job and this very part. Nobody else is asked: with any of them
 * lost, less is known, and never something else.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/data/points.h"
#include "io/write/journal.h"
#include "io/write/mark.h"
#include "io/write/place.h"
#include "io/write/state.h"

#define EXISTS "%s exists; --force overwrites it"

static uint64_t whole_bytes(const outfile_spec *s) {
    return s->data_bytes > UINT64_MAX - s->head_bytes ? UINT64_MAX : s->head_bytes + s->data_bytes;
}

static wedge_status in_the_way(const char *path, note *n) {
    return note_fail(n, WEDGE_BAD_ARGUMENT,
                     "%s exists, and wedge did not make it, or it is damaged; move it, or name another output", path);
}

/* Is OUT what this job makes? Its mark tells; the remedy is the same wherever it is not. */
static wedge_status judge_made(const part *p, const outfile_spec *s, const char *made, const struct stat *about,
                               note *n) {
    WEDGE_CHECK(about->st_uid == geteuid(), n, WEDGE_BAD_ARGUMENT, "%s belongs to another user; --force overwrites it",
                p->file);
    char *there = mark_get(p->place, JOB_MARK);
    bool none = !there && errno == ENOTSUP;
    char *unfinished = mark_get(p->place, UNFINISHED_MARK), *time = mark_get(p->place, TIME_MARK);
    char *difference = there && strcmp(there, made) ? text_difference(there, made) : NULL;
    bool same = there && !strcmp(there, made), whole = !unfinished && (uint64_t)about->st_size == whole_bytes(s);
    whole = whole && time && !strcmp(time, part_written(about).text);
    free(there);
    free(unfinished);
    free(time);
    if (same && whole) return WEDGE_OK;
    if (same)
        return note_fail(n, WEDGE_BAD_ARGUMENT, "%s is incomplete or was changed; --force overwrites it", p->file);
    wedge_status status =
        difference ? note_fail(n, WEDGE_BAD_ARGUMENT, "%s belongs to another job: %s; --force overwrites it", p->file,
                               difference)
                   : note_fail(n, WEDGE_BAD_ARGUMENT,
                               "%s exists, and wedge cannot tell what it was computed from: %s; --force overwrites it",
                               p->file,
                               none ? "its file system keeps no extended attributes"
                                    : "wedge did not make it, or it was copied without its extended attributes");
    free(difference);
    return status;
}

/* OUT, with no part of it beside: may we begin, or is it what we would make? */
static wedge_status judge_out(const part *p, const outfile_spec *s, const char *made, entry *e, note *n) {
    struct stat about;
    if (lstat(p->place, &about)) return WEDGE_OK;
    WEDGE_CHECK(s->resume || s->force, n, WEDGE_BAD_ARGUMENT, EXISTS, p->file);
    e->replace = s->force;
    if (!s->resume) return WEDGE_OK;
    wedge_status status = judge_made(p, s, made, &about, s->force ? NULL : n);
    e->whole = e->complete = !status;
    if (e->whole) e->position = s->end;
    return s->force ? WEDGE_OK : status;
}

/* ---- Afresh ---- */

/* The head is written at every open: after a power cut the file may have its length and nothing in it. */
static wedge_status prepare(part *p, const outfile_spec *s, note *n) {
    uint64_t written;
    WEDGE_TRY(part_reserve(p, whole_bytes(s), n));
    return part_write(p, s->head, s->head_bytes, 0, &written, n);
}

static int new_journal(part *p, const outfile_spec *s, const char *job) {
    record nothing = {.begin = s->begin, .end = s->end, .done = s->begin};
    if (part_companion_is_ours(p->journal)) unlink(p->journal);
    p->journal_fd = state_create(p->journal);
    if (p->journal_fd < 0) return errno;
    int error = part_mark_companion(p, p->journal_fd);
    if (!error && !journal_reserve(p->journal_fd, job)) error = errno;
    if (!error && !journal_write(p->journal_fd, job, &p->identity, s->shard, &nothing)) error = errno;
    if (error) unlink(p->journal);
    return error;
}

/* The journal that a resume goes on with, or a new one that vouches for nothing yet. */
static int start_journal(part *p, const outfile_spec *s, const char *job, entry *e) {
    if (!e->turn) return e->turn = 1, new_journal(p, s, job);
    p->journal_fd = state_open(p->journal, true);
    return p->journal_fd < 0 ? errno : 0;
}

/* Not written again where it is right: its time is when the job began. */
static bool record_job(const part *p, const char *job) {
    struct stat data;
    if (fstat(p->data_fd, &data)) return false;
    record r = job_read(p->job_fd, job);
    bool right = r.kind == RECORD_SAME && r.file == data.st_ino && !strcmp(r.part.text, p->identity.text);
    record_free(&r);
    if (right) return true;
    int error = part_mark_companion(p, p->job_fd);
    return error ? errno = error, false : job_write(p->job_fd, job, data.st_ino, &p->identity);
}

/* OUT.part open and marked, its job on record, room for everything. All of it is on the disk before a journal vouches for
 * anything, and the length of OUT.part before there is a journal. Who joins does not wait for what others write. */
static wedge_status set_up(part *p, const outfile_spec *s, const job_lines *job, bool make, entry *e, note *n) {
    WEDGE_TRY(part_open(p, make, job->made, n));
    if (!record_job(p, job->text)) return part_failed(p, errno, n);
    WEDGE_TRY(prepare(p, s, n));
    int error = make ? part_sync(p, p->data_fd) : 0;
    if (!error) error = part_sync(p, p->job_fd);
    if (!error) error = start_journal(p, s, job->text, e);
    if (!error) error = part_sync(p, p->journal_fd);
    if (!error) error = part_sync_folder(p);
    return error ? part_failed(p, error, n) : WEDGE_OK;
}

/* old: there is an OUT.part, of wedge. An old journal must not meet the new part after a power cut: it would vouch for
 * data that are not there. */
static wedge_status afresh(part *p, const outfile_spec *s, const job_lines *job, bool old, entry *e, note *n) {
    WEDGE_CHECK(!part_others_run(p), n, WEDGE_BAD_ARGUMENT,
                "%s is being written by other processes; stop them first, or write to another file", p->data);
    WEDGE_TRY(judge_out(p, s, job->made, e, n));
    int error = part_remove_journals(p) ? part_sync_folder(p) : 0;
    if (error) return part_failed(p, error, n);
    if (old) unlink(p->data); /* not truncated: who still has it open keeps it */
    if (e->whole) return WEDGE_OK;
    wedge_status status = set_up(p, s, job, true, e, n);
    if (status) part_remove(p);
    return status;
}

/* ---- Joined or resumed ---- */

static wedge_status refuse_slice(const part *p, const record *r, bool fits, note *n) {
    WEDGE_CHECK(r->kind != RECORD_DAMAGED, n, WEDGE_BAD_ARGUMENT,
                "%s is damaged, or from another version of wedge; --force starts its slice again", p->journal);
    WEDGE_CHECK(r->kind != RECORD_OTHER, n, WEDGE_BAD_ARGUMENT, "%s belongs to another job: %s; --force starts again",
                p->journal, r->difference ? r->difference : "");
    WEDGE_CHECK(fits, n, WEDGE_BAD_ARGUMENT,
                "%s belongs to another slice: bytes %" PRIu64 " to %" PRIu64 "; --force starts this one again",
                p->journal, r->begin, r->end);
    WEDGE_CHECK(r->done != r->end, n, WEDGE_BAD_ARGUMENT,
                "shard %" PRIu32 " of %" PRIu32 " of %s is done; --resume keeps it, --force computes it again",
                p->shard, p->shards, p->file);
    return note_fail(n, WEDGE_BAD_ARGUMENT,
                     "%s is left from an earlier run of this shard; --resume continues it, --force starts it again",
                     p->journal);
}

/* How far this slice has come. A journal that vouches for nothing stops nobody. */
static wedge_status read_progress(const part *p, const outfile_spec *s, const char *job, entry *e, note *n) {
    wedge_status status = WEDGE_OK;
    record r = journal_read(p->journal, job, &p->identity, s->shard);
    bool fits = r.kind == RECORD_SAME && r.begin == s->begin && r.end == s->end;
    if (s->resume && fits) {
        e->position = r.done;
        e->complete = r.done == r.end;
        e->turn = r.turn;
    } else if (r.kind != RECORD_NONE && !(fits && r.done == r.begin) && !s->force)
        status = refuse_slice(p, &r, fits, n);
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

static wedge_status join(part *p, const outfile_spec *s, const job_lines *job, entry *e, note *n) {
    struct stat about;
    bool out = !lstat(p->place, &about);
    WEDGE_CHECK(!out || s->force || s->resume, n, WEDGE_BAD_ARGUMENT, EXISTS, p->file);
    e->replace = s->force || (out && was_there(&about, p));
    WEDGE_TRY(read_progress(p, s, job->text, e, n));
    return set_up(p, s, job, false, e, n);
}

/* ---- Of which job is an OUT.part? ---- */

/* OF_OTHER_SLICES: the same bytes, but in other shards, or with another file beside it, which would be left alone. */
typedef enum { OF_THIS_JOB, OF_OTHER_SLICES, OF_ANOTHER, OF_NONE_KNOWN } ownership;

/* Its mark tells what it is made from, and the record of the job the rest. Without a mark the record counts if it is of this
 * very file. Then it is known which journals are of it, too. *difference, to be freed: why it is of another. */
static ownership whose_part(part *p, const job_lines *job, const record *r, uint64_t inode, char **difference) {
    char *made = mark_get(p->data, JOB_MARK), *identity = mark_get(p->data, PART_MARK);
    bool recorded = r->file == inode && *r->part.text && (!identity || !strcmp(identity, r->part.text));
    if (identity && strlen(identity) < sizeof p->identity.text)
        strcpy(p->identity.text, identity);
    else if (recorded)
        p->identity = r->part;
    bool other = made ? strcmp(made, job->made) != 0 : r->kind == RECORD_OTHER;
    bool known = made || (recorded && (r->kind == RECORD_SAME || r->kind == RECORD_OTHER));
    *difference = made && other             ? text_difference(made, job->made)
                  : r->kind == RECORD_OTHER ? strdup(r->difference ? r->difference : "")
                                            : NULL;
    free(made);
    free(identity);
    if (!known) return OF_NONE_KNOWN;
    return made && !other && r->kind == RECORD_OTHER ? OF_OTHER_SLICES : other ? OF_ANOTHER : OF_THIS_JOB;
}

/* What would be lost must be given up by force, or be gone on with. */
static wedge_status refuse_part(const part *p, const outfile_spec *s, ownership whose, const char *why, note *n) {
    if (s->force) return WEDGE_OK;
    WEDGE_CHECK(whose != OF_ANOTHER && whose != OF_OTHER_SLICES, n, WEDGE_BAD_ARGUMENT,
                "%s belongs to another job: %s; --force starts again", p->data, why ? why : "");
    WEDGE_CHECK(whose != OF_NONE_KNOWN, n, WEDGE_BAD_ARGUMENT,
                "%s is left from an earlier run of an unknown job (%s is missing); --force starts again", p->data,
                p->job);
    WEDGE_CHECK(s->resume || s->shards > 1, n, WEDGE_BAD_ARGUMENT,
                "%s is left from an earlier run; --resume continues it, --force starts again", p->data);
    return WEDGE_OK;
}

/* Nobody is at it, and no journal vouches for a byte of it. */
static bool is_worth_nothing(const part *p) { return p->locked && !part_others_run(p) && !part_any_progress(p); }

static wedge_status enter_there(part *p, const outfile_spec *s, const job_lines *job, const record *r, entry *e,
                                note *n) {
    struct stat data;
    char *why = NULL;
    if (lstat(p->data, &data) || !part_data_is_ours(p, r->file)) return in_the_way(p->data, n);
    ownership whose = whose_part(p, job, r, data.st_ino, &why);
    bool ours = whose == OF_THIS_JOB, joined = ours && (s->resume || s->shards > 1);
    bool to_say = whose == OF_OTHER_SLICES || (whose == OF_ANOTHER && s->resume); /* what resume cannot go on with */
    bool harmless = joined || (!to_say && is_worth_nothing(p));
    wedge_status status = harmless ? WEDGE_OK : refuse_part(p, s, whose, why, n);
    free(why);
    if (status) return status;
    if (!ours || (!joined && !s->force)) return afresh(p, s, job, true, e, n);
    if ((uint64_t)data.st_size != whole_bytes(s)) {
        WEDGE_CHECK(s->force || !part_any_journal(p), n, WEDGE_BAD_ARGUMENT,
                    "%s is %s long, but its journals say %s: it was changed; --force starts again", p->data,
                    size_in_words((uint64_t)data.st_size).text, size_in_words(whole_bytes(s)).text);
        return afresh(p, s, job, true, e, n);
    }
    return join(p, s, job, e, n);
}

static wedge_status refuse_claim(const part *p, note *n) {
    char *holder = state_holder(p->job_fd, p->shard);
    note_fail(n, WEDGE_BAD_ARGUMENT,
              "%s (shard %" PRIu32 " of %" PRIu32 ") is being written by %s; wait for it, or stop it", p->file,
              p->shard, p->shards, holder ? holder : "another process");
    free(holder);
    return WEDGE_BAD_ARGUMENT;
}

static wedge_status enter(part *p, const outfile_spec *s, const job_lines *job, entry *e, note *n) {
    struct stat data;
    if (!part_claim(p)) return refuse_claim(p, n);
    WEDGE_TRY(state_check(p->journal, n));
    WEDGE_TRY(state_check(p->data, n));
    if (!part_companion_is_ours(p->job)) return in_the_way(p->job, n);
    if (!part_companion_is_ours(p->journal)) return in_the_way(p->journal, n);
    bool old = !lstat(p->data, &data);
    record r = job_read(p->job_fd, job->text);
    bool begun = old && (data.st_size || r.kind != RECORD_NONE); /* or a run was killed when it had just made them */
    wedge_status status = begun ? enter_there(p, s, job, &r, e, n) : afresh(p, s, job, old, e, n);
    record_free(&r);
    return status;
}

/* What says nothing, or speaks of a part that is not there, goes. */
static void leave(part *p) {
    struct stat about;
    if (part_others_run(p)) return;
    if (lstat(p->data, &about))
        part_remove_companions(p);
    else if (!fstat(p->job_fd, &about) && !about.st_size)
        unlink(p->job);
}

wedge_status part_enter(part *p, const outfile_spec *s, const job_lines *job, entry *e, note *n) {
    struct stat about;
    *e = (entry){.position = s->begin};
    p->no_sync = s->no_sync, p->lock_ms = s->lock_ms;
    WEDGE_TRY(part_allows(p, whole_bytes(s), n));
    if (s->force) WEDGE_TRY(place_replaceable(p->place, n));
    if (lstat(p->data, &about) && lstat(p->job, &about)) { /* also in a folder where we may not write */
        WEDGE_TRY(judge_out(p, s, job->made, e, n));
        if (e->whole) return WEDGE_OK;
    }
    wedge_status status = part_lock(p, n);
    if (p->job_fd < 0) return status;
    if (!status) status = enter(p, s, job, e, n);
    if (status || e->whole) leave(p);
    part_unlock(p);
    return status;
}

/* With the lock of the job, and that of the shard. */
static void clear(const part *p, bool progress) {
    record r = job_read(p->job_fd, "of any job\n");
    if ((progress || !journal_vouches(p->journal)) && part_companion_is_ours(p->journal)) unlink(p->journal);
    if (part_data_is_ours(p, r.file) && is_worth_nothing(p)) {
        part_remove_journals(p);
        unlink(p->data);
    }
    record_free(&r);
}

void part_clear(part *p, bool progress) {
    struct stat about;
    if (lstat(p->job, &about) || part_lock(p, NULL)) return;
    if (part_claim(p)) {
        clear(p, progress);
        leave(p);
    }
    part_unlock(p);
}
