/* area: of a triangle, from its sides. With them in order, a >= b >= c, this form of Heron's (Kahan's) loses nothing where
 * the triangle is flat.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "the area of the triangle of points x,y[,z]"
#define OP_REACH(span, most, p) (36 * pow(span, 4)) /* of sides up to R: 12 R^4 */
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 2)
#define OP_SIDE 1

WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) { s[0] = wedge_length(a, b, q); }

WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {
    real x = wedge_larger(ab[0], ac[0]), y = wedge_smaller(ab[0], ac[0]);
    real a = wedge_larger(x, bc[0]), rest = wedge_smaller(x, bc[0]);
    real b = wedge_larger(y, rest), c = wedge_smaller(y, rest);
    real square = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
    return wedge_real((number)0.25) * wedge_sqrt(wedge_larger(square, wedge_real(0)));
}
