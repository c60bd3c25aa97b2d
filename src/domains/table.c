/* table.c: the domains by name, and where ranges are cut.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "core/context.h"
#include "core/float_env.h"
#include "domains/domains.h"

#define MOST_POINTS ((UINT64_C(1) << 29) - 1024) /* a row of f64 in a square has a 32-bit number of bytes */

extern const domain_def domain_condensed, domain_packed, domain_square, domain_lower, domain_rectangle, domain_triples,
    domain_triples_packed;

static const domain_def *const kinds[] = {
    [WEDGE_CONDENSED] = &domain_condensed,
    [WEDGE_PACKED] = &domain_packed,
    [WEDGE_SQUARE] = &domain_square,
    [WEDGE_LOWER] = &domain_lower,
    [WEDGE_RECTANGLE] = &domain_rectangle,
    [WEDGE_TRIPLES] = &domain_triples,
    [WEDGE_TRIPLES_PACKED] = &domain_triples_packed,
};

const domain_def *domain_find(wedge_layout layout) {
    return (unsigned)layout < sizeof kinds / sizeof *kinds ? kinds[layout] : NULL;
}

wedge_status domain_make(note *note, wedge_layout layout, uint64_t n, uint64_t m, wedge_dtype dtype, domain *out,
                         uint64_t *cells) {
    const domain_def *kind = domain_find(layout);
    uint64_t most = UINT64_MAX / (dtype == WEDGE_F64 ? 8 : 4), larger;
    WEDGE_CHECK(kind, note, WEDGE_BAD_ARGUMENT, "layout %d: there is no such layout", (int)layout);
    WEDGE_CHECK(dtype == WEDGE_F32 || dtype == WEDGE_F64, note, WEDGE_BAD_ARGUMENT, "dtype %d: must be f32 or f64",
                (int)dtype);
    larger = kind->two_sets && m > n ? m : n;
    WEDGE_CHECK(larger <= MOST_POINTS, note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " points: the engine takes at most %" PRIu64 "; split the points into groups", larger,
                MOST_POINTS);
    *out = (domain){kind, n, kind->two_sets ? m : n};
    *cells = kind->cells(out->n, out->m);
    WEDGE_CHECK(*cells <= most || !kind->triples, note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " points: the size of their triplets exceeds 64 bits; use fewer points", n);
    WEDGE_CHECK(*cells <= most, note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " points: a %s result of %" PRIu64
                " values exceeds 2^64 bytes; use f32, another layout, or split the points into groups",
                larger, kind->name, *cells);
    return WEDGE_OK;
}

wedge_status wedge_layout_cells(wedge_context *ctx, wedge_layout layout, uint64_t n, uint64_t m, wedge_dtype dtype,
                                uint64_t *cells) {
    DEFAULT_FLOATS;
    note *note = ctx ? &ctx->note : NULL;
    domain unused;
    WEDGE_GIVEN(cells, note);
    return domain_make(note, layout, n, m, dtype, &unused, cells);
}

uint64_t domain_cut(const domain *d, uint64_t begin, uint64_t end, uint64_t most, uint64_t rows) {
    if (end - begin <= most) return end;
    uint64_t row = d->kind->row(d, begin + most); /* the row that cannot be taken whole */
    uint64_t over = d->kind->over(d, row, rows);
    uint64_t cut = over <= row ? d->kind->start(d, row - over) : 0;
    return cut > begin ? cut : begin + most;
}
