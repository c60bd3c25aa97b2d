/* launches.c: the launches of a plan: grids beyond the device's limits are cut into boxes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "core/maps.h"

static void add_launch(plan_maker *p, const wedge_launch *launch) {
    wedge_plan *plan = p->plan;
    if (p->status) return;
    if (plan->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 8;
        void *more = capacity > MOST_LAUNCHES ? NULL : realloc(plan->launches, capacity * sizeof *launch);
        if (!more) {
            p->status = capacity > MOST_LAUNCHES ? WEDGE_BAD_ARGUMENT : WEDGE_NO_MEMORY;
            return;
        }
        plan->launches = more;
        p->capacity = capacity;
    }
    ((wedge_launch *)plan->launches)[plan->count++] = *launch;
    plan->blocks += (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static uint32_t part(uint64_t whole, uint64_t from, uint32_t most) {
    return whole - from < most ? (uint32_t)(whole - from) : most;
}

void plan_add(plan_maker *p, uint64_t x, uint64_t y, uint64_t z, uint64_t base, uint32_t a, uint32_t b) {
    const uint32_t *most = p->limits.max_grid;
    wedge_launch g = {
        .m = (uint32_t)(p->plan->map->space == WEDGE_THREAD_SPACE ? p->plan->side : p->plan->m), .a = a, .b = b};
    for (uint64_t z0 = 0; z0 < z && !p->status; z0 += most[2])
        for (uint64_t y0 = 0; y0 < y && !p->status; y0 += most[1])
            for (uint64_t x0 = 0; x0 < x && !p->status; x0 += most[0]) {
                g.base = base + x0;
                g.x0 = (uint32_t)x0, g.y0 = (uint32_t)y0, g.z0 = (uint32_t)z0;
                g.grid[0] = part(x, x0, most[0]), g.grid[1] = part(y, y0, most[1]), g.grid[2] = part(z, z0, most[2]);
                add_launch(p, &g);
            }
}

const wedge_launch *wedge_plan_launch(const wedge_plan *plan, size_t index) {
    return plan && index < plan->count ? (const wedge_launch *)plan->launches + index : NULL;
}
