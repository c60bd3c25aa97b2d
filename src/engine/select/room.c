/* select/room.c: memory for hits, which grows with what earlier ranges needed.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/select/select.h"

static wedge_status make_room(hits_capacity *r, uint64_t room) {
    r->room = 0;
    WEDGE_TRY(job_reserve(r->job, r->kept, r->head + room * r->bytes));
    r->room = room;
    return WEDGE_OK;
}

/* At most a quarter of what is free, or of what the caller allows; of a cpu's memory half is taken for free. */
wedge_status hits_capacity_open(hits_capacity *r, uint64_t memory, size_t beside, uint64_t wanted) {
    wedge_device *dev = r->job->dev;
    uint64_t bytes = dev->info.memory / 2, kept = r->kept->bytes > r->head ? (r->kept->bytes - r->head) / r->bytes : 0;
    if (dev->backend->compile) WEDGE_TRY(dev->backend->memory_free(dev, &bytes));
    if (memory && memory < bytes) bytes = memory;
    r->most = bytes / 4 / (r->bytes + beside);
    if (r->most > INT32_MAX) r->most = INT32_MAX;
    if (r->most < LEAST_ROOM) r->most = LEAST_ROOM;
    if (wanted < kept) wanted = kept;
    return make_room(r, wanted < r->most ? wanted : r->most);
}

wedge_status hits_give_way(hits_capacity *r, uint64_t found, uint64_t *cells, uint64_t least) {
    uint64_t wanted = found + found / 64;
    if (wanted <= r->most || *cells <= least) return make_room(r, wanted);
    if (r->room < r->most) WEDGE_TRY(make_room(r, r->most));
    uint64_t fewer = (uint64_t)(0.9 * (double)r->room / (double)found * (double)*cells);
    *cells = fewer > least ? fewer : least;
    return WEDGE_OK;
}
