/* select/triples.h: select of triplets: finds, in any order, are sorted by position.
 *
 * A find is a triplet within the radius: the caller's position, and its value. The finds of a range of positions are counted, also where
 * there is no room for all of them; then it is a shorter range's turn, or there is more room. Nothing is dropped. With a cutoff,
 * points lie along a curve and any tile may have finds of the range: all tiles in reach are run for each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_SELECT_TRIPLES_H
#define WEDGE_ENGINE_SELECT_TRIPLES_H

#include "engine/prune/sort.h"
#include "engine/select/select.h"

typedef struct {
    wedge_job *job;
    uint64_t begin, end; /* the caller's positions that are wanted */
    bool listed;         /* or only counted */
    finds_kept *kept;
    finds_room room;          /* in kept->found */
    uint64_t step, most_step; /* positions at a time */
    uint64_t total;           /* finds of all positions; UINT64_MAX: not known */
    uint64_t from, to;        /* positions at hand, */
    uint64_t count;           /* and their finds, also those without room */
    sort_item *list;          /* cpu: positions and values, sorted */
    buffer keys, indices[2];  /* GPU: room to sort in */
    int sorted;               /* and which of the two keys and indices are */
} triples_finds;

/* What GPUs and the cpu do each in their way. find: the finds of positions [from, to) into kept->found, and count. */
typedef struct {
    size_t head;                           /* bytes of kept->found before the finds, */
    size_t (*bytes)(const wedge_job *job); /* of each find there, */
    size_t sorting;                        /* and beside it to sort it */
    wedge_status (*find)(triples_finds *f, pace *p);
    wedge_status (*sort)(triples_finds *f);
    wedge_status (*list)(triples_finds *f, const select_target *to);
} triples_finds_path;
extern const triples_finds_path triples_finds_native, triples_finds_gpu;

#endif
