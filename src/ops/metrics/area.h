/* area: of a triangle, half the length of the cross product of its two shorter sides.
 *
 * Not from the lengths of the sides, whose last digits are all that a flat triangle has. Each difference of two products is right to
 * two units in the last place of its own (Kahan), where the device has a fused product. What is lost is what differences
 * of coordinates lose: nothing where they are exact, else a unit of the product of the two shorter sides.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "the area of the triangle of points x,y[,z]"
#define OP_MAGNITUDE(span, most, p) (36 * pow(span, 4)) /* of sides up to R: 12 R^4 */
#define OP_COLUMNS "x,y,z?"
#define OP_LEAST(gap, p) ((gap) * (gap))
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 2)
#define OP_SIDE 3

WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {
    s[2] = wedge_real(0);
    WEDGE_UNROLL for (int f = 0; f < q.numbers; ++f) s[f] = a[f] - b[f];
}

WEDGE_OP real area_square(const real *s) { return wedge_fused(s[0], s[0], wedge_fused(s[1], s[1], s[2] * s[2])); }

/* Where the square of the product is small, that of the product times a power of two counts. */
#define AREA_SMALL ((number)(sizeof(number) == 8 ? 0x1p-900 : 0x1p-100f))
#define AREA_GROW ((number)(sizeof(number) == 8 ? 0x1p500 : 0x1p60f))

/* a d - b c */
WEDGE_OP real area_minor(real a, real b, real c, real d) {
    real product = b * c;
    return wedge_fused(a, d, -product) + wedge_fused(-b, c, product);
}

WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {
    real square = area_square(ac), first = area_square(ab), last = area_square(bc), x[3], y[3];
    WEDGE_UNROLL for (int f = 0; f < 3; ++f) { /* all but the longest */
        x[f] = wedge_pick((first >= square) & (first >= last), ac[f], ab[f]);
        y[f] = wedge_pick((last >= square) & (last > first), ac[f], bc[f]);
    }
    real z = area_minor(x[0], x[1], y[0], y[1]);
    if (q.numbers < 3) return wedge_real((number)0.5) * wedge_abs(z);
    real product[3] = {area_minor(x[1], x[2], y[1], y[2]), area_minor(x[2], x[0], y[2], y[0]), z};
    const real grow = wedge_real(AREA_GROW), by = wedge_real((number)0.5), sum = area_square(product);
    real larger[3] = {product[0] * grow, product[1] * grow, product[2] * grow}, square_of_larger = area_square(larger);
    return wedge_sqrt(wedge_pick(sum < wedge_real(AREA_SMALL), square_of_larger, sum)) *
           wedge_pick(sum < wedge_real(AREA_SMALL), wedge_real((number)0.5 / AREA_GROW), by);
}
