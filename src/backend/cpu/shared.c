/* shared.c: loads a shared object from a nameless file if the system has such files, else from one in a private folder, removed once loaded.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/cpu/shared.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, const blob *object) {
    for (size_t at = 0; at < object->size;) {
        ssize_t wrote = write(fd, object->bytes + at, object->size - at);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        at += (size_t)wrote;
    }
    return true;
}

#if defined(__linux__)
static void open_nameless(const blob *object, shared *s) {
    char path[64];
    s->fd = memfd_create("wedge-op", MFD_CLOEXEC);
    if (s->fd < 0) return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
    if (write_all(s->fd, object)) s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!s->library) close(s->fd), s->fd = -1;
}
#else
static void open_nameless(const blob *object, shared *s) { (void)object, s->fd = -1; }
#endif

static void open_in_folder(const blob *object, shared *s) {
    const char *base = getenv("TMPDIR");
    char *folder = text_format("%s/wedge-XXXXXX", base && *base ? base : "/tmp");
    bool made = folder && mkdtemp(folder);
    char *path = made ? text_format("%s/op.so", folder) : NULL;
    FILE *f = path ? fopen(path, "wbx") : NULL;
    bool good = f && write_all(fileno(f), object);
    if (f && fclose(f)) good = false;
    if (good) s->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (f) unlink(path);
    if (made) rmdir(folder);
    free(path);
    free(folder);
}

wedge_status shared_open(const blob *object, shared *out, note *n) {
    *out = (shared){.fd = -1};
    open_nameless(object, out);
    if (!out->library) open_in_folder(object, out);
    const char *why = out->library ? NULL : dlerror();
    WEDGE_CHECK(out->library, n, WEDGE_FAILED, "the compiled op cannot be loaded: %s", why ? why : strerror(errno));
    return WEDGE_OK;
}

void shared_close(shared *s) {
    if (!s->library) return;
    dlclose(s->library);
    if (s->fd >= 0) close(s->fd);
    *s = (shared){.fd = -1};
}
