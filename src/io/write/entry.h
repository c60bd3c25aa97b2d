/* entry.h: the decision at the open of an output file: refused, afresh, joined, resumed, or nothing left to do.
 *
 * It is taken with the lock of the job held, from what lies on the disk and what the user allowed; two processes that
 * start at once therefore decide one after the other, the second from what the first left.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_WRITE_ENTRY_H
#define WEDGE_IO_WRITE_ENTRY_H

#include "io/write/outfile.h"
#include "io/write/part.h"

typedef struct {
    uint64_t position; /* where to go on */
    bool whole;        /* OUT is there and is this job's; there is no OUT.part */
    bool complete;     /* this slice is done, or all of it */
    bool replace;      /* an older OUT may go when the new one is whole */
    uint64_t turn;     /* the count of the journal's records */
} entry;

/* The lines of a job, and what of them a finished OUT carries. */
typedef struct {
    char *text, *made;
} job_lines;

/* p has its names; afterwards, unless OUT is whole, its files are open and its shard is claimed. */
wedge_status part_enter(part *p, const outfile_spec *spec, const job_lines *job, entry *e, note *n);

/* As outfile_clear says, of a part that has its names. */
void part_clear(part *p, bool progress);

#endif
