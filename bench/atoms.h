/* atoms.h: what verifies the energies of atoms: plain loops over all triplets, and over a sample of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BENCH_ATOMS_H
#define WEDGE_BENCH_ATOMS_H

#include "bench/lab.h"

typedef struct {
    double sum, size; /* sum of the energies, and of their magnitudes */
    uint64_t count;
} energy_sum;

extern const double atoms_allowed[]; /* by dtype: what a sum may be off, relative to its size */

void energy_merge(energy_sum *to, const energy_sum *from); /* from several threads at once */
/* All triplets (i, j, k) with k < j of points x, y, z, in double precision. */
void energy_of_row(const double *x, uint64_t i, uint64_t j, energy_sum *to);

/* atoms_sample.c */
bool atoms_are_many(const lab *l, uint64_t n); /* more triplets than the host goes through */
uint64_t atoms_few(const lab *l);              /* points that are not many */
/* A whole run's summary against parts of it, of which some are compared with plain loops; how many, and what may be missed,
 * becomes the row's remark. */
wedge_status atoms_sample(lab *l, runner *r, const double *x, uint64_t n, const wedge_summary *whole);

#endif
