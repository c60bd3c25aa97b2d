/* nbody.h: the bodies of `wedge nbody`: their forces, energy and momentum, and the frames that are written.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CLI_NBODY_H
#define WEDGE_CLI_NBODY_H

#include "request.h"

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
    double done, share;     /* of a step: before the job that runs, and of it */
    nbody_measures start, end;
    cli_output out;
    uint64_t frames;
} nbody;

int nbody_open(nbody *b); /* from the points that were read; they are checked */
void nbody_free(nbody *b);

/* Accelerations and the potential energy where the bodies are now. EXIT_STOPPED, in silence, where the user stops. */
int nbody_forces(nbody *b);
nbody_measures nbody_measure(const nbody *b);

/* Frames go to a file beside OUT; close puts those that there are in its place. */
int nbody_open_frames(nbody *b);
int nbody_write_frame(nbody *b);
int nbody_close_frames(nbody *b);
int nbody_write_end(nbody *b); /* the last state alone */

#endif
