/* kernels/pairs.h: pairs of points on devices: what all skeletons and sinks share. The texts of a kernel are, in order: the
 * op, this, the domain's rows, the sink, a skeleton.
 *
 * Cells are numbered in the order of the domain's rows (of packed order, or of the rows of a square). Condensed order is
 * packed order read backwards over reversed points: there position p is cell N - 1 - p.
 *
 * The engine defines number, PAIRS_F64, PAIRS_TILE, PAIRS_LINES, PAIRS_WARPS, PAIRS_ROWS, PAIRS_PER_STORE (numbers per store),
 * PAIRS_RESIDENT (blocks that should fit a multiprocessor), PAIRS_LISTED (tiles come from a list), PAIRS_D, the number of features where they are few, else 0,
 * PAIRS_CUT (they are more than a part has), and
 * the domain's DOMAIN_FULL_ROWS, DOMAIN_BACKWARDS and DOMAIN_STRICT.
 *
 * SPDX-License-Identifier: MIT */

/* ---- Words of the engine's own ---- */

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
#define WEDGE_IN_SHARED __local /* of pointers into shared memory */
#define wedge_shared_increment(p) atomic_inc((volatile __local uint *)(p))
#define wedge_double_bits(x) as_ulong(x)
#define wedge_bits_double(u) as_double((ulong)(u))
#define wedge_ones(u) popcount(u)
#else
#define WEDGE_IN_SHARED
#define wedge_shared_increment(p) atomicAdd(p, 1u)
#define wedge_double_bits(x) ((wedge_u64)__double_as_longlong(x))
#define wedge_bits_double(u) __longlong_as_double((long long)(u))
#define wedge_ones(u) ((wedge_u32)__popc(u))
#endif
#if PAIRS_F64
#define wedge_number_bits(x) wedge_double_bits(x)
#define wedge_bits_number(u) wedge_bits_double(u)
#else
#define wedge_number_bits(x) wedge_float_bits(x)
#define wedge_bits_number(u) wedge_bits_float((wedge_u32)(u))
#endif
#if defined(__CUDA_ARCH__) && !PAIRS_F64
WEDGE_FN float wedge_log2_approx(float x) {
    float l;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(l) : "f"(x));
    return l;
}
#else
#define wedge_log2_approx(x) log2(x)
#endif
#define wedge_infinity() ((number)wedge_bits_float(0x7f800000u))

/* Points of triplets have up to three coordinates, and then numbers that are none. */
#ifdef OP_SIDE
#undef OP_BOUND
#define OP_BOUND(f, d) ((f) < 3 ? WEDGE_GAP : WEDGE_LEAST)
#endif

/* ---- Kernel arguments ---- */

#define THREADS (LANES * PAIRS_WARPS)
#define QUAD ((wedge_u32)(16u / sizeof(number)))
#define COLS (PAIRS_TILE / LANES)

typedef struct __attribute__((aligned(16))) {
    number v[16u / sizeof(number)];
} quad;

WEDGE_FN op_args args_of(pairs_args args, op_values parameters) {
    const number *value = parameters.v;
    op_args q;
    q.d = (number)args.features;
    q.numbers = PAIRS_D ? PAIRS_D : (int)args.features;
    OP_FIELDS(OP_FIELD_TAKE)
#if PAIRS_PERIODIC
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_IMAGES; ++f)
        q.image_lengths[f] = parameters.image_lengths[f], q.image_inverses[f] = parameters.image_inverses[f];
#endif
    return q;
}

/* Number f of two points as the op gets them: in a periodic box, the difference that is left of the nearest multiple of the
 * length, and 0. Sums and products alone: the same on every device. */
#if PAIRS_PERIODIC
#define ROUND_MAGIC ((number)(PAIRS_F64 ? 0x1.8p52 : 0x1.8p23f)) /* a number plus it, less it, is the nearest integer */
#define IS_PERIODIC(f, q) (OP_BOUND(f, PAIRS_IMAGES) == WEDGE_GAP && (q).image_inverses[f] > 0)
WEDGE_FN number image_delta(number a, number b, wedge_u32 f, op_args q) {
    const number t = a - b;
    return t - q.image_lengths[f] * (t * q.image_inverses[f] + ROUND_MAGIC - ROUND_MAGIC);
}
#define ROWS_NUMBER(a, b, f, q) (IS_PERIODIC(f, q) ? image_delta(a, b, f, q) : (a))
#define COLUMNS_NUMBER(a, b, f, q) (IS_PERIODIC(f, q) ? (number)0 : (b))
#else
#define ROWS_NUMBER(a, b, f, q) (a)
#define COLUMNS_NUMBER(a, b, f, q) (b)
#endif
#if PAIRS_PERIODIC
WRAP(wrapped, number)
#define BOX_PARAMETER , op_values parameters
#define WRAPPED(x, f) wrapped(x, parameters.image_lengths[f])
#else
#define BOX_PARAMETER
#define WRAPPED(x, f) (x)
#endif
#define STEP_PERIODIC(s, a, b, f, q) op_step(s, ROWS_NUMBER(a, b, f, q), COLUMNS_NUMBER(a, b, f, q), q)

/* ---- Cells ---- */

#ifndef OP_VALUES
#define OP_VALUES 1
#elif OP_VALUES > 1
#undef OP_QUICK_FROM /* these are of one value */
#undef OP_KEY
#undef OP_APPROX
#endif

#ifdef OP_DIRECT /* its values, where a fold has a state */
typedef struct {
    number v[OP_VALUES];
} op_state;
WEDGE_FN number first_value(op_state s, op_args q) { return s.v[0]; }
WEDGE_FN void all_values(op_state s, op_args q, number *v) {
#pragma unroll
    for (wedge_u32 w = 0; w < OP_VALUES; ++w) v[w] = s.v[w];
}
#else
WEDGE_FN op_state begin_state(void) {
    op_state s = {0};
    return s;
}
#ifdef OP_SUMS
WEDGE_JOIN_SUMS
#endif
#if PAIRS_CUT && (defined(OP_SUMS) || defined(OP_JOINS))
#define IS_CUT 1
/* The features done so far: do they end a part, and a group? The last ones end both. */
#define ENDS_PART(done, features) ((done) % WEDGE_PART == 0u || (done) == (features))
#define ENDS_GROUP(done, features) ((done) % WEDGE_GROUP == 0u || (done) == (features))
#endif
#if OP_VALUES > 1
WEDGE_FN void all_values(op_state s, op_args q, number *v) { op_finish(s, q, v); }
WEDGE_FN number first_value(op_state s, op_args q) {
    number v[OP_VALUES];
    op_finish(s, q, v);
    return v[0];
}
#else
WEDGE_FN void all_values(op_state s, op_args q, number *v) { v[0] = op_finish(s, q); }
WEDGE_FN number first_value(op_state s, op_args q) { return op_finish(s, q); }
#endif
#endif

#ifndef IS_CUT
#define IS_CUT 0
#endif

#if PAIRS_D
#define DEPTH ((PAIRS_D + QUAD - 1u) / QUAD) /* quads of a point */
#endif

#if PAIRS_D && !defined(OP_SIDE)
/* The cell of two points of few features. */
WEDGE_FN op_state cell_state(const quad *a, const quad *b, op_args q) {
#ifdef OP_DIRECT
    number x[PAIRS_D], y[PAIRS_D];
    op_state s;
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_D; ++f) {
        x[f] = ROWS_NUMBER(a[f / QUAD].v[f % QUAD], b[f / QUAD].v[f % QUAD], f, q);
        y[f] = COLUMNS_NUMBER(a[f / QUAD].v[f % QUAD], b[f / QUAD].v[f % QUAD], f, q);
    }
#if OP_VALUES > 1
    op_pair(x, y, q, s.v);
#else
    s.v[0] = op_pair(x, y, q);
#endif
#else
    op_state s = begin_state();
#pragma unroll
    for (wedge_u32 f = 0; f < PAIRS_D; ++f)
        s = STEP_PERIODIC(s, a[f / QUAD].v[f % QUAD], b[f / QUAD].v[f % QUAD], f, q);
#endif
    return s;
}
#endif

WEDGE_FN wedge_u32 clamp_point(int x, wedge_u32 points) {
    return x < 0 ? 0u : x < (int)points ? (wedge_u32)x : points - 1u;
}

/* Columns: those of a lane, the u-th of COLS. */
#define COLUMN_OF(u) (((u) / PAIRS_PER_STORE * LANES + wedge_local_id(0)) * PAIRS_PER_STORE + (u) % PAIRS_PER_STORE)

/* Points: of few features they lie in PAIRS_PER_STORE planes, point x in plane x mod PAIRS_PER_STORE, so that the columns which 32
 * lanes want at once lie side by side; with PAIRS_LINES points before the first and enough after the last that every tile
 * is whole. */
#if PAIRS_D && PAIRS_LINES
#define POINT_NUMBER(x) ((wedge_u32)(x) + PAIRS_LINES)
#define POINT(x, plane) \
    (POINT_NUMBER(x) % PAIRS_PER_STORE * (plane) + POINT_NUMBER(x) / PAIRS_PER_STORE) /* of x >= -PAIRS_LINES */
#else
#define POINT(x, plane) (x)
#endif

/* The two sets, or one twice. */
typedef struct {
    WEDGE_GLOBAL const quad *columns, *rows;
    wedge_u32 step; /* of every `step` columns one; of pairs_many.h */
} point_sets;

WEDGE_FN point_sets sets_of(WEDGE_GLOBAL const quad *columns, WEDGE_GLOBAL const quad *rows) {
    point_sets s;
    s.columns = columns;
    s.rows = rows;
    s.step = 1u;
    return s;
}

#if !defined(OP_SIDE) && !PAIRS_D
/* The state of features [first, end) of two points, from zeros. first: a multiple of QUAD. */
WEDGE_FN op_state fold_features(WEDGE_GLOBAL const quad *a, WEDGE_GLOBAL const quad *b, wedge_u32 first, wedge_u32 end,
                                op_args q) {
    op_state s = begin_state();
    wedge_u32 f = first;
#ifndef OP_HEAVY
#pragma unroll 2
    for (; f + QUAD <= end; f += QUAD) {
        const quad x = a[f / QUAD], y = b[f / QUAD];
#pragma unroll
        for (wedge_u32 k = 0; k < QUAD; ++k) s = STEP_PERIODIC(s, x.v[k], y.v[k], f + k, q);
    }
#endif
#pragma unroll 1
    for (; f < end; ++f) s = STEP_PERIODIC(s, a[f / QUAD].v[f % QUAD], b[f / QUAD].v[f % QUAD], f, q);
    return s;
}

#if IS_CUT
WEDGE_FN op_state fold_in_parts(WEDGE_GLOBAL const quad *a, WEDGE_GLOBAL const quad *b, wedge_u32 features, op_args q) {
    op_state all = begin_state(), group = begin_state();
#pragma unroll 1
    for (wedge_u32 first = 0, end; first < features; first = end) {
        end = features - first < WEDGE_PART ? features : first + WEDGE_PART;
        group = op_join(group, fold_features(a, b, first, end, q));
        if (!ENDS_GROUP(end, features)) continue;
        all = op_join(all, group);
        group = begin_state();
    }
    return all;
}
#endif
#endif

#ifndef OP_SIDE
/* The values of the cell of two points, by one thread: where a skeleton is not worth it. */
WEDGE_FN void cell_values(WEDGE_GLOBAL const quad *a, WEDGE_GLOBAL const quad *b, wedge_u32 features, op_args q,
                          number *v) {
#if PAIRS_D
    quad x[DEPTH], y[DEPTH];
#pragma unroll
    for (wedge_u32 k = 0; k < DEPTH; ++k) {
        x[k] = a[k];
        y[k] = b[k];
    }
    const op_state s = cell_state(x, y, q);
#else
#if IS_CUT
    const op_state s = fold_in_parts(a, b, features, q);
#else
    const op_state s = fold_features(a, b, 0u, features, q);
#endif
#endif
    all_values(s, q, v);
}
#endif

/* Points as the skeletons want them: rows of quads, the last one padded, prepared, and reversed for the mirror. As given
 * they begin at number `start` of `in`, and rows are `stride` numbers apart. `first` is 0, or as far before it as there
 * are padding points. order: where tiles are left out, the numbers of the points along the curve. In a periodic box, points far
 * outside are wrapped (wrap.h). */
WEDGE_KERNEL void wedge_prepare(WEDGE_GLOBAL const number *in, wedge_u64 start, wedge_u64 stride,
                                WEDGE_GLOBAL number *out, int first, pairs_args args, wedge_u32 all,
                                WEDGE_GLOBAL const wedge_u32 *order BOX_PARAMETER) {
    const wedge_u32 k = wedge_group_id(0) * wedge_local_size(0) + wedge_local_id(0), x = (wedge_u32)first + k;
    if (k < all) {
        WEDGE_GLOBAL number *row = out + (wedge_u64)POINT(x, args.plane) * args.quads * QUAD;
        const wedge_u32 features = x < args.points ? args.features : 0u;
        const wedge_u32 number_of = DOMAIN_BACKWARDS ? args.points - 1u - x : x;
        const wedge_u64 from = start + (PAIRS_LISTED && features ? order[number_of] : number_of) * stride;
        for (wedge_u32 f = 0; f < args.quads * QUAD; ++f) row[f] = f < features ? WRAPPED(in[from + f], f) : (number)0;
#ifdef OP_PREPARES
        if (features) op_prepare(row, features);
#endif
    }
}
