/* nbody.h: the bodies of `wedge nbody`: their forces, energy and momentum, and what of them is written and kept.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_NBODY_H
#define WEDGE_CLI_NBODY_H

#include "files.h"
#include "ledger.h"
#include "request.h"

enum { NBODY_NUMBERS = 7 };

typedef struct {
    uint64_t steps, every; /* every 0: no frames */
    double dt, softening, g;
} nbody_request;

typedef struct {
    double energy, momentum[3];
} nbody_measures;

typedef struct {
    cli_work *w;
    const nbody_request *q;
    uint64_t n, step;
    bool moves;             /* forces were finite at the start */
    double *memory;         /* of all that follow */
    double *x, *v, *a;      /* three numbers of each body */
    double *m;              /* masses */
    double potential;       /* of all pairs, where the bodies are now */
    uint64_t *order;        /* record k is of body order[k]: those with a mass come first */
    uint64_t heavy;         /* how many have one */
    wedge_job *test_job;    /* forces on the others, as if of mass 1; NULL: there are none */
    void *records, *forces; /* what the jobs get and give, four numbers of each in the dtype */
    double done, share;     /* shares of a step: done before the job that runs, and that of the job */
    nbody_measures start, end;
    uint64_t frames;   /* that were written, or were there */
    char *binding;     /* what the output is computed from */
    cli_files files;   /* OUT */
    cli_ledger ledger; /* OUT.nbody.part */
    char *record;      /* as the ledger has it */
    bool resumed;      /* the forces of the next step are what comes first */
    bool kept;         /* the ledger has the last state */
    double saved, save_took;
} nbody;

int nbody_open(nbody *b); /* from the points that were read; they are checked */
void nbody_free(nbody *b);

/* Accelerations and the potential energy where the bodies are now. EXIT_STOPPED, in silence, where the user stops. */
int nbody_forces(nbody *b);
nbody_measures nbody_measure(const nbody *b);

/* A number of a record or a frame, in the dtype. */
void nbody_put(const nbody *b, void *to, uint64_t k, double value);

/* Opens OUT, and takes over what an earlier run kept. *complete: there is nothing left to do, OUT is there. */
int nbody_begin(nbody *b, bool *complete);
int nbody_write_frame(nbody *b);
int nbody_save_now_and_then(nbody *b); /* before the forces of a step */
int nbody_stop(nbody *b);              /* there, too: keeps the state and says so; an exit code */
int nbody_finish(nbody *b);            /* OUT is complete */
void nbody_end(nbody *b);              /* in any case */

#endif
