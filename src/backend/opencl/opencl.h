/* opencl.h: an open device of OpenCL as the files of this folder share it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_OPENCL_OPENCL_H
#define WEDGE_BACKEND_OPENCL_OPENCL_H

#include "backend/backend.h"
#include "backend/opencl/api.h"

typedef struct {
    const cl_api *cl;
    cl_device device;
    cl_context_ context;
    cl_queue pinning; /* maps pinned buffers */
    const char *build_options;
} opencl;

extern const char opencl_prologue[]; /* of every source */

/* Names an error of OpenCL and sorts it. */
wedge_status opencl_failed(wedge_device *dev, int error, const char *what);

#define CL_TRY(dev, call, what)                                  \
    do {                                                         \
        int error_ = (call);                                     \
        if (error_) return opencl_failed((dev), error_, (what)); \
    } while (0)

/* programs.c */
wedge_status opencl_compile(wedge_device *dev, const char *source, blob *binary);
wedge_status opencl_load(wedge_device *dev, const blob *binary, void **program);
void opencl_program_free(wedge_device *dev, void *program);
wedge_status opencl_kernel_new(wedge_device *dev, void *program, const char *name, void **kernel);
void opencl_kernel_free(wedge_device *dev, void *kernel);
wedge_status opencl_resident(wedge_device *dev, void *kernel, uint32_t block_threads, uint32_t *blocks);
wedge_status opencl_launch(wedge_device *dev, void *queue, void *kernel, const grid_launch *l);

/* foreign.c */
wedge_status opencl_native(wedge_device *dev, void **context, void **device);
wedge_status opencl_memory_check(wedge_device *dev, const void *memory, uint64_t bytes);
wedge_status opencl_queue_check(wedge_device *dev, void *queue);

#endif
