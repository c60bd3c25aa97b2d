/* gravity, scaled: the distance and the softening are brought to where their squares are numbers, by a power of two. The force is the
 * energy by r, times the direction.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "-g m m' / r and the force g m m' (b - a) / r^3 of bodies x,y,z,m: four values"
#define OP_COLUMNS "x,y,z,m|mass"
#define OP_PARAMETERS(P) P(g, 1, g > 0) P(softening, 0, softening >= 0)
#define OP_MAGNITUDE_ALL(lo, hi, d) fmax(op_norm(lo, hi, 3, 2), pow(fmax(fabs(lo[3]), fabs(hi[3])), 2) * fmax(g, 1))
#define OP_DIRECT 4
#define OP_VALUES 4

WEDGE_OP void op_pair(const real *a, const real *b, op_args q, real *v) {
    real d[4] = {b[0] - a[0], b[1] - a[1], b[2] - a[2], q.softening};
    real most = wedge_larger(wedge_larger(wedge_abs(d[0]), wedge_abs(d[1])), wedge_larger(wedge_abs(d[2]), d[3]));
    const real scale = wedge_scale(most);
    for (int f = 0; f < 4; ++f) d[f] = d[f] * scale;
    real by = wedge_rsqrt(wedge_fused(d[0], d[0], wedge_fused(d[1], d[1], wedge_fused(d[2], d[2], d[3] * d[3]))));
    real energy = q.g * (a[3] * b[3]) * by * scale, pull = energy * by * scale;
    v[0] = -energy;
    v[1] = pull * (d[0] * by);
    v[2] = pull * (d[1] * by);
    v[3] = pull * (d[2] * by);
}
