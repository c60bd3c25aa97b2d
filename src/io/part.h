/* part.h: OUT.part and its companions on the disk: their names, their locks, their space, their removal.
 *
 * Whoever creates, joins, completes or removes them holds the lock of the job; whoever writes a slice holds the lock of
 * its shard from open to end. Both are locks on bytes of OUT.part.job that go with the process, however it ends.
 * Nothing here decides what may be done; entry.c does.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_PART_H
#define WEDGE_IO_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "core/note.h"

typedef struct {
    char *file;    /* OUT, as the user calls it */
    char *place;   /* OUT, through a link to what it names */
    char *data;    /* OUT.part */
    char *job;     /* OUT.part.job */
    char *journal; /* OUT.part.k-of-K.journal */
    char *fresh;   /* the journal before it is renamed */
    uint32_t shard, shards;
    int job_fd, data_fd; /* -1: not open */
} part;

/* Names only; refuses an OUT that is something else than a plain file. */
wedge_status part_name(part *p, const char *file, uint32_t shard, uint32_t shards, note *n);
char *part_journal(const part *p, uint32_t shard); /* of any shard; NULL: no memory */

/* Opens OUT.part.job, made where it is missing, and waits for the lock of the job. */
wedge_status part_lock(part *p, note *n);
bool part_lock_again(part *p); /* once it is open; false: the files are no longer those that were opened */
void part_unlock(part *p);
void part_close(part *p); /* the descriptors, with all locks, and the names */

bool part_claim(part *p);            /* the lock of this shard; false: another process has it */
bool part_others_run(const part *p); /* does a process write another slice? */
bool part_is_ours(const part *p);    /* do the names still lead to what is open? */

/* With the lock of the job. */
bool part_any_journal(const part *p);
void part_remove_journals(const part *p);
void part_remove(const part *p); /* all of it, OUT.part.job last */

/* Refuses what no file system, or the limits of this process, would let grow so long. */
wedge_status part_allows(const part *p, uint64_t bytes, note *n);

/* Opens OUT.part and sees to it that it is `bytes` long, with room for all of them. */
wedge_status part_reserve(part *p, uint64_t bytes, note *n);
wedge_status part_write(part *p, const void *data, size_t bytes, uint64_t at, uint64_t *written, note *n);

/* A message for what the system refused, with the status that its cause asks for. */
wedge_status part_failed(const part *p, int error, note *n);

#endif
