/* bands.h: block w takes piece w of the rows of pieces. The 32-bit way at both ends of every row that it can have, with a
 * root as wrong as a device's may be; the 64-bit way there and beyond.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants the first four before it. */
#include <cmocka.h>

#include "wedge/map.h"

static wedge_u32 pieces;
static float wrong; /* parts in 2^23 that the root is too large by */

static float wrong_root(float x) { return sqrtf(x) * (1 + wrong * 0x1p-23f); }

#define BANDS_PIECES pieces
#undef wedge_sqrt_approx
#define wedge_sqrt_approx(x) wrong_root(x)
#include "engine/kernels/bands.h"

#define WEDGE_USE64 1
#define bands_place wide_place
#define bands_at wide_at
#define wedge_lambda_at(w) wedge_tri_unrank64(w)
#include "engine/kernels/bands.h"
#undef bands_place
#undef bands_at

enum { MOST_PIECES = 16 };

static void check(uint64_t w, uint64_t b, uint64_t j) {
    wide_place t = wide_at(w);
    if (t.b != b || t.j != j)
        fail_msg("block %ju of %u: row %u, column %u, not %ju, %ju", (uintmax_t)w, pieces, t.b, t.j, (uintmax_t)b,
                 (uintmax_t)j);
    if (w > INT32_MAX) return;
    bands_place s = bands_at((wedge_u32)w);
    if (s.b != b || s.j != j)
        fail_msg("block %ju of %u, root wrong by %g: row %u, column %u, not %ju, %ju", (uintmax_t)w, pieces, wrong, s.b,
                 s.j, (uintmax_t)b, (uintmax_t)j);
}

static void every_row_begins_and_ends(void **state) {
    static const float wrongs[] = {0, -5, 5};
    (void)state;
    for (pieces = 1; pieces <= MOST_PIECES; pieces *= 2)
        for (int k = 0; k < 3; ++k) {
            wrong = wrongs[k];
            uint64_t w = 0;
            for (uint64_t b = 0; w <= INT32_MAX; ++b) {
                uint64_t columns = b / pieces + 1;
                check(w, b, 0);
                check(w + columns / 2, b, columns / 2);
                check(w + columns - 1, b, columns - 1);
                w += columns;
            }
        }
}

static void blocks_beyond_32_bits(void **state) {
    (void)state;
    for (pieces = 1; pieces <= MOST_PIECES; pieces *= 2)
        for (uint64_t i = 100000; i < UINT64_C(1) << 26; i += i / 3)
            for (uint64_t band = 0; band < pieces; ++band) {
                uint64_t w = pieces * (i * (i + 1) / 2) + band * (i + 1);
                check(w, i * pieces + band, 0);
                check(w + i, i * pieces + band, i);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_begins_and_ends),
        cmocka_unit_test(blocks_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
