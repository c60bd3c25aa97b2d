/* gravity: the potential energy of two bodies, given as x,y,z,m, and the force on a, the row's.
 *
 * Softened: r^2 + softening^2 stands for r^2. What bodies do to each other is equal and opposite to the last bit.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "-g m m' / r and the force g m m' (b - a) / r^3 of bodies x,y,z,m: four values"
#define OP_COLUMNS "x,y,z,m|mass"
#define OP_PARAMETERS(P) P(g, 1, g > 0) P(softening, 0, softening >= 0)
#define OP_MAGNITUDE(span, most, p) \
    fmax(pow(fmax(span, softening), 3) / fmin(g, 1), (most) * (most)*fmax(g, 1)) /* or 1 by g / r^3 */
#define OP_LEAST(gap, p) fmax((gap) * (gap), softening * softening)
#define OP_DIRECT 4
#define OP_VALUES 4

WEDGE_OP void op_pair(const real *a, const real *b, op_args q, real *v) {
    real x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    real by = wedge_rsqrt(wedge_fused(x, x, wedge_fused(y, y, wedge_fused(z, z, q.softening * q.softening))));
    real energy = q.g * (a[3] * b[3]) * by, pull = energy * (by * by);
    v[0] = -energy;
    v[1] = pull * x;
    v[2] = pull * y;
    v[3] = pull * z;
}
