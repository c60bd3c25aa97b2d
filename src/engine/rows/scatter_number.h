/* scatter_number.h: sums of float or double, for leaf_sum.c, which includes it once for each.
 *
 * SPDX-License-Identifier: MIT */

/* The cells of a leaf that do not count become zeros; returns how many do. Without a branch: of few cells it is known. */
static inline __attribute__((always_inline)) uint32_t NAME(clear_cells)(NUMBER *cells, uint32_t values, uint32_t inside,
                                                                        NUMBER radius) {
    uint32_t count = 0;
    for (uint32_t c = 0; c < LEAF; ++c) {
        bool counts = (inside >> c & 1u) & !(cells[c * values] > radius);
        for (uint32_t w = 0; w < values; ++w) cells[c * values + w] = counts ? cells[c * values + w] : 0;
        count += counts;
    }
    return count;
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

static inline __attribute__((always_inline)) uint64_t NAME(add_leaves)(void *cells, uint32_t values, uint64_t leaves,
                                                                       const uint32_t *inside, double radius,
                                                                       row_sum *sums) {
    NUMBER *leaf = cells;
    uint64_t count = inside ? 0 : leaves * LEAF;
    for (uint64_t l = 0; l < leaves; ++l, leaf += LEAF * values) {
        if (inside) count += NAME(clear_cells)(leaf, values, inside[l], (NUMBER)radius);
        NAME(add_leaf)(leaf, values, sums);
    }
    return count;
}

/* The number of values as a constant, where there is mostly one, or four. */
static inline __attribute__((always_inline)) uint64_t NAME(add_each)(void *cells, uint32_t values, uint64_t leaves,
                                                                     const uint32_t *inside, double radius,
                                                                     row_sum *sums) {
    if (values == 1) return NAME(add_leaves)(cells, 1, leaves, inside, radius, sums);
    if (values == 4) return NAME(add_leaves)(cells, 4, leaves, inside, radius, sums);
    return NAME(add_leaves)(cells, values, leaves, inside, radius, sums);
}

static uint64_t NAME(add_base)(void *cells, uint32_t values, uint64_t leaves, const uint32_t *inside, double radius,
                               row_sum *sums) {
    return NAME(add_each)(cells, values, leaves, inside, radius, sums);
}
#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t NAME(add_v3)(void *cells, uint32_t values, uint64_t leaves,
                                                             const uint32_t *inside, double radius, row_sum *sums) {
    return NAME(add_each)(cells, values, leaves, inside, radius, sums);
}
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) static uint64_t NAME(add_v4)(
    void *cells, uint32_t values, uint64_t leaves, const uint32_t *inside, double radius, row_sum *sums) {
    return NAME(add_each)(cells, values, leaves, inside, radius, sums);
}
#endif
