/* points.c: opens the input, tells .npy, .xyz and text apart by its first bytes, and hands it to the reader of that kind.
 *
 * SPDX-License-Identifier: MIT */
#include "io/data/points.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/read/gz.h"
#include "io/read/npy.h"
#include "io/read/text.h"
#include "io/read/xyz.h"

enum { HEAD = XYZ_HEAD };

/* What people hand over by mistake. */
static const struct {
    const char *magic;
    const char *what;
} refused[] = {
    {"PK\003\004", "is a zip archive (.xlsx, .ods or .npz): save a spreadsheet as CSV, an array with numpy.save"},
    {"\037\213", "is compressed by gzip twice: unpack it first, or pipe it through gzip -dc"},
    {"BZh", "is compressed by bzip2: unpack it first, or pipe it through bzip2 -dc"},
    {"\3757zXZ", "is compressed by xz: unpack it first, or pipe it through xz -dc"},
    {"(\265/\375", "is compressed by zstd: unpack it first, or pipe it through zstd -dc"},
    {"\211HDF", "is an HDF5 file: save the dataset with numpy.save"},
    {"\200\002", "is a Python pickle, which is never loaded: save the array with numpy.save"},
    {"\200\003", "is a Python pickle, which is never loaded: save the array with numpy.save"},
    {"\200\004", "is a Python pickle, which is never loaded: save the array with numpy.save"},
    {"\200\005", "is a Python pickle, which is never loaded: save the array with numpy.save"},
    {"\377\376", "is UTF-16 text: save it as UTF-8"},
    {"\376\377", "is UTF-16 text: save it as UTF-8"},
};

void points_free(points *p) {
    free(p->memory);
    points_about_free(&p->about);
    *p = (points){0};
}

/* The first line ends in CR alone, as old Macs wrote them. */
static bool ends_in_cr(const unsigned char *head, size_t size) {
    const unsigned char *cr = memchr(head, '\r', size);
    return cr && cr + 1 < head + size && cr[1] != '\n' && !memchr(head, '\n', (size_t)(cr - head));
}

/* Text whose name says .npy: that is told beside what is wrong with it, or as a warning. */
static wedge_status tell_of_name(const points_source *s, wedge_status status, points *out, note *n) {
    static const char is_text[] = "it is named .npy but does not begin like one, so it was read as text";
    size_t length = strlen(s->name);
    bool named = (length > 4 && !strcasecmp(s->name + length - 4, ".npy")) ||
                 (length > 7 && !strcasecmp(s->name + length - 7, ".npy.gz"));
    if (!named) return status;
    if (status == WEDGE_BAD_DATA && n) return note_fail(n, status, "%s (%s)", note_text(n), is_text);
    if (!status && !out->about.warning) out->about.warning = text_format("%s: %s", s->name, is_text);
    return status;
}

static wedge_status read_plain(points_source *s, const points_options *options, points *out, note *n) {
    WEDGE_CHECK(s->head_left, n, WEDGE_BAD_DATA, "%s: is empty; wanted: points as .npy, numeric text or .xyz", s->name);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        size_t length = strlen(refused[i].magic);
        WEDGE_CHECK(s->head_left < length || memcmp(s->head, refused[i].magic, length), n, WEDGE_BAD_DATA, "%s: %s",
                    s->name, refused[i].what);
    }
    static const points_options defaults;
    if (!options) options = &defaults;
    bool all = (s->fd < 0 && !s->packed) || s->head_left < HEAD, no_memory = false,
         npy = npy_starts(s->head, s->head_left);
    bool xyz = !npy && xyz_starts(s->name, s->head, s->head_left, all, &no_memory);
    WEDGE_CHECK(!no_memory, n, WEDGE_NO_MEMORY, "%s: no memory to read it", s->name);
    s->cr = !npy && ends_in_cr(s->head, s->head_left);
    wedge_status status = npy   ? npy_read(s, options, out, n)
                          : xyz ? xyz_read(s, options, out, n)
                                : tell_of_name(s, text_read(s, options, out, n), out, n);
    out->about.points = out->n;
    out->about.features = out->d;
    if (status) points_free(out);
    return status;
}

/* With the first bytes as they are unpacked. */
static wedge_status read_packed(points_source *packed, const points_options *options, points *out, note *n) {
    unsigned char head[HEAD];
    points_source s = {
        .name = packed->name, .fd = -1, .head = head, .left = SOURCE_UNKNOWN, .stopped = packed->stopped};
    gz *unpacking = NULL;
    wedge_status status = gz_open(packed, &unpacking, n);
    s.packed = unpacking, s.unpack = gz_read;
    if (!status) status = gz_read(unpacking, head, sizeof head, &s.head_left, n);
    if (!status) status = read_plain(&s, options, out, n);
    gz_close(unpacking);
    return status;
}

static wedge_status read_source(points_source *s, const points_options *options, points *out, note *n) {
    return gz_starts(s->head, s->head_left) ? read_packed(s, options, out, n) : read_plain(s, options, out, n);
}

wedge_status points_parse(const void *bytes, size_t size, const char *name, const points_options *options, points *out,
                          note *n) {
    *out = (points){0};
    points_source s = {.name = name, .head = bytes, .head_left = size, .fd = -1, .left = size};
    return read_source(&s, options, out, n);
}

/* How much a descriptor will give. Files of size 0 may be those of /proc, which have bytes all the same. */
static uint64_t bytes_ahead(int fd, const struct stat *about) {
    off_t at = S_ISREG(about->st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
    return at >= 0 && about->st_size > at ? (uint64_t)(about->st_size - at) : SOURCE_UNKNOWN;
}

static wedge_status read_descriptor(int fd, const char *name, const points_options *options, points *out, note *n) {
    struct stat about;
    WEDGE_CHECK(!fstat(fd, &about), n, WEDGE_BAD_DATA, "%s: cannot be read: %s", name, strerror(errno));
    WEDGE_CHECK(!S_ISDIR(about.st_mode), n, WEDGE_BAD_DATA, "%s: is a folder; name a file in it", name);
    unsigned char head[HEAD];
    points_source s = {.name = name, .fd = fd, .left = bytes_ahead(fd, &about)};
    if (options) s.stopped = options->stopped;
    uint64_t left = s.left;
    size_t got = 0;
    WEDGE_TRY(source_read(&s, head, sizeof head, &got, n));
    s.head = head; /* given back, to be read again */
    s.head_left = got;
    s.left = left;
    return read_source(&s, options, out, n);
}

wedge_status points_read(const char *file, const points_options *options, points *out, note *n) {
    *out = (points){0};
    if (!strcmp(file, "-")) return read_descriptor(STDIN_FILENO, "standard input", options, out, n);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    WEDGE_CHECK(fd >= 0 || errno != EINTR, n, WEDGE_STOPPED, "%s: opening was interrupted", file);
    WEDGE_CHECK(fd >= 0, n, WEDGE_BAD_DATA, "%s: cannot be opened: %s; check the path and its permissions", file,
                strerror(errno));
    wedge_status status = read_descriptor(fd, file, options, out, n);
    close(fd);
    return status;
}
