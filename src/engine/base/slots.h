/* slots.h: slots: one piece of memory per thread of the cpu, which the thread holds while it runs a task.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_BASE_SLOTS_H
#define WEDGE_ENGINE_BASE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t slot_take(uint32_t *taken) {
    uint32_t slot = 0, free_slot = 0;
    while (!__atomic_compare_exchange_n(&taken[slot], &free_slot, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        ++slot, free_slot = 0;
    return slot;
}

static inline void slot_give(uint32_t *taken, uint32_t slot) { __atomic_store_n(&taken[slot], 0, __ATOMIC_RELEASE); }

#endif
