/* tune.c: how the skeletons run on a device.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/tune.h"

#include <string.h>

enum { FEW_FEATURES = 4 };

wedge_status tune_choose(wedge_job *job) {
    const wedge_pairs *p = &job->pairs;
    bool f64 = p->dtype == WEDGE_F64, few = p->d <= FEW_FEATURES;
    uint32_t tile = p->tile ? p->tile : f64 || job->op->heavy ? 64 : 128;
    const wedge_map_info *map = p->map ? p->map : wedge_map_find("lambda", 2);
    WEDGE_CHECK(
        tile == 32 || tile == 64 || (tile == 128 && (few || !f64)), &job->dev->note, WEDGE_BAD_ARGUMENT,
        "tiles of %u cells a side (--block): must be 32, 64 or 128 (128 not for f64 with more than %d features)", tile,
        FEW_FEATURES);
    if (p->layout == WEDGE_SQUARE) map = wedge_map_find("lambda", 2); /* its text; the rows of a square need no map */
    pairs_shape s = {.map = map, .tile = tile, .bands = few && tile == 128 ? 2 : 1, .lines = f64 ? 4 : 8, .few = few};
    s.wide = tile / 32 < 16 / job->size ? tile / 32 : (uint32_t)(16 / job->size);
    s.resident = few ? (f64 ? 4 : 5) : f64 ? 4 : 2;
    job->shape = s;
    job->info.tile = tile;
    job->info.map = p->layout == WEDGE_SQUARE ? "rows" : map->name;
    job->info.tuning = p->map && p->tile ? "asked for" : "default";
    return WEDGE_OK;
}
