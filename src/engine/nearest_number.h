/* nearest_number.h: candidates of float or double, for nearest_native.c, which includes it once for each.
 *
 * A candidate is a KEY: the bits of its value, turned so that they grow with it, and then the caller's column. So the order of
 * keys is the order of neighbours, and no two are equal. -0 counts as 0; NaN does not come here.
 *
 * SPDX-License-Identifier: MIT */

static inline KEY NAME(key_of)(NUMBER value, uint32_t column) {
    const BITS sign = (BITS)1 << (8 * sizeof(BITS) - 1);
    NUMBER positive_zero = value + 0;
    BITS bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    bits = bits & sign ? ~bits : bits | sign;
    return (KEY)bits << 32 | column;
}

static inline NUMBER NAME(value_of)(KEY key) {
    const BITS sign = (BITS)1 << (8 * sizeof(BITS) - 1);
    BITS bits = (BITS)(key >> 32);
    NUMBER value;
    bits = bits & sign ? bits & ~sign : ~bits;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Puts the smallest `wanted` of the keys in front, in any order but that the last one is the largest: by halving, around the
 * middle one of three. */
static void NAME(put_smallest)(KEY *x, size_t count, size_t wanted) {
    size_t low = 0, high = count - 1, last = wanted - 1;
    while (low < high) {
        KEY a = x[low], b = x[low + (high - low) / 2], c = x[high];
        KEY less = a < b ? a : b, more = a < b ? b : a, middle = c < less ? less : c < more ? c : more;
        size_t i = low, j = high + 1; /* nothing before i is larger, nothing from j on is smaller */
        while (i < j) {
            while (x[i] < middle) ++i;
            while (middle < x[j - 1]) --j;
            if (i >= j) break;
            KEY own = x[i];
            x[i++] = x[j - 1], x[--j] = own;
        }
        if (last < j)
            high = j - 1;
        else if (last >= i)
            low = i;
        else
            return;
    }
}

static int NAME(by_key)(const void *a, const void *b) {
    KEY x = *(const KEY *)a, y = *(const KEY *)b;
    return (x > y) - (x < y);
}

static void NAME(sort_keys)(KEY *x, size_t count) {
    if (count > FEW_KEYS) {
        qsort(x, count, sizeof *x, NAME(by_key));
        return;
    }
    for (size_t k = 1; k < count; ++k) {
        KEY own = x[k];
        size_t at = k;
        for (; at && own < x[at - 1]; --at) x[at] = x[at - 1];
        x[at] = own;
    }
}

/* Keeps the k smallest candidates of a row; from then on only those before the last of them count. */
static void NAME(keep_smallest)(nearest_space *w, uint32_t k, int r) {
    KEY *x = (KEY *)w->keys + (size_t)r * w->room;
    if (w->count[r] < k) return;
    NAME(put_smallest)(x, w->count[r], k);
    w->count[r] = k;
    w->last.NAME(of)[r] = x[k - 1];
    w->limit.NAME(of)[r] = NAME(value_of)(x[k - 1]);
}

/* Takes the marked ones of row r's values, from `column` on. */
static void NAME(take_marked)(const nearest_task *g, nearest_space *w, int r, int64_t self, const void *cells,
                              uint64_t words, uint64_t column) {
    const NUMBER *values = cells;
    const uint32_t *order = g->order;
    KEY *x = (KEY *)w->keys + (size_t)r * w->room;
    for (uint64_t word = 0; word < words; ++word)
        for (uint32_t bits = w->marks[word]; bits; bits &= bits - 1) {
            uint64_t at = 32 * word + (uint64_t)__builtin_ctz(bits), along = column + at;
            uint32_t own = order ? order[along] : (uint32_t)along;
            KEY key = NAME(key_of)(values[at], own);
            if (own == self || key >= w->last.NAME(of)[r]) continue;
            x[w->count[r]++] = key;
            if (w->count[r] == w->room) NAME(keep_smallest)(w, g->k, r);
        }
}

static void NAME(clear_rows)(nearest_space *w) {
    for (int r = 0; r < UNIT_ROWS; ++r) {
        w->count[r] = 0;
        w->last.NAME(of)[r] = ~(KEY)0;
        w->limit.NAME(of)[r] = (NUMBER)INFINITY;
    }
}

static double NAME(largest_limit)(const nearest_space *w, int rows) {
    NUMBER most = w->limit.NAME(of)[0];
    for (int r = 1; r < rows; ++r)
        if (w->limit.NAME(of)[r] > most) most = w->limit.NAME(of)[r];
    return (double)most;
}

/* The neighbours of a row in order, to entry `at` on. */
static void NAME(put_out)(const nearest_task *g, nearest_space *w, int r, uint64_t at) {
    KEY *x = (KEY *)w->keys + (size_t)r * w->room;
    int64_t *columns = g->to->whole.memory.host;
    NUMBER *values = g->to->values.memory.host;
    NAME(keep_smallest)(w, g->k, r);
    NAME(sort_keys)(x, w->count[r]);
    for (uint32_t e = 0; e < g->k; ++e) {
        bool there = e < w->count[r];
        if (columns) columns[at + e] = there ? (int64_t)(uint32_t)x[e] : -1;
        if (values) values[at + e] = there ? NAME(value_of)(x[e]) : (NUMBER)INFINITY;
    }
}
