/* cpu.c: the host's own cores, run natively: no grid is emulated, a task takes ranges of the work.
 *
 * Queues do their work at once, events are times of the monotonic clock, buffers are host memory aligned for the
 * widest vectors, large ones in large pages where the system has them.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/pool.h"

enum { MOST_THREADS = 1024, LARGE_PAGE = 2 << 20 };

static void read_model(char *name, size_t size) {
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "host processor");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, size, "%.*s", (int)size - 1, colon + 2);
        break;
    }
    if (f) fclose(f);
}

/* Those that this process may run on: all cores, or fewer under taskset or a batch system. */
static uint32_t count_cores(void) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = online > 0 ? (uint32_t)online : 1;
#ifdef CPU_COUNT_S
    for (int most = 1024; most <= 1 << 20; most *= 2) { /* the kernel refuses a set that is too small for it */
        cpu_set_t *set = CPU_ALLOC(most);
        bool known = set && !sched_getaffinity(0, CPU_ALLOC_SIZE(most), set);
        if (known) count = (uint32_t)CPU_COUNT_S(CPU_ALLOC_SIZE(most), set);
        if (set) CPU_FREE(set);
        if (known || !set) break;
    }
#endif
    return count;
}

static wedge_status cpu_list(wedge_context *ctx, int self, void **library, note *remark) {
    (void)library, (void)remark;
    found_device d = {.backend = self};
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    strcpy(d.info.id, "cpu");
    read_model(d.info.name, sizeof d.info.name);
    strcpy(d.info.driver, "POSIX threads");
    d.info.memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    d.info.units = count_cores();
    d.info.has_double = true;
    return context_add_device(ctx, &d);
}

static void cpu_unload(void *library) { (void)library; }

static wedge_status cpu_open(wedge_device *dev) {
    const char *wanted = dev->ctx->settings[WEDGE_SET_NUM_THREADS];
    char *end = NULL;
    long threads = wanted && *wanted ? strtol(wanted, &end, 10) : (long)dev->info.units;
    WEDGE_CHECK((!end || !*end) && threads >= 1 && threads <= MOST_THREADS, &dev->note, WEDGE_BAD_ARGUMENT,
                "WEDGE_NUM_THREADS (--threads) is '%s': must be a number from 1 to %d", wanted, MOST_THREADS);
    dev->impl = pool_new((int)threads);
    WEDGE_CHECK(dev->impl, &dev->note, WEDGE_NO_MEMORY, "no memory for the cpu device");
    dev->info.units = (uint32_t)threads;
    return WEDGE_OK;
}

static void cpu_close(wedge_device *dev) { pool_free(dev->impl); }

static wedge_status cpu_memory_free(wedge_device *dev, uint64_t *bytes) {
    char line[128];
    FILE *f = fopen("/proc/meminfo", "r");
    *bytes = dev->info.memory;
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long kib;
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1) *bytes = (uint64_t)kib * 1024;
    }
    if (f) fclose(f);
    return WEDGE_OK;
}

static wedge_status cpu_buffer_new(wedge_device *dev, size_t bytes, memory_kind where, buffer *out) {
    (void)where;
    size_t unit = bytes < 2 * LARGE_PAGE ? 64 : LARGE_PAGE, padded = (bytes / unit + 1) * unit;
    /* The kernel may promise more than there is and kill us later: refuse what cannot be there. */
    void *p = padded < bytes || bytes > dev->info.memory ? NULL : aligned_alloc(unit, padded);
    WEDGE_CHECK(p, &dev->note, WEDGE_NO_MEMORY, "no memory for a buffer of %zu bytes", bytes);
#ifdef MADV_HUGEPAGE
    if (unit == LARGE_PAGE) madvise(p, padded, MADV_HUGEPAGE); /* a wish: rows of a result begin in many pages */
#endif
    *out = (buffer){.handle = p, .host = p, .bytes = bytes};
    return WEDGE_OK;
}

static void cpu_buffer_free(wedge_device *dev, buffer *b) {
    (void)dev;
    free(b->handle);
    *b = (buffer){0};
}

static wedge_status cpu_queue_new(wedge_device *dev, void **queue) {
    *queue = dev;
    return WEDGE_OK;
}

static void cpu_queue_free(wedge_device *dev, void *queue) { (void)dev, (void)queue; }

static wedge_status cpu_write(wedge_device *dev, void *queue, const buffer *to, size_t offset, const void *from,
                              size_t bytes) {
    (void)dev, (void)queue;
    memcpy((char *)to->host + offset, from, bytes);
    return WEDGE_OK;
}

static wedge_status cpu_read(wedge_device *dev, void *queue, void *to, const buffer *from, size_t offset,
                             size_t bytes) {
    (void)dev, (void)queue;
    memcpy(to, (const char *)from->host + offset, bytes);
    return WEDGE_OK;
}

static wedge_status cpu_fill(wedge_device *dev, void *queue, const buffer *to, size_t offset, size_t bytes,
                             uint8_t value) {
    (void)dev, (void)queue;
    memset((char *)to->host + offset, value, bytes);
    return WEDGE_OK;
}

static wedge_status cpu_wait(wedge_device *dev, void *queue) {
    (void)dev, (void)queue;
    return WEDGE_OK;
}

static wedge_status cpu_event_new(wedge_device *dev, void *queue, void **event) {
    (void)queue;
    struct timespec *now = malloc(sizeof *now);
    WEDGE_CHECK(now, &dev->note, WEDGE_NO_MEMORY, "no memory for an event");
    clock_gettime(CLOCK_MONOTONIC, now);
    *event = now;
    return WEDGE_OK;
}

static wedge_status cpu_elapsed(wedge_device *dev, void *from, void *to, double *seconds) {
    (void)dev;
    const struct timespec *a = from, *b = to;
    *seconds = (double)(b->tv_sec - a->tv_sec) + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
    return WEDGE_OK;
}

static void cpu_event_free(wedge_device *dev, void *event) {
    (void)dev;
    free(event);
}

static wedge_status cpu_run(wedge_device *dev, native_task task, void *user, uint64_t begin, uint64_t end,
                            uint64_t grain) {
    pool_run(dev->impl, task, user, begin, end, grain);
    return WEDGE_OK;
}

const backend cpu_backend = {
    .name = "cpu",
    .addressed = true,
    .list = cpu_list,
    .unload = cpu_unload,
    .open = cpu_open,
    .close = cpu_close,
    .memory_free = cpu_memory_free,
    .buffer_new = cpu_buffer_new,
    .buffer_free = cpu_buffer_free,
    .queue_new = cpu_queue_new,
    .queue_free = cpu_queue_free,
    .write = cpu_write,
    .read = cpu_read,
    .fill = cpu_fill,
    .wait = cpu_wait,
    .event_new = cpu_event_new,
    .elapsed = cpu_elapsed,
    .event_free = cpu_event_free,
    .run = cpu_run,
};
