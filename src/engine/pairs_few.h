/* pairs_few.h: the skeleton for few features: stores are what it waits for.
 *
 * A lane holds its columns whole; rows come from the cache, the same for all lanes. Nothing is shared, so nothing is
 * waited for. What is left is to start a block quickly and to write where others write: the fewer rows a block has, the
 * closer together lie the rows being written, and memory likes that. So square tiles are cut into PAIRS_BANDS low ones,
 * and blocks go along the bands: of a row I of square tiles, w - B T(I) counts B times I + 1 bands, with I the row of w / B
 * in packed order.
 *
 * SPDX-License-Identifier: MIT */

#define DEPTH ((PAIRS_D + QUAD - 1u) / QUAD) /* quads of a point */
#define HEIGHT (PAIRS_TILE / PAIRS_BANDS)
#define ROWS (HEIGHT / PAIRS_LINES)

/* A lane's cells of one row. */
WEDGE_FN void cells_of_row(WEDGE_GLOBAL const quad *x, const quad (*y)[DEPTH], op_args q, number *v) {
    quad a[DEPTH];
#pragma unroll
    for (wedge_u32 k = 0; k < DEPTH; ++k) a[k] = x[k];
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; ++u) {
        op_state s = begin_state(q);
#pragma unroll
        for (wedge_u32 f = 0; f < PAIRS_D; ++f) s = op_step(s, a[f / QUAD].v[f % QUAD], y[u][f / QUAD].v[f % QUAD], q);
        v[u] = op_finish(s, q);
    }
}

WEDGE_FN void whole_tile(WEDGE_GLOBAL const quad *points, WEDGE_GLOBAL number *out, pairs_args A, place p, op_args q) {
    WEDGE_GLOBAL char *start = lane_start(out, A, p);
    quad y[COLS][DEPTH];
    number v[COLS];
#pragma unroll
    for (wedge_u32 c = 0; c < COLS * DEPTH; ++c)
        y[c / DEPTH][c % DEPTH] = points[POINT((wedge_u32)p.column + COLUMN_OF(c / DEPTH)) * DEPTH + c % DEPTH];
#pragma unroll 2
    for (wedge_u32 m = 0; m < ROWS; ++m) {
        cells_of_row(points + POINT(p.row + ROW_OF(m, p.line) + PAIRS_STRICT) * DEPTH, y, q, v);
        put_whole(start, A, p, m, v);
    }
}

WEDGE_FN void part_of_tile(WEDGE_GLOBAL const quad *points, WEDGE_GLOBAL number *out, pairs_args A, place p,
                           op_args q) {
    quad y[COLS][DEPTH];
    number v[COLS];
#pragma unroll
    for (wedge_u32 c = 0; c < COLS * DEPTH; ++c)
        y[c / DEPTH][c % DEPTH] =
            points[POINT(clamp_point(p.column + (int)COLUMN_OF(c / DEPTH), A.points)) * DEPTH + c % DEPTH];
#pragma unroll 1
    for (wedge_u32 m = 0; m < ROWS; ++m) {
        wedge_u32 i = clamp_point((int)(p.row + ROW_OF(m, p.line) + PAIRS_STRICT), A.points);
        cells_of_row(points + POINT(i) * DEPTH, y, q, v);
        put_inside(out, A, p, m, v);
    }
}

WEDGE_FN void one_tile(WEDGE_GLOBAL const quad *points, WEDGE_GLOBAL number *out, pairs_args A, wedge_u32 row,
                       wedge_u32 j, wedge_u32 last, op_args q) {
    place p = place_of(row, HEIGHT, j, last, A);
    if (p.whole) {
        whole_tile(points, out, A, p, q);
    } else {
        /* A second pass takes what the row's last tile lost by its move. */
        const int moved = p.column < (int)(j * PAIRS_TILE);
        wedge_u32 passes = !PAIRS_BOX && j == last && moved ? 2u : 1u;
        for (; passes; --passes, p.column += (int)PAIRS_TILE) part_of_tile(points, out, A, p, q);
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_LINES,
                         PAIRS_RESIDENT) void wedge_pairs(wedge_launch g, WEDGE_GLOBAL const quad *points,
                                                          WEDGE_GLOBAL number *out, pairs_args A, number parameter) {
    const op_args q = args_of(A, parameter);
#if PAIRS_BOX
    const wedge_u64 w = g.base + wedge_group_id(0);
    one_tile(points, out, A, (wedge_u32)(w / A.columns) * HEIGHT, (wedge_u32)(w % A.columns), A.columns - 1u, q);
#elif WEDGE_STEPS
    for (wedge_walk t = wedge_begin(g, WEDGE_X(g), 0u, 0u, 0); t.left; t = wedge_next(t))
        for (wedge_u32 band = 0; band < PAIRS_BANDS; ++band)
            one_tile(points, out, A, t.i * PAIRS_TILE + band * HEIGHT, t.j, t.i, q);
#else
#if WEDGE_WIDE
    const wedge_u64 w = g.base + wedge_group_id(0);
#else
    const wedge_u32 w = (wedge_u32)g.base + wedge_group_id(0);
#endif
    const wedge_u32 i = wedge_lambda_at(w / PAIRS_BANDS).i;
    wedge_u32 j = (wedge_u32)w - PAIRS_BANDS * wedge_tri32(i), row = i * PAIRS_TILE;
#pragma unroll
    for (wedge_u32 band = 1; band < PAIRS_BANDS; ++band)
        if (j > i) j -= i + 1u, row += HEIGHT;
    one_tile(points, out, A, row, j, i, q);
#endif
}
