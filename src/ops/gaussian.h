/* gaussian: the Gaussian kernel of the distance, 1 for equal points. Two divisions by sigma instead of one by its square, which
 * could leave the range.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "exp(-sum (a - b)^2 / (2 sigma^2))"
#define OP_PARAMETERS(P) P(sigma, 1, sigma > 0)
#define OP_REACH(span, most, p) ((span) * (span))

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real t = a - b;
    s.sum = wedge_fused(t, t, s.sum);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return wedge_exp(wedge_real(-0.5f) * (s.sum / q.sigma / q.sigma)); }
