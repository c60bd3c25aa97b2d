/* triples_sides.h: the sides of triplets on devices, and the triplets that lie within a cutoff (PAIRS_LISTED).
 *
 * With a cutoff, points lie along a curve, and each two tiles have one bit: may some of their points be within the
 * cutoff? A triplet of tiles is run if its three bits are set. Further bits say which of its points are within the cutoff.
 *
 * SPDX-License-Identifier: MIT */

#define SUB (PAIRS_ROWS * PAIRS_WARPS) /* points i at a time */
#define SIDE_ROOM (OP_SIDE > 2 ? 4 : OP_SIDE)
#define COORDINATES (PAIRS_D < 3 ? PAIRS_D : 3)

/* Is every triplet of the tile's points to be computed? Those of points i from whole_begin to whole_end are. */
WEDGE_FN int triples_whole(wedge_triple t, pairs_args args) {
    const wedge_u32 i = t.i * PAIRS_TILE;
    return t.i > t.j && t.j > t.k && i >= args.whole_begin && i + PAIRS_TILE <= args.whole_end;
}

typedef struct __attribute__((aligned(SIDE_ROOM * sizeof(number) < 16u ? SIDE_ROOM * sizeof(number) : 16u))) {
    number v[SIDE_ROOM];
} side;

/* Two points as the op gets them. */
WEDGE_FN void two_points(WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 j, op_args q, pairs_args args,
                         number *x, number *y) {
    WEDGE_GLOBAL const quad *a = points + (wedge_u64)clamp_point((int)i, args.points) * DEPTH;
    WEDGE_GLOBAL const quad *b = points + (wedge_u64)clamp_point((int)j, args.points) * DEPTH;
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_D; ++f) {
        const number u = a[f / QUAD].v[f % QUAD], v = b[f / QUAD].v[f % QUAD];
        x[f] = ROWS_NUMBER(u, v, f, q);
        y[f] = COLUMNS_NUMBER(u, v, f, q);
    }
}

WEDGE_FN side side_of(WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 j, op_args q, pairs_args args) {
    number x[PAIRS_D], y[PAIRS_D];
    side s;
    two_points(points, i, j, q, args, x, y);
    op_side(x, y, q, s.v);
    return s;
}

/* 32 lanes read sides of (j, k) at once. Doubles lie number by number, so that lanes do not wait for each other's banks. */
#define JK_SIDES (PAIRS_TILE * LANES)
#if PAIRS_F64
typedef number jk_element;
#define JK_ELEMENTS (OP_SIDE * JK_SIDES)
#else
typedef side jk_element;
#define JK_ELEMENTS JK_SIDES
#endif

/* Sides in shared memory: of (i, k) those of an i side by side, of (j, k) those of a k. With a cutoff: bit c of a word says
 * whether the c-th point k is near. */
typedef struct {
    WEDGE_IN_SHARED side *ik;
    WEDGE_IN_SHARED jk_element *jk;
    WEDGE_IN_SHARED wedge_u32 *ik_bits, *jk_bits;
} shared_sides;

/* Side x of (j, k). */
WEDGE_FN side jk_get(shared_sides shared, wedge_u32 x) {
#if PAIRS_F64
    side s;
#pragma unroll
    for (wedge_u32 f = 0; f < OP_SIDE; ++f) s.v[f] = shared.jk[f * JK_SIDES + x];
    return s;
#else
    return shared.jk[x];
#endif
}

WEDGE_FN void jk_put(shared_sides shared, wedge_u32 x, side s) {
#if PAIRS_F64
#pragma unroll
    for (wedge_u32 f = 0; f < OP_SIDE; ++f) shared.jk[f * JK_SIDES + x] = s.v[f];
#else
    shared.jk[x] = s;
#endif
}

#define POINT_I(r) ((r)*PAIRS_WARPS + wedge_local_id(1)) /* the thread's r-th point i, of SUB */

#if PAIRS_LISTED
/* cut: the square of the cutoff, and up to which bound tiles are run. */
#define CUT_PARAMETERS , WEDGE_GLOBAL const wedge_u32 *reach, WEDGE_GLOBAL const number *cut
#define CUT_ARGUMENTS , reach, cut

/* Is no more than the cutoff between two points? By squares, added up as euclidean does it; `most` is the largest whose root
 * is within. */
WEDGE_FN int within_cutoff(WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 j, number most, op_args q,
                           pairs_args args) {
    number x[PAIRS_D], y[PAIRS_D], sum = 0;
    two_points(points, i, j, q, args, x, y);
#pragma unroll
    for (wedge_u32 f = 0; f < COORDINATES; ++f) sum = wedge_fused(x[f] - y[f], x[f] - y[f], sum);
    return sum <= most;
}

/* Bits [8 part, 8 part + 8) of the points from k on that are near to i. */
WEDGE_FN unsigned char byte_within_cutoff(WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 k, wedge_u32 part,
                                          number most, op_args q, pairs_args args) {
    wedge_u32 bits = 0;
    for (wedge_u32 c = 0; c < 8u; ++c)
        bits |= within_cutoff(points, i, k + 8u * part + c, most, q, args) ? 1u << c : 0u;
    return (unsigned char)bits;
}

WEDGE_FN wedge_u32 reach_words(pairs_args args) { return (args.points + PAIRS_TILE * 32u - 1u) / (PAIRS_TILE * 32u); }

/* A thread has a word of a row of tiles. */
WEDGE_KERNEL WEDGE_BLOCK(LIST_BLOCK, 1,
                         1) void triples_reach(WEDGE_GLOBAL const number *boxes, WEDGE_GLOBAL const number *cut,
                                               WEDGE_GLOBAL wedge_u32 *reach, pairs_args args, op_values parameters) {
    const wedge_u32 words = reach_words(args), tiles = (args.points + PAIRS_TILE - 1u) / PAIRS_TILE;
    const wedge_u32 x = wedge_group_id(0) * LIST_BLOCK + wedge_local_id(0), row = x / words, first = x % words * 32u;
    const op_args q = args_of(args, parameters);
    wedge_u32 bits = 0;
    if (row < tiles) {
        for (wedge_u32 c = 0; c < 32u && first + c < tiles; ++c)
            bits |=
                is_in_reach(box_at(boxes, row, args), box_at(boxes, first + c, args), cut[1], q, args) ? 1u << c : 0u;
        reach[x] = bits;
    }
}

WEDGE_FN int tiles_within_cutoff(WEDGE_GLOBAL const wedge_u32 *reach, wedge_u32 i, wedge_u32 j, pairs_args args) {
    return reach[i * reach_words(args) + j / 32u] >> j % 32u & 1u;
}

/* The 32 tiles from 32 w on that are in reach of both. */
WEDGE_FN wedge_u32 tiles_within_both(WEDGE_GLOBAL const wedge_u32 *reach, wedge_u32 i, wedge_u32 j, wedge_u32 w,
                                     pairs_args args) {
    return reach[i * reach_words(args) + w] & reach[j * reach_words(args) + w];
}

WEDGE_FN wedge_u32 lowest_bit(wedge_u32 bits) { return wedge_ones((bits & (0u - bits)) - 1u); }
#else
#define CUT_PARAMETERS
#define CUT_ARGUMENTS
#endif

/* The sides of points [i, i + SUB) and [j, j + 32) with the 32 from k on, into shared memory, and their bits; all threads of
 * the block come here. */
WEDGE_FN void load_sides(shared_sides shared, WEDGE_GLOBAL const quad *points, wedge_u32 i, wedge_u32 j, wedge_u32 k,
                         int loads_jk, op_args q, pairs_args args CUT_PARAMETERS) {
    wedge_barrier(); /* the sides before have been read */
    if (loads_jk)
        for (wedge_u32 x = THREAD; x < PAIRS_TILE * LANES; x += THREADS)
            jk_put(shared, x, side_of(points, j + x % LANES, k + x / LANES, q, args));
    for (wedge_u32 x = THREAD; x < SUB * LEAF; x += THREADS)
        shared.ik[x] = side_of(points, i + x / LEAF, k + x % LEAF, q, args);
#if PAIRS_LISTED
    for (wedge_u32 x = THREAD; x < 4u * (SUB + LANES); x += THREADS)
        if (x < 4u * SUB)
            ((WEDGE_IN_SHARED unsigned char *)shared.ik_bits)[x] =
                byte_within_cutoff(points, i + x / 4u, k, x % 4u, cut[0], q, args);
        else if (loads_jk)
            ((WEDGE_IN_SHARED unsigned char *)shared.jk_bits)[x - 4u * SUB] =
                byte_within_cutoff(points, j + x / 4u - SUB, k, x % 4u, cut[0], q, args);
#endif
    wedge_barrier();
}
