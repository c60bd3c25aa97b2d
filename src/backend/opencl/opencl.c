/* opencl.c: OpenCL 1.2 and up, by an ICD loader found at run time.
 *
 * Device P.D is the D-th device of the P-th platform, in the loader's order. A platform that misbehaves is left out;
 * the others stay. Kernels are built for OpenCL C 1.2, which every device has.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/opencl/opencl.h"
#include "backend/opencl/probe.h"
#include "core/library.h"

#define SYMBOL(field, name) \
    { name, offsetof(cl_api, field) }

static const library_symbol symbols[] = {
    SYMBOL(platforms, "clGetPlatformIDs"),
    SYMBOL(platform_info, "clGetPlatformInfo"),
    SYMBOL(devices, "clGetDeviceIDs"),
    SYMBOL(device_info, "clGetDeviceInfo"),
    SYMBOL(context_new, "clCreateContext"),
    SYMBOL(context_free, "clReleaseContext"),
    SYMBOL(queue_new, "clCreateCommandQueue"),
    SYMBOL(queue_free, "clReleaseCommandQueue"),
    SYMBOL(flush, "clFlush"),
    SYMBOL(finish, "clFinish"),
    SYMBOL(memory_new, "clCreateBuffer"),
    SYMBOL(memory_free, "clReleaseMemObject"),
    SYMBOL(memory_info, "clGetMemObjectInfo"),
    SYMBOL(queue_info, "clGetCommandQueueInfo"),
    SYMBOL(map, "clEnqueueMapBuffer"),
    SYMBOL(unmap, "clEnqueueUnmapMemObject"),
    SYMBOL(read, "clEnqueueReadBuffer"),
    SYMBOL(write, "clEnqueueWriteBuffer"),
    SYMBOL(fill, "clEnqueueFillBuffer"),
    SYMBOL(marker, "clEnqueueMarkerWithWaitList"),
    SYMBOL(event_wait, "clWaitForEvents"),
    SYMBOL(event_time, "clGetEventProfilingInfo"),
    SYMBOL(event_free, "clReleaseEvent"),
    SYMBOL(program_source, "clCreateProgramWithSource"),
    SYMBOL(program_binary, "clCreateProgramWithBinary"),
    SYMBOL(program_build, "clBuildProgram"),
    SYMBOL(program_info, "clGetProgramInfo"),
    SYMBOL(build_info, "clGetProgramBuildInfo"),
    SYMBOL(program_free, "clReleaseProgram"),
    SYMBOL(kernel_new, "clCreateKernel"),
    SYMBOL(kernel_arg, "clSetKernelArg"),
    SYMBOL(kernel_free, "clReleaseKernel"),
    SYMBOL(launch, "clEnqueueNDRangeKernel"),
};

enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

typedef struct {
    void *handle;
    cl_api cl;
} opencl_library;

/* Same bytes: nothing is fused that was not written fused, and roots and quotients are rounded correctly. */

static const char plain_options[] = "-cl-std=CL1.2";
static const char rounding_options[] =
    "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"; /* where the device can */

static void device_text(const cl_api *cl, cl_device d, uint32_t which, char *text, size_t size) {
    *text = 0;
    cl->device_info(d, which, size, text, NULL);
    text[size - 1] = 0;
}

static uint64_t device_number(const cl_api *cl, cl_device d, uint32_t which, size_t size) {
    uint64_t value = 0;
    return cl->device_info(d, which, size, &value, NULL) ? 0 : value;
}

static wedge_status add_device(wedge_context *ctx, int self, const cl_api *cl, int platform, int index,
                               cl_device device, const char *platform_name) {
    found_device d = {.backend = self, .platform = platform, .index = index};
    char version[256], driver[256];
    if (!device_number(cl, device, CL_DEVICE_AVAILABLE, 4) ||
        !device_number(cl, device, CL_DEVICE_COMPILER_AVAILABLE, 4))
        return WEDGE_OK;
    device_text(cl, device, CL_DEVICE_NAME, d.info.name, sizeof d.info.name);
    device_text(cl, device, CL_DEVICE_VERSION, version, sizeof version);
    device_text(cl, device, CL_DRIVER_VERSION, driver, sizeof driver);
    snprintf(d.info.id, sizeof d.info.id, "opencl:%d.%d", platform, index);
    snprintf(d.info.driver, sizeof d.info.driver, "%.32s, %.72s, driver %.40s", platform_name, version, driver);
    d.info.memory = device_number(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE, 8);
    d.info.units = (uint32_t)device_number(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS, 4);
    d.info.max_block = (uint32_t)device_number(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t));
    if (!d.info.max_block) return WEDGE_OK; /* it does not even know its block */
    d.info.max_grid[0] = 0x7FFFFFFF,
    d.info.max_grid[1] = d.info.max_grid[2] = 65535; /* the spec has no limit, GPUs do */
    d.info.has_double = device_number(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG, 8) != 0;
    d.info.is_gpu = (device_number(cl, device, CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_GPU) != 0;
    return context_add_device(ctx, &d);
}

/* NULL: the remark says why. */
static opencl_library *load_library(const wedge_context *ctx, note *remark) {
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    opencl_library *lib = calloc(1, sizeof *lib);
    if (!lib) return note_fail(remark, WEDGE_NO_MEMORY, "no memory for OpenCL"), NULL;
    lib->handle = library_open(ctx->settings[WEDGE_SET_LIBOPENCL], names, symbols, sizeof symbols / sizeof *symbols,
                               &lib->cl, remark);
    if (lib->handle) return lib;
    free(lib);
    return NULL;
}

static wedge_status opencl_list(wedge_context *ctx, int self, void **library, note *remark) {
    cl_platform platforms[MOST_PLATFORMS];
    uint32_t count = 0;
    int before = ctx->count;
    bool answered = false;
    WEDGE_TRY(probe_ask(ctx, self, remark, &answered));
    if (answered) return WEDGE_OK;
    const opencl_library *lib = *library = load_library(ctx, remark);
    if (!lib) return WEDGE_OK;
    if (lib->cl.platforms(MOST_PLATFORMS, platforms, &count)) count = 0;
    for (uint32_t p = 0; p < count && p < MOST_PLATFORMS; ++p) {
        cl_device devices[MOST_DEVICES];
        uint32_t found = 0;
        char name[128] = "";
        lib->cl.platform_info(platforms[p], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (lib->cl.devices(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &found)) continue;
        for (uint32_t d = 0; d < found && d < MOST_DEVICES; ++d)
            WEDGE_TRY(add_device(ctx, self, &lib->cl, (int)p, (int)d, devices[d], name));
    }
    if (ctx->count == before) note_fail(remark, WEDGE_NO_DEVICE, "the OpenCL loader knows no usable device");
    return WEDGE_OK;
}

static void opencl_unload(void *library) {
    opencl_library *lib = library;
    dlclose(lib->handle);
    free(lib);
}

static void opencl_close(wedge_device *dev) {
    opencl *o = dev->impl;
    if (o->pinning) o->cl->queue_free(o->pinning);
    if (o->context) o->cl->context_free(o->context);
    free(o);
}

/* The key of the kernel cache has the device's own words, uncut. */
static char *make_key(const opencl *o) {
    char name[512], version[512], driver[512];
    device_text(o->cl, o->device, CL_DEVICE_NAME, name, sizeof name);
    device_text(o->cl, o->device, CL_DEVICE_VERSION, version, sizeof version);
    device_text(o->cl, o->device, CL_DRIVER_VERSION, driver, sizeof driver);
    return text_format("opencl %s, %s, %s, %s, %s", name, version, driver, o->build_options, opencl_prologue);
}

static wedge_status find_device(wedge_device *dev, opencl *o) {
    cl_platform platforms[MOST_PLATFORMS];
    cl_device devices[MOST_DEVICES];
    uint32_t count = 0;
    CL_TRY(dev, o->cl->platforms(MOST_PLATFORMS, platforms, &count), "listing platforms");
    WEDGE_CHECK((uint32_t)dev->platform < count, &dev->note, WEDGE_NO_DEVICE, "the platform is not there any more");
    CL_TRY(dev, o->cl->devices(platforms[dev->platform], CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count),
           "listing devices");
    WEDGE_CHECK((uint32_t)dev->index < count, &dev->note, WEDGE_NO_DEVICE, "the device is not there any more");
    o->device = devices[dev->index];
    return WEDGE_OK;
}

/* PoCL 5 loses what a thread keeps in a loop with barriers, or ends the process while it compiles such a loop. 3.1 does not;
 * 4 was not tried. */
static bool needs_no_shared_kernels(const wedge_device_info *info) {
    const char *driver = strstr(info->driver, ", driver ");
    bool pocl = !strncmp(info->driver, "Portable Computing Language", 27);
    return pocl && !info->is_gpu && driver && atoi(driver + strlen(", driver ")) >= 4;
}

static wedge_status opencl_open(wedge_device *dev) {
    int error = 0;
    void **loaded = dev->library;
    if (!*loaded) *loaded = load_library(dev->ctx, &dev->note); /* another process has listed the devices */
    const opencl_library *lib = *loaded;
    if (!lib) return WEDGE_UNSUPPORTED;
    opencl *o = calloc(1, sizeof *o);
    WEDGE_CHECK(o, &dev->note, WEDGE_NO_MEMORY, "no memory for a device handle");
    dev->impl = o;
    o->cl = &lib->cl;
    WEDGE_TRY(find_device(dev, o));
    uint64_t single = device_number(o->cl, o->device, CL_DEVICE_SINGLE_FP_CONFIG, 8);
    o->build_options = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? rounding_options : plain_options;
    o->context = o->cl->context_new(NULL, 1, &o->device, NULL, NULL, &error);
    CL_TRY(dev, error, "opening the device");
    o->pinning = o->cl->queue_new(o->context, o->device, 0, &error);
    CL_TRY(dev, error, "a command queue");
    dev->no_shared = needs_no_shared_kernels(&dev->info);
    dev->build_key = make_key(o);
    WEDGE_CHECK(dev->build_key, &dev->note, WEDGE_NO_MEMORY, "no memory for a device handle");
    return WEDGE_OK;
}

/* OpenCL does not tell what is free; all of it is the best guess, and an allocation that fails says so. */
static wedge_status opencl_memory_free(wedge_device *dev, uint64_t *bytes) {
    *bytes = dev->info.memory;
    return WEDGE_OK;
}

static wedge_status opencl_buffer_new(wedge_device *dev, size_t bytes, memory_kind where, buffer *out) {
    const opencl *o = dev->impl;
    size_t size = bytes ? bytes : 1;
    char what[64];
    int error = 0;
    *out = (buffer){.bytes = bytes};
    snprintf(what, sizeof what, "a buffer of %zu bytes", bytes);
    if (bytes > dev->info.memory)
        return opencl_failed(dev, CL_INVALID_BUFFER_SIZE, what); /* some drivers would find out later */
    out->handle = o->cl->memory_new(o->context, CL_MEM_READ_WRITE | (where == PINNED_HOST ? CL_MEM_ALLOC_HOST_PTR : 0),
                                    size, NULL, &error);
    CL_TRY(dev, error, what);
    if (where != PINNED_HOST) return WEDGE_OK;
    out->host = o->cl->map(o->pinning, out->handle, 1, CL_MAP_READ_WRITE, 0, size, 0, NULL, NULL, &error);
    if (error) {
        o->cl->memory_free(out->handle);
        *out = (buffer){0};
        return opencl_failed(dev, error, what);
    }
    return WEDGE_OK;
}

static void opencl_buffer_free(wedge_device *dev, buffer *b) {
    const opencl *o = dev->impl;
    if (b->host && !o->cl->unmap(o->pinning, b->handle, b->host, 0, NULL, NULL)) o->cl->finish(o->pinning);
    if (b->handle) o->cl->memory_free(b->handle);
    *b = (buffer){0};
}

static wedge_status opencl_queue_new(wedge_device *dev, void **queue) {
    const opencl *o = dev->impl;
    int error = 0;
    *queue = o->cl->queue_new(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &error);
    CL_TRY(dev, error, "a command queue");
    return WEDGE_OK;
}

static void opencl_queue_free(wedge_device *dev, void *queue) {
    const opencl *o = dev->impl;
    if (queue) o->cl->queue_free(queue);
}

static wedge_status opencl_write(wedge_device *dev, void *queue, const buffer *to, size_t offset, const void *from,
                                 size_t bytes) {
    const opencl *o = dev->impl;
    if (bytes)
        CL_TRY(dev, o->cl->write(queue, to->handle, 0, offset, bytes, from, 0, NULL, NULL), "copying to the device");
    return WEDGE_OK;
}

static wedge_status opencl_read(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset,
                                size_t bytes) {
    const opencl *o = dev->impl;
    if (bytes)
        CL_TRY(dev, o->cl->read(queue, from->handle, 0, offset, bytes, to, 0, NULL, NULL), "copying from the device");
    return WEDGE_OK;
}

static wedge_status opencl_fill(wedge_device *dev, void *queue, const buffer *to, size_t offset, size_t bytes,
                                uint8_t value) {
    /* Drivers are slow, or fail, on long fills by single bytes: by 16 bytes where that goes, and in parts. */
    enum { WIDE = 16, PART = 1 << 30 };
    const opencl *o = dev->impl;
    uint8_t pattern[WIDE];
    memset(pattern, value, sizeof pattern);
    while (bytes) {
        size_t width = offset % WIDE || bytes < WIDE ? 1 : WIDE, most = width == 1 ? WIDE - offset % WIDE : PART;
        size_t part = bytes < most ? bytes / width * width : most;
        CL_TRY(dev, o->cl->fill(queue, to->handle, pattern, width, offset, part, 0, NULL, NULL), "filling a buffer");
        offset += part, bytes -= part;
    }
    return WEDGE_OK;
}

static wedge_status opencl_wait(wedge_device *dev, void *queue) {
    const opencl *o = dev->impl;
    CL_TRY(dev, o->cl->finish(queue), "waiting for the device");
    return WEDGE_OK;
}

static wedge_status opencl_event_new(wedge_device *dev, void *queue, void **event) {
    const opencl *o = dev->impl;
    CL_TRY(dev, o->cl->marker(queue, 0, NULL, (cl_event_ *)event), "an event");
    CL_TRY(dev, o->cl->flush(queue), "flushing a queue");
    return WEDGE_OK;
}

static wedge_status opencl_elapsed(wedge_device *dev, void *from, void *to, double *seconds) {
    const opencl *o = dev->impl;
    const cl_event_ both[] = {from, to};
    uint64_t begin = 0, end = 0;
    CL_TRY(dev, o->cl->event_wait(2, both), "waiting for an event");
    CL_TRY(dev, o->cl->event_time(from, CL_PROFILING_COMMAND_END, sizeof begin, &begin, NULL), "reading an event");
    CL_TRY(dev, o->cl->event_time(to, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "reading an event");
    *seconds = 1e-9 * (double)(end - begin);
    return WEDGE_OK;
}

static void opencl_event_free(wedge_device *dev, void *event) {
    const opencl *o = dev->impl;
    if (event) o->cl->event_free(event);
}

/* NVIDIA's extension; a driver of before it knew the domain leaves 0. */
static void opencl_bus(wedge_device *dev, char id[BUS_ID]) {
    const opencl *o = dev->impl;
    uint32_t bus, slot, domain = 0;
    *id = 0;
    if (o->cl->device_info(o->device, CL_DEVICE_PCI_BUS_ID_NV, sizeof bus, &bus, NULL) ||
        o->cl->device_info(o->device, CL_DEVICE_PCI_SLOT_ID_NV, sizeof slot, &slot, NULL))
        return;
    if (o->cl->device_info(o->device, CL_DEVICE_PCI_DOMAIN_ID_NV, sizeof domain, &domain, NULL)) domain = 0;
    snprintf(id, BUS_ID, "%04x:%02x:%02x.0", domain & 0xFFFFu, bus & 0xFFu, slot & 0xFFu);
}

const backend opencl_backend = {
    .name = "opencl",
    .list = opencl_list,
    .unload = opencl_unload,
    .open = opencl_open,
    .close = opencl_close,
    .native = opencl_native,
    .bus = opencl_bus,
    .memory_free = opencl_memory_free,
    .memory_check = opencl_memory_check,
    .queue_check = opencl_queue_check,
    .buffer_new = opencl_buffer_new,
    .buffer_free = opencl_buffer_free,
    .queue_new = opencl_queue_new,
    .queue_free = opencl_queue_free,
    .write = opencl_write,
    .read = opencl_read,
    .fill = opencl_fill,
    .wait = opencl_wait,
    .event_new = opencl_event_new,
    .elapsed = opencl_elapsed,
    .event_free = opencl_event_free,
    .compile = opencl_compile,
    .load = opencl_load,
    .program_free = opencl_program_free,
    .kernel_new = opencl_kernel_new,
    .kernel_free = opencl_kernel_free,
    .resident = opencl_resident,
    .launch = opencl_launch,
};
