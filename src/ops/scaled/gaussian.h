/* gaussian, scaled: differences are divided by sigma before they are squared, so what under- or overflows is 0 or infinite in the
 * exponent, too. For a large sigma by quarters of both, whose difference is a number.
 *
 * SPDX-License-Identifier: MIT */
#define OP_FORMULA "exp(-sum (a - b)^2 / (2 sigma^2))"
#define OP_PARAMETERS(P) P(sigma, 1, sigma > 0)
#define OP_SUMS 1

typedef struct {
    real sum;
} op_state;

WEDGE_OP op_state op_step(op_state s, real a, real b, op_args q) {
    real part = wedge_pick(q.sigma > wedge_real(1), wedge_real((number)0.25f), wedge_real(1));
    real t = (a * part - b * part) / (q.sigma * part);
    s.sum = wedge_fused(t, t, s.sum);
    return s;
}

WEDGE_OP real op_finish(op_state s, op_args q) { return wedge_exp(wedge_real(-0.5f) * s.sum); }
