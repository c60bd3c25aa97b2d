/* lennard_jones: the potential energy of two atoms, given as x[,y[,z]].
 *
 * From the square of the distance, without a root; s (s - 1) and not s^2 - s, which would be NaN where atoms coincide: there
 * it is infinite.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "4 epsilon ((sigma/r)^12 - (sigma/r)^6) of atoms x[,y[,z]]"
#define OP_COLUMNS "x,y?,z?"
#define OP_PARAMETERS(P) P(epsilon, 1, epsilon > 0) P(sigma, 1, sigma > 0)
#define OP_MAGNITUDE(span, most, p) ((span) * (span))
#define OP_LEAST(gap, p) ((gap) * (gap))
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 1)

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    real square = (a[0] - b[0]) * (a[0] - b[0]);
    WEDGE_UNROLL for (int f = 1; f < q.numbers; ++f) square = square + (a[f] - b[f]) * (a[f] - b[f]);
    real s = q.sigma * q.sigma / square, s3 = s * s * s;
    return wedge_real(4) * q.epsilon * (s3 * (s3 - wedge_real(1)));
}
