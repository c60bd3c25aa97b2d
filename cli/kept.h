/* kept.h: the first pairs of a list, kept in memory while the rest is still to be found.
 *
 * A .npy says its length in front, so all pairs must be found before the first is written. Where they fit in memory they
 * are found once; what does not fit is counted, and found again when its turn to be written comes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_KEPT_H
#define WEDGE_CLI_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "wedge/wedge.h"

typedef struct {
    uint64_t count;
    void *pairs, *values; /* values NULL: none */
} kept_piece;

typedef struct {
    size_t pair_bytes;  /* of the points of a pair, or triplet, */
    size_t value_bytes; /* and of its values; 0: none are wanted */
    uint64_t budget;    /* bytes */
    kept_piece *pieces;
    uint64_t count, room;
    uint64_t bytes, entries;
    uint64_t upto;     /* all pairs of positions before it are kept */
    uint64_t complete; /* pieces that they are in */
    bool full;         /* the last piece did not fit */
} kept;

/* A copy of a piece; ends the job with WEDGE_NO_MEMORY where it does not fit. */
wedge_status kept_take(kept *k, const wedge_piece *piece);
void kept_free(kept *k);

#endif
