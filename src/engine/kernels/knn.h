/* knn.h: finds a limit per row, and ranks the hits within it, on devices (nearest.h).
 *
 * A row's limit is at least the k-th smallest value of its window, some columns that are likely to be close. It is found by
 * digits of 8 bits, from the top, as a radix sort would: which digit has the k-th smallest, and its rank within that
 * digit. After two digits (doubles: three) the largest number that begins with them is close enough.
 *
 * One block per row. Its threads meet at barriers only, and none lies in a loop: some compilers (PoCL's) do not manage that.
 * Of many features, windows are computed first, by tiles (KNN_TILES): rows of a tile have one window then.
 *
 * SPDX-License-Identifier: MIT */

#define KNN_DIGITS (2u * KNN_BLOCK) /* values of a digit; a thread has two */
#define RANK_SHARED 512u            /* hits of a row that are compared in shared memory */
#define KNN_TILES (!PAIRS_D && !PAIRS_NO_SHARED)

#if PAIRS_F64
typedef wedge_u64 number_bits;
#define KNN_PASSES 3
#else
typedef wedge_u32 number_bits;
#define KNN_PASSES 2
#endif
#define NUMBER_BITS (8u * (wedge_u32)sizeof(number))
#define SIGN_BIT ((number_bits)1 << (NUMBER_BITS - 1u))
#define KNN_NONE ((number)wedge_bits_float(0x7fc00000u)) /* NaN: no value that counts */

/* Unsigned integers in the order of the numbers, NaN aside. */
WEDGE_FN number_bits ordered_bits(number v) {
    const number_bits bits = wedge_number_bits(v);
    return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

WEDGE_FN number number_of_ordered(number_bits u) { return wedge_bits_number(u & SIGN_BIT ? u ^ SIGN_BIT : ~u); }

/* ---- Windows ---- */

#if PAIRS_LISTED
/* The first column of a window of so many around `middle`. */
WEDGE_FN wedge_u32 window_around(wedge_u32 middle, knn_args N, pairs_args args) {
    const wedge_u32 most = args.points - N.window, first = middle < N.window / 2u ? 0u : middle - N.window / 2u;
    return first < most ? first : most;
}

/* Of two sets: the tile of columns whose box has the least bound to the row's point. All threads, of which this is t of
 * so many, return it. */
WEDGE_FN wedge_u32 closest_tile(WEDGE_GLOBAL const quad *point, WEDGE_GLOBAL const number *boxes,
                                WEDGE_IN_SHARED number *bounds, WEDGE_IN_SHARED wedge_u32 *tiles, wedge_u32 t,
                                wedge_u32 threads, knn_args N, op_args q, pairs_args args) {
    WEDGE_GLOBAL const number *numbers = (WEDGE_GLOBAL const number *)point;
    const wedge_u32 tile_rows = (args.side + PAIRS_TILE - 1u) / PAIRS_TILE;
    number best = wedge_infinity();
    wedge_u32 tile = 0;
    for (wedge_u32 j = t; j < N.tiles; j += threads) {
        const number bound = box_bound(numbers, numbers, box_at(boxes, tile_rows + j, args), q, args);
        if (bound < best) best = bound, tile = j;
    }
    bounds[t] = best;
    tiles[t] = tile;
    wedge_barrier();
    for (wedge_u32 k = 0; k < threads; ++k)
        if (bounds[k] < best || (bounds[k] == best && tiles[k] < tile)) best = bounds[k], tile = tiles[k];
    return tile;
}
#endif

#if KNN_TILES
/* Values of windows: a block has a tile of rows and of the window's columns. */
WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         RESIDENT) void knn_window(WEDGE_GLOBAL const number *boxes, WEDGE_GLOBAL const quad *columns,
                                                   WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL number *values,
                                                   knn_args N, pairs_args args, op_values parameters) {
    WEDGE_SHARED quad shared[SHARED_QUADS];
    const op_args q = args_of(args, parameters);
    const wedge_u32 across = (N.window + PAIRS_TILE - 1u) / PAIRS_TILE, line = wedge_local_id(1);
    const wedge_u32 left = wedge_group_id(0) % across * PAIRS_TILE;
    const wedge_u32 row = N.row + wedge_group_id(0) / across * PAIRS_TILE;
    point_sets points = sets_of(columns, rows);
    pairs_args window = args;
    wedge_u32 first = 0;
#if PAIRS_LISTED
    WEDGE_SHARED number bounds[THREADS];
    WEDGE_SHARED wedge_u32 tiles[THREADS];
    const wedge_u32 middle = clamp_point((int)(row + PAIRS_TILE / 2u), args.side);
    const wedge_u32 tile =
        closest_tile(rows + (wedge_u64)middle * args.quads, boxes, bounds, tiles, THREAD, THREADS, N, q, args);
    first = window_around(N.tiles ? tile * PAIRS_TILE + PAIRS_TILE / 2u : middle, N, args);
#else
    window.points = N.window;
    points.step = N.stride;
#endif
    tile_points at;
    at.row = (int)row;
    at.left = (int)(first + left) - (int)PAIRS_LINES;
    tile_states s;
    begin_states(&s);
    fold_tile(&s, shared, points, at, line, PAIRS_LINES, 0u, args.quads, q, window);
#pragma unroll
    for (wedge_u32 m = 0; m < ROWS; ++m) {
        const wedge_u32 i = row + line_row(m, line);
#pragma unroll
        for (wedge_u32 u = 0; u < COLS; ++u) {
            const wedge_u32 c = left + COLUMN_OF(u), j = first + c * N.stride;
            if (i - N.row < N.rows && c < N.window)
                values[(wedge_u64)(i - N.row) * N.window + c] =
                    N.distinct && i == j ? KNN_NONE : first_value(s.of[m][u], q);
        }
    }
}
#endif

/* ---- The k-th smallest ---- */

/* Which one is looked for: the left-th smallest of the values that begin with `digits`; 0: there are fewer. */
typedef struct {
    wedge_u32 digits, left;
} knn_search;

/* The next digit: from[0] to from[1]. Threads read what they wrote of `values`, and count digits in shared memory, with their
 * sums of 16 after them; the thread with the digit that is looked for writes it down. */
WEDGE_FN void next_digit(WEDGE_GLOBAL const number *values, wedge_u32 count, wedge_u32 shift,
                         WEDGE_IN_SHARED wedge_u32 *counts, WEDGE_IN_SHARED knn_search *from) {
    WEDGE_IN_SHARED wedge_u32 *sums = counts + KNN_DIGITS;
    const wedge_u32 t = wedge_local_id(0);
    counts[2u * t] = counts[2u * t + 1u] = 0;
    if (t == 0u) from[1].digits = from[1].left = 0;
    wedge_barrier();
    const knn_search now = from[0];
    for (wedge_u32 c = t; c < count; c += KNN_BLOCK) {
        const number_bits bits = ordered_bits(values[c]) >> shift;
        if (values[c] == values[c] && (wedge_u32)(bits >> 8) == now.digits)
            wedge_shared_increment(&counts[(wedge_u32)bits & 255u]);
    }
    wedge_barrier();
    if (t < KNN_DIGITS / 16u) {
        wedge_u32 sum = 0;
        for (wedge_u32 k = 0; k < 16u; ++k) sum += counts[16u * t + k];
        sums[t] = sum;
    }
    wedge_barrier();
    wedge_u32 before = 0;
    for (wedge_u32 k = 0; k < t / 8u; ++k) before += sums[k];
    for (wedge_u32 k = t / 8u * 16u; k < 2u * t; ++k) before += counts[k];
    const wedge_u32 even = before + counts[2u * t], odd = even + counts[2u * t + 1u];
    if (before < now.left && now.left <= odd) {
        from[1].digits = now.digits << 8 | (2u * t + (now.left > even ? 1u : 0u));
        from[1].left = now.left - (now.left > even ? even : before);
    }
    wedge_barrier();
}

/* The largest number that begins with these digits. */
WEDGE_FN number knn_limit(knn_search found) {
    const wedge_u32 rest = NUMBER_BITS - 8u * KNN_PASSES;
    const number limit = number_of_ordered((number_bits)found.digits << rest | (((number_bits)1 << rest) - 1u));
    return found.left && limit == limit ? limit : wedge_infinity(); /* after infinity come NaN */
}

#if CELLS_HAVE_KEYS
/* The largest key whose value is within the limit, by halving; -1: there is none. Keys are not below 0, and so in the
 * order of their bits. */
WEDGE_FN number knn_key(number limit, op_args q) {
    union {
        op_state state; /* its key alone (ops/native.c) */
        number key;
    } s;
    number_bits low = 0, high = wedge_number_bits(wedge_infinity()) + 1u; /* low is within, high is not */
    while (high - low > 1u) {
        const number_bits middle = low + (high - low) / 2u;
        s.key = wedge_bits_number(middle);
        if (first_value(s.state, q) <= limit)
            low = middle;
        else
            high = middle;
    }
    return limit >= 0 ? wedge_bits_number(low) : (number)-1;
}
#endif

/* limits: as sinks/select.h has them, -infinity for rows that are not wanted. values: a window per block, or room for it. */
WEDGE_KERNEL WEDGE_BLOCK(KNN_BLOCK, 1,
                         1) void knn_limits(WEDGE_GLOBAL const wedge_u32 *order, WEDGE_GLOBAL const number *boxes,
                                            WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows,
                                            WEDGE_GLOBAL number *values, WEDGE_GLOBAL number *limits, knn_args N,
                                            pairs_args args, op_values parameters) {
    WEDGE_SHARED wedge_u32 counts[KNN_DIGITS + KNN_DIGITS / 16u];
    WEDGE_SHARED knn_search found[KNN_PASSES + 1];
    const wedge_u32 t = wedge_local_id(0), i = N.row + wedge_group_id(0);
    const int wanted = order[i] >= N.first_row && order[i] <= N.last_row;
    const wedge_u32 count = wanted ? N.window : 0u;
    values += (wedge_u64)wedge_group_id(0) * N.window;
#if !KNN_TILES
    const op_args q = args_of(args, parameters);
    wedge_u32 first = 0;
#if PAIRS_LISTED
    WEDGE_SHARED number bounds[KNN_BLOCK];
    WEDGE_SHARED wedge_u32 tiles[KNN_BLOCK];
    const wedge_u32 tile =
        closest_tile(rows + (wedge_u64)i * args.quads, boxes, bounds, tiles, t, KNN_BLOCK, N, q, args);
    first = window_around(N.tiles ? tile * PAIRS_TILE + PAIRS_TILE / 2u : i, N, args);
#endif
    for (wedge_u32 c = t; c < count; c += KNN_BLOCK) {
        const wedge_u32 j = first + c * N.stride;
        number v[OP_VALUES];
        cell_values(rows + (wedge_u64)i * args.quads, columns + (wedge_u64)j * args.quads, args.features, q, v);
        values[c] = N.distinct && i == j ? KNN_NONE : v[0];
    }
#endif
    if (t == 0u) found[0].digits = 0, found[0].left = N.k;
    next_digit(values, count, NUMBER_BITS - 8u, counts, found);
    next_digit(values, count, NUMBER_BITS - 16u, counts, found + 1);
#if KNN_PASSES > 2
    next_digit(values, count, NUMBER_BITS - 24u, counts, found + 2);
#endif
    if (t == 0u) limits[i] = wanted ? knn_limit(found[KNN_PASSES]) : -wedge_infinity();
}

/* The limits of keys, where there are some: a thread has a row. */
WEDGE_KERNEL WEDGE_BLOCK(KNN_BLOCK, 1, 1) void knn_keys(WEDGE_GLOBAL number *limits, knn_args N, pairs_args args,
                                                        op_values parameters) {
#if CELLS_HAVE_KEYS
    const wedge_u32 k = wedge_group_id(0) * KNN_BLOCK + wedge_local_id(0), i = N.row + k;
    if (k < N.rows) limits[LIMIT_KEYS(args) + i] = knn_key(limits[i], args_of(args, parameters));
#endif
}

/* The largest limit of each row of tiles: a thread has one. */
WEDGE_KERNEL WEDGE_BLOCK(RANK_BLOCK, 1, 1) void knn_tops(WEDGE_GLOBAL const number *limits, WEDGE_GLOBAL number *tops,
                                                         pairs_args args) {
    const wedge_u32 first = (wedge_group_id(0) * RANK_BLOCK + wedge_local_id(0)) * PAIRS_TILE;
    number top = -wedge_infinity();
    for (wedge_u32 i = first; i < args.side && i - first < PAIRS_TILE; ++i)
        if (limits[i] > top) top = limits[i];
    if (first < args.side) tops[first / PAIRS_TILE] = top;
}

/* ---- What was found ---- */

WEDGE_KERNEL WEDGE_BLOCK(RANK_BLOCK, 1, 1) void knn_values(
    WEDGE_GLOBAL const wedge_u32 *found, WEDGE_GLOBAL const wedge_u64 *starts, WEDGE_GLOBAL const wedge_u32 *along_rows,
    WEDGE_GLOBAL const wedge_u32 *along_columns, WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows,
    WEDGE_GLOBAL number *values, rank_args R, pairs_args args, op_values parameters) {
    const wedge_u32 row = R.row + wedge_group_id(0);
    const wedge_u64 begin = starts[row] - R.base, end = starts[row + 1u] - R.base;
    const wedge_u64 i = along_rows[R.first_row + row];
    const op_args q = args_of(args, parameters);
    for (wedge_u64 e = begin + wedge_local_id(0); e < end; e += RANK_BLOCK) {
        number v[OP_VALUES];
        cell_values(rows + i * args.quads, columns + (wedge_u64)along_columns[found[e]] * args.quads, args.features, q,
                    v);
        values[e] = v[0];
    }
}

WEDGE_FN void put_neighbour(WEDGE_GLOBAL wedge_i64 *columns, WEDGE_GLOBAL number *values, wedge_u64 place,
                            wedge_i64 column, number value, rank_args R) {
    if (R.gives_columns) columns[R.to_columns + place] = column;
    if (R.gives_values) values[R.to_values + place] = value;
}

#define IS_BEFORE(v, column, than_v, than_column) \
    ((v) < (than_v) || ((v) == (than_v) && (column) < (than_column)) ? 1u : 0u)

/* A hit goes after all that are smaller: as many as have a smaller value, or an equal one and a smaller column. No two
 * are equal, so each place is written once. */
WEDGE_KERNEL WEDGE_BLOCK(RANK_BLOCK, 1,
                         1) void knn_rank(WEDGE_GLOBAL const wedge_u32 *found, WEDGE_GLOBAL const number *found_values,
                                          WEDGE_GLOBAL const wedge_u64 *starts, WEDGE_GLOBAL wedge_i64 *columns,
                                          WEDGE_GLOBAL number *values, rank_args R) {
    WEDGE_SHARED number values_shared[RANK_SHARED];
    WEDGE_SHARED wedge_u32 columns_shared[RANK_SHARED];
    const wedge_u32 row = R.row + wedge_group_id(0), t = wedge_local_id(0);
    const wedge_u64 begin = starts[row] - R.base, end = starts[row + 1u] - R.base;
    const wedge_u64 to = (wedge_u64)wedge_group_id(0) * R.k;
    const wedge_u32 in_shared = end - begin <= RANK_SHARED ? (wedge_u32)(end - begin) : 0u;
    for (wedge_u32 e = t; e < in_shared; e += RANK_BLOCK) {
        values_shared[e] = found_values[begin + e];
        columns_shared[e] = found[begin + e];
    }
    wedge_barrier();
    for (wedge_u64 e = begin + t; e < end; e += RANK_BLOCK) {
        const number value = found_values[e];
        const wedge_u32 column = found[e];
        wedge_u32 smaller = 0;
        for (wedge_u32 o = 0; o < in_shared && smaller < R.k; ++o)
            smaller += IS_BEFORE(values_shared[o], columns_shared[o], value, column);
        for (wedge_u64 o = begin; o < end && !in_shared && smaller < R.k; ++o)
            smaller += IS_BEFORE(found_values[o], found[o], value, column);
        if (smaller < R.k) put_neighbour(columns, values, to + smaller, (wedge_i64)column, value, R);
    }
    for (wedge_u64 e = end - begin + t; e < R.k; e += RANK_BLOCK) /* there are fewer than k */
        put_neighbour(columns, values, to + e, -1, wedge_infinity(), R);
}
