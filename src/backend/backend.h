/* backend.h: a kind of device, as the rest of wedge sees it. The whole contract is this one struct.
 *
 * A backend is a const table of functions; a device is a handle with the backend's own state in `impl`. All copies,
 * fills and launches are put into a queue and may return before they are done; `wait` ends that. The GPU path
 * (compile ... launch) and the native path (run) exclude each other: a slot that a backend lacks is NULL.
 * Failures write the device's note.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_BACKEND_BACKEND_H
#define WEDGE_BACKEND_BACKEND_H

#include "core/context.h"
#include "core/note.h"
#include "wedge/wedge.h"

typedef struct backend backend;

struct wedge_device {
    const backend *backend;
    wedge_context *ctx;
    void **library; /* the backend's library, in the context */
    int platform, index;
    wedge_device_info info;
    note note;
    note remark; /* a warning: what the device does without, for example a cache */
    void *impl;
    bool no_shared;  /* its compiler needs kernels without shared memory (engine/kernels/pairs_no_shared.h) */
    char *build_key; /* GPU: device, driver, compiler and options, as the kernel cache keys them */
};

typedef struct {
    void *handle; /* what the backend knows the memory by */
    void *host;   /* address on the host, for pinned host memory and the cpu; else NULL */
    size_t bytes;
} buffer;

typedef enum { ON_DEVICE, PINNED_HOST } memory_kind;

typedef struct {
    unsigned char *bytes;
    size_t size;
} blob; /* free(bytes) */

/* A kernel argument: a buffer, or a value of so many bytes. */
typedef struct {
    const buffer *buffer;
    const void *value;
    size_t size;
} kernel_arg;

#define ARG_BUFFER(b) \
    { .buffer = (b) }
#define ARG_VALUE(v) \
    { .value = &(v), .size = sizeof(v) }

typedef struct {
    uint32_t grid[3], block[3];
    const kernel_arg *args;
    int arg_count;
} grid_launch;

/* A native task: called for parts [begin, end) of a range, from several threads at once. */
typedef void (*native_task)(void *user, uint64_t begin, uint64_t end);

enum { BUS_ID = 16 };

struct backend {
    const char *name;
    bool addressed;       /* a buffer's handle is the address of its memory */
    bool tells_occupancy; /* `resident` is the driver's word; else it is a guess */

    /* Finds the devices and adds them to the context. *library is kept by the context until unload. A missing library
     * is not an error: nothing is added and the remark says why. */
    wedge_status (*list)(wedge_context *ctx, int self, void **library, note *remark);
    void (*unload)(void *library);

    wedge_status (*open)(wedge_device *dev); /* sets impl, build_key; may refine info */
    void (*close)(wedge_device *dev);

    /* What a caller can share with the device (wedge_device_native); NULL: nothing. Memory and queues that a caller made:
     * WEDGE_BAD_ARGUMENT where they are not of this device, as far as that can be told. NULL: all memory is taken, no
     * queue is. */
    wedge_status (*native)(wedge_device *dev, void **context, void **device);
    wedge_status (*memory_check)(wedge_device *dev, const void *memory, uint64_t bytes);
    wedge_status (*queue_check)(wedge_device *dev, void *queue);

    /* Where an open device sits on the PCI bus, as "0000:3b:00.0"; left empty where that is not known. NULL: nowhere. */
    void (*bus)(wedge_device *dev, char id[BUS_ID]);

    wedge_status (*memory_free)(wedge_device *dev, uint64_t *bytes);
    wedge_status (*buffer_new)(wedge_device *dev, size_t bytes, memory_kind where, buffer *out);
    void (*buffer_free)(wedge_device *dev, buffer *b);

    wedge_status (*queue_new)(wedge_device *dev, void **queue);
    void (*queue_free)(wedge_device *dev, void *queue);
    wedge_status (*write)(wedge_device *dev, void *queue, const buffer *to, size_t offset, const void *from,
                          size_t bytes);
    wedge_status (*read)(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset, size_t bytes);
    wedge_status (*fill)(wedge_device *dev, void *queue, const buffer *to, size_t offset, size_t bytes, uint8_t value);
    wedge_status (*wait)(wedge_device *dev, void *queue);

    /* An event marks a point of a queue; seconds between two of them, on the device's clock. elapsed waits for `to`. */
    wedge_status (*event_new)(wedge_device *dev, void *queue, void **event);
    wedge_status (*elapsed)(wedge_device *dev, void *from, void *to, double *seconds);
    void (*event_free)(wedge_device *dev, void *event);

    /* The GPU path. compile: source to a binary that load takes, now or from the cache; a refusal carries the log. */
    wedge_status (*compile)(wedge_device *dev, const char *source, blob *binary);
    wedge_status (*load)(wedge_device *dev, const blob *binary, void **program);
    void (*program_free)(wedge_device *dev, void *program);
    wedge_status (*kernel_new)(wedge_device *dev, void *program, const char *name, void **kernel);
    void (*kernel_free)(wedge_device *dev, void *kernel);
    wedge_status (*resident)(wedge_device *dev, void *kernel, uint32_t block_threads, uint32_t *blocks);
    wedge_status (*launch)(wedge_device *dev, void *queue, void *kernel, const grid_launch *launch);

    /* The native path: runs the task over [begin, end) in parts of `grain` on all threads, and waits. */
    wedge_status (*run)(wedge_device *dev, native_task task, void *user, uint64_t begin, uint64_t end, uint64_t grain);
};

/* The list of backends, in the order in which devices are listed; `auto` takes the first GPU in it. */
extern const backend cpu_backend, cuda_backend, opencl_backend;
extern const backend *const backends[BACKENDS];

#endif
