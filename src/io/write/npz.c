/* npz.c: writes a zip archive without a library: per member a header and its bytes, then the directory, then its offset.
 *
 * SPDX-License-Identifier: MIT */
#include "io/write/npz.h"

#include <string.h>

#include "io/read/npy.h"

enum { MOST_ARRAYS = 16, VERSION = 20, FIRST_DAY = 1 << 5 | 1 /* of 1980, the earliest that zip can say */ };

typedef struct {
    char name[64]; /* "counts.npy" */
    char head[NPY_HEADER_BYTES];
    uint32_t size, sum, at; /* bytes with the head, their CRC, and where the member begins */
} member;

/* CRC-32 of the bytes so far, bit by bit: there are few of them. */
static uint32_t sum_more(uint32_t sum, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; ++k) {
        sum ^= bytes[k];
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return sum;
}

static void put(FILE *f, uint32_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) fputc((int)(value >> 8 * k & 255), f);
}

/* What a member's own header and its entry in the directory have in common. */
static void put_common(FILE *f, const member *m) {
    put(f, 0, 2), put(f, 0, 2);         /* no flags; stored */
    put(f, 0, 2), put(f, FIRST_DAY, 2); /* time, date */
    put(f, m->sum, 4), put(f, m->size, 4), put(f, m->size, 4);
    put(f, (uint32_t)strlen(m->name), 2), put(f, 0, 2); /* no extra field */
}

static size_t bytes_of(const npz_array *a) { return a->count * (size_t)(a->type[1] - '0'); }

static void put_member(FILE *f, const npz_array *a, member *m, uint32_t at) {
    m->at = at;
    m->size = (uint32_t)(sizeof m->head + bytes_of(a));
    snprintf(m->name, sizeof m->name, "%.50s.npy", a->name);
    npy_header(m->head, a->type, 1, &a->count);
    m->sum = ~sum_more(sum_more(~0u, m->head, sizeof m->head), a->data, bytes_of(a));
    fwrite("PK\3\4", 1, 4, f);
    put(f, VERSION, 2);
    put_common(f, m);
    fwrite(m->name, 1, strlen(m->name), f);
    fwrite(m->head, 1, sizeof m->head, f);
    fwrite(a->data, 1, bytes_of(a), f);
}

static void put_entry(FILE *f, const member *m) {
    fwrite("PK\1\2", 1, 4, f);
    put(f, VERSION, 2), put(f, VERSION, 2);
    put_common(f, m);
    put(f, 0, 2), put(f, 0, 2), put(f, 0, 2), put(f, 0, 4); /* no comment, one disk, no attributes */
    put(f, m->at, 4);
    fwrite(m->name, 1, strlen(m->name), f);
}

bool npz_write(FILE *f, const npz_array *arrays, int count) {
    enum { LOCAL = 30, ENTRY = 46 };
    member members[MOST_ARRAYS];
    uint32_t at = 0, directory = 0;
    if (count > MOST_ARRAYS) return false;
    for (int k = 0; k < count; ++k) {
        if (bytes_of(&arrays[k]) > NPZ_MOST_BYTES || at > NPZ_MOST_BYTES) return false;
        put_member(f, &arrays[k], &members[k], at);
        at += LOCAL + (uint32_t)strlen(members[k].name) + members[k].size;
    }
    for (int k = 0; k < count; ++k) {
        put_entry(f, &members[k]);
        directory += ENTRY + (uint32_t)strlen(members[k].name);
    }
    fwrite("PK\5\6", 1, 4, f);
    put(f, 0, 2), put(f, 0, 2);
    put(f, (uint32_t)count, 2), put(f, (uint32_t)count, 2);
    put(f, directory, 4), put(f, at, 4), put(f, 0, 2);
    return !ferror(f);
}
