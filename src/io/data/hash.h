/* hash.h: 128 bits that stand for many bytes, to tell one input from another in a journal.
 *
 * Eight lanes take eight bytes each in turn, so that the multiplications overlap and memory is the limit. A step of a
 * lane is a bijection both of the lane and of the word it takes: changing one word of the input always changes the
 * hash of its lane. Bytes in any pieces give the same hash, on machines of either byte order. Not for secrets: two inputs with the same
 * hash can be made on purpose.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_IO_DATA_HASH_H
#define WEDGE_IO_DATA_HASH_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HASH_LANES = 8, HASH_BLOCK = 8 * HASH_LANES };

typedef struct {
    uint64_t lane[HASH_LANES];
    uint64_t bytes;
    unsigned char tail[HASH_BLOCK]; /* the last bytes % HASH_BLOCK of them */
} hash;

/* 32 hexadecimal digits. */
typedef struct {
    char text[33];
} hash_text;

/* A bijection in which each bit of x reaches every bit (the finaliser of splitmix64). */
static inline uint64_t hash_mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static inline void hash_start(hash *h) {
    *h = (hash){.bytes = 0};
    for (unsigned i = 0; i < HASH_LANES; ++i) h->lane[i] = hash_mix((i + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* Two multiplications a word: one spreads the word before it meets the lane, so that no small change of a later word
 * undoes that of an earlier one; the rotation brings the high bits, which know most, down. */
static inline void hash_blocks(hash *h, const unsigned char *bytes, size_t blocks) {
    uint64_t lane[HASH_LANES];
    memcpy(lane, h->lane, sizeof lane);
    for (; blocks; --blocks, bytes += HASH_BLOCK)
        for (unsigned i = 0; i < HASH_LANES; ++i) {
            uint64_t word;
            memcpy(&word, bytes + 8 * i, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            word = __builtin_bswap64(word);
#endif
            uint64_t x = lane[i] ^ word * UINT64_C(0xD6E8FEB86659FD93);
            lane[i] = (x << 29 | x >> 35) * UINT64_C(0xA0761D6478BD642F);
        }
    memcpy(h->lane, lane, sizeof lane);
}

static inline void hash_add(hash *h, const void *data, size_t size) {
    const unsigned char *bytes = data;
    size_t held = h->bytes % HASH_BLOCK;
    if (!size) return;
    h->bytes += size;
    if (held) {
        size_t take = size < HASH_BLOCK - held ? size : HASH_BLOCK - held;
        memcpy(h->tail + held, bytes, take);
        bytes += take;
        size -= take;
        if (held + take < HASH_BLOCK) return;
        hash_blocks(h, h->tail, 1);
    }
    hash_blocks(h, bytes, size / HASH_BLOCK);
    if (size % HASH_BLOCK) memcpy(h->tail, bytes + size / HASH_BLOCK * HASH_BLOCK, size % HASH_BLOCK);
}

/* The tail is filled up with zeros; the length tells them from zeros of the input. */
static inline hash_text hash_end(const hash *h) {
    hash all = *h;
    size_t held = all.bytes % HASH_BLOCK;
    if (held) {
        memset(all.tail + held, 0, HASH_BLOCK - held);
        hash_blocks(&all, all.tail, 1);
    }
    uint64_t a = all.bytes, b = ~all.bytes;
    for (unsigned i = 0; i < HASH_LANES; ++i) {
        a = hash_mix(a ^ all.lane[i]);
        b = hash_mix(b + hash_mix(all.lane[i]));
    }
    hash_text t;
    snprintf(t.text, sizeof t.text, "%016" PRIx64 "%016" PRIx64, a, b);
    return t;
}

static inline hash_text hash_of(const void *data, size_t size) {
    hash h;
    hash_start(&h);
    hash_add(&h, data, size);
    return hash_end(&h);
}

#endif
