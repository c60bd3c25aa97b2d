/* tune.h: how the skeletons run on a device: map and tile come from the caller, from a stored measurement, or from a default.
 *
 * What is measured is a kind of job: its type of number, and whether a point has few features or many, as these are two
 * skeletons. Any choice gives the same bytes; a poor one only takes longer.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TUNE_TUNE_H
#define WEDGE_ENGINE_TUNE_TUNE_H

#include "engine/base/job.h"

enum { TUNE_FEW = 4, WIDE_TILE = 256 }; /* features up to here are few; the largest tile of a kind */

typedef enum { F32_FEW, F32_MANY, F64_FEW, F64_MANY, TUNE_KINDS } tune_kind;

/* From the weakest to the strongest. */
typedef enum { BY_DEFAULT, MEASURED_HERE, ASKED_FOR } tune_source;

typedef struct {
    const char *map; /* of the table of maps: lambda or walk; NULL: nothing chosen */
    uint32_t tile;
} tune_pick;

tune_kind tune_kind_of(wedge_dtype dtype, uint64_t d);
bool tune_tile_allowed(tune_kind kind, uint32_t tile);

/* What a device takes before anything is measured on it. */
tune_pick tune_unmeasured(bool is_gpu, tune_kind kind);

/* Refuses what no shape can take, before points are looked at. */
wedge_status tune_check(const wedge_job *job);

/* Fills shape and the info of it. */
wedge_status tune_choose(wedge_job *job);

/* ---- What was measured: a table in the folder of the kernel cache (tune/table.c) ---- */

/* folder as in cache.h. False: the table has no sound line for this device, its driver and this kind. */
bool tune_table_find(const char *folder, const wedge_device_info *device, tune_kind kind, tune_pick *pick,
                     note *remark);

/* Puts the picks (those with a map) in place of what the table had for this device and driver. No table, where there is
 * no folder, is no error. */
wedge_status tune_table_keep(const char *folder, const wedge_device_info *device, const tune_pick picks[TUNE_KINDS],
                             note *n);

char *tune_table_path(const char *folder); /* NULL: none is kept. Free it. */

#endif
