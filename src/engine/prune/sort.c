/* sort.c: a radix sort that is stable.
 *
 * The items are cut into parts. For each pass the parts count their digits; the counts, all parts' of digit 0 first, then of
 * digit 1, become the positions where they begin; then each part moves its items there. A digit that all keys share costs
 * no move.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/prune/sort.h"

#include <stdlib.h>
#include <string.h>

#include "core/maps.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PART_LEAST = 8192, PARTS_EACH = 4 };

typedef uint32_t part_counts[DIGITS]; /* then places */

typedef struct {
    uint64_t n, each, parts;
    part_counts *counts;
    const sort_item *items;
    sort_item *sorted;
    uint32_t shift;
} sorter;

static uint64_t part_end(const sorter *s, uint64_t p) {
    return s->n - p * s->each < s->each ? s->n : (p + 1) * s->each;
}

static void tally(void *user, uint64_t begin, uint64_t end) {
    const sorter *s = user;
    for (uint64_t p = begin; p < end; ++p) {
        uint32_t *counts = s->counts[p];
        memset(counts, 0, sizeof s->counts[p]);
        for (uint64_t k = p * s->each; k < part_end(s, p); ++k) ++counts[s->items[k].key >> s->shift & (DIGITS - 1)];
    }
}

static void move(void *user, uint64_t begin, uint64_t end) {
    const sorter *s = user;
    for (uint64_t p = begin; p < end; ++p) {
        uint32_t *places = s->counts[p];
        for (uint64_t k = p * s->each; k < part_end(s, p); ++k)
            s->sorted[places[s->items[k].key >> s->shift & (DIGITS - 1)]++] = s->items[k];
    }
}

/* Counts to places; false: all keys have the same digit. */
static bool find_places(sorter *s) {
    uint32_t place = 0;
    for (int d = 0; d < DIGITS; ++d) {
        uint32_t first = place;
        for (uint64_t p = 0; p < s->parts; ++p) {
            uint32_t count = s->counts[p][d];
            s->counts[p][d] = place;
            place += count;
        }
        if (place - first == s->n) return false;
    }
    return true;
}

/* Items go from one to the other and back. */
static wedge_status sort_digits(wedge_device *dev, sorter *s, sort_item *one, sort_item *other, uint32_t bits,
                                sort_item **sorted) {
    const backend *b = dev->backend;
    for (s->shift = 0; s->shift < bits; s->shift += DIGIT_BITS) {
        s->items = one;
        WEDGE_TRY(b->run(dev, tally, s, 0, s->parts, 1));
        if (!find_places(s)) continue;
        s->sorted = other;
        WEDGE_TRY(b->run(dev, move, s, 0, s->parts, 1));
        other = one, one = s->sorted;
    }
    *sorted = one;
    return WEDGE_OK;
}

wedge_status sort_native(wedge_device *dev, sort_item *items, sort_item *spare, uint64_t n, uint32_t bits,
                         sort_item **sorted) {
    uint64_t most = UINT64_C(1) * PARTS_EACH * dev->info.units, parts = ceil_div(n, PART_LEAST);
    sorter s = {.n = n, .each = ceil_div(n, parts < most ? parts : most)};
    s.parts = ceil_div(n, s.each);
    s.counts = malloc(s.parts * sizeof *s.counts);
    WEDGE_CHECK(s.counts, &dev->note, WEDGE_NO_MEMORY, "no memory to sort with");
    wedge_status status = sort_digits(dev, &s, items, spare, bits, sorted);
    free(s.counts);
    return status;
}
