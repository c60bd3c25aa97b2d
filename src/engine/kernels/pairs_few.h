/* pairs_few.h: the skeleton for few features: limited by stores.
 *
 * A lane holds its columns whole, and some rows ahead, the same for all lanes. Nothing is shared, so nothing is waited
 * for. What is left is to start a block quickly, to do little per cell (every instruction costs power, and at the device's
 * power limit its clock falls) and to write where others write: the fewer rows are on their way, the closer together
 * they lie, and memory likes that. So square tiles are cut into low bands, those into pieces of PAIRS_WARPS lines, and
 * blocks go along the pieces (bands.h).
 *
 * SPDX-License-Identifier: MIT */

#define HEIGHT (PAIRS_LINES * PAIRS_ROWS) /* of a band */
#define SPLIT (PAIRS_LINES / PAIRS_WARPS) /* pieces of a band */
#define LONG_RECORD (PAIRS_D > 4)         /* of a direct op: its columns take the registers */
#if defined(OP_HEAVY) || LONG_RECORD
#define AHEAD 1u
#else
#define AHEAD (PAIRS_F64 ? 2u : 4u) /* rows that are read at once: a divisor of PAIRS_ROWS */
#endif

/* States of two numbers need more registers. */
#ifdef OP_DIRECT
#define RESIDENT (LONG_RECORD ? (PAIRS_RESIDENT + 1) / 2 : PAIRS_RESIDENT)
#else
#define RESIDENT (sizeof(op_state) > sizeof(number) ? PAIRS_RESIDENT * 3 / 4 : PAIRS_RESIDENT)
#endif

/* A lane's cells of one row. */
WEDGE_FN void cells_of_row(const quad *a, const quad (*y)[DEPTH], op_args q, number *v) {
    op_state s[COLS];
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; ++u) s[u] = cell_state(a, y[u], q);
#ifdef OP_QUICK_FROM
    int sure = 1;
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; ++u) {
        v[u] = op_quick(s[u], q);
        sure &= v[u] >= OP_QUICK_FROM;
    }
    if (!sure)
#endif
#pragma unroll
        for (wedge_u32 u = 0; u < COLS; ++u) all_values(s[u], q, v + u * OP_VALUES);
}

WEDGE_FN void read_columns(WEDGE_GLOBAL const quad *points, pairs_args args, strip p, quad (*y)[DEPTH]) {
#pragma unroll
    for (wedge_u32 e = 0; e < PAIRS_PER_STORE; ++e) {
        WEDGE_GLOBAL const quad *x =
            points + (wedge_u64)(POINT(p.column + (int)e, args.plane) + wedge_local_id(0)) * DEPTH;
#pragma unroll
        for (wedge_u32 c = 0; c < COLS / PAIRS_PER_STORE * DEPTH; ++c)
            y[c / DEPTH * PAIRS_PER_STORE + e][c % DEPTH] = x[c / DEPTH * LANES * DEPTH + c % DEPTH];
    }
}

/* Row m of the line. Rows m and m + 2 are 2 L points apart, which is in one plane. */
WEDGE_FN void read_row(WEDGE_GLOBAL const quad *rows, pairs_args args, strip p, wedge_u32 m, quad *a) {
    const wedge_u32 row = p.row + line_row(m % 2u, p.line) + DOMAIN_STRICT;
    WEDGE_GLOBAL const quad *x = rows + (wedge_u64)POINT(row, args.row_plane) * DEPTH;
#pragma unroll
    for (wedge_u32 k = 0; k < DEPTH; ++k) a[k] = x[m / 2u * (2u * PAIRS_LINES / PAIRS_PER_STORE) * DEPTH + k];
}

WEDGE_FN void whole_tile(point_sets points, WEDGE_GLOBAL number *out, pairs_args args, strip p, op_args q) {
    WEDGE_GLOBAL char *start = lane_start(out, args, p);
    quad y[COLS][DEPTH], a[AHEAD][DEPTH];
    number v[COLS * OP_VALUES];
    read_columns(points.columns, args, p, y);
#pragma unroll 1
    for (wedge_u32 first = 0; first < PAIRS_ROWS; first += AHEAD) {
#pragma unroll
        for (wedge_u32 k = 0; k < AHEAD; ++k) read_row(points.rows, args, p, first + k, a[k]);
#pragma unroll
        for (wedge_u32 k = 0; k < AHEAD; ++k) {
            cells_of_row(a[k], y, q, v);
            put_whole(start, args, p, first + k, v);
        }
    }
}

WEDGE_FN void part_of_tile(point_sets points, WEDGE_GLOBAL number *out, pairs_args args, strip p, op_args q) {
    quad y[COLS][DEPTH], a[DEPTH];
    number v[COLS * OP_VALUES];
    read_columns(points.columns, args, p, y);
#pragma unroll 1
    for (wedge_u32 m = 0; m < PAIRS_ROWS; ++m) {
        read_row(points.rows, args, p, m, a);
        cells_of_row(a, y, q, v);
        put_inside(out, args, p, m, v);
    }
}

/* A block's piece of a tile: piece b, counted down the rows of the whole domain, at tile column `j` of `last`. */
WEDGE_FN void one_piece(point_sets points, WEDGE_GLOBAL number *out, pairs_args args, wedge_u32 b, wedge_u32 j,
                        wedge_u32 last, op_args q) {
    strip p = strip_of(b / SPLIT * HEIGHT, HEIGHT, b % SPLIT * PAIRS_WARPS + wedge_local_id(1), j, last, args);
    if (p.whole) {
        whole_tile(points, out, args, p, q);
    } else {
        /* A second pass takes what the row's last tile lost by its move. */
        const int moved = p.column < (int)(j * PAIRS_TILE);
        wedge_u32 passes = !DOMAIN_FULL_ROWS && j == last && moved ? 2u : 1u;
        for (; passes; --passes, p.column += (int)PAIRS_TILE) part_of_tile(points, out, args, p, q);
    }
}

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                     WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL number *out,
                                                     WEDGE_GLOBAL const number *limits, pairs_args args,
                                                     op_values parameters) {
    const op_args q = args_of(args, parameters);
    const point_sets points = sets_of(columns, rows);
#if !DOMAIN_FULL_ROWS && WEDGE_SEGMENTS
    for (wedge_segment t = wedge_begin(g, WEDGE_X(g), 0u, 0u, 0); t.end; t = wedge_step(g, t))
        for (wedge_u32 b = 0; b < BANDS_PIECES; ++b) one_piece(points, out, args, t.i * BANDS_PIECES + b, t.j, t.i, q);
#else
#if WEDGE_USE64
    const wedge_u64 w = g.base + wedge_group_id(0);
#else
    const wedge_u32 w = (wedge_u32)g.base + wedge_group_id(0);
#endif
#if DOMAIN_FULL_ROWS
    one_piece(points, out, args, (wedge_u32)(w / args.columns), (wedge_u32)(w % args.columns), args.columns - 1u, q);
#else
    const bands_place t = bands_at(w);
    one_piece(points, out, args, t.b, t.j, t.b / BANDS_PIECES, q);
#endif
#endif
}
