/* sort.h: sorting by keys of 64 bits on the cpu's threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_PRUNE_SORT_H
#define WEDGE_ENGINE_PRUNE_SORT_H

#include "backend/backend.h"

typedef struct {
    uint64_t key;
    union { /* whose key it is */
        uint64_t index;
        double value;
    };
} sort_item;

/* Sorts n items, below 2^32 of them, by the lowest `bits` bits of their keys; those with equal keys stay in order. room: for as many
 * items. *sorted is one of the two. */
wedge_status sort_native(wedge_device *dev, sort_item *items, sort_item *spare, uint64_t n, uint32_t bits,
                         sort_item **sorted);

#endif
