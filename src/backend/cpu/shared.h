/* shared.h: code that was compiled into a shared object, loaded from memory.
 *
 * The bytes that were read from the cache and checked are written to a nameless file that only this process can open, and that file is
 * loaded: a file under a path could be exchanged in between.
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
