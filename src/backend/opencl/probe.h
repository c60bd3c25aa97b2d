/* probe.h: lists OpenCL's devices in a separate process, so that a driver that aborts, crashes or hangs while it is
 * asked ends that process and nothing else.
 *
 * The process is a `wedge` command of the same version, `PROGRAM --probe-opencl [LIBRARY]` (WEDGE_SET_PROBE): a library cannot
 * fork a program that it does not know, whose threads may hold any lock. Its list is taken over; the driver is loaded here
 * when one of its devices is opened, and never for a list alone.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_OPENCL_PROBE_H
#define WEDGE_BACKEND_OPENCL_PROBE_H

#include "core/context.h"

/* What the child says: this, then the list. */
typedef struct {
    char what[16], version[16];
    uint32_t device_bytes;
} probe_head;

typedef struct {
    uint32_t devices, remark_bytes;
} probe_list;

probe_head probe_head_of_this_build(void);

/* The caller's side. *answered is false where there is no such program: then nothing is known. A driver that ended it is an
 * answer: no device, the remark says how, and ctx->driver_died is set. */
wedge_status probe_ask(wedge_context *ctx, int self, note *remark, bool *answered);

/* The program's side: lists the devices of `library` (NULL: the usual one) and writes them to `fd`. False where that failed. */
bool probe_answer(const char *library, int fd);

#endif
