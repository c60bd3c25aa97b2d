/* launch.h: from a block of a launch to its tiles, in host and device code alike.
 *
 * Every map is reached by one expression over g (the launch), x, y, z (block indices, or thread indices of a map in
 * thread space) and table (lut's): its tile, or, of resident blocks, their first segment. Those have a second one over
 * g and s, the segment after s. The table of maps holds both; the host compiles them, device source gets them as
 * WEDGE_TILE and WEDGE_NEXT. A grid may be larger than its map; returning "no tile" for such blocks is done here, not in map.h.
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
#ifndef WEDGE_USE64
#define WEDGE_USE64 1
#endif
#ifndef WEDGE_ORIGIN
#define WEDGE_ORIGIN 1
#endif
#if !WEDGE_ORIGIN
#define WEDGE_W x
#elif WEDGE_USE64
#define WEDGE_W (g.base + x)
#else
#define WEDGE_W ((wedge_u32)g.base + x)
#endif
#if WEDGE_USE64
typedef wedge_u64 wedge_w;
#define wedge_lambda_at wedge_lambda_tile64
#define wedge_lambda3_at wedge_lambda3_tile64
#else
typedef wedge_u32 wedge_w;
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
 * larger, of which thread x takes the pair p. */
WEDGE_FN wedge_pair wedge_rb_thread(wedge_launch g, wedge_u32 x, wedge_u32 y) {
    return wedge_if2(x < g.a && y < g.b, wedge_rb_tile(g.m, x, y));
}

WEDGE_FN wedge_pair wedge_utm_thread(wedge_u32 m, wedge_u32 x, wedge_pair p) {
    return wedge_if2(x < wedge_tri32(m), wedge_pair_of(p.i - 1u, p.j));
}

/* A piece of rec (b: triangle or square). */
WEDGE_FN wedge_pair wedge_rec_piece(wedge_launch g, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    return g.b ? wedge_rec_triangle(g.a, z, x, y) : wedge_rec_square(g.a, z, x, y);
}

/* hmap: the printed form for powers of two; the other takes the same grid. */
#ifndef WEDGE_POWER
#define WEDGE_POWER (g.m > 1u && !(g.m & (g.m - 1u)))
#endif
WEDGE_FN wedge_pair wedge_hmap_at(wedge_launch g, wedge_u32 x, wedge_u32 y) {
    return WEDGE_POWER ? wedge_hmap_tile(g.m, x, y) : wedge_hmap_any_tile(g.a, g.b, x, y);
}

/* hmap of rank 3: b says what a launch has, the cubes of level a (0), its strips (1), or, of powers of two alone, the
 * cubes of all levels (2). */
WEDGE_FN wedge_triple wedge_hmap3_at(wedge_launch g, wedge_u32 x, wedge_u32 y, wedge_u32 z) {
    if (g.b == 1u) return wedge_hmap3_strip(g.m, g.a, x, y, z);
    return WEDGE_POWER || g.b == 2u ? wedge_hmap3_tile(g.m, x, y, z) : wedge_hmap3_cube(g.m, g.a, x, y, z);
}

/* One tile as a segment, for maps with one block per tile. */
WEDGE_FN wedge_segment wedge_one2(wedge_pair p) {
    wedge_segment s;
    s.i = p.i;
    s.j = p.j;
    s.k = 0u;
    s.end = p.j + 1u;
    s.left = 0u;
    return s;
}

WEDGE_FN wedge_segment wedge_one3(wedge_triple t) {
    wedge_segment s;
    s.i = t.i;
    s.j = t.j;
    s.k = t.k;
    s.end = t.k + 1u;
    s.left = 0u;
    return s;
}

/* ---- Resident blocks ---- */

/* Equal runs: block x has a tiles, one more if x < b. */
WEDGE_FN wedge_w wedge_run_start(wedge_launch g, wedge_u32 x) {
    return (WEDGE_ORIGIN ? (wedge_w)g.base : (wedge_w)0) + (wedge_w)x * g.a + (x < g.b ? x : g.b);
}
WEDGE_FN wedge_u32 wedge_run_length(wedge_launch g, wedge_u32 x) { return g.a + (x < g.b ? 1u : 0u); }

WEDGE_FN wedge_segment wedge_walk_at(wedge_launch g, wedge_u32 x) {
    return wedge_walk_from(wedge_lambda_at(wedge_run_start(g, x)), wedge_run_length(g, x));
}

WEDGE_FN wedge_segment wedge_walk3_at(wedge_launch g, wedge_u32 x) {
    return wedge_walk3_from(wedge_lambda3_at(wedge_run_start(g, x)), wedge_run_length(g, x));
}

/* bb-resident: equal runs of the box, m tiles a row. Its tiles above the diagonal are none, which is for the caller to
 * test (WEDGE_IDLE). A row of the box is row i, in rank 3 row j of layer i. */
WEDGE_FN wedge_segment wedge_box_row(wedge_launch g, wedge_u32 i, wedge_u32 j, wedge_u32 column, wedge_u32 count) {
    wedge_segment s;
    wedge_u32 taken = count < g.m - column ? count : g.m - column;
    s.i = i;
    s.j = j;
    s.k = column;
    s.end = taken ? column + taken : 0u;
    s.left = count - taken;
    return s;
}

WEDGE_FN wedge_segment wedge_box_at(wedge_launch g, wedge_u32 x) {
    wedge_w w = wedge_run_start(g, x);
    wedge_segment s = wedge_box_row(g, (wedge_u32)(w / g.m), 0u, (wedge_u32)(w % g.m), wedge_run_length(g, x));
    s.j = s.k;
    s.k = 0u;
    return s;
}

WEDGE_FN wedge_segment wedge_box_next(wedge_launch g, wedge_segment s) {
    return wedge_box_row(g, s.i + 1u, 0u, 0u, s.left);
}

WEDGE_FN wedge_segment wedge_box3_at(wedge_launch g, wedge_u32 x) {
    wedge_w w = wedge_run_start(g, x), row = w / g.m;
    return wedge_box_row(g, (wedge_u32)(row / g.m), (wedge_u32)(row % g.m), (wedge_u32)(w % g.m),
                         wedge_run_length(g, x));
}

WEDGE_FN wedge_segment wedge_box3_next(wedge_launch g, wedge_segment s) {
    wedge_u32 layer = s.j + 1u == g.m;
    return wedge_box_row(g, s.i + layer, layer ? 0u : s.j + 1u, 0u, s.left);
}

/* rows: whole rows of tiles, dealt out: row x, then every grid[0]-th. In rank 3 the rows of all layers count on, and
 * each costs a root. */
WEDGE_FN wedge_segment wedge_rows_at(wedge_u32 i) {
    wedge_segment s = wedge_one2(wedge_pair_of(i, 0u));
    s.end = i + 1u;
    return s;
}

WEDGE_FN wedge_segment wedge_rows_next(wedge_launch g, wedge_segment s) {
    wedge_u32 more = g.m - s.i > g.grid[0];
    s = wedge_rows_at(s.i + g.grid[0]);
    s.end = more ? s.end : 0u;
    return s;
}

WEDGE_FN wedge_segment wedge_rows3_at(wedge_launch g, wedge_w row) {
    wedge_pair p = wedge_lambda_at(row);
    wedge_segment s = wedge_one3(wedge_triple_of(p.i, p.j, 0u));
    s.end = p.i < g.m ? p.j + 1u : 0u;
    return s;
}

WEDGE_FN wedge_segment wedge_rows3_next(wedge_launch g, wedge_segment s) {
    return wedge_rows3_at(g, (wedge_w)(s.i | 1u) * ((s.i + 1u) >> 1) + s.j + g.grid[0]);
}

#ifdef WEDGE_TILE /* device source: this launch's map */

WEDGE_FN wedge_segment wedge_begin(wedge_launch g, wedge_u32 x, wedge_u32 y, wedge_u32 z,
                                   WEDGE_GLOBAL const wedge_u32 *table) {
    return WEDGE_TILE;
}

#if WEDGE_SEGMENTS
WEDGE_FN wedge_segment wedge_next(wedge_launch g, wedge_segment s) { return WEDGE_NEXT; }

/* From tile to tile, for kernels whose tiles are long: end = 0 after the last. */
WEDGE_FN wedge_segment wedge_step(wedge_launch g, wedge_segment s) {
#if WEDGE_RANK == 3
    s.k += 1u;
    return s.k < s.end ? s : wedge_next(g, s);
#else
    s.j += 1u;
    return s.j < s.end ? s : wedge_next(g, s);
#endif
}
#endif

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
