/* select/triples.h: select of triplets: hits, in any order, are sorted by position.
 *
 * A hit is a triplet within the radius: the caller's position, and its value. The hits of a range of positions are counted even if
 * they do not all fit; then the range is run again, shorter or with more memory. Nothing is dropped. With a cutoff,
 * points lie along a curve and any tile may have hits of the range: all tiles in reach are run for each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SELECT_TRIPLES_H
#define WEDGE_ENGINE_SELECT_TRIPLES_H

#include "engine/prune/sort.h"
#include "engine/select/select.h"

typedef struct {
    wedge_job *job;
    uint64_t begin, end; /* the caller's positions that are wanted */
    bool listed;         /* hits are listed; false: they are only counted */
    hits_kept *kept;
    hits_capacity room;       /* of kept->found */
    uint64_t step, most_step; /* positions per batch: now, and at most */
    uint64_t total;           /* hits of all positions; UINT64_MAX: not known */
    uint64_t from, to;        /* positions of this batch */
    uint64_t count;           /* hits of this batch, whether or not they fitted */
    sort_item *list;          /* cpu: positions and values, sorted */
    buffer keys, indices[2];  /* GPU: scratch memory to sort hits */
    int sorted;               /* GPU: which of the two buffers holds the sorted keys and indices */
} triples_hits;

/* What GPUs and the cpu do each in their way. find: the hits of positions [from, to) into kept->found, and count. */
typedef struct {
    size_t head;                           /* bytes of kept->found before the first hit */
    size_t (*bytes)(const wedge_job *job); /* bytes per hit in kept->found */
    size_t sorting;                        /* bytes per hit of scratch memory to sort it */
    wedge_status (*find)(triples_hits *f, pace *p);
    wedge_status (*sort)(triples_hits *f);
    wedge_status (*list)(triples_hits *f, const select_target *to);
} triples_hits_path;
extern const triples_hits_path triples_hits_native, triples_hits_gpu;

#endif
