/* part.h: OUT.part and its companions on the disk: their names, their locks, their marks, their space, their removal.
 *
 * Whoever creates, joins, completes or removes them holds the lock of the job; whoever writes a slice holds the lock of
 * its shard from open to end. Both are locks on bytes of OUT.part.job that go with the process, however it ends.
 * Nothing here decides what may be done; entry.c does. But nothing here removes or overwrites a file that wedge did not
 * make, or that is no state file of this user's (state.h).
 *
 * A part has an identity, 128 bits drawn when it is made. What vouches for its bytes names it, so that nothing that is left
 * from another part, however alike, is believed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_PART_H
#define WEDGE_IO_WRITE_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/note.h"
#include "io/write/journal.h"

#define JOB_MARK "job"               /* what OUT is made from; stays with it */
#define UNFINISHED_MARK "unfinished" /* on OUT.part, until it is whole */
#define PART_MARK "identity"         /* the identity of OUT.part */
#define TIME_MARK "time"             /* when OUT was last written: cp into it keeps its marks, not its time */

typedef struct {
    char *file;    /* OUT, as the user calls it */
    char *place;   /* OUT, through links of the user's own to what they name */
    char *data;    /* OUT.part */
    char *job;     /* OUT.part.job */
    char *journal; /* OUT.part.k-of-K.journal */
    uint32_t shard, shards;
    int job_fd, data_fd, journal_fd; /* -1: not open */
    part_identity identity;          /* identity of OUT.part; "": not known */
    int lock_ms;                     /* how long to wait for the lock of the job; 0: as long as state.h says */
    bool no_sync;                    /* the disk is never waited for */
    bool unmarked;                   /* the file system has no attributes */
    bool locked;                     /* the file system has locks */
} part;

/* Names only; refuses an OUT that is something else than a plain file, and one that another user's link leads to. */
wedge_status part_name(part *p, const char *file, uint32_t shard, uint32_t shards, note *n);
char *part_journal(const part *p, uint32_t shard); /* of any shard; NULL: no memory */

/* Opens OUT.part.job, made where it is missing, and waits for the lock of the job; the message says who has it. */
wedge_status part_lock(part *p, note *n);

/* Once it is open; waits that long. 0; EAGAIN: another process has it; ESTALE: the files are no longer those that were
 * opened. */
int part_lock_again(part *p, int most_ms);
void part_unlock(part *p);
void part_close(part *p); /* the descriptors, with all locks, and the names */

bool part_claim(part *p);            /* the lock of this shard; false: another process has it */
bool part_others_run(const part *p); /* does a process write another slice? */
bool part_is_ours(const part *p);    /* do the names still lead to what is open? */

/* Is it wedge's? OUT.part is if it carries our mark, or is empty. Where the file system has no attributes, the record of
 * its job names it: by its inode. A companion is if it carries the mark, or there is a record in it (record_is_ours). */
bool part_data_is_ours(const part *p, uint64_t inode);
bool part_companion_is_ours(const char *path); /* also where there is none */

/* Are these two names of one file, which need not be there yet? */
bool names_one_file(const char *a, const char *b);

/* Is `path` the same file as OUT, OUT.part or one of its companions, or would it be? Through links of any kind. */
bool part_touches(const part *p, const char *path);

/* With the lock of the job. */
bool part_any_journal(const part *p);
bool part_any_progress(const part *p);      /* does one of them vouch for anything, of whatever job? */
bool part_remove_journals(const part *p);   /* were there any? */
void part_remove_companions(const part *p); /* the journals, then OUT.part.job */
void part_remove(const part *p);            /* what is open as OUT.part, then its companions */

/* Puts a file, or the entries of OUT's folder, on the disk. 0, or what went wrong. */
int part_sync(const part *p, int fd);
int part_sync_folder(const part *p);

/* Refuses what no file system, or the limits of this process, would let grow so long. */
wedge_status part_allows(const part *p, uint64_t bytes, note *n);

/* Opens OUT.part, which is there, or makes it: empty, for this user alone, with an identity of its own. Then marks it as
 * unfinished, with the text that says what it is made from. */
wedge_status part_open(part *p, bool make, const char *made, note *n);

/* Sees to it that OUT.part is `bytes` long, with room for all of them. */
wedge_status part_reserve(const part *p, uint64_t bytes, note *n);
wedge_status part_write(part *p, const void *data, size_t bytes, uint64_t at, uint64_t *written, note *n);

/* Before a record is written: then one that a power cut tears is known all the same. 0, or what went wrong. */
int part_mark_companion(const part *p, int fd);

/* When a file was last written, as TIME_MARK says it. */
typedef struct {
    char text[40];
} written_text;
written_text part_written(const struct stat *about);

/* Marks OUT.part as finished, with its time, gives it the permissions of an OUT that it replaces, or of a new file, and moves
 * it to OUT, on the disk in this order: data, name, folder. replace: an OUT that is there goes. 0, or what went wrong; EEXIST: there is one. */
int part_put_in_place(const part *p, bool replace);

/* A message for what the system refused, with the status that its cause asks for. */
wedge_status part_failed(const part *p, int error, note *n);

#endif
