/* axilrod_teller: the three-body energy of atoms: nu (1 + 3 cos cos cos) / (r r' r'')^3, with the angles of the triangle.
 *
 * By the squares of the sides, a = r^2 and so on, the product of the three cosines is
 * (b + c - a) (a^2 - (b - c)^2) / (8 a b c): no angle is ever computed. Where a is much the smallest, b - c has lost digits: the
 * value is off by up to 8 u (2 + r) of its two terms, u = 2^-24 or 2^-53, r the longest side by the shortest.
 *
 * An atom given as x,y,z,nu has a coefficient of its own; that of a triplet is the geometric mean of three, times the parameter
 * nu. Its sixth root goes with each side, two of which an atom has.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "nu (1 + 3 cos cos' cos'') / (r r' r'')^3 of atoms x,y,z or x,y,z,nu"
#define OP_COLUMNS "x,y,z,nu?"
#define OP_PARAMETERS(P) P(nu, 1, nu >= 0)
#define OP_MAGNITUDE(span, most, p) (18 * pow(span, 6)) /* of sides up to R: 2 R^6 */
#define OP_DIRECT 4
#define OP_RECORDS(d) ((d) >= 3)
#define OP_SIDE 3
#define OP_PREPARES 1

WEDGE_OP void op_prepare(WEDGE_GLOBAL number *row, wedge_u32 d) {
    if (d > 3u) row[3] = wedge_number_pow(row[3], (number)1 / 6);
}

WEDGE_OP void op_side(const real *a, const real *b, op_args q, real *s) {
    real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    real square = wedge_fused(x, x, wedge_fused(y, y, z * z)), by = wedge_rsqrt(square);
    s[0] = square;
    s[2] = by * by;
    s[1] = s[2] * by;
    if (q.numbers > 3) s[1] = s[1] * (a[3] * b[3]);
}

WEDGE_OP real op_triple(const real *ab, const real *ac, const real *bc, op_args q) {
    real sum = ac[0] + bc[0], delta = ac[0] - bc[0];
    real product = (sum - ab[0]) * wedge_fused(-delta, delta, ab[0] * ab[0]);
    real angles = wedge_fused(wedge_real((number)0.375) * ab[2], product * (ac[2] * bc[2]), wedge_real(1));
    return q.nu * ab[1] * (ac[1] * bc[1]) * angles;
}

/* The square of ab is s[0]: by it, (b + c - a) (a^2 - (b - c)^2) changes by 2 a (b + c - a) - (a^2 - (b - c)^2). */
#define OP_PULLS 1
WEDGE_OP real op_pull(const real *ab, const real *ac, const real *bc, op_args q) {
    real delta = ac[0] - bc[0], rest = ac[0] + bc[0] - ab[0], square = wedge_fused(-delta, delta, ab[0] * ab[0]);
    real slope = wedge_fused(ab[0] + ab[0], rest, -square);
    real bent = wedge_fused(wedge_real((number)-2.5) * ab[2], rest * square, slope);
    real angles = wedge_fused(wedge_real((number)0.375) * bent, ac[2] * bc[2], wedge_real((number)-1.5));
    return q.nu * ab[1] * ab[2] * (ac[1] * bc[1]) * angles;
}
