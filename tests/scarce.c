/* scarce.c: loaded before the C library (LD_PRELOAD), it lets the allocation of number SCARCE_AT fail, and with SCARCE_FROM set all
 * that follow as well. At the end it writes how many there were to the file SCARCE_COUNT.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t unit, size_t bytes);

static unsigned long allocations, at;
static int from;

static __attribute__((constructor)) void begin(void) {
    const char *number = getenv("SCARCE_AT");
    from = getenv("SCARCE_FROM") != NULL;
    unsetenv("LD_PRELOAD"); /* programs that it starts have memory */
    allocations = 0;        /* those of the loader are not the program's */
    at = number ? strtoul(number, NULL, 10) : 0;
}

static __attribute__((destructor)) void end(void) {
    const char *file = getenv("SCARCE_COUNT");
    char text[32];
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd >= 0 && write(fd, text, (size_t)snprintf(text, sizeof text, "%lu\n", allocations)) > 0) close(fd);
}

static int fails(void) {
    unsigned long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (!at || (from ? number < at : number != at)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return fails() ? NULL : __libc_calloc(count, bytes); }
void *realloc(void *memory, size_t bytes) { return fails() ? NULL : __libc_realloc(memory, bytes); }
void *aligned_alloc(size_t unit, size_t bytes) { return fails() ? NULL : __libc_memalign(unit, bytes); }
int posix_memalign(void **memory, size_t unit, size_t bytes) {
    void *got = fails() ? NULL : __libc_memalign(unit, bytes);
    if (!got) return ENOMEM;
    *memory = got;
    return 0;
}
