/* outfile.c: the life of an output file: written in order, with a journal now and then, and renamed once complete.
 *
 * A journal must tell no lie after a power cut, so the data it vouches for are put on the disk first. That takes as
 * long as the disk needs, and the writer is not to wait for it: a thread of its own, the clerk, does it. The clerk also
 * starts data on their way to the disk as they come, so that the wait at the end is short. It writes no journal in the
 * last moments of a job, and never says that a slice is done; outfile_finish says that, with the lock of the job held,
 * so that of several shards the last one sees the journals of all others.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/thread.h"
#include "io/write/entry.h"
#include "io/write/journal.h"
#include "io/write/part.h"
#include "io/write/state.h"

enum { PERIOD_MS = 5000, STEP = 16 << 20 };

struct outfile {
    part p;
    entry e;
    job_lines job;
    record progress; /* what the journal says */
    uint64_t head_bytes, data_bytes;
    uint32_t period_ms;
    bool by_hand;

    bool clerk_tried, clerk_works;
    pthread_t clerk;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t wake;
    uint64_t position, started_at; /* bytes of data */
    uint64_t flushed;              /* on their way to the disk */
    int64_t started;               /* in ms */
    bool stop;
    int error; /* of the clerk: nothing more is vouched for */
};

static int64_t now_ms(void) { return (int64_t)(1e3 * clock_now()); }

static bool no_room(int error) { return error == ENOSPC || error == EDQUOT; }

static wedge_status failed(const outfile *o, int error, note *n) {
    WEDGE_CHECK(error != ESTALE, n, WEDGE_FAILED, "%s was removed or replaced while wedge wrote it; start again",
                o->p.data);
    WEDGE_CHECK(!no_room(error) || o->progress.done == o->progress.begin, n, WEDGE_NO_SPACE,
                "cannot write %s: no space left on its disk; free some, then --resume continues", o->p.file);
    return part_failed(&o->p, error, n);
}

/* ---- The clerk ---- */

/* The data are on the disk; 0, or what went wrong. */
static int sync_data(const outfile *o) { return o->p.no_sync || !fdatasync(o->p.data_fd) ? 0 : errno; }

/* The journal says that everything up to `at` is on the disk, where it has to be. */
static int write_journal(outfile *o, uint64_t at) {
    record said = o->progress;
    said.done = at;
    if (!part_is_ours(&o->p)) return ESTALE;
    if (!journal_write(o->p.journal_fd, o->job.text, &o->p.identity, o->p.shard, &said)) return errno;
    if (!o->p.no_sync && fdatasync(o->p.journal_fd)) return errno;
    o->progress.done = at;
    ++o->progress.turn;
    return 0;
}

static int vouch(outfile *o, uint64_t at) {
    if (o->progress.done == at) return 0;
    int error = sync_data(o);
    return error ? error : write_journal(o, at);
}

/* Not when the rest takes less than a period, by the pace so far: it would not save more work than that. */
static bool worth_a_journal(const outfile *o) {
    double spent = (double)(now_ms() - o->started), written = (double)(o->position - o->started_at);
    return o->position > o->progress.done && (double)(o->progress.end - o->position) * spent >= written * o->period_ms;
}

/* Waits until a journal is due or a step of data can go to the disk; false: to stop. */
static bool wait_for_work(outfile *o, int64_t due) {
    struct timespec t = {.tv_sec = due / 1000, .tv_nsec = due % 1000 * 1000000};
    while (!o->stop && now_ms() < due && o->position - o->flushed < STEP)
        pthread_cond_timedwait(&o->wake, &o->mutex, &t);
    return !o->stop;
}

/* Starts whole steps on their way, and waits for none of them. Returns where the last one ends. */
static uint64_t flush(const outfile *o, uint64_t from, uint64_t until) {
    for (; until - from >= STEP; from += STEP)
        if (!o->p.no_sync) sync_file_range(o->p.data_fd, (off_t)(o->head_bytes + from), STEP, SYNC_FILE_RANGE_WRITE);
    return from;
}

static void *clerk(void *file) {
    outfile *o = file;
    pthread_mutex_lock(&o->mutex);
    for (int64_t due = now_ms() + o->period_ms; wait_for_work(o, due) && !o->error;) {
        uint64_t at = o->position, flushed = o->flushed;
        bool journal = !o->by_hand && now_ms() >= due && worth_a_journal(o);
        pthread_mutex_unlock(&o->mutex);
        flushed = flush(o, flushed, at);
        int error = journal ? sync_data(o) : 0;
        if (journal && !error) {
            error = write_journal(o, at);
            if (no_room(error)) error = 0; /* a journal that is missing does not end the job */
        }
        pthread_mutex_lock(&o->mutex);
        o->flushed = flushed;
        o->error = error;
        if (now_ms() >= due) due = now_ms() + o->period_ms;
    }
    pthread_mutex_unlock(&o->mutex);
    return NULL;
}

/* Where no thread can be made there is no journal until the end. */
static void clerk_start(outfile *o) {
    o->started_at = o->flushed = o->position;
    o->started = now_ms();
    o->clerk_works = thread_start(&o->clerk, clerk, o);
    o->clerk_tried = true;
}

static void clerk_stop(outfile *o) {
    if (!o->clerk_works) return;
    pthread_mutex_lock(&o->mutex);
    o->stop = true;
    pthread_cond_signal(&o->wake);
    pthread_mutex_unlock(&o->mutex);
    pthread_join(o->clerk, NULL);
    o->clerk_works = false;
}

/* ---- Open and write ---- */

static void destroy(outfile *o) {
    clerk_stop(o);
    part_close(&o->p);
    pthread_cond_destroy(&o->wake);
    pthread_mutex_destroy(&o->mutex);
    free(o->job.text);
    free(o->job.made);
    free(o);
}

static outfile *create(const outfile_spec *s) {
    outfile *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&o->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&o->mutex, NULL);
    o->p = (part){.job_fd = -1, .data_fd = -1, .journal_fd = -1};
    o->job = (job_lines){.text = job_text(s), .made = made_text(s)};
    o->head_bytes = s->head_bytes;
    o->data_bytes = s->data_bytes;
    o->by_hand = s->by_hand;
    o->period_ms = s->journal_ms ? s->journal_ms : PERIOD_MS;
    return o;
}

wedge_status outfile_open(const outfile_spec *s, outfile **out, note *n) {
    *out = NULL;
    WEDGE_CHECK(s->shard >= 1 && s->shard <= s->shards && s->begin <= s->end && s->end <= s->data_bytes &&
                    (s->shards > 1 || (!s->begin && s->end == s->data_bytes)),
                n, WEDGE_BAD_ARGUMENT,
                "%s: shard %" PRIu32 " of %" PRIu32 " cannot have bytes %" PRIu64 " to %" PRIu64 " of %" PRIu64,
                s->file, s->shard, s->shards, s->begin, s->end, s->data_bytes);
    outfile *o = create(s);
    WEDGE_CHECK(o, n, WEDGE_NO_MEMORY, "%s: out of memory", s->file);
    wedge_status status = o->job.text && o->job.made ? part_name(&o->p, s->file, s->shard, s->shards, n)
                                                     : note_fail(n, WEDGE_NO_MEMORY, "%s: out of memory", s->file);
    if (!status) status = part_enter(&o->p, s, &o->job, &o->e, n);
    if (status) {
        destroy(o);
        return status;
    }
    o->position = o->e.position;
    o->progress = (record){.begin = s->begin, .end = s->end, .done = o->position, .turn = o->e.turn};
    *out = o;
    return WEDGE_OK;
}

bool outfile_touches(const char *file, const char *path) {
    part p;
    bool touches = !part_name(&p, file, 1, 1, NULL) && part_touches(&p, path);
    part_close(&p);
    return touches;
}

void outfile_clear(const char *file, uint32_t shard, uint32_t shards, bool progress) {
    part p;
    if (!part_name(&p, file, shard, shards, NULL)) part_clear(&p, progress);
    part_close(&p);
}

bool outfile_marked(const outfile *o) { return !o->p.unmarked; }

bool outfile_complete(const outfile *o) { return o->e.complete; }

bool outfile_in_place(const outfile *o) { return o->e.whole; }

uint64_t outfile_position(const outfile *o) { return o->position; }

bool outfile_read(const outfile *o, uint64_t at, void *to, size_t bytes) {
    int fd = o->p.data_fd >= 0 ? o->p.data_fd : open(o->p.place, O_RDONLY | O_CLOEXEC);
    bool read = fd >= 0 && pread(fd, to, bytes, (off_t)(o->head_bytes + at)) == (ssize_t)bytes;
    if (fd >= 0 && fd != o->p.data_fd) close(fd);
    return read;
}

/* The disk is full, for its file system could not reserve: what was written so far is vouched for. */
static wedge_status no_space_left(outfile *o, note *n) {
    clerk_stop(o);
    if (!o->error) o->error = vouch(o, o->position);
    return failed(o, ENOSPC, n);
}

wedge_status outfile_write(outfile *o, const void *data, size_t bytes, note *n) {
    uint64_t written;
    WEDGE_CHECK(bytes <= o->progress.end - o->position, n, WEDGE_BAD_ARGUMENT,
                "%s: %zu bytes are more than the slice still needs (%" PRIu64 ")", o->p.file, bytes,
                o->progress.end - o->position);
    if (!o->clerk_tried && bytes) clerk_start(o);
    wedge_status status = part_write(&o->p, data, bytes, o->head_bytes + o->position, &written, n);
    pthread_mutex_lock(&o->mutex);
    o->position += written;
    if (o->position - o->flushed >= STEP) pthread_cond_signal(&o->wake);
    int error = o->error;
    pthread_mutex_unlock(&o->mutex);
    if (status == WEDGE_NO_SPACE || (!status && no_room(error))) return no_space_left(o, n);
    return status || !error ? status : failed(o, error, n);
}

wedge_status outfile_vouch(outfile *o, note *n) {
    int error = o->e.whole ? 0 : vouch(o, o->position);
    return error ? failed(o, error, n) : WEDGE_OK;
}

/* ---- The three ends ---- */

/* Are all other shards done, and do the slices make up the whole? */
static wedge_status others_done(const outfile *o, bool *all, note *n) {
    uint64_t at = 0;
    *all = true;
    for (uint32_t k = 1; k <= o->p.shards; ++k) {
        record r = o->progress;
        if (k != o->p.shard) {
            char *path = part_journal(&o->p, k);
            r = path ? journal_read(path, o->job.text, &o->p.identity, k) : (record){.kind = RECORD_NONE};
            record_free(&r);
            free(path);
            *all = r.kind == RECORD_SAME && r.done == r.end;
            if (!*all) return WEDGE_OK;
        }
        WEDGE_CHECK(r.begin == at, n, WEDGE_FAILED,
                    "%s: shard %" PRIu32 " begins at byte %" PRIu64 ", the one before ends at %" PRIu64
                    "; run all shards with one version of wedge",
                    o->p.file, k, r.begin, at);
        at = r.end;
    }
    WEDGE_CHECK(at == o->data_bytes, n, WEDGE_FAILED, "%s: its shards end at byte %" PRIu64 " of %" PRIu64, o->p.file,
                at, o->data_bytes);
    return WEDGE_OK;
}

static wedge_status put_in_place(outfile *o, bool *whole, note *n) {
    int error = part_put_in_place(&o->p, o->e.replace);
    if (error == EEXIST && !(error = vouch(o, o->position)))
        return note_fail(n, WEDGE_BAD_ARGUMENT,
                         "%s was created meanwhile; the new one is complete: --resume --force puts it there",
                         o->p.file);
    if (error) return failed(o, error, n);
    part_remove_companions(&o->p);
    *whole = true;
    return WEDGE_OK;
}

/* Another process does not let go of the lock. The data are complete, and vouched for. */
static wedge_status held_up(outfile *o, note *n) {
    int error = vouch(o, o->position);
    if (error) return failed(o, error, n);
    char *holder = state_holder(o->p.job_fd, 0);
    note_fail(n, WEDGE_FAILED,
              "%s is complete, but %s is locked by %s; stop that, then --resume renames it to its final name",
              o->p.file, o->p.job, holder ? holder : "another process");
    free(holder);
    return WEDGE_FAILED;
}

/* With the lock of the job. Another shard may have put the file in its place meanwhile: then it still has a name. */
static wedge_status conclude(outfile *o, int locked, bool *whole, note *n) {
    struct stat about;
    bool all;
    if (locked == EAGAIN) return held_up(o, n);
    if (locked) return !fstat(o->p.data_fd, &about) && about.st_nlink ? WEDGE_OK : failed(o, ESTALE, n);
    WEDGE_TRY(others_done(o, &all, n));
    if (all) return put_in_place(o, whole, n);
    int error = vouch(o, o->position);
    return error ? failed(o, error, n) : WEDGE_OK;
}

static wedge_status check_slice(const outfile *o, note *n) {
    WEDGE_CHECK(o->position == o->progress.end, n, WEDGE_FAILED, "%s: %" PRIu64 " bytes of the slice are missing",
                o->p.file, o->progress.end - o->position);
    return WEDGE_OK;
}

static wedge_status finish(outfile *o, bool *whole, note *n) {
    bool all; /* checked again with the lock; slices that do not meet are found before the wait */
    WEDGE_TRY(check_slice(o, n));
    clerk_stop(o);
    if (o->error) return failed(o, o->error, n);
    WEDGE_TRY(others_done(o, &all, n));
    int error = sync_data(o); /* the long wait, without the lock */
    if (error) return failed(o, error, n);
    wedge_status status = conclude(o, part_lock_again(&o->p, STATE_CLOSING_MS), whole, n);
    part_unlock(&o->p);
    return status;
}

wedge_status outfile_finish(outfile *o, bool *whole, note *n) {
    *whole = o->e.whole;
    wedge_status status = *whole ? WEDGE_OK : finish(o, whole, n);
    status ? outfile_abandon(o) : destroy(o);
    return status;
}

/* The last journal, from the writer's thread. */
static wedge_status vouch_for_all(outfile *o, note *n) {
    clerk_stop(o);
    int error = o->e.whole ? 0 : o->error ? o->error : vouch(o, o->position);
    return error ? failed(o, error, n) : WEDGE_OK;
}

wedge_status outfile_hold(outfile *o, note *n) {
    WEDGE_TRY(check_slice(o, n));
    return vouch_for_all(o, n);
}

/* After OUT is on the disk under its name: a power cut must not leave neither. */
void outfile_remove(outfile *o) {
    if (!o->e.whole && !part_lock_again(&o->p, STATE_CLOSING_MS) && !part_sync_folder(&o->p)) part_remove(&o->p);
    destroy(o);
}

wedge_status outfile_pause(outfile *o, note *n) {
    wedge_status status = vouch_for_all(o, n);
    destroy(o);
    return status;
}

void outfile_abandon(outfile *o) {
    if (!o) return;
    clerk_stop(o);
    if (!o->e.whole && !part_lock_again(&o->p, STATE_OPENING_MS)) {
        bool keep = o->e.complete || o->progress.done > o->progress.begin;
        if (!keep) unlink(o->p.journal);
        if (!keep && !part_others_run(&o->p) && !part_any_journal(&o->p)) part_remove(&o->p);
    }
    destroy(o);
}
