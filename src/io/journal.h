/* journal.h: what the companions of OUT.part say, as text: which job this is, and how far one shard of it has come.
 *
 * A record is lines "key value", sealed by a last line with the hash of what precedes it: a torn or altered record is
 * told from a whole one. Its first lines are the job's, word for word, so that it can be judged alone. It is written
 * under another name, put on the disk, then renamed: a reader finds the new one or the one before. What is read is
 * never believed beyond what it can be checked against.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_JOURNAL_H
#define WEDGE_IO_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "io/outfile.h"

typedef enum {
    RECORD_NONE,    /* there is none, or nothing is in it */
    RECORD_SAME,    /* of this job */
    RECORD_OTHER,   /* of another: difference says why */
    RECORD_DAMAGED, /* torn, altered, not ours, unreadable */
} record_kind;

typedef struct {
    record_kind kind;
    char *difference; /* "metric is 'cosine' there and 'euclidean' here"; NULL unless OTHER */
    uint64_t begin, end, done;
} record;

/* The lines that say which job this is: equal texts, equal jobs. NULL: no memory. */
char *job_text(const outfile_spec *spec);

/* The record of a job, through a descriptor that holds its locks: written in place, torn when the writer is killed. */
record job_read(int fd, const char *job);
bool job_write(int fd, const char *job);

/* The journal of one shard; SAME has a slice with begin <= done <= end. False: errno says why. */
record journal_read(const char *path, const char *job, uint32_t shard);
bool journal_write(const char *path, const char *fresh, const char *job, uint32_t shard, const record *progress);

void record_free(record *r);

#endif
