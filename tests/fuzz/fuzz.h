/* fuzz.h: what the libFuzzer targets share: numbers out of the bytes, and what must hold.
 *
 * A target takes any bytes, and for each the program ends with an answer or a message: never with a crash, a leak, undefined
 * behaviour or a promise that is broken. tools/fuzz builds and runs them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_FUZZ_H
#define WEDGE_TESTS_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                            \
        }                                                                                       \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What is left of the bytes; where there are none left, zeros. */
typedef struct {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;

static inline uint8_t fuzz_byte(fuzz_bytes *b) { return b->left ? --b->left, *b->at++ : 0; }
static inline uint64_t fuzz_below(fuzz_bytes *b, uint64_t most) { return fuzz_byte(b) % most; }

static inline uint64_t fuzz_u64(fuzz_bytes *b) {
    uint64_t x = 0;
    for (int k = 0; k < 8; ++k) x = x << 8 | fuzz_byte(b);
    return x;
}

/* The bytes with a zero after them; free it. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

/* A folder of this process's own, which goes with it. */
const char *fuzz_folder(void);

/* A file in that folder, or anywhere, with these bytes. */
void fuzz_write(const char *path, const void *bytes, size_t size);

#endif
