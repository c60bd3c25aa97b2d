/* thread.h: threads of the library's own: signals are left to the program's threads, and the stack is as large as what runs
 * on it needs, whatever the C library (musl: 128 KiB) or a limit on stacks would give.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_THREAD_H
#define WEDGE_CORE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

enum { THREAD_STACK = 1 << 20 }; /* at least; only what is touched takes memory */

/* Starts run(user) on a thread to join; false where there can be none. */
bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

#endif
