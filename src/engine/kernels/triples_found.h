/* triples_found.h: from hits of triplets, sorted by position, to a list, on devices (triples_gpu.c).
 *
 * SPDX-License-Identifier: MIT */

/* keys[0] is none. */
WEDGE_KERNEL WEDGE_BLOCK(FOUND_BLOCK, 1, 1) void found_triples(WEDGE_GLOBAL const wedge_u64 *keys,
                                                               WEDGE_GLOBAL const wedge_u32 *indices,
                                                               WEDGE_GLOBAL const number *found,
                                                               WEDGE_GLOBAL wedge_i64 *pairs,
                                                               WEDGE_GLOBAL number *values, found_triples_args F) {
    const wedge_u64 x = (wedge_u64)wedge_group_id(0) * FOUND_BLOCK + wedge_local_id(0), e = F.least + x;
    if (e < F.most) {
        if (F.pairs) {
            const wedge_triple64 t = wedge_tet_unrank64(keys[e + 1u]);
            pairs[F.pair_shift + 3u * x] = (wedge_i64)(t.i + 2u * DOMAIN_DISTINCT);
            pairs[F.pair_shift + 3u * x + 1u] = (wedge_i64)(t.j + DOMAIN_DISTINCT);
            pairs[F.pair_shift + 3u * x + 2u] = (wedge_i64)t.k;
        }
        if (F.values) values[F.value_shift + x] = found[F.found_values + (indices[e + 1u] - 1u)];
    }
}
