/* oracle.h: what the packed and condensed orders are, in the slowest and plainest way.
 *
 * The tests of map.h compare with this and never with map.h itself: 128-bit integers, so that no number of the tests
 * can wrap, and bisection in place of roots, so that nothing is rounded. It shares no function and no formula trick
 * with the code under test.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TEST_ORACLE_H
#define WEDGE_TEST_ORACLE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 u128;

/* k is 0 for rank 2. */
typedef struct {
    uint64_t i, j, k;
} cell;

static inline cell cell_of(uint64_t i, uint64_t j, uint64_t k) {
    cell c = {i, j, k};
    return c;
}

static inline int same_cell(cell a, cell b) { return a.i == b.i && a.j == b.j && a.k == b.k; }

/* T(i) for every 64-bit i; Te(i) for i below 2^42. */
static inline u128 oracle_T(u128 i) { return i % 2 ? (i + 1) / 2 * i : i / 2 * (i + 1); }
static inline u128 oracle_Te(u128 i) { return i * (i + 1) * (i + 2) / 6; }

/* The largest i with number(i) <= w, for w below 2^64: T(2^33) and Te(2^23) are above 2^64. */
static inline uint64_t oracle_last_below(u128 (*number)(u128), uint64_t end, u128 w) {
    uint64_t lo = 0, hi = end;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (number(mid) <= w)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static inline uint64_t oracle_row(u128 w) { return oracle_last_below(oracle_T, UINT64_C(1) << 33, w); }
static inline uint64_t oracle_layer(u128 w) { return oracle_last_below(oracle_Te, UINT64_C(1) << 23, w); }

/* The cell of w in packed order; without diagonals each coordinate moves up by the number of those below it. */
static inline cell oracle_unrank(int rank, int strict, uint64_t w) {
    uint64_t i = 0, j, k;
    u128 rest = w;
    if (rank == 3) {
        i = oracle_layer(rest);
        rest -= oracle_Te(i);
    }
    j = oracle_row(rest);
    k = (uint64_t)(rest - oracle_T(j));
    if (rank == 2) return cell_of(strict ? j + 1 : j, k, 0);
    return strict ? cell_of(i + 2, j + 1, k) : cell_of(i, j, k);
}

/* SciPy's condensed place of the pair i < j of n points, as its documentation of squareform and pdist gives it. */
static inline u128 oracle_condensed(u128 n, u128 i, u128 j) { return n * i - i * (i + 1) / 2 + j - i - 1; }

#endif
