/* nearest_number.h: candidates of float or double, for nearest_native.c, which includes it once for each.
 *
 * The candidates of a row are its values, followed by the caller's columns as INDEX, an integer as large as a NUMBER, so that the same
 * vectors compare either. They are sorted by value, ties by column; -0 equals 0; there are no NaN.
 *
 * SPDX-License-Identifier: MIT */

typedef struct {
    NUMBER *value;
    INDEX *column;
} NAME(candidates);

static inline NAME(candidates) NAME(of_row)(const nearest_space *w, int r) {
    NUMBER *value = (NUMBER *)w->candidates + (size_t)r * 2 * w->room;
    return (NAME(candidates)){value, (INDEX *)(void *)(value + w->room)};
}

static inline bool NAME(is_before)(NUMBER value, INDEX column, NUMBER other, INDEX other_column) {
    return value < other || (value == other && column < other_column);
}

/* ---- By vectors: compiled for each level of the instruction set ---- */

/* A number that k values of a panel or more are not above, and hardly more than k; infinity where there are not so many. It is the
 * k-th smallest of the least values of some groups, each of every `groups`-th value. */
static inline __attribute__((always_inline)) NUMBER NAME(kth_of_groups)(const NUMBER *values, uint32_t k,
                                                                        const int groups) {
    NUMBER least[MOST_GROUPS], kth = (NUMBER)INFINITY;
    INDEX up_to[MOST_GROUPS];
    for (int g = 0; g < groups; ++g) least[g] = (NUMBER)INFINITY, up_to[g] = 0;
    for (int c = 0; c < NATIVE_COLS; c += groups)
        for (int g = 0; g < groups; ++g) least[g] = values[c + g] < least[g] ? values[c + g] : least[g];
    for (int other = 0; other < groups; ++other)
        for (int g = 0; g < groups; ++g) up_to[g] += least[other] <= least[g];
    for (int g = 0; g < groups; ++g) least[g] = up_to[g] >= k ? least[g] : (NUMBER)INFINITY;
    for (int g = 0; g < groups; ++g) kth = least[g] < kth ? least[g] : kth;
    return kth;
}

static inline __attribute__((always_inline)) NUMBER NAME(kth_of)(const NUMBER *values, uint32_t k) {
    if (k <= MOST_GROUPS / 8) return NAME(kth_of_groups)(values, k, MOST_GROUPS / 4);
    if (k <= MOST_GROUPS / 4) return NAME(kth_of_groups)(values, k, MOST_GROUPS / 2);
    return NAME(kth_of_groups)(values, k, MOST_GROUPS);
}

/* Sorts at most FEW candidates: each goes after all that are before it. */
static inline __attribute__((always_inline)) void NAME(sort_few)(NUMBER *value, INDEX *column, uint32_t count) {
    enum { LANES = 64 / sizeof(NUMBER) };
    NUMBER own[FEW + LANES];
    INDEX own_column[FEW + LANES], places[FEW + LANES];
    memcpy(own, value, count * sizeof *own);
    memcpy(own_column, column, count * sizeof *own_column);
    for (uint32_t l = count; l < count + LANES; ++l) own[l] = 0, own_column[l] = 0;
    for (uint32_t from = 0; from < count; from += LANES) {
        INDEX place[LANES] = {0};
        for (uint32_t other = 0; other < count; ++other)
            for (uint32_t l = 0; l < LANES; ++l)
                place[l] += (INDEX)(own[other] < own[from + l]) |
                            ((INDEX)(own[other] == own[from + l]) & (INDEX)(own_column[other] < own_column[from + l]));
        memcpy(places + from, place, sizeof place);
    }
    for (uint32_t c = 0; c < count; ++c) value[places[c]] = own[c], column[places[c]] = own_column[c];
}

#define COMPILED(level, target)                                                                                        \
    target static double NAME(kth_##level)(const void *values, uint32_t k) { return (double)NAME(kth_of)(values, k); } \
    target static void NAME(sort_##level)(void *value, void *column, uint32_t count) {                                 \
        NAME(sort_few)(value, column, count);                                                                          \
    }
COMPILED(base, )
#if defined(__x86_64__)
COMPILED(v3, __attribute__((target("avx2"))))
COMPILED(v4, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#endif
#undef COMPILED

/* ---- Any number of them ---- */

/* Swaps until candidates [low, *end) are not after those of [*begin, high], around the middle one of three. */
static void NAME(part)(NAME(candidates) x, size_t low, size_t high, size_t *end, size_t *begin) {
    const size_t at[] = {low, low + (high - low) / 2, high};
    size_t less = NAME(is_before)(x.value[at[0]], x.column[at[0]], x.value[at[1]], x.column[at[1]]) ? 0 : 1;
    size_t more = 1 - less, third = at[2], middle = third, i = low, j = high + 1;
    if (NAME(is_before)(x.value[third], x.column[third], x.value[at[less]], x.column[at[less]])) middle = at[less];
    if (NAME(is_before)(x.value[at[more]], x.column[at[more]], x.value[third], x.column[third])) middle = at[more];
    const NUMBER value = x.value[middle];
    const INDEX column = x.column[middle];
    for (;;) { /* nothing before i is larger, nothing from j on is smaller */
        while (NAME(is_before)(x.value[i], x.column[i], value, column)) ++i;
        while (NAME(is_before)(value, column, x.value[j - 1], x.column[j - 1])) --j;
        if (i >= j) break;
        const NUMBER own = x.value[i];
        const INDEX own_column = x.column[i];
        x.value[i] = x.value[j - 1], x.column[i++] = x.column[j - 1];
        x.value[--j] = own, x.column[j] = own_column;
        if (i >= j) break;
    }
    *end = j, *begin = i;
}

/* Puts the smallest `wanted` candidates in front, in any order but that the last one is the largest: by halving. */
static void NAME(put_smallest)(NAME(candidates) x, size_t count, size_t wanted) {
    size_t low = 0, high = count - 1, last = wanted - 1, i, j;
    while (low < high) {
        NAME(part)(x, low, high, &j, &i);
        if (last < j)
            high = j - 1;
        else if (last >= i)
            low = i;
        else
            return;
    }
}

static void NAME(sort_all)(const nearest_task *g, NAME(candidates) x, size_t low, size_t end) {
    size_t i, j;
    while (end - low > FEW) {
        NAME(part)(x, low, end - 1, &j, &i);
        if (j - low < end - i) {
            NAME(sort_all)(g, x, low, j);
            low = i;
        } else {
            NAME(sort_all)(g, x, i, end);
            end = j;
        }
    }
    g->sort(x.value + low, x.column + low, (uint32_t)(end - low));
}

/* ---- Of a row ---- */

/* Keeps the k smallest candidates of a row; from then on only those before the last of them count. */
static void NAME(keep_smallest)(const nearest_task *g, nearest_space *w, int r) {
    NAME(candidates) x = NAME(of_row)(w, r);
    bool few = w->count[r] <= FEW;
    if (w->count[r] < g->k) return;
    if (few)
        g->sort(x.value, x.column, w->count[r]);
    else
        NAME(put_smallest)(x, w->count[r], g->k);
    w->count[r] = g->k, w->sorted[r] = few ? g->k : 0;
    w->limit.NAME(of)[r] = x.value[g->k - 1];
    w->last.NAME(of)[r] = x.column[g->k - 1];
}

/* A first limit of row r from a panel of values, those of columns [column, past). */
static void NAME(begin_row)(const nearest_task *g, nearest_space *w, const row_unit *u, int r, const void *cells,
                            uint64_t column, uint64_t past) {
    uint64_t own = u->curve_index[r] - column; /* wraps where it is before */
    NUMBER values[NATIVE_COLS];
    memcpy(values, cells, sizeof values);
    for (uint64_t c = past - column; c < NATIVE_COLS; ++c) values[c] = (NUMBER)INFINITY; /* padding */
    if (u->self[r] >= 0 && own < NATIVE_COLS) values[own] = (NUMBER)INFINITY;
    const NUMBER kth = (NUMBER)g->kth(values, g->k);
    if (kth < w->limit.NAME(of)[r]) w->limit.NAME(of)[r] = kth, w->last.NAME(of)[r] = ~(INDEX)0;
}

/* Takes the marked ones of row r's values, from `column` on. */
static void NAME(take_marked)(const nearest_task *g, nearest_space *w, int r, int64_t self, const void *cells,
                              uint64_t words, uint64_t column) {
    const NUMBER *values = cells;
    const uint32_t *order = g->order;
    NAME(candidates) x = NAME(of_row)(w, r);
    uint32_t count = w->count[r];
    for (uint64_t word = 0; word < words; ++word)
        for (uint32_t bits = w->marks[word]; bits; bits &= bits - 1) {
            uint64_t at = 32 * word + (uint64_t)__builtin_ctz(bits), curve_index = column + at;
            uint32_t own = order ? order[curve_index] : (uint32_t)curve_index;
            if (own == self || !NAME(is_before)(values[at], own, w->limit.NAME(of)[r], w->last.NAME(of)[r])) continue;
            x.value[count] = values[at] + 0, x.column[count++] = own;
            if (count < w->room) continue;
            w->count[r] = count;
            NAME(keep_smallest)(g, w, r);
            count = w->count[r];
        }
    w->count[r] = count;
}

static void NAME(clear_rows)(nearest_space *w) {
    for (int r = 0; r < UNIT_ROWS; ++r) {
        w->count[r] = w->sorted[r] = 0;
        w->limit.NAME(of)[r] = (NUMBER)INFINITY;
        w->last.NAME(of)[r] = ~(INDEX)0;
    }
}

static double NAME(largest_limit)(const nearest_space *w, int rows) {
    NUMBER most = w->limit.NAME(of)[0];
    for (int r = 1; r < rows; ++r)
        if (w->limit.NAME(of)[r] > most) most = w->limit.NAME(of)[r];
    return (double)most;
}

static bool NAME(has_limit)(const nearest_space *w, int r) { return w->limit.NAME(of)[r] < (NUMBER)INFINITY; }

/* The neighbours of a row in order, to entry `at` on. */
static void NAME(put_out)(const nearest_task *g, nearest_space *w, int r, uint64_t at) {
    NAME(candidates) x = NAME(of_row)(w, r);
    int64_t *columns = g->to->whole.memory.host;
    NUMBER *values = g->to->values.memory.host;
    if (w->sorted[r] < w->count[r]) NAME(keep_smallest)(g, w, r);
    if (w->sorted[r] < w->count[r]) NAME(sort_all)(g, x, 0, w->count[r]);
    for (uint32_t e = 0; e < g->k; ++e) {
        bool there = e < w->count[r];
        if (columns) columns[at + e] = there ? (int64_t)x.column[e] : -1;
        if (values) values[at + e] = there ? x.value[e] : (NUMBER)INFINITY;
    }
}
