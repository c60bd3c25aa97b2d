/* job/ways.h: the ways in this folder, and reporting progress to the caller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_JOB_WAYS_H
#define WEDGE_ENGINE_JOB_WAYS_H

#include "engine/base/path.h"

enum { PIECES = 64, FIRST_CELLS = 1 << 16 };

/* The share of [begin, end) that is done. */
typedef struct {
    wedge_progress progress;
    void *user;
    uint64_t begin, end, at;
} teller;

static inline bool tell(void *user) {
    const teller *t = user;
    return t->progress(t->user, (double)(t->at - t->begin) / (double)(t->end - t->begin));
}

extern const job_way store_way, slots_way;

#endif
