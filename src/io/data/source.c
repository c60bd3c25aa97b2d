/* source.c: the bytes of an input, from wherever they come.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "io/data/points.h"

enum {
    MOST_READ = 16 << 20,
    LOOK_AGAIN = 100 /* ms: a signal that restarts read() would wait for a pipe that brings nothing */
};

wedge_status source_read(points_source *s, void *to, size_t size, size_t *got, note *n) {
    size_t done = size < s->head_left ? size : s->head_left;
    if (done) {
        memcpy(to, s->head, done);
        s->head += done;
        s->head_left -= done;
    }
    while (done < size && s->fd >= 0) {
        WEDGE_CHECK(!s->stopped || !s->stopped(), n, WEDGE_STOPPED, "%s: reading was interrupted", s->name);
        int ready = s->stopped ? poll(&(struct pollfd){.fd = s->fd, .events = POLLIN}, 1, LOOK_AGAIN) : 1;
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t r = read(s->fd, (char *)to + done, size - done < MOST_READ ? size - done : MOST_READ);
        if (r == 0) break;
        WEDGE_CHECK(r > 0 || errno != EINTR, n, WEDGE_STOPPED, "%s: reading was interrupted", s->name);
        WEDGE_CHECK(r > 0, n, WEDGE_FAILED, "%s: cannot be read: %s", s->name, strerror(errno));
        done += (size_t)r;
    }
    if (s->packed && done < size) {
        size_t unpacked;
        WEDGE_TRY(s->unpack(s->packed, (char *)to + done, size - done, &unpacked, n));
        done += unpacked;
    }
    for (char *c = to; s->cr && (c = memchr(c, '\r', done - (size_t)(c - (char *)to)));) *c = '\n';
    if (s->left != SOURCE_UNKNOWN) s->left -= done < s->left ? done : s->left;
    *got = done;
    return WEDGE_OK;
}
