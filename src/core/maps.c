/* maps.c: the table of maps. One row per map: its description, grid and cost, and the expression that finds a tile.
 *
 * To add a map: its function in map.h, its MAP line, its two functions and its row here. Formulas of `threads` are
 * closed forms on purpose: tests count what the launches of `plan` really start and compare.
 *
 * SPDX-License-Identifier: MIT */
#include "core/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/launch.h"
#include "core/note.h"

/* One expression, compiled here and kept as text for devices. */
#define MAP(name, ...)                                                                                             \
    static wedge_segment name##_begin(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table) { \
        (void)g, (void)x, (void)y, (void)z, (void)table;                                                           \
        return __VA_ARGS__;                                                                                        \
    }                                                                                                              \
    static const char name##_text[] = #__VA_ARGS__;

/* And the segment after s, of resident blocks. */
#define NEXT(name, ...)                                                 \
    static wedge_segment name##_next(wedge_launch g, wedge_segment s) { \
        (void)g;                                                        \
        return __VA_ARGS__;                                             \
    }                                                                   \
    static const char name##_next_text[] = #__VA_ARGS__;

MAP(bb, wedge_one2(wedge_bb_tile(x, y)))
MAP(lambda, wedge_one2(wedge_lambda_at(WEDGE_W)))
MAP(lambda_x, wedge_one2(wedge_if2(WEDGE_SQUARE_W < wedge_tri32(g.m), wedge_lambda_x_tile(WEDGE_SQUARE_W))))
MAP(lambda_n, wedge_one2(wedge_if2(WEDGE_SQUARE_W < wedge_tri32(g.m), wedge_lambda_n_tile(WEDGE_SQUARE_W))))
MAP(lambda_r, wedge_one2(wedge_if2(WEDGE_SQUARE_W < wedge_tri32(g.m), wedge_lambda_r_tile(WEDGE_SQUARE_W))))
MAP(rb, wedge_one2(wedge_rb_tile(g.m, x, y)))
MAP(rb_thread, wedge_one2(wedge_rb_thread(g, x, y)))
MAP(rec, wedge_one2(wedge_rec_piece(g, x, y, z)))
MAP(utm, wedge_one2(wedge_utm_thread(g.m, x, wedge_utm_cell(g.m + 1u, x))))
MAP(utm_x, wedge_one2(wedge_utm_thread(g.m, x, wedge_utm_x_cell(g.m + 1u, x))))
MAP(hmap, wedge_one2(wedge_hmap_at(g, x, y)))
MAP(walk, wedge_walk_at(g, x))
NEXT(walk, wedge_walk_next(s))
MAP(bb_resident, wedge_box_at(g, x))
NEXT(bb_resident, wedge_box_next(g, s))
MAP(rows, wedge_rows_at(x))
NEXT(rows, wedge_rows_next(g, s))
MAP(bb3, wedge_one3(wedge_bb3_tile(x, y, z)))
MAP(lambda3, wedge_one3(wedge_lambda3_at(WEDGE_W)))
MAP(lambda3_x, wedge_one3(wedge_if3(WEDGE_CUBE_W < wedge_tet32(g.m), wedge_lambda3_x_tile(WEDGE_CUBE_W))))
MAP(hmap3, wedge_one3(wedge_hmap3_at(g, x, y, z)))
MAP(walk3, wedge_walk3_at(g, x))
NEXT(walk3, wedge_walk3_next(s))
MAP(bb3_resident, wedge_box3_at(g, x))
NEXT(bb3_resident, wedge_box3_next(g, s))
MAP(rows3, wedge_rows3_at(g, x))
NEXT(rows3, wedge_rows3_next(g, s))
MAP(lut, wedge_one3(wedge_lut_tile(g.m, table, (wedge_u32)WEDGE_W)))

/* ---- Sizes ---- */

static uint64_t times(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t block_threads(const wedge_plan *p) {
    uint64_t t = (uint64_t)p->rho * p->rho;
    return p->rank == 3 ? t * p->rho : t;
}

static uint64_t tile_count(const wedge_plan *p) { return p->rank == 3 ? wedge_tet64(p->m) : wedge_tri64(p->m); }

/* The least s with s^rank >= tiles: the side of the paper's square and cubic grids. */
static uint64_t grid_side(const wedge_plan *p) {
    uint64_t tiles = tile_count(p);
    int rank = p->rank;
    uint64_t s = (uint64_t)(rank == 3 ? cbrt((double)tiles) : sqrt((double)tiles));
    while (times(times(s, s), rank == 3 ? s : 1) < tiles) ++s;
    while (s && times(times(s - 1, s - 1), rank == 3 ? s - 1 : 1) >= tiles) --s;
    return s;
}

/* ---- Plans and formulas ---- */

static void bb_plan(plan_maker *p) {
    plan_add(p, p->plan->m, p->plan->m, p->plan->rank == 3 ? p->plan->m : 1, 0, 0, 0);
}
static uint64_t bb_threads(const wedge_plan *p) {
    return times(times(times(p->m, p->m), p->rank == 3 ? p->m : 1), block_threads(p));
}

static void linear_plan(plan_maker *p) { plan_add(p, tile_count(p->plan), 1, 1, 0, 0, 0); }
static uint64_t tile_threads(const wedge_plan *p) { return times(tile_count(p), block_threads(p)); }

static void square_plan(plan_maker *p) {
    uint64_t s = grid_side(p->plan);
    plan_add(p, s, s, p->plan->rank == 3 ? s : 1, 0, (uint32_t)s, 0);
}
static uint64_t square_threads(const wedge_plan *p) {
    uint64_t s = grid_side(p);
    return times(times(times(s, s), p->rank == 3 ? s : 1), block_threads(p));
}

static void rb_plan(plan_maker *p) {
    uint64_t m = p->plan->m, odd = m & 1;
    plan_add(p, (m + 1) / 2, m + 1 - odd, 1, 0, 0, 0);
}

static void rb_thread_plan(plan_maker *p) {
    uint64_t n = p->plan->side, odd = n & 1, rho = p->plan->rho;
    plan_add(p, ceil_div((n + 1) / 2, rho), ceil_div(n + 1 - odd, rho), 1, 0, (uint32_t)((n + 1) / 2),
             (uint32_t)(n + 1 - odd));
}
static uint64_t rb_thread_threads(const wedge_plan *p) {
    uint64_t n = p->side, odd = n & 1, rho = p->rho;
    return times(ceil_div((n + 1) / 2, rho) * rho, ceil_div(n + 1 - odd, rho) * rho);
}

/* rec: m = s 2^k, s <= 16 so that the padding stays below an eighth and the launches few; two levels at least where m
 * can be halved without padding, so that small domains are partitioned, too. */
static uint64_t rec_levels(uint64_t m, uint64_t *s) {
    uint64_t k = 0;
    while (ceil_div(m, (uint64_t)1 << k) > 16) ++k;
    while (k < 2 && m >> k > 1 && m % ((uint64_t)2 << k) == 0) ++k;
    *s = ceil_div(m, (uint64_t)1 << k);
    return k;
}

static void rec_plan(plan_maker *p) {
    uint64_t s, k = rec_levels(p->plan->m, &s);
    plan_add(p, s, s, (uint64_t)1 << k, 0, (uint32_t)s, 1);
    for (uint64_t l = 1; l <= k; ++l) {
        uint64_t side = s << (l - 1);
        plan_add(p, side, side, (uint64_t)1 << (k - l), 0, (uint32_t)side, 0);
    }
}
static uint64_t rec_threads(const wedge_plan *p) {
    uint64_t s, k = rec_levels(p->m, &s), two_k = (uint64_t)1 << k;
    return times(times(s * s, k ? two_k / 2 * (two_k + 1) : 1), block_threads(p));
}

static void utm_plan(plan_maker *p) { plan_add(p, ceil_div(p->plan->cells, block_threads(p->plan)), 1, 1, 0, 0, 0); }
static uint64_t utm_threads(const wedge_plan *p) { return ceil_div(p->cells, block_threads(p)) * block_threads(p); }

/* hmap: powers of two need no padding, any other m less than 1/128 of a side; too few blocks to be worth .idle. */
static uint64_t hmap_side(uint64_t m) {
    return (uint64_t)wedge_hmap_side((uint32_t)m) << wedge_hmap_levels((uint32_t)m);
}

static void hmap_plan(plan_maker *p) {
    uint64_t m = p->plan->m, side = hmap_side(m);
    plan_add(p, side / 2, side + 1, 1, 0, wedge_hmap_side((uint32_t)m), wedge_hmap_inverse((uint32_t)m));
}
static uint64_t hmap_threads(const wedge_plan *p) { return times(wedge_tri64(hmap_side(p->m)), block_threads(p)); }

/* hmap of rank 3: see map.h. Powers of two have the printed grid, one ninth of it idle; others a launch per level, with
 * none: padding them would leave up to seven blocks of eight idle. */
static bool is_power(uint64_t m) { return m > 1 && !(m & (m - 1)); }

static void hmap3_plan(plan_maker *p) {
    uint64_t m = p->plan->m, n = m + 1;
    if (is_power(m)) plan_add(p, m / 2, m / 2, m / 2 + m / 4, 0, 0, 2);
    for (uint32_t level = 0; n >> level > 1; ++level) {
        uint64_t side = n >> level, b = side / 2;
        if (side & 1) plan_add(p, b, side, UINT64_C(1) << level, 0, level, 1);
        if (!is_power(m)) plan_add(p, b, b, b << level, 0, level, 0);
    }
}
static uint64_t hmap3_threads(const wedge_plan *p) {
    uint64_t m = p->m, grid = times(m / 2 * (m / 2), m / 2 + m / 4);
    return is_power(m) ? times(grid + wedge_tri64(m), block_threads(p)) : tile_threads(p);
}

/* Resident blocks: one launch, never split, since a block's share follows from its number. A run is below 2^32. */
static uint64_t box_tiles(const wedge_plan *p) { return times(times(p->m, p->m), p->rank == 3 ? p->m : 1); }

static void add_runs(plan_maker *p, uint64_t tiles) {
    uint64_t blocks = p->limits.resident, least = ceil_div(tiles, UINT32_MAX);
    if (blocks < least) blocks = least;
    if (blocks > tiles) blocks = tiles;
    if (blocks > p->limits.max_grid[0]) blocks = p->limits.max_grid[0];
    if (blocks < least)
        p->status = WEDGE_BAD_ARGUMENT;
    else
        plan_add(p, blocks, 1, 1, 0, (uint32_t)(tiles / blocks), (uint32_t)(tiles % blocks));
}
static void walk_plan(plan_maker *p) { add_runs(p, tile_count(p->plan)); }
static void bb_resident_plan(plan_maker *p) {
    if (times(box_tiles(p->plan), block_threads(p->plan)) == UINT64_MAX)
        p->status = WEDGE_BAD_ARGUMENT;
    else
        add_runs(p, box_tiles(p->plan));
}

static void rows_plan(plan_maker *p) {
    uint64_t m = p->plan->m, rows = p->plan->rank == 3 ? wedge_tri64(m) : m, blocks = p->limits.resident;
    if (blocks > rows) blocks = rows;
    if (blocks > p->limits.max_grid[0]) blocks = p->limits.max_grid[0];
    plan_add(p, blocks, 1, 1, 0, 0, 0);
}
static uint64_t resident_threads(const wedge_plan *p) { return times(p->blocks, block_threads(p)); }

static uint32_t lut_words(uint32_t m) { return wedge_lut_words(m); }

/* ---- The table ---- */

#define SIDE_32 UINT64_C(4294967294)
#define SIDE_31 UINT64_C(2147483648)
#define CODE(name) .begin = name##_begin, .text = name##_text
#define RESIDENT(name) CODE(name), .next = name##_next, .next_text = name##_next_text, .threads = resident_threads

static const map_row rows[] = {
    {.info = {"bb", 2, WEDGE_BLOCK_SPACE, true, false, SIDE_32, SIDE_32, "m x m", "m^2 rho^2",
              "bounding box: blocks above the diagonal leave"},
     .idle = true,
     .plan = bb_plan,
     .threads = bb_threads,
     CODE(bb)},
    {.info = {"lambda", 2, WEDGE_BLOCK_SPACE, true, true, SIDE_32, SIDE_32, "T(m)", "T(m) rho^2",
              "exact lambda: a float root, corrected by integers"},
     .linear = true,
     .plan = linear_plan,
     .threads = tile_threads,
     CODE(lambda)},
    {.info = {"lambda-x", 2, WEDGE_BLOCK_SPACE, false, false, 4607, 92681, "m' x m', m' = ceil(sqrt(T(m)))",
              "m'^2 rho^2", "the paper's lambda with sqrtf"},
     .idle = true,
     .plan = square_plan,
     .threads = square_threads,
     CODE(lambda_x)},
    {.info = {"lambda-n", 2, WEDGE_BLOCK_SPACE, false, false, 1622, 92681, "m' x m', m' = ceil(sqrt(T(m)))",
              "m'^2 rho^2", "the paper's lambda with a magic number, three Newton steps and 1e-4"},
     .idle = true,
     .plan = square_plan,
     .threads = square_threads,
     CODE(lambda_n)},
    {.info = {"lambda-r", 2, WEDGE_BLOCK_SPACE, false, false, 443, 92681, "m' x m', m' = ceil(sqrt(T(m)))",
              "m'^2 rho^2", "the paper's lambda with x * rsqrtf(x) and 1e-4"},
     .idle = true,
     .plan = square_plan,
     .threads = square_threads,
     CODE(lambda_r)},
    {.info = {"rb", 2, WEDGE_BLOCK_SPACE, true, false, SIDE_31, SIDE_31, "m/2 x (m+1), odd m: (m+1)/2 x m",
              "T(m) rho^2", "rectangular box: half of the triangle turned next to the other half"},
     .plan = rb_plan,
     .threads = tile_threads,
     CODE(rb)},
    {.info = {"rb-thread", 2, WEDGE_THREAD_SPACE, true, false, SIDE_31, SIDE_31,
              "ceil(ceil(n/2)/rho) x ceil(h/rho), h = n+1, odd n: n", "ceil(ceil(n/2)/rho) ceil(h/rho) rho^2",
              "rectangular box of cells, as in the paper"},
     .plan = rb_thread_plan,
     .threads = rb_thread_threads,
     CODE(rb_thread)},
    {.info = {"rec", 2, WEDGE_BLOCK_SPACE, true, false, SIDE_31, SIDE_31,
              "m padded to s 2^k: s x s x 2^k, then one launch per level", "s^2 2^(k-1) (2^k + 1) rho^2",
              "recursive partition: squares of doubling side, one launch per level"},
     .idle = true,
     .plan = rec_plan,
     .threads = rec_threads,
     CODE(rec)},
    {.info = {"utm", 2, WEDGE_THREAD_SPACE, true, false, 92681, 92681, "ceil(N/rho^2), N cells", "ceil(N/rho^2) rho^2",
              "upper-triangular map: each thread its own root"},
     .linear = true,
     .plan = utm_plan,
     .threads = utm_threads,
     CODE(utm)},
    {.info = {"utm-x", 2, WEDGE_THREAD_SPACE, false, false, 4096, 92681, "ceil(N/rho^2), N cells",
              "ceil(N/rho^2) rho^2",
              "the paper's UTM as printed, with sqrtf: exact for 4,097 points without a diagonal"},
     .linear = true,
     .plan = utm_plan,
     .threads = utm_threads,
     CODE(utm_x)},
    {.info = {"hmap", 2, WEDGE_BLOCK_SPACE, true, false, SIDE_31, SIDE_31, "M/2 x (M+1), M = m, or m padded to s 2^k",
              "T(M) rho^2", "H map: bit operations in place of the root"},
     .plan = hmap_plan,
     .threads = hmap_threads,
     CODE(hmap)},
    {.info = {"walk", 2, WEDGE_BLOCK_SPACE, true, true, SIDE_32, SIDE_32, "G resident blocks", "G rho^2",
              "resident blocks, equal runs: one exact lambda, then row by row"},
     .linear = true,
     .plan = walk_plan,
     .tiles = tile_count,
     RESIDENT(walk)},
    {.info = {"bb-resident", 2, WEDGE_BLOCK_SPACE, true, false, SIDE_32, SIDE_32, "G resident blocks", "G rho^2",
              "control: equal runs of the bounding box by resident blocks"},
     .idle = true,
     .linear = true,
     .plan = bb_resident_plan,
     .tiles = box_tiles,
     RESIDENT(bb_resident)},
    {.info = {"rows", 2, WEDGE_BLOCK_SPACE, true, false, SIDE_32, SIDE_32, "G resident blocks", "G rho^2",
              "control: whole rows of tiles dealt out to resident blocks"},
     .linear = true,
     .plan = rows_plan,
     .tiles = tile_count,
     RESIDENT(rows)},
    {.info = {"bb", 3, WEDGE_BLOCK_SPACE, true, false, 4801278, 4801278, "m x m x m", "m^3 rho^3",
              "bounding box: five of six blocks leave"},
     .idle = true,
     .plan = bb_plan,
     .threads = bb_threads,
     CODE(bb3)},
    {.info = {"lambda", 3, WEDGE_BLOCK_SPACE, true, true, 4801278, 4801278, "Te(m)", "Te(m) rho^3",
              "exact lambda: a cubic and a square root, corrected by integers"},
     .linear = true,
     .plan = linear_plan,
     .threads = tile_threads,
     CODE(lambda3)},
    {.info = {"lambda-x", 3, WEDGE_BLOCK_SPACE, false, false, 3, 2951, "m' x m' x m', m' = ceil(cbrt(Te(m)))",
              "m'^3 rho^3", "the paper's printed cubic root"},
     .idle = true,
     .plan = square_plan,
     .threads = square_threads,
     CODE(lambda3_x)},
    {.info =
         {"hmap", 3, WEDGE_BLOCK_SPACE, true, false, 4801278, 4801278,
          "m = 2^p: m/2 x m/2 x 3m/4 and m/2 x (m+1); else b x b x b 2^l for b = (m+1) >> (l+1), l = 0, 1, ..., and "
          "strips",
          "m = 2^p: (3m^3/16 + T(m)) rho^3; else Te(m) rho^3",
          "H map: cubes of halving side, what sticks out of each turned to its top"},
     .idle = true,
     .plan = hmap3_plan,
     .threads = hmap3_threads,
     CODE(hmap3)},
    {.info = {"walk", 3, WEDGE_BLOCK_SPACE, true, true, 4801278, 4801278, "G resident blocks", "G rho^3",
              "resident blocks, equal runs: one exact lambda, then row by row"},
     .linear = true,
     .plan = walk_plan,
     .tiles = tile_count,
     RESIDENT(walk3)},
    {.info = {"bb-resident", 3, WEDGE_BLOCK_SPACE, true, false, 2642245, 2642245, "G resident blocks", "G rho^3",
              "control: equal runs of the bounding box by resident blocks"},
     .idle = true,
     .linear = true,
     .plan = bb_resident_plan,
     .tiles = box_tiles,
     RESIDENT(bb3_resident)},
    {.info = {"rows", 3, WEDGE_BLOCK_SPACE, true, false, 4801278, 4801278, "G resident blocks", "G rho^3",
              "control: rows of tiles along k dealt out to resident blocks, a root per row"},
     .linear = true,
     .plan = rows_plan,
     .tiles = tile_count,
     RESIDENT(rows3)},
    {.info = {"lut", 3, WEDGE_BLOCK_SPACE, true, false, 2952, 2952, "Te(m)", "Te(m) rho^3",
              "a table of layers with a coarse index, at most 8m + 12 bytes, in place of the cubic root"},
     .linear = true,
     .plan = linear_plan,
     .threads = tile_threads,
     .table_words = lut_words,
     CODE(lut)},
};

#define ROWS ((int)(sizeof rows / sizeof *rows))

int wedge_map_count(void) { return ROWS; }
const wedge_map_info *wedge_map_at(int index) { return index >= 0 && index < ROWS ? &rows[index].info : NULL; }

const wedge_map_info *wedge_map_find(const char *name, int rank) {
    for (int r = 0; r < ROWS && name; ++r)
        if (rows[r].info.rank == rank && !strcmp(rows[r].info.name, name)) return &rows[r].info;
    return NULL;
}

const map_row *map_row_of(const wedge_map_info *map) {
    return (const map_row *)(const void *)map; /* its first member */
}

wedge_status map_resolve(note *n, const wedge_map_info **map) {
    const wedge_map_info *given = *map;
    WEDGE_CHECK(given && given->name, n, WEDGE_BAD_ARGUMENT, "no map given");
    *map = wedge_map_find(given->name, given->rank);
    WEDGE_CHECK(*map, n, WEDGE_BAD_ARGUMENT, "no map '%s' of rank %d", given->name, given->rank);
    return WEDGE_OK;
}

wedge_segment map_begin(const wedge_map_info *map, const wedge_launch *launch, uint32_t x, uint32_t y, uint32_t z,
                        const uint32_t *table) {
    return map_row_of(map)->begin(*launch, x, y, z, table);
}

wedge_triple map_tile(const wedge_map_info *map, wedge_segment s) {
    const map_row *row = map_row_of(map);
    bool above = row->next && row->idle && (s.j > s.i || s.k > s.j);
    return wedge_triple_of(above ? WEDGE_NONE : s.i, s.j, s.k);
}

bool map_step(const wedge_map_info *map, const wedge_launch *launch, wedge_segment *s) {
    const map_row *row = map_row_of(map);
    uint32_t *at = map->rank == 3 ? &s->k : &s->j;
    if (!row->next) return false;
    if (++*at == s->end) *s = row->next(*launch, *s);
    return s->end != 0;
}

bool map_is_linear(const wedge_map_info *map) { return map_row_of(map)->linear; }

map_shape plan_shape(const wedge_plan *plan) {
    map_shape shape = {.use64 = plan->tiles > UINT32_MAX, .power = plan->m > 1 && !(plan->m & (plan->m - 1))};
    for (size_t l = 0; l < plan->count; ++l) {
        const wedge_launch *g = wedge_plan_launch(plan, l);
        shape.origin = shape.origin || g->base || g->x0 || g->y0 || g->z0;
    }
    return shape;
}

char *map_device_text(const wedge_map_info *map, map_shape shape) {
    const map_row *row = map_row_of(map);
    return text_format(
        "#define WEDGE_RANK %d\n#define WEDGE_USE64 %d\n#define WEDGE_ORIGIN %d\n#define WEDGE_POWER %d\n"
        "#define WEDGE_THREAD_SPACE %d\n#define WEDGE_LINEAR %d\n#define WEDGE_SEGMENTS %d\n#define WEDGE_IDLE "
        "%d\n#define WEDGE_TILE %s\n"
        "#define WEDGE_NEXT %s\n",
        map->rank, shape.use64, shape.origin, shape.power, map->space == WEDGE_THREAD_SPACE, row->linear,
        row->next != NULL, row->idle, row->text, row->next ? row->next_text : "");
}
