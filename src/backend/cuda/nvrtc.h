/* nvrtc.h: NVIDIA's run-time compiler, found with dlopen. It needs no GPU: tests use it to compile every kernel.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_CUDA_NVRTC_H
#define WEDGE_BACKEND_CUDA_NVRTC_H

#include "backend/backend.h"

typedef struct nvrtc nvrtc;

/* NULL where there is none; the remark says why. path: the user's choice, or NULL. */
nvrtc *nvrtc_open(const char *path, note *remark);
void nvrtc_close(nvrtc *n);

void nvrtc_version(const nvrtc *n, int *major, int *minor);

/* The architecture to compile for on a device of compute capability cc (90 for 9.0): sm_90, or, where this compiler
 * is older than the device, compute_XX of the newest it knows, which the driver finishes. */
void nvrtc_target(const nvrtc *n, int cc, char *target, size_t size);

extern const char nvrtc_options[]; /* with which it compiles, besides the target; a part of the cache's key */

/* Compiles to a cubin (sm_) or PTX (compute_). log gets what the compiler said, also where all went well; free it. */
wedge_status nvrtc_compile(const nvrtc *n, const char *source, const char *target, blob *binary, char **log,
                           note *note);

#endif
