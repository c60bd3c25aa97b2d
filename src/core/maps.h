/* maps.h: the table of maps as the rest of wedge sees it.
 *
 * A row joins what wedge.h tells users (wedge_map_info) with the map's one expression, compiled for the host and kept
 * as text for devices.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_CORE_MAPS_H
#define WEDGE_CORE_MAPS_H

#include "core/note.h"
#include "wedge/map.h"
#include "wedge/wedge.h"

/* How many pieces of b it takes to cover a. */
static inline uint64_t ceil_div(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* A domain that can be; and the side of the full domain that a strict one is, moved (rank.c). */
wedge_status domain_check(note *n, const wedge_domain *d);
uint64_t domain_full_side(const wedge_domain *d);
uint64_t domain_cells(const wedge_domain *d); /* of one that can be */

/* The tiles of block (x, y, z) of a launch as device code computes them; for maps in thread space the cell of thread
 * (x, y), x alone where the grid is linear. table: lut's, else NULL.
 *
 *     wedge_segment s = map_begin(map, launch, x, y, z, table);
 *     do { wedge_triple t = map_tile(map, s); ... } while (map_step(map, launch, &s));
 *
 * map_tile is the tile where a segment stands; i >= m: none. map_step goes on by one tile, into the next segment where
 * this one ends; false: the block has no more. */
wedge_segment map_begin(const wedge_map_info *map, const wedge_launch *launch, uint32_t x, uint32_t y, uint32_t z,
                        const uint32_t *table);
wedge_triple map_tile(const wedge_map_info *map, wedge_segment s);
bool map_step(const wedge_map_info *map, const wedge_launch *launch, wedge_segment *s);

/* What a kernel may count on, so that it pays for no more: general kernels have origin set and power clear. */
typedef struct {
    bool use64;  /* more than 2^32 tiles: 64-bit w */
    bool origin; /* a launch may begin elsewhere than at block 0 of the grid */
    bool power;  /* m is a power of two, 2 or more */
} map_shape;

map_shape plan_shape(const wedge_plan *plan);

/* The lines that tell device source which map it runs: WEDGE_TILE and what launch.h asks for. Free the result. NULL: no
 * memory. */
char *map_device_text(const wedge_map_info *map, map_shape shape);

bool map_is_linear(const wedge_map_info *map);

/* What a map's plan function fills: rectangular grids of blocks, split to the device's limits as they are added. */
typedef struct {
    wedge_plan *plan;
    wedge_limits limits;
    size_t capacity;
    wedge_status status;
} plan_maker;

enum { MOST_LAUNCHES = 65536 };

/* Adds a grid of x * y * z blocks (one-dimensional maps: x blocks from w = base on). */
void plan_add(plan_maker *p, uint64_t x, uint64_t y, uint64_t z, uint64_t base, uint32_t a, uint32_t b);

typedef struct {
    wedge_map_info info;
    bool idle;                                /* many blocks, or tiles of a segment, are none: test before working */
    bool linear;                              /* one-dimensional grid */
    void (*plan)(plan_maker *p);              /* adds its launches */
    uint64_t (*threads)(const wedge_plan *p); /* threads launched, its formula; UINT64_MAX where it overflows */
    wedge_segment (*begin)(wedge_launch g, uint32_t x, uint32_t y, uint32_t z, const uint32_t *table);
    const char *text; /* the expression that begin compiles */
    /* Resident blocks, which take segments of tiles; NULL: one tile per block. */
    wedge_segment (*next)(wedge_launch g, wedge_segment s);
    const char *next_text;
    uint64_t (*tiles)(const wedge_plan *p); /* that all blocks take, or find to be none */
    uint32_t (*table_words)(uint32_t m);
} map_row;

/* Of a row's own info, not of a copy. */
const map_row *map_row_of(const wedge_map_info *map);

/* What a caller gave, a row's info or a copy of one, becomes the row's: found by name and rank. */
wedge_status map_resolve(note *n, const wedge_map_info **map);

/* wedge_plan_make without looking the map up: also for rows outside of the table. */
wedge_status plan_make(note *n, const wedge_map_info *map, const wedge_domain *domain, uint32_t rho,
                       const wedge_limits *limits, wedge_plan *plan);

#endif
