/* board.h: counts the visits of tiles: each tile of the triangle or tetrahedron exactly once, none outside.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_BOARD_H
#define WEDGE_TESTS_BOARD_H

#include "oracle.h"
#include "wedge/map.h"

typedef struct {
    uint32_t m;
    int rank;
    unsigned char *seen;
} board;

static inline board board_new(int rank, uint32_t m) {
    board b = {m, rank, calloc(rank == 2 ? (size_t)m * m : (size_t)m * m * m, 1)};
    assert_non_null(b.seen);
    return b;
}

static inline void visit3(board *b, wedge_triple t) {
    size_t at = ((size_t)t.i * b->m + t.j) * b->m + t.k;
    if (t.i >= b->m || t.j > t.i || t.k > t.j) fail_msg("m = %u: (%u, %u, %u) is outside", b->m, t.i, t.j, t.k);
    if (b->seen[at]++) fail_msg("m = %u: (%u, %u, %u) is visited twice", b->m, t.i, t.j, t.k);
}

static inline void visit(board *b, wedge_pair t) {
    size_t at = (size_t)t.i * b->m + t.j;
    if (t.i >= b->m || t.j > t.i) fail_msg("m = %u: (%u, %u) is outside", b->m, t.i, t.j);
    if (b->seen[at]++) fail_msg("m = %u: (%u, %u) is visited twice", b->m, t.i, t.j);
}

/* What a kernel does with a map that has idle blocks. */
static inline void visit_unless_idle(board *b, wedge_pair t) {
    if (t.i < b->m) visit(b, t);
}

static inline void end_full(board *b) {
    for (uint32_t i = 0; i < b->m; ++i)
        for (uint32_t j = 0; j <= i; ++j)
            for (uint32_t k = 0; k <= (b->rank == 2 ? 0 : j); ++k) {
                size_t at = (size_t)i * b->m + j;
                if (!b->seen[b->rank == 2 ? at : at * b->m + k])
                    fail_msg("m = %u: (%u, %u, %u) is missed", b->m, i, j, k);
            }
    free(b->seen);
}

/* The cell of w, far out. */
static inline void check_far(const char *what, uint64_t w, int rank, cell got) {
    if (!same_cell(got, oracle_unrank(rank, 0, w))) fail_msg("%s: w = %llu", what, (unsigned long long)w);
}

#endif
