/* triples/native.h: triplets on the cpu, stored, or into a sink that sees leaves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TRIPLES_NATIVE_H
#define WEDGE_ENGINE_TRIPLES_NATIVE_H

#include "engine/base/path.h"

/* The marks of columns [at[2], + LEAF words) of the points at[0] > at[1], along the curve where there is one, and all their values. */
typedef void triples_found(void *user, const uint64_t at[3], const uint32_t *marks, int words, const void *values);

/* Positions [begin, end), by threads that have a slot of the sink each while they run. */
typedef struct {
    const wedge_job *job;
    uint64_t begin, end;
    native_take_fn *take;
    native_sink sink;     /* as every thread has it, without its slot */
    char *slots;          /* the slots, slot_bytes each */
    size_t slot_bytes;    /* bytes per slot */
    uint32_t *slot_taken; /* per slot: 1 while a thread uses it */
    char *out;            /* store: where the value of position `begin` goes; the sink is then unused */
    triples_found *found; /* select: called with the triplets within the radius; sink and out are then unused */
    void *user;           /* passed to `found` */
    uint64_t inside;      /* out: triplets within the cutoff */
    uint64_t computed;    /* out: cells of panels that were visited */
    bool failed;          /* out: a thread had no memory (task_memory.h) */
} triples_range;

wedge_status triples_native_run(triples_range *g, pace *p);

#endif
