/* spheres, scaled: the differences of the centres are brought to where their squares are numbers, by a power of two.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "|x - x'| - (r + r') of spheres x[,y[,z]],r; <= 0: they touch"
#define OP_MAGNITUDE_ALL(lo, hi, d) (op_norm(lo, hi, (d)-1, 2) + 2 * fmax(fabs(lo[(d)-1]), fabs(hi[(d)-1])))
#define OP_DIRECT 4
#define OP_RECORDS(d) ((d) >= 2)
#define OP_BOUND(f, d) ((f) + 1 < (d) ? WEDGE_GAP : WEDGE_MOST)

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    const int last = q.numbers - 1;
    real most = wedge_abs(a[0] - b[0]), sum = wedge_real(0);
    WEDGE_UNROLL for (int f = 1; f < last; ++f) most = wedge_larger(most, wedge_abs(a[f] - b[f]));
    const real by = wedge_scale(most);
    WEDGE_UNROLL for (int f = 0; f < last; ++f) sum = sum + ((a[f] - b[f]) * by) * ((a[f] - b[f]) * by);
    return wedge_sqrt(sum) * wedge_unscale(most) - (a[last] + b[last]);
}
