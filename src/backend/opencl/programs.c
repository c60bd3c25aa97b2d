/* programs.c: OpenCL programs and kernels: building, binaries, launching.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "backend/opencl/log.h"
#include "backend/opencl/opencl.h"

/* source: NULL where what is built is a binary. */
static wedge_status build(wedge_device *dev, cl_program_ program, const char *source) {
    const opencl *o = dev->impl;
    int error = o->cl->program_build(program, 1, &o->device, o->build_options, NULL, NULL);
    if (!error) return WEDGE_OK;
    size_t size = 0;
    char *log = NULL;
    if (!o->cl->build_info(program, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) && (log = calloc(size + 1, 1)))
        o->cl->build_info(program, o->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    char *named = log && source ? log_named(log, source) : NULL;
    const char *words = named ? named : log ? log : "";
    wedge_status status =
        note_fail(&dev->note, WEDGE_BUILD_FAILED, "the OpenCL compiler refused a kernel (error %d):\n%s", error, words);
    free(named);
    free(log);
    return status;
}

static wedge_status take_binary(wedge_device *dev, cl_program_ program, blob *binary) {
    const opencl *o = dev->impl;
    CL_TRY(dev, o->cl->program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof binary->size, &binary->size, NULL),
           "reading a binary");
    WEDGE_CHECK(binary->size, &dev->note, WEDGE_BUILD_FAILED, "the OpenCL compiler gave an empty binary");
    binary->bytes = malloc(binary->size);
    WEDGE_CHECK(binary->bytes, &dev->note, WEDGE_NO_MEMORY, "no memory for a compiled kernel");
    CL_TRY(dev, o->cl->program_info(program, CL_PROGRAM_BINARIES, sizeof binary->bytes, &binary->bytes, NULL),
           "reading a binary");
    return WEDGE_OK;
}

wedge_status opencl_compile(wedge_device *dev, const char *source, blob *binary) {
    const opencl *o = dev->impl;
    int error = 0;
    *binary = (blob){0};
    char *text = text_format("%s%s", opencl_prologue, source);
    WEDGE_CHECK(text, &dev->note, WEDGE_NO_MEMORY, "no memory for the source of a kernel");
    cl_program_ program = o->cl->program_source(o->context, 1, (const char **)&text, NULL, &error);
    wedge_status status = error ? opencl_failed(dev, error, "a program") : build(dev, program, text);
    if (!status) status = take_binary(dev, program, binary);
    if (!error) o->cl->program_free(program);
    free(text);
    return status;
}

wedge_status opencl_load(wedge_device *dev, const blob *binary, void **program) {
    const opencl *o = dev->impl;
    const unsigned char *bytes = binary->bytes;
    int error = 0, each = 0;
    cl_program_ p = o->cl->program_binary(o->context, 1, &o->device, &binary->size, &bytes, &each, &error);
    if (!error && each) o->cl->program_free(p), error = each;
    CL_TRY(dev, error, "loading a compiled kernel");
    wedge_status status = build(dev, p, NULL);
    if (status) o->cl->program_free(p);
    *program = status ? NULL : p;
    return status;
}

void opencl_program_free(wedge_device *dev, void *program) {
    const opencl *o = dev->impl;
    if (program) o->cl->program_free(program);
}

wedge_status opencl_kernel_new(wedge_device *dev, void *program, const char *name, void **kernel) {
    const opencl *o = dev->impl;
    int error = 0;
    *kernel = o->cl->kernel_new(program, name, &error);
    CL_TRY(dev, error, name);
    return WEDGE_OK;
}

void opencl_kernel_free(wedge_device *dev, void *kernel) {
    const opencl *o = dev->impl;
    if (kernel) o->cl->kernel_free(kernel);
}

/* OpenCL does not tell the occupancy: fill a GPU's 2,048 threads a unit, give a CPU a few blocks a core. */
wedge_status opencl_resident(wedge_device *dev, void *kernel, uint32_t block_threads, uint32_t *blocks) {
    (void)kernel;
    uint32_t each = 2048 / (block_threads ? block_threads : 1);
    *blocks = dev->info.units * (dev->info.is_gpu ? (each < 1 ? 1 : each > 32 ? 32 : each) : 4);
    return WEDGE_OK;
}

wedge_status opencl_launch(wedge_device *dev, void *queue, void *kernel, const grid_launch *l) {
    const opencl *o = dev->impl;
    size_t global[3], local[3];
    for (int d = 0; d < 3; ++d) {
        local[d] = l->block[d];
        global[d] = (size_t)l->grid[d] * l->block[d];
    }
    for (int a = 0; a < l->arg_count; ++a) {
        const kernel_arg *arg = &l->args[a];
        int error = arg->buffer ? o->cl->kernel_arg(kernel, (uint32_t)a, sizeof(cl_memory), &arg->buffer->handle)
                                : o->cl->kernel_arg(kernel, (uint32_t)a, arg->size, arg->value);
        CL_TRY(dev, error, "a kernel argument");
    }
    CL_TRY(dev, o->cl->launch(queue, kernel, 3, NULL, global, local, 0, NULL, NULL), "launching a kernel");
    return WEDGE_OK;
}
