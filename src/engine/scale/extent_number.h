/* extent_number.h: the extent of rows of float or double, for extent.c, which includes it once for each.
 *
 * Rows without gaps and of few features are taken several at a time, so that `width` numbers, a multiple of the features, lie side by
 * side and the loop over them becomes vectors.
 *
 * SPDX-License-Identifier: MIT */

typedef struct {
    NUMBER *lo, *hi, *least; /* of `width` lanes */
} NAME(lanes);

static void NAME(take)(NAME(lanes) to, const NUMBER *restrict v, uint64_t width) {
    NUMBER *restrict lo = to.lo, *restrict hi = to.hi, *restrict least = to.least;
    for (uint64_t k = 0; k < width; ++k) {
        const NUMBER x = v[k], size = x < 0 ? -x : x;
        const int finite = size <= MOST;
        lo[k] = (finite & (x < lo[k])) ? x : lo[k];
        hi[k] = (finite & (x > hi[k])) ? x : hi[k];
        least[k] = ((size > 0) & (size < least[k])) ? size : least[k];
    }
}

static inline void NAME(take_size)(NUMBER v, NUMBER *most, NUMBER *least) {
    const NUMBER size = SIZE(v), some = size > 0 ? size : (NUMBER)INFINITY;
    *most = size > *most ? size : *most;
    *least = some < *least ? some : *least;
}

/* The largest size of numbers side by side, and the smallest but 0. */
static void NAME(sizes)(const NUMBER *v, uint64_t count, NUMBER *most, NUMBER *least) {
    NUMBER high[SIZES_AT_ONCE], low[SIZES_AT_ONCE];
    uint64_t x = 0;
    for (int k = 0; k < SIZES_AT_ONCE; ++k) high[k] = *most, low[k] = *least;
    for (; x + SIZES_AT_ONCE <= count; x += SIZES_AT_ONCE)
        for (int k = 0; k < SIZES_AT_ONCE; ++k) NAME(take_size)(v[x + (uint64_t)k], &high[k], &low[k]);
    for (; x < count; ++x) NAME(take_size)(v[x], &high[0], &low[0]);
    for (int k = 0; k < SIZES_AT_ONCE; ++k) {
        if (high[k] > *most) *most = high[k];
        if (low[k] < *least) *least = low[k];
    }
}

static void NAME(rows_roughly)(const NUMBER *v, uint64_t rows, uint64_t stride, uint64_t d, extent *e) {
    NUMBER most = 0, least = (NUMBER)INFINITY;
    if (stride == d)
        NAME(sizes)(v, rows * d, &most, &least);
    else
        for (uint64_t x = 0; x < rows; ++x) NAME(sizes)(v + x * stride, d, &most, &least);
    for (uint64_t f = 0; f < d; ++f) take_lane(e, f, -(double)most, (double)most, (double)least);
}

static void NAME(rows)(const NUMBER *v, uint64_t rows, uint64_t stride, uint64_t d, uint64_t width, NUMBER *memory,
                       extent *e) {
    const NAME(lanes) to = {memory, memory + width, memory + 2 * width};
    uint64_t each = width / d, x = 0;
    for (uint64_t k = 0; k < width; ++k) to.lo[k] = to.least[k] = (NUMBER)INFINITY, to.hi[k] = -(NUMBER)INFINITY;
    for (; x + each <= rows; x += each) NAME(take)(to, v + x * stride, width);
    for (; x < rows; ++x) NAME(take)(to, v + x * stride, d);
    for (uint64_t k = 0; k < width; ++k) take_lane(e, k % d, (double)to.lo[k], (double)to.hi[k], (double)to.least[k]);
}
