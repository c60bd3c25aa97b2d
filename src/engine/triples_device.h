/* triples_device.h: the skeleton for triplets: arithmetic is what it waits for.
 *
 * A tile is three blocks of PAIRS_TILE points, i, j and k. The sides of all pairs (i, k) and (j, k) lie in shared memory,
 * each computed once for all triplets of the tile that have it:
 *
 *     lane: j     a thread has PAIRS_ROWS pairs (i, j), and their sides in registers
 *     loop: k     of which 32 are a leaf; one (j, k) is read for all rows, one (i, k) by all lanes at once
 *
 * A row is a pair (i, j), a column is k (domains/triples.h). Points i come SUB at a time.
 *
 * SPDX-License-Identifier: MIT */

#define SUB (PAIRS_ROWS * PAIRS_WARPS)
#define SIDE_ROOM (OP_SIDE > 2 ? 4 : OP_SIDE)

typedef struct __attribute__((aligned(SIDE_ROOM * sizeof(number) < 16u ? SIDE_ROOM * sizeof(number) : 16u))) {
    number v[SIDE_ROOM];
} side;

WEDGE_FN side side_of(WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 j, op_args q, pairs_args A) {
    WEDGE_GLOBAL const quad *a = points + (wedge_u64)clamp_point((int)i, A.points) * DEPTH;
    WEDGE_GLOBAL const quad *b = points + (wedge_u64)clamp_point((int)j, A.points) * DEPTH;
    number x[PAIRS_D], y[PAIRS_D];
    side s;
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_D; ++f) {
        x[f] = a[f / QUAD].v[f % QUAD];
        y[f] = b[f / QUAD].v[f % QUAD];
    }
    op_side(x, y, q, s.v);
    return s;
}

/* ---- Rows ---- */

/* Which of the columns [k, k + 32) of row (i, j) are triplets, and in the range. */
WEDGE_FN wedge_u32 triples_inside(wedge_u32 i, wedge_u32 j, wedge_u32 k, pairs_args A) {
    if (i >= A.points || j >= i || j == 0u) return 0u;
    const wedge_i64 start = (wedge_i64)(wedge_tet64(i - 2u) + wedge_tri64(j - 1u));
    wedge_i64 first = (wedge_i64)A.begin - start, end = (wedge_i64)A.end - start;
    if (first < 0) first = 0;
    if (end > (wedge_i64)j) end = (wedge_i64)j;
    return bits_between(first - (wedge_i64)k, end - (wedge_i64)k);
}

WEDGE_FN wedge_u32 triples_row(wedge_u32 i, wedge_u32 j) { return wedge_tri32(i - 2u) + j - 1u; }

/* Is every triplet of the tile's points to be computed? Those of points i from whole_begin to whole_end are. */
WEDGE_FN int triples_whole(wedge_triple t, pairs_args A) {
    const wedge_u32 i = t.i * PAIRS_TILE;
    return t.i > t.j && t.j > t.k && i >= A.whole_begin && i + PAIRS_TILE <= A.whole_end;
}

#if PAIRS_PLAIN
WEDGE_FN void plain_row(sink_state *sink, wedge_u32 i, wedge_u32 j, wedge_u32 k, WEDGE_GLOBAL const quad *points,
                        op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    const side ij = side_of(points, i, j, q, A);
    leaf_place at;
    number v[LEAF];
    at.inside = triples_inside(i, j, k, A);
    if (!at.inside) return;
    for (wedge_u32 c = 0; c < LEAF; ++c) {
        const side x = side_of(points, i, k + c, q, A), y = side_of(points, j, k + c, q, A);
        v[c] = op_triple(ij.v, x.v, y.v, q);
    }
    at.i = triples_row(i, j);
    at.j = k;
    sink_leaf_exact(sink, at, v, slots, A);
}
#else

/* Sides in shared memory: of (i, k) those of an i side by side, of (j, k) those of a k. */
typedef struct {
    WEDGE_NEAR side *ik, *jk;
} near_sides;

#define NEAR_IK(r) ((r)*PAIRS_WARPS + wedge_local_id(1)) /* the thread's r-th point i, of SUB */

WEDGE_FN number near_value(const side *ij, near_sides near, wedge_u32 r, wedge_u32 c, op_args q) {
    const side x = near.ik[NEAR_IK(r) * LEAF + c], y = near.jk[c * LANES + wedge_local_id(0)];
    return op_triple(ij->v, x.v, y.v, q);
}

/* A leaf one by one. */
WEDGE_FN void exact_row(sink_state *sink, leaf_place at, const side *ij, near_sides near, wedge_u32 r, op_args q,
                        WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    number v[LEAF];
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; ++c) v[c] = near_value(ij, near, r, c, q);
    sink_leaf_exact(sink, at, v, slots, A);
}

/* A leaf all of whose triplets are inside; 0 where the sink wants it again. */
WEDGE_FN int whole_row(sink_state *sink, leaf_place at, const side *ij, near_sides near, wedge_u32 r, op_args q,
                       WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    sink_leaf leaf = LEAF_BEGIN(sink, at.i, at.j, A);
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
        number v[GROUP];
#pragma unroll
        for (wedge_u32 g = 0; g < GROUP; ++g) v[g] = near_value(ij, near, r, c + g, q);
        if (!sink_take(sink, &leaf, v, c))
#pragma unroll
            for (wedge_u32 g = 0; g < GROUP; ++g) sink_take_exact(sink, v[g]);
    }
    return sink_leaf_end(sink, &leaf, at, slots, A);
}

/* The rows of a thread, all of whose triplets are inside. i: its first point i. */
WEDGE_FN void whole_rows(sink_state *sink, wedge_u32 i, wedge_u32 j, wedge_u32 k, WEDGE_GLOBAL const quad *points,
                         near_sides near, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    side ij[PAIRS_ROWS];
    sink_leaf leaf[PAIRS_ROWS];
    leaf_place at;
    wedge_u32 again = 0;
    at.inside = 0xffffffffu;
    at.j = k;
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        ij[r] = side_of(points, i + r * PAIRS_WARPS, j, q, A);
        leaf[r] = LEAF_BEGIN(sink, triples_row(i + r * PAIRS_WARPS, j), k, A);
    }
#pragma unroll 1
    for (wedge_u32 c = 0; c < LEAF; c += GROUP) {
        side y[GROUP];
#pragma unroll
        for (wedge_u32 g = 0; g < GROUP; ++g) y[g] = near.jk[(c + g) * LANES + wedge_local_id(0)];
#pragma unroll
        for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
            number v[GROUP];
#pragma unroll
            for (wedge_u32 g = 0; g < GROUP; ++g) {
                const side x = near.ik[NEAR_IK(r) * LEAF + c + g];
                v[g] = op_triple(ij[r].v, x.v, y[g].v, q);
            }
            if (!sink_take(sink, &leaf[r], v, c))
#pragma unroll
                for (wedge_u32 g = 0; g < GROUP; ++g) sink_take_exact(sink, v[g]);
        }
    }
#pragma unroll
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r) {
        at.i = triples_row(i + r * PAIRS_WARPS, j);
        if (!sink_leaf_end(sink, &leaf[r], at, slots, A)) again |= 1u << r;
    }
#pragma unroll 1
    for (wedge_u32 r = 0; again >> r; ++r)
        if (again >> r & 1u) {
            const side own = side_of(points, i + r * PAIRS_WARPS, j, q, A);
            at.i = triples_row(i + r * PAIRS_WARPS, j);
            exact_row(sink, at, &own, near, r, q, slots, A);
        }
}

/* The same where some are not. */
WEDGE_FN void part_rows(sink_state *sink, wedge_u32 i, wedge_u32 j, wedge_u32 k, WEDGE_GLOBAL const quad *points,
                        near_sides near, op_args q, WEDGE_GLOBAL sink_slot *slots, pairs_args A) {
    leaf_place at;
    at.j = k;
#pragma unroll 1
    for (wedge_u32 r = 0; r < PAIRS_ROWS; ++r, i += PAIRS_WARPS) {
        at.inside = triples_inside(i, j, k, A);
        if (at.inside) {
            const side own = side_of(points, i, j, q, A);
            at.i = triples_row(i, j);
            if (at.inside != 0xffffffffu || !whole_row(sink, at, &own, near, r, q, slots, A))
                exact_row(sink, at, &own, near, r, q, slots, A);
        }
    }
}
#endif

/* ---- Tiles ---- */

WEDGE_KERNEL WEDGE_BLOCK(LANES, PAIRS_WARPS,
                         PAIRS_RESIDENT) void pairs_kernel(wedge_launch g, WEDGE_GLOBAL const quad *columns,
                                                           WEDGE_GLOBAL const quad *rows, WEDGE_GLOBAL sink_slot *slots,
                                                           WEDGE_GLOBAL const number *limits, pairs_args A,
                                                           op_values parameters TILE_LIST) {
#if !PAIRS_PLAIN
    WEDGE_SHARED side ik[SUB * LEAF], jk[PAIRS_TILE * LANES];
    near_sides near;
    near.ik = ik;
    near.jk = jk;
#endif
    WEDGE_SHARED wedge_u64 room[SINK_ROOM];
    const op_args q = args_of(A, parameters);
    const wedge_u32 tiles = tiles_of_block(g);
    sink_state sink = sink_open(room, limits, slots);
    for (wedge_u32 n = 0; n < tiles; ++n) {
        const wedge_triple t =
            wedge_tet_unrank32((wedge_u32)tile_number(g, n)); /* of MOST_TRIPLED points, below 2^32 */
        const wedge_u32 j = t.j * PAIRS_TILE + wedge_local_id(0), k = t.k * PAIRS_TILE;
#if PAIRS_PLAIN
        for (wedge_u32 y = wedge_local_id(1); y < PAIRS_TILE; y += PAIRS_WARPS)
            plain_row(&sink, t.i * PAIRS_TILE + y, j, k, rows, q, slots, A);
#else
        const int whole = triples_whole(t, A);
        for (wedge_u32 sub = 0; sub < PAIRS_TILE; sub += SUB) {
            const wedge_u32 i = t.i * PAIRS_TILE + sub;
            wedge_barrier(); /* the sides before have been read */
            if (sub == 0u)
                for (wedge_u32 x = THREAD; x < PAIRS_TILE * LANES; x += THREADS)
                    jk[x] = side_of(rows, t.j * PAIRS_TILE + x % LANES, k + x / LANES, q, A);
            for (wedge_u32 x = THREAD; x < SUB * LEAF; x += THREADS)
                ik[x] = side_of(rows, i + x / LEAF, k + x % LEAF, q, A);
            wedge_barrier();
            if (whole)
                whole_rows(&sink, i + wedge_local_id(1), j, k, rows, near, q, slots, A);
            else
                part_rows(&sink, i + wedge_local_id(1), j, k, rows, near, q, slots, A);
        }
#endif
    }
    wedge_barrier();
    sink_close(&sink, room, slots, A);
}
