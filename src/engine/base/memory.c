/* memory.c: checks and addresses callers' memory, and allocates device memory for callers without an allocator of their own.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "core/float_env.h"
#include "engine/base/job.h"

static bool is_native(const wedge_device *dev) { return !dev->backend->compile; }

buffer foreign_buffer(const wedge_device *dev, const void *pointer, size_t bytes) {
    buffer b = {.handle = (void *)(uintptr_t)pointer, .bytes = bytes};
    if (is_native(dev)) b.host = b.handle;
    return b;
}

/* A wide store to an address that is no multiple of a number's size would take the device's context with it. */
wedge_status memory_find(wedge_device *dev, const void *pointer, size_t offset, wedge_place place, uint64_t bytes,
                         size_t size, given_memory *out) {
    bool host = place == WEDGE_ON_HOST, address = host || dev->backend->addressed;
    uintptr_t at = (uintptr_t)pointer + (address ? offset : 0), begin = address ? at : offset;
    WEDGE_CHECK(bytes <= UINTPTR_MAX - begin && begin >= offset, &dev->note, WEDGE_BAD_ARGUMENT,
                "an offset of %zu and %" PRIu64 " bytes overflow the address space", offset, bytes);
    WEDGE_CHECK(begin % size == 0, &dev->note, WEDGE_BAD_ARGUMENT,
                "memory at %p, offset %zu, is not aligned to numbers of %zu bytes", pointer, offset, size);
    const void *first = (const void *)at;
    if (!host && dev->backend->memory_check)
        WEDGE_TRY(dev->backend->memory_check(dev, first, address ? bytes : offset + bytes));
    *out = (given_memory){.memory = foreign_buffer(dev, first, address ? bytes : offset + bytes),
                          .first = address ? 0 : offset / size};
    if (host) out->memory.host = out->memory.handle;
    return WEDGE_OK;
}

wedge_status wedge_memory_create(wedge_device *dev, size_t bytes, void **memory) {
    DEFAULT_FLOATS;
    buffer b = {0};
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(memory, &dev->note);
    *memory = NULL;
    WEDGE_TRY(dev->backend->buffer_new(dev, bytes, ON_DEVICE, &b));
    *memory = b.handle;
    return WEDGE_OK;
}

void wedge_memory_destroy(wedge_device *dev, void *memory) {
    if (!dev || !memory) return;
    buffer b = {.handle = memory};
    dev->backend->buffer_free(dev, &b);
}

typedef enum { TO_DEVICE, FROM_DEVICE } direction;

static wedge_status copy(wedge_device *dev, void *memory, size_t offset, void *host, size_t bytes, direction d) {
    WEDGE_CHECK(bytes <= SIZE_MAX - offset, &dev->note, WEDGE_BAD_ARGUMENT,
                "offset %zu and %zu bytes overflow the address space", offset, bytes);
    if (!bytes) return WEDGE_OK;
    const backend *b = dev->backend;
    if (b->memory_check) WEDGE_TRY(b->memory_check(dev, memory, offset + bytes));
    buffer on_device = foreign_buffer(dev, memory, offset + bytes);
    void *queue;
    WEDGE_TRY(b->queue_new(dev, &queue));
    wedge_status status = d == TO_DEVICE ? b->write(dev, queue, &on_device, offset, host, bytes)
                                         : b->read(dev, queue, host, &on_device, offset, bytes);
    if (!status) status = b->wait(dev, queue);
    b->queue_free(dev, queue);
    return status;
}

wedge_status wedge_memory_write(wedge_device *dev, void *memory, size_t offset, const void *from, size_t bytes) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(memory, &dev->note);
    if (bytes) WEDGE_GIVEN(from, &dev->note);
    return copy(dev, memory, offset, (void *)(uintptr_t)from, bytes, TO_DEVICE);
}

wedge_status wedge_memory_read(wedge_device *dev, void *to, const void *memory, size_t offset, size_t bytes) {
    DEFAULT_FLOATS;
    WEDGE_GIVEN(dev, NULL);
    WEDGE_GIVEN(memory, &dev->note);
    if (bytes) WEDGE_GIVEN(to, &dev->note);
    return copy(dev, (void *)(uintptr_t)memory, offset, to, bytes, FROM_DEVICE);
}
