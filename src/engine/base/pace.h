/* pace.h: long work in steps of bounded time, so that a caller who wants to stop does not wait long.
 *
 * A range is a number of equal items (tiles on a GPU, units on the cpu). Without a pace they are started all at once.
 * With one they are started in steps of less than half a second, by the speed measured so far; between two steps the
 * queue is drained and the caller is asked. Fast devices finish a range within one step and never wait for that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_BASE_PACE_H
#define WEDGE_ENGINE_BASE_PACE_H

#include "backend/backend.h"

typedef struct {
    bool (*goes_on)(void *user); /* false: stop */
    void *user;
    double per_cell; /* seconds, as last measured; 0: not known yet */
    double done;     /* share of the last pace_run's items that is done */
} pace;

typedef struct {
    uint64_t count;
    double cells;   /* cells per item; a fraction, where an item covers only some features of its cells */
    uint64_t least; /* least items per step: fewer would not finish sooner */
} pace_items;

/* Starts items [begin, end). */
typedef wedge_status pace_start(void *user, uint64_t begin, uint64_t end);

/* Starts items [0, count) step by step. p NULL: all at once. WEDGE_STOPPED where the caller said so between two steps; the
 * range is then not complete. */
wedge_status pace_run(pace *p, wedge_device *dev, void *queue, pace_items all, pace_start *start, void *user);

/* How many cells a range should have to take about one step; UINT64_MAX where the speed is not known. */
uint64_t pace_cells(const pace *p);

#endif
