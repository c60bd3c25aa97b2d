/* edm.h: what `wedge edm` was asked, and the points it was given.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_EDM_H
#define WEDGE_CLI_EDM_H

#include "cli.h"
#include "io/points.h"

enum { EDM_SETS = 2 };

typedef struct {
    const char *in[EDM_SETS], *out, *device, *layout;
    int sets; /* files of points, one or two */
    points_options input;
    cli_metric metric;
    wedge_pairs pairs; /* but for the points */
    uint64_t memory;   /* 0: the default */
    uint32_t shard, shards;
    bool force, resume, no_sync, dry_run;
    char separator; /* of an OUT that is text; 0: .npy */
    FILE *json;     /* NULL: none */
} edm_request;

int edm_run(cli *c, edm_request *r);

/* A file of points. */
typedef struct {
    const char *file;
    uint64_t n; /* its points, also when they are gone */
    points points;
    points_about about;
} edm_set;

/* Reads the files; they have equally many features and one kind of number. buffers: bytes of --memory that the points
 * leave. A failure is said; free the sets in any case. */
int edm_read_sets(cli *c, const edm_request *r, const wedge_device *dev, edm_set sets[EDM_SETS], uint64_t *buffers);
void edm_free_sets(edm_set sets[EDM_SETS]);

/* Refuses points with which the op could pass the largest number. info: the job's. */
int edm_check_reach(const edm_request *r, const edm_set sets[EDM_SETS], const wedge_job_info *info);

#endif
