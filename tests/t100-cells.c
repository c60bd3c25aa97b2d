/* t100-cells: rank and unrank of map.h on the CPU, against the oracle.
 *
 * Every order (triangle, tetrahedron, with and without diagonals, 32 and 64 bits) is one line of a table and goes
 * through the same statements; the condensed order, which depends on n, has its own. Built twice: once as it is, once
 * with WEDGE_NO_DOUBLE, where the 64-bit roots start from floats.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants the four above first. */
#include <cmocka.h>

#include "oracle.h"
#include "wedge/lang.h"

/* A device's near roots are poorer than those of the C library. These err by the most that map.h allows, upwards or
 * downwards, or not at all while root_error is 0. */
static int root_error;

static float sqrt_off_by_4_ulp(float x) {
    float r = sqrtf(x);
    return r > 0.0f ? wedge_bits_float(wedge_float_bits(r) + (wedge_u32)(4 * root_error)) : r;
}

static float cbrt_off_by_2_to_minus_18(float x) { return cbrtf(x) * (1.0f + (float)root_error * 0x1p-18f); }

#undef wedge_sqrt_approx
#undef wedge_cbrt_approx
#define wedge_sqrt_approx sqrt_off_by_4_ulp
#define wedge_cbrt_approx cbrt_off_by_2_to_minus_18
#include "wedge/map.h"

#define SEED UINT64_C(0x57ED6E0000000100)
#define LAST_ROW64 UINT64_C(6074000999)
#define LAST_LAYER64 UINT64_C(4801278)

typedef unsigned long long ull;

typedef struct {
    const char *name;
    int rank, strict, bits;
    cell (*unrank)(uint64_t w);
    uint64_t (*place)(cell c);
} order;

#define PAIR_ORDER(name, bits, pair)                                              \
    static cell name##bits##_unrank(uint64_t w) {                                 \
        pair p = wedge_##name##_unrank##bits((wedge_u##bits)w);                   \
        return cell_of(p.i, p.j, 0);                                              \
    }                                                                             \
    static uint64_t name##bits##_place(cell c) {                                  \
        return wedge_##name##_rank##bits((wedge_u##bits)c.i, (wedge_u##bits)c.j); \
    }

#define TRIPLE_ORDER(name, bits, triple)                                                              \
    static cell name##bits##_unrank(uint64_t w) {                                                     \
        triple t = wedge_##name##_unrank##bits((wedge_u##bits)w);                                     \
        return cell_of(t.i, t.j, t.k);                                                                \
    }                                                                                                 \
    static uint64_t name##bits##_place(cell c) {                                                      \
        return wedge_##name##_rank##bits((wedge_u##bits)c.i, (wedge_u##bits)c.j, (wedge_u##bits)c.k); \
    }

PAIR_ORDER(tri, 32, wedge_pair)
PAIR_ORDER(tri, 64, wedge_pair64)
PAIR_ORDER(tri_strict, 32, wedge_pair)
PAIR_ORDER(tri_strict, 64, wedge_pair64)
TRIPLE_ORDER(tet, 32, wedge_triple)
TRIPLE_ORDER(tet, 64, wedge_triple64)
TRIPLE_ORDER(tet_strict, 32, wedge_triple)
TRIPLE_ORDER(tet_strict, 64, wedge_triple64)

static const order orders[] = {
    {"tri32", 2, 0, 32, tri32_unrank, tri32_place},
    {"tri64", 2, 0, 64, tri64_unrank, tri64_place},
    {"tri_strict32", 2, 1, 32, tri_strict32_unrank, tri_strict32_place},
    {"tri_strict64", 2, 1, 64, tri_strict64_unrank, tri_strict64_place},
    {"tet32", 3, 0, 32, tet32_unrank, tet32_place},
    {"tet64", 3, 0, 64, tet64_unrank, tet64_place},
    {"tet_strict32", 3, 1, 32, tet_strict32_unrank, tet_strict32_place},
    {"tet_strict64", 3, 1, 64, tet_strict64_unrank, tet_strict64_place},
};

static const order *const orders_end = orders + sizeof orders / sizeof *orders;

static u128 limit_of(const order *o) { return (u128)1 << o->bits; }

static void check_cell(const order *o, uint64_t w, cell want) {
    cell got = o->unrank(w);
    if (!same_cell(got, want))
        fail_msg("%s: w = %llu gives (%llu, %llu, %llu), not (%llu, %llu, %llu); seed %#llx", o->name, (ull)w,
                 (ull)got.i, (ull)got.j, (ull)got.k, (ull)want.i, (ull)want.j, (ull)want.k, (ull)SEED);
    if (o->place(want) != w)
        fail_msg("%s: (%llu, %llu, %llu) gives w = %llu, not %llu; seed %#llx", o->name, (ull)want.i, (ull)want.j,
                 (ull)want.k, (ull)o->place(want), (ull)w, (ull)SEED);
}

/* A w beyond the order's width is not its business. */
static void check_with_oracle(const order *o, u128 w) {
    if (w < limit_of(o)) check_cell(o, (uint64_t)w, oracle_unrank(o->rank, o->strict, (uint64_t)w));
}

static void check_around(const order *o, u128 w) {
    for (u128 v = w < 2 ? 0 : w - 2; v <= w + 2; ++v) check_with_oracle(o, v);
}

/* splitmix64 */
static uint64_t random_u64(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Every length from 0 to `bits` is as likely as any other: small and large numbers get their share. */
static uint64_t random_magnitude(uint64_t *state, unsigned bits) {
    unsigned length = (unsigned)(random_u64(state) % (bits + 1));
    return length ? random_u64(state) >> (64 - length) | UINT64_C(1) << (length - 1) : 0;
}

/* ---- Numbers ---- */

/* All but the last i of each type, where i+1 wraps; Te(i) while its 128-bit product fits. */
static void T_and_Te_hold_modulo_their_width(void **unused) {
    uint64_t state = SEED;
    (void)unused;
    for (int draw = 0; draw < 1000000; ++draw) {
        uint64_t i = random_magnitude(&state, 64) % UINT64_MAX;
        uint32_t i32 = (uint32_t)(i % UINT32_MAX);
        uint64_t i42 = i >> 22;
        if (wedge_tri32(i32) != (uint32_t)oracle_T(i32)) fail_msg("tri32(%llu)", (ull)i32);
        if (wedge_tri64(i) != (uint64_t)oracle_T(i)) fail_msg("tri64(%llu)", (ull)i);
        if (wedge_tet32(i32) != (uint32_t)oracle_Te(i32)) fail_msg("tet32(%llu)", (ull)i32);
        if (wedge_tet64(i42) != (uint64_t)oracle_Te(i42)) fail_msg("tet64(%llu)", (ull)i42);
    }
}

/* ---- Packed order ---- */

static void every_cell_of_small_triangles_round_trips(void **unused) {
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        for (uint64_t w = 0; w < 100000; ++w) {
            cell c = o->unrank(w);
            check_cell(o, w, c);
            assert_true(o->strict ? c.i > c.j : c.i >= c.j);
            if (o->rank == 3) assert_true(o->strict ? c.j > c.k : c.j >= c.k);
        }
    }
}

/* The definition itself: coordinates descend, the last runs fastest, w counts. */
static void ranks_follow_packed_order(void **unused) {
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        uint64_t w = 0, strict = (uint64_t)o->strict;
        for (uint64_t i = 0; i < (o->rank == 2 ? 600u : 90u); ++i)
            for (uint64_t j = 0; j + strict <= i; ++j)
                for (uint64_t k = 0; o->rank == 2 ? k < 1 : k + strict <= j; ++k) check_cell(o, w++, cell_of(i, j, k));
    }
}

/* Around T(i): where i(i+1) or T(i) leaves 31 and 32 bits, where i leaves 16, 24, 31 and 32, and the last row. */
static void edges_around_T_of_i_match_the_oracle(void **unused) {
    static const uint64_t near[] = {8, 46341, 65535, 92682, 1u << 24u, 1ull << 31u, 1ull << 32u, LAST_ROW64};
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        if (o->rank != 2) continue;
        for (size_t a = 0; a < sizeof near / sizeof *near; ++a)
            for (uint64_t i = near[a] - 8; i <= near[a] + 8; ++i) {
                check_around(o, oracle_T(i));
                check_around(o, oracle_T(i) + i / 2);
            }
    }
}

/* Around Te(i), and around the rows of those layers, the first, the middle and the last: where i^3 leaves 32 bits,
 * Te(i) 31 and 32, i 16, T(i) 32, i^3 64 and Te(i) 64. */
static void edges_around_Te_of_i_match_the_oracle(void **unused) {
    static const uint64_t near[] = {8, 1625, 2344, 2952, 65535, 92682, 2642245, LAST_LAYER64};
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        if (o->rank != 3) continue;
        for (size_t a = 0; a < sizeof near / sizeof *near; ++a)
            for (uint64_t i = near[a] - 8; i <= near[a] + 8; ++i) {
                const uint64_t rows[] = {0, 1, i / 2, i ? i - 1 : 0, i};
                for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
                    check_around(o, oracle_Te(i) + oracle_T(rows[r]));
                    check_around(o, oracle_Te(i) + oracle_T(rows[r]) + rows[r] / 2);
                }
            }
    }
}

static void edges_of_the_types_match_the_oracle(void **unused) {
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        for (unsigned b = 0; b <= 64; ++b) check_around(o, (u128)1 << b);
    }
}

/* Row i starts at T(i) with (i, 0), and T(i) - 1 is the last cell of the row above. */
static void check_row_start(const order *o, uint64_t i) {
    uint64_t up = (uint64_t)o->strict, w = (uint64_t)oracle_T(i);
    check_cell(o, w, cell_of(i + up, 0, 0));
    if (i) check_cell(o, w - 1, cell_of(i - 1 + up, i - 1, 0));
}

static void every_row_of_32_bits_starts_and_ends_where_it_should(void **unused) {
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        if (o->rank != 2) continue;
        for (uint64_t i = 0; i <= 92681; ++i) check_row_start(o, i);
    }
}

static void a_million_random_rows_of_64_bits_start_and_end_where_they_should(void **unused) {
    uint64_t state = SEED;
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        if (o->rank != 2 || o->bits != 64) continue;
        for (int draw = 0; draw < 1000000; ++draw)
            check_row_start(o, (draw % 2 ? random_u64(&state) : random_magnitude(&state, 33)) % (LAST_ROW64 + 1));
    }
}

static void every_layer_starts_and_ends_where_it_should(void **unused) {
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        uint64_t up = (uint64_t)o->strict;
        for (uint64_t i = 0; o->rank == 3 && i <= LAST_LAYER64 && oracle_Te(i) < limit_of(o); ++i) {
            uint64_t w = (uint64_t)oracle_Te(i);
            check_cell(o, w, cell_of(i + 2 * up, up, 0));
            if (i) check_cell(o, w - 1, cell_of(i - 1 + 2 * up, i - 1 + up, i - 1));
        }
    }
}

static void a_million_random_w_match_the_oracle(void **unused) {
    uint64_t state = SEED;
    (void)unused;
    for (const order *o = orders; o < orders_end; ++o) {
        for (int draw = 0; draw < 1000000; ++draw) check_with_oracle(o, random_magnitude(&state, (unsigned)o->bits));
    }
}

/* A larger root gives a larger seed, so the two ends stand for every error between them. */
static void every_order_survives_the_worst_roots_allowed(void **unused) {
    for (root_error = -1; root_error <= 1; root_error += 2) {
        ranks_follow_packed_order(unused);
        edges_around_T_of_i_match_the_oracle(unused);
        edges_around_Te_of_i_match_the_oracle(unused);
        edges_of_the_types_match_the_oracle(unused);
        every_row_of_32_bits_starts_and_ends_where_it_should(unused);
        a_million_random_rows_of_64_bits_start_and_end_where_they_should(unused);
        every_layer_starts_and_ends_where_it_should(unused);
    }
    root_error = 0;
}

/* ---- Condensed order ---- */

/* Place p of n points must be the pair (i, j); in 32 bits too where n(n-1)/2 fits. */
static void check_condensed(uint64_t n, uint64_t i, uint64_t j) {
    uint64_t p = (uint64_t)oracle_condensed(n, i, j);
    wedge_pair64 c = wedge_condensed_unrank64(n, p);
    if (c.i != i || c.j != j || wedge_condensed_rank64(n, i, j) != p)
        fail_msg("condensed64: n = %llu, p = %llu is (%llu, %llu), got (%llu, %llu) and p = %llu; seed %#llx", (ull)n,
                 (ull)p, (ull)i, (ull)j, (ull)c.i, (ull)c.j, (ull)wedge_condensed_rank64(n, i, j), (ull)SEED);
    if (n > 92682) return;
    uint32_t n32 = (uint32_t)n, p32 = wedge_condensed_rank32(n32, (uint32_t)i, (uint32_t)j);
    wedge_pair d = wedge_condensed_unrank32(n32, (uint32_t)p);
    if (d.i != i || d.j != j || p32 != p)
        fail_msg("condensed32: n = %llu, p = %llu is (%llu, %llu), got (%llu, %llu) and p = %llu; seed %#llx", (ull)n,
                 (ull)p, (ull)i, (ull)j, (ull)d.i, (ull)d.j, (ull)p32, (ull)SEED);
}

/* The first, second, middle and last pairs of row i. */
static void check_condensed_row(uint64_t n, uint64_t i) {
    const uint64_t columns[] = {i + 1, i + 2, i + (n - i) / 2, n - 2, n - 1};
    for (size_t a = 0; a < sizeof columns / sizeof *columns; ++a)
        if (columns[a] > i && columns[a] < n) check_condensed(n, i, columns[a]);
}

static void condensed_order_counts_pairs_row_by_row(void **unused) {
    (void)unused;
    for (uint64_t n = 2; n <= 130; ++n) {
        uint64_t p = 0;
        for (uint64_t i = 0; i < n; ++i)
            for (uint64_t j = i + 1; j < n; ++j) {
                assert_int_equal((uint64_t)oracle_condensed(n, i, j), p++);
                check_condensed(n, i, j);
            }
        assert_int_equal(p, n * (n - 1) / 2);
    }
}

static void condensed_rows_start_and_end_where_the_definition_says(void **unused) {
    static const uint64_t points[] = {46341, 46342, 65536, 92682, 92683};
    (void)unused;
    for (size_t a = 0; a < sizeof points / sizeof *points; ++a)
        for (uint64_t i = 0; i + 1 < points[a]; ++i) check_condensed_row(points[a], i);
}

static void condensed_order_holds_for_the_most_points_of_64_bits(void **unused) {
    const uint64_t n = LAST_ROW64 + 1;
    (void)unused;
    for (uint64_t i = 0; i < 1000; ++i) {
        check_condensed_row(n, i);
        check_condensed_row(n, n - 2 - i);
        check_condensed_row(n, n / 2 - i);
    }
    for (uint64_t i = 0; i + 1 < n; i += 100003) check_condensed_row(n, i);
}

/* Half of the draws in the range that both widths serve. */
static void a_million_random_condensed_pairs_follow_the_definition(void **unused) {
    uint64_t state = SEED;
    (void)unused;
    for (int draw = 0; draw < 2000000; ++draw) {
        uint64_t most = draw % 2 ? 92682 : LAST_ROW64 + 1;
        uint64_t n = 2 + random_magnitude(&state, draw % 2 ? 17 : 33) % (most - 1);
        uint64_t i = random_u64(&state) % (n - 1);
        check_condensed(n, i, i + 1 + random_u64(&state) % (n - 1 - i));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T_and_Te_hold_modulo_their_width),
        cmocka_unit_test(every_cell_of_small_triangles_round_trips),
        cmocka_unit_test(ranks_follow_packed_order),
        cmocka_unit_test(edges_around_T_of_i_match_the_oracle),
        cmocka_unit_test(edges_around_Te_of_i_match_the_oracle),
        cmocka_unit_test(edges_of_the_types_match_the_oracle),
        cmocka_unit_test(every_row_of_32_bits_starts_and_ends_where_it_should),
        cmocka_unit_test(a_million_random_rows_of_64_bits_start_and_end_where_they_should),
        cmocka_unit_test(every_layer_starts_and_ends_where_it_should),
        cmocka_unit_test(a_million_random_w_match_the_oracle),
        cmocka_unit_test(condensed_order_counts_pairs_row_by_row),
        cmocka_unit_test(condensed_rows_start_and_end_where_the_definition_says),
        cmocka_unit_test(condensed_order_holds_for_the_most_points_of_64_bits),
        cmocka_unit_test(a_million_random_condensed_pairs_follow_the_definition),
        cmocka_unit_test(every_order_survives_the_worst_roots_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
