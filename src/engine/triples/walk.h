/* walk.h: how the cpu goes over triplets: pairs of points (a, b) with some columns c at a time, sides at hand.
 *
 * A unit is HIGH points a by some panels of points b, one after the other. The sides of a with ACROSS columns are computed once for
 * all b of a panel, those of b with them once for all a; then a visitor gets every pair a > b, and
 * in domains with diagonals a = b. With a cutoff, panels that are not in
 * reach of a, or of both, are skipped, and bits say which columns are within the cutoff.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_TRIPLES_WALK_H
#define WEDGE_ENGINE_TRIPLES_WALK_H

#include "engine/base/job.h"

enum { HIGH = 16, ACROSS = 2 * NATIVE_COLS, WORDS = ACROSS / LEAF };

/* Sides: [a or b][number of the side][column], of float or double. Bits: a column each, of b in words of 32. */
typedef struct {
    char ac[HIGH * MOST_SIDE * ACROSS * sizeof(double)] __attribute__((aligned(64)));
    char bc[MOST_SIDE * ACROSS * sizeof(double)] __attribute__((aligned(64)));
    char ab[HIGH * MOST_SIDE * NATIVE_COLS * sizeof(double)] __attribute__((aligned(64)));
    char values[ACROSS * sizeof(double)] __attribute__((aligned(64)));
    char pulls[ACROSS * sizeof(double)] __attribute__((aligned(64)));
    uint32_t ab_within[HIGH][NATIVE_COLS / LEAF], ac_within[HIGH][WORDS], bc_within[NATIVE_COLS][WORDS];
} triples_space;

typedef struct triples_walk triples_walk;

/* Pair (a, b), the high-th point a of its unit, with columns [from, to), at most ACROSS. */
typedef void triples_visit(const triples_walk *w, uint64_t a, uint64_t b, uint64_t high, uint64_t from, uint64_t to);

struct triples_walk {
    const wedge_job *job;
    triples_space *space;
    triples_visit *visit;
    void (*done)(const triples_walk *w, uint64_t a, uint64_t a_end, uint64_t b,
                 uint64_t b_end); /* called after all columns; NULL: nothing to do */
    void *user;
    bool all_columns; /* visits all columns; false: only those below b */
    native_args args;
    native_side_fn *sides;
    native_triple_fn *triple;
    uint64_t *computed; /* of this thread: cells that were visited */
};

triples_walk triples_walk_of(const wedge_job *job, triples_space *space);

/* Points [a, a + HIGH) by panels of b from column b on, up to b_end. */
void triples_walk_unit(const triples_walk *w, uint64_t a, uint64_t b, uint64_t b_end);

/* The values, and where wanted the pulls, of a pair with `count` columns, a multiple of LEAF. */
void triples_values(const triples_walk *w, uint64_t b, uint64_t high, uint64_t count, bool pulls);

/* Bits of the columns [from + LEAF word, + LEAF) that are near to a and b; all where there is no cutoff. */
uint32_t triples_within_cutoff(const triples_walk *w, uint64_t b, uint64_t high, int word);

#endif
