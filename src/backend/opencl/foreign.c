/* foreign.c: buffers and queues that a caller made with OpenCL's own calls: accepted if they belong to this device's context.
 *
 * Objects of another context would fail later, or crash a driver. A pointer to anything else cannot be detected: the
 * loader follows it.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "backend/opencl/opencl.h"

wedge_status opencl_native(wedge_device *dev, void **context, void **device) {
    const opencl *o = dev->impl;
    *context = o->context;
    *device = o->device;
    return WEDGE_OK;
}

wedge_status opencl_memory_check(wedge_device *dev, const void *memory, uint64_t bytes) {
    const opencl *o = dev->impl;
    cl_memory object = (cl_memory)(uintptr_t)memory;
    cl_context_ context = NULL;
    size_t size = 0;
    int error = o->cl->memory_info(object, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (!error) error = o->cl->memory_info(object, CL_MEM_SIZE, sizeof size, &size, NULL);
    WEDGE_CHECK(!error, &dev->note, WEDGE_BAD_ARGUMENT, "%p is not an OpenCL memory object (error %d)", memory, error);
    WEDGE_CHECK(context == o->context, &dev->note, WEDGE_BAD_ARGUMENT,
                "the memory object %p is of another OpenCL context: make it in that of wedge_device_native", memory);
    WEDGE_CHECK(bytes <= size, &dev->note, WEDGE_BAD_ARGUMENT,
                "the memory object %p has %zu bytes: %" PRIu64 " are needed, with the offset", memory, size, bytes);
    return WEDGE_OK;
}

wedge_status opencl_queue_check(wedge_device *dev, void *queue) {
    const opencl *o = dev->impl;
    cl_context_ context = NULL;
    cl_device device = NULL;
    uint64_t properties = 0;
    int error = o->cl->queue_info(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error) error = o->cl->queue_info(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!error) error = o->cl->queue_info(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    WEDGE_CHECK(!error, &dev->note, WEDGE_BAD_ARGUMENT, "stream %p is not an OpenCL command queue (error %d)", queue,
                error);
    WEDGE_CHECK(context == o->context && device == o->device, &dev->note, WEDGE_BAD_ARGUMENT,
                "stream %p is of another OpenCL context or device: make it in that of wedge_device_native", queue);
    WEDGE_CHECK(!(properties & CL_QUEUE_OUT_OF_ORDER), &dev->note, WEDGE_BAD_ARGUMENT,
                "stream %p runs commands out of order: make a queue that keeps their order", queue);
    return WEDGE_OK;
}
