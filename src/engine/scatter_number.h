/* scatter_number.h: sums of float or double, for scatter_native.c, which includes it once for each.
 *
 * SPDX-License-Identifier: MIT */

/* The cells of a leaf that do not count become zeros; returns how many do. */
static inline uint32_t NAME(clear_cells)(NUMBER *cells, uint32_t values, uint32_t inside, NUMBER radius) {
    for (uint32_t c = 0; c < LEAF; ++c)
        if (!(inside >> c & 1u) || cells[c * values] > radius) {
            inside &= ~(1u << c);
            for (uint32_t w = 0; w < values; ++w) cells[c * values + w] = 0;
        }
    return (uint32_t)__builtin_popcount(inside);
}

/* The sums of a leaf's 32 cells, value by value: four cells in turn to each of eight sums, then these in pairs. */
static inline __attribute__((always_inline)) void NAME(add_leaf)(const NUMBER *cells, uint32_t values, row_sum *sums) {
    NUMBER part[8 * MOST_VALUES];
    const uint32_t wide = 8 * values;
    for (uint32_t k = 0; k < wide; ++k)
        part[k] = ((cells[k] + cells[wide + k]) + cells[2 * wide + k]) + cells[3 * wide + k];
    for (uint32_t half = 4; half; half /= 2)
        for (uint32_t k = 0; k < half * values; ++k) part[k] += part[half * values + k];
    for (uint32_t w = 0; w < values; ++w) sum_add(&sums[w], (double)part[w]);
}

static inline __attribute__((always_inline)) void NAME(add_leaves)(const NUMBER *cells, uint32_t values,
                                                                   uint64_t leaves, row_sum *sums) {
    if (values == 1)
        for (uint64_t l = 0; l < leaves; ++l) NAME(add_leaf)(cells + l * LEAF, 1, sums);
    else if (values == 4)
        for (uint64_t l = 0; l < leaves; ++l) NAME(add_leaf)(cells + l * LEAF * 4, 4, sums);
    else
        for (uint64_t l = 0; l < leaves; ++l) NAME(add_leaf)(cells + l * LEAF * values, values, sums);
}

static void NAME(add_base)(const void *cells, uint32_t values, uint64_t leaves, row_sum *sums) {
    NAME(add_leaves)(cells, values, leaves, sums);
}
#if defined(__x86_64__)
__attribute__((target("avx2"))) static void NAME(add_v3)(const void *cells, uint32_t values, uint64_t leaves,
                                                         row_sum *sums) {
    NAME(add_leaves)(cells, values, leaves, sums);
}
__attribute__((target("avx512f"))) static void NAME(add_v4)(const void *cells, uint32_t values, uint64_t leaves,
                                                            row_sum *sums) {
    NAME(add_leaves)(cells, values, leaves, sums);
}
#endif

static void NAME(put_sum)(void *out, uint64_t at, double sum) { ((NUMBER *)out)[at] = (NUMBER)sum; }
