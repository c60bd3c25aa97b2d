/* gz.c: unpacks gzip by zlib, which is loaded when the first such file is read.
 *
 * SPDX-License-Identifier: MIT */
#include "io/read/gz.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/library.h"

/* ---- zlib's interface, which is the same since 1.2 ---- */

typedef struct {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned, unsigned);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler, reserved;
} z_stream;

enum { Z_OK = 0, Z_STREAM_END = 1, Z_MEM_ERROR = -4, Z_BUF_ERROR = -5, GZIP_ALONE = 15 + 16 };

typedef struct {
    int (*init)(z_stream *z, int window_bits, const char *version, int stream_size);
    int (*inflate)(z_stream *z, int flush);
    int (*reset)(z_stream *z);
    int (*end)(z_stream *z);
} zlib;

#define SYMBOL(name, member) \
    { name, offsetof(zlib, member) }
static const library_symbol symbols[] = {SYMBOL("inflateInit2_", init), SYMBOL("inflate", inflate),
                                         SYMBOL("inflateReset", reset), SYMBOL("inflateEnd", end)};
static const char *const names[] = {"libz.so.1", "libz.so", "libz-ng.so.2", NULL};

/* ---- Reading ---- */

enum { PACKED = 1 << 16 };

struct gz {
    zlib zlib;
    z_stream stream;
    points_source *packed;
    bool last;   /* the buffer has the end of the input */
    bool member; /* within one: its end must follow */
    bool opened;
    unsigned char buffer[PACKED];
};

bool gz_starts(const unsigned char *bytes, size_t size) { return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

wedge_status gz_open(points_source *packed, gz **out, note *n) {
    gz *g = *out = calloc(1, sizeof *g);
    note why = {0};
    WEDGE_CHECK(g, n, WEDGE_NO_MEMORY, "%s: no memory to unpack it", packed->name);
    g->packed = packed;
    if (!library_open(getenv("WEDGE_LIBZ"), names, symbols, sizeof symbols / sizeof *symbols, &g->zlib, &why)) {
        note_fail(n, WEDGE_BAD_DATA,
                  "%s: is compressed by gzip, and zlib, which unpacks it, is missing (%s): install zlib, or pipe the "
                  "file through gzip -dc",
                  packed->name, note_text(&why));
        note_free(&why);
        return WEDGE_BAD_DATA;
    }
    int status = g->zlib.init(&g->stream, GZIP_ALONE, "1.2.11", (int)sizeof g->stream);
    WEDGE_CHECK(status == Z_OK, n, WEDGE_NO_MEMORY, "%s: zlib cannot start: no memory, or another version",
                packed->name);
    g->opened = g->member = true;
    return WEDGE_OK;
}

void gz_close(gz *g) {
    if (g && g->opened) g->zlib.end(&g->stream);
    free(g);
}

static wedge_status fill(gz *g, note *n) {
    size_t got;
    if (g->stream.avail_in || g->last) return WEDGE_OK;
    WEDGE_TRY(source_read(g->packed, g->buffer, sizeof g->buffer, &got, n));
    g->last = got < sizeof g->buffer;
    g->stream.next_in = g->buffer, g->stream.avail_in = (unsigned)got;
    return WEDGE_OK;
}

/* Between members: zeros may fill up a block of a tape; another member begins as the first did. */
static wedge_status next_member(gz *g, note *n) {
    z_stream *z = &g->stream;
    while (!g->member) {
        WEDGE_TRY(fill(g, n));
        if (!z->avail_in) return WEDGE_OK;
        WEDGE_CHECK(!*z->next_in || *z->next_in == 0x1f, n, WEDGE_BAD_DATA,
                    "%s: other bytes follow its gzip data; copy it again", g->packed->name);
        if (*z->next_in)
            g->member = g->zlib.reset(z) == Z_OK;
        else
            ++z->next_in, --z->avail_in;
    }
    return WEDGE_OK;
}

static wedge_status inflate_some(gz *g, note *n) {
    z_stream *z = &g->stream;
    WEDGE_TRY(fill(g, n));
    int status = g->zlib.inflate(z, 0);
    WEDGE_CHECK(status != Z_MEM_ERROR, n, WEDGE_NO_MEMORY, "%s: no memory to unpack it", g->packed->name);
    WEDGE_CHECK(status != Z_BUF_ERROR || z->avail_in || !g->last, n, WEDGE_BAD_DATA,
                "%s: its gzip data is truncated; copy it again", g->packed->name);
    WEDGE_CHECK(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, n, WEDGE_BAD_DATA,
                "%s: its gzip data is damaged (%s); copy it again", g->packed->name, z->msg ? z->msg : "unknown");
    if (status == Z_STREAM_END) g->member = false;
    return WEDGE_OK;
}

wedge_status gz_read(gz *g, void *to, size_t size, size_t *got, note *n) {
    z_stream *z = &g->stream;
    *got = 0;
    while (*got < size) {
        WEDGE_TRY(next_member(g, n));
        if (!g->member) return WEDGE_OK;
        unsigned room = size - *got < UINT_MAX ? (unsigned)(size - *got) : UINT_MAX;
        z->next_out = (unsigned char *)to + *got, z->avail_out = room;
        WEDGE_TRY(inflate_some(g, n));
        *got += room - z->avail_out;
    }
    return WEDGE_OK;
}
