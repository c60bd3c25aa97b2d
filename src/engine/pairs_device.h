/* pairs_device.h: fold ops over pairs on a GPU: what a tile, a row and a column are. A skeleton (pairs_few.h,
 * pairs_many.h) follows.
 *
 * A tile has PAIRS_TILE columns. Threads stand in lines of 32; a line takes PAIRS_ROWS rows of the tile and its 32 lanes
 * take the columns; L = PAIRS_LINES lines, PAIRS_WARPS of them a block, are side by side. In packed order rows begin anywhere, so a line's columns move left by the
 * few places that bring its stores to a boundary of L numbers (32 bytes or more). T(i) mod L repeats after 2L rows, and
 * T(2L - 1 - i) = T(i) mod L: rows k and 2L - 1 - k of every 2L need the same move. Line k takes those, and so holds its
 * columns in registers for all of its rows, as if the rows were aligned. In a square it takes the rows k mod L. What the
 * last tile of a row loses by the move is taken by a second pass.
 *
 * Cells are counted by q, the packed order (in a square the order of rows). Condensed order is packed order read
 * backwards over reversed points: there a cell lies at base - q.
 *
 * The engine defines number, PAIRS_F64, PAIRS_TILE, PAIRS_LINES, PAIRS_WARPS, PAIRS_ROWS, PAIRS_WIDE (numbers a store),
 * PAIRS_RESIDENT (blocks that should fit a multiprocessor), PAIRS_SQUARE (rows of one length), PAIRS_BOX (all of the square,
 * else its lower half), PAIRS_MIRROR, PAIRS_STRICT, and PAIRS_D, the number of features where they are few, else 0.
 *
 * SPDX-License-Identifier: MIT */

#define LANES 32u
#define THREADS (LANES * PAIRS_WARPS)
#define QUAD ((wedge_u32)(16u / sizeof(number)))
#define COLS (PAIRS_TILE / LANES)

typedef struct __attribute__((aligned(16))) {
    number v[16u / sizeof(number)];
} quad;

typedef struct {
    wedge_u64 base;                   /* out[0] is q = base */
    wedge_u64 begin, end;             /* cells to compute, as q */
    wedge_u32 whole_begin, whole_end; /* rows that are in the range from end to end */
    wedge_u32 side;                   /* rows */
    wedge_u32 points;                 /* of columns */
    wedge_u32 quads;                  /* of a point */
    wedge_u32 features;               /* of a point */
    wedge_u32 phase;                  /* the q of a boundary, mod PAIRS_LINES */
    wedge_u32 columns;                /* tiles a row, of a box */
    wedge_u32 plane;                  /* points of a plane, of columns */
    wedge_u32 row_plane;              /* and of rows */
} pairs_args;

/* Rows: where row i begins, in cells and in bytes of the output (backwards for the mirror; a product of 32 bits by 32),
 * and which of a tile's rows are a line's. */
#if PAIRS_SQUARE
#define ROW_START(i) ((wedge_u64)(i)*A.points)
#define ROW_BYTES(i) ((wedge_u64)(i) * (A.points * (wedge_u32)sizeof(number)))
#define ROW_OF(m, line) ((m)*PAIRS_LINES + (line))
#else
#define ROW_START(i) ((wedge_u64)((i) | 1u) * (((i) + 1u) >> 1))
#define ROW_HALF(i) ((int)((((i) + 1u) >> 1) * (wedge_u32)sizeof(number)))
#define ROW_BYTES(i) ((wedge_i64)(int)((i) | 1u) * (PAIRS_MIRROR ? -ROW_HALF(i) : ROW_HALF(i)))
#define ROW_OF(m, line) ((m) / 2u * (2u * PAIRS_LINES) + ((m) % 2u ? 2u * PAIRS_LINES - 1u - (line) : (line)))
#endif
#define ROW_LAST(i) (PAIRS_BOX ? (int)A.points - 1 : (int)(i))

/* Columns: those of a lane, the u-th of COLS. */
#define COLUMN_OF(u) (((u) / PAIRS_WIDE * LANES + wedge_local_id(0)) * PAIRS_WIDE + (u) % PAIRS_WIDE)

/* A tile, as one line sees it. A tile begins at rows that are multiples of 2L and columns that are multiples of L, so that
 * the move depends on the line alone. */
typedef struct {
    wedge_u32 row; /* the tile's first */
    int column;    /* the line's first: the tile's, moved */
    wedge_u32 line;
    int whole; /* every cell of the line is in the domain and in the range */
} place;

WEDGE_FN wedge_u32 move_of(wedge_u32 line, pairs_args A) {
    return ((wedge_u32)ROW_START(line) - A.phase) % PAIRS_LINES;
}

/* The tile at tile column `j` of `last` (the row's last), of `height` rows. */
WEDGE_FN place place_of(wedge_u32 row, wedge_u32 height, wedge_u32 line, wedge_u32 j, wedge_u32 last, pairs_args A) {
    place p;
    p.line = line;
    p.row = row;
    p.column = (int)(j * PAIRS_TILE) - (int)move_of(p.line, A);
    const int inside = PAIRS_BOX ? p.column + (int)PAIRS_TILE <= (int)A.points : j < last;
    p.whole = p.column >= 0 && inside && row >= A.whole_begin && row + height <= A.whole_end;
    return p;
}

WEDGE_FN wedge_u32 clamp_point(int x, wedge_u32 points) {
    return x < 0 ? 0u : x < (int)points ? (wedge_u32)x : points - 1u;
}

WEDGE_FN op_args args_of(pairs_args A, number p) {
    op_args q;
    q.p = p;
    q.d = (number)A.features;
    return q;
}

WEDGE_FN op_state begin_state(void) {
    op_state s = {0};
    return s;
}

/* Where the lane's first cells would lie if their row began at q = 0. */
WEDGE_FN WEDGE_GLOBAL char *lane_start(WEDGE_GLOBAL number *out, pairs_args A, place p) {
    wedge_u32 q = (wedge_u32)p.column + COLUMN_OF(0);
    return (WEDGE_GLOBAL char *)(PAIRS_MIRROR ? out + (A.base - q - (PAIRS_WIDE - 1u)) : out + (q - A.base));
}

/* The lane's cells of row m of its line, in a tile that is whole. */
WEDGE_FN void put_whole(WEDGE_GLOBAL char *start, pairs_args A, place p, wedge_u32 m, const number *v) {
    const wedge_u32 i = p.row + ROW_OF(m, p.line), step = LANES * (wedge_u32)sizeof(number);
    WEDGE_GLOBAL char *at = start + ROW_BYTES(i);
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; u += PAIRS_WIDE)
        sink_wide((WEDGE_GLOBAL number *)(PAIRS_MIRROR ? at - u * step : at + u * step), v + u);
}

/* Is cell (i, j), of place q, to be computed? */
WEDGE_FN int is_inside(pairs_args A, wedge_u32 i, int j, wedge_u64 q) {
    return i < A.side && j >= 0 && j <= ROW_LAST(i) && q >= A.begin && q < A.end;
}

/* The same where some of them lie outside. */
WEDGE_FN void put_inside(WEDGE_GLOBAL number *out, pairs_args A, place p, wedge_u32 m, const number *v) {
    const wedge_u32 i = p.row + ROW_OF(m, p.line), wide = PAIRS_WIDE;
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; u += wide) {
        const int j = p.column + (int)COLUMN_OF(u);
        const wedge_u64 q = ROW_START(i) + (wedge_u64)(wedge_i64)j;
        if (is_inside(A, i, j, q) && is_inside(A, i, j + (int)wide - 1, q + wide - 1u)) {
            sink_wide(out + (PAIRS_MIRROR ? A.base - q - (wide - 1u) : q - A.base), v + u);
        } else {
#pragma unroll
            for (wedge_u32 e = 0; e < wide; ++e)
                if (is_inside(A, i, j + (int)e, q + e)) sink_one(out, A.base, q + e, v[u + e]);
        }
    }
}

/* Points: of few features they lie in PAIRS_WIDE planes, point x in plane x mod PAIRS_WIDE, so that the columns which 32
 * lanes want at once lie side by side; with PAIRS_LINES points before the first and enough after the last that every tile
 * is whole. */
#if PAIRS_D
#define POINT_NUMBER(x) ((wedge_u32)(x) + PAIRS_LINES)
#define POINT(x, plane) \
    (POINT_NUMBER(x) % PAIRS_WIDE * (plane) + POINT_NUMBER(x) / PAIRS_WIDE) /* of x >= -PAIRS_LINES */
#else
#define POINT(x, plane) (x)
#endif

/* The two sets, or one twice. */
typedef struct {
    WEDGE_GLOBAL const quad *columns, *rows;
} point_sets;

WEDGE_FN point_sets sets_of(WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows) {
    point_sets s;
    s.columns = columns;
    s.rows = rows;
    return s;
}

/* Points as the skeletons want them: rows of quads, the last one padded, prepared, and reversed for the mirror. As given
 * they begin at number `start` of `in`, and rows are `stride` numbers apart. `first` is 0, or as far before it as there
 * are points that are none. */
WEDGE_KERNEL void wedge_prepare(WEDGE_GLOBAL const number *in, wedge_u64 start, wedge_u64 stride,
                                WEDGE_GLOBAL number *out, int first, pairs_args A, wedge_u32 all) {
    const wedge_u32 k = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0), x = (wedge_u32)first + k;
    if (k < all) {
        WEDGE_GLOBAL number *row = out + (wedge_u64)POINT(x, A.plane) * A.quads * QUAD;
        const wedge_u32 features = x < A.points ? A.features : 0u;
        const wedge_u64 from = start + (PAIRS_MIRROR ? A.points - 1u - x : x) * stride;
        for (wedge_u32 f = 0; f < A.quads * QUAD; ++f) row[f] = f < features ? in[from + f] : (number)0;
#ifdef OP_PREPARES
        if (features) op_prepare(row, features);
#endif
    }
}
