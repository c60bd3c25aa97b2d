/* store.h: the sink that keeps every value: PAIRS_PER_STORE numbers per store, at multiples of 32 bytes.
 *
 * A tile has PAIRS_TILE columns. Threads stand in lines of 32; a line takes PAIRS_ROWS rows of the tile and its 32 lanes
 * take the columns; L = PAIRS_LINES lines, of which a block has PAIRS_WARPS, are side by side. In packed order rows begin
 * anywhere, so a line's columns move left by the few numbers that bring its stores to a boundary of L numbers (32 bytes or
 * more). A line takes rows that need the same move (line_row), and so holds its columns in registers for all of its rows, as
 * if the rows were aligned. What the last tile of a row loses by the move is taken by a second pass.
 *
 * Cell number c lies at c - base, or at base - c where the output runs backwards, in units of its OP_VALUES values.
 *
 * SPDX-License-Identifier: MIT */

#define SINK_STORES 1
typedef number sink_slot;

typedef struct __attribute__((aligned(PAIRS_PER_STORE * sizeof(number)))) {
    number v[PAIRS_PER_STORE];
} sink_values;

WEDGE_FN void sink_one(WEDGE_GLOBAL number *out, wedge_u64 base, wedge_u64 cell, const number *v) {
    out += (DOMAIN_BACKWARDS ? base - cell : cell - base) * OP_VALUES;
#pragma unroll
    for (wedge_u32 w = 0; w < OP_VALUES; ++w) out[w] = v[w];
}

/* PAIRS_PER_STORE cells in order of their numbers, `at` the lowest of their places, a multiple of PAIRS_PER_STORE. */
WEDGE_FN void sink_wide(WEDGE_GLOBAL number *at, const number *v) {
#pragma unroll
    for (wedge_u32 s = 0; s < OP_VALUES; ++s) {
        sink_values w;
#pragma unroll
        for (wedge_u32 e = 0; e < PAIRS_PER_STORE; ++e) {
            const wedge_u32 x = (s * PAIRS_PER_STORE + e) / OP_VALUES, value = (s * PAIRS_PER_STORE + e) % OP_VALUES;
            w.v[e] = v[(DOMAIN_BACKWARDS ? PAIRS_PER_STORE - 1u - x : x) * OP_VALUES + value];
        }
        ((WEDGE_GLOBAL sink_values *)at)[s] = w;
    }
}

/* A tile, as one line sees it. A tile begins at rows that are multiples of 2L and columns that are multiples of L, so that
 * the move depends on the line alone. */
typedef struct {
    wedge_u32 row; /* the tile's first */
    int column;    /* the line's first: the tile's, moved */
    wedge_u32 line;
    int whole; /* every cell of the line is in the domain and in the range */
} strip;

WEDGE_FN wedge_u32 move_of(wedge_u32 line, pairs_args args) {
    return ((wedge_u32)row_start(args, line) - args.phase) % PAIRS_LINES;
}

/* The tile at tile column `j` of `last` (the row's last), of `height` rows. */
WEDGE_FN strip strip_of(wedge_u32 row, wedge_u32 height, wedge_u32 line, wedge_u32 j, wedge_u32 last, pairs_args args) {
    strip p;
    p.line = line;
    p.row = row;
    p.column = (int)(j * PAIRS_TILE) - (int)move_of(p.line, args);
    const int inside = DOMAIN_FULL_ROWS ? p.column + (int)PAIRS_TILE <= (int)args.points : j < last;
    p.whole = p.column >= 0 && inside && row >= args.whole_begin && row + height <= args.whole_end;
    return p;
}

/* Where the lane's first cells would lie if their row began with cell 0. */
WEDGE_FN WEDGE_GLOBAL char *lane_start(WEDGE_GLOBAL number *out, pairs_args args, strip p) {
    wedge_u32 cell = (wedge_u32)p.column + COLUMN_OF(0);
    return (WEDGE_GLOBAL char *)(out +
                                 (DOMAIN_BACKWARDS ? args.base - cell - (PAIRS_PER_STORE - 1u) : cell - args.base) *
                                     OP_VALUES);
}

/* The lane's cells of row m of its line, in a tile that is whole. */
WEDGE_FN void put_whole(WEDGE_GLOBAL char *start, pairs_args args, strip p, wedge_u32 m, const number *v) {
    const wedge_u32 i = p.row + line_row(m, p.line), step = LANES * OP_VALUES * (wedge_u32)sizeof(number);
    WEDGE_GLOBAL char *at = start + row_bytes(args, i) * OP_VALUES;
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; u += PAIRS_PER_STORE)
        sink_wide((WEDGE_GLOBAL number *)(DOMAIN_BACKWARDS ? at - u * step : at + u * step), v + u * OP_VALUES);
}

/* Is cell (i, j), number `cell`, to be computed? */
WEDGE_FN int is_inside(pairs_args args, wedge_u32 i, int j, wedge_u64 cell) {
    return i < args.side && j >= 0 && j <= row_last(args, i) && cell >= args.begin && cell < args.end;
}

/* The same where some of them lie outside. */
WEDGE_FN void put_inside(WEDGE_GLOBAL number *out, pairs_args args, strip p, wedge_u32 m, const number *v) {
    const wedge_u32 i = p.row + line_row(m, p.line), wide = PAIRS_PER_STORE;
#pragma unroll
    for (wedge_u32 u = 0; u < COLS; u += wide) {
        const int j = p.column + (int)COLUMN_OF(u);
        const wedge_u64 cell = row_start(args, i) + (wedge_u64)(wedge_i64)j;
        if (is_inside(args, i, j, cell) && is_inside(args, i, j + (int)wide - 1, cell + wide - 1u)) {
            sink_wide(out + (DOMAIN_BACKWARDS ? args.base - cell - (wide - 1u) : cell - args.base) * OP_VALUES,
                      v + u * OP_VALUES);
        } else {
#pragma unroll
            for (wedge_u32 e = 0; e < wide; ++e)
                if (is_inside(args, i, j + (int)e, cell + e))
                    sink_one(out, args.base, cell + e, v + (u + e) * OP_VALUES);
        }
    }
}
