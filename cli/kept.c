/* kept.c: copies of pieces.
 *
 * SPDX-License-Identifier: MIT */
#include "kept.h"

#include <stdlib.h>
#include <string.h>

/* Positions are complete with the last part of a piece; parts of one that is not are forgotten. */
static void forget_incomplete(kept *k, uint64_t complete) {
    while (k->count > complete) {
        kept_piece *p = &k->pieces[--k->count];
        k->entries -= p->count;
        free(p->pairs);
        free(p->values);
    }
}

static bool append(kept *k, const wedge_piece *piece) {
    size_t pairs = piece->count * k->pair_bytes, values = piece->count * k->value_bytes;
    if (k->count == k->room) {
        uint64_t room = 2 * k->room + 16;
        kept_piece *larger = realloc(k->pieces, room * sizeof *larger);
        if (!larger) return false;
        k->pieces = larger, k->room = room;
    }
    kept_piece copy = {piece->count, malloc(pairs), values ? malloc(values) : NULL};
    if (!copy.pairs || (values && !copy.values)) {
        free(copy.pairs);
        free(copy.values);
        return false;
    }
    memcpy(copy.pairs, piece->indices, pairs);
    if (values) memcpy(copy.values, piece->values, values);
    k->pieces[k->count++] = copy;
    k->bytes += pairs + values, k->entries += piece->count;
    return true;
}

wedge_status kept_take(kept *k, const wedge_piece *piece) {
    uint64_t bytes = piece->count * (k->pair_bytes + k->value_bytes);
    k->full = bytes > k->budget - k->bytes || (piece->count && !append(k, piece));
    if (k->full) {
        forget_incomplete(k, k->complete);
        return WEDGE_NO_MEMORY;
    }
    if (piece->end > k->upto) k->upto = piece->end, k->complete = k->count;
    return WEDGE_OK;
}

void kept_free(kept *k) {
    forget_incomplete(k, 0);
    free(k->pieces);
    *k = (kept){0};
}
