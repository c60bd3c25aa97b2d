/* numbers.c: the numbers of points, in memory that is aligned for vectors.
 *
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "io/data/points.h"

enum { ALIGNMENT = 64 };

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
