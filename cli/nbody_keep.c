/* nbody_keep.c: frames and the state of the bodies on the disk, so that a run that was stopped or killed goes on.
 *
 * The state is that of a step whose forces are still to come: places are new, velocities are half-way. All is known then
 * that the rest of the run depends on, and a stop in the middle of the forces loses nothing. It goes to a ledger every few
 * seconds, after the frames that belong to it are safe on the disk: a resume finds at least those.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/clock.h"
#include "nbody.h"

enum { SHARE_OF_SAVING = 20 }; /* at most one part in so many of the time */

static const double FIRST_SAVE_SECONDS = 1, SAVE_SECONDS = 5;

/* In front of the places and the velocities. */
typedef struct {
    uint64_t step, frames;
    nbody_measures start;
} state_head;

static int no_memory(void) { return cli_error(EXIT_SPACE, "nbody: no memory for a frame"); }

static uint64_t frames_of(const nbody_request *q) {
    return q->every ? q->steps / q->every + 1 + (q->steps % q->every > 0) : 1;
}

static size_t frame_bytes(const nbody *b) { return b->n * NBODY_NUMBERS * b->w->size; }

static size_t body_bytes(const nbody *b) { return 6 * b->n * sizeof(double); }

/* ---- Open ---- */

/* All frames find room, or it is known before the first step. */
static int check_room(const nbody *b) {
    struct statvfs disk;
    const cli_request *r = b->w->r;
    const char *slash = strrchr(r->out, '/');
    double bytes = (double)frames_of(b->q) * (double)frame_bytes(b);
    char *folder = slash ? strndup(r->out, (size_t)(slash - r->out) + 1) : strdup(".");
    bool known = folder && !statvfs(folder, &disk) && disk.f_blocks;
    free(folder);
    if (r->resume || !known || bytes <= (double)disk.f_bavail * (double)disk.f_frsize) return EXIT_OK;
    return cli_error(
        EXIT_SPACE,
        "nbody: %s: its frames take %.3g GB, more than its disk has free; raise --every, or write to another disk",
        r->out, bytes * 1e-9);
}

static int open_files(nbody *b) {
    const uint64_t frames = frames_of(b->q);
    cli_npy *npy = &b->files.npy[0];
    b->files =
        (cli_files){.w = b->w, .count = 1, .second = "beside", .by_hand = true, .entries = frames, .end = frames};
    *npy = (cli_npy){.file = b->w->r->out, .type = b->w->size == 8 ? "f8" : "f4", .entry = frame_bytes(b)};
    if (b->q->every) npy->shape[npy->rank++] = frames;
    npy->shape[npy->rank++] = b->n, npy->shape[npy->rank++] = NBODY_NUMBERS;
    return cli_files_open(&b->files, b->binding);
}

/* Goes on from the step that an earlier run kept, if the frames before it are there. */
static int restore(nbody *b) {
    bool found = false;
    state_head head;
    const cli_request *r = b->w->r;
    int code = cli_ledger_read(&b->ledger, 1, b->record, &found);
    if (!code && found && !r->resume && !r->force)
        return cli_error(EXIT_USAGE,
                         "nbody: %s.part is left from an earlier run; --resume continues it, --force starts again",
                         b->ledger.base);
    if (code || !found || !r->resume) return code;
    memcpy(&head, b->record, sizeof head);
    if (head.step >= b->q->steps || (b->q->every && head.frames > cli_files_position(&b->files))) return EXIT_OK;
    const char *bodies = b->record + sizeof head;
    memcpy(b->x, bodies, body_bytes(b) / 2);
    memcpy(b->v, bodies + body_bytes(b) / 2, body_bytes(b) / 2);
    b->step = head.step, b->frames = head.frames, b->start = head.start;
    b->moves = b->resumed = true;
    return EXIT_OK;
}

int nbody_begin(nbody *b, bool *complete) {
    size_t bytes = sizeof(state_head) + body_bytes(b);
    int code = check_room(b);
    if (!code) code = open_files(b);
    if (code) return code;
    *complete = cli_files_complete(&b->files);
    b->record = malloc(bytes);
    if (!b->record) return no_memory();
    code = cli_ledger_open(&b->ledger, b->w, b->w->r->out, "nbody", "name another output", strdup(b->binding), bytes);
    if (!code && !*complete) code = restore(b);
    b->saved = clock_now();
    return code;
}

/* ---- Frames ---- */

static void *frame_of(const nbody *b) {
    char *frame = malloc(frame_bytes(b));
    for (uint64_t i = 0; frame && i < b->n; ++i) {
        for (int f = 0; f < 3; ++f) {
            nbody_put(b, frame, i * NBODY_NUMBERS + f, b->x[3 * i + f]);
            nbody_put(b, frame, i * NBODY_NUMBERS + 3 + f, b->v[3 * i + f]);
        }
        nbody_put(b, frame, i * NBODY_NUMBERS + 6, b->m[i]);
    }
    return frame;
}

int nbody_write_frame(nbody *b) {
    void *frame = frame_of(b);
    if (!frame) return no_memory();
    wedge_status status = cli_files_write(&b->files, b->frames, 1, (const void *const[CLI_FILES]){frame});
    free(frame);
    if (status) return cli_work_failed(b->w, status, note_text(&b->files.note));
    ++b->frames;
    return EXIT_OK;
}

/* ---- The state ---- */

static int save(nbody *b) {
    state_head head = {.step = b->step, .frames = b->q->every ? b->frames : 0, .start = b->start};
    int code = cli_files_vouch(&b->files);
    if (code) return code;
    memcpy(b->record, &head, sizeof head);
    memcpy(b->record + sizeof head, b->x, body_bytes(b) / 2);
    memcpy(b->record + sizeof head + body_bytes(b) / 2, b->v, body_bytes(b) / 2);
    code = cli_ledger_write(&b->ledger, b->record);
    b->kept = !code && b->ledger.kept;
    return code;
}

int nbody_save_now_and_then(nbody *b) {
    double start = clock_now(), wait = b->save_took > 0 ? SAVE_SECONDS : FIRST_SAVE_SECONDS;
    if (wait < SHARE_OF_SAVING * b->save_took) wait = SHARE_OF_SAVING * b->save_took;
    if (start - b->saved < wait) return EXIT_OK;
    int code = save(b);
    b->saved = clock_now(), b->save_took = b->saved - start + 1e-9;
    return code;
}

int nbody_stop(nbody *b) {
    if (!b->moves) return cli_error(EXIT_STOPPED, "nbody: stopped before the first step");
    int code = save(b);
    if (!code && b->kept) code = cli_files_pause(&b->files);
    if (code) return code;
    if (!b->kept)
        return cli_error(EXIT_STOPPED, "nbody: stopped at step %" PRIu64 " of %" PRIu64 ", and nothing was saved: %s",
                         b->step, b->q->steps, note_text(&b->ledger.why));
    return cli_error(EXIT_STOPPED, "nbody: stopped at step %" PRIu64 " of %" PRIu64 "; --resume continues from there",
                     b->step, b->q->steps);
}

/* ---- The end ---- */

int nbody_finish(nbody *b) {
    bool whole;
    int code = cli_files_finish(&b->files, &whole);
    if (!code) cli_ledger_remove(&b->ledger);
    return code;
}

void nbody_end(nbody *b) {
    cli_files_abandon(&b->files);
    cli_ledger_close(&b->ledger);
    free(b->record);
}
