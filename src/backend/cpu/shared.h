/* shared.h: code that was compiled into a shared object, loaded from memory.
 *
 * What is loaded is what was read from the cache and checked there, not what a path leads to a moment later: the bytes go into a nameless
 * file that only this process has, and that is loaded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_CPU_SHARED_H
#define WEDGE_BACKEND_CPU_SHARED_H

#include "backend/backend.h"

typedef struct {
    void *library; /* NULL: none */
    int fd;        /* of the file. Open as long as the library: its name, /proc/self/fd/N, must not become another's */
} shared;

wedge_status shared_open(const blob *object, shared *out, note *n);
void shared_close(shared *s); /* of zeros is fine */

#endif
