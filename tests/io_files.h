/* io_files.h: for the tests of input: files made on the spot, and two verbs, accept and refuse.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_IO_FILES_H
#define WEDGE_TESTS_IO_FILES_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/data/points.h"
#include "io/read/npy.h"

static char folder[] = "/tmp/wedge-io-XXXXXX", path[sizeof folder + 16];

static inline int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    sprintf(path, "%s/points.dat", folder); /* one name for both kinds: the name must not matter */
    return 0;
}

static inline int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static inline void write_file(const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static const points_options f32 = {.dtype = POINTS_F32}, f64 = {.dtype = POINTS_F64},
                            propagate = {.nan_propagate = true};

/* From a file, from memory and in tiny blocks: always the same. */
static inline points accept(const void *bytes, size_t size, const points_options *options) {
    points p, q;
    note n = {0};
    write_file(bytes, size);
    if (points_read(path, options, &p, &n)) fail_msg("refused: %s", note_text(&n));
    assert_int_equal((uintptr_t)p.data % 64, 0);
    for (size_t block = 1; block < 40; block += 6) {
        points_options tiny = options ? *options : (points_options){0};
        tiny.block = block;
        assert_int_equal(points_parse(bytes, size, "memory", &tiny, &q, &n), WEDGE_OK);
        assert_true(p.n == q.n && p.d == q.d && p.is_f64 == q.is_f64);
        assert_memory_equal(p.data, q.data, p.n * p.d * points_value_size(&p));
        points_free(&q);
    }
    note_free(&n);
    return p;
}

static inline void refuse_as(wedge_status status, const void *bytes, size_t size, const points_options *options,
                             const char *words) {
    points p;
    note n = {0};
    write_file(bytes, size);
    wedge_status got = points_read(path, options, &p, &n);
    if (got != status || !strstr(note_text(&n), words) || strncmp(note_text(&n), path, strlen(path)))
        fail_msg("wanted %s: '%s', got %s: %s", wedge_status_name(status), words, wedge_status_name(got),
                 note_text(&n));
    assert_null(p.data);
    note_free(&n);
}

static inline void refuse(const void *bytes, size_t size, const char *words) {
    refuse_as(WEDGE_BAD_DATA, bytes, size, NULL, words);
}

/* Values wanted, row by row. */
static inline void holds(points p, uint64_t n, uint64_t d, const double *wanted) {
    assert_int_equal(p.n, n);
    assert_int_equal(p.d, d);
    for (uint64_t i = 0; i < n * d; ++i) {
        double v = p.is_f64 ? ((double *)p.data)[i] : (double)((float *)p.data)[i];
        if (memcmp(&v, &wanted[i], sizeof v)) fail_msg("value %" PRIu64 " is %.17g, wanted %.17g", i, v, wanted[i]);
    }
    points_free(&p);
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN "<" /* this machine's, and the other */
#define OTHER ">"
#else
#define OWN ">"
#define OTHER "<"
#endif

static const double six[] = {1, 2, 3, 4, 5, 6};

typedef struct {
    unsigned char bytes[4096];
    size_t size;
} made_file;

static inline made_file npy(int version, const char *dictionary, const void *data, size_t size) {
    made_file f = {{0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version}, 8};
    size_t length = strlen(dictionary) + 1;
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) f.bytes[f.size++] = (unsigned char)(length >> 8 * i);
    memcpy(f.bytes + f.size, dictionary, length - 1);
    f.size += length;
    f.bytes[f.size - 1] = '\n';
    if (size) memcpy(f.bytes + f.size, data, size);
    f.size += size;
    return f;
}

static inline made_file npy_of(const char *descr, const char *order, const char *shape, const void *data, size_t size) {
    char dictionary[200];
    sprintf(dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
    return npy(1, dictionary, data, size);
}

static inline points read_text(const char *text, const points_options *options) {
    return accept(text, strlen(text), options);
}

static inline void refuse_text(const char *text, const char *words) { refuse(text, strlen(text), words); }

#endif
