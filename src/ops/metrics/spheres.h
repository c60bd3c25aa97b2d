/* spheres: the gap between two spheres, given as centre and radius: they touch or overlap where it is 0 or less.
 *
 * A difference has the sign of the exact one, so that is decided as sqrt(sum) <= r + r', each rounded once. No fused
 * products: all devices, also those without them, decide alike.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "|x - x'| - (r + r') of spheres x[,y[,z]],r; <= 0: they touch"
#define OP_COLUMNS "x,y?,z?,r|radius"
#define OP_MAGNITUDE(span, most, p) ((span) * (span) + 2 * (most))
#define OP_LEAST(gap, p) ((gap) * (gap))
#define OP_DIRECT 4
#define OP_RECORDS(d) ((d) >= 2)
#define OP_BOUND(f, d) ((f) + 1 < (d) ? WEDGE_GAP : WEDGE_MOST)

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    const int last = q.numbers - 1;
    real sum = (a[0] - b[0]) * (a[0] - b[0]);
    WEDGE_UNROLL for (int f = 1; f < last; ++f) sum = sum + (a[f] - b[f]) * (a[f] - b[f]);
    return wedge_sqrt(sum) - (a[last] + b[last]);
}
