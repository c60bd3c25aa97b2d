/* rank.c: domains for callers who cannot include map.h: the number of cells, the position of a cell, and the cell at a position.
 *
 * A domain is checked once and each cell before it is mapped, so that map.h's functions only see what they are exact
 * for.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "core/float_env.h"
#include "core/maps.h"
#include "core/sized.h"

/* Rows (layers) whose cells all have a 64-bit place. */
static uint64_t largest_full_side(int rank) { return rank == 3 ? UINT64_C(4801278) : UINT64_C(6074000999); }

uint64_t domain_full_side(const wedge_domain *d) {
    uint64_t lost = d->strict ? (uint64_t)d->rank - 1 : 0;
    return d->n > lost ? d->n - lost : 0;
}

wedge_status domain_check(note *n, const wedge_domain *d) {
    WEDGE_CHECK(d->rank == 2 || d->rank == 3, n, WEDGE_BAD_ARGUMENT, "rank %d: must be 2 (pairs) or 3 (triplets)",
                d->rank);
    WEDGE_CHECK(domain_full_side(d) <= largest_full_side(d->rank), n, WEDGE_BAD_ARGUMENT,
                "n = %" PRIu64 ": a%s domain of rank %d must have n <= %" PRIu64
                ", or the number of its cells exceeds 64 bits",
                d->n, d->strict ? " strict" : "", d->rank,
                largest_full_side(d->rank) + (d->strict ? (uint64_t)d->rank - 1 : 0));
    return WEDGE_OK;
}

uint64_t domain_cells(const wedge_domain *d) {
    uint64_t side = domain_full_side(d);
    return d->rank == 3 ? wedge_tet64(side) : wedge_tri64(side);
}

/* The caller's, if it can be. */
static wedge_status take_domain(const wedge_domain *theirs, wedge_domain *d) {
    WEDGE_GIVEN(theirs, NULL);
    WEDGE_TRY(SIZED_READ(NULL, wedge_domain, theirs, d));
    return domain_check(NULL, d);
}

wedge_status wedge_domain_cells(const wedge_domain *domain, uint64_t *cells) {
    wedge_domain d;
    WEDGE_GIVEN(cells, NULL);
    WEDGE_TRY(take_domain(domain, &d));
    *cells = domain_cells(&d);
    return WEDGE_OK;
}

static bool is_cell(const wedge_domain *d, const uint64_t *c) {
    bool inside = c[0] < d->n;
    for (int k = 1; k < d->rank; ++k) inside = inside && (d->strict ? c[k] < c[k - 1] : c[k] <= c[k - 1]);
    return inside;
}

wedge_status wedge_domain_rank(const wedge_domain *domain, const uint64_t *coordinates, size_t count, uint64_t *w) {
    wedge_domain d;
    if (count) WEDGE_GIVEN(coordinates, NULL);
    if (count) WEDGE_GIVEN(w, NULL);
    WEDGE_TRY(take_domain(domain, &d));
    uint64_t down = d.strict; /* strict cells are those of the full domain, moved by (1, 0) or (2, 1, 0) */
    const uint64_t *c = coordinates;
    for (size_t k = 0; k < count; ++k, c += d.rank) {
        if (!is_cell(&d, c)) return WEDGE_BAD_ARGUMENT;
        w[k] = d.rank == 3 ? wedge_tet_rank64(c[0] - 2 * down, c[1] - down, c[2]) : wedge_tri_rank64(c[0] - down, c[1]);
    }
    return WEDGE_OK;
}

wedge_status wedge_domain_unrank(const wedge_domain *domain, const uint64_t *w, size_t count, uint64_t *coordinates) {
    DEFAULT_FLOATS;
    wedge_domain d;
    if (count) WEDGE_GIVEN(w, NULL);
    if (count) WEDGE_GIVEN(coordinates, NULL);
    WEDGE_TRY(take_domain(domain, &d));
    uint64_t cells = domain_cells(&d), down = d.strict, *c = coordinates;
    for (size_t k = 0; k < count; ++k, c += d.rank) {
        if (w[k] >= cells) return WEDGE_BAD_ARGUMENT;
        if (d.rank == 3) {
            wedge_triple64 t = wedge_tet_unrank64(w[k]);
            c[0] = t.i + 2 * down, c[1] = t.j + down, c[2] = t.k;
        } else {
            wedge_pair64 t = wedge_tri_unrank64(w[k]);
            c[0] = t.i + down, c[1] = t.j;
        }
    }
    return WEDGE_OK;
}
