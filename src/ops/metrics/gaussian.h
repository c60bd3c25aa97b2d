/* gaussian: the Gaussian kernel of the distance, 1 for equal points. Twice by 1 / sigma instead of once by
 * its square, which could leave the range; so might 1 / sigma itself.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "exp(-sum (a - b)^2 / (2 sigma^2))"
#define OP_PARAMETERS(P) P(sigma, 1, sigma > 0)
#define OP_MAGNITUDE(span, most, p) ((span) * (span))
#define OP_LEAST(gap, p) pow(fmax(gap, sigma * 0x1p-30), 2) /* less is exp(-0) */
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real t = a - b;
    s.sum = wedge_fused(t, t, s.sum);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) {
    real most = wedge_real((number)(sizeof(number) == 8 ? 1e308 : 3e38f)), by = wedge_real(1) / q.sigma;
    by = wedge_pick(by > most, most, by);
    return wedge_exp(wedge_real(-0.5f) * (s.sum * by * by));
}
