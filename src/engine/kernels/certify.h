/* kernels/certify.h: what certify asks of every exact function, the same text on every device.
 *
 * The expected cell is never taken from the functions under test: rows are enumerated, and the place of a row's
 * first cell is computed here in plain 64-bit integers that cannot wrap. Each check returns a mask with one bit per form that
 * is wrong; the bits are in the order of the lists in certify.c.
 *
 * SPDX-License-Identifier: MIT */

enum {
    WEDGE_UNRANK = 1,
    WEDGE_RANK_OF = 2,
    WEDGE_STRICT_UNRANK = 4,
    WEDGE_STRICT_RANK = 8,
    WEDGE_COND_UNRANK = 16,
    WEDGE_COND_RANK = 32
};

/* i(i+1)/2 and i(i+1)(i+2)/6: the factors are divided first, so nothing wraps while the result fits. */
WEDGE_FN wedge_u64 wedge_expect_tri(wedge_u64 i) { return i % 2u ? i * ((i + 1u) / 2u) : i / 2u * (i + 1u); }

WEDGE_FN wedge_u64 wedge_expect_tet(wedge_u64 i) {
    wedge_u64 a = i, b = i + 1u, c = i + 2u;
    if (i % 2u)
        b /= 2u;
    else
        a /= 2u;
    if (i % 3u == 0u)
        a /= 3u;
    else if (i % 3u == 1u)
        c /= 3u;
    else
        b /= 3u;
    return a * b * c;
}

#define WEDGE_BIT(wrong, bit) ((wrong) ? (wedge_u32)(bit) : 0u)

/* The six forms of rank 2 at cell (i, j), whose place is w. n: points of the condensed order, w < n(n-1)/2; 0: leave
 * that order out. */
WEDGE_FN wedge_u32 wedge_bad_tri32(wedge_u32 i, wedge_u32 j, wedge_u32 w, wedge_u32 n, wedge_u32 last) {
    wedge_pair p = wedge_tri_unrank32(w), s = wedge_tri_strict_unrank32(w);
    wedge_u32 bad = WEDGE_BIT((p.i != i) | (p.j != j), WEDGE_UNRANK) |
                    WEDGE_BIT(wedge_tri_rank32(i, j) != w, WEDGE_RANK_OF) |
                    WEDGE_BIT((s.i != i + 1u) | (s.j != j), WEDGE_STRICT_UNRANK) |
                    WEDGE_BIT(wedge_tri_strict_rank32(i + 1u, j) != w, WEDGE_STRICT_RANK);
    if (n) {
        wedge_pair c = wedge_condensed_unrank32(n, last - w);
        bad |= WEDGE_BIT((c.i != n - 2u - i) | (c.j != n - 1u - j), WEDGE_COND_UNRANK) |
               WEDGE_BIT(wedge_condensed_rank32(n, n - 2u - i, n - 1u - j) != last - w, WEDGE_COND_RANK);
    }
    return bad;
}

WEDGE_FN wedge_u32 wedge_bad_tri64(wedge_u64 i, wedge_u64 j, wedge_u64 w, wedge_u64 n, wedge_u64 last) {
    wedge_pair64 p = wedge_tri_unrank64(w), s = wedge_tri_strict_unrank64(w);
    wedge_u32 bad = WEDGE_BIT((p.i != i) | (p.j != j), WEDGE_UNRANK) |
                    WEDGE_BIT(wedge_tri_rank64(i, j) != w, WEDGE_RANK_OF) |
                    WEDGE_BIT((s.i != i + 1u) | (s.j != j), WEDGE_STRICT_UNRANK) |
                    WEDGE_BIT(wedge_tri_strict_rank64(i + 1u, j) != w, WEDGE_STRICT_RANK);
    if (n) {
        wedge_pair64 c = wedge_condensed_unrank64(n, last - w);
        bad |= WEDGE_BIT((c.i != n - 2u - i) | (c.j != n - 1u - j), WEDGE_COND_UNRANK) |
               WEDGE_BIT(wedge_condensed_rank64(n, n - 2u - i, n - 1u - j) != last - w, WEDGE_COND_RANK);
    }
    return bad;
}

/* The four forms of rank 3 at cell (i, j, k), whose place is w. */
WEDGE_FN wedge_u32 wedge_bad_tet32(wedge_u32 i, wedge_u32 j, wedge_u32 k, wedge_u32 w) {
    wedge_triple p = wedge_tet_unrank32(w), s = wedge_tet_strict_unrank32(w);
    return WEDGE_BIT((p.i != i) | (p.j != j) | (p.k != k), WEDGE_UNRANK) |
           WEDGE_BIT(wedge_tet_rank32(i, j, k) != w, WEDGE_RANK_OF) |
           WEDGE_BIT((s.i != i + 2u) | (s.j != j + 1u) | (s.k != k), WEDGE_STRICT_UNRANK) |
           WEDGE_BIT(wedge_tet_strict_rank32(i + 2u, j + 1u, k) != w, WEDGE_STRICT_RANK);
}

WEDGE_FN wedge_u32 wedge_bad_tet64(wedge_u64 i, wedge_u64 j, wedge_u64 k, wedge_u64 w) {
    wedge_triple64 p = wedge_tet_unrank64(w), s = wedge_tet_strict_unrank64(w);
    return WEDGE_BIT((p.i != i) | (p.j != j) | (p.k != k), WEDGE_UNRANK) |
           WEDGE_BIT(wedge_tet_rank64(i, j, k) != w, WEDGE_RANK_OF) |
           WEDGE_BIT((s.i != i + 2u) | (s.j != j + 1u) | (s.k != k), WEDGE_STRICT_UNRANK) |
           WEDGE_BIT(wedge_tet_strict_rank64(i + 2u, j + 1u, k) != w, WEDGE_STRICT_RANK);
}

/* ---- Samples of a row (rank 2) or layer (rank 3), 64 bits; q counts them ---- */

enum { WEDGE_SAMPLES2 = 3, WEDGE_SAMPLES3 = 4 };

/* First, middle and last cell of row i, the last row ending at 2^64 - 1. The middle is where floor(sqrt(2w)) goes
 * from i to i+1. */
WEDGE_FN wedge_u32 wedge_try_row(wedge_u64 i, wedge_u32 q, wedge_u64 n) {
    wedge_u64 first = wedge_expect_tri(i), left = ~(wedge_u64)0 - first;
    wedge_u64 end = i < left ? i : left;
    wedge_u64 j = q == 0u ? 0u : q == 1u ? (i / 2u < end ? i / 2u : end) : end;
    wedge_u64 points = i + 1u < n ? n : 0u;
    return wedge_bad_tri64(i, j, first + j, points, points ? wedge_expect_tri(n - 1u) - 1u : 0u);
}

/* The last row of layer i that begins below 2^64. */
WEDGE_FN wedge_u64 wedge_last_row(wedge_u64 i, wedge_u64 first) {
    wedge_u64 lo = 0u, hi = i;
    while (lo < hi) {
        wedge_u64 mid = (lo + hi + 1u) / 2u;
        if (wedge_expect_tri(mid) <= ~(wedge_u64)0 - first)
            lo = mid;
        else
            hi = mid - 1u;
    }
    return lo;
}

/* First and last cell of layer i, and the last and first cell on both sides of its middle row's beginning. */
WEDGE_FN wedge_u32 wedge_try_layer(wedge_u64 i, wedge_u32 q) {
    wedge_u64 first = wedge_expect_tet(i), end = wedge_last_row(i, first), middle = end / 2u;
    wedge_u64 j = q == 0u ? 0u : q == 3u ? end : q == 1u && middle ? middle - 1u : middle;
    wedge_u64 row = first + wedge_expect_tri(j), left = ~(wedge_u64)0 - row;
    wedge_u64 k = q == 0u || q == 2u ? 0u : j < left ? j : left;
    return wedge_bad_tet64(i, j, k, row + k);
}

/* ---- hmap of rank 3 ---- */

enum { WEDGE_HMAP_POWER = 1, WEDGE_HMAP_CUBE = 2, WEDGE_HMAP_STRIP = 4 };

/* Sides that are tried: all to 64, then powers of two. */
WEDGE_FN wedge_u32 wedge_hmap3_side(wedge_u32 row) { return row < 64u ? row + 1u : 64u << (row - 63u); }
WEDGE_FN wedge_u32 wedge_is_power(wedge_u32 m) { return m > 1u && !(m & (m - 1u)); }

typedef struct {
    wedge_u32 level, strip, x, y, z; /* of a cube: z over all cubes of the level */
} wedge_hmap3_block;

/* Who has the tile (i, j, k) of the corner of side n, by halving it until that tile is in a strip, a cube or a top. */
WEDGE_FN wedge_hmap3_block wedge_expect_hmap3(wedge_u32 n, wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    wedge_u32 x = k, y = j - k, z = i - j, corner = 0u;
    wedge_hmap3_block at;
    at.level = 0u;
    for (;; n /= 2u, ++at.level) {
        wedge_u32 b = n / 2u, turned = z >= b;
        at.strip = n % 2u && x + y + z + 2u == n;
        if (at.strip) { /* row x + y, column x of a triangle, by rb */
            at.x = x < b ? x : n - 2u - x;
            at.y = x < b ? x + y + 1u : n - 2u - x - y;
            at.z = corner;
            return at;
        }
        if (turned || (x < b && y < b)) {
            at.x = turned ? b - 1u - x : x;
            at.y = turned ? b - 1u - y : y;
            at.z = corner * b + (turned ? 2u * b - 1u - z : z);
            return at;
        }
        corner = 2u * corner + (x >= b ? 1u : 0u);
        x -= x >= b ? b : 0u;
        y -= corner % 2u ? 0u : b;
    }
}

/* The same in the grid of all levels, m = 2^p. */
WEDGE_FN wedge_hmap3_block wedge_expect_hmap3_power(wedge_u32 m, wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    wedge_hmap3_block at = wedge_expect_hmap3(m, i, j, k);
    wedge_u32 b = m >> (at.level + 1u);
    if (at.level == 0u) return at;
    at.x += at.z / b * b;
    at.y += b;
    at.z = m / 2u + at.z % b;
    return at;
}

WEDGE_FN wedge_u32 wedge_is_triple(wedge_triple t, wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    return t.i == i && t.j == j && t.k == k;
}

/* Is tile (i, j, k) of side m with the block that should have it? */
WEDGE_FN wedge_u32 wedge_bad_hmap3(wedge_u32 m, wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    wedge_hmap3_block at = wedge_expect_hmap3(m + 1u, i, j, k), p;
    wedge_u32 bad =
        at.strip
            ? WEDGE_BIT(!wedge_is_triple(wedge_hmap3_strip(m, at.level, at.x, at.y, at.z), i, j, k), WEDGE_HMAP_STRIP)
            : WEDGE_BIT(!wedge_is_triple(wedge_hmap3_cube(m, at.level, at.x, at.y, at.z), i, j, k), WEDGE_HMAP_CUBE);
    if (!wedge_is_power(m) || i + 1u == m) return bad;
    p = wedge_expect_hmap3_power(m, i, j, k);
    return bad | WEDGE_BIT(!wedge_is_triple(wedge_hmap3_tile(m, p.x, p.y, p.z), i, j, k), WEDGE_HMAP_POWER);
}

/* And has block (x, y, z) of the grid for m = 2^p none, or one that is its own? */
WEDGE_FN wedge_u32 wedge_bad_hmap3_block(wedge_u32 m, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    wedge_triple t = wedge_hmap3_tile(m, x, y, z);
    wedge_hmap3_block at;
    if (t.i == 0xFFFFFFFFu) return 0u;
    if (t.i + 1u >= m || t.j > t.i || t.k > t.j) return WEDGE_HMAP_POWER;
    at = wedge_expect_hmap3_power(m, t.i, t.j, t.k);
    return WEDGE_BIT(at.x != x || at.y != y || at.z != z, WEDGE_HMAP_POWER);
}

/* Side m, what has the index i, j: row j of layer i, and row y = j of the grid's slice z = i. Adds how many were tried. */
WEDGE_FN wedge_u32 wedge_try_hmap3(wedge_u32 m, wedge_u32 i, wedge_u32 j, wedge_u32 *tried) {
    wedge_u32 bad = 0u, width = wedge_is_power(m) && i < m / 2u + m / 4u && j < m / 2u ? m / 2u : 0u;
    for (wedge_u32 k = 0u; k <= j && j <= i; ++k, ++*tried) bad |= wedge_bad_hmap3(m, i, j, k);
    for (wedge_u32 x = 0u; x < width; ++x, ++*tried) bad |= wedge_bad_hmap3_block(m, x, j, i);
    return bad;
}

/* ---- UTM as printed ---- */

/* Samples of row a of the pairs of n points, row by row: the place p of its first, middle or last, of which a and the
 * column, c pairs behind the first, are known. The computed row never falls as p grows, each of its steps being
 * monotone, so right at both ends is right in the row. */
WEDGE_FN wedge_u32 wedge_utm_place(wedge_u32 n, wedge_u32 a, wedge_u32 q, wedge_u32 *c) {
    wedge_u32 last = n - 2u - a;
    *c = q == 0u ? 0u : q == 1u ? last / 2u : last;
    return (wedge_u32)(wedge_expect_tri(n - 1u) - wedge_expect_tri(n - 1u - a)) + *c;
}

#ifdef WEDGE_KERNEL /* device source only from here on */

/* result: cells tried, then for each of eight bits the failures, then the first row (from `begin`) with one. */
WEDGE_FN void wedge_report(WEDGE_GLOBAL wedge_u32 *result, wedge_u32 bad, wedge_u32 row) {
    for (wedge_u32 b = 0u; b < 8u; ++b)
        if (bad >> b & 1u) {
            wedge_atomic_add(&result[1u + b], 1u);
            wedge_atomic_min(&result[9u + b], row);
        }
}

/* Every cell of the rows from `begin` on, a block a row. */
WEDGE_KERNEL void certify_tri32(WEDGE_GLOBAL wedge_u32 *result, wedge_u32 begin, wedge_u32 n) {
    wedge_u32 i = begin + wedge_group_id(0), tried = 0u;
    wedge_u64 first = wedge_expect_tri(i);
    wedge_u32 points = i + 1u < n ? n : 0u, last = (wedge_u32)wedge_expect_tri(n - 1u) - 1u;
    for (wedge_u32 j = wedge_local_id(0); j <= i && first + j <= 0xFFFFFFFFu; j += wedge_local_size(0)) {
        wedge_u32 bad = wedge_bad_tri32(i, j, (wedge_u32)first + j, points, last);
        if (bad) wedge_report(result, bad, i - begin);
        ++tried;
    }
    if (tried) wedge_atomic_add(&result[0], tried);
}

/* Every cell of the layers from `begin` on: block (j, i). */
WEDGE_KERNEL void certify_tet32(WEDGE_GLOBAL wedge_u32 *result, wedge_u32 begin) {
    wedge_u32 j = wedge_group_id(0), i = begin + wedge_group_id(1), tried = 0u;
    wedge_u64 first = wedge_expect_tet(i) + wedge_expect_tri(j);
    if (j > i) return;
    for (wedge_u32 k = wedge_local_id(0); k <= j && first + k <= 0xFFFFFFFFu; k += wedge_local_size(0)) {
        wedge_u32 bad = wedge_bad_tet32(i, j, k, (wedge_u32)first + k);
        if (bad) wedge_report(result, bad, i - begin);
        ++tried;
    }
    if (tried) wedge_atomic_add(&result[0], tried);
}

/* The samples of `rows` rows (layers) from `begin` on, each thread a few rows, neighbours next to each other. */
WEDGE_KERNEL void certify_64(WEDGE_GLOBAL wedge_u32 *result, wedge_u64 begin, wedge_u32 rows, wedge_u64 n,
                             wedge_u32 rank) {
    wedge_u32 tried = 0u, samples = rank == 2u ? (wedge_u32)WEDGE_SAMPLES2 : (wedge_u32)WEDGE_SAMPLES3;
    wedge_u32 stride = wedge_group_count(0) * wedge_local_size(0);
    for (wedge_u32 r = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0); r < rows; r += stride)
        for (wedge_u32 q = 0u; q < samples; ++q) {
            wedge_u32 bad = rank == 2u ? wedge_try_row(begin + r, q, n) : wedge_try_layer(begin + r, q);
            if (bad) wedge_report(result, bad, r);
            ++tried;
        }
    if (tried) wedge_atomic_add(&result[0], tried);
}

/* A side per group_id(0), from the one of row `begin` on, and a layer, or slice of the grid, per group_id(1). */
WEDGE_KERNEL void certify_hmap3(WEDGE_GLOBAL wedge_u32 *result, wedge_u32 begin) {
    wedge_u32 m = wedge_hmap3_side(begin + wedge_group_id(0)), i = wedge_group_id(1), tried = 0u;
    for (wedge_u32 j = wedge_local_id(0); i < m && j < m; j += wedge_local_size(0)) {
        wedge_u32 bad = wedge_try_hmap3(m, i, j, &tried);
        if (bad) wedge_report(result, bad, wedge_group_id(0));
    }
    if (tried) wedge_atomic_add(&result[0], tried);
}

#if defined(WEDGE_TILE) && WEDGE_THREAD_SPACE
/* UTM on the triangles of side begin + 1 and more: a block a side, a thread some rows of it. */
WEDGE_KERNEL void first_wrong(WEDGE_GLOBAL wedge_u32 *result, wedge_launch g, wedge_u32 begin) {
    wedge_u32 side = begin + wedge_group_id(0) + 1u;
    g.m = side;
    for (wedge_u32 a = wedge_local_id(0); a < side; a += wedge_local_size(0))
        for (wedge_u32 q = 0u, c; q < 3u; ++q) {
            wedge_segment t = wedge_begin(g, wedge_utm_place(side + 1u, a, q, &c), 0u, 0u, 0);
            if ((t.i != a + c) | (t.j != a)) wedge_report(result, 1u, side - 1u - begin);
        }
}
#elif defined(WEDGE_TILE)
/* The tiles of one of the paper's maps for every w of the rows from `begin` on: a block a row (of a layer). */
WEDGE_KERNEL void first_wrong(WEDGE_GLOBAL wedge_u32 *result, wedge_launch g, wedge_u32 begin) {
#if WEDGE_RANK == 2
    wedge_u32 i = begin + wedge_group_id(0), row = i;
    wedge_u32 first = (wedge_u32)wedge_expect_tri(i);
#else
    wedge_u32 i = begin + wedge_group_id(1), row = wedge_group_id(0);
    wedge_u32 first = (wedge_u32)(wedge_expect_tet(i) + wedge_expect_tri(row));
#endif
    for (wedge_u32 c = wedge_local_id(0); row <= i && c <= row; c += wedge_local_size(0)) {
        wedge_u32 w = first + c, q = w / g.a;
#if WEDGE_RANK == 2
        wedge_segment t = wedge_begin(g, w % g.a, q, 0u, 0);
        wedge_u32 wrong = (t.i != i) | (t.j != c);
#else
        wedge_segment t = wedge_begin(g, w % g.a, q % g.a, q / g.a, 0);
        wedge_u32 wrong = (t.i != i) | (t.j != row) | (t.k != c);
#endif
        if (wrong) wedge_report(result, 1u, i - begin);
    }
}
#endif
#endif
