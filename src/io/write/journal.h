/* journal.h: the text of the files beside OUT.part: which job this is, and how far one shard of it has come.
 *
 * A record is lines "key value", sealed by a last line with the hash of what precedes it: a torn or altered record is
 * told from a whole one, and a file of wedge from any other. Its first lines are the job's, word for word, and then the
 * identity of the part whose bytes it speaks of, so that it can be judged alone and vouches for no other bytes. What is read is never believed beyond what it can be checked against.
 *
 * A journal is two slots of fixed size. Records are written in place, in turn, each put on the disk before the next one
 * is written: a torn write damages the older record's slot only, and the newer one stands. Space for both is taken when
 * the journal is made, so that a disk that fills up later does not stop it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_JOURNAL_H
#define WEDGE_IO_WRITE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "io/data/hash.h"
#include "io/write/outfile.h"

typedef hash_text part_identity; /* of an OUT.part: 32 digits that no other has; "": not known */

typedef enum {
    RECORD_NONE,    /* no record, or an empty one */
    RECORD_SAME,    /* a record of this job */
    RECORD_OTHER,   /* a record of another job; `difference` says how it differs */
    RECORD_DAMAGED, /* torn, altered, not ours, unreadable */
} record_kind;

typedef struct {
    record_kind kind;
    char *difference; /* "metric is 'cosine' there and 'euclidean' here"; NULL unless OTHER */
    uint64_t begin, end, done;
    uint64_t turn; /* journals: number of records written */
    uint64_t file; /* jobs: the inode of OUT.part */
    part_identity part;
} record;

/* The lines that say which job this is: equal texts, equal jobs. made_text leaves out what does not change the bytes of
 * OUT, the number of shards. NULL: no memory. */
char *job_text(const outfile_spec *spec);
char *made_text(const outfile_spec *spec);

/* "metric is 'cosine' there and 'euclidean' here": the first line that differs. NULL: no memory. */
char *text_difference(const char *there, const char *here);

/* Did wedge write this file? It did if a sealed record is in it; one that is empty, or all zeros after a power cut,
 * holds nothing to lose and counts as well. */
bool record_is_ours(int fd);

/* The record of a job, through a descriptor that holds its locks: written in place, torn when the writer is killed. */
record job_read(int fd, const char *job);
bool job_write(int fd, const char *job, uint64_t file, const part_identity *part);

/* The journal of one shard, for this part; SAME has a slice with begin <= done <= end. NONE where it is for another part, or
 * where this one's identity is not known: then it vouches for nothing here. */
record journal_read(const char *path, const char *job, const part_identity *part, uint32_t shard);

/* Does it say that something is done, of whatever job and part? What cannot be read may say so; another user's does not. */
bool journal_vouches(const char *path);

/* Takes space for both slots of a new journal. False: errno. */
bool journal_reserve(int fd, const char *job);

/* Writes the record with turn + 1; the caller puts it on the disk, and only then counts the turn. False: errno. */
bool journal_write(int fd, const char *job, const part_identity *part, uint32_t shard, const record *progress);

void record_free(record *r);

#endif
