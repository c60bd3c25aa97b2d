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

static void NAME(rows)(const NUMBER *v, uint64_t rows, uint64_t stride, uint64_t d, uint64_t width, NUMBER *memory,
                       extent *e) {
    const NAME(lanes) to = {memory, memory + width, memory + 2 * width};
    uint64_t each = width / d, x = 0;
    for (uint64_t k = 0; k < width; ++k) to.lo[k] = to.least[k] = (NUMBER)INFINITY, to.hi[k] = -(NUMBER)INFINITY;
    for (; x + each <= rows; x += each) NAME(take)(to, v + x * stride, width);
    for (; x < rows; ++x) NAME(take)(to, v + x * stride, d);
    for (uint64_t k = 0; k < width; ++k) take_lane(e, k % d, (double)to.lo[k], (double)to.hi[k], (double)to.least[k]);
}
