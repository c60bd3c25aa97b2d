/* edm.h: what `wedge edm` was asked.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_EDM_H
#define WEDGE_CLI_EDM_H

#include "cli.h"
#include "io/points.h"

typedef struct {
    const char *in, *out, *device, *layout;
    points_options input;
    wedge_pairs pairs; /* but for the points */
    uint64_t memory;   /* 0: the default */
    uint32_t shard, shards;
    bool force, resume, no_sync, dry_run;
    char separator; /* of an OUT that is text; 0: .npy */
    FILE *json;     /* NULL: none */
} edm_request;

int edm_run(cli *c, edm_request *r);

#endif
