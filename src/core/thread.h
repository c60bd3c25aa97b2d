/* thread.h: starts threads of the library: they block all signals, which go to the program's threads, and their stack has a
 * stated size, whatever the default of the C library (musl: 128 KiB) or the limit on stacks.
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
