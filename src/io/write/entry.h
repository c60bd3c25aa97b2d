/* entry.h: decides how an output file is opened: refused, started afresh, joined, resumed, or already done.
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
    uint64_t position; /* where to continue */
    bool whole;        /* OUT is there and is this job's; there is no OUT.part */
    bool complete;     /* this slice is done, or the whole file */
    bool replace;      /* an older OUT may be replaced once the new one is complete */
    uint64_t turn;     /* number of records written to the journal */
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
