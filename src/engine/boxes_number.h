/* boxes_number.h: boxes of float or double, for boxes_native.c, which includes it once for each.
 *
 * A group is 64 boxes of d features: the least of each, feature by feature, then the most.
 *
 * SPDX-License-Identifier: MIT */

/* One number more. What is not finite makes the box NaN, and so it stays. */
static inline void NAME(widen)(NUMBER *least, NUMBER *most, NUMBER x) {
    if (x - x != 0) *least = *most = (NUMBER)NAN;
    if (x < *least) *least = x;
    if (x > *most) *most = x;
}

/* The box of `count` points: number f of point k at from[f * across + k * along]. */
static void NAME(box_of)(NUMBER *box, size_t step, uint64_t d, const NUMBER *from, size_t across, size_t along,
                         uint64_t count) {
    for (uint64_t f = 0; f < d; ++f) {
        NUMBER least = (NUMBER)INFINITY, most = -(NUMBER)INFINITY;
        for (uint64_t k = 0; k < count; ++k) NAME(widen)(&least, &most, from[f * across + k * along]);
        box[f * step] = least, box[(d + f) * step] = most;
    }
}

/* The box of a whole group, of which `count` boxes are some. */
static void NAME(box_of_group)(NUMBER *box, size_t step, uint64_t d, const NUMBER *group, uint64_t count) {
    for (uint64_t f = 0; f < d; ++f) {
        NUMBER least = (NUMBER)INFINITY, most = -(NUMBER)INFINITY;
        for (uint64_t k = 0; k < count; ++k) {
            NAME(widen)(&least, &most, group[f * GROUP + k]);
            NAME(widen)(&least, &most, group[(d + f) * GROUP + k]);
        }
        box[f * step] = least, box[(d + f) * step] = most;
    }
}

/* The points of OP_BOUND for a box and a group of them: one row, and a panel of columns. */
static void NAME(nearest)(NUMBER *row, NUMBER *panel, const NUMBER *box, const NUMBER *group, uint64_t d,
                          op_bound_fn *bound) {
    for (uint64_t f = 0; f < d; ++f, panel += GROUP) {
        const NUMBER *least = group + f * GROUP, *most = group + (d + f) * GROUP;
        const NUMBER low = box[f], high = box[d + f];
        int kind = bound(f, d);
        row[f] = kind == WEDGE_GAP ? 0 : kind == WEDGE_LEAST ? low : high;
        for (int k = 0; k < GROUP && kind == WEDGE_GAP; ++k) {
            NUMBER left = low - most[k], right = least[k] - high, gap = left > right ? left : right;
            panel[k] = gap <= 0 ? 0 : gap; /* NaN stays */
        }
        if (kind != WEDGE_GAP) memcpy(panel, kind == WEDGE_LEAST ? least : most, GROUP * sizeof *panel);
    }
}

/* Which boxes of a group have no bound above the limit. */
static uint64_t NAME(within)(const wedge_job *job, const NUMBER *box, const NUMBER *group) {
    NUMBER panel[MOST_PRUNED * GROUP] __attribute__((aligned(64))), row[MOST_PRUNED];
    NUMBER value[NATIVE_ROWS * GROUP] __attribute__((aligned(64)));
    const NUMBER limit = (NUMBER)job->prune_limit;
    const void *rows[NATIVE_ROWS];
    uint64_t bits = 0, d = job->pairs.d;
    NAME(nearest)(row, panel, box, group, d, job->op->bound);
    for (int r = 0; r < NATIVE_ROWS; ++r) rows[r] = row;
    job->tile(value, GROUP, rows, panel, 1, (native_args){job->set, d, 1});
    for (int k = 0; k < GROUP; ++k) bits |= (uint64_t) !(value[k] > limit) << k;
    return bits;
}
