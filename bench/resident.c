/* resident.c: how many blocks of the dummy kernel a unit of a device holds at once: the paper's "simultaneous blocks".
 *
 * SPDX-License-Identifier: MIT */
#include "bench/lab.h"

wedge_status lab_resident(wedge_device *dev, uint32_t rho, uint32_t *blocks) {
    const experiment *e = &experiments[0];
    bench_result result = {0};
    lab l = {0};
    runner r = {.map = wedge_map_find("lambda", 2)};
    arena a = {.experiment = e, .n = 64, .rho = rho};
    wedge_domain domain = {.size = sizeof(wedge_domain), .rank = 2, .n = a.n};
    *blocks = 0;
    if (!dev->backend->tells_occupancy) return WEDGE_OK;
    WEDGE_TRY(lab_open(&l, dev, &result, 1));
    wedge_status status = plan_make(&dev->note, r.map, &domain, rho, NULL, &r.plan);
    if (!status) status = runner_prepare(&l, &a, &r);
    if (!status) status = dev->backend->resident(dev, r.kernel, rho * rho, blocks);
    if (!status && dev->info.units) *blocks /= dev->info.units;
    runner_free(&l, &r);
    lab_close(&l);
    return status;
}
