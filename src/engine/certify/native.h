/* certify/native.h: certify's checks run natively, over a range of rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_CERTIFY_NATIVE_H
#define WEDGE_ENGINE_CERTIFY_NATIVE_H

#include <stdint.h>

enum { CERTIFY_BITS = 8 };

/* What a pass found: cells tried, and for each form (a bit of the checks' mask) the failures and the first row with
 * one. */
typedef struct {
    uint64_t tried, failures[CERTIFY_BITS], first[CERTIFY_BITS];
} certify_tally;

enum { CERTIFY_TILES = 0 }; /* the width of the pass over the tiles of hmap, of which a row is a side */

typedef struct {
    int rank, width;
    uint64_t n; /* points of the condensed order */
    certify_tally *tally;
} certify_pass;

/* Rows (layers) [begin, end) of the pass; a native_task. The second keeps double precision out. */
void certify_native(void *pass, uint64_t begin, uint64_t end);
void certify_native_no_double(void *pass, uint64_t begin, uint64_t end);

#endif
