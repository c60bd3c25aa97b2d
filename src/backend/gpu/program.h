/* program.h: the GPU path that CUDA and OpenCL share: pieces of text become one source, a binary, a program.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_GPU_PROGRAM_H
#define WEDGE_BACKEND_GPU_PROGRAM_H

#include "backend/backend.h"

typedef struct {
    const char *name; /* what a compiler's message calls it */
    const char *text;
} source_piece;

/* The texts one after another, each under a #line mark with its name. Free the result; NULL: no memory. */
char *source_compose(const source_piece *pieces, int count);

/* Builds the source of these pieces, from the cache where it has it. Free with backend->program_free. */
wedge_status gpu_build(wedge_device *dev, const source_piece *pieces, int count, void **program);

/* Does it compile? What the cache has did. */
wedge_status gpu_try(wedge_device *dev, const source_piece *pieces, int count);

#endif
