/* prune/boxes.h: the boxes of panels on the cpu, and which panels come within reach of some rows.
 *
 * Boxes lie 64 at a time, feature by feature, as panels of points do: so the op's tile function gives 64 bounds at once.
 * There are two levels: boxes of panels, and boxes of 64 panels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_PRUNE_BOXES_H
#define WEDGE_ENGINE_PRUNE_BOXES_H

#include "engine/prune/prune.h"

enum { PRUNED_ROWS = 16 }; /* rows that share a box */

/* Makes job->prune.boxes of job->points.panels. */
wedge_status boxes_make(wedge_job *job);

/* The share of all pairs that is in reach, by some rows. */
double boxes_share(wedge_job *job);

/* The share of all pairs within the limit, by some tiles, where the sink keeps each of them; else 0. */
double boxes_hits(const wedge_job *job);

/* The columns that some rows must be computed with, run by run of panels. */
typedef struct {
    const wedge_job *job;
    bool all;                 /* everything is in reach: one run */
    uint64_t first, end;      /* columns that are wanted */
    uint64_t group;           /* the next 64 boxes of 64 panels */
    uint64_t super, panel;    /* what bit 0 of `supers` and of `panels` stands for */
    uint64_t supers, panels;  /* in reach and not yet taken: a bit each */
    double limit;             /* in reach: a bound that is not above it; may be lowered from run to run */
    double box[2 * MOST_BOX]; /* bounding box of the rows, in the dtype: the least of each feature, then the most */
    uint64_t from, to;        /* the run */
} column_runs;

/* points: of the rows, side by side. */
column_runs runs_begin(const wedge_job *job, const void *points, uint64_t rows, uint64_t first, uint64_t end);

/* The next run [from, to), from a multiple of NATIVE_COLS on; false: there is none. */
bool runs_next(column_runs *r);

/* Boxes side by side that are still to be visited, a bit each, and their bounds; NaN counts as -infinity. */
typedef struct {
    double bound[64];
    uint64_t left;
    uint32_t taken; /* boxes taken so far in order of their bounds; after some, any order will do */
} box_bounds;

/* The panels that some rows must be computed with, those close by first: 64 panels at a time, by their bounds. */
typedef struct {
    const wedge_job *job;
    uint64_t own;         /* the panel that is visited first; UINT64_MAX: there is none */
    bool begun;           /* `own` has been visited */
    uint64_t first_super; /* the 64 panels that come first */
    uint64_t super;       /* number of the 64 panels whose bounds are in `panels` */
    uint64_t group;       /* number of the next 64 boxes of 64 panels */
    box_bounds panels, supers;
    double box[2 * MOST_BOX]; /* bounding box of the rows, in the dtype: the least of each feature, then the most */
} panel_search;

/* own: the panel that the rows are of; UINT64_MAX: of none. */
void search_begin(panel_search *s, const wedge_job *job, const void *points, uint64_t rows, uint64_t own);

/* The next panel whose bound is not above the limit, which may be lowered from call to call; false: there is none. */
bool search_next(panel_search *s, double limit, uint64_t *panel);

#endif
