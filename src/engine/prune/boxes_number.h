/* boxes_number.h: boxes of float or double, for boxes.c, which includes it once for each.
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

/* The least difference, whatever its sign, of numbers in low .. high and least .. most. In a periodic box it is that of the
 * middle of all differences from the nearest multiple of the length, less half their range, and less what rounding can
 * make of it (half a unit each in the difference, the product and the sum, twice over). NaN stays. */
static inline NUMBER NAME(gap)(NUMBER low, NUMBER high, NUMBER least, NUMBER most, NUMBER length, NUMBER inverse) {
    NUMBER left = low - most, right = least - high, gap = left > right ? left : right;
    if (inverse > 0) {
        NUMBER middle = (left - right) / 2, half = -(left + right) / 2, turns = middle * inverse + MAGIC - MAGIC;
        NUMBER off = middle - length * turns, all = (left < 0 ? -left : left) + (right < 0 ? -right : right) + length;
        gap = (off < 0 ? -off : off) - half - all * (8 * EPSILON);
    }
    return gap <= 0 ? 0 : gap;
}

/* The points of OP_BOUND for a box and a group of them: one row, and a panel of columns. */
static void NAME(nearest)(const wedge_job *job, NUMBER *row, NUMBER *panel, const NUMBER *box, const NUMBER *group) {
    const uint64_t d = job->pairs.d;
    for (uint64_t f = 0; f < d; ++f, panel += GROUP) {
        const NUMBER *least = group + f * GROUP, *most = group + (d + f) * GROUP;
        const NUMBER low = box[f], high = box[d + f];
        const NUMBER length = (NUMBER)job->period.lengths[f], inverse = (NUMBER)job->period.lengths[MOST_BOX + f];
        int kind = job->op->bound(job->op, f, d);
        row[f] = kind == BOUND_GAP ? 0 : kind == BOUND_LEAST ? low : high;
        for (int k = 0; k < GROUP && kind == BOUND_GAP; ++k)
            panel[k] = NAME(gap)(low, high, least[k], most[k], length, inverse);
        if (kind != BOUND_GAP) memcpy(panel, kind == BOUND_LEAST ? least : most, GROUP * sizeof *panel);
    }
}

/* The bounds of a group's boxes; the first GROUP numbers of bound are they. Of many features the panel is too large for a stack;
 * without memory for it nothing is known, and nothing left out. */
static void NAME(bounds)(const wedge_job *job, const NUMBER *box, const NUMBER *group, NUMBER *bound) {
    NUMBER few[FEW_IN_BOX * GROUP] __attribute__((aligned(64))), row[MOST_BOX];
    void *many = NULL;
    const void *rows[NATIVE_ROWS];
    if (job->pairs.d > FEW_IN_BOX && posix_memalign(&many, 64, job->pairs.d * GROUP * sizeof(NUMBER))) {
        for (int k = 0; k < GROUP; ++k) bound[k] = -(NUMBER)INFINITY;
        return;
    }
    NUMBER *panel = many ? many : few;
    NAME(nearest)(job, row, panel, box, group);
    for (int r = 0; r < NATIVE_ROWS; ++r) rows[r] = row;
    job->native.tile(
        bound, GROUP, rows, panel, 1,
        (native_args){job->parameters, job->domain.kind->triples ? job->curve.coordinates : job->pairs.d, 1, NULL});
    free(many);
}

/* Which boxes of a group have no bound above the limit. */
static uint64_t NAME(within)(const wedge_job *job, const NUMBER *box, const NUMBER *group, NUMBER limit) {
    NUMBER bound[NATIVE_ROWS * GROUP] __attribute__((aligned(64)));
    uint64_t bits = 0;
    NAME(bounds)(job, box, group, bound);
    for (int k = 0; k < GROUP; ++k) bits |= (uint64_t) !(bound[k] > limit) << k;
    return bits;
}

/* The bounds of a group's boxes as double. */
static void NAME(list_bounds)(const wedge_job *job, const NUMBER *box, const NUMBER *group, double *list) {
    NUMBER bound[NATIVE_ROWS * GROUP] __attribute__((aligned(64)));
    NAME(bounds)(job, box, group, bound);
    for (int k = 0; k < GROUP; ++k) list[k] = bound[k] == bound[k] ? (double)bound[k] : -INFINITY;
}
