/* store.h: the sink that keeps every value: stores as wide as the skeleton wants them.
 *
 * A value's place is q - base, or base - q where the output is the mirror of packed order.
 *
 * SPDX-License-Identifier: MIT */

typedef struct __attribute__((aligned(PAIRS_WIDE * sizeof(number)))) {
    number v[PAIRS_WIDE];
} sink_values;

WEDGE_FN void sink_one(WEDGE_GLOBAL number *out, wedge_u64 base, wedge_u64 q, number v) {
    out[PAIRS_MIRROR ? base - q : q - base] = v;
}

/* PAIRS_WIDE values in order of q, `at` the lowest of their places, a multiple of PAIRS_WIDE. */
WEDGE_FN void sink_wide(WEDGE_GLOBAL number *at, const number *v) {
    sink_values w;
#pragma unroll
    for (wedge_u32 e = 0; e < PAIRS_WIDE; ++e) w.v[e] = v[PAIRS_MIRROR ? PAIRS_WIDE - 1u - e : e];
    *(WEDGE_GLOBAL sink_values *)at = w;
}
