/* points.c: the readers of points. Whatever the bytes, a call ends with points that keep their promises or with a message; the size of
 * the reads changes nothing, nor does naming all columns by number; and any first line may be a list of columns.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/data/points.h"
#include "io/read/npy.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

/* A .npy stays one, or most of its offspring would be text. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    (void)seed;
    bool is_npy = npy_starts(bytes, size);
    size = LLVMFuzzerMutate(bytes, size, most);
    if (is_npy && size >= 6) memcpy(bytes, "\x93NUMPY", 6);
    return size;
}

static bool about_is_sound(const points *p) {
    const points_about *a = &p->about;
    if (a->points != p->n || a->features != p->d || a->columns < p->d) return false;
    if (a->columns > p->d && !a->taken) return false;
    if (a->index && (!a->names || *a->names[0] || a->columns != p->d + 1)) return false;
    for (uint64_t k = 0; k < p->d; ++k)
        if (points_column(a, k) >= a->columns) return false;
    for (uint64_t c = 0; a->names && c < a->columns; ++c)
        for (const char *t = a->names[c]; *t; ++t)
            if ((unsigned char)*t < 32) return false;
    char *words = points_describe(a);
    bool described = words && strstr(words, " feature");
    free(words);
    return described;
}

static bool keeps_promises(const points *p, const points_options *options) {
    if (!p->data || !p->n || !p->d || (uintptr_t)p->data % 64) return false;
    if (options->dtype && p->is_f64 != (options->dtype == POINTS_F64)) return false;
    if (options->memory && p->n * p->d * points_value_size(p) > options->memory) return false;
    bool finite = true;
    for (uint64_t i = 0; i < p->n * p->d; ++i)
        finite = finite && isfinite(p->is_f64 ? ((double *)p->data)[i] : (double)((float *)p->data)[i]);
    return (options->nan_propagate || finite) && about_is_sound(p);
}

static bool same_points(const points *a, const points *b) {
    return a->n == b->n && a->d == b->d && a->is_f64 == b->is_f64 &&
           !memcmp(a->data, b->data, a->n * a->d * points_value_size(a));
}

/* The columns that were taken, asked for by number: the same points. */
static void by_number(const char *name, const uint8_t *bytes, size_t size, const points_options *options,
                      const points *whole) {
    enum { MOST = 16 };
    char list[MOST * 24] = "", *to = list;
    points_options numbered = *options;
    points again;
    if (whole->d > MOST) return;
    for (uint64_t k = 0; whole->about.names && k < whole->about.columns; ++k) /* a name that is a number goes first */
        if (strspn(whole->about.names[k], "0123456789") == strlen(whole->about.names[k])) return;
    for (uint64_t k = 0; k < whole->d; ++k)
        to += sprintf(to, "%s%" PRIu64, k ? "," : "", points_column(&whole->about, k) + 1);
    numbered.columns = list;
    note n = {0};
    wedge_status status = points_parse(bytes, size, name, &numbered, &again, &n);
    if (status) fprintf(stderr, "--columns %s: %s\n", list, note_text(&n));
    HOLDS(!status && same_points(whole, &again));
    points_free(&again);
    note_free(&n);
}

static void try(const char *name, const uint8_t *bytes, size_t size, const points_options *options) {
    points whole, pieces;
    note n = {0};
    points_options tiny = *options;
    tiny.block = 7;
    wedge_status status = points_parse(bytes, size, name, options, &whole, &n);
    HOLDS(status ? !whole.data && !whole.about.names && *note_text(&n) : keeps_promises(&whole, options));
    wedge_status again = points_parse(bytes, size, name, &tiny, &pieces, &n);
    /* a zero byte is seen with its block, so it may come before or after another error */
    HOLDS(!status == !again);
    HOLDS(status || same_points(&whole, &pieces));
    if (!status && !options->columns) by_number(name, bytes, size, options, &whole);
    points_free(&whole);
    points_free(&pieces);
    note_free(&n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const points_options asked[] = {
        {.dtype = POINTS_AS_IS, .memory = 1 << 20},
        {.dtype = POINTS_F32, .nan_propagate = true, .memory = 256},
        {.dtype = POINTS_F64, .memory = 1 << 20, .columns = "x,2"},
        {.dtype = POINTS_AS_IS, .nan_propagate = true, .memory = 1 << 20, .columns = "2:3"},
        {.dtype = POINTS_AS_IS, .memory = 1 << 20, .named = "x,y?,z?1,w?1,r|radius"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i)
        try(i % 2 ? "input" : "input.xyz", bytes, size, &asked[i]);
    const uint8_t *newline = size ? memchr(bytes, '\n', size) : NULL;
    size_t length = newline ? (size_t)(newline - bytes) : size;
    char list[128];
    if (length >= sizeof list) return 0;
    snprintf(list, sizeof list, "%.*s", (int)length, (const char *)bytes);
    try("input", bytes, size, &(points_options){.memory = 1 << 20, .columns = list});
    return 0;
}
