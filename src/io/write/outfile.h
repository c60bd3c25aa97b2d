/* outfile.h: the file that a long job writes: it appears only once it is complete, is resumable, and several processes
 * can share it.
 *
 * The bytes go to OUT.part, which is renamed to OUT when the last of them is there; until then an older OUT is
 * unharmed. Every few seconds a journal records how much is safely on the disk, so that a job killed at any moment
 * continues from there. Shards, K processes with a slice each, start and end in any order: one of them makes OUT.part,
 * the others join it, the last to finish renames it.
 *
 *     outfile_open(&spec, &o, n);
 *     while (outfile_position(o) < spec.end && ok) ok = !outfile_write(o, next, bytes, n);
 *     ok ? outfile_finish(o, &whole, n) : stopped ? outfile_pause(o, n) : outfile_abandon(o);
 *
 * On the disk, beside OUT (the file that a symbolic link names):
 *     OUT.part                  the data, of full length from the start; no more readable than an OUT it will replace
 *     OUT.part.job              which job this is, and the inode of OUT.part; the locks of its shards are on it
 *     OUT.part.2-of-5.journal   how far shard 2 has come; at the end of its slice it says that the shard is done
 *
 * Marks. wedge removes and overwrites only what it made itself, with force too (force is for OUT, and for work that
 * wedge left). OUT.part carries the extended attributes user.wedge.unfinished, removed when it is whole, and
 * user.wedge.job, the text of the job, which stays with OUT: by it a resume knows its own finished OUT from another's.
 * Where a file system has no attributes, the inode in OUT.part.job stands for the mark of OUT.part, and a finished OUT is
 * not recognised. The companions are known by their format and seal, and carry user.wedge.unfinished as well.
 *
 * On the disk in this order, so that a power cut leaves no OUT, the older one, or a complete one, and no journal that
 * vouches for missing data (no_sync leaves out all of it):
 *     open     old journals removed - folder - OUT.part, OUT.part.job, journal: each its mark, then the rest - folder
 *     journal  data - journal, in the slot of the older of its two records
 *     finish   data, on their way since they were written - marks - OUT.part renamed - folder - companions removed
 * Space for data and journals is reserved at the open. Where the file system cannot reserve, and the disk fills up, what
 * was written is vouched for and a resume continues from there.
 *
 * A shard with force beside others of the same job starts its own slice afresh, and theirs stay as they are; what is of
 * another job goes, unless a process is still at it. With force and resume, what can be resumed is, and what cannot is
 * overwritten.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_OUTFILE_H
#define WEDGE_IO_WRITE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/note.h"

typedef struct {
    const char *file; /* OUT */
    const void *head; /* what precedes the data: the header of a .npy */
    size_t head_bytes;
    uint64_t data_bytes;    /* bytes of all data after the head; may be 0 */
    uint64_t begin, end;    /* this process's slice of the data, in bytes */
    uint32_t shard, shards; /* shard k of K, from 1; 1 of 1 is the whole file */
    const char *binding;    /* lines "key value\n" that must be equal for a resume, and in all shards */
    const char *beside;     /* more such lines, compared for OUT.part but not for a finished OUT; NULL: none */
    bool force, resume;
    bool no_sync;        /* do not wait for the disk: safe from kills, not from a power cut */
    bool by_hand;        /* journals are written by outfile_vouch alone */
    int lock_ms;         /* how long to wait for what another process does; 0: 10 s, at the end 60. Tests take little */
    uint32_t journal_ms; /* least time between two journals; 0: 5 seconds. Tests take little */
} outfile_spec;

typedef struct outfile outfile;

/* Space for the whole is reserved before anything is computed. A failed call leaves nothing of its own behind. */
wedge_status outfile_open(const outfile_spec *spec, outfile **out, note *n);

/* Would a job that writes `file` remove or replace `path`, or is it one of the files beside it? Compares files, not
 * names: through symbolic and hard links, and for names of files that are not there yet. */
bool outfile_touches(const char *file, const char *path);

/* Can a resume know the finished file? Not where its file system has no extended attributes. */
bool outfile_marked(const outfile *o);

/* A resume found OUT whole, or this shard done: there is nothing to compute. outfile_finish is called all the same. */
bool outfile_complete(const outfile *o);

/* A resume found OUT itself, whole. False where outfile_finish has yet to put it in its place. */
bool outfile_in_place(const outfile *o);

/* Where to go on, in bytes of data: the slice's begin, or what the journal vouches for. */
uint64_t outfile_position(const outfile *o);

/* Data before that place, once more: of OUT.part, or of an OUT that is in place. False: they could not be read. */
bool outfile_read(const outfile *o, uint64_t at, void *to, size_t bytes);

/* For a run that crashed: removes what it left of its shard beside `file`, unless a process is at it, and with the last of
 * them OUT.part. What journals vouch for stays, but for its own where `progress` says so: no other run can go on with it. */
void outfile_clear(const char *file, uint32_t shard, uint32_t shards, bool progress);

/* The next bytes, in order; from one thread, not necessarily the opener's. */
wedge_status outfile_write(outfile *o, const void *data, size_t bytes, note *n);

/* By hand: all that was written is put on the disk and vouched for, now; from the writer's thread. */
wedge_status outfile_vouch(outfile *o, note *n);

/* The three ends; each frees o, whatever it returns.
 *
 * finish: the slice is complete. *whole: OUT is in its place, put there by this call or found there by the open; of K
 * shards that end at any time, in any order, one is told so.
 * pause: stopped before the end; everything written is put on the disk and vouched for.
 * abandon: after an error. What a journal vouches for is kept for a resume; with no such thing, what was made here is
 * removed, unless other shards are at it. NULL is fine. */
wedge_status outfile_finish(outfile *o, bool *whole, note *n);
wedge_status outfile_pause(outfile *o, note *n);
void outfile_abandon(outfile *o);

/* In place of finish, where OUT is something else that is made from the data, as a text: hold, once the slice is complete, puts
 * it on the disk and vouches for all of it; outfile_read reads it, while the lock stays; and when OUT is in its place, remove
 * takes OUT.part and its companions away, and frees o. Pause or abandon in place of remove keep them for a resume. */
wedge_status outfile_hold(outfile *o, note *n);
void outfile_remove(outfile *o);

#endif
