/* probe.c: a process asks a child (probe_child.c) for OpenCL's devices.
 *
 *     parent  spawn ......... read head ....... read list, remark . wait
 *     child          head . ask the driver . list, remark, exit
 *
 * The head comes before the driver is touched: a child that ends after the head was ended by the driver; one that ends before it was another program.
 * If the two are different builds, the head differs; so the structs themselves can follow it.
 *
 * SPDX-License-Identifier: MIT */
#include "backend/opencl/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"

#define PATIENCE_SECONDS 30 /* a driver that compiles its own library first takes some */

extern char **environ;

enum { MOST_LISTED = 1024, MOST_REMARK = 4096 };

probe_head probe_head_of_this_build(void) {
    probe_head h = {.what = "wedge opencl", .device_bytes = sizeof(found_device)};
    snprintf(h.version, sizeof h.version, "%s", wedge_version());
    return h;
}

typedef struct {
    pid_t pid;
    int fd;
    double until;
    bool late;
} child;

/* Whole, or false: the child ended before, or time did. */
static bool get(child *c, void *bytes, size_t size) {
    for (char *at = bytes; size;) {
        double left = c->until - clock_now();
        struct pollfd ready = {.fd = c->fd, .events = POLLIN};
        int r = left > 0 ? poll(&ready, 1, (int)(1e3 * left) + 1) : 0;
        if (!r) c->late = true;
        if (!r || (r < 0 && errno != EINTR)) return false;
        ssize_t got = r > 0 ? read(c->fd, at, size) : -1;
        if (!got || (got < 0 && errno != EINTR && errno != EAGAIN)) return false;
        if (got > 0) at += got, size -= (size_t)got;
    }
    return true;
}

/* Silent: what a driver prints before it ends is its own way to say what the remark says. */
static bool start(const char *program, const char *library, child *c) {
    char *words[] = {(char *)program, "--probe-opencl", (char *)library, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return false;
    bool started = false;
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD); /* a driver waits for children of its own, which fails where their ends are ignored */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (!posix_spawn_file_actions_init(&actions)) {
        started = !posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
                  !posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) &&
                  !posix_spawn_file_actions_adddup2(&actions, ends[1], 1) &&
                  !posix_spawn(&c->pid, program, &actions, &attributes, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    c->fd = ends[0];
    c->until = clock_now() + PATIENCE_SECONDS;
    if (!started) close(c->fd);
    return started;
}

/* No zombie is left. Its status is unknown, -1, where the program around us has waited for it. */
static int end(child *c, bool answered) {
    int status = -1;
    close(c->fd);
    if (!answered) kill(c->pid, SIGKILL); /* may be late, or no such program */
    while (waitpid(c->pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}

static wedge_status take_list(wedge_context *ctx, int self, child *c, note *remark, bool *whole) {
    probe_list list;
    found_device device;
    char text[MOST_REMARK + 1] = "";
    *whole = false;
    if (!get(c, &list, sizeof list) || list.devices > MOST_LISTED || list.remark_bytes > MOST_REMARK) return WEDGE_OK;
    for (uint32_t k = 0; k < list.devices; ++k) {
        if (!get(c, &device, sizeof device)) return WEDGE_OK;
        device.backend = self;
        WEDGE_TRY(context_add_device(ctx, &device));
    }
    *whole = get(c, text, list.remark_bytes);
    if (*whole && *text) note_fail(remark, WEDGE_NO_DEVICE, "%s", text);
    return WEDGE_OK;
}

static void say_how_it_ended(const child *c, int status, note *remark) {
    static const char when[] = "when asked for devices";
    if (c->late)
        note_fail(remark, WEDGE_DEVICE_LOST, "the driver did not answer within %d s %s", PATIENCE_SECONDS, when);
    else if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT)
        note_fail(remark, WEDGE_DEVICE_LOST, "the driver crashed (signal %d) %s", WTERMSIG(status), when);
    else
        note_fail(remark, WEDGE_DEVICE_LOST, "the driver aborted %s", when);
}

wedge_status probe_ask(wedge_context *ctx, int self, note *remark, bool *answered) {
    const char *program = ctx->settings[WEDGE_SET_PROBE], *library = ctx->settings[WEDGE_SET_LIBOPENCL];
    probe_head head, wanted = probe_head_of_this_build();
    child c = {0};
    int before = ctx->count;
    bool whole = false;
    *answered = false;
    if (!program || !*program || !start(program, library, &c)) return WEDGE_OK;
    *answered = get(&c, &head, sizeof head) && !memcmp(&head, &wanted, sizeof head);
    wedge_status status = *answered ? take_list(ctx, self, &c, remark, &whole) : WEDGE_OK;
    int ended = end(&c, whole);
    if (!*answered || whole || status) return status;
    ctx->count = before; /* a list that was not finished */
    ctx->driver_died = true;
    say_how_it_ended(&c, ended, remark);
    return WEDGE_OK;
}
