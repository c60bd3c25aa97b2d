/* native.c: an experiment on the host's cores: each thread takes an equal, contiguous share of a launch's blocks.
 *
 * What differs between maps is then the cost of finding tiles and the balance: bb hands some threads mostly idle
 * blocks, lambda none.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/lab.h"

typedef struct {
    const experiment *experiment;
    const wedge_plan *plan;
    const wedge_launch *launch;
    native_data *data;
    uint32_t grid[3]; /* blocks, in thread space threads */
} native_job;

static void take_blocks(void *user, uint64_t begin, uint64_t end) {
    const native_job *job = user;
    const wedge_launch *g = job->launch;
    const wedge_map_info *map = job->plan->map;
    const map_row *row = map_row_of(map);
    bool threads = map->space == WEDGE_THREAD_SPACE;
    uint32_t rho = threads ? 1 : job->plan->rho, per = threads ? job->plan->rho : 1;
    uint32_t x = (uint32_t)(begin % job->grid[0]), y = (uint32_t)(begin / job->grid[0] % job->grid[1]);
    uint32_t z = (uint32_t)(begin / job->grid[0] / job->grid[1]);
    uint32_t x0 = !row->linear ? g->x0 * per : threads ? (uint32_t)g->base * per * per : 0;
    for (uint64_t b = begin; b < end; ++b) {
        wedge_segment s = row->begin(*g, x0 + x, g->y0 * per + y, g->z0 + z, job->data->table);
        do {
            wedge_triple t = map_tile(map, s);
            if (t.i < g->m) job->experiment->tile(job->data, t, rho);
        } while (map_step(map, g, &s));
        if (++x == job->grid[0]) {
            x = 0;
            if (++y == job->grid[1]) y = 0, ++z;
        }
    }
}

void native_launch(wedge_device *dev, const experiment *e, const wedge_plan *plan, native_data *data) {
    const map_row *row = map_row_of(plan->map);
    uint32_t per = plan->map->space == WEDGE_THREAD_SPACE ? plan->rho : 1;
    for (size_t l = 0; l < plan->count; ++l) {
        const wedge_launch *g = wedge_plan_launch(plan, l);
        native_job job = {.experiment = e, .plan = plan, .launch = g, .data = data};
        job.grid[0] = g->grid[0] * (row->linear ? per * per : per);
        job.grid[1] = g->grid[1] * (row->linear ? 1 : per);
        job.grid[2] = g->grid[2];
        uint64_t blocks = (uint64_t)job.grid[0] * job.grid[1] * job.grid[2];
        uint64_t share = blocks / dev->info.units + (blocks % dev->info.units != 0);
        dev->backend->run(dev, take_blocks, &job, 0, blocks, share ? share : 1);
    }
}
