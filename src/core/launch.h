/* launch.h: from a block of a launch to its first tile, in host and device code alike.
 *
 * Every map is reached by one expression over g (the launch), x, y, z (block indices, or thread indices of a map in
 * thread space) and table (lut's). The table of maps holds it once; the host compiles it, device source gets it as
 * WEDGE_TILE. What a grid larger than its map must do, return "no tile", is here and not in map.h.
 *
 * SPDX-License-Identifier: MIT */

#ifndef WEDGE_WEDGE_H /* on the host this is wedge.h's */
typedef struct {
    wedge_u64 base;
    wedge_u32 m, x0, y0, z0, a, b;
    wedge_u32 grid[3];
} wedge_launch;
#endif

/* The w of block x of a one-dimensional grid. Device source is told whether 32 bits hold every w. */
#ifndef WEDGE_WIDE
#define WEDGE_WIDE 1
#endif
#ifndef WEDGE_ORIGIN
#define WEDGE_ORIGIN 1
#endif
#ifndef WEDGE_SINGLE
#define WEDGE_SINGLE 0
#endif
#if !WEDGE_ORIGIN
#define WEDGE_W x
#elif WEDGE_WIDE
#define WEDGE_W (g.base + x)
#else
#define WEDGE_W ((wedge_u32)g.base + x)
#endif
#define WEDGE_W0 (WEDGE_ORIGIN ? g.base : (wedge_u64)0) /* where a walk begins */
#if WEDGE_WIDE
#define wedge_lambda_at wedge_lambda_tile64
#define wedge_lambda3_at wedge_lambda3_tile64
#else
#define wedge_lambda_at wedge_lambda_tile
#define wedge_lambda3_at wedge_lambda3_tile
#endif

/* The w of a block of the paper's square and cubic grids, of side a. */
#define WEDGE_SQUARE_W (y * g.a + x)
#define WEDGE_CUBE_W ((z * g.a + y) * g.a + x)

/* A tile where there is one: w below the number of tiles. */
WEDGE_FN wedge_pair wedge_if2(wedge_u32 inside, wedge_pair p) { return wedge_pair_of(inside ? p.i : WEDGE_NONE, p.j); }

WEDGE_FN wedge_triple wedge_if3(wedge_u32 inside, wedge_triple t) {
    return wedge_triple_of(inside ? t.i : WEDGE_NONE, t.j, t.k);
}

/* Thread space over a full triangle of side m: rb's rectangle of a x b threads, and utm's strict triangle one row
 * larger. */
WEDGE_FN wedge_pair wedge_rb_thread(wedge_launch g, wedge_u32 x, wedge_u32 y) {
    return wedge_if2(x < g.a && y < g.b, wedge_rb_tile(g.m, x, y));
}

WEDGE_FN wedge_pair wedge_utm_thread(wedge_u32 m, wedge_u32 x) {
    wedge_pair p = wedge_utm_cell(m + 1u, x);
    return wedge_if2(x < wedge_tri32(m), wedge_pair_of(p.i - 1u, p.j));
}

/* A piece of rec (b: triangle or square) or of hmap (b: where its triangle begins, or a box). */
WEDGE_FN wedge_pair wedge_rec_piece(wedge_launch g, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    return g.b ? wedge_rec_triangle(g.a, z, x, y) : wedge_rec_square(g.a, z, x, y);
}

WEDGE_FN wedge_pair wedge_hmap_piece(wedge_launch g, wedge_u32 x, wedge_u32 y) {
#if WEDGE_SINGLE
    return wedge_hmap_tile(g.m, x, y);
#else
    wedge_pair p = g.a ? wedge_hmap_tile(g.a, x, y) : wedge_pair_of(y, x);
    return wedge_pair_of(g.b + p.i, p.j + (g.a ? g.b : 0u));
#endif
}

WEDGE_FN wedge_walk wedge_one(wedge_u32 i, wedge_u32 j, wedge_u32 k) {
    wedge_walk t;
    t.i = i;
    t.j = j;
    t.k = k;
    t.left = 1u;
    return t;
}

WEDGE_FN wedge_walk wedge_one2(wedge_pair p) { return wedge_one(p.i, p.j, 0u); }
WEDGE_FN wedge_walk wedge_one3(wedge_triple t) { return wedge_one(t.i, t.j, t.k); }

#ifdef WEDGE_TILE /* device source: this launch's map */

WEDGE_FN wedge_walk wedge_begin(wedge_launch g, wedge_u32 x, wedge_u32 y, wedge_u32 z,
                                WEDGE_GLOBAL const wedge_u32 *table) {
    return WEDGE_TILE;
}

/* The x, y, z that wedge_begin wants, of the thread that asks. */
#if WEDGE_ORIGIN
#define WEDGE_FROM(origin, d) ((wedge_u32)(origin) + wedge_group_id(d))
#else
#define WEDGE_FROM(origin, d) wedge_group_id(d)
#endif
#if WEDGE_LINEAR && WEDGE_THREAD_SPACE
#define WEDGE_X(g) \
    ((WEDGE_FROM((g).base, 0) * wedge_local_size(1) + wedge_local_id(1)) * wedge_local_size(0) + wedge_local_id(0))
#elif WEDGE_LINEAR
#define WEDGE_X(g) wedge_group_id(0)
#elif WEDGE_THREAD_SPACE
#define WEDGE_X(g) (WEDGE_FROM((g).x0, 0) * wedge_local_size(0) + wedge_local_id(0))
#define WEDGE_Y(g) (WEDGE_FROM((g).y0, 1) * wedge_local_size(1) + wedge_local_id(1))
#define WEDGE_Z(g) 0u
#else
#define WEDGE_X(g) WEDGE_FROM((g).x0, 0)
#define WEDGE_Y(g) WEDGE_FROM((g).y0, 1)
#define WEDGE_Z(g) WEDGE_FROM((g).z0, 2)
#endif
#if WEDGE_LINEAR
#define WEDGE_Y(g) 0u
#define WEDGE_Z(g) 0u
#endif

#endif
