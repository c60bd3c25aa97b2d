/* pace.c: the length of a step, from the speed of the one before.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/base/pace.h"

#include "core/clock.h"

#define STEP_SECONDS 0.2 /* half a second is promised, and tiles at a diagonal are twice the work of others */
#define SPEED_UP 4       /* believed from one step to the next: a step may have had little to do */

/* Items of so many cells that a step has time for. */
static uint64_t fitting(const pace *p, double cells) {
    double count = STEP_SECONDS / (p->per_cell * cells);
    return count < 0x1p63 ? (uint64_t)count : UINT64_MAX;
}

uint64_t pace_cells(const pace *p) { return p->per_cell > 0 ? fitting(p, 1) : UINT64_MAX; }

static uint64_t step_of(const pace *p, pace_items all, uint64_t left) {
    uint64_t count = p->per_cell > 0 ? fitting(p, all.cells) : 0;
    if (count < all.least) count = all.least;
    if (!count) count = 1;
    return count < left ? count : left;
}

static wedge_status rest(pace *p, wedge_device *dev, void *queue, double cells, double begun) {
    WEDGE_TRY(dev->backend->wait(dev, queue));
    double per_cell = (clock_now() - begun) / cells;
    p->per_cell = per_cell > p->per_cell / SPEED_UP ? per_cell : p->per_cell / SPEED_UP;
    WEDGE_CHECK(p->goes_on(p->user), &dev->note, WEDGE_STOPPED, "stopped by the caller");
    return WEDGE_OK;
}

/* On the cpu nothing is under way when start returns: measuring is free there. */
wedge_status pace_run(pace *p, wedge_device *dev, void *queue, pace_items all, pace_start *start, void *user) {
    bool free_to_measure = !dev->backend->compile;
    for (uint64_t done = 0; done < all.count;) {
        uint64_t step = p ? step_of(p, all, all.count - done) : all.count;
        double begun = clock_now();
        WEDGE_TRY(start(user, done, done + step));
        done += step;
        if (p) p->done = (double)done / (double)all.count;
        if (p && (done < all.count || free_to_measure || !(p->per_cell > 0)))
            WEDGE_TRY(rest(p, dev, queue, (double)step * all.cells, begun));
    }
    return WEDGE_OK;
}
