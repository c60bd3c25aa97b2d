/* found.h: from hits, in the order of tiles, to the caller's rows, on devices (hits.h).
 *
 * One thread per hit, or per entry of the list.
 *
 * SPDX-License-Identifier: MIT */

#define FOUND_NONE 0xffffffffu
#define FOUND_LONG 512u /* entries of a row that are not put in order by counting */

typedef struct {
    wedge_u32 row, column; /* from first_row on; FOUND_NONE: not wanted */
} found_cell;

WEDGE_FN found_cell found_cell_of(WEDGE_GLOBAL const wedge_u32 *found, wedge_u32 k,
                                  WEDGE_GLOBAL const wedge_u32 *order_rows, WEDGE_GLOBAL const wedge_u32 *order_columns,
                                  found_args F) {
    found_cell c;
    const wedge_u32 a = found[FOUND_HEAD + 2u * (wedge_u64)k], b = found[FOUND_HEAD + 2u * (wedge_u64)k + 1u];
    c.row = FOUND_NONE, c.column = 0;
    if (a != FOUND_NONE) {
        const wedge_u32 i = order_rows[a], j = order_columns[b];
        const int turn = F.folds && (F.above ? i > j : i < j);
        const wedge_u32 row = turn ? j : i, column = turn ? i : j;
        const int before = row < F.first_row || (row == F.first_row && column < F.first_column);
        const int after = row > F.last_row || (row == F.last_row && column > F.last_column);
        if (!before && !after && !(F.distinct && i == j)) c.row = row - F.first_row, c.column = column;
    }
    return c;
}

WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_tally(WEDGE_GLOBAL const wedge_u32 *found,
                                                             WEDGE_GLOBAL const wedge_u32 *order_rows,
                                                             WEDGE_GLOBAL const wedge_u32 *order_columns,
                                                             WEDGE_GLOBAL wedge_u32 *counts, found_args F) {
    const wedge_u32 k = wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0);
    if (k < F.hits) {
        const found_cell c = found_cell_of(found, k, order_rows, order_columns, F);
        if (c.row != FOUND_NONE) wedge_atomic_add(&counts[c.row], 1u);
    }
}

/* Counts begin with zeros, and end as they were. */
WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_fill(WEDGE_GLOBAL const wedge_u32 *found,
                                                            WEDGE_GLOBAL const wedge_u32 *order_rows,
                                                            WEDGE_GLOBAL const wedge_u32 *order_columns,
                                                            WEDGE_GLOBAL wedge_u32 *counts,
                                                            WEDGE_GLOBAL const wedge_u64 *starts,
                                                            WEDGE_GLOBAL wedge_u32 *columns, found_args F) {
    const wedge_u32 k = wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0);
    if (k < F.hits) {
        const found_cell c = found_cell_of(found, k, order_rows, order_columns, F);
        if (c.row != FOUND_NONE && c.row >= F.row && c.row - F.row < F.rows)
            columns[starts[c.row] - F.base + wedge_atomic_add(&counts[c.row], 1u)] = c.column;
    }
}

/* The row of an entry: the last that begins at its place or before. */
WEDGE_FN wedge_u32 found_row(WEDGE_GLOBAL const wedge_u64 *starts, wedge_u64 place, found_args F) {
    wedge_u32 low = F.row, high = F.row + F.rows;
    while (high - low > 1u) {
        const wedge_u32 middle = low + (high - low) / 2u;
        if (starts[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A column goes after all that are smaller; there are no equal ones. Long rows are left to found_sort_long, and said. */
WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_sort(WEDGE_GLOBAL const wedge_u32 *columns,
                                                            WEDGE_GLOBAL const wedge_u64 *starts,
                                                            WEDGE_GLOBAL wedge_u32 *sorted,
                                                            WEDGE_GLOBAL wedge_u32 *some_long, found_args F) {
    const wedge_u64 e = (wedge_u64)wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0);
    if (e < F.most) {
        const wedge_u32 row = found_row(starts, F.base + e, F), mine = columns[e];
        const wedge_u64 begin = starts[row] - F.base, end = starts[row + 1u] - F.base;
        wedge_u32 smaller = 0;
        if (end - begin > FOUND_LONG) {
            some_long[0] = 1u;
        } else {
            for (wedge_u64 k = begin; k < end; ++k) smaller += columns[k] < mine ? 1u : 0u;
            sorted[begin + smaller] = mine;
        }
    }
}

/* A block has the columns of a long row in one window of FOUND_WINDOW: they become bits, and bits become columns again. */
WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_sort_long(WEDGE_GLOBAL const wedge_u32 *columns,
                                                                 WEDGE_GLOBAL const wedge_u64 *starts,
                                                                 WEDGE_GLOBAL wedge_u32 *sorted, found_args F) {
    WEDGE_SHARED wedge_u32 bits[FOUND_BLOCK], before[FOUND_BLOCK];
    const wedge_u32 row = F.row + wedge_group_id(0), t = wedge_local_id(0), low = wedge_group_id(1) * FOUND_WINDOW;
    const wedge_u64 begin = starts[row] - F.base, end = starts[row + 1u] - F.base;
    const wedge_u64 past = end - begin > FOUND_LONG ? end : begin; /* others have nothing to do */
    wedge_u32 below = 0;
    bits[t] = 0;
    wedge_barrier();
    for (wedge_u64 k = begin + t; k < past; k += FOUND_BLOCK) {
        const wedge_u32 c = columns[k];
        below += c < low ? 1u : 0u;
        if (c >= low && c - low < FOUND_WINDOW) wedge_shared_or(&bits[(c - low) / 32u], 1u << (c - low) % 32u);
    }
    before[t] = below;
    wedge_barrier();
    wedge_u64 at = begin;
    for (wedge_u32 k = 0; past > begin && k < FOUND_BLOCK; ++k) at += before[k] + (k < t ? wedge_ones(bits[k]) : 0u);
    if (past > begin)
        for (wedge_u32 left = bits[t]; left; left &= left - 1u)
            sorted[at++] = low + 32u * t + wedge_ones((left & (0u - left)) - 1u);
}

WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_list(WEDGE_GLOBAL const wedge_u32 *sorted,
                                                            WEDGE_GLOBAL const wedge_u64 *starts,
                                                            WEDGE_GLOBAL wedge_i64 *pairs, found_args F) {
    const wedge_u64 e = F.least + (wedge_u64)wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0);
    if (e < F.most) {
        const wedge_u64 to = F.shift + 2u * (e - F.least);
        pairs[to] = (wedge_i64)(F.first_row + found_row(starts, F.base + e, F));
        pairs[to + 1u] = (wedge_i64)sorted[e];
    }
}

/* The order of points that lie as the caller has them. */
WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_order(WEDGE_GLOBAL wedge_u32 *order, wedge_u32 n) {
    const wedge_u32 k = wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0);
    if (k < n) order[k] = k;
}

/* Where along the curve each of the caller's points lies. */
WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_turn(WEDGE_GLOBAL const wedge_u32 *order,
                                                            WEDGE_GLOBAL wedge_u32 *curve_index, wedge_u32 n) {
    const wedge_u32 k = wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0);
    if (k < n) curve_index[order[k]] = k;
}
