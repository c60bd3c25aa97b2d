/* kernels/select.h: from the marks of select to a list.
 *
 * Each thread has SELECT_CHUNK words of a row. It counts their bits (select_tally); the host turns counts into positions; then it writes
 * the cells of its bits there (select_list), in the order of the caller's columns. Rows and chunks are the caller's too:
 * where devices run backwards, words and bits are read from the last to the first.
 *
 * SPDX-License-Identifier: MIT */

/* Which bits of the word of columns [32 w, 32 w + 32) and row i, the caller's, mean a cell. */
WEDGE_FN wedge_u32 select_bits(WEDGE_GLOBAL const wedge_u32 *marks, select_args S, wedge_u32 r, wedge_u32 w,
                               pairs_args args) {
    const wedge_u32 i = S.row + r, back = DOMAIN_BACKWARDS;
    const wedge_u32 frame_row = back ? args.side - 1u - i + args.pad : i;
    const wedge_u32 column =
        back ? args.points - 1u - (32u * w + 31u) + args.pad : 32u * w; /* of the leaf, among the tiles */
    const wedge_u32 inside = leaf_inside(args, frame_row, column);
    const wedge_u32 at_row = back ? S.rows - 1u - r : r, at_word = back ? S.words - 1u - (w - S.word) : w - S.word;
    return inside ? marks[(wedge_u64)at_word * S.rows + at_row] & inside : 0u;
}

WEDGE_KERNEL void select_tally(WEDGE_GLOBAL const wedge_u32 *marks, WEDGE_GLOBAL wedge_u32 *counts, select_args S,
                               pairs_args args) {
    const wedge_u32 r = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0), chunk = wedge_group_id(1);
    if (r < S.rows) {
        wedge_u32 count = 0, end = (chunk + 1u) * SELECT_CHUNK;
        if (end > S.words) end = S.words;
        for (wedge_u32 w = chunk * SELECT_CHUNK; w < end; ++w)
            count += wedge_ones(select_bits(marks, S, r, S.word + w, args));
        counts[(wedge_u64)r * S.chunks + chunk] = count;
    }
}

WEDGE_KERNEL void select_list(WEDGE_GLOBAL const wedge_u32 *marks, WEDGE_GLOBAL const wedge_u64 *starts,
                              WEDGE_GLOBAL wedge_i64 *pairs, WEDGE_GLOBAL number *values,
                              WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows, select_args S,
                              pairs_args args, op_values parameters) {
    const wedge_u32 r = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0), chunk = wedge_group_id(1);
    const op_args q = args_of(args, parameters);
    if (r < S.rows) {
        wedge_u64 slot = starts[(wedge_u64)r * S.chunks + chunk];
        const int wanted = slot < S.most && starts[(wedge_u64)r * S.chunks + chunk + 1u] > S.least;
        wedge_u32 end = (chunk + 1u) * SELECT_CHUNK;
        if (end > S.words) end = S.words;
        for (wedge_u32 w = chunk * SELECT_CHUNK; w < end && wanted; ++w) {
            wedge_u32 bits = select_bits(marks, S, r, S.word + w, args);
            for (wedge_u32 c = 0; c < 32u && bits; ++c) {
                if (!(bits >> (DOMAIN_BACKWARDS ? 31u - c : c) & 1u)) continue;
                const wedge_u32 i = S.row + r, j = 32u * (S.word + w) + c;
                if (slot >= S.least && slot < S.most) {
                    const wedge_u64 at = slot - S.least;
                    if (S.pairs) {
                        pairs[S.pair_shift + 2u * at] = (wedge_i64)i;
                        pairs[S.pair_shift + 2u * at + 1u] = (wedge_i64)j;
                    }
                    if (S.values) {
                        const wedge_u32 a = DOMAIN_BACKWARDS ? args.side - 1u - i + DOMAIN_STRICT : i + DOMAIN_STRICT;
                        const wedge_u32 b = DOMAIN_BACKWARDS ? args.points - 1u - j : j;
                        number v[OP_VALUES];
                        cell_values(rows + (wedge_u64)a * args.quads, columns + (wedge_u64)b * args.quads,
                                    args.features, q, v);
                        for (wedge_u32 e = 0; e < OP_VALUES; ++e) values[S.value_shift + at * OP_VALUES + e] = v[e];
                    }
                }
                ++slot;
            }
        }
    }
}
