/* kernels/order.h: points in the order of the curve (curve.h), on devices: extents, keys, and a radix sort that is stable.
 *
 * A pass of the sort takes eight bits of the key. Each block counts the digits of its chunk (order_tally); the counts, all
 * blocks' of digit 0 first, then of digit 1, become the positions where they begin (scan.h); then each block sorts
 * its chunk by the digit in shared memory and writes it out (order_scatter): equal digits lie side by side there and where
 * they go, so neighbouring threads write to neighbouring addresses.
 *
 * A long run of equal keys is sorted again, by cells of its own (prune/order.h): order_runs lists them, order_put writes the
 * points of one back to its place.
 *
 * The engine defines number and ORDER_PERIODIC.
 *
 * SPDX-License-Identifier: MIT */

#define ORDER_CHUNK SCAN_CHUNK
#define ORDER_DIGITS 256u
#define ORDER_SLOT_BITS 11u /* of ORDER_CHUNK - 1 */

/* The least coordinate of each dimension, and the one scale of all. */
typedef struct {
    number lo[CURVE_DIMS];
    number scale;
} curve_frame;

CURVE_CELL(curve_cell, number)

/* In a periodic box the order is that of wrapped points (wrap.h). */
#if ORDER_PERIODIC
typedef struct {
    number length[CURVE_DIMS];
} curve_period;
WRAP(wrapped, number)
#define ORDER_PERIOD , curve_period period
#define ORDER_NUMBER(x, f) wrapped(x, period.length[f])
#else
#define ORDER_PERIOD
#define ORDER_NUMBER(x, f) (x)
#endif

/* The number of point k of those to sort, and its first coordinate. */
WEDGE_FN wedge_u32 order_point(order_args args, WEDGE_GLOBAL const wedge_u32 *order, wedge_u32 k) {
    return args.whole ? k : order[args.first + k];
}

#define ORDER_ROW(x) (raw + args.start + (x)*args.stride)

/* ---- Extents ---- */

/* found[2 f] is the least coordinate f that the block has seen, found[2 f + 1] the largest: inf and -inf where none is
 * finite. A thread folds one of them at the end. */
WEDGE_KERNEL WEDGE_BLOCK(EXTENT_BLOCK, 1, 1) void order_extent(WEDGE_GLOBAL const number *raw, order_args args,
                                                               WEDGE_GLOBAL const wedge_u32 *order,
                                                               WEDGE_GLOBAL number *found ORDER_PERIOD) {
    WEDGE_SHARED number seen[2u * CURVE_DIMS * EXTENT_BLOCK];
    const wedge_u32 t = wedge_local_id(0), threads = wedge_group_count(0) * EXTENT_BLOCK;
    number lo[CURVE_DIMS], hi[CURVE_DIMS];
    CURVE_UNROLL
    for (wedge_u32 f = 0; f < CURVE_DIMS; ++f)
        lo[f] = (number)wedge_bits_float(0x7f800000u), hi[f] = (number)wedge_bits_float(0xff800000u);
    for (wedge_u32 k = wedge_group_id(0) * EXTENT_BLOCK + t; k < args.n; k += threads) {
        WEDGE_GLOBAL const number *point = ORDER_ROW(order_point(args, order, k));
        CURVE_UNROLL
        for (wedge_u32 f = 0; f < CURVE_DIMS; ++f)
            if (f < args.dims) {
                const number v = ORDER_NUMBER(point[f], f);
                const int finite = v - v == (number)0;
                if (finite && v < lo[f]) lo[f] = v;
                if (finite && v > hi[f]) hi[f] = v;
            }
    }
    CURVE_UNROLL
    for (wedge_u32 f = 0; f < CURVE_DIMS; ++f) {
        seen[2u * f * EXTENT_BLOCK + t] = lo[f];
        seen[(2u * f + 1u) * EXTENT_BLOCK + t] = hi[f];
    }
    wedge_barrier();
    if (t < 2u * CURVE_DIMS) {
        number most = seen[t * EXTENT_BLOCK + t];
        for (wedge_u32 k = 1; k < EXTENT_BLOCK; ++k) { /* each from another bank */
            const number v = seen[t * EXTENT_BLOCK + (t + k) % EXTENT_BLOCK];
            if (t % 2u ? v > most : v < most) most = v;
        }
        found[wedge_group_id(0) * 2u * CURVE_DIMS + t] = most;
    }
}

/* ---- Keys ---- */

WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void order_keys(WEDGE_GLOBAL const number *raw, order_args args,
                                                           WEDGE_GLOBAL const wedge_u32 *order, curve_frame frame,
                                                           WEDGE_GLOBAL wedge_u64 *keys,
                                                           WEDGE_GLOBAL wedge_u32 *indices ORDER_PERIOD) {
    const wedge_u32 k = wedge_group_id(0) * SCAN_BLOCK + wedge_local_id(0), bits = curve_bits(args.dims);
    if (k < args.n) {
        const wedge_u32 point = order_point(args, order, k);
        wedge_u32 x[CURVE_DIMS], high, low;
        CURVE_UNROLL
        for (wedge_u32 f = 0; f < CURVE_DIMS; ++f)
            x[f] =
                f < args.dims ? curve_cell(ORDER_NUMBER(ORDER_ROW(point)[f], f), frame.lo[f], frame.scale, bits) : 0u;
        curve_key(x, args.dims, bits, &high, &low);
        keys[k] = (wedge_u64)high << 32 | low;
        indices[k] = point;
    }
}

/* ---- Long runs of equal keys ---- */

/* runs[0] counts the runs of at least `least` keys; runs[1 + 2 r] is where run r begins, runs[2 + 2 r] its length, in any
 * order. runs[0] is 0 at first. */
WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void order_runs(WEDGE_GLOBAL const wedge_u64 *keys, wedge_u32 n,
                                                           wedge_u32 least, WEDGE_GLOBAL wedge_u32 *runs) {
    const wedge_u32 k = wedge_group_id(0) * SCAN_BLOCK + wedge_local_id(0);
    if (k < n && n - k >= least && keys[k + least - 1u] == keys[k] && (k == 0u || keys[k - 1u] != keys[k])) {
        wedge_u32 last = k + least - 1u, end = n; /* keys[last] is of the run, what lies from end on is not */
        while (end - last > 1u) {
            const wedge_u32 middle = last + (end - last) / 2u;
            if (keys[middle] == keys[k])
                last = middle;
            else
                end = middle;
        }
        const wedge_u32 r = wedge_atomic_add(runs, 1u);
        runs[1u + 2u * r] = k;
        runs[2u + 2u * r] = end - k;
    }
}

WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void order_put(WEDGE_GLOBAL const wedge_u32 *sorted, order_args args,
                                                          WEDGE_GLOBAL wedge_u32 *order) {
    const wedge_u32 k = wedge_group_id(0) * SCAN_BLOCK + wedge_local_id(0);
    if (k < args.n) order[args.first + k] = sorted[k];
}

/* ---- A pass of the sort ---- */

WEDGE_FN wedge_u32 order_digit(wedge_u64 key, wedge_u32 shift) { return (wedge_u32)(key >> shift) & 255u; }

WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 1) void order_tally(WEDGE_GLOBAL const wedge_u64 *keys, wedge_u32 n,
                                                            wedge_u32 shift, WEDGE_GLOBAL wedge_u32 *counts) {
    WEDGE_SHARED wedge_u32 mine[ORDER_DIGITS];
    const wedge_u32 t = wedge_local_id(0), chunk = wedge_group_id(0);
    mine[t] = 0;
    wedge_barrier();
    for (wedge_u32 e = 0; e < SCAN_EACH; ++e) {
        const wedge_u32 k = chunk * ORDER_CHUNK + e * SCAN_BLOCK + t;
        if (k < n) wedge_shared_increment(&mine[order_digit(keys[k], shift)]);
    }
    wedge_barrier();
    counts[t * wedge_group_count(0) + chunk] = mine[t];
}

/* Counts of 16 digits per thread: those of digit 0 first, thread by thread. Each sixteen has room for two more, again for the
 * banks. */
#define COUNTS_PADDED (16u * SCAN_BLOCK / 16u * 18u)
WEDGE_FN wedge_u32 count_place(wedge_u32 k) { return k + k / 16u * 2u; }

/* Sorts the chunk's items by four bits, and keeps the order of equals. A thread has eight items in a row, so four bits
 * per digit hold its counts. Ends with a barrier. */
WEDGE_FN void order_round(WEDGE_IN_SHARED wedge_u32 *items, WEDGE_IN_SHARED unsigned short *counts,
                          WEDGE_IN_SHARED wedge_u64 *sums, wedge_u32 shift) {
    const wedge_u32 t = wedge_local_id(0);
    wedge_u32 item[SCAN_EACH], rank[SCAN_EACH];
    wedge_u64 packed = 0;
    CURVE_UNROLL
    for (wedge_u32 e = 0; e < SCAN_EACH; ++e) {
        item[e] = items[scan_padded(t * SCAN_EACH + e)];
        const wedge_u32 at = (item[e] >> shift & 15u) * 4u;
        rank[e] = (wedge_u32)(packed >> at) & 15u;
        packed += (wedge_u64)1 << at;
    }
    for (wedge_u32 digit = 0; digit < 16u; ++digit)
        counts[count_place(digit * SCAN_BLOCK + t)] = (unsigned short)(packed >> digit * 4u & 15u);
    wedge_barrier();
    wedge_u32 sum = 0;
    for (wedge_u32 k = 0; k < 16u; ++k) sum += counts[count_place(t * 16u + k)];
    sums[t] = sum;
    wedge_barrier();
    wedge_u32 before = (wedge_u32)scan_before(sums);
    for (wedge_u32 k = 0; k < 16u; ++k) {
        const wedge_u32 at = count_place(t * 16u + k), count = counts[at];
        counts[at] = (unsigned short)before;
        before += count;
    }
    wedge_barrier();
    CURVE_UNROLL
    for (wedge_u32 e = 0; e < SCAN_EACH; ++e) {
        const wedge_u32 digit = item[e] >> shift & 15u;
        items[scan_padded(counts[count_place(digit * SCAN_BLOCK + t)] + rank[e])] = item[e];
    }
    wedge_barrier();
}

/* An item is a key's digit, and where in the chunk the key is. Those past the last key have some digit: they come last in
 * it, and go nowhere. */
WEDGE_KERNEL WEDGE_BLOCK(SCAN_BLOCK, 1, 4) void order_scatter(WEDGE_GLOBAL const wedge_u64 *keys,
                                                              WEDGE_GLOBAL const wedge_u32 *indices, wedge_u32 n,
                                                              wedge_u32 shift, WEDGE_GLOBAL const wedge_u64 *starts,
                                                              WEDGE_GLOBAL wedge_u64 *to_keys,
                                                              WEDGE_GLOBAL wedge_u32 *to_indices) {
    WEDGE_SHARED wedge_u32 items[SCAN_PADDED], places[ORDER_DIGITS];
    WEDGE_SHARED unsigned short counts[COUNTS_PADDED];
    WEDGE_SHARED wedge_u64 sums[SCAN_SUMS];
    const wedge_u32 t = wedge_local_id(0), chunk = wedge_group_id(0), first = chunk * ORDER_CHUNK;
    for (wedge_u32 k = t; k < ORDER_CHUNK; k += SCAN_BLOCK) {
        const wedge_u32 digit = first + k < n ? order_digit(keys[first + k], shift) : 0u;
        items[scan_padded(k)] = digit << ORDER_SLOT_BITS | k;
    }
    wedge_barrier();
    order_round(items, counts, sums, ORDER_SLOT_BITS);
    order_round(items, counts, sums, ORDER_SLOT_BITS + 4u);
    /* Item k of a digit goes to places[digit] + k. */
    for (wedge_u32 k = t; k < ORDER_CHUNK; k += SCAN_BLOCK) {
        const wedge_u32 digit = items[scan_padded(k)] >> ORDER_SLOT_BITS;
        if (k == 0u || items[scan_padded(k - 1u)] >> ORDER_SLOT_BITS != digit)
            places[digit] = (wedge_u32)starts[digit * wedge_group_count(0) + chunk] - k;
    }
    wedge_barrier();
    for (wedge_u32 k = t; k < ORDER_CHUNK; k += SCAN_BLOCK) {
        const wedge_u32 item = items[scan_padded(k)], from = first + (item & (ORDER_CHUNK - 1u));
        if (from < n) {
            const wedge_u32 to = places[item >> ORDER_SLOT_BITS] + k;
            to_keys[to] = keys[from];
            to_indices[to] = indices[from];
        }
    }
}
