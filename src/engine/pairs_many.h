/* pairs_many.h: the skeleton for any number of features: arithmetic is what it waits for.
 *
 * A thread holds the states of ROWS by COLS cells of a square tile. Features come DEPTH quads at a time through shared
 * memory, the next ones on their way while these are worked on. A row's quad is read once for all lanes, a column's once
 * for all rows.
 *
 * SPDX-License-Identifier: MIT */

#define DEPTH 4u
#define ROWS PAIRS_ROWS
#define SPAN (PAIRS_TILE + PAIRS_LINES) /* columns that a tile's lines reach, from PAIRS_LINES before its first on */

/* A column's place in shared memory: the columns that 32 lanes read at once lie side by side. */
#define SLOT(x) ((x) % PAIRS_WIDE * (SPAN / PAIRS_WIDE) + (x) / PAIRS_WIDE)
#define A_AT(bank, k, row) a[((bank)*DEPTH + (k)) * PAIRS_TILE + (row)]
#define B_AT(bank, k, x) b[((bank)*DEPTH + (k)) * SPAN + SLOT(x)]

/* Quads chunk to chunk + DEPTH of the tile's rows, and of its columns from `left` on, into one bank of a and b. */
#define STAGE(bank, chunk)                                                                                           \
    {                                                                                                                \
        const wedge_u32 k = thread % DEPTH, quads = A.quads;                                                         \
        if ((chunk) + k < quads) {                                                                                   \
            _Pragma("unroll") for (wedge_u32 x = thread / DEPTH; x < PAIRS_TILE; x += THREADS / DEPTH) wedge_stage(  \
                &A_AT(bank, k, x),                                                                                   \
                rows + (wedge_u64)clamp_point((int)(p.row + x + PAIRS_STRICT), A.side + PAIRS_STRICT) * quads +      \
                    (chunk) + k);                                                                                    \
            _Pragma("unroll") for (wedge_u32 x = thread / DEPTH; x < SPAN; x += THREADS / DEPTH) wedge_stage(        \
                &B_AT(bank, k, x), columns + (wedge_u64)clamp_point(left + (int)x, A.points) * quads + (chunk) + k); \
        }                                                                                                            \
    }

/* Where a tile may take long (PAIRS_STATE, the numbers of an op_state, is not 0), a launch takes quads slice_begin to
 * slice_end of all features, and the states wait in memory for the next launch. Its blocks have one tile each then. */
#if PAIRS_STATE
typedef char state_is_as_the_engine_has_it[sizeof(op_state) == PAIRS_STATE * sizeof(number) ? 1 : -1];
#define SLICE_PARAMETERS , WEDGE_GLOBAL op_state *waiting, wedge_u32 slice_begin, wedge_u32 slice_end
#define SLICE_BEGIN slice_begin
#define SLICE_END slice_end
#define IS_LAST (slice_end >= A.quads)
#define WAITING(pass, c, thread) waiting[((wedge_group_id(0) * 2u + (pass)) * (ROWS * COLS) + (c)) * THREADS + (thread)]
#else
#define SLICE_PARAMETERS
#define SLICE_BEGIN 0u
#define SLICE_END A.quads
#define IS_LAST 1
#endif

/* States of two numbers need the registers of two blocks. */
#define RESIDENT (sizeof(op_state) > sizeof(number) && PAIRS_RESIDENT > 1 ? PAIRS_RESIDENT / 2 : PAIRS_RESIDENT)

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         RESIDENT) void wedge_pairs(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                    WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL number *out,
                                                    pairs_args A, number parameter SLICE_PARAMETERS) {
    WEDGE_SHARED quad a[2u * DEPTH * PAIRS_TILE];
    WEDGE_SHARED quad b[2u * DEPTH * SPAN];
    const wedge_u32 thread = wedge_local_id(1) * LANES + wedge_local_id(0);
    const op_args q = args_of(A, parameter);
#if PAIRS_BOX
    const wedge_u64 w = g.base + wedge_group_id(0);
    wedge_segment t = wedge_one2(wedge_pair_of((wedge_u32)(w / A.columns), (wedge_u32)(w % A.columns)));
#else
    wedge_segment t = wedge_begin(g, WEDGE_X(g), 0u, 0u, 0);
#endif
#if WEDGE_SEGMENTS
    for (; t.end; t = wedge_step(g, t))
#endif
        for (wedge_u32 pass = 0; pass < (!PAIRS_BOX && t.i == t.j ? 2u : 1u); ++pass) {
            const place p = place_of(t.i * PAIRS_TILE, PAIRS_TILE, wedge_local_id(1), t.j + pass,
                                     PAIRS_BOX ? A.columns - 1u : t.i, A);
            const int left = (int)((t.j + pass) * PAIRS_TILE) - (int)PAIRS_LINES;
            const wedge_u32 shift = (wedge_u32)(p.column - left);
            wedge_u32 bank = 0;
            op_state s[ROWS][COLS];
#pragma unroll
            for (wedge_u32 c = 0; c < ROWS * COLS; ++c) s[c / COLS][c % COLS] = begin_state();
#if PAIRS_STATE
            if (slice_begin) { /* PoCL's compiler takes four times as long over a loop with this in its condition */
#pragma unroll
                for (wedge_u32 c = 0; c < ROWS * COLS; ++c) s[c / COLS][c % COLS] = WAITING(pass, c, thread);
            }
#endif
            if (WEDGE_SEGMENTS || pass) wedge_barrier(); /* the tile before this one has been read */
            STAGE(0u, SLICE_BEGIN)
            for (wedge_u32 chunk = SLICE_BEGIN; chunk < SLICE_END; chunk += DEPTH, bank ^= 1u) {
                wedge_u32 features = A.features - chunk * QUAD, f = 0;
                if (features > DEPTH * QUAD) features = DEPTH * QUAD;
                wedge_staged();
                wedge_barrier();
                STAGE(bank ^ 1u, chunk + DEPTH)
#ifndef OP_HEAVY
#pragma unroll 1
                for (; f + QUAD <= features; f += QUAD) {
                    quad y[COLS];
#pragma unroll
                    for (wedge_u32 u = 0; u < COLS; ++u) y[u] = B_AT(bank, f / QUAD, shift + COLUMN_OF(u));
#pragma unroll
                    for (wedge_u32 m = 0; m < ROWS; ++m) {
                        quad x = A_AT(bank, f / QUAD, ROW_OF(m, p.line));
#pragma unroll
                        for (wedge_u32 c = 0; c < QUAD * COLS; ++c)
                            s[m][c % COLS] = op_step(s[m][c % COLS], x.v[c / COLS], y[c % COLS].v[c / COLS], q);
                    }
                }
#endif
#pragma unroll 1
                for (; f < features; ++f) {
                    number y[COLS];
#pragma unroll
                    for (wedge_u32 u = 0; u < COLS; ++u) y[u] = B_AT(bank, f / QUAD, shift + COLUMN_OF(u)).v[f % QUAD];
#pragma unroll
                    for (wedge_u32 m = 0; m < ROWS; ++m) {
                        number x = A_AT(bank, f / QUAD, ROW_OF(m, p.line)).v[f % QUAD];
#pragma unroll
                        for (wedge_u32 u = 0; u < COLS; ++u) s[m][u] = op_step(s[m][u], x, y[u], q);
                    }
                }
            }
#if PAIRS_STATE
            if (!IS_LAST) {
#pragma unroll
                for (wedge_u32 c = 0; c < ROWS * COLS; ++c) WAITING(pass, c, thread) = s[c / COLS][c % COLS];
            }
#endif
#pragma unroll
            for (wedge_u32 m = 0; m < ROWS && IS_LAST; ++m) {
                number v[COLS];
#pragma unroll
                for (wedge_u32 u = 0; u < COLS; ++u) v[u] = op_finish(s[m][u], q);
                if (p.whole)
                    put_whole(lane_start(out, A, p), A, p, m, v);
                else
                    put_inside(out, A, p, m, v);
            }
        }
}
