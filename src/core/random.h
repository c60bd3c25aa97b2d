/* random.h: Philox 4x32-10, numbers by counter: the same on every device, in any order, from any thread.
 *
 * Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Block c of stream key is four words; tests
 * hold it against the published vectors.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_RANDOM_H
#define WEDGE_CORE_RANDOM_H

#ifndef WEDGE_LANG_H
#include "wedge/lang.h"
#endif

typedef struct {
    wedge_u32 v[4];
} wedge_random4;

WEDGE_FN wedge_random4 wedge_philox(wedge_random4 counter, wedge_u32 key0, wedge_u32 key1) {
    for (int round = 0; round < 10; ++round) {
        wedge_u64 a = (wedge_u64)counter.v[0] * 0xD2511F53u, b = (wedge_u64)counter.v[2] * 0xCD9E8D57u;
        wedge_random4 next;
        next.v[0] = (wedge_u32)(b >> 32) ^ counter.v[1] ^ key0;
        next.v[1] = (wedge_u32)b;
        next.v[2] = (wedge_u32)(a >> 32) ^ counter.v[3] ^ key1;
        next.v[3] = (wedge_u32)a;
        counter = next;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/* [0, 1), every multiple of 2^-24 equally likely. */
WEDGE_FN float wedge_random_float(wedge_u32 word) { return (float)(word >> 8) * (1.0f / 16777216.0f); }

#endif
