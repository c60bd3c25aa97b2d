/* lennard_jones, scaled: the differences and sigma are brought to where their squares are numbers, by a power of two.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "4 epsilon ((sigma/r)^12 - (sigma/r)^6) of atoms x[,y[,z]]"
#define OP_COLUMNS "x,y?,z?"
#define OP_PARAMETERS(P) P(epsilon, 1, epsilon > 0) P(sigma, 1, sigma > 0)
#define OP_MAGNITUDE_ALL(lo, hi, d) op_norm(lo, hi, d, 2)
#define OP_DIRECT 3
#define OP_RECORDS(d) ((d) >= 1)

WEDGE_OP real op_pair(const real *a, const real *b, op_args q) {
    real most = wedge_abs(a[0] - b[0]), square = wedge_real(0);
    WEDGE_UNROLL for (int f = 1; f < q.numbers; ++f) most = wedge_larger(most, wedge_abs(a[f] - b[f]));
    const real by = wedge_scale(most);
    WEDGE_UNROLL for (int f = 0; f < q.numbers; ++f) square =
        wedge_fused((a[f] - b[f]) * by, (a[f] - b[f]) * by, square);
    real part = q.sigma * by / wedge_sqrt(square), s = part * part, s3 = s * s * s;
    return wedge_real(4) * q.epsilon * (s3 * (s3 - wedge_real(1)));
}
