/* lj.h: the energy of two atoms of one kind, a function for `wedge run`; docs/run.md explains it.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "4 epsilon ((sigma/r)^12 - (sigma/r)^6)"
#define OP_PARAMETERS(P) P(epsilon, 1, epsilon > 0) P(sigma, 1, sigma > 0)
#define OP_DIRECT 3
#define OP_COLUMNS "x,y,z"

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    real s = q.sigma * q.sigma / (x * x + y * y + z * z), s3 = s * s * s;
    return wedge_real(4) * q.epsilon * s3 * (s3 - wedge_real(1));
}
