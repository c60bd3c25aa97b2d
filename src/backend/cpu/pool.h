/* pool.h: the threads of a cpu device. They belong to the handle, so any number of devices, and a child after
 * fork(), each have their own; OpenMP's are one set per process, spin while others need the cores, and end the process
 * where no thread can be made.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_CPU_POOL_H
#define WEDGE_BACKEND_CPU_POOL_H

#include "backend/backend.h"

typedef struct pool pool;

/* threads: at most, the caller's included. They start with the first run that has a part for them. NULL: no memory. */
pool *pool_new(int threads);
void pool_free(pool *p); /* NULL is fine */

/* Runs the task over [begin, end) in parts of `grain`, each part once, and returns when all are done. The caller's
 * thread takes parts too, so threads that the system will not give, or does not run now, cost time and nothing else.
 * A run from within a task of the same pool stays on the thread that asks. */
void pool_run(pool *p, native_task task, void *user, uint64_t begin, uint64_t end, uint64_t grain);

int pool_started(const pool *p); /* threads beside the caller's, for tests */

#endif
