/* fuzz_points.c: a libFuzzer target over the readers of points. Whatever the bytes, a call ends with points that keep
 * their promises or with a message, and the size of the reads changes nothing.
 *
 *   clang -std=c11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iinclude -Isrc \
 *       tests/fuzz_points.c src/core/note.c src/io/points.c src/io/npy.c src/io/text.c -o fuzz_points
 *   mkdir found; ./fuzz_points -runs=1000000 -max_len=512 found tests/corpus
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/npy.h"
#include "io/points.h"

#define HOLDS(condition)           \
    do {                           \
        if (!(condition)) abort(); \
    } while (0)

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A .npy stays one, or most of its offspring would be text. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    (void)seed;
    bool is_npy = npy_starts(bytes, size);
    size = LLVMFuzzerMutate(bytes, size, most);
    if (is_npy && size >= 6) memcpy(bytes, "\x93NUMPY", 6);
    return size;
}

static bool keeps_promises(const points *p, const points_options *options) {
    if (!p->data || !p->n || !p->d || (uintptr_t)p->data % 64) return false;
    if (options->dtype && p->is_f64 != (options->dtype == POINTS_F64)) return false;
    if (options->memory && p->n * p->d * points_value_size(p) > options->memory) return false;
    bool finite = true;
    for (uint64_t i = 0; i < p->n * p->d; ++i)
        finite = finite && isfinite(p->is_f64 ? ((double *)p->data)[i] : (double)((float *)p->data)[i]);
    return options->nan_propagate || finite;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const points_options asked[] = {
        {.dtype = POINTS_AS_IS, .memory = 1 << 20},
        {.dtype = POINTS_F32, .nan_propagate = true, .memory = 256},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        points whole, pieces;
        note n = {0};
        points_options tiny = asked[i];
        tiny.block = 7;
        wedge_status status = points_parse(bytes, size, "input", &asked[i], &whole, &n);
        HOLDS(status ? !whole.data && *note_text(&n) : keeps_promises(&whole, &asked[i]));
        wedge_status again = points_parse(bytes, size, "input", &tiny, &pieces, &n);
        /* a zero byte is seen with its block, so it may come before or after another error */
        HOLDS(!status == !again);
        HOLDS(status || (whole.n == pieces.n && whole.d == pieces.d &&
                         !memcmp(whole.data, pieces.data, whole.n * whole.d * points_value_size(&whole))));
        points_free(&whole);
        points_free(&pieces);
        note_free(&n);
    }
    return 0;
}
