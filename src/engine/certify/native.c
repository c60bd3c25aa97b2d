/* certify/native.c: the checks of kernels/certify.h on the host's cores.
 *
 * The inner loops only collect the masks, so that the compiler can vectorise them; a row with a failure is computed
 * again to count its failures. Compiled twice: CERTIFY_NAME says under which name.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/certify/native.h"

#include "wedge/map.h"

#include "engine/kernels/certify.h"

#ifndef CERTIFY_NAME
#define CERTIFY_NAME certify_native
#endif

static void count(certify_tally *t, uint32_t bad, uint64_t row) {
    for (int b = 0; b < CERTIFY_BITS; ++b) {
        if (!(bad >> b & 1)) continue;
        __atomic_fetch_add(&t->failures[b], 1, __ATOMIC_RELAXED);
        uint64_t old = __atomic_load_n(&t->first[b], __ATOMIC_RELAXED);
        while (row < old &&
               !__atomic_compare_exchange_n(&t->first[b], &old, row, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
    }
}

/* Cells of a row whose places are below 2^32. */
static uint32_t cells_below_2_32(uint64_t first, uint32_t cells) {
    uint64_t left = first <= UINT32_MAX ? UINT64_C(4294967296) - first : 0;
    return left < cells ? (uint32_t)left : cells;
}

static uint64_t row_of_triangle(const certify_pass *p, uint32_t i) {
    uint64_t first = wedge_expect_tri(i);
    uint32_t cells = cells_below_2_32(first, i + 1), w0 = (uint32_t)first, bad = 0;
    uint32_t n = i + 1 < p->n ? (uint32_t)p->n : 0, last = (uint32_t)wedge_expect_tri(p->n - 1) - 1;
    for (uint32_t j = 0; j < cells; ++j) bad |= wedge_bad_tri32(i, j, w0 + j, n, last);
    for (uint32_t j = 0; bad && j < cells; ++j) count(p->tally, wedge_bad_tri32(i, j, w0 + j, n, last), i);
    return cells;
}

static uint64_t layer_of_tetrahedron(const certify_pass *p, uint32_t i) {
    uint64_t tried = 0;
    for (uint32_t j = 0; j <= i; ++j) {
        uint64_t first = wedge_expect_tet(i) + wedge_expect_tri(j);
        uint32_t cells = cells_below_2_32(first, j + 1), w0 = (uint32_t)first, bad = 0;
        for (uint32_t k = 0; k < cells; ++k) bad |= wedge_bad_tet32(i, j, k, w0 + k);
        for (uint32_t k = 0; bad && k < cells; ++k) count(p->tally, wedge_bad_tet32(i, j, k, w0 + k), i);
        tried += cells;
    }
    return tried;
}

static uint64_t samples_of_row(const certify_pass *p, uint64_t i) {
    uint32_t samples = p->rank == 2 ? WEDGE_SAMPLES2 : WEDGE_SAMPLES3;
    for (uint32_t q = 0; q < samples; ++q) {
        uint32_t bad = p->rank == 2 ? wedge_try_row(i, q, p->n) : wedge_try_layer(i, q);
        if (bad) count(p->tally, bad, i);
    }
    return samples;
}

static uint64_t tiles_of_side(const certify_pass *p, uint32_t row) {
    uint32_t m = wedge_hmap3_side(row);
    uint64_t tried = 0;
    for (uint32_t i = 0; i < m; ++i)
        for (uint32_t j = 0, few = 0; j < m; ++j, tried += few, few = 0) {
            uint32_t bad = wedge_try_hmap3(m, i, j, &few);
            if (bad) count(p->tally, bad, row);
        }
    return tried;
}

void CERTIFY_NAME(void *pass, uint64_t begin, uint64_t end) {
    const certify_pass *p = pass;
    uint64_t tried = 0;
    for (uint64_t i = begin; i < end; ++i)
        tried += p->width == 64              ? samples_of_row(p, i)
                 : p->width == CERTIFY_TILES ? tiles_of_side(p, (uint32_t)i)
                 : p->rank == 2              ? row_of_triangle(p, (uint32_t)i)
                                             : layer_of_tetrahedron(p, (uint32_t)i);
    __atomic_fetch_add(&p->tally->tried, tried, __ATOMIC_RELAXED);
}
