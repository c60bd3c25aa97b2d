/* select.h: the way of lists: batches of positions, in order, and the entries of each.
 *
 * What finds the entries is a source: marks of some rows (marks.h), hits of a job that leaves out tiles (hits.h), or triplets
 * (triples.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SELECT_SELECT_H
#define WEDGE_ENGINE_SELECT_SELECT_H

#include "engine/base/path.h"

extern const job_way list_way;

/* Hits stay with the job for its next run: getting their pages from the system costs a quarter of a short run. */
typedef struct {
    buffer found;   /* FOUND_HEAD words, then hits */
    buffer columns; /* uint32_t: columns of the hits of some rows */
} hits_kept;

/* job->held of a list. */
typedef struct {
    buffer marks; /* cpu: a bit for each cell of some rows */
    hits_kept hits;
    buffer sorting; /* cpu, triplets: scratch memory to sort hits */
} list_held;

/* Where a part of the list goes: entries [least, most), the first of them to number pair_shift of pairs and value_shift of
 * values. A buffer without a handle is not wanted. */
typedef struct {
    buffer pairs, values;
    uint64_t least, most;
    uint64_t pair_shift, value_shift;
} select_target;

/* Positions [begin, end) of a job. memory: bytes, 0 for what is free; listed: or only counted. */
typedef struct {
    wedge_job *job;
    uint64_t begin, end, memory;
    bool listed;
} list_wish;

typedef struct {
    wedge_status (*start)(const list_wish *wish, void **of);
    /* The next positions from `at` on, as many as there is room for: their number of entries, and the position after them. */
    wedge_status (*next)(void *of, uint64_t at, uint64_t *end, uint64_t *count, pace *p);
    wedge_status (*list)(void *of, const select_target *to); /* writes entries of the positions that `next` returned */
    uint64_t (*total)(const void *of);                       /* entries of all positions; UINT64_MAX: not known */
    void (*stop)(void *of);                                  /* NULL is fine */
} list_source;
extern const list_source list_of_marks, list_of_hits, list_of_triples;

/* Room for hits in a buffer that stays with the job (room.c). */
typedef struct {
    wedge_job *job;
    buffer *kept;
    size_t head, bytes;  /* bytes before the first hit, and bytes per hit */
    uint64_t room, most; /* hits that fit now, and the most that it may grow to */
} hits_capacity;

enum { LEAST_ROOM = 1 << 14 };

/* beside: bytes that a hit takes elsewhere; wanted: hits at first. What an earlier run needed is there already. */
wedge_status hits_capacity_open(hits_capacity *r, uint64_t memory, size_t beside, uint64_t wanted);

/* Some cells had more hits than there is room for: room for all of them if they may have it, else fewer cells, but `least`. */
wedge_status hits_give_way(hits_capacity *r, uint64_t found, uint64_t *cells, uint64_t least);

#endif
