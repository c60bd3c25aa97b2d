/* t115-walk: walk's segments on the CPU: whatever the number of blocks, they are runs of packed order without gap or
 * overlap, cut at the ends of rows, and exact to the last 64-bit w.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka.h wants the first four before it. */
#include <cmocka.h>

#include "board.h"

enum { SIDES2 = 130, SIDES3 = 40 };

/* ---- Triangle ---- */

/* What an adopter writes: the tiles below the diagonal, and the one on it apart. `next` is the w that must come next: a
 * run is contiguous, and block follows block. */
static void take_segment(board *b, wedge_segment s, uint64_t *next) {
    wedge_u32 inner = s.end < s.i ? s.end : s.i;
    assert_true(s.j < s.end && s.end <= s.i + 1);
    assert_true(oracle_T(s.i) + s.j == *next);
    *next += s.end - s.j;
    for (; s.j < inner; ++s.j) {
        assert_true(s.j < s.i);
        visit(b, wedge_pair_of(s.i, s.j));
    }
    if (s.end > s.i) visit(b, wedge_pair_of(s.i, s.i));
}

static void cover_walk(board *b, uint32_t blocks, wedge_segment (*first)(wedge_u32, wedge_u32, wedge_u32)) {
    uint32_t tiles = (uint32_t)oracle_T(b->m), run = tiles / blocks, extra = tiles % blocks;
    uint64_t next = 0;
    for (uint32_t g = 0; g < blocks; ++g) {
        uint64_t end = next + run + (g < extra);
        for (wedge_segment s = first(g, run, extra); s.end; s = wedge_walk_next(s)) {
            assert_true(s.left == end - next - (s.end - s.j));
            take_segment(b, s, &next);
        }
        assert_true(next == end);
    }
}

static void every_tile_is_visited_once_by_any_number_of_walks(void **unused) {
    (void)unused;
    for (uint32_t m = 1; m <= SIDES2; ++m) {
        const uint32_t tiles = (uint32_t)oracle_T(m), blocks[] = {1, 2, 3, 7, tiles - 1, tiles, tiles + 5, 9 * tiles};
        for (size_t a = 0; a < 2 * sizeof blocks / sizeof *blocks; ++a) {
            if (!blocks[a / 2]) continue;
            board b = board_new(2, m);
            cover_walk(&b, blocks[a / 2], a % 2 ? wedge_walk_first64 : wedge_walk_first);
            end_full(&b);
        }
    }
}

/* Every number of blocks that a small triangle has. */
static void every_split_of_40_rows_covers_them_once(void **unused) {
    (void)unused;
    for (uint32_t m = 1; m <= 40; ++m)
        for (uint32_t blocks = 1; blocks <= oracle_T(m) + 1; ++blocks) {
            board b = board_new(2, m);
            cover_walk(&b, blocks, wedge_walk_first);
            end_full(&b);
        }
}

/* The example of the comment in map.h: five rows, four blocks. */
static void the_worked_example_of_walk_holds(void **unused) {
    static const wedge_segment want[] = {{0, 0, 0, 1, 3}, {1, 0, 0, 2, 1}, {2, 0, 0, 1, 0}, {2, 1, 0, 3, 2},
                                         {3, 0, 0, 2, 0}, {3, 2, 0, 4, 2}, {4, 0, 0, 2, 0}, {4, 2, 0, 5, 0}};
    int at = 0;
    (void)unused;
    for (uint32_t g = 0; g < 4; ++g)
        for (wedge_segment s = wedge_walk_first(g, 3, 3); s.end; s = wedge_walk_next(s), ++at) {
            assert_true(at < 8);
            assert_memory_equal(&s, &want[at], sizeof s);
        }
    assert_int_equal(at, 8);
}

/* ---- Tetrahedron ---- */

static void take_segment3(board *b, wedge_segment s, uint64_t *next) {
    wedge_u32 inner = s.end < s.j ? s.end : s.j;
    assert_true(s.k < s.end && s.end <= s.j + 1 && s.j <= s.i);
    assert_true(oracle_Te(s.i) + oracle_T(s.j) + s.k == *next);
    *next += s.end - s.k;
    for (; s.k < inner; ++s.k) visit3(b, wedge_triple_of(s.i, s.j, s.k));
    if (s.end > s.j) visit3(b, wedge_triple_of(s.i, s.j, s.j));
}

static void cover_walk3(board *b, uint32_t blocks, wedge_segment (*first)(wedge_u32, wedge_u32, wedge_u32)) {
    uint32_t tiles = (uint32_t)oracle_Te(b->m), run = tiles / blocks, extra = tiles % blocks;
    uint64_t next = 0;
    for (uint32_t g = 0; g < blocks; ++g) {
        uint64_t end = next + run + (g < extra);
        for (wedge_segment s = first(g, run, extra); s.end; s = wedge_walk3_next(s)) {
            assert_true(s.left == end - next - (s.end - s.k));
            take_segment3(b, s, &next);
        }
        assert_true(next == end);
    }
}

static void every_tile_is_visited_once_by_any_number_of_walks_in_rank_3(void **unused) {
    (void)unused;
    for (uint32_t m = 1; m <= SIDES3; ++m) {
        const uint32_t tiles = (uint32_t)oracle_Te(m), blocks[] = {1, 2, 3, 7, 97, tiles, tiles + 5, 3 * tiles};
        for (size_t a = 0; a < 2 * sizeof blocks / sizeof *blocks; ++a) {
            board b = board_new(3, m);
            cover_walk3(&b, blocks[a / 2], a % 2 ? wedge_walk3_first64 : wedge_walk3_first);
            end_full(&b);
        }
    }
}

/* ---- Beyond 2^32 tiles ---- */

/* Both ends of the first segments of a run of `count` tiles from w on: where they should be, none left out, as many
 * left as must be. */
static void check_run(int rank, uint64_t w, uint64_t count, wedge_segment s) {
    wedge_segment (*next)(wedge_segment) = rank == 2 ? wedge_walk_next : wedge_walk3_next;
    for (int segment = 0; segment < 5 && count; ++segment, s = next(s)) {
        uint32_t from = rank == 2 ? s.j : s.k, tiles = s.end - from, row = rank == 2 ? s.i : s.j;
        assert_true(tiles && tiles <= count && s.left == count - tiles);
        assert_true(s.end == row + 1 || !s.left); /* a row is left only at its end */
        check_far("first", w, rank, rank == 2 ? cell_of(s.i, from, 0) : cell_of(s.i, s.j, from));
        check_far("last", w + tiles - 1, rank, rank == 2 ? cell_of(s.i, s.end - 1, 0) : cell_of(s.i, s.j, s.end - 1));
        w += tiles, count -= tiles;
    }
    if (!count) assert_int_equal(s.end, 0);
}

/* Blocks whose first tile lies far out, in and after the longer runs. */
static void walks_are_right_beyond_2_to_32_tiles(void **unused) {
    const uint32_t run = 2000000011, extra = 1500000000;
    (void)unused;
    for (uint32_t g = 0; g < 4000000000u; g += 99999989) {
        uint64_t w = (uint64_t)g * run + (g < extra ? g : extra), count = (uint64_t)run + (g < extra);
        check_run(2, w, count, wedge_walk_first64(g, run, extra));
        check_run(3, w, count, wedge_walk3_first64(g, run, extra));
    }
}

/* Runs from any tile on, short, long and of the last tiles there are: row 2^32 - 2, and the last 64-bit w of rank 3. */
static void runs_from_any_tile_are_right(void **unused) {
    static const uint32_t counts[] = {1, 2, 3, 1000, UINT32_MAX};
    const uint64_t most = (uint64_t)oracle_T(UINT32_MAX);
    (void)unused;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
        for (uint64_t w = most - counts[c]; w; w = w / 16 * 13) {
            uint64_t v = w > UINT64_MAX / 2 ? UINT64_MAX - counts[c] : 2 * w - 1;
            check_run(2, w, counts[c], wedge_walk_from(wedge_lambda_tile64(w), counts[c]));
            check_run(3, v, counts[c], wedge_walk3_from(wedge_lambda3_tile64(v), counts[c]));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_is_visited_once_by_any_number_of_walks),
        cmocka_unit_test(every_split_of_40_rows_covers_them_once),
        cmocka_unit_test(the_worked_example_of_walk_holds),
        cmocka_unit_test(every_tile_is_visited_once_by_any_number_of_walks_in_rank_3),
        cmocka_unit_test(walks_are_right_beyond_2_to_32_tiles),
        cmocka_unit_test(runs_from_any_tile_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
