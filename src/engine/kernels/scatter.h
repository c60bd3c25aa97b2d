/* kernels/scatter.h: the sums of rows, on devices (scatter.h).
 *
 *     rows                    columns: parts of S.step, the same for every run
 *     thread 0, 1, 2 ...      |  part 0  |  part 1  | ...    a block has one part of its rows
 *
 * A thread keeps SCATTER_ROWS rows and takes the columns of a part leaf by leaf; of few features they come through shared
 * memory (SCATTER_SHARED), where all threads of a block read the same one at a time. Each part's sums have a slot of their own; then a
 * thread adds up the parts of a row in order. No two threads write to the same slot.
 *
 * Where points lie along a curve (PAIRS_LISTED), tiles of columns that are not in reach are skipped: they would add zeros. Each
 * thread tests one of the next THREADS tiles; then the block takes those in reach.
 *
 * SPDX-License-Identifier: MIT */

#define SCATTER_SHARED (PAIRS_D && !PAIRS_NO_SHARED)
#define SCATTER_ROWS (PAIRS_D ? 2u : 1u)

/* ---- Cells ---- */

#if PAIRS_D
typedef struct {
    quad of[DEPTH];
} row_point;
#if SCATTER_SHARED
typedef WEDGE_IN_SHARED const quad *column_points;
#else
typedef WEDGE_GLOBAL const quad *column_points;
#endif

WEDGE_FN void values_of(const row_point *a, column_points b, wedge_u32 c, op_args q, number *v, pairs_args args) {
    quad y[DEPTH];
#pragma unroll
    for (wedge_u32 k = 0; k < DEPTH; ++k) y[k] = b[c * DEPTH + k];
    all_values(cell_state(a->of, y, q), q, v);
}
#else
typedef struct {
    WEDGE_GLOBAL const quad *of;
} row_point;
typedef WEDGE_GLOBAL const quad *column_points;

WEDGE_FN void values_of(const row_point *a, column_points b, wedge_u32 c, op_args q, number *v, pairs_args args) {
    cell_values(a->of, b + (wedge_u64)c * args.quads, args.features, q, v);
}
#endif

WEDGE_FN row_point row_at(WEDGE_GLOBAL const quad *rows, wedge_u32 i, pairs_args args) {
    row_point a;
    WEDGE_GLOBAL const quad *from = rows + (wedge_u64)clamp_point((int)i, args.side) * args.quads;
#if PAIRS_D
#pragma unroll
    for (wedge_u32 k = 0; k < DEPTH; ++k) a.of[k] = from[k];
#else
    a.of = from;
#endif
    return a;
}

/* A leaf of one row: bit c of `inside` says whether column c may count; `whole`, a constant: all do, whatever their value.
 * Returns how many did. */
WEDGE_FN wedge_u32 add_leaf(row_sum *sums, const row_point *a, column_points b, wedge_u32 inside, int whole,
                            number radius, op_args q, pairs_args args) {
    number leaf[OP_VALUES];
    wedge_u32 count = 0;
#pragma unroll
    for (wedge_u32 w = 0; w < OP_VALUES; ++w) leaf[w] = 0;
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
        number group[OP_VALUES];
#pragma unroll
        for (wedge_u32 k = 0; k < GROUP; ++k) {
            const int there = whole || (inside >> (c + k) & 1u);
            number v[OP_VALUES];
            values_of(a, b, there ? c + k : 0u, q, v, args);
            const int counts = whole || (there && !(v[0] > radius));
            count += counts ? 1u : 0u;
#pragma unroll
            for (wedge_u32 w = 0; w < OP_VALUES; ++w) {
                const number x = counts ? v[w] : (number)0;
                group[w] = k ? group[w] + x : x;
            }
        }
#pragma unroll
        for (wedge_u32 w = 0; w < OP_VALUES; ++w) leaf[w] += group[w];
    }
#pragma unroll
    for (wedge_u32 w = 0; w < OP_VALUES; ++w) sum_add(&sums[w], leaf[w]);
    return count;
}

/* ---- Rows ---- */

/* Columns [j, j + 32) of row i; those from `end` on are another part's, or none. */
WEDGE_FN wedge_u32 columns_inside(wedge_u32 i, wedge_u32 j, wedge_u32 end, scatter_args S) {
    const wedge_u32 inside = bits_between(0, (wedge_i64)end - j);
    return S.distinct && i >= j && i - j < LEAF ? inside & ~(1u << (i - j)) : inside;
}

#if PAIRS_LISTED
/* May columns [j, past) have a value for the block's rows [i, i_end)? */
WEDGE_FN wedge_u32 columns_in_reach(wedge_u32 j, wedge_u32 past, wedge_u32 i, wedge_u32 i_end,
                                    WEDGE_GLOBAL const number *boxes, number limit, op_args q, pairs_args args) {
    const wedge_u32 tile_rows = (args.side + PAIRS_TILE - 1u) / PAIRS_TILE;
    for (wedge_u32 a = i / PAIRS_TILE; a * PAIRS_TILE < i_end; ++a)
        for (wedge_u32 b = j / PAIRS_TILE; b * PAIRS_TILE < past; ++b)
            if (is_in_reach(box_at(boxes, a, args), box_at(boxes, tile_rows + b, args), limit, q, args)) return 1u;
    return 0u;
}

/* The next of THREADS tiles that is in reach, from tile k on. */
WEDGE_FN wedge_u32 next_in_reach(WEDGE_IN_SHARED const wedge_u32 *reach, wedge_u32 k) {
    while (k < THREADS && !reach[k]) ++k;
    return k;
}
#define SCATTER_STRIDE (THREADS * SCATTER_TILE)
#define NEXT_COLUMNS(reach, j, at) ((at) + next_in_reach(reach, ((j) - (at)) / SCATTER_TILE) * SCATTER_TILE)
#else
#define SCATTER_STRIDE S.step
#define NEXT_COLUMNS(reach, j, at) (j)
#endif

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         1) void pairs_kernel(WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows,
                                              WEDGE_GLOBAL number *parts, WEDGE_GLOBAL wedge_u32 *part_counts,
                                              WEDGE_GLOBAL const number *boxes, WEDGE_GLOBAL wedge_u32 *tiles_run,
                                              number radius, number limit, scatter_args S, pairs_args args,
                                              op_values parameters) {
#if SCATTER_SHARED
    WEDGE_SHARED quad b[SCATTER_TILE * DEPTH];
#endif
#if PAIRS_LISTED
    WEDGE_SHARED wedge_u32 reach[THREADS];
    const wedge_u32 i = S.first + wedge_group_id(0) * THREADS * SCATTER_ROWS, rows_left = S.first + S.rows - i;
    const wedge_u32 i_end = i + (rows_left < THREADS * SCATTER_ROWS ? rows_left : THREADS * SCATTER_ROWS);
#endif
    const op_args q = args_of(args, parameters);
    const wedge_u32 part = wedge_group_id(1), begin = part * S.step;
    const wedge_u32 end = args.points - begin < S.step ? args.points : begin + S.step;
    const wedge_u32 block = wedge_group_id(0) * THREADS * SCATTER_ROWS, first = block + THREAD;
    wedge_u32 tiles = 0;
    row_point a[SCATTER_ROWS];
    row_sum sums[SCATTER_ROWS][OP_VALUES];
    wedge_u32 count[SCATTER_ROWS];
#pragma unroll
    for (wedge_u32 r = 0; r < SCATTER_ROWS; ++r) {
        a[r] = row_at(rows, S.first + first + r * THREADS, args);
        count[r] = 0;
#pragma unroll
        for (wedge_u32 w = 0; w < OP_VALUES; ++w) sums[r][w].sum = sums[r][w].rest = 0;
    }
    for (wedge_u32 at = begin; at < end; at += SCATTER_STRIDE) {
        const wedge_u32 past = end - at < SCATTER_STRIDE ? end : at + SCATTER_STRIDE;
#if PAIRS_LISTED
        const wedge_u32 mine = at + THREAD * SCATTER_TILE;
        wedge_barrier(); /* all have read what was in reach before */
        reach[THREAD] = mine < past ? columns_in_reach(mine, past - mine < SCATTER_TILE ? past : mine + SCATTER_TILE, i,
                                                       i_end, boxes, limit, q, args)
                                    : 0u;
        wedge_barrier();
#endif
        for (wedge_u32 j = NEXT_COLUMNS(reach, at, at); j < past;
             j = NEXT_COLUMNS(reach, j + SCATTER_TILE, at), ++tiles) {
#if SCATTER_SHARED
            wedge_barrier(); /* the tile before has been read */
            for (wedge_u32 y = THREAD; y < SCATTER_TILE; y += THREADS) {
                const wedge_u32 point = clamp_point((int)(j + y), args.points);
#pragma unroll
                for (wedge_u32 d = 0; d < DEPTH; ++d) b[y * DEPTH + d] = columns[(wedge_u64)point * DEPTH + d];
            }
            wedge_barrier();
#endif
#pragma unroll 1
            for (wedge_u32 x = 0; x < SCATTER_TILE && j + x < end; x += LEAF) {
#if SCATTER_SHARED
                const column_points leaf = b + x * DEPTH;
#else
                const column_points leaf = columns + (wedge_u64)(j + x) * args.quads;
#endif
#pragma unroll
                for (wedge_u32 r = 0; r < SCATTER_ROWS; ++r) {
                    const wedge_u32 inside = columns_inside(S.first + first + r * THREADS, j + x, end, S);
#ifdef SCATTER_ALL
                    if (inside == 0xffffffffu)
                        count[r] += add_leaf(sums[r], &a[r], leaf, inside, 1, radius, q, args);
                    else
#endif
                        count[r] += add_leaf(sums[r], &a[r], leaf, inside, 0, radius, q, args);
                }
            }
        }
    }
#if PAIRS_LISTED
    if (THREAD == 0u) wedge_atomic_add(tiles_run, tiles);
#endif
#pragma unroll
    for (wedge_u32 r = 0; r < SCATTER_ROWS; ++r) {
        const wedge_u32 row = first + r * THREADS;
        if (row < S.rows) {
            part_counts[(wedge_u64)part * S.rows + row] = count[r];
#pragma unroll
            for (wedge_u32 w = 0; w < OP_VALUES; ++w) {
                const wedge_u64 at = ((wedge_u64)part * OP_VALUES + w) * 2u * S.rows + row;
                parts[at] = sums[r][w].sum;
                parts[at + S.rows] = sums[r][w].rest;
            }
        }
    }
}

/* A thread has a row. */
WEDGE_KERNEL WEDGE_BLOCK(FINISH_BLOCK, 1, 1) void scatter_finish(WEDGE_GLOBAL const number *parts,
                                                                 WEDGE_GLOBAL const wedge_u32 *part_counts,
                                                                 WEDGE_GLOBAL const wedge_u32 *order,
                                                                 WEDGE_GLOBAL wedge_i64 *counts,
                                                                 WEDGE_GLOBAL number *sums, scatter_args S) {
    const wedge_u32 row = wedge_group_id(0) * FINISH_BLOCK + wedge_local_id(0);
    if (row < S.rows) {
        const wedge_u32 to = (PAIRS_LISTED ? order[S.first + row] : S.first + row) - S.wanted;
        if (to < S.wanted_rows) { /* a row before the first wraps around */
            wedge_i64 count = 0;
            for (wedge_u32 part = 0; part < S.parts; ++part) count += part_counts[(wedge_u64)part * S.rows + row];
            if (S.gives_counts) counts[S.to_counts + to] = count;
            for (wedge_u32 w = 0; w < OP_VALUES && S.gives_sums; ++w) {
                row_sum all;
                all.sum = all.rest = 0;
                for (wedge_u32 part = 0; part < S.parts; ++part) {
                    const wedge_u64 at = ((wedge_u64)part * OP_VALUES + w) * 2u * S.rows + row;
                    sum_add(&all, parts[at]);
                    all.rest += parts[at + S.rows];
                }
                sums[S.to_sums + (wedge_u64)to * OP_VALUES + w] = sum_of(all);
            }
        }
    }
}
