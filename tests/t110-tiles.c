/* t110-tiles: every tile map of map.h with one block per tile, on the CPU, with the grid its comment names; walk is in
 * t115-walk.c.
 *
 * A board counts the visits: each tile of the triangle or tetrahedron exactly once, none outside. What a map may leave
 * idle (a box above the diagonal, padding) is passed over as a kernel would, by i >= m; maps that promise no idle
 * block go through the stricter check. The paper's roots are held to the very row where they fail, which assumes
 * correctly rounded roots and -ffp-contract=off.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants the first four before it. */
#include <cmocka.h>

#include "board.h"

enum { SIDES2 = 130, SIDES3 = 40 };

/* ---- Triangle ---- */

static void cover_bb(board *b) {
    for (uint32_t y = 0; y < b->m; ++y)
        for (uint32_t x = 0; x < b->m; ++x) visit_unless_idle(b, wedge_bb_tile(x, y));
}

static void cover_lambda(board *b) {
    for (uint32_t w = 0; w < oracle_T(b->m); ++w) visit(b, wedge_lambda_tile(w));
}

static void cover_lambda64(board *b) {
    for (uint64_t w = 0; w < oracle_T(b->m); ++w) visit(b, wedge_lambda_tile64(w));
}

/* The paper's square grid, m' = ceil(sqrt(T(m))) a side. */
static void cover_square(board *b, wedge_pair (*tile)(wedge_u32)) {
    uint32_t side = 0;
    while ((u128)side * side < oracle_T(b->m)) ++side;
    for (uint32_t y = 0; y < side; ++y)
        for (uint32_t x = 0; x < side; ++x)
            if (y * side + x < oracle_T(b->m)) visit(b, tile(y * side + x));
}

static void cover_lambda_x(board *b) { cover_square(b, wedge_lambda_x_tile); }
static void cover_lambda_n(board *b) { cover_square(b, wedge_lambda_n_tile); }
static void cover_lambda_r(board *b) { cover_square(b, wedge_lambda_r_tile); }

static void cover_rb(board *b) {
    uint32_t width = (b->m + 1) / 2, height = b->m % 2 ? b->m : b->m + 1;
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x) visit(b, wedge_rb_tile(b->m, x, y));
}

/* rec with k levels above triangles of side s; s 2^k >= m. */
static void cover_rec(board *b, uint32_t s, uint32_t k) {
    for (uint32_t level = 1; level <= k; ++level) {
        uint32_t side = s << (level - 1);
        for (uint32_t q = 0; q < 1u << (k - level); ++q)
            for (uint32_t y = 0; y < side; ++y)
                for (uint32_t x = 0; x < side; ++x) visit_unless_idle(b, wedge_rec_square(side, q, x, y));
    }
    for (uint32_t q = 0; q < 1u << k; ++q)
        for (uint32_t y = 0; y < s; ++y)
            for (uint32_t x = 0; x < s; ++x) visit_unless_idle(b, wedge_rec_triangle(s, q, x, y));
}

static void cover_hmap(board *b) {
    bool power_of_two = b->m >= 2 && !(b->m & (b->m - 1));
    if (!power_of_two) memset(b->seen, 1, (size_t)b->m * b->m); /* not its */
    for (uint32_t y = 0; power_of_two && y < b->m + 1; ++y)
        for (uint32_t x = 0; x < b->m / 2; ++x) visit(b, wedge_hmap_tile(b->m, x, y));
}

/* The grid of the padded side; what lies beyond m is idle, and no more than the padding's. */
static void cover_hmap_any(board *b) {
    uint32_t s = wedge_hmap_side(b->m), inverse = wedge_hmap_inverse(b->m), side = s << wedge_hmap_levels(b->m);
    uint64_t idle = 0;
    assert_true(side >= b->m && side - b->m <= 1 + b->m / 128);
    for (uint32_t y = 0; y < side + 1; ++y)
        for (uint32_t x = 0; x < side / 2; ++x) {
            wedge_pair t = wedge_hmap_any_tile(s, inverse, x, y);
            if (t.j > t.i || t.i >= side) fail_msg("m = %u: (%u, %u) is outside", b->m, t.i, t.j);
            idle += t.i >= b->m;
            visit_unless_idle(b, t);
        }
    assert_true(idle == oracle_T(side) - oracle_T(b->m));
}

static void every_tile_of_a_triangle_is_visited_once(void **unused) {
    static void (*const covers[])(board *) = {cover_bb,       cover_lambda,   cover_lambda64,
                                              cover_lambda_x, cover_lambda_n, cover_lambda_r,
                                              cover_rb,       cover_hmap,     cover_hmap_any};
    (void)unused;
    for (size_t c = 0; c < sizeof covers / sizeof *covers; ++c)
        for (uint32_t m = 1; m <= SIDES2; ++m) {
            board b = board_new(2, m);
            covers[c](&b);
            end_full(&b);
        }
}

static void every_tile_is_visited_once_by_rec_with_any_padding(void **unused) {
    static const uint32_t sides[] = {1, 2, 3, 5, 8, 16, 33, 130};
    (void)unused;
    for (uint32_t m = 1; m <= SIDES2; ++m)
        for (size_t a = 0; a < sizeof sides / sizeof *sides; ++a)
            for (uint32_t k = 0, done = 0; done < 2; ++k) {
                if (sides[a] << k < m) continue;
                board b = board_new(2, m);
                cover_rec(&b, sides[a], k);
                end_full(&b);
                ++done;
            }
}

/* Sides around powers of two and around where a level is added (256 s), and one with several levels. */
static void hmap_covers_large_sides_in_one_grid(void **unused) {
    static const uint32_t sides[] = {255, 256, 257, 258, 511, 512, 513, 514, 1023, 1025, 1027, 1920, 2049, 3001, 4096};
    (void)unused;
    for (size_t a = 0; a < sizeof sides / sizeof *sides; ++a) {
        board b = board_new(2, sides[a]), c = board_new(2, sides[a]);
        cover_hmap(&b);
        end_full(&b);
        cover_hmap_any(&c);
        end_full(&c);
    }
}

/* The division by s as a product: at and around every multiple of s that matters, to the largest x. */
static void hmap_divides_exactly(void **unused) {
    (void)unused;
    for (uint64_t s = 129; s <= 256; ++s) {
        uint32_t m = (uint32_t)(s << 23), inverse = wedge_hmap_inverse(m);
        assert_int_equal(wedge_hmap_side(m), s);
        for (uint64_t q = 1; q * s < (s << 22); q += 1 + q / 5)
            for (uint64_t x = q * s - 1; x <= q * s; ++x) assert_true((x * inverse) >> 39 == x / s);
        uint64_t last = (s << 22) - 1;
        assert_true((last * inverse) >> 39 == last / s);
    }
}

/* utm counts the strict upper triangle by rows, so its p is the condensed place; it returns (column, row). */
static void check_utm(uint32_t n, uint32_t row, uint32_t column) {
    uint32_t p = (uint32_t)oracle_condensed(n, row, column);
    wedge_pair c = wedge_utm_cell(n, p);
    if (c.i != column || c.j != row)
        fail_msg("utm: n = %u, p = %u is (%u, %u), got (%u, %u)", n, p, column, row, c.i, c.j);
}

static void utm_takes_every_pair_of_n_points_once(void **unused) {
    (void)unused;
    for (uint32_t n = 2; n <= SIDES2; ++n) {
        uint32_t p = 0;
        for (uint32_t row = 0; row < n; ++row)
            for (uint32_t column = row + 1; column < n; ++column) {
                assert_int_equal((uint64_t)oracle_condensed(n, row, column), p++);
                check_utm(n, row, column);
            }
    }
}

static void utm_finds_the_ends_of_every_row_of_92682_points(void **unused) {
    const uint32_t n = 92682;
    (void)unused;
    for (uint32_t row = 0; row + 1 < n; ++row) {
        const uint32_t columns[] = {row + 1, row + 2, row + (n - row) / 2, n - 2, n - 1};
        for (size_t a = 0; a < sizeof columns / sizeof *columns; ++a)
            if (columns[a] > row && columns[a] < n) check_utm(n, row, columns[a]);
    }
}

/* Of the pairs of n points, all places: how many utm-x gets wrong. */
static uint64_t wrong_pairs_of_utm_x(uint32_t n) {
    uint64_t wrong = 0;
    uint32_t p = 0;
    for (uint32_t row = 0; row + 1 < n; p += n - 1 - row, ++row)
        for (uint32_t column = row + 1; column < n; ++column) {
            wedge_pair c = wedge_utm_x_cell(n, p + column - row - 1);
            wrong += (c.i != column) | (c.j != row);
        }
    return wrong;
}

/* A scan of every place of some n, and of the ends of rows for all. The paper has n to 3,000 and 100 million threads:
 * the first holds, the second is 14,143 points. */
static void utm_as_printed_is_exact_to_4097_points_and_no_further(void **unused) {
    static const uint32_t some[] = {2, 3, 4, 5, 100, 1023, 1024, 2047, 2048, 2896, 2897, 3000, 4096, 4097};
    (void)unused;
    for (size_t a = 0; a < sizeof some / sizeof *some; ++a) assert_int_equal(wrong_pairs_of_utm_x(some[a]), 0);
    for (uint32_t n = 2; n <= 4097; ++n)
        for (uint32_t row = 0; row + 1 < n; ++row)
            for (uint32_t end = 0; end < 2; ++end) {
                uint32_t column = end ? n - 1 : row + 1, p = (uint32_t)oracle_condensed(n, row, column);
                wedge_pair c = wedge_utm_x_cell(n, p);
                if (c.i != column || c.j != row) fail_msg("utm-x: n = %u, p = %u", n, p);
            }
    assert_int_equal(wrong_pairs_of_utm_x(4098), 1);
    wedge_pair c = wedge_utm_x_cell(4098, 4096);
    assert_true(c.j != 0 || c.i != 4097);
    assert_int_equal(wrong_pairs_of_utm_x(14143), 60261); /* of 100 million threads */
}

/* ---- Where the paper's roots end ---- */

static uint32_t first_row_with_a_wrong_tile(wedge_pair (*tile)(wedge_u32)) {
    uint32_t w = 0;
    for (uint32_t i = 0;; ++i)
        for (uint32_t j = 0; j <= i; ++j) {
            wedge_pair t = tile(w++);
            if (t.i != i || t.j != j) return i;
        }
}

/* Here rsqrtf is 1/sqrtf(x), which rounds twice: 2,054 where a single rounding would give 2,073. */
static void the_roots_of_the_paper_fail_first_in_the_row_we_state(void **unused) {
    (void)unused;
    assert_int_equal(first_row_with_a_wrong_tile(wedge_lambda_x_tile), 4607);
    assert_int_equal(first_row_with_a_wrong_tile(wedge_lambda_n_tile), 1622);
    assert_int_equal(first_row_with_a_wrong_tile(wedge_lambda_r_tile), 2054);
}

static void the_printed_cubic_root_fails_first_in_layer_3(void **unused) {
    uint32_t w = 0;
    (void)unused;
    for (; w < 1000; ++w) {
        wedge_triple t = wedge_lambda3_x_tile(w);
        if (!same_cell(cell_of(t.i, t.j, t.k), oracle_unrank(3, 0, w))) break;
    }
    assert_int_equal(oracle_layer(w), 3);
}

/* ---- Tetrahedron ---- */

static void cover_bb3(board *b) {
    for (uint32_t z = 0; z < b->m; ++z)
        for (uint32_t y = 0; y < b->m; ++y)
            for (uint32_t x = 0; x < b->m; ++x) {
                wedge_triple t = wedge_bb3_tile(x, y, z);
                if (t.i < b->m) visit3(b, t);
            }
}

static void cover_lambda3(board *b) {
    for (uint32_t w = 0; w < oracle_Te(b->m); ++w) visit3(b, wedge_lambda3_tile(w));
}

static void cover_lambda3_64(board *b) {
    for (uint64_t w = 0; w < oracle_Te(b->m); ++w) visit3(b, wedge_lambda3_tile64(w));
}

/* For powers of two the grid m/2 x m/2 x 3m/4 and the last layer; one ninth of it is idle, and a little more of small
 * ones. */
static void cover_hmap3_power(board *b) {
    uint32_t m = b->m, half = m / 2, idle = 0;
    bool power_of_two = m >= 2 && !(m & (m - 1));
    if (!power_of_two) memset(b->seen, 1, (size_t)m * m * m); /* not its */
    for (uint32_t z = 0; power_of_two && z < half + m / 4; ++z)
        for (uint32_t y = 0; y < half; ++y)
            for (uint32_t x = 0; x < half; ++x) {
                wedge_triple t = wedge_hmap3_tile(m, x, y, z);
                if (t.i != WEDGE_NONE && t.i + 1 >= m) fail_msg("m = %u: layer %u", m, t.i);
                idle += t.i == WEDGE_NONE;
                if (t.i != WEDGE_NONE) visit3(b, t);
            }
    if (!power_of_two) return;
    assert_int_equal(idle, half * half * (half + m / 4) - (uint32_t)oracle_Te(m - 1));
    assert_true(m < 32 || (idle * 9.0 > half * half * (half + m / 4) && idle * 8.9 < half * half * (half + m / 4)));
    for (uint32_t y = 0; y <= m; ++y)
        for (uint32_t x = 0; x < half; ++x) visit3(b, wedge_hmap3_strip(m, 0, x, y, 0));
}

/* For any m a launch per level, and per odd level a strip, with no block to spare. */
static void cover_hmap3(board *b) {
    for (uint32_t level = 0, n = b->m + 1; n >> level > 1; ++level) {
        uint32_t side = n >> level, half = side / 2;
        for (uint32_t z = 0; side % 2 && z < 1u << level; ++z)
            for (uint32_t y = 0; y < side; ++y)
                for (uint32_t x = 0; x < half; ++x) visit3(b, wedge_hmap3_strip(b->m, level, x, y, z));
        for (uint32_t z = 0; z < half << level; ++z)
            for (uint32_t y = 0; y < half; ++y)
                for (uint32_t x = 0; x < half; ++x) visit3(b, wedge_hmap3_cube(b->m, level, x, y, z));
    }
}

static void hmap_covers_tetrahedra_of_every_side(void **unused) {
    (void)unused;
    for (uint32_t m = 1; m <= 130; ++m) {
        board a = board_new(3, m), b = board_new(3, m);
        cover_hmap3_power(&a);
        cover_hmap3(&b);
        end_full(&a);
        end_full(&b);
    }
}

/* No word more than promised, so that a reader past the end meets the sanitizer. */
static uint32_t *lut_new(uint32_t m) {
    uint32_t *table = malloc(wedge_lut_words(m) * sizeof *table);
    assert_non_null(table);
    wedge_lut_fill(m, table);
    return table;
}

static void cover_lut(board *b) {
    uint32_t *table = lut_new(b->m);
    for (uint32_t w = 0; w < oracle_Te(b->m); ++w) visit3(b, wedge_lut_tile(b->m, table, w));
    free(table);
}

static void every_tile_of_a_tetrahedron_is_visited_once(void **unused) {
    static void (*const covers[])(board *) = {cover_bb3, cover_lambda3, cover_lambda3_64, cover_lut};
    (void)unused;
    for (size_t c = 0; c < sizeof covers / sizeof *covers; ++c)
        for (uint32_t m = 1; m <= SIDES3; ++m) {
            board b = board_new(3, m);
            covers[c](&b);
            end_full(&b);
        }
}

/* Word a of the table: the shift, Te(0..m), then the layer where each bucket begins, m - 1 at most. */
static uint64_t lut_word(uint32_t m, uint32_t shift, uint32_t a) {
    if (a == 0) return shift;
    if (a <= m + 1) return (uint64_t)oracle_Te(a - 1);
    uint64_t layer = oracle_layer((u128)(a - m - 2) << shift);
    return layer < m ? layer : m - 1;
}

static void the_table_of_lut_has_its_layout_and_no_word_more(void **unused) {
    enum { GUARD = 16 };
    const uint32_t blank = 0xDEADBEEF;
    (void)unused;
    for (uint32_t m = 1; m <= 2952; ++m) {
        uint32_t words = wedge_lut_words(m), *table = malloc((words + GUARD) * sizeof *table);
        assert_non_null(table);
        assert_true(words * sizeof *table <= 8 * m + 12);
        for (uint32_t a = 0; a < words + GUARD; ++a) table[a] = blank;
        wedge_lut_fill(m, table);
        for (uint32_t a = 0; a < words + GUARD; ++a)
            if (table[a] != (a < words ? lut_word(m, table[0], a) : blank)) fail_msg("lut: m = %u, word %u", m, a);
        free(table);
    }
}

static void lut_finds_the_ends_of_every_row_of_2952_layers(void **unused) {
    const uint32_t m = 2952;
    uint32_t *table = lut_new(m);
    (void)unused;
    for (uint32_t i = 0; i < m; ++i)
        for (uint32_t j = 0; j <= i; ++j) {
            uint32_t w = (uint32_t)(oracle_Te(i) + oracle_T(j));
            wedge_triple a = wedge_lut_tile(m, table, w), z = wedge_lut_tile(m, table, w + j);
            if (a.i != i || a.j != j || a.k != 0) fail_msg("lut: first tile of (%u, %u) at w = %u", i, j, w);
            if (z.i != i || z.j != j || z.k != j) fail_msg("lut: last tile of (%u, %u) at w = %u", i, j, w + j);
        }
    free(table);
}

/* ---- Beyond 2^32 tiles ---- */

/* Triangles to row 2^32 - 1, the last that a tile's 32-bit coordinates can name; tetrahedra to the last 64-bit w. */
static void wide_maps_hold_beyond_2_to_32_tiles(void **unused) {
    const uint64_t last = (uint64_t)oracle_T((u128)1 << 32) - 1;
    (void)unused;
    for (uint64_t w = last; w; w = w / 16 * 15) {
        wedge_pair p = wedge_lambda_tile64(w);
        uint64_t v = w > UINT64_MAX / 2 ? UINT64_MAX : 2 * w;
        wedge_triple t = wedge_lambda3_tile64(v);
        check_far("lambda64", w, 2, cell_of(p.i, p.j, 0));
        check_far("lambda3_64", v, 3, cell_of(t.i, t.j, t.k));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_of_a_triangle_is_visited_once),
        cmocka_unit_test(every_tile_is_visited_once_by_rec_with_any_padding),
        cmocka_unit_test(hmap_covers_large_sides_in_one_grid),
        cmocka_unit_test(hmap_divides_exactly),
        cmocka_unit_test(utm_takes_every_pair_of_n_points_once),
        cmocka_unit_test(utm_finds_the_ends_of_every_row_of_92682_points),
        cmocka_unit_test(utm_as_printed_is_exact_to_4097_points_and_no_further),
        cmocka_unit_test(the_roots_of_the_paper_fail_first_in_the_row_we_state),
        cmocka_unit_test(the_printed_cubic_root_fails_first_in_layer_3),
        cmocka_unit_test(every_tile_of_a_tetrahedron_is_visited_once),
        cmocka_unit_test(hmap_covers_tetrahedra_of_every_side),
        cmocka_unit_test(the_table_of_lut_has_its_layout_and_no_word_more),
        cmocka_unit_test(lut_finds_the_ends_of_every_row_of_2952_layers),
        cmocka_unit_test(wide_maps_hold_beyond_2_to_32_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
