/* boxes_native.h: the boxes of panels on the cpu, and which panels come within reach of some rows.
 *
 * Boxes lie 64 at a time, feature by feature, as panels of points do: so the op's tile function gives 64 bounds at once.
 * There are two levels: boxes of panels, and boxes of 64 panels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_BOXES_NATIVE_H
#define WEDGE_ENGINE_BOXES_NATIVE_H

#include "engine/prune.h"

enum { PRUNED_ROWS = 16 }; /* of a box */

/* Makes job->boxes of job->panels. */
wedge_status boxes_make(wedge_job *job);

/* The share of all pairs that is in reach, by some rows. */
double boxes_share(const wedge_job *job);

/* The share of all pairs within the limit, by some tiles, where the sink keeps each of them; else 0. */
double boxes_hits(const wedge_job *job);

/* The columns that some rows must be computed with, run by run of panels. */
typedef struct {
    const wedge_job *job;
    bool all;                 /* everything is in reach: one run */
    uint64_t first, end;      /* columns that are wanted */
    uint64_t group;           /* the next 64 boxes of 64 panels */
    uint64_t super, panel;    /* the first that the masks are of */
    uint64_t supers, panels;  /* in reach and not yet taken: a bit each */
    double limit;             /* in reach: a bound that is not above it; may be lowered from run to run */
    uint64_t near_super;      /* panels of these 64 */
    uint64_t near;            /* have been taken already, and are in no run */
    double box[2 * MOST_BOX]; /* of the rows, as numbers: least, then most */
    uint64_t from, to;        /* the run */
} column_runs;

/* points: of the rows, side by side. */
column_runs runs_begin(const wedge_job *job, const void *points, uint64_t rows, uint64_t first, uint64_t end);

/* Chooses `count` panels close to the rows, out of 64 side by side: r->near_super and r->near. own: the panel that the rows
 * are of; UINT64_MAX: of none. */
void runs_near(column_runs *r, uint64_t own, uint64_t count);

/* The next run [from, to), from a multiple of NATIVE_COLS on; false: there is none. */
bool runs_next(column_runs *r);

#endif
