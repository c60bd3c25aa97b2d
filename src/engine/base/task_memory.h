/* task_memory.h: working memory of a task on the cpu that is too large for a stack.
 *
 * Threads may have stacks of 128 KiB (musl), and callers of the library even smaller ones, so frames stay below 32 KiB
 * (CMakeLists.txt warns of others) and tasks take from the heap what is larger. A task returns no status: if memory is missing it sets
 * `failed` and leaves its work undone; the caller checks `failed` after the last task.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_ENGINE_BASE_TASK_MEMORY_H
#define WEDGE_ENGINE_BASE_TASK_MEMORY_H

#include <stdlib.h>

#include "core/note.h"

/* Aligned to 64 bytes, not cleared; free it. NULL: *failed is true from now on. */
static inline void *task_memory(size_t bytes, bool *failed) {
    void *memory;
    if (!posix_memalign(&memory, 64, bytes)) return memory;
    __atomic_store_n(failed, true, __ATOMIC_RELAXED);
    return NULL;
}

static inline wedge_status task_memory_status(const bool *failed, note *n) {
    WEDGE_CHECK(!__atomic_load_n(failed, __ATOMIC_RELAXED), n, WEDGE_NO_MEMORY,
                "no memory for what a thread works with");
    return WEDGE_OK;
}

#endif
