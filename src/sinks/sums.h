/* sums.h: digits.h on the host.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_SINKS_SUMS_H
#define WEDGE_SINKS_SUMS_H

#include <stdbool.h>

#include "wedge/lang.h"

#include "sinks/digits.h"

/* Brings all digits but the last into 0 .. 2^32 - 1; the last keeps the sign. */
void digits_carry(int64_t d[DIGITS]);

/* Adds another sum, and carries. */
void digits_add(int64_t d[DIGITS], const int64_t other[DIGITS]);

/* The double nearest to the sum; infinite where the sum is beyond the largest. */
double digits_round(const int64_t d[DIGITS]);

#endif
