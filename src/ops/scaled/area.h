/* area, scaled: the two shorter sides, and the cross product, are brought to where their squares are numbers, by powers of two.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "the area of the triangle of points x,y[,z]"
#define OP_MAGNITUDE_ALL(lo, hi, d) fmax(op_norm(lo, hi, d, 2), pow(op_norm(lo, hi, d, 2), 2) / 2)
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 2)
#define OP_SIDE 4 /* and the length */

WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {
    s[2] = wedge_real(0);
    WEDGE_UNROLL for (int f = 0; f < q.numbers; ++f) s[f] = a[f] - b[f];
    s[3] = wedge_norm(s, q.numbers);
}

/* a d - b c */
WEDGE_OP real area_minor(real a, real b, real c, real d) {
    real product = b * c;
    return wedge_fused(a, d, -product) + wedge_fused(-b, c, product);
}

WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {
    real x[4], y[4];
    WEDGE_UNROLL for (int f = 0; f < 4; ++f) { /* all but the longest */
        x[f] = wedge_pick((ab[3] >= ac[3]) & (ab[3] >= bc[3]), ac[f], ab[f]);
        y[f] = wedge_pick((bc[3] >= ac[3]) & (bc[3] > ab[3]), ac[f], bc[f]);
    }
    real most = wedge_larger(x[3], y[3]), by = wedge_scale(most), back = wedge_unscale(most);
    WEDGE_UNROLL for (int f = 0; f < 3; ++f) x[f] = x[f] * by, y[f] = y[f] * by;
    real z = area_minor(x[0], x[1], y[0], y[1]);
    real product[3] = {z, area_minor(x[1], x[2], y[1], y[2]), area_minor(x[2], x[0], y[2], y[0])};
    return wedge_real((number)0.5) * wedge_norm(product, q.numbers < 3 ? 1 : 3) * back * back;
}
