/* domains.h: the cells of each layout and the position of their values in the output: rows, columns, and where ranges are cut.
 *
 * A domain has rows, and a row's columns lie side by side in the output. Rows count points of the first set, columns those
 * of the second; where there is one set, it is both. A domain is one file here and one line in table.c; its device half is
 * the text of its rows (triangle.h, even.h) and three definitions for it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_DOMAINS_DOMAINS_H
#define WEDGE_DOMAINS_DOMAINS_H

#include "core/note.h"
#include "wedge/map.h"
#include "wedge/wedge.h"

typedef struct domain_def domain_def;

typedef struct {
    const domain_def *kind;
    uint64_t n, m; /* points that are rows, and points that are columns */
} domain;

/* The columns of a row, first to last inclusive. */
typedef struct {
    uint64_t first, last;
} columns;

struct domain_def {
    const char *name;
    bool two_sets;     /* rows and columns are points of two sets */
    bool triples;      /* cells are triplets: a row is a pair of points (triples.c) */
    uint32_t distinct; /* triplets: 1 if a point may not come twice, 0 with diagonals */
    bool partial;      /* some positions hold no cell: they are not touched, and the domain cannot be streamed */

    uint64_t (*cells)(uint64_t n, uint64_t m); /* positions, for n and m that wedge takes */
    uint64_t (*rows)(const domain *d);
    uint64_t (*start)(const domain *d, uint64_t row); /* the position of its first column */
    uint64_t (*row)(const domain *d, uint64_t position);
    columns (*columns)(const domain *d, uint64_t row);
    uint64_t (*over)(const domain *d, uint64_t row,
                     uint64_t rows); /* rows from the last multiple of `rows` to this row */

    bool full_rows; /* all rows have all columns: there is no triangle to map */
    bool backwards; /* devices count rows and columns from the last point on, and positions from the last */

    const char *device_rows; /* text: row_start, row_bytes, line_row, row_last */
    const char
        *device_definitions; /* for it and the skeletons: DOMAIN_FULL_ROWS, DOMAIN_BACKWARDS, and DOMAIN_STRICT, what a
                                     * row's point comes after its number; of triplets DOMAIN_DISTINCT, as `distinct` */
};

#define DOMAIN_DEFINITIONS(full_rows, backwards, strict)                                                            \
    "#define DOMAIN_FULL_ROWS " full_rows "\n#define DOMAIN_BACKWARDS " backwards "\n#define DOMAIN_STRICT " strict \
    "u\n"
extern const char text_rows_triangle[], text_rows_even[], text_rows_triples[]; /* triangle.h, even.h, triples.h */

/* By the public names; NULL: unknown. */
const domain_def *domain_find(wedge_layout layout);

/* Positions of a domain; WEDGE_BAD_ARGUMENT where its bytes pass 64 bits, or a set what the engine takes. */
wedge_status domain_make(note *note, wedge_layout layout, uint64_t n, uint64_t m, wedge_dtype dtype, domain *out,
                         uint64_t *cells);

/* Where a range of at most `most` positions from begin on should end: at a multiple of `rows` rows (counted from the end
 * that condensed order is the mirror of), if there is one; otherwise where it must. */
uint64_t domain_cut(const domain *d, uint64_t begin, uint64_t end, uint64_t most, uint64_t rows);

/* Triplets: the points at a position, and the position of points i, j and k, the largest first. */
wedge_triple64 domain_triple(const domain *d, uint64_t position);
uint64_t domain_triple_position(const domain *d, uint64_t i, uint64_t j, uint64_t k);

/* What several domains share. */
uint64_t domain_all_rows(const domain *d);
uint64_t domain_even_start(const domain *d, uint64_t row); /* rows of m positions */
uint64_t domain_even_row(const domain *d, uint64_t position);
columns domain_to_diagonal(const domain *d, uint64_t row);
columns domain_all_columns(const domain *d, uint64_t row);
uint64_t domain_over(const domain *d, uint64_t row, uint64_t rows);
uint64_t domain_full_cells(uint64_t n, uint64_t m);

#endif
