/* pace.c: the length of a step, from the speed of the one before.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/pace.h"

#include "core/clock.h"

#define STEP_SECONDS 0.4 /* below the half second that is promised: speeds vary */
#define SPEED_UP 4       /* believed from one step to the next: a step may have had little to do */

uint64_t pace_cells(const pace *p) {
    double cells = p->per_cell > 0 ? STEP_SECONDS / p->per_cell : 0x1p63;
    return cells < 0x1p63 ? (uint64_t)cells : UINT64_MAX;
}

/* At least one for each unit of the device: fewer would not be over sooner. */
static uint64_t step_of(const pace *p, const wedge_device *dev, uint64_t cells, uint64_t left) {
    uint64_t count = p->per_cell > 0 ? pace_cells(p) / cells : 0;
    if (count < dev->info.units) count = dev->info.units ? dev->info.units : 1;
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
wedge_status pace_run(pace *p, wedge_device *dev, void *queue, uint64_t cells, uint64_t count, pace_start *start,
                      void *user) {
    bool free_to_measure = !dev->backend->compile;
    for (uint64_t done = 0; done < count;) {
        uint64_t step = p ? step_of(p, dev, cells, count - done) : count;
        double begun = clock_now();
        WEDGE_TRY(start(user, done, done + step));
        done += step;
        if (p && (done < count || free_to_measure || !(p->per_cell > 0)))
            WEDGE_TRY(rest(p, dev, queue, (double)step * (double)cells, begun));
    }
    return WEDGE_OK;
}
