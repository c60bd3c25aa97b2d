/* layout.c: positions, rows and cuts of the layouts.
 *
 * SPDX-License-Identifier: MIT */
#include "engine/layout.h"

#include <inttypes.h>

#include "core/context.h"
#include "core/note.h"
#include "wedge/map.h"

#define MOST_POINTS ((UINT64_C(1) << 29) - 1024) /* a row of f64 in a square has a 32-bit number of bytes */

static const char *const names[] = {"condensed", "packed", "square", "lower"};

wedge_status wedge_layout_cells(wedge_context *ctx, wedge_layout kind, uint64_t n, wedge_dtype dtype, uint64_t *cells) {
    note *note = ctx ? &ctx->note : NULL;
    WEDGE_GIVEN(cells, note);
    WEDGE_CHECK(dtype == WEDGE_F32 || dtype == WEDGE_F64, note, WEDGE_BAD_ARGUMENT, "dtype %d: must be f32 or f64",
                (int)dtype);
    uint64_t most = UINT64_MAX / (dtype == WEDGE_F64 ? 8 : 4);
    WEDGE_CHECK((unsigned)kind <= WEDGE_LOWER, note, WEDGE_BAD_ARGUMENT, "layout %d: there is no such layout",
                (int)kind);
    WEDGE_CHECK(n <= MOST_POINTS, note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " points: the engine takes at most %" PRIu64 "; split the points into groups", n,
                MOST_POINTS);
    *cells = kind == WEDGE_CONDENSED ? (n ? wedge_tri64(n - 1) : 0) : kind == WEDGE_PACKED ? wedge_tri64(n) : n * n;
    WEDGE_CHECK(*cells <= most, note, WEDGE_BAD_ARGUMENT,
                "%" PRIu64 " points: a %s result of %" PRIu64
                " values passes 2^64 bytes; take f32, another layout, or "
                "split the points into groups",
                n, names[kind], *cells);
    return WEDGE_OK;
}

uint64_t layout_rows(layout l) { return l.kind == WEDGE_CONDENSED ? (l.n ? l.n - 1 : 0) : l.n; }

/* Condensed: what follows row r is a triangle of side n - 1 - r. */
uint64_t layout_start(layout l, uint64_t row) {
    if (l.kind == WEDGE_CONDENSED) return wedge_tri64(l.n - 1) - wedge_tri64(l.n - 1 - row);
    return l.kind == WEDGE_PACKED ? wedge_tri64(row) : row * l.n;
}

uint64_t layout_row(layout l, uint64_t position) {
    if (l.kind == WEDGE_CONDENSED) return l.n - 2 - wedge_tri_unrank64(wedge_tri64(l.n - 1) - 1 - position).i;
    return l.kind == WEDGE_PACKED ? wedge_tri_unrank64(position).i : position / l.n;
}

columns layout_columns(layout l, uint64_t row) {
    if (l.kind == WEDGE_CONDENSED) return (columns){row + 1, l.n - 1};
    return (columns){0, l.kind == WEDGE_SQUARE ? l.n - 1 : row};
}

uint64_t layout_cut(layout l, uint64_t begin, uint64_t end, uint64_t most, uint64_t rows) {
    if (end - begin <= most) return end;
    uint64_t row = layout_row(l, begin + most); /* the row that cannot be taken whole */
    uint64_t over = l.kind == WEDGE_CONDENSED ? rows - (l.n - 1 - row) % rows : row % rows;
    uint64_t cut = over % rows <= row ? layout_start(l, row - over % rows) : 0;
    return cut > begin ? cut : begin + most;
}
