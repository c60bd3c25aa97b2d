/* cuda.c: NVIDIA GPUs by the driver API and NVRTC, both found at run time.
 *
 * Works on the primary context, so that memory can be shared with a caller who uses the CUDA runtime; every call makes
 * it current and gives the caller's back.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/nvrtc.h"
#include "core/library.h"

#define SYMBOL(field, name) \
    { name, offsetof(cu_driver, field) }

static const library_symbol symbols[] = {
    SYMBOL(init, "cuInit"),
    SYMBOL(driver_version, "cuDriverGetVersion"),
    SYMBOL(error_name, "cuGetErrorName"),
    SYMBOL(error_string, "cuGetErrorString"),
    SYMBOL(device_count, "cuDeviceGetCount"),
    SYMBOL(device_get, "cuDeviceGet"),
    SYMBOL(device_name, "cuDeviceGetName"),
    SYMBOL(device_attribute, "cuDeviceGetAttribute"),
    SYMBOL(device_memory, "cuDeviceTotalMem_v2"),
    SYMBOL(device_bus, "cuDeviceGetPCIBusId"),
    SYMBOL(context_retain, "cuDevicePrimaryCtxRetain"),
    SYMBOL(context_release, "cuDevicePrimaryCtxRelease_v2"),
    SYMBOL(context_push, "cuCtxPushCurrent_v2"),
    SYMBOL(context_pop, "cuCtxPopCurrent_v2"),
    SYMBOL(memory_info, "cuMemGetInfo_v2"),
    SYMBOL(memory_new, "cuMemAlloc_v2"),
    SYMBOL(memory_free, "cuMemFree_v2"),
    SYMBOL(pointer_attribute, "cuPointerGetAttribute"),
    SYMBOL(host_new, "cuMemHostAlloc"),
    SYMBOL(host_free, "cuMemFreeHost"),
    SYMBOL(to_device, "cuMemcpyHtoDAsync_v2"),
    SYMBOL(to_host, "cuMemcpyDtoHAsync_v2"),
    SYMBOL(fill, "cuMemsetD8Async"),
    SYMBOL(stream_new, "cuStreamCreate"),
    SYMBOL(stream_free, "cuStreamDestroy_v2"),
    SYMBOL(stream_wait, "cuStreamSynchronize"),
    SYMBOL(stream_query, "cuStreamQuery"),
    SYMBOL(event_new, "cuEventCreate"),
    SYMBOL(event_free, "cuEventDestroy_v2"),
    SYMBOL(event_record, "cuEventRecord"),
    SYMBOL(event_wait, "cuEventSynchronize"),
    SYMBOL(event_elapsed, "cuEventElapsedTime"),
    SYMBOL(module_load, "cuModuleLoadData"),
    SYMBOL(module_free, "cuModuleUnload"),
    SYMBOL(module_function, "cuModuleGetFunction"),
    SYMBOL(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor"),
    SYMBOL(launch, "cuLaunchKernel"),
};

typedef struct {
    void *handle;
    cu_driver cu;
    int version;
} cuda_library;

typedef struct {
    const cu_driver *cu;
    cu_context context;
    int device;
    nvrtc *compiler;
    note no_compiler; /* why there is none */
    char target[32];
} cuda;

/* Names a driver error and sorts it. Errors from 700 on (bar "too many resources") leave the context broken. */
static wedge_status failed(note *n, const cu_driver *cu, int error, const char *what) {
    const char *name = "unknown error", *text = "";
    cu->error_name(error, &name);
    cu->error_string(error, &text);
    if (error == CU_OUT_OF_MEMORY)
        return note_fail(n, WEDGE_NO_MEMORY, "%s: the GPU is out of memory; free some or use a smaller range", what);
    if (error >= 700 && error < 800 && error != CU_LAUNCH_RESOURCES)
        return note_fail(n, WEDGE_DEVICE_LOST,
                         "%s: %s (%s): the GPU's context is lost; close the device and open it again", what, name,
                         text);
    return note_fail(n, WEDGE_FAILED, "%s: %s (%s)", what, name, text);
}

/* Makes the device's context current for one call. */
#define IN_CONTEXT(dev, call, what)                                      \
    do {                                                                 \
        const cuda *c_ = (dev)->impl;                                    \
        cu_context old_;                                                 \
        int error_ = c_->cu->context_push(c_->context);                  \
        if (!error_) {                                                   \
            error_ = (call);                                             \
            c_->cu->context_pop(&old_);                                  \
        }                                                                \
        if (error_) return failed(&(dev)->note, c_->cu, error_, (what)); \
    } while (0)

static int attribute(const cu_driver *cu, int device, int which) {
    int value = 0;
    cu->device_attribute(&value, which, device);
    return value;
}

static wedge_status add_device(wedge_context *ctx, int self, const cuda_library *lib, int index) {
    const cu_driver *cu = &lib->cu;
    found_device d = {.backend = self, .index = index};
    int device;
    size_t memory = 0;
    if (cu->device_get(&device, index)) return WEDGE_OK;
    cu->device_name(d.info.name, (int)sizeof d.info.name, device);
    cu->device_memory(&memory, device);
    snprintf(d.info.id, sizeof d.info.id, "cuda:%d", index);
    snprintf(d.info.driver, sizeof d.info.driver, "CUDA driver %d.%d, sm_%d%d", lib->version / 1000,
             lib->version % 1000 / 10, attribute(cu, device, CU_MAJOR), attribute(cu, device, CU_MINOR));
    d.info.memory = memory;
    d.info.units = (uint32_t)attribute(cu, device, CU_UNITS);
    d.info.max_block = (uint32_t)attribute(cu, device, CU_MAX_BLOCK);
    for (int a = 0; a < 3; ++a) d.info.max_grid[a] = (uint32_t)attribute(cu, device, CU_MAX_GRID_X + a);
    d.info.has_double = d.info.is_gpu = true;
    return context_add_device(ctx, &d);
}

static wedge_status cuda_list(wedge_context *ctx, int self, void **library, note *remark) {
    static const char *const names[] = {"libcuda.so.1", NULL};
    cuda_library *lib = calloc(1, sizeof *lib);
    int count = 0, error;
    WEDGE_CHECK(lib, &ctx->note, WEDGE_NO_MEMORY, "no memory for the CUDA driver");
    lib->handle = library_open(ctx->settings[WEDGE_SET_LIBCUDA], names, symbols, sizeof symbols / sizeof *symbols,
                               &lib->cu, remark);
    if (!lib->handle) {
        free(lib);
        return WEDGE_OK;
    }
    *library = lib;
    if ((error = lib->cu.init(0)) || (error = lib->cu.device_count(&count)) || !count) {
        failed(remark, &lib->cu, error ? error : CU_NO_DEVICE, "no usable GPU");
        return WEDGE_OK;
    }
    lib->cu.driver_version(&lib->version);
    for (int d = 0; d < count; ++d) WEDGE_TRY(add_device(ctx, self, lib, d));
    return WEDGE_OK;
}

static void cuda_unload(void *library) {
    cuda_library *lib = library;
    dlclose(lib->handle);
    free(lib);
}

static void cuda_close(wedge_device *dev) {
    cuda *c = dev->impl;
    if (c->context) c->cu->context_release(c->device);
    nvrtc_close(c->compiler);
    note_free(&c->no_compiler);
    free(c);
}

/* Without NVRTC the device still opens: buffers and copies work, and compile says what is missing. */
static wedge_status find_compiler(wedge_device *dev, cuda *c, int version) {
    int major = 0, minor = 0;
    c->compiler = nvrtc_open(dev->ctx->settings[WEDGE_SET_NVRTC], &c->no_compiler);
    if (c->compiler) {
        nvrtc_version(c->compiler, &major, &minor);
        nvrtc_target(c->compiler, attribute(c->cu, c->device, CU_MAJOR) * 10 + attribute(c->cu, c->device, CU_MINOR),
                     c->target, sizeof c->target);
        size_t used = strlen(dev->info.driver);
        snprintf(dev->info.driver + used, sizeof dev->info.driver - used, ", NVRTC %d.%d", major, minor);
    }
    dev->build_key = text_format("cuda %s, driver %d, NVRTC %d.%d, %s%s", dev->info.name, version, major, minor,
                                 c->target, nvrtc_options);
    WEDGE_CHECK(dev->build_key, &dev->note, WEDGE_NO_MEMORY, "no memory for a device handle");
    return WEDGE_OK;
}

static wedge_status cuda_open(wedge_device *dev) {
    const cuda_library *lib = *dev->library;
    cuda *c = calloc(1, sizeof *c);
    WEDGE_CHECK(c, &dev->note, WEDGE_NO_MEMORY, "no memory for a device handle");
    dev->impl = c;
    c->cu = &lib->cu;
    int error = c->cu->device_get(&c->device, dev->index);
    if (!error) error = c->cu->context_retain(&c->context, c->device);
    if (error) {
        c->context = NULL;
        return failed(&dev->note, c->cu, error, "opening the GPU");
    }
    return find_compiler(dev, c, lib->version);
}

static wedge_status cuda_native(wedge_device *dev, void **context, void **device) {
    const cuda *c = dev->impl;
    *context = c->context;
    *device = (void *)(intptr_t)c->device;
    return WEDGE_OK;
}

static void cuda_bus(wedge_device *dev, char id[BUS_ID]) {
    const cuda *c = dev->impl;
    if (c->cu->device_bus(id, BUS_ID, c->device)) *id = 0;
}

/* An address that the GPU does not know would end its context, and with it all that the caller has there. */
static wedge_status cuda_memory_check(wedge_device *dev, const void *memory, uint64_t bytes) {
    const cuda *c = dev->impl;
    cu_context old;
    int device = -1, error = c->cu->context_push(c->context);
    (void)bytes;
    if (!error) {
        error = c->cu->pointer_attribute(&device, CU_POINTER_DEVICE, (cu_pointer)(uintptr_t)memory);
        c->cu->context_pop(&old);
    }
    WEDGE_CHECK(!error && device == c->device, &dev->note, WEDGE_BAD_ARGUMENT, "%p is not memory of %s: %s", memory,
                dev->info.id, error ? "CUDA does not know it; host memory is WEDGE_ON_HOST" : "it is another device's");
    return WEDGE_OK;
}

static wedge_status cuda_queue_check(wedge_device *dev, void *queue) {
    const cuda *c = dev->impl;
    cu_context old;
    int error = c->cu->context_push(c->context);
    if (!error) {
        error = c->cu->stream_query(queue);
        c->cu->context_pop(&old);
    }
    WEDGE_CHECK(!error || error == CU_NOT_READY, &dev->note, WEDGE_BAD_ARGUMENT,
                "stream %p is not a stream of %s's primary context (CUDA error %d)", queue, dev->info.id, error);
    return WEDGE_OK;
}

static wedge_status cuda_memory_free(wedge_device *dev, uint64_t *bytes) {
    size_t left = 0, all = 0;
    IN_CONTEXT(dev, c_->cu->memory_info(&left, &all), "asking for free memory");
    *bytes = left;
    return WEDGE_OK;
}

static wedge_status cuda_buffer_new(wedge_device *dev, size_t bytes, memory_kind where, buffer *out) {
    char what[64];
    cu_pointer p = 0;
    void *host = NULL;
    size_t size = bytes ? bytes : 1;
    snprintf(what, sizeof what, "a buffer of %zu bytes", bytes);
    *out = (buffer){0};
    if (where == PINNED_HOST) {
        IN_CONTEXT(dev, c_->cu->host_new(&host, size, 0), what);
    } else {
        IN_CONTEXT(dev, c_->cu->memory_new(&p, size), what);
    }
    *out = (buffer){.handle = (void *)(uintptr_t)p, .host = host, .bytes = bytes};
    return WEDGE_OK;
}

static void cuda_buffer_free(wedge_device *dev, buffer *b) {
    const cuda *c = dev->impl;
    cu_context old;
    if (c->cu->context_push(c->context)) return;
    if (b->host) c->cu->host_free(b->host);
    if (b->handle) c->cu->memory_free((cu_pointer)(uintptr_t)b->handle);
    c->cu->context_pop(&old);
    *b = (buffer){0};
}

static wedge_status cuda_queue_new(wedge_device *dev, void **queue) {
    IN_CONTEXT(dev, c_->cu->stream_new((cu_stream *)queue, 1), "a stream");
    return WEDGE_OK;
}

static void cuda_queue_free(wedge_device *dev, void *queue) {
    const cuda *c = dev->impl;
    cu_context old;
    if (!queue || c->cu->context_push(c->context)) return;
    c->cu->stream_free(queue);
    c->cu->context_pop(&old);
}

static cu_pointer address(const buffer *b, size_t offset) { return (cu_pointer)(uintptr_t)b->handle + offset; }

static wedge_status cuda_write(wedge_device *dev, void *queue, const buffer *to, size_t offset, const void *from,
                               size_t bytes) {
    IN_CONTEXT(dev, c_->cu->to_device(address(to, offset), from, bytes, queue), "copying to the GPU");
    return WEDGE_OK;
}

static wedge_status cuda_read(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset,
                              size_t bytes) {
    IN_CONTEXT(dev, c_->cu->to_host(to, address(from, offset), bytes, queue), "copying from the GPU");
    return WEDGE_OK;
}

static wedge_status cuda_fill(wedge_device *dev, void *queue, const buffer *to, size_t offset, size_t bytes,
                              uint8_t value) {
    IN_CONTEXT(dev, c_->cu->fill(address(to, offset), value, bytes, queue), "filling a buffer");
    return WEDGE_OK;
}

static wedge_status cuda_wait(wedge_device *dev, void *queue) {
    IN_CONTEXT(dev, c_->cu->stream_wait(queue), "waiting for the GPU");
    return WEDGE_OK;
}

static void cuda_event_free(wedge_device *dev, void *event) {
    const cuda *c = dev->impl;
    cu_context old;
    if (!event || c->cu->context_push(c->context)) return;
    c->cu->event_free(event);
    c->cu->context_pop(&old);
}

static wedge_status cuda_event_new(wedge_device *dev, void *queue, void **event) {
    *event = NULL;
    IN_CONTEXT(dev, c_->cu->event_new((cu_event *)event, 0), "an event");
    IN_CONTEXT(dev, c_->cu->event_record(*event, queue), "recording an event");
    return WEDGE_OK;
}

static wedge_status cuda_elapsed(wedge_device *dev, void *from, void *to, double *seconds) {
    float ms = 0;
    IN_CONTEXT(dev, c_->cu->event_wait(to), "waiting for an event");
    IN_CONTEXT(dev, c_->cu->event_elapsed(&ms, from, to), "reading an event");
    *seconds = 1e-3 * (double)ms;
    return WEDGE_OK;
}

static wedge_status cuda_compile(wedge_device *dev, const char *source, blob *binary) {
    const cuda *c = dev->impl;
    char *log = NULL;
    WEDGE_CHECK(
        c->compiler, &dev->note, WEDGE_UNSUPPORTED,
        "kernels cannot be compiled: %s; install NVRTC (it comes with the CUDA toolkit) or set WEDGE_NVRTC to its path",
        note_text(&c->no_compiler));
    wedge_status status = nvrtc_compile(c->compiler, source, c->target, binary, &log, &dev->note);
    free(log);
    return status;
}

static wedge_status cuda_load(wedge_device *dev, const blob *binary, void **program) {
    IN_CONTEXT(dev, c_->cu->module_load((cu_module *)program, binary->bytes), "loading a compiled kernel");
    return WEDGE_OK;
}

static void cuda_program_free(wedge_device *dev, void *program) {
    const cuda *c = dev->impl;
    cu_context old;
    if (!program || c->cu->context_push(c->context)) return;
    c->cu->module_free(program);
    c->cu->context_pop(&old);
}

static wedge_status cuda_kernel_new(wedge_device *dev, void *program, const char *name, void **kernel) {
    IN_CONTEXT(dev, c_->cu->module_function((cu_function *)kernel, program, name), name);
    return WEDGE_OK;
}

static void cuda_kernel_free(wedge_device *dev, void *kernel) { (void)dev, (void)kernel; }

static wedge_status cuda_resident(wedge_device *dev, void *kernel, uint32_t block_threads, uint32_t *blocks) {
    int each = 0;
    IN_CONTEXT(dev, c_->cu->occupancy(&each, kernel, (int)block_threads, 0), "asking for the occupancy");
    *blocks = dev->info.units * (uint32_t)(each > 0 ? each : 1);
    return WEDGE_OK;
}

static wedge_status cuda_launch(wedge_device *dev, void *queue, void *kernel, const grid_launch *l) {
    enum { MOST_ARGS = 32 };
    void *values[MOST_ARGS];
    cu_pointer pointers[MOST_ARGS];
    WEDGE_CHECK(l->arg_count <= MOST_ARGS, &dev->note, WEDGE_BAD_ARGUMENT, "a kernel with more than %d arguments",
                MOST_ARGS);
    for (int a = 0; a < l->arg_count; ++a) {
        const kernel_arg *arg = &l->args[a];
        if (arg->buffer) pointers[a] = address(arg->buffer, 0);
        union {
            const void *in;
            void *out;
        } value = {.in = arg->buffer ? (const void *)&pointers[a] : arg->value};
        values[a] = value.out;
    }
    IN_CONTEXT(dev,
               c_->cu->launch(kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], 0,
                              queue, values, NULL),
               "launching a kernel");
    return WEDGE_OK;
}

const backend cuda_backend = {
    .name = "cuda",
    .addressed = true,
    .list = cuda_list,
    .unload = cuda_unload,
    .open = cuda_open,
    .close = cuda_close,
    .native = cuda_native,
    .bus = cuda_bus,
    .memory_check = cuda_memory_check,
    .queue_check = cuda_queue_check,
    .memory_free = cuda_memory_free,
    .buffer_new = cuda_buffer_new,
    .buffer_free = cuda_buffer_free,
    .queue_new = cuda_queue_new,
    .queue_free = cuda_queue_free,
    .write = cuda_write,
    .read = cuda_read,
    .fill = cuda_fill,
    .wait = cuda_wait,
    .event_new = cuda_event_new,
    .elapsed = cuda_elapsed,
    .event_free = cuda_event_free,
    .compile = cuda_compile,
    .load = cuda_load,
    .program_free = cuda_program_free,
    .kernel_new = cuda_kernel_new,
    .kernel_free = cuda_kernel_free,
    .tells_occupancy = true,
    .resident = cuda_resident,
    .launch = cuda_launch,
};
