/* points.c: opens the input, tells .npy, .xyz and text apart by its first bytes, and hands it to the reader of that kind.
 *
 * SPDX-License-Identifier: MIT */
#include "io/points.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/gz.h"
#include "io/npy.h"
#include "io/text.h"
#include "io/xyz.h"

enum { ALIGNMENT = 64, HEAD = XYZ_HEAD, MOST_READ = 16 << 20 };

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

bool points_resize(points *p, uint64_t bytes) {
    if (bytes > PTRDIFF_MAX - ALIGNMENT) return false;
    size_t old_offset = p->memory ? (size_t)((char *)p->data - (char *)p->memory) : 0;
    char *memory = realloc(p->memory, (size_t)bytes + ALIGNMENT);
    if (!memory) return false;
    size_t offset = (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
    if (p->memory && offset != old_offset) memmove(memory + offset, memory + old_offset, (size_t)bytes);
    p->memory = memory;
    p->data = memory + offset;
    return true;
}

void points_free(points *p) {
    free(p->memory);
    points_about_free(&p->about);
    *p = (points){0};
}

/* Whether all of a piece is finite, by the bits, so that the loop vectorises. */
static bool finite_piece(const points *p, uint64_t start, size_t count) {
    unsigned odd = 0;
    for (size_t i = 0; p->is_f64 && i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, (const double *)p->data + start + i, sizeof bits);
        odd |= (bits & 0x7ff0000000000000u) == 0x7ff0000000000000u;
    }
    for (size_t i = 0; !p->is_f64 && i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, (const float *)p->data + start + i, sizeof bits);
        odd |= (bits & 0x7f800000u) == 0x7f800000u;
    }
    return !odd;
}

uint64_t points_first_odd(const points *p) {
    enum { PIECE = 4096 };
    uint64_t total = p->n * p->d, at = 0;
    while (at < total && finite_piece(p, at, total - at < PIECE ? (size_t)(total - at) : PIECE)) at += PIECE;
    if (at >= total) return total;
    while (finite_piece(p, at, 1)) ++at;
    return at;
}

/* From the last to the first: the wider numbers lie over the narrower ones. */
bool points_widen(points *p) {
    uint64_t count = p->n * p->d;
    if (p->is_f64) return true;
    if (count > UINT64_MAX / sizeof(double) || !points_resize(p, count * sizeof(double))) return false;
    for (uint64_t k = count; k-- > 0;) {
        float narrow;
        memcpy(&narrow, (const char *)p->data + k * sizeof narrow, sizeof narrow);
        ((double *)p->data)[k] = narrow;
    }
    p->is_f64 = true;
    return true;
}

void points_narrow(points *p) {
    for (uint64_t k = 0; p->is_f64 && k < p->n * p->d; ++k) {
        float narrow = (float)((const double *)p->data)[k];
        memcpy((char *)p->data + k * sizeof narrow, &narrow, sizeof narrow);
    }
    p->is_f64 = false;
}

void points_bounds(const points *p, double *lo, double *hi) {
    for (uint64_t x = 0; x < p->n; ++x)
        for (uint64_t f = 0; f < p->d; ++f) {
            uint64_t at = x * p->d + f;
            double v = p->is_f64 ? ((const double *)p->data)[at] : (double)((const float *)p->data)[at];
            lo[f] = !x || v < lo[f] ? v : lo[f];
            hi[f] = !x || v > hi[f] ? v : hi[f];
        }
}

size_text size_in_words(uint64_t bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_text s;
    double value = (double)bytes / 1024;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; ++unit) value /= 1024;
    if (bytes < 1024)
        snprintf(s.text, sizeof s.text, "%llu bytes", (unsigned long long)bytes);
    else
        snprintf(s.text, sizeof s.text, "%llu bytes (%.1f %s)", (unsigned long long)bytes, value, units[unit]);
    return s;
}

quoted_text quoted(const char *text, size_t length) {
    enum { MOST = 32 };
    quoted_text q = {{0}};
    char *to = q.text;
    *to++ = '\'';
    for (size_t i = 0; i < length && i < MOST; ++i) {
        unsigned char c = (unsigned char)text[i];
        to += sprintf(to, c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
    }
    strcpy(to, length > MOST ? "...'" : "'");
    return q;
}

wedge_status source_read(points_source *s, void *to, size_t size, size_t *got, note *n) {
    size_t done = size < s->head_left ? size : s->head_left;
    if (done) {
        memcpy(to, s->head, done);
        s->head += done;
        s->head_left -= done;
    }
    while (done < size && s->fd >= 0) {
        WEDGE_CHECK(!s->stopped || !s->stopped(), n, WEDGE_STOPPED, "%s: reading was interrupted", s->name);
        ssize_t r = read(s->fd, (char *)to + done, size - done < MOST_READ ? size - done : MOST_READ);
        if (r == 0) break;
        WEDGE_CHECK(r > 0 || errno != EINTR, n, WEDGE_STOPPED, "%s: reading was interrupted", s->name);
        WEDGE_CHECK(r > 0, n, WEDGE_FAILED, "%s: cannot be read: %s", s->name, strerror(errno));
        done += (size_t)r;
    }
    if (s->gz && done < size) {
        size_t unpacked;
        WEDGE_TRY(gz_read(s->gz, (char *)to + done, size - done, &unpacked, n));
        done += unpacked;
    }
    for (char *c = to; s->cr && (c = memchr(c, '\r', done - (size_t)(c - (char *)to)));) *c = '\n';
    if (s->left != SOURCE_UNKNOWN) s->left -= done < s->left ? done : s->left;
    *got = done;
    return WEDGE_OK;
}

/* The first line ends in CR alone, as old Macs wrote them. */
static bool ends_in_cr(const unsigned char *head, size_t size) {
    const unsigned char *cr = memchr(head, '\r', size);
    return cr && cr + 1 < head + size && cr[1] != '\n' && !memchr(head, '\n', (size_t)(cr - head));
}

/* Text whose name says .npy: that is told beside what is wrong with it, or as a warning. */
static wedge_status tell_of_name(const points_source *s, wedge_status status, points *out, note *n) {
    static const char is_text[] = "it is named .npy and does not begin as one, so it was read as text";
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
    bool all = (s->fd < 0 && !s->gz) || s->head_left < HEAD, no_memory = false, npy = npy_starts(s->head, s->head_left);
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
    wedge_status status = gz_open(packed, &s.gz, n);
    if (!status) status = gz_read(s.gz, head, sizeof head, &s.head_left, n);
    if (!status) status = read_plain(&s, options, out, n);
    gz_close(s.gz);
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
