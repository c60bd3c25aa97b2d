/* probe_child.c: lists OpenCL's devices for the process that asked (probe.c).
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/opencl/probe.h"

static bool put(int fd, const void *bytes, size_t size) {
    for (const char *at = bytes; size;) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) at += put, size -= (size_t)put;
    }
    return true;
}

static bool put_list(wedge_context *ctx, int self, int fd) {
    void *library = NULL; /* stays: this process ends with it */
    note remark = {0};
    if (backends[self]->list(ctx, self, &library, &remark)) return false;
    probe_list list = {(uint32_t)ctx->count, (uint32_t)strlen(note_text(&remark))};
    bool done = put(fd, &list, sizeof list) && put(fd, ctx->found, list.devices * sizeof *ctx->found) &&
                put(fd, note_text(&remark), list.remark_bytes);
    note_free(&remark);
    return done;
}

static int userop_index(void) {
    int b = 0;
    while (backends[b] != &opencl_backend) ++b;
    return b;
}

bool probe_answer(const char *library, int fd) {
    probe_head head = probe_head_of_this_build();
    wedge_context *ctx;
    if (wedge_context_create(&ctx)) return false;
    bool done = !wedge_context_set(ctx, WEDGE_SET_PROBE, NULL) &&
                (!library || !wedge_context_set(ctx, WEDGE_SET_LIBOPENCL, library)) && put(fd, &head, sizeof head) &&
                put_list(ctx, userop_index(), fd);
    wedge_context_destroy(ctx);
    return done;
}
