/* break.h: each exact function of map.h with its answer shifted by one at one argument, as device patches and natively.
 *
 * A BREAK makes, for one function, a wrapper under another name and, for devices, the #define that puts the wrapper
 * in its place. Natively all wrappers are there at once and `broken` says which one misbehaves.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEDGE_TESTS_BREAK_H
#define WEDGE_TESTS_BREAK_H

#include "wedge/map.h"

static int broken = -1;

/* Each goes wrong at one place that its pass over 200 rows tries. The 64-bit unranks do so at WRONG_AT, in turn the
 * samples of row (layer) 190: first, middle (in rank 3 on both sides of a row's end) and last. */
static wedge_u64 wrong_at;
#define WRONG_AT wrong_at

enum { PLACES = 4 };
static const unsigned wrong_places[2][PLACES] = {{18145, 18145 + 95, 18145 + 190, 18145 + 190},
                                                 {1161280, 1161280 + 4559, 1161280 + 4560, 1161280 + 18335}};

#define BREAKS_LIST(B, R2, R3)                                                                                         \
    B(0, 2, 32, 0, wedge_tri_unrank32, wedge_pair, (wedge_u32 w), (w), p.j += w == 77u)                                \
    R2(1, 2, 32, 1, wedge_tri_rank32, wedge_u32, i == 11u)                                                             \
    B(2, 2, 32, 2, wedge_tri_strict_unrank32, wedge_pair, (wedge_u32 w), (w), p.i -= w == 77u)                         \
    R2(3, 2, 32, 3, wedge_tri_strict_rank32, wedge_u32, i == 11u)                                                      \
    B(4, 2, 32, 4, wedge_condensed_unrank32, wedge_pair, (wedge_u32 n, wedge_u32 w), (n, w), p.j -= w == 77u)          \
    B(5, 2, 32, 5, wedge_condensed_rank32, wedge_u32, (wedge_u32 n, wedge_u32 i, wedge_u32 j), (n, i, j),              \
      p += i == 11u)                                                                                                   \
    B(6, 2, 64, 0, wedge_tri_unrank64, wedge_pair64, (wedge_u64 w), (w), p.i += w == WRONG_AT)                         \
    R2(7, 2, 64, 1, wedge_tri_rank64, wedge_u64, i == 11u)                                                             \
    B(8, 2, 64, 2, wedge_tri_strict_unrank64, wedge_pair64, (wedge_u64 w), (w), p.j += w == WRONG_AT)                  \
    R2(9, 2, 64, 3, wedge_tri_strict_rank64, wedge_u64, i == 11u)                                                      \
    B(10, 2, 64, 4, wedge_condensed_unrank64, wedge_pair64, (wedge_u64 n, wedge_u64 w), (n, w), p.j -= w == 0u)        \
    B(11, 2, 64, 5, wedge_condensed_rank64, wedge_u64, (wedge_u64 n, wedge_u64 i, wedge_u64 j), (n, i, j),             \
      p += i == 11u)                                                                                                   \
    B(12, 3, 32, 0, wedge_tet_unrank32, wedge_triple, (wedge_u32 w), (w), p.k += w == 77u)                             \
    R3(13, 3, 32, 1, wedge_tet_rank32, wedge_u32, i == 11u)                                                            \
    B(14, 3, 32, 2, wedge_tet_strict_unrank32, wedge_triple, (wedge_u32 w), (w), p.j += w == 77u)                      \
    R3(15, 3, 32, 3, wedge_tet_strict_rank32, wedge_u32, i == 11u)                                                     \
    B(16, 3, 64, 0, wedge_tet_unrank64, wedge_triple64, (wedge_u64 w), (w), p.i += w == WRONG_AT)                      \
    R3(17, 3, 64, 1, wedge_tet_rank64, wedge_u64, i == 11u)                                                            \
    B(18, 3, 64, 2, wedge_tet_strict_unrank64, wedge_triple64, (wedge_u64 w), (w), p.k += w == WRONG_AT)               \
    R3(19, 3, 64, 3, wedge_tet_strict_rank64, wedge_u64, i == 11u)                                                     \
    B(20, 3, 0, 0, wedge_hmap3_tile, wedge_triple, (wedge_u32 m, wedge_u32 x, wedge_u32 y, wedge_u32 z), (m, x, y, z), \
      p.k += m == 32u && x == 5u && y == 2u && z == 17u)                                                               \
    B(21, 3, 0, 1, wedge_hmap3_cube, wedge_triple, (wedge_u32 m, wedge_u32 l, wedge_u32 x, wedge_u32 y, wedge_u32 z),  \
      (m, l, x, y, z), p.j += m == 21u && l == 1u && x == 3u)                                                          \
    B(22, 3, 0, 2, wedge_hmap3_strip, wedge_triple, (wedge_u32 m, wedge_u32 l, wedge_u32 x, wedge_u32 y, wedge_u32 z), \
      (m, l, x, y, z), p.i += m == 20u && l == 0u && y == 4u)

/* Device patches. */
#define PATCH(at, rank, width, bit, name, type, params, args, harm)                           \
    {#name, rank, width, bit,                                                                 \
     "WEDGE_FN " #type " broken_function " #params " { " #type " p = " #name #args "; " #harm \
     "; return p; }\n#define " #name " broken_function\n"},
#define PATCH2(at, rank, width, bit, name, type, where) \
    PATCH(at, rank, width, bit, name, type, (type i, type j), (i, j), p += where)
#define PATCH3(at, rank, width, bit, name, type, where) \
    PATCH(at, rank, width, bit, name, type, (type i, type j, type k), (i, j, k), p += where)

static const struct {
    const char *function;
    int rank, width, bit;
    const char *patch;
} breaks[] = {BREAKS_LIST(PATCH, PATCH2, PATCH3)};

enum { BREAKS = sizeof breaks / sizeof *breaks };

/* Native wrappers. */
#define WRAP(at, rank, width, bit, name, type, params, args, harm) \
    static inline type broken_##name params {                      \
        type p = name args;                                        \
        if (broken == at) harm;                                    \
        return p;                                                  \
    }
#define WRAP2(at, rank, width, bit, name, type, where) \
    WRAP(at, rank, width, bit, name, type, (type i, type j), (i, j), p += where)
#define WRAP3(at, rank, width, bit, name, type, where) \
    WRAP(at, rank, width, bit, name, type, (type i, type j, type k), (i, j, k), p += where)

BREAKS_LIST(WRAP, WRAP2, WRAP3)

#define wedge_tri_unrank32 broken_wedge_tri_unrank32
#define wedge_tri_rank32 broken_wedge_tri_rank32
#define wedge_tri_strict_unrank32 broken_wedge_tri_strict_unrank32
#define wedge_tri_strict_rank32 broken_wedge_tri_strict_rank32
#define wedge_condensed_unrank32 broken_wedge_condensed_unrank32
#define wedge_condensed_rank32 broken_wedge_condensed_rank32
#define wedge_tri_unrank64 broken_wedge_tri_unrank64
#define wedge_tri_rank64 broken_wedge_tri_rank64
#define wedge_tri_strict_unrank64 broken_wedge_tri_strict_unrank64
#define wedge_tri_strict_rank64 broken_wedge_tri_strict_rank64
#define wedge_condensed_unrank64 broken_wedge_condensed_unrank64
#define wedge_condensed_rank64 broken_wedge_condensed_rank64
#define wedge_tet_unrank32 broken_wedge_tet_unrank32
#define wedge_tet_rank32 broken_wedge_tet_rank32
#define wedge_tet_strict_unrank32 broken_wedge_tet_strict_unrank32
#define wedge_tet_strict_rank32 broken_wedge_tet_strict_rank32
#define wedge_tet_unrank64 broken_wedge_tet_unrank64
#define wedge_tet_rank64 broken_wedge_tet_rank64
#define wedge_tet_strict_unrank64 broken_wedge_tet_strict_unrank64
#define wedge_tet_strict_rank64 broken_wedge_tet_strict_rank64

#define wedge_hmap3_tile broken_wedge_hmap3_tile
#define wedge_hmap3_cube broken_wedge_hmap3_cube
#define wedge_hmap3_strip broken_wedge_hmap3_strip

#define CERTIFY_NAME certify_native_broken
#include "engine/certify/native.c"

#endif
