/* t203-rank.c: rank and unrank as exported functions: against counting in small domains, against 128-bit arithmetic at the
 * ends of the largest ones, and refusals at every border.
 *
 * SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wedge/wedge.h"

enum { SIDE = 13, MOST = 1000, CELL = 3 };

/* Cells in order, by loops alone. */
static size_t list_cells(const wedge_domain *d, uint64_t *c) {
    size_t count = 0;
    for (uint64_t i = 0; i < d->n; ++i)
        for (uint64_t j = 0; d->strict ? j < i : j <= i; ++j)
            for (uint64_t k = 0; d->rank == 3 ? (d->strict ? k < j : k <= j) : k < 1; ++k, ++count) {
                *c++ = i, *c++ = j;
                if (d->rank == 3) *c++ = k;
            }
    return count;
}

static void check_small(const wedge_domain *d) {
    static uint64_t cells[MOST * CELL], got[MOST * CELL], w[MOST], order[MOST];
    size_t count = list_cells(d, cells), bytes = count * (size_t)d->rank * sizeof *cells;
    uint64_t told;
    assert_int_equal(wedge_domain_cells(d, &told), WEDGE_OK);
    assert_true(told == count && count < MOST);
    for (size_t k = 0; k < count; ++k) order[k] = k;
    memset(w, 0x5A, sizeof w), memset(got, 0x5A, sizeof got);
    assert_int_equal(wedge_domain_rank(d, cells, count, w), WEDGE_OK);
    assert_memory_equal(w, order, count * sizeof *w);
    assert_int_equal(wedge_domain_unrank(d, order, count, got), WEDGE_OK);
    assert_memory_equal(got, cells, bytes);
    assert_int_equal(w[count], UINT64_C(0x5A5A5A5A5A5A5A5A)); /* no more than was asked for */
    assert_int_equal(got[count * (size_t)d->rank], UINT64_C(0x5A5A5A5A5A5A5A5A));
}

static void cells_are_counted_in_order(void **state) {
    (void)state;
    for (int rank = 2; rank <= 3; ++rank)
        for (int strict = 0; strict < 2; ++strict)
            for (uint64_t n = 0; n < SIDE; ++n) check_small(&(wedge_domain){sizeof(wedge_domain), rank, strict, n});
}

__extension__ typedef unsigned __int128 wide;

static wide position(const wedge_domain *d, const uint64_t *c) {
    wide i = c[0], j = c[1];
    if (d->rank == 2) return d->strict ? i * (i - 1) / 2 + j : i * (i + 1) / 2 + j;
    return d->strict ? i * (i - 1) * (i - 2) / 6 + j * (j - 1) / 2 + c[2]
                     : i * (i + 1) * (i + 2) / 6 + j * (j + 1) / 2 + c[2];
}

static void check_cell(const wedge_domain *d, uint64_t i, uint64_t j, uint64_t k) {
    uint64_t c[CELL] = {i, j, k}, back[CELL] = {0}, w = 0;
    wide want = position(d, c);
    assert_true(want <= UINT64_MAX);
    assert_int_equal(wedge_domain_rank(d, c, 1, &w), WEDGE_OK);
    assert_true(w == (uint64_t)want);
    assert_int_equal(wedge_domain_unrank(d, &w, 1, back), WEDGE_OK);
    assert_memory_equal(back, c, (size_t)d->rank * sizeof *c);
}

static const wedge_domain largest[] = {{sizeof(wedge_domain), 2, false, UINT64_C(6074000999)},
                                       {sizeof(wedge_domain), 2, true, UINT64_C(6074001000)},
                                       {sizeof(wedge_domain), 3, false, 4801278},
                                       {sizeof(wedge_domain), 3, true, 4801280}};

static void the_last_rows_that_64_bits_hold_are_right(void **state) {
    (void)state;
    for (int which = 0; which < 4; ++which) {
        wedge_domain d = largest[which], more = d;
        uint64_t cells, w = 0, s = d.strict;
        for (uint64_t i = d.n - 3; i < d.n; ++i)
            for (uint64_t j = 0; j < 3; ++j) {
                check_cell(&d, i, i - s, d.rank == 3 ? i - 2 * s : 0);
                check_cell(&d, i, i - s - j, 0);
                check_cell(&d, i, j + 2, j);
            }
        assert_int_equal(wedge_domain_cells(&d, &cells), WEDGE_OK);
        uint64_t last[CELL] = {d.n - 1, d.n - 1 - s, d.n - 1 - 2 * s};
        assert_int_equal(wedge_domain_rank(&d, last, 1, &w), WEDGE_OK);
        assert_true(w == cells - 1);
        ++more.n;
        assert_int_equal(wedge_domain_rank(&more, last, 1, &w), WEDGE_BAD_ARGUMENT);
        assert_int_equal(wedge_domain_unrank(&more, &w, 1, last), WEDGE_BAD_ARGUMENT);
    }
}

/* Of every triple of small numbers, those that the loops do not list. */
static void check_outside(const wedge_domain *d) {
    static uint64_t cells[MOST * CELL];
    size_t count = list_cells(d, cells), rank = (size_t)d->rank;
    for (uint64_t code = 0; code < 7 * 7 * 7; ++code) {
        uint64_t c[CELL] = {code % 7, code / 7 % 7, code / 49}, w;
        bool listed = false;
        for (size_t k = 0; k < count; ++k) listed = listed || !memcmp(cells + k * rank, c, rank * sizeof *c);
        assert_int_equal(wedge_domain_rank(d, c, 1, &w), listed ? WEDGE_OK : WEDGE_BAD_ARGUMENT);
    }
    const uint64_t far[][CELL] = {{UINT64_MAX, 0, 0}, {UINT64_MAX, UINT64_MAX, UINT64_MAX}, {3, UINT64_MAX, 0}};
    uint64_t w[3] = {0, count, UINT64_MAX}, c[CELL * 2];
    for (int k = 0; k < 3; ++k) assert_int_equal(wedge_domain_rank(d, far[k], 1, w), WEDGE_BAD_ARGUMENT);
    w[0] = 0;
    assert_int_equal(wedge_domain_unrank(d, w, 2, c), WEDGE_BAD_ARGUMENT);
    assert_int_equal(wedge_domain_unrank(d, w + 2, 1, c), WEDGE_BAD_ARGUMENT);
}

static void what_is_no_cell_is_refused(void **state) {
    (void)state;
    for (int rank = 2; rank <= 3; ++rank)
        for (int strict = 0; strict < 2; ++strict)
            check_outside(&(wedge_domain){sizeof(wedge_domain), rank, strict, 5});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_counted_in_order),
        cmocka_unit_test(the_last_rows_that_64_bits_hold_are_right),
        cmocka_unit_test(what_is_no_cell_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
