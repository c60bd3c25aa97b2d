/* triplets.h: what the files of `wedge triplets` share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_TRIPLETS_H
#define WEDGE_CLI_TRIPLETS_H

#include "ledger.h"
#include "request.h"

enum { TRIPLETS_AXES = 3, TRIPLETS_MOST_BINS = 101 };

/* Options of its own. */
typedef struct {
    wedge_parameter nu;
    double cutoff;                 /* 0: none */
    double box[TRIPLETS_AXES + 1]; /* a length for each number of an atom, 0: open there */
    bool periodic;
    const char *forces; /* NULL: none */
    char separator;     /* of forces as text; 0: .npy */
    uint64_t bins;      /* 0: no histogram */
    double max;
    const char *state; /* beside which to keep what is added up; NULL: an output, or the user's own folder */
} triplets_request;

/* One of the sums over all triplets: the energy, or the histogram. */
typedef struct {
    wedge_job *job;
    uint64_t cells, begin, end; /* of all shards, and this one's */
    uint64_t done;              /* positions before it are in the state */
    void *state;
    size_t bytes;
    void *values; /* where the result goes */
} triplets_sum;

enum { ENERGY, HISTOGRAM, TRIPLETS_SUMS };

typedef struct {
    cli_work *w;
    const triplets_request *q;
    triplets_sum sums[TRIPLETS_SUMS];
    int count; /* of them */
    wedge_summary energy;
    uint64_t *counts; /* bins^3, then below, above, NaN */
    void *forces;     /* (n, 3), of the dtype; NULL: not asked for */
    cli_ledger ledger;
    void *record;     /* as the ledger has it */
    uint64_t vouched; /* positions that the ledger had at last */
    double saved;     /* when */
    uint64_t step;    /* positions of a range */
} triplets;

/* Atoms have three or four columns, nu is not negative, no two are at one place. */
int triplets_check(const triplets *t);

/* The energy is not finite: which atoms are too close? */
int triplets_not_finite(const triplets *t);

/* Adds up what is left, then the forces. *whole: this was the last shard, and the result is that of all. */
int triplets_compute(triplets *t, bool *whole);
int triplets_dry_run(triplets *t);
void triplets_free(triplets *t);

#endif
